//! Atomic cells of 8 and 16 bits. GPUs only have atomics of 32 and 64 bits, so an access to such a
//! cell is a compare-exchange loop on the surrounding word, which preserves the rest of the word.
//! That includes loads and stores: the memory model leaves accesses of mixed sizes undefined.

use vyre_ir::ir::{AtomicOp, BinaryOp, MemoryOrder, MemoryScope, Scalar, UnaryOp};

use super::Builder;
use super::atomic::combination;
use crate::ssa::op::Op;
use crate::ssa::{Edge, Terminator, Ty, Value};

/// The location of a cell.
#[derive(Clone, Copy)]
struct Part {
    scalar: Scalar,
    /// The address of the word.
    address: Value,
    /// The shift of the cell in it, in bits.
    shift: Value,
}

impl Part {
    /// The mask of the cell's bits, as the lowest of a word.
    fn mask(self) -> u64 {
        (1 << (self.scalar.size() * 8)) - 1
    }
}

impl Builder<'_, '_> {
    /// An access to a cell of 8 or 16 bits; returns the old value.
    pub(super) fn small_cell(
        &mut self,
        op: AtomicOp,
        scalar: Scalar,
        address: Value,
        operands: &[Value],
        ordered: (MemoryOrder, MemoryScope),
    ) -> Value {
        let part = self.part(scalar, address);
        let word = Scalar::U32;
        let old = match (op, operands) {
            (AtomicOp::And | AtomicOp::Or | AtomicOp::Xor, &[operand]) => {
                let mut bits = self.placed(part, operand);
                if op == AtomicOp::And {
                    let others = self.others(part);
                    bits = self.binary_op(BinaryOp::Or, word, bits, others);
                }
                self.plain_atomic(op, word, part.address, &[bits], ordered)
            }
            (AtomicOp::CompareExchange, &[expected, new]) => self.exchange_part(part, [expected, new], ordered),
            (_, &[operand]) => self.exchange_loop(word, part.address, ordered, &mut |b, whole| {
                let old = b.extracted(part, whole);
                let new = b.changed(op, scalar, old, operand);
                b.inserted(part, whole, new)
            }),
            _ => self.plain_atomic(AtomicOp::Load, word, part.address, &[], ordered),
        };
        self.extracted(part, old)
    }

    fn part(&mut self, scalar: Scalar, address: Value) -> Part {
        let ty = self.function.ty(address);
        let low = self.emit(Op::LowBits(address), Ty::I32);
        let zero = self.constant(Ty::I32, 0);
        let mut back = self.binary_op(BinaryOp::Sub, Scalar::I32, zero, low);
        if ty.word() != Ty::I32 {
            back = self.convert(Scalar::I32, Scalar::I64, back);
        }
        Part {
            scalar,
            address: self.emit(
                Op::Offset {
                    base: address,
                    bytes: back,
                },
                ty,
            ),
            shift: self.binary_with(BinaryOp::Shl, Scalar::U32, low, 3),
        }
    }

    /// The new value of a cell.
    fn changed(&mut self, op: AtomicOp, scalar: Scalar, old: Value, operand: Value) -> Value {
        match op {
            AtomicOp::Add => self.binary(BinaryOp::Add, scalar, old, operand),
            AtomicOp::Sub => self.binary(BinaryOp::Sub, scalar, old, operand),
            AtomicOp::Min | AtomicOp::Max => self.binary(combination(op), scalar, old, operand),
            AtomicOp::Nand => {
                let both = self.binary(BinaryOp::And, scalar, old, operand);
                self.unary(UnaryOp::Not, scalar, both)
            }
            _ => operand,
        }
    }

    /// Writes the second value if the cell holds the first. Returns the old word.
    fn exchange_part(
        &mut self,
        part: Part,
        [expected, new]: [Value; 2],
        (order, scope): (MemoryOrder, MemoryScope),
    ) -> Value {
        let word = Scalar::U32;
        let acquires = matches!(order, MemoryOrder::Acquire | MemoryOrder::AcqRel);
        let loading = if acquires {
            MemoryOrder::Acquire
        } else {
            MemoryOrder::Relaxed
        };
        let seen = self.plain_atomic(AtomicOp::Load, word, part.address, &[], (loading, scope));
        let expected = self.placed(part, expected);
        let others = self.others(part);
        let [header, attempt, exit] = [(); 3].map(|()| self.function.add_block());
        let whole = self.function.add_parameter(header, Ty::I32, self.span);
        let old = self.function.add_parameter(exit, Ty::I32, self.span);
        let end = |to, argument| Edge {
            block: to,
            arguments: vec![argument],
        };
        self.jump_into(header, vec![seen]);
        let rest = self.binary_op(BinaryOp::And, word, whole, others);
        let fitting = self.binary_op(BinaryOp::Or, word, rest, expected);
        let fits = self.binary_op(BinaryOp::Eq, word, whole, fitting);
        self.function.blocks[self.block].end = Terminator::Branch {
            condition: fits,
            then: Edge::to(attempt),
            otherwise: end(exit, whole),
        };
        self.block = attempt;
        let wanted = self.inserted(part, whole, new);
        let now = self.plain_atomic(
            AtomicOp::CompareExchange,
            word,
            part.address,
            &[whole, wanted],
            (order, scope),
        );
        let done = self.binary_op(BinaryOp::Eq, word, now, whole);
        self.function.blocks[self.block].end = Terminator::Branch {
            condition: done,
            then: end(exit, now),
            otherwise: end(header, now),
        };
        self.block = exit;
        old
    }

    /// The bits of a word outside the cell.
    fn others(&mut self, part: Part) -> Value {
        let own = self.constant(Ty::I32, part.mask());
        let own = self.binary_op(BinaryOp::Shl, Scalar::U32, own, part.shift);
        self.unary_op(UnaryOp::Not, Scalar::U32, own)
    }

    /// A value shifted to the cell's position in a word of zeros.
    fn placed(&mut self, part: Part, value: Value) -> Value {
        let bits = match part.scalar {
            Scalar::Bool => self.cast(value, Scalar::Bool, Scalar::U32),
            _ => self.binary_with(BinaryOp::And, Scalar::U32, value, part.mask()),
        };
        self.binary_op(BinaryOp::Shl, Scalar::U32, bits, part.shift)
    }

    fn inserted(&mut self, part: Part, whole: Value, value: Value) -> Value {
        let others = self.others(part);
        let rest = self.binary_op(BinaryOp::And, Scalar::U32, whole, others);
        let placed = self.placed(part, value);
        self.binary_op(BinaryOp::Or, Scalar::U32, rest, placed)
    }

    fn extracted(&mut self, part: Part, whole: Value) -> Value {
        let low = self.binary_op(BinaryOp::Shr, Scalar::U32, whole, part.shift);
        match part.scalar {
            Scalar::Bool => {
                let byte = self.binary_with(BinaryOp::And, Scalar::U32, low, part.mask());
                self.binary_with(BinaryOp::Ne, Scalar::U32, byte, 0)
            }
            scalar => self.narrow(low, scalar),
        }
    }
}
