//! The programs.

mod entries;
mod memory;
mod operations;
mod shared;
mod waiting;

use vyre_core::ir::builder::BodyBuilder;
use vyre_core::ir::{Axis, BinaryOp, Builtin, ExprId, Handle, Local, Program, Scalar, StmtKind, TypeId};

pub use operations::{of_scalar, targets};

/// Every program, each with one kernel.
pub fn all() -> Vec<Program> {
    let mut programs = vec![
        saxpy(),
        early(),
        control(),
        places(),
        shared::transpose(),
        shared::reduce(),
        shared::histogram(),
        memory::functions(),
        memory::aggregates(),
        memory::slices(),
        waiting::faults(),
        waiting::chain(),
        entries::fused(),
        entries::fused_in_step(),
        entries::externals(),
        entries::deferred(),
        entries::two_entries(),
    ];
    programs.extend(Scalar::ALL.map(operations::operations));
    programs.extend(Scalar::ALL.map(operations::casts));
    programs
}

type Body<'b, 'p> = &'b mut BodyBuilder<'p>;

fn slice(program: &mut Program, scalar: Scalar, mutable: bool) -> TypeId {
    let element = program.types.scalar(scalar);
    program.types.slice(element, mutable)
}

fn global(b: Body<'_, '_>, axis: Axis) -> ExprId {
    b.builtin(Builtin::GlobalIndex(axis))
}

fn element(b: Body<'_, '_>, slice: Handle<Local>, index: Handle<Local>) -> ExprId {
    let index = b.get(index);
    let place = b.index(b.local_place(slice), index);
    b.load(place)
}

fn set_element(b: Body<'_, '_>, slice: Handle<Local>, index: Handle<Local>, value: ExprId) {
    let index = b.get(index);
    let place = b.index(b.local_place(slice), index);
    b.store(place, value);
}

/// `if i < slice.len() { build }`, with `i` the thread's index along x.
fn guarded(b: Body<'_, '_>, slice: Handle<Local>, build: impl FnOnce(Body<'_, '_>, Handle<Local>)) {
    let i = global(b, Axis::X);
    let i = b.let_("i", i);
    let (index, length) = (b.get(i), b.length(b.local_place(slice)));
    let inside = b.binary(BinaryOp::Lt, index, length);
    b.if_(inside, |b| build(b, i), |_| {});
}

fn saxpy() -> Program {
    let mut program = Program::default();
    let f32 = program.types.scalar(Scalar::F32);
    let (x, y) = (
        slice(&mut program, Scalar::F32, false),
        slice(&mut program, Scalar::F32, true),
    );
    program.build_kernel("saxpy", &[256], &[("a", f32), ("x", x), ("y", y)], |b, p| {
        guarded(b, p[2], |b, i| {
            let (a, x) = (b.get(p[0]), element(b, p[1], i));
            let product = b.binary(BinaryOp::Mul, a, x);
            let y = element(b, p[2], i);
            let sum = b.binary(BinaryOp::Add, product, y);
            set_element(b, p[2], i, sum);
        });
    });
    program
}

/// Leaves early, by a bound that is a parameter.
fn early() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let out = slice(&mut program, Scalar::U32, true);
    program.build_kernel("early", &[64], &[("n", u32), ("out", out)], |b, p| {
        let i = b.builtin(Builtin::LinearIndex);
        let i = b.let_("i", i);
        let n = b.get(p[0]);
        let (index, n) = (b.get(i), b.cast(n, Scalar::U64));
        let outside = b.binary(BinaryOp::Ge, index, n);
        b.if_(outside, |b| b.return_(None), |_| {});
        let index = b.get(i);
        let value = b.cast(index, Scalar::U32);
        set_element(b, p[1], i, value);
    });
    program
}

/// Nested loops that break and continue, also the outer one.
fn control() -> Program {
    let mut program = Program::default();
    let out = slice(&mut program, Scalar::U64, true);
    program.build_kernel("control", &[32], &[("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            let zero = b.u64(0);
            let sum = b.let_("sum", zero);
            let (zero, bound) = (b.u64(0), b.u64(20));
            b.for_range("j", zero, bound, |b, j| {
                let (start, end) = (b.get(j), b.u64(30));
                b.for_range("k", start, end, |b, k| {
                    let (j_value, k_value, i_value) = (b.get(j), b.get(k), b.get(i));
                    let product = b.binary(BinaryOp::Mul, j_value, k_value);
                    let mixed = b.binary(BinaryOp::Xor, product, i_value);
                    let seven = b.u64(7);
                    let rest = b.binary(BinaryOp::Rem, mixed, seven);
                    let rest = b.let_("rest", rest);
                    let skip = |b: Body<'_, '_>, value: u64, kind: StmtKind| {
                        let (rest, value) = (b.get(rest), b.u64(value));
                        let same = b.binary(BinaryOp::Eq, rest, value);
                        b.if_(same, |b| b.push(kind), |_| {});
                    };
                    skip(b, 1, StmtKind::Continue(0));
                    skip(b, 2, StmtKind::Continue(1));
                    skip(b, 5, StmtKind::Break(0));
                    let (sum_value, mixed) = (b.get(sum), b.get(k));
                    let next = b.binary(BinaryOp::Add, sum_value, mixed);
                    b.set(sum, next);
                    let (sum_value, limit) = (b.get(sum), b.u64(900));
                    let over = b.binary(BinaryOp::Gt, sum_value, limit);
                    b.if_(over, |b| b.push(StmtKind::Break(1)), |_| {});
                });
            });
            let sum = b.get(sum);
            set_element(b, p[0], i, sum);
        });
    });
    program
}

/// Every special register, in three dimensions.
fn places() -> Program {
    let mut program = Program::default();
    let out = slice(&mut program, Scalar::U64, true);
    program.build_kernel("places", &[4, 3, 2], &[("out", out)], |b, p| {
        let mut hash = b.u64(0);
        let of = [
            Builtin::ThreadIndex,
            Builtin::BlockIndex,
            Builtin::BlockSize,
            Builtin::GridSize,
        ];
        let of = of.iter().flat_map(|of| [Axis::X, Axis::Y, Axis::Z].map(of));
        for builtin in of.chain([Axis::X, Axis::Y, Axis::Z].map(Builtin::GlobalIndex)) {
            let value = b.builtin(builtin);
            let (value, factor) = (b.cast(value, Scalar::U64), b.u64(31));
            let scaled = b.binary(BinaryOp::Mul, hash, factor);
            hash = b.binary(BinaryOp::Add, scaled, value);
        }
        let i = b.builtin(Builtin::LinearIndex);
        let i = b.let_("i", i);
        set_element(b, p[0], i, hash);
    });
    program
}
