//! Collectives of a block: all its threads take part, so none leaves early.

use super::whole_warps::each_return;
use crate::errors::{Code, Errors};
use crate::syntax::tree::{Origin, Tree};

/// True if a body calls a collective.
pub(crate) fn collects(tree: &Tree) -> bool {
    let mut calls = tree.calls.iter();
    calls.any(|callee| callee.names.is_block_collectives())
}

/// Refuses constructs by which threads of a block might miss a collective.
pub(crate) fn check(tree: &Tree, errors: &mut Errors) {
    if let Some(local) = tree.locals.iter().find(|local| local.origin == Origin::Each) {
        errors.refuse(
            Code::WholeBlocks,
            local.name.span(),
            "threads without an element leave a kernel with `#[each]`, but all threads of a block take part in `block::sum` \
             and its like",
            "take the slice: `x: &[T]`, and compare the index with its length",
        );
    }
    each_return(&tree.body, &mut |span| {
        errors.refuse(
            Code::WholeBlocks,
            span,
            "a kernel that calls `block::sum` or its like does not return early: all threads of a block come there",
            "let the other threads take part with a value that changes nothing: `block::sum(if i < n { x[i] } else { 0.0 })`",
        );
    });
}
