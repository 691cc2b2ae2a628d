//! Takes the low half of a product of words from the wide product whose high half is used too.
//!
//! [`gvn`](super::gvn) makes the low half a product of its own, which suits where the wide one is then not needed. ptxas
//! does not join the two again, so hashes and random generators, which need both halves, would multiply twice.
//!
//! **Algorithm.** For each block, the wide products that are shifted right by 32 there; a product of 32 bits behind
//! one of them with the same factors becomes its truncation.
//!
//! **Before:** any valid graph, after the last run of `gvn`, which would undo it. **Cost:** linear.

use std::collections::HashMap;

use vyre_ir::ir::{BinaryOp, Scalar};

use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Value};

/// Replaces the products.
pub(crate) fn run(function: &mut Function, order: &[Block]) {
    for &block in order {
        let split = split_products(function, block);
        if split.is_empty() {
            continue;
        }
        // Those before the place of the walk, by their factors.
        let mut known = HashMap::new();
        for position in 0..function.blocks[block].body.len() {
            let value = function.blocks[block].body[position];
            match function.op(value) {
                Op::MulWide { a, b, .. } if split.contains(&value) => {
                    known.insert((a, b), value);
                }
                Op::Binary {
                    op: BinaryOp::Mul,
                    scalar: Scalar::U32 | Scalar::I32,
                    a,
                    b,
                } => {
                    // The low half is the same for signed and unsigned factors.
                    if let Some(&wide) = known.get(&(a, b)) {
                        function.values[value].op = Op::Convert {
                            from: Scalar::U64,
                            to: Scalar::U32,
                            a: wide,
                        };
                    }
                }
                _ => {}
            }
        }
    }
}

/// The wide products whose high half a block takes.
fn split_products(function: &Function, block: Block) -> Vec<Value> {
    let body = function.blocks[block].body.iter();
    body.filter_map(|&value| match function.op(value) {
        Op::Binary {
            op: BinaryOp::Shr,
            a,
            b,
            ..
        } if function.as_constant(b) == Some(32) && matches!(function.op(a), Op::MulWide { .. }) => Some(a),
        _ => None,
    })
    .collect()
}
