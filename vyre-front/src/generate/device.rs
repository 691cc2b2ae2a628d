//! The items generated beside a device item for rustc to check: a copy of a function with
//! witnesses, and a comparison of a constant's value.
//!
//! The item itself is unchanged, so that host code may use it.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Item, ItemFn, ReturnType, TypeParamBound};
use vyre_abi::list;

use crate::code::{Code, code};
use crate::editor;
use crate::errors::{Note, Rejected};
use crate::resolve::attributes;
use crate::resolve::names::Names;
use crate::syntax;

/// Allows lints that suggest what device functions lack: iterators, conversions, and other ways to pass an argument. A
/// parameter is passed as its kind says, `#[each] x: &f32` by reference and an array by value, on a device at no cost. Calls of
/// functions stand in generated code too, so nobody can tell whether there is one alone.
///
/// The other lints of clippy's groups `pedantic` and `restriction` are left to the user: what they suggest is possible in a
/// kernel (`indexing_slicing`, `arithmetic_side_effects`, `missing_inline_in_public_items`), or a matter of style
/// (`min_ident_chars`, `float_arithmetic`, `shadow_reuse`).
pub(crate) fn lints() -> TokenStream {
    let span = Span::call_site();
    code! {span=>
        #[allow(
            clippy::needless_range_loop,
            clippy::manual_memcpy,
            clippy::cast_lossless,
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            clippy::as_conversions,
            clippy::single_call_fn,
            clippy::trivially_copy_pass_by_ref,
            clippy::large_types_passed_by_value
        )]
    }
    .into()
}

/// The assertions for rustc about a function: it once more with witnesses, if the front end accepts it; a
/// build that fails if rustc finds nothing wrong with it, where it was left to rustc, as for kernels.
pub(crate) fn function(function: &ItemFn, names: &Names, outcome: &Result<TokenStream, Box<Rejected>>) -> TokenStream {
    if editor::is_here() {
        return TokenStream::new();
    }
    match outcome {
        Ok(checked) => {
            let mut tokens = bounds(function, names);
            if !checked.is_empty() {
                let (span, checked) = (Span::mixed_site(), checked.clone());
                let cfg = Code::of_all(&attributes::cfg(&function.attrs));
                tokens.append(code!(span=> #cfg const _: () = { #checked };));
            }
            tokens.into()
        }
        Err(rejected) if rejected.errors.is_empty() && !rejected.elsewhere => left_to_rustc(function, rejected),
        Err(_) => TokenStream::new(),
    }
}

/// An assertion that the traits in bounds are the ones vyre assumes: an unseen trait of the user
/// called `Float` might have other methods.
fn bounds(function: &ItemFn, names: &Names) -> Code {
    let span = Span::call_site();
    let mut checks = Code::default();
    for (name, bounds) in syntax::type_bounds(&function.sig.generics) {
        let Some(name) = name.as_ref().and_then(syn::Path::get_ident) else {
            continue;
        };
        for bound in bounds {
            let TypeParamBound::Trait(bound) = bound else { continue };
            let Some(last) = bound.path.segments.last() else {
                continue;
            };
            let Some(module) = home(&last.ident.to_string()) else {
                continue;
            };
            if names.find_trait(&bound.path).is_some() {
                continue;
            }
            let (module, path, last) = (&module, &Code::of(&bound.path), &Code::of(last));
            checks.append(code! {span=>
                const _: () = {
                    fn given<#name: #path>() {
                        fn needed<#name: #module::#last>() {}
                        needed::<#name>();
                    }
                    fn meant<#name: #module::#last>() {
                        fn needed<#name: #path>() {}
                        needed::<#name>();
                    }
                };
            });
        }
    }
    if checks.is_empty() {
        return checks;
    }
    let cfg = Code::of_all(&attributes::cfg(&function.attrs));
    code! {span=>
        #cfg
        #[allow(warnings, clippy::all, clippy::pedantic)]
        const _: () = { #checks };
    }
}

/// The module of the trait of a name, if its methods matter.
fn home(name: &str) -> Option<Code> {
    let span = Span::call_site();
    let module = match name {
        "Float" | "Integer" | "Number" => return Some(code!(span=> ::vyre)),
        "PartialEq" | "PartialOrd" | "Eq" | "Ord" => "cmp",
        "Clone" => "clone",
        "Copy" => "marker",
        "Default" => "default",
        _ => return None,
    };
    let module = Ident::new(module, span);
    Some(code!(span=> ::core::#module))
}

/// The assertion that fails the build if rustc finds no error in an item that was left to it.
pub(crate) fn left(item: &Item, rejected: &Rejected) -> TokenStream {
    match item {
        Item::Fn(function) => left_to_rustc(function, rejected),
        item => guard(item, rejected),
    }
}

fn left_to_rustc(function: &ItemFn, rejected: &Rejected) -> TokenStream {
    let signature = &function.sig;
    let (span, user) = (Span::mixed_site(), Span::call_site());
    let cfg = Code::of_all(&attributes::cfg(&function.attrs));
    let is_generic = !function.sig.generics.params.is_empty();
    let mismatch = || super::mismatch("device function", &signature.ident);
    if rejected.notes.iter().all(|note| note.late) || is_generic || is_worded_otherwise(function) {
        // rustc would say in other words of the result of a copy what it says of the function, and of a call of a generic one
        // that its types are not known.
        let mut guard = Code::default();
        for note in &rejected.notes {
            guard.append(super::late_guard(note));
        }
        if rejected.notes.is_empty() {
            guard = super::late_guard(&Note::late(mismatch().at(signature.ident.span())));
        }
        return code!(user=> #cfg const _: () = { #guard };).into();
    }
    let name = &signature.ident;
    let (generics, inputs) = (Code::of(&signature.generics), Code::of(&signature.inputs));
    let where_clause = Code::of(&signature.generics.where_clause);
    let result = match &signature.output {
        ReturnType::Default => code!(user=> ()),
        ReturnType::Type(_, ty) => Code::of(ty),
    };
    let body = Code::of(&function.block);
    let call = super::call(name, signature.inputs.len());
    let notes = list::map(&rejected.notes, |note| note);
    let refusal = super::refusals(&call, &notes, &mismatch());
    // A closure is checked with the function around it, and keeps the result's type.
    code! {span=>
        #cfg
        const _: () = {
            #[allow(warnings, clippy::all, clippy::pedantic)]
            fn #name #generics (#inputs) -> impl ::core::marker::Sized #where_clause {
                (move || -> #result #body)()
            }
            #refusal
        };
    }
    .into()
}

/// True if rustc has other words for the mistakes in a copy of a function: for a lifetime without a declaration, and for the
/// `?` of a closure.
fn is_worded_otherwise(function: &ItemFn) -> bool {
    fn any(tokens: TokenStream, is_one: fn(char) -> bool) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Punct(mark) => is_one(mark.as_char()),
            TokenTree::Group(group) => any(group.stream(), is_one),
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        })
    }
    let inputs = function.sig.inputs.to_token_stream();
    any(inputs, |mark| mark == '\'') || any(function.block.to_token_stream(), |mark| mark == '?')
}

/// An item that fails the build if rustc finds nothing wrong with a constant or a type that was left to it.
pub(crate) fn guard(item: &Item, rejected: &Rejected) -> TokenStream {
    let is_left = rejected.errors.is_empty() && !rejected.elsewhere && !rejected.is_waiting();
    if !is_left || editor::is_here() {
        return TokenStream::new();
    }
    let span = Span::call_site();
    let size = |name: &Ident| code!(span=> ::core::mem::size_of::<#name>());
    // Neither can be evaluated where rustc has found fault with it.
    let (attributes, name, generics, needed) = match item {
        Item::Const(of) => (&of.attrs, &of.ident, &of.generics, Code::of(&of.ident)),
        Item::Struct(of) => (&of.attrs, &of.ident, &of.generics, size(&of.ident)),
        Item::Enum(of) => (&of.attrs, &of.ident, &of.generics, size(&of.ident)),
        Item::Type(of) => (&of.attrs, &of.ident, &of.generics, size(&of.ident)),
        _ => return TokenStream::new(),
    };
    let is_generic = generics
        .params
        .iter()
        .any(|it| !matches!(it, GenericParam::Lifetime(_)));
    let mut guard = Code::default();
    for note in &rejected.notes {
        guard.append(match note {
            note if note.late => super::late_guard(note),
            // A generic type has no size that would tell what rustc finds.
            note if is_generic => super::guard(note, code!(span=> ())),
            note => super::guard(note, needed.clone()),
        });
    }
    if rejected.notes.is_empty() {
        // Lints that are errors, as of a number out of range, come after the values of constants.
        guard = super::late_guard(&Note::late(super::mismatch("device item", name).at(name.span())));
    }
    let cfg = Code::of_all(&attributes::cfg(attributes));
    code!(span=> #cfg const _: () = { #guard };).into()
}
