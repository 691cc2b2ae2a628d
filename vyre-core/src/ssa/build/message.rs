//! Assertions, and what is printed: what a kernel tells the host besides its results.

use super::Builder;
use crate::fault::{FaultKind, value_offset};
use crate::ir::{AssertMessage, ExprId, Handle, Local, MAX_PTX_OPERANDS, Scalar};
use crate::print::HEADER_WORDS;
use crate::ssa::function::Inline;
use crate::ssa::op::Op;
use crate::ssa::{Terminator, Ty, Value};

impl Builder<'_, '_> {
    pub(super) fn assert(&mut self, condition: ExprId, message: &AssertMessage, values: &[ExprId]) {
        let condition = self.scalar(condition);
        let (kind, text) = match message {
            AssertMessage::Assertion(text) => (FaultKind::Assertion, text),
            AssertMessage::Panic(text) => (FaultKind::Panic, text),
        };
        match (self.function.as_constant(condition), values) {
            (Some(1), _) => {}
            (Some(_), []) => {
                self.guard_plain(condition, kind, text);
                self.ends();
            }
            (None, []) => self.guard_plain(condition, kind, text),
            (Some(_), values) => self.fault(kind, text, values),
            (None, values) => {
                let (holds, fails) = self.branch(condition);
                let state = self.state.clone();
                self.block = fails;
                self.fault(kind, text, values);
                (self.block, self.state, self.reachable) = (holds, state, true);
            }
        }
    }

    /// Faults with a message of values.
    fn fault(&mut self, kind: FaultKind, text: &str, values: &[ExprId]) {
        let words = self.message(values);
        let site = self.sites.number(kind, self.span, text);
        let record = self.emit(Op::Claim { site }, Ty::I64);
        for (number, value) in words.into_iter().enumerate() {
            let offset = value_offset(number) as u32;
            self.effect(Op::Put { record, offset, value });
        }
        self.effect(Op::Fault(record));
        self.ends();
    }

    pub(super) fn print(&mut self, template: &str, values: &[ExprId]) {
        let words = self.message(values);
        let site = self.sites.print(template);
        let print = Op::Print {
            site,
            values: words.len() as u32,
        };
        let record = self.emit(print, Ty::I64);
        for (number, value) in words.into_iter().enumerate() {
            let offset = 8 * (HEADER_WORDS + number) as u32;
            self.effect(Op::Put { record, offset, value });
        }
    }

    /// Instructions in PTX.
    pub(super) fn ptx(&mut self, text: &str, operands: &[ExprId], result: Option<Handle<Local>>) {
        let given: Vec<Value> = operands.iter().map(|&operand| self.scalar(operand)).collect();
        let number = self.function.inline.len() as u32;
        self.function.inline.push(Inline {
            text: text.to_owned(),
            operands: given.len(),
        });
        let nothing = self.constant(Ty::I32, 0);
        let mut operands = [nothing; MAX_PTX_OPERANDS];
        for (operand, given) in operands.iter_mut().zip(given) {
            *operand = given;
        }
        let op = Op::Ptx { number, operands };
        match result {
            Some(result) => {
                let ty = self.body().locals[result].ty;
                let scalar = self.program.types.as_scalar(ty).unwrap_or(Scalar::U32);
                let value = self.emit(op, Ty::of(scalar));
                self.initialise(result, &[value]);
            }
            None => self.effect(op),
        }
    }

    /// The values of a message, as they are put into a record. Each may fault.
    fn message(&mut self, values: &[ExprId]) -> Vec<Value> {
        let words = values.iter().map(|&value| {
            let word = self.scalar(value);
            match self.function.ty(word) {
                Ty::Bool => {}
                half if half.is_half() => return self.bits(word, Ty::I32),
                _ => return word,
            }
            let (one, zero) = (self.constant(Ty::I32, 1), self.constant(Ty::I32, 0));
            self.select(word, one, zero)
        });
        words.collect()
    }

    /// The thread has left.
    fn ends(&mut self) {
        self.function.blocks[self.block].end = Terminator::Return;
        self.reachable = false;
    }
}
