//! Slices that integers of all types index: `Slice::of(x)`, `Slice::of_mut(y)`.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprCall, Path};

use super::Reader;
use super::outer_item::Outside;
use super::tree::{Bounds, Expr, ExprKind};
use crate::types::ANY_SLICE;

/// The path of the type and whether the result is mutable, where a path leads to such a function.
fn parts(path: &Path) -> Option<(Path, bool)> {
    let mut from_last = path.segments.iter().rev();
    let (function, last) = (from_last.next()?, from_last.next()?);
    let mutable = function.ident == "of_mut";
    let is_of = mutable || function.ident == "of";
    if !is_of || last.ident != ANY_SLICE || !function.arguments.is_none() || !last.arguments.is_none() {
        return None;
    }
    let mut ty = path.clone();
    ty.segments.pop();
    // The mark behind the type goes with its function.
    ty.segments.pop_punct();
    Some((ty, mutable))
}

impl Reader<'_> {
    /// The argument of a call of such a function, and whether the result is mutable.
    pub(super) fn as_any_slice<'c>(&mut self, path: &Path, call: &'c ExprCall) -> Option<(&'c Syntax, bool)> {
        let (ty, mutable) = parts(path)?;
        if call.args.len() != 1 || matches!(self.leads_to(&ty), Outside::Found(..)) {
            return None;
        }
        self.claim_any_slice(&ty);
        Some((call.args.first()?, mutable))
    }

    /// All elements of what an expression refers to, as such a slice.
    pub(super) fn any_slice(&self, whole: Expr, mutable: bool, span: Span) -> Expr {
        let part = ExprKind::Part(Box::new(whole), [None, None], Bounds::Whole);
        Expr::new(ExprKind::Borrow(Box::new(Expr::new(part, span)), mutable), span)
    }
}
