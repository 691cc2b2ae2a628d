//! Inference of calls of the library: [`crate::library`].

use vyre_ir::ir::UnaryOp;

use super::{Inference, places};
use crate::errors::Code;
use crate::library::methods::{on, receiver};
use crate::library::{self, Form, Row, options};
use crate::resolve::names::Names;
use crate::syntax::operator::Operator;
use crate::syntax::tree::{Argument, Block, Callable, Expr, ExprKind, MethodCall, Statement};
use crate::syntax::{self, Placed, Traits};
use crate::types::{Kind, Ty};

/// The methods that compare with what their argument refers to.
pub(super) const COMPARES: [&str; 3] = ["cmp", "partial_cmp", "total_cmp"];

impl Inference<'_> {
    /// A method that is written in terms of others.
    pub(super) fn library_method(&mut self, expr: &mut Expr, row: &Row, receiver_ty: Ty) -> Ty {
        let whole = expr.span;
        let ExprKind::Method(call) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        let compares = COMPARES.contains(&row.name()) && row.on & on::SEQUENCE == 0;
        if row.on & on::LITERAL != 0 && !compares && call.on.is_none() && self.tree.types.is_reference(receiver_ty) {
            // Rust finds the trait's method on the reference itself, which then wants references.
            self.errors.mismatch();
        }
        let (types, span) = (std::mem::take(&mut call.types), call.name.span());
        let of = self.tree.types.referent(receiver_ty);
        let mut takes = Vec::new();
        let placed = if row.form == Form::Short {
            if !types.is_empty() {
                self.errors.mismatch();
            }
            syntax::short(self.tree, self.errors, row, of, whole)
        } else {
            let primitive = self.tree.types.as_primitive(of);
            let callee = syntax::library(self.tree, self.errors, row, primitive, &types, span);
            // A place is no argument, so the function goes where it is found.
            let is_called = row.is_called() && !places::is_optional(self.tree, of);
            match callee {
                Some(callee) if !is_called => {
                    let placed = syntax::placed(self.tree, self.errors, &callee);
                    takes = callee.takes;
                    placed
                }
                callee => {
                    let result = self.invoked_on(expr, receiver_ty, callee);
                    if let (on::TILE, ExprKind::Call(Callable::Device(_), arguments)) = (row.on, &expr.kind)
                        && let Some(last) = arguments.last()
                    {
                        self.runs_alone(last, Some(row.name().to_owned()));
                    }
                    return result;
                }
            }
        };
        if compares {
            return match self.compared(expr, receiver_ty, of) {
                Some(values) => self.in_place(expr, placed, values),
                None => Ty::REFUSED,
            };
        }
        takes.resize(placed.types.len(), None);
        let Some(values) = self.values_on(expr, receiver_ty, &placed.types, &takes) else {
            return Ty::REFUSED;
        };
        match self.tree.placeholder(of) {
            // Only the types count.
            Some(_) => placed.result,
            None => self.in_place(expr, placed, values),
        }
    }

    /// The argument of `a.cmp(&b)` is a reference, as often as the receiver is one more.
    fn compared(&mut self, expr: &mut Expr, receiver_ty: Ty, of: Ty) -> Option<Vec<Expr>> {
        let ExprKind::Method(call) = expr.kind.take() else {
            return None;
        };
        let MethodCall {
            receiver: mut value,
            mut arguments,
            ..
        } = *call;
        let (Some(Argument::Value(mut other)), true) = (arguments.pop(), arguments.is_empty()) else {
            self.errors.mismatch();
            return None;
        };
        self.through_reference_of(&mut value, receiver_ty);
        let ty = self.expr(&mut other, None);
        if !self.tree.types.is_reference(ty) {
            self.errors.mismatch();
        }
        let found = self.through_reference_of(&mut other, ty);
        self.agree(found, of);
        Some(vec![value, other])
    }

    /// True of `==` or `!=` where one side is a slice, and the other one is a slice or an array.
    pub(super) fn are_slices(&self, operator: Operator, left: Ty, right: Ty) -> bool {
        let types = &self.tree.types;
        let is_sequence = |ty| matches!(types.kind(types.referent(ty)), Kind::Slice(..) | Kind::Array(..));
        let is_slice = types.is_slice(left) || types.is_slice(right);
        matches!(operator, Operator::Eq | Operator::Ne) && is_slice && is_sequence(left) && is_sequence(right)
    }

    /// Such a comparison, of typed operands. rustc says which references it takes.
    pub(super) fn equal_slices(&mut self, expr: &mut Expr, left_ty: Ty, right_ty: Ty) -> Ty {
        let span = expr.span;
        let ExprKind::Binary(operator, left, right) = expr.kind.take() else {
            return Ty::REFUSED;
        };
        let Some(callee) = syntax::library(self.tree, self.errors, options::EQUAL, None, &[], span) else {
            return Ty::REFUSED;
        };
        let placed = syntax::placed(self.tree, self.errors, &callee);
        let mut values = Vec::with_capacity(2);
        for (value, ty, parameter) in [(*left, left_ty, placed.types[0]), (*right, right_ty, placed.types[1])] {
            self.coerce_receiver(ty, parameter);
            values.push(self.adjusted(value, ty, parameter));
        }
        let result = self.in_place(expr, placed, values);
        if operator == Operator::Ne {
            let mut equal = Expr::new(expr.kind.take(), span);
            equal.ty = result;
            expr.kind = ExprKind::Unary(UnaryOp::Not, Box::new(equal));
        }
        result
    }

    /// A function of `vyre::math`, on its first argument.
    pub(super) fn math_call(&mut self, expr: &mut Expr, first: Ty, place: Option<Ty>) -> Ty {
        let ExprKind::Method(call) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        if let (Kind::Float, Some(place)) = (self.tree.types.kind(first), place)
            && let Some(primitive) = self.tree.types.as_primitive(place)
            && primitive.scalar().is_float()
        {
            self.agree(first, place);
        }
        let name = call.name.clone();
        let primitive = self.tree.types.as_primitive(first);
        let row = primitive.and_then(|of| library::mathematics(&name.to_string(), receiver(of)));
        if let Some(row) = row {
            return self.library_method(expr, row, first);
        }
        if self
            .tree
            .placeholder(self.tree.types.referent(first))
            .is_some_and(|it| it.is("Float"))
            && let Some(row) = library::mathematics(&name.to_string(), on::FLOAT)
        {
            return self.placeholder_mathematics(expr, row, first);
        }
        for argument in &mut call.arguments {
            if let Argument::Value(value) = argument {
                self.expr(value, None);
            }
        }
        match self.tree.types.kind(first) {
            Kind::Refused => {}
            // An imported constant, whose type is requested at the end.
            Kind::Unknown { .. } if !self.is_undetermined(first) => {}
            Kind::Unknown { .. } | Kind::Float => self.refuse(
                Code::UnknownMethod,
                name.span(),
                "vyre does not know the type of the argument where the function is called",
                "write it: `math::exp(2.0f32)`, `let x: f32 = ..`",
            ),
            // rustc says that it takes floats.
            _ => self.errors.mismatch(),
        }
        Ty::REFUSED
    }

    /// A function of the library that takes no closures.
    pub(super) fn library_call(&mut self, expr: &mut Expr) -> Ty {
        let ExprKind::Call(Callable::Library(callee), mut values) = expr.kind.take() else {
            return Ty::REFUSED;
        };
        self.passed(&callee.parameters, &callee.takes, &mut values);
        let placed = syntax::placed(self.tree, self.errors, &callee);
        self.in_place(expr, placed, values)
    }

    /// Puts the body of a function in place of its call, after variables that hold the values.
    fn in_place(&mut self, expr: &mut Expr, placed: Placed, values: Vec<Expr>) -> Ty {
        let Placed {
            parameters,
            result,
            mut body,
            ..
        } = placed;
        self.breaks.resize(self.tree.left_by_break.len(), None);
        for (&parameter, value) in parameters.iter().zip(&values) {
            // An array stays one where a slice is expected.
            self.tree.locals[parameter].ty = value.ty;
        }
        // The methods of the user are not those of the library, and rustc has nothing to confirm in it.
        let own = Traits {
            here: Names::of_library(self.tree.traits.here.file.clone()),
            ..Traits::default()
        };
        let traits = std::mem::replace(&mut self.tree.traits, own);
        let obligations = self.tree.obligations.len();
        let found = self.expr(&mut body, None);
        self.tree.obligations.truncate(obligations);
        self.tree.traits = traits;
        self.agree(found, result);
        expr.kind = match operands_in_order(&mut body, &parameters) {
            Some(operands) => {
                operands
                    .into_iter()
                    .zip(values)
                    .for_each(|(operand, value)| *operand = value);
                body.kind
            }
            None => {
                let values = parameters
                    .into_iter()
                    .zip(values)
                    .map(|(parameter, value)| Statement::bind(parameter, value));
                ExprKind::Block(Block::ending(values.collect(), body), None)
            }
        };
        result
    }
}

/// The operands of a body that are the parameters, where it is one expression that evaluates each of them once and in
/// order: then values can stand there.
fn operands_in_order<'e>(body: &'e mut Expr, parameters: &[usize]) -> Option<Vec<&'e mut Expr>> {
    let mut operands = Vec::new();
    let is_known = operands_of(body, &mut operands);
    let is_parameter = |(operand, parameter): (&&mut Expr, &usize)| matches!(operand.kind, ExprKind::Local(local) if local == *parameter);
    let is_in_order = operands.len() == parameters.len() && operands.iter().zip(parameters).all(is_parameter);
    (is_known && is_in_order).then_some(operands)
}

/// Adds the variables that an expression evaluates; false where it may be more than an expression.
fn operands_of<'e>(expr: &'e mut Expr, operands: &mut Vec<&'e mut Expr>) -> bool {
    if let ExprKind::Local(_) = expr.kind {
        operands.push(expr);
        return true;
    }
    match &mut expr.kind {
        ExprKind::Integer(..) | ExprKind::Float(..) | ExprKind::Bool(_) | ExprKind::Constant(_) => true,
        ExprKind::Unary(_, inner) | ExprKind::Cast(inner, _) => operands_of(inner, operands),
        ExprKind::Call(Callable::From(_), of) => operands_of(&mut of[0], operands),
        ExprKind::Binary(_, left, right) => operands_of(left, operands) && operands_of(right, operands),
        ExprKind::Method(call) => {
            let mut parts = vec![&mut call.receiver];
            for argument in &mut call.arguments {
                match argument {
                    Argument::Value(value) => parts.push(value),
                    Argument::Order(..) | Argument::Text(_) => return false,
                }
            }
            parts.into_iter().all(|part| operands_of(part, operands))
        }
        ExprKind::Block(block, None) if block.statements.is_empty() => {
            block.tail.as_mut().is_some_and(|tail| operands_of(tail, operands))
        }
        _ => false,
    }
}
