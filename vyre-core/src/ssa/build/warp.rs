//! Warp operations.
//!
//! The hardware waits for the named lanes that have not exited, so each operation names all lanes
//! of its tile, all 32 for a whole warp. The value of an inactive lane is unspecified; if one may
//! be missing, a ballot determines the active lanes, and a lane whose source is inactive keeps its
//! own value. After a fault results do not matter, so lanes that exited by one may count as active.

use vyre_ir::ir::{BinaryOp, Intrinsic, Kernel, Product, Role, Scalar, Shuffle, WARP_SIZE};
use vyre_ir::validate::BodyInfo;

use super::Builder;
use crate::ssa::op::{Op, Special};
use crate::ssa::{Function, Ty, Value};

/// True if the warps of an entry are full, and no thread exits before its end except by a fault.
pub(super) fn are_full(kernel: &Kernel, entry: &BodyInfo<'_>) -> bool {
    kernel.block_threads().is_multiple_of(u64::from(WARP_SIZE)) && !entry.returns_early
}

/// A shuffle of a value of 32 or 64 bits by an amount, among the lanes of a mask.
pub(crate) fn shuffle(function: &mut Function, (from, tile): (Shuffle, u32), operands: [Value; 3]) -> Op {
    let (intrinsic, operands) = (Intrinsic::Shuffle { from, tile }, function.lists.add(&operands));
    Op::Intrinsic { intrinsic, operands }
}

/// A mask of the active lanes of another mask that pass `true`.
pub(crate) fn ballot(function: &mut Function, predicate: Value, members: Value) -> Op {
    let intrinsic = Intrinsic::Ballot { tile: WARP_SIZE };
    let operands = function.lists.add(&[predicate, members]);
    Op::Intrinsic { intrinsic, operands }
}

/// The predicate of a ballot, and the mask of the lanes that it asks.
pub(crate) fn balloted(function: &Function, value: Value) -> Option<[Value; 2]> {
    let Op::Intrinsic {
        intrinsic: Intrinsic::Ballot { .. },
        operands,
    } = function.op(value)
    else {
        return None;
    };
    function.lists.get(operands).try_into().ok()
}

/// The mask of the lanes that a ballot asks for their presence alone: all of them pass `true`.
pub(crate) fn asked(function: &Function, value: Value) -> Option<Value> {
    let [predicate, members] = balloted(function, value)?;
    (function.as_constant(predicate) == Some(1)).then_some(members)
}

impl Builder<'_, '_> {
    /// Builds a warp operation; returns its results.
    pub(super) fn warp(&mut self, intrinsic: Intrinsic, mut operands: Vec<Value>) -> Vec<Value> {
        let (lanes, tile) = match (intrinsic, &operands[..]) {
            (Intrinsic::MultiplyAdd { product }, _) => return self.product(product, operands),
            (Intrinsic::Shuffle { from, tile }, &[value, amount]) => {
                return vec![self.shuffle_among((from, tile), value, amount, false)];
            }
            (reduction, &[value]) if reduction.row().has_sequence => return vec![self.reduced(reduction, value)],
            (Intrinsic::Ballot { tile }, &[predicate]) => (self.ballot(tile, predicate), tile),
            (Intrinsic::MatchAny { tile }, &[value]) => (self.match_any(intrinsic, tile, value), tile),
            _ => {
                if let Some(tile) = intrinsic.row().tile {
                    operands.push(self.members(tile));
                }
                return self.emit_results(intrinsic, &operands);
            }
        };
        if tile == WARP_SIZE {
            return vec![lanes];
        }
        // True if the result is the lanes that are there.
        let asks = matches!((intrinsic, &operands[..]), (Intrinsic::Ballot { .. }, &[predicate]) if self.function.as_constant(predicate) == Some(1));
        // Indices in the tile.
        let first = self.first_lane(tile);
        if !asks {
            return vec![self.binary_op(BinaryOp::Shr, Scalar::U32, lanes, first)];
        }
        // Those of all lanes but the absent ones, which are none where the ballot turns out to be the mask of the tile.
        let absent = self.absent(tile, lanes);
        let absent = self.binary_op(BinaryOp::Shr, Scalar::U32, absent, first);
        let all = u64::from(u32::MAX >> (WARP_SIZE - tile));
        vec![self.binary_with(BinaryOp::Xor, Scalar::U32, absent, all)]
    }

    /// The active lanes of this thread's tile, by their indices in it.
    pub(super) fn active_lanes(&mut self, tile: u32) -> Value {
        let everyone = self.bool(true);
        self.warp(Intrinsic::Ballot { tile }, vec![everyone])[0]
    }

    /// The first lane of this thread's tile.
    fn first_lane(&mut self, tile: u32) -> Value {
        let lane = self.special(Special::Lane);
        self.binary_with(BinaryOp::And, Scalar::U32, lane, u64::from(WARP_SIZE - tile))
    }

    /// The mask of this thread's tile.
    pub(super) fn members(&mut self, tile: u32) -> Value {
        let lowest = self.constant(Ty::I32, u64::from(u32::MAX >> (WARP_SIZE - tile)));
        if tile == WARP_SIZE {
            return lowest;
        }
        let first = self.first_lane(tile);
        self.binary_op(BinaryOp::Shl, Scalar::U32, lowest, first)
    }

    /// The results of an operation that has several.
    pub(super) fn results(&mut self, of: Value, types: &[Ty]) -> Vec<Value> {
        let mut results = Vec::with_capacity(types.len());
        for &ty in types {
            let index = results.len() as u32;
            results.push(self.emit(Op::Result { of, index }, ty));
        }
        results
    }

    /// A matrix product of the registers of its fragments.
    fn product(&mut self, product: Product, mut registers: Vec<Value>) -> Vec<Value> {
        let shape = product.shape();
        let [a, b] = [Role::A, Role::B].map(|role| shape.registers(role).1 as usize);
        let mut sums = registers.split_off(a + b);
        let packed = shape.sum == Scalar::F16;
        if packed {
            sums = sums.chunks(2).map(|pair| self.joined([pair[0], pair[1]])).collect();
        }
        let (product, times) = match product.half() {
            Some(half) => (half, 2),
            None => (product, 1),
        };
        let (left, right) = registers.split_at(a);
        for (a, b) in left.chunks(a / times).zip(right.chunks(b / times)) {
            sums = self.emit_results(Intrinsic::MultiplyAdd { product }, &[a, b, &sums].concat());
        }
        if packed {
            for word in std::mem::take(&mut sums) {
                sums.extend(self.halves(Scalar::F16, word));
            }
        }
        sums
    }

    /// True if all lanes reach this point, unless the launch has faulted. A thread that does not
    /// enter a branch or iteration may have exited after it.
    fn is_full(&self) -> bool {
        self.full_warps && self.nesting == 0
    }

    /// The outcome of a condition during construction: a comparison of the active lanes with all
    /// lanes folds here, so that code guarded by it does not count as nested.
    pub(super) fn decided(&self, condition: Value) -> Option<bool> {
        if let Some(bits) = self.function.as_constant(condition) {
            return Some(bits == 1);
        }
        match self.function.op(condition) {
            Op::Binary {
                op: BinaryOp::Eq,
                scalar: Scalar::U32,
                a,
                b,
            } => Some(self.function.as_constant(a)? == self.function.as_constant(b)?),
            _ => None,
        }
    }

    /// The active lanes of the tile that pass `true`, by lane index.
    fn ballot(&mut self, tile: u32, predicate: Value) -> Value {
        let members = self.members(tile);
        if self.is_full() && self.function.as_constant(predicate) == Some(1) {
            return members;
        }
        let ballot = ballot(&mut self.function, predicate, members);
        self.emit(ballot, Ty::I32)
    }

    /// The active lanes of the tile that pass the same value, by lane index.
    fn match_any(&mut self, intrinsic: Intrinsic, tile: u32, value: Value) -> Value {
        let (word, members) = (self.bool_to_word(value), self.members(tile));
        let same = self.emit_intrinsic(intrinsic, &[word, members]);
        if self.is_full() {
            return same;
        }
        let predicate = self.bool(true);
        let there = self.ballot(tile, predicate);
        self.binary_op(BinaryOp::And, Scalar::U32, same, there)
    }

    /// A `bool` as an integer; others as they are.
    pub(super) fn bool_to_word(&mut self, value: Value) -> Value {
        if self.function.ty(value) != Ty::Bool {
            return value;
        }
        let (one, zero) = (self.constant(Ty::I32, 1), self.constant(Ty::I32, 0));
        self.select(value, one, zero)
    }

    /// A shuffle. Where the source of each lane is not known to be active, a lane without one keeps its own value.
    pub(super) fn shuffle_among(
        &mut self,
        (from, tile): (Shuffle, u32),
        value: Value,
        mut amount: Value,
        is_active: bool,
    ) -> Value {
        // The hardware takes the amount modulo 32.
        if tile != WARP_SIZE {
            amount = self.binary_with(BinaryOp::And, Scalar::U32, amount, u64::from(tile - 1));
        }
        let ty = self.function.ty(value);
        let word = match ty {
            Ty::Bool => self.bool_to_word(value),
            Ty::F16 | Ty::BF16 | Ty::F32 => self.bits(value, Ty::I32),
            Ty::F64 => self.bits(value, Ty::I64),
            _ => value,
        };
        let members = self.members(tile);
        let shuffle = shuffle(&mut self.function, (from, tile), [word, amount, members]);
        let mut taken = self.emit(shuffle, self.function.ty(word));
        if !is_active && !self.is_full() {
            let there = self.is_there(from, tile, amount);
            taken = self.select(there, taken, word);
        }
        match ty {
            Ty::Bool => self.binary_with(BinaryOp::Ne, Scalar::U32, taken, 0),
            Ty::F16 | Ty::BF16 | Ty::F32 | Ty::F64 => self.bits(taken, ty),
            _ => taken,
        }
    }

    /// The lanes of the tile that are not among these: none where a ballot turns out to be the mask of the tile.
    fn absent(&mut self, tile: u32, lanes: Value) -> Value {
        let members = self.members(tile);
        self.binary_op(BinaryOp::Xor, Scalar::U32, lanes, members)
    }

    /// True if the source lane of this one is active. Beyond the ends of the tile either answer is
    /// correct, because the hardware keeps the lane's own value.
    fn is_there(&mut self, from: Shuffle, tile: u32, amount: Value) -> Value {
        let predicate = self.bool(true);
        let lanes = self.ballot(tile, predicate);
        let lane = self.special(Special::Lane);
        let source = match from {
            Shuffle::Up => self.binary_op(BinaryOp::Sub, Scalar::U32, lane, amount),
            Shuffle::Down => self.binary_op(BinaryOp::Add, Scalar::U32, lane, amount),
            Shuffle::Xor => self.binary_op(BinaryOp::Xor, Scalar::U32, lane, amount),
            Shuffle::Index if tile != WARP_SIZE => {
                let first = self.first_lane(tile);
                self.binary_op(BinaryOp::Or, Scalar::U32, first, amount)
            }
            _ => amount,
        };
        // A shift takes its amount modulo 32, as the shuffle does.
        if tile == WARP_SIZE {
            let first = self.binary_op(BinaryOp::Shr, Scalar::U32, lanes, source);
            let bit = self.binary_with(BinaryOp::And, Scalar::U32, first, 1);
            return self.binary_with(BinaryOp::Ne, Scalar::U32, bit, 0);
        }
        let absent = self.absent(tile, lanes);
        let first = self.binary_op(BinaryOp::Shr, Scalar::U32, absent, source);
        let bit = self.binary_with(BinaryOp::And, Scalar::U32, first, 1);
        self.binary_with(BinaryOp::Eq, Scalar::U32, bit, 0)
    }
}
