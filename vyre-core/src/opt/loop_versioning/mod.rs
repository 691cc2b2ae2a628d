//! Loop versioning: a counted loop is split into a copy that runs several iterations at a time
//! without the checks known to hold for all of them, and a loop for the remainder.
//!
//! **Algorithm.** The loop ends its iterations by comparing the stepped counter with an invariant,
//! and has no other exit ([`plan`]). One predicate before the loop decides whether checks in it
//! hold in every iteration ([`entry`]). If it holds, a copy of the loop runs groups of iterations,
//! without these checks and without the tests in between, as long as enough iterations are left;
//! another copy runs the rest, one iteration at a time, which are all where there are too few for a group. If it does not
//! hold, the original loop runs all iterations, and faults where the source does. The copies compute indices in 32 bits
//! where they fit ([`narrow`]), which the predicate decides too. Where it decides nothing, the original loop runs the rest.
//!
//! **Before:** loops test at the bottom ([`loop_rotate`](super::loop_rotate)). **After:** a valid
//! graph. **Cost:** that of the generated code.

mod entry;
mod narrow;
mod plan;

use self::entry::{Entry, Front};
pub(super) use self::plan::{Plan, Step};
use super::block_copies::Regions;
use super::rules;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::analysis::scev::Linear;
use crate::ir::{BinaryOp, UnaryOp};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Edge, Function, Terminator, Value};

/// Limit of the operations between constants and the predicate that they decide.
const MAX_DEPTH: u32 = 4;

/// Versions the innermost loops that qualify; returns the new graph if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> Option<Graph> {
    let mut linear = Linear::of(function, forest);
    let plans: Vec<Plan> = (0..forest.loops.len())
        .filter_map(|number| Plan::of(function, forest, &mut linear, number))
        .collect();
    if plans.is_empty() {
        return None;
    }
    let mut entries = Vec::with_capacity(plans.len());
    for plan in &plans {
        linear.enter(function, plan.number);
        entries.push(plan.entry(function, &mut linear));
    }
    let blocks = plans.iter().map(|plan| forest.loops[plan.number].blocks.as_slice());
    let mut regions = Regions::of(function, blocks);
    for (region, (plan, entry)) in plans.iter().zip(entries).enumerate() {
        plan.split(function, &mut regions, region, &forest.loops[plan.number], entry);
    }
    Some(regions.repair(function))
}

impl Plan {
    /// Makes the copies and connects them to the loop.
    fn split(&self, function: &mut Function, regions: &mut Regions, region: usize, this: &Loop, entry: Entry) {
        let mut copy = regions.copy(function, region);
        let first = regions.block(region, copy, this.header);
        let remainder = self.remainder(function, regions, region, this);
        for iteration in 0..self.iterations {
            self.specialise(function, regions, region, this, copy);
            let latch = regions.block(region, copy, self.latch);
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
            if iteration + 1 < self.iterations {
                let next;
                (copy, next) = regions.copy_with(function, region, back.arguments);
                function.blocks[latch].end = Terminator::Jump(next);
                continue;
            }
            let mut exit = exit;
            if let Some(distance) = entry.distance {
                let begin = function.blocks[first].parameters[self.counter];
                let stepped = back.arguments[self.counter];
                let mut group_end = Front { function, block: latch };
                let sum = group_end.binary(BinaryOp::Add, self.scalar, begin, distance);
                for argument in back.arguments.iter_mut().chain(&mut exit.arguments) {
                    if *argument == stepped {
                        *argument = sum;
                    }
                }
            }
            // After a group: another one, the loop for the rest, or the exit.
            let mut again = back.clone();
            again.block = first;
            back.block = remainder;
            let stepped = back.arguments[self.counter];
            let mut group_end = Front { function, block: latch };
            let more = group_end.binary(BinaryOp::Lt, self.scalar, stepped, entry.limit);
            let rest = function.add_block();
            function.blocks[latch].end = Terminator::Branch {
                condition: more,
                then: again,
                otherwise: Edge::to(rest),
            };
            function.blocks[rest].end = match self.total {
                // The groups have run all iterations.
                Some(_) => Terminator::Jump(exit),
                None => self.rest(function, latch, rest, condition, [back, exit]),
            };
        }
        if let Terminator::Jump(edge) = function.blocks[self.front].end.clone() {
            let [grouped, single] = [first, remainder].map(|block| Edge {
                block,
                arguments: edge.arguments.clone(),
            });
            let mut copies = Terminator::Branch {
                condition: entry.enough,
                then: grouped,
                otherwise: single,
            };
            // For a constant trip count.
            if let Some(enough) = rules::bits(function, entry.enough, MAX_DEPTH, &|_| None) {
                copies.decide(enough == 1);
            }
            let Some(safe) = entry.safe else {
                function.blocks[self.front].end = copies;
                return;
            };
            let block = self.block_of_loads(function, copies);
            let mut end = Terminator::Branch {
                condition: safe,
                then: Edge::to(block),
                otherwise: edge,
            };
            if let Some(safe) = rules::bits(function, safe, MAX_DEPTH, &|_| None) {
                end.decide(safe == 1);
            }
            function.blocks[self.front].end = end;
        }
    }

    /// The first block of the loop that runs the iterations which the groups have left.
    fn remainder(&self, function: &mut Function, regions: &mut Regions, region: usize, this: &Loop) -> Block {
        let is_the_same = self.checks.is_empty() && self.fixed.is_empty() && self.narrow.is_empty();
        if self.iterations == 1 || self.total.is_some() || is_the_same {
            return this.header;
        }
        let copy = regions.copy(function, region);
        self.specialise(function, regions, region, this, copy);
        regions.block(region, copy, this.header)
    }

    /// Makes the block before the copies, which loads their invariant values; value numbering will unify the loads in the
    /// copies with these.
    fn block_of_loads(&self, function: &mut Function, end: Terminator) -> Block {
        let block = function.add_block();
        for &load in &self.loads {
            // The address is invariant.
            let value = function.duplicate(load);
            function.blocks[block].body.push(value);
        }
        function.blocks[block].end = end;
        block
    }

    /// The terminator of the block after the groups: the loop's own test, which moves there,
    /// because the groups do not need it.
    fn rest(
        &self,
        function: &mut Function,
        latch: Block,
        rest: Block,
        condition: Value,
        [back, exit]: [Edge; 2],
    ) -> Terminator {
        let comparison = match function.op(condition) {
            Op::Unary {
                op: UnaryOp::Not, a, ..
            } => a,
            _ => condition,
        };
        let Op::Binary { b: limit, .. } = function.op(comparison) else {
            // Another block has the comparison.
            let (then, otherwise) = if self.stays_by_then { (back, exit) } else { (exit, back) };
            return Terminator::Branch {
                condition,
                then,
                otherwise,
            };
        };
        for old in [condition, comparison] {
            if !is_used_in(function, latch, old) {
                function.blocks[latch].body.retain(|&value| value != old);
            }
        }
        let stepped = back.arguments[self.counter];
        let mut front = Front { function, block: rest };
        Terminator::Branch {
            condition: front.binary(BinaryOp::Lt, self.scalar, stepped, limit),
            then: back,
            otherwise: exit,
        }
    }

    /// Removes the covered guards of a copy, at the positions of the loop's, marks the loads that they permit, and narrows
    /// operations.
    fn specialise(&self, function: &mut Function, regions: &Regions, region: usize, this: &Loop, copy: usize) {
        for &block in &this.blocks {
            for position in 0..function.blocks[block].body.len() {
                if self.in_bounds.contains(&function.blocks[block].body[position]) {
                    let copied = function.blocks[regions.block(region, copy, block)].body[position];
                    if let Op::Load { in_bounds, .. } = &mut function.values[copied].op {
                        *in_bounds = true;
                    }
                }
            }
            let original = function.blocks[block].body.clone();
            let copied = regions.block(region, copy, block);
            let mut body = Vec::with_capacity(original.len());
            for (value, copied) in original
                .into_iter()
                .zip(std::mem::take(&mut function.blocks[copied].body))
            {
                if !self.checks.contains(&value) && !self.fixed.contains(&value) {
                    self.narrow.operands(function, value, copied, &mut body);
                    body.push(copied);
                }
            }
            function.blocks[copied].body = body;
        }
    }
}

/// True if an operation of a block, or its terminator, uses a value.
fn is_used_in(function: &Function, block: Block, value: Value) -> bool {
    let data = &function.blocks[block];
    let mut used = false;
    for &user in &data.body {
        function.each_operand(user, |operand| used |= operand == value);
    }
    data.end.each_operand(|operand| used |= operand == value);
    used
}
