//! Warp-level operations: shuffles, votes, matches, matrix products and loads.

use super::mma::{MatrixLoad, Product};
use crate::scalar::Scalar;

/// Threads per warp. A block is partitioned into warps in the order of its threads: x varies
/// fastest, then y, then z. The last warp of a block is partial if the block size is not a multiple
/// of this.
pub const WARP_SIZE: u32 = 32;

/// True if a warp can be partitioned into tiles of this many lanes.
pub const fn is_tile(lanes: u32) -> bool {
    lanes >= 2 && lanes <= WARP_SIZE && lanes.is_power_of_two()
}

/// A warp-level operation. Lanes are the threads of a warp by index, 0 to 31. A lane is *active*
/// unless its thread has exited or lies beyond the end of a partial warp.
///
/// The operation takes place among the lanes of a *tile*: the whole warp, or 16, 8, 4 or 2 lanes,
/// the first of which has an index that is a multiple of the tile's size. The lanes of a tile are
/// indexed from 0.
///
/// The shuffles take a value of any scalar type and a `u32`, modulo the size of the tile, and yield
/// the value of another lane of the tile; a lane whose source is inactive or outside the tile
/// receives its own value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum WarpOp {
    /// The value of the lane given by the second operand.
    Shuffle,
    /// The value of the lane `n` below.
    ShuffleUp,
    /// The value of the lane `n` above.
    ShuffleDown,
    /// The value of the lane whose index is this lane's XOR the second operand.
    ShuffleXor,
    /// A `u32` whose bit `i` is set if lane `i` is active and passes `true`; takes a `bool`.
    Ballot,
    /// A `u32` whose bit `i` is set if lane `i` is active and passes the same value as this lane;
    /// takes an integer or a `bool`.
    MatchAny,
    /// Barrier of the tile, without operands and result. Writes of the lanes before it are visible
    /// to all of them after it; the other operations order no memory accesses.
    Sync,
    /// A matrix multiply-add by a whole warp: takes this lane's fragments of the three matrices,
    /// arrays of [`Shape::registers`](super::mma::Shape::registers), and yields that of the result.
    /// Requires that blocks consist of whole warps and that threads exit early only by faults.
    MultiplyAdd(Product),
    /// A load of matrices by a whole warp, with the same requirements: takes a slice of at least
    /// [`MatrixLoad::ROW_BYTES`] bytes, the row supplied by this lane, whose elements are scalars
    /// of 8, 16 or 32 bits, and yields an array of one `u32` per matrix.
    LoadMatrices(MatrixLoad),
}

impl WarpOp {
    /// True if the operation needs whole warps, in kernels that no thread leaves early.
    pub const fn is_of_matrices(self) -> bool {
        matches!(self, WarpOp::MultiplyAdd(_) | WarpOp::LoadMatrices(_))
    }

    /// All operations except the matrix products and loads.
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

    /// The operation of this name, or `None`.
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

    /// True if the result is the value of one lane.
    pub const fn is_shuffle(self) -> bool {
        self.operands() == 2
    }

    /// True if the result is a set of lanes, as a `u32`.
    pub const fn yields_lanes(self) -> bool {
        matches!(self, WarpOp::Ballot | WarpOp::MatchAny)
    }

    /// True if the first operand may have this type.
    pub const fn accepts(self, scalar: Scalar) -> bool {
        match self {
            WarpOp::Ballot => matches!(scalar, Scalar::Bool),
            WarpOp::MatchAny => !scalar.is_float(),
            _ => true,
        }
    }

    /// The lane of the warp that is the source of `lane` in tiles of `tile` lanes, or `None`. For
    /// operations other than shuffles: the lane itself.
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
