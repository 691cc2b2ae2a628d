//! Full unrolling of loops with a constant trip count.
//!
//! **Algorithm.** The exit branch of a loop, in its latch or header, depends on parameters of its
//! header. If these start at constants, and their next values depend on them alone, the test is
//! evaluated iteration by iteration until it exits: this covers counters, and numbers that are
//! halved or doubled. If the trip count times the size of the loop is small, the blocks are copied
//! once per iteration, each copy leading to the next, without the tests. Inner loops come first, so
//! that a nest that is small as a whole is unrolled as a whole.
//!
//! **Before and after:** any valid graph. **Cost:** that of the generated code.

use super::block_copies::Regions;
use super::rules;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Terminator, Ty, Value};

/// Limit of the operations of an unrolled loop.
const MAX_OPERATIONS: usize = 1024;
/// The limit for a loop whose counter indexes objects in local memory. Unrolling promotes them to
/// registers, and memory accesses cost more than long code.
const MAX_OPERATIONS_ON_OBJECTS: usize = 4096;
/// Limit of the operations between a counter and an index or a test computed from it.
const MAX_DEPTH: u32 = 6;
/// Limit of the trip count.
const MAX_TRIP_COUNT: usize = 64;

/// Unrolls the innermost loops that qualify; returns the new graph if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> Option<Graph> {
    let chosen: Vec<(&Loop, TripCount, usize)> = (0..forest.loops.len())
        .filter(|&number| forest.loops[number].is_innermost())
        .filter_map(|number| {
            let this = &forest.loops[number];
            let size: usize = this
                .blocks
                .iter()
                .map(|&block| function.blocks[block].body.len() + 1)
                .sum();
            let mut trips = TripCount::of(function, forest, number)?;
            let most = match picks_from_objects(function, this, &trips.counters) {
                true => MAX_OPERATIONS_ON_OBJECTS,
                false => MAX_OPERATIONS,
            };
            let count = trips.count(function, most / size)?;
            Some((this, trips, count))
        })
        .collect();
    if chosen.is_empty() {
        return None;
    }
    let mut regions = Regions::of(function, chosen.iter().map(|(this, ..)| this.blocks.as_slice()));
    for (region, (this, trips, count)) in chosen.into_iter().enumerate() {
        write_out(function, &mut regions, region, this, &trips, count);
    }
    Some(regions.repair(function))
}

/// Copies a loop once per iteration after the first, each leading to the next. The test of the last
/// one exits, the others stay.
fn write_out(
    function: &mut Function,
    regions: &mut Regions,
    region: usize,
    this: &Loop,
    how: &TripCount,
    iterations: usize,
) {
    let &TripCount { test, latch, stays, .. } = how;
    // Copies are made of the loop as it was, so its own edges change last: the first iteration leads to the copy of the
    // second one. The back edge of each copy has the arguments for the next one.
    let back = |function: &Function, latch: Block, header: Block| {
        let edge = function.blocks[latch].end.edges().find(|edge| edge.block == header);
        edge.map_or_else(Vec::new, |edge| edge.arguments.clone())
    };
    let mut arguments = back(function, latch, this.header);
    let mut entering = Vec::with_capacity(iterations - 1);
    for _ in 1..iterations {
        let (copy, into) = regions.copy_with(function, region, arguments);
        let (header, copied) = (
            regions.block(region, copy, this.header),
            regions.block(region, copy, latch),
        );
        arguments = back(function, copied, header);
        entering.push(into);
    }
    let mut entering = entering.into_iter();
    for iteration in 0..iterations {
        let name = |block: Block| match iteration {
            0 => block,
            _ => regions.block(region, iteration - 1, block),
        };
        let (own, latch) = (name(this.header), name(latch));
        if let Some(next) = entering.next() {
            for edge in function.blocks[latch].end.edges_mut() {
                if edge.block == own {
                    *edge = next.clone();
                }
            }
        }
        function.blocks[name(test)]
            .end
            .decide(stays == (iteration + 1 < iterations));
    }
}

/// True if the loop addresses an object in local memory, or a parameter, by an index computed from
/// its counters only.
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

/// The computation of a loop's trip count.
pub(super) struct TripCount {
    /// The block with the exit branch.
    test: Block,
    /// Its condition.
    condition: Value,
    /// The latch.
    latch: Block,
    /// The value of the condition that continues the loop.
    stays: bool,
    /// The header's parameters that it depends on.
    counters: Vec<Value>,
    /// Their bits in an iteration, initially the first one.
    bits: Vec<u64>,
    /// Their next values, at the end of an iteration.
    next: Vec<Value>,
}

impl TripCount {
    /// The computation of a loop's exit test, if it depends only on counters with constant initial
    /// values.
    pub(super) fn of(function: &Function, forest: &LoopForest, number: usize) -> Option<TripCount> {
        let this = &forest.loops[number];
        let &[latch] = this.latches.as_slice() else { return None };
        let inside = |block: Block| forest.contains(number, block);
        // The test stands at the end of the iteration or at its top, so that every iteration meets it once.
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
            let mut trips = TripCount {
                test,
                condition: *condition,
                latch,
                stays,
                counters: Vec::new(),
                bits: Vec::new(),
                next: Vec::new(),
            };
            trips.find_counters(function, this)?;
            return Some(trips);
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

    /// The trip count, if it is at most `most`.
    pub(super) fn count(&mut self, function: &Function, most: usize) -> Option<usize> {
        for iteration in 1..=most.min(MAX_TRIP_COUNT) {
            let bits = |value: Value| {
                rules::bits(function, value, MAX_DEPTH, &|value| {
                    let position = self.counters.iter().position(|&counter| counter == value)?;
                    Some(self.bits[position])
                })
            };
            if (bits(self.condition)? == 1) != self.stays {
                return Some(iteration);
            }
            let next: Option<Vec<u64>> = self.next.iter().map(|&next| bits(next)).collect();
            self.bits = next?;
        }
        None
    }
}

/// The parameters that a value is computed from, if it depends on nothing else but constants.
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
