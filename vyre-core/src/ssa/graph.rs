//! Order, dominators and loops of a function's blocks.
//!
//! Everything here is an index into side tables, computed in linear time but for the dominators,
//! whose fixed point takes two rounds over the blocks of a structured program. Compute it again
//! after a pass that changes edges.

use super::function::{Block, Function};

/// No block, or no loop.
pub(crate) const NONE: u32 = u32::MAX;

/// The blocks that control reaches, in an order in which a block follows those that dominate it.
#[derive(Debug)]
pub(crate) struct Graph {
    /// The blocks in reverse postorder.
    pub(crate) order: Vec<Block>,
    /// For each block its place in `order`, or [`NONE`].
    position: Vec<u32>,
    /// The blocks with an edge to each, by position, one after the other; a block with two edges
    /// to the same one is there twice.
    predecessors: Vec<Block>,
    /// Where each block's predecessors start, by position; one more at the end.
    starts: Vec<u32>,
    /// The position of each block's immediate dominator, by position; the entry's is its own.
    dominator: Vec<u32>,
    /// The first and last number of each block's subtree in a walk of the dominator tree.
    subtree: Vec<(u32, u32)>,
}

impl Graph {
    /// Looks through a function.
    pub(crate) fn of(function: &Function) -> Graph {
        let mut graph = Graph {
            order: Vec::with_capacity(function.blocks.len()),
            position: vec![NONE; function.blocks.len()],
            predecessors: Vec::new(),
            starts: Vec::new(),
            dominator: Vec::new(),
            subtree: Vec::new(),
        };
        graph.sort(function);
        graph.collect_predecessors(function);
        graph.dominate();
        graph.number_subtrees();
        graph
    }

    /// The place of a block in [`order`](Graph::order), or [`NONE`].
    pub(crate) fn position(&self, block: Block) -> u32 {
        self.position[block.index()]
    }

    /// The blocks with an edge to a block, once for each edge.
    pub(crate) fn predecessors(&self, block: Block) -> &[Block] {
        let position = self.position[block.index()] as usize;
        &self.predecessors[self.starts[position] as usize..self.starts[position + 1] as usize]
    }

    /// Whether every way to `b` leads through `a`; a block dominates itself.
    pub(crate) fn dominates(&self, a: Block, b: Block) -> bool {
        let (first, last) = self.subtree[self.position[a.index()] as usize];
        let (number, _) = self.subtree[self.position[b.index()] as usize];
        first <= number && number <= last
    }

    /// Depth-first search with a stack of blocks and the number of edges already followed.
    fn sort(&mut self, function: &Function) {
        // Any mark but NONE says that the search has been there.
        let mut stack = vec![(function.entry(), 0)];
        self.position[function.entry().index()] = 0;
        let mut last = Vec::with_capacity(function.blocks.len());
        while let Some((block, followed)) = stack.last_mut() {
            // The first edge is followed last, so that its target stands right behind the block.
            let next = function.blocks[*block].end.edges().rev().nth(*followed);
            *followed += 1;
            match next {
                Some(edge) => {
                    let position = &mut self.position[edge.block.index()];
                    if *position == NONE {
                        *position = 0;
                        stack.push((edge.block, 0));
                    }
                }
                None => {
                    last.push(*block);
                    stack.pop();
                }
            }
        }
        last.reverse();
        for (position, block) in last.iter().enumerate() {
            self.position[block.index()] = position as u32;
        }
        self.order = last;
    }

    fn collect_predecessors(&mut self, function: &Function) {
        let mut counts = vec![0u32; self.order.len() + 1];
        for &block in &self.order {
            for edge in function.blocks[block].end.edges() {
                counts[self.position[edge.block.index()] as usize + 1] += 1;
            }
        }
        for index in 1..counts.len() {
            counts[index] += counts[index - 1];
        }
        self.starts = counts.clone();
        self.predecessors = vec![function.entry(); counts.last().map_or(0, |&count| count as usize)];
        for &block in &self.order {
            for edge in function.blocks[block].end.edges() {
                let slot = &mut counts[self.position[edge.block.index()] as usize];
                self.predecessors[*slot as usize] = block;
                *slot += 1;
            }
        }
    }

    /// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm".
    fn dominate(&mut self) {
        let mut dominator = vec![NONE; self.order.len()];
        dominator[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for position in 1..self.order.len() {
                let mut common = NONE;
                for &predecessor in self.predecessors(self.order[position]) {
                    let mut other = self.position[predecessor.index()];
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
        self.dominator = dominator;
    }

    /// Numbers the dominator tree depth first. Children follow their parents in `order`, so sizes
    /// add up from the back and numbers are dealt out from the front.
    fn number_subtrees(&mut self) {
        let count = self.order.len();
        let mut size = vec![1u32; count];
        for position in (1..count).rev() {
            size[self.dominator[position] as usize] += size[position];
        }
        let mut next = vec![0u32; count];
        self.subtree = vec![(0, 0); count];
        for position in 0..count {
            let number = if position == 0 {
                0
            } else {
                let parent = self.dominator[position] as usize;
                let number = next[parent];
                next[parent] += size[position];
                number
            };
            next[position] = number + 1;
            self.subtree[position] = (number, number + size[position] - 1);
        }
    }
}

/// The natural loops of a function.
#[derive(Debug)]
pub(crate) struct Loops {
    /// The loops; an inner one follows those around it.
    pub(crate) loops: Vec<Loop>,
    /// For each block the innermost loop around it, or [`NONE`].
    innermost: Vec<u32>,
}

/// A natural loop.
#[derive(Debug)]
pub(crate) struct Loop {
    /// The block through which control enters; the target of the edges back.
    pub(crate) header: Block,
    /// The loop around this one, or [`NONE`].
    pub(crate) parent: u32,
    /// The blocks of the loop in the function's order, the header first.
    pub(crate) blocks: Vec<Block>,
    /// The blocks with an edge back.
    pub(crate) latches: Vec<Block>,
}

impl Loops {
    /// Finds the loops. Structured programs have no others.
    pub(crate) fn of(function: &Function, graph: &Graph) -> Loops {
        let mut loops = Loops {
            loops: Vec::new(),
            innermost: vec![NONE; function.blocks.len()],
        };
        // Outer headers come first in the order, so the innermost loop is the last to claim a block.
        let mut stamp = vec![NONE; function.blocks.len()];
        for &header in &graph.order {
            let latches: Vec<Block> = graph
                .predecessors(header)
                .iter()
                .copied()
                .filter(|&latch| graph.dominates(header, latch))
                .collect();
            if latches.is_empty() {
                continue;
            }
            let number = loops.loops.len() as u32;
            stamp[header.index()] = number;
            let mut blocks = vec![header];
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if stamp[block.index()] != number {
                    stamp[block.index()] = number;
                    blocks.push(block);
                    work.extend_from_slice(graph.predecessors(block));
                }
            }
            blocks.sort_unstable_by_key(|&block| graph.position(block));
            let parent = loops.innermost[header.index()];
            for block in &blocks {
                loops.innermost[block.index()] = number;
            }
            loops.loops.push(Loop {
                header,
                parent,
                blocks,
                latches,
            });
        }
        loops
    }
}
