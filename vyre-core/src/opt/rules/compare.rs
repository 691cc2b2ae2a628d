//! Comparisons. Integer comparisons are canonicalised to `Lt` and `Eq`, with the constant on the
//! right, so that a guard matches an equivalent branch.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::super::gvn::Numbering;
use super::{ones, signed};
use crate::ssa::Value;
use crate::ssa::function::unsigned;
use crate::ssa::op::Op;

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
        if n.function.as_constant(b) == Some(0)
            && let Some((bits, least)) = canonical_bits(n, a)
        {
            return Some(n.binary_with(BinaryOp::Lt, scalar, bits, least + 1));
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
    // A clamped index is inside of all but an empty slice.
    if scalar == Scalar::U64 && is_clamped_below(n, a, b) {
        let empty = n.binary_with(BinaryOp::Eq, scalar, b, 0);
        return Some(n.not(empty));
    }
    let (a, b) = n.narrowed(scalar, a, b)?;
    Some(n.binary(BinaryOp::Lt, Scalar::U32, a, b))
}

/// The bits of a float, and those of minus infinity, if a value is these bits with the canonical NaN for every NaN. As
/// signed integers, the bits of negative numbers are at most those of minus infinity, and those of a NaN are greater.
fn canonical_bits(n: &Numbering<'_>, value: Value) -> Option<(Value, u64)> {
    let Op::Select { condition, a, b: bits } = n.function.op(value) else {
        return None;
    };
    let Op::Bits(x) = n.function.op(bits) else {
        return None;
    };
    let (canonical, least) = match n.function.ty(x).scalar()? {
        Scalar::F32 => (0x7fc0_0000, 0xff80_0000),
        Scalar::F64 => (0x7ff8_0000_0000_0000, 0xfff0_0000_0000_0000),
        _ => return None,
    };
    let is_nan = match n.function.op(condition) {
        Op::Binary {
            op: BinaryOp::Ne, a, b, ..
        } => (a, b) == (x, x),
        _ => false,
    };
    (is_nan && n.function.as_constant(a) == Some(canonical)).then_some((bits, least))
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
        if !n.range(a).contains(c) {
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
    let (a, b) = n.narrowed(scalar, a, b)?;
    Some(n.binary(BinaryOp::Eq, Scalar::U32, a, b))
}

/// True if a value is clamped to what is below `length`, unless that is zero: the lesser of anything and `length - 1`,
/// where both are unsigned, or where both are signed and the other one, or the result, is raised to zero.
fn is_clamped_below(n: &Numbering<'_>, value: Value, length: Value) -> bool {
    let most = ones(Scalar::U64);
    let is_last = |value: Value| n.as_binary_with(value, BinaryOp::Add) == Some((length, most));
    let lesser = |value: Value| match n.function.op(value) {
        Op::Binary {
            op: BinaryOp::Min,
            scalar,
            a,
            b,
        } if is_last(b) => Some((scalar, a)),
        Op::Binary {
            op: BinaryOp::Min,
            scalar,
            a,
            b,
        } if is_last(a) => Some((scalar, b)),
        _ => None,
    };
    let raised = |value: Value| match n.function.op(value) {
        Op::Binary {
            op: BinaryOp::Max,
            scalar: Scalar::I64,
            a,
            b,
        } => (n.function.as_constant(b) == Some(0)).then_some(a),
        _ => None,
    };
    match (lesser(value), raised(value)) {
        (Some((Scalar::U64, _)), _) => true,
        (Some((Scalar::I64, other)), _) => raised(other).is_some(),
        (None, Some(inner)) => matches!(lesser(inner), Some((Scalar::I64, _))),
        _ => false,
    }
}

/// True if a binary operation is one on unsigned numbers.
pub(super) fn is_unsigned(n: &Numbering<'_>, value: Value) -> bool {
    matches!(n.function.op(value), Op::Binary { scalar, .. } if !scalar.is_signed())
}
