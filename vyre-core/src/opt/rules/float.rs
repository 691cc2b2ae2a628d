//! Floats. Only rules that are exact for every operand, including infinities, zeros of either sign
//! and subnormals.

use vyre_ir::ir::{BinaryOp, Constant, Scalar, UnaryOp};
use vyre_ir::semantics;

use super::super::gvn::Numbering;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

/// The value of a constant.
fn number(n: &Numbering<'_>, scalar: Scalar, value: Value) -> Option<f64> {
    let constant = Constant::new(scalar, n.function.as_constant(value)?);
    Some(f64::from_bits(semantics::cast(constant, Scalar::F64).bits))
}

fn negated(n: &Numbering<'_>, value: Value) -> Option<Value> {
    match n.function.op(value) {
        Op::Unary {
            op: UnaryOp::Neg, a, ..
        } => Some(a),
        _ => None,
    }
}

pub(super) fn unary(n: &mut Numbering<'_>, op: UnaryOp, scalar: Scalar, a: Value) -> Option<Value> {
    let Op::Unary { op: inner, a: x, .. } = n.function.op(a) else {
        return None;
    };
    match (op, inner) {
        (UnaryOp::Neg, UnaryOp::Neg) => Some(x),
        (UnaryOp::Abs, UnaryOp::Abs) => Some(a),
        (UnaryOp::Abs, UnaryOp::Neg) => Some(n.add(Op::Unary { op, scalar, a: x }, Ty::of(scalar))),
        // Integral values stay integral.
        (
            UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::RoundTiesEven,
            UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::RoundTiesEven,
        ) => Some(a),
        _ => None,
    }
}

pub(super) fn binary(n: &mut Numbering<'_>, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    let constant = number(n, scalar, b);
    match op {
        BinaryOp::Add => {
            // Adding -0 changes nothing; adding +0 turns -0 into +0.
            if constant.is_some_and(|c| c == 0.0 && c.is_sign_negative()) {
                return Some(a);
            }
            if let Some(b) = negated(n, b) {
                return Some(n.binary(BinaryOp::Sub, scalar, a, b));
            }
            let a = negated(n, a)?;
            Some(n.binary(BinaryOp::Sub, scalar, b, a))
        }
        BinaryOp::Sub => {
            if constant.is_some_and(|c| c == 0.0 && c.is_sign_positive()) {
                return Some(a);
            }
            let b = negated(n, b)?;
            Some(n.binary(BinaryOp::Add, scalar, a, b))
        }
        BinaryOp::Mul => match constant {
            Some(1.0) => Some(a),
            Some(-1.0) => Some(n.add(
                Op::Unary {
                    op: UnaryOp::Neg,
                    scalar,
                    a,
                },
                Ty::of(scalar),
            )),
            _ => {
                let (a, b) = (negated(n, a)?, negated(n, b)?);
                Some(n.binary(BinaryOp::Mul, scalar, a, b))
            }
        },
        BinaryOp::Div => {
            if constant == Some(1.0) {
                return Some(a);
            }
            // Multiplication by a power of two and division by its inverse are equally exact if
            // both are normal.
            let inverse = inverse_power(scalar, n.function.as_constant(b)?)?;
            Some(n.binary_with(BinaryOp::Mul, scalar, a, inverse))
        }
        BinaryOp::Min | BinaryOp::Max if a == b => Some(a),
        _ => None,
    }
}

/// `x < c ? x : c` of `f32` is the minimum if `c` is a number, and so on: the constant is selected
/// for a NaN and, if both are equal, for a zero.
pub(super) fn extremum(n: &mut Numbering<'_>, condition: Value, a: Value, b: Value) -> Option<Value> {
    let Op::Binary {
        op: comparison @ (BinaryOp::Lt | BinaryOp::Le),
        scalar: Scalar::F32,
        a: less,
        b: more,
    } = n.function.op(condition)
    else {
        return None;
    };
    let c = number(n, Scalar::F32, b)?;
    let op = match (a, b) {
        _ if (a, b) == (less, more) => BinaryOp::Min,
        _ if (a, b) == (more, less) => BinaryOp::Max,
        _ => return None,
    };
    // -0 is the lesser zero.
    let decides = comparison == BinaryOp::Lt && c.is_sign_negative() == (op == BinaryOp::Min);
    (!c.is_nan() && (c != 0.0 || decides)).then(|| n.binary(op, Scalar::F32, a, b))
}

/// The bits of `1 / c` if `c` is a power of two and both are normal.
fn inverse_power(scalar: Scalar, bits: u64) -> Option<u64> {
    let (fraction, bias) = match scalar {
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    };
    let sign = bits >> (scalar.bits() - 1) << (scalar.bits() - 1);
    let exponent = (bits ^ sign) >> fraction;
    if bits & ((1 << fraction) - 1) != 0 || exponent == 0 || exponent >= 2 * bias {
        return None;
    }
    Some(sign | (2 * bias - exponent) << fraction)
}

pub(super) fn mul_add(n: &mut Numbering<'_>, ty: Ty, a: Value, b: Value, c: Value) -> Option<Value> {
    // There are no sums and products of `bf16`.
    let scalar = ty.scalar().filter(|&scalar| scalar != Scalar::BF16)?;
    // A product with one is exact, so only the sum rounds.
    if number(n, scalar, b) == Some(1.0) {
        return Some(n.binary(BinaryOp::Add, scalar, a, c));
    }
    if number(n, scalar, b) == Some(-1.0) {
        return Some(n.binary(BinaryOp::Sub, scalar, c, a));
    }
    // The product of two numbers and -0 rounds as the product alone.
    if number(n, scalar, c).is_some_and(|c| c == 0.0 && c.is_sign_negative()) {
        return Some(n.binary(BinaryOp::Mul, scalar, a, b));
    }
    None
}
