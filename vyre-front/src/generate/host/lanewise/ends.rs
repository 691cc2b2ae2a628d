//! Expressions that are linear in the lane, or uniform because both ends agree.

use vyre_ir::ir::{BinaryOp, ExprId, ExprKind};

use super::Form;
use crate::code::{Code, code};
use crate::generate::host::body::Writer;

impl Writer<'_> {
    /// An expression that is not written as in the body of one thread.
    pub(in crate::generate::host) fn lanes_expr(&mut self, id: ExprId) -> Option<Code> {
        let lanewise = self.lanewise.as_ref()?;
        let span = self.span;
        if lanewise.inside
            && let Some((_, code)) = lanewise.known.iter().find(|(known, _)| *known == id)
        {
            return Some(code.clone());
        }
        let resolved = lanewise.lanes.indices.resolved(self.body, id);
        if let Some(resolved) = resolved.filter(|&it| it != id) {
            return Some(self.expr(resolved));
        }
        if let ExprKind::Builtin(builtin) = self.body.exprs[id].kind {
            let value = self.builtin(builtin);
            return Some(match self.form(id) {
                Some(Form::Linear) if lanewise.inside => code!(span=> __v::lane(#value, __l)),
                Some(Form::Varying) => code!(span=> __t.of_lane(__l).lane()),
                _ => value,
            });
        }
        if lanewise.inside {
            return self.is_chain(id).then(|| self.selection(id));
        }
        let is_linear = |writer: &Self, id| writer.form(id) == Some(Form::Linear);
        match self.body.exprs[id].kind {
            ExprKind::Binary { op, left, right } if is_linear(self, left) || is_linear(self, right) => {
                // `__a` and `__b` of the first lane, and of the last one.
                let left_end = is_linear(self, left).then(|| code!(span=> let __a = __t.last_lane(__a, __N)?;));
                let right_end = is_linear(self, right).then(|| code!(span=> let __b = __t.last_lane(__b, __N)?;));
                let (a, b) = (self.expr(left), self.expr(right));
                let result = |writer: &Self| writer.combined(op, None, code!(span=> __a), code!(span=> __b));
                let (first, last) = (result(self), result(self));
                Some(match op {
                    BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => code!(span=> ({
                        let (__a, __b) = (#a, #b);
                        let __first = #first;
                        #left_end
                        #right_end
                        __t.agree(#last == __first)?;
                        __first
                    })),
                    BinaryOp::Div => code!(span=> ({
                        let (__a, __b) = (#a, #b);
                        let __first = __t.division(#first, 0, 0)?;
                        #left_end
                        __t.agree(__t.division(#last, 0, 0)? == __first)?;
                        __first
                    })),
                    BinaryOp::Rem => {
                        let quotient =
                            |writer: &Self| writer.combined(BinaryOp::Div, None, code!(span=> __a), code!(span=> __b));
                        let (one, other) = (quotient(self), quotient(self));
                        code!(span=> ({
                            let (__a, __b) = (#a, #b);
                            let __rest = __t.division(#first, 0, 0)?;
                            let __first = __t.division(#one, 0, 0)?;
                            #left_end
                            __t.agree(__t.division(#other, 0, 0)? == __first)?;
                            __rest
                        }))
                    }
                    // The linear one at both ends.
                    BinaryOp::Min | BinaryOp::Max => {
                        let (one, other) = match is_linear(self, left) {
                            true => (code!(span=> __a), code!(span=> __a)),
                            false => (code!(span=> __b), code!(span=> __b)),
                        };
                        let result = one.clone();
                        code!(span=> ({
                            let (__a, __b) = (#a, #b);
                            __t.agree(#first == #one)?;
                            let __first = #result;
                            #left_end
                            #right_end
                            __t.agree(#last == #other)?;
                            __first
                        }))
                    }
                    _ => return None,
                })
            }
            ExprKind::Within { index, length, .. } if is_linear(self, index) => {
                let (index, length) = (self.expr(index), self.expr(length));
                Some(code!(span=> (__t.within(#index, #length, __N)? as u64)))
            }
            ExprKind::Cast(operand) if is_linear(self, operand) => {
                let types = &self.context.program.types;
                let scalar = |id: ExprId| types.as_scalar(self.body.exprs[id].ty);
                let (from, to) = (scalar(operand)?, scalar(id)?);
                if to.size() <= from.size() {
                    return None;
                }
                let (value, ty) = (self.expr(operand), self.ty(self.body.exprs[id].ty));
                Some(code!(span=> ({ let __a = #value; __t.last_lane(__a, __N)?; (__a as #ty) })))
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } if is_linear(self, id) => {
                let condition = self.expr(condition);
                let give_up = |writer: &mut Self, arm: ExprId| match is_linear(writer, arm) {
                    true => writer.expr(arm),
                    false => code!(span=> (return __Err(__Left))),
                };
                let (then, otherwise) = (give_up(self, then), give_up(self, otherwise));
                Some(code!(span=> (if #condition { #then } else { #otherwise })))
            }
            _ => None,
        }
    }

    /// True of a choice among at least three values that are at hand, of which LLVM makes a jump table, which no vector
    /// instruction carries out. Of two it makes a selection by itself.
    fn is_chain(&self, id: ExprId) -> bool {
        let kind = |id: ExprId| &self.body.exprs[id].kind;
        let is_choice = |id: ExprId| matches!(kind(id), ExprKind::Select { .. });
        match *kind(id) {
            ExprKind::Select { then, otherwise, .. } => {
                (is_choice(then) || is_choice(otherwise)) && self.is_at_hand(then) && self.is_at_hand(otherwise)
            }
            _ => false,
        }
    }

    /// A value of a chain.
    fn selection(&mut self, id: ExprId) -> Code {
        let ExprKind::Select {
            condition,
            then,
            otherwise,
        } = self.body.exprs[id].kind
        else {
            return self.expr(id);
        };
        let (condition, then, otherwise) = (self.expr(condition), self.selection(then), self.selection(otherwise));
        let span = self.span;
        code!(span=> __v::select(#condition, #then, #otherwise))
    }

    /// True of a scalar that takes no effort, so that it may be evaluated and not used.
    fn is_at_hand(&self, id: ExprId) -> bool {
        let Some(lanewise) = &self.lanewise else { return false };
        let types = &self.context.program.types;
        types.as_scalar(self.body.exprs[id].ty).is_some()
            && match self.body.exprs[id].kind {
                ExprKind::Constant(_) | ExprKind::External(_) => true,
                ExprKind::Load(place) => {
                    let is_known = lanewise.known.iter().any(|(known, _)| *known == id);
                    is_known || self.body.places[place].whole_local().is_some()
                }
                ExprKind::Select {
                    condition,
                    then,
                    otherwise,
                } => self.is_condition_at_hand(condition) && self.is_at_hand(then) && self.is_at_hand(otherwise),
                _ => lanewise.known.iter().any(|(known, _)| *known == id),
            }
    }

    /// The same of a comparison of such scalars.
    fn is_condition_at_hand(&self, id: ExprId) -> bool {
        match self.body.exprs[id].kind {
            ExprKind::Binary { op, left, right } => {
                op.is_comparison() && self.is_at_hand(left) && self.is_at_hand(right)
            }
            _ => self.is_at_hand(id),
        }
    }
}
