//! Patterns: the tests of a value, and the names bound to its parts.

use proc_macro2::Span;
use syn::{Expr as Syntax, Lit, Pat, PatIdent, RangeLimits};

use super::obligations::Obligation;
use super::tree::{Block, Expr, ExprKind, Operator, Origin, Statement};
use super::{Binding, Name, Reader};
use crate::errors::Code;
use crate::types::adt::{Case, RESULT};

/// The subject of a pattern: a variable, or a part of one.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) local: usize,
    /// The fields and elements that lead to the part.
    pub(super) path: Vec<Step>,
}

#[derive(Clone)]
pub(super) enum Step {
    /// A field of a variant, or an element of an array.
    Payload(Case, u32),
    /// The referent of a reference.
    Referent,
}

/// The test of a pattern.
pub(super) enum Test {
    /// Nothing: it takes every value.
    Always,
    /// A condition.
    If(Expr),
}

/// The variables that a pattern binds to parts of its subject.
#[derive(Default)]
pub(super) struct Bound {
    pub(super) parts: Vec<(usize, Subject)>,
    /// The origin of the variables of a pattern that always matches: its names are no constants, whatever they look
    /// like.
    always: Option<Origin>,
}

impl Bound {
    /// Those of a pattern that always matches.
    pub(super) fn of_let(origin: Origin) -> Self {
        Bound {
            parts: Vec::new(),
            always: Some(origin),
        }
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        match (self, other) {
            (Step::Referent, Step::Referent) => true,
            // If one name binds both, `Ok` and `Err` have the same type, and so share a slot.
            (Step::Payload(one, m), Step::Payload(other, n)) => {
                m == n && one.key == other.key && (one.variant == other.variant || one.key == RESULT)
            }
            _ => false,
        }
    }
}

impl Subject {
    pub(super) fn of(local: usize) -> Self {
        Subject {
            local,
            path: Vec::new(),
        }
    }

    pub(super) fn part(&self, step: Step) -> Self {
        let mut part = self.clone();
        part.path.push(step);
        part
    }

    pub(super) fn expr(&self, span: Span) -> Expr {
        let whole = Expr::new(ExprKind::Local(self.local), span);
        self.path.iter().fold(whole, |base, step| {
            let base = Box::new(base);
            let kind = match step {
                Step::Payload(case, number) => ExprKind::Payload(base, *case, *number),
                Step::Referent => ExprKind::Deref(base),
            };
            Expr::new(kind, span)
        })
    }
}

impl Reader<'_> {
    pub(super) fn test_subjects(
        &mut self,
        pattern: &Pat,
        subjects: &[Subject],
        tuple: bool,
        bound: &mut Bound,
    ) -> Test {
        match pattern {
            Pat::Paren(inner) => self.test_subjects(&inner.pat, subjects, tuple, bound),
            Pat::Wild(_) => Test::Always,
            Pat::Tuple(parts) if tuple => {
                if parts.elems.len() != subjects.len() || parts.elems.iter().any(|e| matches!(e, Pat::Rest(_))) {
                    return self.refuse_pattern(pattern);
                }
                let tests = parts.elems.iter().zip(subjects);
                let tests: Vec<Test> = tests.map(|(part, subject)| self.test(part, subject, bound)).collect();
                joined(tests, true)
            }
            _ => self.test(pattern, &subjects[0], bound),
        }
    }

    /// The tests of parts, by number, of a subject that is of a variant.
    pub(super) fn test_parts<'p>(
        &mut self,
        case: Case,
        parts: impl IntoIterator<Item = (u32, &'p Pat)>,
        subject: &Subject,
        bound: &mut Bound,
    ) -> Vec<Test> {
        let parts = parts.into_iter();
        let tests = parts.map(|(number, part)| self.test(part, &subject.part(Step::Payload(case, number)), bound));
        tests.collect()
    }

    /// The test of `subject` by `pattern`. A name in it is another name of the variable, or a variable
    /// that is bound to the part.
    pub(super) fn test(&mut self, pattern: &Pat, subject: &Subject, bound: &mut Bound) -> Test {
        if let Some(test) = self.test_case(pattern, subject, bound) {
            return test;
        }
        match pattern {
            Pat::Paren(inner) => self.test(&inner.pat, subject, bound),
            Pat::Wild(_) => Test::Always,
            Pat::Reference(inner) if inner.mutability.is_none() && !subject.path.is_empty() => {
                self.test(&inner.pat, &subject.part(Step::Referent), bound)
            }
            Pat::Tuple(parts) if !parts.elems.iter().any(|part| matches!(part, Pat::Rest(_))) => {
                let types = parts.elems.iter().map(|_| self.tree.types.unknown()).collect();
                let case = self.tree.types.tuple_case(types);
                joined(self.test_parts(case, (0..).zip(&parts.elems), subject, bound), true)
            }
            Pat::Slice(parts) if !parts.elems.iter().any(|part| matches!(part, Pat::Rest(_))) => {
                let element = self.tree.types.unknown();
                let case = self.tree.types.array_case(element, parts.elems.len() as u64);
                joined(self.test_parts(case, (0..).zip(&parts.elems), subject, bound), true)
            }
            Pat::Lit(literal) => {
                let value = self.pattern_literal(literal);
                Test::If(self.equal(subject, value))
            }
            Pat::Path(path) => {
                let value = self.path(path, &Syntax::Path(path.clone()));
                Test::If(self.equal(subject, value))
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
                let mut tests = Vec::from_iter(least);
                tests.extend(most);
                joined(tests, true)
            }
            Pat::Or(or) => {
                let names = self.scopes.len();
                let mut tests = Vec::with_capacity(or.cases.len());
                let mut first = None;
                for case in &or.cases {
                    let start = bound.parts.len();
                    tests.push(self.test(case, subject, bound));
                    let brought = self.scopes.split_off(names);
                    // Every case brings the same names, for the same parts.
                    match &first {
                        None => first = Some((brought, start..bound.parts.len())),
                        Some((known, range)) => {
                            let own = &bound.parts[start..];
                            let same = |name: &Name| {
                                let other = known.iter().find(|known| known.text == name.text);
                                other.is_some_and(|other| same_part(name, own, other, &bound.parts[range.clone()]))
                            };
                            if known.len() != brought.len() || !brought.iter().all(same) {
                                return self.refuse_pattern(pattern);
                            }
                        }
                    }
                }
                if let Some((names, _)) = first {
                    self.scopes.extend(names);
                }
                joined(tests, false)
            }
            Pat::Ident(name) if name.by_ref.is_none() => {
                let text = name.ident.to_string();
                let known = self.lookup(&name.ident);
                let is_constant = matches!(known, Some(Binding::Constant(_) | Binding::Path(_)));
                let is_constant = is_constant || !text.contains(char::is_lowercase);
                match &name.subpat {
                    None if bound.always.is_some() => {
                        self.name_part(name, subject, bound);
                        Test::Always
                    }
                    None if is_constant && name.mutability.is_none() => {
                        let path = syn::ExprPath {
                            attrs: Vec::new(),
                            qself: None,
                            path: name.ident.clone().into(),
                        };
                        let value = self.path(&path, &Syntax::Path(path.clone()));
                        Test::If(self.equal(subject, value))
                    }
                    // Variables do not begin with a capital letter.
                    None if text.starts_with(char::is_uppercase) => {
                        self.errors.refuse_unknown(
                            Code::Pattern,
                            name.ident.span(),
                            format_args!("vyre does not see the enum of the variant `{text}`"),
                            format_args!(
                                "write its path, `Type::{text}`; a variable has a name in lower case, and a constant in upper case"
                            ),
                        );
                        self.bring(&name.ident, Binding::Refused);
                        Test::Always
                    }
                    None => {
                        self.tree.oblige(Obligation::Variable(name.ident.clone()));
                        self.name_part(name, subject, bound);
                        Test::Always
                    }
                    Some((_, inner)) => {
                        let test = self.test(inner, subject, bound);
                        self.name_part(name, subject, bound);
                        test
                    }
                }
            }
            _ => self.refuse_pattern(pattern),
        }
    }

    /// Names a subject: a variable that stays as it is has two names then.
    fn name_part(&mut self, name: &PatIdent, subject: &Subject, bound: &mut Bound) {
        let mutable = name.mutability.is_some();
        if subject.path.is_empty() && !mutable {
            return self.bring(&name.ident, Binding::Local(subject.local));
        }
        let local = self.new_variable(name, bound.always.unwrap_or(Origin::Declared));
        bound.parts.push((local, subject.clone()));
    }

    /// True if a subject equals a value. A variant needs no `PartialEq`.
    fn equal(&self, subject: &Subject, value: Expr) -> Expr {
        let span = value.span;
        match value.kind {
            ExprKind::Make { of, .. } => Expr::new(ExprKind::Is(Box::new(subject.expr(span)), of), span),
            _ => compared(Operator::Eq, subject, value),
        }
    }

    /// For a pattern that was refused or left to rustc.
    pub(super) fn none_tested(&mut self, pattern: &Pat) -> Test {
        self.refuse_names(pattern);
        Test::Always
    }

    fn refuse_pattern(&mut self, pattern: &Pat) -> Test {
        self.errors.refuse_all(
            Code::Pattern,
            pattern,
            "this pattern is not supported in a kernel",
            "a pattern has literals, ranges, constants, variants, names, `_`, and tuples, arrays and structs of these, \
             without `..` in tuples and arrays",
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
}

/// True if two names bind the same part of a value; `bound` has those with separate variables.
fn same_part(one: &Name, bound_one: &[(usize, Subject)], other: &Name, bound_other: &[(usize, Subject)]) -> bool {
    let subject = |name: &Name, bound: &[(usize, Subject)]| match name.binding {
        Binding::Local(local) => {
            let known = bound.iter().find(|(known, _)| *known == local);
            Some(known.map_or_else(|| Subject::of(local), |(_, subject)| subject.clone()))
        }
        _ => None,
    };
    match (subject(one, bound_one), subject(other, bound_other)) {
        (Some(one), Some(other)) => one.local == other.local && one.path == other.path,
        _ => false,
    }
}

/// Statements that bind the variables of a pattern.
pub(super) fn bindings(bound: &Bound, span: Span) -> Vec<Statement> {
    let parts = bound.parts.iter();
    parts
        .map(|(local, part)| Statement::bind(*local, part.expr(span)))
        .collect()
}

/// A guard, which sees the variables of its pattern.
pub(super) fn with_bound(bound: &Bound, guard: Expr) -> Expr {
    if bound.parts.is_empty() {
        return guard;
    }
    let span = guard.span;
    let block = Block {
        statements: bindings(bound, span),
        tail: Some(Box::new(guard)),
        diverges: false,
    };
    Expr::new(ExprKind::Block(block, None), span)
}

fn compared(operator: Operator, subject: &Subject, value: Expr) -> Expr {
    let span = value.span;
    let subject = subject.expr(span);
    Expr::new(ExprKind::Binary(operator, Box::new(subject), Box::new(value)), span)
}

/// All of some tests, or any of them.
pub(super) fn joined(tests: Vec<Test>, all: bool) -> Test {
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
