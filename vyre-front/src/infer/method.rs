//! Inference of method calls.

use proc_macro2::Ident;

use super::Inference;
use super::library_call::COMPARES;
use crate::errors::{Code, nearest};
use crate::library::group_methods::OfGroup;
use crate::library::intrinsics::{self, Entry};
use crate::library::methods::{self, Does, Gives, Takes, of_width, on};
use crate::library::{self, Row};
use crate::resolve::names::Names;
use crate::surface::Primitive;
use crate::syntax::obligations::{Method, Obligation};
use crate::syntax::tree::{Argument, Callable, Expr, ExprKind, MethodCall, Origin};
use crate::syntax::{self, Receiver, missing};
use crate::types::adt::{OPTION, ORDERING, RESULT};
use crate::types::group::Group;
use crate::types::{Kind, Ty, atomic_name, fragment};

impl Inference<'_> {
    pub(super) fn method(&mut self, expr: &mut Expr) -> Ty {
        let ExprKind::Method(call) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        let place = self.place;
        let mut receiver_ty = self.expr(&mut call.receiver, None);
        if let Some(primitive) = call.on {
            let found = self.through_reference_of(&mut call.receiver, receiver_ty);
            self.agree(found, Ty::primitive(primitive));
            receiver_ty = Ty::primitive(primitive);
        }
        if let Kind::Fragment(..) = self.tree.types.kind(self.tree.types.referent(receiver_ty))
            && fragment::METHODS.contains(&&*call.name.to_string())
            && let Some(ty) = self.fragment_method(expr, receiver_ty)
        {
            return ty;
        }
        let ExprKind::Method(call) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        if call.is_math {
            return self.math_call(expr, receiver_ty, place);
        }
        let name = call.name.to_string();
        let inner = self.tree.types.referent(receiver_ty);
        if let Kind::Group(group, _) = *self.tree.types.kind(inner)
            && let Some(does) = group.method(&name)
        {
            return self.of_group(expr, inner, does);
        }
        let general = self.tree.placeholder(inner).map(|it| it.kind(&name));
        let (kind, primitive) = match self.tree.types.kind(inner) {
            _ if general.is_some() => (general.unwrap_or(0), None),
            Kind::Primitive(primitive) => (methods::receiver(*primitive), Some(*primitive)),
            // A literal without suffix only has methods of traits.
            Kind::Integer => (on::LITERAL, None),
            Kind::Array(..) | Kind::Slice(..) => (on::SEQUENCE, None),
            Kind::Matrix(..) => (on::MATRIX, None),
            Kind::Fragment(..) if name == "len" => (on::SEQUENCE, None),
            Kind::Atomic(cell) => (on::ATOMIC, Some(*cell)),
            Kind::Barrier => (on::BARRIER, None),
            Kind::Group(Group::Tile, _) => (on::TILE, None),
            _ => match self.tree.types.adt(inner).map(|of| of.key) {
                Some(OPTION) => (on::OPTION, None),
                Some(RESULT) => (on::RESULT, None),
                Some(ORDERING) => (on::ORDERING, None),
                _ => (0, None),
            },
        };
        let method = methods::find(&name, kind);
        let row = match method {
            None => library::find(&name, kind),
            Some(_) => None,
        };
        if (call.on.is_none() && !self.is_undetermined(inner) || call.by.is_some())
            && let Some(ty) = self.own_method(expr, receiver_ty, method.is_some() || row.is_some())
        {
            return ty;
        }
        if let (ExprKind::Method(call), true) = (&expr.kind, method.is_some() || row.is_some())
            && call.on.is_none()
        {
            let name = call.name.clone();
            self.known_method(&name, receiver_ty, kind, row);
        }
        if let Some(row) = row {
            return self.library_method(expr, row, receiver_ty);
        }
        let ExprKind::Method(call) = &mut expr.kind else {
            return Ty::REFUSED;
        };
        let Some(method) = method else {
            if general.is_some() {
                return self.placeholder_method(expr, receiver_ty);
            }
            let is_own = call.by.is_none() && self.tree.types.home(inner).is_some();
            let other = methods::of_others(&name).filter(|other| {
                is_own && !syntax::candidates(self.tree, self.errors, &[inner], None, other).is_empty()
            });
            match self.tree.types.kind(inner) {
                // An imported constant, whose type is requested at the end.
                Kind::Unknown { .. } if !self.is_undetermined(inner) => {}
                // rustc requires the type of the receiver, unless a trait in scope, as vyre's `Float`, has the method.
                Kind::Unknown { .. } | Kind::Integer | Kind::Float => {
                    self.errors.conditional(
                        Code::UnknownMethod,
                        call.name.span(),
                        format_args!("the type of this value is not known where its method `{name}` is called"),
                        "write it: `2.0f32` in place of `2.0`, or `let x: f32 = ..;`",
                    );
                }
                Kind::Refused => {}
                _ if other.is_some() => {
                    let fault = format!("`{}` has no method `{name}`", self.tree.types.show(inner));
                    let help = format!("write `{}()`", other.unwrap_or_default());
                    self.errors.refuse(Code::UnknownMethod, call.name.span(), fault, help);
                }
                _ if call.by.is_some() || self.tree.types.home(inner).is_some_and(Names::is_device_mod) => {
                    let note = format!("`{name}` of `{}`", self.tree.types.show(inner));
                    missing(&note, call.name.span(), self.errors);
                }
                _ if self.is_iterated(&call.receiver) => {
                    let fault = format!("a kernel does not loop over `{}`", self.tree.types.show(inner));
                    let (span, code) = (call.receiver.span, Code::LoopRange);
                    match kind {
                        on::OPTION | on::RESULT => self.errors.refuse(code, span, fault, "write `if let Some(v) = x`"),
                        // rustc says of other types that they are no iterators.
                        _ => {
                            let help = "loop over a range, an array or a slice";
                            self.errors.conditional(code, span, fault, help);
                        }
                    }
                }
                _ if self.tree.types.home(inner).is_some() => {
                    let shown = self.tree.types.show(inner).to_string();
                    let help = format!("put `{shown}` and its `impl` into a module marked `#[vyre::device]`");
                    let fault = format!("vyre sees no method `{name}` of `{shown}`");
                    self.errors.refuse(Code::UnknownMethod, call.name.span(), fault, help);
                }
                _ if self.hidden_module(&call.receiver, &name).is_some() => {
                    let module = self.hidden_module(&call.receiver, &name).unwrap_or_default();
                    self.errors.refuse(
                        Code::UnknownMethod,
                        call.name.span(),
                        format_args!("`{module}` is a variable here, and has no method `{name}`"),
                        format_args!("rename the variable, and write `{module}::{name}()`"),
                    );
                }
                _ if methods::is_of_collections(&name) && self.tree.types.as_primitive(inner).is_some()
                    || methods::takes_length(&name) && call.arguments.is_empty() =>
                {
                    let fault = format!("a kernel has no method `{name}` of `{}`", self.tree.types.show(inner));
                    let help = methods::instead(&name).unwrap_or_default();
                    self.errors
                        .conditional(Code::UnsupportedMethod, call.name.span(), fault, help);
                }
                _ if !self.tree.has_groups && !fragment::METHODS.contains(&&*name) && !methods::knows(&name) => {
                    let on = Some(kind).filter(|&kind| kind != 0);
                    syntax::unknown_method(&call.name, on, self.errors);
                }
                _ => {
                    let shown = self.tree.types.show(inner).to_string();
                    let of_group = match self.tree.types.kind(inner) {
                        Kind::Group(group, _) => Some(group.methods()),
                        Kind::Fragment(..) => Some(
                            "fragments have `len`, `row` and `column`, those of `mma::C` also `store` and `store_transposed`",
                        ),
                        _ => None,
                    };
                    let near = nearest(&name, &methods::names(Some(kind)));
                    let owners = methods::on_which(&name);
                    let before = scope_behind(&name, &call.receiver);
                    let help = match (of_group.or(methods::instead(&name)), near) {
                        _ if before.is_some() => before.unwrap_or_default(),
                        (Some(help), _) => help.to_owned(),
                        _ if name == "pow" && kind & (on::FLOAT | on::HALF) != 0 => {
                            "write `powi(n)` with an integer, or `powf(y)`".to_owned()
                        }
                        _ if name == "cmp" && kind & (on::FLOAT | on::HALF) != 0 => {
                            "compare by `<` and `>`, or write `total_cmp(&y)`".to_owned()
                        }
                        _ if kind == on::HALF && owners & on::FLOAT != 0 => {
                            format!("compute it in `f32`: `{shown}::from_f32(x.to_f32().{name}(..))`")
                        }
                        _ if kind & on::NUMBER != 0 && methods::cast(&name).is_some() => {
                            format!("write `x as {}`", methods::cast(&name).map_or("", Primitive::name))
                        }
                        _ if owners == 0 => methods::IN_ALL.to_owned(),
                        (None, Some(near)) if near != name => format!("did you mean `{near}`?"),
                        _ => match self.tree.types.as_primitive(inner) {
                            Some(cell) if owners == on::ATOMIC => {
                                format!("`{name}` is a method of atomics: take `&[{}]`", atomic_name(cell))
                            }
                            _ if kind & on::ATOMIC != 0
                                && methods::names(Some(kind)).contains(&&*format!("fetch_{name}")) =>
                            {
                                format!("write `fetch_{name}(value, Ordering::Relaxed)`")
                            }
                            _ => format!("`{name}` is a method of {}", methods::owners(owners)),
                        },
                    };
                    let (code, span) = (Code::UnknownMethod, call.name.span());
                    let fault = format!("in a kernel `{shown}` has no method `{name}`");
                    match help == methods::IN_ALL {
                        true => self.errors.conditional(code, span, fault, help),
                        // rustc does not know what is written in its place.
                        false if !self.errors.is_left_to_rustc() => self.errors.refuse(code, span, fault, help),
                        false => {}
                    }
                }
            }
            for argument in &mut call.arguments {
                if let Argument::Value(value) = argument {
                    self.expr(value, None);
                    // A closure is no second fault.
                    value.ty = Ty::REFUSED;
                }
            }
            return Ty::REFUSED;
        };
        call.method = Some(method);
        let written = std::mem::take(&mut call.types);
        if written.len() > usize::from(method.gives == Gives::Number(None)) {
            self.errors.mismatch();
        }
        let writes = matches!(method.gives, Gives::Row(true) | Gives::Element(true) | Gives::Same);
        if method.on == on::MATRIX && writes && !self.tree.types.is_written(receiver_ty) {
            self.errors.mismatch();
        }
        if let Does::Atomic(_) | Does::AtomicNot | Does::Update = method.does {
            take_scope(call);
        }
        // The target of the receiver: methods of numbers auto-dereference.
        let same = match (primitive, self.tree.types.kind(inner)) {
            (Some(primitive), Kind::Atomic(_)) if primitive.scalar().is_half() => {
                self.tree.types.add(Kind::Array(Ty::primitive(primitive), 2))
            }
            (Some(primitive), _) => Ty::primitive(primitive),
            // The payload of `Some` or `Ok`.
            (None, _) => self
                .tree
                .types
                .as_tagged(inner)
                .map_or(inner, |of| of.arguments.first().copied().unwrap_or(inner)),
        };
        if method.does == Does::AtomicNot && same != Ty::BOOL {
            self.errors.mismatch();
        }
        if method.on & on::LITERAL != 0 && call.on.is_none() {
            // Rust finds the trait's method on the reference itself, which then wants references.
            if matches!(self.tree.types.kind(receiver_ty), Kind::Reference(..)) {
                self.errors.mismatch();
            }
        }
        if kind & (on::NUMBER | on::HALF) != 0 || kind == on::LITERAL {
            self.through_reference_of(&mut call.receiver, receiver_ty);
        }
        if call.arguments.len() != method.takes.len() {
            self.errors.mismatch();
        }
        for (argument, takes) in call.arguments.iter_mut().zip(method.takes) {
            match (argument, takes) {
                (Argument::Order(..), Takes::Order) => {}
                (Argument::Value(value), Takes::Order) => {
                    let ty = self.expr(value, None);
                    if matches!(self.tree.types.kind(ty), Kind::Refused) {
                        continue;
                    }
                    self.refuse(
                        Code::AtomicOrder,
                        value.span,
                        "the ordering of an atomic access is a literal argument",
                        "write `Ordering::Relaxed` or another by its name",
                    );
                }
                (Argument::Text(_), Takes::Text) => {}
                (Argument::Value(value), Takes::Text) => {
                    self.expr(value, None);
                    if matches!(value.whole().kind, ExprKind::Refused) {
                        continue;
                    }
                    self.refuse(
                        Code::Text,
                        value.span,
                        "the message of `expect` is a string literal",
                        "write a text: `x.expect(\"a root\")`",
                    );
                }
                (Argument::Value(value), Takes::Place) => self.cell(value),
                (Argument::Value(value), Takes::Update) => self.update(value, same),
                (Argument::Order(..) | Argument::Text(_), _) => self.errors.mismatch(),
                (Argument::Value(value), takes) => {
                    let found = self.expr(value, None);
                    let expected = match takes {
                        Takes::U32 => Ty::U32,
                        Takes::Usize => Ty::USIZE,
                        Takes::Token => self.tree.types.add(Kind::Token),
                        _ => same,
                    };
                    self.agree(found, expected);
                }
            }
        }
        self.check_orders(call);
        if method.does == Does::Wait {
            self.check_token(call);
        }
        match method.gives {
            Gives::Same => same,
            Gives::Bool => Ty::BOOL,
            Gives::Token => self.tree.types.add(Kind::Token),
            Gives::U32 => Ty::U32,
            Gives::U64 => Ty::primitive(Primitive::U64),
            Gives::U128 => Ty::primitive(Primitive::U128),
            Gives::Usize => Ty::USIZE,
            Gives::Unsigned => primitive.map_or(Ty::REFUSED, |it| Ty::primitive(of_width(it, false))),
            Gives::Number(of) => match of.map(Ty::primitive).or(written.first().copied()) {
                Some(to) => to,
                None => self.tree.types.unknown(),
            },
            Gives::Unit => Ty::UNIT,
            Gives::Element(mutable) | Gives::Sought(mutable) => match *self.tree.types.kind(inner) {
                Kind::Array(element, _) | Kind::Slice(element, _) | Kind::Matrix(element, _) => {
                    let element = self.tree.types.add(Kind::Reference(element, mutable));
                    match method.does {
                        Does::Seek => self.tree.types.option(element),
                        _ => element,
                    }
                }
                _ => Ty::REFUSED,
            },
            Gives::Row(mutable) => match *self.tree.types.kind(inner) {
                Kind::Matrix(element, _) => {
                    let row = self.tree.types.add(Kind::Slice(element, false));
                    self.tree.types.add(Kind::Reference(row, mutable))
                }
                _ => Ty::REFUSED,
            },
            Gives::Matrix => match *self.tree.types.kind(inner) {
                Kind::Matrix(element, _) => self.tree.types.add(Kind::Matrix(element, false)),
                _ => Ty::REFUSED,
            },
            Gives::Receiver => self.tree.types.add(Kind::Reference(inner, false)),
            Gives::Exchanged => self.tree.types.result(same, same),
        }
    }

    /// The module of vyre's that a variable of its name hides where this function of the module is called.
    fn hidden_module(&self, receiver: &Expr, function: &str) -> Option<&'static str> {
        let ExprKind::Local(local) = receiver.kind else {
            return None;
        };
        let name = &self.tree.locals[local].name;
        let module = *intrinsics::MODULES.iter().find(|module| name == *module)?;
        let is_called = |entry: &Entry| entry.path.split_once("::") == Some((module, function));
        intrinsics::FUNCTIONS.iter().any(is_called).then_some(module)
    }

    /// True of the hidden variable that a loop goes through.
    fn is_iterated(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Local(local) if self.tree.locals[local].origin == Origin::Iterated)
    }

    /// A method of a group of this type.
    fn of_group(&mut self, expr: &mut Expr, ty: Ty, does: OfGroup) -> Ty {
        let span = expr.span;
        let ExprKind::Method(call) = expr.kind.take() else {
            return Ty::REFUSED;
        };
        let mut arguments = Vec::new();
        for argument in call.arguments {
            match argument {
                Argument::Value(value) => arguments.push(value),
                Argument::Order(..) | Argument::Text(_) => self.errors.mismatch(),
            }
        }
        if arguments.len() != does.arguments() {
            self.errors.mismatch();
            return Ty::REFUSED;
        }
        let result = match does {
            OfGroup::Lane | OfGroup::Index | OfGroup::Size => Ty::USIZE,
            OfGroup::Sync | OfGroup::Arrive => Ty::UNIT,
            OfGroup::Call(function) => self.intrinsic(function, &mut arguments),
        };
        let mut group = call.receiver;
        // Through references: only the type counts.
        while let ExprKind::Borrow(place, _) = group.kind {
            group = *place;
        }
        group.ty = ty;
        arguments.insert(0, group);
        *expr = Expr::call(Callable::Group(does), arguments, span);
        result
    }

    /// A method of a number reads through any reference to it.
    pub(super) fn through_reference_of(&mut self, operand: &mut Expr, mut ty: Ty) -> Ty {
        while let Kind::Reference(inner, _) = *self.tree.types.kind(ty) {
            ty = self.referent_of(operand, inner);
        }
        ty
    }

    /// Reads through references to references, until one is left.
    pub(super) fn through_outer_references(&mut self, operand: &mut Expr, mut ty: Ty) {
        while let Kind::Reference(inner, _) = *self.tree.types.kind(ty)
            && self.tree.types.is_reference(inner)
        {
            ty = self.referent_of(operand, inner);
        }
    }

    /// Puts what a reference refers to in its place.
    pub(super) fn referent_of(&mut self, operand: &mut Expr, inner: Ty) -> Ty {
        let reference = operand.take();
        operand.kind = ExprKind::Deref(Box::new(reference));
        operand.ty = inner;
        inner
    }

    /// Notes a method that Rust has, on receivers of this kind; with its row, if it is written in Rust.
    pub(super) fn known_method(&mut self, name: &Ident, receiver: Ty, kind: u16, row: Option<&Row>) {
        let compares = row.is_some_and(|row| COMPARES.contains(&row.name()));
        let takes = match (kind, row) {
            (on::ATOMIC | on::BARRIER | on::MATRIX, _) => return,
            // References have these themselves, which compare what they refer to.
            _ if compares && name != "total_cmp" && self.tree.types.is_reference(receiver) => return,
            _ if compares => Receiver::Shared,
            (_, Some(row)) if row.source.contains("(this: &mut ") => Receiver::Mutable,
            (_, Some(row)) if row.source.contains("(this: &") => Receiver::Shared,
            (on::SEQUENCE, None) if name.to_string().ends_with("_mut") => Receiver::Mutable,
            (on::SEQUENCE, None) => Receiver::Shared,
            (on::OPTION | on::RESULT, None) if name.to_string().starts_with("is_") => Receiver::Shared,
            _ => Receiver::Value,
        };
        // If rustc considers the value itself first, it finds the method there.
        if takes != Receiver::Value || matches!(self.tree.types.kind(receiver), Kind::Reference(..)) {
            self.tree.oblige(Obligation::Method(Method {
                name: name.clone(),
                on: receiver,
                takes,
                of_trait: None,
            }));
        }
    }
}

/// Takes the scope of an access off its receiver.
fn take_scope(call: &mut MethodCall) {
    while let ExprKind::Method(inner) = &mut call.receiver.kind
        && let Some(Does::Scope(scope)) = inner.method.map(|method| method.does)
    {
        // The last one counts, and is the first one here.
        call.scope.get_or_insert(scope);
        call.receiver = inner.receiver.take();
    }
}

/// The advice for the scope of an atomic access that stands behind it: `n[i].load(..).in_block()`.
fn scope_behind(name: &str, receiver: &Expr) -> Option<String> {
    let ExprKind::Method(access) = &receiver.kind else {
        return None;
    };
    let is_access =
        matches!(name, "in_block" | "in_system") && methods::on_which(&access.name.to_string()) == on::ATOMIC;
    is_access.then(|| format!("the scope comes first: `x[i].{name}().{}(..)`", access.name))
}
