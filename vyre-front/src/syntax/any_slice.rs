//! Slices that integers of all types index: the type `Slice<T>`, `Slice::of(x)` and `Slice::of_mut(y)`.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, PathSegment, Type};

use super::Reader;
use super::outer_item::Outside;
use super::tree::{Bounds, Expr, ExprKind};
use crate::errors::{Code, Errors};
use crate::resolve::names::Names;
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
    /// True for `Slice::of_mut` and false for `Slice::of`, where a path leads to one of them.
    pub(super) fn any_slice_at(&mut self, path: &Path) -> Option<bool> {
        let (ty, mutable) = parts(path)?;
        if matches!(self.leads_to(&ty), Outside::Found(..)) {
            return None;
        }
        self.claim_any_slice(&ty);
        Some(mutable)
    }

    /// All elements of what an expression refers to, as such a slice.
    pub(super) fn any_slice(&self, whole: Expr, mutable: bool, span: Span) -> Expr {
        let part = ExprKind::Part(Box::new(whole), [None, None], Bounds::Whole);
        Expr::new(ExprKind::Borrow(Box::new(Expr::new(part, span)), mutable), span)
    }
}

/// The element of a slice that integers of all types index, where the type is `Slice<T>`.
pub(crate) fn any_slice(ty: &Type) -> Option<&Type> {
    let path = match ty {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Paren(inner) => return any_slice(&inner.elem),
        Type::Group(inner) => return any_slice(&inner.elem),
        _ => return None,
    };
    only_type(path.segments.last().filter(|last| last.ident == ANY_SLICE)?)
}

/// The only generic argument of a name, if that is a type.
pub(super) fn only_type(name: &PathSegment) -> Option<&Type> {
    match &name.arguments {
        PathArguments::AngleBracketed(arguments) if arguments.args.len() == 1 => match arguments.args.first()? {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        },
        _ => None,
    }
}

/// True of vyre's `Slice<T>`, as far as is known: rustc confirms it.
pub(super) fn is_any_slice(ty: &Type, names: &Names) -> bool {
    let is_own = |path: &syn::TypePath| names.find_path(&path.path).is_some();
    match ty {
        Type::Path(path) => any_slice(ty).is_some() && !is_own(path),
        Type::Paren(inner) => is_any_slice(&inner.elem, names),
        Type::Group(inner) => is_any_slice(&inner.elem, names),
        _ => false,
    }
}

/// Refuses a `Slice` that is no reference.
pub(super) fn refuse_any_slice(ty: &Type, errors: &mut Errors) {
    let shown = ty.to_token_stream().to_string().replace(' ', "");
    errors.refuse_all(
        Code::ParameterType,
        ty,
        "a `Slice` is passed by reference",
        format_args!("write `&{shown}` or `&mut {shown}`"),
    );
}
