//! Infers the state space of generic pointers.
//!
//! SSA construction makes a pointer generic if it is loop-carried, loaded from memory, or one of
//! two into different memories. Accesses through generic pointers are slower and may alias
//! anything, so if all targets of a pointer lie in one space it becomes a pointer of that space.
//!
//! **Algorithm.** An optimistic fixed point over the generic pointers, then one walk that changes
//! their types and inserts conversions where a generic pointer is still required.
//!
//! **Before and after:** any valid graph. **Cost:** linear per iteration; nothing for functions
//! without generic pointers.

use vyre_ir::ir::{Scalar, Span};

use super::replacements::Replacements;
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Terminator, Ty, Value};

const GENERIC: Ty = Ty::Pointer(Space::Generic);

/// Gives generic pointers their spaces; returns true if there were any generic ones.
pub(crate) fn run(function: &mut Function) -> bool {
    if !function.values.iter().any(|(_, data)| data.ty == GENERIC) {
        return false;
    }
    let graph = Flow::of(function);
    let mut found = vec![Found::Nothing; function.values.len()];
    while iterate(function, &graph, &mut found) {}
    for (value, found) in function.values.handles().zip(&found) {
        if let (GENERIC, &Found::In(space), false) = (function.ty(value), found, function.op(value).is_root()) {
            function.values[value].ty = Ty::Pointer(space);
        }
    }
    let mut rewrite = Rewrite {
        replaced: Replacements::new(function),
        body: Vec::new(),
        function,
    };
    for &block in &graph.order {
        rewrite.block(block);
    }
    true
}

/// The possible targets of a pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Found {
    /// Nothing yet; null.
    Nothing,
    In(Space),
}

impl Found {
    fn meet(self, other: Found) -> Found {
        match (self, other) {
            (Found::Nothing, found) | (found, Found::Nothing) => found,
            (a, b) if a == b => a,
            _ => Found::In(Space::Generic),
        }
    }
}

fn of(function: &Function, found: &[Found], value: Value) -> Found {
    match (function.op(value), function.ty(value)) {
        (Op::Constant(_), _) => Found::Nothing,
        (_, GENERIC) => found[value.index()],
        (_, Ty::Pointer(space)) => Found::In(space),
        _ => Found::In(Space::Generic),
    }
}

fn iterate(function: &Function, graph: &Flow, found: &mut [Found]) -> bool {
    let mut changed = false;
    let mut set = |found: &mut [Found], value: Value, new: Found| {
        changed |= std::mem::replace(&mut found[value.index()], new) != new;
    };
    for &block in &graph.order {
        let data = &function.blocks[block];
        for &value in &data.body {
            if function.ty(value) != GENERIC {
                continue;
            }
            let new = match function.op(value) {
                Op::ToGeneric(a) => of(function, found, a),
                Op::Offset { base, .. } => of(function, found, base),
                Op::Select { a, b, .. } => of(function, found, a).meet(of(function, found, b)),
                _ => Found::In(Space::Generic),
            };
            set(found, value, new);
        }
        for edge in data.end.edges() {
            for (&parameter, &argument) in function.blocks[edge.block].parameters.iter().zip(&edge.arguments) {
                if function.ty(parameter) == GENERIC {
                    let new = found[parameter.index()].meet(of(function, found, argument));
                    set(found, parameter, new);
                }
            }
        }
    }
    changed
}

/// Adapts operands to the new types.
struct Rewrite<'f> {
    function: &'f mut Function,
    replaced: Replacements,
    body: Vec<Value>,
}

impl Rewrite<'_> {
    fn block(&mut self, block: Block) {
        let old = std::mem::take(&mut self.function.blocks[block].body);
        for value in old {
            self.replaced.operands(self.function, value);
            let mut op = self.function.op(value);
            let ty = self.function.ty(value);
            match &mut op {
                Op::ToGeneric(a) if self.function.ty(*a) == ty => {
                    self.replaced.set(value, *a);
                    continue;
                }
                Op::Offset { bytes, .. } if self.function.ty(*bytes) != ty.word() => {
                    let a = *bytes;
                    let convert = Op::Convert {
                        from: Scalar::U64,
                        to: Scalar::U32,
                        a,
                    };
                    *bytes = self.add(convert, Ty::I32);
                }
                Op::Select { a, b, .. } => {
                    *a = self.fit(*a, ty);
                    *b = self.fit(*b, ty);
                }
                // The numeric value of a pointer is unchanged.
                Op::Bits(a) if matches!(self.function.ty(*a), Ty::Pointer(_)) && self.function.ty(*a).word() != ty => {
                    *a = self.fit(*a, GENERIC);
                }
                // A pointer in memory is generic.
                Op::Store { value: stored, .. } if matches!(self.function.ty(*stored), Ty::Pointer(_)) => {
                    *stored = self.fit(*stored, GENERIC);
                }
                _ => {}
            }
            self.function.values[value].op = op;
            self.body.push(value);
        }
        let mut end = std::mem::replace(&mut self.function.blocks[block].end, Terminator::Return);
        end.visit(|operand| *operand = self.resolve(*operand));
        for edge in end.edges_mut() {
            for (position, argument) in edge.arguments.iter_mut().enumerate() {
                let parameter = self.function.blocks[edge.block].parameters[position];
                *argument = self.fit(*argument, self.function.ty(parameter));
            }
        }
        self.function.blocks[block].end = end;
        self.function.blocks[block].body = std::mem::take(&mut self.body);
    }

    fn resolve(&self, value: Value) -> Value {
        self.replaced.resolve(value)
    }

    /// Converts a pointer to type `ty`: its own, or the generic one.
    fn fit(&mut self, value: Value, ty: Ty) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        match self.function.op(value) {
            Op::Constant(bits) => self.function.constant(ty, bits),
            _ => self.add(Op::ToGeneric(value), ty),
        }
    }

    fn add(&mut self, op: Op, ty: Ty) -> Value {
        let value = self.function.add_value(op, ty, Span::NONE);
        self.body.push(value);
        value
    }
}
