//! Type checks of places.

use super::body::BodyCheck;
use super::error::{Immutable, InvalidKind};
use crate::ir::natural;
use crate::ir::{Access, PlaceBase, PlaceId, Projection, Scalar, Type, TypeId};

impl BodyCheck<'_, '_> {
    /// Checks a place: each projection, the indices, and its declared type.
    pub(super) fn place(&mut self, id: PlaceId) {
        let place = &self.body.places[id];
        let Some(mut ty) = natural::base_type(self.program, self.body, place.base) else {
            // Bases exist, as the check of handles has ensured.
            return;
        };
        for step in &place.path {
            if let Projection::Index { index, .. } = *step {
                self.expect(index, self.scalar_type(Scalar::U64));
            }
            match natural::step_type(self.program, ty, step) {
                Some(next) => ty = next,
                None => {
                    let kind = match *step {
                        Projection::Field(index) => InvalidKind::NoField { ty, index },
                        Projection::Index { .. } => InvalidKind::NotIndexable(ty),
                        Projection::Deref => InvalidKind::NotReference(ty),
                    };
                    return self.error(place.span, kind);
                }
            }
        }
        if place.access != Access::Plain && self.program.types.as_scalar(place.ty).is_none() {
            self.error(place.span, InvalidKind::AccessType(place.ty));
        }
        if ty != place.ty {
            let (stated, actual) = (place.ty, Some(ty));
            self.error(place.span, InvalidKind::StatedType { stated, actual });
        }
    }

    /// The reason why a place cannot be written, if any.
    pub(super) fn immutable(&self, id: PlaceId) -> Option<Immutable> {
        let place = &self.body.places[id];
        if let PlaceBase::Table(_) = place.base {
            return Some(Immutable::Table);
        }
        let mut ty = natural::base_type(self.program, self.body, place.base)?;
        for step in &place.path {
            match (step, self.ty(ty)) {
                (Projection::Deref, Type::Reference { mutable: false, .. }) => return Some(Immutable::Reference),
                (Projection::Index { .. }, Type::Slice { mutable: false, .. }) => return Some(Immutable::Slice),
                _ => {}
            }
            ty = natural::step_type(self.program, ty, step)?;
        }
        None
    }

    /// Reports a place that cannot be written.
    pub(super) fn writable(&mut self, id: PlaceId) {
        if let Some(immutable) = self.immutable(id) {
            self.error(self.body.places[id].span, InvalidKind::Immutable(immutable));
        }
    }

    /// The declared type of a place.
    pub(super) fn place_type(&self, id: PlaceId) -> TypeId {
        self.body.places[id].ty
    }
}
