//! Writes out loops that count to a constant.
//!
//! **Algorithm.** A loop counts if a parameter of its header starts at a constant, grows by a
//! constant each round, and is compared with a constant by the branch that leaves the loop at the
//! end of a round or at its top. If the number of rounds times the size of the loop is small, the
//! blocks are copied once for each round, each copy leading into the next; the tests become
//! constant, and [`numbering`](super::numbering) folds them. Inner loops first, so that a nest
//! that is small as a whole disappears as a whole.
//!
//! **Before:** any valid graph. **After:** as after [`rotate`](super::rotate). **Cost:** that of the
//! code that it makes.

use super::demote::{self, Copies};
use super::hoist::{preheader, with_preheaders};
use crate::ir::{BinaryOp, Constant, Scalar, UnaryOp};
use crate::meaning;
use crate::ssa::graph::{Loop, Loops};
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Terminator, Ty, Value};

/// The most operations that a loop may become.
const MAX_OPERATIONS: usize = 1024;
/// The same of a loop whose counter picks elements of objects in local memory. Written out it leaves
/// them in registers, and memory costs more than a long loop does.
const MAX_OPERATIONS_ON_OBJECTS: usize = 4096;
/// How many operations may lie between a counter and an index that is made of it.
const MAX_DEPTH: usize = 6;
/// The most rounds that are written out.
const MAX_ROUNDS: usize = 64;

/// Unrolls one generation of loops, the innermost that qualify; returns whether there were any.
pub(crate) fn run(function: &mut Function) -> bool {
    let (graph, loops) = with_preheaders(function);
    let chosen: Vec<(&Loop, Rounds)> = (0..loops.loops.len())
        .filter(|&number| is_innermost(&loops, number))
        .filter_map(|number| {
            let this = &loops.loops[number];
            let size: usize = this
                .blocks
                .iter()
                .map(|&block| function.blocks[block].body.len() + 1)
                .sum();
            let rounds = rounds(function, this, preheader(&graph, this))?;
            let most = match picks_from_objects(function, this, rounds.counter) {
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

fn is_innermost(loops: &Loops, number: usize) -> bool {
    loops.loops.iter().all(|other| other.parent != number as u32)
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

/// Whether the loop has an address in an object in local memory that only the counter decides.
fn picks_from_objects(function: &Function, this: &Loop, counter: Value) -> bool {
    this.blocks.iter().any(|&block| {
        function.blocks[block]
            .body
            .iter()
            .any(|&value| match function.op(value) {
                Op::Offset { bytes, .. } => {
                    function.ty(value) == Ty::Pointer(Space::Local)
                        && function.as_constant(bytes).is_none()
                        && follows(function, bytes, counter, MAX_DEPTH)
                }
                _ => false,
            })
    })
}

/// Whether a value is computed from the counter and constants alone.
fn follows(function: &Function, value: Value, counter: Value, depth: usize) -> bool {
    let op = function.op(value);
    if value == counter || matches!(op, Op::Constant(_)) {
        return true;
    }
    let mut follows = depth > 0 && matches!(op, Op::Binary { .. } | Op::Unary { .. } | Op::Convert { .. });
    op.each_operand(|operand| follows = follows && self::follows(function, operand, counter, depth - 1));
    follows
}

/// How often a loop goes round.
#[derive(Clone, Copy)]
struct Rounds {
    rounds: usize,
    /// What counts them, a parameter of the header.
    counter: Value,
    /// The block whose branch leaves after the last round.
    test: Block,
    /// What its condition is in the rounds before.
    stays: bool,
}

/// How often a loop goes round, if that is a small constant.
fn rounds(function: &Function, this: &Loop, front: Block) -> Option<Rounds> {
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
        let counter = Counter::of(function, this, front, latch, *condition)?;
        return Some(Rounds {
            rounds: counter.rounds(stays)?,
            counter: counter.parameter,
            test,
            stays,
        });
    }
    None
}

/// A comparison of a counter with a constant.
struct Counter {
    parameter: Value,
    first: Constant,
    step: Constant,
    /// Added to the counter before it is compared.
    ahead: Constant,
    compare: BinaryOp,
    limit: Constant,
    /// Whether the comparison is inverted.
    inverted: bool,
}

impl Counter {
    fn of(function: &Function, this: &Loop, front: Block, latch: Block, condition: Value) -> Option<Counter> {
        let (condition, inverted) = match function.op(condition) {
            Op::Unary {
                op: UnaryOp::Not, a, ..
            } => (a, true),
            _ => (condition, false),
        };
        let Op::Binary { op, scalar, a, b } = function.op(condition) else {
            return None;
        };
        if !op.is_comparison() || !scalar.is_integer() {
            return None;
        }
        let limit = Constant::new(scalar, function.as_constant(b)?);
        let (parameter, ahead) = plus(function, a);
        let position = function.blocks[this.header]
            .parameters
            .iter()
            .position(|&known| known == parameter)?;
        let argument = |block: Block| {
            let edge = function.blocks[block]
                .end
                .edges()
                .find(|edge| edge.block == this.header)?;
            Some(edge.arguments[position])
        };
        let (stepped, step) = plus(function, argument(latch)?);
        if stepped != parameter {
            return None;
        }
        Some(Counter {
            parameter,
            first: Constant::new(scalar, function.as_constant(argument(front)?)?),
            step: Constant::new(scalar, step),
            ahead: Constant::new(scalar, ahead),
            compare: op,
            limit,
            inverted,
        })
    }

    /// How many rounds the test ends: it stays while it yields `stays`.
    fn rounds(&self, stays: bool) -> Option<usize> {
        let mut counter = self.first;
        for round in 1..=MAX_ROUNDS {
            let seen = meaning::binary(BinaryOp::Add, counter, self.ahead).ok()?;
            let holds = meaning::binary(self.compare, seen, self.limit).ok()?.bits == 1;
            if (holds != self.inverted) != stays {
                return Some(round);
            }
            counter = meaning::binary(BinaryOp::Add, counter, self.step).ok()?;
        }
        None
    }
}

/// A value as another one plus a constant.
fn plus(function: &Function, value: Value) -> (Value, u64) {
    match function.op(value) {
        Op::Binary {
            op: BinaryOp::Add,
            scalar: Scalar::U32 | Scalar::U64,
            a,
            b,
        } => match function.as_constant(b) {
            Some(c) => (a, c),
            None => (value, 0),
        },
        _ => (value, 0),
    }
}
