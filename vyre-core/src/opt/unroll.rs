//! Writes out loops whose number of rounds is a constant.
//!
//! **Algorithm.** The branch that leaves a loop at the end of a round or at its top depends on
//! parameters of its header. If these start at constants, and what they become each round depends
//! on them alone, the test is computed round by round until it leaves: this does for counters, and
//! for numbers that are halved or doubled. If the number of rounds times the size of the loop is
//! small, the blocks are copied once for each round, each copy leading into the next; the tests
//! become constant, and [`numbering`](super::numbering) folds them. Inner loops first, so that a
//! nest that is small as a whole disappears as a whole.
//!
//! **Before:** any valid graph. **After:** as after [`rotate`](super::rotate). **Cost:** that of the
//! code that it makes.

use super::demote::{self, Copies};
use super::hoist::{preheader, with_preheaders};
use super::rules;
use crate::ssa::graph::Loop;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Terminator, Ty, Value};

/// The most operations that a loop may become.
const MAX_OPERATIONS: usize = 1024;
/// The same of a loop whose counter picks elements of objects in local memory. Written out it leaves
/// them in registers, and memory costs more than a long loop does.
const MAX_OPERATIONS_ON_OBJECTS: usize = 4096;
/// How many operations may lie between a counter and an index or a test that is made of it.
const MAX_DEPTH: usize = 6;
/// The most rounds that are written out.
const MAX_ROUNDS: usize = 64;

/// Unrolls one generation of loops, the innermost that qualify; returns whether there were any.
pub(crate) fn run(function: &mut Function) -> bool {
    let (graph, loops) = with_preheaders(function);
    let chosen: Vec<(&Loop, Rounds)> = (0..loops.loops.len())
        .filter(|&number| loops.is_innermost(number))
        .filter_map(|number| {
            let this = &loops.loops[number];
            let size: usize = this
                .blocks
                .iter()
                .map(|&block| function.blocks[block].body.len() + 1)
                .sum();
            let rounds = rounds(function, this, preheader(&graph, this))?;
            let most = match picks_from_objects(function, this, &rounds.counters) {
                true => MAX_OPERATIONS_ON_OBJECTS,
                false => MAX_OPERATIONS,
            };
            (rounds.rounds * size <= most).then_some((this, rounds))
        })
        .collect();
    if chosen.is_empty() {
        return false;
    }
    let blocks: Vec<Block> = chosen
        .iter()
        .flat_map(|(this, _)| this.blocks.iter().copied())
        .collect();
    demote::run(function, &graph.order, &blocks);
    for (this, rounds) in chosen {
        write_out(function, this, rounds);
    }
    true
}

/// Copies a loop once for each round after the first, each leading into the next. The test of the
/// last one leaves.
fn write_out(function: &mut Function, this: &Loop, how: Rounds) {
    let Rounds {
        rounds, test, stays, ..
    } = how;
    // Copies are made of the loop as it was; edges back among them lead to their own headers.
    let copies: Vec<Copies> = (1..rounds).map(|_| Copies::of(function, &this.blocks)).collect();
    let name = |round: usize, block: Block| match round {
        0 => block,
        _ => copies[round - 1].get(block),
    };
    if let Terminator::Branch { then, otherwise, .. } = &function.blocks[name(rounds - 1, test)].end {
        let leaves = if stays { otherwise } else { then };
        function.blocks[name(rounds - 1, test)].end = Terminator::Jump(leaves.clone());
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

/// Whether the loop has an address in an object in local memory that only its counters decide.
fn picks_from_objects(function: &Function, this: &Loop, counters: &[Value]) -> bool {
    this.blocks.iter().any(|&block| {
        function.blocks[block]
            .body
            .iter()
            .any(|&value| match function.op(value) {
                Op::Offset { bytes, .. } => {
                    function.ty(value) == Ty::Pointer(Space::Local)
                        && function.as_constant(bytes).is_none()
                        && leaves(function, bytes, MAX_DEPTH)
                            .is_some_and(|leaves| leaves.iter().all(|leaf| counters.contains(leaf)))
                }
                _ => false,
            })
    })
}

/// How often a loop goes round.
pub(super) struct Rounds {
    rounds: usize,
    /// What counts them, parameters of the header.
    counters: Vec<Value>,
    /// The block whose branch leaves after the last round.
    test: Block,
    /// What its condition is in the rounds before.
    stays: bool,
}

/// How often a loop goes round, if that is a small constant.
pub(super) fn rounds(function: &Function, this: &Loop, front: Block) -> Option<Rounds> {
    let &[latch] = this.latches.as_slice() else { return None };
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
        let stays = match (
            this.blocks.contains(&then.block),
            this.blocks.contains(&otherwise.block),
        ) {
            (true, false) => true,
            (false, true) => false,
            _ => continue,
        };
        let mut counting = Counting::of(function, this, front, latch, *condition)?;
        return Some(Rounds {
            rounds: counting.rounds(function, *condition, stays)?,
            counters: counting.parameters,
            test,
            stays,
        });
    }
    None
}

/// The parameters of a header that decide how often a loop goes round, and their bits in a round.
struct Counting {
    parameters: Vec<Value>,
    bits: Vec<u64>,
    /// What each becomes at the end of a round.
    next: Vec<Value>,
}

impl Counting {
    fn of(function: &Function, this: &Loop, front: Block, latch: Block, condition: Value) -> Option<Counting> {
        let header = &function.blocks[this.header].parameters;
        let passed = |block: Block, position: usize| {
            let mut edges = function.blocks[block].end.edges();
            Some(edges.find(|edge| edge.block == this.header)?.arguments[position])
        };
        let mut counting = Counting {
            parameters: Vec::new(),
            bits: Vec::new(),
            next: Vec::new(),
        };
        let mut asked = vec![condition];
        while let Some(value) = asked.pop() {
            for leaf in leaves(function, value, MAX_DEPTH)? {
                if counting.parameters.contains(&leaf) {
                    continue;
                }
                let position = header.iter().position(|&parameter| parameter == leaf)?;
                let next = passed(latch, position)?;
                counting.parameters.push(leaf);
                counting.bits.push(function.as_constant(passed(front, position)?)?);
                counting.next.push(next);
                asked.push(next);
            }
        }
        Some(counting)
    }

    /// How many rounds the test ends: it stays while it yields `stays`.
    fn rounds(&mut self, function: &Function, condition: Value, stays: bool) -> Option<usize> {
        for round in 1..=MAX_ROUNDS {
            if (self.evaluate(function, condition)? == 1) != stays {
                return Some(round);
            }
            let next: Option<Vec<u64>> = self.next.iter().map(|&next| self.evaluate(function, next)).collect();
            self.bits = next?;
        }
        None
    }

    /// The bits of a value in the round at hand.
    fn evaluate(&self, function: &Function, value: Value) -> Option<u64> {
        if let Some(position) = self.parameters.iter().position(|&parameter| parameter == value) {
            return Some(self.bits[position]);
        }
        if let Some(bits) = function.as_constant(value) {
            return Some(bits);
        }
        let data = function.values[value];
        rules::evaluate(data.op, data.ty, |operand| self.evaluate(function, operand))
    }
}

/// The parameters that a value is computed from, if it is computed from nothing else but constants.
fn leaves(function: &Function, value: Value, depth: usize) -> Option<Vec<Value>> {
    let op = function.op(value);
    match op {
        Op::Constant(_) => return Some(Vec::new()),
        Op::Parameter => return Some(vec![value]),
        _ if op.is_root() || !op.is_speculatable() || depth == 0 => return None,
        _ => {}
    }
    let mut found = Some(Vec::new());
    op.each_operand(|operand| {
        let more = leaves(function, operand, depth - 1);
        found = found.take().zip(more).map(|(mut found, more)| {
            found.extend(more);
            found
        });
    });
    found
}
