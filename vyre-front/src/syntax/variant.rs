//! Values of structs and of variants with fields: construction and destructuring.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{ExprCall, ExprStruct, Item, Member, Pat, PatIdent, PatStruct, PatTupleStruct, Path, PathArguments};

use super::outer_item::Outside;
use super::pattern::{Bound, Subject, Test, joined};
use super::res::{Res, spelled};
use super::tree::{Callable, Expr, ExprKind};
use super::{Binding, Reader, Syntax, may_be_type};
use crate::editor;
use crate::errors::Code;
use crate::resolve::names::plain;
use crate::resolve::source_scan::Surroundings;
use crate::resolve::spelling::{is_capitalized, is_upper};
use crate::types::adt::{Case, EQUAL, ERR, GREATER, LESS, NONE, OK, OPTION, ORDERING, RESULT, SOME};
use crate::types::{Kind, Ty};

/// The meaning of a path: a variant, a struct as its only variant, or one of a type that was refused.
pub(super) enum Named {
    Case(Case),
    Refused,
}

/// The variants of core's `Ordering`.
const ORDERINGS: [(&str, u32); 3] = [("Less", LESS), ("Equal", EQUAL), ("Greater", GREATER)];

impl Reader<'_> {
    /// The variant of core's types, or of an enum with fields, that a path names.
    pub(super) fn case(&mut self, path: &Path) -> Option<Named> {
        let resolved = self.imported(path);
        let path = resolved.as_ref().unwrap_or(path);
        if let Some(case) = self.core_case(path) {
            return Some(case);
        }
        if self.is_awaited(path) || self.is_imported_variant(path) {
            return Some(Named::Refused);
        }
        let mut prefix = path.clone();
        let syn::PathSegment { ident: last, arguments } = prefix.segments.pop()?;
        prefix.segments.pop_punct();
        if let Some(before) = prefix.segments.last_mut().filter(|_| !arguments.is_none()) {
            // `Either::Left::<A, B>` says of the type what `Either::<A, B>::Left` does.
            before.arguments = arguments;
        }
        if !is_capitalized(&plain(&last)) || !self.names_type(&prefix) {
            return None;
        }
        let Some(ty) = self.as_type(|reader| reader.defined(&prefix)) else {
            return self.renamed_ordering(path, &prefix);
        };
        if *self.tree.types.kind(ty) == Kind::Refused {
            return Some(Named::Refused);
        }
        let variant = self.tree.types.as_tagged(ty)?.variant(&last);
        let case = variant.and_then(|variant| self.tree.types.case(ty, variant));
        if case.is_none() {
            self.errors.mismatch();
        }
        Some(case.map_or(Named::Refused, Named::Case))
    }

    /// True of a name that an enum still wanted may bring.
    fn is_awaited(&mut self, path: &Path) -> bool {
        let name = path.get_ident().filter(|_| self.awaits_variants).cloned();
        name.is_some_and(|name| matches!(self.lookup(&name), Some(Binding::Refused)))
    }

    /// Refuses a variant that an import outside of the function brings: vyre sees imports inside alone.
    fn is_imported_variant(&mut self, path: &Path) -> bool {
        let Some(name) = path.get_ident().map(plain) else {
            return false;
        };
        let is_mixed = is_capitalized(&name) && !is_upper(&name);
        let known = path.get_ident().and_then(|name| self.lookup(name));
        if !is_mixed
            || !matches!(known, None | Some(Binding::Refused))
            || self.is_elsewhere
            || matches!(self.leads_to(path), Outside::Found(..))
        {
            return false;
        }
        let Some(whole) = self.file().and_then(|file| file.path_of_variant(&name)) else {
            return false;
        };
        // One import brings the others too.
        if !self.errors.has(Code::Pattern) {
            let fault = "vyre does not see a variant that an import outside of the function brings";
            let help = format!("write `{whole}`, or move the import into the function");
            self.errors.refuse_all(Code::Pattern, path, fault, help);
        }
        true
    }

    /// The variant of core's `Ordering` by a name that an import gives it, `O::Less`: rustc confirms it. Another enum of
    /// that name lacks its mark.
    fn renamed_ordering(&mut self, path: &Path, of: &Path) -> Option<Named> {
        let last = path.segments.last()?;
        let variant = ORDERINGS.iter().find(|(name, _)| last.ident == name)?;
        let is_ordering = match self.leads_to(of) {
            Outside::Missing => true,
            Outside::Unmarked => self.is_imported_as("Ordering", of),
            _ => false,
        };
        if !is_ordering || !last.arguments.is_none() {
            return None;
        }
        if !self.is_elsewhere {
            self.note(path.to_token_stream(), variant.0);
        }
        let (of, key) = (self.tree.types.ordering(), ORDERING);
        let variant = variant.1;
        Some(Named::Case(Case { of, key, variant }))
    }

    /// True if an import in the file may bring a variant of core's `Ordering`: rustc confirms it. An editor does not know
    /// the file.
    fn is_ordering_imported(&self, variant: &str) -> bool {
        let own = Ident::new("Ordering", Span::call_site()).into();
        if matches!(self.leads_to(&own), Outside::Found(..)) {
            return false;
        }
        editor::is_here()
            || self
                .file()
                .is_some_and(|file| file.imports_variant("Ordering", variant))
    }

    /// True if an import in the file brings something of this name under that of a path. An editor does not know the file.
    fn is_imported_as(&self, name: &str, path: &Path) -> bool {
        let (Some(alias), Some(item)) = (path.segments.last().map(|last| &last.ident), &self.item) else {
            return false;
        };
        editor::is_here() || Surroundings::of(item).is_some_and(|around| around.renames(name, &plain(alias)))
    }

    /// A type as the struct that it must be; `None` of no type that vyre sees.
    fn struct_case(&mut self, ty: Option<Ty>) -> Option<Named> {
        let ty = ty?;
        if self.tree.types.as_struct(ty).is_some() {
            return self.tree.types.case(ty, 0).map(Named::Case);
        }
        if *self.tree.types.kind(ty) != Kind::Refused {
            self.errors.mismatch();
        }
        Some(Named::Refused)
    }

    /// The variant or struct that a path names.
    fn constructor(&mut self, path: &Path) -> Option<Named> {
        self.case(path).or_else(|| {
            let ty = self.defined(path);
            self.struct_case(ty)
        })
    }

    /// As `constructor`, of a path that can be nothing else; refuses it if it is not one.
    fn expect_constructor(&mut self, path: &Path) -> Named {
        let named = self.case(path).or_else(|| {
            let ty = self.defined_type(path);
            self.struct_case(ty)
        });
        named.unwrap_or_else(|| {
            self.unknown_type(path);
            Named::Refused
        })
    }

    fn core_case(&mut self, path: &Path) -> Option<Named> {
        let mut names = spelled(path);
        let (ty, module, variant, known) = match names.pop()?.as_str() {
            "None" => ("Option", "option", NONE, "None"),
            "Some" => ("Option", "option", SOME, "Some"),
            "Ok" => ("Result", "result", OK, "Ok"),
            "Err" => ("Result", "result", ERR, "Err"),
            "Less" => ("Ordering", "cmp", LESS, "Less"),
            "Equal" => ("Ordering", "cmp", EQUAL, "Equal"),
            "Greater" => ("Ordering", "cmp", GREATER, "Greater"),
            _ => return None,
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match names[..] {
            [] if self.lookup(&path.segments[0].ident).is_some() => return None,
            // `Some` and `Ok` are everywhere, and `Less` where an import brings it.
            [] if ty == "Ordering" && !self.is_ordering_imported(known) => return None,
            [] => {}
            [one] if one == ty => {
                // An enum of the user's may have the name.
                if ty == "Ordering" && self.is_type_in_sight(path) {
                    return None;
                }
            }
            ["core" | "std", inner, one] if inner == module && one == ty => {}
            ["core" | "std", ..] => return None,
            // A module may have another name, or bring the type: rustc confirms that it is core's.
            [.., of, one] if one == ty && !self.is_type_in_sight(path) && self.may_be_of_core(module, of, ty) => {}
            _ => return None,
        }
        // rustc checks that it is core's, where the path is written: functions of the library see no names of the caller.
        if !self.is_elsewhere {
            self.note_bare(path, known);
        }
        let arity = match ty {
            "Ordering" => 0,
            "Option" => 1,
            _ => 2,
        };
        // `None::<f32>` says what `Option::<f32>::None` does.
        let arguments = path.segments.iter().map(|segment| &segment.arguments);
        let arguments: Vec<&PathArguments> = arguments.filter(|it| !it.is_none()).collect();
        let types: Vec<Ty> = match arguments[..] {
            [] => (0..arity).map(|_| self.tree.types.unknown()).collect(),
            [PathArguments::AngleBracketed(written)] => written.args.iter().map(|it| self.written(it)).collect(),
            _ => Vec::new(),
        };
        if types.len() != arity {
            self.errors.mismatch();
            return Some(Named::Refused);
        }
        let (of, key) = match types[..] {
            [value] => (self.tree.types.option(value), OPTION),
            [value, error] => (self.tree.types.result(value, error), RESULT),
            _ => (self.tree.types.ordering(), ORDERING),
        };
        Some(Named::Case(Case { of, key, variant }))
    }

    /// True if a path through the module `of` may lead to the type of core's `module`: to none that the file defines.
    fn may_be_of_core(&self, module: &str, of: &str, ty: &str) -> bool {
        let is_core = |file: Surroundings| of == module || file.renames(module, of) || !file.defines("enum", ty);
        self.file().is_none_or(is_core)
    }

    /// True if the type before the last name of a path is one that vyre sees.
    fn is_type_in_sight(&self, variant: &Path) -> bool {
        let mut prefix = variant.clone();
        prefix.segments.pop();
        prefix.segments.pop_punct();
        matches!(self.leads_to(&prefix), Outside::Found(..))
    }

    /// A variant of an `Option` of what inference finds.
    pub(super) fn option_case(&mut self, variant: u32) -> Case {
        let types = &mut self.tree.types;
        let value = types.unknown();
        let of = types.option(value);
        let key = OPTION;
        Case { of, key, variant }
    }

    /// `None`, `Some(x)`.
    pub(super) fn in_option(&mut self, variant: u32, fields: Vec<(u32, Expr)>, span: Span) -> Expr {
        Expr::new(ExprKind::make(self.option_case(variant), fields), span)
    }

    /// `(a, b)`.
    pub(super) fn tuple(&mut self, parts: Vec<Expr>) -> ExprKind {
        // Each field has a value, whose type it takes, also where that is never yielded.
        let types = parts.iter().map(|_| self.tree.types.never()).collect();
        let case = self.tree.types.tuple_case(types);
        ExprKind::make(case, (0..).zip(parts).collect())
    }

    /// The number of parts, where an expression is a tuple that is written out.
    pub(super) fn tuple_parts(&self, value: &Expr) -> Option<usize> {
        match &value.kind {
            ExprKind::Make { of, fields, .. } if self.tree.types.is_tuple(of.of) => Some(fields.len()),
            _ => None,
        }
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

    /// The struct or variant that a path names as a function that is called or as a value.
    pub(super) fn of_constructor(&mut self, path: &Path, called: bool) -> Option<Res> {
        let named = match called {
            true => self.constructor(path),
            false => match self.phantom(path).or_else(|| self.case(path)) {
                None => self.unit_struct(path),
                named => named,
            },
        };
        named.map(Res::Constructor).or_else(|| self.variant(path))
    }

    /// `Some(x)`, `Shape::Circle(r)`, `Meters(3.0)`.
    pub(super) fn made_by_call(&mut self, named: Named, path: &Path, call: &ExprCall, span: Span) -> Expr {
        let values = self.exprs(&call.args);
        let Named::Case(case) = named else {
            return self.refused(span);
        };
        let names = self.field_names(case);
        let is_named = |first: &String| !first.starts_with(|c: char| c.is_ascii_digit());
        if names.first().is_some_and(is_named) {
            let shown = spelled(path).pop().unwrap_or_default();
            self.errors.refuse_all(
                Code::UnknownFunction,
                path,
                format_args!("`{shown}` has named fields, and is not called"),
                format_args!(
                    "write `{shown} {{ {}: .. }}`, or its `new(..)` if it has one",
                    names.join(": .., ")
                ),
            );
            return self.refused(span);
        }
        if names.len() != values.len() || names.first().is_some_and(|first| first != "0") {
            return self.left_to_rustc(span);
        }
        Expr::new(ExprKind::make(case, (0..).zip(values).collect()), span)
    }

    /// `None`, `Shape::Empty`.
    pub(super) fn made_by_name(&mut self, named: Named, span: Span) -> Expr {
        match named {
            Named::Refused => self.refused(span),
            Named::Case(case) if self.field_names(case).is_empty() => Expr::new(ExprKind::make(case, Vec::new()), span),
            Named::Case(_) => self.left_to_rustc(span),
        }
    }

    /// `PhantomData`, `PhantomData::<T>`.
    fn phantom(&mut self, path: &Path) -> Option<Named> {
        let last = path.segments.last().filter(|last| last.ident == "PhantomData")?;
        if matches!(self.leads_to(path), Outside::Found(..)) {
            return None;
        }
        let ty = match &last.arguments {
            PathArguments::None => {
                let of = self.tree.types.unknown();
                self.tree.types.phantom(of)
            }
            // The type of the same path.
            _ => {
                let (attrs, qself, path) = (Vec::new(), None, path.clone());
                self.as_type(|reader| reader.ty(&syn::Type::Path(syn::TypePath { attrs, qself, path })))
            }
        };
        self.tree.types.case(ty, 0).map(Named::Case)
    }

    /// The struct without fields that a path names, `Marker`. A name in capitals alone is probably that of a constant, so
    /// what is elsewhere is asked for as one.
    fn unit_struct(&mut self, path: &Path) -> Option<Named> {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let name = names.next().filter(|name| is_capitalized(name))?;
        if names.next().is_some_and(|before| is_capitalized(&before)) {
            return None;
        }
        match self.leads_to(path) {
            Outside::Found(item, ..) if matches!(&*item, Item::Struct(item) if item.fields.is_empty()) => {
                let ty = self.defined(path);
                self.struct_case(ty)
            }
            Outside::Elsewhere if !is_upper(&name) && may_be_type(path) => {
                self.want(path);
                Some(Named::Refused)
            }
            _ => None,
        }
    }

    /// The struct without fields that a name alone is in a pattern. It may as well be a variant, of which only a kernel can
    /// ask what it is.
    fn named_unit_struct(&mut self, path: &Path) -> Option<Named> {
        let Some(name) = path.get_ident() else {
            return self.unit_struct(path);
        };
        // One that waits for the item has refused the name so far.
        let is_own = !matches!(self.lookup(name), None | Some(Binding::Path(_) | Binding::Refused));
        if !is_capitalized(&name.to_string()) || is_own {
            return None;
        }
        if self.is_awaited(path) || self.is_imported_variant(path) {
            return Some(Named::Refused);
        }
        if !self.tree.is_kernel || self.is_elsewhere {
            let is_known = match self.leads_to(path) {
                Outside::Found(..) => true,
                // The signature asks for it, or it stands beside.
                Outside::Elsewhere => {
                    self.tree.wanted.iter().any(|it| it.is_ident(name)) || self.is_struct_beside(name)
                }
                _ => false,
            };
            return is_known.then(|| self.unit_struct(path)).flatten();
        }
        // Where there is no such name, a placeholder takes its place.
        let resolved = self.imported(path);
        self.unit_struct(resolved.as_ref().unwrap_or(path))
    }

    /// True if a name alone in a pattern is surely that of a struct without fields, or is asked what it is.
    pub(super) fn is_unit_struct(&mut self, name: &PatIdent) -> bool {
        is_plain(name) && self.named_unit_struct(&name.ident.clone().into()).is_some()
    }

    fn is_struct_beside(&self, name: &Ident) -> bool {
        !self.is_elsewhere
            && self
                .file()
                .is_some_and(|file| file.item(&["struct"], &plain(name)).is_some())
    }

    /// `Point { x: 1.0, ..origin }`, `Shape::Rect { w: 1.0, h }`.
    pub(super) fn struct_expr(&mut self, literal: &ExprStruct, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let named = self.as_type(|reader| reader.expect_constructor(&literal.path));
        let mut given = Vec::with_capacity(literal.fields.len());
        for field in &literal.fields {
            self.attributes(&field.attrs);
            given.push((&field.member, self.expr(&field.expr)));
        }
        let base = literal.rest.as_ref().map(|rest| self.boxed(rest));
        let Named::Case(of) = named else {
            return self.refused(span);
        };
        let names = self.field_names(of);
        let mut fields: Vec<(u32, Expr)> = Vec::with_capacity(given.len());
        for (member, value) in given {
            match number_of(&names, member) {
                Some(number) if fields.iter().all(|(known, _)| *known != number) => fields.push((number, value)),
                _ => return self.left_to_rustc(span),
            }
        }
        let is_whole = match base {
            Some(_) => self.tree.types.as_struct(of.of).is_some(),
            None => fields.len() == names.len(),
        };
        match is_whole {
            true => Expr::new(ExprKind::Make { of, fields, base }, span),
            false => self.left_to_rustc(span),
        }
    }

    /// The test of a pattern that names a struct, or a variant of a type that has some with fields.
    pub(super) fn test_case(&mut self, pattern: &Pat, subject: &Subject, bound: &mut Bound) -> Option<Test> {
        let alone;
        let (path, named) = match pattern {
            Pat::TupleStruct(PatTupleStruct { path, .. }) => (path, self.expect_constructor(path)),
            Pat::Struct(PatStruct { path, .. }) => (path, self.as_type(|reader| reader.expect_constructor(path))),
            Pat::Path(pattern) => {
                let named = self.case(&pattern.path);
                let named = named.or_else(|| self.named_unit_struct(&pattern.path));
                (&pattern.path, named?)
            }
            Pat::Ident(name) if is_plain(name) => {
                alone = name.ident.clone().into();
                let named = match is_name_of_case(name) {
                    true => self.case(&alone)?,
                    false => self.named_unit_struct(&alone)?,
                };
                (&alone, named)
            }
            _ => return None,
        };
        let span = path.segments.first()?.ident.span();
        let Named::Case(case) = named else {
            return Some(self.none_tested(pattern));
        };
        let Some(parts) = self.parts_of(case, pattern) else {
            return Some(self.none_tested(pattern));
        };
        let mut tests = Vec::with_capacity(1 + parts.len());
        if self.tree.types.adt(case.of).is_some_and(|of| of.variants.len() > 1) {
            let is = Expr::call(Callable::Is(case), vec![subject.expr(span)], span);
            tests.push(Test::If(is));
        }
        tests.extend(self.test_parts(case, parts, subject, bound));
        Some(joined(tests, true))
    }

    /// The fields destructured by a pattern, by index; left to rustc if they do not exist.
    fn parts_of<'p>(&mut self, case: Case, pattern: &'p Pat) -> Option<Vec<(u32, &'p Pat)>> {
        let names = self.field_names(case);
        let parts: Option<Vec<(u32, &Pat)>> = match pattern {
            Pat::TupleStruct(pattern) => parts_with_rest(pattern.elems.iter(), names.len())
                .filter(|_| names.first().is_none_or(|first| first == "0")),
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
        if parts.is_none() {
            self.errors.mismatch();
        }
        parts
    }

    /// True if a name is one that the function itself binds.
    pub(super) fn is_own(&mut self, path: &Path) -> bool {
        let binding = path.get_ident().and_then(|name| self.lookup(name));
        !matches!(binding, None | Some(Binding::Path(_)))
    }
}

/// True of a name that may be that of a variant of core's: `None`, `Less`.
fn is_name_of_case(name: &PatIdent) -> bool {
    name.ident == "None" || ORDERINGS.iter().any(|(variant, _)| name.ident == variant)
}

fn is_plain(name: &PatIdent) -> bool {
    name.subpat.is_none() && name.by_ref.is_none() && name.mutability.is_none()
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

/// The parts of a tuple of `count` fields, by index; `..` covers those in its place. `None` if
/// there are too many or too few.
pub(super) fn parts_with_rest<'p>(parts: impl Iterator<Item = &'p Pat>, count: usize) -> Option<Vec<(u32, &'p Pat)>> {
    let parts: Vec<&Pat> = parts.collect();
    let rest = parts.iter().position(|part| matches!(part, Pat::Rest(_)));
    let (before, after) = match rest {
        None => (&parts[..], &[][..]),
        Some(at) => (&parts[..at], &parts[at + 1..]),
    };
    let given = before.len() + after.len();
    if given > count || rest.is_none() && given < count {
        return None;
    }
    let numbers = (0..before.len()).chain(count - after.len()..count);
    Some(
        numbers
            .map(|number| number as u32)
            .zip(before.iter().chain(after).copied())
            .collect(),
    )
}
