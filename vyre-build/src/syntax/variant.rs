//! Variants with fields: their construction, and what patterns ask of them.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{ExprCall, ExprStruct, Member, Pat, Path};

use super::destructure::parts_with_rest;
use super::pattern::{Bound, Step, Subject, Test, joined};
use super::tree::{Expr, ExprKind};
use super::{Binding, Reader};
use crate::errors::Code;
use crate::resolve::names::plain;
use crate::types::Kind;
use crate::types::adt::{Case, ERR, NONE, OK, OPTION, RESULT, SOME};

/// What a path names: a variant, or one of a type that was refused.
pub(super) enum Named {
    Case(Case),
    Refused,
}

impl Reader<'_> {
    /// The variant of core's types, or of an enum with fields, that a path names.
    pub(super) fn case(&mut self, path: &Path) -> Option<Named> {
        let resolved = self.resolve(path);
        let path = resolved.as_ref().unwrap_or(path);
        if let Some(case) = self.core_case(path) {
            return Some(case);
        }
        let mut prefix = path.clone();
        let syn::PathSegment { ident: last, arguments } = prefix.segments.pop()?;
        prefix.segments.pop_punct();
        if let Some(before) = prefix.segments.last_mut().filter(|_| !arguments.is_none()) {
            // `Either::Left::<A, B>` says of the type what `Either::<A, B>::Left` does.
            before.arguments = arguments;
        }
        let is_type = |name: String| name.starts_with(char::is_uppercase);
        if !is_type(prefix.segments.last()?.ident.to_string()) || !is_type(last.to_string()) {
            return None;
        }
        let ty = self.defined(&prefix)?;
        if *self.tree.types.kind(ty) == Kind::Refused {
            return Some(Named::Refused);
        }
        let variant = self.tree.types.as_tagged(ty)?.variant(&last);
        let case = variant.and_then(|variant| self.tree.types.case(ty, variant));
        if case.is_none() {
            self.errors.leave_to_rustc();
        }
        Some(case.map_or(Named::Refused, Named::Case))
    }

    fn core_case(&mut self, path: &Path) -> Option<Named> {
        let mut names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let (ty, module, variant, known) = match names.pop()?.as_str() {
            "None" => ("Option", "option", NONE, "None"),
            "Some" => ("Option", "option", SOME, "Some"),
            "Ok" => ("Result", "result", OK, "Ok"),
            "Err" => ("Result", "result", ERR, "Err"),
            _ => return None,
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match names[..] {
            [] if self.lookup(&path.segments[0].ident).is_some() => return None,
            [] => {}
            [one] if one == ty => {}
            ["core" | "std", inner, one] if inner == module && one == ty => {}
            _ => return None,
        }
        if path.segments.iter().any(|segment| !segment.arguments.is_none()) {
            self.errors.refuse_all(
                Code::Expression,
                path,
                format_args!("`{known}` stands without types in a kernel"),
                "write the type where the value goes: `let x: Option<f32> = None;`",
            );
            return Some(Named::Refused);
        }
        // rustc checks that it is core's.
        self.note(path.to_token_stream(), known);
        if ty == "Option" {
            return Some(Named::Case(self.option_case(variant)));
        }
        let types = &mut self.tree.types;
        let (value, error) = (types.unknown(), types.unknown());
        let of = types.result(value, error);
        Some(Named::Case(Case {
            of,
            key: RESULT,
            variant,
        }))
    }

    /// A variant of an `Option` of what inference finds.
    pub(super) fn option_case(&mut self, variant: u32) -> Case {
        let types = &mut self.tree.types;
        let value = types.unknown();
        let of = types.option(value);
        Case {
            of,
            key: OPTION,
            variant,
        }
    }

    /// `None`, `Some(x)`.
    pub(super) fn in_option(&mut self, variant: u32, fields: Vec<(u32, Expr)>, span: Span) -> Expr {
        Expr::new(ExprKind::make(self.option_case(variant), fields), span)
    }

    /// The names of a variant's fields: numbers are those of a tuple.
    fn field_names(&self, case: Case) -> Vec<String> {
        let variant = self
            .tree
            .types
            .adt(case.of)
            .map(|of| &of.variants[case.variant as usize]);
        let fields = variant.map_or(&[][..], |variant| &variant.fields);
        fields.iter().map(|field| field.name.to_string()).collect()
    }

    /// `Some(x)`, `Shape::Circle(r)`: a variant of a tuple's form, or `None` where the path names none.
    pub(super) fn made_by_call(&mut self, path: &Path, call: &ExprCall, span: Span) -> Option<Expr> {
        let named = self.case(path)?;
        let values = self.fields(&call.args);
        let Named::Case(case) = named else {
            return Some(self.refused(span));
        };
        let names = self.field_names(case);
        if names.len() != values.len() || names.first().is_some_and(|first| first != "0") {
            return Some(self.left_to_rustc(span));
        }
        Some(Expr::new(ExprKind::make(case, (0..).zip(values).collect()), span))
    }

    /// `None`, `Shape::Empty`.
    pub(super) fn made_by_name(&mut self, path: &Path, span: Span) -> Option<Expr> {
        let Named::Case(case) = self.case(path)? else {
            return Some(self.refused(span));
        };
        Some(match self.field_names(case).is_empty() {
            true => Expr::new(ExprKind::make(case, Vec::new()), span),
            false => self.left_to_rustc(span),
        })
    }

    /// `Shape::Rect { w: 1.0, h }`.
    pub(super) fn made_by_fields(&mut self, literal: &ExprStruct, span: Span) -> Option<Expr> {
        let named = self.case(&literal.path)?;
        let mut fields = Vec::with_capacity(literal.fields.len());
        for given in &literal.fields {
            self.attributes(&given.attrs);
            fields.push((&given.member, self.expr(&given.expr)));
        }
        let Named::Case(case) = named else {
            return Some(self.refused(span));
        };
        let names = self.field_names(case);
        let numbered: Option<Vec<(u32, Expr)>> = fields
            .into_iter()
            .map(|(member, value)| Some((number_of(&names, member)?, value)))
            .collect();
        match numbered.filter(|fields| fields.len() == names.len() && literal.rest.is_none()) {
            Some(fields) => Some(Expr::new(ExprKind::make(case, fields), span)),
            None => Some(self.left_to_rustc(span)),
        }
    }

    /// What a pattern asks of a subject, if it names a variant with fields or of a type that has such.
    pub(super) fn test_case(&mut self, pattern: &Pat, subject: &Subject, bound: &mut Bound) -> Option<Test> {
        let (path, span) = match pattern {
            Pat::TupleStruct(pattern) => (&pattern.path, &pattern.path),
            Pat::Struct(pattern) => (&pattern.path, &pattern.path),
            Pat::Path(pattern) => (&pattern.path, &pattern.path),
            Pat::Ident(name) if name.ident == "None" && name.subpat.is_none() && name.by_ref.is_none() => {
                let path = name.ident.clone().into();
                return self.test_named(pattern, &path, name.ident.span(), subject, bound);
            }
            _ => return None,
        };
        let span = span.segments.first()?.ident.span();
        self.test_named(pattern, path, span, subject, bound)
    }

    fn test_named(
        &mut self,
        pattern: &Pat,
        path: &Path,
        span: Span,
        subject: &Subject,
        bound: &mut Bound,
    ) -> Option<Test> {
        let Named::Case(case) = self.case(path)? else {
            return Some(self.none_tested(pattern));
        };
        let names = self.field_names(case);
        let parts: Option<Vec<(u32, &Pat)>> = match pattern {
            Pat::TupleStruct(pattern) => parts_with_rest(pattern.elems.iter(), names.len()),
            Pat::Struct(pattern) => {
                let fields = pattern.fields.iter();
                fields.clone().for_each(|field| self.attributes(&field.attrs));
                let parts: Option<Vec<_>> = fields
                    .map(|field| Some((number_of(&names, &field.member)?, &*field.pat)))
                    .collect();
                parts.filter(|parts| parts.len() == names.len() || pattern.rest.is_some())
            }
            _ => Some(Vec::new()).filter(|_| names.is_empty()),
        };
        let Some(parts) = parts else {
            self.errors.leave_to_rustc();
            return Some(self.none_tested(pattern));
        };
        let is = ExprKind::Is(Box::new(subject.expr(span)), case);
        let mut tests = vec![Test::If(Expr::new(is, span))];
        for (number, part) in parts {
            tests.push(self.test(part, &subject.part(Step::Payload(case, number)), bound));
        }
        Some(joined(tests, true))
    }

    /// Whether a pattern in a `let` is that of a variant, which is refused; rustc refuses one of several.
    pub(super) fn is_refutable(&mut self, path: &Path, pattern: &Pat) -> bool {
        let Some(named) = self.case(path) else { return false };
        match named {
            Named::Case(case) if self.tree.types.adt(case.of).is_some_and(|of| of.variants.len() == 1) => {
                self.errors.refuse_all(
                    Code::Pattern,
                    pattern,
                    "a `let` of a kernel takes no variant apart",
                    "use `let .. else`, `match` or `if let`",
                )
            }
            Named::Case(_) => self.errors.leave_to_rustc(),
            Named::Refused => {}
        }
        true
    }

    /// Whether a name is one that the function itself binds.
    pub(super) fn is_own(&mut self, path: &Path) -> bool {
        let binding = path.get_ident().and_then(|name| self.lookup(name));
        !matches!(binding, None | Some(Binding::Path(_)))
    }
}

/// The number of a field.
fn number_of(names: &[String], member: &Member) -> Option<u32> {
    let name = match member {
        Member::Named(name) => plain(name),
        Member::Unnamed(index) => index.index.to_string(),
    };
    let number = names.iter().position(|known| *known == name);
    number.map(|number| number as u32)
}
