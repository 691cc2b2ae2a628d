//! The forms of expressions.

use vyre_ir::ir::{Axis, BinaryOp, Body, Builtin, ExprId, ExprKind, Handle, Local, Mention, PlaceBase, Types};

use super::{FEWEST, Form, Lanes};

impl Lanes {
    /// The form of an expression; `None` as long as the form of a local in it is unknown.
    pub(super) fn of(&self, types: &Types, body: &Body, id: ExprId) -> Option<Form> {
        use Form::{Linear, Uniform, Varying};
        let of = |id| self.of(types, body, id);
        let is_integer = |id: ExprId| {
            let scalar = types.as_scalar(body.exprs[id].ty);
            scalar.is_some_and(|scalar| scalar.is_integer())
        };
        let is_unsigned = |id: ExprId| {
            let scalar = types.as_scalar(body.exprs[id].ty);
            scalar.is_some_and(|scalar| scalar.is_integer() && !scalar.is_signed())
        };
        // The quotients of neighbours by a small number always differ somewhere.
        let is_small = |id: ExprId| matches!(body.exprs[id].kind, ExprKind::Constant(it) if it.bits < FEWEST.into());
        let id = self.indices.resolved(body, id).unwrap_or(id);
        Some(match body.exprs[id].kind {
            ExprKind::Builtin(Builtin::ThreadIndex(Axis::X) | Builtin::GlobalIndex(Axis::X) | Builtin::LinearIndex) => {
                Linear
            }
            ExprKind::Builtin(Builtin::LaneIndex) if self.whole_warps => Linear,
            ExprKind::Builtin(Builtin::LaneIndex) => Varying,
            ExprKind::Load(place) if body.places[place].path.is_empty() => match body.places[place].base {
                PlaceBase::Local(local) => self.forms.get(local)?,
                PlaceBase::Table(_) | PlaceBase::Shared(_) => Uniform,
            },
            ExprKind::Binary { op, left, right } => match (op, of(left)?, of(right)?) {
                (_, Uniform, Uniform) => Uniform,
                (BinaryOp::Add, Linear, Uniform)
                | (BinaryOp::Add, Uniform, Linear)
                | (BinaryOp::Sub, Linear, Uniform)
                    if is_integer(left) =>
                {
                    Linear
                }
                (BinaryOp::Div, Linear, Uniform) if is_unsigned(left) && !is_small(right) => Uniform,
                (BinaryOp::Rem, Linear, Uniform) if is_unsigned(left) && !is_small(right) => Linear,
                (BinaryOp::Min | BinaryOp::Max, Linear, Uniform) | (BinaryOp::Min | BinaryOp::Max, Uniform, Linear)
                    if is_integer(left) =>
                {
                    Linear
                }
                // The number in the warp is on both sides of nearly every bound.
                (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, Linear | Uniform, Linear | Uniform)
                    if is_integer(left)
                        && (of(left)?, of(right)?) != (Linear, Linear)
                        && !self.is_lane(body, left)
                        && !self.is_lane(body, right) =>
                {
                    Uniform
                }
                _ => Varying,
            },
            // The checked index has the form of the index.
            ExprKind::Within { index, length, .. } => match (of(index)?, of(length)?) {
                (form, Uniform) => form,
                _ => Varying,
            },
            ExprKind::Cast(operand) => match of(operand)? {
                Linear if is_integer(operand) && is_integer(id) => Linear,
                Uniform => Uniform,
                _ => Varying,
            },
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => match (of(condition)?, of(then)?, of(otherwise)?) {
                (Uniform, Uniform, Uniform) => Uniform,
                (Uniform, Linear | Uniform, Linear | Uniform) => Linear,
                _ => Varying,
            },
            ref kind => {
                let mut form = Some(Uniform);
                let mut join = |other: Option<Form>| {
                    form = match (form, other) {
                        (Some(Varying), _) | (_, Some(Varying | Linear)) => Some(Varying),
                        (Some(_), Some(_)) => Some(Uniform),
                        _ => None,
                    };
                };
                kind.mentions(&mut |mention| match mention {
                    Mention::Expr(operand) => join(of(operand)),
                    Mention::Place(place, _) => {
                        let place = &body.places[place];
                        if let PlaceBase::Local(local) = place.base {
                            join(self.forms.get(local));
                        }
                        place.indices().for_each(|index| join(of(index)));
                    }
                    Mention::Result(_) => {}
                });
                return form;
            }
        })
    }

    /// True of the number of a thread in its warp, of any type.
    fn is_lane(&self, body: &Body, id: ExprId) -> bool {
        let id = self.indices.resolved(body, id).unwrap_or(id);
        match body.exprs[id].kind {
            ExprKind::Builtin(Builtin::LaneIndex) => true,
            ExprKind::Cast(operand) => self.is_lane(body, operand),
            _ => false,
        }
    }

    /// Joins a form of what is stored to a local; true if it has changed.
    pub(super) fn join(&mut self, local: Handle<Local>, form: Option<Form>) -> bool {
        let known = self.forms.get(local);
        let joined = match (known, form) {
            (None, other) | (other, None) => other,
            (Some(a), Some(b)) if a == b => known,
            _ => Some(Form::Varying),
        };
        *self.forms.at(local) = joined;
        joined != known
    }
}
