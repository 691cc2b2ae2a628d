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
//! **Before:** loops test at the bottom ([`loop_rotate`](super::rotate)). **After:** as after that pass.
//! **Cost:** that of the code that it makes.

mod entry;
mod plan;

use self::entry::{Entry, Front};
pub(super) use self::plan::{Plan, Step};
use super::reg2mem::{self, Copies};
use super::rules;
use crate::analysis::loop_forest::LoopForest;
use crate::ir::{BinaryOp, UnaryOp};
use crate::ssa::graph::Loop;
use crate::ssa::op::Op;
use crate::ssa::{Block, Edge, Function, Terminator, Value};

/// How many operations may lie between constants and the predicate that they decide.
const MAX_DEPTH: u32 = 4;

/// Splits the innermost loops that qualify; returns whether there were any.
pub(super) fn run(function: &mut Function, nest: &LoopForest) -> bool {
    let LoopForest { graph, loops } = nest;
    let plans: Vec<Plan> = (0..loops.loops.len())
        .filter_map(|number| Plan::of(function, graph, loops, number))
        .collect();
    if plans.is_empty() {
        return false;
    }
    // What decides is computed before values go to memory.
    let entries: Vec<Entry> = plans
        .iter()
        .map(|plan| plan.entry(function, graph, &loops.loops[plan.number]))
        .collect();
    let mut blocks = Vec::new();
    for plan in &plans {
        blocks.extend_from_slice(&loops.loops[plan.number].blocks);
    }
    reg2mem::run(function, &graph.order, &blocks);
    for (plan, entry) in plans.iter().zip(entries) {
        plan.split(function, &loops.loops[plan.number], entry);
    }
    true
}

impl Plan {
    /// Makes the copy and joins it to the loop, whose values are in memory.
    fn split(&self, function: &mut Function, this: &Loop, entry: Entry) {
        let copies: Vec<Copies> = (0..self.rounds).map(|_| Copies::of(function, &this.blocks)).collect();
        let first = copies[0].get(this.header);
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
            grouped.block = self.load_in_front(function, &edge, first, &entry);
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
    /// finds the loads in the groups to be these.
    fn load_in_front(&self, function: &mut Function, edge: &Edge, first: Block, entry: &Entry) -> Block {
        if self.loads.is_empty() {
            return first;
        }
        let block = function.add_block();
        for (&load, &from) in self.loads.iter().zip(&entry.addresses) {
            let data = function.values[load];
            let op = data.op.with_operands(|_| from);
            let value = function.add_value(op, data.ty, data.span);
            function.blocks[block].body.push(value);
        }
        let mut arguments = Vec::new();
        for &argument in &edge.arguments {
            let data = function.values[argument];
            arguments.push(function.add_parameter(block, data.ty, data.span));
        }
        function.blocks[block].end = Terminator::Jump(Edge {
            block: first,
            arguments,
        });
        block
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
    fn drop_checks(&self, function: &mut Function, this: &Loop, copy: &Copies) {
        for &block in &this.blocks {
            let original = &function.blocks[block].body;
            let covered: Vec<bool> = original
                .iter()
                .map(|value| self.checks.contains(value) || self.fixed.contains(value))
                .collect();
            let mut covered = covered.into_iter();
            function.blocks[copy.get(block)]
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
