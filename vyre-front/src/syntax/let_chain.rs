//! Let chains: `if let Some(x) = a && x > 3`.
//!
//! Each part is an `if` or a `match` of one arm around the rest, so its names have one value where they are in scope,
//! and may be references. Where there is an `else`, the block of the condition leaves a labelled block around all of it.

use proc_macro2::Span;
use syn::{BinOp, Expr as Syntax, ExprIf, ExprLet, ExprWhile};

use super::Reader;
use super::pattern::{Bound, Test, bindings, refers};
use super::tree::{Block, Expr, ExprKind, Statement};

/// Reads what runs where the whole condition holds.
type Rest<'r> = dyn FnMut(&mut Reader<'_>) -> Block + 'r;

impl Reader<'_> {
    /// `if a && let pattern = value { .. } else { .. }`.
    pub(super) fn if_chain(&mut self, if_: &ExprIf, parts: &[&Syntax], span: Span) -> Expr {
        let Some((_, otherwise)) = &if_.else_branch else {
            return self.chain(parts, &mut |r| r.block(&if_.then_branch), span);
        };
        let number = self.target();
        self.tree.left_by_break[number] = true;
        let taken = self.chain(
            parts,
            &mut |r| {
                let then = r.block(&if_.then_branch).into_expr(span);
                let leave = Expr::new(ExprKind::Break(number, Some(Box::new(then))), span);
                Block::dropping(leave)
            },
            span,
        );
        let block = Block::ending(vec![Statement::Expr(taken, true)], self.expr(otherwise));
        Expr::new(ExprKind::Block(block, Some(number)), span)
    }

    /// `while a && let pattern = value { .. }`: a loop that goes on where the condition holds, and is left elsewhere.
    pub(super) fn while_chain(&mut self, while_: &ExprWhile, parts: &[&Syntax], span: Span) -> Expr {
        let number = self.target();
        let round = self.inside(number, while_.label.as_ref(), true, |r| {
            r.chain(
                parts,
                &mut |r| {
                    let body = r.block(&while_.body).into_expr(span);
                    let again = Expr::new(ExprKind::Continue(number), span);
                    Block::of(vec![Statement::Expr(body, false), Statement::Expr(again, true)])
                },
                span,
            )
        });
        self.tree.left_by_break[number] = true;
        let leave = Expr::new(ExprKind::Break(number, None), span);
        let body = Block::of(vec![Statement::Expr(round, true), Statement::Expr(leave, true)]);
        Expr::new(ExprKind::Loop(number, None, body), span)
    }

    /// The parts of a condition around what runs where all hold, which sees the names that they bind.
    fn chain(&mut self, parts: &[&Syntax], rest: &mut Rest<'_>, span: Span) -> Expr {
        let outside = self.scopes.len();
        let block = self.links(parts, rest, span);
        self.scopes.truncate(outside);
        match block {
            Block {
                statements,
                tail: Some(only),
                ..
            } if statements.is_empty() => *only,
            block => block.into_expr(span),
        }
    }

    fn links(&mut self, parts: &[&Syntax], rest: &mut Rest<'_>, span: Span) -> Block {
        match parts {
            [] => rest(self),
            [Syntax::Let(let_), parts @ ..] => self.link(let_, parts, rest),
            [condition, parts @ ..] => {
                let condition = self.expr(condition);
                only_if(condition, self.links(parts, rest, span), span)
            }
        }
    }

    /// One `let` of a condition, and the parts after it.
    fn link(&mut self, let_: &ExprLet, parts: &[&Syntax], rest: &mut Rest<'_>) -> Block {
        let span = let_.let_token.span;
        self.lets += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        let value = self.expr(&let_.expr);
        let (value, subject) = self.scrutinee(value, refers([&*let_.pat]));
        let mut bound = Bound::default();
        let test = self.test_subjects(&let_.pat, std::slice::from_ref(&subject), false, &mut bound);
        let mut inner = self.links(parts, rest, span);
        inner.begin_with(bindings(&bound, span));
        let mut whole = match test {
            Test::If(test) => only_if(test, inner, span),
            Test::Always => inner,
        };
        whole.begin_with(vec![Statement::bind(subject.local, value)]);
        whole
    }
}

/// `{ if condition { .. } }`.
fn only_if(condition: Expr, then: Block, span: Span) -> Block {
    Expr::if_(condition, then, None, span).into_block()
}

/// The parts of a condition, where one of several is a `let`.
pub(super) fn chain_of(condition: &Syntax) -> Option<Vec<&Syntax>> {
    fn add<'s>(condition: &'s Syntax, parts: &mut Vec<&'s Syntax>) {
        match condition {
            Syntax::Binary(both) if matches!(both.op, BinOp::And(_)) => {
                add(&both.left, parts);
                add(&both.right, parts);
            }
            part => parts.push(part),
        }
    }
    if !matches!(condition, Syntax::Binary(_)) {
        return None;
    }
    let mut parts = Vec::new();
    add(condition, &mut parts);
    parts.iter().any(|part| matches!(part, Syntax::Let(_))).then_some(parts)
}
