//! Patterns that match every value: those of `let`, `for` and closures.

use proc_macro2::Span;
use syn::{Pat, PatIdent};

use super::pattern::{Bound, Step, Subject, Test, bindings, names, refers};
use super::tree::{Expr, ExprKind, Origin, Statement};
use super::variant::parts_with_rest;
use super::{Binding, Reader};
use crate::errors::Code;
use crate::types::adt::{LEAST, from_begin};
use crate::types::{Kind, Ty};

impl Reader<'_> {
    /// `let pattern: annotation = value;`, whose pattern may refer to the place that is the value.
    pub(super) fn bind_place(
        &mut self,
        pattern: &Pat,
        annotation: Option<Ty>,
        place: Expr,
        origin: Origin,
        to: &mut Vec<Statement>,
    ) {
        self.bind_either(pattern, annotation, (place, true), origin, to);
    }

    /// The same for a value: `ref` in the pattern refers to a copy.
    pub(super) fn bind_pattern(
        &mut self,
        pattern: &Pat,
        annotation: Option<Ty>,
        value: Expr,
        origin: Origin,
        to: &mut Vec<Statement>,
    ) {
        self.bind_either(pattern, annotation, (value, false), origin, to);
    }

    /// Binds a value, or a place if that is true. A tuple is bound part by part, so these may be references; other values
    /// with parts are held by a hidden variable.
    fn bind_either(
        &mut self,
        pattern: &Pat,
        annotation: Option<Ty>,
        (value, is_place): (Expr, bool),
        origin: Origin,
        to: &mut Vec<Statement>,
    ) {
        let local = match pattern {
            Pat::Paren(inner) => return self.bind_either(&inner.pat, annotation, (value, is_place), origin, to),
            Pat::Reference(inner) if inner.mutability.is_none() => {
                let annotation = annotation.map(|ty| match *self.tree.types.kind(ty) {
                    Kind::Reference(referent, _) => referent,
                    _ => ty,
                });
                let span = value.span;
                let referent = Expr::new(ExprKind::Deref(Box::new(value)), span);
                return self.bind_either(&inner.pat, annotation, (referent, true), origin, to);
            }
            Pat::Tuple(parts)
                if self
                    .tuple_parts(&value)
                    .is_some_and(|count| parts_with_rest(parts.elems.iter(), count).is_some()) =>
            {
                let types = annotation.and_then(|ty| self.tree.types.fields(ty)).unwrap_or_default();
                let values = value.into_fields();
                let named = parts_with_rest(parts.elems.iter(), values.len()).unwrap_or_default();
                for (number, value) in values {
                    let part = named.iter().find(|(known, _)| *known == number);
                    let annotation = types.get(number as usize).copied();
                    match part {
                        Some((_, part)) => self.bind_pattern(part, annotation, value, origin, to),
                        None => to.push(Statement::let_(None, annotation, Some(value))),
                    }
                }
                return;
            }
            Pat::Wild(_) => None,
            Pat::Ident(name) if is_name(name) && !self.is_unit_struct(name) => Some(self.new_variable(name, origin)),
            _ => return self.bind_parts(pattern, annotation, (value, is_place), origin, to),
        };
        to.push(Statement::let_(local, annotation, Some(value)));
    }

    /// The same, for a pattern of parts.
    fn bind_parts(
        &mut self,
        pattern: &Pat,
        annotation: Option<Ty>,
        (value, is_place): (Expr, bool),
        origin: Origin,
        to: &mut Vec<Statement>,
    ) {
        let span = value.span;
        let refers = refers([pattern]);
        let (value, subject) = match is_place {
            true => self.scrutinee(value, refers),
            false => self.copied(value, refers),
        };
        let annotation = self.matched_type(annotation, &value, &subject);
        to.push(Statement::let_(Some(subject.local), annotation, Some(value)));
        let mut bound = Bound::of_let(origin);
        // It matches every value, or rustc refuses it; but it may find out which case of several does.
        if let Test::If(test) = self.test(pattern, &subject, &mut bound) {
            to.push(Statement::Expr(test, true));
        }
        to.extend(bindings(&bound, span));
    }

    /// `let pattern: annotation;`, whose variables are assigned later.
    pub(super) fn declare_pattern(&mut self, pattern: &Pat, annotation: Option<Ty>, to: &mut Vec<Statement>) {
        let mut declare = |local, annotation| to.push(Statement::let_(Some(local), annotation, None));
        match pattern {
            Pat::Wild(_) => return,
            Pat::Ident(name) if is_name(name) => return declare(self.new_variable(name, Origin::Declared), annotation),
            _ => {}
        }
        let subject = self.hidden("matched", Span::call_site(), Origin::Matched);
        let mut bound = Bound::declared();
        self.test(pattern, &Subject::of(subject), &mut bound);
        let has = |is: fn(&Step) -> bool| bound.parts.iter().any(|(_, part)| part.path.iter().any(is));
        let has_rest = has(|step| matches!(step, Step::Payload(case, _) if case.key == LEAST));
        let has_others = has(|step| !matches!(step, Step::Payload(..)));
        let types = &mut self.tree.types;
        let whole = self.tree.locals[subject].ty;
        let mut agrees = annotation.is_none_or(|ty| types.unify(ty, whole));
        for (local, part) in bound.parts {
            let mut ty = whole;
            for step in &part.path {
                let Step::Payload(case, number) = *step else { continue };
                agrees &= types.unify(ty, case.of);
                let fields = types.fields_of(case);
                ty = match fields.get(from_begin(number, fields.len() as u32) as usize) {
                    Some(&field) => field,
                    None => types.unknown(),
                };
            }
            declare(local, Some(ty));
        }
        if has_others || has_rest && !agrees {
            self.errors.refuse_all(
                Code::Pattern,
                pattern,
                "a pattern without a value has names and `_`, and tuples, arrays and structs of these",
                "declare each variable by itself: `let a;`",
            );
        } else if !agrees {
            self.errors.mismatch();
        }
    }

    /// The variable of a name in a pattern.
    pub(super) fn new_variable(&mut self, name: &PatIdent, origin: Origin) -> usize {
        if let Some(Binding::Constant(_)) = self.lookup(&name.ident) {
            self.errors.refuse(
                Code::ShadowedConstant,
                name.ident.span(),
                format_args!("`{}` is a constant, so this does not bind a variable", name.ident),
                "choose another name",
            );
        }
        let ty = self.tree.types.unknown();
        self.local(
            &name.ident,
            ty,
            name.mutability.is_some() && name.by_ref.is_none(),
            origin,
        )
    }

    /// Brings the names of a refused pattern into scope, so that their uses are not faults too.
    pub(super) fn refuse_names(&mut self, pattern: &Pat) {
        names(pattern, &mut |name| self.bring(&name.ident, Binding::Refused));
    }
}

/// True if a pattern is a name alone.
pub(super) fn is_name(name: &PatIdent) -> bool {
    name.by_ref.is_none() && name.subpat.is_none()
}
