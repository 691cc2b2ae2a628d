//! Names of places for messages.

use std::borrow::Cow;

use super::{Body, PlaceBase, PlaceId, Program, Projection, Type, TypeId};

impl Program {
    /// The slice or array that a place of `body` indexes after at most `steps` projections of its path, roughly as
    /// the source writes it: `x`, `points[..].mass`. Empty if the base has no name in the source.
    pub fn place_name<'p>(&'p self, body: &'p Body, place: PlaceId, steps: usize) -> Cow<'p, str> {
        let place = &body.places[place];
        let (base, mut ty) = match place.base {
            PlaceBase::Local(local) => (&body.locals[local].name, body.locals[local].ty),
            PlaceBase::Shared(variable) => (&self.shared[variable].name, self.shared[variable].ty),
            PlaceBase::Table(table) => (&self.tables[table].name, self.tables[table].ty),
        };
        let mut name = Cow::Borrowed(base.as_str());
        if name.is_empty() {
            return name;
        }
        for step in place.path.iter().take(steps) {
            ty = match *step {
                Projection::Deref => self.pointee(ty),
                Projection::Index { .. } => {
                    name.to_mut().push_str("[..]");
                    self.element(ty)
                }
                Projection::Field(index) => {
                    let index = index as usize;
                    let name = name.to_mut();
                    name.push('.');
                    match &self.types[ty] {
                        Type::Struct { fields, .. } => {
                            name.push_str(&fields[index].name);
                            fields[index].ty
                        }
                        Type::Tuple(fields) => {
                            name.push_str(&index.to_string());
                            fields[index]
                        }
                        _ => ty,
                    }
                }
            };
        }
        name
    }

    fn pointee(&self, ty: TypeId) -> TypeId {
        match self.types[ty] {
            Type::Reference { pointee, .. } => pointee,
            _ => ty,
        }
    }

    fn element(&self, ty: TypeId) -> TypeId {
        match self.types[ty] {
            Type::Array { element, .. } | Type::Slice { element, .. } => element,
            _ => ty,
        }
    }
}
