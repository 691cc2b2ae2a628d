//! Values that are one of several variants with fields.
//!
//! In a program such a value is a tuple: the number of its variant, then slots for the fields.
//! Variants share slots of the same type, and a slot that a variant has no field for is zero, so that
//! equal values are equal slot by slot.
//!
//! An enum with a layout in memory is a struct of that layout instead, see [`cells`](Types::cells): all values of it are,
//! so that a reference may refer to a variable or to an element of a buffer.

use vyre_ir::ir::Constant;

use super::adt::Variant;
use super::{Kind, Ty, Types};
use crate::surface::Primitive;

/// The parts of a tagged enum.
pub(crate) struct Slots {
    /// The types of the parts, the number of the variant first.
    pub(crate) types: Vec<Ty>,
    /// For each variant, its number.
    pub(crate) numbers: Vec<Constant>,
    /// For each field of each variant, where it lies.
    pub(crate) places: Vec<Vec<Place>>,
    /// For each part the offset in memory, where the enum has a layout.
    pub(crate) offsets: Option<Vec<u64>>,
}

/// The place of a field of a variant among the parts of its enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere: it is of unit type.
    Nowhere,
    /// A part.
    Slot(u32),
    /// Several parts, or one of another type: those of its bytes, from this offset on.
    Bytes(u64),
}

impl Types {
    /// The parts of a tagged enum.
    pub(crate) fn slots(&self, ty: Ty) -> Option<Slots> {
        let of = self.as_tagged(ty)?;
        match of.tag {
            Some(tag) if self.is_field(ty) => Some(self.cells(&of.variants, tag)),
            _ => Some(self.shared_slots(&of.variants)),
        }
    }

    /// True if a type is an enum whose variants have fields and that has a layout in memory.
    pub(crate) fn has_layout(&self, ty: Ty) -> bool {
        self.as_tagged(ty).is_some_and(|of| of.tag.is_some()) && self.is_field(ty)
    }

    /// The parts of an enum without a layout: variants share those of the same type.
    fn shared_slots(&self, variants: &[Variant]) -> Slots {
        let number = match variants.len() {
            2 => Primitive::Bool,
            _ => Primitive::U32,
        };
        let mut types = vec![Ty::primitive(number)];
        let (mut numbers, mut places) = (Vec::new(), Vec::with_capacity(variants.len()));
        for variant in variants {
            numbers.push(Constant::new(number.scalar(), places.len() as u64));
            let mut taken = Vec::with_capacity(variant.fields.len());
            for field in &variant.fields {
                let field = self.by_value(field.ty);
                if self.is_unit(field) {
                    taken.push(Place::Nowhere);
                    continue;
                }
                let is_free =
                    |&slot: &usize| !taken.contains(&Place::Slot(slot as u32)) && self.same(types[slot], field);
                let slot = (1..types.len()).find(is_free).unwrap_or(types.len());
                if slot == types.len() {
                    types.push(field);
                }
                taken.push(Place::Slot(slot as u32));
            }
            places.push(taken);
        }
        Slots {
            types,
            numbers,
            places,
            offsets: None,
        }
    }

    /// True if a variant may have a field of the type: copies of it are fully defined by their
    /// bits.
    pub(crate) fn has_slot(&self, ty: Ty) -> bool {
        let has_none = |kind: &Kind| matches!(kind, Kind::Group(..) | Kind::Fragment(..) | Kind::Index3);
        !self.is_place(ty) && !self.contains(ty, &has_none)
    }

    /// The parts of a value in a program: the fields of a tuple or struct, the slots of variants.
    pub(crate) fn parts(&self, ty: Ty) -> Option<Vec<Ty>> {
        let mut parts = match self.fields(ty) {
            Some(fields) => fields,
            None => self.slots(ty)?.types,
        };
        for part in &mut parts {
            *part = self.by_value(*part);
        }
        Some(parts)
    }

    /// True if two types that are known are the same.
    pub(crate) fn same(&self, one: Ty, other: Ty) -> bool {
        match (self.kind(one), self.kind(other)) {
            (Kind::Array(left, m), Kind::Array(right, n)) => m == n && self.same(*left, *right),
            (left, right) => left == right || self.same_instances(left, right),
        }
    }
}
