//! Calls of functions and methods.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr as Syntax, ExprCall, ExprMethodCall, GenericArgument, Pat, PathArguments};
use vyre_core::ir::{MemoryOrder, MemoryScope};

use super::super::methods::{self, METHODS};
use super::super::tree::{Argument, Expr, ExprKind, MethodCall, Shared};
use super::super::types::{Kind, Ty};
use super::super::vocabulary::{FUNCTIONS, Function, MODULES, SHARED};
use super::expr::unparenthesised;
use super::outside::Outside;
use super::{Binding, Reader};
use crate::errors::{Code, nearest};
use crate::surface::Primitive;

impl Reader<'_> {
    pub(super) fn call(&mut self, call: &ExprCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let Syntax::Path(path) = unparenthesised(&call.func) else {
            return self.refuse(
                Code::CalledExpression,
                &call.func,
                "a kernel calls functions by their names alone",
                "write the name of the function",
            );
        };
        if path.qself.is_some() {
            return self.refuse(
                Code::TraitPath,
                &call.func,
                "paths through traits are not supported in a kernel",
                "call the method on the value: `x.abs()`",
            );
        }
        let resolved = self.resolve(&path.path).map(|resolved| syn::ExprPath {
            path: resolved,
            ..path.clone()
        });
        let path = resolved.as_ref().unwrap_or(path);
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        if let Some(name) = path.path.get_ident() {
            match self.lookup(name) {
                Some(Binding::Refused) => {
                    call.args.iter().for_each(|argument| drop(self.expr(argument)));
                    return self.refused(span);
                }
                Some(Binding::Local(_) | Binding::Constant(_)) => return self.left_to_rustc(span),
                Some(Binding::Path(_)) | None => {}
            }
        }
        let spelled = match &names[..] {
            ["vyre", rest @ ..] => rest,
            names => names,
        };
        if let Some(function) = SHARED
            .into_iter()
            .find(|path| path.split("::").eq(spelled.iter().copied()))
        {
            return self.refuse(
                Code::SharedBinding,
                whole,
                match function {
                    "shared" => "`shared` stands alone in a `let`",
                    _ => "dynamic shared memory stands alone in a `let`",
                },
                match function {
                    "shared" => "write `let tile = shared::<[f32; 256]>();`",
                    _ => "write `let tile = shared::dynamic::<f32>();`",
                },
            );
        }
        if let [module, function] = spelled
            && MODULES.contains(module)
        {
            return self.vocabulary(&format!("{module}::{function}"), path, call, span);
        }
        match self.generic_primitive(&path.path) {
            Some(Ok(primitive)) => return self.on_primitive(primitive, names[1], call, whole),
            Some(Err(_)) => {
                call.args.iter().for_each(|argument| drop(self.expr(argument)));
                return self.refused(span);
            }
            None => {}
        }
        if let [.., ty, function] = names[..]
            && let Some(primitive) = Primitive::from_name(ty)
        {
            return self.on_primitive(primitive, function, call, whole);
        }
        if let Some(invoked) = self.invoke(&path.path, call, span) {
            return invoked;
        }
        if let Some(value) = self.tuple_struct(&path.path, call, span) {
            return value;
        }
        if let Some(refused) = self.variant(&path.path, span) {
            call.args.iter().for_each(|argument| drop(self.expr(argument)));
            return match refused.kind {
                // A variant without fields is not called.
                ExprKind::Variant(..) => self.left_to_rustc(span),
                _ => refused,
            };
        }
        if self.refuse_function(&names, call, whole) {
            return self.refused(span);
        }
        match self.leads_to(&path.path) {
            Outside::Elsewhere => self.want(&path.path),
            _ => self.errors.refuse_unknown(
                Code::NotDevice,
                path.path.segments.last().map_or(span, |segment| segment.ident.span()),
                format_args!("`{}` is no device function", names.join("::")),
                "put `#[vyre::device]` on it",
            ),
        }
        self.refused(span)
    }

    fn vocabulary(&mut self, name: &str, path: &syn::ExprPath, call: &ExprCall, span: Span) -> Expr {
        let Some(entry) = FUNCTIONS.iter().find(|entry| entry.path == name) else {
            let known = FUNCTIONS.iter().map(|entry| entry.path).chain(SHARED);
            let near = nearest(name, known);
            let help = match near {
                Some(near) => format!("did you mean `{near}()`?"),
                None => {
                    let known: Vec<_> = FUNCTIONS.iter().map(|entry| format!("`{}`", entry.path)).collect();
                    format!("there are {}", known.join(", "))
                }
            };
            self.errors.refuse_unknown(
                Code::UnknownVocabulary,
                path.path.segments.last().map_or(span, |s| s.ident.span()),
                format_args!("vyre has no function `{name}` yet"),
                help,
            );
            return self.refused(span);
        };
        if call.args.len() != entry.function.arguments() || self.within_constant {
            return self.left_to_rustc(span);
        }
        if entry.function.is_generic()
            && let Some(last) = path.path.segments.last()
            && !last.arguments.is_none()
        {
            self.errors.refuse(
                Code::WarpType,
                last.ident.span(),
                format_args!("`{name}` is called without a type in a kernel"),
                "leave `::<..>` out: the type is that of the value",
            );
            call.args.iter().for_each(|argument| drop(self.expr(argument)));
            return self.refused(span);
        }
        self.tree.axes = self.tree.axes.max(entry.axes);
        let tokens = path.to_token_stream();
        self.note(tokens, entry.path);
        match entry.function {
            Function::Exchange(exchange) => {
                let arguments = call.args.iter().map(|argument| self.expr(argument)).collect();
                Expr::new(ExprKind::Exchange(exchange, arguments), span)
            }
            Function::GridBarrier if self.is_device => {
                self.errors.refuse(
                    Code::GridSync,
                    span,
                    "a device function does not wait for the whole grid",
                    "write `grid::sync()` in the kernel, between two calls",
                );
                self.refused(span)
            }
            Function::Fence(scope) => self.fence(scope, &call.args[0], span),
            function => Expr::new(ExprKind::Call(function), span),
        }
    }

    /// `block::fence(Ordering::AcqRel)` and its like.
    fn fence(&mut self, scope: MemoryScope, order: &Syntax, span: Span) -> Expr {
        match self.argument(order) {
            Argument::Order(MemoryOrder::Relaxed) => self.refuse(
                Code::AtomicOrder,
                order,
                "a relaxed fence orders nothing",
                "write `Ordering::Acquire`, `Release`, `AcqRel` or `SeqCst`",
            ),
            Argument::Order(order) => Expr::new(ExprKind::Fence(scope, order), span),
            Argument::Value(value) if matches!(value.kind, ExprKind::Refused) => value,
            Argument::Value(_) => self.refuse(
                Code::AtomicOrder,
                order,
                "the ordering of a fence is written where it stands",
                "write `Ordering::AcqRel` or another by its name",
            ),
        }
    }

    /// Notes a path of the vocabulary, for rustc to check that it leads where vyre thinks.
    fn note(&mut self, tokens: proc_macro2::TokenStream, function: &'static str) {
        let text = tokens.to_string();
        if !self.tree.vocabulary.iter().any(|(known, _)| known.to_string() == text) {
            self.tree.vocabulary.push((tokens, function));
        }
    }

    /// `f32::from(x)`, `f32::from_bits(x)`, and methods called by path: `f32::max(a, b)`.
    fn on_primitive(&mut self, primitive: Primitive, function: &str, call: &ExprCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        match (function, call.args.len()) {
            ("from", 1) => Expr::new(ExprKind::From(primitive, self.boxed(&call.args[0])), span),
            ("from_bits", 1) if primitive.scalar().is_float() => {
                Expr::new(ExprKind::FromBits(primitive, self.boxed(&call.args[0])), span)
            }
            ("from_f32", 1) => self.converted(primitive, Primitive::F32, &call.args[0], span),
            ("from_f64", 1) => self.converted(primitive, Primitive::F64, &call.args[0], span),
            ("default", 0) => match primitive.scalar() {
                vyre_core::ir::Scalar::Bool => Expr::new(ExprKind::Bool(false), span),
                scalar if scalar.is_float() => Expr::new(ExprKind::Float("0".to_owned(), Some(primitive)), span),
                _ => Expr::new(ExprKind::Integer(0, Some(primitive)), span),
            },
            (_, 0) => {
                self.refuse_function(&[primitive.name(), function], call, whole);
                self.refused(span)
            }
            _ => {
                let name = match unparenthesised(&call.func) {
                    Syntax::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
                    _ => None,
                };
                let Some(name) = name else { return self.refused(span) };
                if !self.method_known(&name, Some(methods::receiver(primitive))) {
                    return self.refused(span);
                }
                let receiver = self.expr(&call.args[0]);
                let arguments = call
                    .args
                    .iter()
                    .skip(1)
                    .map(|argument| self.argument(argument))
                    .collect();
                let method = MethodCall {
                    receiver,
                    name,
                    arguments,
                    on: Some(primitive),
                    method: None,
                    scope: None,
                };
                Expr::new(ExprKind::Method(Box::new(method)), span)
            }
        }
    }

    /// `T::from_f64(x)`: a cast, of a value whose type the cast does not tell.
    fn converted(&mut self, to: Primitive, from: Primitive, value: &Syntax, span: Span) -> Expr {
        let value = self.expr(value);
        let (from, name) = (Ty::primitive(from), proc_macro2::Ident::new("value", span));
        let outside = self.scopes.len();
        let local = self.local(&name, from, false, super::super::tree::Origin::Declared);
        self.tree.locals[local].read = true;
        self.scopes.truncate(outside);
        let binding = super::super::tree::Statement::Let {
            pattern: super::super::tree::Pattern::Local(local),
            annotation: Some(from),
            init: Some(value),
        };
        let cast = ExprKind::Cast(Box::new(Expr::new(ExprKind::Local(local), span)), Ty::primitive(to));
        let block = super::super::tree::Block {
            statements: vec![binding],
            tail: Some(Box::new(Expr::new(cast, span))),
            diverges: false,
        };
        Expr::new(ExprKind::Block(block, None), span)
    }

    /// Refuses a call of a function that kernels do not have; false where it may be a device
    /// function that stands elsewhere.
    fn refuse_function(&mut self, names: &[&str], call: &ExprCall, whole: &Syntax) -> bool {
        let name = names.last().copied().unwrap_or_default();
        // Functions that exist: rustc has nothing to say about them.
        let known = match names {
            [only] if *only == self.function => Some((
                Code::Recursion,
                format!(
                    "a {} does not call itself: a GPU thread has no stack to recurse on",
                    if self.is_device { "device function" } else { "kernel" }
                ),
                "write a loop, or keep a small array as a stack".to_owned(),
            )),
            ["Some" | "Ok" | "Err"] => Some((
                Code::NoOption,
                "there is no `Option` or `Result` in a kernel".to_owned(),
                "keep a `bool` beside the value".to_owned(),
            )),
            [.., "Vec" | "Box" | "String" | "Rc" | "Arc" | "HashMap", _] => Some((
                Code::Allocation,
                format!(
                    "nothing allocates in a kernel, so there is no `{}`",
                    names[names.len() - 2]
                ),
                "use a local array, `[0.0f32; 16]`, or a slice parameter".to_owned(),
            )),
            [.., "mem", "swap"] => Some((
                Code::StandardFunction,
                "`swap` takes references, which a kernel has not".to_owned(),
                "exchange the values: `(a, b) = (b, a)`".to_owned(),
            )),
            [.., "cmp", "min" | "max"] => Some((
                Code::StandardFunction,
                format!("`{name}` is not supported as a function"),
                format!("write it as a method: `a.{name}(b)`"),
            )),
            ["drop"] | [.., "mem", "drop"] => Some((
                Code::StandardFunction,
                "there is nothing to drop in a kernel".to_owned(),
                "leave it out".to_owned(),
            )),
            ["std" | "core" | "alloc", ..] => Some((
                Code::StandardFunction,
                format!("`{}` is not supported in a kernel", names.join("::")),
                "a kernel has the methods of the primitive types, and none of the functions beside them".to_owned(),
            )),
            _ => None,
        };
        if let Some((code, fault, help)) = known {
            self.errors.refuse_all(code, &call.func, fault, help);
            return true;
        }
        let vocabulary = FUNCTIONS
            .iter()
            .find(|entry| entry.path.rsplit("::").next() == Some(name));
        let (code, fault, help) = match (names, vocabulary) {
            (&[_], _) if METHODS.iter().any(|method| method.name == name) => (
                Code::UnknownFunction,
                format!("there is no function `{name}`"),
                format!(
                    "it is a method: `x.{name}(..)`; a function of yours is called by its path: `self::{name}(..)`"
                ),
            ),
            (&[_], Some(entry)) => (
                Code::UnknownFunction,
                format!("vyre does not know the function `{name}`"),
                format!(
                    "write `{}()`, with its module; a function of yours is called by its path: `self::{name}(..)`",
                    entry.path
                ),
            ),
            ([.., ty, _], _) if Primitive::from_name(ty).is_some() => (
                Code::StandardFunction,
                format!("`{ty}::{name}` is not supported in a kernel"),
                "a kernel has the arithmetic methods of the primitive types".to_owned(),
            ),
            _ if name.starts_with(char::is_uppercase) => (
                Code::UnknownType,
                format!("vyre does not know the type `{name}`"),
                "put `#[vyre::device]` on the struct".to_owned(),
            ),
            _ if self.names.complete => {
                call.args
                    .iter()
                    .for_each(|argument| drop(self.maybe_borrowed(argument)));
                (
                    Code::NotInThisFile,
                    format!("`{}` is not defined in this file", names.join("::")),
                    "define the device function in the file of the kernel".to_owned(),
                )
            }
            _ => {
                call.args
                    .iter()
                    .for_each(|argument| drop(self.maybe_borrowed(argument)));
                return false;
            }
        };
        let span = match unparenthesised(&call.func) {
            Syntax::Path(path) => path.path.segments.last().map(|segment| segment.ident.span()),
            _ => None,
        };
        let start = super::start(whole);
        self.errors.refuse_unknown(code, span.unwrap_or(start), fault, help);
        true
    }

    pub(super) fn method_call(&mut self, call: &ExprMethodCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let receiver = self.expr(&call.receiver);
        // One fault for a chain of calls, at the first that is none of ours.
        if matches!(receiver.kind, ExprKind::Refused) || !self.method_known(&call.method, None) {
            return self.refused(span);
        }
        if let Some(turbofish) = &call.turbofish {
            self.errors.leave_to_rustc();
            let _ = turbofish;
        }
        let arguments = call.args.iter().map(|argument| self.argument(argument)).collect();
        let method = MethodCall {
            receiver,
            name: call.method.clone(),
            arguments,
            on: None,
            method: None,
            scope: None,
        };
        Expr::new(ExprKind::Method(Box::new(method)), span)
    }

    /// Whether some receiver (of the kind `on`, where that is known) has the method; refuses it if not.
    fn method_known(&mut self, name: &proc_macro2::Ident, on: Option<u8>) -> bool {
        let text = name.to_string();
        let has = |method: &&methods::Method| on.is_none_or(|on| method.on & on != 0);
        if METHODS.iter().filter(has).any(|method| method.name == text) {
            return true;
        }
        match methods::instead(&text) {
            Some(help) => self.errors.refuse(
                Code::UnsupportedMethod,
                name.span(),
                format_args!("`{text}` is not supported in a kernel"),
                help,
            ),
            None => {
                let near = nearest(&text, METHODS.iter().filter(has).map(|method| method.name));
                self.errors.refuse_unknown(
                    Code::UnknownMethod,
                    name.span(),
                    format_args!("kernels have no method `{text}`"),
                    match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => {
                            "kernels know the arithmetic methods of the primitive types, `len`, and those of atomics"
                                .to_owned()
                        }
                    },
                );
            }
        }
        false
    }

    /// An argument of a method: a value, or an `Ordering`.
    fn argument(&mut self, argument: &Syntax) -> Argument {
        if let Syntax::Path(path) = unparenthesised(argument)
            && path.qself.is_none()
            && let Some(last) = path.path.segments.last()
        {
            let order = match last.ident.to_string().as_str() {
                "Relaxed" => Some(MemoryOrder::Relaxed),
                "Acquire" => Some(MemoryOrder::Acquire),
                "Release" => Some(MemoryOrder::Release),
                "AcqRel" => Some(MemoryOrder::AcqRel),
                "SeqCst" => Some(MemoryOrder::SeqCst),
                _ => None,
            };
            if let Some(order) = order
                && path.path.get_ident().is_none_or(|name| self.lookup(name).is_none())
            {
                return Argument::Order(order);
            }
        }
        Argument::Value(self.expr(argument))
    }

    /// The initialiser of `let tile = shared::<T>();`, or `None` where it is no call of `shared`.
    pub(super) fn shared_variable(&mut self, pattern: &Pat, annotation: Option<Ty>, init: &Syntax) -> Option<Expr> {
        let Syntax::Call(call) = unparenthesised(init) else {
            return None;
        };
        let Syntax::Path(path) = unparenthesised(&call.func) else {
            return None;
        };
        let resolved = self.resolve(&path.path);
        let path = resolved.as_ref().unwrap_or(&path.path);
        let last = path.segments.last()?;
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let names = match &names[..] {
            ["vyre", rest @ ..] => rest,
            [_] if self.lookup(&last.ident).is_some() => return None,
            names => names,
        };
        let function = SHARED
            .into_iter()
            .find(|path| path.split("::").eq(names.iter().copied()))?;
        let dynamic = function != "shared";
        let span = super::start(init);
        let Pat::Ident(pattern) = pattern else {
            return Some(self.refuse(
                Code::SharedBinding,
                init,
                "shared memory is bound to one name",
                "write `let tile = shared::<[f32; 256]>();`",
            ));
        };
        if let Some(mutability) = &pattern.mutability {
            self.errors.refuse(
                Code::SharedBinding,
                mutability.span,
                "a name for shared memory is not `mut`",
                "leave `mut` out: what `shared` yields is a mutable reference already",
            );
            return Some(self.refused(span));
        }
        if call.args.len() != usize::from(function == "shared::slice") {
            return Some(self.left_to_rustc(span));
        }
        let ty = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
                Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => self.ty(ty),
                _ => return Some(self.left_to_rustc(span)),
            },
            _ => match annotation.map(|ty| self.tree.types.kind(ty).clone()) {
                Some(Kind::Reference(inner, _)) => match *self.tree.types.kind(inner) {
                    Kind::Slice(element) if dynamic => element,
                    _ => inner,
                },
                _ => {
                    return Some(self.refuse(
                        Code::SharedBinding,
                        init,
                        "the type of the shared memory is missing",
                        match dynamic {
                            true => "write `shared::dynamic::<f32>()`, the type of an element",
                            false => "write `shared::<[f32; 256]>()`",
                        },
                    ));
                }
            },
        };
        let mut plain = path.clone();
        if let Some(last) = plain.segments.last_mut() {
            last.arguments = PathArguments::None;
        }
        self.note(plain.to_token_stream(), function);
        if dynamic {
            if self.is_device {
                return Some(self.refuse(
                    Code::SharedBinding,
                    init,
                    "dynamic shared memory belongs to the kernel",
                    "take it in the kernel, and pass the slice to the function",
                ));
            }
            let length = call.args.first().map(|length| Box::new(self.expr(length)));
            return Some(Expr::new(ExprKind::Dynamic(ty, length), span));
        }
        self.tree.shared.push(Shared {
            name: pattern.ident.to_string(),
            ty,
            span: pattern.ident.span(),
        });
        Some(Expr::new(ExprKind::Shared(self.tree.shared.len() - 1), span))
    }
}
