//! Replaces ballots of the present lanes by masks that are known without asking: that of all lanes where none can be
//! missing, and otherwise that of an earlier ballot since which no lane can have exited.
//!
//! Warp operations in branches and loops ask by a ballot which lanes are there, since a thread that does not enter a
//! branch or iteration may have exited. If no branch that the threads of a warp take differently decides whether they
//! come to the ballot, all of them come, equally often. And those of an earlier ballot come to a later one in the same
//! iteration if the later one stands on all their paths to the exit, or behind branches that they take alike. Lanes that
//! are there and do not come are against the rule that all lanes of a warp reach the same operation.
//!
//! **Algorithm.** One walk down the dominator tree that asks [`Uniformity`] about the blocks, and keeps for each the
//! latest ballots whose lanes all come to its end.
//!
//! **Before and after:** any valid graph. Threads that have exited by a fault count as present: after a fault results do
//! not matter. **Cost:** that of the analysis; nothing for functions without such ballots.

use vyre_ir::ir::{BinaryOp, Scalar, WARP_SIZE};

use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::{Group, Uniformity};
use crate::ssa::build::warp::asked;
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Ty, Value};

/// Replaces the ballots; returns true if it has replaced one.
pub(crate) fn run(function: &mut Function) -> bool {
    let is_ballot = |(value, _)| asked(function, value).is_some();
    if !function.values.iter().any(is_ballot) {
        return false;
    }
    let forest = LoopForest::as_is(function);
    let has_ballot = |&block: &Block| {
        let body = &function.blocks[block].body;
        body.iter().any(|&value| asked(function, value).is_some())
    };
    if !forest.graph.order.iter().any(has_ballot) {
        return false;
    }
    let whole_warps = function.block_size.iter().product::<u32>().is_multiple_of(WARP_SIZE);
    let uniformity = Uniformity::of(function, &forest, Group::Warp);
    let graph = &forest.graph;
    // For each block, by position, pairs of a mask of lanes and that of those that are there.
    let mut known: Vec<Vec<(Value, Value)>> = vec![Vec::new(); graph.order.len()];
    let mut changed = false;
    for block in graph.dominator_order() {
        let position = graph.position(block);
        let dominator = graph.dominator(position);
        let before = graph.order[dominator as usize];
        let mut ballots = match position != dominator
            && forest.same_loops(before, block)
            && uniformity.follows(function, graph, before, block)
        {
            true => known[dominator as usize].clone(),
            false => Vec::new(),
        };
        if let Some((ballot, mask)) = equal_behind(function, graph, before, block)
            && let Some(known) = ballots.iter_mut().find(|(_, known)| *known == ballot)
        {
            known.1 = mask;
        }
        for at in 0..function.blocks[block].body.len() {
            let value = function.blocks[block].body[at];
            let Some(members) = asked(function, value) else {
                continue;
            };
            let earlier = ballots.iter().find(|(lanes, _)| *lanes == members);
            let mask = match earlier {
                _ if whole_warps && uniformity.together(block) => members,
                Some(&(_, present)) => present,
                None => {
                    ballots.push((members, value));
                    continue;
                }
            };
            // A copy, which value numbering removes.
            let zero = function.constant(Ty::I32, 0);
            function.values[value].op = Op::Binary {
                op: BinaryOp::Or,
                scalar: Scalar::U32,
                a: mask,
                b: zero,
            };
            changed = true;
        }
        known[position as usize] = ballots;
    }
    changed
}

/// A value and the constant that it equals in a block, if a branch at the end of the block before has compared them.
fn equal_behind(function: &Function, flow: &Flow, before: Block, block: Block) -> Option<(Value, Value)> {
    let Terminator::Branch {
        condition,
        then,
        otherwise,
    } = &function.blocks[before].end
    else {
        return None;
    };
    let is_behind = then.block == block && otherwise.block != block && flow.predecessors(block) == [before];
    match function.op(*condition) {
        Op::Binary {
            op: BinaryOp::Eq, a, b, ..
        } if is_behind && function.as_constant(b).is_some() => Some((a, b)),
        _ => None,
    }
}
