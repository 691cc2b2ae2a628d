//! The PTX of each intrinsic, and what the entry that holds it has to provide.

use vyre_ir::ir::{Intrinsic, MatrixLoad, MemoryOrder};

use super::Summary;
use super::entry::Writer;
use super::memory::scope_suffix;
use super::text::Operand;
use crate::ssa::Value;
use crate::ssa::value_list::ValueList;

impl Summary {
    /// Notes an intrinsic.
    pub(super) fn intrinsic(&mut self, intrinsic: Intrinsic) {
        match intrinsic {
            Intrinsic::NamedBarrier { barrier, .. } => self.named_barriers |= 1 << barrier,
            Intrinsic::CopyPiece { bytes, .. } => self.shared_align = self.shared_align.max(bytes.into()),
            Intrinsic::LoadMatrices { .. } => self.shared_align = self.shared_align.max(MatrixLoad::ROW_BYTES),
            Intrinsic::GridBarrier => self.grid_barriers = true,
            Intrinsic::Barrier
            | Intrinsic::BarrierCount
            | Intrinsic::ClusterBarrier
            | Intrinsic::Fence { .. }
            | Intrinsic::Clock
            | Intrinsic::Nap
            | Intrinsic::AsyncCopy { .. }
            | Intrinsic::CopyCommit
            | Intrinsic::CopyWait { .. }
            | Intrinsic::Shuffle { .. }
            | Intrinsic::Ballot { .. }
            | Intrinsic::MatchAny { .. }
            | Intrinsic::Reduce { .. }
            | Intrinsic::WarpBarrier { .. }
            | Intrinsic::MultiplyAdd { .. } => {}
        }
    }
}

impl Writer<'_> {
    pub(super) fn intrinsic(&mut self, value: Value, intrinsic: Intrinsic, operands: ValueList) {
        let operands = self.function.lists.get(operands);
        let members = operands.last().filter(|_| intrinsic.row().tile.is_some());
        let join = members.and_then(|&members| self.diverge(value, members));
        self.instructions(value, intrinsic, operands);
        if let Some(join) = join {
            self.text.label(&join);
        }
    }

    fn instructions(&mut self, value: Value, intrinsic: Intrinsic, operands: &[Value]) {
        match (intrinsic, operands) {
            (Intrinsic::BarrierCount, &[predicate]) => self.barrier_count(value, predicate),
            (Intrinsic::ClusterBarrier, _) if self.plan.kernel.cluster.is_some() => self.cluster_barrier(),
            (Intrinsic::Barrier | Intrinsic::ClusterBarrier, _) => self.block_barrier(),
            (Intrinsic::GridBarrier, _) => self.grid_barrier(value),
            (Intrinsic::Fence { order, scope }, _) => {
                let order = if order == MemoryOrder::SeqCst { "sc" } else { "acq_rel" };
                self.text.instruction(&["fence.", order, scope_suffix(scope)], &[]);
            }
            (Intrinsic::Clock, _) => {
                let target = Operand::Register(self.register(value));
                self.text
                    .instruction(&["mov.u64"], &[target, Operand::Text("%clock64")]);
            }
            (Intrinsic::Nap, &[time]) => {
                let time = self.operand(time);
                self.text.instruction(&["nanosleep.u32"], &[time]);
            }
            (
                Intrinsic::NamedBarrier {
                    barrier,
                    threads,
                    waits,
                },
                _,
            ) => self.named_barrier(barrier, threads, waits),
            (Intrinsic::CopyCommit, _) => self.text.instruction(&["cp.async.commit_group"], &[]),
            (Intrinsic::CopyWait { pending }, _) => {
                self.text
                    .instruction(&["cp.async.wait_group"], &[Operand::Number(pending.into())]);
            }
            (Intrinsic::CopyPiece { offsets, bytes, align }, &[to, from]) => {
                self.async_copy([to, from], offsets, bytes.into(), align.into());
            }
            (Intrinsic::Shuffle { from, tile }, &[a, amount, members]) => {
                self.shuffle(value, (from, tile), a, amount, members);
            }
            (Intrinsic::Ballot { .. }, &[predicate, members]) => self.ballot(value, predicate, members),
            (Intrinsic::MatchAny { .. }, &[a, members]) => self.match_any(value, a, members),
            (Intrinsic::Reduce { op, scalar, .. }, &[a, members]) => self.reduce(value, (op, scalar), a, members),
            (Intrinsic::WarpBarrier { .. }, &[members]) => self.warp_barrier(members),
            (Intrinsic::MultiplyAdd { product }, _) => self.product(value, product, operands),
            (Intrinsic::LoadMatrices { load, offset, .. }, &[address]) => {
                self.load_matrices(value, load, address, offset);
            }
            // The graph holds the pieces of a copy; the verifier rules out other numbers of operands.
            (
                Intrinsic::AsyncCopy { .. }
                | Intrinsic::BarrierCount
                | Intrinsic::Nap
                | Intrinsic::CopyPiece { .. }
                | Intrinsic::Shuffle { .. }
                | Intrinsic::Ballot { .. }
                | Intrinsic::MatchAny { .. }
                | Intrinsic::Reduce { .. }
                | Intrinsic::WarpBarrier { .. }
                | Intrinsic::LoadMatrices { .. },
                _,
            ) => {}
        }
    }
}
