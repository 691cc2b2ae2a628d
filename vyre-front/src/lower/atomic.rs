//! Atomic accesses.

use vyre_ir::ir::{
    AssertMessage, AtomicOp, BinaryOp, Handle, Local, MemoryOrder, MemoryScope, StmtKind, TypeId, UnaryOp,
};

use super::operands::Again;
use super::place::Root;
use super::{ExprId, Lowering};
use crate::library::methods::Does;
use crate::surface::Primitive;
use crate::syntax::tree::{Argument, Expr, MethodCall};
use crate::types::Kind;

/// The message of a wait for a token of another barrier.
const FOREIGN_TOKEN: &str = "this token is of another barrier";

impl Lowering<'_, '_> {
    pub(super) fn is_atomic(&self, call: &MethodCall) -> bool {
        call.method
            .is_some_and(|method| matches!(method.does, Does::Atomic(_) | Does::AtomicNot))
    }

    /// Lowers an access; with the old value where it is `wanted`, and what it was expected to be.
    pub(super) fn atomic(&mut self, call: &MethodCall, wanted: bool) -> Option<(Handle<Local>, Option<Again>)> {
        let here = self.b.span;
        let op = match call.method.map(|method| method.does) {
            Some(Does::Atomic(op)) => op,
            Some(Does::AtomicNot) => AtomicOp::Xor,
            _ => return None,
        };
        let ty = self.cell_value(call);
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
            if call.does(Does::AtomicNot) {
                operands.push(l.b.bool(true));
            }
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
            // After the bounds checks of the indices.
            let cell = self.b.reference(path, false);
            let cell = self.b.let_("", cell);
            self.b.append(statements);
            path = self.b.deref(self.b.local_place(cell));
        }
        let operands = operands?;
        let place = self.b.place(path);
        let result = self.b.local("", ty);
        self.fixed.push(result);
        let scope = scope(call, shape.root);
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

    /// `cell.fetch_update(set, fetch, |old| ..)`: a compare-exchange loop that ends when the
    /// exchange succeeds or the closure returns `None`.
    pub(super) fn update(&mut self, whole: &Expr, call: &MethodCall) -> Option<ExprId> {
        let here = self.b.span;
        let [Argument::Order(..), Argument::Order(fetch, _), Argument::Value(closure)] = &call.arguments[..] else {
            return None;
        };
        let ty = self.cell_value(call);
        let number = self.tree.types.as_closure(closure.ty)?;
        let function = self.handles[self.closures[number]];
        let shape = self.shape(&call.receiver)?;
        let indices = self.operands(shape.indices())?;
        let path = self.path(&shape, &indices);
        let cell = self.b.reference(path, false);
        let cell = self.b.let_("", cell);
        let scope = scope(call, shape.root);
        self.b.span = here;
        let seen = self.b.local("", ty);
        self.access(AtomicOp::Load, cell, Vec::new(), (*fetch, scope), seen);
        let no = self.b.bool(false);
        let failed = self.b.let_("", no);
        let (body, held) = self.nested(|l| {
            let mut values = Vec::new();
            l.hold(closure, number, &mut values)?;
            values.push(l.b.get(seen));
            let next = l.b.call(function, values);
            let (is_some, value) = (l.b.get(next), l.b.get(next));
            let is_some = l.b.field_of(is_some, 0);
            l.b.if_(
                is_some,
                |_| {},
                |b| {
                    let yes = b.bool(true);
                    b.set(failed, yes);
                    b.push(StmtKind::Break(0));
                },
            );
            let operands = vec![l.b.get(seen), l.b.field_of(value, 1)];
            let ordered = (order(&call.arguments), scope);
            let old = l.b.local("", ty);
            l.access(AtomicOp::CompareExchange, cell, operands, ordered, old);
            let other = l.is_other(old, Again::Local(seen));
            l.b.break_unless(other, 0);
            let old = l.b.get(old);
            l.b.set(seen, old);
            Some(())
        });
        held?;
        self.b.push(StmtKind::Loop { body, step: Vec::new() });
        let ty = self.ty(whole.ty);
        let parts = vec![self.b.get(failed), self.b.get(seen)];
        Some(self.b.construct(ty, parts))
    }

    /// An access to the cell that a variable refers to, which leaves the old value.
    fn access(
        &mut self,
        op: AtomicOp,
        cell: Handle<Local>,
        operands: Vec<ExprId>,
        (order, scope): (MemoryOrder, MemoryScope),
        result: Handle<Local>,
    ) {
        let path = self.b.deref(self.b.local_place(cell));
        let place = self.b.place(path);
        self.b.push(StmtKind::Atomic {
            op,
            place,
            operands,
            order,
            scope,
            result: Some(result),
        });
    }

    /// The type of what the cell of an access holds.
    fn cell_value(&mut self, call: &MethodCall) -> TypeId {
        let cell = self.tree.types.referent(call.receiver.ty);
        let cell = match self.tree.types.kind(cell) {
            Kind::Atomic(cell) => *cell,
            Kind::Barrier => Primitive::U64,
            _ => Primitive::U32,
        };
        self.b.types().cell_value(cell.scalar())
    }

    /// `full.arrive()`: the token consists of the state of the barrier, which only a GPU
    /// understands, and the barrier's number.
    pub(super) fn arrive(&mut self, whole: &Expr, call: &MethodCall) -> Option<ExprId> {
        let cell = self.barrier(call)?;
        let parts = [AtomicOp::BarrierArrive, AtomicOp::BarrierNumber].map(|op| {
            let part = self.at_barrier(op, cell, Vec::new());
            self.b.get(part)
        });
        let ty = self.ty(whole.ty);
        Some(self.b.construct(ty, parts.to_vec()))
    }

    /// `full.wait(token)`, `full.arrive_and_wait()`.
    pub(super) fn wait(&mut self, call: &MethodCall) -> Option<()> {
        let here = self.b.span;
        let cell = self.barrier(call)?;
        let state = match call.arguments.first() {
            Some(Argument::Value(token)) => {
                let token = self.value(token)?;
                let token = self.b.let_("", token);
                self.b.span = here;
                let number = self.at_barrier(AtomicOp::BarrierNumber, cell, Vec::new());
                let (own, whole) = (self.b.get(number), self.b.get(token));
                let given = self.b.field_of(whole, 1);
                let same = self.b.binary(BinaryOp::Eq, own, given);
                self.fail(same, AssertMessage::Panic(FOREIGN_TOKEN.to_owned()), Vec::new());
                let whole = self.b.get(token);
                let state = self.b.field_of(whole, 0);
                self.b.let_("", state)
            }
            _ => self.at_barrier(AtomicOp::BarrierArrive, cell, Vec::new()),
        };
        self.b.span = here;
        let (body, ()) = self.nested(|l| {
            let state = l.b.get(state);
            let opened = l.at_barrier(AtomicOp::BarrierOpened, cell, vec![state]);
            let opened = l.b.get(opened);
            let closed = l.compare_zero(BinaryOp::Eq, opened);
            l.b.break_unless(closed, 0);
        });
        self.b.push(StmtKind::Loop { body, step: Vec::new() });
        Some(())
    }

    /// A variable that refers to the barrier of a call.
    fn barrier(&mut self, call: &MethodCall) -> Option<Handle<Local>> {
        let here = self.b.span;
        let path = self.place(&call.receiver)?;
        let cell = self.b.reference(path, false);
        let cell = self.b.let_("", cell);
        self.b.span = here;
        Some(cell)
    }

    /// An operation of the barrier that a variable refers to; its result.
    fn at_barrier(&mut self, op: AtomicOp, cell: Handle<Local>, operands: Vec<ExprId>) -> Handle<Local> {
        let path = self.b.deref(self.b.local_place(cell));
        self.b.atomic(op, path, operands)
    }

    /// The result of `compare_exchange`: true if it failed, and the old value.
    pub(super) fn attempt(&mut self, whole: &Expr, call: &MethodCall) -> Option<ExprId> {
        let (old, expected) = self.atomic(call, true)?;
        let failed = self.is_other(old, expected?);
        let ty = self.ty(whole.ty);
        let old = self.b.get(old);
        Some(self.b.construct(ty, vec![failed, old]))
    }

    /// True if the old value is another than the one expected.
    fn is_other(&mut self, old: Handle<Local>, expected: Again) -> ExprId {
        let (seen, known) = (old, expected);
        let (old, expected) = (self.b.get(old), self.get(expected));
        let ty = self.b.type_of(old);
        if let (None, Again::Local(known)) = (self.b.types().as_scalar(ty), known) {
            // For a pair both halves are compared.
            let [low, high] = [0, 1].map(|half| {
                let [old, expected] = [seen, known].map(|pair| {
                    let half = self.b.u64(half);
                    let half = self.b.index_with(self.b.local_place(pair), half, false);
                    self.b.load(half)
                });
                let same = self.b.binary(BinaryOp::SameBits, old, expected);
                self.b.unary(UnaryOp::Not, same)
            });
            return self.b.or(low, high);
        }
        if !self.scalar_of(old).is_float() {
            return self.b.binary(BinaryOp::Ne, old, expected);
        }
        let same = self.b.binary(BinaryOp::SameBits, old, expected);
        self.b.unary(UnaryOp::Not, same)
    }
}

/// The threads among which an access is atomic: those that are written, or all that may see the place.
fn scope(call: &MethodCall, root: Root) -> MemoryScope {
    match (call.scope, root) {
        (Some(scope), _) => scope,
        (None, Root::Shared(_)) => MemoryScope::Block,
        (None, _) => MemoryScope::Device,
    }
}

/// The ordering of an access: the weakest that is as strong as all that are written.
fn order(arguments: &[Argument]) -> MemoryOrder {
    let mut acquires = false;
    let mut releases = false;
    let mut total = false;
    for argument in arguments {
        if let Argument::Order(order, _) = argument {
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
