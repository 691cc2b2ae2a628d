//! Rank and size of a block's cluster.

use vyre_ir::ir::{Axis, BinaryOp, Builtin, ExprId};

use super::Lowering;

impl Lowering<'_, '_> {
    /// The number of the block in its cluster: x fastest, then y, then z.
    pub(super) fn cluster_rank(&mut self) -> ExprId {
        let mut rank = self.index_of(Builtin::ClusterBlock(Axis::Z));
        for axis in [Axis::Y, Axis::X] {
            let size = self.index_of(Builtin::ClusterSize(axis));
            let outer = self.b.binary(BinaryOp::Mul, rank, size);
            let block = self.index_of(Builtin::ClusterBlock(axis));
            rank = self.b.binary(BinaryOp::Add, outer, block);
        }
        rank
    }

    /// The number of blocks of a cluster.
    pub(super) fn cluster_blocks(&mut self) -> ExprId {
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|axis| self.index_of(Builtin::ClusterSize(axis)));
        let across = self.b.binary(BinaryOp::Mul, x, y);
        self.b.binary(BinaryOp::Mul, across, z)
    }
}
