//! Name resolution: the meaning of a path as a function that is called or as a value.
//!
//! This is the one place that knows in which order names are looked up: the variables and items of the function, what
//! vyre and Rust define, the items of types, and items outside of the function. It words no message, which
//! [`unresolved`](super::unresolved) does, and reads no arguments. A claim that rustc confirms is noted with the meaning
//! that rests on it.

use std::borrow::Cow;

use syn::{Expr as Syntax, ExprPath, Item, ItemConst, ItemFn, PatIdent, Path};
use vyre_ir::ir::Role;

use super::assoc_path::{Associated, without_brackets};
use super::known_constant::{known, limit};
use super::obligations::Claim;
use super::outer_item::Outside;
use super::variant::Named;
use super::{Binding, Reader, closure, cuda_names};
use crate::editor;
use crate::library::intrinsics::{self, Entry, FUNCTIONS, MODULES, SHARED};
use crate::library::methods::{self, on};
use crate::library::{self, Row, collectives};
use crate::resolve::names::{Names, plain};
use crate::resolve::source_scan::Surroundings;
use crate::resolve::spelling::{is_capitalized, is_upper};
use crate::surface::Primitive;
use crate::types::{Ty, fragment};

/// The use of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// As the function of a call, with so many arguments.
    Call(usize),
    Value,
}

/// The meaning of a path.
pub(super) enum Res {
    Local(usize),
    /// A parameter that is a struct of slices.
    Bundle(usize),
    /// A constant of the function.
    Constant(usize),
    /// A constant of a primitive type.
    Number(Primitive, u128),
    Intrinsic(&'static Entry),
    /// An operation that the functions of mathematics are written in.
    Operation(&'static intrinsics::Function),
    /// A function of `vyre::math`.
    Math(&'static Row),
    /// A collective, and the number of its arguments.
    Collective(&'static str, usize),
    /// A function of the type of a fragment.
    Fragment(Role),
    /// A function that allocates shared memory.
    Shared(&'static str),
    /// `Slice::of`, or `Slice::of_mut` if true.
    AnySlice(bool),
    /// A function of `core`, with its row unless it asks for the layout of a type.
    Core(&'static str, Option<&'static Row>),
    /// An item of a user's type or trait.
    Associated(Associated),
    /// A function of a primitive type.
    Primitive(Primitive),
    /// An item of a generic parameter that is no primitive type.
    Parameter(Ty),
    Device(Box<ItemFn>, Names, u64),
    /// A struct or variant.
    Constructor(Named),
    /// A constant outside of the function.
    Outer(Box<ItemConst>, Names, u64),
    /// A constant whose value rustc supplies; true if nothing marks it.
    External(bool),
    Unresolved(Reason),
}

/// The reason why a path has no meaning.
#[derive(Clone, Copy)]
pub(super) enum Reason {
    /// Its definition was refused, or has been requested.
    Refused,
    /// The item was refused where it is defined.
    Elsewhere,
    /// rustc refuses it.
    Rustc,
    /// A variable of the function around this one.
    Around,
    /// A path through a trait.
    Trait,
    /// A function that a module of vyre's lacks.
    NoIntrinsic,
    /// A type of half precision without its feature.
    Half,
    /// An item that a type lacks, in a file that has all.
    NoItem(Ty),
    /// A constant without the attribute.
    Unmarked,
    /// A constant that is not in this file.
    Missing,
    /// An ordering of atomic accesses.
    Ordering,
    Unknown,
}

/// The meaning of a name in a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternName {
    Constant,
    Variant,
    Variable,
}

impl Reader<'_> {
    /// The meaning of a path, and the path where a `use` in the function has not brought it.
    pub(super) fn resolve<'p>(&mut self, path: &'p ExprPath, used: Use) -> (Cow<'p, ExprPath>, Res) {
        let path = match without_brackets(path) {
            Some(plain) => Cow::Owned(plain),
            None => Cow::Borrowed(path),
        };
        if let (Some(name), None) = (path.path.get_ident(), &path.qself) {
            let res = match self.lookup(name) {
                Some(Binding::Local(local)) => Some(Res::Local(local)),
                Some(Binding::Constant(constant)) => Some(Res::Constant(constant)),
                Some(Binding::Bundle(number)) => Some(Res::Bundle(number)),
                Some(Binding::Refused) => Some(Res::Unresolved(Reason::Refused)),
                Some(Binding::Around) => Some(Res::Unresolved(Reason::Around)),
                Some(Binding::Path(_)) | None => None,
            };
            if let Some(res) = res {
                return (path, res);
            }
        }
        let path = match self.imported(&path.path) {
            Some(imported) => Cow::Owned(ExprPath {
                path: imported,
                ..path.into_owned()
            }),
            None => path,
        };
        let res = self.resolve_outside(&path, used);
        (path, res)
    }

    /// The meaning of a path that names nothing of the function.
    fn resolve_outside(&mut self, path: &ExprPath, used: Use) -> Res {
        let names = spelled(&path.path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (called, last) = (used != Use::Value, names.last().copied().unwrap_or_default());
        if !called && matches!(names[0], "self" | "Self") && (names[0] == "Self" || names.len() == 1) {
            return Res::Unresolved(Reason::Unknown);
        }
        if called
            && path.qself.is_none()
            && let Some(res) = self
                .of_vyre(&path.path, &names)
                .or_else(|| self.of_core(&path.path, &names, used))
        {
            return res;
        }
        if (names.len() > 1 || path.qself.is_some())
            && let Some(item) = self.associated(path, if called { is_own_function } else { is_own_constant })
            && (called || !matches!(item, Associated::Trait(..)))
        {
            return Res::Associated(item);
        }
        if path.qself.is_some() {
            return Res::Unresolved(Reason::Trait);
        }
        if let Some(res) = self.of_primitive(&path.path, &names, called) {
            return res;
        }
        let calls_itself = called && names == [self.function.as_str()];
        if called && !calls_itself {
            match self.leads_to(&path.path) {
                Outside::Found(item, names, key) => {
                    if let Item::Fn(item) = &*item {
                        return Res::Device(Box::new(closure::named(item).into_owned()), names, key);
                    }
                }
                Outside::Refused => return Res::Unresolved(Reason::Elsewhere),
                Outside::Missing | Outside::Unmarked | Outside::Elsewhere => {}
            }
        }
        if let Some(res) = self.of_constructor(&path.path, called) {
            return res;
        }
        if !called
            && let [.., ty, _] = names[..]
            && let Some(primitive) = Primitive::from_name(ty)
            && methods::find(last, methods::receiver(primitive)).is_some()
        {
            return Res::Primitive(primitive);
        }
        let has_types = path.path.segments.iter().any(|segment| !segment.arguments.is_none());
        let is_of_cuda = names.len() == 1 && cuda_names::instead(last).is_some();
        match called || has_types || !is_upper(last) || is_of_cuda {
            true => Res::Unresolved(Reason::Unknown),
            false => self.outer_constant(&path.path),
        }
    }

    /// The function of vyre that a path names.
    fn of_vyre(&self, path: &Path, names: &[&str]) -> Option<Res> {
        let names = match names {
            ["vyre", rest @ ..] => rest,
            names => names,
        };
        if let [name] = *names
            && self.names.is_math()
            && let Some(function) = library::operation(name)
        {
            return Some(Res::Operation(function));
        }
        if let Some(function) = SHARED.into_iter().find(|it| it.split("::").eq(names.iter().copied())) {
            return Some(Res::Shared(function));
        }
        if let ["mma", ty, _] = *names
            && let Some(role) = fragment::role(ty)
        {
            return Some(Res::Fragment(role));
        }
        let [module, function] = *names else { return None };
        let name = format!("{module}::{function}");
        if let Some((function, arguments)) = collectives::find(&name) {
            return Some(Res::Collective(function, arguments));
        }
        if let Some(entry) = FUNCTIONS.iter().find(|entry| entry.path == name) {
            return Some(Res::Intrinsic(entry));
        }
        let is_own = || matches!(self.leads_to(path), Outside::Found(..));
        match module {
            _ if MODULES.contains(&module) => {
                (!self.is_of_own_module(path)).then_some(Res::Unresolved(Reason::NoIntrinsic))
            }
            "math" => match library::mathematics(function, on::FLOAT) {
                Some(row) => (!is_own()).then_some(Res::Math(row)),
                None => (is_method(function) && !is_own()).then_some(Res::Unresolved(Reason::NoIntrinsic)),
            },
            "fast" | "pipeline" => self
                .lacks_in_vyre(path, [module, function])
                .then_some(Res::Unresolved(Reason::NoIntrinsic)),
            _ => None,
        }
    }

    /// The function of `core`, or of vyre's `Slice`, that a path names, unless it leads to something of the user's.
    fn of_core(&mut self, path: &Path, names: &[&str], used: Use) -> Option<Res> {
        // Another number of arguments is that of a function of the user's.
        if used == Use::Call(1)
            && let Some(mutable) = self.any_slice_at(path)
        {
            return Some(Res::AnySlice(mutable));
        }
        let inner = match names {
            ["core" | "std", inner @ ..] => inner,
            inner => inner,
        };
        let res = match (library::core::of_type(inner), library::core::function(inner)) {
            (Some(known), _) => Res::Core(known, None),
            (None, Some((known, row))) => Res::Core(known, Some(row)),
            (None, None) => return None,
        };
        (!matches!(self.leads_to(path), Outside::Found(..))).then_some(res)
    }

    /// Something of a primitive type, or of a generic parameter.
    fn of_primitive(&mut self, path: &Path, names: &[&str], called: bool) -> Option<Res> {
        let last = names.last().copied()?;
        match self.generic_primitive(path) {
            Some(Err(ty)) => return Some(Res::Parameter(ty)),
            Some(Ok(primitive)) if called => return Some(Res::Primitive(primitive)),
            Some(Ok(primitive)) => match self.generic_constant(primitive, last) {
                Some((ty, bits)) => return Some(Res::Number(ty, bits)),
                None if methods::find(last, methods::receiver(primitive)).is_some() => {
                    return Some(Res::Primitive(primitive));
                }
                None => {}
            },
            None => {}
        }
        if called {
            return match (self.primitive_before(path), names) {
                (Some(primitive), _) => Some(Res::Primitive(primitive)),
                (None, [.., "f16" | "bf16", _]) => Some(Res::Unresolved(Reason::Half)),
                _ => None,
            };
        }
        let number = known(names).or_else(|| limit(self.primitive_before(path)?, last));
        let Some((primitive, bits)) = number else {
            let is_ordering = matches!(last, "Relaxed" | "Acquire" | "Release" | "AcqRel" | "SeqCst");
            return is_ordering.then_some(Res::Unresolved(Reason::Ordering));
        };
        self.claim(path, Claim::Known(primitive, bits));
        Some(Res::Number(primitive, bits))
    }

    /// The constant outside of the function that a path names.
    fn outer_constant(&mut self, path: &Path) -> Res {
        let name = path.get_ident();
        let is_nowhere = self.is_nowhere(path);
        let outside = self.leads_to(path);
        Res::Unresolved(match outside {
            Outside::Found(item, names, key) => match *item {
                Item::Const(item) => return Res::Outer(Box::new(item), names, key),
                _ => Reason::Rustc,
            },
            Outside::Refused => Reason::Elsewhere,
            // A variable that is misspelt: rustc knows the others.
            Outside::Elsewhere | Outside::Unmarked
                if is_nowhere && !name.is_some_and(|name| is_capitalized(&name.to_string())) =>
            {
                Reason::Rustc
            }
            // Its tokens say more than the value that rustc writes into finished PTX: the optimiser sees them.
            Outside::Elsewhere if self.is_device || self.is_item(path) => {
                self.want(path);
                Reason::Refused
            }
            // rustc says of the type of a parameter that it is misspelt.
            Outside::Unmarked if self.is_device || self.launcher.is_none() && is_nowhere => Reason::Unmarked,
            Outside::Missing => Reason::Missing,
            // A crate by itself is no value.
            _ if path.leading_colon.is_some() && path.segments.len() == 1 => Reason::Rustc,
            Outside::Elsewhere => return Res::External(false),
            Outside::Unmarked => return Res::External(true),
        })
    }

    /// True of a name that surely nothing around this item has.
    pub(super) fn is_nowhere(&self, path: &Path) -> bool {
        path.get_ident()
            .is_some_and(|name| self.file().is_some_and(|around| around.lacks(&plain(name))))
    }

    /// True if a path leads to an item of a module, as far as can be told: what a type has cannot be imported.
    fn is_item(&self, path: &Path) -> bool {
        let is_module = |segment: &syn::PathSegment| {
            !is_capitalized(&segment.ident.to_string()) && Primitive::from_name(&segment.ident.to_string()).is_none()
        };
        let mut segments = path.segments.iter();
        segments.next_back().is_some() && segments.all(is_module) && !self.is_of_type(path)
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
    fn lacks_in_vyre(&self, path: &Path, [module, function]: [&str; 2]) -> bool {
        let has_other = match module {
            "fast" => is_method(function),
            _ => cuda_names::of_module(&format!("{module}::{function}")).is_some(),
        };
        let is_there = |file: Surroundings| file.imports_vyres(module) || file.lacks(module);
        has_other && (path.segments[0].ident == "vyre" || self.file().is_some_and(is_there))
    }

    /// The file around the item, which an editor does not know.
    pub(super) fn file(&self) -> Option<Surroundings> {
        let item = self.item.as_ref().filter(|_| !editor::is_here());
        item.and_then(Surroundings::of)
    }

    /// The meaning of a name alone in a pattern. Where no item is in sight, the case of its letters decides.
    pub(super) fn pattern_name(&mut self, name: &PatIdent) -> PatternName {
        let is_constant = matches!(self.lookup(&name.ident), Some(Binding::Constant(_) | Binding::Path(_)));
        let text = name.ident.to_string();
        let begins = is_capitalized(&text);
        let may_be_value = !begins || !self.is_type_alone(&name.ident);
        if name.mutability.is_none() && (is_constant || is_upper(&text) && may_be_value) {
            return PatternName::Constant;
        }
        match begins && may_be_value {
            true => PatternName::Variant,
            false => PatternName::Variable,
        }
    }
}

/// A path as an expression.
pub(super) fn value(path: Path) -> Syntax {
    let (attrs, qself) = (Vec::new(), None);
    Syntax::Path(ExprPath { attrs, qself, path })
}

/// The names of a path.
pub(super) fn spelled(path: &Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// True if the last name of a path is one that functions have.
pub(super) fn is_function(path: &Path) -> bool {
    path.segments
        .last()
        .is_some_and(|last| !is_capitalized(&last.ident.to_string()))
}

/// True of a method of floats.
fn is_method(name: &str) -> bool {
    methods::find(name, on::FLOAT).is_some() || library::find(name, on::FLOAT).is_some()
}

fn is_own_function(primitive: Primitive, name: &str) -> bool {
    let on = methods::receiver(primitive);
    methods::find(name, on).is_some()
        || library::find(name, on).is_some()
        || ["from", "from_bits", "default"].contains(&name)
}

fn is_own_constant(primitive: Primitive, name: &str) -> bool {
    limit(primitive, name).is_some()
}
