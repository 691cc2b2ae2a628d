//! Inference of expressions.

use std::fmt::Display;

use vyre_ir::ir::{Role, UnaryOp};

use proc_macro2::Span;

use super::Inference;
use crate::errors::Code;
use crate::surface::Primitive;
use crate::syntax::tree::{Bounds, Expr, ExprKind, Operator, Origin};
use crate::types::{Kind, Ty};

impl Inference<'_> {
    /// Types an expression. `hint` is the type that a cast around it wants: Rust gives it to a
    /// literal directly below, where it fits.
    pub(super) fn expr(&mut self, expr: &mut Expr, hint: Option<Ty>) -> Ty {
        let passes_on = matches!(expr.kind, ExprKind::If(_, _, Some(_)) | ExprKind::Block(_, None));
        let expected = if passes_on { None } else { self.expected.take() };
        let place = self.place.take();
        if takes_from_place(&expr.kind) {
            self.place = place;
        }
        let ty = self.kind(expr, hint);
        expr.ty = ty;
        match expected {
            Some(expected) => {
                let ty = self.reborrowed(expr, ty, expected);
                self.coerce(ty, expected);
                expected
            }
            None => ty,
        }
    }

    /// Types an expression in a place of a known type.
    pub(super) fn placed(&mut self, expr: &mut Expr, place: Ty) -> Ty {
        self.place = Some(place);
        self.expr(expr, None)
    }

    fn kind(&mut self, expr: &mut Expr, hint: Option<Ty>) -> Ty {
        let hinted = hint
            .and_then(|hint| self.tree.types.as_primitive(hint))
            .map(Primitive::scalar);
        match &mut expr.kind {
            ExprKind::Integer(_, Some(suffix)) | ExprKind::Float(_, Some(suffix)) => Ty::primitive(*suffix),
            ExprKind::Integer(..) => match (hinted, hint) {
                (Some(scalar), Some(hint)) if scalar.is_integer() => hint,
                _ => self.tree.types.add(Kind::Integer),
            },
            ExprKind::Float(..) => match (hinted, hint) {
                (Some(scalar), Some(hint)) if scalar.is_float() && !scalar.is_half() => hint,
                _ => self.tree.types.add(Kind::Float),
            },
            ExprKind::Bool(_) => Ty::BOOL,
            ExprKind::Local(local) => self.tree.locals[*local].ty,
            ExprKind::Constant(constant) => self.tree.constants[*constant].ty,
            ExprKind::External(external) => self.tree.externals[*external].ty,
            ExprKind::Shared(shared) => {
                let ty = self.tree.shared[*shared].ty;
                self.tree.types.add(Kind::Reference(ty, true))
            }
            ExprKind::Unary(_, operand) => {
                let ty = self.expr(operand, hint);
                if self.tree.types.is_own(ty) {
                    return self.own_sign(expr, ty);
                }
                self.through_reference(operand, ty)
            }
            ExprKind::Deref(operand) => {
                let ty = self.expr(operand, None);
                match *self.tree.types.kind(ty) {
                    Kind::Reference(inner, _) => inner,
                    Kind::Slice(element, true) => self.tree.types.add(Kind::Slice(element, false)),
                    Kind::Refused => Ty::REFUSED,
                    // It may be of a type that refers to its value.
                    _ if matches!(operand.kind, ExprKind::External(_)) => self.no_part(operand),
                    _ => {
                        self.errors.mismatch();
                        Ty::REFUSED
                    }
                }
            }
            ExprKind::Binary(operator, left, right) => {
                let operator = *operator;
                let place = self.place;
                let left_ty = self.expr(left, None);
                let place = match self.tree.types.kind(left_ty) {
                    Kind::Float => place,
                    _ => Some(left_ty),
                };
                self.place = place;
                let right_ty = self.expr(right, None);
                if self.is_overloaded(operator, left_ty, right_ty) {
                    return self.own_operator(expr, left_ty, right_ty);
                }
                if self.are_slices(operator, left_ty, right_ty) {
                    return self.equal_slices(expr, left_ty, right_ty);
                }
                for (ty, span) in [(left_ty, left.span), (right_ty, right.span)] {
                    if self.refuse_operand(operator, ty, span) {
                        return Ty::REFUSED;
                    }
                }
                self.operands(operator, left, left_ty, right, right_ty)
            }
            ExprKind::Logical(_, left, right) => {
                let ty = self.expr(left, None);
                self.agree(ty, Ty::BOOL);
                // The right side may not be evaluated.
                let before = self.diverges;
                let ty = self.expr(right, None);
                self.diverges = before;
                self.agree(ty, Ty::BOOL);
                Ty::BOOL
            }
            ExprKind::Assign(None, target, value) => self.assign(target, value),
            ExprKind::Assign(Some(operator), target, value) => {
                let operator = *operator;
                self.assigned_outside(target);
                let left_ty = self.expr(target, None);
                let right_ty = self.placed(value, left_ty);
                if self.is_overloaded(operator, left_ty, right_ty) {
                    return self.own_operator(expr, left_ty, right_ty);
                }
                if let Kind::Atomic(_) = self.tree.types.kind(left_ty) {
                    let span = target.span;
                    self.refuse_operation(
                        Code::AtomicPlace,
                        span,
                        format_args!(
                            "`{}=` does not apply to an atomic, which is accessed by methods",
                            operator.symbol()
                        ),
                        "write `counts[i].fetch_add(1, Ordering::Relaxed)`, or another of its methods",
                    );
                    return Ty::UNIT;
                }
                let right_ty = self.through_reference(value, right_ty);
                if !operator.is_shift() {
                    self.agree(right_ty, left_ty);
                }
                Ty::UNIT
            }
            ExprKind::Cast(operand, ty) => {
                let ty = *ty;
                self.expr(operand, Some(ty));
                // `x as _` takes its type from elsewhere.
                ty
            }
            ExprKind::If(condition, then, otherwise) => {
                let (expected, place) = (self.expected.take(), self.place.take());
                let ty = self.expr(condition, None);
                self.agree(ty, Ty::BOOL);
                let before = self.diverges;
                (self.expected, self.place) = (expected, place);
                let then_ty = self.block(then, None);
                let then_diverges = std::mem::replace(&mut self.diverges, before);
                match otherwise {
                    Some(otherwise) => {
                        (self.expected, self.place) = (expected, place);
                        let ty = self.expr(otherwise, None);
                        let diverges = self.diverges && then_diverges;
                        self.diverges = before || diverges;
                        self.coerce(ty, then_ty);
                        then_ty
                    }
                    None => {
                        self.agree(then_ty, Ty::UNIT);
                        Ty::UNIT
                    }
                }
            }
            ExprKind::Block(block, None) => self.block(block, hint),
            ExprKind::Block(block, Some(number)) => {
                let number = *number;
                let before = self.diverges;
                let result = self.tree.types.unknown();
                self.breaks[number] = Some(result);
                let ty = self.block(block, None);
                self.agree(ty, result);
                // A `break` whose value diverges does not leave it.
                self.tree.left_by_break[number] = self.left.contains(&number);
                if self.tree.left_by_break[number] {
                    self.diverges = before;
                }
                result
            }
            ExprKind::Loop(number, None, body) => {
                let number = *number;
                let before = self.diverges;
                let left = self.tree.left_by_break[number];
                let result = match left {
                    true => self.tree.types.unknown(),
                    false => self.tree.types.never(),
                };
                self.breaks[number] = Some(result);
                let ty = self.block(body, None);
                self.agree(ty, Ty::UNIT);
                self.diverges = before || !left;
                result
            }
            ExprKind::Loop(number, Some(condition), body) => {
                self.breaks[*number] = Some(Ty::UNIT);
                let ty = self.expr(condition, None);
                self.agree(ty, Ty::BOOL);
                let before = self.diverges;
                let ty = self.block(body, None);
                self.agree(ty, Ty::UNIT);
                self.diverges = before;
                Ty::UNIT
            }
            ExprKind::For(for_) => {
                self.breaks[for_.number] = Some(Ty::UNIT);
                let start = self.expr(&mut for_.start, None);
                let end = self.expr(&mut for_.end, None);
                self.agree(end, start);
                if let Some(local) = for_.local {
                    let local = self.tree.locals[local].ty;
                    self.agree(start, local);
                }
                let before = self.diverges;
                let ty = self.block(&mut for_.body, None);
                self.agree(ty, Ty::UNIT);
                self.diverges = before;
                Ty::UNIT
            }
            ExprKind::Break(number, value) => {
                let number = *number;
                let ty = match value {
                    Some(value) => self.expr(value, None),
                    None => Ty::UNIT,
                };
                match self.breaks[number] {
                    Some(result) => self.agree(ty, result),
                    None => self.errors.mismatch(),
                }
                if !self.diverges {
                    self.left.push(number);
                }
                self.never()
            }
            ExprKind::Continue(_) => self.never(),
            ExprKind::Return(value) => {
                let ty = match value {
                    Some(value) => self.placed(value, self.tree.result),
                    None => Ty::UNIT,
                };
                self.give(ty, value.as_deref(), "write `return;`");
                self.never()
            }
            ExprKind::Index { base, index, .. } => {
                let base_ty = self.expr(base, None);
                if let Kind::Matrix(element, _) = *self.tree.types.kind(self.tree.types.referent(base_ty)) {
                    let before = self.errors.count();
                    self.cell(index);
                    // `a[row][col]` is refused at `row`.
                    let is_refused = self.errors.refuses() && self.errors.count() > before;
                    return if is_refused { Ty::REFUSED } else { element };
                }
                let index_ty = self.expr(index, None);
                if self.is_undetermined(index_ty) {
                    self.errors.mismatch();
                }
                self.subscript(base_ty, index);
                match *self.tree.types.kind(self.tree.types.referent(base_ty)) {
                    Kind::Array(element, _) | Kind::Slice(element, _) | Kind::Fragment(Role::C, element, ..) => element,
                    Kind::Refused => Ty::REFUSED,
                    _ => self.no_part(base),
                }
            }
            ExprKind::Part(base, _, Bounds::Whole) => self.any_slice(base),
            ExprKind::Part(base, bounds, _) => self.part(base, bounds),
            ExprKind::Regroup(base, part, length) => {
                let (part, length) = (*part, *length);
                self.regrouped(base, part, length)
            }
            ExprKind::Array(elements) => {
                let element = self.tree.types.unknown();
                for expr in elements.iter_mut() {
                    let ty = self.expr(expr, None);
                    self.agree(ty, element);
                }
                let length = elements.len() as u64;
                self.tree.types.add(Kind::Array(element, length))
            }
            ExprKind::Repeat(element, length) => {
                let length = *length;
                let ty = self.expr(element, None);
                self.tree.types.add(Kind::Array(ty, length))
            }
            ExprKind::Field(base, index) => {
                let index = *index as usize;
                let base_ty = self.expr(base, None);
                self.numbered(base, base_ty, index)
            }
            ExprKind::Member(..) => self.member(expr),
            ExprKind::Call(..) => self.call(expr),
            ExprKind::Make { of, fields, base } => self.make(*of, fields, base.as_deref_mut()),
            ExprKind::Payload(value, case, number) => self.payload(value, case, number),
            ExprKind::Closure(closure) => self.closure(closure, None),
            ExprKind::Borrow(place, mutable) => {
                let mutable = *mutable;
                let ty = self.expr(place, None);
                self.tree.types.add(Kind::Reference(ty, mutable))
            }
            ExprKind::Method(_) => self.method(expr),
            ExprKind::Refused => Ty::REFUSED,
        }
    }

    /// The row and column of an element of a matrix.
    pub(super) fn cell(&mut self, place: &mut Expr) {
        let found = self.expr(place, None);
        let expected = self.tree.types.add(Kind::Array(Ty::USIZE, 2));
        if matches!(self.tree.types.kind(found), Kind::Refused) {
            return;
        }
        let is_number = matches!(self.tree.types.kind(found), Kind::Primitive(_) | Kind::Integer);
        if is_number && !self.errors.is_left_to_rustc() {
            return self.errors.refuse(
                Code::MatrixPlace,
                place.span,
                "a matrix is indexed by a row and a column at once",
                "write `a[[row, col]]`",
            );
        }
        self.agree(found, expected);
        if !matches!(place.kind, ExprKind::Array(_)) {
            self.refuse(
                Code::MatrixPlace,
                place.span,
                "a row and a column are written where a matrix is indexed",
                "write `a[[row, col]]`, of an array `at` `a[[at[0], at[1]]]`",
            );
        }
    }

    /// Refuses operands of which operators compute nothing: atomics and fragments.
    fn refuse_operand(&mut self, operator: Operator, ty: Ty, span: Span) -> bool {
        let (code, fault, help) = match self.tree.types.kind(ty) {
            Kind::Atomic(_) => (
                Code::AtomicPlace,
                format!(
                    "`{}` does not apply to an atomic, which is accessed by methods",
                    operator.symbol()
                ),
                "write `counts[i].load(Ordering::Relaxed)`",
            ),
            Kind::Fragment(..) => (
                Code::FragmentType,
                format!("`{}` does not apply to a fragment of a matrix", operator.symbol()),
                "the product of two and a sum is `mma::multiply_add(a, b, c)`; its elements are `c[k]`",
            ),
            _ => return false,
        };
        self.refuse_operation(code, span, fault, help);
        true
    }

    fn refuse_operation(&mut self, code: Code, span: Span, fault: impl Display, help: &str) {
        if !self.errors.is_left_to_rustc() {
            self.errors.refuse(code, span, fault, help);
        }
    }

    /// True if an operator on such operands is one that the user has written.
    fn is_overloaded(&self, operator: Operator, left: Ty, right: Ty) -> bool {
        let types = &self.tree.types;
        let is_settled = [left, right]
            .iter()
            .all(|&ty| !self.is_undetermined(ty) && *types.kind(ty) != Kind::Refused);
        let is_own = types.is_own(left) || types.is_own(right);
        let by_parts = match operator {
            Operator::Eq | Operator::Ne => !types.has_own_equality(left),
            other => other.is_comparison(),
        };
        is_settled && is_own && !by_parts
    }

    /// The type of an expression that control does not leave.
    pub(super) fn never(&mut self) -> Ty {
        self.diverges = true;
        self.tree.types.never()
    }

    /// Rust's operators on numbers take references too: reads through one.
    fn through_reference(&mut self, operand: &mut Expr, ty: Ty) -> Ty {
        let Kind::Reference(inner, _) = *self.tree.types.kind(ty) else {
            return ty;
        };
        if !matches!(
            self.tree.types.kind(inner),
            Kind::Primitive(_) | Kind::Integer | Kind::Float
        ) {
            return ty;
        }
        self.referent_of(operand, inner)
    }

    /// A literal of a pattern is compared with what references refer to.
    fn through_matched(&mut self, operand: &mut Expr, ty: Ty) -> Ty {
        match operand.kind {
            ExprKind::Payload(..) => self.through_reference_of(operand, ty),
            ExprKind::Local(local) if self.tree.locals[local].origin == Origin::Matched => {
                self.through_reference_of(operand, ty)
            }
            _ => ty,
        }
    }

    fn operands(&mut self, operator: Operator, left: &mut Expr, left_ty: Ty, right: &mut Expr, right_ty: Ty) -> Ty {
        if operator.is_comparison() {
            // Two references compare what they refer to; a reference and a value do not compare.
            let both = matches!(self.tree.types.kind(left_ty), Kind::Reference(..))
                && matches!(self.tree.types.kind(right_ty), Kind::Reference(..));
            let (left_ty, right_ty) = match both {
                true => (
                    self.through_reference(left, left_ty),
                    self.through_reference(right, right_ty),
                ),
                false => (self.through_matched(left, left_ty), right_ty),
            };
            if self.is_undetermined(left_ty) {
                self.errors.mismatch();
            }
            self.agree(right_ty, left_ty);
            return Ty::BOOL;
        }
        if self.is_undetermined(left_ty) {
            self.errors.mismatch();
        }
        let left_ty = self.through_reference(left, left_ty);
        let right_ty = self.through_reference(right, right_ty);
        if !operator.is_shift() {
            self.agree(right_ty, left_ty);
        }
        left_ty
    }
}

/// True for expressions of which parts have the type of their place.
fn takes_from_place(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Method(call) => call.is_math,
        ExprKind::Binary(..)
        | ExprKind::Unary(UnaryOp::Neg, _)
        | ExprKind::If(_, _, Some(_))
        | ExprKind::Block(_, None) => true,
        _ => false,
    }
}
