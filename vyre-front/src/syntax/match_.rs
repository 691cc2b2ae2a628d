//! `match`, which becomes what Rust has for it in simpler forms: a chain of `if`s.

use proc_macro2::{Ident, Span};
use syn::{Expr as Syntax, ExprMatch, Pat};

use vyre_ir::ir::UnaryOp;

use super::Reader;
use super::let_chain::chain_of;
use super::long::FEW;
use super::pattern::{Bound, Step, Subject, Test, bindings, refers, with_bound};
use super::tree::{Block, Expr, ExprKind, Local, Message, Origin, Statement};
use super::unsupported::refusal;
use super::variant::parts_with_rest;
use crate::errors::Code;
use crate::types::{Kind, Ty};

/// An arm: its condition, and what it runs.
struct Arm {
    condition: Option<Expr>,
    body: Block,
    guarded: bool,
}

impl Reader<'_> {
    /// The guard of an arm. A `let` there is the only one that newer versions of Rust have and kernels do not.
    fn guard(&mut self, guard: &Syntax) -> Expr {
        let parts = chain_of(guard).unwrap_or_else(|| vec![guard]);
        match parts.into_iter().find(|part| matches!(part, Syntax::Let(_))) {
            Some(part) => {
                let (code, fault, help) = refusal(part);
                self.refuse(code, part, fault, help)
            }
            None => self.expr(guard),
        }
    }

    /// `match value { .. }`: the value goes into a variable, or the parts of a tuple into several.
    pub(super) fn match_(&mut self, match_: &ExprMatch, span: Span) -> Expr {
        let value = self.expr(&match_.expr);
        // Unless an arm names the whole.
        let in_parts = match_.arms.iter().all(|arm| is_of_parts(unguarded(&arm.pat).0));
        let parts = self.tuple_parts(&value).filter(|_| in_parts);
        let values = match parts {
            Some(_) => value.into_fields().into_iter().map(|(_, value)| value).collect(),
            None => vec![value],
        };
        let patterns = || match_.arms.iter().map(|arm| unguarded(&arm.pat).0);
        let mut subjects = Vec::with_capacity(values.len());
        let mut statements = Vec::with_capacity(values.len());
        for (number, value) in values.into_iter().enumerate() {
            let (value, subject) = match parts {
                None => self.scrutinee(value, refers(patterns())),
                Some(count) => self.copied(value, refers(patterns().filter_map(|all| part(all, number, count)))),
            };
            statements.push(Statement::bind(subject.local, value));
            subjects.push(subject);
        }
        let mut arms = Vec::with_capacity(match_.arms.len());
        for arm in &match_.arms {
            self.attributes(&arm.attrs);
            let outside = self.scopes.len();
            let (pattern, guard) = unguarded(&arm.pat);
            let mut bound = Bound::default();
            let test = self.test_subjects(pattern, &subjects, parts.is_some(), &mut bound);
            let guarded = guard.is_some();
            if let (Some(guard), true) = (guard, bound.chooses()) {
                self.errors.refuse_all(
                    Code::Pattern,
                    guard,
                    "this guard is of a pattern whose cases bind different parts, and Rust tries it for each of them",
                    "write an arm for each case",
                );
            }
            let guard = guard.map(|guard| with_bound(&bound, self.guard(guard)));
            let condition = match (test, guard) {
                (Test::Always, guard) => guard,
                (Test::If(test), None) => Some(test),
                (Test::If(test), Some(guard)) => Some(Expr::logical(true, test, guard)),
            };
            let mut body = match &*arm.body {
                Syntax::Block(block) if block.label.is_none() => self.block(&block.block),
                body => self.expr(body).into_block(),
            };
            self.scopes.truncate(outside);
            body.begin_with(bindings(&bound, span));
            arms.push(Arm {
                condition,
                body,
                guarded,
            });
        }
        let chosen = match arms.len() {
            0..=FEW => chain(arms, span),
            _ => self.long_match(arms, span),
        };
        let Some(chosen) = chosen else {
            return self.left_to_rustc(span);
        };
        let whole = Block::ending(statements, chosen);
        whole.into_expr(span)
    }

    /// As `chain`, of many arms.
    fn long_match(&mut self, mut arms: Vec<Arm>, span: Span) -> Option<Expr> {
        let last = chain(arms.pop().into_iter().collect(), span);
        let always = || Expr::new(ExprKind::Bool(true), span);
        let cases = arms
            .into_iter()
            .map(|arm| (arm.condition.unwrap_or_else(always), arm.body));
        Some(self.first_of(cases.collect(), last, span))
    }

    /// `let pattern = value else { .. };`: the value in a variable, a test of it, and the names of its parts.
    pub(super) fn let_else(
        &mut self,
        pattern: &Pat,
        annotation: Option<Ty>,
        value: Expr,
        otherwise: &Syntax,
        statements: &mut Vec<Statement>,
    ) {
        let span = value.span;
        let (value, subject) = self.scrutinee(value, refers([pattern]));
        let annotation = self.matched_type(annotation, &value, &subject);
        statements.push(Statement::let_(Some(subject.local), annotation, Some(value)));
        // A diverging `else` does not see the bindings.
        let outside = self.scopes.len();
        let otherwise = self.expr(otherwise);
        self.scopes.truncate(outside);
        let mut bound = Bound::default();
        let fails = match self.test_subjects(pattern, &[subject], false, &mut bound) {
            Test::If(test) => Expr::unary(UnaryOp::Not, test, span),
            // Unreachable arms still have types and closures.
            Test::Always => Expr::new(ExprKind::Bool(false), span),
        };
        let leave = Block::dropping(otherwise);
        statements.push(Statement::Expr(Expr::if_(fails, leave, None, span), true));
        statements.extend(bindings(&bound, span));
    }

    /// The variable that patterns match, and the part of it that they match. A part of a slice, `x[a..b]`, is no value,
    /// and `ref` in the patterns refers to the place: the variable refers to both.
    pub(super) fn scrutinee(&mut self, value: Expr, refers: Option<bool>) -> (Expr, Subject) {
        let span = value.span;
        let local = self.hidden("matched", span, Origin::Matched);
        let subject = Subject::of(local);
        let mutable = match value.kind {
            ExprKind::Part(..) => refers.unwrap_or_default(),
            ExprKind::Local(_) | ExprKind::Field(..) | ExprKind::Index { .. } | ExprKind::Deref(_)
                if refers.is_some() =>
            {
                refers.unwrap_or_default()
            }
            _ => {
                self.tree.locals[local].mutable = refers == Some(true);
                return (value, subject);
            }
        };
        let value = Expr::new(ExprKind::Borrow(Box::new(value), mutable), span);
        (value, subject.part(Step::Referent))
    }

    /// The same for a value, such as a part of a tuple that is written: `ref` refers to the variable, which holds a copy.
    pub(super) fn copied(&mut self, value: Expr, refers: Option<bool>) -> (Expr, Subject) {
        let (value, subject) = self.scrutinee(value, None);
        self.tree.locals[subject.local].mutable |= refers == Some(true);
        (value, subject)
    }

    /// The type of the variable that patterns match, from the type that is written for the value.
    pub(super) fn matched_type(&mut self, annotation: Option<Ty>, value: &Expr, subject: &Subject) -> Option<Ty> {
        match (annotation, &value.kind) {
            (Some(ty), &ExprKind::Borrow(_, mutable)) if !subject.path.is_empty() => {
                Some(self.tree.types.add(Kind::Reference(ty, mutable)))
            }
            _ => annotation,
        }
    }

    /// A variable that the source does not name.
    pub(super) fn hidden(&mut self, name: &str, span: Span, origin: Origin) -> usize {
        let ty = self.tree.types.unknown();
        self.tree.locals.push(Local {
            name: Ident::new(name, span),
            ty,
            mutable: false,
            read: false,
            origin,
        });
        self.tree.locals.len() - 1
    }
}

/// A pattern without its guard, and the guard.
fn unguarded(pattern: &Pat) -> (&Pat, Option<&Syntax>) {
    match pattern {
        Pat::Guard(guarded) => (&guarded.pat, Some(&guarded.guard)),
        other => (other, None),
    }
}

/// True if a pattern only matches the parts of a tuple, each independently.
fn is_of_parts(pattern: &Pat) -> bool {
    match pattern {
        Pat::Paren(inner) => is_of_parts(&inner.pat),
        Pat::Wild(_) | Pat::Tuple(_) => true,
        _ => false,
    }
}

/// The pattern of a part, of one of `count` parts.
fn part(pattern: &Pat, number: usize, count: usize) -> Option<&Pat> {
    match pattern {
        Pat::Paren(inner) => part(&inner.pat, number, count),
        Pat::Tuple(parts) => {
            let parts = parts_with_rest(parts.elems.iter(), count)?;
            let found = parts.into_iter().find(|(known, _)| *known as usize == number);
            found.map(|(_, part)| part)
        }
        _ => None,
    }
}

/// The arms as `if .. else if .. else ..`. rustc sees to it that they cover every value, so the
/// last arm without a guard needs no test; that is typed all the same.
fn chain(arms: Vec<Arm>, span: Span) -> Option<Expr> {
    let mut rest: Option<Expr> = None;
    for arm in arms.into_iter().rev() {
        let Arm {
            condition,
            mut body,
            guarded,
        } = arm;
        let otherwise = match rest.take() {
            None if guarded => Message::plain("unreachable").panic(span),
            None => {
                if let Some(condition) = condition {
                    body.statements.insert(0, Statement::Expr(condition, true));
                }
                rest = Some(body.into_expr(span));
                continue;
            }
            Some(rest) => rest,
        };
        let condition = condition.unwrap_or_else(|| Expr::new(ExprKind::Bool(true), span));
        let kind = ExprKind::If(Box::new(condition), body, Some(Box::new(otherwise)));
        rest = Some(Expr::new(kind, span));
    }
    rest
}
