//! Tiles of a warp.

use crate::warp::{Integer, Number, Scalar};

/// A tile of a warp: `N` consecutive lanes, `N` being 2, 4, 8, 16 or 32 (CUDA `thread_block_tile`). [`tile`]
/// yields the tile of the thread.
///
/// Its methods are the functions of [`warp`](crate::warp) within the tile: lanes count from 0 in each tile,
/// amounts are taken modulo `N`, and absent lanes take no part. The tiles of a warp do not wait for each other,
/// so they may take different branches and numbers of iterations.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Of each row of four columns or less the sum, by four lanes.
/// #[vyre::kernel(block = 64)]
/// fn row_sums(starts: &[u32], values: &[f32], sums: &mut [f32]) {
///     let tile = warp::tile::<4>();
///     let row = thread::index() / tile.size();
///     if row < sums.len() {
///         let place = starts[row] as usize + tile.lane();
///         let value = if place < starts[row + 1] as usize { values[place] } else { 0.0 };
///         let sum = tile.sum(value);
///         if tile.lane() == 0 {
///             // SAFETY: one lane of the tile writes the sum of its row.
///             unsafe { *sums.get_unchecked_mut(row) = sum };
///         }
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let starts = device.upload(&[0, 3, 3, 7])?;
/// let values = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])?;
/// let mut sums = device.zeros::<f32>(3)?;
/// row_sums(&starts, &values, &mut sums).over(3 * 4).launch(&device)?;
/// assert_eq!(sums.download()?, [6.0, 0.0, 22.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tile<const N: usize>(());

/// The tile of `N` lanes that the thread belongs to, `N` being 2, 4, 8, 16 or 32 (CUDA `tiled_partition`).
#[track_caller]
pub fn tile<const N: usize>() -> Tile<N> {
    crate::outside("warp::tile()")
}

impl<const N: usize> Tile<N> {
    /// The lane in the tile, below `N`.
    #[track_caller]
    pub fn lane(self) -> usize {
        crate::outside("Tile::lane()")
    }

    /// The index of the tile in its warp, below `32 / N`.
    #[track_caller]
    pub fn index(self) -> usize {
        crate::outside("Tile::index()")
    }

    /// The number of lanes, `N`.
    #[track_caller]
    pub fn size(self) -> usize {
        crate::outside("Tile::size()")
    }

    /// The value of lane `lane`, taken modulo `N`.
    #[track_caller]
    pub fn shuffle<T: Scalar>(self, value: T, lane: usize) -> T {
        let _ = (value, lane);
        crate::outside("Tile::shuffle()")
    }

    /// The value of the lane `delta` below, `delta` taken modulo `N`; the lowest `delta` lanes keep their
    /// own.
    #[track_caller]
    pub fn shuffle_up<T: Scalar>(self, value: T, delta: usize) -> T {
        let _ = (value, delta);
        crate::outside("Tile::shuffle_up()")
    }

    /// The value of the lane `delta` above, `delta` taken modulo `N`; the highest `delta` lanes keep
    /// their own.
    #[track_caller]
    pub fn shuffle_down<T: Scalar>(self, value: T, delta: usize) -> T {
        let _ = (value, delta);
        crate::outside("Tile::shuffle_down()")
    }

    /// The value of the lane with the index of this one `^ mask`, `mask` taken modulo `N`.
    #[track_caller]
    pub fn shuffle_xor<T: Scalar>(self, value: T, mask: usize) -> T {
        let _ = (value, mask);
        crate::outside("Tile::shuffle_xor()")
    }

    /// The sum over all present lanes, the same in each, added in the order of [`warp::sum`](crate::warp::sum):
    /// if all are present, first the lane whose index differs in the highest bit, and so on down to bit 0.
    #[track_caller]
    pub fn sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::sum()")
    }

    /// The minimum over all present lanes, the same in each, compared as by [`warp::min`](crate::warp::min).
    #[track_caller]
    pub fn min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::min()")
    }

    /// The maximum over all present lanes, the same in each, compared as by [`warp::max`](crate::warp::max).
    #[track_caller]
    pub fn max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::max()")
    }

    /// The bitwise and over all present lanes, the same in each.
    #[track_caller]
    pub fn and<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::and()")
    }

    /// The bitwise or over all present lanes, the same in each.
    #[track_caller]
    pub fn or<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::or()")
    }

    /// The bitwise exclusive or over all present lanes, the same in each.
    #[track_caller]
    pub fn xor<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::xor()")
    }

    /// The inclusive prefix sum: over this lane and all present lanes below, as
    /// [`warp::inclusive_sum`](crate::warp::inclusive_sum).
    #[track_caller]
    pub fn inclusive_sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_sum()")
    }

    /// The inclusive prefix minimum: over this lane and all present lanes below.
    #[track_caller]
    pub fn inclusive_min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_min()")
    }

    /// The inclusive prefix maximum: over this lane and all present lanes below.
    #[track_caller]
    pub fn inclusive_max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_max()")
    }

    /// The exclusive prefix sum: over the present lanes below; 0 in the first present lane.
    #[track_caller]
    pub fn exclusive_sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_sum()")
    }

    /// The exclusive prefix minimum: over the present lanes below; in the first present lane the greatest value
    /// of the type, infinity for floats.
    #[track_caller]
    pub fn exclusive_min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_min()")
    }

    /// The exclusive prefix maximum: over the present lanes below; in the first present lane the least value of
    /// the type, minus infinity for floats.
    #[track_caller]
    pub fn exclusive_max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_max()")
    }

    /// True if all present lanes have `true`.
    #[track_caller]
    pub fn all(self, predicate: bool) -> bool {
        let _ = predicate;
        crate::outside("Tile::all()")
    }

    /// True if any lane has `true`.
    #[track_caller]
    pub fn any(self, predicate: bool) -> bool {
        let _ = predicate;
        crate::outside("Tile::any()")
    }

    /// A mask with the bit of each present lane that has `true`.
    #[track_caller]
    pub fn ballot(self, predicate: bool) -> u32 {
        let _ = predicate;
        crate::outside("Tile::ballot()")
    }

    /// A mask with the bit of each present lane that has the same value, compared as by
    /// [`warp::match_any`](crate::warp::match_any).
    #[track_caller]
    pub fn match_any<T: Scalar>(self, value: T) -> u32 {
        let _ = value;
        crate::outside("Tile::match_any()")
    }

    /// True if all present lanes have the same value.
    #[track_caller]
    pub fn match_all<T: Scalar>(self, value: T) -> bool {
        let _ = value;
        crate::outside("Tile::match_all()")
    }

    /// A mask with the bit of each present lane.
    #[track_caller]
    pub fn active_mask(self) -> u32 {
        crate::outside("Tile::active_mask()")
    }

    /// Waits for all threads of the tile that have not returned.
    ///
    /// Their writes to memory before it are visible to all of them after it.
    #[track_caller]
    pub fn sync(self) {
        crate::outside("Tile::sync()")
    }
}
