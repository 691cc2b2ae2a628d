//! Closures: as the values of variables, and as arguments of device functions.

use std::borrow::Cow;

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote_spanned};
use syn::{
    Expr as Syntax, ExprClosure, ExprPath, FnArg, GenericParam, Generics, Item, ItemFn, ParenthesizedGenericArguments,
    Pat, Path, PathArguments, PathSegment, ReturnType, Type, TypeParamBound, parse_quote,
};

use super::binding::is_name;
use super::expr::unparenthesised;
use super::generic_function::type_bounds;
use super::outer_item::Outside;
use super::res::is_function;
use super::tree::{Captures, Closure, Expr, ExprKind, Origin};
use super::{Reader, start};
use crate::errors::Code;
use crate::library;
use crate::library::methods::{METHODS, on};
use crate::resolve::names::hash;
use crate::types::{Kind, Signature, Ty};

impl Reader<'_> {
    /// The value of a variable: a closure, a reference, or any other.
    pub(super) fn initial(&mut self, pattern: &Pat, init: &Syntax) -> Expr {
        match unparenthesised(init) {
            Syntax::Closure(closure) => {
                let name = match pattern {
                    Pat::Ident(name) => Some(name.ident.clone()),
                    _ => None,
                };
                let around = std::mem::replace(&mut self.naming, name);
                let closure = self.closure(closure, true);
                self.naming = around;
                closure
            }
            _ => self.expr(init),
        }
    }

    /// An argument of a device function; `calls` is the number of arguments with which the
    /// parameter is called, if it is.
    pub(super) fn argument_of(&mut self, argument: &Syntax, calls: Option<usize>) -> Expr {
        let Some(count) = calls else {
            return self.expr(argument);
        };
        match unparenthesised(argument) {
            Syntax::Closure(closure) => self.closure(closure, false),
            Syntax::Reference(reference) => {
                let inner = Box::new(self.argument_of(&reference.expr, calls));
                let mutable = reference.mutability.is_some();
                Expr::new(ExprKind::Borrow(inner, mutable), reference.and_token.span)
            }
            Syntax::Path(path) if !self.is_own(&path.path) && !self.is_captured(&path.path) => {
                self.function_path(path, count)
            }
            _ => self.expr(argument),
        }
    }

    /// With how many values an argument of a method is called, if it is a closure or the path of a function.
    pub(super) fn arity(&mut self, argument: &Syntax) -> Option<usize> {
        match unparenthesised(argument) {
            Syntax::Closure(closure) => Some(closure.inputs.len()),
            Syntax::Reference(reference) => self.arity(&reference.expr),
            Syntax::Path(path) if !self.is_own(&path.path) && is_function(&path.path) => {
                let resolved = self.imported(&path.path);
                let function = resolved.as_ref().unwrap_or(&path.path);
                let name = function.segments.last().map(|last| last.ident.to_string());
                if self.primitive_before(function).is_some() {
                    let name = name.as_deref()?;
                    return match METHODS.iter().find(|method| method.name == name) {
                        Some(method) => Some(1 + method.takes.len()),
                        None if matches!(name, "from" | "from_bits" | "from_f32" | "from_f64") => Some(1),
                        None if library::function(name, on::NUMBER).is_some() => Some(1),
                        None => library::find(name, on::NUMBER).map(library::Row::arity),
                    };
                }
                match self.leads_to(function) {
                    Outside::Found(item, ..) => match *item {
                        Item::Fn(item) => Some(item.sig.inputs.len()),
                        _ => None,
                    },
                    // Items read before they have arrived are ignored.
                    Outside::Elsewhere if !self.is_of_type(function) => Some(0),
                    _ => self.arity_of_associated(path),
                }
            }
            // `Some` and similar constructors; for other variants a closure states the constructed
            // value.
            Syntax::Path(path) if !self.is_own(&path.path) => {
                let name = path.path.get_ident()?;
                ["Some", "Ok", "Err"].iter().any(|known| name == known).then_some(1)
            }
            _ => None,
        }
    }

    /// An argument of a function that has not come yet: what it mentions must come, too.
    pub(super) fn argument_of_unknown(&mut self, argument: &Syntax) {
        // A struct of slices is passed to functions.
        if self.bundle_named(argument).is_some() {
            return;
        }
        match unparenthesised(argument) {
            Syntax::Closure(closure) => drop(self.closure(closure, false)),
            Syntax::Reference(reference) => self.argument_of_unknown(&reference.expr),
            Syntax::Path(path)
                if path.qself.is_none()
                    && !self.is_own(&path.path)
                    && is_function(&path.path)
                    && !self.is_captured(&path.path) =>
            {
                let path = self.imported(&path.path).unwrap_or_else(|| path.path.clone());
                if self.primitive_before(&path).is_none() && matches!(self.leads_to(&path), Outside::Elsewhere) {
                    self.want(&path);
                }
            }
            _ => drop(self.expr(argument)),
        }
    }

    /// A function by its path: the closure that calls it.
    fn function_path(&mut self, path: &ExprPath, count: usize) -> Expr {
        let span = start(&Syntax::Path(path.clone()));
        match calling(path, count, span) {
            Some(closure) => self.closure(&closure, false),
            None => self.left_to_rustc(span),
        }
    }

    /// Reads a closure. For a closure `kept` in a variable, nothing else determines its parameter
    /// types.
    pub(super) fn closure(&mut self, closure: &ExprClosure, kept: bool) -> Expr {
        let span = start(&Syntax::Closure(closure.clone()));
        self.attributes(&closure.attrs);
        if closure.asyncness.is_some() || closure.constness.is_some() {
            return self.refuse(
                Code::Closure,
                &Syntax::Closure(closure.clone()),
                "a closure in a kernel is an ordinary one",
                "remove the qualifier",
            );
        }
        let outside = self.scopes.len();
        let targets = std::mem::take(&mut self.targets);
        let around = std::mem::replace(&mut self.in_closure, true);
        let returns = self.returns_to.take();
        let untyped = closure.inputs.iter().find(|input| !matches!(input, Pat::Type(_)));
        if let (Some(pattern), true) = (untyped, kept) {
            self.errors.refuse_all(
                Code::Closure,
                pattern,
                "the parameter types of this closure cannot be inferred before its first call",
                "write the type: `|x: f32| ..`",
            );
        }
        let mut taken_apart = Vec::new();
        let mut parameters = Vec::with_capacity(closure.inputs.len());
        for input in &closure.inputs {
            parameters.push(self.closure_parameter(input, kept, &mut taken_apart));
        }
        let mut statements = Vec::new();
        for (local, pattern) in taken_apart {
            let value = Expr::local(local, span);
            self.bind_pattern(pattern, None, value, Origin::Declared, &mut statements);
        }
        let result = match &closure.output {
            ReturnType::Default => self.tree.types.unknown(),
            written => self.result_type(written),
        };
        let mut body = match &*closure.body {
            Syntax::Block(block) if block.label.is_none() => self.block(&block.block),
            body => self.expr(body).into_block(),
        };
        body.begin_with(statements);
        self.in_closure = around;
        self.returns_to = returns;
        self.targets = targets;
        self.scopes.truncate(outside);
        let number = self.tree.closures.len();
        let types = &mut self.tree.types;
        types.closures.push(Signature {
            key: hash(&["closure", &self.identity, &number.to_string()]),
            parameters: parameters.iter().map(|&local| self.tree.locals[local].ty).collect(),
            result,
            captures: Vec::new(),
        });
        let of = types.closures.len() - 1;
        let ty = types.add(Kind::Closure(of));
        self.tree.closures.push(Captures {
            of,
            span,
            is_move: closure.capture.is_some(),
            locals: Vec::new(),
            held: Vec::new(),
        });
        let closure = Closure {
            number,
            ty,
            parameters,
            body,
        };
        Expr::new(ExprKind::Closure(Box::new(closure)), span)
    }

    /// The local of a parameter; destructuring patterns are collected in `apart`.
    fn closure_parameter<'p>(&mut self, input: &'p Pat, kept: bool, apart: &mut Vec<(usize, &'p Pat)>) -> usize {
        let (mut pattern, ty) = match input {
            Pat::Type(typed) => (&*typed.pat, self.declared_type(&typed.ty)),
            pattern => {
                let ty = if kept { Ty::REFUSED } else { self.tree.types.unknown() };
                (pattern, ty)
            }
        };
        while let Pat::Paren(inner) = pattern {
            pattern = &inner.pat;
        }
        if let Pat::Ident(name) = pattern
            && is_name(name)
            && !self.is_unit_struct(name)
        {
            return self.local(&name.ident, ty, name.mutability.is_some(), Origin::Declared);
        }
        let local = self.hidden("parameter", Span::call_site(), Origin::Declared);
        self.tree.locals[local].ty = ty;
        if !matches!(pattern, Pat::Wild(_)) {
            apart.push((local, pattern));
        }
        local
    }

    /// The written type of a parameter, which is no slice or array of slices or mutable references.
    fn declared_type(&mut self, ty: &Type) -> Ty {
        let read = self.ty(ty);
        let types = &self.tree.types;
        let mut element = read;
        while let Kind::Reference(inner, _) | Kind::Slice(inner, _) | Kind::Array(inner, _) = *types.kind(element) {
            let holds_it = !matches!(types.kind(element), Kind::Reference(..));
            element = inner;
            if holds_it && matches!(types.kind(inner), Kind::Reference(..)) && types.is_place(inner) {
                self.errors.refuse_all(
                    Code::Reference,
                    ty,
                    "a slice or a mutable reference is not an element of another slice or array in a kernel",
                    "take each as a parameter of its own",
                );
                return Ty::REFUSED;
            }
        }
        read
    }

    /// For each parameter of a function, what it is called with and what that yields, if it is called.
    pub(super) fn takes(&mut self, item: &ItemFn) -> Vec<Option<(Vec<Ty>, Ty)>> {
        let mut takes = Vec::with_capacity(item.sig.inputs.len());
        for input in &item.sig.inputs {
            takes.push(bound_of(item, input).map(|bound| {
                let inputs = bound.inputs.iter().map(|ty| self.parameter_type(&ty.ty)).collect();
                (inputs, self.result_type(&bound.output))
            }));
        }
        takes
    }
}

/// The closure that calls a function.
pub(super) fn calling(path: &ExprPath, count: usize, span: Span) -> Option<ExprClosure> {
    let names = (0..count).map(|number| format_ident!("__vyre_{number}", span = span));
    let names: Vec<Ident> = names.collect();
    syn::parse2(quote_spanned!(span=> |#(#names),*| #path(#(#names),*))).ok()
}

/// True if the last segment of a bound is `Fn(..)`, `FnMut(..)` or `FnOnce(..)`.
pub(super) fn is_call(bound: &PathSegment) -> bool {
    matches!(bound.arguments, PathArguments::Parenthesized(_))
        && ["Fn", "FnMut", "FnOnce"].iter().any(|name| bound.ident == name)
}

/// The signature of a parameter whose type is bound by a `Fn` trait.
pub(super) fn bound_of<'i>(item: &'i ItemFn, input: &'i FnArg) -> Option<&'i ParenthesizedGenericArguments> {
    let FnArg::Typed(typed) = input else { return None };
    let mut ty = &*typed.ty;
    while let Type::Reference(reference) = ty {
        ty = &reference.elem;
    }
    let Type::Path(path) = ty else { return None };
    bound_by_call(&item.sig.generics, path.path.get_ident()?)
}

/// The signature of a generic parameter that is bound by a `Fn` trait.
pub(super) fn bound_by_call<'i>(generics: &'i Generics, name: &Ident) -> Option<&'i ParenthesizedGenericArguments> {
    for (bounded, bounds) in type_bounds(generics) {
        for bound in bounds {
            if let TypeParamBound::Trait(bound) = bound
                && bounded.as_ref().is_some_and(|bounded| bounded.is_ident(name))
                && let Some(called) = called(&bound.path)
            {
                return Some(called);
            }
        }
    }
    None
}

fn called(path: &Path) -> Option<&ParenthesizedGenericArguments> {
    let last = path.segments.last().filter(|last| is_call(last))?;
    match &last.arguments {
        PathArguments::Parenthesized(arguments) => Some(arguments),
        _ => None,
    }
}

/// The function with a generic parameter in the place of each `impl Trait`.
pub(crate) fn named(item: &ItemFn) -> Cow<'_, ItemFn> {
    let is_impl = |input: &FnArg| matches!(input, FnArg::Typed(typed) if implementor(&typed.ty).is_some());
    if !item.sig.inputs.iter().any(is_impl) {
        return Cow::Borrowed(item);
    }
    let mut item = item.clone();
    for (number, input) in item.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(typed) = input else { continue };
        let mut ty = &mut *typed.ty;
        while let Type::Reference(reference) = ty {
            ty = &mut reference.elem;
        }
        if let Type::ImplTrait(implementor) = ty {
            let name = format_ident!("__Impl{number}", span = implementor.impl_token.span);
            let bounds = &implementor.bounds;
            let parameter: GenericParam = parse_quote!(#name: #bounds);
            item.sig.generics.params.push(parameter);
            *ty = parse_quote!(#name);
        }
    }
    Cow::Owned(item)
}

fn implementor(ty: &Type) -> Option<&syn::TypeImplTrait> {
    match ty {
        Type::Reference(reference) => implementor(&reference.elem),
        Type::ImplTrait(implementor) => Some(implementor),
        _ => None,
    }
}
