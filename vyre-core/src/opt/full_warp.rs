//! Exits a warp before `mma` or `ldmatrix` if one of its lanes has faulted: both need all 32 lanes.
//!
//! **Algorithm.** A warp is whole where a kernel begins, may not be behind a guard or poll, and is again behind a look
//! at who is there. An optimistic fixed point over the blocks finds out where it is for certain; a product
//! or load that stands elsewhere gets a ballot in front.
//!
//! **Before:** the last pass, for kernels with matrices that can fault. **Cost:** linear for each round.

use crate::ir::{BinaryOp, Scalar};
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Function, Span, Ty, Value};

/// Adds the ballots.
pub(crate) fn run(function: &mut Function, graph: &Flow) {
    // Whether warps are whole at the end of each block.
    let mut ends = vec![true; function.blocks.len()];
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

fn is_of_matrices(op: Op) -> bool {
    matches!(op, Op::Product { .. } | Op::LoadMatrices { .. })
}

/// Whether the warp is whole behind an operation.
fn behind(op: Op, before: bool) -> bool {
    match op {
        Op::Guard { .. } | Op::Poll(_) | Op::Claim { .. } | Op::Fault(_) => false,
        _ => before || is_of_matrices(op),
    }
}

/// Leaves unless all lanes are there.
fn look(function: &mut Function, body: &mut Vec<Value>) {
    let (everyone, all) = (
        function.constant(Ty::Bool, 1),
        function.constant(Ty::I32, u64::from(u32::MAX)),
    );
    let mut add = |op: Op, ty: Ty| {
        let value = function.add_value(op, ty, Span::NONE);
        body.push(value);
        value
    };
    let there = add(Op::Ballot(everyone, all), Ty::I32);
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
