//! Values of the types that the user defines, and constants that lie in no table.

use vyre_core::ir::builder::Path;
use vyre_core::ir::{BinaryOp, Constant, UnaryOp};

use super::{ExprId, Lowering};
use crate::syntax::tree::{Expr, Operator};
use crate::types::adt::{Case, Form};
use crate::types::{Kind, Ty};

impl Lowering<'_, '_> {
    /// A struct or variant with its fields.
    pub(super) fn make(&mut self, ty: Ty, of: Case, fields: &[(u32, Expr)], base: Option<&Expr>) -> Option<ExprId> {
        let adt = self.tree.types.adt(of.of)?;
        match adt.form {
            Form::Struct | Form::Tuple => self.struct_value(ty, fields, base),
            Form::Fieldless { cell, .. } => {
                let bits = adt.variants[of.variant as usize].bits;
                Some(self.b.constant(Constant::new(cell.scalar(), bits)))
            }
            Form::Tagged => self.tagged(ty, of.variant, fields),
        }
    }

    /// A struct literal: its fields are evaluated in the order of the source, `base` last.
    fn struct_value(&mut self, ty: Ty, fields: &[(u32, Expr)], base: Option<&Expr>) -> Option<ExprId> {
        let here = self.b.span;
        let mut values = self.operands(fields.iter().map(|(_, value)| value).chain(base))?;
        self.b.span = here;
        if base.is_some() || !fields.is_sorted_by_key(|(number, _)| *number) {
            // The program evaluates them in the order of the declaration, so these come first.
            for value in &mut values {
                let kept = self.again(*value);
                *value = self.get(kept);
            }
        }
        let count = self.tree.types.fields(ty).map_or(0, |fields| fields.len());
        let base = match base {
            Some(_) => values.pop().map(|value| self.b.let_("", value)),
            None => None,
        };
        let mut parts = Vec::with_capacity(count);
        for number in 0..count as u32 {
            let given = fields.iter().position(|(index, _)| *index == number);
            parts.push(match (given, base) {
                (Some(given), _) => values[given],
                (None, Some(base)) => {
                    let path = self.b.local_place(base);
                    let path = self.b.field(path, number);
                    self.b.load(path)
                }
                // Inference has left a literal that lacks fields to rustc.
                (None, None) => return None,
            });
        }
        let ty = self.ty(ty);
        Some(self.b.construct(ty, parts))
    }

    /// `==` or `!=` of values with parts.
    pub(super) fn compare_parts(&mut self, operator: Operator, ty: Ty, left: ExprId, right: ExprId) -> ExprId {
        let (left, right) = (self.b.let_("", left), self.b.let_("", right));
        let (left, right) = (self.b.local_place(left), self.b.local_place(right));
        let mut equal = None;
        self.equal_parts(ty, left, right, &mut equal);
        let equal = equal.unwrap_or_else(|| self.b.bool(true));
        match operator {
            Operator::Eq => equal,
            _ => self.b.unary(UnaryOp::Not, equal),
        }
    }

    /// Adds to `equal` that the scalars at two places are.
    fn equal_parts(&mut self, ty: Ty, left: Path, right: Path, equal: &mut Option<ExprId>) {
        if self.is_scalar(ty) {
            let (left, right) = (self.b.load(left), self.b.load(right));
            let same = self.b.binary(BinaryOp::Eq, left, right);
            *equal = Some(match *equal {
                Some(before) => self.b.and(before, same),
                None => same,
            });
            return;
        }
        if let Kind::Array(element, length) = *self.tree.types.kind(ty) {
            for number in 0..length {
                let [left, right] = [&left, &right].map(|path| {
                    let index = self.b.u64(number);
                    self.b.index_with(path.clone(), index, false)
                });
                self.equal_parts(element, left, right, equal);
            }
            return;
        }
        let fields = self.tree.types.parts(ty).unwrap_or_default();
        for (number, field) in (0..).zip(fields) {
            let (left, right) = (self.b.field(left.clone(), number), self.b.field(right.clone(), number));
            self.equal_parts(field, left, right, equal);
        }
    }

    /// A constant of these scalars.
    pub(super) fn written_out(&mut self, ty: Ty, scalars: &mut dyn Iterator<Item = u64>) -> ExprId {
        let parts = match *self.tree.types.kind(ty) {
            Kind::Array(element, length) => vec![element; usize::try_from(length).unwrap_or(0)],
            _ => match self.tree.types.parts(ty) {
                Some(fields) => fields,
                None => {
                    let scalar = self.scalar(ty);
                    return self.b.constant(Constant::new(scalar, scalars.next().unwrap_or(0)));
                }
            },
        };
        let parts = parts.into_iter().map(|part| self.written_out(part, scalars)).collect();
        let ty = self.ty(ty);
        self.b.construct(ty, parts)
    }
}
