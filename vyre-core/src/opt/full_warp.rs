//! Exits a warp before `mma` or `ldmatrix` if one of its lanes has faulted: both need all 32 lanes.
//!
//! **Algorithm.** A warp is full at the start of a kernel, possibly not after a guard, a poll or a branch to a fault, and
//! full again after a check by a ballot. An optimistic fixed point over the blocks determines where
//! it is full for certain; any other product or load gets a ballot before it.
//!
//! **Before:** the last pass, for kernels with matrices that can fault. **Cost:** linear per
//! iteration.

use vyre_ir::ir::{BinaryOp, Scalar};

use crate::ssa::build::warp::ballot;
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Function, Span, Ty, Value};

/// Adds the ballots.
pub(crate) fn run(function: &mut Function, graph: &Flow) {
    // For each block, true if warps are full at its end.
    let mut ends = vec![true; function.blocks.len()];
    let faults = faults(function, graph);
    let is_whole_before =
        |ends: &[bool], block: crate::ssa::Block| graph.predecessors(block).iter().all(|before| ends[before.index()]);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &graph.order {
            let mut whole = is_whole_before(&ends, block);
            for &value in &function.blocks[block].body {
                whole = behind(function.op(value), whole);
            }
            let mut targets = function.blocks[block].end.targets().into_iter().flatten();
            whole &= !targets.any(|target| faults[target.index()]);
            changed |= std::mem::replace(&mut ends[block.index()], whole) != whole;
        }
    }
    for &block in &graph.order {
        let mut whole = is_whole_before(&ends, block);
        let old = std::mem::take(&mut function.blocks[block].body);
        let mut body = Vec::with_capacity(old.len());
        for value in old {
            let op = function.op(value);
            if is_of_matrices(op) && !whole {
                look(function, &mut body);
            }
            whole = behind(op, whole);
            body.push(value);
        }
        function.blocks[block].body = body;
    }
}

/// For each block, true if all threads that come to it fault.
fn faults(function: &Function, graph: &Flow) -> Vec<bool> {
    let mut faults = vec![false; function.blocks.len()];
    // Successors first: blocks that all end in a fault are no loop.
    for &block in graph.order.iter().rev() {
        let mut targets = function.blocks[block].end.targets().into_iter().flatten().peekable();
        faults[block.index()] = match targets.peek() {
            Some(_) => targets.all(|target| faults[target.index()]),
            None => function.faults(block),
        };
    }
    faults
}

fn is_of_matrices(op: Op) -> bool {
    matches!(op, Op::Intrinsic { intrinsic, .. } if intrinsic.row().whole_warps)
}

/// True if the warp is full after an operation.
fn behind(op: Op, before: bool) -> bool {
    match op {
        Op::Guard { .. } | Op::Poll(_) | Op::Claim { .. } | Op::Fault(_) => false,
        _ => before || is_of_matrices(op),
    }
}

/// Exits unless all lanes are active.
fn look(function: &mut Function, body: &mut Vec<Value>) {
    let (everyone, all) = (
        function.constant(Ty::Bool, 1),
        function.constant(Ty::I32, u64::from(u32::MAX)),
    );
    let ballot = ballot(function, everyone, all);
    let mut add = |op: Op, ty: Ty| {
        let value = function.add_value(op, ty, Span::NONE);
        body.push(value);
        value
    };
    let there = add(ballot, Ty::I32);
    let (op, scalar) = (BinaryOp::Lt, Scalar::U32);
    let some = add(
        Op::Binary {
            op,
            scalar,
            a: there,
            b: all,
        },
        Ty::Bool,
    );
    add(Op::Leave(some), Ty::Unit);
}
