//! Operands in order, and values used twice.

use vyre_abi::list;
use vyre_ir::ir::{Constant, ExprKind as IrKind, Handle, Local, PlaceBase, StmtKind};

use super::{ExprId, Lowering};
use crate::syntax::tree::Expr;

/// A value that may be mentioned any number of times.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Again {
    Constant(Constant),
    Local(Handle<Local>),
}

impl Lowering<'_, '_> {
    /// Lowers operands in order, so that each is evaluated before the statements of the next.
    pub(super) fn operands<'t>(&mut self, operands: impl IntoIterator<Item = &'t Expr>) -> Option<Vec<ExprId>> {
        self.each_operand(&mut operands.into_iter())
    }

    fn each_operand(&mut self, operands: &mut dyn Iterator<Item = &Expr>) -> Option<Vec<ExprId>> {
        let mut values: Vec<ExprId> = Vec::new();
        for operand in operands {
            let start = self.b.position();
            let value = self.value(operand);
            // If control diverges here, the earlier values are still evaluated: they may fault.
            if self.b.position() != start {
                self.keep(&mut values, start);
            }
            values.push(value?);
        }
        Some(values)
    }

    /// Two operands in order.
    pub(super) fn both(&mut self, left: &Expr, right: &Expr) -> Option<(ExprId, ExprId)> {
        match self.operands([left, right])?[..] {
            [left, right] => Some((left, right)),
            _ => None,
        }
    }

    /// Keeps values in variables that are written before the statement at `position`.
    pub(super) fn keep(&mut self, values: &mut [ExprId], mut position: usize) {
        for value in values {
            if self.is_fixed(*value) {
                continue;
            }
            let ty = self.b.type_of(*value);
            let local = self.b.local("", ty);
            self.fixed.push(local);
            let path = self.b.local_place(local);
            let place = self.b.place(path);
            self.b.insert(position, StmtKind::Store { place, value: *value });
            position += 1;
            *value = self.b.get(local);
        }
    }

    /// True if no statement changes the value and its evaluation cannot fault.
    pub(super) fn is_fixed(&self, value: ExprId) -> bool {
        match *self.b.kind_of(value) {
            IrKind::Constant(_) | IrKind::External(_) | IrKind::Builtin(_) => true,
            IrKind::Load(place) => {
                let place = self.b.place_of(place);
                match place.base {
                    PlaceBase::Local(local) => place.path.is_empty() && self.fixed.contains(&local),
                    _ => false,
                }
            }
            IrKind::Cast(operand) => self.is_fixed(operand),
            IrKind::Length(place) => {
                let place = self.b.place_of(place);
                let moves = matches!(place.base, PlaceBase::Local(local) if self.moving.contains(&local));
                place.path.is_empty() && !moves
            }
            _ => false,
        }
    }

    /// Evaluates a value now, for use in several places.
    pub(super) fn again(&mut self, value: ExprId) -> Again {
        match *self.b.kind_of(value) {
            IrKind::Constant(constant) => Again::Constant(constant),
            IrKind::Load(place) if self.is_fixed(value) => match self.b.place_of(place).base {
                PlaceBase::Local(local) => Again::Local(local),
                _ => self.keep_now(value),
            },
            _ => self.keep_now(value),
        }
    }

    /// The same of several.
    pub(super) fn all_again(&mut self, values: Vec<ExprId>) -> Vec<Again> {
        list::map(&values, |&value| self.again(value))
    }

    fn keep_now(&mut self, value: ExprId) -> Again {
        let local = self.b.let_("", value);
        self.fixed.push(local);
        Again::Local(local)
    }

    /// The value once more.
    pub(super) fn get(&mut self, value: Again) -> ExprId {
        match value {
            Again::Constant(constant) => self.b.constant(constant),
            Again::Local(local) => self.b.get(local),
        }
    }
}
