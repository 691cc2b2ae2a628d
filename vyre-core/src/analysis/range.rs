//! Unsigned ranges of values, derived from their operations: block sizes, masks, narrow loads and
//! the like.
//!
//! **Rules.** The bound of an operation follows from those of its operands where the operation
//! cannot wrap; where it might, the bound is that of the type. A signed operation on values whose
//! sign is not set does what the unsigned one does. Special registers have the bounds that the
//! hardware and the block size give them. Lower bounds are known only for constants.
//!
//! Simplification narrows comparisons and divisions by them and drops masks.

use vyre_ir::ir::{Axis, BinaryOp, Scalar, UnaryOp};

use crate::ssa::op::{Op, Special};
use crate::ssa::{Function, Ty, Value};

/// The unsigned range of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// No value is less.
    pub(crate) least: u64,
    /// No value is greater.
    pub(crate) most: u64,
}

/// The greatest value of a type.
pub(crate) fn of_type(ty: Ty) -> u64 {
    match ty {
        Ty::Bool => 1,
        Ty::I32 => u64::from(u32::MAX),
        _ => u64::MAX,
    }
}

/// The upper bound of a root that is not a constant.
pub(crate) fn of_root(function: &Function, op: Op, ty: Ty) -> u64 {
    match op {
        Op::Special(Special::Thread(axis)) => u64::from(function.block_size[axis.index()].max(1) - 1),
        // A grid has at most 2^31 - 1 blocks along x and 65535 along the others.
        Op::Special(Special::Block(Axis::X)) => (1 << 31) - 2,
        Op::Special(Special::Block(_)) => 65534,
        Op::Special(Special::Grid(Axis::X)) => (1 << 31) - 1,
        Op::Special(Special::Grid(_)) => 65535,
        Op::Special(Special::Lane) => 31,
        // No GPU has this much.
        Op::Special(Special::SharedBytes) => 1 << 20,
        Op::Argument { scalar: Scalar::U8, .. } => 255,
        Op::Argument {
            scalar: Scalar::U16, ..
        } => 65535,
        _ => of_type(ty),
    }
}

/// The upper bound of an operation, derived from the bounds of its operands by `bound`.
pub(crate) fn of(function: &Function, op: Op, ty: Ty, bound: impl Fn(Value) -> u64) -> u64 {
    let most = of_type(ty);
    let bound = match op {
        Op::Unary {
            op: UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros,
            scalar,
            ..
        } => u64::from(scalar.bits()),
        Op::Binary { op, scalar, a, b } if scalar.is_integer() => {
            binary(op, scalar, bound(a), bound(b), function.as_constant(b))
        }
        Op::MulWide { signed: false, a, b } => bound(a) * bound(b),
        Op::Select { a, b, .. } => bound(a).max(bound(b)),
        Op::Convert { from, a, .. } if from.is_integer() => {
            let kept = if from.bits() == 64 {
                u64::MAX
            } else {
                (1 << from.bits()) - 1
            };
            if from.is_signed() && bound(a) > kept >> 1 {
                most
            } else {
                bound(a).min(kept)
            }
        }
        Op::Load { scalar, .. } => match scalar {
            Scalar::U8 => 255,
            Scalar::U16 => 65535,
            _ => most,
        },
        _ => most,
    };
    bound.min(most)
}

/// The bound of a binary operation from those of its operands, and from the right operand if it is
/// constant.
fn binary(op: BinaryOp, scalar: Scalar, a: u64, b: u64, constant: Option<u64>) -> u64 {
    let most = of_type(Ty::of(scalar));
    // An operation that might wrap has only the bound of its type.
    let unless_wrapped = |bound: Option<u64>| bound.filter(|&bound| bound <= most).unwrap_or(most);
    // A signed operation on values whose sign is not set is the unsigned one.
    let unsigned = !scalar.is_signed() || a.max(b) <= most >> 1;
    match op {
        BinaryOp::Add => unless_wrapped(a.checked_add(b)),
        BinaryOp::Mul => unless_wrapped(a.checked_mul(b)),
        BinaryOp::And => a.min(b),
        // No bit above the highest one of both.
        BinaryOp::Or | BinaryOp::Xor => (a | b).checked_ilog2().map_or(0, |bit| u64::MAX >> (63 - bit)),
        BinaryOp::Shl => match constant {
            Some(amount) => {
                let amount = amount as u32 % scalar.bits();
                unless_wrapped(a.checked_mul(1 << amount))
            }
            None => most,
        },
        BinaryOp::Shr if !scalar.is_signed() || a <= most >> 1 => match constant {
            Some(amount) => a >> (amount as u32 % scalar.bits()),
            None => a,
        },
        BinaryOp::Div if unsigned => a / constant.unwrap_or(1).max(1),
        BinaryOp::Rem if unsigned => a.min(b.saturating_sub(1)),
        BinaryOp::MulHigh if !scalar.is_signed() => ((u128::from(a) * u128::from(b)) >> scalar.bits()) as u64,
        BinaryOp::Min if unsigned => a.min(b),
        BinaryOp::Max if unsigned => a.max(b),
        _ => most,
    }
}
