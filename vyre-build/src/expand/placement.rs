//! Kernels and device items are refused in an `impl` or a `trait`, which cannot contain the
//! generated items.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

use crate::errors::{self, Code};
use crate::resolve::{declared, source_scan};

/// The error of an attribute in an `impl` or a `trait`.
pub(super) fn in_impl(item: &TokenStream, what: &str, help: &str) -> Option<TokenStream> {
    if !source_scan::in_impl(Span::call_site()) {
        return None;
    }
    let mut tokens = item.clone().into_iter();
    let name = tokens
        .find(|token| token.to_string() == "fn")
        .and_then(|_| tokens.next());
    if let Some(TokenTree::Ident(name)) = &name {
        declared::refuse(name);
    }
    let span = name.map_or_else(Span::call_site, |name| name.span());
    let fault = format!("a {what} cannot be an item of an `impl` or a `trait`");
    Some(errors::diagnostic(Code::InImpl, span, fault, help).to_compile_error())
}

/// A kernel without the attribute of its parameters, which rustc does not know.
pub(super) fn without_each(item: TokenStream) -> TokenStream {
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
