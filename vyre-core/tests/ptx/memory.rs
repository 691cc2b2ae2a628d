//! Accesses to memory.

use vyre_core::ir::{Axis, BinaryOp, Builtin, Program, Scalar};
use vyre_test_support::random_program::Input;

use crate::agreement::compare;

/// An element before the thread's own one: its offset is below zero, and PTX wants a plus there.
#[test]
fn offsets_below_zero() {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let (x, out) = (program.types.slice(u32, false), program.types.slice(u32, true));
    let kernel = program.build_kernel("before", &[4], &[("x", x), ("out", out)], |b, p| {
        let (i, two) = (b.builtin(Builtin::GlobalIndex(Axis::X)), b.u64(2));
        let inside = b.binary(BinaryOp::Ge, i, two);
        b.if_(
            inside,
            |b| {
                let (i, two) = (b.builtin(Builtin::GlobalIndex(Axis::X)), b.u64(2));
                let before = b.binary(BinaryOp::Sub, i, two);
                let path = b.index_with(b.local_place(p[0]), before, false);
                let value = b.load(path);
                let i = b.builtin(Builtin::GlobalIndex(Axis::X));
                let path = b.index(b.local_place(p[1]), i);
                b.store(path, value);
            },
            |_| {},
        );
    });
    let slice = |values: [u32; 4]| Input::Slice(values.iter().flat_map(|value| value.to_le_bytes()).collect());
    let inputs = [slice([10, 11, 12, 13]), slice([0; 4])];
    let ptx = compare(&program, kernel, &inputs, [1; 3]).unwrap_or_else(|error| panic!("{error}"));
    assert!(ptx.contains("+-8]"), "{ptx}");
}
