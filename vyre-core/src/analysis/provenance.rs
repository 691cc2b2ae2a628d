//! Pointer provenance: for each pointer the root that it was offset from.
//!
//! **Algorithm.** An optimistic fixed point: a pointer starts out as coming from nowhere, and a
//! parameter comes from where all its arguments do. A pointer read from memory may come from
//! anywhere. Distinct parameters of a kernel do not overlap if one of them may be written, and
//! neither do distinct variables; so accesses through pointers of distinct known roots are
//! independent.
//!
//! **Cost:** linear per iteration; loops that carry pointers need a second one.

use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, Value};

/// The origin of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Nothing is known yet, or the pointer is null.
    Nowhere,
    /// This argument or address.
    Value(Value),
    /// One of several, or unknown.
    Anywhere,
}

/// The roots of a function's pointers.
pub(crate) struct Provenance {
    roots: Vec<Root>,
}

impl Provenance {
    /// Computes the roots of a function's pointers.
    pub(crate) fn of(function: &Function, graph: &Flow) -> Provenance {
        let mut provenance = Provenance {
            roots: vec![Root::Nowhere; function.values.len()],
        };
        while provenance.iterate(function, graph) {}
        provenance
    }

    /// The root of a pointer.
    pub(crate) fn root(&self, function: &Function, pointer: Value) -> Root {
        match function.op(pointer) {
            Op::Constant(_) => Root::Nowhere,
            op if op.is_root() => Root::Value(pointer),
            _ => self.roots[pointer.index()],
        }
    }

    fn iterate(&mut self, function: &Function, graph: &Flow) -> bool {
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
