//! Confirms that the macros of a body are those of Rust and vyre.
//!
//! A macro has no value and no type that could be compared, but rustc refuses a name in a macro call that may mean two
//! things: one by a glob import in the block of the call, and another by the scopes around it. So each macro is called
//! once more, by the user's own name for it, in a function that is never called and that imports the macros of Rust
//! and vyre by a glob. Of a path, `core::assert!`, it is the name of the crate that must not mean two things.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;

use super::type_tokens::DOOR;

/// Calls of the macros at these paths.
pub(super) fn macros(paths: &[&Path]) -> Option<TokenStream> {
    let (door, mut plain, mut inside) = (
        Ident::new(DOOR, Span::call_site()),
        TokenStream::new(),
        TokenStream::new(),
    );
    for path in paths {
        let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
            continue;
        };
        if path.segments.len() == 1 {
            plain.extend(call(&last.ident));
        } else if path.leading_colon.is_none() {
            let first = &first.ident;
            inside.extend(quote!({ use #door::crates::*; use #first as _; }));
        }
    }
    let plain = (!plain.is_empty()).then(|| quote!({ use #door::macros::*; #plain }));
    (plain.is_some() || !inside.is_empty()).then(|| {
        quote! {
            #[allow(warnings, clippy::all, clippy::pedantic, clippy::restriction)]
            const _: fn() = || { #plain #inside };
        }
    })
}

/// The least call of a macro.
fn call(name: &Ident) -> Option<TokenStream> {
    let arguments = match name.to_string().as_str() {
        "assert" | "debug_assert" => quote!(true),
        "assert_eq" | "debug_assert_eq" | "matches" => quote!((), ()),
        "assert_ne" | "debug_assert_ne" => quote!(true, false),
        "cfg" => quote!(all()),
        "print" => quote!(""),
        "println" | "panic" | "unreachable" | "todo" | "unimplemented" => TokenStream::new(),
        // The name is `unsafe` to call; its text has no effect.
        "ptx" => return Some(quote!(unsafe { #name!("" => () {}) };)),
        _ => return None,
    };
    // After one of them that diverges, the others are still resolved.
    let name = name.to_token_stream();
    Some(quote_spanned!(Span::call_site()=> #name!(#arguments);))
}
