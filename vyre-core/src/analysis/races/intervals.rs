//! Which accesses of two threads of a group no barrier orders, and what is then the same for both.
//!
//! **Intervals.** Let all threads of a group, a block or the grid, come to its barriers together: each goes through the same
//! sequence of them. Then accesses of two threads between which no barrier lies follow the same one of the
//! sequence, or the start, on paths without another. So two accesses may meet only if both are reached from one such start
//! without a barrier. A path may go round a loop.
//!
//! **Threads that leave.** A varying branch of which one side comes to no barrier any more does not part the threads that
//! go on: those that take it go through a part of the sequence. But what they do until they end is ordered before
//! nothing, so it meets all that comes after the start that they have in common. One such branch after the other is left out,
//! as loops behind it may run equally often for those that go on. If barriers are not proven to be reached together even so,
//! they order nothing. Threads that fault part no others, and have no duties.
//!
//! **The same for both.** From one start both threads go through the same [stages](super::lockstep), where one may be
//! ahead. These exclude pairs behind different sides of a uniform branch. A value that is uniform in the group, in a
//! block to which all its threads come together, is one number for each time that they come there: the
//! same for both unless one of them has come there once more.
//!
//! **Cost:** a walk over the blocks for each barrier, and walks over the stages for each pair and value.

use vyre_ir::ir::{Among, BinaryOp, WARP_SIZE};

use super::lockstep::{Blocks, Stages};
use super::touches::Touch;
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::{Group, Uniformity};
use crate::ssa::build::warp::balloted;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Op, Special};
use crate::ssa::{Block, Function, Terminator, Value};

/// The place behind which an interval begins: a block, and the operations of it that come before.
type Start = (Block, usize);

/// The barriers of a group.
pub(super) struct Intervals<'f> {
    function: &'f Function,
    touches: &'f [Touch],
    uniformity: Uniformity,
    /// The blocks of the graph by which the uniformity was found.
    known: Vec<bool>,
    /// For each block the places of the barriers in it.
    barriers: Vec<Vec<usize>>,
    pub(super) starts: Vec<Start>,
    /// False if barriers order nothing.
    pub(super) are_aligned: bool,
    /// For each touch, true if it may be behind the last barrier of a thread that leaves earlier than others.
    tails: Vec<bool>,
    /// For each start, and each touch, true if a path without a barrier leads there.
    reached: Vec<Vec<bool>>,
    /// For each touch the starts from which one does.
    starts_of: Vec<Vec<usize>>,
    /// For each start the touches that any path leads to, if some threads leave earlier.
    beyond: Vec<Vec<bool>>,
    stages: Option<Stages>,
}

/// True if an operation orders all that the threads of a group do.
fn is_barrier(function: &Function, value: Value, group: Group) -> bool {
    let Op::Intrinsic { intrinsic, .. } = function.op(value) else {
        return false;
    };
    let row = intrinsic.row();
    let is_wider = |among: Among| row.among >= among && row.orders_memory;
    match group {
        Group::Grid => is_wider(Among::Grid),
        _ => intrinsic.is_block_barrier() || is_wider(Among::Cluster),
    }
}

impl<'f> Intervals<'f> {
    pub(super) fn of(function: &'f Function, forest: &LoopForest, touches: &'f [Touch], group: Group) -> Self {
        let mut barriers: Vec<Vec<usize>> = vec![Vec::new(); function.blocks.len()];
        let mut starts = vec![(function.entry(), 0)];
        for &block in &forest.graph.order {
            for (at, &value) in function.blocks[block].body.iter().enumerate() {
                if is_barrier(function, value, group) {
                    barriers[block.index()].push(at);
                    starts.push((block, at + 1));
                }
            }
        }
        let mut known = vec![false; function.blocks.len()];
        for &block in &forest.graph.order {
            known[block.index()] = true;
        }
        let mut intervals = Intervals {
            function,
            touches,
            uniformity: Uniformity::of(function, forest, group),
            known,
            barriers,
            starts,
            are_aligned: true,
            tails: vec![false; touches.len()],
            reached: Vec::new(),
            starts_of: Vec::new(),
            beyond: Vec::new(),
            stages: None,
        };
        intervals.align(forest, group);
        intervals.reached = (intervals.starts.iter())
            .map(|&start| intervals.walk(start, false))
            .collect();
        intervals.starts_of = (0..touches.len())
            .map(|touch| {
                (0..intervals.starts.len())
                    .filter(|&start| intervals.reached[start][touch])
                    .collect()
            })
            .collect();
        if intervals.tails.contains(&true) {
            intervals.beyond = (intervals.starts.iter())
                .map(|&start| intervals.walk(start, true))
                .collect();
        }
        let blocks = Blocks {
            function,
            touches,
            barriers: &intervals.barriers,
            is_common: &|block| intervals.is_common(block),
            is_uniform: &|block| match function.blocks[block].end {
                Terminator::Branch { condition, .. } => intervals.uniformity.uniform(condition),
                _ => false,
            },
        };
        let stages = Stages::of(&blocks, &intervals.starts);
        intervals.stages = Some(stages);
        intervals
    }

    /// Finds out whether threads come to the barriers together.
    fn align(&mut self, forest: &LoopForest, group: Group) {
        let has_barrier: Vec<bool> = self.barriers.iter().map(|places| !places.is_empty()).collect();
        let together = |uniformity: &Uniformity, graph: &Flow| {
            let mut blocks = graph.order.iter().filter(|block| has_barrier[block.index()]);
            blocks.all(|&block| uniformity.together(block))
        };
        if together(&self.uniformity, &forest.graph) {
            return;
        }
        // Threads that miss a barrier of the grid fault.
        if group != Group::Grid && self.align_others(forest, group, &together) {
            return;
        }
        self.are_aligned = false;
        self.known.fill(false);
    }

    /// Lets the threads leave that come to no barrier any more, branch by branch, until the others come to the barriers together.
    fn align_others(
        &mut self,
        forest: &LoopForest,
        group: Group,
        together: &dyn Fn(&Uniformity, &Flow) -> bool,
    ) -> bool {
        let comes = self.comes_to_barriers(forest);
        let mut stays = without_faults(self.function, forest).unwrap_or_else(|| self.function.clone());
        let mut left: Vec<Block> = Vec::new();
        let uniformity = loop {
            let forest = LoopForest::as_is(&stays);
            let (order, uniformity) = (&forest.graph.order, Uniformity::of(&stays, &forest, group));
            if together(&uniformity, &forest.graph) {
                self.known.fill(false);
                for &block in order {
                    self.known[block.index()] = true;
                }
                break uniformity;
            }
            let parts = |block: Block| match &stays.blocks[block].end {
                Terminator::Branch {
                    condition,
                    then,
                    otherwise,
                } if !uniformity.uniform(*condition) || !uniformity.together(block) => {
                    match [then, otherwise].map(|edge| comes[edge.block.index()]) {
                        [true, false] => Some((block, then.clone(), otherwise.block)),
                        [false, true] => Some((block, otherwise.clone(), then.block)),
                        _ => None,
                    }
                }
                _ => None,
            };
            // Those behind a branch may be the same for all that have not left there.
            let first = order.iter().filter(|&&block| uniformity.together(block));
            let Some((block, stay, leave)) = first.chain(order).find_map(|&block| parts(block)) else {
                return false;
            };
            stays.blocks[block].end = Terminator::Jump(stay);
            left.push(leave);
        };
        self.uniformity = uniformity;
        // Where threads come that have left, values are not those of the others.
        while let Some(block) = left.pop() {
            self.known[block.index()] = false;
            let targets = self.function.blocks[block].end.targets().into_iter().flatten();
            left.extend(targets.filter(|target| self.known[target.index()]));
        }
        self.tails = self.touches.iter().map(|touch| self.is_tail(touch)).collect();
        true
    }

    /// For each block, true if a barrier may follow its start.
    fn comes_to_barriers(&self, forest: &LoopForest) -> Vec<bool> {
        let mut comes: Vec<bool> = self.barriers.iter().map(|places| !places.is_empty()).collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in forest.graph.order.iter().rev() {
                let targets = self.function.blocks[block].end.targets().into_iter().flatten();
                if !comes[block.index()] && targets.into_iter().any(|target| comes[target.index()]) {
                    comes[block.index()] = true;
                    changed = true;
                }
            }
        }
        comes
    }

    /// True if the end may follow a touch without a barrier.
    fn is_tail(&self, touch: &Touch) -> bool {
        let function = self.function;
        if self.barriers[touch.block.index()].iter().any(|&at| at > touch.at) {
            return false;
        }
        let mut seen = vec![false; function.blocks.len()];
        let mut work = vec![touch.block];
        while let Some(block) = work.pop() {
            let end = &function.blocks[block].end;
            if matches!(end, Terminator::Return) && !function.faults(block) {
                return true;
            }
            for target in end.targets().into_iter().flatten() {
                if !std::mem::replace(&mut seen[target.index()], true) && self.barriers[target.index()].is_empty() {
                    work.push(target);
                }
            }
        }
        false
    }

    /// True if all threads come to a block together, and values of it are those of all that go on.
    pub(super) fn is_common(&self, block: Block) -> bool {
        self.known[block.index()] && self.uniformity.together(block)
    }

    /// For each touch, true if it is reached from a place without a barrier, or also behind barriers.
    fn walk(&self, (from, first): Start, passes_barriers: bool) -> Vec<bool> {
        let mut found = vec![false; self.touches.len()];
        let mut seen = vec![false; self.function.blocks.len()];
        let mut work = vec![(from, first)];
        while let Some((block, first)) = work.pop() {
            let mut barriers = self.barriers[block.index()].iter().copied();
            let stop = barriers.find(|&at| at >= first && !passes_barriers);
            for (touch, found) in self.touches.iter().zip(&mut found) {
                *found |= touch.block == block && touch.at >= first && stop.is_none_or(|stop| touch.at < stop);
            }
            if stop.is_some() {
                continue;
            }
            for target in self.function.blocks[block].end.targets().into_iter().flatten() {
                if !std::mem::replace(&mut seen[target.index()], true) {
                    work.push((target, 0));
                }
            }
        }
        found
    }

    /// Calls `check` with the start of each interval in which two touches may both be; with none where nothing is known of
    /// it. Ends with the first error.
    pub(super) fn meetings<E>(
        &self,
        (a, b): (usize, usize),
        mut check: impl FnMut(Option<usize>) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_late = self.touches[a].is_late || self.touches[b].is_late;
        if is_late || !self.are_aligned {
            return check(None);
        }
        for &start in &self.starts_of[a] {
            let may_meet = |stages: &Stages| stages.may_meet(start, (a, b));
            if self.reached[start][b] && self.stages.as_ref().is_none_or(may_meet) {
                check(Some(start))?;
            }
        }
        for (left, other) in [(a, b), (b, a)] {
            let mut starts = self.starts_of[left].iter();
            if self.tails[left] && starts.any(|&start| self.beyond[start][other]) {
                check(None)?;
            }
        }
        Ok(())
    }

    /// True if a value that is computed in a block, or the parameters of that, is the same for both threads at two
    /// touches of the interval behind a start.
    pub(super) fn is_same(&self, start: usize, (a, b): (usize, usize), block: Block, value: Option<Value>) -> bool {
        if !self.is_common(block) || value.is_some_and(|value| !self.uniformity.uniform(value)) {
            return false;
        }
        // Before an operation in its block a thread has the number of an earlier time.
        let place = value.and_then(|value| self.function.blocks[block].body.iter().position(|&it| it == value));
        let is_before = |touch: usize| {
            let touch = &self.touches[touch];
            touch.block == block && place.is_some_and(|place| touch.at < place)
        };
        !is_before(a)
            && !is_before(b)
            && (self.stages.as_ref()).is_some_and(|stages| stages.agree(start, (a, b), block))
    }
}

/// A barrier or an exchange, and whether threads may part before it.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    pub(super) value: Value,
    /// A varying branch that decides which of the threads that have not returned come; `None` if all come together.
    pub(super) parted_by: Option<Value>,
    /// True if some may have returned.
    #[cfg_attr(not(feature = "verify"), allow(dead_code, reason = "tools tell it"))]
    pub(super) others_end: bool,
    pub(super) among: Among,
}

/// The threads that go on where others return, and what is the same for them.
struct Staying {
    function: Function,
    forest: LoopForest,
    uniformity: Uniformity,
    /// For each block, true if one of these threads may come there.
    known: Vec<bool>,
}

/// The operations at which threads wait for each other. Those that have returned are not waited for: where one side of a varying
/// branch returns and has no such operation, threads are compared as if it were not there.
/// Nor are those that fault.
pub(super) fn waits(function: &Function, forest: &LoopForest) -> Vec<Wait> {
    match without_faults(function, forest) {
        Some(function) => waits_of(&function, &LoopForest::as_is(&function)),
        None => waits_of(function, forest),
    }
}

fn waits_of(function: &Function, forest: &LoopForest) -> Vec<Wait> {
    let mut waits = Vec::new();
    let mut groups: Vec<(Group, Uniformity, Option<Staying>)> = Vec::new();
    for &block in &forest.graph.order {
        for &value in &function.blocks[block].body {
            let Some((among, group, is_whole)) = waiting(function, value) else {
                continue;
            };
            let known = groups.iter().position(|(known, ..)| *known == group);
            let at = known.unwrap_or(groups.len());
            if known.is_none() {
                groups.push((group, Uniformity::of(function, forest, group), None));
            }
            let (_, uniformity, left) = &mut groups[at];
            let mut wait = Wait {
                value,
                parted_by: None,
                others_end: false,
                among,
            };
            if !uniformity.together(block) {
                let staying = left.get_or_insert_with(|| staying(function, forest, uniformity, group));
                wait.others_end = !is_whole && staying.known[block.index()] && staying.uniformity.together(block);
                if !wait.others_end {
                    wait.parted_by = Some(match staying.known[block.index()] {
                        true if !is_whole => parting(&staying.function, &staying.forest, &staying.uniformity, block),
                        _ => parting(function, forest, uniformity, block),
                    });
                }
            }
            waits.push(wait);
        }
    }
    waits
}

/// The threads that wait at an operation for each other, if they do, and true if none of them may have returned.
fn waiting(function: &Function, value: Value) -> Option<(Among, Group, bool)> {
    let Op::Intrinsic { intrinsic, .. } = function.op(value) else {
        return None;
    };
    let (among, is_whole) = (intrinsic.row().among, intrinsic.row().whole_warps);
    let lanes = match balloted(function, value) {
        Some([_, members]) => lanes_of(function, members),
        None => intrinsic.row().tile,
    };
    let lanes = lanes
        .filter(|&lanes| lanes < WARP_SIZE)
        .map_or(Group::Warp, Group::Tile);
    // Those of some warps wait for a number of threads, whichever these are.
    match among {
        Among::Thread | Among::Grid => None,
        Among::Warp => Some((among, lanes, is_whole)),
        Among::Block if !intrinsic.is_block_barrier() => None,
        Among::Block | Among::Cluster => Some((among, Group::Block, false)),
    }
}

/// The lanes of the tile that a mask has all of.
fn lanes_of(function: &Function, members: Value) -> Option<u32> {
    let Op::Binary {
        op: BinaryOp::Shl,
        a,
        b,
        ..
    } = function.op(members)
    else {
        return None;
    };
    let (lowest, lanes) = (function.as_constant(a)?, function.as_constant(a)?.count_ones());
    let Op::Binary {
        op: BinaryOp::And,
        a,
        b,
        ..
    } = function.op(b)
    else {
        return None;
    };
    let is_tile = lanes.is_power_of_two() && lowest.trailing_ones() == lanes;
    let is_first =
        function.op(a) == Op::Special(Special::Lane) && function.as_constant(b) == Some(u64::from(WARP_SIZE - lanes));
    (is_tile && is_first).then_some(lanes)
}

/// The function for those threads that do not return where others go on.
fn staying(function: &Function, forest: &LoopForest, uniformity: &Uniformity, group: Group) -> Staying {
    let mut stays = function.clone();
    let has_wait = |block: &Block| has_wait(function, *block);
    for &block in &forest.graph.order {
        let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &function.blocks[block].end
        else {
            continue;
        };
        if uniformity.uniform(*condition) {
            continue;
        }
        let sides = [then, otherwise].map(|edge| reached(function, edge.block));
        let returns = |side: usize| {
            let is_end = |block: &Block| ends_at_once(function, *block);
            (sides[side].iter()).all(|block| is_end(block) || !sides[1 - side].contains(block) && !has_wait(block))
        };
        let edge = match (returns(0), returns(1)) {
            (true, false) => otherwise,
            (false, true) => then,
            _ => continue,
        };
        stays.blocks[block].end = Terminator::Jump(edge.clone());
    }
    let forest = LoopForest::as_is(&stays);
    let mut known = vec![false; stays.blocks.len()];
    forest.graph.order.iter().for_each(|block| known[block.index()] = true);
    Staying {
        uniformity: Uniformity::of(&stays, &forest, group),
        function: stays,
        forest,
        known,
    }
}

/// The condition of a varying branch that decides whether threads come to a block.
fn parting(function: &Function, forest: &LoopForest, uniformity: &Uniformity, block: Block) -> Value {
    let mut nearest: Option<(Value, bool)> = None;
    for &from in &forest.graph.order {
        let Terminator::Branch {
            condition,
            then,
            otherwise,
        } = &function.blocks[from].end
        else {
            continue;
        };
        if uniformity.uniform(*condition) || !reaches(function, from, block) {
            continue;
        }
        let sides = [then, otherwise].map(|edge| edge.block == block || reaches(function, edge.block, block));
        // A branch of which one side does not come there decides more than one before it.
        let decides = sides != [true, true];
        if nearest.is_none_or(|(_, best)| decides || !best) {
            nearest = Some((*condition, decides));
        }
    }
    nearest.map_or(function.blocks[block].body[0], |(condition, _)| condition)
}

/// The blocks that paths from a block lead to, with itself.
fn reached(function: &Function, from: Block) -> Vec<Block> {
    let mut found = vec![from];
    let mut at = 0;
    while at < found.len() {
        for target in function.blocks[found[at]].end.targets().into_iter().flatten() {
            if !found.contains(&target) {
                found.push(target);
            }
        }
        at += 1;
    }
    found
}

/// True if a path of at least one edge leads from a block to another one.
pub(super) fn reaches(function: &Function, from: Block, to: Block) -> bool {
    let mut seen = vec![false; function.blocks.len()];
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        for target in function.blocks[block].end.targets().into_iter().flatten() {
            if target == to {
                return true;
            }
            if !std::mem::replace(&mut seen[target.index()], true) {
                work.push(target);
            }
        }
    }
    false
}

/// The function for those threads that do not fault where others go on; `None` if there are no such places.
fn without_faults(function: &Function, forest: &LoopForest) -> Option<Function> {
    let ends_so = |block: Block| function.faults(block) && !has_wait(function, block);
    let mut found = None;
    for &block in &forest.graph.order {
        if let Terminator::Branch { then, otherwise, .. } = &function.blocks[block].end
            && ends_so(then.block) != ends_so(otherwise.block)
        {
            let edge = if ends_so(then.block) { otherwise } else { then };
            found.get_or_insert_with(|| function.clone()).blocks[block].end = Terminator::Jump(edge.clone());
        }
    }
    found
}

/// True if threads wait for others in a block.
fn has_wait(function: &Function, block: Block) -> bool {
    let mut body = function.blocks[block].body.iter();
    body.any(|&value| matches!(function.op(value), Op::Intrinsic { intrinsic, .. } if intrinsic.row().among != Among::Thread))
}

/// True if a block does nothing but return.
fn ends_at_once(function: &Function, block: Block) -> bool {
    let data = &function.blocks[block];
    data.body.is_empty() && matches!(data.end, Terminator::Return)
}
