//! Inference of structs and enums: values, variants and fields.

use proc_macro2::Ident;

use super::Inference;
use crate::errors::{Code, nearest};
use crate::syntax::tree::{Expr, ExprKind};
use crate::types::adt::Case;
use crate::types::{Kind, Ty};

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
        let ExprKind::Member(mut base, name) = std::mem::replace(&mut expr.kind, ExprKind::Refused) else {
            return Ty::REFUSED;
        };
        let base_ty = self.expr(&mut base, None);
        let of = self.tree.types.referent(base_ty);
        match (self.tree.types.kind(of), self.tree.types.as_struct(of)) {
            (Kind::Index3, _) => {
                if let Some(axis) = ["x", "y", "z"].iter().position(|axis| name == axis) {
                    self.axes = self.axes.max(axis as u32 + 1);
                    *expr = Expr::new(ExprKind::Axis(base, axis as u32), span);
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
            (_, None) => return self.no_part(&base),
        }
        self.unknown_field(of, &name);
        Ty::REFUSED
    }

    fn unknown_field(&mut self, of: Ty, name: &Ident) {
        let known: Vec<&str> = match self.tree.types.as_struct(of) {
            Some(of) => of.fields().iter().map(|field| &*field.name).collect(),
            None => vec!["x", "y", "z"],
        };
        let text = name.to_string();
        let help = match nearest(&text, &known) {
            Some(near) if text.len() > 1 => format!("did you mean `{near}`?"),
            _ => format!("it has `{}`", known.join("`, `")),
        };
        if !self.errors.is_left_to_rustc() {
            let fault = format!("`{}` has no field `{name}`", self.tree.types.show(of));
            self.errors.refuse_unknown(Code::UnknownField, name.span(), fault, help);
        }
    }

    /// `Point { x, ..origin }`, `Some(x)`.
    pub(super) fn make(&mut self, of: Case, given: &mut [(u32, Expr)], base: Option<&mut Expr>) -> Ty {
        let fields = self.tree.types.fields_of(of);
        for (number, value) in given {
            let found = self.expr(value, None);
            self.coerce(found, fields.get(*number as usize).copied().unwrap_or(Ty::REFUSED));
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
    pub(super) fn payload(&mut self, value: &mut Expr, case: Case, number: u32) -> Ty {
        match self.matched(value, case) {
            true => self.tree.types.fields_of(case)[number as usize],
            false => Ty::REFUSED,
        }
    }

    /// Types what a pattern matches: a value, or what references refer to. False where it was refused.
    fn matched(&mut self, value: &mut Expr, case: Case) -> bool {
        let found = self.expr(value, None);
        let of = self.tree.types.referent(found);
        match self.tree.types.kind(of) {
            Kind::Refused => false,
            Kind::Slice(_) => {
                let span = match value.kind {
                    ExprKind::Local(local) => self.tree.locals[local].name.span(),
                    _ => value.span,
                };
                self.no_value_to_take_apart(found, span);
                false
            }
            _ => {
                self.agree(of, case.of);
                true
            }
        }
    }
}
