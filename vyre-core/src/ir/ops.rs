//! The operations on scalars, each defined once in a table: name, meaning, operand types.
//!
//! The name is the variant's name in the text form. The meaning of every operation on every type
//! is the function of the same name in [`crate::semantics`]; all back ends give those bits. A NaN
//! that an operation computes has unspecified sign and payload.

use super::mma::{MatrixLoad, Product};
use super::types::Scalar;

/// Defines an enum of operations with its `ALL` list and its names.
macro_rules! operations {
    ($(#[$meta:meta])* $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $enum { $($(#[$doc])* $variant,)* }

        impl $enum {
            /// Every operation, in the order of the enum.
            pub const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($enum::$variant => $name,)* }
            }

            /// The operation of a name, or `None`.
            pub fn from_name(name: &str) -> Option<$enum> {
                Self::ALL.iter().copied().find(|op| op.name() == name)
            }
        }
    };
}
pub(super) use operations;

operations! {
    /// An operation on one scalar that yields the same type.
    UnaryOp {
        /// `-x`: integers wrap (signed only); of floats the sign bit flips, also of NaN.
        Neg = "neg",
        /// `!x`: every bit of an integer; `bool` inverts.
        Not = "not",
        /// Absolute value: a signed integer wraps at `MIN`; of floats the sign bit clears, also of NaN.
        Abs = "abs",
        /// IEEE square root to nearest; floats.
        Sqrt = "sqrt",
        /// Round towards negative infinity; floats.
        Floor = "floor",
        /// Round towards positive infinity; floats.
        Ceil = "ceil",
        /// Round towards zero; floats.
        Trunc = "trunc",
        /// Round to nearest, halves away from zero; floats.
        Round = "round",
        /// Round to nearest, halves to even; floats.
        RoundTiesEven = "round_ties_even",
        /// Bits in reverse order; integers.
        ReverseBits = "reverse_bits",
        /// Bytes in reverse order; integers.
        SwapBytes = "swap_bytes",
        /// Number of one bits, in the operand's own type; integers.
        CountOnes = "count_ones",
        /// Number of leading zero bits, the width for 0, in the operand's own type; integers.
        LeadingZeros = "leading_zeros",
        /// Number of trailing zero bits, the width for 0, in the operand's own type; integers.
        TrailingZeros = "trailing_zeros",
    }
}

operations! {
    /// An operation on two scalars. Both have the same type, except for shifts and rotations,
    /// whose right operand is `u32`. Comparisons yield `bool`, the others the type of the left.
    BinaryOp {
        /// Sum: integers wrap; floats to nearest.
        Add = "add",
        /// Difference: integers wrap; floats to nearest.
        Sub = "sub",
        /// Product: integers wrap; floats to nearest.
        Mul = "mul",
        /// Quotient: integers truncate, and fault on a zero divisor and on `MIN / -1`; floats to nearest.
        Div = "div",
        /// Remainder with the sign of the dividend: integers fault as `Div`; floats exactly (C's `fmod`).
        Rem = "rem",
        /// Bitwise and; integers and `bool`.
        And = "and",
        /// Bitwise or; integers and `bool`.
        Or = "or",
        /// Bitwise exclusive or; integers and `bool`.
        Xor = "xor",
        /// Left shift by the right operand modulo the width; integers.
        Shl = "shl",
        /// Right shift by the right operand modulo the width: arithmetic for signed, logical for unsigned integers.
        Shr = "shr",
        /// Rotate left by the right operand modulo the width; integers.
        RotateLeft = "rotate_left",
        /// Rotate right by the right operand modulo the width; integers.
        RotateRight = "rotate_right",
        /// High half of the double-width product; integers.
        MulHigh = "mul_high",
        /// The smaller one: of floats a NaN loses against a number, and -0 is less than +0.
        Min = "min",
        /// The larger one: of floats a NaN loses against a number, and -0 is less than +0.
        Max = "max",
        /// Magnitude of the left with the sign bit of the right; floats.
        Copysign = "copysign",
        /// Equal; every type. A NaN equals nothing.
        Eq = "eq",
        /// Not equal; every type.
        Ne = "ne",
        /// Less; `false < true`; false where one is a NaN.
        Lt = "lt",
        /// Less or equal; false where one is a NaN.
        Le = "le",
        /// Greater; false where one is a NaN.
        Gt = "gt",
        /// Greater or equal; false where one is a NaN.
        Ge = "ge",
        /// Whether all bits are equal, as a compare-exchange compares: two zeros differ in the sign, and a NaN
        /// equals those of its payload.
        SameBits = "same_bits",
    }
}

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
        /// Minimum, yields the old value; floats too, as [`BinaryOp::Min`].
        Min = "min",
        /// Maximum, yields the old value; floats too, as [`BinaryOp::Max`].
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

/// An exchange among the threads of a warp. Lanes are the threads of a warp by number, 0 to 31;
/// a lane is *there* unless its thread has left or the block is not so large.
///
/// An exchange takes place among the lanes of a *tile*: the whole warp, or 16, 8, 4 or 2 lanes of
/// which the first has a multiple of that as its number. The lanes of a tile count from 0.
///
/// The shuffles take a value of any scalar type and a `u32`, which counts modulo the size of the
/// tile, and yield the value that another lane of the tile gives; a lane that would take from one
/// that is not there, or that is not a lane of the tile, gets its own value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WarpOp {
    /// The value of the lane that the second operand names.
    Shuffle,
    /// The value of the lane so many places below.
    ShuffleUp,
    /// The value of the lane so many places above.
    ShuffleDown,
    /// The value of the lane whose number differs by an exclusive or with the second operand.
    ShuffleXor,
    /// A `u32` whose bit `i` says whether lane `i` is there and gives `true`; takes a `bool`.
    Ballot,
    /// A `u32` whose bit `i` says whether lane `i` is there and gives what this lane gives; takes
    /// an integer or a `bool`.
    MatchAny,
    /// Yields nothing and takes nothing. What the lanes wrote to memory before, all of them see
    /// after; the other exchanges order nothing.
    Sync,
    /// A product of matrices, added to a third, of whole warps: takes this lane's fragments of the three, arrays of
    /// [`Shape::registers`](super::Shape::registers), and yields that of the sum. Kernels that come to it have
    /// blocks of whole warps, and threads leave them before their end by faults alone.
    MultiplyAdd(Product),
    /// A load of matrices by whole warps, of which the same holds as of products: takes a slice of at least
    /// [`MatrixLoad::ROW_BYTES`] bytes, the row that this lane gives, whose elements are scalars of 8, 16 or 32
    /// bits, and yields an array of a `u32` for each matrix.
    LoadMatrices(MatrixLoad),
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

/// Threads of a warp. A block is cut into warps in the order of its threads: x runs fastest, then
/// y, then z. The last warp of a block has fewer where the block's size is no multiple of this.
pub const WARP_SIZE: u32 = 32;

/// Whether a warp is cut into tiles of so many lanes for an exchange.
pub const fn is_tile(lanes: u32) -> bool {
    lanes >= 2 && lanes <= WARP_SIZE && lanes.is_power_of_two()
}

/// The barriers of a block, of which the first is that of all its threads and has no name.
pub const NAMED_BARRIERS: u32 = 16;

/// Bytes of shared memory that a kernel with clusters takes besides its variables.
pub const CLUSTER_COUNTER_BYTES: u32 = 8;

/// Shared memory that the named barriers of a kernel take, if it has any.
pub const NAMED_BARRIER_BYTES: u32 = 4 * NAMED_BARRIERS;

/// What slices in dynamic shared memory are aligned to, in bytes.
pub const SHARED_ALIGN: u64 = 16;

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
    /// The number of this thread in its warp: that in its block, modulo [`WARP_SIZE`].
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

impl UnaryOp {
    /// Whether the operation is defined on values of this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            UnaryOp::Neg | UnaryOp::Abs => scalar.is_float() || scalar.is_signed(),
            UnaryOp::Not => scalar.is_integer() || matches!(scalar, Scalar::Bool),
            UnaryOp::Sqrt
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::Round
            | UnaryOp::RoundTiesEven => scalar.is_float(),
            UnaryOp::ReverseBits
            | UnaryOp::SwapBytes
            | UnaryOp::CountOnes
            | UnaryOp::LeadingZeros
            | UnaryOp::TrailingZeros => scalar.is_integer(),
        }
    }
}

impl BinaryOp {
    /// Whether the operation is defined on a left operand of this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Rem
            | BinaryOp::Min
            | BinaryOp::Max => !matches!(scalar, Scalar::Bool),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !scalar.is_float(),
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft | BinaryOp::RotateRight | BinaryOp::MulHigh => {
                scalar.is_integer()
            }
            BinaryOp::Copysign | BinaryOp::SameBits => scalar.is_float(),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => true,
        }
    }

    /// Whether the result is `bool`.
    pub const fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::SameBits
        )
    }

    /// Whether the right operand is `u32`, whatever the left one is.
    pub const fn is_shift(self) -> bool {
        matches!(
            self,
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::RotateLeft | BinaryOp::RotateRight
        )
    }

    /// Whether the operation faults on some operands of this type.
    pub const fn may_fault(self, scalar: Scalar) -> bool {
        matches!(self, BinaryOp::Div | BinaryOp::Rem) && scalar.is_integer()
    }
}

impl WarpOp {
    /// Whether whole warps alone do it, in kernels that no thread leaves early.
    pub const fn is_of_matrices(self) -> bool {
        matches!(self, WarpOp::MultiplyAdd(_) | WarpOp::LoadMatrices(_))
    }

    /// Every exchange but the products and loads of matrices.
    pub const ALL: &'static [WarpOp] = &[
        WarpOp::Shuffle,
        WarpOp::ShuffleUp,
        WarpOp::ShuffleDown,
        WarpOp::ShuffleXor,
        WarpOp::Ballot,
        WarpOp::MatchAny,
        WarpOp::Sync,
    ];

    /// The name in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            WarpOp::Shuffle => "shuffle",
            WarpOp::ShuffleUp => "shuffle_up",
            WarpOp::ShuffleDown => "shuffle_down",
            WarpOp::ShuffleXor => "shuffle_xor",
            WarpOp::Ballot => "ballot",
            WarpOp::MatchAny => "match_any",
            WarpOp::Sync => "sync",
            WarpOp::MultiplyAdd(product) => product.name(),
            WarpOp::LoadMatrices(load) => load.name(),
        }
    }

    /// The exchange of a name, or `None`.
    pub fn from_name(name: &str) -> Option<WarpOp> {
        let plain = Self::ALL.iter().copied().find(|op| op.name() == name);
        let product = || Product::from_name(name).map(WarpOp::MultiplyAdd);
        let load = || MatrixLoad::from_name(name).map(WarpOp::LoadMatrices);
        plain.or_else(product).or_else(load)
    }

    /// Number of operands.
    pub const fn operands(self) -> usize {
        match self {
            WarpOp::Sync => 0,
            WarpOp::Ballot | WarpOp::MatchAny | WarpOp::LoadMatrices(_) => 1,
            WarpOp::MultiplyAdd(_) => 3,
            _ => 2,
        }
    }

    /// Whether it takes the value of one lane.
    pub const fn is_shuffle(self) -> bool {
        self.operands() == 2
    }

    /// Whether it yields a set of lanes, as a `u32`.
    pub const fn yields_lanes(self) -> bool {
        matches!(self, WarpOp::Ballot | WarpOp::MatchAny)
    }

    /// Whether the first operand may have this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            WarpOp::Ballot => matches!(scalar, Scalar::Bool),
            WarpOp::MatchAny => !scalar.is_float(),
            _ => true,
        }
    }

    /// The lane of the warp from which `lane` takes its value in tiles of so many lanes, if there is
    /// such a lane. Of others than shuffles: its own.
    pub const fn source(self, tile: u32, lane: u32, amount: u32) -> Option<u32> {
        let (place, amount) = (lane % tile, amount % tile);
        let source = match self {
            WarpOp::Shuffle => amount,
            WarpOp::ShuffleUp if place < amount => return None,
            WarpOp::ShuffleUp => place - amount,
            WarpOp::ShuffleDown if place + amount >= tile => return None,
            WarpOp::ShuffleDown => place + amount,
            WarpOp::ShuffleXor => place ^ amount,
            WarpOp::Ballot | WarpOp::MatchAny | WarpOp::Sync | WarpOp::MultiplyAdd(_) | WarpOp::LoadMatrices(_) => {
                place
            }
        };
        Some(lane - place + source)
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
