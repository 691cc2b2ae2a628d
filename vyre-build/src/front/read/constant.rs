//! Constants inside a kernel: their values are computed here, because array lengths need them.

use quote::ToTokens;
use syn::{Expr as Syntax, ItemConst};

use super::super::tree::Constant;
use super::super::types::Ty;
use super::super::{evaluate, infer};
use super::{Binding, Reader};

impl Reader<'_> {
    /// Brings the constants of a block into scope. They may mention each other in any order.
    pub(super) fn constants(&mut self, items: &[&ItemConst]) {
        let mut waiting: Vec<&ItemConst> = items.to_vec();
        while !waiting.is_empty() {
            let ready = waiting.iter().position(|item| {
                !waiting
                    .iter()
                    .any(|other| mentions(item.expr.to_token_stream(), &other.ident.to_string()))
            });
            let Some(ready) = ready else {
                // They go round in circles.
                self.errors.leave_to_rustc();
                for item in waiting {
                    self.scopes.push((item.ident.to_string(), Binding::Refused));
                }
                return;
            };
            let item = waiting.remove(ready);
            let binding = match self.constant(item) {
                Some(constant) => Binding::Constant(constant),
                None => Binding::Refused,
            };
            self.scopes.push((item.ident.to_string(), binding));
        }
    }

    /// Computes a constant; refuses it where that cannot be done.
    pub(super) fn constant(&mut self, item: &ItemConst) -> Option<usize> {
        let ty = self.ty(&item.ty);
        if ty == Ty::REFUSED {
            return None;
        }
        let before = self.errors.count();
        let Some(values) = self.values(&item.expr, ty) else {
            if self.errors.count() == before {
                self.errors.refuse_all(
                    &item.expr,
                    format_args!("vyre cannot compute the constant `{}`", item.ident),
                    "use literals, operators, casts, and other constants of the kernel",
                );
            }
            return None;
        };
        self.tree.constants.push(Constant {
            name: item.ident.to_string(),
            ty,
            values,
            span: item.ident.span(),
        });
        Some(self.tree.constants.len() - 1)
    }

    /// The bits of a constant scalar of type `ty`.
    pub(super) fn evaluate(&mut self, expr: &Syntax, ty: Ty) -> Option<u64> {
        match self.values(expr, ty)?[..] {
            [value] => Some(value),
            _ => None,
        }
    }

    fn values(&mut self, expr: &Syntax, ty: Ty) -> Option<Vec<u64>> {
        let externals = self.tree.externals.len();
        let outer = std::mem::replace(&mut self.within_constant, true);
        let mut expr = self.expr(expr);
        self.within_constant = outer;
        if !infer::constant(&mut self.tree, self.errors, &mut expr, ty) {
            return None;
        }
        let values = evaluate::values(&self.tree, &expr);
        // What the expression alone mentions is no part of the kernel.
        self.tree.externals.truncate(externals);
        values
    }
}

fn mentions(tokens: proc_macro2::TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == name,
        proc_macro2::TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}
