//! The places in a file of kernels that the items of its module come from: as comments, since rustc's errors point into
//! the module.

use quote::quote;
use syn::{Item, ItemMacro, parse_quote};

/// A mark among items, which is printed as a comment.
pub(super) fn mark(place: &str) -> Item {
    parse_quote!(__vyre_origin! { #place })
}

/// The text of a mark.
pub(super) fn marked(item: &Item) -> Option<String> {
    let Item::Macro(ItemMacro { mac, .. }) = item else {
        return None;
    };
    let text = mac
        .path
        .is_ident("__vyre_origin")
        .then(|| mac.parse_body::<syn::LitStr>())?;
    text.ok().map(|text| text.value())
}

/// The items of a module, with a mark before each that `place` is the origin of.
pub(super) fn marks(place: &str, items: Vec<Item>) -> impl Iterator<Item = Item> {
    items.into_iter().flat_map(move |item| [mark(place), item])
}

/// The text before and after the items of a module.
pub(super) fn around(module: &syn::ItemMod) -> Option<(String, &'static str)> {
    let mut empty = module.clone();
    empty.content.as_mut()?.1 = Vec::new();
    let file = syn::parse2(quote!(#empty)).ok()?;
    let text = prettyplease::unparse(&file);
    Some((text.trim_end().strip_suffix('}')?.to_owned() + "\n", "}\n"))
}
