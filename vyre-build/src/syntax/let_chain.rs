//! Let chains: `if let Some(x) = a && x > 3`.
//!
//! The bindings of a part are in scope in later parts and in the block. So the variables are
//! declared around the whole, and each part assigns its bindings once it matches.

use proc_macro2::Span;
use syn::{BinOp, Expr as Syntax, ExprIf, ExprLet, ExprWhile};

use super::Reader;
use super::pattern::{Bound, Subject, Test};
use super::tree::{Block, Expr, ExprKind, Origin, Statement};

impl Reader<'_> {
    /// `if a && let pattern = value { .. } else { .. }`.
    pub(super) fn if_chain(&mut self, if_: &ExprIf, parts: &[&Syntax], span: Span) -> Expr {
        let outside = self.scopes.len();
        let mut statements = Vec::new();
        let condition = self.chain(parts, &mut statements, span);
        let then = self.block(&if_.then_branch);
        self.scopes.truncate(outside);
        let otherwise = if_.else_branch.as_ref().map(|(_, otherwise)| self.boxed(otherwise));
        let chosen = ExprKind::If(Box::new(condition), then, otherwise);
        whole(statements, Expr::new(chosen, span))
    }

    /// `while a && let pattern = value { .. }`: a loop that a part which does not hold leaves.
    pub(super) fn while_chain(&mut self, while_: &ExprWhile, parts: &[&Syntax], span: Span) -> Expr {
        let number = self.target();
        let round = self.inside(number, while_.label.as_ref(), true, |r| {
            let outside = r.scopes.len();
            let mut statements = Vec::new();
            let condition = r.chain(parts, &mut statements, span);
            let body = r.block(&while_.body);
            r.scopes.truncate(outside);
            let leave = Box::new(Expr::new(ExprKind::Break(number, None), span));
            let chosen = ExprKind::If(Box::new(condition), body, Some(leave));
            whole(statements, Expr::new(chosen, span))
        });
        self.tree.left_by_break[number] = true;
        let body = Block {
            tail: Some(Box::new(round)),
            ..Block::empty()
        };
        Expr::new(ExprKind::Loop(number, body), span)
    }

    /// The condition, whose names are in scope after it; declares its variables.
    fn chain(&mut self, parts: &[&Syntax], statements: &mut Vec<Statement>, span: Span) -> Expr {
        let mut all = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Syntax::Let(let_) => all.push(self.link(let_, statements)),
                part => all.push(self.expr(part)),
            }
        }
        let both = |left: Expr, right| Expr::new(ExprKind::And(Box::new(left), Box::new(right)), span);
        let whole = all.into_iter().reduce(both);
        whole.unwrap_or_else(|| self.refused(span))
    }

    /// One `let` of a condition: evaluates, tests and binds.
    fn link(&mut self, let_: &ExprLet, statements: &mut Vec<Statement>) -> Expr {
        let span = let_.let_token.span;
        self.lets += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        let value = self.expr(&let_.expr);
        let subject = self.hidden("matched", span, Origin::Matched);
        let mut bound = Bound::default();
        let test = self.test_subjects(&let_.pat, &[Subject::of(subject)], false, &mut bound);
        let mut steps = vec![assign(subject, value, span)];
        let mut declared = vec![subject];
        let holds = Expr::new(ExprKind::Bool(true), span);
        let binds = bound.parts.into_iter().map(|(local, part)| {
            declared.push(local);
            assign(local, part.expr(span), span)
        });
        let binds: Vec<Statement> = binds.collect();
        let tail = match test {
            Test::If(test) if binds.is_empty() => test,
            Test::If(test) => Expr::new(ExprKind::And(Box::new(test), Box::new(whole(binds, holds))), span),
            Test::Always => {
                steps.extend(binds);
                holds
            }
        };
        statements.extend(declared.into_iter().map(|local| Statement::Let {
            local: Some(local),
            annotation: None,
            init: None,
        }));
        whole(steps, tail)
    }
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

fn assign(local: usize, value: Expr, span: Span) -> Statement {
    let target = Box::new(Expr::new(ExprKind::Local(local), span));
    Statement::Expr(Expr::new(ExprKind::Assign(target, Box::new(value)), span), true)
}

/// Statements and the value after them.
fn whole(statements: Vec<Statement>, tail: Expr) -> Expr {
    let span = tail.span;
    let block = Block {
        statements,
        tail: Some(Box::new(tail)),
        diverges: false,
    };
    Expr::new(ExprKind::Block(block, None), span)
}
