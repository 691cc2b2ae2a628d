//! Atomic operations, memory orders and scopes, axes and builtins, and the shared memory that a
//! kernel's own barriers take.

use vyre_abi::ops::operations;
use vyre_abi::scalar::Scalar;

use super::NAMED_BARRIERS;

operations! {
    /// A read-modify-write on an atomic cell; integers of 32 and 64 bits, floats where said.
    AtomicOp {
        /// Reads. No operand.
        Load = "load",
        /// Writes. One operand, no result.
        Store = "store",
        /// Writes the operand, yields the old value; floats too.
        Exchange = "exchange",
        /// Operands `expected`, `new`: writes `new` where the cell holds the bits of `expected`; yields the old value.
        CompareExchange = "compare_exchange",
        /// Adds, yields the old value; integers wrap; floats too (order unspecified).
        Add = "add",
        /// Subtracts, yields the old value; wraps; floats too.
        Sub = "sub",
        /// Bitwise and, yields the old value.
        And = "and",
        /// Bitwise or, yields the old value.
        Or = "or",
        /// Bitwise exclusive or, yields the old value.
        Xor = "xor",
        /// Inverts the bitwise and, yields the old value.
        Nand = "nand",
        /// Minimum, yields the old value; floats too, as [`BinaryOp::Min`](super::BinaryOp::Min).
        Min = "min",
        /// Maximum, yields the old value; floats too, as [`BinaryOp::Max`](super::BinaryOp::Max).
        Max = "max",
        /// Makes the cell a barrier whose phases end with as many arrivals as the low 20 bits of the operand say
        /// (PTX `mbarrier.init`); no result. The cells of barriers are `u64` in shared memory, which
        /// nothing else accesses.
        BarrierInit = "barrier_init",
        /// Arrives at a barrier; yields a token of the phase. What the thread did to memory before, those see
        /// that find the phase over. No operand.
        BarrierArrive = "barrier_arrive",
        /// Whether the phase of a token is over, 1 or 0. The operand is a token of this barrier, of the phase
        /// that goes on or of the one before.
        BarrierOpened = "barrier_opened",
        /// The phase that goes on does not end before the copies that the thread has begun are done (PTX
        /// `cp.async.mbarrier.arrive`). No operand, no result.
        BarrierCopies = "barrier_copies",
        /// A number that tells the barrier from the others of its block. Which one is unspecified, so it is
        /// compared and no more. No operand.
        BarrierNumber = "barrier_number",
    }
}

operations! {
    /// The ordering of an atomic access or a fence, as in `core::sync::atomic::Ordering`.
    MemoryOrder {
        /// Atomic, but orders nothing.
        Relaxed = "relaxed",
        /// Later accesses stay behind this load.
        Acquire = "acquire",
        /// Earlier accesses stay before this store.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Both, and one order of all such accesses.
        SeqCst = "seq_cst",
    }
}

operations! {
    /// The threads among which an atomic access or a fence is observed.
    MemoryScope {
        /// The threads of the block (PTX `.cta`).
        Block = "block",
        /// The threads of the device (PTX `.gpu`).
        Device = "device",
        /// All threads of all devices and of the host (PTX `.sys`).
        System = "system",
    }
}

operations! {
    /// An axis of the launch.
    Axis {
        /// The axis along which neighbouring threads lie.
        X = "x",
        /// The second axis.
        Y = "y",
        /// The third axis.
        Z = "z",
    }
}

/// Bytes of shared memory that a kernel with clusters takes besides its variables.
pub const CLUSTER_COUNTER_BYTES: u32 = 8;

/// Shared memory that the named barriers of a kernel take, if it has any.
pub const NAMED_BARRIER_BYTES: u32 = 4 * NAMED_BARRIERS;

/// A value that the hardware knows about the running thread. All but [`GlobalIndex`](Builtin::GlobalIndex)
/// and [`LinearIndex`](Builtin::LinearIndex) are `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Builtin {
    /// Place of the thread in its block along an axis (CUDA `threadIdx`).
    ThreadIndex(Axis),
    /// Place of the block in the grid along an axis (CUDA `blockIdx`).
    BlockIndex(Axis),
    /// Threads of a block along an axis (CUDA `blockDim`): a constant of the kernel.
    BlockSize(Axis),
    /// Blocks of the grid along an axis (CUDA `gridDim`).
    GridSize(Axis),
    /// Blocks of a cluster along an axis (PTX `%cluster_nctaid`): a constant of the kernel, 1 where it has none.
    ClusterSize(Axis),
    /// Place of the block in its cluster along an axis (PTX `%cluster_ctaid`).
    ClusterBlock(Axis),
    /// Place of the block's cluster in the grid along an axis (PTX `%clusterid`).
    ClusterIndex(Axis),
    /// `block index * block size + thread index` along an axis, without wrapping, as `u64`.
    GlobalIndex(Axis),
    /// The number of this thread in the launch, as `u64`: block after block, in a block the x axis
    /// runs fastest, then y, then z; of blocks likewise. Along one axis this is `GlobalIndex(X)`.
    LinearIndex,
    /// The number of this thread in its warp: that in its block, modulo [`WARP_SIZE`](super::WARP_SIZE).
    LaneIndex,
    /// Whether this runs on a GPU, as a `bool`: what has no meaning elsewhere stands under it.
    OnGpu,
}

impl Builtin {
    /// The type of the value.
    pub const fn scalar(self) -> Scalar {
        match self {
            Builtin::GlobalIndex(_) | Builtin::LinearIndex => Scalar::U64,
            Builtin::OnGpu => Scalar::Bool,
            _ => Scalar::U32,
        }
    }
}

impl Axis {
    /// 0 for x, 1 for y, 2 for z.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl AtomicOp {
    /// Number of operands besides the cell.
    pub const fn operands(self) -> usize {
        match self {
            AtomicOp::Load | AtomicOp::BarrierArrive | AtomicOp::BarrierCopies | AtomicOp::BarrierNumber => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        }
    }

    /// Whether it is one of a barrier, and not of a number.
    pub const fn is_barrier(self) -> bool {
        matches!(
            self,
            AtomicOp::BarrierInit
                | AtomicOp::BarrierArrive
                | AtomicOp::BarrierOpened
                | AtomicOp::BarrierCopies
                | AtomicOp::BarrierNumber
        )
    }

    /// Whether there is a result.
    pub const fn has_result(self) -> bool {
        !matches!(self, AtomicOp::Store | AtomicOp::BarrierInit | AtomicOp::BarrierCopies)
    }

    /// Whether the operation is defined on cells of this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            _ if self.is_barrier() => matches!(scalar, Scalar::U64),
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Nand => !scalar.is_float(),
            // Of pairs each half is changed by itself.
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => !matches!(scalar, Scalar::Bool),
            // Of pairs both halves are compared.
            _ => true,
        }
    }
}
