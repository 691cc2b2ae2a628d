//! Values of the types that the user defines, and constants that lie in no table.

use vyre_abi::list;
use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, Constant, Handle, Local, UnaryOp};

use super::{ExprId, Lowering};
use crate::syntax::tree::{Expr, Operator};
use crate::types::adt::{Case, Form};
use crate::types::slots::Place;
use crate::types::{Kind, Ty};

/// A step on the way to a scalar of a value.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Field(u32),
    Element(u64),
}

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

    /// A comparison of values with parts.
    pub(super) fn compare_parts(&mut self, operator: Operator, ty: Ty, left: ExprId, right: ExprId) -> ExprId {
        let sides = [self.b.let_("", left), self.b.let_("", right)];
        if !matches!(operator, Operator::Eq | Operator::Ne) {
            let mut parts = Vec::new();
            self.scalar_parts(ty, &mut Vec::new(), &mut parts);
            return self.order_parts(operator, sides, &parts);
        }
        let equal = self.equal_parts(ty, sides, &mut Vec::new());
        let equal = equal.unwrap_or_else(|| self.b.bool(true));
        match operator {
            Operator::Eq => equal,
            _ => self.b.unary(UnaryOp::Not, equal),
        }
    }

    /// True if the parts of two values that are at the end of a way are equal; `None` if there are none.
    fn equal_parts(&mut self, ty: Ty, sides: [Handle<Local>; 2], way: &mut Vec<Part>) -> Option<ExprId> {
        if self.is_scalar(ty) {
            return Some(self.compare_scalars(BinaryOp::Eq, sides, way));
        }
        if self.tree.types.has_layout(ty) {
            return self.equal_variants(ty, sides, way);
        }
        let mut equal = None;
        for (part, ty) in self.parts_of(ty) {
            way.push(part);
            let same = self.equal_parts(ty, sides, way);
            way.pop();
            equal = self.both_hold(equal, same);
        }
        equal
    }

    /// The same of an enum in memory, where the bytes of other variants may be anything.
    fn equal_variants(&mut self, ty: Ty, sides: [Handle<Local>; 2], way: &mut Vec<Part>) -> Option<ExprId> {
        let slots = self.tree.types.slots(ty)?;
        let cells = self.tree.types.parts_at(ty, 0);
        way.push(Part::Field(0));
        let mut equal = Some(self.compare_scalars(BinaryOp::Eq, sides, way));
        let variants = self.tree.types.adt(ty).map_or(&[][..], |of| &of.variants);
        for (variant, places) in variants.iter().zip(&slots.places) {
            let mut same = None;
            for (field, place) in variant.fields.iter().zip(places) {
                let held = match *place {
                    Place::Nowhere => continue,
                    Place::Slot(slot) => {
                        way.pop();
                        way.push(Part::Field(slot));
                        self.equal_parts(field.ty, sides, way)
                    }
                    Place::Bytes(offset) => {
                        way.pop();
                        let held = sides.map(|side| {
                            let value = self.joined_at(&mut |l| l.way_of(side, way), &cells, field.ty, offset);
                            self.b.let_("", value)
                        });
                        way.push(Part::Field(0));
                        self.equal_parts(field.ty, held, &mut Vec::new())
                    }
                };
                same = self.both_hold(same, held);
            }
            way.pop();
            way.push(Part::Field(0));
            let Some(same) = same else { continue };
            let number = self.way_of(sides[0], way);
            let (number, this) = (
                self.b.load(number),
                self.b
                    .constant(Constant::new(self.scalar(slots.types[0]), variant.bits)),
            );
            let is_other = self.b.binary(BinaryOp::Ne, number, this);
            let same = self.b.or(is_other, same);
            equal = self.both_hold(equal, Some(same));
        }
        way.pop();
        equal
    }

    /// True if both are, of those that there are.
    fn both_hold(&mut self, one: Option<ExprId>, other: Option<ExprId>) -> Option<ExprId> {
        match (one, other) {
            (Some(one), Some(other)) => Some(self.b.and(one, other)),
            (one, other) => one.or(other),
        }
    }

    /// `<` and its like: the first parts that differ decide, or are not ordered, as a NaN.
    fn order_parts(&mut self, operator: Operator, sides: [Handle<Local>; 2], parts: &[Vec<Part>]) -> ExprId {
        let strict = match operator {
            Operator::Lt | Operator::Le => BinaryOp::Lt,
            _ => BinaryOp::Gt,
        };
        let mut after = None;
        for part in parts.iter().rev() {
            after = Some(match after {
                None => self.compare_scalars(operator.binary(), sides, part),
                Some(after) => {
                    let decides = self.compare_scalars(strict, sides, part);
                    let same = self.compare_scalars(BinaryOp::Eq, sides, part);
                    let goes_on = self.b.and(same, after);
                    self.b.or(decides, goes_on)
                }
            });
        }
        after.unwrap_or_else(|| self.b.bool(true))
    }

    /// Compares a scalar of two values.
    fn compare_scalars(&mut self, op: BinaryOp, sides: [Handle<Local>; 2], part: &[Part]) -> ExprId {
        let [left, right] = sides.map(|side| {
            let path = self.way_of(side, part);
            self.b.load(path)
        });
        self.b.binary(op, left, right)
    }

    /// The place at the end of a way.
    pub(super) fn way_of(&mut self, from: Handle<Local>, way: &[Part]) -> Path {
        let mut path = self.b.local_place(from);
        for step in way {
            path = match *step {
                Part::Field(number) => self.b.field(path, number),
                Part::Element(number) => {
                    let index = self.b.u64(number);
                    self.b.index_with(path, index, false)
                }
            };
        }
        path
    }

    /// Appends the ways to the scalars of a value, in order.
    fn scalar_parts(&self, ty: Ty, way: &mut Vec<Part>, to: &mut Vec<Vec<Part>>) {
        if self.is_scalar(ty) {
            return to.push(way.clone());
        }
        let mut parts = self.parts_of(ty);
        if self.tree.types.as_wide(ty).is_some() {
            // The high word decides first.
            parts.reverse();
        }
        for (part, ty) in parts {
            way.push(part);
            self.scalar_parts(ty, way, to);
            way.pop();
        }
    }

    /// The parts of a value that is no scalar.
    fn parts_of(&self, ty: Ty) -> Vec<(Part, Ty)> {
        let (types, mut parts) = (&self.tree.types, Vec::new());
        match *types.kind(ty) {
            Kind::Array(element, length) => {
                for number in 0..length {
                    parts.push((Part::Element(number), element));
                }
            }
            _ => {
                for ty in types.parts(ty).unwrap_or_default() {
                    parts.push((Part::Field(parts.len() as u32), ty));
                }
            }
        }
        parts
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
        let parts = list::map(&parts, |&part| self.written_out(part, scalars));
        let ty = self.ty(ty);
        self.b.construct(ty, parts)
    }
}
