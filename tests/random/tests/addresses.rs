//! Wrapping index arithmetic in small memories: the constant part becomes the offset of an access
//! whose register holds a negative number, and the device must add the two modulo 2^32.

use vyre_core::ir::builder::{BodyBuilder, Path};
use vyre_core::ir::{
    BinaryOp, Builtin, Constant, ConstantTable, ExprId, Handle, Kernel, Local, Program, Scalar, SharedVariable, Span,
};
use vyre_test_random::kernel::cuda;
use vyre_test_random::run::compare;
use vyre_test_support::case::Case;
use vyre_test_support::random_program::Input;

const CELLS: u64 = 8;

/// `out[i]` gets the element at `i - less + more` of shared memory, local memory and a table.
fn program(more: u64) -> (Program, Handle<Kernel>) {
    let mut program = Program::default();
    let (u32, u64) = (program.types.scalar(Scalar::U32), program.types.scalar(Scalar::U64));
    let (array, out) = (program.types.array(u32, CELLS), program.types.slice(u32, true));
    let shared = program.shared.push(SharedVariable {
        name: "shared".to_owned(),
        ty: array,
        span: Span::NONE,
    });
    let table = program.tables.push(ConstantTable {
        name: "TABLE".to_owned(),
        ty: array,
        values: (0..CELLS).map(|cell| 5 * cell + 1).collect(),
        host: None,
        span: Span::NONE,
    });
    let outputs = ["shared_out", "private_out", "table_out"].map(|name| (name, out));
    let parameters = [&[("less", u64)], &outputs[..]].concat();
    let kernel = program.build_kernel("wraps", &[CELLS as u32], &parameters, |b, p| {
        let private = b.local("private", array);
        let number = |b: &mut BodyBuilder<'_>, factor: u32| {
            let (i, factor) = (b.builtin(Builtin::LinearIndex), b.u32(factor));
            let i = b.cast(i, Scalar::U32);
            b.binary(BinaryOp::Mul, i, factor)
        };
        let (i, value) = (b.builtin(Builtin::LinearIndex), number(b, 3));
        let cell = b.index(b.shared_place(shared), i);
        b.store(cell, value);
        let (start, end) = (b.u64(0), b.u64(CELLS));
        b.for_range("cell", start, end, |b, counter| {
            let (i, value, seven) = (b.get(counter), b.get(counter), b.constant(Constant::u64(7)));
            let cell = b.index(b.local_place(private), i);
            let value = b.binary(BinaryOp::Mul, value, seven);
            let value = b.cast(value, Scalar::U32);
            b.store(cell, value);
        });
        b.barrier();
        let write = |b: &mut BodyBuilder<'_>, base: Path, out: Handle<Local>| {
            let index = wrapping(b, p[0], more);
            let found = b.index_with(base, index, false);
            let found = b.load(found);
            let i = b.builtin(Builtin::LinearIndex);
            let target = b.index(b.local_place(out), i);
            b.store(target, found);
        };
        write(b, b.shared_place(shared), p[1]);
        write(b, b.local_place(private), p[2]);
        write(b, b.table_place(table), p[3]);
    });
    (program, kernel)
}

/// `i - less + more`, where `i - less` is negative.
fn wrapping(b: &mut BodyBuilder<'_>, less: Handle<Local>, more: u64) -> ExprId {
    let (i, less, more) = (b.builtin(Builtin::LinearIndex), b.get(less), b.u64(more));
    let below = b.binary(BinaryOp::Sub, i, less);
    b.binary(BinaryOp::Add, below, more)
}

#[test]
fn indices_of_small_memories_wrap() {
    let device = cuda("indices_of_small_memories_wrap");
    for more in [1, 3, 7, 1 << 10, 1 << 20, 1 << 28, 1 << 40] {
        let (program, kernel) = program(more);
        let output = || Input::Slice(vec![0; 4 * CELLS as usize]);
        let case = Case {
            program,
            kernel,
            grid: [1; 3],
            inputs: vec![Input::Scalar(Constant::u64(more)), output(), output(), output()],
        };
        let module = case.compile();
        let expected = case.interpret(0).unwrap_or_else(|error| panic!("{error}"));
        let found = case.on_machine(&module, 0).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(case.difference(&expected, &found, true), None, "{more}: {}", module.ptx);
        if let Some(device) = &device {
            let (_, difference) = compare(device, &case).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(difference, None, "{more}: {}", module.ptx);
        }
    }
}
