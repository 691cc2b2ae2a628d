//! The values of constant expressions of 128 bits, and of what compares them or casts from them.

use vyre_ir::ir::{Constant, Scalar, UnaryOp};

use super::{Failure, values};
use crate::surface::Primitive;
use crate::syntax::tree::{Callable, Expr, ExprKind, Operator, Tree};

/// A number of 128 bits.
#[derive(Clone, Copy)]
enum Number {
    Unsigned(u128),
    Signed(i128),
}

impl Number {
    fn new(of: Primitive, bits: u128) -> Self {
        match of.scalar().is_signed() {
            true => Number::Signed(bits as i128),
            false => Number::Unsigned(bits),
        }
    }

    fn bits(self) -> u128 {
        match self {
            Number::Unsigned(value) => value,
            Number::Signed(value) => value as u128,
        }
    }
}

/// The bits of an expression of such a type.
pub(super) fn bits(tree: &Tree, expr: &Expr) -> Result<u128, Failure> {
    let of = tree.types.as_wide(expr.ty).ok_or(Failure::Unknown)?;
    number(tree, expr, of).map(Number::bits)
}

fn number(tree: &Tree, expr: &Expr, of: Primitive) -> Result<Number, Failure> {
    let operand = |expr: &Expr| Ok(Number::new(of, bits(tree, expr)?));
    match &expr.kind {
        ExprKind::Integer(value, _) => Ok(Number::new(of, *value)),
        ExprKind::Unary(UnaryOp::Neg, inner) => match (&inner.kind, of) {
            (ExprKind::Integer(value, _), Primitive::I128) => Ok(Number::new(of, value.wrapping_neg())),
            _ => match operand(inner)? {
                Number::Signed(value) => value.checked_neg().map(Number::Signed).ok_or(Failure::Refused),
                Number::Unsigned(_) => Err(Failure::Refused),
            },
        },
        ExprKind::Unary(_, inner) => Ok(Number::new(of, !bits(tree, inner)?)),
        ExprKind::Cast(inner, _) => Ok(Number::new(of, cast(tree, inner, of)?)),
        ExprKind::Call(Callable::From(_), arguments) => Ok(Number::new(of, cast(tree, &arguments[0], of)?)),
        ExprKind::Binary(operator @ (Operator::Shl | Operator::Shr), left, right) => {
            let amount = amount(tree, right)?;
            let left = operand(left)?;
            let shifted = match (left, operator) {
                (Number::Unsigned(value), Operator::Shl) => value.checked_shl(amount).map(Number::Unsigned),
                (Number::Unsigned(value), _) => value.checked_shr(amount).map(Number::Unsigned),
                (Number::Signed(value), Operator::Shl) => value.checked_shl(amount).map(Number::Signed),
                (Number::Signed(value), _) => value.checked_shr(amount).map(Number::Signed),
            };
            shifted.ok_or(Failure::Refused)
        }
        ExprKind::Binary(operator, left, right) => {
            let value = match (operand(left)?, operand(right)?) {
                (Number::Unsigned(a), Number::Unsigned(b)) => unsigned(*operator, a, b).map(Number::Unsigned),
                (Number::Signed(a), Number::Signed(b)) => signed(*operator, a, b).map(Number::Signed),
                _ => None,
            };
            value.ok_or(Failure::Refused)
        }
        ExprKind::Block(block, None) if block.statements.is_empty() => match &block.tail {
            Some(tail) => operand(tail),
            None => Err(Failure::Unknown),
        },
        ExprKind::If(condition, then, Some(otherwise)) if then.statements.is_empty() => {
            match (super::scalar(tree, condition)?.bits, &then.tail) {
                (0, _) => operand(otherwise),
                (_, Some(tail)) => operand(tail),
                (_, None) => Err(Failure::Unknown),
            }
        }
        ExprKind::Constant(_) | ExprKind::Index { .. } | ExprKind::Field(..) => match values(tree, expr)?[..] {
            [low, high] => Ok(Number::new(of, u128::from(high) << 64 | u128::from(low))),
            _ => Err(Failure::Unknown),
        },
        ExprKind::Refused => Err(Failure::Reported),
        _ => Err(Failure::Unknown),
    }
}

/// The bits of a number that is cast to a type of 128 bits.
fn cast(tree: &Tree, inner: &Expr, to: Primitive) -> Result<u128, Failure> {
    if tree.types.as_wide(inner.ty).is_some() {
        return bits(tree, inner);
    }
    let value = super::scalar(tree, inner)?;
    let scalar = value.scalar;
    if !scalar.is_float() {
        return Ok(value.as_i128() as u128);
    }
    // From `f32` exact.
    let value = match scalar {
        Scalar::F32 => f64::from(f32::from_bits(value.bits as u32)),
        _ => f64::from_bits(value.bits),
    };
    Ok(match to.scalar().is_signed() {
        true => value as i128 as u128,
        false => value as u128,
    })
}

/// A function that computes an operation on two numbers of a type; `None` where rustc refuses it.
macro_rules! checked {
    ($name:ident, $T:ident) => {
        fn $name(operator: Operator, a: $T, b: $T) -> Option<$T> {
            match operator {
                Operator::Add => a.checked_add(b),
                Operator::Sub => a.checked_sub(b),
                Operator::Mul => a.checked_mul(b),
                Operator::Div => a.checked_div(b),
                Operator::Rem => a.checked_rem(b),
                Operator::BitAnd => Some(a & b),
                Operator::BitOr => Some(a | b),
                Operator::BitXor => Some(a ^ b),
                _ => None,
            }
        }
    };
}
checked!(unsigned, u128);
checked!(signed, i128);

/// The amount of a shift, which may be of any integer type.
pub(super) fn amount(tree: &Tree, expr: &Expr) -> Result<u32, Failure> {
    match tree.types.as_wide(expr.ty) {
        Some(_) => u32::try_from(bits(tree, expr)?).map_err(|_| Failure::Refused),
        None => u32::try_from(super::scalar(tree, expr)?.as_i128()).map_err(|_| Failure::Refused),
    }
}

/// A comparison of two such numbers.
pub(super) fn compare(tree: &Tree, operator: Operator, left: &Expr, right: &Expr) -> Result<Constant, Failure> {
    let of = tree.types.as_wide(left.ty).ok_or(Failure::Unknown)?;
    let (a, b) = (number(tree, left, of)?, number(tree, right, of)?);
    let order = match (a, b) {
        (Number::Signed(a), Number::Signed(b)) => a.cmp(&b),
        _ => a.bits().cmp(&b.bits()),
    };
    Ok(Constant::bool(match operator {
        Operator::Eq => order.is_eq(),
        Operator::Ne => order.is_ne(),
        Operator::Lt => order.is_lt(),
        Operator::Le => order.is_le(),
        Operator::Gt => order.is_gt(),
        Operator::Ge => order.is_ge(),
        _ => return Err(Failure::Unknown),
    }))
}

/// A cast to a scalar.
pub(super) fn narrowed(tree: &Tree, inner: &Expr, to: Scalar) -> Result<Constant, Failure> {
    let of = tree.types.as_wide(inner.ty).ok_or(Failure::Unknown)?;
    let value = number(tree, inner, of)?;
    Ok(Constant::new(
        to,
        match (to, value) {
            (Scalar::F32, Number::Unsigned(value)) => (value as f32).to_bits().into(),
            (Scalar::F32, Number::Signed(value)) => (value as f32).to_bits().into(),
            (Scalar::F64, Number::Unsigned(value)) => (value as f64).to_bits(),
            (Scalar::F64, Number::Signed(value)) => (value as f64).to_bits(),
            (_, value) => value.bits() as u64,
        },
    ))
}
