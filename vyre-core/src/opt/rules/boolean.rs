//! Predicates and selections.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::super::gvn::Numbering;
use super::float;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

/// The value of a predicate at this point, if constant or decided by a dominating branch or guard.
fn decided(n: &Numbering<'_>, value: Value) -> Option<bool> {
    n.function
        .as_constant(value)
        .map(|bits| bits == 1)
        .or_else(|| n.known(value))
}

fn inverse(n: &Numbering<'_>, value: Value) -> Option<Value> {
    match n.function.op(value) {
        Op::Unary {
            op: UnaryOp::Not,
            scalar: Scalar::Bool,
            a,
        } => Some(a),
        _ => None,
    }
}

pub(super) fn not(n: &mut Numbering<'_>, a: Value) -> Option<Value> {
    if let Some(a) = inverse(n, a) {
        return Some(a);
    }
    let known = decided(n, a)?;
    n.bool(!known)
}

pub(super) fn binary(n: &mut Numbering<'_>, op: BinaryOp, a: Value, b: Value) -> Option<Value> {
    let same = a == b;
    let opposite = inverse(n, a) == Some(b) || inverse(n, b) == Some(a);
    let sides = [(a, decided(n, b)), (b, decided(n, a))];
    match op {
        BinaryOp::And => {
            if same {
                return Some(a);
            }
            for (other, known) in sides {
                match known {
                    Some(true) => return Some(other),
                    Some(false) => return n.bool(false),
                    None => {}
                }
            }
            if opposite { n.bool(false) } else { None }
        }
        BinaryOp::Or => {
            if same {
                return Some(a);
            }
            for (other, known) in sides {
                match known {
                    Some(false) => return Some(other),
                    Some(true) => return n.bool(true),
                    None => {}
                }
            }
            if opposite { n.bool(true) } else { None }
        }
        BinaryOp::Xor => {
            if same {
                return n.bool(false);
            }
            for (other, known) in sides {
                match known {
                    Some(false) => return Some(other),
                    Some(true) => return Some(n.not(other)),
                    None => {}
                }
            }
            if opposite { n.bool(true) } else { None }
        }
        _ => None,
    }
}

pub(super) fn select(n: &mut Numbering<'_>, condition: Value, a: Value, b: Value) -> Option<Value> {
    if a == b {
        return Some(a);
    }
    match decided(n, condition) {
        Some(true) => return Some(a),
        Some(false) => return Some(b),
        None => {}
    }
    let ty = n.function.ty(a);
    if let Some(condition) = inverse(n, condition) {
        return Some(n.add(Op::Select { condition, a: b, b: a }, ty));
    }
    // A selection between selections by the same predicate.
    if let Op::Select {
        condition: inner, a, ..
    } = n.function.op(a)
        && inner == condition
    {
        return Some(n.add(Op::Select { condition, a, b }, ty));
    }
    if let Op::Select {
        condition: inner,
        b: last,
        ..
    } = n.function.op(b)
        && inner == condition
    {
        return Some(n.add(Op::Select { condition, a, b: last }, ty));
    }
    // If they are equal, either is the other.
    if let Op::Binary {
        op: BinaryOp::Eq,
        scalar,
        a: x,
        b: y,
    } = n.function.op(condition)
        && scalar.is_integer()
        && ([x, y] == [a, b] || [y, x] == [a, b])
    {
        return Some(b);
    }
    minimum(n, condition, a, b, ty).or_else(|| float::extremum(n, condition, a, b))
}

/// `if a < b { a } else { b }` of integers is their minimum, and so on.
fn minimum(n: &mut Numbering<'_>, condition: Value, a: Value, b: Value, ty: Ty) -> Option<Value> {
    let Op::Binary {
        op: BinaryOp::Lt,
        scalar,
        a: less,
        b: more,
    } = n.function.op(condition)
    else {
        return None;
    };
    if !scalar.is_integer() || Ty::of(scalar) != ty {
        return None;
    }
    let op = if (a, b) == (less, more) {
        BinaryOp::Min
    } else if (a, b) == (more, less) {
        BinaryOp::Max
    } else {
        return None;
    };
    Some(n.binary(op, scalar, a, b))
}
