//! Imports in place of a body that rustc is not shown, so that it does not call unused what only the body uses.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{TokenStreamExt, quote, quote_spanned};

use crate::resolve::spelling::is_capitalized;

/// The items of `vyre::prelude::kernel` that a kernel begins a path with, or names as types and bounds.
const PRELUDE: [&str; 26] = words![
    AtomicF32 AtomicF64 AtomicU32 AtomicU64 Float Integer Number Ordering Slice Slice2 SliceMut2 block cluster fast
    grid lane load math mma pipeline prefetch shared store system thread warp
];

/// An import, which is not used either, of each name of vyre's prelude that the tokens of an item mention.
pub(crate) fn imports(item: TokenStream) -> TokenStream {
    let names = of_prelude(item);
    let names = names.iter().map(|name| {
        // rustc shows one that is not there where the user wrote it.
        let span = Span::call_site().located_at(name.span());
        quote_spanned!(span=> #[allow(warnings)] use #name as _;)
    });
    quote!(#(#names)*)
}

/// The names of vyre's prelude that the tokens of an item mention, each where it comes first.
pub(crate) fn of_prelude(item: TokenStream) -> Vec<Ident> {
    let mut names = Vec::new();
    gather(item, &mut names);
    names
}

/// The tokens of an item with whole paths to names of vyre's prelude, which it mentions without an import.
pub(crate) fn imported(item: TokenStream, missing: &[&str]) -> TokenStream {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let mut whole = TokenStream::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if is_head(&tokens, at) && missing.contains(&&*name.to_string()) => {
                let span = name.span();
                whole.extend(match &*name.to_string() {
                    "AtomicU32" | "AtomicU64" | "Ordering" => quote_spanned!(span=> ::core::sync::atomic::),
                    _ => quote_spanned!(span=> ::vyre::),
                });
                whole.append(name.clone());
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), imported(group.stream(), missing));
                inner.set_span(group.span());
                whole.append(inner);
            }
            token => whole.append(token.clone()),
        }
    }
    whole
}

/// The tokens of an item with paths that lead nowhere in place of Rust's types that are not stable. rustc is silent about such
/// paths where an error was reported, and would say of the types that they are not stable.
pub(crate) fn without_unstable_types(item: TokenStream) -> TokenStream {
    let refused: &[&str] = match cfg!(feature = "half") {
        true => &["f128"],
        false => &["f16", "f128"],
    };
    imported(item, refused)
}

/// True if a word is the first of a path, or names a type by itself.
fn is_head(tokens: &[TokenTree], at: usize) -> bool {
    let is_mark = |at: usize, mark: char| matches!(tokens.get(at), Some(TokenTree::Punct(it)) if it.as_char() == mark);
    let is_path_mark = |at: usize| is_mark(at, ':') && is_mark(at + 1, ':');
    let is_inner = at >= 2 && is_path_mark(at - 2) || at >= 1 && is_mark(at - 1, '.');
    let is_type = || {
        let word = tokens[at].to_string();
        matches!(&*word, "f16" | "f128") || is_capitalized(&word)
    };
    !is_inner && (is_path_mark(at + 1) || is_type())
}

fn gather(tokens: TokenStream, names: &mut Vec<Ident>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) => {
                let is_new = PRELUDE.contains(&&*name.to_string()) && !names.contains(name);
                if is_new && is_head(&tokens, at) {
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
