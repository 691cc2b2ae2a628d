//! Full unrolling of loops with a constant trip count.
//!
//! **Algorithm.** The branch that leaves a loop at the end of a round or at its top depends on
//! parameters of its header. If these start at constants, and what they become each round depends
//! on them alone, the test is computed round by round until it leaves: this does for counters, and
//! for numbers that are halved or doubled. If the number of rounds times the size of the loop is
//! small, the blocks are copied once for each round, each copy leading into the next, without the
//! tests. Inner loops first, so that a nest that is small as a whole disappears as a whole.
//!
//! **Before:** any valid graph. **After:** as after [`loop_rotate`](super::rotate). **Cost:** that of the
//! code that it makes.

use super::reg2mem::{self, Copies};
use super::rules;
use crate::analysis::loop_forest::{LoopForest, preheader};
use crate::ssa::graph::Loop;
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

/// Unrolls one generation of loops, the innermost that qualify; returns whether there were any.
pub(super) fn run(function: &mut Function, nest: &LoopForest) -> bool {
    let LoopForest { graph, loops } = nest;
    let chosen: Vec<(&Loop, Rounds, usize)> = (0..loops.loops.len())
        .filter(|&number| loops.is_innermost(number))
        .filter_map(|number| {
            let this = &loops.loops[number];
            let size: usize = this
                .blocks
                .iter()
                .map(|&block| function.blocks[block].body.len() + 1)
                .sum();
            let mut rounds = Rounds::of(function, this, preheader(graph, this))?;
            let most = match picks_from_objects(function, this, &rounds.counters) {
                true => MAX_OPERATIONS_ON_OBJECTS,
                false => MAX_OPERATIONS,
            };
            let count = rounds.count(function, most / size)?;
            Some((this, rounds, count))
        })
        .collect();
    if chosen.is_empty() {
        return false;
    }
    let mut blocks = Vec::new();
    for (this, ..) in &chosen {
        blocks.extend_from_slice(&this.blocks);
    }
    reg2mem::run(function, &graph.order, &blocks);
    for (this, rounds, count) in chosen {
        write_out(function, this, &rounds, count);
    }
    true
}

/// Copies a loop once for each round after the first, each leading into the next. The test of the
/// last one leaves, those before it stay.
fn write_out(function: &mut Function, this: &Loop, how: &Rounds, rounds: usize) {
    let &Rounds { test, stays, .. } = how;
    // Copies are made of the loop as it was; edges back among them lead to their own headers.
    let copies: Vec<Copies> = (1..rounds).map(|_| Copies::of(function, &this.blocks)).collect();
    let name = |round: usize, block: Block| match round {
        0 => block,
        _ => copies[round - 1].get(block),
    };
    for round in 0..rounds {
        let goes_on = round + 1 < rounds;
        function.blocks[name(round, test)].end.decide(stays == goes_on);
    }
    for round in 0..rounds - 1 {
        let next = name(round + 1, this.header);
        let own = name(round, this.header);
        for &latch in &this.latches {
            for edge in function.blocks[name(round, latch)].end.edges_mut() {
                if edge.block == own {
                    edge.block = next;
                }
            }
        }
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
    pub(super) fn of(function: &Function, this: &Loop, front: Block) -> Option<Rounds> {
        let &[latch] = this.latches.as_slice() else { return None };
        let inside = |block: Block| this.blocks.contains(&block);
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
                stays,
                counters: Vec::new(),
                bits: Vec::new(),
                next: Vec::new(),
            };
            rounds.find_counters(function, this, front, latch)?;
            return Some(rounds);
        }
        None
    }

    fn find_counters(&mut self, function: &Function, this: &Loop, front: Block, latch: Block) -> Option<()> {
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
                let next = passed(latch, position)?;
                self.counters.push(leaf);
                self.bits.push(function.as_constant(passed(front, position)?)?);
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
