//! Warps, their tiles, and shuffles among the lanes of a tile.

use super::operations;

/// Threads per warp. A block is partitioned into warps in the order of its threads: x varies
/// fastest, then y, then z. The last warp of a block is partial if the block size is not a multiple
/// of this.
pub const WARP_SIZE: u32 = 32;

/// True if a warp can be partitioned into tiles of this many lanes.
pub const fn is_tile(lanes: u32) -> bool {
    lanes >= 2 && lanes <= WARP_SIZE && lanes.is_power_of_two()
}

operations! {
    /// The source lane of a shuffle, by the shuffle's amount.
    Shuffle {
        /// The lane of this index.
        Index = "index",
        /// The lane that many below.
        Up = "up",
        /// The lane that many above.
        Down = "down",
        /// The lane whose index is this lane's XOR the amount.
        Xor = "xor",
    }
}

impl Shuffle {
    /// The lane of the warp that is the source of `lane` in tiles of `tile` lanes, or `None`. The
    /// amount counts modulo the size of the tile.
    pub const fn source(self, tile: u32, lane: u32, amount: u32) -> Option<u32> {
        let (place, amount) = (lane % tile, amount % tile);
        let source = match self {
            Shuffle::Index => amount,
            Shuffle::Up if place < amount => return None,
            Shuffle::Up => place - amount,
            Shuffle::Down if place + amount >= tile => return None,
            Shuffle::Down => place + amount,
            Shuffle::Xor => place ^ amount,
        };
        Some(lane - place + source)
    }
}
