//! Expressions as values, and as statements for their effects.

use vyre_abi::list;
use vyre_ir::ir::{Axis, BinaryOp, Builtin, Constant, Scalar, UnaryOp};

use super::function::referent;
use super::{ExprId, Lowering, Storage, scalar};
use crate::infer::{names_matrix, wide};
use crate::library::methods::Does;
use crate::syntax::evaluate::float_digits;
use crate::syntax::tree::{Expr, ExprKind, Operator};
use crate::types::Ty;

impl Lowering<'_, '_> {
    pub(super) fn scalar(&self, ty: Ty) -> Scalar {
        scalar(&self.tree.types, ty)
    }

    /// Lowers an expression to its value.
    pub(super) fn value(&mut self, expr: &Expr) -> Option<ExprId> {
        if self.tree.types.is_unit(expr.ty) {
            self.effect(expr)?;
            return Some(self.unit());
        }
        self.computed(expr)
    }

    /// An integer of these bits.
    fn integer(&mut self, ty: Ty, value: u128) -> ExprId {
        if self.is_wide(ty) {
            return self.written_out(ty, &mut [value as u64, (value >> 64) as u64].into_iter());
        }
        let scalar = self.scalar(ty);
        self.b.constant(Constant::new(scalar, value as u64))
    }

    /// The value of the unit type.
    pub(super) fn unit(&mut self) -> ExprId {
        let unit = self.b.types().unit();
        self.b.construct(unit, Vec::new())
    }

    /// The value of an expression that is no statement.
    pub(super) fn computed(&mut self, expr: &Expr) -> Option<ExprId> {
        // Leaves cannot fault, and to locate them costs more than to lower them.
        let here = match expr.kind {
            ExprKind::Integer(..) | ExprKind::Float(..) | ExprKind::Bool(_) | ExprKind::Local(_) => self.b.span,
            _ => self.at(expr.span),
        };
        match &expr.kind {
            _ if self.is_referring(expr.ty) && self.is_choice(expr) => self.load(expr),
            ExprKind::Integer(value, _) => Some(self.integer(expr.ty, *value)),
            ExprKind::Float(digits, _) => {
                let scalar = self.scalar(expr.ty);
                let constant = float_digits(scalar, digits).unwrap_or(Constant::new(scalar, 0));
                Some(self.b.constant(constant))
            }
            ExprKind::Bool(value) => Some(self.b.bool(*value)),
            ExprKind::Constant(constant) if self.tables[*constant].is_none() => {
                Some(self.written_out(expr.ty, &mut self.tree.constants[*constant].values.iter().copied()))
            }
            ExprKind::Make { of, fields, base } => self.make(expr.ty, *of, fields, base.as_deref()),
            ExprKind::External(external) => Some(self.b.external(self.externals[*external])),
            ExprKind::Unary(op, operand) => {
                if let (UnaryOp::Neg, &ExprKind::Integer(value, _)) = (op, &operand.kind) {
                    return Some(self.integer(expr.ty, value.wrapping_neg()));
                }
                let operand = self.value(operand)?;
                self.b.span = here;
                if let Some(operation) = wide::operation(&self.tree.types, expr) {
                    return self.wide_operation(operation, vec![operand]);
                }
                Some(self.b.unary(*op, operand))
            }
            ExprKind::Binary(operator, left, right) if operator.is_comparison() && !self.is_scalar(left.ty) => {
                let ty = self.tree.types.by_value(left.ty);
                let (left, right) = self.both(left, right)?;
                self.b.span = here;
                Some(self.compare_parts(*operator, ty, left, right))
            }
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = self.both(left, right)?;
                self.b.span = here;
                self.operate(expr, *operator, left, right)
            }
            ExprKind::Logical(and, left, right) => self.short_circuit(left, right, *and),
            ExprKind::Cast(operand, _) => self.converted(expr, operand),
            ExprKind::If(condition, then, Some(otherwise)) => self.if_value(expr, condition, then, otherwise),
            ExprKind::Block(block, None) => self.block_value(block),
            ExprKind::Block(..) | ExprKind::Loop(_, None, _) => self.loop_value(expr),
            ExprKind::Array(parts) => {
                let ty = self.ty(expr.ty);
                let parts = self.operands(parts)?;
                self.b.span = here;
                Some(self.b.construct(ty, parts))
            }
            ExprKind::Repeat(element, length) => {
                let element = self.value(element)?;
                self.b.span = here;
                Some(self.b.repeat(element, *length))
            }
            ExprKind::Call(callable, arguments) => self.called(expr, callable, arguments),
            ExprKind::Method(call) => self.method(expr, call),
            ExprKind::Local(local) => match self.storage[*local] {
                Storage::Index3(builtin) => Some(self.indices_of(expr.ty, builtin)),
                Storage::Sought(alias, is_there) => self.found(expr.ty, (alias, is_there)),
                Storage::Constant(constant) => Some(self.b.constant(constant)),
                _ => self.load(expr),
            },
            ExprKind::Constant(_)
            | ExprKind::Deref(_)
            | ExprKind::Index { .. }
            | ExprKind::Part(..)
            | ExprKind::Regroup(..)
            | ExprKind::Field(..)
            | ExprKind::Payload(..)
            | ExprKind::Borrow(..)
            | ExprKind::Shared(_) => self.load(expr),
            ExprKind::If(_, _, None)
            | ExprKind::Assign(..)
            | ExprKind::Loop(..)
            | ExprKind::For(_)
            | ExprKind::Break(..)
            | ExprKind::Continue(_)
            | ExprKind::Return(_) => {
                // An expression of unit type, or a diverging one: only the statements matter.
                self.effect(expr);
                None
            }
            // Refused, or replaced by others before.
            ExprKind::Member(..) | ExprKind::Closure(_) | ExprKind::Refused => None,
        }
    }

    fn load(&mut self, expr: &Expr) -> Option<ExprId> {
        if let ExprKind::Field(base, field) = &expr.kind
            && !is_place(base)
        {
            let value = self.value(base)?;
            self.at(expr.span);
            return Some(self.b.field_of(value, *field));
        }
        let path = self.place(expr)?;
        Some(self.b.load(path))
    }

    /// Lowers an expression for its effects; the value is dropped.
    pub(super) fn effect(&mut self, expr: &Expr) -> Option<()> {
        let here = self.at(expr.span);
        match &expr.kind {
            // Only its calls have effects.
            _ if self.tree.types.as_closure(expr.ty).is_some() => Some(()),
            // A matrix is loaded by its parts.
            _ if self.tree.types.is_matrix(expr.ty) && names_matrix(expr) => Some(()),
            ExprKind::Assign(None, target, value) => self.assign(target, value),
            ExprKind::Assign(Some(operator), target, value) => self.assign_with(expr, *operator, target, value),
            ExprKind::If(condition, then, otherwise) => self.if_effect(condition, then, otherwise.as_deref()),
            ExprKind::Block(block, None) => self.run(block),
            ExprKind::Block(..) | ExprKind::Loop(..) | ExprKind::For(_) => self.repeat(expr, None),
            ExprKind::Break(number, value) => self.break_(*number, value.as_deref()),
            ExprKind::Continue(number) => self.continue_(*number),
            ExprKind::Return(value) => {
                let value = match value {
                    Some(value) if self.tree.types.is_unit(self.result) => {
                        self.effect(value)?;
                        None
                    }
                    Some(value) => Some(self.value(value)?),
                    None => None,
                };
                self.b.span = here;
                self.b.return_(value);
                None
            }
            ExprKind::Call(callable, arguments) => self.call_effect(expr, callable, arguments),
            // A name has no effect. Memory of atomics has no value to load, either.
            ExprKind::Local(_) | ExprKind::Shared(_) => Some(()),
            ExprKind::Make { .. } if self.tree.types.is_unit(expr.ty) => Some(()),
            ExprKind::Method(call) if self.is_atomic(call) => {
                self.atomic(call, false)?;
                Some(())
            }
            ExprKind::Method(call) if call.method.is_some_and(|method| method.does == Does::Wait) => self.wait(call),
            _ if self.tree.types.is_unit(expr.ty) && is_place(expr) => Some(()),
            // Memory of atomics has no value to load: only the checks of its indices are left.
            _ if self.tree.types.is_cell(self.tree.types.referent(expr.ty)) && is_place(referent(expr)) => {
                let path = self.place(referent(expr))?;
                let cell = self.b.reference(path, false);
                self.b.let_("", cell);
                Some(())
            }
            ExprKind::Field(base, _) if self.tree.types.is_unit(expr.ty) => self.effect(base),
            _ => {
                let value = self.computed(expr)?;
                self.again(value);
                Some(())
            }
        }
    }

    /// The operation of an expression on the values of its operands.
    fn operate(&mut self, expr: &Expr, operator: Operator, left: ExprId, right: ExprId) -> Option<ExprId> {
        match wide::operation(&self.tree.types, expr) {
            Some(operation) => self.wide_operation(operation, vec![left, right]),
            None => Some(self.binary(operator, left, right)),
        }
    }

    pub(super) fn binary(&mut self, operator: Operator, left: ExprId, right: ExprId) -> ExprId {
        let right = if operator.is_shift() { self.amount(right) } else { right };
        self.b.binary(operator.binary(), left, right)
    }

    pub(super) fn scalar_of(&mut self, value: ExprId) -> Scalar {
        let ty = self.b.type_of(value);
        self.b.types().as_scalar(ty).unwrap_or(Scalar::U64)
    }

    pub(super) fn cast(&mut self, value: ExprId, to: Scalar) -> ExprId {
        match self.scalar_of(value) == to {
            true => value,
            false => self.b.cast(value, to),
        }
    }

    /// A value of the thread as `usize`.
    pub(super) fn index_of(&mut self, builtin: Builtin) -> ExprId {
        let value = self.b.builtin(builtin);
        self.cast(value, Scalar::U64)
    }

    /// Values of the thread along the axes of a tuple or `Index3`.
    pub(super) fn indices_of(&mut self, ty: Ty, builtin: fn(Axis) -> Builtin) -> ExprId {
        let axes = self
            .tree
            .types
            .fields(ty)
            .map_or(Axis::ALL.len(), |fields| fields.len());
        let ty = self.ty(ty);
        let parts = list::map(&Axis::ALL[..axes.min(Axis::ALL.len())], |&axis| {
            self.index_of(builtin(axis))
        });
        self.b.construct(ty, parts)
    }

    fn short_circuit(&mut self, left: &Expr, right: &Expr, and: bool) -> Option<ExprId> {
        let here = self.b.span;
        let left = self.value(left)?;
        let (mut statements, right) = self.nested(|l| l.value(right));
        self.b.span = here;
        if let (true, Some(right)) = (statements.is_empty(), right) {
            return Some(match and {
                true => self.b.and(left, right),
                false => self.b.or(left, right),
            });
        }
        let result = self.b.let_("", left);
        if let Some(right) = right {
            statements.push(self.store_to(result, right));
        }
        let condition = self.b.get(result);
        let (then, otherwise) = match and {
            true => (statements, Vec::new()),
            false => (Vec::new(), statements),
        };
        self.branch(condition, then, otherwise);
        Some(self.b.get(result))
    }

    fn assign(&mut self, target: &Expr, value: &Expr) -> Option<()> {
        if self.tree.types.is_unit(target.ty) {
            return self.effect(value);
        }
        if let ExprKind::Local(local) = target.kind
            && self.tree.types.is_reference(target.ty)
        {
            let value = self.referring_value(value, target.ty)?;
            self.bind(local, value);
            return Some(());
        }
        let here = self.b.span;
        let mut value = self.value(value)?;
        let start = self.b.position();
        let target = self.shape(target).and_then(|shape| {
            let indices = self.operands(shape.indices())?;
            Some((shape, indices))
        });
        if self.b.position() != start {
            self.keep(std::slice::from_mut(&mut value), start);
        }
        let (shape, indices) = target?;
        self.b.span = here;
        let path = self.path(&shape, &indices);
        self.b.store(path, value);
        self.put_back(&shape);
        Some(())
    }

    /// `target op= value`: of primitives Rust evaluates the right side first.
    fn assign_with(&mut self, whole: &Expr, operator: Operator, target: &Expr, value: &Expr) -> Option<()> {
        let here = self.b.span;
        let value = self.value(value)?;
        if let ExprKind::Local(local) = target.kind
            && let Storage::Local(local) = self.storage[local]
            && self.each.is_none()
        {
            self.b.span = here;
            let old = self.b.get(local);
            let new = self.operate(whole, operator, old, value)?;
            self.b.set(local, new);
            return Some(());
        }
        let value = self.again(value);
        let shape = self.shape(target)?;
        let indices = self.operands(shape.indices())?;
        let indices = self.all_again(indices);
        self.b.span = here;
        // The load compares the indices with the length, so the store need not.
        let from = self.path_again(&shape, &indices, true);
        let old = self.b.load(from);
        let value = self.get(value);
        let new = self.operate(whole, operator, old, value)?;
        let to = self.path_again(&shape, &indices, false);
        self.b.store(to, new);
        self.put_back(&shape);
        Some(())
    }

    /// A comparison with zero.
    pub(super) fn compare_zero(&mut self, op: BinaryOp, value: ExprId) -> ExprId {
        let scalar = self.scalar_of(value);
        let zero = self.b.constant(Constant::new(scalar, 0));
        self.b.binary(op, value, zero)
    }

    /// True if the type of an expression is an integer of 128 bits.
    pub(super) fn is_wide(&self, ty: Ty) -> bool {
        self.tree.types.as_wide(ty).is_some()
    }

    /// True if the type of an expression is a scalar.
    pub(super) fn is_scalar(&self, ty: Ty) -> bool {
        self.tree.types.as_cell(ty).is_some()
    }
}

/// True if an expression names a place rather than a value.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Shared(_) | ExprKind::Constant(_) | ExprKind::Deref(_) => true,
        ExprKind::Index { .. } | ExprKind::Part(..) | ExprKind::Regroup(..) => true,
        ExprKind::Field(base, _) => is_place(base),
        // A matched value, which is in a variable.
        ExprKind::Payload(..) => true,
        _ => false,
    }
}
