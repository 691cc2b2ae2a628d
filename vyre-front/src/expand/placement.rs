//! Kernels and device items are refused in an `impl` or a `trait`, which cannot contain the
//! generated items.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{FnArg, Generics, ItemFn, Path, Safety, Signature, Visibility, parse_quote};

use crate::editor;
use crate::errors::{self, Code};
use crate::resolve::names::plain;
use crate::resolve::source_scan::{self, Placement, Surroundings};
use crate::rustc;

/// The expansion of a device function in an `impl` or a `trait`.
pub(super) fn device_function(item: &TokenStream) -> Option<TokenStream> {
    let help = "put the type and its `impl` into a module, `#[vyre::device] mod geometry { .. }`";
    let (error, _) = refused(item, "device function", help)?;
    Some(quote!(#error #item))
}

/// The expansion of a kernel in an `impl` or a `trait`.
pub(super) fn kernel(item: &TokenStream) -> Option<TokenStream> {
    let (error, place) = refused(item, "kernel", "move it out: its launcher is an item of its own")?;
    let item = without_each(item.clone());
    let is_inherent = place == Placement::Impl;
    let callable = is_inherent.then(|| callable(&item, &error)).flatten();
    Some(callable.unwrap_or_else(|| quote!(#error #item)))
}

/// The error of an attribute in an `impl` or a `trait`.
fn refused(item: &TokenStream, what: &str, help: &str) -> Option<(TokenStream, Placement)> {
    let place = source_scan::placement(Span::call_site())?;
    let mut tokens = item.clone().into_iter();
    let name = tokens
        .find(|token| token.to_string() == "fn")
        .and_then(|_| tokens.next());
    let span = name.map_or_else(Span::call_site, |name| name.span());
    let fault = format!("a {what} cannot be an item of an `impl` or a `trait`");
    Some((
        errors::diagnostic(Code::InImpl, span, fault, help).to_compile_error(),
        place,
    ))
}

/// A kernel that takes what its launcher would take, and the function for rustc to check. The result is of a type with the
/// error in it, so that rustc is silent about what callers do with it.
fn callable(item: &TokenStream, error: &TokenStream) -> Option<TokenStream> {
    let function: ItemFn = syn::parse2(item.clone()).ok()?;
    let mut checked = function.clone();
    checked.attrs.retain(|attribute| attribute.path().is_ident("cfg"));
    checked.vis = Visibility::Inherited;
    checked.sig.ident = format_ident!("__vyre_{}", plain(&checked.sig.ident));
    let unused = rustc::unused();
    let shell = shell(function, error);
    Some(quote!(#shell #unused #checked))
}

/// The expansion of a kernel inside a function, or a function of an `impl`, that mentions a generic parameter of that.
pub(super) fn inside_a_generic_item(item: &TokenStream, wanted: &[Path]) -> Option<TokenStream> {
    let function: ItemFn = syn::parse2(item.clone()).ok()?;
    let around = Surroundings::of(&function.sig.ident).filter(|_| !editor::is_here())?;
    let mut names = wanted.iter().filter_map(Path::get_ident);
    let name = names.find(|name| around.has_parameter_around(&plain(name)))?;
    let error = errors::diagnostic(
        Code::GenericKernel,
        name.span(),
        format_args!("`{name}` is a parameter of what is around the kernel, which knows nothing of it"),
        "move the kernel out, and make it generic itself: `#[vyre::kernel(T = [f32, f64])] fn clear<T: Float>(..)`",
    );
    let shell = shell(function, &error.to_compile_error());
    Some(shell)
}

/// A kernel that takes anything.
fn shell(mut function: ItemFn, error: &TokenStream) -> TokenStream {
    let of_kernel = &function.sig;
    let inputs = of_kernel.inputs.iter().map(|input| match input {
        FnArg::Receiver(receiver) => FnArg::Receiver(receiver.clone()),
        FnArg::Typed(_) => parse_quote!(_: impl ::core::marker::Sized),
    });
    function.sig = Signature {
        constness: None,
        asyncness: None,
        safety: Safety::Default,
        abi: None,
        generics: Generics::default(),
        inputs: inputs.collect(),
        output: parse_quote!(-> [(); #error]),
        ..of_kernel.clone()
    };
    function.block = parse_quote!({ loop {} });
    let unused = rustc::unused();
    quote!(#unused #function)
}

/// A kernel without the attribute of its parameters, which rustc does not know.
fn without_each(item: TokenStream) -> TokenStream {
    let is_each = |token: &TokenTree| {
        matches!(token, TokenTree::Group(group)
            if group.delimiter() == Delimiter::Bracket && group.stream().to_string() == "each")
    };
    let mut tokens = item.into_iter().peekable();
    let mut done = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '#' && tokens.peek().is_some_and(is_each) => {
                tokens.next();
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                let mut inner = Group::new(group.delimiter(), without_each(group.stream()));
                inner.set_span(group.span());
                done.extend([TokenTree::Group(inner)]);
            }
            other => done.extend([other]),
        }
    }
    done
}
