//! Expressions evaluated only under a condition fault only under it.

use vyre_core::ir::{BinaryOp, Builtin, Program, Scalar};
use vyre_test_support::case::Case;
use vyre_test_support::random_program::Input;

/// Elements of short arrays are variables, and reading variables is cheap, but their indices are
/// checked all the same.
#[test]
fn elements_of_short_arrays() {
    for (length, index) in [(1, 0), (1, 1), (1, 1 << 60), (3, 2), (3, 3), (3, 1 << 60)] {
        for constant in [false, true] {
            for condition in [false, true] {
                let mut program = Program::default();
                let u32 = program.types.scalar(Scalar::U32);
                let (array, out) = (program.types.array(u32, length), program.types.slice(u32, true));
                let u64 = program.types.scalar(Scalar::U64);
                let parameters = [("number", u64), ("out", out)];
                let kernel = program.build_kernel("lazily", &[1], &parameters, |b, p| {
                    let short = b.local("short", array);
                    let seven = b.u32(7);
                    let all = b.repeat(seven, length);
                    b.set(short, all);
                    // The number is `index`.
                    let (number, zero) = (b.get(p[0]), b.u64(index));
                    let compare = if condition { BinaryOp::Eq } else { BinaryOp::Ne };
                    let condition = b.binary(compare, number, zero);
                    let at = if constant { b.u64(index) } else { b.get(p[0]) };
                    let element = b.index(b.local_place(short), at);
                    let (element, other) = (b.load(element), b.u32(1));
                    let value = b.select(condition, element, other);
                    let i = b.builtin(Builtin::LinearIndex);
                    let target = b.index(b.local_place(p[1]), i);
                    b.store(target, value);
                });
                let case = Case {
                    program,
                    kernel,
                    grid: [1; 3],
                    inputs: vec![
                        Input::Scalar(vyre_core::ir::Constant::u64(index)),
                        Input::Slice(vec![0; 4]),
                    ],
                };
                let module = case.compile();
                let expected = case.interpret(0).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(expected.is_err(), condition && index >= length);
                let found = case.on_machine(&module, 0).unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(case.difference(&expected, &found, true), None, "{}", module.ptx);
            }
        }
    }
}
