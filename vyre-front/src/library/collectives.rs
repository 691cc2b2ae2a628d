//! Functions that all threads of a block or warp call together: `block::sum(x)`. They are device functions that need no
//! attribute, written in Rust in terms of shuffles, barriers and shared memory.

use std::str::FromStr;

use proc_macro2::{Span, TokenStream};
use syn::Item;

use super::at;
use crate::modules;

/// The functions of `vyre::block`, with those that they call.
const BLOCK: &str = include_str!("collectives/block.rs");

/// The same of `vyre::warp`.
const WARP: &str = include_str!("collectives/warp.rs");

/// The path of each below `vyre`, and the number of its arguments.
pub(crate) const FUNCTIONS: [(&str, usize); 19] = [
    ("block::sum", 1),
    ("block::product", 1),
    ("block::min", 1),
    ("block::max", 1),
    ("block::and", 1),
    ("block::or", 1),
    ("block::xor", 1),
    ("block::reduce", 2),
    ("block::inclusive_sum", 1),
    ("block::exclusive_sum", 1),
    ("block::inclusive_scan", 2),
    ("block::exclusive_scan", 3),
    ("block::broadcast", 2),
    ("block::sort", 1),
    ("block::sort_pairs", 2),
    ("block::sort_items", 1),
    ("block::sort_pair_items", 2),
    ("warp::reduce", 2),
    ("warp::elect", 0),
];

/// The path of a function, and the number of its arguments.
pub(crate) fn find(path: &str) -> Option<(&'static str, usize)> {
    FUNCTIONS.into_iter().find(|(known, _)| *known == path)
}

/// True if its last argument is a closure.
pub(crate) fn takes_closure(path: &str) -> bool {
    path.ends_with("::reduce") || path.ends_with("_scan")
}

/// The items of the module, `block` or `warp`, as if they were written at `span`.
pub(crate) fn items(module: &str, span: Span) -> Option<Vec<Item>> {
    let text = if module == "warp" { WARP } else { BLOCK };
    // Comments on items would become attributes, which take longer than the code.
    let tokens = TokenStream::from_str(&modules::uncommented(text)).ok()?;
    Some(syn::parse2::<syn::File>(at(tokens, span)).ok()?.items)
}
