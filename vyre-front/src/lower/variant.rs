//! Values that are one of several variants: the number of the variant, and slots for the fields.

use vyre_abi::list;
use vyre_ir::ir::{BinaryOp, Constant, UnaryOp};

use super::expr::is_place;
use super::message::{NO_OK, NO_SOME};
use super::{ExprId, Lowering, Storage};
use crate::syntax::tree::{Argument, Expr, ExprKind, MethodCall};
use crate::types::Ty;
use crate::types::adt::{Case, Form, LEAST, OK, RESULT, SOME};
use crate::types::slots::Place;

impl Lowering<'_, '_> {
    /// `Some(x)`.
    pub(super) fn tagged(&mut self, ty: Ty, variant: u32, given: &[(u32, Expr)]) -> Option<ExprId> {
        let here = self.b.span;
        let slots = self.tree.types.slots(ty)?;
        let places = &slots.places[variant as usize];
        let mut values = self.operands(given.iter().map(|(_, value)| value))?;
        self.b.span = here;
        let taken: Vec<Option<u32>> = list::map(given, |(number, _)| match places[*number as usize] {
            Place::Slot(slot) => Some(slot),
            Place::Nowhere | Place::Bytes(_) => None,
        });
        if !taken.is_sorted() || taken.contains(&None) {
            // The program evaluates slots in their order, so these come first.
            for value in &mut values {
                let kept = self.again(*value);
                *value = self.get(kept);
            }
        }
        if places.iter().any(|place| matches!(place, Place::Bytes(_))) {
            let mut values = values.into_iter();
            let mut fields = Vec::new();
            for (number, _) in given {
                fields.push((*number, values.next()?));
            }
            return Some(self.cut_fields(ty, &slots, variant, &fields));
        }
        let mut parts = vec![self.b.constant(slots.numbers[variant as usize])];
        for (slot, &ty) in (1..).zip(&slots.types[1..]) {
            let given = taken.iter().position(|&taken| taken == Some(slot));
            parts.push(match given {
                Some(given) => values[given],
                None => self.written_out(ty, &mut std::iter::repeat(0)),
            });
        }
        let ty = self.ty(ty);
        Some(self.b.construct(ty, parts))
    }

    /// True if a value is of a variant.
    pub(super) fn is(&mut self, value: &Expr, variant: u32) -> Option<ExprId> {
        let here = self.b.span;
        let ty = self.tree.types.referent(value.ty);
        let of = self.tree.types.adt(ty)?;
        if let Form::Fieldless { cell, .. } = of.form {
            let wanted = Constant::new(cell.scalar(), of.variants[variant as usize].bits);
            let value = self.value(value)?;
            self.b.span = here;
            let wanted = self.b.constant(wanted);
            return Some(self.b.binary(BinaryOp::Eq, value, wanted));
        }
        let slots = self.tree.types.slots(ty)?;
        let sought = match value.kind {
            ExprKind::Local(local) => match self.storage[local] {
                Storage::Sought(_, is_there) => Some(is_there),
                _ => None,
            },
            _ => None,
        };
        let found = match (sought, is_place(value)) {
            (Some(is_there), _) => self.b.get(is_there),
            (_, true) => {
                let path = self.place(value)?;
                let path = self.b.field(path, 0);
                self.b.load(path)
            }
            _ => {
                let value = self.value(value)?;
                self.b.field_of(value, 0)
            }
        };
        self.b.span = here;
        Some(match (slots.types[0], variant) {
            (Ty::BOOL, 1) => found,
            (Ty::BOOL, _) => self.b.unary(UnaryOp::Not, found),
            _ => {
                let wanted = self.b.constant(slots.numbers[variant as usize]);
                self.b.binary(BinaryOp::Eq, found, wanted)
            }
        })
    }

    /// True if a slice has as many elements as a pattern takes; an array has, as rustc has seen.
    pub(super) fn is_of_length(&mut self, value: &Expr, case: Case) -> Option<ExprId> {
        let Some(wanted) = self.tree.types.length_of(case.of) else {
            return Some(self.b.bool(true));
        };
        if !self.tree.types.is_slice(value.ty) {
            return Some(self.b.bool(true));
        }
        let here = self.b.span;
        let path = self.place(value)?;
        self.b.span = here;
        let length = self.length_at(path);
        let wanted = self.b.u64(wanted);
        let op = if case.key == LEAST { BinaryOp::Ge } else { BinaryOp::Eq };
        Some(self.b.binary(op, length, wanted))
    }

    /// The place of a field of a variant among the parts of its enum.
    pub(super) fn slot(&self, ty: Ty, case: Case, number: u32) -> Option<Place> {
        let slots = self.tree.types.slots(self.tree.types.referent(ty))?;
        Some(slots.places[case.variant as usize][number as usize])
    }

    /// `unwrap`, `expect`, `unwrap_or`: what is in `Some` or `Ok`.
    pub(super) fn unwrapped(&mut self, whole: &Expr, call: &MethodCall) -> Option<ExprId> {
        let here = self.b.span;
        let ty = self.tree.types.referent(call.receiver.ty);
        let is_result = self.tree.types.adt(ty).is_some_and(|of| of.key == RESULT);
        let variant = if is_result { OK } else { SOME };
        // The place is mentioned several times, and an index is evaluated once.
        let path = match is_place(&call.receiver) && !self.is_indexed(&call.receiver) {
            true => self.place(&call.receiver)?,
            false => {
                let value = self.value(&call.receiver)?;
                let local = self.b.let_("", value);
                self.fixed.push(local);
                self.b.local_place(local)
            }
        };
        let slots = self.tree.types.slots(ty)?;
        let place = slots.places[variant as usize][0];
        let tag = self.b.field(path.clone(), 0);
        let tag = self.b.load(tag);
        let kept = self.again(tag);
        let inner = match place {
            Place::Slot(slot) => {
                let path = self.b.field(path, slot);
                let value = self.b.load(path);
                Some(self.again(value))
            }
            // Of core's types, which have no layout, none lies in several.
            Place::Nowhere | Place::Bytes(_) => None,
        };
        let other = match &call.arguments[..] {
            [Argument::Value(other)] => {
                let value = self.value(other)?;
                // It is evaluated, and may fault, wanted or not.
                Some(self.again(value))
            }
            _ => None,
        };
        self.b.span = here;
        let mut holds = self.get(kept);
        if is_result {
            holds = self.b.unary(UnaryOp::Not, holds);
        }
        let Some(other) = other else {
            self.expect(holds, call, if is_result { NO_OK } else { NO_SOME });
            return Some(match inner {
                Some(inner) => self.get(inner),
                None => self.unit(),
            });
        };
        let Some(inner) = inner else {
            return Some(self.unit());
        };
        let inner = self.get(inner);
        if self.is_scalar(self.tree.types.by_value(whole.ty)) {
            let other = self.get(other);
            return Some(self.b.select(holds, inner, other));
        }
        let other = self.get(other);
        let result = self.b.let_("", other);
        let then = vec![self.store_to(result, inner)];
        self.branch(holds, then, Vec::new());
        Some(self.b.get(result))
    }

    /// True if there is an index on the way to a place, or to what a variable refers to.
    fn is_indexed(&self, place: &Expr) -> bool {
        match &place.kind {
            ExprKind::Index { .. } | ExprKind::Part(..) | ExprKind::Regroup(..) => true,
            ExprKind::Local(local) => match self.storage[*local] {
                Storage::Alias(alias) | Storage::Sought(alias, _) => self.aliases[alias].is_indexed(),
                _ => false,
            },
            _ => place.base().is_some_and(|base| self.is_indexed(base)),
        }
    }
}
