//! Restrictions and bugs of the assembler.

use vyre_core::ir::{
    AtomicOp, Axis, BinaryOp, Builtin, Handle, Kernel, MemoryOrder, MemoryScope, Program, Scalar, StmtKind, Type,
    UnaryOp,
};
use vyre_core::validate::validate;
use vyre_core::{CompileOptions, compile, text};
use vyre_test_support::case::VERIFIED;
use vyre_test_support::ptxas;
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
    let inputs = [slice([10, 11, 12, 13]), slice([0; 4])];
    let ptx = run(&program, kernel, &inputs);
    assert!(ptx.contains("+-8]"), "{ptx}");
}

/// The assembler of CUDA 13.0, and with it the driver of that time, computes something else where a
/// negation is written as a subtraction from zero, then rotated by a constant and added to.
#[test]
fn negations_are_no_subtractions() {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let x = program.types.slice(u32, true);
    let kernel = program.build_kernel("negated", &[4], &[("x", x)], |b, p| {
        let i = b.builtin(Builtin::GlobalIndex(Axis::X));
        let path = b.index(b.local_place(p[0]), i);
        let (value, amount) = (b.load(path), b.u32(4));
        let value = b.cast(value, Scalar::I32);
        let negative = b.unary(UnaryOp::Neg, value);
        let rotated = b.binary(BinaryOp::RotateLeft, negative, amount);
        let rotated = b.cast(rotated, Scalar::U32);
        let (zero, one) = (b.u32(0), b.u32(1));
        let sum = b.binary(BinaryOp::Add, rotated, one);
        let result = b.binary(BinaryOp::Sub, zero, sum);
        let i = b.builtin(Builtin::GlobalIndex(Axis::X));
        let path = b.index(b.local_place(p[0]), i);
        b.store(path, result);
    });
    let ptx = run(&program, kernel, &[slice([0xc7bc_838d, 0, 1, u32::MAX])]);
    assert!(ptx.contains("neg.s32") && !ptx.contains(", 0, %r"), "{ptx}");
}

/// Only atomics that write may drop their result.
#[test]
fn loads_need_a_register() {
    let mut program = Program::default();
    let cell = program.types.intern(Type::Atomic(Scalar::U32));
    let x = program.types.slice(cell, false);
    let kernel = program.build_kernel("dropped", &[4], &[("x", x)], |b, p| {
        for op in [AtomicOp::Load, AtomicOp::Add, AtomicOp::Exchange] {
            let operands = (0..op.operands()).map(|_| b.u32(3)).collect();
            let i = b.builtin(Builtin::GlobalIndex(Axis::X));
            let path = b.index(b.local_place(p[0]), i);
            let place = b.place(path);
            b.push(StmtKind::Atomic {
                op,
                place,
                operands,
                order: MemoryOrder::SeqCst,
                scope: MemoryScope::Device,
                result: None,
            });
        }
    });
    let ptx = run(&program, kernel, &[slice([1, 2, 3, 4])]);
    assert!(ptx.contains("ld.acquire"), "{ptx}");
    assert!(
        !ptx.lines().any(|line| line.contains("ld.") && line.contains(" _,")),
        "{ptx}"
    );
}

/// Folders have names in all scripts, and ptxas reads ASCII alone, in comments too.
#[test]
fn files_have_any_name() {
    let text = "vyre 1\nfile \"/home/j\u{fc}rgen/a \\\"b\\\".rs\"\ntype &mut [u32]\n\n\
                kernel set(x: &mut [u32]) dimensions 1 block 256 1 1 {\n\
                    entry set {\n\
                        store x[global_index.x] = 3u32 @4:7\n\
                    }\n\
                }\n";
    let program = text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    for line_info in [false, true] {
        let options = CompileOptions { line_info, ..VERIFIED };
        let ptx = compile(&validate(&program).unwrap(), &options).unwrap().ptx;
        let wanted = match line_info {
            false => &["    // /home/j_rgen/a _b_.rs:4\n"][..],
            true => &["\n.file 1 \"/home/j_rgen/a _b_.rs\"\n", "\n    .loc 1 4 7\n"],
        };
        assert!(wanted.iter().all(|part| ptx.contains(part)), "{ptx}");
        if let Some(program) = ptxas::find() {
            ptxas::assemble(program, &ptx, "sm_90").unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        }
    }
}

fn slice(values: [u32; 4]) -> Input {
    Input::Slice(values.iter().flat_map(|value| value.to_le_bytes()).collect())
}

fn run(program: &Program, kernel: Handle<Kernel>, inputs: &[Input]) -> String {
    compare(program, kernel, inputs, [1; 3]).unwrap_or_else(|error| panic!("{error}"))
}
