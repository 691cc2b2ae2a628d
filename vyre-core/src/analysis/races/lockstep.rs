//! The ways that two threads of a group take from a barrier to their accesses, as far as both take the same one.
//!
//! **Rules.** A block is common if all threads of the group come to it, and equally often. From one common block to
//! the next one a thread goes through others, and comes to the same one whichever way it takes: the varying
//! branches between decide none of what lies behind the block where their sides meet. So from a start that threads have
//! in common, they go through one sequence of common blocks. At two accesses one thread may be ahead, but has gone
//! through what the other one goes through.
//! - Where a common block ends with a uniform branch, both take the same side of it.
//! - A value of a common block is the same for both if it is uniform and the one ahead has not gone through
//!   that block once more.
//!
//! **Stages** are the nodes of a graph: a common block, and the others behind one of its sides, or behind it if its branch
//! varies.
//!
//! **Cost:** the square of the blocks once, and for each question the product of the stages of both accesses.

use super::touches::Touch;
use crate::ssa::{Block, Function, Terminator};

/// A common block, or others behind it up to the next one.
#[derive(Default)]
struct Stage {
    touches: Vec<usize>,
    next: Vec<usize>,
}

/// The stages of a function, and the way through them from the starts.
pub(super) struct Stages {
    stages: Vec<Stage>,
    /// For each block the stage that it is, if it is common.
    common: Vec<Option<usize>>,
    /// For each start the stage of what is behind it in its block.
    starts: Vec<Option<usize>>,
    /// For each touch the stages that have it.
    with: Vec<Vec<usize>>,
    /// For each stage a bit for each that is reached from it, with itself.
    reached: Vec<Vec<u64>>,
}

/// The facts about blocks.
pub(super) struct Blocks<'b> {
    pub(super) function: &'b Function,
    pub(super) touches: &'b [Touch],
    /// For each block the places of the barriers in it.
    pub(super) barriers: &'b [Vec<usize>],
    /// True if all threads come to a block, equally often.
    pub(super) is_common: &'b dyn Fn(Block) -> bool,
    /// True if the branch of a common block is the same for all threads.
    pub(super) is_uniform: &'b dyn Fn(Block) -> bool,
}

impl Stages {
    /// The stages, with those of starts: blocks, and the operations that come before.
    pub(super) fn of(blocks: &Blocks<'_>, starts: &[(Block, usize)]) -> Stages {
        let mut stages = Stages {
            stages: Vec::new(),
            common: vec![None; blocks.function.blocks.len()],
            starts: Vec::new(),
            with: vec![Vec::new(); blocks.touches.len()],
            reached: Vec::new(),
        };
        let common: Vec<Block> = blocks
            .function
            .blocks
            .handles()
            .filter(|&it| (blocks.is_common)(it))
            .collect();
        for &block in &common {
            stages.common[block.index()] = Some(stages.stages.len());
            stages.stages.push(Stage::default());
        }
        for (at, &block) in common.iter().enumerate() {
            stages.fill(blocks, at, block, 0);
        }
        for &(block, first) in starts {
            let stage = (blocks.is_common)(block).then_some(stages.stages.len());
            if let Some(stage) = stage {
                stages.stages.push(Stage::default());
                stages.fill(blocks, stage, block, first);
            }
            stages.starts.push(stage);
        }
        for (number, stage) in stages.stages.iter().enumerate() {
            stage.touches.iter().for_each(|&touch| stages.with[touch].push(number));
        }
        stages.reached = (0..stages.stages.len()).map(|stage| stages.closure(stage)).collect();
        stages
    }

    /// Finds the touches of a common block from an operation on, and the stages behind it.
    fn fill(&mut self, blocks: &Blocks<'_>, stage: usize, block: Block, first: usize) {
        let stop = blocks.barriers[block.index()].iter().find(|&&at| at >= first);
        let is_here =
            |touch: &Touch| touch.block == block && touch.at >= first && stop.is_none_or(|&stop| touch.at < stop);
        self.stages[stage].touches = numbers(blocks.touches, is_here);
        if stop.is_some() {
            return;
        }
        let targets: Vec<Block> = blocks.function.blocks[block]
            .end
            .targets()
            .into_iter()
            .flatten()
            .collect();
        let parts = matches!(blocks.function.blocks[block].end, Terminator::Branch { .. });
        let sides: Vec<&[Block]> = match parts && (blocks.is_uniform)(block) {
            true => targets.chunks(1).collect(),
            false => vec![&targets],
        };
        for side in sides {
            let behind = self.behind(blocks, side);
            let number = self.stages.len();
            self.stages[stage].next.push(number);
            self.stages.push(behind);
        }
    }

    /// The blocks behind an edge that are not common, and the common ones behind them.
    fn behind(&self, blocks: &Blocks<'_>, targets: &[Block]) -> Stage {
        let mut stage = Stage::default();
        let mut seen = vec![false; blocks.function.blocks.len()];
        let mut work = targets.to_vec();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            if let Some(common) = self.common[block.index()] {
                stage.next.push(common);
                continue;
            }
            let stop = blocks.barriers[block.index()].first();
            let is_here = |touch: &Touch| touch.block == block && stop.is_none_or(|&stop| touch.at < stop);
            stage.touches.extend(numbers(blocks.touches, is_here));
            if stop.is_none() {
                work.extend(blocks.function.blocks[block].end.targets().into_iter().flatten());
            }
        }
        stage
    }

    /// A bit for each stage that is reached from one, with itself.
    fn closure(&self, from: usize) -> Vec<u64> {
        let mut seen = vec![0u64; self.stages.len().div_ceil(64)];
        let mut work = vec![from];
        while let Some(stage) = work.pop() {
            if seen[stage / 64] >> (stage % 64) & 1 == 0 {
                seen[stage / 64] |= 1 << (stage % 64);
                work.extend(&self.stages[stage].next);
            }
        }
        seen
    }

    /// True if a stage is reached from another one, or is that.
    fn leads(&self, from: usize, to: usize) -> bool {
        self.reached[from][to / 64] >> (to % 64) & 1 == 1
    }

    /// Calls `found` with the stages of two touches, the first one ahead or not, that are reached from a start; true if it is
    /// true of one. True without knowledge of the start.
    fn any(&self, start: usize, (a, b): (usize, usize), found: impl Fn(usize, usize) -> bool) -> bool {
        let Some(start) = self.starts[start] else {
            return true;
        };
        let of = |touch: usize| {
            self.with[touch]
                .iter()
                .copied()
                .filter(|&stage| self.leads(start, stage))
        };
        of(a).any(|one| of(b).any(|other| found(one, other) || found(other, one)))
    }

    /// False if two touches cannot both be behind a start without a barrier between.
    pub(super) fn may_meet(&self, start: usize, pair: (usize, usize)) -> bool {
        self.any(start, pair, |from, to| self.leads(from, to))
    }

    /// True if two threads at two touches have gone through a common block equally often since a start.
    pub(super) fn agree(&self, start: usize, pair: (usize, usize), block: Block) -> bool {
        let Some(block) = self.common[block.index()] else {
            return false;
        };
        !self.any(start, pair, |from, to| {
            let comes = self.stages[from].next.iter().any(|&next| self.leads(next, block));
            comes && self.leads(block, to)
        })
    }
}

/// The numbers of the touches for which a condition holds.
fn numbers(touches: &[Touch], holds: impl Fn(&Touch) -> bool) -> Vec<usize> {
    let all = touches.iter().enumerate();
    all.filter(|(_, touch)| holds(touch))
        .map(|(number, _)| number)
        .collect()
}
