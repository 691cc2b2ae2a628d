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
        let scalar_of = |of: &Self, ty| of.program.types.as_scalar(ty).unwrap_or(Scalar::U32);
        let given = operands.iter().map(|&operand| {
            let scalar = scalar_of(self, self.body().exprs[operand].ty);
            let value = self.scalar(operand);
            // Registers of 16 bits hold what the graph has as halves.
            match scalar {
                Scalar::I16 | Scalar::U16 => self.bits(value, Ty::F16),
                _ => value,
            }
        });
        let mut given: Vec<Value> = given.collect();
        let count = given.len();
        if count > 3 {
            given = given.chunks(4).map(|words| self.fragment(words)).collect();
        }
        let nothing = self.constant(Ty::I32, 0);
        let mut operands = [nothing; 3];
        for (operand, given) in operands.iter_mut().zip(given) {
            *operand = given;
        }
        let scalars: Vec<Scalar> = match result.map(|result| self.body().locals[result].ty) {
            None => Vec::new(),
            Some(ty) => match &self.program.types[ty] {
                Type::Tuple(elements) => elements.iter().map(|&element| scalar_of(self, element)).collect(),
                _ => vec![scalar_of(self, ty)],
            },
        };
        let is_tuple = result.is_some_and(|result| {
            let ty = self.body().locals[result].ty;
            matches!(self.program.types[ty], Type::Tuple(_))
        });
        let word = |&scalar: &Scalar| match scalar {
            Scalar::I16 | Scalar::U16 => Ty::F16,
            scalar => Ty::of(scalar),
        };
        let (one, results): (Ty, Vec<Ty>) = match (is_tuple, scalars.first()) {
            (false, Some(scalar)) => (word(scalar), Vec::new()),
            _ => (Ty::Unit, scalars.iter().map(word).collect()),
        };
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
        for (word, &scalar) in words.iter_mut().zip(&scalars) {
            if let Scalar::I16 | Scalar::U16 = scalar {
                let bits = self.bits(*word, Ty::I32);
                *word = self.narrow(bits, scalar);
            }
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
