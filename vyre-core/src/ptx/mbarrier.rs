//! `mbarrier`: barriers in shared memory with split arrive and wait.

use vyre_ir::ir::AtomicOp;

use super::entry::Writer;
use super::text::{Class, Operand};
use crate::ssa::{Ty, Value};

impl Writer<'_> {
    /// Emits an operation on a barrier in shared memory.
    pub(super) fn split_barrier(&mut self, value: Value, op: AtomicOp, address: Value, operand: Value) {
        let space = self.space(address).suffix();
        match op {
            AtomicOp::BarrierInit => {
                let name = ["mbarrier.init", space, ".b64"];
                let count = match self.function.as_constant(operand) {
                    Some(count) => Operand::Number(i64::from(count as u32)),
                    None => {
                        let count = Operand::Register(self.text.register(Class::Word));
                        let wide = self.operand(operand);
                        self.text.instruction(&["cvt.u32.u64"], &[count, wide]);
                        count
                    }
                };
                self.access(&name, None, address, 0, &[count]);
            }
            AtomicOp::BarrierCopies => {
                let name = ["cp.async.mbarrier.arrive", space, ".b64"];
                self.access(&name, None, address, 0, &[]);
            }
            AtomicOp::BarrierOpened => {
                let opened = Operand::Register(self.text.register(Class::Predicate));
                let token = self.operand(operand);
                let name = ["mbarrier.test_wait", space, ".b64"];
                self.access(&name, Some(opened), address, 0, &[token]);
                if self.function.ty(value) != Ty::Unit {
                    let target = Operand::Register(self.register(value));
                    let operands = [target, Operand::Number(1), Operand::Number(0), opened];
                    self.text.instruction(&["selp.b64"], &operands);
                }
            }
            AtomicOp::BarrierArrive => {
                // The instruction needs a register for the token, used or not.
                let target = match self.function.ty(value) {
                    Ty::Unit => self.text.register(Class::Double),
                    _ => self.register(value),
                };
                let name = ["mbarrier.arrive", space, ".b64"];
                self.access(&name, Some(Operand::Register(target)), address, 0, &[]);
            }
            // The caller passes operations on barriers alone; SSA construction has made a number of
            // the address for `BarrierNumber`.
            _ => {}
        }
    }
}
