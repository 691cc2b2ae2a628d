//! Clusters: barriers among blocks, and shared memory of other blocks.
//!
//! The phases of shared memory are those of a kernel without clusters, with barriers of the cluster between
//! them: each cell is written by one thread, of the own block or of that a few places further in the
//! cluster, and then read by any.

use vyre_core::ir::{Axis, BinaryOp, Builtin, ExprId, Handle, Intrinsic, Local, Scalar, Type};

use super::items::{Builder, Maker, Shared};
use super::kernel::{Shape, shape};
use super::scope::{Base, Cells, Root, Scope};

/// Shapes of about as many threads as others have, in clusters.
pub(super) const CLUSTERED: [Shape; 10] = [
    shape(1, [8, 1, 1], [8, 1, 1]).in_clusters([4, 1, 1]),
    shape(1, [16, 1, 1], [4, 1, 1]).in_clusters([2, 1, 1]),
    shape(1, [32, 1, 1], [2, 1, 1]).in_clusters([2, 1, 1]),
    shape(1, [5, 1, 1], [8, 1, 1]).in_clusters([8, 1, 1]),
    shape(1, [7, 1, 1], [6, 1, 1]).in_clusters([3, 1, 1]),
    shape(1, [24, 1, 1], [3, 1, 1]).in_clusters([1, 1, 1]),
    shape(1, [50, 1, 1], [2, 1, 1]).in_clusters([2, 1, 1]),
    shape(2, [4, 2, 1], [4, 2, 1]).in_clusters([2, 2, 1]),
    shape(2, [3, 5, 1], [2, 3, 1]).in_clusters([1, 3, 1]),
    shape(3, [2, 2, 2], [2, 2, 2]).in_clusters([2, 2, 2]),
];

/// The axes from the slowest one to the fastest.
const OUTWARD: [Axis; 3] = [Axis::Z, Axis::Y, Axis::X];

impl Maker {
    /// A barrier of all who access the shared memory of this block.
    pub(super) fn shared_barrier(&mut self, b: &mut Builder<'_>) {
        // Without clusters the two are the same.
        if self.cluster_blocks > 0 || self.options.clusters && self.random.once_in(4) {
            b.intrinsic(Intrinsic::ClusterBarrier, &[]);
        } else {
            b.barrier();
        }
    }

    /// The rank of the block `places` further in the cluster.
    fn neighbour(&mut self, b: &mut Builder<'_>, places: u64) -> ExprId {
        let mut rank = b.u32(0);
        for axis in OUTWARD {
            let extent = b.builtin(Builtin::ClusterSize(axis));
            let scaled = b.binary(BinaryOp::Mul, rank, extent);
            let place = b.builtin(Builtin::ClusterBlock(axis));
            rank = b.binary(BinaryOp::Add, scaled, place);
        }
        let rank = b.cast(rank, Scalar::U64);
        let (places, blocks) = (b.u64(places), b.u64(self.cluster_blocks));
        let further = b.binary(BinaryOp::Add, rank, places);
        b.binary(BinaryOp::Rem, further, blocks)
    }

    /// The rank of any block of the cluster.
    fn rank(&mut self, b: &mut Builder<'_>, scope: &Scope) -> ExprId {
        if self.wild(16) {
            return self.leaf(b, scope, Scalar::U64);
        }
        match self.random.below(3) {
            0 => b.u64(self.random.below(self.cluster_blocks)),
            1 => {
                let places = self.random.below(self.cluster_blocks);
                self.neighbour(b, places)
            }
            _ => {
                let (any, blocks) = (self.leaf(b, scope, Scalar::U64), b.u64(self.cluster_blocks));
                b.binary(BinaryOp::Rem, any, blocks)
            }
        }
    }

    /// The cells of a shared array that this thread may write until the next barrier: those of its number, in
    /// its own block or in another one, which no other thread has.
    pub(super) fn cell_to_write(&mut self, b: &mut Builder<'_>, shared: Shared, phase: u32) -> Root {
        if self.cluster_blocks == 0 || self.random.once_in(3) {
            return Root::new(Base::Cell(shared.variable), shared.element);
        }
        let places = self.random.below(self.cluster_blocks);
        let rank = self.neighbour(b, places);
        let own = self.thread_number(b);
        let part = if self.random.once_in(3) {
            let (again, one) = (self.thread_number(b), b.u64(1));
            let end = b.binary(BinaryOp::Add, again, one);
            b.subslice(b.shared_place(shared.variable), own, end, true)
        } else {
            let checked = !self.random.once_in(4);
            let path = b.index_with(b.shared_place(shared.variable), own, checked);
            b.reference(path, true)
        };
        let part = b.map_shared(part, rank);
        let ty = b.type_of(part);
        let far = b.let_(&self.name("far"), part);
        Root {
            phase,
            ..Root::new(Base::Local(far), ty)
        }
    }

    /// A variable that refers to a whole shared array, of a block of any rank.
    fn far(&mut self, b: &mut Builder<'_>, scope: &Scope, shared: Shared) -> Handle<Local> {
        self.refuel();
        let rank = self.rank(b, scope);
        let whole = b.reference(b.shared_place(shared.variable), false);
        let whole = b.map_shared(whole, rank);
        b.let_(&self.name("theirs"), whole)
    }

    /// A shared array of another block, to be read.
    pub(super) fn array_to_read(&mut self, b: &mut Builder<'_>, scope: &Scope, shared: Shared) -> Option<Root> {
        if self.cluster_blocks == 0 || self.random.once_in(3) {
            return None;
        }
        let far = self.far(b, scope, shared);
        let ty = b.types().intern(Type::Reference {
            pointee: shared.ty,
            mutable: false,
        });
        Some(Root {
            writable: false,
            phase: scope.phase,
            ..Root::new(Base::Local(far), ty)
        })
    }

    /// A shared array of atomics: the block's own, or that of another one.
    pub(super) fn cells(&mut self, b: &mut Builder<'_>, scope: &Scope, shared: Shared, scalar: Scalar) -> Cells {
        let base = if self.cluster_blocks == 0 || self.random.once_in(3) {
            Base::Shared(shared.variable)
        } else {
            Base::Behind(self.far(b, scope, shared))
        };
        Cells {
            base,
            scalar,
            alone: false,
        }
    }
}
