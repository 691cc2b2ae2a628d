//! What stands beside a device function: the function once more, in the form that rustc checks.
//!
//! The function itself stays as it was written, so that host code may call it.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{ItemFn, ReturnType};

use crate::surface::Rejected;

/// The function with witnesses, which rustc checks.
pub(crate) fn checked(function: &ItemFn, checked: &TokenStream) -> TokenStream {
    super::checked_function(&function.sig.ident, &function.attrs, checked)
}

/// What stands beside a function that was refused, or left to rustc: in the latter case a build that
/// fails if rustc finds nothing wrong with it, as for kernels.
pub(crate) fn refused(function: &ItemFn, rejected: &Rejected) -> TokenStream {
    if !rejected.errors.is_empty() || rejected.elsewhere {
        return TokenStream::new();
    }
    let signature = &function.sig;
    let (name, generics, inputs) = (&signature.ident, &signature.generics, &signature.inputs);
    let where_clause = &signature.generics.where_clause;
    let result = match &signature.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let body = &function.block;
    let cfg = function
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"));
    let arguments = inputs.iter().map(|_| quote!(::vyre::__private::any()));
    let message = super::mismatch("device function", name);
    // A closure is checked with the function around it, and keeps the result's type.
    quote_spanned! {Span::mixed_site()=>
        #(#cfg)*
        const _: () = {
            #[allow(warnings, clippy::all, clippy::pedantic)]
            fn #name #generics (#inputs) -> impl ::core::marker::Sized #where_clause {
                (move || -> #result #body)()
            }
            ::vyre::__private::refuse(|| #name(#(#arguments),*), #message);
        };
    }
}
