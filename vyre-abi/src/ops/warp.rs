//! Exchanges among the threads of a warp: shuffles, votes, matches, matrix products and loads.

use super::mma::{MatrixLoad, Product};
use crate::scalar::Scalar;

/// Threads of a warp. A block is cut into warps in the order of its threads: x runs fastest, then
/// y, then z. The last warp of a block has fewer where the block's size is no multiple of this.
pub const WARP_SIZE: u32 = 32;

/// Whether a warp is cut into tiles of so many lanes for an exchange.
pub const fn is_tile(lanes: u32) -> bool {
    lanes >= 2 && lanes <= WARP_SIZE && lanes.is_power_of_two()
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
    /// [`Shape::registers`](super::mma::Shape::registers), and yields that of the sum. Kernels that come to it have
    /// blocks of whole warps, and threads leave them before their end by faults alone.
    MultiplyAdd(Product),
    /// A load of matrices by whole warps, of which the same holds as of products: takes a slice of at least
    /// [`MatrixLoad::ROW_BYTES`] bytes, the row that this lane gives, whose elements are scalars of 8, 16 or 32
    /// bits, and yields an array of a `u32` for each matrix.
    LoadMatrices(MatrixLoad),
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
