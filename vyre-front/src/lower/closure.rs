//! Closures: functions that take what they have captured before their parameters.

use super::{ExprId, Lowering, Storage};
use crate::syntax::tree::{Closure, Expr, ExprKind, Origin, Tree};
use crate::types::Ty;

impl Lowering<'_, '_> {
    /// Calls a closure.
    pub(super) fn apply(&mut self, callee: &Expr, arguments: &[Expr]) -> Option<ExprId> {
        let number = self.tree.types.as_closure(callee.ty)?;
        let of = &self.tree.types.closures[number];
        let function = self.handles[self.closures[number]];
        let mut values = Vec::new();
        self.hold(callee, number, &mut values)?;
        self.call(function, values, (arguments, &of.parameters), of.result)
    }

    /// Adds what a closure has captured to the arguments of a call.
    pub(super) fn hold(&mut self, closure: &Expr, number: usize, values: &mut Vec<ExprId>) -> Option<()> {
        let tree = self.tree;
        let captures = &tree.types.closures[number].captures;
        for (&local, &ty) in tree.held_by(closure).iter().zip(captures) {
            let local = Expr {
                kind: ExprKind::Local(local),
                ty: tree.locals[local].ty,
                span: closure.span,
            };
            self.give(&local, ty, values)?;
        }
        Some(())
    }

    /// `let f = closure;`: one that is `move` keeps the values that its variables have now.
    pub(super) fn keep_closure(&mut self, closure: &Expr) -> Option<()> {
        let ExprKind::Closure(closure) = &closure.kind else {
            return Some(());
        };
        let captures = &self.tree.closures[closure.number];
        for (&original, &copy) in captures.locals.iter().zip(&captures.held) {
            if original != copy {
                let span = self.tree.locals[original].name.span();
                let original = Expr {
                    kind: ExprKind::Local(original),
                    ty: self.tree.locals[original].ty,
                    span,
                };
                let value = self.value(&original)?;
                let copied = self.b.let_("", value);
                self.fixed.push(copied);
                self.storage[copy] = Storage::Local(copied);
            }
        }
        Some(())
    }
}

/// The locals that the function of a closure takes from outside, with their types.
pub(super) fn taken_by(tree: &Tree, closure: &Closure) -> Vec<(usize, Ty, Origin)> {
    let captures = &tree.closures[closure.number];
    let of = &tree.types.closures[captures.of];
    let mut taken = Vec::new();
    let parameters = (&closure.parameters[..], &of.parameters[..]);
    for (locals, types) in [(&captures.locals[..], &of.captures[..]), parameters] {
        for (&local, &ty) in locals.iter().zip(types) {
            taken.push((local, ty, Origin::Parameter));
        }
    }
    taken
}

/// The result type of a closure.
pub(super) fn result_of(tree: &Tree, closure: &Closure) -> Ty {
    tree.types.closures[tree.closures[closure.number].of].result
}
