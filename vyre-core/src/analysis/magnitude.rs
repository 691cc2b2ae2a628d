//! Magnitudes of floats: which are numbers, and how large they are.
//!
//! **Rules.** The operands of an ordered comparison that holds are no NaNs, nor are those of the arithmetic that has
//! computed them: a NaN makes another one. `|x| < c` bounds `x`. Sums and products of
//! bounded operands are bounded, and are numbers unless that bound is beyond the type: only infinite operands make a
//! NaN. A bound is increased by more than a rounding may add, to normal and to subnormal numbers. The bound of a number that may be infinite is infinity.
//!
//! Simplification drops tests for NaN by them, above all those of `to_bits`, whose result for a NaN is fixed.

use vyre_ir::ir::{BinaryOp, Constant, Scalar, UnaryOp};
use vyre_ir::semantics;

use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, Value};

/// Limit of the operations that a question looks at: operands may be shared, and so are met again on many paths.
pub(super) const OPERATIONS: u32 = 256;

/// Limit of the values that one comparison shows to be numbers.
pub(super) const SOURCES: u32 = 16;

/// More than a rounding adds to a bound, relative to it: `f16` has the fewest bits of the types with arithmetic.
const ROUNDING: f64 = 1.0 + 1.0 / 1024.0;

/// The absolute value of a constant; none for a NaN.
pub(super) fn of_constant(scalar: Scalar, bits: u64) -> Option<f64> {
    let number = f64::from_bits(semantics::cast(Constant::new(scalar, bits), Scalar::F64).bits).abs();
    (!number.is_nan()).then_some(number)
}

/// A bound of the absolute value of an operation's result from those of its operands, which `bound` has; none where
/// the result may be a NaN.
pub(super) fn of(function: &Function, op: Op, ty: Ty, bound: impl Fn(Value) -> Option<f64>) -> Option<f64> {
    let scalar = ty.scalar().filter(|scalar| scalar.is_float())?;
    let computed = match op {
        Op::Constant(bits) => return of_constant(scalar, bits),
        Op::Unary {
            op: UnaryOp::Neg | UnaryOp::Abs,
            a,
            ..
        } => return bound(a),
        Op::Select { a, b, .. } => return Some(bound(a)?.max(bound(b)?)),
        Op::Convert { from, .. } if from.is_integer() => 2f64.powi(from.bits() as i32),
        Op::Binary { op, a, b, .. } => match op {
            // A number is preferred to a NaN.
            BinaryOp::Min | BinaryOp::Max => {
                return match (bound(a), bound(b)) {
                    (Some(a), Some(b)) => Some(a.max(b)),
                    (None, None) => None,
                    _ => Some(f64::INFINITY),
                };
            }
            BinaryOp::Add | BinaryOp::Sub => match rounded(function, scalar, op, a, b, &bound) {
                Some(rounded) => rounded,
                None => bound(a)? + bound(b)?,
            },
            BinaryOp::Mul => bound(a)? * bound(b)?,
            _ => return None,
        },
        Op::MulAdd { a, b, c } => bound(a)? * bound(b)? + bound(c)?,
        _ => return None,
    };
    Some(computed * ROUNDING + least(scalar)).filter(|&bound| bound <= most(scalar))
}

/// True if an operand that is a NaN makes the result one.
pub(super) fn passes_nan(op: Op) -> bool {
    matches!(
        op,
        Op::Unary {
            op: UnaryOp::Neg | UnaryOp::Abs,
            ..
        } | Op::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
            ..
        } | Op::MulAdd { .. }
    )
}

/// A bound of `x + c - c`, which rounds `x` to an integer or to another multiple.
fn rounded(
    function: &Function,
    scalar: Scalar,
    op: BinaryOp,
    a: Value,
    b: Value,
    bound: impl Fn(Value) -> Option<f64>,
) -> Option<f64> {
    let constant = |value| {
        let bits = function.as_constant(value)?;
        Some(f64::from_bits(
            semantics::cast(Constant::new(scalar, bits), Scalar::F64).bits,
        ))
    };
    let taken = if op == BinaryOp::Sub {
        constant(b)?
    } else {
        -constant(b)?
    };
    let (x, added) = match function.op(a) {
        Op::Binary {
            op: BinaryOp::Add,
            a,
            b,
            ..
        } => (bound(a)?, b),
        Op::MulAdd { a, b, c } => (bound(a)? * bound(b)?, c),
        _ => return None,
    };
    let sum = x + taken.abs();
    // The sum has rounded once, and is not infinite.
    (constant(added)? == taken && sum * ROUNDING <= most(scalar)).then_some(x + sum * (ROUNDING - 1.0))
}

/// The distance between subnormal numbers of a type, more than a rounding adds to them.
fn least(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => f64::from(f32::EPSILON) / 2.0,
        Scalar::F64 => f64::from_bits(1),
        _ => f64::from(f32::from_bits(1)),
    }
}

/// The largest number of a type.
fn most(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => 65504.0,
        Scalar::BF16 => 3.389_531_389_251_535_5e38,
        Scalar::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}
