//! Shared memory: tiles, trees, counts.

use vyre_core::ir::{AtomicOp, Axis, BinaryOp, Builtin, Handle, Local, Program, Scalar, SharedVariable, Span, Type};

use super::{Body, element, global, guarded, slice};

/// Two dimensions, with a padded tile in shared memory.
pub(super) fn transpose() -> Program {
    let mut program = Program::default();
    let (u64, f32) = (program.types.scalar(Scalar::U64), program.types.scalar(Scalar::F32));
    let (from, to) = (
        slice(&mut program, Scalar::F32, false),
        slice(&mut program, Scalar::F32, true),
    );
    let row = program.types.array(f32, 9);
    let tile = program.types.array(row, 8);
    let tile = program.shared.push(SharedVariable {
        name: "tile".into(),
        ty: tile,
        span: Span::NONE,
    });
    let parameters = [("width", u64), ("height", u64), ("from", from), ("to", to)];
    program.build_kernel("transpose", &[8, 8], &parameters, |b, p| {
        let axes = [Axis::X, Axis::Y];
        let [x, y] = axes.map(|axis| global(b, axis));
        let (x, y) = (b.let_("x", x), b.let_("y", y));
        let own = |b: Body<'_, '_>, axis| {
            let place = b.builtin(Builtin::ThreadIndex(axis));
            b.cast(place, Scalar::U64)
        };
        let flat = |b: Body<'_, '_>, x: Handle<Local>, y: Handle<Local>, width: Handle<Local>| {
            let (x, y, width) = (b.get(x), b.get(y), b.get(width));
            let start = b.binary(BinaryOp::Mul, y, width);
            b.binary(BinaryOp::Add, start, x)
        };
        let (inside_x, inside_y) = (b.get(x), b.get(y));
        let (width, height) = (b.get(p[0]), b.get(p[1]));
        let inside_x = b.binary(BinaryOp::Lt, inside_x, width);
        let inside_y = b.binary(BinaryOp::Lt, inside_y, height);
        let inside = b.and(inside_x, inside_y);
        b.if_(
            inside,
            |b| {
                let index = flat(b, x, y, p[0]);
                let place = b.index(b.local_place(p[2]), index);
                let value = b.load(place);
                let (row, column) = (own(b, Axis::Y), own(b, Axis::X));
                let place = b.index(b.shared_place(tile), row);
                let place = b.index(place, column);
                b.store(place, value);
            },
            |_| {},
        );
        b.barrier();
        let block = |b: Body<'_, '_>, across: Axis, along: Axis| {
            let start = b.builtin(Builtin::BlockIndex(across));
            let (start, eight) = (b.cast(start, Scalar::U64), b.u64(8));
            let start = b.binary(BinaryOp::Mul, start, eight);
            let place = own(b, along);
            b.binary(BinaryOp::Add, start, place)
        };
        let (new_x, new_y) = (block(b, Axis::Y, Axis::X), block(b, Axis::X, Axis::Y));
        b.set(x, new_x);
        b.set(y, new_y);
        let (inside_x, inside_y) = (b.get(x), b.get(y));
        let (width, height) = (b.get(p[0]), b.get(p[1]));
        let inside_x = b.binary(BinaryOp::Lt, inside_x, height);
        let inside_y = b.binary(BinaryOp::Lt, inside_y, width);
        let inside = b.and(inside_x, inside_y);
        b.if_(
            inside,
            |b| {
                let (row, column) = (own(b, Axis::X), own(b, Axis::Y));
                let place = b.index(b.shared_place(tile), row);
                let place = b.index(place, column);
                let value = b.load(place);
                let index = flat(b, x, y, p[1]);
                let place = b.index(b.local_place(p[3]), index);
                b.store(place, value);
            },
            |_| {},
        );
    });
    program
}

/// A tree in shared memory, with barriers in a loop, and an atomic sum of the blocks.
pub(super) fn reduce() -> Program {
    let mut program = Program::default();
    let input = slice(&mut program, Scalar::I32, false);
    let cell = program.types.intern(Type::Atomic(Scalar::I32));
    let total = program.types.slice(cell, false);
    let i32 = program.types.scalar(Scalar::I32);
    let tree = program.types.array(i32, 128);
    let tree = program.shared.push(SharedVariable {
        name: "tree".into(),
        ty: tree,
        span: Span::NONE,
    });
    program.build_kernel("reduce", &[128], &[("input", input), ("total", total)], |b, p| {
        let t = b.builtin(Builtin::ThreadIndex(Axis::X));
        let t = b.cast(t, Scalar::U64);
        let t = b.let_("t", t);
        let i = global(b, Axis::X);
        let i = b.let_("i", i);
        let (index, length) = (b.get(i), b.length(b.local_place(p[0])));
        let inside = b.binary(BinaryOp::Lt, index, length);
        let (value, zero) = (element(b, p[0], i), b.i32(0));
        let value = b.select(inside, value, zero);
        let at = b.get(t);
        let place = b.index(b.shared_place(tree), at);
        b.store(place, value);
        let half = b.u64(64);
        let half = b.let_("half", half);
        b.loop_(
            |b| {
                b.barrier();
                let (left, zero) = (b.get(half), b.u64(0));
                let more = b.binary(BinaryOp::Gt, left, zero);
                b.break_unless(more, 0);
                let (t_value, half_value) = (b.get(t), b.get(half));
                let works = b.binary(BinaryOp::Lt, t_value, half_value);
                b.if_(
                    works,
                    |b| {
                        let (low, half) = (b.get(t), b.get(half));
                        let high = b.binary(BinaryOp::Add, low, half);
                        let (low, low_again) = (b.get(t), b.get(t));
                        let (low, high) = (b.index(b.shared_place(tree), low), b.index(b.shared_place(tree), high));
                        let (low, high) = (b.load(low), b.load(high));
                        let sum = b.binary(BinaryOp::Add, low, high);
                        let place = b.index(b.shared_place(tree), low_again);
                        b.store(place, sum);
                    },
                    |_| {},
                );
            },
            |b| {
                let (old, one) = (b.get(half), b.u32(1));
                let next = b.binary(BinaryOp::Shr, old, one);
                b.set(half, next);
            },
        );
        let (t, zero) = (b.get(t), b.u64(0));
        let first = b.binary(BinaryOp::Eq, t, zero);
        b.if_(
            first,
            |b| {
                let (from, to) = (b.u64(0), b.u64(0));
                let sum = b.index(b.shared_place(tree), from);
                let sum = b.load(sum);
                let place = b.index(b.local_place(p[1]), to);
                b.atomic(AtomicOp::Add, place, vec![sum]);
            },
            |_| {},
        );
    });
    program
}

/// Counts in atomic cells of shared memory, then in those of global memory.
pub(super) fn histogram() -> Program {
    let mut program = Program::default();
    let input = slice(&mut program, Scalar::U8, false);
    let cell = program.types.intern(Type::Atomic(Scalar::U32));
    let counts = program.types.slice(cell, false);
    let local = program.types.array(cell, 16);
    let local = program.shared.push(SharedVariable {
        name: "local".into(),
        ty: local,
        span: Span::NONE,
    });
    program.build_kernel("histogram", &[16], &[("input", input), ("counts", counts)], |b, p| {
        let own = |b: Body<'_, '_>| {
            let t = b.builtin(Builtin::ThreadIndex(Axis::X));
            b.cast(t, Scalar::U64)
        };
        let (t, zero) = (own(b), b.u32(0));
        let place = b.index(b.shared_place(local), t);
        b.atomic(AtomicOp::Store, place, vec![zero]);
        b.barrier();
        guarded(b, p[0], |b, i| {
            let byte = element(b, p[0], i);
            let (byte, mask) = (b.cast(byte, Scalar::U64), b.u64(15));
            let bin = b.binary(BinaryOp::And, byte, mask);
            let one = b.u32(1);
            let place = b.index(b.shared_place(local), bin);
            b.atomic(AtomicOp::Add, place, vec![one]);
        });
        b.barrier();
        let (from, to) = (own(b), own(b));
        let place = b.index(b.shared_place(local), from);
        let count = b.atomic(AtomicOp::Load, place, vec![]);
        let count = b.get(count);
        let place = b.index(b.local_place(p[1]), to);
        b.atomic(AtomicOp::Add, place, vec![count]);
    });
    program
}
