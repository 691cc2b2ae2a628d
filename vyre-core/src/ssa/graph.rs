//! Order and dominators of a function's blocks.
//!
//! The data are indices in side tables, computed in linear time except for the dominators, whose
//! fixed point takes two iterations over the blocks of a structured program. Compute it again after
//! a pass that changes edges.
//!
//! Most passes compute these, in unoptimised macros, where indexing a slice is much faster than
//! indexing a `Vec`, and a `match` is faster than an iterator: hence the style of the loops here.

use std::ops::Deref;

use super::filled;
use super::function::{Block, Function};

/// No block, or no loop.
pub(crate) const NONE: u32 = u32::MAX;

/// The reachable blocks, in an order in which a block follows those that dominate it.
#[derive(Debug)]
pub(crate) struct Flow {
    /// The blocks in reverse postorder.
    pub(crate) order: Vec<Block>,
    /// The position of each block in `order`, or [`NONE`].
    position: Vec<u32>,
    /// The predecessors of each block, by position, one after the other; a block with two edges to
    /// the same one is listed twice.
    predecessors: Vec<Block>,
    /// The start of each block's predecessors, by position; one more at the end.
    starts: Vec<u32>,
}

impl Flow {
    /// Looks through a function.
    pub(crate) fn of(function: &Function) -> Flow {
        let mut flow = Flow {
            order: Vec::with_capacity(function.blocks.len()),
            position: vec![0; function.blocks.len()],
            predecessors: Vec::new(),
            starts: Vec::new(),
        };
        flow.sort(function);
        flow.collect_predecessors(function);
        flow
    }

    /// The position of a block in [`order`](Flow::order), or [`NONE`].
    pub(crate) fn position(&self, block: Block) -> u32 {
        self.position[block.index()]
    }

    /// The predecessors of a block, once per edge.
    pub(crate) fn predecessors(&self, block: Block) -> &[Block] {
        self.predecessors_at(self.position[block.index()] as usize)
    }

    fn predecessors_at(&self, position: usize) -> &[Block] {
        let starts = self.starts.as_slice();
        &self.predecessors[starts[position] as usize..starts[position + 1] as usize]
    }

    /// Depth-first search with a stack of blocks and their numbers of unvisited edges.
    fn sort(&mut self, function: &Function) {
        // During the search, 1 marks visited blocks.
        let position = self.position.as_mut_slice();
        position[function.entry().index()] = 1;
        let mut stack = vec![(function.entry(), 2)];
        let mut last = Vec::with_capacity(function.blocks.len());
        while let Some((block, left)) = stack.pop() {
            if left == 0 {
                last.push(block);
                continue;
            }
            stack.push((block, left - 1));
            // The first edge is visited last, so that its target directly follows the block.
            if let Some(target) = function.blocks[block].end.targets()[left - 1]
                && position[target.index()] == 0
            {
                position[target.index()] = 1;
                stack.push((target, 2));
            }
        }
        last.reverse();
        position.fill(NONE);
        for (number, block) in last.iter().enumerate() {
            position[block.index()] = number as u32;
        }
        self.order = last;
    }

    fn collect_predecessors(&mut self, function: &Function) {
        let position = self.position.as_slice();
        // Two more than the position: summed up, a count becomes the start of the next block, and
        // the start becomes its end as the block is filled.
        let mut starts = vec![0u32; self.order.len() + 2];
        let slots = starts.as_mut_slice();
        let mut edges = Vec::with_capacity(2 * self.order.len());
        let mut note = |target: Option<Block>, block: Block| {
            if let Some(target) = target {
                let to = position[target.index()] as usize;
                slots[to + 2] += 1;
                edges.push((to, block));
            }
        };
        for &block in &self.order {
            let [first, second] = function.blocks[block].end.targets();
            note(first, block);
            note(second, block);
        }
        for index in 1..slots.len() {
            slots[index] += slots[index - 1];
        }
        self.predecessors = vec![function.entry(); edges.len()];
        let predecessors = self.predecessors.as_mut_slice();
        for &(to, block) in &edges {
            let slot = &mut slots[to + 1];
            predecessors[*slot as usize] = block;
            *slot += 1;
        }
        starts.pop();
        self.starts = starts;
    }
}

/// The order of the blocks, and their dominators.
#[derive(Debug)]
pub(crate) struct Graph {
    flow: Flow,
    /// The position of each block's immediate dominator, by position; the entry's is its own.
    dominator: Vec<u32>,
    /// The first and last number of each block's subtree in a walk of the dominator tree.
    subtree: Vec<(u32, u32)>,
}

impl Deref for Graph {
    type Target = Flow;

    fn deref(&self) -> &Flow {
        &self.flow
    }
}

impl Graph {
    /// Looks through a function.
    pub(crate) fn of(function: &Function) -> Graph {
        let mut graph = Graph {
            flow: Flow::of(function),
            dominator: Vec::new(),
            subtree: Vec::new(),
        };
        graph.dominate();
        graph.number_subtrees();
        graph
    }

    /// The order only.
    pub(crate) fn into_flow(self) -> Flow {
        self.flow
    }

    /// True if every path to `b` goes through `a`; a block dominates itself.
    pub(crate) fn dominates(&self, a: Block, b: Block) -> bool {
        let (first, last) = self.subtree[self.position[a.index()] as usize];
        let (number, _) = self.subtree[self.position[b.index()] as usize];
        first <= number && number <= last
    }

    /// The position of the immediate dominator of the block at a position; the entry's is its own.
    pub(crate) fn dominator(&self, position: u32) -> u32 {
        self.dominator[position as usize]
    }

    /// The number of a block in a walk of the dominator tree, parents first: the blocks that one dominates have the
    /// numbers from its own on.
    pub(crate) fn number(&self, block: Block) -> u32 {
        self.subtree[self.position[block.index()] as usize].0
    }

    /// The blocks in dominator-tree preorder: each followed by all blocks that it dominates. A
    /// block also follows its predecessors, except for those of back edges: the blocks that lead to
    /// a join are dominated by children of the join's dominator, and these are numbered in the
    /// order of the blocks.
    pub(crate) fn dominator_order(&self) -> Vec<Block> {
        let mut blocks = self.order.clone();
        for &block in &self.order {
            blocks[self.number(block) as usize] = block;
        }
        blocks
    }

    /// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
    fn dominate(&mut self) {
        let flow = &self.flow;
        let places = flow.position.as_slice();
        let mut dominators = filled(NONE, flow.order.len());
        let dominator = dominators.as_mut_slice();
        dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..dominator.len() {
                let mut common = NONE;
                for &predecessor in flow.predecessors_at(position) {
                    let mut other = places[predecessor.index()];
                    if dominator[other as usize] == NONE {
                        continue;
                    }
                    if common == NONE {
                        common = other;
                        continue;
                    }
                    while common != other {
                        if common > other {
                            common = dominator[common as usize];
                        } else {
                            other = dominator[other as usize];
                        }
                    }
                }
                if dominator[position] != common {
                    dominator[position] = common;
                    changed = true;
                }
            }
        }
        self.dominator = dominators;
    }

    /// Numbers the dominator tree depth first. Children follow their parents in `order`, so sizes
    /// are summed from the back and numbers are assigned from the front.
    fn number_subtrees(&mut self) {
        let dominator = self.dominator.as_slice();
        let count = dominator.len();
        let mut sizes = vec![1u32; count];
        let size = sizes.as_mut_slice();
        for position in (1..count).rev() {
            size[dominator[position] as usize] += size[position];
        }
        let mut nexts = vec![0u32; count];
        let next = nexts.as_mut_slice();
        self.subtree = vec![(0, 0); count];
        let subtree = self.subtree.as_mut_slice();
        for position in 0..count {
            let number = if position == 0 {
                0
            } else {
                let parent = dominator[position] as usize;
                let number = next[parent];
                next[parent] += size[position];
                number
            };
            next[position] = number + 1;
            subtree[position] = (number, number + size[position] - 1);
        }
    }
}
