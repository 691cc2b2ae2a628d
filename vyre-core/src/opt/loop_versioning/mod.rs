//! Splits a loop that counts to a limit: several rounds at a time without the checks that are
//! known to hold for all of them, then the loop as it was for what is left.
//!
//! **Algorithm.** The loop ends its rounds by comparing the stepped counter with something
//! invariant, and nothing else leaves it ([`plan`]). One predicate in front of the loop decides
//! whether checks in it hold in every round ([`entry`]). Where it holds, a copy of the loop runs a
//! few rounds at a time, without these checks and without the tests between the rounds, as long as
//! as many rounds are left; the loop itself runs the rest. Where it does not hold the loop runs all
//! rounds, and faults where the source does.
//!
//! **Before:** loops test at the bottom ([`loop_rotate`](super::loop_rotate)). **After:** a valid graph.
//! **Cost:** that of the code that it makes.

mod entry;
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

/// How many operations may lie between constants and the predicate that they decide.
const MAX_DEPTH: u32 = 4;

/// Splits the innermost loops that qualify; returns the new graph if there were any.
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
    /// Makes the copies and joins them to the loop.
    fn split(&self, function: &mut Function, regions: &mut Regions, region: usize, this: &Loop, entry: Entry) {
        let mut copy = regions.copy(function, region);
        let first = regions.block(region, copy, this.header);
        for round in 0..self.rounds {
            self.drop_checks(function, regions, region, this, copy);
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
            if round + 1 < self.rounds {
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
            // Behind a group: another one, the loop itself for the rest, or the end.
            let mut again = back.clone();
            again.block = first;
            back.block = this.header;
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
                // The groups have taken all rounds.
                Some(_) => Terminator::Jump(exit),
                None => self.rest(function, latch, rest, condition, [back, exit]),
            };
        }
        if let Terminator::Jump(edge) = function.blocks[self.front].end.clone() {
            let mut grouped = edge.clone();
            grouped.block = first;
            let grouped = self.load_in_front(function, grouped);
            let mut end = Terminator::Branch {
                condition: entry.enough,
                then: grouped,
                otherwise: edge,
            };
            // Where there are as many rounds as the source says.
            if let Some(enough) = rules::bits(function, entry.enough, MAX_DEPTH, &|_| None) {
                end.decide(enough == 1);
            }
            function.blocks[self.front].end = end;
        }
    }

    /// Makes a block in front of the groups that loads what they need again and again; numbering
    /// finds the loads in the groups to be these. Returns the edge to it.
    fn load_in_front(&self, function: &mut Function, into: Edge) -> Edge {
        if self.loads.is_empty() {
            return into;
        }
        let block = function.add_block();
        for &load in &self.loads {
            // The address changes in no round.
            let value = function.duplicate(load);
            function.blocks[block].body.push(value);
        }
        function.blocks[block].end = Terminator::Jump(into);
        Edge::to(block)
    }

    /// The end of the block behind the groups: the loop's own test, which moves there, because
    /// the groups do not need it.
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
            // Another block has compared.
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

    /// Drops the covered guards of a copy, which are where those of the loop are.
    fn drop_checks(&self, function: &mut Function, regions: &Regions, region: usize, this: &Loop, copy: usize) {
        for &block in &this.blocks {
            let original = &function.blocks[block].body;
            let covered: Vec<bool> = original
                .iter()
                .map(|value| self.checks.contains(value) || self.fixed.contains(value))
                .collect();
            let mut covered = covered.into_iter();
            function.blocks[regions.block(region, copy, block)]
                .body
                .retain(|_| !covered.next().unwrap_or(false));
        }
    }
}

/// Whether an operation of a block, or its end, uses a value.
fn is_used_in(function: &Function, block: Block, value: Value) -> bool {
    let data = &function.blocks[block];
    let mut used = false;
    for &user in &data.body {
        function.each_operand(user, |operand| used |= operand == value);
    }
    data.end.each_operand(|operand| used |= operand == value);
    used
}
