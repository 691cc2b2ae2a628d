//! Calls of functions of `core` by their paths: `mem::swap(&mut a, &mut b)`, `size_of::<T>()`.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprCall, Path, PathArguments};

use super::Reader;
use super::expr::unparenthesised;
use super::tree::{Expr, ExprKind};
use crate::errors::Code;
use crate::library::Row;
use crate::surface::Primitive;
use crate::types::{Kind, Ty};

impl Reader<'_> {
    /// The call of a function of `core`, with its row unless it asks for the layout of a type.
    pub(super) fn core_call(
        &mut self,
        known: &'static str,
        row: Option<&'static Row>,
        path: &Path,
        call: &ExprCall,
        span: Span,
    ) -> Expr {
        self.note_bare(path, known);
        let mut types = self.types_at(path);
        // A closure says itself what it is.
        types.truncate(2);
        let Some(row) = row else {
            return match (&types[..], call.args.is_empty()) {
                (&[ty], true) => self.of_layout(ty, known, span),
                _ => self.left_to_rustc(span),
            };
        };
        if call.args.len() != row.arity() {
            return self.left_to_rustc(span);
        }
        if let (true, Some((a, b))) = (known == "core::mem::swap", names_of_both(call)) {
            // Also of slices, which are no arguments by `&mut`.
            let (left, right) = (syn::parse_quote!((#a, #b)), syn::parse_quote!((#b, #a)));
            return self.assign_parts(&left, &right, span);
        }
        let mut values = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            let arity = self.arity(argument);
            values.push(self.argument_of(argument, arity));
        }
        match self.library(row, None, &types, span) {
            None => self.left_to_rustc(span),
            Some(callee) => self.called(row, callee, values, span),
        }
    }

    /// The types in the brackets of a path, and for a length an array of it.
    fn types_at(&mut self, path: &Path) -> Vec<Ty> {
        let written = path.segments.last().map(|last| &last.arguments);
        let Some(PathArguments::AngleBracketed(written)) = written else {
            return Vec::new();
        };
        let arguments = written.args.iter().map(|argument| self.written(argument));
        arguments.collect()
    }

    /// The size or alignment of a type that has a defined layout.
    fn of_layout(&mut self, ty: Ty, function: &str, span: Span) -> Expr {
        let is_open = |kind: &Kind| matches!(kind, Kind::Unknown { .. } | Kind::Refused);
        let value = match self.tree.types.contains(ty, &is_open) || self.tree.placeholder(ty).is_some() {
            // An instance knows.
            true => 0,
            false if !self.tree.types.is_data(ty) => {
                let name = function.rsplit("::").next().unwrap_or(function);
                return self.fault(
                    Code::StandardFunction,
                    span,
                    format!("vyre does not know the layout of `{}`", self.tree.types.show(ty)),
                    format_args!("bind it outside, to a constant: `const SIZE: usize = {name}::<..>();`"),
                );
            }
            false => {
                let (size, align) = self.tree.types.size_and_align(ty);
                if function.ends_with("size_of") { size } else { align }
            }
        };
        Expr::new(ExprKind::Integer(value.into(), Some(Primitive::Usize)), span)
    }
}

/// The variables whose values a call exchanges, where it names two.
fn names_of_both(call: &ExprCall) -> Option<(&Syntax, &Syntax)> {
    let name = |argument| match unparenthesised(argument) {
        Syntax::Reference(reference) if reference.mutability.is_some() => {
            let inner = unparenthesised(&reference.expr);
            matches!(inner, Syntax::Path(path) if path.path.get_ident().is_some()).then_some(inner)
        }
        _ => None,
    };
    Some((name(call.args.first()?)?, name(call.args.last()?)?))
}
