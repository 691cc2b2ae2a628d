//! Calls of methods, also by their paths: `f32::max(a, b)`.

use proc_macro2::{Ident, Span};
use syn::{Expr as Syntax, ExprCall, ExprMethodCall, Path};
use vyre_ir::ir::MemoryOrder;

use super::assoc_path::without_brackets;
use super::expr::unparenthesised;
use super::obligations::Claim;
use super::tree::{Argument, Callable, Expr, ExprKind, MethodCall};
use super::{Binding, Reader};
use crate::errors::{Code, Errors, nearest};
use crate::library::{self, intrinsics, methods};
use crate::surface::Primitive;
use crate::types::adt::{NONE, OPTION};
use crate::types::{Kind, Ty, fragment};

/// The methods that give an element, or in Rust a part.
const OF_PARTS: [&str; 4] = words![get get_mut get_unchecked get_unchecked_mut];

impl Reader<'_> {
    /// `f32::from(x)`, `f32::from_bits(x)`, and methods called by path: `f32::max(a, b)`.
    pub(super) fn on_primitive(&mut self, primitive: Primitive, path: &Path, call: &ExprCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let Some(name) = path.segments.last().map(|last| last.ident.clone()) else {
            return self.left_to_rustc(span);
        };
        let function = &*name.to_string();
        if let Syntax::Path(path) = unparenthesised(&call.func) {
            match (without_brackets(path), &path.qself) {
                (Some(plain), _) => self.claim(&plain.path, Claim::Function(primitive)),
                (None, None) => self.claim(&path.path, Claim::Function(primitive)),
                // By the path of a trait it is what that says.
                (None, Some(_)) => {}
            }
        }
        match (function, call.args.len()) {
            ("from", 1) => Expr::call(Callable::From(primitive), self.exprs(&call.args), span),
            ("from_bits", 1) if primitive.scalar().is_float() => {
                Expr::call(Callable::FromBits(primitive), self.exprs(&call.args), span)
            }
            // Also for generic parameters.
            ("from_f32" | "from_f32_const", 1) => Expr::call(
                Callable::Nearest(primitive, Primitive::F32),
                self.exprs(&call.args),
                span,
            ),
            ("from_f64" | "from_f64_const", 1) => Expr::call(
                Callable::Nearest(primitive, Primitive::F64),
                self.exprs(&call.args),
                span,
            ),
            ("default", 0) => self.zero(primitive, span),
            (_, 0) => {
                self.refuse_function(&[primitive.name(), function], call, whole);
                self.refused(span)
            }
            _ => {
                if let Some(row) = library::function(function, methods::receiver(primitive)) {
                    let argument = self.expr(&call.args[0]);
                    let callee = self.library(row, Some(primitive), &[], name.span());
                    let Some(callee) = callee.filter(|_| call.args.len() == 1) else {
                        return self.left_to_rustc(span);
                    };
                    return Expr::call(Callable::Library(Box::new(callee)), vec![argument], span);
                }
                if !self.method_known(&name, Some(methods::receiver(primitive))) {
                    return self.refused(span);
                }
                let receiver = self.expr(&call.args[0]);
                let arguments = call
                    .args
                    .iter()
                    .skip(1)
                    .map(|argument| self.argument(argument))
                    .collect();
                let call = MethodCall {
                    on: Some(primitive),
                    ..MethodCall::new(receiver, name, arguments)
                };
                call.into_expr(span)
            }
        }
    }

    fn zero(&mut self, primitive: Primitive, span: Span) -> Expr {
        match primitive.scalar() {
            vyre_ir::ir::Scalar::Bool => Expr::new(ExprKind::Bool(false), span),
            scalar if scalar.is_half() => self.known_constant("default".to_owned(), primitive, 0, span),
            scalar if scalar.is_float() => Expr::new(ExprKind::Float("0".to_owned(), Some(primitive)), span),
            _ => Expr::new(ExprKind::Integer(0, Some(primitive)), span),
        }
    }

    /// The value of `T::default()`, of types whose defaults Rust itself says.
    pub(super) fn default_of(&mut self, ty: Ty, span: Span) -> Option<Expr> {
        let kind = match self.tree.types.kind(ty).clone() {
            Kind::Primitive(primitive) => return Some(self.zero(primitive, span)),
            Kind::Adt(_) if self.tree.types.is_tuple(ty) => {
                let fields = self.tree.types.fields(ty)?.into_iter();
                let fields = fields.map(|field| self.default_of(field, span));
                let fields = fields.collect::<Option<_>>()?;
                self.tuple(fields)
            }
            Kind::Array(element, length) => {
                let length = self.tree.types.length(length);
                ExprKind::Repeat(Box::new(self.default_of(element, span)?), length)
            }
            _ => {
                let of = self.tree.types.case(ty, NONE).filter(|of| of.key == OPTION)?;
                ExprKind::make(of, Vec::new())
            }
        };
        Some(Expr::new(kind, span))
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        if let Some(ended) = self.iterated(call, whole, span) {
            return ended;
        }
        if let (Syntax::Range(range), Some(value)) = (unparenthesised(&call.receiver), call.args.first())
            && call.method == "contains"
            && call.args.len() == 1
        {
            return self.range_contains(range, value, span);
        }
        if let Some(elements) = self.flattened(call, span) {
            return elements;
        }
        let receiver = self.expr(&call.receiver);
        // No method takes a range, so it is not that of another type.
        if let Some(Syntax::Range(_)) = call.args.first().map(unparenthesised)
            && (call.method == "gen_range" || call.method == "random_range")
        {
            if !matches!(receiver.kind, ExprKind::Refused) {
                self.errors.conditional(
                    Code::UnknownMethod,
                    call.method.span(),
                    format_args!("kernels have no method `{}`", call.method),
                    "compute it of a number in 0 to 1: `a + (b - a) * random.uniform_f32()`, where `random` is a \
                     `vyre::random::Philox`; of `u32` write `a + random.below(b - a)`",
                );
            }
            return self.refused(span);
        }
        if let (Some(range @ Syntax::Range(_)), true) = (
            call.args.first().map(unparenthesised),
            OF_PARTS.iter().any(|name| call.method == name),
        ) {
            if !matches!(receiver.kind, ExprKind::Refused) {
                self.errors.refuse_all(
                    Code::RangeValue,
                    range,
                    format_args!("`{}` takes no range in a kernel", call.method),
                    "compare the end with the length, and take the part: `if end <= x.len() { let part = &x[start..end]; .. }`",
                );
            }
            return self.refused(span);
        }
        let takes_closure = call.args.iter().any(|it| matches!(it, Syntax::Closure(_))) && !self.tree.has_behaviour();
        // One fault for a chain of calls, at the first that is none of ours; inference knows whether a type
        // of the user's has it.
        if matches!(receiver.kind, ExprKind::Refused)
            || takes_closure && !(self.chain_known(&receiver) && self.method_known(&call.method, None))
        {
            return self.refused(span);
        }
        let mut types = Vec::new();
        if let Some(turbofish) = &call.turbofish {
            turbofish
                .args
                .iter()
                .for_each(|argument| types.push(self.written(argument)));
        }
        let mut arguments = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            arguments.push(match unparenthesised(argument) {
                Syntax::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) if call.method == "expect" => Argument::Text(text.value()),
                _ => self.argument(argument),
            });
        }
        let method = MethodCall {
            types,
            ..MethodCall::new(receiver, call.method.clone(), arguments)
        };
        method.into_expr(span)
    }

    /// True if the methods of a chain of calls are known; refuses the first that is not.
    fn chain_known(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Method(call) => self.chain_known(&call.receiver) && self.method_known(&call.name, None),
            _ => true,
        }
    }

    /// True if some receiver (of the kind `on`, where that is known) has the method; refuses it if not.
    fn method_known(&mut self, name: &Ident, on: Option<u16>) -> bool {
        let text = name.to_string();
        let of_fragments = on.is_none() && fragment::METHODS.contains(&&*text);
        // Methods of groups are known to inference.
        let known = of_fragments || methods::names(on).contains(&&*text) || self.tree.has_groups;
        if !known {
            unknown_method(name, on, self.errors);
        }
        known
    }

    /// An argument of a method: a value, or an `Ordering`.
    pub(super) fn argument(&mut self, argument: &Syntax) -> Argument {
        if let Syntax::Path(path) = unparenthesised(argument)
            && path.qself.is_none()
            && let Some(last) = path.path.segments.last()
        {
            let order = match last.ident.to_string().as_str() {
                "Relaxed" => Some(MemoryOrder::Relaxed),
                "Acquire" => Some(MemoryOrder::Acquire),
                "Release" => Some(MemoryOrder::Release),
                "AcqRel" => Some(MemoryOrder::AcqRel),
                "SeqCst" => Some(MemoryOrder::SeqCst),
                _ => None,
            };
            let is_value = path.path.get_ident().is_some_and(|name| {
                let binding = self.lookup(name);
                binding.is_some_and(|binding| !matches!(binding, Binding::Path(_)))
            });
            if let Some(order) = order.filter(|_| !is_value) {
                self.claim(&path.path, Claim::Order(order));
                return Argument::Order(order, last.ident.span());
            }
        }
        let arity = self.arity(argument);
        Argument::Value(self.argument_of(argument, arity))
    }
}

/// Refuses a method that no receiver (of the kind `on`, where that is known) has.
pub(crate) fn unknown_method(name: &Ident, on: Option<u16>, errors: &mut Errors) {
    let text = name.to_string();
    match methods::instead(&text) {
        Some(help) => {
            let fault = format!("`{text}` is not supported in a kernel");
            errors.refuse(Code::UnsupportedMethod, name.span(), fault, help);
        }
        None => {
            let near = nearest(&text, &methods::names(on));
            let of_matrix = on == Some(methods::on::MATRIX)
                && [
                    "width", "height", "columns", "nrows", "ncols", "num_rows", "num_cols", "shape", "dim",
                ]
                .contains(&&*text);
            let function = library::mathematics(&text, methods::on::FLOAT);
            let function = function.filter(|_| on.is_none_or(|on| on & methods::on::FLOAT != 0));
            let cast = methods::cast(&text).filter(|_| on.is_none_or(|on| on & methods::on::NUMBER != 0));
            let fault = format!("kernels have no method `{text}`");
            let instead = match text.strip_prefix("fast_") {
                _ if of_matrix => Some("a matrix has `rows()` and `cols()`".to_owned()),
                _ if function.is_some() => function.map(|row| format!("write `{}(..)`", row.path)),
                Some(fast) if intrinsics::named(&["fast", fast]).is_some() => Some(format!("write `fast::{fast}(x)`")),
                _ => cast.map(|to| format!("write `x as {}`", to.name())),
            };
            match (instead, near) {
                (Some(help), _) => errors.refuse(Code::UnknownMethod, name.span(), fault, help),
                (None, Some(near)) => {
                    errors.conditional(
                        Code::UnknownMethod,
                        name.span(),
                        fault,
                        format!("did you mean `{near}`?"),
                    );
                }
                (None, None) => errors.conditional(Code::UnknownMethod, name.span(), fault, methods::IN_ALL),
            }
        }
    }
}
