//! Functions and constants of types by their paths: `Vec3::new(..)`, `T::ZERO`, `Shape::area(&s)`.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{ExprCall, ExprPath, Item, ItemConst, Path, PathArguments, TraitItem, Type};

use super::Reader;
use super::assoc_items::{Candidate, Trait};
use super::device_function::Called;
use super::generic_function::Generic;
use super::obligations::{Obligation, TraitFunction};
use super::outer_item::Outside;
use super::res::spelled;
use super::tree::{Argument, Constant, Expr, ExprKind, MethodCall};
use crate::errors::{Code, Errors};
use crate::resolve::attributes;
use crate::resolve::impls::as_function;
use crate::resolve::names::{Names, plain};
use crate::surface::Primitive;
use crate::syntax::missing;
use crate::types::adt::Form;
use crate::types::{Kind, Ty};

/// `<Vec3>::new` as `Vec3::new`: what is no path through a trait.
pub(super) fn without_brackets(path: &ExprPath) -> Option<ExprPath> {
    let qself = path.qself.as_ref().filter(|qself| qself.as_token.is_none())?;
    let Type::Path(ty) = &*qself.ty else { return None };
    let mut whole = ty.path.clone();
    for segment in &mut whole.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token = Some(Default::default());
        }
    }
    whole.segments.extend(path.path.segments.iter().cloned());
    Some(ExprPath {
        qself: ty.qself.clone(),
        path: whole,
        ..path.clone()
    })
}

/// The item of a type or trait that a path names.
pub(super) enum Associated {
    /// An item of the type; true if that is known only by its trait bounds.
    Item(Ty, bool, Box<Candidate>),
    /// An item of a trait, and whether it is called on a value.
    Trait(Trait, Names, bool),
    /// An item that the type lacks, as far as vyre sees.
    Missing(Ty),
    Refused,
}

/// The qualifier of a path, before its last `::`.
enum Prefix {
    /// A type; true if it is known only by its trait bounds.
    Type(Ty, bool),
    /// And whether the function is called on a value.
    Trait(Trait, Names, bool),
    /// Something that was refused, or that must come here first.
    Refused,
    None,
}

/// A path before its last name, and that.
pub(super) fn split(path: &Path) -> Option<(Path, Ident)> {
    let mut before = path.clone();
    let last = before.segments.pop()?.ident;
    before.segments.pop_punct();
    Some((before, last))
}

impl Reader<'_> {
    /// The associated item that a path names, if it does. A primitive type has those of its own that `is_own` knows,
    /// which Rust prefers.
    pub(super) fn associated(&mut self, path: &ExprPath, is_own: fn(Primitive, &str) -> bool) -> Option<Associated> {
        let (before, name) = split(&path.path)?;
        let prefix = match &path.qself {
            Some(qself) => self.qualified(qself, &before),
            None => self.prefix(&before, &name),
        };
        let (of, by_bounds) = match prefix {
            Prefix::None => return None,
            Prefix::Refused => return Some(Associated::Refused),
            Prefix::Trait(by, names, on_value) => return Some(Associated::Trait(by, names, on_value)),
            Prefix::Type(ty, by_bounds) => (ty, by_bounds),
        };
        let is_qualified = path.qself.is_some();
        if *self.tree.types.kind(of) == Kind::Refused {
            // For a parameter only instances determine more.
            return is_qualified.then_some(Associated::Refused);
        }
        let primitive = self.tree.types.as_primitive(of).filter(|_| !by_bounds && !is_qualified);
        if self.is_variant(of, &name) || primitive.is_some_and(|primitive| is_own(primitive, &name.to_string())) {
            return None;
        }
        let candidate = match is_qualified {
            true => self.of_trait(of, &before, &name),
            false => self.only(of, by_bounds, &name),
        };
        match candidate {
            Some(Ok(candidate)) => Some(Associated::Item(of, by_bounds, Box::new(candidate))),
            Some(Err(())) => Some(Associated::Refused),
            None if self.tree.types.home(of).is_some_and(Names::is_device_mod) => Some(Associated::Missing(of)),
            None => None,
        }
    }

    /// The type or trait before the last name of a path.
    fn prefix(&mut self, before: &Path, name: &Ident) -> Prefix {
        let Some(segment) = before.segments.last() else {
            return Prefix::None;
        };
        if let (1, Some(Generic::Type(ty))) = (before.segments.len(), self.generic(before)) {
            return Prefix::Type(ty, true);
        }
        if let Some(primitive) = Primitive::from_name(&segment.ident.to_string()) {
            return Prefix::Type(Ty::primitive(primitive), false);
        }
        if let Outside::Found(item, names, key) = self.leads_to(before)
            && let Item::Trait(item) = *item
        {
            let is_free = item.items.iter().any(
                |member| matches!(member, TraitItem::Fn(it) if it.sig.ident == *name && it.sig.receiver().is_none()),
            );
            return Prefix::Trait(Trait::Own(key), names, !is_free);
        }
        match self.as_type(|reader| reader.defined(before)) {
            Some(ty) if ty == Ty::REFUSED => Prefix::Refused,
            Some(ty) => Prefix::Type(ty, false),
            None => Prefix::None,
        }
    }

    /// The only candidate of a path; `None` if there is none, or if several have been refused.
    fn only(&mut self, of: Ty, by_bounds: bool, name: &Ident) -> Option<Result<Candidate, ()>> {
        let mut found = self.candidates(&[of], None, &plain(name));
        if by_bounds {
            let bounds = &self.tree.traits.bounds;
            found.retain(|it| it.by.as_ref().is_some_and(|by| bounds.contains(by)));
        } else if found.iter().any(|it| it.by.is_none()) {
            found.retain(|it| it.by.is_none());
        }
        let only = found.pop()?;
        if found.is_empty() {
            return Some(Ok(only));
        }
        if self.is_template {
            // Instances know which.
            return Some(Err(()));
        }
        let shown = self.tree.types.show(of).to_string();
        self.errors.refuse(
            Code::AmbiguousMethod,
            name.span(),
            format_args!("`{shown}` has several functions `{name}`, and vyre cannot tell which one this is"),
            format_args!("name the trait, `<{shown} as Trait>::{name}`, or give them different names"),
        );
        Some(Err(()))
    }

    /// `Vec3::new(..)`, `T::zero()`, `Shape::area(&s)`: a function of a type.
    pub(super) fn associated_call(&mut self, item: Associated, path: &ExprPath, call: &ExprCall, span: Span) -> Expr {
        let Some(last) = path.path.segments.last().map(|last| last.ident.clone()) else {
            return self.left_to_rustc(span);
        };
        let (ty, by_bounds, candidate) = match item {
            Associated::Item(ty, by_bounds, candidate) => (ty, by_bounds, candidate),
            Associated::Refused => return self.refused_call(call, span),
            Associated::Missing(ty) => {
                self.refused_call(call, span);
                return self.missing(ty, &last, span);
            }
            Associated::Trait(by, names, on_value) => return self.by_trait(&last, (by, names), on_value, call, span),
        };
        let arguments = self.arguments_of(&candidate.item, call);
        let Some(callee) = self.call_of(&candidate, ty, Some(&path.path), &[], last.span()) else {
            return self.refused(span);
        };
        if arguments.len() != callee.parameters.len() || candidate.constant.is_some() {
            return self.left_to_rustc(span);
        }
        let is_plain = callee.takes.iter().all(Option::is_none);
        if let (None, false, true, Some(marker)) = (&path.qself, by_bounds, is_plain, &candidate.marker) {
            self.tree.oblige(Obligation::TraitFunction(TraitFunction {
                path: path.to_token_stream(),
                marker: marker.clone(),
                of: ty,
                takes: callee.parameters.clone(),
            }));
        }
        self.call_device(callee, arguments, span)
    }

    /// Number of parameters of an associated function named by its path.
    pub(super) fn arity_of_associated(&mut self, path: &ExprPath) -> Option<usize> {
        match self.associated(path, |_, _| false)? {
            Associated::Item(_, _, it) if it.constant.is_none() => Some(it.item.sig.inputs.len()),
            _ => None,
        }
    }

    /// True if a type is an enum with this variant.
    fn is_variant(&self, ty: Ty, name: &Ident) -> bool {
        let of = self
            .tree
            .types
            .adt(ty)
            .filter(|of| of.home.is_some() && of.form != Form::Struct);
        of.is_some_and(|of| of.variant(name).is_some())
    }

    /// In place of a call that has been refused: of its arguments all is said that is wrong with them.
    fn refused_call(&mut self, call: &ExprCall, span: Span) -> Expr {
        self.exprs(&call.args);
        self.refused(span)
    }

    /// An item that a type of a module lacks, as far as vyre sees.
    fn missing(&mut self, ty: Ty, name: &Ident, span: Span) -> Expr {
        if name == "default" {
            let fault = "vyre does not see a `Default` that is derived";
            let help = "write the value out, or `impl Default` in the module";
            self.errors.conditional(Code::UnknownMethod, name.span(), fault, help);
        } else {
            let what = format!("`{}::{name}`", self.tree.types.show(ty));
            missing(&what, name.span(), self.errors);
        }
        self.refused(span)
    }

    /// The type of `<Vec3 as Shape>::area`, of a trait of the user's.
    fn qualified(&mut self, qself: &syn::QSelf, of_trait: &Path) -> Prefix {
        if qself.as_token.is_none() || of_trait.segments.is_empty() {
            return Prefix::None;
        }
        match self.leads_to(of_trait) {
            Outside::Found(item, ..) if matches!(*item, Item::Trait(_)) => {}
            Outside::Elsewhere => {
                self.want(of_trait);
                return Prefix::Refused;
            }
            _ => return Prefix::None,
        }
        match self.ty(&qself.ty) {
            Ty::REFUSED => Prefix::Refused,
            ty => Prefix::Type(ty, false),
        }
    }

    /// The candidate of a trait.
    fn of_trait(&mut self, of: Ty, of_trait: &Path, name: &Ident) -> Option<Result<Candidate, ()>> {
        let Outside::Found(_, names, key) = self.leads_to(of_trait) else {
            return None;
        };
        let mut found = self.candidates(&[of], Some(&names), &plain(name));
        found.retain(|it| it.by == Some(Trait::Own(key)));
        found.pop().map(Ok)
    }

    /// `Shape::area(&s)`: inference finds the type by the first argument.
    fn by_trait(&mut self, name: &Ident, by: (Trait, Names), on_value: bool, call: &ExprCall, span: Span) -> Expr {
        let arguments = call.args.iter().map(|argument| {
            let arity = self.arity(argument);
            self.argument_of(argument, arity)
        });
        let mut arguments: Vec<Expr> = arguments.collect();
        if arguments.is_empty() || !on_value {
            return self.fault(
                Code::AmbiguousMethod,
                name.span(),
                format_args!("the type that `{name}` is called on cannot be inferred"),
                format_args!("name the type: `Type::{name}()`, `T::{name}()`"),
            );
        }
        let receiver = arguments.remove(0);
        let arguments = arguments.into_iter().map(Argument::Value).collect();
        let call = MethodCall {
            by: Some(by),
            ..MethodCall::new(receiver, name.clone(), arguments)
        };
        call.into_expr(span)
    }

    /// `Vec3::ZERO`, `T::ORIGIN`: a constant of a type.
    pub(super) fn associated_constant(&mut self, item: Associated, path: &ExprPath, span: Span) -> Expr {
        let Some(last) = path.path.segments.last().map(|last| last.ident.clone()) else {
            return self.left_to_rustc(span);
        };
        let (ty, by_bounds, candidate) = match item {
            Associated::Item(ty, by_bounds, candidate) => (ty, by_bounds, candidate),
            Associated::Missing(ty) => return self.missing(ty, &last, span),
            Associated::Refused | Associated::Trait(..) => return self.refused(span),
        };
        let Some(constant) = &candidate.constant else {
            return self.function_as_value(&spelled(&path.path).join("::"), span);
        };
        let own = match &candidate.of {
            Type::Path(own) => own.path.get_ident().filter(|_| candidate.parameters == 1),
            _ => None,
        };
        let number = self.elsewhere(candidate.names.clone(), |reader| {
            // An item that depends on the parameters of an `impl` is a function of them.
            match own {
                Some(name) => reader.generics = vec![(name.clone(), Generic::Type(ty))],
                None if candidate.parameters > 0 => return None,
                None => {}
            }
            reader.known_number(constant)
        });
        if let Some(number) = number {
            let is_plain = path.path.segments.iter().all(|segment| segment.arguments.is_none());
            if path.qself.is_none() && !by_bounds && is_plain && !self.names.complete && !self.is_elsewhere {
                self.tree.oblige(Obligation::Constant(path.to_token_stream(), number));
            }
            return Expr::new(ExprKind::Constant(number), span);
        }
        match self.call_of(&candidate, ty, None, &[], last.span()) {
            Some(callee) => self.call_device(callee, Vec::new(), span),
            None => self.refused(span),
        }
    }

    /// A constant outside of the function: its value, or the function that yields it.
    pub(super) fn constant_outside(&mut self, item: &ItemConst, names: Names, key: u64, span: Span) -> Expr {
        let is_own = names.is_device_mod();
        if is_own && let Some(number) = self.elsewhere(names.clone(), |reader| reader.known_number(item)) {
            return Expr::new(ExprKind::Constant(number), span);
        }
        if is_own {
            let called = Called::free(as_function(item), names, key);
            let Some(callee) = self.callee(called, None, span) else {
                return self.refused(span);
            };
            return self.call_device(callee, Vec::new(), span);
        }
        match self.elsewhere(names, |reader| reader.constant(item)) {
            Some(constant) => {
                let is_host = item.attrs.iter().any(attributes::is_host_mark);
                self.tree.constants[constant].host = is_host.then_some(key);
                Expr::new(ExprKind::Constant(constant), span)
            }
            None => self.refused(span),
        }
    }

    /// The value of a constant, where it is a number or an array of numbers that vyre computes.
    fn known_number(&mut self, item: &ItemConst) -> Option<usize> {
        let outer = std::mem::take(self.errors);
        let (calls, wanted) = (self.tree.calls.len(), self.tree.wanted.len());
        let before = self.tree.externals.len();
        let number = self.constant(item);
        let found: Errors = std::mem::replace(self.errors, outer);
        self.tree.calls.truncate(calls);
        self.tree.externals.truncate(before);
        let number = number.filter(|_| found.is_empty() && self.tree.wanted.len() == wanted)?;
        let Constant { ty, .. } = self.tree.constants[number];
        self.tree.types.is_number_or_array(ty).then_some(number)
    }
}
