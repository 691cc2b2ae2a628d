//! Collectives of a block: all its threads take part, so none leaves before the last of them.

use super::reach::Body;
use super::whole_warps::each_return_in;
use crate::errors::{Code, Errors};
use crate::syntax::tree::{Callable, Expr, ExprKind, Origin, Tree};

/// True if a body calls a collective.
pub(crate) fn collects(tree: &Tree) -> bool {
    let mut calls = tree.calls.iter();
    calls.any(|callee| callee.names.is_block_collectives())
}

/// Refuses constructs by which threads of a block might miss a collective. The first body is the kernel's.
pub(crate) fn check(tree: &Tree, bodies: &[Body], errors: &mut Errors) {
    if let Some(local) = tree.locals.iter().find(|local| local.origin == Origin::Each) {
        errors.refuse(
            Code::WholeBlocks,
            local.name.span(),
            "threads without an element leave a kernel with `#[each]`, but all threads of a block take part in `block::sum` \
             and its like",
            "take the slice: `x: &[T]`, and compare the index with its length",
        );
    }
    let collects_too = |body: &Body| !body.tree.traits.here.is_collectives() && collects(&body.tree);
    let calls = Calls {
        tree,
        by_functions: bodies[1..].iter().any(collects_too),
    };
    // Each statement of the outermost block runs once, so those behind the last one that has a collective run after
    // all collectives. Within that one, a loop could come back to it.
    let mut statements: Vec<&Expr> = Vec::new();
    tree.body.each_child(&mut |child| statements.push(child));
    let Some(last) = statements.iter().rposition(|statement| calls.is_in(statement)) else {
        return;
    };
    for statement in &statements[..=last] {
        each_return_in(statement, &mut |span| {
            errors.refuse(
                Code::WholeBlocks,
                span,
                "this `return` comes before a call of `block::sum` or its like, and all threads of a block come there",
                "let the other threads take part with a value that changes nothing: `block::sum(if i < n { x[i] } else { 0.0 })`; \
                 behind the last such call, outside of the loop around it, a thread may return",
            );
        });
    }
}

/// The calls of a kernel by which it might come to a collective.
struct Calls<'t> {
    tree: &'t Tree,
    /// True if a device function calls a collective.
    by_functions: bool,
}

impl Calls<'_> {
    /// True if a collective may run where this expression does. Closures are called elsewhere than they are written: a
    /// call of one counts, and one that is handed to a function counts there.
    fn is_in(&self, expr: &Expr) -> bool {
        let mut found = match &expr.kind {
            ExprKind::Call(Callable::Device(number), arguments) => {
                self.by_functions
                    || self.tree.calls[*number].names.is_block_collectives()
                    || !self.tree.closures.is_empty() && !arguments.is_empty()
            }
            ExprKind::Call(Callable::Closure, _) => true,
            _ => false,
        };
        let mut blocks = Vec::new();
        expr.each_child(&mut |child| found |= self.is_in(child), &mut |inner| blocks.push(inner));
        for inner in blocks {
            inner.each_child(&mut |child| found |= self.is_in(child));
        }
        found
    }
}
