//! Assertions, and what is printed: what a kernel tells the host besides its results.

use super::Builder;
use crate::fault::{FaultKind, value_offset};
use crate::ir::{AssertMessage, ExprId, Handle, Local, Scalar, Type};
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
        let mut given: Vec<Value> = operands.iter().map(|&operand| self.scalar(operand)).collect();
        let count = given.len();
        if count > 3 {
            given = given.chunks(4).map(|words| self.fragment(words)).collect();
        }
        let nothing = self.constant(Ty::I32, 0);
        let mut operands = [nothing; 3];
        for (operand, given) in operands.iter_mut().zip(given) {
            *operand = given;
        }
        let types = &self.program.types;
        let (mut one, mut results) = (Ty::Unit, Vec::new());
        let word = |ty| Ty::of(types.as_scalar(ty).unwrap_or(Scalar::U32));
        match result.map(|result| self.body().locals[result].ty) {
            None => {}
            Some(ty) => match &types[ty] {
                Type::Tuple(elements) => results = elements.iter().map(|&element| word(element)).collect(),
                _ => one = word(ty),
            },
        }
        let number = self.function.inline.len() as u32;
        self.function.inline.push(Inline {
            text: text.to_owned(),
            operands: count,
            results: results.clone(),
        });
        let of = self.emit(Op::Ptx { number, operands }, one);
        let mut words: Vec<Value> = (0..)
            .zip(results)
            .map(|(number, ty)| self.emit(Op::Part { of, number }, ty))
            .collect();
        if one != Ty::Unit {
            words.push(of);
        }
        if let Some(result) = result {
            self.initialise(result, &words);
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
