//! Properties decided outside the body: fused operations, external constants, entries.

use vyre_core::ir::{Axis, BinaryOp, Builtin, Entry, External, Handle, Local, Program, Scalar, SharedVariable, Span};

use super::{Body, element, guarded, set_element, slice};

pub(super) fn fused() -> Program {
    let mut program = Program::default();
    let (x, y) = (
        slice(&mut program, Scalar::F32, false),
        slice(&mut program, Scalar::F64, true),
    );
    program.build_kernel("fused", &[64], &[("x", x), ("y", y)], |b, p| {
        guarded(b, p[1], |b, i| {
            let (a, c, d) = (element(b, p[0], i), element(b, p[0], i), b.f32(-0.1));
            let single = b.mul_add(a, c, d);
            let single = b.cast(single, Scalar::F64);
            let (y, z) = (element(b, p[1], i), b.f64(1e-9));
            let double = b.mul_add(single, y, z);
            set_element(b, p[1], i, double);
        });
    });
    program
}

/// A fused multiply-add in a kernel with a barrier, and in its function.
pub(super) fn fused_in_step() -> Program {
    let mut program = Program::default();
    let f32 = program.types.scalar(Scalar::F32);
    let y = slice(&mut program, Scalar::F32, true);
    let array = program.types.array(f32, 32);
    let shared = program.shared.push(SharedVariable {
        name: "values".into(),
        ty: array,
        span: Span::NONE,
    });
    let mix = program.build_function("mix", &[("a", f32), ("b", f32)], f32, |b, p| {
        let (first, second, third) = (b.get(p[0]), b.get(p[1]), b.get(p[0]));
        let value = b.mul_add(first, second, third);
        b.return_(Some(value));
    });
    program.build_kernel("fused_in_step", &[32], &[("y", y)], |b, p| {
        let t = b.builtin(Builtin::ThreadIndex(Axis::X));
        let t = b.cast(t, Scalar::U64);
        let t = b.let_("t", t);
        let value = element(b, p[0], t);
        let at = b.get(t);
        let place = b.index(b.shared_place(shared), at);
        b.store(place, value);
        b.barrier();
        let (last, at) = (b.u64(31), b.get(t));
        let other = b.binary(BinaryOp::Sub, last, at);
        let place = b.index(b.shared_place(shared), other);
        let (other, own) = (b.load(place), element(b, p[0], t));
        let mixed = b.call(mix, vec![own, other]);
        let mixed = b.get(mixed);
        set_element(b, p[0], t, mixed);
    });
    program
}

/// Constants whose values rustc supplies.
pub(super) fn externals() -> Program {
    let mut program = Program::default();
    let external = |name: &str, scalar| External {
        name: name.into(),
        scalar,
        value: None,
        span: Span::NONE,
    };
    let width = program.externals.push(external("WIDTH", Scalar::U64));
    let scale = program.externals.push(external("self::SCALE", Scalar::F32));
    let out = slice(&mut program, Scalar::F32, true);
    program.build_kernel("externals", &[32], &[("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            let (i_value, width) = (b.get(i), b.external(width));
            let rest = b.binary(BinaryOp::Rem, i_value, width);
            let (rest, scale) = (b.cast(rest, Scalar::F32), b.external(scale));
            let value = b.binary(BinaryOp::Mul, rest, scale);
            set_element(b, p[0], i, value);
        });
    });
    program
}

/// Locals that are written only in branches, and carried from iteration to iteration.
pub(super) fn deferred() -> Program {
    let mut program = Program::default();
    let u32 = program.types.scalar(Scalar::U32);
    let out = slice(&mut program, Scalar::U32, true);
    program.build_kernel("deferred", &[32], &[("out", out)], |b, p| {
        guarded(b, p[0], |b, i| {
            let value = b.local("value", u32);
            let carried = b.local("carried", u32);
            let (start, end) = (b.u32(0), b.u32(10));
            b.for_range("k", start, end, |b, k| {
                let (i_value, k_value) = (b.get(i), b.get(k));
                let k_value = b.cast(k_value, Scalar::U64);
                let same = b.binary(BinaryOp::Eq, i_value, k_value);
                b.if_(
                    same,
                    |b| {
                        let old = b.get(carried);
                        b.set(value, old);
                    },
                    |_| {},
                );
                let (old, k_value) = (b.get(carried), b.get(k));
                let next = b.binary(BinaryOp::Add, old, k_value);
                b.set(carried, next);
            });
            let value = b.get(value);
            set_element(b, p[0], i, value);
        });
    });
    program
}

/// Two entries, the first of which requires lengths that are multiples of four and factors above
/// two. Both compute the same, as entries must.
pub(super) fn two_entries() -> Program {
    let mut program = Program::default();
    let f32 = program.types.scalar(Scalar::F32);
    let x = slice(&mut program, Scalar::F32, true);
    let parameters = [("a", f32), ("x", x)];
    let statements = |b: Body<'_, '_>, p: &[Handle<Local>]| {
        guarded(b, p[1], |b, i| {
            let (a, x) = (b.get(p[0]), element(b, p[1], i));
            let product = b.binary(BinaryOp::Mul, a, x);
            set_element(b, p[1], i, product);
        });
    };
    let kernel = program.build_kernel("two_entries", &[64], &parameters, statements);
    let mut predicate = None;
    let body = program.build_body(&parameters, |b, p| {
        let (length, three, zero) = (b.length(b.local_place(p[1])), b.u64(3), b.u64(0));
        let rest = b.binary(BinaryOp::And, length, three);
        let divides = b.binary(BinaryOp::Eq, rest, zero);
        let (a, two) = (b.get(p[0]), b.f32(2.0));
        let above = b.binary(BinaryOp::Gt, a, two);
        predicate = Some(b.and(divides, above));
        statements(b, p);
    });
    let entry = Entry {
        symbol: "two_entries_fast".into(),
        predicate,
        coarsening: 1,
        body,
    };
    program.kernels[kernel].entries.insert(0, entry);
    program
}
