//! Device functions: their signatures, and calls of them.

use std::rc::Rc;

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{ExprCall, FnArg, ItemFn, Pat, Path, ReturnType, Type};

use super::binding::is_name;
use super::obligations::Obligation;
use super::tree::{Callable, Callee, Expr, ExprKind, Origin, Statement};
use super::{Generic, Name, Reader, closure, host_type, unsupported};
use crate::errors::{Code, Errors};
use crate::resolve::attributes::is_device;
use crate::resolve::names::Names;
use crate::types::{Kind, Ty};

/// The names in sight, those of variables and of generic parameters, and whether that is elsewhere.
type Sight = (Names, Vec<Name>, Vec<(Ident, Generic)>, bool);

/// A function that is called.
pub(super) struct Called<'c> {
    pub(super) item: Rc<ItemFn>,
    /// The names in scope at its definition, and its key.
    pub(super) names: Names,
    pub(super) key: u64,
    /// The type or trait that it belongs to.
    pub(super) owner: Option<String>,
    /// The name and the type that the function belongs to, for an associated function.
    pub(super) of: Option<(&'c Type, Ty)>,
    /// Number of generic parameters that no path specifies: those of the `impl`.
    pub(super) skipped: usize,
    /// The generic arguments after them, if no path has them.
    pub(super) types: &'c [Ty],
}

impl Called<'_> {
    /// A function that belongs to no type or trait.
    pub(super) fn free(item: ItemFn, names: Names, key: u64) -> Self {
        Called {
            item: Rc::new(item),
            names,
            key,
            owner: None,
            of: None,
            skipped: 0,
            types: &[],
        }
    }
}

impl Reader<'_> {
    /// Reads the signature of the function itself, and brings its parameters into scope. The statements take apart what
    /// patterns name parts of.
    pub(super) fn own_signature(&mut self, item: &ItemFn) -> Vec<Statement> {
        let mut apart = Vec::new();
        unsupported::qualifiers(&item.sig, "device function", self.errors);
        self.bounds(item);
        for input in &item.sig.inputs {
            let FnArg::Typed(typed) = input else {
                self.errors.refuse_all(
                    Code::SelfParameter,
                    input,
                    "a device function is a free function: it takes no `self`",
                    "move it out of the `impl` and name the parameter",
                );
                continue;
            };
            if let Some(attribute) = typed.attrs.first() {
                self.errors.refuse_all(
                    Code::ParameterAttribute,
                    attribute,
                    "parameters of a device function have no attributes",
                    "remove it",
                );
            }
            if let Some(fields) = self.bundle_input(&typed.ty) {
                self.bundle_of_function(&typed.pat, fields);
                continue;
            }
            let ty = self.parameter_type(&typed.ty);
            match &*typed.pat {
                Pat::Ident(pattern) if is_name(pattern) && !self.is_unit_struct(pattern) => {
                    let local = self.local(&pattern.ident, ty, pattern.mutability.is_some(), Origin::Parameter);
                    self.hold(local, &pattern.ident);
                }
                Pat::Wild(unnamed) => {
                    let name = proc_macro2::Ident::new("_", unnamed.underscore_token.span);
                    self.local(&name, ty, false, Origin::Parameter);
                }
                pattern => {
                    let local = self.hidden("parameter", pattern.span(), Origin::Parameter);
                    self.tree.locals[local].ty = ty;
                    apart.push((local, pattern));
                }
            }
        }
        self.tree.result = self.result_type(&item.sig.output);
        // The first locals are the parameters.
        self.tree.parameters = self.tree.locals.len();
        let mut statements = Vec::new();
        for (local, pattern) in apart {
            let value = Expr::new(ExprKind::Local(local), pattern.span());
            self.bind_pattern(pattern, None, value, Origin::Declared, &mut statements);
        }
        statements
    }

    /// The locals that hold what a parameter has captured, if it is a closure.
    fn hold(&mut self, parameter: usize, name: &Ident) {
        let Some(closure) = self.tree.types.as_closure(self.tree.locals[parameter].ty) else {
            return;
        };
        let captures = self.tree.types.closures[closure].captures.clone();
        let held = captures.into_iter().map(|ty| {
            let local = self.hidden("captured", name.span(), Origin::Parameter);
            self.tree.locals[local].ty = ty;
            local
        });
        let held = held.collect();
        self.tree.held.push((parameter, held));
    }

    /// The type of a parameter: a value, or a reference to a value, an atomic or a slice.
    pub(super) fn parameter_type(&mut self, ty: &Type) -> Ty {
        if !self.is_elsewhere
            && let Some((fault, help)) = host_type::refusal(ty, &self.names, || self.file())
        {
            self.errors.refuse_all(Code::FunctionParameter, ty, fault, help);
            return Ty::REFUSED;
        }
        let read = self.ty(ty);
        let types = &self.tree.types;
        // A generic parameter of a function that is called may still be any type.
        let is_value = |ty| !types.is_place(ty) || types.as_closure(ty).is_some();
        let is_cell = |ty| types.is_cell(ty);
        let holds = match *types.kind(read) {
            Kind::Matrix(element, _) => is_value(element),
            Kind::Reference(inner, _) => match *types.kind(inner) {
                Kind::Matrix(element, _) => is_value(element),
                Kind::Slice(element, _) => is_value(element) || is_cell(element),
                _ => is_value(inner) || is_cell(inner),
            },
            _ => is_value(read),
        };
        if !holds {
            self.errors.refuse_all(
                Code::FunctionParameter,
                ty,
                "this type is not supported for a parameter of a device function",
                "take scalars, tuples and arrays, `&T` and `&mut T` of these, `&[T]`, `&mut [T]`, `Slice2` and `SliceMut2`",
            );
            return Ty::REFUSED;
        }
        read
    }

    pub(super) fn result_type(&mut self, output: &ReturnType) -> Ty {
        let ReturnType::Type(_, ty) = output else {
            return Ty::UNIT;
        };
        if let Type::Never(_) = &**ty {
            self.errors.refuse_all(
                Code::FunctionResult,
                ty,
                "a device function returns",
                "write `panic!` where it is called, or return nothing",
            );
            return Ty::REFUSED;
        }
        if let Type::ImplTrait(_) = **ty {
            self.errors.refuse_all(
                Code::FunctionResult,
                ty,
                "a device function returns values: a closure is not one",
                "take what it would capture as parameters, and write the closure where it is called",
            );
            return Ty::REFUSED;
        }
        let read = self.ty(ty);
        // The library finds places: `Option<&mut T>`.
        let is_place = self.tree.types.is_place(read) && !self.names.is_library();
        if is_place || matches!(self.tree.types.kind(read), Kind::Reference(..)) {
            self.errors.refuse_all(
                Code::FunctionResult,
                ty,
                "a device function returns values: a reference is not one",
                "return the element, or its index",
            );
            return Ty::REFUSED;
        }
        read
    }

    /// Reads with the names that are in sight elsewhere.
    pub(super) fn elsewhere<R>(&mut self, names: Names, read: impl FnOnce(&mut Self) -> R) -> R {
        let mut sight = (names, Vec::new(), Vec::new(), true);
        self.swap_sight(&mut sight);
        let result = read(self);
        self.swap_sight(&mut sight);
        result
    }

    fn swap_sight(&mut self, (names, scopes, generics, is_elsewhere): &mut Sight) {
        use std::mem::swap;
        swap(&mut self.names, names);
        swap(&mut self.scopes, scopes);
        swap(&mut self.generics, generics);
        swap(&mut self.is_elsewhere, is_elsewhere);
    }

    /// A call of a device function.
    pub(super) fn invoke(
        &mut self,
        item: ItemFn,
        names: Names,
        key: u64,
        path: &Path,
        call: &ExprCall,
        span: Span,
    ) -> Expr {
        let Some(last) = path.segments.last() else {
            return self.left_to_rustc(span);
        };
        if !self.names.complete && !self.is_elsewhere {
            self.tree.oblige(Obligation::Function(last.ident.to_string()));
        }
        if !names.is_carried() && !names.is_device_mod() && !item.attrs.iter().any(is_device) {
            return self.fault(
                Code::NotDevice,
                last.ident.span(),
                format_args!("`{}` is not a device function", last.ident),
                "put `#[vyre::device]` on it",
            );
        }
        let arguments = self.arguments_of(&item, call);
        let Some(callee) = self.callee(Called::free(item, names, key), Some(path), last.ident.span()) else {
            return self.refused(span);
        };
        if arguments.len() != callee.parameters.len() {
            return self.left_to_rustc(span);
        }
        self.call_device(callee, arguments, span)
    }

    /// A call of a device function that has been read.
    pub(super) fn call_device(&mut self, callee: Callee, arguments: Vec<Expr>, span: Span) -> Expr {
        self.tree.calls.push(callee);
        Expr::call(Callable::Device(self.tree.calls.len() - 1), arguments, span)
    }

    /// The call of a function, by a path that may say more of it; `None` where that has been said to be
    /// wrong.
    pub(super) fn callee(&mut self, called: Called<'_>, path: Option<&Path>, span: Span) -> Option<Callee> {
        let Called {
            item,
            names,
            key,
            owner,
            of,
            skipped,
            types,
        } = called;
        let arguments = path.and_then(|path| path.segments.last()).map(|last| &last.arguments);
        let Some((instance, generics)) = self.instance(&item.sig.generics, arguments, skipped) else {
            self.errors.mismatch();
            return None;
        };
        let mut parameters = instance.arguments.iter().skip(skipped);
        for &ty in types {
            if !parameters
                .next()
                .is_some_and(|&parameter| self.tree.types.unify(parameter, ty))
            {
                self.errors.mismatch();
            }
        }
        // Errors of the function are reported at its definition, except for those caused by its
        // arguments.
        let outer = std::mem::take(self.errors);
        let around = std::mem::replace(
            &mut self.called_at,
            Some(span).filter(|_| !instance.arguments.is_empty()),
        );
        let (parameters, result, takes) = self.elsewhere(names.clone(), |reader| {
            reader.generics = generics;
            if let Some((written, of)) = of {
                let own = reader.ty(written);
                if !reader.tree.types.unify(own, of) {
                    reader.errors.mismatch();
                }
            }
            let (mut parameters, mut takes) = (Vec::new(), Vec::new());
            let of_inputs = reader.takes(&item);
            for (input, taken) in item.sig.inputs.iter().zip(of_inputs) {
                let FnArg::Typed(typed) = input else {
                    parameters.push(Ty::REFUSED);
                    takes.push(taken);
                    continue;
                };
                match reader.bundle_input(&typed.ty) {
                    Some(fields) => {
                        for (_, ty) in fields.unwrap_or_default() {
                            parameters.push(ty);
                            takes.push(None);
                        }
                    }
                    None => {
                        parameters.push(reader.parameter_type(&typed.ty));
                        takes.push(taken);
                    }
                }
            }
            (parameters, reader.result_type(&item.sig.output), takes)
        });
        self.called_at = around;
        let found: Errors = std::mem::replace(self.errors, outer);
        if !found.is_empty() {
            self.errors.elsewhere();
            return None;
        }
        Some(Callee {
            key,
            item,
            owner,
            names,
            instance,
            parameters,
            result,
            takes,
            span,
        })
    }

    /// The arguments of a call of a function, each as its parameter takes it.
    pub(super) fn arguments_of(&mut self, item: &ItemFn, call: &ExprCall) -> Vec<Expr> {
        let mut inputs = item.sig.inputs.iter();
        let mut arguments = Vec::with_capacity(call.args.len());
        for argument in &call.args {
            let input = inputs.next();
            if let Some(fields) = self.bundle_argument(argument, input) {
                arguments.extend(fields);
                continue;
            }
            let called = input.and_then(|input| closure::bound_of(item, input));
            arguments.push(self.argument_of(argument, called.map(|bound| bound.inputs.len())));
        }
        arguments
    }
}
