//! Reductions among the lanes of a tile: one instruction where the device has it, else shuffles.

use vyre_ir::ir::{BinaryOp, Intrinsic, Scalar, Shuffle, UnaryOp, WARP_SIZE};

use super::Builder;
use crate::ssa::{Edge, Terminator, Ty, Value};

/// True of reductions that are one instruction where the device has it. The order of their values is not that of the
/// shuffles, so the result has to be the same in any.
pub(crate) fn is_reduction(intrinsic: Intrinsic) -> bool {
    let Intrinsic::Reduce { op, scalar, tile } = intrinsic else {
        return false;
    };
    let is_word = matches!(scalar, Scalar::U32 | Scalar::I32);
    tile == WARP_SIZE && is_word && op != BinaryOp::Mul
}

impl Builder<'_, '_> {
    /// The values of the active lanes of a tile, combined; see [`Intrinsic::Reduce`].
    pub(super) fn reduced(&mut self, intrinsic: Intrinsic, value: Value) -> Value {
        let Intrinsic::Reduce { op, scalar, tile } = intrinsic else {
            return value;
        };
        if is_reduction(intrinsic) && self.devices.offer(intrinsic.needs()) {
            let members = self.members(tile);
            return self.emit_intrinsic(intrinsic, &[value, members]);
        }
        let lanes = self.active_lanes(tile);
        let all = u64::from(u32::MAX >> (WARP_SIZE - tile));
        let is_full = self.binary_with(BinaryOp::Eq, Scalar::U32, lanes, all);
        if self.decided(is_full) == Some(true) {
            return self.reduce_all((op, scalar, tile), value);
        }
        let (whole, some) = self.branch(is_full);
        let exit = self.function.add_block();
        let combined = self.function.add_parameter(exit, self.function.ty(value), self.span);
        self.block = whole;
        let sum = self.reduce_all((op, scalar, tile), value);
        self.function.blocks[self.block].end = Terminator::Jump(Edge {
            block: exit,
            arguments: vec![sum],
        });
        self.block = some;
        let sum = self.reduce_some((op, scalar, tile), value, lanes);
        self.jump_into(exit, vec![sum]);
        combined
    }

    /// All lanes are active: a butterfly.
    fn reduce_all(&mut self, (op, scalar, tile): (BinaryOp, Scalar, u32), mut value: Value) -> Value {
        let mut distance = tile / 2;
        while distance > 0 {
            let amount = self.constant(Ty::I32, distance.into());
            let other = self.shuffle_among((Shuffle::Xor, tile), value, amount, true);
            value = self.binary(op, scalar, value, other);
            distance /= 2;
        }
        value
    }

    /// These lanes of the tile are active, one at least: one after the other.
    fn reduce_some(&mut self, (op, scalar, tile): (BinaryOp, Scalar, u32), value: Value, lanes: Value) -> Value {
        let header = self.function.add_block();
        let rest = self.function.add_parameter(header, Ty::I32, self.span);
        let sum = self.function.add_parameter(header, self.function.ty(value), self.span);
        let first = self.of_lowest(tile, value, lanes);
        let others = self.without_lowest(lanes);
        self.jump_into(header, vec![others, first]);
        let more = self.binary_with(BinaryOp::Ne, Scalar::U32, rest, 0);
        let (inside, exit) = self.branch(more);
        self.block = inside;
        let next = self.of_lowest(tile, value, rest);
        let combined = self.binary(op, scalar, sum, next);
        let others = self.without_lowest(rest);
        self.function.blocks[self.block].end = Terminator::Jump(Edge {
            block: header,
            arguments: vec![others, combined],
        });
        self.block = exit;
        sum
    }

    /// The value of the lowest of some active lanes.
    fn of_lowest(&mut self, tile: u32, value: Value, lanes: Value) -> Value {
        let lane = self.unary(UnaryOp::TrailingZeros, Scalar::U32, lanes);
        self.shuffle_among((Shuffle::Index, tile), value, lane, true)
    }

    fn without_lowest(&mut self, lanes: Value) -> Value {
        let less = self.binary_with(BinaryOp::Sub, Scalar::U32, lanes, 1);
        self.binary_op(BinaryOp::And, Scalar::U32, lanes, less)
    }
}
