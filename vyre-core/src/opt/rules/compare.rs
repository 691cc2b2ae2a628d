//! Comparisons. Integer comparisons are canonicalised to `Lt` and `Eq`, with the constant on the
//! right, so that a guard matches an equivalent branch.

use super::super::gvn::Numbering;
use super::{ones, signed};
use crate::ir::{BinaryOp, Scalar};
use crate::ssa::function::unsigned;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

pub(super) fn simplify(n: &mut Numbering<'_>, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    // A float is not less than itself either, although it may be unequal to itself.
    if op == BinaryOp::Lt && a == b {
        return n.bool(false);
    }
    if !scalar.is_integer() {
        // Only a NaN is unequal to itself.
        let is_decided = matches!(op, BinaryOp::Eq | BinaryOp::Ne) && a == b && n.is_number(a);
        return is_decided.then(|| n.bool(op == BinaryOp::Eq))?;
    }
    match op {
        BinaryOp::Ne => {
            let equal = n.binary(BinaryOp::Eq, scalar, a, b);
            Some(n.not(equal))
        }
        // Greater and greater-or-equal were canonicalised by swapping.
        BinaryOp::Le => {
            let greater = n.binary(BinaryOp::Lt, scalar, b, a);
            Some(n.not(greater))
        }
        BinaryOp::Lt => less(n, scalar, a, b),
        BinaryOp::Eq => equal(n, scalar, a, b),
        _ => None,
    }
}

fn less(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    let most = ones(scalar);
    if scalar.is_signed() {
        // If both are nonnegative, the unsigned comparison is equivalent.
        if n.bound(a) <= most >> 1 && n.bound(b) <= most >> 1 {
            return Some(n.binary(BinaryOp::Lt, unsigned(scalar), a, b));
        }
        if let (Some(a), Some(b)) = (n.as_sign_extended(a), n.as_sign_extended(b)) {
            return Some(n.binary(BinaryOp::Lt, Scalar::I32, a, b));
        }
        if let Some(c) = n.function.as_constant(a) {
            // c < b is b >= c + 1.
            let next = signed(scalar, c).checked_add(1)? as u64;
            if signed(scalar, c) == signed(scalar, most >> 1) {
                return n.bool(false);
            }
            let below = n.binary_with(BinaryOp::Lt, scalar, b, next);
            return Some(n.not(below));
        }
        return None;
    }
    if let Some(c) = n.function.as_constant(a) {
        if c == most {
            return n.bool(false);
        }
        let below = n.binary_with(BinaryOp::Lt, scalar, b, c + 1);
        return Some(n.not(below));
    }
    if let Some(c) = n.function.as_constant(b) {
        if c == 0 {
            return n.bool(false);
        }
        if let Some(less) = n.less_than(a, b) {
            return n.bool(less);
        }
        if c == 1 {
            return Some(n.binary_with(BinaryOp::Eq, scalar, a, 0));
        }
    } else if let Some(less) = n.less_than(a, b) {
        return n.bool(less);
    }
    // The comparison of sums with constants that do not wrap is decided by the constants, for
    // example of a range that ends after its start.
    let ((x, first), (y, second)) = (sum(n, a, most), sum(n, b, most));
    if x == y {
        return n.bool(first < second);
    }
    // A remainder is less than its divisor.
    if let Some((_, divisor)) = n.as_binary(a, BinaryOp::Rem)
        && divisor == b
        && is_unsigned(n, a)
    {
        return n.bool(true);
    }
    let (a, b) = narrowed(n, scalar, a, b)?;
    Some(n.binary(BinaryOp::Lt, Scalar::U32, a, b))
}

/// A value as a sum with a constant that does not wrap.
fn sum(n: &Numbering<'_>, value: Value, most: u64) -> (Value, u64) {
    match n.as_binary_with(value, BinaryOp::Add) {
        Some((x, c)) if n.bound(x).checked_add(c).is_some_and(|bound| bound <= most) => (x, c),
        _ => (value, 0),
    }
}

fn equal(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    if a == b {
        return n.bool(true);
    }
    if let (Some(a), Some(b)) = (n.as_sign_extended(a), n.as_sign_extended(b)) {
        return Some(n.binary(BinaryOp::Eq, Scalar::U32, a, b));
    }
    if let Some(c) = n.function.as_constant(b) {
        if n.bound(a) < c {
            return n.bool(false);
        }
        if let Some((x, added)) = n.as_binary_with(a, BinaryOp::Add) {
            return Some(n.binary_with(BinaryOp::Eq, scalar, x, c.wrapping_sub(added)));
        }
        if let Some((x, flipped)) = n.as_binary_with(a, BinaryOp::Xor) {
            return Some(n.binary_with(BinaryOp::Eq, scalar, x, c ^ flipped));
        }
        // A word selected by a predicate.
        if let Op::Select { condition, a, b } = n.function.op(a)
            && let (Some(first), Some(second)) = (n.function.as_constant(a), n.function.as_constant(b))
        {
            return match (first == c, second == c) {
                (true, false) => Some(condition),
                (false, true) => Some(n.not(condition)),
                (both, _) => n.bool(both),
            };
        }
    }
    let (a, b) = narrowed(n, scalar, a, b)?;
    Some(n.binary(BinaryOp::Eq, Scalar::U32, a, b))
}

/// Two 64-bit operands that both fit 32 bits, narrowed.
fn narrowed(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value) -> Option<(Value, Value)> {
    if scalar != Scalar::U64 {
        return None;
    }
    let narrow = |n: &mut Numbering<'_>, value: Value| match n.function.as_constant(value) {
        Some(bits) => u32::try_from(bits).is_ok().then(|| n.constant(Ty::I32, bits)),
        None => n.as_zero_extended(value),
    };
    let a = narrow(n, a)?;
    Some((a, narrow(n, b)?))
}

fn is_unsigned(n: &Numbering<'_>, value: Value) -> bool {
    matches!(n.function.op(value), Op::Binary { scalar, .. } if !scalar.is_signed())
}
