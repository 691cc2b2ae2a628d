//! Values of the types that the user defines, and constants that lie in no table.

use vyre_core::ir::builder::Path;
use vyre_core::ir::{BinaryOp, Constant, UnaryOp};

use super::{ExprId, Lowering};
use crate::syntax::tree::{Expr, Operator};
use crate::types::{Kind, Ty};

impl Lowering<'_, '_> {
    /// The variant of an enum: its discriminant.
    pub(super) fn variant(&mut self, ty: Ty, number: u32) -> ExprId {
        let scalar = self.scalar(ty);
        let bits = match *self.tree.types.kind(ty) {
            Kind::Enum(of) => self.tree.types.enums[of].variants[number as usize].bits,
            _ => 0,
        };
        self.b.constant(Constant::new(scalar, bits))
    }

    /// A struct literal: its fields are evaluated in the order of the source, `base` last.
    pub(super) fn struct_value(&mut self, ty: Ty, fields: &[(u32, Expr)], base: Option<&Expr>) -> Option<ExprId> {
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
