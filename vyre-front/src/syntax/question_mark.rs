//! `value?` in device functions that return an `Option` or a `Result`.

use syn::ExprTry;

use super::Reader;
use super::iterator::local;
use super::tree::{Block, Callable, Expr, ExprKind, Statement};
use crate::types::adt::{Case, ERR, NONE, OK, OPTION, RESULT, SOME};

impl Reader<'_> {
    /// `match value { Some(v) => v, None => return None }`, and the same of a `Result` with the error of the function.
    /// `None` where the function returns neither.
    pub(super) fn question_mark(&mut self, try_: &ExprTry) -> Option<Expr> {
        if self.in_closure || self.returns_to.is_some() {
            return None;
        }
        let span = try_.question_token.span;
        let result = self.tree.result;
        let types = &mut self.tree.types;
        let key = types.case(result, 0)?.key;
        let (good, bad, of) = match key {
            OPTION => {
                let value = types.unknown();
                (SOME, NONE, types.option(value))
            }
            RESULT => {
                let error = *types.adt(result)?.arguments.get(1)?;
                let value = types.unknown();
                (OK, ERR, types.result(value, error))
            }
            _ => return None,
        };
        let case = |variant, of| Case { of, key, variant };
        let value = self.expr(&try_.expr);
        let mut statements = Vec::new();
        let held = self.kept("tried", value, &mut statements, span);
        let part = |variant| {
            let payload = ExprKind::Payload(Box::new(local(held, span)), case(variant, of), 0);
            Expr::new(payload, span)
        };
        let fields = match bad {
            ERR => vec![(0, part(ERR))],
            _ => Vec::new(),
        };
        let failed = Expr::new(ExprKind::make(case(bad, result), fields), span);
        let leave = Expr::new(ExprKind::Return(Some(Box::new(failed))), span);
        let is_bad = Expr::call(Callable::Is(case(bad, of)), vec![local(held, span)], span);
        let leaves = Block::dropping(leave);
        let test = ExprKind::If(Box::new(is_bad), leaves, None);
        statements.push(Statement::Expr(Expr::new(test, span), true));
        Some(Block::ending(statements, part(good)).into_expr(span))
    }
}
