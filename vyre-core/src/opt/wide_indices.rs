//! Indices of 32 bits that are [sums](crate::analysis::assume) of 64 bits under an assumption become these in addresses.
//!
//! **Algorithm.** Behind the check of such an index, its products with the sizes of elements, by which addresses are
//! computed, become those of the sum of 64 bits. Constants and counters of unrolled loops then end in the offsets of accesses, and
//! elements beside each other share an address. The check itself, which is about to go, stays as it is, and
//! so do addresses that are known before it.
//!
//! **Before:** simplified; all checks are there. **Cost:** one walk if there are such indices.

use vyre_ir::ir::{BinaryOp, Scalar, Span};

use crate::analysis::assume::{Part, Wide};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Ty, Value};

/// Replaces the extensions of indices by sums.
pub(crate) fn run(function: &mut Function, graph: &Graph, wide: &[Wide]) {
    if wide.is_empty() {
        return;
    }
    // The blocks of the checks that the walk has come to.
    let mut homes: Vec<Option<Block>> = vec![None; wide.len()];
    for block in graph.dominator_order() {
        let old = std::mem::take(&mut function.blocks[block].body);
        let mut body = Vec::with_capacity(old.len());
        for value in old {
            let found = match function.op(value) {
                Op::Guard { .. } => {
                    if let Some(at) = wide.iter().position(|of| of.guard == value) {
                        homes[at] = Some(block);
                    }
                    None
                }
                Op::MulWide { signed: false, a, b } => function.as_constant(b).map(|size| (a, size)),
                // Elements of one byte.
                Op::Offset { bytes, .. } => function.as_zero_extended(bytes).map(|index| (index, 1)),
                _ => None,
            };
            if let Some((index, size)) = found {
                let is_behind = |home: &Option<Block>| home.is_some_and(|home| graph.dominates(home, block));
                let mut known = wide.iter().zip(&homes);
                if let Some((of, _)) = known.find(|(of, home)| of.index == index && is_behind(home)) {
                    let sum = sum(function, of, function.values[value].span, &mut body);
                    let b = function.constant(Ty::I64, size);
                    match &mut function.values[value].op {
                        Op::Offset { bytes, .. } => *bytes = sum,
                        op => {
                            *op = Op::Binary {
                                op: BinaryOp::Mul,
                                scalar: Scalar::U64,
                                a: sum,
                                b,
                            };
                        }
                    }
                }
            }
            body.push(value);
        }
        function.blocks[block].body = body;
    }
}

/// A sum of 64 bits, whose operations are added to a block.
fn sum(function: &mut Function, of: &Wide, span: Span, body: &mut Vec<Value>) -> Value {
    let mut add = |function: &mut Function, op: Op| {
        let value = function.add_value(op, Ty::I64, span);
        body.push(value);
        value
    };
    let (from, to) = (Scalar::U32, Scalar::U64);
    let mut sum = add(function, Op::Convert { from, to, a: of.word });
    for &part in of.parts.iter().rev() {
        let b = match part {
            Part::Constant(bits) => function.constant(Ty::I64, bits as u64),
            Part::Word(word) => add(function, Op::Convert { from, to, a: word }),
        };
        let (op, scalar) = (BinaryOp::Add, Scalar::U64);
        sum = add(function, Op::Binary { op, scalar, a: sum, b });
    }
    sum
}
