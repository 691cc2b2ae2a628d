//! Loop versioning: a counted loop is split into a copy that runs several iterations at a time
//! without the checks known to hold for all of them, and a loop for the remainder.
//!
//! **Algorithm.** The loop ends its iterations by comparing the stepped counter with an invariant,
//! and has no other exit ([`plan`]). One predicate before the loop decides whether checks in it
//! hold in every iteration ([`entry`]). If it holds, a copy of the loop runs groups of iterations,
//! without these checks and without the tests in between, as long as enough iterations are left;
//! another copy runs the rest, one iteration at a time, which are all where there are too few for a group. If it does not
//! hold, the original loop runs all iterations, and faults where the source does. The copies count ([`counter`]) and
//! compute indices ([`narrow`]) in 32 bits where that fits, which the predicate decides too. Where it decides nothing, the original loop runs the rest.
//!
//! **Before:** loops test at the bottom ([`loop_rotate`](super::loop_rotate)). **After:** a valid
//! graph. **Cost:** that of the generated code.

mod counter;
mod entry;
mod narrow;
mod plan;

use vyre_ir::ir::{BinaryOp, UnaryOp};

use self::entry::{Entry, Front, Stage};
pub(super) use self::plan::{Plan, Step};
use super::block_copies::Regions;
use super::rules;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::analysis::scev::Linear;
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Edge, Function, Terminator, Value};

/// Limit of the operations between constants and the predicate that they decide.
const MAX_DEPTH: u32 = 4;

/// A group of iterations that is copied.
struct Group {
    stage: Stage,
    /// The first block.
    first: Block,
    /// The last block, whose terminator is missing.
    latch: Block,
    /// The loop's test in it.
    condition: Value,
    /// The edges to another iteration and out of the loop.
    back: Edge,
    exit: Edge,
}

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
    let mut regions = Regions::new(function);
    for plan in &plans {
        regions.add(function, &forest.loops[plan.number].blocks);
    }
    for (region, (plan, entry)) in plans.iter().zip(entries).enumerate() {
        plan.split(function, &mut regions, region, &forest.loops[plan.number], entry);
    }
    Some(regions.repair(function))
}

impl Plan {
    /// Makes the copies and connects them to the loop.
    fn split(&self, function: &mut Function, regions: &mut Regions, region: usize, this: &Loop, entry: Entry) {
        let Terminator::Jump(edge) = function.blocks[self.front].end.clone() else {
            return;
        };
        let remainder = self.remainder(function, regions, region, this);
        let groups: Vec<Group> = (self.groups.iter().zip(&entry.stages))
            .filter_map(|(&size, &stage)| self.group(function, regions, region, this, size, stage))
            .collect();
        for (number, group) in groups.iter().enumerate() {
            self.end_group(function, group, &groups[number..], remainder);
        }
        // From the smallest groups to the largest.
        let mut copies = Terminator::Jump(redirected(&edge, remainder));
        for group in groups.iter().rev() {
            let mut end = Terminator::Branch {
                condition: group.stage.enough,
                then: redirected(&edge, group.first),
                otherwise: edge_to(function, copies),
            };
            // For a constant trip count.
            if let Some(enough) = rules::bits(function, group.stage.enough, MAX_DEPTH, &|_| None) {
                end.decide(enough == 1);
            }
            copies = end;
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

    /// Makes the copies of a group of iterations, one after the other.
    fn group(
        &self,
        function: &mut Function,
        regions: &mut Regions,
        region: usize,
        this: &Loop,
        size: usize,
        stage: Stage,
    ) -> Option<Group> {
        let mut copy = regions.copy(function, region);
        let first = regions.block(region, copy, this.header);
        for iteration in 1..=size {
            self.specialise(function, regions, region, this, copy);
            if iteration == 1 && self.counts_narrow {
                self.narrow_counter(function, regions, region, this, copy);
            }
            let latch = regions.block(region, copy, self.latch);
            let end = std::mem::replace(&mut function.blocks[latch].end, Terminator::Return);
            let Terminator::Branch {
                condition,
                then,
                otherwise,
            } = end
            else {
                return None;
            };
            let (mut back, mut exit) = if self.stays_by_then {
                (then, otherwise)
            } else {
                (otherwise, then)
            };
            if iteration < size {
                let next;
                (copy, next) = regions.copy_with(function, region, back.arguments);
                function.blocks[latch].end = Terminator::Jump(next);
                continue;
            }
            let begin = function.blocks[first].parameters[self.counter];
            let stepped = back.arguments[self.counter];
            let mut end = Front { function, block: latch };
            let mut sum = match stage.distance {
                Some(distance) => end.binary(BinaryOp::Add, self.scalar, begin, distance),
                None => stepped,
            };
            if self.counts_narrow {
                sum = end.low_half(sum);
            }
            for argument in back.arguments.iter_mut().chain(&mut exit.arguments) {
                if *argument == stepped {
                    *argument = sum;
                }
            }
            return Some(Group {
                stage,
                first,
                latch,
                condition,
                back,
                exit,
            });
        }
        None
    }

    /// After a group: the first of the `next` ones that fits, which begin with the same, the loop for the rest, or the exit.
    fn end_group(&self, function: &mut Function, group: &Group, next: &[Group], remainder: Block) {
        let stepped = group.back.arguments[self.counter];
        let mut block = group.latch;
        for next in next {
            let more = self.stays(function, block, stepped, next.stage.limit);
            let rest = function.add_block();
            function.blocks[block].end = Terminator::Branch {
                condition: more,
                then: redirected(&group.back, next.first),
                otherwise: Edge::to(rest),
            };
            block = rest;
        }
        function.blocks[block].end = match self.total {
            // The groups have run all iterations.
            Some(_) => Terminator::Jump(group.exit.clone()),
            None => self.rest(function, group, block, remainder),
        };
    }

    /// The first block of the loop that runs the iterations which the groups have left.
    fn remainder(&self, function: &mut Function, regions: &mut Regions, region: usize, this: &Loop) -> Block {
        let covers = !(self.checks.is_empty() && self.fixed.is_empty() && self.narrow.is_empty());
        if self.groups == [1] || self.total.is_some() || !(covers || self.counts_narrow) {
            return this.header;
        }
        let copy = regions.copy(function, region);
        self.specialise(function, regions, region, this, copy);
        if self.counts_narrow {
            self.narrow_counter(function, regions, region, this, copy);
            self.narrow_end(function, regions.block(region, copy, self.latch));
        }
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
    fn rest(&self, function: &mut Function, group: &Group, rest: Block, remainder: Block) -> Terminator {
        let (back, exit) = (redirected(&group.back, remainder), group.exit.clone());
        let condition = group.condition;
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
            if !is_used_in(function, group.latch, old) {
                function.blocks[group.latch].body.retain(|&value| value != old);
            }
        }
        Terminator::Branch {
            condition: self.stays(function, rest, back.arguments[self.counter], limit),
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

/// An edge with the same arguments to another block.
fn redirected(edge: &Edge, block: Block) -> Edge {
    Edge {
        block,
        arguments: edge.arguments.clone(),
    }
}

/// An edge by which control reaches what a terminator decides.
fn edge_to(function: &mut Function, end: Terminator) -> Edge {
    if let Terminator::Jump(edge) = end {
        return edge;
    }
    let block = function.add_block();
    function.blocks[block].end = end;
    Edge::to(block)
}
