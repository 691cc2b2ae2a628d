//! `match` on numbers and `bool`s, and assignments that take tuples apart: both become what Rust
//! has for them in simpler forms, a chain of `if`s and a `let`.

use proc_macro2::{Ident, Span};
use syn::{Expr as Syntax, ExprMatch, Lit, Pat, RangeLimits};

use super::super::tree::{Block, Expr, ExprKind, Local, Operator, Origin, Pattern, Statement};
use super::{Binding, Reader, start};
use crate::errors::Code;

/// What a pattern asks of a value.
enum Test {
    /// Nothing: it takes every value.
    Always,
    /// A condition.
    If(Expr),
}

/// An arm: its condition, and what it runs.
struct Arm {
    condition: Option<Expr>,
    body: Block,
    guarded: bool,
}

impl Reader<'_> {
    /// `match value { .. }`: the value goes into a variable, or the parts of a tuple into several.
    pub(super) fn match_(&mut self, match_: &ExprMatch, span: Span) -> Expr {
        let mut value = self.expr(&match_.expr);
        let of_result = match_.arms.iter().any(|arm| is_result(unguarded(&arm.pat).0));
        let parts = if of_result {
            let access = value.span;
            value = Expr::new(ExprKind::Attempt(Box::new(value)), access);
            Some(2)
        } else {
            match_.arms.iter().find_map(|arm| parts(unguarded(&arm.pat).0))
        };
        let subjects: Vec<usize> = (0..parts.unwrap_or(1)).map(|_| self.hidden("matched", span)).collect();
        let pattern = match parts {
            None => Pattern::Local(subjects[0]),
            Some(_) => Pattern::Tuple(subjects.iter().map(|&local| Pattern::Local(local)).collect()),
        };
        let mut arms = Vec::with_capacity(match_.arms.len());
        for arm in &match_.arms {
            self.attributes(&arm.attrs);
            let outside = self.scopes.len();
            let (pattern, guard) = unguarded(&arm.pat);
            let test = match subjects[..] {
                [holds, old] if of_result => self.test_result(pattern, holds, old),
                _ => self.test_subjects(pattern, &subjects, parts.is_some()),
            };
            let condition = match (test, guard) {
                (Test::Always, None) => None,
                (Test::If(test), None) => Some(test),
                (Test::Always, Some(guard)) => Some(*self.condition(guard)),
                (Test::If(test), Some(guard)) => {
                    let span = test.span;
                    let guard = self.condition(guard);
                    Some(Expr::new(ExprKind::And(Box::new(test), guard), span))
                }
            };
            let body = match &*arm.body {
                Syntax::Block(block) if block.label.is_none() => self.block(&block.block),
                body => Block {
                    statements: Vec::new(),
                    tail: Some(self.boxed(body)),
                    diverges: false,
                },
            };
            self.scopes.truncate(outside);
            let guarded = guard.is_some();
            arms.push(Arm {
                condition,
                body,
                guarded,
            });
        }
        let Some(chosen) = chain(arms, span) else {
            return self.left_to_rustc(span);
        };
        let bind = Statement::Let {
            pattern,
            annotation: None,
            init: Some(value),
        };
        let whole = Block {
            statements: vec![bind],
            tail: Some(Box::new(chosen)),
            diverges: false,
        };
        Expr::new(ExprKind::Block(whole, None), span)
    }

    /// A variable that the source does not name.
    fn hidden(&mut self, name: &str, span: Span) -> usize {
        let ty = self.tree.types.unknown();
        self.tree.locals.push(Local {
            name: Ident::new(name, span),
            ty,
            mutable: false,
            read: false,
            origin: Origin::Declared,
        });
        self.tree.locals.len() - 1
    }

    fn test_subjects(&mut self, pattern: &Pat, subjects: &[usize], tuple: bool) -> Test {
        match pattern {
            Pat::Paren(inner) => self.test_subjects(&inner.pat, subjects, tuple),
            Pat::Wild(_) => Test::Always,
            Pat::Tuple(parts) if tuple => {
                if parts.elems.len() != subjects.len() || parts.elems.iter().any(|e| matches!(e, Pat::Rest(_))) {
                    return self.refuse_pattern(pattern);
                }
                let tests = parts.elems.iter().zip(subjects);
                let tests: Vec<Test> = tests.map(|(part, &subject)| self.test(part, subject)).collect();
                joined(tests, true)
            }
            Pat::Or(or) if tuple => {
                let tests = or
                    .cases
                    .iter()
                    .map(|case| self.test_subjects(case, subjects, tuple))
                    .collect();
                joined(tests, false)
            }
            _ if tuple => self.refuse_pattern(pattern),
            _ => self.test(pattern, subjects[0]),
        }
    }

    /// What a pattern asks of the result of `compare_exchange`: of whether it succeeded, and of the
    /// old value.
    fn test_result(&mut self, pattern: &Pat, holds: usize, old: usize) -> Test {
        match pattern {
            Pat::Paren(inner) => self.test_result(&inner.pat, holds, old),
            Pat::Wild(_) => Test::Always,
            Pat::Or(or) => {
                let names = self.scopes.len();
                let tests = or.cases.iter().map(|case| {
                    // All cases bring the same names, for the same value.
                    self.scopes.truncate(names);
                    self.test_result(case, holds, old)
                });
                let tests = tests.collect();
                joined(tests, false)
            }
            Pat::TupleStruct(variant) if is_result(pattern) && variant.elems.len() == 1 => {
                let span = start_of(variant);
                let succeeds = variant.path.segments.last().is_some_and(|last| last.ident == "Ok");
                let mut test = Expr::new(ExprKind::Local(holds), span);
                if !succeeds {
                    test = Expr::new(ExprKind::Not(Box::new(test)), span);
                }
                let inner = self.test(&variant.elems[0], old);
                joined(vec![Test::If(test), inner], true)
            }
            _ => self.refuse_pattern(pattern),
        }
    }

    /// What `pattern` asks of the variable `subject`. A name in it is another name of the variable.
    fn test(&mut self, pattern: &Pat, subject: usize) -> Test {
        match pattern {
            Pat::Paren(inner) => self.test(&inner.pat, subject),
            Pat::Wild(_) => Test::Always,
            Pat::Lit(literal) => {
                let value = self.pattern_literal(literal);
                Test::If(compared(Operator::Eq, subject, value))
            }
            Pat::Path(path) => {
                let value = self.path(path, &Syntax::Path(path.clone()));
                Test::If(compared(Operator::Eq, subject, value))
            }
            Pat::Range(range) => {
                let least = range.start.as_ref().map(|bound| self.bound(bound));
                let most = range.end.as_ref().map(|bound| self.bound(bound));
                let end = match range.limits {
                    RangeLimits::HalfOpen(_) => Operator::Lt,
                    RangeLimits::Closed(_) => Operator::Le,
                };
                let least = least.map(|least| Test::If(compared(Operator::Ge, subject, least)));
                let most = most.map(|most| Test::If(compared(end, subject, most)));
                joined(least.into_iter().chain(most).collect(), true)
            }
            Pat::Or(or) => {
                let names = self.scopes.len();
                let tests = or.cases.iter().map(|case| self.test(case, subject)).collect();
                if self.scopes.len() != names {
                    return self.refuse_pattern(pattern);
                }
                joined(tests, false)
            }
            Pat::Ident(name) if name.by_ref.is_none() && name.mutability.is_none() => {
                let text = name.ident.to_string();
                let is_constant = matches!(self.lookup(&name.ident), Some(Binding::Constant(_) | Binding::Path(_)))
                    || !text.contains(char::is_lowercase);
                match &name.subpat {
                    None if is_constant => {
                        let path = syn::ExprPath {
                            attrs: Vec::new(),
                            qself: None,
                            path: name.ident.clone().into(),
                        };
                        let value = self.path(&path, &Syntax::Path(path.clone()));
                        Test::If(compared(Operator::Eq, subject, value))
                    }
                    None => {
                        self.bring(&name.ident, Binding::Local(subject));
                        Test::Always
                    }
                    Some((_, inner)) => {
                        let test = self.test(inner, subject);
                        self.bring(&name.ident, Binding::Local(subject));
                        test
                    }
                }
            }
            _ => self.refuse_pattern(pattern),
        }
    }

    fn refuse_pattern(&mut self, pattern: &Pat) -> Test {
        self.errors.refuse_all(
            Code::Pattern,
            pattern,
            "this pattern is not supported in a kernel",
            "a `match` takes numbers, `bool`s, ranges, constants, one name, `_`, and tuples of these",
        );
        self.refuse_names(pattern);
        Test::Always
    }

    /// A literal of a pattern, which may have a sign.
    fn pattern_literal(&mut self, literal: &syn::PatLit) -> Expr {
        let whole = Syntax::Lit(literal.clone());
        let positive = match &literal.lit {
            Lit::Int(int) => int.to_string().strip_prefix('-').map(str::to_owned),
            Lit::Float(float) => float.to_string().strip_prefix('-').map(str::to_owned),
            _ => None,
        };
        let Some(positive) = positive else {
            return self.literal(&literal.lit, &whole);
        };
        let span = literal.lit.span();
        let Ok(positive) = syn::parse_str::<Lit>(&positive) else {
            return self.left_to_rustc(span);
        };
        let positive = self.literal(&positive, &whole);
        Expr::new(ExprKind::Negate(Box::new(positive)), span)
    }

    /// A bound of a range of a pattern.
    fn bound(&mut self, bound: &Syntax) -> Expr {
        match bound {
            Syntax::Lit(literal) => self.pattern_literal(literal),
            other => self.expr(other),
        }
    }

    /// `(a, b) = value`: as Rust does it, `{ let (x, y) = value; a = x; b = y; }`.
    pub(super) fn assign_tuple(&mut self, left: &syn::ExprTuple, right: &Syntax) -> Expr {
        let span = left.paren_token.span.open();
        let mut assignments = Vec::new();
        self.delimiters += 1;
        let pattern = self.assigned_parts(left, &mut assignments);
        self.delimiters -= 1;
        let bind = Statement::Let {
            pattern,
            annotation: None,
            init: Some(self.expr(right)),
        };
        let block = Block {
            statements: std::iter::once(bind).chain(assignments).collect(),
            tail: None,
            diverges: false,
        };
        Expr::new(ExprKind::Block(block, None), span)
    }

    fn assigned_parts(&mut self, left: &syn::ExprTuple, assignments: &mut Vec<Statement>) -> Pattern {
        let parts = left.elems.iter().map(|part| match part {
            Syntax::Infer(_) => Pattern::Ignore,
            Syntax::Tuple(inner) => self.assigned_parts(inner, assignments),
            part => {
                let span = start(part);
                let local = self.hidden("assigned", span);
                let target = self.assigned(part);
                let value = Expr::new(ExprKind::Local(local), span);
                let assign = ExprKind::Assign(Box::new(target), Box::new(value));
                assignments.push(Statement::Expr(Expr::new(assign, span), true));
                Pattern::Local(local)
            }
        });
        Pattern::Tuple(parts.collect())
    }
}

/// A pattern without its guard, and the guard.
fn unguarded(pattern: &Pat) -> (&Pat, Option<&Syntax>) {
    match pattern {
        Pat::Guard(guarded) => (&guarded.pat, Some(&guarded.guard)),
        other => (other, None),
    }
}

/// How many parts a pattern takes the value apart into, if it does.
fn parts(pattern: &Pat) -> Option<usize> {
    match pattern {
        Pat::Tuple(tuple) => Some(tuple.elems.len()),
        Pat::Paren(inner) => parts(&inner.pat),
        Pat::Or(or) => or.cases.iter().find_map(parts),
        _ => None,
    }
}

/// Whether a pattern is `Ok(..)` or `Err(..)`.
fn is_result(pattern: &Pat) -> bool {
    match pattern {
        Pat::TupleStruct(variant) => {
            let last = variant.path.segments.last();
            last.is_some_and(|last| last.ident == "Ok" || last.ident == "Err")
        }
        Pat::Paren(inner) => is_result(&inner.pat),
        Pat::Or(or) => or.cases.iter().any(is_result),
        _ => false,
    }
}

fn start_of(variant: &syn::PatTupleStruct) -> Span {
    variant
        .path
        .segments
        .first()
        .map_or_else(Span::call_site, |first| first.ident.span())
}

fn compared(operator: Operator, subject: usize, value: Expr) -> Expr {
    let span = value.span;
    let subject = Expr::new(ExprKind::Local(subject), span);
    Expr::new(ExprKind::Binary(operator, Box::new(subject), Box::new(value)), span)
}

/// All of some tests, or any of them.
fn joined(tests: Vec<Test>, all: bool) -> Test {
    let mut whole: Option<Expr> = None;
    for test in tests {
        let Test::If(test) = test else {
            match all {
                true => continue,
                false => return Test::Always,
            }
        };
        whole = Some(match whole {
            None => test,
            Some(before) => {
                let span = before.span;
                let (before, test) = (Box::new(before), Box::new(test));
                let kind = match all {
                    true => ExprKind::And(before, test),
                    false => ExprKind::Or(before, test),
                };
                Expr::new(kind, span)
            }
        });
    }
    whole.map_or(Test::Always, Test::If)
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
            None if guarded => Expr::new(ExprKind::Panic("unreachable".to_owned()), span),
            None => {
                if let Some(condition) = condition {
                    body.statements.insert(0, Statement::Expr(condition, true));
                }
                rest = Some(Expr::new(ExprKind::Block(body, None), span));
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
