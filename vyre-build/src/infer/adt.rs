//! Inference of structs: literals and fields.

use proc_macro2::Ident;

use super::Inference;
use crate::errors::{Code, nearest};
use crate::syntax::tree::{Expr, ExprKind};
use crate::types::{Kind, Ty};

impl Inference<'_> {
    /// `.0` of a tuple or struct.
    pub(super) fn numbered(&mut self, base: &Expr, base_ty: Ty, number: usize) -> Ty {
        let of = self.tree.types.referent(base_ty);
        let field = match self.tree.types.kind(of) {
            Kind::Refused => return Ty::REFUSED,
            Kind::Tuple(fields) => fields.get(number).copied(),
            // Only a tuple struct has fields that are called by numbers.
            Kind::Struct(of) => {
                let fields = &self.tree.types.structs[*of].fields;
                let field = fields.get(number).filter(|field| field.name == number.to_string());
                field.map(|field| field.ty)
            }
            _ => None,
        };
        match field {
            Some(field) => field,
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
        match *self.tree.types.kind(of) {
            Kind::Index3 => {
                if let Some(axis) = ["x", "y", "z"].iter().position(|axis| name == axis) {
                    self.axes = self.axes.max(axis as u32 + 1);
                    *expr = Expr::new(ExprKind::Axis(base, axis as u32), span);
                    return Ty::USIZE;
                }
            }
            Kind::Struct(number) => {
                let defined = &self.tree.types.structs[number];
                if let Some(field) = defined.field(&name) {
                    let ty = defined.fields[field as usize].ty;
                    *expr = Expr::new(ExprKind::Field(base, field), span);
                    return ty;
                }
            }
            Kind::Refused => return Ty::REFUSED,
            _ => return self.no_part(&base),
        }
        self.unknown_field(of, &name);
        Ty::REFUSED
    }

    fn unknown_field(&mut self, of: Ty, name: &Ident) {
        let known: Vec<&str> = match *self.tree.types.kind(of) {
            Kind::Struct(number) => {
                let fields = &self.tree.types.structs[number].fields;
                fields.iter().map(|field| field.name.as_str()).collect()
            }
            _ => vec!["x", "y", "z"],
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

    pub(super) fn struct_literal(&mut self, expr: &mut Expr) -> Ty {
        let ExprKind::Struct { ty, fields, base } = &mut expr.kind else {
            return Ty::REFUSED;
        };
        let ty = *ty;
        let types = self.tree.types.fields(ty).unwrap_or_default();
        for (number, value) in fields {
            let found = self.expr(value, None);
            let wanted = types.get(*number as usize).copied().unwrap_or(Ty::REFUSED);
            self.coerce(found, wanted);
        }
        if let Some(base) = base {
            let found = self.expr(base, None);
            self.agree(found, ty);
        }
        ty
    }
}
