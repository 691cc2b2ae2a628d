//! Inference of methods and operators of the user's types: they become calls of device functions.
//!
//! rustc prefers a method of the type itself to one of a trait, and among traits knows which are in scope.
//! vyre does not know that, so where the choice could depend on it the call is refused.

use proc_macro2::{Ident, Span};

use vyre_ir::ir::UnaryOp;

use super::Inference;
use crate::editor;
use crate::errors::Code;
use crate::resolve::names::plain;
use crate::resolve::source_scan::Surroundings;
use crate::syntax::obligations::{Method, Obligation, OpenLiteral};
use crate::syntax::tree::{Argument, Callable, Callee, Expr, ExprKind, MethodCall, Operator};
use crate::syntax::{self, Candidate};
use crate::types::{Kind, Ty};

/// Leaves of the methods of several traits the one whose trait an import of the file names, which an attribute does not see:
/// rustc confirms that it is in scope, and no other one.
fn imported(found: &mut Vec<Candidate>, call: &Ident) {
    let is_confirmed = |it: &Candidate| it.by.is_some() && it.marker.is_some();
    if found.len() < 2 || editor::is_here() || !found.iter().all(is_confirmed) {
        return;
    }
    let Some(around) = Surroundings::of(call) else { return };
    let mut named = found
        .iter()
        .enumerate()
        .filter(|(_, it)| around.imports(it.trait_name()));
    if let (Some((only, _)), None) = (named.next(), named.next()) {
        found.swap(0, only);
        found.truncate(1);
    }
}

impl Inference<'_> {
    /// A method of the user; `None` if there is none. `is_known` is true if the type has a method
    /// of vyre's of this name.
    pub(super) fn own_method(&mut self, expr: &mut Expr, receiver_ty: Ty, is_known: bool) -> Option<Ty> {
        let ExprKind::Method(call) = &mut expr.kind else {
            return None;
        };
        let of = self.tree.types.referent(receiver_ty);
        if call.by.is_none() && !self.tree.types.is_own(of) && self.tree.traits.modules.is_empty() {
            return None;
        }
        let (name, span) = (plain(&call.name), call.name.span());
        let (name_at, is_on_value) = (call.name.clone(), call.by.is_none());
        let extra = call.by.as_ref().map(|(_, names)| names);
        let mut found = syntax::candidates(self.tree, self.errors, &[of], extra, &name);
        if let Some((by, _)) = &call.by {
            found.retain(|it| it.by.as_ref() == Some(by));
        } else {
            found.retain(Candidate::takes_self);
            if !self.choose(&mut found, is_known) {
                return Some(self.ambiguous(expr, of, &found));
            }
            let bounds = &self.tree.traits.bounds;
            let is_chosen = |it: &Candidate| it.by.as_ref().is_none_or(|by| bounds.contains(by));
            if !found.is_empty() && !found.iter().any(is_chosen) {
                syntax::in_scope(self.tree, self.errors, of, &name, &mut found);
                imported(&mut found, &name_at);
            }
        }
        let candidate = match &found[..] {
            [] => return None,
            [candidate] => candidate,
            _ => return Some(self.ambiguous(expr, of, &found)),
        };
        let types = std::mem::take(&mut call.types);
        let callee = syntax::callee(self.tree, self.errors, candidate, of, &types, span);
        // Methods of bounds need no import, and take precedence.
        let is_placeholder = self.tree.placeholder(of).is_some();
        if let (true, Some(takes), Some(callee)) = (is_on_value, candidate.receiver(), &callee) {
            let others = callee.parameters.iter().skip(1).copied().collect();
            let takes_function = callee.takes.iter().any(Option::is_some);
            let marker = candidate.marker.clone().filter(|_| !takes_function);
            self.tree.oblige(Obligation::Method(Method {
                name: name_at,
                on: receiver_ty,
                takes,
                of_trait: (candidate.by.is_some() && !is_placeholder).then_some((marker, others)),
            }));
        }
        Some(self.invoked_on(expr, receiver_ty, callee))
    }

    /// Converts a method call to a function call, if it is valid.
    pub(super) fn invoked_on(&mut self, expr: &mut Expr, receiver_ty: Ty, callee: Option<Callee>) -> Ty {
        let Some(callee) = callee else {
            if let ExprKind::Method(call) = expr.kind.take() {
                call.arguments.into_iter().for_each(|argument| self.value_of(argument));
            }
            return Ty::REFUSED;
        };
        match self.values_on(expr, receiver_ty, &callee.parameters, &callee.takes) {
            Some(values) => self.invoked(expr, callee, values),
            None => Ty::REFUSED,
        }
    }

    /// The values that a method call passes to a function with these parameters, if it is valid.
    pub(super) fn values_on(
        &mut self,
        expr: &mut Expr,
        receiver_ty: Ty,
        parameters: &[Ty],
        takes: &[Option<(Vec<Ty>, Ty)>],
    ) -> Option<Vec<Expr>> {
        let call = expr.kind.take();
        let ExprKind::Method(call) = call else {
            return None;
        };
        let MethodCall {
            receiver,
            arguments,
            by,
            ..
        } = *call;
        let Some((&first, others)) = parameters.split_first() else {
            self.errors.mismatch();
            return None;
        };
        let mut values = Vec::with_capacity(1 + arguments.len());
        match by {
            Some(_) => self.coerce(receiver_ty, first),
            None => self.coerce_receiver(receiver_ty, first),
        }
        values.push(match by {
            Some(_) => receiver,
            None => self.adjusted(receiver, receiver_ty, first),
        });
        if arguments.len() != others.len() {
            self.errors.mismatch();
        }
        for argument in arguments.into_iter().take(others.len()) {
            let Argument::Value(value) = argument else {
                self.errors.mismatch();
                return None;
            };
            values.push(value);
        }
        if values.len() != parameters.len() {
            return None;
        }
        self.passed(others, &takes[1..], &mut values[1..]);
        Some(values)
    }

    /// Keeps the candidates that rustc takes, whatever is in scope; false where that depends on it.
    fn choose(&self, found: &mut Vec<Candidate>, is_known: bool) -> bool {
        let bounds = &self.tree.traits.bounds;
        let is_bound = |it: &Candidate| it.by.as_ref().is_some_and(|by| bounds.contains(by));
        let is_inherent = is_known || found.iter().any(|it| it.by.is_none());
        if found.iter().any(is_bound) {
            // For a type parameter rustc only considers its traits.
            found.retain(|it| is_bound(it) || it.by.is_none());
            return !is_inherent;
        }
        if is_known {
            found.clear();
        } else if let Some(own) = found.iter().find(|it| it.by.is_none()) {
            let form = own.receiver();
            let is_same = found.iter().all(|it| it.receiver() == form);
            if is_same {
                found.retain(|it| it.by.is_none());
            }
            return is_same;
        }
        true
    }

    fn ambiguous(&mut self, expr: &mut Expr, of: Ty, found: &[Candidate]) -> Ty {
        let kind = expr.kind.take();
        if let ExprKind::Method(call) = kind {
            let name = call.name.clone();
            call.arguments.into_iter().for_each(|argument| self.value_of(argument));
            let shown = self.tree.types.show(of).to_string();
            let by: Vec<String> = found.iter().map(|it| format!("`{}(..)`", it.shown())).collect();
            self.refuse(
                Code::AmbiguousMethod,
                name.span(),
                format_args!("`{shown}` has several methods `{name}`, and vyre cannot tell which one this is"),
                format_args!("call it by the path of its type or trait: {}", by.join(" or ")),
            );
        }
        Ty::REFUSED
    }

    fn value_of(&mut self, argument: Argument) {
        if let Argument::Value(mut value) = argument {
            self.expr(&mut value, None);
        }
    }

    /// A receiver of this type fits into a parameter that is `self`, `&self` or `&mut self`.
    pub(super) fn coerce_receiver(&mut self, receiver: Ty, parameter: Ty) {
        let (value, wanted) = (self.tree.types.referent(receiver), self.tree.types.referent(parameter));
        self.unsized_or_same(value, wanted);
    }

    /// A receiver as the method takes it: Rust borrows it, or reads through references to it.
    pub(super) fn adjusted(&mut self, mut receiver: Expr, ty: Ty, parameter: Ty) -> Expr {
        let wanted = match *self.tree.types.kind(parameter) {
            Kind::Reference(_, mutable) => mutable,
            _ => {
                self.through_reference_of(&mut receiver, ty);
                return receiver;
            }
        };
        match *self.tree.types.kind(ty) {
            Kind::Reference(..) => {
                if wanted && !self.tree.types.is_written(ty) {
                    self.errors.mismatch();
                }
                self.through_outer_references(&mut receiver, ty);
                receiver
            }
            _ => self.borrowed(receiver, ty, wanted),
        }
    }

    fn borrowed(&mut self, place: Expr, ty: Ty, mutable: bool) -> Expr {
        let span = place.span;
        let mut reference = Expr::new(ExprKind::Borrow(Box::new(place), mutable), span);
        reference.ty = self.tree.types.add(Kind::Reference(ty, mutable));
        reference
    }

    fn invoked(&mut self, expr: &mut Expr, callee: Callee, values: Vec<Expr>) -> Ty {
        let result = callee.result;
        self.tree.calls.push(callee);
        expr.kind = ExprKind::Call(Callable::Device(self.tree.calls.len() - 1), values);
        result
    }

    /// `a + b`, `a += b`, `a == b`, where one of them is of a type of the user's and has been typed.
    pub(super) fn own_operator(&mut self, expr: &mut Expr, left_ty: Ty, right_ty: Ty) -> Ty {
        let span = expr.span;
        let (operator, assigns, left, right) = match expr.kind.take() {
            ExprKind::Binary(operator, left, right) => (operator, false, *left, *right),
            ExprKind::Assign(Some(operator), left, right) => (operator, true, *left, *right),
            _ => return Ty::REFUSED,
        };
        let (of, method) = operator.overloaded(assigns);
        let (of, method) = (of.as_str(), method.as_str());
        if let Some(result) = self.placeholder_operator(of, left_ty, Some(right_ty)) {
            return if assigns { Ty::UNIT } else { result };
        }
        let open = |ty| match self.tree.types.kind(ty) {
            Kind::Float => Some(true),
            Kind::Integer => Some(false),
            _ => None,
        };
        let (left_open, right_open) = (open(left_ty), open(right_ty));
        if let Some(is_float) = left_open.or(right_open) {
            self.tree.oblige(Obligation::Literal(OpenLiteral {
                operator,
                assigns,
                left: left_ty,
                right: right_ty,
                is_left: left_open.is_some(),
                is_float,
                span,
            }));
        }
        let callee = self.operator(of, method, left_ty, Some(right_ty), span);
        let callee = match (callee, operator) {
            (None, Operator::Ne) => {
                // `!=` is the inverse of `eq`.
                let mut equal = Expr::binary(Operator::Eq, left, right, span);
                equal.ty = self.own_operator(&mut equal, left_ty, right_ty);
                expr.kind = ExprKind::Unary(UnaryOp::Not, Box::new(equal));
                return Ty::BOOL;
            }
            (None, _) => {
                let (left, right) = (self.tree.types.show(left_ty), self.tree.types.show(right_ty));
                let note = format!("`impl {of}<{right}> for {left}`");
                syntax::missing(&note, span, self.errors);
                return Ty::REFUSED;
            }
            (Some(callee), _) => callee,
        };
        let mut values = Vec::with_capacity(2);
        for (value, ty, &parameter) in [(left, left_ty), (right, right_ty)]
            .into_iter()
            .zip(&callee.parameters)
            .map(|((value, ty), parameter)| (value, ty, parameter))
        {
            values.push(match *self.tree.types.kind(parameter) {
                Kind::Reference(_, mutable) if !matches!(self.tree.types.kind(ty), Kind::Reference(..)) => {
                    self.borrowed(value, ty, mutable)
                }
                _ => value,
            });
        }
        let result = self.invoked(expr, callee, values);
        if assigns { Ty::UNIT } else { result }
    }

    /// `-a`, `!a` of a type of the user's.
    pub(super) fn own_sign(&mut self, expr: &mut Expr, ty: Ty) -> Ty {
        let span = expr.span;
        let (of, method, operand) = match expr.kind.take() {
            ExprKind::Unary(UnaryOp::Neg, operand) => ("Neg", "neg", *operand),
            ExprKind::Unary(_, operand) => ("Not", "not", *operand),
            _ => return Ty::REFUSED,
        };
        if let Some(result) = self.placeholder_operator(of, ty, None) {
            return result;
        }
        match self.operator(of, method, ty, None, span) {
            Some(callee) => self.invoked(expr, callee, vec![operand]),
            None => {
                let note = format!("`impl {of} for {}`", self.tree.types.show(ty));
                syntax::missing(&note, span, self.errors);
                Ty::REFUSED
            }
        }
    }

    /// The function of the one `impl` of an operator that fits; binds what is open in the operands to it.
    fn operator(&mut self, of: &str, method: &str, left: Ty, right: Option<Ty>, span: Span) -> Option<Callee> {
        let operands: Vec<Ty> = [left].into_iter().chain(right).collect();
        let mut fitting = Vec::new();
        for candidate in syntax::candidates(self.tree, self.errors, &operands, None, method) {
            if !candidate.is_of(of) {
                continue;
            }
            // The call makes an open literal on the left a number of the candidate's type, so others are left out before.
            if let (Kind::Float | Kind::Integer, Some(right)) = (self.tree.types.kind(left), right)
                && !syntax::takes_second(self.tree, self.errors, &candidate, right)
            {
                continue;
            }
            let callee = syntax::callee(self.tree, self.errors, &candidate, left, &[], span)?;
            let types = &self.tree.types;
            let parameters = callee.parameters.iter().map(|&ty| match *types.kind(ty) {
                Kind::Reference(inner, _) => inner,
                _ => ty,
            });
            let fits = parameters.zip(&operands).all(|(parameter, &given)| {
                let given = match callee.parameters.len() {
                    2 if matches!(of, "PartialEq") => types.referent(given),
                    _ => given,
                };
                types.may_be(parameter, given)
            });
            if fits && callee.parameters.len() == operands.len() {
                fitting.push(callee);
            }
        }
        let callee = fitting.pop()?;
        if !fitting.is_empty() {
            let shown = self.tree.types.show(left).to_string();
            self.refuse(
                Code::AmbiguousMethod,
                span,
                format_args!("several `impl {of} for {shown}` apply here, and the operand's type is ambiguous"),
                "write the type of the literal: `2.0f32`",
            );
            return Some(callee);
        }
        for (&parameter, &given) in callee.parameters.iter().zip(&operands) {
            let (parameter, given) = (self.tree.types.referent(parameter), self.tree.types.referent(given));
            self.agree(given, parameter);
        }
        Some(callee)
    }
}
