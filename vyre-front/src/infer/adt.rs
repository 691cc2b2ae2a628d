//! Inference of structs and enums: values, variants and fields.

use proc_macro2::Ident;
use vyre_ir::ir::{Axis, Builtin};

use super::Inference;
use crate::errors::{Code, nearest};
use crate::resolve::names::plain;
use crate::surface::Primitive;
use crate::syntax;
use crate::syntax::tree::{Callable, Expr, ExprKind};
use crate::types::adt::{ARRAY, Case, LEAST, from_begin};
use crate::types::{Kind, Ty};

/// The advice for a field of a slice or a number, which have none.
fn instead_of_field(of: &Kind, name: &Ident) -> Option<&'static str> {
    let is = |names: &[&str]| names.iter().any(|known| name == known);
    match of {
        Kind::Slice(..) | Kind::Array(..) if is(&["length", "len", "size", "count"]) => Some("write `len()`"),
        Kind::Primitive(Primitive::Usize) if is(&["x", "y", "z"]) => Some(
            "`thread::index()` is one number; along axes there are `thread::index_2d()`, `thread::idx()` and `block::idx()`",
        ),
        _ => None,
    }
}

impl Inference<'_> {
    /// `.0` of a tuple or struct.
    pub(super) fn numbered(&mut self, base: &Expr, base_ty: Ty, number: usize) -> Ty {
        let of = self.tree.types.referent(base_ty);
        if *self.tree.types.kind(of) == Kind::Refused {
            return Ty::REFUSED;
        }
        let field = self.tree.types.adt(of).and_then(|of| of.fields().get(number));
        // Those of other structs are not called by numbers.
        match field.filter(|field| field.name == number.to_string()) {
            Some(field) => field.ty,
            None => self.no_part(base),
        }
    }

    /// `.name` of a struct or an index.
    pub(super) fn member(&mut self, expr: &mut Expr) -> Ty {
        let span = expr.span;
        let ExprKind::Member(mut base, name) = expr.kind.take() else {
            return Ty::REFUSED;
        };
        let base_ty = self.expr(&mut base, None);
        let of = self.tree.types.referent(base_ty);
        match (self.tree.types.kind(of), self.tree.types.as_struct(of)) {
            (Kind::Index3, _) => {
                if let Some(axis) = ["x", "y", "z"].iter().position(|axis| name == axis) {
                    let axes = axis as u32 + 1;
                    self.axes = self.axes.max(axes);
                    let values = base.kind.along_axes().map(|values| values(Axis::X));
                    if let Some(Builtin::BlockIndex(_)) = values
                        && axes > self.tree.grid_axes.0
                    {
                        self.tree.grid_axes = (axes, Some(name.span()));
                    }
                    *expr = Expr::call(Callable::Axis(axis as u32), vec![*base], span);
                    return Ty::USIZE;
                }
            }
            (_, Some(defined)) => {
                if let Some(field) = defined.field(&name) {
                    let ty = defined.fields()[field as usize].ty;
                    *expr = Expr::new(ExprKind::Field(base, field), span);
                    return ty;
                }
            }
            (Kind::Refused, None) => return Ty::REFUSED,
            (kind, None) => {
                let Some(help) = instead_of_field(kind, &name) else {
                    return self.no_part(&base);
                };
                let fault = format!("`{}` has no field `{name}`", self.tree.types.show(of));
                self.errors.refuse(Code::UnknownField, name.span(), fault, help);
                return Ty::REFUSED;
            }
        }
        self.unknown_field(of, &name);
        Ty::REFUSED
    }

    fn unknown_field(&mut self, of: Ty, name: &Ident) {
        let methods = syntax::candidates(self.tree, self.errors, &[of], None, &plain(name));
        let known: Vec<&str> = match self.tree.types.as_struct(of) {
            Some(of) => of.fields().iter().map(|field| &*field.name).collect(),
            None => vec!["x", "y", "z"],
        };
        let text = name.to_string();
        let help = match nearest(&text, &known) {
            _ if !methods.is_empty() => format!("it is a method: write `{text}()`"),
            Some(near) if text.len() > 1 => format!("did you mean `{near}`?"),
            _ => format!("it has `{}`", known.join("`, `")),
        };
        if !self.errors.is_left_to_rustc() {
            let fault = format!("`{}` has no field `{name}`", self.tree.types.show(of));
            self.errors.conditional(Code::UnknownField, name.span(), fault, help);
        }
    }

    /// `Point { x, ..origin }`, `Some(x)`.
    pub(super) fn make(&mut self, of: Case, given: &mut [(u32, Expr)], base: Option<&mut Expr>) -> Ty {
        let fields = self.tree.types.fields_of(of);
        for (number, value) in given {
            let expected = fields.get(*number as usize).copied().unwrap_or(Ty::REFUSED);
            let found = self.expr(value, None);
            let found = self.reborrowed(value, found, expected);
            self.coerce(found, expected);
        }
        if let Some(base) = base {
            let found = self.expr(base, None);
            self.agree(found, of.of);
        }
        of.of
    }

    /// True if a value is of a variant.
    pub(super) fn is(&mut self, value: &mut Expr, case: Case) -> Ty {
        self.matched(value, case);
        Ty::BOOL
    }

    /// The part that a pattern names.
    pub(super) fn payload(&mut self, value: &mut Expr, case: &mut Case, number: &mut u32) -> Ty {
        if !self.matched(value, *case) {
            return Ty::REFUSED;
        }
        let of = self.tree.types.referent(value.ty);
        let (count, element) = match *self.tree.types.kind(of) {
            Kind::Array(element, length) => (self.tree.types.length(length) as u32, Some(element)),
            Kind::Slice(element, _) => return element,
            _ if case.key == LEAST => {
                let of = self.tree.types.case(of, 0);
                let Some(known) = of.filter(|known| self.tree.types.is_tuple(known.of)) else {
                    self.errors.mismatch();
                    return Ty::REFUSED;
                };
                *case = known;
                (self.tree.types.fields_of(known).len() as u32, None)
            }
            _ => (0, None),
        };
        // More of them than there are is a mistake that rustc reports.
        *number = from_begin(*number, count);
        let field = match element {
            Some(element) => Some(element).filter(|_| *number < count),
            None => self.tree.types.fields_of(*case).get(*number as usize).copied(),
        };
        field.unwrap_or_else(|| {
            self.errors.mismatch();
            Ty::REFUSED
        })
    }

    /// Types what a pattern matches: a value, or what references refer to. False where it was refused.
    fn matched(&mut self, value: &mut Expr, case: Case) -> bool {
        let found = self.expr(value, None);
        let of = self.tree.types.referent(found);
        match self.tree.types.kind(of) {
            Kind::Refused => false,
            // A constant of which vyre sees the name alone.
            Kind::Unknown { .. } if !self.is_undetermined(of) => {
                self.no_part(value);
                false
            }
            Kind::Array(..) if case.key == ARRAY => {
                self.agree(of, case.of);
                true
            }
            Kind::Slice(element, false) | Kind::Array(element, _) if matches!(case.key, ARRAY | LEAST) => {
                match (*element, self.tree.types.kind(case.of)) {
                    (element, &Kind::Array(expected, _)) => self.agree(element, expected),
                    // The pattern is one of a tuple.
                    _ => self.errors.mismatch(),
                }
                true
            }
            // The tuple is known where a part is named.
            _ if case.key == LEAST => true,
            _ => {
                self.agree(of, case.of);
                true
            }
        }
    }
}
