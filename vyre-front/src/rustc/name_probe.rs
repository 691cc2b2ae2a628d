//! Confirms what names and paths of a body lead to.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::Path;
use syn::spanned::Spanned;
use vyre_ir::ir::MemoryOrder;

use super::constant_value;
use super::type_tokens::{DOOR, tag};
use crate::code::{self, code};
use crate::editor;
use crate::errors::{Code, Errors};
use crate::library::intrinsics::{self, MULTIPLY_ADD, OF_MATRICES};
use crate::resolve::source_scan::Surroundings;
use crate::surface::Primitive;
use crate::syntax::obligations::{Arguments, Claim};
use crate::syntax::tree::Tree;
use crate::types::{Kind, Ty, Types};

/// Confirms that a path leads to an intrinsic, or to a variant of core's `Option` or `Result`.
pub(super) fn intrinsic(path: &TokenStream, function: &str) -> code::Code {
    let first = path.clone().into_iter().next();
    let user = Span::call_site();
    let span = user.located_at(first.map_or(user, |first| first.span()));
    let door = &Ident::new(DOOR, span);
    let function = if function == OF_MATRICES {
        MULTIPLY_ADD
    } else {
        function
    };
    // `Some` and other constructors may be the user's own.
    let (core, arguments) = match function {
        "Some" | "None" => (code!(user=> option::Option), code!(user=> ::<i32>)),
        "Ok" | "Err" => (code!(user=> result::Result), code!(user=> ::<i32, i32>)),
        // Another variant has the same type, so the values are compared.
        "Less" | "Equal" | "Greater" => {
            let name = Ident::new(function, Span::call_site());
            let message = format!(
                "{}: `{}` is another variant here than `core::cmp::Ordering::{name}`, for which vyre takes it\n\
                 help: rename the item or import that hides it",
                Code::HiddenName,
                path.to_string().replace(' ', "")
            );
            let (path, message) = (code::Code::of(path), Literal::string(&message));
            return code! {span=>
                const _: () = #door::meant(#door::is_ordering(#path, ::core::cmp::Ordering::#name), #message);
            };
        }
        _ => Default::default(),
    };
    let path = code::Code::of(path);
    if !core.is_empty() {
        let (name, arguments) = (Ident::new(function, user), &arguments);
        return code!(span=> #door::leads_to((#path #arguments, ::core::#core::#name #arguments)););
    }
    let (mut to, arguments) = match function.strip_prefix("core::") {
        Some("array::from_fn") => (code!(span=> ::core), code!(user=> ::<i32, 1, fn(usize) -> i32>)),
        Some(_) => (code!(span=> ::core), code!(user=> ::<i32>)),
        None if function.starts_with("math::") => (code!(span=> ::vyre), code!(user=> ::<::core::primitive::f32>)),
        None => (
            code!(span=> ::vyre),
            code::Code::of(&intrinsics::generic_arguments(function)),
        ),
    };
    for segment in function.strip_prefix("core::").unwrap_or(function).split("::") {
        let segment = Ident::new(segment, user);
        to.append(code!(span=> ::#segment));
    }
    let arguments = &arguments;
    code!(span=> #door::leads_to((#path #arguments, #to #arguments));)
}

/// Confirms what a path of Rust's or vyre's is taken for.
pub(super) fn claim(types: &Types, path: &Path, claim: Claim) -> Option<code::Code> {
    let last = &path.segments.last()?.ident;
    match claim {
        Claim::Type(ty, arguments) => of_type(types, path, ty, arguments),
        Claim::Known(primitive, bits) => known(types, path, primitive, bits),
        Claim::Function(primitive) => Some(of_primitive(path, primitive, last)),
        Claim::Order(order) => Some(self::order(path, order)),
        Claim::Macro => None,
    }
}

/// Confirms that a path is that of a type.
fn of_type(types: &Types, path: &Path, ty: Ty, arguments: Arguments) -> Option<code::Code> {
    let user = Span::call_site();
    let (tag, door) = (tag(types, ty)?, Ident::new(DOOR, user));
    let (span, path) = (user.located_at(path.span()), code::Code::of(path));
    let arguments = match arguments {
        Arguments::None => return Some(code!(span=> #door::alias::<#tag, #path>();)),
        Arguments::Types(count) => vec![code!(user=> ::core::primitive::u32); count],
        Arguments::Numbers(count) => vec![code!(user=> 2); count],
    };
    Some(code!(span=> #door::alias::<#tag, #path<#arguments>>();))
}

/// Confirms that a path leads to the constant of a primitive type: by its type and its bits, since `use std::f32` is
/// legal, and the module has most of the constants too.
fn known(types: &Types, path: &Path, primitive: Primitive, bits: u128) -> Option<code::Code> {
    let span = path.span().resolved_at(Span::mixed_site());
    let (tag, door) = (tag(types, Ty::primitive(primitive))?, &Ident::new(DOOR, span));
    let message = hidden(path, "another constant here than Rust's");
    // The bits of a NaN are not specified.
    let (holds, bits) = match constant_value::is_nan(primitive, bits as u64) {
        true => ("is_nan", constant_value::infinity(primitive).into()),
        false => ("is_known", bits),
    };
    let (holds, path) = (Ident::new(holds, Span::call_site()), code::Code::of(path));
    let (bits, message) = (Literal::u128_unsuffixed(bits), Literal::string(&message));
    Some(code!(span=> const _: () = #door::meant(#door::#holds::<#tag, _>(&#path, #bits), #message);))
}

/// Confirms that a path leads to the function of a primitive type.
fn of_primitive(path: &Path, primitive: Primitive, name: &Ident) -> code::Code {
    let span = Span::call_site().located_at(path.span());
    let (door, own) = (Ident::new(DOOR, span), Ident::new(primitive.name(), span));
    let own = match primitive.scalar().is_half() {
        true => &code!(span=> ::vyre::#own),
        false => &code!(span=> ::core::primitive::#own),
    };
    let function = match name.to_string().as_str() {
        // Every type converts from itself, and the type that this one converts from need not be known.
        "from" => code!(span=> <#own as ::core::convert::From<#own>>::from),
        "default" => code!(span=> <#own as ::core::default::Default>::default),
        _ => code!(span=> <#own>::#name),
    };
    let path = code::Code::of(path);
    code!(span=> #door::leads_to((#path, #function));)
}

/// Confirms that a path leads to an order of atomic accesses.
fn order(path: &Path, order: MemoryOrder) -> code::Code {
    let span = path.span().resolved_at(Span::mixed_site());
    let (door, name) = (&Ident::new(DOOR, span), format_ident!("{order:?}", span = span));
    let message = hidden(
        path,
        "another order here than the one of its name in `core::sync::atomic`",
    );
    let (path, message) = (code::Code::of(path), Literal::string(&message));
    code! {span=>
        const _: () = #door::meant(#door::is_order(#path, ::core::sync::atomic::Ordering::#name), #message);
    }
}

/// The message for a path that leads to something of the user's.
fn hidden(path: &Path, what: &str) -> String {
    format!(
        "{}: `{}` is {what}, for which vyre takes it\n\
         help: rename the item or import that hides it",
        Code::HiddenName,
        path.to_token_stream().to_string().replace(' ', "")
    )
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
pub(super) fn variable(name: &Ident) -> code::Code {
    let span = Span::call_site();
    code!(span=> #[allow(clippy::redundant_pattern)] let _ = |#name @ _: ()| { let _ = #name; };)
}

/// Refuses functions of vyre's modules where another module of that name surely stands in its place, in which rustc would
/// find no such function.
pub(crate) fn refuse_hidden(tree: &Tree, kernel: &Ident, errors: &mut Errors) {
    if editor::is_here() {
        return;
    }
    let (mut surroundings, mut heads) = (None, Vec::new());
    for (path, function) in tree.intrinsics() {
        let Some((module, name)) = function.split_once("::") else {
            continue;
        };
        let mut tokens = path.clone().into_iter();
        let Some(TokenTree::Ident(head)) = tokens.next() else {
            continue;
        };
        // The path as it is in the documentation, and none that the user has made another way.
        if head != module || tokens.count() != 3 || heads.contains(&head) {
            continue;
        }
        heads.push(head.clone());
        let around = surroundings.get_or_insert_with(|| Surroundings::of(kernel));
        let Some(around) = around else { return };
        if !around.imports_of_std(module) {
            continue;
        }
        errors.refuse(
            Code::HiddenName,
            head.span(),
            format_args!("`{module}` is the standard library's here, which hides vyre's"),
            format_args!(
                "write `vyre::{module}::{name}`, or move the kernels to a module of their own with \
                 `use vyre::prelude::kernel::*;`"
            ),
        );
    }
}

/// Explains a type mismatch by a user's own `Ok` or other constructor that shadows core's.
pub(crate) fn explain(tree: &Tree, errors: &mut Errors) {
    let is_core = |function: &str| ["Some", "None", "Ok", "Err"].contains(&function);
    let mut names = tree.intrinsics();
    let bare = names.find(|(path, function)| is_core(function) && path.to_string() == *function);
    if let (Some((path, name)), true) = (bare, errors.is_left_to_rustc() && errors.first().is_none()) {
        let first = path.clone().into_iter().next();
        let span = first.map_or_else(Span::call_site, |first| first.span());
        errors.conditional(
            Code::AmbiguousName,
            span,
            format_args!("vyre takes `{name}` for that of `Option` or `Result`, and an import brings another one here"),
            format_args!("write its type too: `Answer::{name}`"),
        );
    }
}
