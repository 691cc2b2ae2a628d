//! Atomic operations, memory orders and scopes, axes, builtins, and the shared memory reserved by a
//! kernel's barriers.

use vyre_abi::ops::operations;
use vyre_abi::scalar::Scalar;

use super::NAMED_BARRIERS;
use super::needs::Needs;

operations! {
    /// An operation on an atomic cell, of any scalar type where nothing else is stated. A cell of `f16`
    /// or `bf16` holds two of them: additions, minima and maxima change each by itself, the others
    /// access both at once.
    AtomicOp {
        /// Reads. No operand.
        Load = "load",
        /// Writes. One operand, no result.
        Store = "store",
        /// Writes the operand, yields the old value.
        Exchange = "exchange",
        /// Operands `expected`, `new`: writes `new` if the cell has the bits of `expected`, or both are NaNs, as
        /// [`BinaryOp::SameBits`](super::BinaryOp::SameBits) says; yields the old value.
        CompareExchange = "compare_exchange",
        /// Adds, yields the old value. Not for `bool`; integers wrap, the order of additions of floats is
        /// unspecified.
        Add = "add",
        /// Subtracts, yields the old value; as [`Add`](AtomicOp::Add).
        Sub = "sub",
        /// Bitwise and of integers or `bool`, yields the old value.
        And = "and",
        /// Bitwise or of integers or `bool`, yields the old value.
        Or = "or",
        /// Bitwise exclusive or of integers or `bool`, yields the old value.
        Xor = "xor",
        /// Inverted bitwise and of integers or `bool`, yields the old value.
        Nand = "nand",
        /// Minimum as of [`BinaryOp::Min`](super::BinaryOp::Min), yields the old value. Not for `bool`.
        Min = "min",
        /// Maximum as of [`BinaryOp::Max`](super::BinaryOp::Max), yields the old value. Not for `bool`.
        Max = "max",
        /// Initialises the cell as a barrier whose phases complete after the number of arrivals in
        /// the low 20 bits of the operand (PTX `mbarrier.init`); no result. The cells of barriers
        /// are `u64` in shared memory, with no other accesses.
        BarrierInit = "barrier_init",
        /// Arrives at a barrier; yields a token of the phase. Writes before it are visible to
        /// threads that find the phase complete. No operand.
        BarrierArrive = "barrier_arrive",
        /// Yields 1 if the phase of a token is complete, else 0. The operand is a token of this
        /// barrier, of the current or the previous phase.
        BarrierOpened = "barrier_opened",
        /// Delays the completion of the current phase until the copies started by the thread are
        /// complete (PTX `cp.async.mbarrier.arrive`). No operand, no result.
        BarrierCopies = "barrier_copies",
        /// A number that identifies the barrier within its block. Its value is unspecified, so it
        /// can only be compared. No operand.
        BarrierNumber = "barrier_number",
    }
}

operations! {
    /// The ordering of an atomic access or a fence, as in `core::sync::atomic::Ordering`.
    MemoryOrder {
        /// Atomic, without ordering.
        Relaxed = "relaxed",
        /// Later accesses are not reordered before this load.
        Acquire = "acquire",
        /// Earlier accesses are not reordered after this store.
        Release = "release",
        /// Both.
        AcqRel = "acq_rel",
        /// Both, and a single total order of all such accesses.
        SeqCst = "seq_cst",
    }
}

operations! {
    /// The set of threads that observe an atomic access or a fence.
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
        /// The axis of neighbouring threads.
        X = "x",
        /// The second axis.
        Y = "y",
        /// The third axis.
        Z = "z",
    }
}

/// Bytes of shared memory reserved by a kernel with clusters, besides its variables.
pub const CLUSTER_COUNTER_BYTES: u32 = 8;

/// Shared memory reserved by the named barriers of a kernel, if it has any.
pub const NAMED_BARRIER_BYTES: u32 = 4 * NAMED_BARRIERS;

/// A builtin value of the running thread. All but [`GlobalIndex`](Builtin::GlobalIndex),
/// [`LinearIndex`](Builtin::LinearIndex) and [`OnGpu`](Builtin::OnGpu) are `u32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Builtin {
    /// Index of the thread in its block along an axis (CUDA `threadIdx`).
    ThreadIndex(Axis),
    /// Index of the block in the grid along an axis (CUDA `blockIdx`).
    BlockIndex(Axis),
    /// Threads of a block along an axis (CUDA `blockDim`): a constant of the kernel.
    BlockSize(Axis),
    /// Blocks of the grid along an axis (CUDA `gridDim`).
    GridSize(Axis),
    /// Blocks of a cluster along an axis (PTX `%cluster_nctaid`): a constant of the kernel, 1
    /// without clusters.
    ClusterSize(Axis),
    /// Index of the block in its cluster along an axis (PTX `%cluster_ctaid`).
    ClusterBlock(Axis),
    /// Index of the block's cluster in the grid along an axis (PTX `%clusterid`).
    ClusterIndex(Axis),
    /// `block index * block size + thread index` along an axis, without wrapping, as `u64`.
    GlobalIndex(Axis),
    /// The linear index of this thread in the launch, as `u64`: block by block; within a block x
    /// varies fastest, then y, then z; likewise for blocks. Along one axis this is
    /// `GlobalIndex(X)`.
    LinearIndex,
    /// The lane index of this thread: its linear index in the block modulo
    /// [`WARP_SIZE`](super::WARP_SIZE).
    LaneIndex,
    /// True on a GPU, a `bool`: guards code that other back ends cannot run.
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

    /// True for operations on a barrier.
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

    /// True if there is a result.
    pub const fn has_result(self) -> bool {
        !matches!(self, AtomicOp::Store | AtomicOp::BarrierInit | AtomicOp::BarrierCopies)
    }

    /// The lowest PTX `.version` and `.target` of the operation on cells of this type.
    #[doc(hidden)]
    pub const fn needs(self, scalar: Scalar) -> Needs {
        let (version, target) = match (self, scalar) {
            _ if self.is_barrier() => ((7, 0), 80),
            // Others of a pair go by compare and exchange.
            (AtomicOp::Add | AtomicOp::Sub, Scalar::F16) => ((6, 2), 70),
            (AtomicOp::Add | AtomicOp::Sub, Scalar::BF16) => ((7, 8), 90),
            _ => return Needs::ALWAYS,
        };
        Needs { version, target }
    }

    /// True if the operation is defined on cells of this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            _ if self.is_barrier() => matches!(scalar, Scalar::U64),
            AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Nand => !scalar.is_float(),
            // In pairs each half is changed separately.
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => !matches!(scalar, Scalar::Bool),
            // In pairs both halves are compared.
            _ => true,
        }
    }
}
