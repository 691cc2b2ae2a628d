//! Dominance frontiers: for each block the joins at which its dominance ends.
//!
//! **Algorithm.** Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm": from each predecessor
//! of a join a walk up the dominator tree, to the join's immediate dominator, passes the blocks in whose
//! frontier the join is.
//!
//! **Cost:** linear in the frontiers. These are short in structured programs: a block's dominance ends at
//! the next join and at the headers of the loops around it.

use crate::ssa::graph::{Graph, NONE};
use crate::ssa::{Block, filled};

/// For each block the joins that it does not dominate strictly, but one of whose predecessors it dominates.
pub(crate) struct Frontiers {
    /// The frontiers by position of the block, one after the other.
    joins: Vec<Block>,
    /// The start of each one; one more at the end.
    starts: Vec<u32>,
}

impl Frontiers {
    /// Looks through a graph.
    pub(crate) fn of(graph: &Graph) -> Frontiers {
        // Block and join, by positions.
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        // For each block the last join whose walks passed it.
        let mut passed = filled(NONE, graph.order.len());
        // Two more than the position: summed up, a count becomes the start of the next block, and
        // the start becomes its end as the frontier is filled.
        let mut starts = vec![0u32; graph.order.len() + 2];
        for join in 0..graph.order.len() as u32 {
            let predecessors = graph.predecessors(graph.order[join as usize]);
            if predecessors.len() < 2 {
                continue;
            }
            let end = graph.dominator(join);
            for &predecessor in predecessors {
                let mut block = graph.position(predecessor);
                while block != end && passed[block as usize] != join {
                    passed[block as usize] = join;
                    pairs.push((block, join));
                    starts[block as usize + 2] += 1;
                    block = graph.dominator(block);
                }
            }
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut joins = filled(graph.order[0], pairs.len());
        for (block, join) in pairs {
            let slot = &mut starts[block as usize + 1];
            joins[*slot as usize] = graph.order[join as usize];
            *slot += 1;
        }
        starts.pop();
        Frontiers { joins, starts }
    }

    /// The frontier of the block at a position of the graph's order.
    pub(crate) fn at(&self, position: u32) -> &[Block] {
        let position = position as usize;
        &self.joins[self.starts[position] as usize..self.starts[position + 1] as usize]
    }
}
