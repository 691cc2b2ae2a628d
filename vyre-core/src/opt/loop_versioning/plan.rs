//! The cost model of loop versioning: the loops that qualify, and their parameters.

use vyre_ir::ir::{BinaryOp, Constant, Scalar, UnaryOp};

use super::narrow::Narrow;
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::scev::{Form, Linear};
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Ty, Value};

/// Loops of at most this many operations run 16 iterations at a time, and then four: a sum, or a sum of
/// products.
const SIXTEEN: usize = 10;
/// Loops of at most this many operations run eight iterations at a time, and then two.
const EIGHT: usize = 20;
/// Loops of at most this many operations run four iterations at a time.
const FOUR: usize = 32;
/// Loops of at most this many operations run two iterations at a time.
const TWO: usize = 64;
/// Loops of at most this many operations are copied only to remove their checks and to narrow operations.
const ONE: usize = 160;
/// The sizes of groups, for a constant trip count.
const SIZES: [usize; 5] = [16, 8, 4, 2, 1];
/// Limit of the checks covered by one predicate.
const MAX_CHECKS: usize = 12;
/// Limit of a counter's step.
const MAX_STEP: u64 = 1 << 16;

/// The step of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Step {
    /// A positive constant.
    Constant(u64),
    /// Loop-invariant, as in a grid-stride loop; the counter is unsigned then.
    Invariant(Value),
}

/// The versioning plan of a loop.
#[derive(Debug)]
pub(in super::super) struct Plan {
    /// The loop's number.
    pub(super) number: usize,
    pub(super) latch: Block,
    pub(super) front: Block,
    /// The position of the counter among the header's parameters, and its initial value.
    pub(super) counter: usize,
    pub(super) first: Value,
    /// The step of the counter.
    pub(in super::super) step: Step,
    /// The bound that the stepped counter is compared with.
    pub(super) limit: Value,
    pub(super) scalar: Scalar,
    /// True if the first edge of the test continues the loop.
    pub(super) stays_by_then: bool,
    /// Iterations per group: of the groups that run as long as they can, and of those that run then.
    pub(super) groups: &'static [usize],
    /// The trip count, if it is a constant.
    pub(super) total: Option<u64>,
    /// The guards of linear indices covered by the predicate.
    pub(super) checks: Vec<Value>,
    /// The loop-invariant guards, also covered.
    pub(super) fixed: Vec<Value>,
    /// The invariant loads of unwritten memory that `fixed` permits.
    pub(super) loads: Vec<Value>,
    /// The loads of unwritten memory that `checks` permit: in the groups of iterations they may move in front of
    /// other guards.
    pub(super) in_bounds: Vec<Value>,
    /// The operations that the groups compute in 32 bits.
    pub(super) narrow: Narrow,
    /// True if the copies count in 32 bits.
    pub(super) counts_narrow: bool,
}

impl Plan {
    /// The plan for a loop, if it qualifies. `linear` switches to the loop.
    pub(in super::super) fn of(
        function: &Function,
        forest: &LoopForest,
        linear: &mut Linear<'_>,
        number: usize,
    ) -> Option<Plan> {
        let this = &forest.loops[number];
        if !this.is_innermost() || !linear.enter(function, number) {
            return None;
        }
        let mut plan = Plan::counting(function, forest, linear, number)?;
        let values = this.blocks.iter().flat_map(|&block| &function.blocks[block].body);
        // The bits of another type are in the same register.
        let size = values
            .filter(|&&value| !matches!(function.op(value), Op::Bits(_)))
            .count();
        plan.cover(function, linear, &this.blocks);
        plan.narrow = Narrow::of(function, linear, &plan, &this.blocks);
        let covered = plan.checks.len() + plan.fixed.len();
        // Without its checks and its test an iteration has fewer operations.
        let size = size.saturating_sub(3 * covered);
        let covers = covered != 0 || !plan.narrow.is_empty();
        plan.groups = match size {
            _ if size <= SIXTEEN => &[16, 4],
            _ if size <= EIGHT => &[8, 2],
            _ if size <= FOUR => &[4],
            _ if size <= TWO => &[2],
            _ if size <= ONE && covers => &[1],
            _ => return None,
        };
        plan.total = plan.constant_trip_count(function);
        if let Some(total) = plan.total {
            // Iterations left over by the groups would need the original loop.
            let divides = |&group: &usize| group <= plan.groups[0] && total % group as u64 == 0;
            let size = SIZES.iter().position(divides)?;
            plan.groups = &SIZES[size..=size];
            if plan.groups == [1] && !covers {
                return None;
            }
        }
        plan.counts_narrow = plan.groups != [1] && plan.scalar == Scalar::U64 && matches!(plan.step, Step::Constant(_));
        Some(plan)
    }

    /// The properties of a counted loop without effects that forbid copies.
    fn counting(function: &Function, forest: &LoopForest, linear: &Linear<'_>, number: usize) -> Option<Plan> {
        let this = &forest.loops[number];
        let &[latch] = this.latches.as_slice() else { return None };
        if forest.exits(function, number).any(|(block, _)| block != latch) {
            return None;
        }
        for &block in &this.blocks {
            let forbids = |&value: &Value| match function.op(value) {
                op if op.waits_for_others() => true,
                // Printing is slow anyway.
                Op::Print { .. } | Op::Claim { .. } => true,
                Op::Intrinsic { intrinsic, .. } => intrinsic.row().orders_memory,
                Op::Atomic { .. } => function.ty(value) != Ty::Unit,
                _ => false,
            };
            if function.blocks[block].body.iter().any(forbids) {
                return None;
            }
        }
        let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &function.blocks[latch].end
        else {
            return None;
        };
        let stays_by_then = then.block == this.header;
        if stays_by_then == (otherwise.block == this.header) {
            return None;
        }
        let (comparison, inverted) = match function.op(*condition) {
            Op::Unary {
                op: UnaryOp::Not, a, ..
            } => (a, true),
            _ => (*condition, false),
        };
        let Op::Binary {
            op: BinaryOp::Lt,
            scalar,
            a: stepped,
            b: limit,
        } = function.op(comparison)
        else {
            return None;
        };
        if inverted == stays_by_then || !scalar.is_integer() {
            return None;
        }
        let Op::Binary {
            op: BinaryOp::Add,
            a,
            b,
            ..
        } = function.op(stepped)
        else {
            return None;
        };
        let back = if stays_by_then { then } else { otherwise };
        let position = back.arguments.iter().position(|&argument| argument == stepped)?;
        let front = this.preheader();
        let entering = function.blocks[front]
            .end
            .edges()
            .find(|edge| edge.block == this.header)?;
        let counter = *function.blocks[this.header].parameters.get(position)?;
        let step = match (a == counter, b == counter) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        if !linear.is_invariant(limit) {
            return None;
        }
        let step = match function.as_constant(step) {
            Some(0) => return None,
            Some(step) if step <= MAX_STEP => Step::Constant(step),
            None if linear.is_invariant(step) && !scalar.is_signed() => Step::Invariant(step),
            _ => return None,
        };
        Some(Plan {
            number,
            latch,
            front,
            counter: position,
            first: entering.arguments[position],
            step,
            limit,
            scalar,
            stays_by_then,
            groups: &[1],
            total: None,
            checks: Vec::new(),
            fixed: Vec::new(),
            loads: Vec::new(),
            in_bounds: Vec::new(),
            narrow: Narrow::default(),
            counts_narrow: false,
        })
    }

    /// The trip count, if the counter goes from a constant to a constant.
    fn constant_trip_count(&self, function: &Function) -> Option<u64> {
        let Step::Constant(step) = self.step else { return None };
        let bits = |value: Value| function.as_constant(value);
        let number = |bits: u64| Constant::new(self.scalar, bits).as_i128();
        let (first, limit) = (number(bits(self.first)?), number(bits(self.limit)?));
        let distance = u64::try_from(limit - first).ok()?;
        (distance != 0).then(|| distance.div_ceil(step))
    }

    /// Finds the guards that the predicate covers: the loop-invariant ones, and those whose index
    /// is linear in the counter and whose length is invariant.
    fn cover(&mut self, function: &Function, linear: &mut Linear<'_>, blocks: &[Block]) {
        for &block in blocks {
            for &value in &function.blocks[block].body {
                let Op::Guard { condition, .. } = function.op(value) else {
                    continue;
                };
                if is_fixed(function, linear, condition) {
                    self.fixed.push(value);
                    continue;
                }
                let Some((index, length)) = bounds_check(function, value).filter(|_| self.scalar == Scalar::U64) else {
                    continue;
                };
                let linear_index =
                    matches!(linear.form(function, index), Form::Linear { counter, .. } if counter == self.counter);
                if linear_index && linear.is_invariant(length) {
                    self.checks.push(value);
                }
            }
        }
        self.checks.truncate(MAX_CHECKS);
        self.fixed.truncate(MAX_CHECKS);
        for &block in blocks {
            for &value in &function.blocks[block].body {
                let Op::Load {
                    address,
                    constant: true,
                    ..
                } = function.op(value)
                else {
                    continue;
                };
                if self.checks.iter().any(|&guard| allows(function, guard, value)) {
                    self.in_bounds.push(value);
                } else if linear.is_invariant(address) && self.fixed.iter().any(|&guard| allows(function, guard, value))
                {
                    self.loads.push(value);
                }
            }
        }
    }
}

/// True if a guard is the bounds check of a load from an element of a kernel's parameter.
fn allows(function: &Function, guard: Value, load: Value) -> bool {
    let (
        Op::Load {
            address,
            offset,
            scalar,
            ..
        },
        Some((index, length)),
    ) = (function.op(load), bounds_check(function, guard))
    else {
        return false;
    };
    let Op::Offset { base, bytes } = function.op(address) else {
        return false;
    };
    let (
        Op::Argument {
            parameter, offset: 0, ..
        },
        Op::Argument {
            parameter: of,
            offset: 8,
            ..
        },
    ) = (function.op(base), function.op(length))
    else {
        return false;
    };
    // The index and the size of the element.
    let (element, size) = match function.op(bytes) {
        Op::Binary {
            op: BinaryOp::Shl,
            a,
            b,
            ..
        } => (a, function.as_constant(b).map(|amount| 1 << (amount & 63))),
        Op::Binary {
            op: BinaryOp::Mul,
            a,
            b,
            ..
        } => (a, function.as_constant(b)),
        Op::MulWide { signed: false, a, b } => match function.op(index) {
            Op::Convert {
                from: Scalar::U32,
                to: Scalar::U64,
                a: narrow,
            } if narrow == a => (index, function.as_constant(b)),
            _ => return false,
        },
        _ => (bytes, Some(1)),
    };
    let end = i64::from(offset) + i64::from(scalar.size());
    parameter == of && element == index && offset >= 0 && size.is_some_and(|size: u64| end as u64 <= size)
}

/// True if a condition is loop-invariant: predicates are not hoisted by LICM.
fn is_fixed(function: &Function, linear: &Linear<'_>, condition: Value) -> bool {
    if linear.is_invariant(condition) {
        return true;
    }
    let op = function.op(condition);
    let mut fixed = op.is_speculatable();
    function.each_operand(condition, |operand| {
        fixed = fixed
            && (linear.is_invariant(operand)
                || function.ty(operand) == Ty::Bool && is_fixed(function, linear, operand));
    });
    fixed
}

/// Index and length of a guard that is a bounds check.
pub(super) fn bounds_check(function: &Function, guard: Value) -> Option<(Value, Value)> {
    let Op::Guard { condition, .. } = function.op(guard) else {
        return None;
    };
    match function.op(condition) {
        Op::Binary {
            op: BinaryOp::Lt,
            scalar: Scalar::U64,
            a,
            b,
        } => Some((a, b)),
        _ => None,
    }
}
