//! The values of constant expressions, as rustc's const evaluation has them: an overflow is an
//! error there, so nothing wraps here.

mod wide;

use vyre_ir::ir::{Constant, Scalar, UnaryOp};
use vyre_ir::semantics;

use super::tree::{Callable, Expr, ExprKind, Operator, Tree};
use crate::types::Kind;
use crate::types::adt::Form;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Rust's const evaluation refuses it: an overflow, a division by zero, an index out of bounds.
    Refused,
    /// vyre does not evaluate it: it mentions something from elsewhere, or has a form too rich.
    Unknown,
    /// A part of it was refused before.
    Reported,
}

/// The scalars of a constant expression in order of memory.
pub(crate) fn values(tree: &Tree, expr: &Expr) -> Result<Vec<u64>, Failure> {
    match &expr.kind {
        ExprKind::Array(elements) => {
            let mut all = Vec::new();
            for element in elements {
                all.extend(values(tree, element)?);
            }
            Ok(all)
        }
        ExprKind::Repeat(element, length) => {
            let one = values(tree, element)?;
            let length = usize::try_from(*length).map_err(|_| Failure::Unknown)?;
            let total = length.checked_mul(one.len()).ok_or(Failure::Unknown)?;
            // A larger table has no place in a kernel.
            match total <= 1 << 20 {
                true => Ok(one.repeat(length)),
                false => Err(Failure::Unknown),
            }
        }
        ExprKind::Make { of, fields, base: None } => {
            let Some(adt) = tree.types.adt(of.of).filter(|adt| adt.form != Form::Tagged) else {
                return Err(Failure::Unknown);
            };
            let variant = &adt.variants[of.variant as usize];
            if !adt.form.is_product() {
                return Ok(vec![variant.bits]);
            }
            let mut all = Vec::new();
            for number in 0..variant.fields.len() as u32 {
                let given = fields.iter().find(|(index, _)| *index == number);
                all.extend(values(tree, &given.ok_or(Failure::Refused)?.1)?);
            }
            Ok(all)
        }
        ExprKind::Field(base, number) => {
            let all = values(tree, base)?;
            let fields = tree.types.fields(base.ty).ok_or(Failure::Unknown)?;
            let size = |field| usize::try_from(tree.types.scalars(field)).unwrap_or(usize::MAX);
            let sizes: Vec<usize> = fields.iter().map(|&field| size(field)).collect();
            let (number, start) = (*number as usize, sizes.iter().take(*number as usize).sum::<usize>());
            let size = *sizes.get(number).ok_or(Failure::Refused)?;
            all.get(start..start + size)
                .map(<[u64]>::to_vec)
                .ok_or(Failure::Unknown)
        }
        ExprKind::Constant(constant) => match &tree.constants[*constant] {
            known if known.host.is_none() => Ok(known.values.clone()),
            // Its value is known at the launch.
            _ => Err(Failure::Unknown),
        },
        ExprKind::Index { base, index, .. } => {
            let all = values(tree, base)?;
            let Kind::Array(_, length) = *tree.types.kind(base.ty) else {
                return Err(Failure::Unknown);
            };
            let index = scalar(tree, index)?.bits;
            if index >= length {
                return Err(Failure::Refused);
            }
            // Both fit: the elements are all there.
            let (index, length) = (index as usize, length as usize);
            let size = all.len() / length;
            Ok(all[index * size..][..size].to_vec())
        }
        ExprKind::Refused => Err(Failure::Reported),
        _ if tree.types.as_wide(expr.ty).is_some() => {
            let bits = wide::bits(tree, expr)?;
            Ok(vec![bits as u64, (bits >> 64) as u64])
        }
        _ => Ok(vec![scalar(tree, expr)?.bits]),
    }
}

fn scalar(tree: &Tree, expr: &Expr) -> Result<Constant, Failure> {
    let Some(ty) = tree.types.as_cell(expr.ty) else {
        return Err(match tree.types.kind(expr.ty) {
            Kind::Refused => Failure::Reported,
            _ => Failure::Unknown,
        });
    };
    let ty = ty.scalar();
    let operand = |expr: &Expr| scalar(tree, expr);
    let fits = |value: i128| integer(ty, value).ok_or(Failure::Refused);
    match &expr.kind {
        ExprKind::Integer(value, _) => literal(ty, *value).ok_or(Failure::Refused),
        ExprKind::Float(digits, _) => float_digits(ty, digits).ok_or(Failure::Unknown),
        ExprKind::Bool(value) => Ok(Constant::bool(*value)),
        ExprKind::Constant(_) | ExprKind::Index { .. } | ExprKind::Field(..) | ExprKind::Make { .. } => {
            match values(tree, expr)?[..] {
                [bits] => Ok(Constant::new(ty, bits)),
                _ => Err(Failure::Unknown),
            }
        }
        ExprKind::Unary(UnaryOp::Neg, inner) => {
            // `-128i8`: the literal by itself would not fit.
            if let ExprKind::Integer(value, _) = inner.kind {
                return literal(ty, value.wrapping_neg()).ok_or(Failure::Refused);
            }
            let inner = operand(inner)?;
            match ty {
                _ if ty.is_float() => Ok(Constant::new(ty, inner.bits ^ (1 << (ty.bits() - 1)))),
                _ => fits(-inner.as_i128()),
            }
        }
        ExprKind::Unary(_, inner) => Ok(Constant::new(ty, !operand(inner)?.bits)),
        ExprKind::Logical(and, left, right) => match operand(left)? {
            left if (left.bits != 0) == *and => operand(right),
            left => Ok(left),
        },
        ExprKind::Cast(inner, _) if tree.types.as_wide(inner.ty).is_some() => wide::narrowed(tree, inner, ty),
        ExprKind::Cast(inner, _) => Ok(cast(operand(inner)?, ty)),
        ExprKind::Call(Callable::From(_) | Callable::Nearest(..), of) => Ok(cast(operand(&of[0])?, ty)),
        ExprKind::Call(Callable::FromBits(_), of) => Ok(Constant::new(ty, operand(&of[0])?.bits)),
        ExprKind::Binary(operator, left, right) if tree.types.as_wide(left.ty).is_some() => {
            wide::compare(tree, *operator, left, right)
        }
        ExprKind::Binary(operator, left, right) if tree.types.as_wide(right.ty).is_some() => {
            let amount = Constant::new(Scalar::U32, wide::amount(tree, right)?.into());
            binary(*operator, operand(left)?, amount).ok_or(Failure::Refused)
        }
        ExprKind::Binary(operator, left, right) => {
            binary(*operator, operand(left)?, operand(right)?).ok_or(Failure::Refused)
        }
        ExprKind::Block(block, None) if block.statements.is_empty() => match &block.tail {
            Some(tail) => operand(tail),
            None => Err(Failure::Unknown),
        },
        ExprKind::If(condition, then, Some(otherwise)) if then.statements.is_empty() => {
            match (operand(condition)?.bits, &then.tail) {
                (0, _) => operand(otherwise),
                (_, Some(tail)) => operand(tail),
                (_, None) => Err(Failure::Unknown),
            }
        }
        ExprKind::Refused => Err(Failure::Reported),
        _ => Err(Failure::Unknown),
    }
}

/// A literal's digits as a constant of a float type that has literals.
pub(crate) fn float_digits(scalar: Scalar, digits: &str) -> Option<Constant> {
    match scalar {
        Scalar::F32 => Some(Constant::new(scalar, u64::from(digits.parse::<f32>().ok()?.to_bits()))),
        Scalar::F64 => Some(Constant::new(scalar, digits.parse::<f64>().ok()?.to_bits())),
        _ => None,
    }
}

/// The constant of a float type that is nearest to a number.
pub(crate) fn float(scalar: Scalar, value: f64) -> Constant {
    semantics::cast(Constant::new(Scalar::F64, value.to_bits()), scalar)
}

/// The constant of an integer literal, wrapped to its type as rustc wraps it where the lint `overflowing_literals` is allowed.
fn literal(scalar: Scalar, value: u128) -> Option<Constant> {
    scalar.is_integer().then(|| Constant::new(scalar, value as u64))
}

/// The constant of a value, if the type holds it.
fn integer(scalar: Scalar, value: i128) -> Option<Constant> {
    if !scalar.is_integer() {
        return None;
    }
    let constant = Constant::new(scalar, value as u64);
    (constant.as_i128() == value).then_some(constant)
}

fn cast(value: Constant, to: Scalar) -> Constant {
    match to {
        // For an enum with a discriminant.
        Scalar::Bool => Constant::new(to, value.bits),
        _ => semantics::cast(value, to),
    }
}

fn binary(operator: Operator, left: Constant, right: Constant) -> Option<Constant> {
    let ty = left.scalar;
    if operator.is_comparison() || ty.is_float() {
        let op = operator.binary();
        return op.accepts(ty).then(|| semantics::binary(op, left, right).ok())?;
    }
    let (a, b) = (left.as_i128(), right.as_i128());
    let value = match operator {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a.checked_mul(b)?,
        Operator::Div => a.checked_div(b)?,
        Operator::Rem => a.checked_rem(b)?,
        Operator::BitAnd => a & b,
        Operator::BitOr => a | b,
        Operator::BitXor => a ^ b,
        Operator::Shl | Operator::Shr => {
            let amount = u32::try_from(b).ok().filter(|&amount| amount < ty.bits())?;
            return Some(match operator {
                Operator::Shl => Constant::new(ty, left.bits << amount),
                _ => Constant::new(ty, (a >> amount) as u64),
            });
        }
        _ => return None,
    };
    match ty {
        Scalar::Bool => Some(Constant::bool(value != 0)),
        _ => integer(ty, value),
    }
}
