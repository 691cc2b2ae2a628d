//! Marks loads from memory that is not written while the kernel runs.

use vyre_ir::ir::Access;

use crate::analysis::provenance::{Provenance, Root};
use crate::ssa::Function;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op};

/// Marks the loads from tables, parameters, and slices of a kernel that are neither mutable nor made
/// of atomics. Such loads take the read-only cache, and other passes move and share them freely.
pub(crate) fn run(function: &mut Function) {
    let graph = Flow::of(function);
    let provenance = Provenance::of(function, &graph);
    for &block in &graph.order {
        for position in 0..function.blocks[block].body.len() {
            let value = function.blocks[block].body[position];
            let Op::Load { address, access, .. } = function.op(value) else {
                continue;
            };
            if access == Access::Volatile {
                continue;
            }
            let Root::Value(root) = provenance.root(function, address) else {
                continue;
            };
            let unwritten = match function.op(root) {
                Op::Argument { parameter, .. } => function.read_only[parameter as usize],
                Op::Address(Object::Table(_) | Object::Parameter { .. }) => true,
                _ => false,
            };
            if let Op::Load { constant, .. } = &mut function.values[value].op {
                *constant |= unwritten;
            }
        }
    }
}
