//! Kernels and device items are refused in an `impl` or a `trait`, which cannot contain the
//! generated items.

use proc_macro2::{Span, TokenStream};

use crate::errors::{self, Code};
use crate::rustc::source_scan;

/// The error of an attribute in an `impl` or a `trait`.
pub(super) fn in_impl(item: &TokenStream, what: &str, help: &str) -> Option<TokenStream> {
    if !source_scan::in_impl(Span::call_site()) {
        return None;
    }
    let mut tokens = item.clone().into_iter();
    let name = tokens
        .find(|token| token.to_string() == "fn")
        .and_then(|_| tokens.next())
        .map_or_else(Span::call_site, |name| name.span());
    let fault = format!("a {what} cannot be an item of an `impl` or a `trait`");
    Some(errors::diagnostic(Code::InImpl, name, fault, help).to_compile_error())
}
