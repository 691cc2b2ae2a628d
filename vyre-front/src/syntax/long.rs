//! Expressions of very many parts, sums of hundreds of terms or `match`es of hundreds of arms. Every later phase follows
//! the nesting of expressions by recursion, so these are read into trees of little depth.

use proc_macro2::Span;
use syn::{BinOp, Expr as Syntax, ExprBinary, ExprIf};

use super::Reader;
use super::expr::operator;
use super::let_chain::chain_of;
use super::loops::let_of;
use super::tree::{Block, Expr, ExprKind, Operator, Origin, Statement};

/// The number of parts up to which an expression is read as it is written.
pub(super) const FEW: usize = 100;

impl Reader<'_> {
    /// A long chain of operators on the left: `a + b + .. + z`. The value so far goes into a variable every few terms, which
    /// changes no order of evaluation.
    pub(super) fn long_binary(&mut self, binary: &ExprBinary, span: Span) -> Option<Expr> {
        let logical = |op: &BinOp| match op {
            BinOp::And(_) => Some(true),
            BinOp::Or(_) => Some(false),
            _ => None,
        };
        let whole = logical(&binary.op);
        let arithmetic = |op: &BinOp| match operator(op) {
            (Some(operator), false) if !operator.is_comparison() => Some(operator),
            _ => None,
        };
        let goes_on = |op: &BinOp| match whole {
            Some(_) => logical(op) == whole,
            None => arithmetic(op).is_some(),
        };
        let mut terms: Vec<(Option<Operator>, &Syntax)> = Vec::new();
        let mut first = binary;
        loop {
            terms.push((arithmetic(&first.op), &first.right));
            match &*first.left {
                Syntax::Binary(inner) if goes_on(&first.op) && goes_on(&inner.op) => first = inner,
                _ => break,
            }
        }
        if terms.len() <= FEW {
            return None;
        }
        terms.push((None, &first.left));
        terms.reverse();
        if let Some(all) = whole {
            let terms = terms.into_iter().map(|(_, term)| self.expr(term)).collect();
            return Some(balanced(terms, all));
        }
        let (mut statements, mut value) = (Vec::new(), None);
        for (number, (operator, term)) in terms.into_iter().enumerate() {
            let term = self.expr(term);
            value = Some(match (value, operator) {
                (Some(value), Some(operator)) => Expr::binary(operator, value, term, span),
                _ => term,
            });
            if number % FEW == FEW - 1 {
                let so_far = self.hidden("so_far", span, Origin::Declared);
                statements.extend(value.take().map(|value| Statement::bind(so_far, value)));
                value = Some(Expr::local(so_far, span));
            }
        }
        let tail = value.map(Box::new);
        let block = Block {
            statements,
            tail,
            diverges: false,
            is_constant: false,
        };
        Some(block.into_expr(span))
    }

    /// A long `if .. else if .. else ..`.
    pub(super) fn long_if(&mut self, if_: &ExprIf, span: Span) -> Option<Expr> {
        let (mut cases, mut last) = (Vec::new(), if_);
        let otherwise = loop {
            if let_of(&last.cond).is_some() || chain_of(&last.cond).is_some() {
                return None;
            }
            cases.push(last);
            match last.else_branch.as_ref().map(|(_, otherwise)| &**otherwise) {
                Some(Syntax::If(next)) => last = next,
                otherwise => break otherwise,
            }
        };
        if cases.len() <= FEW {
            return None;
        }
        let read = cases
            .into_iter()
            .map(|case| (self.expr(&case.cond), self.block(&case.then_branch)));
        let read: Vec<(Expr, Block)> = read.collect();
        let last = otherwise.map(|otherwise| self.expr(otherwise));
        Some(self.first_of(read, last, span))
    }

    /// The body of the first case whose condition holds, or else the last value: a block that each of them leaves.
    pub(super) fn first_of(&mut self, cases: Vec<(Expr, Block)>, last: Option<Expr>, span: Span) -> Expr {
        let number = self.target();
        self.tree.left_by_break[number] = true;
        let statement = |(condition, body): (Expr, Block)| {
            let value = body.into_expr(span);
            let leave = Expr::new(ExprKind::Break(number, Some(Box::new(value))), span);
            let then = Block::dropping(leave);
            let kind = ExprKind::If(Box::new(condition), then, None);
            Statement::Expr(Expr::new(kind, span), true)
        };
        let block = Block {
            statements: cases.into_iter().map(statement).collect(),
            tail: last.map(Box::new),
            diverges: false,
            is_constant: false,
        };
        Expr::new(ExprKind::Block(block, Some(number)), span)
    }
}

/// All of some conditions or any of them, in a tree of little depth, which evaluates them in their order.
pub(super) fn balanced(mut tests: Vec<Expr>, all: bool) -> Expr {
    while tests.len() > 1 {
        let mut pairs = Vec::with_capacity(tests.len().div_ceil(2));
        let mut rest = tests.into_iter();
        while let Some(first) = rest.next() {
            pairs.push(match rest.next() {
                None => first,
                Some(second) => Expr::logical(all, first, second),
            });
        }
        tests = pairs;
    }
    tests
        .pop()
        .unwrap_or_else(|| Expr::new(ExprKind::Bool(all), Span::call_site()))
}
