//! Names all lanes of the warp in operations among a tile to which whole warps come.
//!
//! A shuffle selects its source within the tile by itself, and the other operations need the tile's lanes of their results
//! alone, so the lanes that are named decide only which are waited for. An entry without operations among part of a warp
//! needs none of what keeps ptxas from assuming that lanes are converged (quirk `diverged_tiles`), which costs branches
//! and barriers.
//!
//! A tile then waits for the others of its warp. They come, unless they wait for what the tile does afterwards: so
//! nothing is done in entries with loops around an atomic access or volatile load, by which threads wait for others, nor
//! in those with inline PTX, which may wait in any way.
//!
//! **Before and after:** any valid graph. **Cost:** that of the analysis; nothing for functions without tiles.

use vyre_ir::ir::{Access, BinaryOp, Scalar};

use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::{Group, Uniformity};
use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, Value};

/// Widens the operations; returns true if it has added some that may be simplified.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> bool {
    let order = &forest.graph.order;
    let has_tile = |function: &Function| {
        let values = order.iter().flat_map(|&block| &function.blocks[block].body);
        values.copied().any(|value| members(function, value).is_some())
    };
    if !has_tile(function) || may_wait(function, forest) {
        return false;
    }
    let uniformity = Uniformity::of(function, forest, Group::Warp);
    let all = function.constant(Ty::I32, u64::from(u32::MAX));
    let mut changed = false;
    for &block in order {
        if !uniformity.together(block) {
            continue;
        }
        let mut at = 0;
        while let Some(&value) = function.blocks[block].body.get(at) {
            at += 1;
            let Some(tile) = members(function, value) else {
                continue;
            };
            let Op::Intrinsic { intrinsic, operands } = function.op(value) else {
                continue;
            };
            let mut operands = function.lists.get(operands).to_vec();
            operands.pop();
            operands.push(all);
            let operands = function.lists.add(&operands);
            let wide = Op::Intrinsic { intrinsic, operands };
            if !yields_lanes(wide) {
                function.values[value].op = wide;
                continue;
            }
            let span = function.values[value].span;
            let lanes = function.add_value(wide, Ty::I32, span);
            function.blocks[block].body.insert(at - 1, lanes);
            at += 1;
            function.values[value].op = Op::Binary {
                op: BinaryOp::And,
                scalar: Scalar::U32,
                a: lanes,
                b: tile,
            };
            changed = true;
        }
    }
    changed
}

/// The lanes that an operation names, if they are part of a warp.
fn members(function: &Function, value: Value) -> Option<Value> {
    let Op::Intrinsic { intrinsic, operands } = function.op(value) else {
        return None;
    };
    intrinsic.row().tile?;
    let members = *function.lists.get(operands).last()?;
    (function.as_constant(members) != Some(u64::from(u32::MAX))).then_some(members)
}

/// True of operations whose result is a mask of lanes.
fn yields_lanes(op: Op) -> bool {
    use vyre_ir::ir::Intrinsic::{Ballot, MatchAny};
    matches!(
        op,
        Op::Intrinsic {
            intrinsic: Ballot { .. } | MatchAny { .. },
            ..
        }
    )
}

/// True if a loop may wait for what other threads write, or inline PTX, which may have loops of its own.
fn may_wait(function: &Function, forest: &LoopForest) -> bool {
    let mut all = forest
        .graph
        .order
        .iter()
        .flat_map(|&block| &function.blocks[block].body);
    if all.any(|&value| matches!(function.op(value), Op::Ptx { .. })) {
        return true;
    }
    let blocks = forest.loops.iter().flat_map(|this| &this.blocks);
    let mut values = blocks.flat_map(|&block| &function.blocks[block].body);
    values.any(|&value| {
        matches!(
            function.op(value),
            Op::Atomic { .. }
                | Op::Load {
                    access: Access::Volatile,
                    ..
                }
        )
    })
}
