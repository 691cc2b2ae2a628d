//! Values that are one of several variants with fields: enums of the user, and core's `Option` and
//! `Result`.
//!
//! In a program such a value is a tuple: the number of its variant, then slots for the fields.
//! Variants share slots of the same type, and a slot that a variant has no field for is zero, so that
//! equal values are equal slot by slot.

use super::{Kind, Ty, Types};
use crate::resolve::names::Names;

/// A type of several variants, but for its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sum {
    Option,
    Result,
    /// An enum of the user, by its number in [`Types::sums`].
    Own(usize),
}

/// A variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) of: Sum,
    pub(crate) variant: u32,
}

/// The variants of core's types.
pub(crate) const NONE: Case = Case::new(Sum::Option, 0);
pub(crate) const SOME: Case = Case::new(Sum::Option, 1);
pub(crate) const OK: Case = Case::new(Sum::Result, 0);
pub(crate) const ERR: Case = Case::new(Sum::Result, 1);

impl Case {
    const fn new(of: Sum, variant: u32) -> Self {
        Case { of, variant }
    }
}

/// An enum of the user whose variants have fields.
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) name: String,
    /// Tells it from all other types.
    pub(crate) key: u64,
    /// The names in sight where it stands.
    pub(crate) home: Names,
    /// Whether `==` compares its fields: it derives `PartialEq`.
    pub(crate) compares: bool,
    /// Whether `{:?}` writes its variants: it derives `Debug`.
    pub(crate) shows: bool,
    /// What its parameters stand for, as those of a function's instance.
    pub(crate) arguments: Vec<Ty>,
    /// The names and fields of the variants.
    pub(crate) variants: Vec<(String, Vec<super::adt::Field>)>,
}

/// Where the fields of variants lie.
pub(crate) struct Slots {
    /// The types of the tuple's fields.
    pub(crate) types: Vec<Ty>,
    /// For each field of each variant, the field of the tuple; `None` for one of unit type.
    pub(crate) places: Vec<Vec<Option<u32>>>,
}

impl Types {
    /// The types of the fields of each variant.
    pub(crate) fn variants(&self, ty: Ty) -> Option<Vec<Vec<Ty>>> {
        Some(match self.kind(ty) {
            Kind::Sum(Sum::Option, arguments) => vec![Vec::new(), arguments.clone()],
            Kind::Sum(Sum::Result, arguments) => arguments.iter().map(|&argument| vec![argument]).collect(),
            Kind::Sum(Sum::Own(number), _) => {
                let mut variants = Vec::new();
                for (_, fields) in &self.sums[*number].variants {
                    variants.push(fields.iter().map(|field| field.ty).collect());
                }
                variants
            }
            _ => return None,
        })
    }

    /// Where the fields of variants lie.
    pub(crate) fn slots(&self, ty: Ty) -> Option<Slots> {
        let variants = self.variants(ty)?;
        let mut types = vec![match variants.len() {
            2 => Ty::BOOL,
            _ => Ty::U32,
        }];
        let mut places = Vec::with_capacity(variants.len());
        for fields in variants {
            let mut taken = Vec::with_capacity(fields.len());
            for field in fields {
                let field = self.by_value(field);
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

    /// Whether a variant may have a field of the type: what copies of it mean is their bits alone.
    pub(crate) fn has_slot(&self, ty: Ty) -> bool {
        let has_none = |kind: &Kind| matches!(kind, Kind::Group(..) | Kind::Fragment(..) | Kind::Index3);
        !self.is_place(ty) && !self.contains(ty, &has_none)
    }

    /// The parts of a value in a program: the fields of a tuple or struct, the slots of variants.
    pub(crate) fn parts(&self, ty: Ty) -> Option<Vec<Ty>> {
        let fields = self.fields(ty).or_else(|| self.slots(ty).map(|slots| slots.types));
        Some(fields?.into_iter().map(|field| self.by_value(field)).collect())
    }

    /// Whether two types that are known are the same.
    pub(crate) fn same(&self, one: Ty, other: Ty) -> bool {
        let all = |left: &[Ty], right: &[Ty]| {
            left.len() == right.len() && left.iter().zip(right).all(|(&left, &right)| self.same(left, right))
        };
        match (self.kind(one), self.kind(other)) {
            (Kind::Tuple(left), Kind::Tuple(right)) => all(left, right),
            (Kind::Sum(left, of_left), Kind::Sum(right, of_right)) if left == right => all(of_left, of_right),
            (Kind::Array(left, m), Kind::Array(right, n)) => m == n && self.same(*left, *right),
            (left, right) => left == right || self.same_instances(left, right),
        }
    }
}
