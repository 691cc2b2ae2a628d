//! Exchanges among the threads of a warp.
//!
//! The hardware waits for all lanes that have not left, so each exchange names all 32. What it
//! gives of a lane that is not there is unspecified; where one may be missing, a ballot tells which
//! lanes are there, and a lane that would take from another one keeps its own value. After a fault
//! nothing counts, so that lanes which left by one may count as there.

use super::Builder;
use crate::ir::{BinaryOp, Block, Entry, ExprId, Handle, Kernel, Local, Scalar, StmtKind, WARP_SIZE, WarpOp};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Ty, Value};

/// Whether the warps of an entry are whole, and no thread leaves before its end but by a fault.
pub(super) fn are_full(kernel: &Kernel, entry: &Entry) -> bool {
    let block = &entry.body.block;
    let rest = match block.split_last() {
        Some((last, rest)) if matches!(last.kind, StmtKind::Return(_)) => rest,
        _ => block,
    };
    kernel.block_threads().is_multiple_of(u64::from(WARP_SIZE))
        && !rest
            .iter()
            .any(|stmt| matches!(stmt.kind, StmtKind::Return(_)) || stmt.kind.blocks().any(returns))
}

fn returns(block: &Block) -> bool {
    block
        .iter()
        .any(|stmt| matches!(stmt.kind, StmtKind::Return(_)) || stmt.kind.blocks().any(returns))
}

impl Builder<'_, '_> {
    /// An exchange statement.
    pub(super) fn warp(&mut self, op: WarpOp, operands: &[ExprId], result: Option<Handle<Local>>) {
        let values: Vec<Value> = operands.iter().map(|&operand| self.scalar(operand)).collect();
        let value = match (op, &values[..]) {
            (WarpOp::MatchAny, &[value]) => self.match_any(value),
            (_, &[predicate]) => self.ballot(predicate),
            (_, &[value, amount]) => self.shuffle(op, value, amount),
            _ => return self.effect(Op::WarpSync),
        };
        if let Some(result) = result {
            self.initialise(result, &[value]);
        }
    }

    /// Whether all lanes come to this place, unless the launch has faulted. A thread that does not
    /// come to a branch or round of a loop may have left behind it.
    fn is_full(&self) -> bool {
        self.full_warps && self.nesting == 0
    }

    /// What a condition is known to be while the graph is built: a comparison of the lanes that
    /// are there with all lanes folds here, so that what stands under it counts as not nested.
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

    fn ballot(&mut self, predicate: Value) -> Value {
        if self.is_full() && self.function.as_constant(predicate) == Some(1) {
            return self.constant(Ty::I32, u64::from(u32::MAX));
        }
        self.emit(Op::Ballot(predicate), Ty::I32)
    }

    fn match_any(&mut self, value: Value) -> Value {
        let word = self.bool_to_word(value);
        let same = self.emit(Op::MatchAny(word), Ty::I32);
        if self.is_full() {
            return same;
        }
        let predicate = self.bool(true);
        let there = self.ballot(predicate);
        self.binary_op(BinaryOp::And, Scalar::U32, same, there)
    }

    /// A `bool` as an integer; others as they are.
    fn bool_to_word(&mut self, value: Value) -> Value {
        if self.function.ty(value) != Ty::Bool {
            return value;
        }
        let (one, zero) = (self.constant(Ty::I32, 1), self.constant(Ty::I32, 0));
        self.select(value, one, zero)
    }

    fn shuffle(&mut self, op: WarpOp, value: Value, amount: Value) -> Value {
        let ty = self.function.ty(value);
        let word = match ty {
            Ty::Bool => self.bool_to_word(value),
            Ty::F32 => self.bits(value, Ty::I32),
            Ty::F64 => self.bits(value, Ty::I64),
            _ => value,
        };
        let mut taken = self.emit(Op::Shuffle { op, a: word, amount }, self.function.ty(word));
        if !self.is_full() {
            let there = self.is_there(op, amount);
            taken = self.select(there, taken, word);
        }
        match ty {
            Ty::Bool => self.binary_with(BinaryOp::Ne, Scalar::U32, taken, 0),
            Ty::F32 | Ty::F64 => self.bits(taken, ty),
            _ => taken,
        }
    }

    /// Whether the lane from which this one takes is there. Beyond the ends of the warp either
    /// answer is right, because the hardware keeps the lane's own value.
    fn is_there(&mut self, op: WarpOp, amount: Value) -> Value {
        let predicate = self.bool(true);
        let lanes = self.ballot(predicate);
        let lane = self.special(Special::Lane);
        let source = match op {
            WarpOp::ShuffleUp => self.binary_op(BinaryOp::Sub, Scalar::U32, lane, amount),
            WarpOp::ShuffleDown => self.binary_op(BinaryOp::Add, Scalar::U32, lane, amount),
            WarpOp::ShuffleXor => self.binary_op(BinaryOp::Xor, Scalar::U32, lane, amount),
            WarpOp::Shuffle | WarpOp::Ballot | WarpOp::MatchAny | WarpOp::Sync => amount,
        };
        // A shift takes its amount modulo 32, as the exchange does.
        let first = self.binary_op(BinaryOp::Shr, Scalar::U32, lanes, source);
        let bit = self.binary_with(BinaryOp::And, Scalar::U32, first, 1);
        self.binary_with(BinaryOp::Ne, Scalar::U32, bit, 0)
    }
}
