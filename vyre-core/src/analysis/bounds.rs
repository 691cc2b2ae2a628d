//! Bounds of values: the least and the greatest unsigned number, and a value that they are below.
//!
//! **Rules.** The bounds of an operation follow from those of its operands where the operation cannot wrap; where it
//! might, they are those of the type. A signed operation on values whose sign is not set does what the unsigned one does.
//! Special registers have the bounds that the hardware and the block size give them.
//!
//! A comparison that holds bounds both operands, in the block where it is decided and in those that this block
//! dominates. `x + c < limit`, where the sum does not wrap, is kept as such: it decides `x + d < limit` for any `d` up to
//! `c` for which that sum does not wrap either. What bounds a word bounds its zero extension. What is less than the low half
//! of a number is less than the number.
//!
//! Simplification removes checks and narrows comparisons and divisions by them, and drops masks.
//!
//! **Cost:** constant for each value and comparison, and for each question the number of comparisons of the value that
//! hold.

use vyre_ir::ir::{Axis, BinaryOp, Scalar, UnaryOp};

use super::conditions::Conditions;
use crate::ssa::graph::Graph;
use crate::ssa::op::{Op, Special};
use crate::ssa::{Block, Function, Ty, Value, filled};

/// The unsigned range of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// No value is less.
    pub(crate) least: u64,
    /// No value is greater.
    pub(crate) most: u64,
}

impl Range {
    /// All numbers.
    pub(crate) const ALL: Range = Range {
        least: 0,
        most: u64::MAX,
    };

    /// All values of a type.
    pub(crate) fn of_type(ty: Ty) -> Range {
        Range {
            least: 0,
            most: of_type(ty),
        }
    }

    /// The range of what is in one of two.
    pub(crate) fn or(self, other: Range) -> Range {
        Range {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
        }
    }

    /// True if a number is in the range.
    pub(crate) fn contains(self, bits: u64) -> bool {
        (self.least..=self.most).contains(&bits)
    }
}

/// The greatest value of a type.
pub(crate) fn of_type(ty: Ty) -> u64 {
    match ty {
        Ty::Bool => 1,
        Ty::I32 => u64::from(u32::MAX),
        _ => u64::MAX,
    }
}

/// The greatest value of a root.
pub(crate) fn of_root(function: &Function, op: Op, ty: Ty) -> u64 {
    match op {
        Op::Constant(bits) => bits,
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

/// The range of an operation, derived from those of its operands by `range`.
pub(crate) fn of(function: &Function, op: Op, ty: Ty, range: &dyn Fn(Value) -> Range) -> Range {
    let mut most = of_type(ty);
    match op {
        Op::Unary {
            op: UnaryOp::CountOnes | UnaryOp::LeadingZeros | UnaryOp::TrailingZeros,
            scalar,
            ..
        } => most = u64::from(scalar.bits()),
        // An operation that might wrap has only the bounds of its type.
        Op::Binary { op, scalar, a, b } if scalar.is_integer() => {
            match binary(op, scalar, range(a), range(b), function.as_constant(b)) {
                Some(range) if range.most <= most => return range,
                _ => {}
            }
        }
        Op::MulWide { signed: false, a, b } => {
            if let Some(range) = product(range(a), range(b)) {
                return range;
            }
        }
        Op::Select { a, b, .. } => return range(a).or(range(b)),
        Op::Convert { from, a, .. } if from.is_integer() => {
            let kept = u64::MAX >> (64 - from.bits());
            let a = range(a);
            let extends_zeros = !from.is_signed() || a.most <= kept >> 1;
            if a.most <= kept.min(most) && extends_zeros {
                return a;
            } else if extends_zeros {
                most = most.min(kept);
            }
        }
        Op::Load { scalar, .. } => match scalar {
            Scalar::U8 => most = 255,
            Scalar::U16 => most = 65535,
            _ => {}
        },
        _ => {}
    }
    Range { least: 0, most }
}

/// The product of what is in two ranges, unless it wraps.
fn product(a: Range, b: Range) -> Option<Range> {
    let (least, most) = (a.least.checked_mul(b.least)?, a.most.checked_mul(b.most)?);
    Some(Range { least, most })
}

/// The range of a binary operation from those of its operands, and from the right operand if it is constant; it may be
/// beyond the type where the operation wraps.
fn binary(op: BinaryOp, scalar: Scalar, a: Range, b: Range, constant: Option<u64>) -> Option<Range> {
    let sign = of_type(Ty::of(scalar)) >> 1;
    // A signed operation on values whose sign is not set is the unsigned one.
    let a_unsigned = !scalar.is_signed() || a.most <= sign;
    let unsigned = a_unsigned && (!scalar.is_signed() || b.most <= sign);
    let range = |least, most| Some(Range { least, most });
    let to = |most| range(0, most);
    let amount = constant.map(|amount| amount as u32 % scalar.bits());
    match op {
        BinaryOp::Add => match constant {
            // A number is taken away.
            Some(bits) if bits > sign => {
                let taken = bits.wrapping_neg() & of_type(Ty::of(scalar));
                range(a.least.checked_sub(taken)?, a.most.wrapping_sub(taken))
            }
            _ => range(a.least.checked_add(b.least)?, a.most.checked_add(b.most)?),
        },
        BinaryOp::Sub if a.least >= b.most => range(a.least - b.most, a.most - b.least),
        BinaryOp::Mul => product(a, b),
        BinaryOp::And => to(a.most.min(b.most)),
        // No bit above the highest one of both.
        BinaryOp::Or | BinaryOp::Xor => range(
            if op == BinaryOp::Or { a.least.max(b.least) } else { 0 },
            (a.most | b.most)
                .checked_ilog2()
                .map_or(0, |bit| u64::MAX >> (63 - bit)),
        ),
        BinaryOp::Shl => {
            let factor = 1 << amount?;
            range(a.least.checked_mul(factor)?, a.most.checked_mul(factor)?)
        }
        BinaryOp::Shr if a_unsigned => match amount {
            Some(amount) => range(a.least >> amount, a.most >> amount),
            None => to(a.most),
        },
        BinaryOp::Div if unsigned => match constant {
            Some(by) => range(a.least / by.max(1), a.most / by.max(1)),
            None => to(a.most),
        },
        BinaryOp::Rem if unsigned => to(a.most.min(b.most.saturating_sub(1))),
        BinaryOp::MulHigh if !scalar.is_signed() => {
            to(((u128::from(a.most) * u128::from(b.most)) >> scalar.bits()) as u64)
        }
        BinaryOp::Min if unsigned => range(a.least.min(b.least), a.most.min(b.most)),
        BinaryOp::Max if unsigned => range(a.least.max(b.least), a.most.max(b.most)),
        _ => None,
    }
}

/// The bounds of values that a walk has found so far.
pub(crate) struct Bounds<'g> {
    graph: &'g Graph,
    /// The range of each value visited so far.
    own: Vec<Range>,
    /// Ranges found by comparisons.
    found: Conditions<Range>,
    /// Values and numbers: this value plus the number is less than that value.
    below: Conditions<(Value, i64)>,
}

impl<'g> Bounds<'g> {
    /// Nothing is known yet.
    pub(crate) fn new(function: &Function, graph: &'g Graph) -> Self {
        Bounds {
            graph,
            own: filled(Range::ALL, function.values.len()),
            found: Conditions::default(),
            below: Conditions::default(),
        }
    }

    /// Records the range of a value that holds everywhere.
    pub(crate) fn define(&mut self, value: Value, range: Range) {
        if self.own.len() <= value.index() {
            self.own.resize(value.index() + 1, Range::ALL);
        }
        self.own[value.index()] = range;
    }

    /// The range of a value at a block.
    pub(crate) fn range(&self, function: &Function, value: Value, block: Block) -> Range {
        let (op, ty) = (function.op(value), function.ty(value));
        let mut range = match op {
            Op::Constant(bits) => {
                return Range {
                    least: bits,
                    most: bits,
                };
            }
            _ if op.is_root() => Range {
                least: u64::from(matches!(op, Op::Special(Special::Grid(_)))),
                most: of_root(function, op, ty),
            },
            _ => match self.own.get(value.index()) {
                // After a guard that always fails, operands may not have been visited.
                Some(&range) if range.most <= of_type(ty) => range,
                _ => Range::of_type(ty),
            },
        };
        let mut narrow = |found: Range| {
            range.least = range.least.max(found.least);
            range.most = range.most.min(found.most);
        };
        self.found.at(value, self.graph, block).for_each(&mut narrow);
        if let Some(a) = function.as_zero_extended(value) {
            // Later facts about a word also hold for its extension.
            narrow(self.range(function, a, block));
        }
        // At a block that no thread reaches, comparisons may contradict each other.
        range.least = range.least.min(range.most);
        range
    }

    /// The greatest number that comparisons leave to a value at a block.
    pub(crate) fn compared(&self, value: Value, block: Block) -> Option<u64> {
        self.found.at(value, self.graph, block).map(|range| range.most).min()
    }

    /// The outcome of the unsigned comparison `a < b` at a block, if known.
    pub(crate) fn less_than(&self, function: &Function, a: Value, b: Value, block: Block) -> Option<bool> {
        let (of_a, of_b) = (self.range(function, a, block), self.range(function, b, block));
        match () {
            () if of_a.most < of_b.least => return Some(true),
            () if of_a.least >= of_b.most => return Some(false),
            () => {}
        }
        if self.is_below(function, a, block, &|limit| limit == b) {
            return Some(true);
        }
        let low_half = |limit: Value| match function.op(limit) {
            Op::Convert {
                from: Scalar::U64 | Scalar::I64,
                to: Scalar::U32 | Scalar::I32,
                a,
            } => a == b,
            _ => false,
        };
        let word = function.as_zero_extended(a)?;
        self.is_below(function, word, block, &low_half).then_some(true)
    }

    /// True if a value is known to be below another one at a block.
    fn is_below(&self, function: &Function, value: Value, block: Block, is_limit: &dyn Fn(Value) -> bool) -> bool {
        let says = |value: Value, constant: i64| {
            let mut known = self.below.at(value, self.graph, block);
            known.any(|(limit, number)| constant <= number && is_limit(limit))
        };
        let (x, constant) = self.sum(function, value, block);
        says(value, 0) || x != value && says(x, constant)
    }

    /// Calls `found` with each value and number for which this value plus the number is less than that value at a block, and
    /// does not wrap.
    pub(crate) fn each_order(&self, value: Value, block: Block, found: &mut dyn FnMut(Value, i64)) {
        for (limit, number) in self.below.at(value, self.graph, block) {
            found(limit, number);
        }
    }

    /// A value as another one and a constant, whose sum does not wrap.
    fn sum(&self, function: &Function, value: Value, block: Block) -> (Value, i64) {
        if let Op::Binary {
            op: BinaryOp::Add,
            scalar,
            a,
            b,
        } = function.op(value)
            && let Some(bits) = function.as_constant(b)
        {
            let constant = if scalar.bits() == 64 {
                bits as i64
            } else {
                i64::from(bits as u32 as i32)
            };
            let range = self.range(function, a, block);
            let fits = |bound: u64| {
                bound
                    .checked_add_signed(constant)
                    .is_some_and(|sum| sum <= of_type(Ty::of(scalar)))
            };
            if fits(range.least) && fits(range.most) {
                return (a, constant);
            }
        }
        (value, 0)
    }

    /// Records a range of a value in a block and below it, which does not follow from its operation.
    pub(crate) fn limit(&mut self, function: &Function, value: Value, range: Range, block: Block) {
        let known = self.range(function, value, block);
        if range.most < known.most || range.least > known.least {
            self.found.add(value, self.graph, block, range);
        }
    }

    /// Derives bounds from an integer comparison and its outcome.
    pub(crate) fn decide(&mut self, function: &Function, comparison: Op, holds: bool, block: Block) {
        let Op::Binary { op, scalar, a, b } = comparison else {
            return;
        };
        let (of_a, of_b) = (self.range(function, a, block), self.range(function, b, block));
        let most = of_type(Ty::of(scalar));
        let at_least = |least: u64| Range { least, most };
        let at_most = |most: u64| Range { least: 0, most };
        match (op, holds) {
            (BinaryOp::Eq, true) => {
                self.limit(function, a, of_b, block);
                self.limit(function, b, of_a, block);
            }
            (BinaryOp::Eq, false) if of_b.least == of_b.most => match of_b.least {
                bits if bits == of_a.least => self.limit(function, a, at_least(bits.saturating_add(1)), block),
                bits if bits == of_a.most => self.limit(function, a, at_most(bits - 1), block),
                _ => {}
            },
            // The lesser one of signed numbers is not negative, so the other one is not either.
            (BinaryOp::Lt, true) if scalar.is_signed() && of_a.most <= most >> 1 => {
                let (least, most) = (of_a.least + 1, most >> 1);
                self.limit(function, b, Range { least, most }, block);
            }
            (BinaryOp::Lt, false) if scalar.is_signed() && of_b.most <= most >> 1 => {
                let (least, most) = (of_b.least, most >> 1);
                self.limit(function, a, Range { least, most }, block);
            }
            (BinaryOp::Lt, true) if !scalar.is_signed() => {
                self.limit(function, a, at_most(of_b.most.saturating_sub(1)), block);
                self.limit(function, b, at_least(of_a.least.saturating_add(1)), block);
                let (x, constant) = self.sum(function, a, block);
                self.order(function, x, (b, constant), block);
            }
            (BinaryOp::Lt, false) if !scalar.is_signed() => {
                self.limit(function, b, at_most(of_a.most), block);
                self.limit(function, a, at_least(of_b.least), block);
                let (x, constant) = self.sum(function, b, block);
                if let Some(constant) = constant.checked_sub(1) {
                    self.order(function, x, (a, constant), block);
                }
            }
            _ => {}
        }
    }

    /// Records that a value plus a number is less than another one, unless that is a constant.
    fn order(&mut self, function: &Function, value: Value, below: (Value, i64), block: Block) {
        if function.as_constant(value).is_none() && function.as_constant(below.0).is_none() {
            self.below.add(value, self.graph, block, below);
        }
    }
}
