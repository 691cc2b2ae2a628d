//! Imports in place of a body that rustc is not shown, so that it does not call unused what only the body uses.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

/// The items of `vyre::prelude::kernel` that a kernel begins a path with, or names as types and bounds.
const PRELUDE: [&str; 26] = [
    "AtomicF32",
    "AtomicF64",
    "AtomicU32",
    "AtomicU64",
    "Float",
    "Integer",
    "Number",
    "Ordering",
    "Slice",
    "Slice2",
    "SliceMut2",
    "block",
    "cluster",
    "fast",
    "grid",
    "lane",
    "load",
    "math",
    "mma",
    "pipeline",
    "prefetch",
    "shared",
    "store",
    "system",
    "thread",
    "warp",
];

/// An import, which is not used either, of each name of vyre's prelude that the tokens of an item mention.
pub(crate) fn imports(item: TokenStream) -> TokenStream {
    let mut names = Vec::new();
    gather(item, &mut names);
    let names = names.iter().map(|name| {
        // rustc shows one that is not there where the user wrote it.
        let span = Span::call_site().located_at(name.span());
        quote_spanned!(span=> #[allow(warnings)] use #name as _;)
    });
    quote!(#(#names)*)
}

fn gather(tokens: TokenStream, names: &mut Vec<Ident>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_mark = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == mark);
    let is_path_mark = |at: usize| is_mark(at, ':') && is_mark(at + 1, ':');
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => {
                let text = name.to_string();
                let is_inner = at >= 2 && is_path_mark(at - 2) || at >= 1 && is_mark(at - 1, '.');
                let is_item = text.starts_with(char::is_uppercase) || is_path_mark(at + 1);
                if !is_inner && is_item && PRELUDE.contains(&text.as_str()) && !names.contains(name) {
                    names.push(name.clone());
                }
            }
            TokenTree::Group(group) => gather(group.stream(), names),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
