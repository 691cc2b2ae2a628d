//! Threads that fault, and threads that wait for others.

use vyre_core::ir::{AtomicOp, Axis, BinaryOp, MemoryOrder, MemoryScope, Program, Scalar, StmtKind, Type};

use super::{Body, global, set_element, slice};

/// The thread with index `which` faults as selected by `kind`.
pub(super) fn faults() -> Program {
    let mut program = Program::default();
    let i32 = program.types.scalar(Scalar::I32);
    let (u32, unit) = (program.types.scalar(Scalar::U32), program.types.unit());
    let out = slice(&mut program, Scalar::I32, true);
    let fail = program.build_function("fail", &[("kind", u32)], unit, |b, p| {
        let (kind, limit) = (b.get(p[0]), b.u32(5));
        let fine = b.binary(BinaryOp::Ne, kind, limit);
        b.assert(fine, "kind is not five");
    });
    let parameters = [("which", u32), ("kind", u32), ("zero", i32), ("out", out)];
    program.build_kernel("faults", &[32], &parameters, |b, p| {
        let i = global(b, Axis::X);
        let i = b.let_("i", i);
        let number = b.get(i);
        let (number, which) = (b.cast(number, Scalar::U32), b.get(p[0]));
        let chosen = b.binary(BinaryOp::Eq, number, which);
        b.if_(
            chosen,
            |b| {
                let when = |b: Body<'_, '_>, value: u32, build: &mut dyn FnMut(Body<'_, '_>)| {
                    let (kind, value) = (b.get(p[1]), b.u32(value));
                    let same = b.binary(BinaryOp::Eq, kind, value);
                    b.if_(same, |b| build(b), |_| {});
                };
                when(b, 1, &mut |b| {
                    let (one, index) = (b.i32(1), b.u64(1000));
                    let place = b.index(b.local_place(p[3]), index);
                    b.store(place, one);
                });
                when(b, 2, &mut |b| {
                    let (one, zero) = (b.i32(1), b.get(p[2]));
                    let quotient = b.binary(BinaryOp::Div, one, zero);
                    b.let_("quotient", quotient);
                });
                when(b, 3, &mut |b| {
                    let (least, zero, one) = (b.i32(i32::MIN), b.get(p[2]), b.i32(1));
                    let minus = b.binary(BinaryOp::Sub, zero, one);
                    let rest = b.binary(BinaryOp::Rem, least, minus);
                    b.let_("rest", rest);
                });
                when(b, 4, &mut |b| {
                    let (start, end) = (b.u64(3), b.u64(2));
                    let part = b.subslice(b.local_place(p[3]), start, end, true);
                    b.let_("part", part);
                });
                let kind = b.get(p[1]);
                b.call(fail, vec![kind]);
            },
            |_| {},
        );
        let one = b.i32(1);
        set_element(b, p[3], i, one);
    });
    program
}

/// Each thread waits for the one before it, through an atomic.
pub(super) fn chain() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let cell = program.types.intern(Type::Atomic(Scalar::U32));
    let flags = program.types.slice(cell, false);
    program.build_kernel("chain", &[16], &[("broken", u32), ("flags", flags)], |b, p| {
        let i = global(b, Axis::X);
        let i = b.let_("i", i);
        let number = b.get(i);
        let (number, broken) = (b.cast(number, Scalar::U32), b.get(p[0]));
        let fine = b.binary(BinaryOp::Ne, number, broken);
        b.assert(fine, "not the broken one");
        let seen = b.local("seen", u32);
        let (index, zero) = (b.get(i), b.u64(0));
        let waits = b.binary(BinaryOp::Gt, index, zero);
        b.if_(
            waits,
            |b| {
                b.loop_(
                    |b| {
                        let (index, one) = (b.get(i), b.u64(1));
                        let before = b.binary(BinaryOp::Sub, index, one);
                        let path = b.index(b.local_place(p[1]), before);
                        let place = b.place(path);
                        b.push(StmtKind::Atomic {
                            op: AtomicOp::Load,
                            place,
                            operands: vec![],
                            order: MemoryOrder::Acquire,
                            scope: MemoryScope::Device,
                            result: Some(seen),
                        });
                        let (value, zero) = (b.get(seen), b.u32(0));
                        let still = b.binary(BinaryOp::Eq, value, zero);
                        b.break_unless(still, 0);
                    },
                    |_| {},
                );
            },
            |_| {},
        );
        let (index, seen, one) = (b.get(i), b.get(seen), b.u32(1));
        let next = b.binary(BinaryOp::Add, seen, one);
        let path = b.index(b.local_place(p[1]), index);
        let place = b.place(path);
        b.push(StmtKind::Atomic {
            op: AtomicOp::Exchange,
            place,
            operands: vec![next],
            order: MemoryOrder::AcqRel,
            scope: MemoryScope::Device,
            result: None,
        });
    });
    program
}
