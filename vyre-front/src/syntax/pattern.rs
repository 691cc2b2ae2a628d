//! Patterns: the tests of a value, and the names bound to its parts.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr as Syntax, Fields, Ident, Item, Lit, Pat, PatIdent, PatOr, RangeLimits, Token};

use vyre_ir::ir::UnaryOp;

use super::iterator::local;
use super::long::{FEW, balanced};
use super::obligations::Obligation;
use super::res::{PatternName, value};
use super::tree::{Block, Bounds, Callable, Expr, ExprKind, MethodCall, Operator, Origin, Statement};
use super::variant::parts_with_rest;
use super::{Binding, Name, Reader};
use crate::errors::Code;
use crate::types::Ty;
use crate::types::adt::{Case, FROM_END, RESULT};

/// The subject of a pattern: a variable, or a part of one.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) local: usize,
    /// The fields and elements that lead to the part.
    pub(super) path: Vec<Step>,
    /// For a name of an or-pattern whose cases bind different parts: the variable that says which case matched, and the
    /// parts of the cases after the first.
    others: Option<(usize, Vec<Subject>)>,
}

#[derive(Clone)]
pub(super) enum Step {
    /// A field of a variant, or an element of an array or slice.
    Payload(Case, u32),
    /// The elements after the first ones and before so many at the end.
    Between(u32, u32),
    /// The referent of a reference.
    Referent,
    /// A reference to the part, `&mut` where true: of `ref`.
    Reference(bool),
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
    /// True if the variables have no values yet, so that none is another name of the subject.
    is_declared: bool,
}

impl Bound {
    /// Those of a pattern that always matches.
    pub(super) fn of_let(origin: Origin) -> Self {
        Bound {
            always: Some(origin),
            ..Bound::default()
        }
    }

    /// Those of a pattern without a value.
    pub(super) fn declared() -> Self {
        Bound {
            is_declared: true,
            ..Bound::of_let(Origin::Declared)
        }
    }

    /// True if the part that a name binds depends on which case matched.
    pub(super) fn chooses(&self) -> bool {
        self.parts.iter().any(|(_, part)| part.others.is_some())
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        match (self, other) {
            (Step::Referent, Step::Referent) => true,
            (Step::Reference(one), Step::Reference(other)) => one == other,
            // If one name binds both, `Ok` and `Err` have the same type, and so share a slot.
            (Step::Between(one, m), Step::Between(other, n)) => one == other && m == n,
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
            others: None,
        }
    }

    /// True if both are one part.
    fn is(&self, other: &Subject) -> bool {
        let is_one = self.others.is_none() && other.others.is_none();
        is_one && self.local == other.local && self.path == other.path
    }

    pub(super) fn part(&self, step: Step) -> Self {
        let mut part = self.clone();
        part.path.push(step);
        part
    }

    pub(super) fn expr(&self, span: Span) -> Expr {
        let Some((which, others)) = &self.others else {
            return self.first(span);
        };
        let parts = std::iter::once(self.first(span)).chain(others.iter().map(|other| other.expr(span)));
        let mut parts: Vec<Expr> = parts.collect();
        let last = parts.pop().unwrap_or_else(|| self.first(span));
        parts
            .into_iter()
            .enumerate()
            .rev()
            .fold(last, |otherwise, (number, part)| {
                let (which, number) = (local(*which, span), numbered(number, span));
                let condition = ExprKind::Binary(Operator::Eq, Box::new(which), Box::new(number));
                let then = part.into_block();
                let kind = ExprKind::If(Box::new(Expr::new(condition, span)), then, Some(Box::new(otherwise)));
                Expr::new(kind, span)
            })
    }

    /// The part of the first case.
    fn first(&self, span: Span) -> Expr {
        let whole = Expr::local(self.local, span);
        self.path.iter().enumerate().fold(whole, |base, (at, step)| {
            let base = Box::new(base);
            let kind = match step {
                Step::Payload(case, number) => ExprKind::Payload(base, *case, *number),
                Step::Referent => ExprKind::Deref(base),
                Step::Reference(mutable) => ExprKind::Borrow(base, *mutable),
                Step::Between(before, after) => {
                    let whole = Subject {
                        local: self.local,
                        path: self.path[..at].to_vec(),
                        others: None,
                    };
                    let whole = whole.first(span);
                    let length = Box::new(MethodCall::len(whole, span));
                    let (start, after) = (numbered(*before as usize, span), numbered(*after as usize, span));
                    let end = ExprKind::Binary(Operator::Sub, length, Box::new(after));
                    let ends = [start, Expr::new(end, span)].map(|end| Some(Box::new(end)));
                    ExprKind::Part(base, ends, Bounds::Within)
                }
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
                let Some(parts) = parts_with_rest(parts.elems.iter(), subjects.len()) else {
                    // rustc refuses more or fewer parts than there are.
                    self.errors.mismatch();
                    return self.none_tested(pattern);
                };
                let tests = parts.into_iter();
                let tests = tests.map(|(number, part)| self.test(part, &subjects[number as usize], bound));
                let tests: Vec<Test> = tests.collect();
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
            Pat::Reference(inner) if inner.mutability.is_none() => {
                self.test(&inner.pat, &subject.part(Step::Referent), bound)
            }
            Pat::Tuple(parts) => match rest_of(&parts.elems) {
                None => {
                    let types = parts.elems.iter().map(|_| self.tree.types.unknown()).collect();
                    let case = self.tree.types.tuple_case(types);
                    joined(self.test_parts(case, (0..).zip(&parts.elems), subject, bound), true)
                }
                Some(rest) => {
                    let case = self.tree.types.open_case();
                    joined(self.test_ends(case, &parts.elems, rest, subject, bound), true)
                }
            },
            Pat::Slice(parts) => {
                let element = self.tree.types.unknown();
                let span = parts.bracket_token.span.open();
                let count = parts.elems.len() as u64;
                let (case, parts) = match rest_of(&parts.elems) {
                    None => {
                        let case = self.tree.types.array_case(element, count);
                        (case, self.test_parts(case, (0..).zip(&parts.elems), subject, bound))
                    }
                    Some(rest) => {
                        let case = self.tree.types.least_case(element, count - 1);
                        (case, self.test_ends(case, &parts.elems, rest, subject, bound))
                    }
                };
                let is = Expr::call(Callable::Is(case), vec![subject.expr(span)], span);
                let mut tests = vec![Test::If(is)];
                tests.extend(parts);
                joined(tests, true)
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
            Pat::Or(or) => self.test_cases(or, subject, bound),
            Pat::Ident(name) => {
                let text = name.ident.to_string();
                let meaning = self.pattern_name(name);
                match &name.subpat {
                    None if bound.always.is_some() => {
                        self.name_part(name, subject, bound);
                        Test::Always
                    }
                    None if meaning == PatternName::Constant => {
                        let value = self.expr(&value(name.ident.clone().into()));
                        Test::If(self.equal(subject, value))
                    }
                    // Variables do not begin with a capital letter.
                    None if meaning == PatternName::Variant => {
                        self.errors.refuse(
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

    /// True of a name of a type that is no value, so that a variable may have it in a pattern.
    pub(super) fn is_type_alone(&self, name: &Ident) -> bool {
        match self.names.find_path(&name.clone().into()).map(|found| found.item) {
            Some(Item::Struct(item)) => matches!(item.fields, Fields::Named(_)),
            Some(Item::Enum(_) | Item::Type(_)) => true,
            _ => false,
        }
    }

    /// The tests of the parts before a `..` and after it.
    fn test_ends(
        &mut self,
        case: Case,
        parts: &Punctuated<Pat, Token![,]>,
        rest: usize,
        subject: &Subject,
        bound: &mut Bound,
    ) -> Vec<Test> {
        let after = parts.len() - rest - 1;
        let mut tests = Vec::with_capacity(parts.len());
        for (place, part) in parts.iter().enumerate() {
            let number = match place.cmp(&rest) {
                std::cmp::Ordering::Less => place as u32,
                std::cmp::Ordering::Greater => FROM_END + (parts.len() - 1 - place) as u32,
                std::cmp::Ordering::Equal => {
                    if let Pat::Ident(name) = part {
                        let step = Step::Between(rest as u32, after as u32);
                        self.name_part(name, &subject.part(step), bound);
                    }
                    continue;
                }
            };
            tests.push(self.test(part, &subject.part(Step::Payload(case, number)), bound));
        }
        tests
    }

    /// The test of an or-pattern. Its cases bind the same names, of one part or of different ones.
    fn test_cases(&mut self, or: &PatOr, subject: &Subject, bound: &mut Bound) -> Test {
        let names = self.scopes.len();
        let mut tests = Vec::with_capacity(or.cases.len());
        let mut cases = Vec::with_capacity(or.cases.len());
        for case in &or.cases {
            let start = bound.parts.len();
            tests.push(self.test(case, subject, bound));
            cases.push((self.scopes.split_off(names), bound.parts.split_off(start)));
        }
        // Names of a type that is still wanted, or of a case that was refused, bind nothing.
        let is_refused =
            |(brought, _): &(Vec<Name>, _)| brought.iter().any(|name| matches!(name.binding, Binding::Refused));
        if cases.iter().any(is_refused) {
            let (first, _) = cases.swap_remove(0);
            let refused = first.into_iter().map(|name| Name {
                binding: Binding::Refused,
                ..name
            });
            self.scopes.extend(refused);
            return Test::Always;
        }
        let (first, own) = cases.remove(0);
        let mut others = Vec::with_capacity(first.len());
        for name in &first {
            let same = cases.iter().map(|(brought, parts)| {
                let name = brought.iter().find(|known| known.text == name.text)?;
                part_of(name, parts)
            });
            match (same.collect::<Option<Vec<_>>>(), part_of(name, &own)) {
                (Some(same), Some(part)) if cases.iter().all(|(brought, _)| brought.len() == first.len()) => {
                    others.push((part, same));
                }
                _ => {
                    // rustc says which name a case lacks.
                    self.errors.mismatch();
                    self.scopes.extend(first);
                    return Test::Always;
                }
            }
        }
        let is_one = others
            .iter()
            .all(|(part, others)| others.iter().all(|other| other.is(part)));
        // The variables of names that have another one now.
        let unused = cases.iter().flat_map(|(_, parts)| parts);
        for &(local, _) in unused.chain(own.iter().filter(|_| !is_one)) {
            self.tree.locals[local].ty = Ty::UNIT;
        }
        if is_one {
            self.scopes.extend(first);
            bound.parts.extend(own);
            return joined(tests, false);
        }
        let span = or.cases.first().map_or_else(Span::call_site, Spanned::span);
        let which = self.hidden("which", span, Origin::Declared);
        self.tree.locals[which].mutable = true;
        self.tree.locals[which].ty = Ty::U32;
        for (mut name, (part, others)) in first.into_iter().zip(others) {
            if let Binding::Local(known) = name.binding {
                let known = &self.tree.locals[known];
                let (text, mutable) = (known.name.to_string(), known.mutable);
                let local = self.hidden("part", span, Origin::Declared);
                if text == name.text {
                    self.tree.locals[local].mutable = mutable;
                }
                let others = Some((which, others));
                bound.parts.push((local, Subject { others, ..part }));
                name.binding = Binding::Local(local);
            }
            self.scopes.push(name);
        }
        let mut whole: Option<Expr> = None;
        for (number, test) in tests.into_iter().enumerate() {
            let (test, is_last) = match test {
                Test::If(test) => (test, false),
                Test::Always => (Expr::new(ExprKind::Bool(true), span), true),
            };
            let note = match number {
                0 => Statement::bind(which, numbered(0, span)),
                _ => {
                    let assign = Expr::assign(local(which, span), numbered(number, span), span);
                    Statement::Expr(assign, true)
                }
            };
            let noted = Block::ending(vec![note], test);
            let noted = noted.into_expr(span);
            whole = Some(match whole {
                None => noted,
                Some(before) => Expr::logical(false, before, noted),
            });
            if is_last {
                break;
            }
        }
        whole.map_or(Test::Always, Test::If)
    }

    /// Names a subject: a variable that stays as it is has two names then.
    fn name_part(&mut self, name: &PatIdent, subject: &Subject, bound: &mut Bound) {
        let mutable = name.mutability.is_some();
        let subject = match name.by_ref {
            Some(_) => &subject.part(Step::Reference(mutable)),
            None => subject,
        };
        if subject.path.is_empty() && !mutable && !bound.is_declared {
            return self.bring(&name.ident, Binding::Local(subject.local));
        }
        let local = self.new_variable(name, bound.always.unwrap_or(Origin::Declared));
        bound.parts.push((local, subject.clone()));
    }

    /// True if a subject equals a value. A variant needs no `PartialEq`.
    fn equal(&self, subject: &Subject, value: Expr) -> Expr {
        let span = value.span;
        match value.kind {
            ExprKind::Make { of, .. } => Expr::call(Callable::Is(of), vec![subject.expr(span)], span),
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
            "a pattern has literals, ranges, constants, variants, names, `_`, and tuples, arrays, slices and structs of \
             these",
        );
        self.none_tested(pattern)
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
        Expr::unary(UnaryOp::Neg, positive, span)
    }

    /// A bound of a range of a pattern.
    fn bound(&mut self, bound: &Syntax) -> Expr {
        match bound {
            Syntax::Lit(literal) => self.pattern_literal(literal),
            other => self.expr(other),
        }
    }
}

/// Calls `found` for each name of a pattern. Each case of an or-pattern has the same.
pub(super) fn names(pattern: &Pat, found: &mut dyn FnMut(&PatIdent)) {
    match pattern {
        Pat::Ident(name) => {
            found(name);
            if let Some((_, inner)) = &name.subpat {
                names(inner, found);
            }
        }
        Pat::Or(or) => or.cases.iter().take(1).for_each(|case| names(case, found)),
        Pat::Tuple(tuple) => tuple.elems.iter().for_each(|e| names(e, found)),
        Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|e| names(e, found)),
        Pat::Slice(slice) => slice.elems.iter().for_each(|e| names(e, found)),
        Pat::Struct(fields) => fields.fields.iter().for_each(|field| names(&field.pat, found)),
        Pat::Reference(reference) => names(&reference.pat, found),
        Pat::Paren(inner) => names(&inner.pat, found),
        Pat::Type(typed) => names(&typed.pat, found),
        Pat::Guard(guarded) => names(&guarded.pat, found),
        _ => {}
    }
}

/// True for a pattern with `ref mut`, false for one with `ref` alone.
pub(super) fn refers<'p>(patterns: impl IntoIterator<Item = &'p Pat>) -> Option<bool> {
    let mut refers = None;
    for pattern in patterns {
        names(pattern, &mut |name| {
            if name.by_ref.is_some() {
                refers = Some(refers == Some(true) || name.mutability.is_some());
            }
        });
    }
    refers
}

/// The part that a name binds; `bound` has those with variables of their own.
fn part_of(name: &Name, bound: &[(usize, Subject)]) -> Option<Subject> {
    let Binding::Local(local) = name.binding else {
        return None;
    };
    let known = bound.iter().find(|(known, _)| *known == local);
    Some(known.map_or_else(|| Subject::of(local), |(_, subject)| subject.clone()))
}

/// The place of the `..` among patterns, or of the name of what it stands for.
fn rest_of(parts: &Punctuated<Pat, Token![,]>) -> Option<usize> {
    parts.iter().position(|part| match part {
        Pat::Rest(_) => true,
        Pat::Ident(name) => matches!(&name.subpat, Some((_, inner)) if matches!(**inner, Pat::Rest(_))),
        _ => false,
    })
}

fn numbered(number: usize, span: Span) -> Expr {
    Expr::new(ExprKind::Integer(number as u128, None), span)
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
    Block::ending(bindings(bound, span), guard).into_expr(span)
}

fn compared(operator: Operator, subject: &Subject, value: Expr) -> Expr {
    let span = value.span;
    let subject = subject.expr(span);
    Expr::binary(operator, subject, value, span)
}

/// All of some tests, or any of them.
pub(super) fn joined(tests: Vec<Test>, all: bool) -> Test {
    let mut conditions = Vec::with_capacity(tests.len());
    for test in tests {
        match test {
            Test::If(test) => conditions.push(test),
            Test::Always if all => {}
            Test::Always => return Test::Always,
        }
    }
    let conditions = conditions.into_iter();
    if conditions.len() > FEW {
        return Test::If(balanced(conditions.collect(), all));
    }
    let joined = conditions.reduce(|before, test| Expr::logical(all, before, test));
    joined.map_or(Test::Always, Test::If)
}
