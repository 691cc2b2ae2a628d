//! Replaces ballots of the present lanes by the mask of all of them where none can be missing.
//!
//! Warp operations in branches and loops ask by a ballot which lanes are there, since a thread that does not enter a
//! branch or iteration may have exited. If no branch that the threads of a block take differently decides whether they
//! come to the ballot, all of them come, equally often.
//!
//! **Algorithm.** One walk that asks [`Uniformity`] about the blocks with such ballots.
//!
//! **Before and after:** any valid graph. Threads that have exited by a fault count as present: after a fault results do
//! not matter. **Cost:** that of the analysis; nothing for functions without such ballots.

use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::Uniformity;
use crate::ir::{BinaryOp, Scalar, WARP_SIZE};
use crate::ssa::build::warp::asked;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Ty, Value};

/// Replaces the ballots; returns true if there were any.
pub(crate) fn run(function: &mut Function) -> bool {
    let threads: u32 = function.block_size.iter().product();
    if !threads.is_multiple_of(WARP_SIZE)
        || !function
            .values
            .iter()
            .any(|(value, _)| asked(function, value).is_some())
    {
        return false;
    }
    let forest = LoopForest::as_is(function);
    let found: Vec<(Block, Value)> = (forest.graph.order.iter())
        .flat_map(|&block| function.blocks[block].body.iter().map(move |&value| (block, value)))
        .filter(|&(_, value)| asked(function, value).is_some())
        .collect();
    if found.is_empty() {
        return false;
    }
    let uniformity = Uniformity::of(function, &forest);
    let mut changed = false;
    for (block, value) in found {
        if let (true, Some(a)) = (uniformity.together(block), asked(function, value)) {
            // A copy, which value numbering removes.
            let b = function.constant(Ty::I32, 0);
            function.values[value].op = Op::Binary {
                op: BinaryOp::Or,
                scalar: Scalar::U32,
                a,
                b,
            };
            changed = true;
        }
    }
    changed
}
