//! Type checks of expressions and their operands.

use super::body::BodyCheck;
use super::error::{Immutable, InvalidKind};
use super::types;
use crate::ir::natural::{self, Natural};
use crate::ir::{BinaryOp, ExprId, ExprKind, PlaceBase, PlaceId, Projection, Scalar, Type, TypeId};
use vyre_abi::list;

impl BodyCheck<'_, '_> {
    /// Checks an expression against the declared types of its operands.
    pub(super) fn expr(&mut self, id: ExprId) {
        let body = self.body;
        let expr = &body.exprs[id];
        let (span, bool_type) = (expr.span, self.scalar_type(Scalar::Bool));
        match expr.kind {
            ExprKind::Constant(constant) => {
                if let Err(kind) = types::constant(constant) {
                    self.error(span, kind);
                }
            }
            ExprKind::External(_) | ExprKind::Builtin(_) => {}
            ExprKind::Load(place) => {
                let ty = self.place_type(place);
                if self.facts.of(ty).atomics {
                    self.error(span, InvalidKind::AtomicLoad(ty));
                }
            }
            ExprKind::Length(place) => {
                let ty = self.place_type(place);
                if !matches!(self.ty(ty), Type::Slice { .. }) {
                    self.error(span, InvalidKind::NotSlice(ty));
                }
            }
            ExprKind::Reference(place) => self.borrow(expr.ty, place),
            ExprKind::Subslice { place, start, end, .. } => {
                self.expect(start, self.scalar_type(Scalar::U64));
                self.expect(end, self.scalar_type(Scalar::U64));
                let ty = self.place_type(place);
                match *self.ty(ty) {
                    Type::Array { .. } => self.borrow(expr.ty, place),
                    Type::Slice { mutable, .. } => {
                        if self.is_mutable(expr.ty) && !mutable {
                            self.error(span, InvalidKind::Immutable(Immutable::Slice));
                        }
                    }
                    _ => return self.error(span, InvalidKind::NotIndexable(ty)),
                }
            }
            ExprKind::Regroup(operand) => {
                let from = self.type_of(operand);
                if self.program.types.regrouped(from, expr.ty).is_none() {
                    return self.error(span, InvalidKind::Regroup { from, to: expr.ty });
                }
                if self.is_mutable(expr.ty) && !self.is_mutable(from) {
                    self.error(span, InvalidKind::Immutable(Immutable::Slice));
                }
            }
            ExprKind::DynamicShared { offset, length } => {
                self.expect(offset, self.scalar_type(Scalar::U64));
                length
                    .iter()
                    .for_each(|&length| self.expect(length, self.scalar_type(Scalar::U64)));
                match *self.ty(expr.ty) {
                    Type::Slice { element, mutable: true } if !self.facts.of(element).references => {}
                    _ => self.error(span, InvalidKind::NotSharedSlice(expr.ty)),
                }
            }
            ExprKind::MapShared { reference, rank } => {
                self.expect(rank, self.scalar_type(Scalar::U64));
                let shared = match body.exprs[reference].kind {
                    ExprKind::Reference(place) | ExprKind::Subslice { place, .. } => {
                        let place = &body.places[place];
                        matches!(place.base, PlaceBase::Shared(_)) && !place.path.contains(&Projection::Deref)
                    }
                    ref kind => matches!(kind, ExprKind::DynamicShared { .. }),
                };
                if !shared {
                    self.error(span, InvalidKind::MapsOther);
                }
            }
            ExprKind::Within { index, length, .. } => {
                self.expect(index, self.scalar_type(Scalar::U64));
                self.expect(length, self.scalar_type(Scalar::U64));
            }
            ExprKind::Unary { op, operand } => {
                if let Some(scalar) = self.scalar(operand)
                    && !op.accepts(scalar)
                {
                    self.error(span, InvalidKind::Unary { op, scalar });
                }
            }
            ExprKind::Binary { op, left, right } => self.binary(id, op, left, right),
            ExprKind::MulAdd { a, b, c } => {
                if let Some(scalar) = self.scalar(a)
                    && !scalar.is_float()
                {
                    self.error(span, InvalidKind::MulAdd(scalar));
                }
                let ty = self.type_of(a);
                self.expect(b, ty);
                self.expect(c, ty);
            }
            ExprKind::And { left, right } | ExprKind::Or { left, right } => {
                self.expect(left, bool_type);
                self.expect(right, bool_type);
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                self.expect(condition, bool_type);
                let ty = self.type_of(then);
                self.expect(otherwise, ty);
            }
            ExprKind::Cast(operand) => self.convert(id, operand, true),
            ExprKind::Bitcast(operand) => self.convert(id, operand, false),
            ExprKind::Construct(ref parts) => self.construct(id, parts),
            ExprKind::Repeat(operand) => match *self.ty(expr.ty) {
                Type::Array { element, .. } => self.expect(operand, element),
                _ => self.error(span, InvalidKind::NotArray(expr.ty)),
            },
            ExprKind::Field { operand, index } => {
                let ty = self.type_of(operand);
                if natural::field_type(self.program, ty, index).is_none() {
                    return self.error(span, InvalidKind::NoField { ty, index });
                }
            }
        }
        self.stated(id);
    }

    /// Reports a declared type that differs from the derived one. Casts and constructions were
    /// already checked.
    fn stated(&mut self, id: ExprId) {
        let expr = &self.body.exprs[id];
        let stated = expr.ty;
        let actual = match natural::expr_type(self.program, self.body, &expr.kind, self.is_mutable(stated)) {
            Some(Natural::Known(ty)) => Some(ty),
            Some(Natural::Made(ty)) => self.program.types.find(&ty),
            None => return,
        };
        if actual != Some(stated) {
            self.error(expr.span, InvalidKind::StatedType { stated, actual });
        }
    }

    fn is_mutable(&self, ty: TypeId) -> bool {
        matches!(
            self.ty(ty),
            Type::Reference { mutable: true, .. } | Type::Slice { mutable: true, .. }
        )
    }

    /// `&mut` needs a writable place.
    fn borrow(&mut self, ty: TypeId, place: PlaceId) {
        if self.is_mutable(ty) {
            self.writable(place);
        }
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) {
        if let Some(scalar) = self.scalar(left)
            && !op.accepts(scalar)
        {
            self.error(self.body.exprs[id].span, InvalidKind::Binary { op, scalar });
        }
        let expected = if op.is_shift() {
            self.scalar_type(Scalar::U32)
        } else {
            self.type_of(left)
        };
        self.expect(right, expected);
    }

    /// A cast by value, or of the bits.
    fn convert(&mut self, id: ExprId, operand: ExprId, by_value: bool) {
        let expr = &self.body.exprs[id];
        let Some(from) = self.scalar(operand) else { return };
        let Some(to) = self.program.types.as_scalar(expr.ty) else {
            return self.error(expr.span, InvalidKind::NotScalar(expr.ty));
        };
        if by_value {
            if to == Scalar::Bool || (from == Scalar::Bool && to.is_float()) {
                self.error(expr.span, InvalidKind::Cast { from, to });
            }
        } else if from.bits() != to.bits() || from == Scalar::Bool {
            self.error(expr.span, InvalidKind::Bitcast { from, to });
        }
    }

    fn construct(&mut self, id: ExprId, parts: &[ExprId]) {
        let expr = &self.body.exprs[id];
        let (ty, found) = (expr.ty, parts.len() as u64);
        let (expected, types): (u64, Vec<TypeId>) = match self.ty(ty) {
            Type::Tuple(fields) => (fields.len() as u64, fields.clone()),
            Type::Struct { fields, .. } => (fields.len() as u64, list::map(fields, |field| field.ty)),
            Type::Array { element, length } => (*length, vec![*element; parts.len()]),
            _ => return self.error(expr.span, InvalidKind::NotAggregate(ty)),
        };
        if found != expected {
            return self.error(expr.span, InvalidKind::PartCount { ty, expected, found });
        }
        for (&part, ty) in parts.iter().zip(types) {
            self.expect(part, ty);
        }
    }
}
