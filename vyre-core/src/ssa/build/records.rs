//! Assertions and printed output: records for the host.

use vyre_abi::fault::{FaultKind, value_offset};
use vyre_abi::print::HEADER_WORDS;
use vyre_ir::ir::{AssertMessage, ExprId, Handle, Local, Scalar, Type, TypeId};

use super::Builder;
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

    /// Faults with a message that has values.
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

    /// Inline PTX.
    pub(super) fn ptx(
        &mut self,
        (text, version): (&str, Option<(u32, u32)>),
        operands: &[ExprId],
        result: Option<Handle<Local>>,
    ) {
        let mut given = self.scalars(operands);
        for (value, &operand) in given.iter_mut().zip(operands) {
            // Registers of 16 bits hold halves of the graph.
            if let (register, Scalar::I16 | Scalar::U16) = self.register(self.body().exprs[operand].ty) {
                *value = self.bits(*value, register);
            }
        }
        let operands = self.function.lists.add(&given);
        // The elements of a tuple are separate results.
        let (mut one, mut results, mut scalars) = (Ty::Unit, Vec::new(), Vec::new());
        if let Some(result) = result {
            let ty = self.body().locals[result].ty;
            if let Type::Tuple(elements) = &self.program.types[ty] {
                (results, scalars) = elements.iter().map(|&element| self.register(element)).unzip();
            } else {
                let (ty, scalar) = self.register(ty);
                (one, scalars) = (ty, vec![scalar]);
            }
        }
        let number = self.function.inline.len() as u32;
        self.function.inline.push(Inline {
            text: text.to_owned(),
            version,
            results: results.clone(),
        });
        let of = self.emit(Op::Ptx { number, operands }, one);
        let mut words = match one {
            Ty::Unit => self.results(of, &results),
            _ => vec![of],
        };
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

    /// The register type of an instruction's scalar, and the scalar.
    fn register(&self, ty: TypeId) -> (Ty, Scalar) {
        match self.program.types.as_scalar(ty).unwrap_or(Scalar::U32) {
            scalar @ (Scalar::I16 | Scalar::U16) => (Ty::F16, scalar),
            scalar => (Ty::of(scalar), scalar),
        }
    }

    /// The values of a message, converted for a record. Each may fault.
    fn message(&mut self, values: &[ExprId]) -> Vec<Value> {
        let mut words = self.scalars(values);
        for word in &mut words {
            *word = match self.function.ty(*word) {
                half if half.is_half() => self.bits(*word, Ty::I32),
                _ => self.bool_to_word(*word),
            };
        }
        words
    }

    /// The thread has exited.
    fn ends(&mut self) {
        self.function.blocks[self.block].end = Terminator::Return;
        self.reachable = false;
    }
}
