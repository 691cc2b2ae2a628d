//! Values that are one of several variants with fields.
//!
//! In a program such a value is a tuple: the number of its variant, then slots for the fields.
//! Variants share slots of the same type, and a slot that a variant has no field for is zero, so that
//! equal values are equal slot by slot.

use super::{Kind, Ty, Types};

/// The layout of a tagged enum.
pub(crate) struct Slots {
    /// The types of the tuple's fields.
    pub(crate) types: Vec<Ty>,
    /// For each field of each variant, the field of the tuple; `None` for one of unit type.
    pub(crate) places: Vec<Vec<Option<u32>>>,
}

impl Types {
    /// The layout of a tagged enum.
    pub(crate) fn slots(&self, ty: Ty) -> Option<Slots> {
        let variants = &self.as_tagged(ty)?.variants;
        let mut types = vec![match variants.len() {
            2 => Ty::BOOL,
            _ => Ty::U32,
        }];
        let mut places = Vec::with_capacity(variants.len());
        for variant in variants {
            let mut taken = Vec::with_capacity(variant.fields.len());
            for field in &variant.fields {
                let field = self.by_value(field.ty);
                if self.is_unit(field) {
                    taken.push(None);
                    continue;
                }
                let is_free = |&slot: &usize| !taken.contains(&Some(slot as u32)) && self.same(types[slot], field);
                let slot = (1..types.len()).find(is_free).unwrap_or(types.len());
                if slot == types.len() {
                    types.push(field);
                }
                taken.push(Some(slot as u32));
            }
            places.push(taken);
        }
        Some(Slots { types, places })
    }

    /// True if a variant may have a field of the type: copies of it are fully defined by their
    /// bits.
    pub(crate) fn has_slot(&self, ty: Ty) -> bool {
        let has_none = |kind: &Kind| matches!(kind, Kind::Group(..) | Kind::Fragment(..) | Kind::Index3);
        !self.is_place(ty) && !self.contains(ty, &has_none)
    }

    /// The parts of a value in a program: the fields of a tuple or struct, the slots of variants.
    pub(crate) fn parts(&self, ty: Ty) -> Option<Vec<Ty>> {
        let fields = self.fields(ty).or_else(|| self.slots(ty).map(|slots| slots.types));
        Some(fields?.into_iter().map(|field| self.by_value(field)).collect())
    }

    /// True if two types that are known are the same.
    pub(crate) fn same(&self, one: Ty, other: Ty) -> bool {
        match (self.kind(one), self.kind(other)) {
            (Kind::Array(left, m), Kind::Array(right, n)) => m == n && self.same(*left, *right),
            (left, right) => left == right || self.same_instances(left, right),
        }
    }
}
