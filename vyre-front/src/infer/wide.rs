//! Operations of integers of 128 bits, which become calls of functions of the library.

use vyre_ir::ir::UnaryOp;

use super::calls;
use crate::errors::Errors;
use crate::library::methods::{Does, receiver};
use crate::library::{self, wide};
use crate::surface::Primitive;
use crate::syntax;
use crate::syntax::tree::{Expr, ExprKind, Operation, Tree};
use crate::types::Types;

/// The operation of 128 bits that an expression is, if it is one.
pub(crate) fn operation(types: &Types, expr: &Expr) -> Option<Operation> {
    match &expr.kind {
        ExprKind::Binary(operator, left, _) | ExprKind::Assign(Some(operator), left, _) => {
            let of = types.as_wide(left.ty)?;
            Some((wide::binary(operator.binary())?, of))
        }
        ExprKind::Unary(UnaryOp::Neg, inner) if matches!(inner.kind, ExprKind::Integer(..)) => None,
        ExprKind::Unary(op, inner) => Some((wide::unary(*op)?, types.as_wide(inner.ty)?)),
        ExprKind::Cast(inner, _) => {
            let (from, to) = (types.as_primitive(inner.ty)?, types.as_primitive(expr.ty)?);
            match (from, to) {
                (_, Primitive::F32) if from.is_wide() => Some(("__to_f32", from)),
                (_, Primitive::F64) if from.is_wide() => Some(("__to_f64", from)),
                (Primitive::F32 | Primitive::F64, Primitive::U128) => Some(("__to_u128", from)),
                (Primitive::F32 | Primitive::F64, Primitive::I128) => Some(("__to_i128", from)),
                _ => None,
            }
        }
        ExprKind::Method(call) => {
            let does = call.method?.does;
            let of = types.as_wide(call.receiver.ty)?;
            match does {
                Does::Unary(op) => Some((wide::unary(op)?, of)),
                Does::Binary(op) => Some((wide::binary(op)?, of)),
                Does::Pow => Some(("__pow", of)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Adds the functions that the operations of a body call to its calls.
pub(super) fn calls(tree: &mut Tree, errors: &mut Errors) {
    let mut found = Vec::new();
    calls::each(&tree.body, &mut |expr| {
        if let Some(operation) = operation(&tree.types, expr)
            && !found.iter().any(|&(known, _)| known == operation)
        {
            found.push((operation, expr.span));
        }
        true
    });
    for ((name, of), span) in found {
        let Some(row) = library::find(name, receiver(of)) else {
            continue;
        };
        if let Some(callee) = syntax::library(tree, errors, row, Some(of), &[], span) {
            tree.wide.push(((name, of), tree.calls.len()));
            tree.calls.push(callee);
        }
    }
}
