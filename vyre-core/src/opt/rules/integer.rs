//! Integers of 32 and 64 bits, which wrap.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::super::gvn::Numbering;
use super::compare::is_unsigned;
use super::{divide, ones, signed};
use crate::ssa::function::unsigned;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

pub(super) fn unary(n: &mut Numbering<'_>, op: UnaryOp, scalar: Scalar, a: Value) -> Option<Value> {
    match (op, n.function.op(a)) {
        (UnaryOp::Abs, _) if n.bound(a) <= ones(scalar) >> 1 => Some(a),
        // Operations that are their own inverse.
        (UnaryOp::Not | UnaryOp::ReverseBits | UnaryOp::SwapBytes, Op::Unary { op: inner, a, .. }) if inner == op => {
            Some(a)
        }
        (
            UnaryOp::CountOnes,
            Op::Convert {
                from: Scalar::U32,
                to: Scalar::U64,
                a,
            },
        ) => Some(n.add(
            Op::Unary {
                op,
                scalar: Scalar::U32,
                a,
            },
            Ty::I32,
        )),
        _ => None,
    }
}

pub(super) fn binary(n: &mut Numbering<'_>, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Option<Value> {
    let c = n.function.as_constant(b);
    match op {
        BinaryOp::Add => add(n, scalar, a, b, c),
        BinaryOp::Sub => sub(n, scalar, a, b, c),
        BinaryOp::Mul => mul(n, scalar, a, b, c),
        BinaryOp::And => and(n, scalar, a, b, c),
        BinaryOp::Or => or(n, scalar, a, b, c),
        BinaryOp::Xor => xor(n, scalar, a, b, c),
        BinaryOp::Shl | BinaryOp::Shr if n.function.as_constant(a) == Some(0) => Some(a),
        BinaryOp::Shl => shl(n, scalar, a, c?),
        BinaryOp::Shr => shr(n, scalar, a, c?),
        BinaryOp::RotateLeft | BinaryOp::RotateRight => (c? as u32).is_multiple_of(scalar.bits()).then_some(a),
        BinaryOp::Div => divide::div(n, scalar, a, b),
        BinaryOp::Rem => divide::rem(n, scalar, a, b),
        BinaryOp::MulHigh => mul_high(n, scalar, a, c?),
        BinaryOp::Min | BinaryOp::Max => extremum(n, op, scalar, a, b, c),
        _ => None,
    }
}

fn add(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if c == Some(0) {
        return Some(a);
    }
    if let Some(c) = c {
        if scalar == Scalar::U64
            && let Some(word) = n.function.as_zero_extended(a)
            && let Some((_, least)) = n.as_binary_with(word, BinaryOp::Max)
            && is_unsigned(n, word)
            && c.wrapping_neg() <= least
        {
            // No less than what is taken from it.
            let rest = n.binary_with(BinaryOp::Add, Scalar::U32, word, c & u64::from(u32::MAX));
            return Some(n.convert(Scalar::U32, Scalar::U64, rest));
        }
        let (x, inner) = n.as_binary_with(a, BinaryOp::Add)?;
        return Some(n.binary_with(BinaryOp::Add, scalar, x, inner.wrapping_add(c)));
    }
    // Constants move outwards: (x + c) + y is (x + y) + c.
    for (sum, other) in [(a, b), (b, a)] {
        if let Some((x, inner)) = n.as_binary_with(sum, BinaryOp::Add) {
            let rest = n.binary(BinaryOp::Add, scalar, x, other);
            return Some(n.binary_with(BinaryOp::Add, scalar, rest, inner));
        }
    }
    for (difference, other) in [(a, b), (b, a)] {
        if let Some((x, y)) = n.as_binary(difference, BinaryOp::Sub) {
            if y == other {
                return Some(x);
            }
            if n.function.as_constant(x) == Some(0) {
                return Some(n.binary(BinaryOp::Sub, scalar, other, y));
            }
        }
    }
    None
}

fn sub(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if a == b {
        return Some(n.constant(Ty::of(scalar), 0));
    }
    if let Some(c) = c {
        return Some(n.binary_with(BinaryOp::Add, scalar, a, c.wrapping_neg()));
    }
    // No less than what is taken from it.
    if let Some((greater, less)) = n.narrowed(scalar, a, b)
        && let Some((x, y)) = n.as_binary(greater, BinaryOp::Max)
        && (x == less || y == less)
        && is_unsigned(n, greater)
    {
        let rest = n.binary(BinaryOp::Sub, Scalar::U32, greater, less);
        return Some(n.convert(Scalar::U32, Scalar::U64, rest));
    }
    // (x + c) - y is (x - y) + c, and x - (y + c) is (x - y) - c.
    if let Some((x, inner)) = n.as_binary_with(a, BinaryOp::Add) {
        let rest = n.binary(BinaryOp::Sub, scalar, x, b);
        return Some(n.binary_with(BinaryOp::Add, scalar, rest, inner));
    }
    if let Some((y, inner)) = n.as_binary_with(b, BinaryOp::Add) {
        let rest = n.binary(BinaryOp::Sub, scalar, a, y);
        return Some(n.binary_with(BinaryOp::Add, scalar, rest, inner.wrapping_neg()));
    }
    if let Some((x, y)) = n.as_binary(a, BinaryOp::Add) {
        if y == b {
            return Some(x);
        }
        if x == b {
            return Some(y);
        }
    }
    if let Some((x, y)) = n.as_binary(b, BinaryOp::Sub) {
        if x == a {
            return Some(y);
        }
        if n.function.as_constant(x) == Some(0) {
            return Some(n.binary(BinaryOp::Add, scalar, a, y));
        }
    }
    None
}

fn mul(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    let ty = Ty::of(scalar);
    if let Some(c) = c {
        if c == 0 {
            return Some(b);
        }
        if c == 1 {
            return Some(a);
        }
        if c == ones(scalar) {
            let zero = n.constant(ty, 0);
            return Some(n.binary(BinaryOp::Sub, scalar, zero, a));
        }
        if c.is_power_of_two() {
            return Some(n.binary_with(BinaryOp::Shl, scalar, a, u64::from(c.trailing_zeros())));
        }
        if let Some((x, inner)) = n.as_binary_with(a, BinaryOp::Mul) {
            return Some(n.binary_with(BinaryOp::Mul, scalar, x, inner.wrapping_mul(c)));
        }
        if let Some((x, added)) = n.as_binary_with(a, BinaryOp::Add) {
            let product = n.binary_with(BinaryOp::Mul, scalar, x, c);
            return Some(n.binary_with(BinaryOp::Add, scalar, product, added.wrapping_mul(c)));
        }
        if let Some((x, shift)) = n.as_binary_with(a, BinaryOp::Shl) {
            let factor = c.wrapping_shl(shift as u32 % scalar.bits());
            return Some(n.binary_with(BinaryOp::Mul, scalar, x, factor));
        }
    }
    if scalar == Scalar::U64 {
        return mul_wide(n, a, b, c);
    }
    None
}

/// A 64-bit product whose factors fit 32 bits.
fn mul_wide(n: &mut Numbering<'_>, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if let Some(x) = n.function.as_zero_extended(a) {
        let y = match c {
            Some(c) => u32::try_from(c).is_ok().then(|| n.constant(Ty::I32, c)),
            None => n.function.as_zero_extended(b),
        };
        if let Some(y) = y {
            return Some(n.add(
                Op::MulWide {
                    signed: false,
                    a: x,
                    b: y,
                },
                Ty::I64,
            ));
        }
    }
    if let Some(x) = n.as_sign_extended(a) {
        let y = match c {
            Some(c) => i32::try_from(c as i64)
                .is_ok()
                .then(|| n.constant(Ty::I32, c & u64::from(u32::MAX))),
            None => n.as_sign_extended(b),
        };
        if let Some(y) = y {
            return Some(n.add(
                Op::MulWide {
                    signed: true,
                    a: x,
                    b: y,
                },
                Ty::I64,
            ));
        }
    }
    None
}

fn and(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if a == b || c == Some(0) {
        return Some(b);
    }
    let c = c?;
    // A mask that keeps all bits that may be set.
    let highest = n.bound(a).checked_ilog2().map_or(0, |bit| u64::MAX >> (63 - bit));
    if c & highest == highest {
        return Some(a);
    }
    if let Some((x, inner)) = n.as_binary_with(a, BinaryOp::And) {
        return Some(n.binary_with(BinaryOp::And, scalar, x, inner & c));
    }
    // Whatever all ones are shifted by, the lowest bit is left.
    if let (1, Some((x, _))) = (c, n.as_binary(a, BinaryOp::Shr))
        && n.function.as_constant(x) == Some(ones(scalar))
    {
        return Some(n.constant(Ty::of(scalar), 1));
    }
    // Low bits do not depend on how a narrow value was extended.
    if let Op::Convert { from, a: x, .. } = n.function.op(a)
        && from.is_integer()
        && from.bits() < 32
        && n.function.ty(x) == Ty::of(scalar)
        && c < 1 << from.bits()
    {
        return Some(n.binary_with(BinaryOp::And, scalar, x, c));
    }
    None
}

fn or(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if a == b || c == Some(0) {
        return Some(a);
    }
    let c = c?;
    if c == ones(scalar) {
        return Some(b);
    }
    let (x, inner) = n.as_binary_with(a, BinaryOp::Or)?;
    Some(n.binary_with(BinaryOp::Or, scalar, x, inner | c))
}

fn xor(n: &mut Numbering<'_>, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if a == b {
        return Some(n.constant(Ty::of(scalar), 0));
    }
    let c = c?;
    if c == 0 {
        return Some(a);
    }
    let (x, inner) = n.as_binary_with(a, BinaryOp::Xor)?;
    Some(n.binary_with(BinaryOp::Xor, scalar, x, inner ^ c))
}

fn shl(n: &mut Numbering<'_>, scalar: Scalar, a: Value, c: u64) -> Option<Value> {
    let width = scalar.bits();
    let amount = c as u32 % width;
    if amount == 0 {
        return Some(a);
    }
    if c >= u64::from(width) {
        return Some(n.binary_with(BinaryOp::Shl, scalar, a, u64::from(amount)));
    }
    if let Some((x, inner)) = n.as_binary_with(a, BinaryOp::Shl) {
        let sum = inner as u32 + amount;
        return Some(if sum < width {
            n.binary_with(BinaryOp::Shl, scalar, x, u64::from(sum))
        } else {
            n.constant(Ty::of(scalar), 0)
        });
    }
    // Constants move outwards, to end in the offsets of addresses.
    if let Some((x, added)) = n.as_binary_with(a, BinaryOp::Add) {
        let shifted = n.binary_with(BinaryOp::Shl, scalar, x, u64::from(amount));
        return Some(n.binary_with(BinaryOp::Add, scalar, shifted, added << amount));
    }
    if let Some((x, factor)) = n.as_binary_with(a, BinaryOp::Mul) {
        return Some(n.binary_with(BinaryOp::Mul, scalar, x, factor << amount));
    }
    if scalar == Scalar::U64 && amount < 31 {
        let factor = n.constant(Ty::I32, 1 << amount);
        return mul_wide_by(n, a, factor, amount);
    }
    // (x >> c) << c clears the low bits.
    let (x, inner) = n.as_binary_with(a, BinaryOp::Shr)?;
    (inner as u32 == amount).then(|| {
        let mask = ones(scalar) << amount & ones(scalar);
        n.binary_with(BinaryOp::And, scalar, x, mask)
    })
}

/// A 64-bit shift of an extended word, done by one multiplication.
fn mul_wide_by(n: &mut Numbering<'_>, a: Value, factor: Value, amount: u32) -> Option<Value> {
    if let Some(x) = n.function.as_zero_extended(a) {
        return Some(n.add(
            Op::MulWide {
                signed: false,
                a: x,
                b: factor,
            },
            Ty::I64,
        ));
    }
    if let Some(x) = n.as_sign_extended(a) {
        return Some(n.add(
            Op::MulWide {
                signed: true,
                a: x,
                b: factor,
            },
            Ty::I64,
        ));
    }
    // A product of words, shifted: that with the shifted factor, if that still is a word.
    if let Op::MulWide {
        signed: false,
        a: x,
        b: y,
    } = n.function.op(a)
    {
        let fits = |greatest: u64| u32::try_from(greatest << amount).is_ok();
        let (x, factor) = match n.function.as_constant(y) {
            Some(known) => (x, fits(known).then(|| n.constant(Ty::I32, known << amount))?),
            None if fits(n.bound(y)) => (x, n.binary_with(BinaryOp::Shl, Scalar::U32, y, u64::from(amount))),
            None if fits(n.bound(x)) => (y, n.binary_with(BinaryOp::Shl, Scalar::U32, x, u64::from(amount))),
            None => return None,
        };
        return Some(n.add(
            Op::MulWide {
                signed: false,
                a: x,
                b: factor,
            },
            Ty::I64,
        ));
    }
    None
}

fn shr(n: &mut Numbering<'_>, scalar: Scalar, a: Value, c: u64) -> Option<Value> {
    let width = scalar.bits();
    let amount = c as u32 % width;
    if amount == 0 {
        return Some(a);
    }
    if c >= u64::from(width) {
        return Some(n.binary_with(BinaryOp::Shr, scalar, a, u64::from(amount)));
    }
    let bound = n.bound(a);
    if scalar.is_signed() {
        if bound <= ones(scalar) >> 1 {
            let unsigned = unsigned(scalar);
            return Some(n.binary_with(BinaryOp::Shr, unsigned, a, c));
        }
        return None;
    }
    if bound >> amount == 0 {
        return Some(n.constant(Ty::of(scalar), 0));
    }
    if let Op::Binary {
        op: BinaryOp::Shr,
        scalar: inner_scalar,
        a: x,
        b,
    } = n.function.op(a)
        && !inner_scalar.is_signed()
        && let Some(inner) = n.function.as_constant(b)
    {
        let sum = inner as u32 + amount;
        return Some(if sum < width {
            n.binary_with(BinaryOp::Shr, scalar, x, u64::from(sum))
        } else {
            n.constant(Ty::of(scalar), 0)
        });
    }
    // (x << c) >> c clears the high bits.
    let (x, inner) = n.as_binary_with(a, BinaryOp::Shl)?;
    (inner as u32 == amount).then(|| n.binary_with(BinaryOp::And, scalar, x, ones(scalar) >> amount))
}

fn mul_high(n: &mut Numbering<'_>, scalar: Scalar, a: Value, c: u64) -> Option<Value> {
    match c {
        0 => Some(n.constant(Ty::of(scalar), 0)),
        1 if !scalar.is_signed() => Some(n.constant(Ty::of(scalar), 0)),
        _ if !scalar.is_signed() && c.is_power_of_two() => {
            let amount = scalar.bits() - c.trailing_zeros();
            Some(n.binary_with(BinaryOp::Shr, scalar, a, u64::from(amount)))
        }
        _ => None,
    }
}

fn extremum(n: &mut Numbering<'_>, op: BinaryOp, scalar: Scalar, a: Value, b: Value, c: Option<u64>) -> Option<Value> {
    if a == b {
        return Some(a);
    }
    let most = ones(scalar);
    let bound = n.bound(a);
    if scalar.is_signed() {
        if bound <= most >> 1 && n.bound(b) <= most >> 1 {
            let unsigned = unsigned(scalar);
            return Some(n.binary(op, unsigned, a, b));
        }
        // The left side is nonnegative and the constant on the right is negative.
        if bound <= most >> 1 && signed(scalar, c?) < 0 {
            return Some(if op == BinaryOp::Max { a } else { b });
        }
        return None;
    }
    match (op, n.less_than(a, b)) {
        (BinaryOp::Max, _) if c == Some(0) => return Some(a),
        (_, Some(less)) => return Some(if less == (op == BinaryOp::Min) { a } else { b }),
        _ => {}
    }
    let (a, b) = n.narrowed(scalar, a, b)?;
    let word = n.binary(op, Scalar::U32, a, b);
    Some(n.convert(Scalar::U32, Scalar::U64, word))
}
