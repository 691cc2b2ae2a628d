//! Post-dominators: for each block the blocks on every path from it to the exit.
//!
//! **Algorithm.** Cooper, Harvey and Kennedy on the reversed edges, from a virtual exit after all
//! blocks that return. A block without a path to the exit has no post-dominator. Blocks that end in a fault have none:
//! only the threads that go on count.
//!
//! **Cost:** as for dominators: two iterations over the blocks of a structured program.

use vyre_abi::order::sort_by_key;

use crate::ssa::graph::{Flow, NONE};
use crate::ssa::{Block, Function, filled};

/// The immediate post-dominators of blocks.
pub(crate) struct PostDominators {
    /// For each block, by position, that of its immediate post-dominator; the number of blocks
    /// stands for the virtual exit, [`NONE`] for none.
    immediate: Vec<u32>,
}

impl PostDominators {
    /// Looks through a function.
    pub(crate) fn of(function: &Function, flow: &Flow) -> PostDominators {
        let end = flow.order.len() as u32;
        let mut immediate = filled(NONE, flow.order.len() + 1);
        immediate[end as usize] = end;
        let ranks = ranks(function, flow);
        // Blocks by rank, the exit's first.
        let mut order: Vec<u32> = (0..end).filter(|&position| ranks[position as usize] != NONE).collect();
        sort_by_key(&mut order, |&position| ranks[position as usize].into());
        let mut changed = true;
        while changed {
            changed = false;
            for &position in &order {
                let mut common = NONE;
                for successor in successors(function, flow, position) {
                    let mut other = successor;
                    if immediate[other as usize] == NONE {
                        continue;
                    }
                    if common == NONE {
                        common = other;
                        continue;
                    }
                    while common != other {
                        if ranks[common as usize] > ranks[other as usize] {
                            common = immediate[common as usize];
                        } else {
                            other = immediate[other as usize];
                        }
                    }
                }
                if immediate[position as usize] != common {
                    immediate[position as usize] = common;
                    changed = true;
                }
            }
        }
        PostDominators { immediate }
    }

    /// The immediate post-dominator of a block; `None` if that is the exit, or if no path reaches
    /// it.
    pub(crate) fn immediate(&self, flow: &Flow, block: Block) -> Option<Block> {
        let position = self.immediate[flow.position(block) as usize];
        flow.order.get(position as usize).copied()
    }

    /// True if all paths from `b` to the exit lead through `a`.
    pub(crate) fn post_dominates(&self, flow: &Flow, a: Block, b: Block) -> bool {
        let mut at = Some(b);
        while let Some(block) = at {
            if block == a {
                return true;
            }
            at = self.immediate(flow, block);
        }
        false
    }
}

/// The successors of a block, by position; the virtual exit for one that returns.
fn successors(function: &Function, flow: &Flow, position: u32) -> impl Iterator<Item = u32> {
    let block = flow.order[position as usize];
    let targets = function.blocks[block].end.targets();
    let end = (targets[0].is_none() && !function.faults(block)).then_some(flow.order.len() as u32);
    let positions = targets.map(|target| target.map(|block| flow.position(block)));
    positions.into_iter().flatten().chain(end)
}

/// The positions of blocks in reverse postorder of the reversed edges, from the exit; [`NONE`] for
/// blocks without a path to it.
fn ranks(function: &Function, flow: &Flow) -> Vec<u32> {
    let end = flow.order.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); end + 1];
    for position in 0..end as u32 {
        for successor in successors(function, flow, position) {
            before[successor as usize].push(position);
        }
    }
    let mut ranks = filled(NONE, end + 1);
    let mut seen = vec![false; end + 1];
    seen[end] = true;
    let mut stack = vec![(end as u32, 0)];
    let mut last = Vec::new();
    while let Some((position, next)) = stack.pop() {
        match before[position as usize].get(next) {
            Some(&predecessor) => {
                stack.push((position, next + 1));
                if !std::mem::replace(&mut seen[predecessor as usize], true) {
                    stack.push((predecessor, 0));
                }
            }
            None => last.push(position),
        }
    }
    for (rank, position) in last.into_iter().rev().enumerate() {
        ranks[position as usize] = rank as u32;
    }
    ranks
}
