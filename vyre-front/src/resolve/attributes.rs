//! Recognises vyre's attributes on items, by name only.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, ItemConst, ItemStatic, parse_quote};

/// True if an attribute is `#[vyre::kernel]` or `#[kernel]`.
pub(crate) fn is_kernel(attribute: &Attribute) -> bool {
    is(attribute, "kernel")
}

/// True if an attribute is `#[vyre::device]` or `#[device]`.
pub(crate) fn is_device(attribute: &Attribute) -> bool {
    is(attribute, "device")
}

/// True if one of the attributes above an item is that of a kernel.
pub(crate) fn has_kernel_mark(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter();
    while let (Some(TokenTree::Punct(mark)), Some(TokenTree::Group(attribute))) = (tokens.next(), tokens.next()) {
        if mark.as_char() != '#' {
            return false;
        }
        let mut path = attribute.stream().into_iter();
        // In `vyre::kernel` two colons come between.
        let first = path.next();
        if is_word(first.as_ref(), "kernel")
            || is_word(first.as_ref(), "vyre") && is_word(path.nth(2).as_ref(), "kernel")
        {
            return true;
        }
    }
    false
}

fn is_word(token: Option<&TokenTree>, word: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(found)) if found == word)
}

/// True if attributes mark a device function as the body of a generic kernel: `#[vyre::device(kernel_body)]`.
pub(crate) fn is_kernel_body(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => is_device(attribute) && is_body_option(&list.tokens),
        _ => false,
    })
}

/// True if these are the options of such a mark.
pub(crate) fn is_body_option(options: &TokenStream) -> bool {
    let mut options = options.clone().into_iter();
    matches!(options.next(), Some(TokenTree::Ident(word)) if word == "kernel_body") && options.next().is_none()
}

/// True if an attribute is `#[vyre::constant]` or `#[constant]`.
pub(crate) fn is_constant(attribute: &Attribute) -> bool {
    is(attribute, "constant")
}

/// The `cfg`s among attributes, which go onto everything that is generated for an item.
pub(crate) fn cfg(attributes: &[Attribute]) -> Vec<&Attribute> {
    let mut found = Vec::new();
    for attribute in attributes {
        if attribute.path().is_ident("cfg") {
            found.push(attribute);
        }
    }
    found
}

fn is(attribute: &Attribute, wanted: &str) -> bool {
    let mut names = attribute.path().segments.iter();
    match (names.next(), names.next(), names.next()) {
        (Some(name), None, _) => name.ident == wanted,
        (Some(krate), Some(name), None) => krate.ident == "vyre" && name.ident == wanted,
        _ => false,
    }
}

/// A `#[vyre::constant]` static as a device constant with a mark, as it travels to kernels.
pub(crate) fn host_constant(item: &ItemStatic) -> ItemConst {
    let ItemStatic {
        vis, ident, ty, expr, ..
    } = item;
    let cfg = cfg(&item.attrs);
    parse_quote!(#(#cfg)* #[vyre_host] #vis const #ident: #ty = #expr;)
}

/// True if an attribute is that mark.
pub(crate) fn is_host_mark(attribute: &Attribute) -> bool {
    attribute.path().is_ident("vyre_host")
}
