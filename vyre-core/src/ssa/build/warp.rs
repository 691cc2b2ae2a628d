//! Warp-level operations.
//!
//! The hardware waits for the named lanes that have not exited, so each operation names all lanes
//! of its tile, all 32 for a whole warp. The value of an inactive lane is unspecified; if one may
//! be missing, a ballot determines the active lanes, and a lane whose source is inactive keeps its
//! own value. After a fault results do not matter, so lanes that exited by one may count as active.

use super::Builder;
use crate::ir::{BinaryOp, ExprId, Handle, Kernel, Local, MatrixLoad, Product, Role, Scalar, Type, WARP_SIZE, WarpOp};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Ty, Value, filled};
use crate::validate::BodyInfo;

/// True if the warps of an entry are full, and no thread exits before its end except by a fault.
pub(super) fn are_full(kernel: &Kernel, entry: &BodyInfo<'_>) -> bool {
    kernel.block_threads().is_multiple_of(u64::from(WARP_SIZE)) && !entry.returns_early
}

impl Builder<'_, '_> {
    /// Builds a warp operation.
    pub(super) fn warp(&mut self, op: WarpOp, tile: u32, operands: &[ExprId], result: Option<Handle<Local>>) {
        if let WarpOp::MultiplyAdd(product) = op {
            return self.product(product, operands, result);
        }
        if let WarpOp::LoadMatrices(load) = op {
            return self.load_matrices(load, operands, result);
        }
        let values = self.scalars(operands);
        let value = match (op, &values[..]) {
            (WarpOp::MatchAny, &[value]) => {
                let same = self.match_any(tile, value);
                self.of_tile(tile, same)
            }
            (_, &[predicate]) => {
                let lanes = self.ballot(tile, predicate);
                self.of_tile(tile, lanes)
            }
            (_, &[value, amount]) => self.shuffle(op, tile, value, amount),
            _ => {
                let members = self.members(tile);
                return self.effect(Op::WarpSync(members));
            }
        };
        if let Some(result) = result {
            self.initialise(result, &[value]);
        }
    }

    /// The first lane of this thread's tile.
    fn first_lane(&mut self, tile: u32) -> Value {
        let lane = self.special(Special::Lane);
        self.binary_with(BinaryOp::And, Scalar::U32, lane, u64::from(WARP_SIZE - tile))
    }

    /// The mask of this thread's tile.
    fn members(&mut self, tile: u32) -> Value {
        let lowest = self.constant(Ty::I32, u64::from(u32::MAX >> (WARP_SIZE - tile)));
        if tile == WARP_SIZE {
            return lowest;
        }
        let first = self.first_lane(tile);
        self.binary_op(BinaryOp::Shl, Scalar::U32, lowest, first)
    }

    /// Converts a set of lanes of the warp to indices in this thread's tile.
    fn of_tile(&mut self, tile: u32, lanes: Value) -> Value {
        if tile == WARP_SIZE {
            return lanes;
        }
        let first = self.first_lane(tile);
        self.binary_op(BinaryOp::Shr, Scalar::U32, lanes, first)
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

    /// A matrix product.
    fn product(&mut self, product: Product, operands: &[ExprId], result: Option<Handle<Local>>) {
        let mut given: [Vec<Value>; 3] = Default::default();
        for (words, &operand) in given.iter_mut().zip(operands) {
            self.words(operand, words);
        }
        let [a, b, mut sums] = given;
        let packed = product.shape().sum == Scalar::F16;
        if packed {
            sums = sums.chunks(2).map(|pair| self.joined([pair[0], pair[1]])).collect();
        }
        let (product, times) = match product.half() {
            Some(half) => (half, 2),
            None => (product, 1),
        };
        let ty = Ty::of(product.shape().machine_registers(Role::C).0);
        let types = filled(ty, sums.len());
        for (a, b) in a.chunks(a.len() / times).zip(b.chunks(b.len() / times)) {
            let operands = self.function.lists.add(&[a, b, &sums].concat());
            let of = self.emit(Op::Product { product, operands }, Ty::Unit);
            sums = self.results(of, &types);
        }
        if packed {
            for word in std::mem::take(&mut sums) {
                sums.extend(self.halves(Scalar::F16, word));
            }
        }
        if let Some(result) = result {
            self.initialise(result, &sums);
        }
    }

    /// A matrix load.
    fn load_matrices(&mut self, load: MatrixLoad, operands: &[ExprId], result: Option<Handle<Local>>) {
        let mut slice = Vec::new();
        let mut scalar = Scalar::U8;
        for &operand in operands {
            self.words(operand, &mut slice);
            if let Type::Slice { element, .. } = self.program.types[self.body().exprs[operand].ty] {
                scalar = self.program.types.as_scalar(element).unwrap_or(scalar);
            }
        }
        let (address, offset) = (slice[0], 0);
        let load_op = Op::LoadMatrices {
            load,
            scalar,
            address,
            offset,
        };
        self.accessing = operands.first().and_then(|&operand| self.accesses().through(operand));
        let of = self.emit(load_op, Ty::Unit);
        self.accessing = None;
        let Some(result) = result else { return };
        let words = self.results(of, &filled(Ty::I32, load.count() as usize));
        self.initialise(result, &words);
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
        self.emit(Op::Ballot(predicate, members), Ty::I32)
    }

    /// The active lanes of the tile that pass the same value, by lane index.
    fn match_any(&mut self, tile: u32, value: Value) -> Value {
        let (word, members) = (self.bool_to_word(value), self.members(tile));
        let same = self.emit(Op::MatchAny(word, members), Ty::I32);
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

    fn shuffle(&mut self, op: WarpOp, tile: u32, value: Value, mut amount: Value) -> Value {
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
        let shuffle = Op::Shuffle {
            op,
            tile,
            members,
            a: word,
            amount,
        };
        let mut taken = self.emit(shuffle, self.function.ty(word));
        if !self.is_full() {
            let there = self.is_there(op, tile, amount);
            taken = self.select(there, taken, word);
        }
        match ty {
            Ty::Bool => self.binary_with(BinaryOp::Ne, Scalar::U32, taken, 0),
            Ty::F16 | Ty::BF16 | Ty::F32 | Ty::F64 => self.bits(taken, ty),
            _ => taken,
        }
    }

    /// True if the source lane of this one is active. Beyond the ends of the tile either answer is
    /// correct, because the hardware keeps the lane's own value.
    fn is_there(&mut self, op: WarpOp, tile: u32, amount: Value) -> Value {
        let predicate = self.bool(true);
        let lanes = self.ballot(tile, predicate);
        let lane = self.special(Special::Lane);
        let source = match op {
            WarpOp::ShuffleUp => self.binary_op(BinaryOp::Sub, Scalar::U32, lane, amount),
            WarpOp::ShuffleDown => self.binary_op(BinaryOp::Add, Scalar::U32, lane, amount),
            WarpOp::ShuffleXor => self.binary_op(BinaryOp::Xor, Scalar::U32, lane, amount),
            WarpOp::Shuffle if tile != WARP_SIZE => {
                let first = self.first_lane(tile);
                self.binary_op(BinaryOp::Or, Scalar::U32, first, amount)
            }
            _ => amount,
        };
        // A shift takes its amount modulo 32, as the shuffle does.
        let first = self.binary_op(BinaryOp::Shr, Scalar::U32, lanes, source);
        let bit = self.binary_with(BinaryOp::And, Scalar::U32, first, 1);
        self.binary_with(BinaryOp::Ne, Scalar::U32, bit, 0)
    }
}
