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
        // Without iterators: it runs unoptimised in dev builds.
        let (mut same, mut other) = (0, 0);
        while other < WARP_SIZE {
            same |= u32::from(self.given[other as usize] == bits) << other;
            other += 1;
        }
        of_tile(same & self.there, tile, lane)
    }

    /// The values of the lanes of a lane's tile, combined in the order in which the lane combines them.
    ///
    /// If all lanes are there, each combines its value with that of the lane whose number differs in the highest bit,
    /// the result with that of the lane that differs in the bit below, and so on. Otherwise the values are combined one
    /// after the other, in the order of the lanes.
    #[inline(always)]
    pub fn reduced(&self, tile: u32, lane: u32, mut combine: impl FnMut(u64, u64) -> u64) -> u64 {
        let own = lane % tile;
        let given = &self.given[(lane - own) as usize..][..tile as usize];
        let lanes = of_tile(self.there, tile, lane);
        if lanes == u32::MAX >> (WARP_SIZE - tile) {
            // By the bits in which the number of a lane differs from this one's.
            let mut values = [0; WARP_SIZE as usize];
            for (differs, value) in values[..tile as usize].iter_mut().enumerate() {
                *value = given[differs ^ own as usize];
            }
            let mut count = tile as usize / 2;
            while count > 0 {
                let (low, high) = values.split_at_mut(count);
                for (value, other) in low.iter_mut().zip(high) {
                    *value = combine(*value, *other);
                }
                count /= 2;
            }
            return values[0];
        }
        let mut there = given.iter().enumerate().filter(|(number, _)| lanes >> number & 1 == 1);
        let first = there.next().map_or(0, |(_, &value)| value);
        there.fold(first, |sum, (_, &value)| combine(sum, value))
    }
}

/// Lanes of a warp as lanes of the tile of one.
#[inline(always)]
fn of_tile(lanes: u32, tile: u32, lane: u32) -> u32 {
    lanes >> (lane - lane % tile) & u32::MAX >> (WARP_SIZE - tile)
}

#[cfg(test)]
mod tests;
