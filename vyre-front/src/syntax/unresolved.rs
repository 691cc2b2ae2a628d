//! Messages for paths that [lead nowhere](super::res). Names of the standard library, of other languages and of other
//! modules of vyre's get advice.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{Expr as Syntax, ExprCall, ExprPath, Path};

use super::advice::{self, IN_A_KERNEL, MACROS, OF_THE_HOST, PRIMITIVES};
use super::assoc_path::split;
use super::known_constant::is_mathematical;
use super::outer_item::Outside;
use super::res::{Reason, spelled};
use super::tree::Expr;
use super::{Reader, cuda_names};
use crate::editor;
use crate::errors::{self, Code, meant, nearest};
use crate::library::intrinsics::{self, FUNCTIONS, SHARED};
use crate::library::methods::{self, on};
use crate::library::{self, collectives};
use crate::modules;
use crate::resolve::names::plain;
use crate::resolve::source_scan::Surroundings;
use crate::resolve::spelling::{is_capitalized, is_upper};
use crate::resolve::{declared, transport};
use crate::surface::Primitive;
use crate::types::{NO_HALF, NO_HALF_HELP, atomic_cell};

const THROUGH_TRAITS: &str = "paths through traits are not supported in a kernel";

impl Reader<'_> {
    /// A call of a path that has no meaning.
    #[cold]
    pub(super) fn unresolved_call(&mut self, reason: Reason, path: &ExprPath, call: &ExprCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let last = path.path.segments.last().map_or(span, |last| last.ident.span());
        let names = spelled(&path.path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match reason {
            Reason::Elsewhere => {
                call.args.iter().for_each(|argument| self.argument_of_unknown(argument));
                self.errors.elsewhere();
            }
            Reason::Trait => {
                let help = "call the method on the value: `x.abs()`";
                return self.refuse(Code::TraitPath, &call.func, THROUGH_TRAITS, help);
            }
            Reason::Half => {
                self.exprs(&call.args);
                return self.refuse(Code::WideNumber, &call.func, NO_HALF, NO_HALF_HELP);
            }
            Reason::NoIntrinsic => self.no_intrinsic(&names, call, last),
            Reason::Unknown => {
                if !self.refuse_function(&names, call, whole) {
                    self.unknown_function(&names, &path.path, last);
                }
            }
            other => {
                self.unresolved(other, path, span);
                self.exprs(&call.args);
            }
        }
        self.refused(span)
    }

    /// A path that has no meaning, as a value.
    #[cold]
    pub(super) fn unresolved_value(&mut self, reason: Reason, path: &ExprPath, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        match reason {
            Reason::Trait => {
                let help = "name the method on the value: `x.abs()`";
                return self.refuse(Code::TraitPath, whole, THROUGH_TRAITS, help);
            }
            // One for both branches of a choice.
            Reason::Ordering if !self.errors.has(Code::AtomicOrder) => {
                let fault = "an `Ordering` is not a value in a kernel";
                let help = "write it where the atomic is accessed: `x.load(Ordering::Relaxed)`";
                return self.refuse(Code::AtomicOrder, whole, fault, help);
            }
            Reason::Ordering => {}
            Reason::Unknown => self.unknown_value(&path.path, whole, span),
            other => self.unresolved(other, path, span),
        }
        self.refused(span)
    }

    fn unresolved(&mut self, reason: Reason, path: &ExprPath, span: Span) {
        let shown = path.to_token_stream().to_string().replace(' ', "");
        match reason {
            Reason::Elsewhere => self.errors.elsewhere(),
            Reason::Around => {
                let fault = format!("`{shown}` is a variable of the function around this one, which does not see it");
                let help = "pass it as an argument";
                let note = errors::diagnostic(Code::CapturedVariable, span, fault, help);
                self.errors.late(note);
            }
            Reason::NoItem(ty) => {
                let Some(last) = path.path.segments.last() else { return };
                let of = self.tree.types.show(ty).to_string();
                self.errors.refuse(
                    Code::UnknownFunction,
                    last.ident.span(),
                    format_args!("vyre does not know `{of}::{}`", last.ident),
                    "functions and constants of types are not supported yet: write the code where it is called",
                );
            }
            Reason::Unmarked => {
                let help = match declared::nearest(&shown) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None if is_mathematical(&shown) => format!("write `core::f32::consts::{shown}`, or that of `f64`"),
                    None if self.is_nowhere(&path.path) => match cuda_names::of_others(&shown) {
                        Some(instead) => format!("write `{instead}`"),
                        None => "define or import a constant of this name, with `#[vyre::device]`".to_owned(),
                    },
                    None => "put `#[vyre::device]` on it".to_owned(),
                };
                let fault = format!("`{shown}` is not a device constant");
                self.errors.refuse_all(Code::NotDevice, path, fault, help);
            }
            Reason::Missing => self.errors.refuse_all(
                Code::NotInThisFile,
                path,
                format_args!("`{shown}` is not defined in this file"),
                "define the constant in the file of the kernel",
            ),
            Reason::Refused => {}
            _ => self.errors.mismatch(),
        }
    }

    /// A name that is neither a variable nor a constant.
    fn unknown_value(&mut self, path: &Path, whole: &Syntax, span: Span) {
        let names = spelled(path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let inner = match &names[..] {
            ["vyre", rest @ ..] => rest,
            names => names,
        };
        let (name, last) = (names.join("::"), names.last().copied().unwrap_or_default());
        let has_types = path.segments.iter().any(|segment| !segment.arguments.is_none());
        let is_shared = inner == ["shared"] && has_types && !matches!(self.leads_to(path), Outside::Found(..));
        let function = intrinsics::named(inner);
        let what = if self.is_device { "device function" } else { "kernel" };
        let (code, fault, help) = match (&names[..], cuda_names::instead(last)) {
            ([name @ "self"] | [name @ "Self", ..], _) => (
                Code::SelfName,
                format!("a kernel is a free function: it has no `{name}`"),
                match *name {
                    "self" => "take what it needs of it as parameters: `factor: f32`".to_owned(),
                    _ => "name the type, or define the constant inside the kernel".to_owned(),
                },
            ),
            ([only], Some(instead)) => (
                Code::UnknownFunction,
                format!("`{only}` is a name of CUDA C++"),
                format!("write `{instead}`"),
            ),
            ([.., ty, last], _) if is_capitalized(ty) && is_capitalized(last) && self.is_unmarked_enum(path) => (
                Code::UnknownType,
                format!("vyre does not know the enum `{ty}`"),
                format!("put `#[vyre::device]` on `{ty}`"),
            ),
            _ if is_shared => (
                Code::SharedBinding,
                "`shared` is a function, and it is not called here".to_owned(),
                "call it: `let tile = shared::<[f32; 256]>();`".to_owned(),
            ),
            // rustc warns of the statement `block::sync;`, and speaks of operators where a number is expected.
            _ if function.is_some() => (
                Code::Closure,
                format!("`{}` is a function, and it is not called here", inner.join("::")),
                format!("call it: `{}()`", inner.join("::")),
            ),
            _ if self.is_captured(path) => (
                Code::CapturedVariable,
                format!("`{last}` is a variable of the function around this {what}, which does not see it"),
                format!("take it as a parameter of the {what}, and pass it"),
            ),
            // One for all branches of a choice.
            _ if self.errors.has(Code::Closure) => return,
            _ => {
                let fault = format!("`{name}` is neither a variable nor a constant in upper case");
                let help = format!(
                    "call a function, `{name}(..)`, pass it on, or bind a closure that calls it; rename a constant"
                );
                return self.errors.conditional(Code::Closure, span, fault, help);
            }
        };
        match code {
            Code::SelfName | Code::SharedBinding => self.errors.refuse_all(code, whole, fault, help),
            _ => self.errors.refuse(code, span, fault, help),
        }
    }

    /// A function that is neither called nor an argument. The functions of a choice have one error.
    pub(super) fn function_as_value(&mut self, function: &str, span: Span) -> Expr {
        if !self.errors.has(Code::Closure) {
            self.errors.conditional(
                Code::Closure,
                span,
                format_args!("a kernel knows which function it calls: `{function}` is no value"),
                "call it, pass it on, or bind a closure that calls it: `let f = |x: f32| if c { first(x) } else { second(x) };`",
            );
        }
        self.refused(span)
    }

    /// True of a variable of the function around the item that is read.
    pub(super) fn is_captured(&self, path: &syn::Path) -> bool {
        let (Some(name), Some(item)) = (path.get_ident(), &self.item) else {
            return false;
        };
        let name = name.to_string();
        // An item in a function is indented.
        let may_be = !self.is_elsewhere && !self.names.complete && item.span().start().column > 3;
        may_be
            && !is_upper(&name)
            && !editor::is_here()
            && Surroundings::of(item).is_some_and(|around| around.captures(&name))
    }

    /// True if the type before the last name of a path, which is no constant's, lacks the attribute.
    fn is_unmarked_enum(&self, path: &syn::Path) -> bool {
        split(path).is_some_and(|(ty, last)| {
            !is_upper(&last.to_string()) && matches!(self.leads_to(&ty), Outside::Unmarked | Outside::Missing)
        })
    }

    /// Refuses a call of a function that one of vyre's modules lacks.
    fn no_intrinsic(&mut self, names: &[&str], call: &ExprCall, span: Span) {
        let is_whole = names.len() > 2;
        let names = names.strip_prefix(&["vyre"]).unwrap_or(names);
        let [module, function] = *names else { return };
        if module == "math" {
            self.exprs(&call.args);
            self.errors.refuse(
                Code::UnknownFunction,
                span,
                format_args!("there is no function `math::{function}`"),
                format_args!("it is a method: `x.{function}(..)`"),
            );
            return;
        }
        let name = format!("{module}::{function}");
        let mut known = Vec::from(SHARED);
        known.extend(FUNCTIONS.iter().map(|entry| entry.path));
        known.extend(collectives::FUNCTIONS.iter().map(|(path, _)| *path));
        let listed = |is_it: &dyn Fn(&str, &str) -> bool, mark: &str| {
            let mut found = Vec::new();
            for path in &known {
                let (of, name) = path.split_once("::").unwrap_or((path, ""));
                if is_it(of, name) {
                    found.push(format!("`{path}{mark}`"));
                }
            }
            found
        };
        let shown = listed(&|of, _| of == module, "").join(", ");
        let elsewhere = listed(&|_, name| name == function, "()").join(" or ");
        let help = match (cuda_names::of_module(&name), nearest(&name, &known)) {
            (Some(instead), _) => format!("write `{instead}`"),
            _ if module == "fast" => format!("write `x.{function}(..)`"),
            (None, Some(near)) => format!("did you mean `{near}()`?"),
            _ if !elsewhere.is_empty() => format!("did you mean {elsewhere}?"),
            _ if shown.is_empty() => {
                format!("vyre has nothing in `{module}`; a module of yours is named by its path: `self::{module}`")
            }
            _ if is_whole => format!("there are {shown}"),
            _ => format!("there are {shown}; a function of yours is called by its path: `self::{name}(..)`"),
        };
        let fault = format!("vyre has no function `{name}` yet");
        self.errors.refuse(Code::UnknownIntrinsic, span, fault, help);
    }

    /// Refuses a call of a function that may be the user's, or requests it.
    fn unknown_function(&mut self, names: &[&str], path: &Path, span: Span) {
        let is_of_type = names.len() > 1 && self.is_of_type(path);
        if is_of_type {
            if path.segments.iter().any(|it| !it.arguments.is_empty()) {
                // rustc would report the arguments of the type and the function.
                self.errors.hide();
            }
            let ty = names[names.len() - 2];
            let help = match advice::of_type(names) {
                Some(help) => help,
                None if atomic_cell(ty).is_some() => format!(
                    "an atomic is memory that threads share: take `&[{ty}]` as a parameter, or write `let counts = \
                     shared::<[{ty}; 1]>();`"
                ),
                None => match modules::path_of(ty).filter(|_| names.len() == 2) {
                    Some(path) => format!("import it: `use {path};`"),
                    None => format!(
                        "put `{ty}` and its `impl` into a module marked `#[vyre::device]`, or write the value out; on an \
                         alias put `#[vyre::device]`"
                    ),
                },
            };
            let fault = format!("`{}` is not a device function", names.join("::"));
            return self.errors.refuse(Code::NotDevice, span, fault, help);
        }
        if !matches!(self.leads_to(path), Outside::Elsewhere) {
            return self.refuse_device_function(path);
        }
        if let ["vyre", name] = *names {
            let help = cuda_names::of_mathematics(name)
                .or_else(|| Some(format!("write `{}`", cuda_names::instead(name)?)))
                .unwrap_or_else(|| "those of kernels are in modules: `thread::index()`, `block::sync()`".to_owned());
            let fault = format!("vyre has no function `{name}` yet");
            return self.errors.refuse(Code::UnknownIntrinsic, span, fault, help);
        }
        if matches!(names, ["vyre_primitives", function] if PRIMITIVES.contains(function)) {
            let fault = format!("`{}` {OF_THE_HOST}", names.join("::"));
            return self.errors.refuse(Code::NotDevice, span, fault, IN_A_KERNEL);
        }
        self.want(path);
    }

    /// The fault and the help where a path leads to a kernel.
    fn kernel_at(&self, path: &Path) -> Option<(String, &'static str)> {
        let name = plain(path.get_ident()?);
        let surroundings = self.item.as_ref().and_then(Surroundings::of)?;
        let is_kernel = surroundings.unmarked(&["fn"], &name)?.0 == "kernel";
        let (fault, help) = (
            format!("`{}` is a kernel, which the host launches", transport::text(path)),
            "move what both do to a `#[vyre::device]` function, which both call",
        );
        is_kernel.then_some((fault, help))
    }

    /// Refuses a path that leads to no device function.
    pub(super) fn refuse_device_function(&mut self, path: &Path) {
        let Some(last) = path.segments.last() else { return };
        if path.get_ident().is_some() && path.get_ident() == self.naming.as_ref() {
            return self.errors.refuse(
                Code::Recursion,
                last.ident.span(),
                format_args!("the closure `{}` does not see itself", last.ident),
                "write a loop, or keep a small array as a stack",
            );
        }
        let segments = spelled(path);
        let fault = format!("`{}` is not a device function", segments.join("::"));
        let cast = |name: &str| {
            Primitive::from_name(name)
                .map(Primitive::name)
                .or_else(|| meant(name).filter(|it| !it.starts_with('[') && !it.ends_with("f16")))
        };
        let help = match &segments[..] {
            [name] if cast(name).is_some() => cast(name).map(|it| {
                format!("to convert a number write `x as {it}`; on a function `{name}` put `#[vyre::device]`")
            }),
            [name]
                if PRIMITIVES.contains(&&**name) && self.file().is_some_and(|file| file.imports("vyre_primitives")) =>
            {
                let help = format!("one of `vyre_primitives` {OF_THE_HOST}: {IN_A_KERNEL}");
                Some(help)
            }
            [name] if MACROS.contains(&&**name) => Some(format!("write `{name}!(..)`, if the macro is meant")),
            [name] => cuda_names::of_mathematics(name)
                .or_else(|| declared::nearest(name).map(|meant| format!("did you mean `{meant}`?"))),
            _ => None,
        };
        let kernel = self.kernel_at(path);
        let (fault, help) = match (kernel, help) {
            (Some((fault, help)), _) => (fault, help.to_owned()),
            (None, Some(help)) => (fault, help),
            (None, None) => {
                let name = path.get_ident().map(ToString::to_string);
                let line = name.and_then(|name| self.file()?.unmarked(&["fn"], &name));
                let help = match line {
                    Some((_, line)) => format!("put `#[vyre::device]` on it, in line {line}"),
                    None => "define or import a function of this name, and put `#[vyre::device]` on it".to_owned(),
                };
                (fault, help)
            }
        };
        self.refuse_item(path, (Code::NotDevice, last.ident.span()), &fault, &help);
    }

    /// Refuses a call of a function that kernels do not support; false if it may be a device function defined elsewhere.
    pub(super) fn refuse_function(&mut self, names: &[&str], call: &ExprCall, whole: &Syntax) -> bool {
        let name = names.last().copied().unwrap_or_default();
        if names == [self.function.as_str()] {
            // A function that calls itself does so twice as a rule, and is told once.
            if !self.errors.has(Code::Recursion) {
                let what = if self.is_device { "device function" } else { "kernel" };
                self.errors.refuse_all(
                    Code::Recursion,
                    &call.func,
                    format_args!("a {what} does not call itself: a GPU thread has no stack to recurse on"),
                    "write a loop, or keep a small array as a stack",
                );
            }
            return true;
        }
        // Functions that exist: rustc has nothing to say about them.
        if let Some((code, fault, help)) = advice::of_std(names) {
            self.errors.refuse_all(code, &call.func, fault, help);
            return true;
        }
        let is_alone = names.len() == 1;
        // Those of `fast` have the names of functions of mathematics.
        let mut others = FUNCTIONS.iter().filter(|entry| !entry.path.starts_with("fast::"));
        let intrinsic = others.find(|entry| entry.path.rsplit("::").next() == Some(name));
        // The names of other methods, such as `wait`, are common names of functions, and so are those of functions of
        // mathematics.
        let is_method =
            is_alone && methods::on_which(name) & on::NUMBER != 0 && library::mathematics(name, on::FLOAT).is_none();
        let by_path = format!("a function of yours is called by its path: `self::{name}(..)`");
        let near = |name: &str, other: String| match declared::nearest(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => other,
        };
        let cuda = cuda_names::instead(name).filter(|_| is_alone);
        let (code, fault, help) = match (names, intrinsic) {
            (&[_], _) if MACROS.contains(&name) && self.file().is_some_and(|file| file.lacks(name)) => (
                Code::UnknownFunction,
                format!("`{name}` is a macro"),
                format!("write `{name}!(..)`"),
            ),
            _ if cuda.is_some() => (
                Code::UnknownFunction,
                format!("`{name}` is a name of CUDA C++"),
                format!("write `{}`; {by_path}", cuda.unwrap_or_default()),
            ),
            _ if is_method => {
                let method = match name {
                    // The function is an argument.
                    name if is_of_value(call) => {
                        let is_of_floats = methods::on_which(name) & on::FLOAT != 0;
                        format!("{}::{name}", if is_of_floats { "f32" } else { "u32" })
                    }
                    "pow" => "x.powf(y)`, `x.powi(n)`, and of integers `x.pow(n)".to_owned(),
                    name => format!("x.{name}(..)"),
                };
                (
                    Code::UnknownFunction,
                    format!("there is no function `{name}`"),
                    format!("it is a method: `{method}`; {by_path}"),
                )
            }
            (&[_], Some(entry)) => (
                Code::UnknownFunction,
                format!("vyre does not know the function `{name}`"),
                format!("write `{}()`, with its module; {by_path}", entry.path),
            ),
            ([.., ty, _], _) if Primitive::from_name(ty).is_some() => (
                Code::StandardFunction,
                format!("`{ty}::{name}` is not supported in a kernel"),
                match name {
                    "max_value" => format!("write `{ty}::MAX`"),
                    "min_value" => format!("write `{ty}::MIN`"),
                    _ => "a kernel has the arithmetic methods of the primitive types".to_owned(),
                },
            ),
            ([.., ty, _], _) if is_capitalized(name) && is_capitalized(ty) => (
                Code::UnknownType,
                format!("vyre does not know the enum `{ty}`"),
                near(ty, format!("put `#[vyre::device]` on `{ty}`")),
            ),
            _ if is_capitalized(name) => (
                Code::UnknownType,
                format!("vyre does not know the type `{name}`"),
                near(name, "put `#[vyre::device]` on the struct".to_owned()),
            ),
            _ if self.names.complete => {
                self.exprs(&call.args);
                let of_mathematics = cuda_names::of_mathematics(name).filter(|_| is_alone);
                (
                    Code::NotInThisFile,
                    format!("`{}` is not defined in this file", names.join("::")),
                    of_mathematics.unwrap_or_else(|| "define the device function in the file of the kernel".to_owned()),
                )
            }
            _ => {
                call.args.iter().for_each(|argument| self.argument_of_unknown(argument));
                return false;
            }
        };
        // A function of the user's that stands beside, or that an import names, may have the name of any other.
        let is_own = |file: Surroundings| file.item(&["fn"], name).is_some() || file.imports_own(name);
        if is_alone && self.file().is_some_and(is_own) {
            call.args.iter().for_each(|argument| self.argument_of_unknown(argument));
            return false;
        }
        let span = match super::expr::unparenthesised(&call.func) {
            Syntax::Path(path) => path.path.segments.last().map(|segment| segment.ident.span()),
            _ => None,
        };
        self.errors
            .refuse(code, span.unwrap_or(super::start(whole)), fault, help);
        true
    }
}

/// True of the call in the closure that a function becomes where it is an argument.
fn is_of_value(call: &ExprCall) -> bool {
    let Some(Syntax::Path(first)) = call.args.first() else {
        return false;
    };
    let name = first.path.get_ident();
    name.is_some_and(|name| name.to_string().starts_with("__vyre_"))
}
