//! Control flow, barriers and assertions.

use super::value::IntoValue;
use super::{Build, Number, Value, Var};
use crate::ir::StmtKind;

impl<'b> Build<'b> {
    /// `if condition { then }`.
    pub fn if_(self, condition: Value<'b, bool>, then: impl FnOnce()) {
        self.if_else(condition, then, || {});
    }

    /// `if condition { then } else { otherwise }`.
    pub fn if_else(self, condition: Value<'b, bool>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let condition = self.with(|b| condition.expr(b));
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        self.with(|b| {
            b.push(StmtKind::If {
                condition,
                then,
                otherwise,
            });
        });
    }

    /// `while condition { body }`; the condition is built anew for each iteration.
    pub fn while_(self, condition: impl FnOnce() -> Value<'b, bool>, body: impl FnOnce()) {
        self.loop_(
            || {
                self.break_if(!condition());
                body();
            },
            || {},
        );
    }

    /// `for i in start..end { body(i) }`.
    pub fn range<T: Number>(
        self,
        start: impl IntoValue<'b, T>,
        end: impl IntoValue<'b, T>,
        body: impl FnOnce(Value<'b, T>),
    ) {
        let counter: Var<'b, T> = self.var("", start);
        let end = end.into_value(self);
        self.loop_(
            || {
                let i = counter.get();
                self.break_if(i.ge(end));
                body(i);
            },
            || {
                self.with(|b| {
                    let (i, one) = (
                        b.get(counter.local()),
                        b.constant(crate::ir::Constant::new(T::SCALAR, 1)),
                    );
                    let next = b.binary(crate::ir::BinaryOp::Add, i, one);
                    b.set(counter.local(), next);
                })
            },
        );
    }

    /// Leaves the innermost loop if the condition holds.
    pub fn break_if(self, condition: Value<'b, bool>) {
        self.if_(condition, || self.with(|b| b.push(StmtKind::Break(0))));
    }

    /// Ends the thread.
    pub fn return_(self) {
        self.with(|b| b.return_(None));
    }

    /// Waits for all threads of the block (CUDA `__syncthreads`).
    pub fn barrier(self) {
        self.with(|b| b.barrier());
    }

    /// Faults with a message unless the condition holds.
    pub fn assert(self, condition: Value<'b, bool>, message: &str) {
        self.with(|b| {
            let condition = condition.expr(b);
            b.assert(condition, message);
        });
    }

    fn loop_(self, body: impl FnOnce(), step: impl FnOnce()) {
        let (body, step) = (self.block(body), self.block(step));
        self.with(|b| b.push(StmtKind::Loop { body, step }));
    }

    fn block(self, build: impl FnOnce()) -> crate::ir::Block {
        let outer = self.with(|b| b.begin_block());
        build();
        self.with(|b| b.end_block(outer))
    }
}
