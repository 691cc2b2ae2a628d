//! The operations on constants of the IR, for the interpreter and for constant folding.

use super::float::canonical;
use super::half::{narrowed, widened};
use super::operations::compute;
use crate::fault::FaultKind;
use crate::ir::{BinaryOp, Constant, UnaryOp};

/// What an operation on one constant gives. A computed NaN is the canonical one.
///
/// `op` must [accept](UnaryOp::accepts) the operand's type, as in every validated program; else
/// the operand comes back.
pub fn unary(op: UnaryOp, operand: Constant) -> Constant {
    debug_assert!(op.accepts(operand.scalar), "{} of {}", op.name(), operand.scalar.name());
    let result = match operand.scalar.is_half() {
        // Rounding a rounded `f32` is rounding once; see `half.rs`.
        true => narrowed(unary(op, widened(operand)), operand.scalar),
        false => compute::unary(op, operand).unwrap_or(operand),
    };
    match op {
        // These change the sign bit alone, also of a NaN.
        UnaryOp::Neg | UnaryOp::Abs => result,
        _ => canonical(result),
    }
}

/// What an operation on two constants gives. A computed NaN is the canonical one.
///
/// `op` must [accept](BinaryOp::accepts) the type of `left`, and `right` must have the type that
/// `op` demands, as in every validated program; else `left` comes back.
///
/// # Errors
/// A division by zero, and `MIN / -1`.
pub fn binary(op: BinaryOp, left: Constant, right: Constant) -> Result<Constant, FaultKind> {
    debug_assert!(op.accepts(left.scalar), "{} of {}", op.name(), left.scalar.name());
    if left.scalar.is_half() {
        let result = binary(op, widened(left), widened(right))?;
        return Ok(match op.is_comparison() {
            true => result,
            false => narrowed(result, left.scalar),
        });
    }
    let result = compute::binary(op, left, right).unwrap_or(Ok(left))?;
    Ok(match op {
        // This changes the sign bit alone, also of a NaN.
        BinaryOp::Copysign => result,
        _ => canonical(result),
    })
}
