//! Confirms what names and paths of a body lead to.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::constant_value;
use super::type_tokens::{DOOR, tag};
use crate::errors::{Code, Errors};
use crate::library::intrinsics::{self, MULTIPLY_ADD, OF_MATRICES};
use crate::surface::Primitive;
use crate::syntax::tree::Tree;
use crate::types::{Kind, Ty, Types};

/// Confirms that a path leads to an intrinsic, or to a variant of core's `Option` or `Result`.
pub(super) fn intrinsic(path: &TokenStream, function: &str) -> TokenStream {
    let door = Ident::new(DOOR, Span::call_site());
    let function = if function == OF_MATRICES {
        MULTIPLY_ADD
    } else {
        function
    };
    // `Some` and other constructors may be the user's own.
    let (core, arguments) = match function {
        "Some" | "None" => (quote!(option::Option), quote!(::<i32>)),
        "Ok" | "Err" => (quote!(result::Result), quote!(::<i32, i32>)),
        _ => Default::default(),
    };
    if !core.is_empty() {
        let name = Ident::new(function, Span::call_site());
        return quote!(#door::same(#path #arguments, ::core::#core::#name #arguments););
    }
    let segments = function
        .split("::")
        .map(|segment| Ident::new(segment, Span::call_site()));
    let arguments = intrinsics::generic_arguments(function);
    quote!(#door::same(#path #arguments, ::vyre #(:: #segments)* #arguments);)
}

/// Confirms that a name is that of a primitive type.
pub(super) fn primitive(types: &Types, primitive: Primitive, name: &Ident) -> Option<TokenStream> {
    let (tag, door) = (
        tag(types, Ty::primitive(primitive))?,
        Ident::new(DOOR, Span::call_site()),
    );
    let span = Span::call_site().located_at(name.span());
    Some(quote_spanned!(span=> #door::alias::<#tag, #name>();))
}

/// Confirms that a path leads to the constant of a number.
pub(super) fn constant(tree: &Tree, path: &TokenStream, number: usize) -> Option<TokenStream> {
    let constant = &tree.constants[number];
    let mut of = constant.ty;
    while let Kind::Array(element, _) = *tree.types.kind(of) {
        of = element;
    }
    let cell = tree.types.as_primitive(of)?;
    Some(constant_value::at_path(path, cell, &constant.values))
}

/// Confirms that a name in a pattern is a new variable: rustc refuses `NAME @ _` where it is a constant's.
pub(super) fn variable(name: &Ident) -> TokenStream {
    quote!(#[allow(unused_variables, clippy::redundant_pattern)] let _ = |#name @ _: ()| {};)
}

/// Explains a type mismatch by a user's own `Ok` or other constructor that shadows core's.
pub(crate) fn explain(tree: &Tree, errors: &mut Errors) {
    let is_core = |function: &str| ["Some", "None", "Ok", "Err"].contains(&function);
    let mut names = tree.intrinsics();
    let bare = names.find(|(path, function)| is_core(function) && path.to_string() == *function);
    if let (Some((path, name)), true) = (bare, errors.is_left_to_rustc()) {
        let span = path
            .clone()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |first| first.span());
        let note = format!(
            "{}: vyre takes `{name}` for that of `Option` or `Result`, and an import brings another one here\n\
             help: write its type too: `Answer::{name}`",
            Code::AmbiguousName
        );
        errors.explain(span, note);
    }
}
