//! Unary and binary operations, and the fused multiply-add.

use vyre_abi::fault::FaultKind;
use vyre_abi::ops::{BinaryOp, UnaryOp};
use vyre_abi::scalar::{Constant, Scalar};
use vyre_abi::semantics::{self, BF16, F16, Native, words};

use super::float::{narrowed, widened};

/// The result of a unary operation on a constant. A NaN is the canonical one.
///
/// `op` must [accept](UnaryOp::accepts) the operand's type, as in every validated program;
/// otherwise the operand is returned.
pub fn unary(op: UnaryOp, operand: Constant) -> Constant {
    debug_assert!(op.accepts(operand.scalar), "{} of {}", op.name(), operand.scalar.name());
    if operand.scalar.is_half() {
        // Rounding an already rounded `f32` equals rounding once; see [`Half`](semantics::Half).
        return narrowed(unary(op, widened(operand)), operand.scalar).canonical();
    }
    let function = words::unary(op, operand.scalar);
    function.map_or(operand, |function| Constant {
        bits: function(operand.bits),
        ..operand
    })
}

/// The result of a binary operation on constants. A NaN is the canonical one.
///
/// `op` must [accept](BinaryOp::accepts) the type of `left`, and `right` must have the type that
/// `op` requires, as in every validated program; otherwise `left` is returned.
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
    let Some(function) = words::binary(op, left.scalar) else {
        return Ok(left);
    };
    let bits = function(left.bits, right.bits)?;
    Ok(Constant {
        scalar: if op.is_comparison() { Scalar::Bool } else { left.scalar },
        bits,
    })
}

/// `a * b + c` of three floats of one type, rounded once. A computed NaN is the canonical one.
pub fn mul_add(a: Constant, b: Constant, c: Constant) -> Constant {
    fn of<T: Native + semantics::MulAdd>([a, b, c]: [Constant; 3]) -> Constant {
        semantics::mul_add(T::of(a), T::of(b), T::of(c)).constant()
    }
    let result = match a.scalar {
        Scalar::F16 => of::<F16>([a, b, c]),
        Scalar::BF16 => of::<BF16>([a, b, c]),
        Scalar::F32 => of::<f32>([a, b, c]),
        Scalar::F64 => of::<f64>([a, b, c]),
        scalar => {
            debug_assert!(false, "mul_add is not defined on {}", scalar.name());
            a
        }
    };
    result.canonical()
}
