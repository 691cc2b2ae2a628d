//! Types that the user defines: structs, and enums without fields.

use proc_macro2::Ident;

use super::Names;
use super::types::{Kind, Ty, Types};
use crate::surface::Primitive;

/// A struct of plain data.
#[derive(Clone)]
pub(super) struct Struct {
    pub(super) name: String,
    /// Tells it from all other types.
    pub(super) key: u64,
    /// The names in sight where it stands.
    pub(super) home: Names,
    /// Whether `==` compares its fields: it derives `PartialEq`.
    pub(super) compares: bool,
    /// Whether `{:?}` writes its name and fields: it derives `Debug`.
    pub(super) shows: bool,
    pub(super) fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The name; of a tuple struct the number.
    pub(super) name: String,
    pub(super) ty: Ty,
}

/// An enum whose variants have no fields.
#[derive(Clone)]
pub(super) struct Enum {
    pub(super) name: String,
    /// Tells it from all other types.
    pub(super) key: u64,
    /// The names in sight where it stands.
    pub(super) home: Names,
    /// The type of its discriminants.
    pub(super) cell: Primitive,
    /// Whether it has a layout, and zero is one of its values, so that buffers may hold it.
    pub(super) is_element: bool,
    /// Whether `==` compares discriminants: it derives `PartialEq`.
    pub(super) compares: bool,
    /// Whether `{:?}` writes the names of its variants: it derives `Debug`.
    pub(super) shows: bool,
    pub(super) variants: Vec<Variant>,
}

/// A variant of an enum.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) name: String,
    /// Its discriminant, as the bits of the cell.
    pub(super) bits: u64,
}

impl Struct {
    /// The number of the field called so.
    pub(super) fn field(&self, name: &Ident) -> Option<u32> {
        let name = super::lower::plain(name);
        let found = self.fields.iter().position(|field| field.name == name);
        found.map(|number| number as u32)
    }
}

impl Enum {
    /// The number of the variant called so.
    pub(super) fn variant(&self, name: &Ident) -> Option<u32> {
        let name = super::lower::plain(name);
        let found = self.variants.iter().position(|variant| variant.name == name);
        found.map(|number| number as u32)
    }
}

/// How many scalars one comparison compares: each is a comparison of its own.
const MOST_COMPARED: u64 = 64;

/// Bytes of a struct that belong to no field.
pub(super) struct Gap {
    pub(super) bytes: u64,
    /// Where they are, in words.
    pub(super) place: String,
}

impl Types {
    /// The first gap in a struct.
    pub(super) fn padding(&self, ty: Ty) -> Option<Gap> {
        let Kind::Struct(number) = *self.kind(ty) else {
            return None;
        };
        if self.contains(ty, &|kind| matches!(kind, Kind::Refused)) {
            return None;
        }
        let (mut end, mut most) = (0u64, 1u64);
        for field in &self.structs[number].fields {
            let (size, align) = self.size_and_align(field.ty);
            let gap = end.next_multiple_of(align) - end;
            if gap > 0 {
                let place = format!("before the field `{}`", field.name);
                return Some(Gap { bytes: gap, place });
            }
            end = end.saturating_add(size).min(1 << 60);
            most = most.max(align);
        }
        let gap = end.next_multiple_of(most) - end;
        (gap > 0).then(|| Gap {
            bytes: gap,
            place: "at its end".to_owned(),
        })
    }

    /// Whether `==` compares values of a type part by part, and there are not too many.
    pub(super) fn compares(&self, ty: Ty) -> bool {
        let by_parts = |kind: &Kind| match kind {
            Kind::Struct(number) => self.structs[*number].compares,
            Kind::Enum(number) => self.enums[*number].compares,
            Kind::Sum(super::sums::Sum::Own(number), _) => self.sums[*number].compares,
            Kind::Primitive(_) | Kind::Tuple(_) | Kind::Array(..) | Kind::Sum(..) | Kind::Refused => true,
            _ => false,
        };
        !self.contains(ty, &|kind| !by_parts(kind)) && (1..=MOST_COMPARED).contains(&self.scalars(ty))
    }

    /// Number of scalars in a value.
    pub(super) fn scalars(&self, ty: Ty) -> u64 {
        match *self.kind(ty) {
            Kind::Array(element, length) => self.scalars(element).saturating_mul(length),
            _ => match self.parts(ty) {
                Some(fields) => fields
                    .into_iter()
                    .map(|field| self.scalars(field))
                    .fold(0, u64::saturating_add),
                None => 1,
            },
        }
    }

    /// The size and alignment of data in memory; structs have no padding.
    fn size_and_align(&self, ty: Ty) -> (u64, u64) {
        if let Some(cell) = self.as_cell(ty) {
            let size = u64::from(cell.scalar().size());
            return (size, size);
        }
        if let Kind::Array(element, length) = *self.kind(ty) {
            let (size, align) = self.size_and_align(element);
            return (size.saturating_mul(length).min(1 << 60), align);
        }
        let fields = self.fields(ty).unwrap_or_default();
        let fields = fields.into_iter().map(|field| self.size_and_align(field));
        fields.fold((0, 1), |(size, most), (field, align)| {
            (size.saturating_add(field).min(1 << 60), most.max(align))
        })
    }
}
