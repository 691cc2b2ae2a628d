//! Where pointers come from: for each pointer the root that it was offset from.
//!
//! **Algorithm.** An optimistic fixed point: a pointer starts out as coming from nowhere, and a
//! parameter comes from where all its arguments do. A pointer read from memory may come from
//! anywhere. Distinct parameters of a kernel do not overlap if one of them may be written, and
//! neither do distinct variables; so accesses through pointers of distinct known roots are
//! independent.
//!
//! **Cost:** linear for each round; loops that pass pointers on take a second one.

use crate::ir::Access;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Function, Ty, Value};

/// Where a pointer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// Nothing is known yet, or the pointer is null.
    Nowhere,
    /// This argument or address.
    Value(Value),
    /// One of several.
    Anywhere,
}

/// The roots of a function's pointers.
pub(super) struct Provenance {
    roots: Vec<Root>,
}

impl Provenance {
    /// Follows the pointers of a function.
    pub(super) fn of(function: &Function, graph: &Flow) -> Provenance {
        let mut provenance = Provenance {
            roots: vec![Root::Nowhere; function.values.len()],
        };
        while provenance.round(function, graph) {}
        provenance
    }

    /// Where a pointer comes from.
    pub(super) fn root(&self, function: &Function, pointer: Value) -> Root {
        match function.op(pointer) {
            Op::Constant(_) => Root::Nowhere,
            op if op.is_root() => Root::Value(pointer),
            _ => self.roots[pointer.index()],
        }
    }

    fn round(&mut self, function: &Function, graph: &Flow) -> bool {
        let mut changed = false;
        for &block in &graph.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                if !matches!(function.ty(value), Ty::Pointer(_)) {
                    continue;
                }
                let root = match function.op(value) {
                    Op::Offset { base, .. } => self.root(function, base),
                    Op::ToGeneric(a) => self.root(function, a),
                    Op::Select { a, b, .. } => self.root(function, a).meet(self.root(function, b)),
                    _ => Root::Anywhere,
                };
                changed |= self.set(value, root);
            }
            for edge in data.end.edges() {
                let parameters = &function.blocks[edge.block].parameters;
                for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                    if matches!(function.ty(parameter), Ty::Pointer(_)) {
                        let root = self.roots[parameter.index()].meet(self.root(function, argument));
                        changed |= self.set(parameter, root);
                    }
                }
            }
        }
        changed
    }

    fn set(&mut self, value: Value, root: Root) -> bool {
        std::mem::replace(&mut self.roots[value.index()], root) != root
    }
}

impl Root {
    fn meet(self, other: Root) -> Root {
        match (self, other) {
            (Root::Nowhere, root) | (root, Root::Nowhere) => root,
            (a, b) if a == b => a,
            _ => Root::Anywhere,
        }
    }
}

/// Marks the loads from memory that nobody writes while the kernel runs: tables, parameters, and slices of a
/// kernel that are neither mutable nor made of atomics. Such loads take the read-only cache, and
/// the other passes move and share them freely.
pub(super) fn mark_constant_loads(function: &mut Function) {
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
