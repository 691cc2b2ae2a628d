//! Calls of functions.

use syn::{Expr as Syntax, ExprCall, Path};

use super::expr::unparenthesised;
use super::outer_item::Outside;
use super::path::Meaning;
use super::tree::{Expr, ExprKind};
use super::unsupported::instead_of_std;
use super::{Binding, Reader, cuda_names};
use crate::editor;
use crate::errors::{Code, meant};
use crate::library;
use crate::library::intrinsics::{FUNCTIONS, MODULES, SHARED};
use crate::library::methods::{self, on};
use crate::modules;
use crate::resolve::names::plain;
use crate::resolve::source_scan::Surroundings;
use crate::resolve::{declared, transport};
use crate::surface::Primitive;
use crate::types::{Kind, NO_HALF, NO_HALF_HELP, atomic_cell, fragment};

/// Macros that are called as functions where the `!` is forgotten.
const MACROS: [&str; 14] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprintln",
    "matches",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
];

/// The functions of `vyre::primitives` that launch kernels, and `reduce`, which it lacks. Its others are of the device.
const PRIMITIVES: [&str; 20] = [
    "exclusive_sum",
    "gather_shards",
    "histogram",
    "histogram_even",
    "inclusive_sum",
    "max",
    "min",
    "product",
    "run_starts",
    "segmented_max",
    "segmented_min",
    "segmented_sum",
    "select",
    "sort",
    "sort_descending",
    "sort_pairs",
    "sort_pairs_descending",
    "sum",
    "unique",
    "reduce",
];

const OF_THE_HOST: &str = "is a function of the host, which launches kernels of its own";
const IN_A_KERNEL: &str = "call it between two launches; in a kernel write `block::sum(v)` or `warp::sum(v)`, or another function \
     of `vyre::block`";

impl Reader<'_> {
    pub(super) fn call(&mut self, call: &ExprCall, whole: &Syntax) -> Expr {
        let span = super::start(whole);
        let Syntax::Path(path) = unparenthesised(&call.func) else {
            if self.is_part_of_refused(&call.func) {
                return self.refused(span);
            }
            return self.refuse(
                Code::CalledExpression,
                &call.func,
                "a kernel calls functions by their names alone",
                "write the name of the function",
            );
        };
        let path = match self.meaning(path) {
            Meaning::Outside(path) => path,
            Meaning::Refused => {
                self.exprs(&call.args);
                return self.refused(span);
            }
            Meaning::Local(_) => {
                let callee = self.boxed(&call.func);
                let arguments = self.all_maybe_borrowed(&call.args);
                return Expr::new(ExprKind::Apply(callee, arguments), span);
            }
            Meaning::Constant(_) => return self.left_to_rustc(span),
        };
        let path = &*path;
        if path.qself.is_some() {
            if let Some(called) = self.associated_call(path, call, span) {
                return called;
            }
            return self.refuse(
                Code::TraitPath,
                &call.func,
                "paths through traits are not supported in a kernel",
                "call the method on the value: `x.abs()`",
            );
        }
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        let spelled = match &names[..] {
            ["vyre", rest @ ..] => rest,
            names => names,
        };
        if let [name] = names[..]
            && self.names.is_math()
            && let Some(function) = library::operation(name)
        {
            return Expr::new(ExprKind::Call(function, self.exprs(&call.args)), span);
        }
        if let Some(function) = SHARED
            .into_iter()
            .find(|path| path.split("::").eq(spelled.iter().copied()))
        {
            return self.refuse(
                Code::SharedBinding,
                whole,
                match function {
                    "shared" => "`shared` is the whole value of a `let`",
                    "shared::barriers" => "`shared::barriers` is the whole value of a `let`",
                    _ => "dynamic shared memory is the whole value of a `let`",
                },
                match function {
                    "shared" => "write `let tile = shared::<[f32; 256]>();`",
                    "shared::barriers" => "write `let full = shared::barriers::<2, 64>();`",
                    _ => "write `let tile = shared::dynamic::<f32>();`",
                },
            );
        }
        if let ["mma", ty, _] = spelled
            && let Some(role) = fragment::role(ty)
        {
            return self.fragment_call(role, &path.path, call, span);
        }
        if let [module, function] = spelled
            && let Some((function, arguments)) = library::collectives::find(&format!("{module}::{function}"))
        {
            return self.collective(function, arguments, path, call, span);
        }
        if let [module, function] = spelled
            && let name = format!("{module}::{function}")
            && (FUNCTIONS.iter().any(|entry| entry.path == name)
                || MODULES.contains(module) && !self.is_of_own_module(&path.path))
        {
            return self.intrinsic(&name, path, call, span);
        }
        if let ["math", function] = spelled
            && let Some(row) = library::mathematics(function, on::FLOAT)
            && !matches!(self.leads_to(&path.path), Outside::Found(..))
        {
            return self.math_call(row, path, call, span);
        }
        if let ["math", function] = spelled
            && library::mathematics(function, on::FLOAT).is_none()
            && (methods::find(function, on::FLOAT).is_some() || library::find(function, on::FLOAT).is_some())
            && !matches!(self.leads_to(&path.path), Outside::Found(..))
        {
            self.exprs(&call.args);
            self.errors.refuse(
                Code::UnknownFunction,
                path.path.segments.last().map_or(span, |last| last.ident.span()),
                format_args!("there is no function `math::{function}`"),
                format_args!("it is a method: `x.{function}(..)`"),
            );
            return self.refused(span);
        }
        if let ["fast" | "pipeline", _] = spelled
            && self.lacks_in_vyre(&path.path, spelled)
        {
            return self.intrinsic(&spelled.join("::"), path, call, span);
        }
        if let Some((whole, mutable)) = self.as_any_slice(&path.path, call) {
            let whole = self.maybe_borrowed(whole);
            return self.any_slice(whole, mutable, span);
        }
        if let Some(called) = self.core_call(&path.path, call, span) {
            return called;
        }
        if names.len() > 1
            && let Some(called) = self.associated_call(path, call, span)
        {
            return called;
        }
        match self.generic_primitive(&path.path) {
            Some(Ok(primitive)) => return self.on_primitive(primitive, names[1], call, whole),
            Some(Err(ty)) if self.tree.placeholder(ty).is_some() => {
                return self.function_of_parameter(ty, &path.path, call, span);
            }
            Some(Err(ty)) => {
                self.exprs(&call.args);
                // An undetermined type is reported by rustc.
                let is_open = matches!(self.tree.types.kind(ty), Kind::Unknown { .. } | Kind::Refused);
                return match (is_open, self.default_of(ty, span)) {
                    (false, Some(value)) if names[1] == "default" && call.args.is_empty() => value,
                    (false, _) => {
                        let (function, shown) = (names[1], self.tree.types.show(ty).to_string());
                        self.errors.refuse_all(
                            Code::UnknownFunction,
                            &call.func,
                            format_args!("vyre does not see the function `{function}` of `{shown}`"),
                            "pass the value, or call this for other types",
                        );
                        self.refused(span)
                    }
                    (true, _) => self.refused(span),
                };
            }
            None => {}
        }
        if let Some(primitive) = self.primitive_before(&path.path) {
            let function = names.last().copied().unwrap_or_default();
            return self.on_primitive(primitive, function, call, whole);
        }
        if let [.., "f16" | "bf16", _] = names[..] {
            self.exprs(&call.args);
            return self.refuse(Code::WideNumber, &call.func, NO_HALF, NO_HALF_HELP);
        }
        if let Some(invoked) = self.invoke(&path.path, call, span) {
            return invoked;
        }
        if let Some(made) = self.made_by_call(&path.path, call, span) {
            return made;
        }
        if let Some(refused) = self.variant(&path.path, span) {
            self.exprs(&call.args);
            return match refused.kind {
                // A variant without fields is not called.
                ExprKind::Make { .. } => self.left_to_rustc(span),
                _ => refused,
            };
        }
        if self.refuse_function(&names, call, whole) {
            return self.refused(span);
        }
        let of_type = match names[..] {
            [.., ty, _] if self.is_of_type(&path.path) => Some(ty),
            _ => None,
        };
        if of_type.is_some() && path.path.segments.iter().any(|it| !it.arguments.is_empty()) {
            // rustc would report the arguments of the type and the function.
            self.errors.hide();
        }
        match (of_type, self.leads_to(&path.path)) {
            (Some(ty), _) => self.errors.refuse(
                Code::NotDevice,
                path.path.segments.last().map_or(span, |segment| segment.ident.span()),
                format_args!("`{}` is not a device function", names.join("::")),
                match ty {
                    "Default" => "write the value out".to_owned(),
                    _ if names.last() == Some(&"default") => {
                        format!("write the value out, or put `{ty}` and an `impl Default` into a module marked `#[vyre::device]`")
                    }
                    "Option" => "of a `vyre::Maybe` write `maybe.get()`".to_owned(),
                    "SharedMemory" => {
                        "write `let tile = shared::<[f32; 256]>();`, or `shared::slice::<f32>(n)` for a length of the launch".to_owned()
                    }
                    "Array" => "write a local array: `let mut a = [0.0f32; 16];`".to_owned(),
                    "Device" | "DeviceBuffer" | "Stream" | "Event" | "View" | "ViewMut" | "Launch" => {
                        format!("`{ty}` belongs to the host, which launches the kernel")
                    }
                    ty if atomic_cell(ty).is_some() => format!(
                        "an atomic is memory that threads share: take `&[{ty}]` as a parameter, or write \
                         `let counts = shared::<[{ty}; 1]>();`"
                    ),
                    ty if modules::path_of(ty).is_some() && names.len() == 2 => {
                        format!("import it: `use {};`", modules::path_of(ty).unwrap_or_default())
                    }
                    ty => format!(
                        "put `{ty}` and its `impl` into a module marked `#[vyre::device]`, or write the value out; on an alias \
                         put `#[vyre::device]`"
                    ),
                },
            ),
            (None, Outside::Elsewhere) if names.len() == 2 && names[0] == "vyre" => self.errors.refuse(
                Code::UnknownIntrinsic,
                path.path.segments.last().map_or(span, |last| last.ident.span()),
                format_args!("vyre has no function `{}` yet", names[1]),
                cuda_names::of_mathematics(names[1])
                    .or_else(|| Some(format!("write `{}`", cuda_names::instead(names[1])?)))
                    .unwrap_or_else(|| {
                        "those of kernels are in modules: `thread::index()`, `block::sync()`".to_owned()
                    }),
            ),
            (None, Outside::Elsewhere) if self.is_of_primitives(&names) => {
                self.errors.refuse(
                    Code::NotDevice,
                    path.path.segments.last().map_or(span, |last| last.ident.span()),
                    format_args!("`{}` {OF_THE_HOST}", names.join("::")),
                    IN_A_KERNEL,
                );
            }
            (None, Outside::Elsewhere) => self.want(&path.path),
            _ => self.refuse_device_function(&path.path),
        }
        self.refused(span)
    }

    /// True of a function of `vyre::primitives` that launches kernels, by its path from `vyre`, or from `primitives` in a file
    /// that imports such a module.
    fn is_of_primitives(&self, names: &[&str]) -> bool {
        match names {
            ["vyre", "primitives", function] => PRIMITIVES.contains(function),
            ["primitives", function] => {
                PRIMITIVES.contains(function) && self.file().is_some_and(|file| file.imports_vyres("primitives"))
            }
            _ => false,
        }
    }

    /// True if an import of the file mentions a name.
    fn file_imports(&self, name: &str) -> bool {
        self.file().is_some_and(|file| file.imports(name))
    }

    /// True if the first name of a path, that of one of vyre's modules, may be the user's: vyre sees the function, or such a
    /// module stands beside the item, or is imported.
    fn is_of_own_module(&self, path: &Path) -> bool {
        let Some(first) = path.segments.first().filter(|first| first.ident != "vyre") else {
            return false;
        };
        let module = first.ident.to_string();
        let is_own = |file: Surroundings| file.item(&["mod"], &module).is_some() || file.imports_own(&module);
        self.names.has_module(&module)
            || matches!(self.leads_to(path), Outside::Found(..))
            || self.file().is_some_and(is_own)
    }

    /// True of a function that is not in the module of vyre's that the path surely leads to, and that has another spelling.
    fn lacks_in_vyre(&self, path: &Path, spelled: &[&str]) -> bool {
        let &[module, function] = spelled else { return false };
        let has_other = match module {
            "fast" => methods::find(function, on::FLOAT).is_some() || library::find(function, on::FLOAT).is_some(),
            _ => cuda_names::of_module(&spelled.join("::")).is_some(),
        };
        let is_there = |file: Surroundings| file.imports_vyres(module) || file.lacks(module);
        has_other && (path.segments[0].ident == "vyre" || self.file().is_some_and(is_there))
    }

    /// The file around the item, which an editor does not know.
    pub(super) fn file(&self) -> Option<Surroundings> {
        let item = self.item.as_ref().filter(|_| !editor::is_here());
        item.and_then(Surroundings::of)
    }

    /// True of an element or a field of what was refused.
    fn is_part_of_refused(&mut self, expr: &Syntax) -> bool {
        match unparenthesised(expr) {
            Syntax::Index(index) => self.is_part_of_refused(&index.expr),
            Syntax::Field(field) => self.is_part_of_refused(&field.base),
            Syntax::Path(path) => {
                let name = path.path.get_ident();
                name.is_some_and(|name| matches!(self.lookup(name), Some(Binding::Refused)))
            }
            _ => false,
        }
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
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
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
            [_, .., name] if PRIMITIVES.contains(&&**name) && self.file_imports("primitives") => {
                let help = format!("one of `vyre::primitives` {OF_THE_HOST}: {IN_A_KERNEL}");
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

    /// Refuses a call of a function that kernels do not support; false if it may be a device
    /// function defined elsewhere.
    pub(super) fn refuse_function(&mut self, names: &[&str], call: &ExprCall, whole: &Syntax) -> bool {
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
            [.., "Vec" | "Box" | "String" | "Rc" | "Arc" | "HashMap", _] => Some((
                Code::Allocation,
                format!(
                    "nothing allocates in a kernel, so there is no `{}`",
                    names[names.len() - 2]
                ),
                "use a local array, `[0.0f32; 16]`, or a slice parameter".to_owned(),
            )),
            ["drop"] | [.., "mem", "drop"] => Some((
                Code::StandardFunction,
                "there is nothing to drop in a kernel".to_owned(),
                "leave it out".to_owned(),
            )),
            [.., "size_of_val" | "align_of_val"] => Some((
                Code::StandardFunction,
                format!("`{name}` is not supported in a kernel"),
                "bind it outside, to a constant: `const SIZE: usize = size_of::<f32>();`".to_owned(),
            )),
            [.., "mem", "transmute"] => Some((
                Code::StandardFunction,
                "`transmute` is not supported in a kernel".to_owned(),
                "write `x.to_bits()`, `f32::from_bits(x)`, or a cast".to_owned(),
            )),
            [.., "Instant" | "SystemTime", "now"] => Some((
                Code::StandardFunction,
                "a kernel does not know the time".to_owned(),
                "count cycles by `thread::clock()`, or measure the launch on the host".to_owned(),
            )),
            [.., "process", "exit" | "abort"] => Some((
                Code::StandardFunction,
                "a kernel does not end the program".to_owned(),
                "write `return;`, or `panic!(..)`, which the host gets as an error".to_owned(),
            )),
            ["std" | "core", module, _] if instead_of_std(module, name).is_some() => Some((
                Code::StandardFunction,
                format!("`{}` is not supported in a kernel", names.join("::")),
                instead_of_std(module, name).unwrap_or_default().to_owned(),
            )),
            ["std" | "core", "sync", "atomic", "fence"] => Some((
                Code::StandardFunction,
                "a fence of a kernel has a scope".to_owned(),
                "write `grid::fence(Ordering::SeqCst)`, or `block::fence` or `system::fence`".to_owned(),
            )),
            ["std" | "core" | "alloc", ..] => Some((
                Code::StandardFunction,
                format!("`{}` is not supported in a kernel", names.join("::")),
                "a kernel has the methods of the primitive types, and none of the functions beside them".to_owned(),
            )),
            _ => None,
        };
        if let Some((code, fault, help)) = known {
            // A function that calls itself does so twice as a rule, and is told once.
            if code == Code::Recursion && self.errors.has(code) {
                return true;
            }
            self.errors.refuse_all(code, &call.func, fault, help);
            return true;
        }
        // Those of `fast` have the names of functions of mathematics.
        let mut others = FUNCTIONS.iter().filter(|entry| !entry.path.starts_with("fast::"));
        let intrinsic = others.find(|entry| entry.path.rsplit("::").next() == Some(name));
        let cuda = cuda_names::instead(name).filter(|_| names.len() == 1);
        let (code, fault, help) = match (names, intrinsic) {
            (&[_], _) if MACROS.contains(&name) && self.file().is_some_and(|file| file.lacks(name)) => (
                Code::UnknownFunction,
                format!("`{name}` is a macro"),
                format!("write `{name}!(..)`"),
            ),
            _ if cuda.is_some() => (
                Code::UnknownFunction,
                format!("`{name}` is a name of CUDA C++"),
                format!(
                    "write `{}`; a function of yours is called by its path: `self::{name}(..)`",
                    cuda.unwrap_or_default()
                ),
            ),
            // The names of other methods, such as `wait`, are common names of functions, and so are those of functions of
            // mathematics.
            (&[_], _)
                if methods::on_which(name) & on::NUMBER != 0 && library::mathematics(name, on::FLOAT).is_none() =>
            {
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
                    format!(
                        "it is a method: `{method}`; a function of yours is called by its path: `self::{name}(..)`"
                    ),
                )
            }
            (&[_], Some(entry)) => (
                Code::UnknownFunction,
                format!("vyre does not know the function `{name}`"),
                format!(
                    "write `{}()`, with its module; a function of yours is called by its path: `self::{name}(..)`",
                    entry.path
                ),
            ),
            ([.., ty, "max_value" | "min_value"], _) if Primitive::from_name(ty).is_some() => (
                Code::StandardFunction,
                format!("`{ty}::{name}` is not supported in a kernel"),
                format!("write `{ty}::{}`", name[..3].to_uppercase()),
            ),
            ([.., ty, _], _) if Primitive::from_name(ty).is_some() => (
                Code::StandardFunction,
                format!("`{ty}::{name}` is not supported in a kernel"),
                "a kernel has the arithmetic methods of the primitive types".to_owned(),
            ),
            ([.., ty, _], _) if name.starts_with(char::is_uppercase) && ty.starts_with(char::is_uppercase) => (
                Code::UnknownType,
                format!("vyre does not know the enum `{ty}`"),
                match declared::nearest(ty) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("put `#[vyre::device]` on `{ty}`"),
                },
            ),
            _ if name.starts_with(char::is_uppercase) => (
                Code::UnknownType,
                format!("vyre does not know the type `{name}`"),
                match declared::nearest(name) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "put `#[vyre::device]` on the struct".to_owned(),
                },
            ),
            _ if self.names.complete => {
                call.args
                    .iter()
                    .for_each(|argument| drop(self.maybe_borrowed(argument)));
                let of_mathematics = cuda_names::of_mathematics(name).filter(|_| names.len() == 1);
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
        if names.len() == 1 && self.file().is_some_and(is_own) {
            call.args.iter().for_each(|argument| self.argument_of_unknown(argument));
            return false;
        }
        let span = match unparenthesised(&call.func) {
            Syntax::Path(path) => path.path.segments.last().map(|segment| segment.ident.span()),
            _ => None,
        };
        let start = super::start(whole);
        self.errors.refuse(code, span.unwrap_or(start), fault, help);
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
