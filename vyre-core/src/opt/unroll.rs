//! Full unrolling of loops with a constant trip count.
//!
//! **Algorithm.** The branch that leaves a loop at the end of a round or at its top depends on
//! parameters of its header. If these start at constants, and what they become each round depends
//! on them alone, the test is computed round by round until it leaves: this does for counters, and
//! for numbers that are halved or doubled. If the number of rounds times the size of the loop is
//! small, the blocks are copied once for each round, each copy leading into the next, without the
//! tests. Inner loops first, so that a nest that is small as a whole disappears as a whole.
//!
//! **Before and after:** any valid graph. **Cost:** that of the code that it makes.

use super::block_copies::Regions;
use super::rules;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Terminator, Ty, Value};

/// The most operations that a loop may become.
const MAX_OPERATIONS: usize = 1024;
/// The same of a loop whose counter picks elements of objects in local memory. Written out it leaves
/// them in registers, and memory costs more than a long loop does.
const MAX_OPERATIONS_ON_OBJECTS: usize = 4096;
/// How many operations may lie between a counter and an index or a test that is made of it.
const MAX_DEPTH: u32 = 6;
/// The most rounds that are written out.
const MAX_ROUNDS: usize = 64;

/// Unrolls one generation of loops, the innermost that qualify; returns the new graph if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> Option<Graph> {
    let chosen: Vec<(&Loop, Rounds, usize)> = (0..forest.loops.len())
        .filter(|&number| forest.loops[number].is_innermost())
        .filter_map(|number| {
            let this = &forest.loops[number];
            let size: usize = this
                .blocks
                .iter()
                .map(|&block| function.blocks[block].body.len() + 1)
                .sum();
            let mut rounds = Rounds::of(function, forest, number)?;
            let most = match picks_from_objects(function, this, &rounds.counters) {
                true => MAX_OPERATIONS_ON_OBJECTS,
                false => MAX_OPERATIONS,
            };
            let count = rounds.count(function, most / size)?;
            Some((this, rounds, count))
        })
        .collect();
    if chosen.is_empty() {
        return None;
    }
    let mut regions = Regions::of(function, chosen.iter().map(|(this, ..)| this.blocks.as_slice()));
    for (region, (this, rounds, count)) in chosen.into_iter().enumerate() {
        write_out(function, &mut regions, region, this, &rounds, count);
    }
    Some(regions.repair(function))
}

/// Copies a loop once for each round after the first, each leading into the next. The test of the
/// last one leaves, those before it stay.
fn write_out(function: &mut Function, regions: &mut Regions, region: usize, this: &Loop, how: &Rounds, rounds: usize) {
    let &Rounds { test, latch, stays, .. } = how;
    // Copies are made of the loop as it was, so its own edges change last: the first round leads to the copy of the
    // second one. The back edge of each copy has the arguments for the next one.
    let back = |function: &Function, latch: Block, header: Block| {
        let edge = function.blocks[latch].end.edges().find(|edge| edge.block == header);
        edge.map_or_else(Vec::new, |edge| edge.arguments.clone())
    };
    let mut arguments = back(function, latch, this.header);
    let mut entering = Vec::with_capacity(rounds - 1);
    for _ in 1..rounds {
        let (copy, into) = regions.copy_with(function, region, arguments);
        let (header, copied) = (
            regions.block(region, copy, this.header),
            regions.block(region, copy, latch),
        );
        arguments = back(function, copied, header);
        entering.push(into);
    }
    let mut entering = entering.into_iter();
    for round in 0..rounds {
        let name = |block: Block| match round {
            0 => block,
            _ => regions.block(region, round - 1, block),
        };
        let (own, latch) = (name(this.header), name(latch));
        if let Some(next) = entering.next() {
            for edge in function.blocks[latch].end.edges_mut() {
                if edge.block == own {
                    *edge = next.clone();
                }
            }
        }
        function.blocks[name(test)].end.decide(stays == (round + 1 < rounds));
    }
}

/// Whether the loop has an address in an object in local memory, or in a parameter, that only its counters decide.
fn picks_from_objects(function: &Function, this: &Loop, counters: &[Value]) -> bool {
    this.blocks.iter().any(|&block| {
        function.blocks[block]
            .body
            .iter()
            .any(|&value| match function.op(value) {
                Op::Offset { bytes, .. } => {
                    matches!(function.ty(value), Ty::Pointer(Space::Local | Space::Param))
                        && function.as_constant(bytes).is_none()
                        && leaves(function, bytes, MAX_DEPTH)
                            .is_some_and(|leaves| leaves.iter().all(|leaf| counters.contains(leaf)))
                }
                _ => false,
            })
    })
}

/// What decides how often a loop goes round.
pub(super) struct Rounds {
    /// The block whose branch leaves after the last round.
    test: Block,
    /// What it branches on.
    condition: Value,
    /// The block that ends a round.
    latch: Block,
    /// What that is in the rounds before.
    stays: bool,
    /// The parameters of the header on which it depends.
    counters: Vec<Value>,
    /// Their bits in a round, at first the first one.
    bits: Vec<u64>,
    /// What each becomes at the end of a round.
    next: Vec<Value>,
}

impl Rounds {
    /// What decides on a loop, if that is nothing but counters which begin with constants.
    pub(super) fn of(function: &Function, forest: &LoopForest, number: usize) -> Option<Rounds> {
        let this = &forest.loops[number];
        let &[latch] = this.latches.as_slice() else { return None };
        let inside = |block: Block| forest.contains(number, block);
        // The test stands at the end of the round or at its top, so that every round meets it once.
        for test in [latch, this.header] {
            let Terminator::Branch {
                condition,
                then,
                otherwise,
            } = &function.blocks[test].end
            else {
                continue;
            };
            let stays = inside(then.block);
            if stays == inside(otherwise.block) {
                continue;
            }
            let mut rounds = Rounds {
                test,
                condition: *condition,
                latch,
                stays,
                counters: Vec::new(),
                bits: Vec::new(),
                next: Vec::new(),
            };
            rounds.find_counters(function, this)?;
            return Some(rounds);
        }
        None
    }

    fn find_counters(&mut self, function: &Function, this: &Loop) -> Option<()> {
        let header = &function.blocks[this.header].parameters;
        let passed = |block: Block, position: usize| {
            let mut edges = function.blocks[block].end.edges();
            Some(edges.find(|edge| edge.block == this.header)?.arguments[position])
        };
        let mut asked = vec![self.condition];
        while let Some(value) = asked.pop() {
            for leaf in leaves(function, value, MAX_DEPTH)? {
                if self.counters.contains(&leaf) {
                    continue;
                }
                let position = header.iter().position(|&parameter| parameter == leaf)?;
                let next = passed(self.latch, position)?;
                self.counters.push(leaf);
                self.bits
                    .push(function.as_constant(passed(this.preheader(), position)?)?);
                self.next.push(next);
                asked.push(next);
            }
        }
        Some(())
    }

    /// How many rounds the test ends, if these are few.
    pub(super) fn count(&mut self, function: &Function, most: usize) -> Option<usize> {
        for round in 1..=most.min(MAX_ROUNDS) {
            let bits = |value: Value| {
                rules::bits(function, value, MAX_DEPTH, &|value| {
                    let position = self.counters.iter().position(|&counter| counter == value)?;
                    Some(self.bits[position])
                })
            };
            if (bits(self.condition)? == 1) != self.stays {
                return Some(round);
            }
            let next: Option<Vec<u64>> = self.next.iter().map(|&next| bits(next)).collect();
            self.bits = next?;
        }
        None
    }
}

/// The parameters that a value is computed from, if it is computed from nothing else but constants.
fn leaves(function: &Function, value: Value, depth: u32) -> Option<Vec<Value>> {
    let op = function.op(value);
    match op {
        Op::Constant(_) => return Some(Vec::new()),
        Op::Parameter => return Some(vec![value]),
        _ if op.is_root() || !op.is_speculatable() || depth == 0 => return None,
        _ => {}
    }
    let mut found = Some(Vec::new());
    function.each_operand(value, |operand| {
        let more = leaves(function, operand, depth - 1);
        found = found.take().zip(more).map(|(mut found, more)| {
            found.extend(more);
            found
        });
    });
    found
}
