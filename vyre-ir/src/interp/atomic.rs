//! Atomic statements.

use vyre_abi::semantics::mbarrier;

use super::block::Machine;
use super::code;
use super::memory::Pointer;
use super::record::Atomic;
use super::thread::{Stop, Thread};
use super::value::Value;
use crate::ir::{AtomicOp, BinaryOp, Constant, UnaryOp};
use crate::semantics;

impl Thread {
    /// Executes an atomic statement.
    pub(super) fn atomic(&mut self, machine: &mut Machine<'_, '_>, atomic: &code::Atomic) -> Result<(), Stop> {
        let at = Pointer::from_bits(self.word(atomic.at));
        if atomic.scalar.is_half() {
            return self.atomic_halves(machine, at, atomic);
        }
        let code::Atomic { op, scalar, span, .. } = *atomic;
        let first = self.first_register();
        let mut operands = [Constant::new(scalar, 0); 2];
        let operands = &mut operands[..atomic.operands.len().min(2)];
        for (operand, given) in operands.iter_mut().zip(&atomic.operands) {
            if let code::Operand::Word(reg) = *given {
                operand.bits = self.registers[first + reg as usize];
            }
        }
        let size = u64::from(scalar.size());
        let bytes = machine.memory.bytes(&self.private, at, size);
        let bytes = bytes.map_err(|what| Stop::Undefined { what, span })?;
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let old = Constant::new(scalar, u64::from_le_bytes(word));
        let mut is_open = false;
        if let (true, Some(token)) = (op.is_barrier(), operands.first()) {
            is_open = mbarrier::test_wait(old.bits, token.bits) != 0;
        }
        self.last_atomic = span;
        if op == AtomicOp::BarrierOpened {
            self.asked = true;
            self.acted |= is_open;
        }
        let new = exchanged(op, old, operands);
        if let Some(new) = new {
            self.write(&mut machine.memory, at, &new.bits.to_le_bytes()[..size as usize], span)?;
        }
        if let Some(mut check) = machine.recorder() {
            if op.is_barrier() {
                check.phase(at, op, [old.bits, new.unwrap_or(old).bits], is_open, span);
            } else {
                check.atomic(at, recorded(atomic, new.is_some(), size), span);
            }
        }
        if let Some(result) = atomic.result {
            let yields = match op {
                AtomicOp::BarrierOpened => u64::from(is_open),
                AtomicOp::BarrierNumber => at.to_bits(),
                _ => old.bits,
            };
            self.set(machine, result, &Value::Word(yields));
        }
        Ok(())
    }

    /// Executes an atomic statement on a pair of floats of 16 bits.
    fn atomic_halves(&mut self, machine: &mut Machine<'_, '_>, at: Pointer, atomic: &code::Atomic) -> Result<(), Stop> {
        let code::Atomic { op, scalar, span, .. } = *atomic;
        let first = self.first_register();
        let mut operands = Vec::with_capacity(2);
        for &operand in &atomic.operands {
            operands.push(match self.read(machine, operand, first) {
                Value::Bytes(pair) => pair,
                _ => vec![0; 4],
            });
        }
        let bytes = machine.memory.bytes(&self.private, at, 4);
        let old = bytes.map_err(|what| Stop::Undefined { what, span })?.to_vec();
        let read = |pair: &[u8], at: usize| {
            let half = u16::from_le_bytes([pair[at], pair[at + 1]]);
            Constant::new(scalar, half.into())
        };
        let half = |operand: &[u8], at: usize| {
            let new = exchanged(op, read(&old, at), &[read(operand, at)]);
            new.map_or(0, |new| new.bits as u16).to_le_bytes()
        };
        let new = match &operands[..] {
            [operand] => Some([half(operand, 0), half(operand, 2)].concat()),
            // Both halves are compared.
            [expected, new] if [0, 2].iter().all(|&at| same_bits(read(expected, at), read(&old, at))) => {
                Some(new.clone())
            }
            _ => None,
        };
        if let Some(new) = &new {
            self.write(&mut machine.memory, at, new, span)?;
        }
        if let Some(mut check) = machine.recorder() {
            check.atomic(at, recorded(atomic, new.is_some(), 4), span);
        }
        if let Some(result) = atomic.result {
            self.set(machine, result, &Value::Bytes(old));
        }
        Ok(())
    }
}

/// An atomic access for the recorder.
fn recorded(atomic: &code::Atomic, writes: bool, size: u64) -> Atomic {
    Atomic {
        op: atomic.op,
        order: atomic.order,
        scope: atomic.scope,
        writes,
        size,
    }
}

/// True if two scalars have the same bits, or are NaNs both.
fn same_bits(one: Constant, other: Constant) -> bool {
    match one.scalar.is_float() {
        true => semantics::binary(BinaryOp::SameBits, one, other).is_ok_and(|same| same.bits == 1),
        false => one.bits == other.bits,
    }
}

/// The value written by an atomic access, if any.
fn exchanged(op: AtomicOp, old: Constant, operands: &[Constant]) -> Option<Constant> {
    let combined = |op| {
        // None of these operations faults.
        operands
            .first()
            .map(|&operand| semantics::binary(op, old, operand).unwrap_or(old))
    };
    match op {
        // Copies are complete by then.
        AtomicOp::Load | AtomicOp::BarrierOpened | AtomicOp::BarrierCopies | AtomicOp::BarrierNumber => None,
        AtomicOp::BarrierInit => operands.first().map(|count| Constant::u64(mbarrier::init(count.bits))),
        AtomicOp::BarrierArrive => Some(Constant::u64(mbarrier::arrive(old.bits))),
        AtomicOp::Store | AtomicOp::Exchange => operands.first().copied(),
        AtomicOp::CompareExchange => match operands {
            [expected, new] if same_bits(*expected, old) => Some(*new),
            _ => None,
        },
        AtomicOp::Add => combined(BinaryOp::Add),
        AtomicOp::Sub => combined(BinaryOp::Sub),
        AtomicOp::And => combined(BinaryOp::And),
        AtomicOp::Or => combined(BinaryOp::Or),
        AtomicOp::Xor => combined(BinaryOp::Xor),
        AtomicOp::Nand => combined(BinaryOp::And).map(|both| semantics::unary(UnaryOp::Not, both)),
        AtomicOp::Min => combined(BinaryOp::Min),
        AtomicOp::Max => combined(BinaryOp::Max),
    }
}
