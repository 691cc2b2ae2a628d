//! Loop-invariant code motion: moves invariant operations to the preheader.
//!
//! **Algorithm.** Loops are visited from the inside out. An operation of a loop whose operands are
//! all defined outside of it moves to the preheader; moved operations count as outside, and move on
//! when the enclosing loop is visited. Only speculatable operations move, because the loop may have
//! no iterations. Predicates stay, because there are few registers for them and they are cheap.
//!
//! In innermost loops the invariant part of an index joins the base of the address, `p + (x + w) * c` becomes
//! `(p + x * c) + w * c`, if `w` is an extended 32-bit word or a product of two: the multiplication of a word and the
//! addition of the base are one instruction, in place of three. The sums are the same, with wrapping.
//!
//! **Before and after:** any valid graph. **Cost:** linear in the code, times the depth of loops.

use vyre_ir::ir::{BinaryOp, Scalar};

use crate::analysis::loop_forest::LoopForest;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Ty, Value};

/// Moves invariant operations out of loops, and joins their parts of indices with bases; returns true if there were any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> bool {
    hoist(function, forest, true)
}

/// The same; without `joins` the operations stay as they are.
pub(crate) fn hoist(function: &mut Function, forest: &LoopForest, joins: bool) -> bool {
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
            if joins && this.is_innermost() {
                join_bases(function, block, &mut inside, &mut moved);
            }
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

/// Moves the invariant parts of indices to the bases of addresses.
fn join_bases(function: &mut Function, block: Block, inside: &mut Vec<bool>, moved: &mut Vec<Value>) {
    let mut position = 0;
    while position < function.blocks[block].body.len() {
        let value = function.blocks[block].body[position];
        if let Some((base, bytes)) = joined(function, value, inside, moved) {
            inside.resize(function.values.len(), false);
            inside[bytes.index()] = true;
            function.values[value].op = Op::Offset { base, bytes };
            function.blocks[block].body.insert(position, bytes);
            position += 1;
        }
        position += 1;
    }
}

/// The base and the variable part of an address, if it has an invariant part to move.
fn joined(function: &mut Function, value: Value, inside: &[bool], moved: &mut Vec<Value>) -> Option<(Value, Value)> {
    let Op::Offset { base, bytes } = function.op(value) else {
        return None;
    };
    if function.ty(value) != Ty::Pointer(Space::Global) || inside[base.index()] || !inside[bytes.index()] {
        return None;
    }
    let scaled = function.op(bytes);
    let sum = match scaled {
        Op::Binary {
            op: BinaryOp::Shl | BinaryOp::Mul,
            scalar: Scalar::U64,
            a,
            b,
        } if function.as_constant(b).is_some() => a,
        _ => return None,
    };
    let Op::Binary {
        op: BinaryOp::Add,
        scalar: Scalar::U64,
        a,
        b,
    } = function.op(sum)
    else {
        return None;
    };
    let (invariant, word) = match (inside[a.index()], inside[b.index()]) {
        (false, true) => (a, b),
        (true, false) => (b, a),
        _ => return None,
    };
    let (Op::Convert {
        from: Scalar::U32,
        to: Scalar::U64,
        ..
    }
    | Op::MulWide { signed: false, .. }) = function.op(word)
    else {
        return None;
    };
    let span = function.values[value].span;
    let mut scale = |part: Value| {
        let op = scaled.with_operands(|operand| if operand == sum { part } else { operand });
        function.add_value(op, Ty::I64, span)
    };
    let (distance, bytes) = (scale(invariant), scale(word));
    let base = function.add_value(Op::Offset { base, bytes: distance }, Ty::Pointer(Space::Global), span);
    moved.extend([distance, base]);
    Some((base, bytes))
}

fn mark(function: &Function, block: Block, marks: &mut [bool], value: bool) {
    let data = &function.blocks[block];
    for marked in data.parameters.iter().chain(&data.body) {
        if let Some(mark) = marks.get_mut(marked.index()) {
            *mark = value;
        }
    }
}
