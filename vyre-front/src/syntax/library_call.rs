//! Calls of functions that are written in terms of others: [`crate::library`].

use std::rc::Rc;

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprCall, ExprPath, FnArg, Item, ItemFn, Pat};

use super::device_function::Called;
use super::tree::{Callable, Callee, Expr, ExprKind, Origin, Tree};
use super::{Reader, assoc_items, closure};
use crate::errors::{Code, Errors};
use crate::library::methods::owners;
use crate::library::{self, Form, Row};
use crate::resolve::names::{Names, hash};
use crate::surface::Primitive;
use crate::types::{Kind, Ty};

/// The body of a function in place of a call.
pub(crate) struct Placed {
    /// The variables that are its parameters, and their types.
    pub(crate) parameters: Vec<usize>,
    pub(crate) types: Vec<Ty>,
    pub(crate) result: Ty,
    pub(crate) body: Expr,
}

impl Reader<'_> {
    /// Such a function as a call sees it, on a number of this type where it is one of numbers.
    pub(super) fn library(
        &mut self,
        row: &Row,
        primitive: Option<Primitive>,
        types: &[Ty],
        span: Span,
    ) -> Option<Callee> {
        let (item, names) = match row.form {
            Form::Module(module) => self.of_module(module, row.name(), primitive?, span)?,
            _ => {
                let item = row.item(primitive, span)?;
                let names = Names::of_library(self.tree.traits.here.file.clone());
                (closure::named(&item).into_owned(), names)
            }
        };
        let owner = primitive.map_or_else(|| owners(row.on).replace('`', ""), |it| it.name().to_owned());
        let called = Called {
            item: Rc::new(item),
            names,
            key: hash(&["library", &owner, row.name()]),
            owner: Some(owner),
            of: None,
            skipped: row.of_receiver(),
            types,
        };
        self.callee(called, None, span)
    }

    /// The call of such a function.
    pub(super) fn called(&mut self, row: &Row, callee: Callee, arguments: Vec<Expr>, span: Span) -> Expr {
        match row.is_called() {
            true => self.call_device(callee, arguments, span),
            false => Expr::call(Callable::Library(Box::new(callee)), arguments, span),
        }
    }

    /// A function of a module of `vyre_abi::math`, and the names that it sees.
    fn of_module(&mut self, module: &str, function: &str, primitive: Primitive, span: Span) -> Option<(ItemFn, Names)> {
        let precision = primitive.name();
        let known = &mut self.tree.math;
        let at = match known.iter().position(|known| known.0 == (primitive, module.to_owned())) {
            Some(at) => at,
            None => {
                let modules = library::modules(precision, module, span)?;
                let names = Names::of_math(precision, &modules, self.tree.traits.here.file.clone());
                known.push(((primitive, module.to_owned()), names));
                known.len() - 1
            }
        };
        let found = known[at].1.find(&[module, function])?;
        match found.item {
            Item::Fn(item) => Some((item.clone(), found.names)),
            _ => None,
        }
    }

    /// `block::sum(x)`, `warp::reduce(x, f)`: a call of a device function.
    pub(super) fn collective(
        &mut self,
        function: &'static str,
        arguments: usize,
        path: &ExprPath,
        call: &ExprCall,
        span: Span,
    ) -> Expr {
        let Some(last) = path.path.segments.last() else {
            return self.left_to_rustc(span);
        };
        if call.args.len() != arguments && matches!(call.args.last(), Some(Syntax::Closure(_))) {
            // rustc would ask for the types of the closure.
            let takes = match arguments {
                3 => "v, first, |a, b| ..",
                _ => "v, |a, b| ..",
            };
            return self.fault(
                Code::UnknownIntrinsic,
                last.ident.span(),
                format_args!(
                    "`{function}` takes {arguments} arguments, and here are {}",
                    call.args.len()
                ),
                format_args!("write `{function}({takes})`"),
            );
        }
        if call.args.len() != arguments || self.within_constant {
            return self.left_to_rustc(span);
        }
        if let Some(number) = call.args.iter().find_map(|argument| self.bundle_named(argument)) {
            return self.refuse_whole_bundle(number, span);
        }
        let module = function.split("::").next().unwrap_or(function);
        let called = self.of_collectives(module, &last.ident.to_string(), last.ident.span());
        let Some((item, names, key)) = called else {
            return self.left_to_rustc(span);
        };
        // rustc confirms the function, with arguments of its own.
        self.note_bare(&path.path, function);
        let values = self.arguments_of(&item, call);
        let called = Called {
            owner: Some(module.to_owned()),
            ..Called::free(item, names, key)
        };
        let Some(callee) = self.callee(called, Some(&path.path), last.ident.span()) else {
            return self.refused(span);
        };
        self.call_device(callee, values, span)
    }

    /// A collective, the names that it sees, and its key.
    fn of_collectives(&mut self, module: &'static str, function: &str, span: Span) -> Option<(ItemFn, Names, u64)> {
        let known = &mut self.tree.collectives;
        let at = match known.iter().position(|(known, _)| *known == module) {
            Some(at) => at,
            None => {
                let items = library::collectives::items(module, span)?;
                let names = Names::of_collectives(module, &items, self.tree.traits.here.file.clone());
                known.push((module, names));
                known.len() - 1
            }
        };
        let found = known[at].1.find(&[function])?;
        match found.item {
            Item::Fn(item) => Some((closure::named(item).into_owned(), found.names, found.key)),
            _ => None,
        }
    }

    fn placed(&mut self, callee: &Callee) -> Placed {
        let parameters = callee.item.sig.generics.params.iter();
        let parameters = parameters.filter(|parameter| !matches!(parameter, syn::GenericParam::Lifetime(_)));
        let types = &self.tree.types;
        let generics = parameters.zip(&callee.instance.arguments);
        let generics = generics.filter_map(|(parameter, &ty)| match (parameter, types.kind(ty)) {
            (syn::GenericParam::Type(parameter), _) => Some((parameter.ident.clone(), super::Generic::Type(ty))),
            (syn::GenericParam::Const(parameter), &Kind::Array(_, length)) => {
                Some((parameter.ident.clone(), super::Generic::Length(length)))
            }
            _ => None,
        });
        let generics = generics.collect();
        let first = self.tree.locals.len();
        let (braces, binds_inside) = (std::mem::take(&mut self.tree.for_braces), self.tree.binds_inside);
        let number = self.target();
        self.returns_to = Some(number);
        let (parameters, body) = self.elsewhere(callee.names.clone(), |reader| {
            reader.generics = generics;
            let inputs = callee.item.sig.inputs.iter().zip(&callee.parameters);
            let parameters = inputs.filter_map(|(input, &ty)| match input {
                FnArg::Typed(typed) => match &*typed.pat {
                    Pat::Ident(name) => Some(reader.local(&name.ident, ty, false, Origin::Passed)),
                    _ => None,
                },
                FnArg::Receiver(_) => None,
            });
            (parameters.collect(), reader.block(&callee.item.block))
        });
        // None of its bindings is one that the user wrote.
        for local in &mut self.tree.locals[first..] {
            if let Origin::Let(_) | Origin::For(_) = local.origin {
                local.origin = Origin::Declared;
            }
        }
        self.tree.for_braces = braces;
        self.tree.binds_inside = binds_inside;
        let label = self.tree.left_by_break[number].then_some(number);
        Placed {
            parameters,
            types: callee.parameters.clone(),
            result: callee.result,
            body: Expr::new(ExprKind::Block(body, label), callee.span),
        }
    }
}

/// As [`Reader::library`], during inference.
pub(crate) fn library(
    tree: &mut Tree,
    errors: &mut Errors,
    row: &Row,
    primitive: Option<Primitive>,
    types: &[Ty],
    span: Span,
) -> Option<Callee> {
    assoc_items::on(tree, errors, |reader| reader.library(row, primitive, types, span))
}

/// Reads the body of a function that is called.
pub(crate) fn placed(tree: &mut Tree, errors: &mut Errors, callee: &Callee) -> Placed {
    assoc_items::on(tree, errors, |reader| reader.placed(callee))
}

/// Reads a short function on a receiver of this type.
pub(crate) fn short(tree: &mut Tree, errors: &mut Errors, row: &Row, of: Ty, span: Span) -> Placed {
    assoc_items::on(tree, errors, |reader| reader.short_function(row.source, of, span))
}
