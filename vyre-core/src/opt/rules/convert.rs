//! Conversions and bit casts.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::super::gvn::Numbering;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

pub(super) fn simplify(n: &mut Numbering<'_>, from: Scalar, to: Scalar, a: Value) -> Option<Value> {
    match (from.is_integer(), to.is_integer()) {
        (true, true) => integer(n, from, to, a),
        (true, false) => {
            // The low bits of an already extended value, or of a nonnegative one.
            let bound = n.bound(a);
            match from {
                Scalar::I32 if bound <= i32::MAX as u64 => Some(n.convert(Scalar::U32, to, a)),
                Scalar::I64 if bound <= i64::MAX as u64 => Some(n.convert(Scalar::U64, to, a)),
                Scalar::U64 => {
                    let a = n.function.as_zero_extended(a)?;
                    Some(n.convert(Scalar::U32, to, a))
                }
                _ => None,
            }
        }
        (false, false) => match n.function.op(a) {
            // Widened before, which is exact.
            Op::Convert {
                from: narrow,
                to: wide,
                a,
            } if wide == from && narrow.is_float() && narrow.size() < wide.size() => match narrow == to {
                true => Some(a),
                false => widened(n, narrow, to, a),
            },
            _ => None,
        },
        (false, true) => None,
    }
}

/// A float that was widened before the conversion: converted directly, if there is such a
/// conversion.
fn widened(n: &mut Numbering<'_>, from: Scalar, to: Scalar, a: Value) -> Option<Value> {
    (from == Scalar::F16 && to == Scalar::F64).then(|| n.convert(from, to, a))
}

fn integer(n: &mut Numbering<'_>, from: Scalar, to: Scalar, a: Value) -> Option<Value> {
    let wide = n.function.ty(a) == Ty::I64;
    match (from, to.size()) {
        (Scalar::U64 | Scalar::I64, 4) => truncate(n, a),
        (Scalar::I32, 8) if n.bound(a) <= i32::MAX as u64 => Some(n.convert(Scalar::U32, Scalar::U64, a)),
        (Scalar::U32, 8) => {
            let (x, c) = n.as_binary_with(a, BinaryOp::Add)?;
            // A sum that does not wrap may be computed in 64 bits, where addresses share it.
            n.bound(x).checked_add(c).filter(|&sum| sum <= u64::from(u32::MAX))?;
            let x = n.convert(Scalar::U32, Scalar::U64, x);
            Some(n.binary_with(BinaryOp::Add, Scalar::U64, x, c))
        }
        (Scalar::I8 | Scalar::I16, 4) if !wide => {
            let sign = 1u64 << (from.bits() - 1);
            if n.bound(a) < sign {
                return Some(a);
            }
            match n.function.op(a) {
                Op::Load { scalar, .. } if scalar == from => Some(a),
                // Extended from no more bits before.
                Op::Convert { from: inner, .. }
                    if inner.is_signed() && inner.bits() <= from.bits() && inner.bits() < 32 =>
                {
                    Some(a)
                }
                Op::Binary {
                    op: BinaryOp::And, b, ..
                } if n
                    .function
                    .as_constant(b)
                    .is_some_and(|mask| mask & (2 * sign - 1) == 2 * sign - 1) =>
                {
                    let (a, _) = n.as_binary(a, BinaryOp::And)?;
                    Some(n.convert(from, to, a))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// The constant of a sum of words that an address computes in 64 bits: the sum does not wrap, nor does it fall below zero
/// where the constant is taken away. Only addresses have differences of 64 bits: elsewhere a difference is known to fit 32
/// bits by its type alone, where that it does not fall below zero is not known any more. What was raised before by a maximum
/// stays a word, as the other operations on such indices do.
pub(super) fn extended(n: &Numbering<'_>, x: Value, c: u64) -> Option<u64> {
    let range = n.range(x);
    let taken = c.wrapping_neg() & u64::from(u32::MAX);
    if range.most + c <= u64::from(u32::MAX) {
        Some(c)
    } else if range.least >= taken && n.as_binary(x, BinaryOp::Max).is_none() {
        Some(taken.wrapping_neg())
    } else {
        None
    }
}

/// The 64-bit product of a sum and a constant: the constant of a sum that does not wrap moves outwards, to end in the offset
/// of an address.
pub(super) fn product(n: &mut Numbering<'_>, a: Value, b: Value) -> Option<Value> {
    let factor = n.function.as_constant(b)?;
    let (x, c) = n.as_binary_with(a, BinaryOp::Add)?;
    let added = extended(n, x, c)?;
    let op = Op::MulWide { signed: false, a: x, b };
    let product = n.add(op, Ty::I64);
    Some(n.binary_with(BinaryOp::Add, Scalar::U64, product, added.wrapping_mul(factor)))
}

/// The low half of 64 bits.
fn truncate(n: &mut Numbering<'_>, a: Value) -> Option<Value> {
    if let Some(low) = n.function.as_zero_extended(a).or_else(|| n.as_sign_extended(a)) {
        return Some(low);
    }
    match n.function.op(a) {
        Op::Binary {
            op: BinaryOp::Mul,
            a,
            b,
            ..
        } => {
            let a = n.convert(Scalar::U64, Scalar::U32, a);
            let b = n.convert(Scalar::U64, Scalar::U32, b);
            Some(n.binary(BinaryOp::Mul, Scalar::U32, a, b))
        }
        // The low half of a product of words.
        Op::MulWide { a, b, .. } => Some(n.binary(BinaryOp::Mul, Scalar::U32, a, b)),
        // A constant moves out, so that addresses share the rest.
        Op::Binary {
            op: BinaryOp::Add,
            a,
            b,
            ..
        } => {
            let c = n.function.as_constant(b)?;
            let low = n.convert(Scalar::U64, Scalar::U32, a);
            Some(n.binary_with(BinaryOp::Add, Scalar::U32, low, c & u64::from(u32::MAX)))
        }
        Op::Binary {
            op: op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor),
            a,
            b,
            ..
        } => {
            let c = n.function.as_constant(b)?;
            let low = n.convert(Scalar::U64, Scalar::U32, a);
            Some(n.binary_with(op, Scalar::U32, low, c & u64::from(u32::MAX)))
        }
        _ => None,
    }
}

pub(super) fn bits(n: &mut Numbering<'_>, ty: Ty, a: Value) -> Option<Value> {
    match n.function.op(a) {
        Op::Bits(inner) => match (n.function.ty(inner), n.function.ty(a)) {
            // The upper half of the word is gone.
            (Ty::I32, via) if via.is_half() => {
                (ty == Ty::I32).then(|| n.binary_with(BinaryOp::And, Scalar::U32, inner, 0xffff))
            }
            (of, _) if of == ty => Some(inner),
            (of, _) => (of.bits() == ty.bits()).then(|| n.add(Op::Bits(inner), ty)),
        },
        _ => None,
    }
}
