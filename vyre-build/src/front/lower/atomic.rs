//! Atomic accesses.

use vyre_core::ir::{AtomicOp, BinaryOp, Handle, Local, MemoryOrder, MemoryScope, StmtKind, UnaryOp};

use super::super::methods::Does;
use super::super::tree::{Argument, Expr, MethodCall};
use super::operands::Again;
use super::place::Root;
use super::{ExprId, Lowering};
use crate::surface::Primitive;

impl Lowering<'_, '_> {
    pub(super) fn is_atomic(&self, call: &MethodCall) -> bool {
        call.method.is_some_and(|method| matches!(method.does, Does::Atomic(_)))
    }

    /// Lowers an access; with the old value where it is `wanted`, and what it was expected to be.
    pub(super) fn atomic(&mut self, call: &MethodCall, wanted: bool) -> Option<(Handle<Local>, Option<Again>)> {
        let here = self.b.span;
        let op = match call.method.map(|method| method.does) {
            Some(Does::Atomic(op)) => op,
            _ => return None,
        };
        let cell = self.tree.types.referent(call.receiver.ty);
        let cell = match self.tree.types.kind(cell) {
            super::super::types::Kind::Atomic(cell) => *cell,
            _ => Primitive::U32,
        };
        let shape = self.shape(&call.receiver)?;
        let arguments = call.arguments.iter().filter_map(|argument| match argument {
            Argument::Value(value) => Some(value),
            Argument::Order(..) | Argument::Text(_) => None,
        });
        // The place comes first, as the receiver of any method does.
        let indices = self.operands(shape.indices())?;
        let mut expected = None;
        let (statements, operands) = self.nested(|l| {
            let mut operands = l.operands(arguments)?;
            if op == AtomicOp::CompareExchange
                && wanted
                && let Some(first) = operands.first_mut()
            {
                let value = l.again(*first);
                *first = l.get(value);
                expected = Some(value);
            }
            Some(operands)
        });
        self.b.span = here;
        let mut path = self.path(&shape, &indices);
        if !statements.is_empty() {
            // Behind the comparison of the indices.
            let cell = self.b.reference(path, false);
            let cell = self.b.let_("", cell);
            self.b.append(statements);
            path = self.b.deref(self.b.local_place(cell));
        }
        let operands = operands?;
        let place = self.b.place(path);
        let ty = self.b.types().cell_value(cell.scalar());
        let result = self.b.local("", ty);
        self.fixed.push(result);
        let scope = match (call.scope, shape.root) {
            (Some(scope), _) => scope,
            (None, Root::Shared(_)) => MemoryScope::Block,
            (None, _) => MemoryScope::Device,
        };
        self.b.push(StmtKind::Atomic {
            op,
            place,
            operands,
            order: order(&call.arguments),
            scope,
            result: (wanted && op.has_result()).then_some(result),
        });
        Some((result, expected))
    }

    /// `full.wait(token)`, `full.arrive_and_wait()`.
    pub(super) fn wait(&mut self, call: &MethodCall) -> Option<()> {
        let here = self.b.span;
        let path = self.place(&call.receiver)?;
        let cell = self.b.reference(path, false);
        let cell = self.b.let_("", cell);
        let token = match call.arguments.first() {
            Some(Argument::Value(token)) => {
                let token = self.value(token)?;
                self.b.let_("", token)
            }
            _ => self.at_barrier(AtomicOp::BarrierArrive, cell, Vec::new()),
        };
        self.b.span = here;
        let (body, ()) = self.nested(|l| {
            let token = l.b.get(token);
            let opened = l.at_barrier(AtomicOp::BarrierOpened, cell, vec![token]);
            let opened = l.b.get(opened);
            let closed = l.compare_zero(BinaryOp::Eq, opened);
            l.b.break_unless(closed, 0);
        });
        self.b.push(StmtKind::Loop { body, step: Vec::new() });
        Some(())
    }

    /// An operation of the barrier that a variable refers to; its result.
    fn at_barrier(&mut self, op: AtomicOp, cell: Handle<Local>, operands: Vec<ExprId>) -> Handle<Local> {
        let path = self.b.deref(self.b.local_place(cell));
        self.b.atomic(op, path, operands)
    }

    /// What `compare_exchange` yields: whether it failed, and the old value.
    pub(super) fn attempt(&mut self, whole: &Expr, call: &MethodCall) -> Option<ExprId> {
        let (old, expected) = self.atomic(call, true)?;
        let failed = self.is_other(old, expected?);
        let ty = self.ty(whole.ty);
        let old = self.b.get(old);
        Some(self.b.construct(ty, vec![failed, old]))
    }

    /// Whether the old value is another than the one expected.
    fn is_other(&mut self, old: Handle<Local>, expected: Again) -> ExprId {
        let (old, expected) = (self.b.get(old), self.get(expected));
        if !self.scalar_of(old).is_float() {
            return self.b.binary(BinaryOp::Ne, old, expected);
        }
        let same = self.b.binary(BinaryOp::SameBits, old, expected);
        self.b.unary(UnaryOp::Not, same)
    }
}

/// The ordering of an access: the weakest that is as strong as all that are written.
fn order(arguments: &[Argument]) -> MemoryOrder {
    let mut acquires = false;
    let mut releases = false;
    let mut total = false;
    for argument in arguments {
        if let Argument::Order(order) = argument {
            acquires |= matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel);
            releases |= matches!(order, MemoryOrder::Release | MemoryOrder::AcqRel);
            total |= *order == MemoryOrder::SeqCst;
        }
    }
    match (total, acquires, releases) {
        (true, ..) => MemoryOrder::SeqCst,
        (_, true, true) => MemoryOrder::AcqRel,
        (_, true, false) => MemoryOrder::Acquire,
        (_, false, true) => MemoryOrder::Release,
        (_, false, false) => MemoryOrder::Relaxed,
    }
}
