//! Functions that all threads of a block call together: `block::sum(x)`. They are device functions that need no
//! attribute, written in Rust in terms of shuffles, barriers and shared memory.

use std::str::FromStr;

use proc_macro2::{Span, TokenStream};
use syn::Item;

use super::at;

/// The functions of `vyre::block`, with those that they call.
const BLOCK: &str = include_str!("collectives/block.rs");

/// The path of each below `vyre`, and the number of its arguments.
pub(crate) const FUNCTIONS: [(&str, usize); 13] = [
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
];

/// The path of a function, and the number of its arguments.
pub(crate) fn find(path: &str) -> Option<(&'static str, usize)> {
    FUNCTIONS.into_iter().find(|(known, _)| *known == path)
}

/// True if its last argument is a closure.
pub(crate) fn takes_closure(path: &str) -> bool {
    ["block::reduce", "block::inclusive_scan", "block::exclusive_scan"].contains(&path)
}

/// The items of the module, as if they were written at `span`.
pub(crate) fn items(span: Span) -> Option<Vec<Item>> {
    // Comments on items would become attributes, which take longer than the code.
    let lines = BLOCK.lines().filter(|line| !line.trim_start().starts_with("//"));
    let tokens = TokenStream::from_str(&lines.collect::<Vec<_>>().join("\n")).ok()?;
    Some(syn::parse2::<syn::File>(at(tokens, span)).ok()?.items)
}
