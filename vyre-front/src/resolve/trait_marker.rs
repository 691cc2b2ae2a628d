//! A hidden method by which a trait of the device is known.
//!
//! rustc confirms that a trait is in scope by a call of this method. See `rustc/methods.rs`.

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::{Item, ItemTrait, TraitItem, parse_quote};

use super::names::hash;

/// The prefix of the names of hidden methods.
const MARKER: &str = "V0721_vyre_takes_this_for_a_method_of_";

/// The name of the hidden method by which a trait of the device is known.
fn marker(item: &ItemTrait) -> Ident {
    let start = item.ident.span().start();
    let file = item.ident.span().file();
    // The folder that the crate lies in does not count: the same sources make the same names everywhere.
    let mut parts = file.rsplit(['/', '\\']);
    let number = hash(&[
        &std::env::var("CARGO_PKG_NAME").unwrap_or_default(),
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
        &format!("{}:{}", start.line, start.column),
    ]);
    format_ident!("{MARKER}{}_{number:016x}", item.ident, span = Span::call_site())
}

/// A trait with the hidden method.
pub(crate) fn marked(item: &mut ItemTrait) {
    let name = marker(item);
    item.items.push(parse_quote! {
        #[doc(hidden)]
        fn #name(&self) where Self: ::core::marker::Sized {}
    });
}

/// The hidden method of a trait.
pub(crate) fn marker_of(item: &Item) -> Option<Ident> {
    let Item::Trait(item) = item else { return None };
    item.items.iter().rev().find_map(|member| match member {
        TraitItem::Fn(it) if it.sig.ident.to_string().starts_with(MARKER) => Some(it.sig.ident.clone()),
        _ => None,
    })
}
