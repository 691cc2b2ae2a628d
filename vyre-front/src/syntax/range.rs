//! `contains` of ranges.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprRange, RangeLimits};

use super::Reader;
use super::expr::unparenthesised;
use super::tree::{Block, Expr, ExprKind, Operator, Origin, Statement};

impl Reader<'_> {
    /// `(a..=b).contains(&x)`: `{ let (low, high, value) = (a, b, x); low <= value && value <= high }`.
    pub(super) fn range_contains(&mut self, range: &ExprRange, value: &Syntax, span: Span) -> Expr {
        let mut statements = Vec::new();
        let mut bind = |reader: &mut Self, init: Expr| {
            let local = reader.hidden("bound", span, Origin::Declared);
            reader.tree.locals[local].read = true;
            statements.push(Statement::bind(local, init));
            local
        };
        let ends = [&range.start, &range.end].map(|end| {
            let end = self.expr(end.as_deref()?);
            Some(bind(self, end))
        });
        let value = match unparenthesised(value) {
            Syntax::Reference(reference) if reference.mutability.is_none() => self.expr(&reference.expr),
            other => Expr::new(ExprKind::Deref(self.boxed(other)), span),
        };
        let value = bind(self, value);
        let local = |number| Box::new(Expr::local(number, span));
        let below = match range.limits {
            RangeLimits::HalfOpen(_) => Operator::Lt,
            RangeLimits::Closed(_) => Operator::Le,
        };
        let compare = |operator, a, b| Expr::new(ExprKind::Binary(operator, local(a), local(b)), span);
        let tail = match ends {
            [Some(low), Some(high)] => {
                let (left, right) = (compare(Operator::Le, low, value), compare(below, value, high));
                Expr::logical(true, left, right)
            }
            [Some(low), None] => compare(Operator::Le, low, value),
            [None, Some(high)] => compare(below, value, high),
            // `..` has no `contains`.
            [None, None] => self.left_to_rustc(span),
        };
        Block::ending(statements, tail).into_expr(span)
    }
}
