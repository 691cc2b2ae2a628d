//! Loop-invariant code motion: moves invariant operations to the preheader.
//!
//! **Algorithm.** Loops are visited from the inside out. An operation of a loop whose operands are
//! all defined outside of it moves to the preheader; moved operations count as outside, and move on
//! when the enclosing loop is visited. Only speculatable operations move, because the loop may have
//! no iterations. Predicates stay, because there are few registers for them and they are cheap.
//!
//! **Before and after:** any valid graph. **Cost:** linear in the code, times the depth of loops.

use crate::analysis::loop_forest::LoopForest;
use crate::ssa::{Block, Function, Ty};

/// Moves invariant operations out of loops; returns true if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> bool {
    if forest.loops.is_empty() {
        return false;
    }
    let mut changed = false;
    // For each value, true if it is computed in the current loop: the loop of its original block
    // would not do once operations move.
    let mut inside = vec![false; function.values.len()];
    for this in forest.loops.iter().rev() {
        for &block in &this.blocks {
            mark(function, block, &mut inside, true);
        }
        let mut moved = Vec::new();
        for &block in &this.blocks {
            let mut body = std::mem::take(&mut function.blocks[block].body);
            body.retain(|&value| {
                let mut invariant = function.op(value).is_speculatable() && function.ty(value) != Ty::Bool;
                if invariant {
                    function.each_operand(value, |operand| invariant &= !inside[operand.index()]);
                }
                if invariant {
                    inside[value.index()] = false;
                    moved.push(value);
                }
                !invariant
            });
            function.blocks[block].body = body;
        }
        for &block in &this.blocks {
            mark(function, block, &mut inside, false);
        }
        if !moved.is_empty() {
            function.blocks[this.preheader()].body.extend(moved);
            changed = true;
        }
    }
    changed
}

fn mark(function: &Function, block: Block, marks: &mut [bool], value: bool) {
    let data = &function.blocks[block];
    for marked in data.parameters.iter().chain(&data.body) {
        if let Some(mark) = marks.get_mut(marked.index()) {
            *mark = value;
        }
    }
}
