//! The PTX of each intrinsic, and what the entry that holds it has to provide.

use super::Summary;
use super::entry::Writer;
use super::text::Operand;
use crate::ir::{Intrinsic, MemoryOrder};
use crate::ssa::Value;
use crate::ssa::value_list::ValueList;

impl Summary {
    /// Notes an intrinsic.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic) {
        match intrinsic {
            Intrinsic::NamedBarrier { barrier, .. } => self.named_barriers |= 1 << barrier,
            Intrinsic::CopyPiece { bytes, .. } => self.shared_align = self.shared_align.max(bytes.into()),
            Intrinsic::GridBarrier => self.grid_barriers = true,
            Intrinsic::Barrier
            | Intrinsic::BarrierCount
            | Intrinsic::ClusterBarrier
            | Intrinsic::Fence { .. }
            | Intrinsic::Clock
            | Intrinsic::AsyncCopy { .. }
            | Intrinsic::CopyCommit
            | Intrinsic::CopyWait { .. } => {}
        }
    }
}

impl Writer<'_> {
    pub(super) fn intrinsic(&mut self, value: Value, intrinsic: Intrinsic, operands: ValueList) {
        match intrinsic {
            Intrinsic::Barrier => self.block_barrier(),
            Intrinsic::BarrierCount => {
                if let &[predicate] = self.function.lists.get(operands) {
                    self.barrier_count(value, predicate);
                }
            }
            Intrinsic::ClusterBarrier => self.cluster_barrier(),
            Intrinsic::GridBarrier => self.grid_barrier(value),
            Intrinsic::Fence { order, scope } => {
                let order = if order == MemoryOrder::SeqCst { "sc" } else { "acq_rel" };
                self.text.instruction(&["fence.", order, scope.suffix()], &[]);
            }
            Intrinsic::Clock => {
                let target = Operand::Register(self.register(value));
                self.text
                    .instruction(&["mov.u64"], &[target, Operand::Text("%clock64")]);
            }
            Intrinsic::NamedBarrier {
                barrier,
                threads,
                waits,
            } => self.named_barrier(barrier, threads, waits),
            Intrinsic::CopyCommit => self.text.instruction(&["cp.async.commit_group"], &[]),
            Intrinsic::CopyWait { pending } => {
                self.text
                    .instruction(&["cp.async.wait_group"], &[Operand::Number(pending.into())]);
            }
            Intrinsic::CopyPiece { offsets, bytes, align } => {
                if let &[to, from] = self.function.lists.get(operands) {
                    self.async_copy([to, from], offsets, bytes.into(), align.into());
                }
            }
            // The graph holds its pieces.
            Intrinsic::AsyncCopy { .. } => {}
        }
    }
}
