//! The views that the launcher of a generic kernel holds for slices and matrices.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{PatType, Type};

use super::optional_slice;
use crate::syntax::any_slice::any_slice;
use crate::syntax::bundle;
use crate::syntax::parameter::matrix;

/// The view for a parameter.
pub(super) struct View<'t> {
    /// The name of its type.
    pub(super) name: &'static str,
    /// The trait of the arguments, whose message says what fits.
    argument: &'static str,
    pub(super) element: &'t Type,
}

impl<'t> View<'t> {
    /// That for a parameter, if it is not a value.
    pub(super) fn of(typed: &'t PatType) -> Option<Self> {
        View::of_type(typed, &typed.ty)
    }

    /// That for a slice in an `Option`.
    pub(super) fn optional(typed: &'t PatType) -> Option<Self> {
        View::of_type(typed, optional_slice(&typed.ty)?)
    }

    fn of_type(typed: &'t PatType, ty: &'t Type) -> Option<Self> {
        let (name, argument, element) = match (matrix(ty), ty) {
            (Some((element, false)), _) => ("View2", "ReadsMatrix", element),
            (Some((element, true)), _) => ("ViewMut2", "WritesMatrix", element),
            (None, Type::Reference(reference)) => match element_of(typed, &reference.elem) {
                element if is_atomic(element) => ("AtomicView", "Updates", element),
                element if reference.mutability.is_some() => ("ViewMut", "Writes", element),
                element => ("View", "Reads", element),
            },
            _ => return None,
        };
        Some(View {
            name,
            argument,
            element,
        })
    }

    /// The trait of the arguments, which makes views of them. Readers do not see the one with a message.
    pub(super) fn argument(&self, field: &TokenStream, is_shown: bool) -> TokenStream {
        let (argument, element) = (Ident::new(self.argument, Span::call_site()), self.element);
        match is_shown {
            true => quote!(::core::convert::Into<#field>),
            false => quote!(::vyre::__private::#argument<'v, #element>),
        }
    }

    /// The type of the argument of a slice that may be left out: that of its buffer.
    pub(super) fn buffer(&self) -> TokenStream {
        let element = self.element;
        match self.name {
            "View" => quote!(&'v ::vyre::DeviceBuffer<#element>),
            "ViewMut" => quote!(&'v mut ::vyre::DeviceBuffer<#element>),
            _ => quote!(&'v mut ::vyre::DeviceBuffer<<#element as ::vyre::AtomicElement>::Value>),
        }
    }

    /// The view of an argument.
    pub(super) fn given(&self, name: &Ident, is_shown: bool) -> TokenStream {
        let argument = Ident::new(self.argument, Span::call_site());
        match is_shown {
            true => quote!(::core::convert::Into::into(#name)),
            false => quote!(::vyre::__private::#argument::view(#name)),
        }
    }
}

/// The type of the elements to which a parameter refers.
fn element_of<'t>(typed: &PatType, referent: &'t Type) -> &'t Type {
    let is_each = typed.attrs.iter().any(|attribute| attribute.path().is_ident("each"));
    match (referent, any_slice(referent)) {
        (Type::Slice(slice), _) => &slice.elem,
        (_, Some(element)) if !is_each => element,
        _ => referent,
    }
}

fn is_atomic(element: &Type) -> bool {
    if let Type::Array(array) = element {
        return is_atomic(&array.elem);
    }
    let Type::Path(path) = element else { return false };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().starts_with("Atomic"))
}

/// The struct of slices that a parameter is, with the lifetime of its views.
pub(super) fn bundle(typed: &PatType) -> Option<Type> {
    bundle::written(&typed.ty)?;
    Some(bundle::with_lifetime(&typed.ty, "'v"))
}
