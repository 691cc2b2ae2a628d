//! Atomic accesses: unsupported ones are expanded to others, or to compare-exchange loops.

use vyre_ir::ir::{
    AtomicOp, BinaryOp, ExprId, Handle, Intrinsic, Local, MemoryOrder, MemoryScope, PlaceId, Scalar, Type, UnaryOp,
};

use super::Builder;
use super::place::Spot;
use crate::ssa::op::Op;
use crate::ssa::{Edge, Space, Terminator, Ty, Value};

impl Builder<'_, '_> {
    /// An atomic statement.
    pub(super) fn atomic(
        &mut self,
        op: AtomicOp,
        place: PlaceId,
        operands: &[ExprId],
        (order, scope): (MemoryOrder, MemoryScope),
        result: Option<Handle<Local>>,
    ) {
        let scalar = match self.program.types[self.body().places[place].ty] {
            Type::Atomic(scalar) => scalar,
            _ => Scalar::U32,
        };
        let address = match self.spot(place) {
            Spot::Memory { address, offset } => self.pointer(address, offset),
            // No local holds an atomic cell.
            Spot::Variables(_) => self.constant(Ty::Pointer(Space::Global), 0),
        };
        if op == AtomicOp::BarrierNumber {
            // All pointers to a barrier have the same generic address, which identifies it.
            let generic = self.generic(address);
            let number = self.bits(generic, Ty::I64);
            return result.into_iter().for_each(|result| self.initialise(result, &[number]));
        }
        let operands = match scalar.is_half() {
            true => operands.iter().map(|&operand| self.pair(operand)).collect(),
            false => self.scalars(operands),
        };
        self.begin_value(place);
        let old = self.access_cell(op, scalar, address, &operands, (order, scope));
        self.end_value();
        match result {
            Some(result) if scalar.is_half() => {
                let halves = self.halves(scalar, old);
                self.initialise(result, &halves);
            }
            Some(result) => self.initialise(result, &[old]),
            None => {}
        }
    }

    /// Two floats of 16 bits as a word, the first in the lower half.
    fn pair(&mut self, operand: ExprId) -> Value {
        let mut halves = Vec::with_capacity(2);
        self.words(operand, &mut halves);
        match halves[..] {
            [low, high] => self.joined([low, high]),
            // A pair has two.
            _ => self.constant(Ty::I32, 0),
        }
    }

    /// Two floats of 16 bits in a word.
    pub(super) fn joined(&mut self, halves: [Value; 2]) -> Value {
        let [low, high] = halves.map(|half| self.bits(half, Ty::I32));
        let above = self.binary_with(BinaryOp::Shl, Scalar::U32, high, 16);
        self.binary_op(BinaryOp::Or, Scalar::U32, low, above)
    }

    /// The two floats in a word.
    pub(super) fn halves(&mut self, scalar: Scalar, pair: Value) -> [Value; 2] {
        let above = self.binary_with(BinaryOp::Shr, Scalar::U32, pair, 16);
        [pair, above].map(|word| self.bits(word, Ty::of(scalar)))
    }

    fn access_cell(
        &mut self,
        op: AtomicOp,
        scalar: Scalar,
        address: Value,
        operands: &[Value],
        (order, scope): (MemoryOrder, MemoryScope),
    ) -> Value {
        // The other blocks of a cluster access shared memory, too.
        let scope = match scope {
            MemoryScope::Block if self.cluster.is_some() => MemoryScope::Device,
            scope => scope,
        };
        // A fence before each access gives sequential consistency.
        let order = match (order, op) {
            (MemoryOrder::SeqCst, _) => {
                self.emit_intrinsic(Intrinsic::Fence { order, scope }, &[]);
                match op {
                    AtomicOp::Load => MemoryOrder::Acquire,
                    AtomicOp::Store => MemoryOrder::Release,
                    _ => MemoryOrder::AcqRel,
                }
            }
            _ => order,
        };
        let first = operands.first().copied();
        match (op, first) {
            _ if scalar.cell_size() < 4 => self.small_cell(op, scalar, address, operands, (order, scope)),
            (AtomicOp::Add | AtomicOp::Sub, Some(operand))
                if scalar.is_half() && !self.devices.admit(op.needs(scalar)) =>
            {
                self.exchange_halves(scalar, address, operand, combination(op), (order, scope))
            }
            (AtomicOp::Sub, Some(operand)) if scalar.is_half() => {
                let negative = self.binary_with(BinaryOp::Xor, Scalar::U32, operand, 0x8000_8000);
                self.plain_atomic(AtomicOp::Add, scalar, address, &[negative], (order, scope))
            }
            (AtomicOp::Min | AtomicOp::Max, Some(operand)) if scalar.is_half() => {
                self.exchange_halves(scalar, address, operand, combination(op), (order, scope))
            }
            (AtomicOp::CompareExchange, _) if scalar.is_float() => match *operands {
                [expected, new] => self.exchange_float(scalar, address, [expected, new], (order, scope)),
                // It has two.
                _ => self.plain_atomic(op, scalar, address, operands, (order, scope)),
            },
            (AtomicOp::Load | AtomicOp::Store | AtomicOp::Exchange, _) if scalar.is_half() => {
                self.plain_atomic(op, Scalar::U32, address, operands, (order, scope))
            }
            (AtomicOp::Sub, Some(operand)) => {
                let negative = if scalar.is_float() {
                    self.unary_op(UnaryOp::Neg, scalar, operand)
                } else {
                    let zero = self.constant(Ty::of(scalar), 0);
                    self.binary_op(BinaryOp::Sub, scalar, zero, operand)
                };
                self.plain_atomic(AtomicOp::Add, scalar, address, &[negative], (order, scope))
            }
            (AtomicOp::Min | AtomicOp::Max, Some(operand)) if scalar.is_float() => {
                self.exchange_loop(scalar, address, (order, scope), &mut |b, value| {
                    b.binary_op(combination(op), scalar, value, operand)
                })
            }
            (AtomicOp::Nand, Some(operand)) => self.exchange_loop(scalar, address, (order, scope), &mut |b, value| {
                let both = b.binary_op(BinaryOp::And, scalar, value, operand);
                b.unary_op(UnaryOp::Not, scalar, both)
            }),
            _ => self.plain_atomic(op, scalar, address, operands, (order, scope)),
        }
    }

    /// Combines the two floats of a cell with those of an operand, by a compare-exchange loop.
    fn exchange_halves(
        &mut self,
        scalar: Scalar,
        address: Value,
        operand: Value,
        combine: BinaryOp,
        ordering: (MemoryOrder, MemoryScope),
    ) -> Value {
        let operands = self.halves(scalar, operand);
        self.exchange_loop(Scalar::U32, address, ordering, &mut |b, pair| {
            let mut halves = b.halves(scalar, pair);
            for (half, operand) in halves.iter_mut().zip(operands) {
                *half = b.binary(combine, scalar, *half, operand);
            }
            b.joined(halves)
        })
    }

    /// Writes the second float, or pair of them, if the cell has the first. A NaN equals every other: where the cell has
    /// one with other bits than expected, these are expected next.
    fn exchange_float(
        &mut self,
        scalar: Scalar,
        address: Value,
        [expected, new]: [Value; 2],
        ordering: (MemoryOrder, MemoryScope),
    ) -> Value {
        let word = word_of(scalar);
        let as_type = |b: &mut Self, value, ty| if scalar.is_half() { value } else { b.bits(value, ty) };
        let [first, new] = [expected, new].map(|value| as_type(self, value, Ty::of(word)));
        let [header, again, exit] = [(); 3].map(|()| self.function.add_block());
        let bits = self.function.add_parameter(header, Ty::of(word), self.span);
        self.jump_into(header, vec![first]);
        let old = self.plain_atomic(AtomicOp::CompareExchange, word, address, &[bits, new], ordering);
        let done = self.binary_op(BinaryOp::Eq, word, old, bits);
        self.function.blocks[self.block].end = Terminator::Branch {
            condition: done,
            then: Edge::to(exit),
            otherwise: Edge::to(again),
        };
        self.block = again;
        let same = if scalar.is_half() {
            let [seen, known] = [old, expected].map(|pair| self.halves(scalar, pair));
            let [low, high] = [0, 1].map(|k| self.binary(BinaryOp::SameBits, scalar, seen[k], known[k]));
            self.binary_op(BinaryOp::And, Scalar::Bool, low, high)
        } else {
            let seen = self.bits(old, Ty::of(scalar));
            self.are_nans(scalar, seen, expected)
        };
        self.function.blocks[self.block].end = Terminator::Branch {
            condition: same,
            then: Edge {
                block: header,
                arguments: vec![old],
            },
            otherwise: Edge::to(exit),
        };
        self.block = exit;
        as_type(self, old, Ty::of(scalar))
    }

    pub(super) fn plain_atomic(
        &mut self,
        op: AtomicOp,
        scalar: Scalar,
        address: Value,
        operands: &[Value],
        (order, scope): (MemoryOrder, MemoryScope),
    ) -> Value {
        let word = if scalar.is_half() { Ty::I32 } else { Ty::of(scalar) };
        let ty = if op.has_result() { word } else { Ty::Unit };
        let zero = self.constant(word, 0);
        let mut both = [zero; 2];
        both[..operands.len()].copy_from_slice(operands);
        self.emit(
            Op::Atomic {
                op,
                scalar,
                order,
                scope,
                address,
                operands: both,
            },
            ty,
        )
    }

    /// Changes the value of a cell by a compare-exchange loop.
    pub(super) fn exchange_loop(
        &mut self,
        scalar: Scalar,
        address: Value,
        (order, scope): (MemoryOrder, MemoryScope),
        change: &mut dyn FnMut(&mut Self, Value) -> Value,
    ) -> Value {
        let word = word_of(scalar);
        // Integers need no conversion.
        let as_type = |b: &mut Self, value, ty| if scalar.is_float() { b.bits(value, ty) } else { value };
        let relaxed = (MemoryOrder::Relaxed, scope);
        let seen = self.plain_atomic(AtomicOp::Load, word, address, &[], relaxed);
        let header = self.function.add_block();
        let expected = self.function.add_parameter(header, Ty::of(word), self.span);
        self.jump_into(header, vec![seen]);
        let value = as_type(self, expected, Ty::of(scalar));
        let changed = change(self, value);
        let wanted = as_type(self, changed, Ty::of(word));
        let old = self.plain_atomic(
            AtomicOp::CompareExchange,
            word,
            address,
            &[expected, wanted],
            (order, scope),
        );
        let done = self.binary_op(BinaryOp::Eq, word, old, expected);
        let exit = self.function.add_block();
        self.function.blocks[self.block].end = Terminator::Branch {
            condition: done,
            then: Edge::to(exit),
            otherwise: Edge {
                block: header,
                arguments: vec![old],
            },
        };
        self.block = exit;
        as_type(self, old, Ty::of(scalar))
    }
}

/// The integer with the bits of a cell: of a float, or of two of 16 bits.
fn word_of(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F16 | Scalar::BF16 | Scalar::F32 => Scalar::U32,
        Scalar::F64 => Scalar::U64,
        integer => integer,
    }
}

/// The binary operation of an atomic sum, difference, minimum or maximum.
pub(super) fn combination(op: AtomicOp) -> BinaryOp {
    match op {
        AtomicOp::Add => BinaryOp::Add,
        AtomicOp::Sub => BinaryOp::Sub,
        AtomicOp::Min => BinaryOp::Min,
        _ => BinaryOp::Max,
    }
}
