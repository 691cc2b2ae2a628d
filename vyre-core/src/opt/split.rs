//! Splits a loop that counts to a limit: several rounds at a time without the checks that are
//! known to hold for all of them, then the loop as it was for what is left.
//!
//! **Algorithm.** The loop ends its rounds by comparing the stepped counter with something
//! invariant, and nothing else leaves it. A check in it that compares a linear index with an
//! invariant length holds in every round if the index of the last round, reached without wrapping,
//! is less than the length: one predicate in front of the loop decides that for all checks. Where
//! it holds, a copy of the loop runs a few rounds at a time, without these checks and without
//! the tests between the rounds, as long as as many rounds are left; the loop itself runs the
//! rest. Where it does not hold the loop runs all rounds, and faults where the source does.
//!
//! For a counter `i` that grows by `s` to a limit `n`, and an index that is `e` in the first round
//! and grows by `k` per unit of the counter, the last index is `e + d * k`, where `d` is the greatest
//! multiple of `s` that does not exceed `n - 1 - i`. That is computed in 64 bits, and the predicate
//! fails where a product or sum does not fit; where it holds, no index before is greater.
//!
//! **Before:** loops test at the bottom ([`rotate`](super::rotate)). **After:** as after that pass.
//! **Cost:** that of the code that it makes.

use super::demote::{self, Copies};
use super::hoist::{preheader, with_preheaders};
use super::linear::{Form, Linear};
use crate::ir::{BinaryOp, Constant, Scalar, Span, UnaryOp};
use crate::ssa::function::unsigned;
use crate::ssa::graph::{Graph, Loop, Loops};
use crate::ssa::op::Op;
use crate::ssa::{Block, Edge, Function, Terminator, Ty, Value};

/// Loops of at most this many operations run four rounds at a time.
const FOUR: usize = 32;
/// Loops of at most this many operations run two rounds at a time.
const TWO: usize = 64;
/// Loops of at most this many operations are copied for the sake of their checks alone.
const ONE: usize = 160;
/// The most checks that one predicate covers.
const MAX_CHECKS: usize = 12;

/// Splits the innermost loops that qualify; returns whether there were any.
pub(crate) fn run(function: &mut Function) -> bool {
    let (graph, loops) = with_preheaders(function);
    let plans: Vec<Plan> = (0..loops.loops.len())
        .filter_map(|number| Plan::of(function, &graph, &loops, number))
        .collect();
    if plans.is_empty() {
        return false;
    }
    // What decides is computed before values go to memory.
    let entries: Vec<Entry> = plans
        .iter()
        .map(|plan| plan.entry(function, &graph, &loops.loops[plan.number]))
        .collect();
    let blocks: Vec<Block> = plans
        .iter()
        .flat_map(|plan| loops.loops[plan.number].blocks.iter().copied())
        .collect();
    demote::run(function, &graph.order, &blocks);
    for (plan, entry) in plans.iter().zip(entries) {
        plan.split(function, &loops.loops[plan.number], entry);
    }
    true
}

/// What is computed in front of a loop.
struct Entry {
    /// Whether a group of rounds may begin.
    enough: Value,
    /// The number below which the counter must be for another group.
    limit: Value,
}

/// How a loop is split.
#[derive(Debug)]
pub(super) struct Plan {
    /// The loop's number.
    number: usize,
    latch: Block,
    front: Block,
    /// The position of the counter among the header's parameters, and what it begins with.
    counter: usize,
    first: Value,
    /// What the counter grows by, a positive constant.
    step: u64,
    /// What the stepped counter is compared with.
    limit: Value,
    scalar: Scalar,
    /// Whether the loop goes on by the first edge of its test.
    stays_by_then: bool,
    /// Rounds at a time.
    rounds: usize,
    /// How many rounds there are, if that is a constant.
    total: Option<u64>,
    /// The guards that the predicate covers.
    checks: Vec<Value>,
}

impl Plan {
    /// The plan for a loop, if it qualifies.
    pub(super) fn of(function: &Function, graph: &Graph, loops: &Loops, number: usize) -> Option<Plan> {
        let this = &loops.loops[number];
        if loops.loops.iter().any(|other| other.parent == number as u32) {
            return None;
        }
        let mut plan = Plan::counting(function, graph, this)?;
        plan.number = number;
        let size: usize = this.blocks.iter().map(|&block| function.blocks[block].body.len()).sum();
        plan.checks = plan.coverable(function, graph, this);
        // Without its checks and its test a round has fewer operations.
        let size = size.saturating_sub(3 * plan.checks.len());
        plan.rounds = match size {
            _ if size <= FOUR => 4,
            _ if size <= TWO => 2,
            _ if size <= ONE && !plan.checks.is_empty() => 1,
            _ => return None,
        };
        plan.total = plan.constant_rounds(function);
        if let Some(total) = plan.total {
            // Rounds that no group takes would need the loop itself.
            plan.rounds = [4, 2, 1]
                .into_iter()
                .find(|&rounds| rounds <= plan.rounds && total % rounds as u64 == 0)?;
            if plan.rounds == 1 && plan.checks.is_empty() {
                return None;
            }
        }
        Some(plan)
    }

    /// What is to be known of a loop that counts, and has no effects that forbid copies.
    fn counting(function: &Function, graph: &Graph, this: &Loop) -> Option<Plan> {
        let &[latch] = this.latches.as_slice() else { return None };
        for &block in &this.blocks {
            let data = &function.blocks[block];
            let leaves = |edge: &Edge| !this.blocks.contains(&edge.block);
            if block != latch && (data.end.edges().any(leaves) || data.end == Terminator::Return) {
                return None;
            }
            let forbids = |&value: &Value| match function.op(value) {
                op if op.waits_for_others() => true,
                Op::Fence { .. } => true,
                Op::Atomic { .. } => function.ty(value) != Ty::Unit,
                _ => false,
            };
            if data.body.iter().any(forbids) {
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
            a: counter,
            b: step,
            ..
        } = function.op(stepped)
        else {
            return None;
        };
        let step = function.as_constant(step)?;
        let back = if stays_by_then { then } else { otherwise };
        let position = back.arguments.iter().position(|&argument| argument == stepped)?;
        let front = preheader(graph, this);
        let entering = function.blocks[front]
            .end
            .edges()
            .find(|edge| edge.block == this.header)?;
        let invariant = |value: Value| {
            function.op(value).is_root()
                || !this.blocks.iter().any(|&block| {
                    let data = &function.blocks[block];
                    data.body.contains(&value) || data.parameters.contains(&value)
                })
        };
        if function.blocks[this.header].parameters.get(position) != Some(&counter)
            || !invariant(limit)
            || step == 0
            || step > 1 << 16
        {
            return None;
        }
        Some(Plan {
            number: 0,
            latch,
            front,
            counter: position,
            first: entering.arguments[position],
            step,
            limit,
            scalar,
            stays_by_then,
            rounds: 1,
            total: None,
            checks: Vec::new(),
        })
    }

    /// How many rounds the loop runs, if its counter goes from a constant to a constant.
    fn constant_rounds(&self, function: &Function) -> Option<u64> {
        let bits = |value: Value| function.as_constant(value);
        let number = |bits: u64| Constant::new(self.scalar, bits).as_i128();
        let (first, limit) = (number(bits(self.first)?), number(bits(self.limit)?));
        let distance = u64::try_from(limit - first).ok()?;
        (distance != 0).then(|| distance.div_ceil(self.step))
    }

    /// The guards whose index is linear in the counter and whose length is invariant.
    fn coverable(&self, function: &Function, graph: &Graph, this: &Loop) -> Vec<Value> {
        let Some(mut linear) = Linear::of(function, graph, this).filter(|_| self.scalar == Scalar::U64) else {
            return Vec::new();
        };
        let mut checks = Vec::new();
        for &block in &this.blocks {
            for &value in &function.blocks[block].body {
                let Some((index, length)) = bounds_check(function, value) else {
                    continue;
                };
                let linear_index =
                    matches!(linear.form(function, index), Form::Linear { counter, .. } if counter == self.counter);
                if linear_index && linear.is_invariant(length) {
                    checks.push(value);
                }
            }
        }
        if checks.len() > MAX_CHECKS { Vec::new() } else { checks }
    }

    /// Computes in front of the loop whether all checks hold in all rounds, counting several rounds
    /// at a time does not wrap, and as many are to come.
    fn entry(&self, function: &mut Function, graph: &Graph, this: &Loop) -> Entry {
        let limit = self.short_limit(function);
        let mut front = Front {
            function,
            block: self.front,
        };
        let mut enough = front.binary(BinaryOp::Lt, self.scalar, self.first, limit);
        if self.step > 1 {
            // The counter is compared after a group of steps, which reach `limit + step - 1`.
            let most = match (self.scalar.is_signed(), self.scalar.bits()) {
                (false, 64) => u64::MAX,
                (false, _) => u64::from(u32::MAX),
                (true, 64) => i64::MAX as u64,
                (true, _) => i32::MAX as u64,
            };
            let highest = front.constant(Ty::of(self.scalar), most - self.step + 2);
            let fits = front.binary(BinaryOp::Lt, self.scalar, self.limit, highest);
            enough = front.binary(BinaryOp::And, Scalar::Bool, enough, fits);
        }
        if let Some(mut linear) = Linear::of(function, graph, this)
            && !self.checks.is_empty()
        {
            enough = self.all_checks_hold(function, &mut linear, enough);
        }
        Entry { enough, limit }
    }

    fn all_checks_hold(&self, function: &mut Function, linear: &mut Linear, enough: Value) -> Value {
        let word = Scalar::U64;
        let minus_one = function.constant(Ty::I64, u64::MAX);
        let zero = function.constant(Ty::I64, 0);
        let last = linear.add(function, BinaryOp::Add, self.limit, minus_one);
        let mut distance = linear.add(function, BinaryOp::Sub, last, self.first);
        if self.step > 1 {
            // The last round is that of the last multiple.
            let step = function.constant(Ty::I64, self.step);
            let rest = linear.add(function, BinaryOp::Rem, distance, step);
            distance = linear.add(function, BinaryOp::Sub, distance, rest);
        }
        let mut all = enough;
        for &check in &self.checks {
            let Some((index, length)) = bounds_check(function, check) else {
                continue;
            };
            let first = linear.first(function, index);
            let factor = linear.factor(function, index);
            let mut front = Front {
                function,
                block: self.front,
            };
            let product = front.binary(BinaryOp::Mul, word, distance, factor);
            let excess = front.binary(BinaryOp::MulHigh, word, distance, factor);
            let fits = front.binary(BinaryOp::Eq, word, excess, zero);
            let greatest = front.binary(BinaryOp::Add, word, first, product);
            let inside = front.binary(BinaryOp::Lt, word, greatest, length);
            let wraps = front.binary(BinaryOp::Lt, word, greatest, first);
            let ordered = front.not(wraps);
            for term in [fits, inside, ordered] {
                all = front.binary(BinaryOp::And, Scalar::Bool, all, term);
            }
        }
        all
    }

    /// The number below which the counter must be for a group of rounds to follow.
    fn short_limit(&self, function: &mut Function) -> Value {
        let reach = (self.rounds as u64 - 1) * self.step;
        let ty = Ty::of(self.scalar);
        let mut front = Front {
            function,
            block: self.front,
        };
        let least = match (self.scalar.is_signed(), self.scalar.bits()) {
            (false, _) => reach,
            (true, 64) => (i64::MIN as u64).wrapping_add(reach),
            (true, _) => u64::from(i32::MIN as u32).wrapping_add(reach),
        };
        let least = front.constant(ty, least);
        let raised = front.binary(BinaryOp::Max, self.scalar, self.limit, least);
        let reach = front.constant(ty, reach.wrapping_neg());
        front.binary(BinaryOp::Add, unsigned(self.scalar), raised, reach)
    }

    /// Makes the copy and joins it to the loop, whose values are in memory.
    fn split(&self, function: &mut Function, this: &Loop, entry: Entry) {
        let copies: Vec<Copies> = (0..self.rounds).map(|_| Copies::of(function, &this.blocks)).collect();
        for (round, copy) in copies.iter().enumerate() {
            self.drop_checks(function, this, copy);
            let latch = copy.get(self.latch);
            let end = std::mem::replace(&mut function.blocks[latch].end, Terminator::Return);
            let Terminator::Branch {
                condition,
                then,
                otherwise,
            } = end
            else {
                continue;
            };
            let (mut back, exit) = if self.stays_by_then {
                (then, otherwise)
            } else {
                (otherwise, then)
            };
            if let Some(next) = copies.get(round + 1) {
                back.block = next.get(this.header);
                function.blocks[latch].end = Terminator::Jump(back);
                continue;
            }
            // Behind a group: another one, the loop itself for the rest, or the end.
            let mut again = back.clone();
            again.block = copies[0].get(this.header);
            back.block = this.header;
            let stepped = back.arguments[self.counter];
            let rest = function.add_block();
            function.blocks[rest].end = match self.total {
                // The groups have taken all rounds.
                Some(_) => Terminator::Jump(exit),
                None => Terminator::Branch {
                    condition: self.test(function, rest, condition, stepped),
                    then: back,
                    otherwise: exit,
                },
            };
            let mut group_end = Front { function, block: latch };
            let more = group_end.binary(BinaryOp::Lt, self.scalar, stepped, entry.limit);
            function.blocks[latch].end = Terminator::Branch {
                condition: more,
                then: again,
                otherwise: Edge::to(rest),
            };
        }
        if let Terminator::Jump(edge) = function.blocks[self.front].end.clone() {
            let mut grouped = edge.clone();
            grouped.block = copies[0].get(this.header);
            function.blocks[self.front].end = Terminator::Branch {
                condition: entry.enough,
                then: grouped,
                otherwise: edge,
            };
        }
    }

    /// The loop's own test, behind the groups, which do not need it.
    fn test(&self, function: &mut Function, block: Block, condition: Value, stepped: Value) -> Value {
        let comparison = match function.op(condition) {
            Op::Unary {
                op: UnaryOp::Not, a, ..
            } => a,
            _ => condition,
        };
        let Op::Binary { op, scalar, b, .. } = function.op(comparison) else {
            return condition;
        };
        Front { function, block }.binary(op, scalar, stepped, b)
    }

    /// Drops the covered guards of a copy, which are where those of the loop are.
    fn drop_checks(&self, function: &mut Function, this: &Loop, copy: &Copies) {
        for &block in &this.blocks {
            let original = &function.blocks[block].body;
            let covered: Vec<bool> = original.iter().map(|value| self.checks.contains(value)).collect();
            let mut covered = covered.into_iter();
            function.blocks[copy.get(block)]
                .body
                .retain(|_| !covered.next().unwrap_or(false));
        }
    }
}

/// Index and length of a guard that is a bounds check.
fn bounds_check(function: &Function, guard: Value) -> Option<(Value, Value)> {
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

/// Appends operations to a block.
struct Front<'f> {
    function: &'f mut Function,
    block: Block,
}

impl Front<'_> {
    fn constant(&mut self, ty: Ty, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }

    fn binary(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        let ty = if op.is_comparison() { Ty::Bool } else { Ty::of(scalar) };
        self.add(Op::Binary { op, scalar, a, b }, ty)
    }

    fn not(&mut self, a: Value) -> Value {
        let (op, scalar) = (UnaryOp::Not, Scalar::Bool);
        self.add(Op::Unary { op, scalar, a }, Ty::Bool)
    }

    fn add(&mut self, op: Op, ty: Ty) -> Value {
        let value = self.function.add_value(op, ty, Span::NONE);
        self.function.blocks[self.block].body.push(value);
        value
    }
}
