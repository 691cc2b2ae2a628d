//! Warp shuffles and votes: the result of each lane, from the values that all have given.
//!
//! The interpreter and the CPU back end decide when the lanes are all there; this is what they then read.

use crate::ops::{Shuffle, WARP_SIZE};

/// An exchange of a warp, or the exchanges of its tiles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exchange {
    given: [u64; WARP_SIZE as usize],
    /// The lanes that take part.
    there: u32,
    /// Those with a nonzero value.
    votes: u32,
}

impl Exchange {
    /// Lets a lane give these bits; `None` where it has left.
    #[inline(always)]
    pub fn give(&mut self, lane: usize, bits: Option<u64>) {
        let bit = 1 << lane;
        let (there, bits) = match bits {
            Some(bits) => (bit, bits),
            None => (0, 0),
        };
        self.given[lane] = bits;
        self.there = self.there & !bit | there;
        self.votes = self.votes & !bit | if bits != 0 { bit } else { 0 };
    }

    /// The bits that a lane of a tile takes by a shuffle, or `None` where it keeps its own.
    #[inline(always)]
    pub fn shuffled(&self, op: Shuffle, tile: u32, lane: u32, amount: u32) -> Option<u64> {
        let source = op.source(tile, lane, amount)?;
        (self.there >> source & 1 == 1).then(|| self.given[source as usize])
    }

    /// The lanes of a lane's tile that have given a nonzero value, by their numbers in the tile.
    #[inline(always)]
    pub fn ballot(&self, tile: u32, lane: u32) -> u32 {
        of_tile(self.votes, tile, lane)
    }

    /// The lanes of a lane's tile that have given these bits, by their numbers in the tile.
    #[inline(always)]
    pub fn matching(&self, tile: u32, lane: u32, bits: u64) -> u32 {
        let same = self.given.iter().enumerate();
        let same: u32 = same.map(|(lane, &given)| u32::from(given == bits) << lane).sum();
        of_tile(same & self.there, tile, lane)
    }
}

/// Lanes of a warp as lanes of the tile of one.
#[inline(always)]
fn of_tile(lanes: u32, tile: u32, lane: u32) -> u32 {
    lanes >> (lane - lane % tile) & u32::MAX >> (WARP_SIZE - tile)
}

#[cfg(test)]
mod tests;
