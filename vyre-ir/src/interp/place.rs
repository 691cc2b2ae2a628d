//! Places: their addresses and contents.

use vyre_abi::fault::FaultKind;

use super::error::Undefined;
use super::eval::{Context, Stop};
use super::memory::{Memory, Pointer};
use super::record::{Action, Atomic};
use super::value::Value;
use crate::ir::{AtomicOp, ExprId, MatrixLoad, PlaceBase, PlaceId, Projection, Span, Type, TypeId};

/// The address of a place, and the type of its contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) at: Pointer,
    pub(super) ty: TypeId,
}

impl Context<'_> {
    /// Evaluates the path of a place.
    pub(super) fn locate(&self, place: PlaceId) -> Result<Spot, Stop> {
        let id = place;
        let place = &self.routine.body.places[id];
        let mut spot = self.base(place.base);
        for (number, step) in place.path.iter().enumerate() {
            spot = match step {
                Projection::Field(field) => self.field_of(spot, *field as usize),
                Projection::Index { index, checked } => {
                    let index = self.scalar(*index)?.bits;
                    let (start, length, element) = self.elements(spot, place.span)?;
                    if index >= length {
                        return Err(if *checked {
                            let values = [index, length];
                            self.outside(FaultKind::IndexOutOfBounds, (id, number), place.span, values)
                        } else {
                            let what = Undefined::Index { index, length };
                            Stop::Undefined { what, span: place.span }
                        });
                    }
                    Spot {
                        at: start.add(index * self.machine.code.layout(element).size),
                        ty: element,
                    }
                }
                Projection::Deref => self.deref(spot, place.span)?,
            };
        }
        Ok(spot)
    }

    /// The fault of an index or range beyond what a place is after `steps` projections.
    pub(super) fn outside(
        &self,
        kind: FaultKind,
        (place, steps): (PlaceId, usize),
        span: Span,
        values: [u64; 2],
    ) -> Stop {
        let body = &self.routine.body;
        Stop::Fault {
            kind,
            span,
            message: self.machine.code.program.place_name(body, place, steps).into_owned(),
            values,
        }
    }

    fn base(&self, base: PlaceBase) -> Spot {
        let code = &self.machine.code;
        match base {
            PlaceBase::Local(local) => Spot {
                at: Pointer::private(self.frame + self.routine.locals[local.index()]),
                ty: self.routine.body.locals[local].ty,
            },
            PlaceBase::Shared(variable) => Spot {
                at: Pointer::shared(self.machine.shared_start + code.shared_offset(variable)),
                ty: code.program.shared[variable].ty,
            },
            PlaceBase::Table(table) => Spot {
                at: Memory::table(table.index()),
                ty: code.program.tables[table].ty,
            },
        }
    }

    fn field_of(&self, spot: Spot, field: usize) -> Spot {
        let code = &self.machine.code;
        let ty = match &code.program.types[spot.ty] {
            Type::Tuple(fields) => fields[field],
            Type::Struct { fields, .. } => fields[field].ty,
            _ => {
                debug_assert!(false, "only tuples and structs have fields");
                return spot;
            }
        };
        Spot {
            at: spot.at.add(code.layout(spot.ty).offsets[field]),
            ty,
        }
    }

    fn deref(&self, spot: Spot, span: Span) -> Result<Spot, Stop> {
        let types = &self.machine.code.program.types;
        match (&types[spot.ty], Value::read(types, spot.ty, self.bytes(spot, span)?)) {
            (Type::Reference { pointee, .. }, Value::Reference(at)) => Ok(Spot { at, ty: *pointee }),
            _ => {
                debug_assert!(false, "only references lead to another place");
                Ok(spot)
            }
        }
    }

    /// The first element, the number of elements and their type, of the array or slice at a spot.
    pub(super) fn elements(&self, spot: Spot, span: Span) -> Result<(Pointer, u64, TypeId), Stop> {
        let types = &self.machine.code.program.types;
        match &types[spot.ty] {
            Type::Array { element, length } => Ok((spot.at, *length, *element)),
            Type::Slice { element, .. } => match Value::read(types, spot.ty, self.bytes(spot, span)?) {
                Value::Slice { start, length } => Ok((start, length, *element)),
                _ => Ok((spot.at, 0, *element)),
            },
            _ => {
                debug_assert!(false, "only arrays and slices have elements");
                Ok((spot.at, 0, spot.ty))
            }
        }
    }

    /// Tells the recorder of a load. Locals are zero until they are written, so only elements of arrays count there.
    pub(super) fn record_load(&self, spot: Spot, id: PlaceId) {
        let Some(mut check) = self.machine.recorder() else {
            return;
        };
        let place = &self.routine.body.places[id];
        let types = &self.machine.code.program.types;
        let size = self.machine.code.layout(spot.ty).size;
        if spot.at.is_private() {
            let start = spot.at.offset() as usize;
            let written = self.written.get(start..start + size as usize).unwrap_or(&[]);
            let has_index = place.path.iter().any(|step| matches!(step, Projection::Index { .. }));
            if has_index && written.contains(&false) {
                let name = self.machine.code.program.place_name(self.routine.body, id, usize::MAX);
                check.unwritten_local(&name, place.span);
            }
        } else if place.access.is_volatile() {
            let load = Atomic::volatile(AtomicOp::Load, size);
            check.atomic(spot.at, load, place.span);
        } else if !place.access.is_prefetch() {
            check.plain(types, (spot.at, spot.ty), Action::Read, place.span);
        }
    }

    /// The bytes of a row of a matrix, at the beginning of a slice.
    pub(super) fn row(&self, slice: ExprId, span: Span) -> Result<&[u8], Stop> {
        let Value::Slice { start, .. } = self.value(slice)? else {
            return Ok(&[]);
        };
        if let Some(mut check) = self.machine.recorder() {
            check.bytes(start, MatrixLoad::ROW_BYTES, Action::Read, span);
        }
        self.machine
            .memory
            .bytes(self.private, start, MatrixLoad::ROW_BYTES)
            .map_err(|what| Stop::Undefined { what, span })
    }

    /// The bytes at a spot.
    pub(super) fn bytes(&self, spot: Spot, span: Span) -> Result<&[u8], Stop> {
        let size = self.machine.code.layout(spot.ty).size;
        self.machine
            .memory
            .bytes(self.private, spot.at, size)
            .map_err(|what| Stop::Undefined { what, span })
    }
}
