//! Matrix products: all lanes of a warp take part, so the block is whole warps and no thread leaves early.

use proc_macro2::Span;

use crate::errors::{Code, Errors};
use crate::library::intrinsics::MULTIPLY_ADD;
use crate::surface::Surface;
use crate::syntax::tree::{Block, Expr, ExprKind, Origin, Tree};

/// True if a body has products of matrices.
pub(crate) fn multiplies(tree: &Tree) -> bool {
    tree.intrinsics().any(|(_, function)| function == MULTIPLY_ADD)
}

/// Refuses constructs by which lanes of a warp might miss a matrix operation, which the hardware
/// executes only for whole warps.
pub(crate) fn check(tree: &Tree, surface: &Surface, block: Option<Span>, errors: &mut Errors) {
    let threads: u32 = surface.block.iter().product();
    if !threads.is_multiple_of(32) {
        errors.refuse(
            Code::WholeWarps,
            block.unwrap_or_else(|| surface.name.span()),
            format_args!("whole warps multiply matrices, but a block of this kernel has {threads} threads"),
            "give the block a multiple of 32 threads: `#[vyre::kernel(block = 128)]`",
        );
    }
    if let Some(local) = tree.locals.iter().find(|local| local.origin == Origin::Each) {
        errors.refuse(
            Code::WholeWarps,
            local.name.span(),
            "threads without an element leave a kernel with `#[each]`, but whole warps multiply matrices",
            "take the slice: `x: &[T]`, and compare the index with its length",
        );
    }
    each_return(&tree.body, &mut |span| {
        errors.refuse(
            Code::WholeWarps,
            span,
            "a kernel that multiplies matrices does not return early: all threads of a warp come there",
            "put the work of the other threads under an `if`",
        );
    });
}

/// Calls `report` with the span of each `return`.
fn each_return(block: &Block, report: &mut dyn FnMut(Span)) {
    block.each_child(&mut |child| each_return_in(child, report));
}

/// Calls `report` with the span of each `return` in an expression.
pub(super) fn each_return_in(expr: &Expr, report: &mut dyn FnMut(Span)) {
    if let ExprKind::Return(_) = expr.kind {
        report(expr.span);
    }
    let mut blocks = Vec::new();
    expr.each_child(&mut |child| each_return_in(child, report), &mut |inner| {
        blocks.push(inner)
    });
    for inner in blocks {
        each_return(inner, report);
    }
}
