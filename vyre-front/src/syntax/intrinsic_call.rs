//! Calls of vyre's own functions.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, ExprCall, ExprPath, Path, PathArguments, UnOp};
use vyre_ir::ir::{Among, Intrinsic, MemoryOrder, MemoryScope};

use super::Reader;
use super::obligations::Obligation;
use super::tree::{Argument, Callable, Expr, ExprKind, MethodCall};
use crate::errors::Code;
use crate::library::Row;
use crate::library::intrinsics::{Entry, Form};

impl Reader<'_> {
    pub(super) fn intrinsic(&mut self, entry: &'static Entry, path: &ExprPath, call: &ExprCall, span: Span) -> Expr {
        let name = entry.path;
        if let (Form::Group(_) | Form::WaitForCopies, Some(first), false) =
            (&entry.form, call.args.first(), self.within_constant)
        {
            // rustc would miss the argument of the type as well.
            let numbers = call.args.to_token_stream();
            self.errors.refuse(
                Code::UnknownIntrinsic,
                first.span(),
                format_args!("`{name}` takes its numbers in its path"),
                format_args!("write `{name}::<{numbers}>()`"),
            );
            self.exprs(&call.args);
            return self.refused(span);
        }
        if call.args.len() == entry.arguments() + 1 && name.starts_with("warp::") && !self.within_constant {
            // rustc would name another argument than the one that is too many.
            self.exprs(&call.args);
            return self.fault(
                Code::UnknownIntrinsic,
                call.args.first().map_or(span, Spanned::span),
                format_args!("`{name}` takes no mask of lanes: it concerns all that have not returned"),
                "leave the mask out",
            );
        }
        if call.args.len() != entry.arguments() {
            return self.left_to_rustc(span);
        }
        if self.within_constant {
            return self.fault(
                Code::UnknownLength,
                span,
                format_args!("`{name}` is known at run time, and this when the kernel is compiled"),
                "write a constant: `const LENGTH: usize = 256;`",
            );
        }
        if let Some(Syntax::Unary(distance)) = call.args.iter().nth(1)
            && let (UnOp::Neg(_), Some(other)) = (&distance.op, other_way(name))
        {
            self.exprs(&call.args);
            return self.fault(
                Code::UnknownIntrinsic,
                distance.span(),
                format_args!("`{name}` takes a distance, which is not negative"),
                format_args!("write `{other}(v, {})`", distance.expr.to_token_stream()),
            );
        }
        match entry.form {
            Form::Group(group) => return self.group(group, &path.path, span),
            Form::WaitForCopies => return self.wait_for_copies(&path.path, span),
            _ => {}
        }
        if entry.infers_arguments()
            && let Some(last) = path.path.segments.last()
            && !last.arguments.is_none()
        {
            self.errors.refuse(
                Code::WarpType,
                last.ident.span(),
                format_args!("`{name}` is called without a type in a kernel"),
                "leave `::<..>` out: the type is that of the value",
            );
            self.exprs(&call.args);
            return self.refused(span);
        }
        self.tree.domain_axes = self.tree.domain_axes.max(entry.axes());
        let tokens = path.to_token_stream();
        self.note(tokens, entry.path);
        let (callable, arguments) = match &entry.form {
            Form::Call(function) => (Callable::Row(function), self.exprs(&call.args)),
            Form::Do(intrinsic) if intrinsic.row().among == Among::Grid && (self.is_device || self.in_closure) => {
                return self.fault(
                    Code::GridSync,
                    span,
                    match self.in_closure {
                        true => "a closure does not wait for the whole grid",
                        false => "a device function does not wait for the whole grid",
                    },
                    "write `grid::sync()` in the kernel, between two calls",
                );
            }
            &Form::Do(intrinsic) => (Callable::Do(intrinsic), Vec::new()),
            Form::MapShared => {
                let arguments = vec![self.expr(&call.args[0]), self.expr(&call.args[1])];
                if self.in_closure {
                    self.errors.refuse(
                        Code::MappedShared,
                        span,
                        "a closure does not look into other blocks",
                        "write `let theirs = cluster::map_shared(tile, rank);` before the closure, and use `theirs` in it",
                    );
                }
                (Callable::MapShared, arguments)
            }
            &Form::Load(access) => (Callable::Access(access), vec![self.expr(&call.args[0])]),
            &Form::Store(access) => {
                let arguments = vec![self.expr(&call.args[0]), self.expr(&call.args[1])];
                (Callable::Access(access), arguments)
            }
            Form::Copy => return self.copy(call, span),
            &Form::Fence(scope) => return self.fence(scope, &call.args[0], span),
            // Read above.
            Form::WaitForCopies | Form::Group(_) => return self.refused(span),
        };
        Expr::call(callable, arguments, span)
    }

    /// `math::exp(x)`: a method in the end, whose receiver is the first argument.
    pub(super) fn math_call(&mut self, row: &Row, path: &ExprPath, call: &ExprCall, span: Span) -> Expr {
        let mut arguments: Vec<Expr> = call.args.iter().map(|argument| self.expr(argument)).collect();
        let name = path.path.segments.last().map(|last| &last.ident);
        let (Some(name), true, false) = (name, arguments.len() == row.arity(), self.within_constant) else {
            return self.left_to_rustc(span);
        };
        self.note(path.to_token_stream(), row.path);
        let first = arguments.remove(0);
        let arguments = arguments.into_iter().map(Argument::Value).collect();
        let call = MethodCall {
            is_math: true,
            ..MethodCall::new(first, name.clone(), arguments)
        };
        call.into_expr(span)
    }

    /// `block::fence(Ordering::AcqRel)` and the other fences.
    fn fence(&mut self, scope: MemoryScope, order: &Syntax, span: Span) -> Expr {
        match self.argument(order) {
            Argument::Order(MemoryOrder::Relaxed, _) => self.refuse(
                Code::AtomicOrder,
                order,
                "a relaxed fence orders nothing",
                "write `Ordering::Acquire`, `Release`, `AcqRel` or `SeqCst`",
            ),
            Argument::Order(order, _) => Expr::call(Callable::Do(Intrinsic::Fence { order, scope }), Vec::new(), span),
            Argument::Value(value) if matches!(value.kind, ExprKind::Refused) => value,
            Argument::Value(_) | Argument::Text(_) => self.refuse(
                Code::AtomicOrder,
                order,
                "the ordering of a fence is a literal argument",
                "write `Ordering::AcqRel` or another by its name",
            ),
        }
    }

    /// As `note`, of a path without its generic arguments.
    pub(super) fn note_bare(&mut self, path: &Path, function: &'static str) {
        self.note(bare(path).into_token_stream(), function);
    }

    /// Notes the path of an intrinsic, for rustc to confirm that it leads there.
    pub(super) fn note(&mut self, tokens: TokenStream, function: &'static str) {
        self.tree.oblige(Obligation::Intrinsic(tokens, function));
    }
}

/// A path without its generic arguments.
pub(super) fn bare(path: &Path) -> Path {
    let mut path = path.clone();
    for segment in &mut path.segments {
        segment.arguments = PathArguments::None;
    }
    path
}

/// The shuffle in the other direction.
fn other_way(name: &str) -> Option<&'static str> {
    match name {
        "warp::shuffle_up" => Some("warp::shuffle_down"),
        "warp::shuffle_down" => Some("warp::shuffle_up"),
        _ => None,
    }
}
