//! The closures of a body, and its calls: closures become functions beside the enclosing one.

use super::wide;
use crate::library::methods::Does;
use crate::syntax::tree::{Argument, Block, Callable, Closure, Expr, ExprKind, Tree};

/// A body that is searched.
pub(crate) struct Scope<'t> {
    /// Its number.
    pub(crate) number: usize,
    pub(crate) tree: &'t Tree,
    /// The closures that it writes, in the order of their numbers; without those that were refused.
    pub(crate) closures: &'t [&'t Closure],
}

/// The calls of a body, without those of the closures that it writes.
#[derive(Default)]
pub(crate) struct Called {
    /// The numbers of calls of device functions.
    pub(crate) calls: Vec<usize>,
    /// Closures, by their numbers among the types.
    pub(crate) closures: Vec<usize>,
}

/// The closures that a body writes, in the order of their numbers.
pub(crate) fn written(tree: &Tree) -> Vec<&Closure> {
    let mut found = Vec::new();
    if !tree.closures.is_empty() {
        each(&tree.body, &mut |expr| {
            if let ExprKind::Closure(closure) = &expr.kind {
                let at = found.partition_point(|known: &&Closure| known.number <= closure.number);
                found.insert(at, &**closure);
            }
            true
        });
    }
    found
}

/// The calls of `body`, a part of the tree.
pub(crate) fn called(tree: &Tree, body: &Block) -> Called {
    if tree.types.closures.is_empty() {
        // All calls are in the body of the function itself.
        return Called {
            calls: (0..tree.calls.len()).collect(),
            closures: Vec::new(),
        };
    }
    let mut called = Called::default();
    each(body, &mut |expr| {
        if let Some(operation) = wide::operation(&tree.types, expr) {
            let mut known = tree.wide.iter().filter(|(known, _)| *known == operation);
            called.calls.extend(known.next().map(|&(_, call)| call));
        }
        match &expr.kind {
            ExprKind::Call(Callable::Device(call), _) => called.calls.push(*call),
            ExprKind::Call(Callable::Closure, of) => called.closures.extend(tree.types.as_closure(of[0].ty)),
            ExprKind::Method(call) if call.does(Does::Update) => {
                if let Some(Argument::Value(closure)) = call.arguments.last() {
                    called.closures.extend(tree.types.as_closure(closure.ty));
                }
            }
            _ => {}
        }
        !matches!(expr.kind, ExprKind::Closure(_))
    });
    called
}

/// Calls `visit` with every expression of a block in order, and descends into those for which it
/// returns true.
pub(crate) fn each<'t>(block: &'t Block, visit: &mut dyn FnMut(&'t Expr) -> bool) {
    block.each_child(&mut |child| each_of(child, visit));
}

fn each_of<'t>(expr: &'t Expr, visit: &mut dyn FnMut(&'t Expr) -> bool) {
    if visit(expr) {
        let mut blocks = Vec::new();
        expr.each_child(&mut |child| each_of(child, visit), &mut |inner| blocks.push(inner));
        blocks.into_iter().for_each(|inner| each(inner, visit));
    }
}
