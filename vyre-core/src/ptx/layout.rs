//! The order in which blocks are written.
//!
//! Where two paths part and meet again, the last one runs into the meeting point, and the other one jumps over it. ptxas keeps
//! that order. A path of one block that is shorter than the other is therefore written last: the jump costs the longer one
//! less. So the common arguments of a function of mathematics save a jump in some twenty instructions, since those that are
//! rare take the longer path.

use crate::ssa::graph::Flow;
use crate::ssa::{Block, Function, Terminator};

/// The blocks in reverse postorder, but for short paths, which follow the longer ones beside them.
pub(super) fn order(function: &Function, graph: &Flow) -> Vec<Block> {
    let mut order = graph.order.clone();
    for at in (1..order.len()).rev() {
        let block = order[at];
        let Terminator::Jump(edge) = &function.blocks[block].end else {
            continue;
        };
        let meeting = graph.position(edge.block) as usize;
        let is_arm = meeting > at + 1
            && order.get(meeting) == Some(&edge.block)
            && graph.predecessors(block) == [order[at - 1]]
            && matches!(function.blocks[order[at - 1]].end, Terminator::Branch { .. });
        let length = |blocks: &[Block]| {
            blocks
                .iter()
                .map(|&block| function.blocks[block].body.len())
                .sum::<usize>()
        };
        if is_arm && length(&order[at..=at]) < length(&order[at + 1..meeting]) {
            order[at..meeting].rotate_left(1);
        }
    }
    order
}
