//! Grid barriers: no thread of a kernel with one may return early.
//!
//! An exited thread would be waited for forever. Faults are an exception, because waiting threads
//! poll for them.

use crate::errors::{Code, Errors};
use crate::syntax::tree::{Block, Expr, ExprKind, Origin, Tree};

/// Refuses what lets threads of a kernel miss a `grid::sync()`.
pub(crate) fn check(tree: &Tree, errors: &mut Errors) {
    if !tree.intrinsics().any(|(_, function)| function == "grid::sync") {
        return;
    }
    if let Some(local) = tree.locals.iter().find(|local| local.origin == Origin::Each) {
        errors.refuse(
            Code::GridSync,
            local.name.span(),
            "threads without an element leave a kernel with `#[each]`, but `grid::sync()` waits for all",
            "take the slice: `x: &[T]`, and compare the index with its length",
        );
    }
    block(&tree.body, errors);
}

fn block(inside: &Block, errors: &mut Errors) {
    inside.each_child(&mut |child| expr(child, errors));
}

fn expr(inside: &Expr, errors: &mut Errors) {
    if let ExprKind::Closure(_) = inside.kind {
        // It returns to the kernel.
        return;
    }
    if let ExprKind::Return(_) = inside.kind {
        errors.refuse(
            Code::GridSync,
            inside.span,
            "a kernel with `grid::sync()` does not return early: all threads come there",
            "put the work of the other threads under an `if`",
        );
    }
    let mut blocks = Vec::new();
    inside.each_child(&mut |child| expr(child, errors), &mut |inner| blocks.push(inner));
    for inner in blocks {
        block(inner, errors);
    }
}
