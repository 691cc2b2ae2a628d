//! Full unrolling of loops with a constant trip count.
//!
//! **Algorithm.** If the [trip count](super::trip_count) times the size of the loop is small, the blocks are copied
//! once per iteration, each copy leading to the next, without the tests. Inner loops come first, so
//! that a nest that is small as a whole is unrolled as a whole. A loop around loops comes before them
//! if its counters decide how often they run, as in a triangular nest of two or more loops.
//!
//! **Before and after:** any valid graph. **Cost:** that of the generated code.

use super::block_copies::Regions;
use super::trip_count::{MAX_DEPTH, TripCount, counters, leaves};
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::graph::Graph;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Function, Space, Terminator, Ty, Value, filled};

/// Limits of an unrolled loop: operations, and iterations.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    operations: usize,
    pub(super) trips: usize,
}

/// The limits of most loops.
pub(super) const LIMITS: Limits = Limits {
    operations: 1024,
    trips: 64,
};
/// The limits of loops of few iterations. Eight steps of a product of register tiles of 8 x 8 fit, which have 1,400
/// operations.
const LIMITS_OF_FEW: Limits = Limits {
    operations: 2048,
    trips: 8,
};
/// The most iterations of a loop that is unrolled: 512 elements are the most that are [promoted](super::mem2reg).
pub(super) const MAX_TRIPS: usize = 512;
/// The limits of a loop whose counter indexes objects in local memory that may become registers, since memory accesses
/// cost more than long code.
const LIMITS_ON_OBJECTS: Limits = Limits {
    operations: 8192,
    trips: MAX_TRIPS,
};

/// Unrolls the loops that qualify, innermost first; returns the new graph if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> Option<Graph> {
    if forest.loops.is_empty() {
        return None;
    }
    let objects = Objects::of(function, forest);
    let chosen: Vec<(&Loop, TripCount, usize)> = (0..forest.loops.len())
        .filter_map(|number| {
            let this = &forest.loops[number];
            let trips = TripCount::of(function, forest, number)?;
            let mut size = operations(function, this);
            let mut nest = Nest {
                function,
                forest,
                counters: trips.counters.clone(),
                trips: 0,
                may_leave: objects.are_touched_by(function, this),
            };
            if !this.is_innermost() {
                nest.trips = trips.count(function, LIMITS.trips)?;
                size += nest.children(this, 1)?;
            }
            let within = |limits: Limits| trips.count(function, limits.trips.min(limits.operations / size));
            let count = match objects.are_picked_by(function, this, &nest.counters) {
                true => within(LIMITS_ON_OBJECTS)?,
                false => within(LIMITS).or_else(|| within(LIMITS_OF_FEW))?,
            };
            Some((this, trips, count))
        })
        .collect();
    if chosen.is_empty() {
        return None;
    }
    let mut regions = Regions::new(function);
    for (this, ..) in &chosen {
        regions.add(function, &this.blocks);
    }
    for (region, (this, trips, count)) in chosen.into_iter().enumerate() {
        write_out(function, &mut regions, region, this, &trips, count);
    }
    Some(regions.repair(function))
}

/// The number of operations of a loop, with one for each branch.
fn operations(function: &Function, this: &Loop) -> usize {
    let blocks = this.blocks.iter();
    blocks.map(|&block| function.blocks[block].body.len() + 1).sum()
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

/// The objects in local memory.
struct Objects {
    /// For each local, true if an index is neither constant nor computed from counters of loops around it: it stays in
    /// memory.
    stay: Vec<bool>,
}

impl Objects {
    fn of(function: &Function, forest: &LoopForest) -> Objects {
        let mut stay = filled(false, function.objects.len());
        if stay.is_empty() {
            return Objects { stay };
        }
        // For each parameter of a header its loop.
        let mut counts = filled(None, function.values.len());
        for (number, this) in forest.loops.iter().enumerate() {
            for parameter in &function.blocks[this.header].parameters {
                counts[parameter.index()] = Some(number);
            }
        }
        for &block in &forest.graph.order {
            let counts = |leaf: &Value| counts[leaf.index()].is_some_and(|number| forest.contains(number, block));
            for &value in &function.blocks[block].body {
                if let Op::Offset { base, bytes } = function.op(value)
                    && function.as_constant(bytes).is_none()
                    && let Some(object) = local(function, base)
                    && !leaves(function, bytes, MAX_DEPTH).is_some_and(|leaves| leaves.iter().all(counts))
                {
                    stay[object as usize] = true;
                }
            }
        }
        Objects { stay }
    }

    /// True if the loop addresses an object that may become registers by an index that is not constant.
    fn are_touched_by(&self, function: &Function, this: &Loop) -> bool {
        let touches = |value: Value| match function.op(value) {
            Op::Offset { base, bytes } if function.as_constant(bytes).is_none() => {
                local(function, base).is_some_and(|object| !self.stay[object as usize])
            }
            _ => false,
        };
        let mut blocks = this.blocks.iter();
        blocks.any(|&block| function.blocks[block].body.iter().any(|&value| touches(value)))
    }

    /// True if the loop addresses an object, or a parameter, by an index computed from its counters only.
    fn are_picked_by(&self, function: &Function, this: &Loop, counters: &[Value]) -> bool {
        let picks = |value: Value| match function.op(value) {
            Op::Offset { base, bytes } => {
                matches!(function.ty(value), Ty::Pointer(Space::Local | Space::Param))
                    && function.as_constant(bytes).is_none()
                    && local(function, base).is_none_or(|object| !self.stay[object as usize])
                    && leaves(function, bytes, MAX_DEPTH)
                        .is_some_and(|leaves| leaves.iter().all(|leaf| counters.contains(leaf)))
            }
            _ => false,
        };
        let mut blocks = this.blocks.iter();
        blocks.any(|&block| function.blocks[block].body.iter().any(|&value| picks(value)))
    }
}

/// The local that a pointer leads into, if that is known.
fn local(function: &Function, mut pointer: Value) -> Option<u32> {
    loop {
        match function.op(pointer) {
            Op::Address(Object::Local(number)) => return Some(number),
            Op::Offset { base, .. } => pointer = base,
            _ => return None,
        }
    }
}

/// A loop around loops whose trip counts its counters decide.
struct Nest<'f> {
    function: &'f Function,
    forest: &'f LoopForest,
    /// The counters of the loops.
    counters: Vec<Value>,
    /// The trip count of the outer loop.
    trips: usize,
    /// True if data may decide, too, when an inner loop ends: in a loop over an object, whose elements become registers
    /// only if all are unrolled.
    may_leave: bool,
}

impl Nest<'_> {
    /// The operations of the loops inside of another for all iterations of the outer one, if their trip counts are known
    /// once those of the loops around are, and not before.
    fn children(&mut self, around: &Loop, depth: u32) -> Option<usize> {
        let mut size = 0;
        for &child in &around.children {
            let inner = &self.forest.loops[child as usize];
            let mut found = self.decided(child as usize)?;
            self.counters.append(&mut found);
            // The inner loops run about as often as the outer one, and half as often in a triangle.
            let often = self.trips.checked_pow(depth)? >> depth;
            size += operations(self.function, inner).checked_mul(often.max(1))?;
            size += self.children(inner, depth + 1)?;
        }
        Some(size)
    }

    /// The counters of an inner loop.
    fn decided(&self, inner: usize) -> Option<Vec<Value>> {
        let (function, this) = (self.function, &self.forest.loops[inner]);
        let (&[latch], None) = (this.latches.as_slice(), TripCount::of(function, self.forest, inner)) else {
            return None;
        };
        if !self.may_leave && self.forest.exits(function, inner).count() != 1 {
            return None;
        }
        let inside = |block: Block| self.forest.contains(inner, block);
        let is_known = |value: Value| {
            leaves(function, value, MAX_DEPTH)
                .is_some_and(|leaves| leaves.iter().all(|leaf| self.counters.contains(leaf)))
        };
        [latch, this.header]
            .iter()
            .find_map(|&test| match &function.blocks[test].end {
                Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                } if inside(then.block) != inside(otherwise.block) => {
                    let found = counters(function, this, latch, *condition, &self.counters)?;
                    let is_decided = found.iter().all(|counter| is_known(counter.first));
                    is_decided.then(|| found.into_iter().map(|counter| counter.parameter).collect())
                }
                _ => None,
            })
    }
}
