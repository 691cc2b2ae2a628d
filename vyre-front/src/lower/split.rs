//! Fields of variants that lie in several parts of an enum: see [`cells`](crate::types::cells).
//!
//! Such a field is put together in a variable, one for all names of its parts. Where it is written, there or through a
//! reference, the parts are written after it. So the variable has what the parts hold as long as a name of it is in use.

use vyre_abi::list;
use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, Constant, Handle, Local, Scalar};

use super::adt::Part;
use super::place::{Root, Shape};
use super::{ExprId, Lowering};
use crate::syntax::tree::Expr;
use crate::types::adt::Case;
use crate::types::cells::{Cell, unsigned};
use crate::types::slots::{Place, Slots};
use crate::types::{Kind, Ty};

/// A field and the variable that holds it.
#[derive(Clone)]
pub(super) struct Split {
    held: Handle<Local>,
    /// The enum.
    of: Shape<'static>,
    /// The parts of the enum.
    cells: Vec<Cell>,
    /// The type of the field, and its offset in the enum.
    ty: Ty,
    offset: u64,
    /// Slices of what is held, through which it is written.
    slices: Vec<Handle<Local>>,
}

impl Lowering<'_, '_> {
    /// The variable that holds such a field.
    pub(super) fn split(&mut self, base: &Expr, case: Case, number: u32, offset: u64) -> Option<Shape<'static>> {
        let types = &self.tree.types;
        let whole = types.referent(base.ty);
        let ty = types.adt(whole)?.variants[case.variant as usize].fields[number as usize].ty;
        let cells = types.parts_at(whole, 0);
        let of = self.alias(base)?;
        let value = self.joined_at(&mut |l| l.path_again(&of, &[], false), &cells, ty, offset);
        let is_same = |split: &&Split| split.of.is(&of) && split.offset == offset && types.same(split.ty, ty);
        let held = match self.splits.iter().find(is_same) {
            Some(known) => {
                let held = known.held;
                self.b.set(held, value);
                held
            }
            None => {
                let held = self.b.let_("", value);
                self.splits.push(Split {
                    held,
                    of,
                    cells,
                    ty,
                    offset,
                    slices: Vec::new(),
                });
                held
            }
        };
        Some(Shape::at(Root::Local(held)))
    }

    /// The field of this type that lies at an offset in an enum at a path.
    pub(super) fn joined_at(
        &mut self,
        of: &mut dyn FnMut(&mut Self) -> Path,
        cells: &[Cell],
        ty: Ty,
        offset: u64,
    ) -> ExprId {
        let Some(scalar) = self.tree.types.as_cell(ty).map(|cell| cell.scalar()) else {
            let parts = self.tree.types.parts_at(ty, offset);
            let parts = list::map(&parts, |part| self.joined_at(of, cells, part.ty, part.offset));
            let ty = self.ty(ty);
            return self.b.construct(ty, parts);
        };
        let end = offset + u64::from(scalar.size());
        let whole = unsigned(scalar);
        let mut joined = None;
        for (number, cell) in (0..).zip(cells) {
            if !(offset..end).contains(&cell.offset) {
                continue;
            }
            let path = of(self);
            let path = self.b.field(path, number);
            let value = self.b.load(path);
            if self.scalar_of(value) == scalar {
                return value;
            }
            let mut value = self.cast(value, whole);
            if cell.offset > offset {
                let amount = self.b.u32(8 * (cell.offset - offset) as u32);
                value = self.b.binary(BinaryOp::Shl, value, amount);
            }
            joined = Some(match joined {
                None => value,
                Some(before) => self.b.binary(BinaryOp::Or, before, value),
            });
        }
        let bits = joined.unwrap_or_else(|| self.b.constant(Constant::new(whole, 0)));
        match scalar {
            Scalar::Bool => {
                let zero = self.b.constant(Constant::new(whole, 0));
                self.b.binary(BinaryOp::Ne, bits, zero)
            }
            _ if scalar.is_float() => self.b.bitcast(bits, scalar),
            _ => self.cast(bits, scalar),
        }
    }

    /// Appends the parts of an enum that hold what lies at the end of a way, by their numbers.
    fn cut(
        &mut self,
        from: Handle<Local>,
        way: &mut Vec<Part>,
        cells: &[Cell],
        (ty, offset): (Ty, u64),
        to: &mut Vec<(u32, ExprId)>,
    ) {
        let Some(scalar) = self.tree.types.as_cell(ty).map(|cell| cell.scalar()) else {
            let is_array = matches!(self.tree.types.kind(ty), Kind::Array(..));
            for (number, part) in (0..).zip(self.tree.types.parts_at(ty, offset)) {
                way.push(match is_array {
                    false => Part::Field(number),
                    true => Part::Element(u64::from(number)),
                });
                self.cut(from, way, cells, (part.ty, part.offset), to);
                way.pop();
            }
            return;
        };
        let end = offset + u64::from(scalar.size());
        for (number, cell) in (0..).zip(cells) {
            if !(offset..end).contains(&cell.offset) {
                continue;
            }
            let path = self.way_of(from, way);
            let value = self.b.load(path);
            let part = self.scalar(cell.ty);
            if part == scalar {
                to.push((number, value));
                continue;
            }
            let mut bits = match scalar.is_float() {
                true => self.b.bitcast(value, unsigned(scalar)),
                false => self.cast(value, unsigned(scalar)),
            };
            if cell.offset > offset {
                let amount = self.b.u32(8 * (cell.offset - offset) as u32);
                bits = self.b.binary(BinaryOp::Shr, bits, amount);
            }
            to.push((number, self.cast(bits, part)));
        }
    }

    /// After a write to what `written` leads to: writes the parts of the enum, if it is held for one.
    pub(super) fn put_back(&mut self, written: &Shape<'_>) {
        let Some(number) = self.split_of(written) else { return };
        let split = self.splits[number].clone();
        let mut parts = Vec::new();
        let field = (split.ty, split.offset);
        self.cut(split.held, &mut Vec::new(), &split.cells, field, &mut parts);
        for (number, value) in parts {
            let path = self.path_again(&split.of, &[], false);
            let path = self.b.field(path, number);
            self.b.store(path, value);
        }
        self.put_back(&split.of);
    }

    /// The field that is held where a place lies.
    fn split_of(&self, place: &Shape<'_>) -> Option<usize> {
        let Root::Local(root) = place.root else { return None };
        self.splits
            .iter()
            .position(|split| split.held == root || split.slices.contains(&root))
    }

    /// Notes a slice of a place, through which the place is written.
    pub(super) fn sliced(&mut self, place: &Shape<'_>, slice: Handle<Local>) {
        if let Some(number) = self.split_of(place) {
            self.splits[number].slices.push(slice);
        }
    }

    /// Notes that the call that is being written may change a place.
    pub(super) fn lend(&mut self, place: &Shape<'_>) {
        self.lent.extend(self.split_of(place));
    }

    /// After a call: writes back what has been lent to it since `start`.
    pub(super) fn take_back(&mut self, start: usize) {
        for number in self.lent.split_off(start) {
            let held = Shape::at(Root::Local(self.splits[number].held));
            self.put_back(&held);
        }
    }

    /// Refuses a reference to such a field that outlives the statement: vyre would not see what is written through it.
    pub(super) fn keeps_reference(&mut self, place: &Shape<'_>) {
        if self.split_of(place).is_some() {
            self.refused.push(self.b.span);
        }
    }

    /// A variant of which some fields lie in several parts.
    pub(super) fn cut_fields(&mut self, ty: Ty, slots: &Slots, variant: u32, fields: &[(u32, ExprId)]) -> ExprId {
        let types = &self.tree.types;
        let cells = types.parts_at(ty, 0);
        let of = types
            .adt(ty)
            .map_or(&[][..], |of| &of.variants[variant as usize].fields);
        let mut parts = vec![(0, self.b.constant(slots.numbers[variant as usize]))];
        for &(number, value) in fields {
            match slots.places[variant as usize][number as usize] {
                Place::Nowhere => {}
                Place::Slot(slot) => parts.push((slot, value)),
                Place::Bytes(offset) => {
                    let held = self.b.let_("", value);
                    self.fixed.push(held);
                    let field = (of[number as usize].ty, offset);
                    self.cut(held, &mut Vec::new(), &cells, field, &mut parts);
                }
            }
        }
        let mut all = Vec::with_capacity(cells.len());
        for (number, cell) in (0..).zip(&cells) {
            let given = parts.iter().find(|(part, _)| *part == number);
            all.push(match given {
                Some(&(_, value)) => value,
                None => self.written_out(cell.ty, &mut std::iter::repeat(0)),
            });
        }
        let ty = self.ty(ty);
        self.b.construct(ty, all)
    }
}
