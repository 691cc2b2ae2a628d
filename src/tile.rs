//! Parts of a warp.

use crate::warp::{Integer, Number, Scalar};

/// Some threads of a warp that follow each other, of which a warp has 32, 16, 8, 4 or 2: a tile of `N`
/// lanes (CUDA `thread_block_tile`). [`tile`] yields the one in which a thread is.
///
/// Its methods do what the functions of [`warp`](crate::warp) do, among the tile: lanes count from 0 in
/// each, amounts modulo `N`, and lanes that are not there give nothing. The tiles of a warp do not
/// wait for each other, so they may go different ways, and round a loop more or less often.
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

/// The tile of `N` lanes in which the thread is, `N` being 2, 4, 8, 16 or 32 (CUDA
/// `tiled_partition`).
#[track_caller]
pub fn tile<const N: usize>() -> Tile<N> {
    crate::outside("warp::tile()")
}

impl<const N: usize> Tile<N> {
    /// The number of the thread in its tile, below `N`.
    #[track_caller]
    pub fn lane(self) -> usize {
        crate::outside("Tile::lane()")
    }

    /// Which tile of its warp it is, below `32 / N`.
    #[track_caller]
    pub fn index(self) -> usize {
        crate::outside("Tile::index()")
    }

    /// The number of lanes, `N`.
    #[track_caller]
    pub fn size(self) -> usize {
        crate::outside("Tile::size()")
    }

    /// The value that lane `lane`, taken modulo `N`, gives.
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

    /// The value of the lane whose number is this one's `^ mask`, `mask` taken modulo `N`.
    #[track_caller]
    pub fn shuffle_xor<T: Scalar>(self, value: T, mask: usize) -> T {
        let _ = (value, mask);
        crate::outside("Tile::shuffle_xor()")
    }

    /// The sum of the values of all lanes that are there, in each of them, as
    /// [`warp::sum`](crate::warp::sum): where all are there, by the lane whose number differs in the highest
    /// bit first, and so on down to bit 0.
    #[track_caller]
    pub fn sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::sum()")
    }

    /// The least of the values of all lanes that are there, in each of them, compared as by
    /// [`warp::min`](crate::warp::min).
    #[track_caller]
    pub fn min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::min()")
    }

    /// The greatest of the values of all lanes that are there, in each of them, compared as by
    /// [`warp::max`](crate::warp::max).
    #[track_caller]
    pub fn max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::max()")
    }

    /// The values of all lanes that are there, combined by a bitwise and, in each of them.
    #[track_caller]
    pub fn and<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::and()")
    }

    /// The values of all lanes that are there, combined by a bitwise or, in each of them.
    #[track_caller]
    pub fn or<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::or()")
    }

    /// The values of all lanes that are there, combined by a bitwise exclusive or, in each of them.
    #[track_caller]
    pub fn xor<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::xor()")
    }

    /// The sum of the values of this lane and of all below it that are there, as
    /// [`warp::inclusive_sum`](crate::warp::inclusive_sum).
    #[track_caller]
    pub fn inclusive_sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_sum()")
    }

    /// The least of the values of this lane and of all below it that are there.
    #[track_caller]
    pub fn inclusive_min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_min()")
    }

    /// The greatest of the values of this lane and of all below it that are there.
    #[track_caller]
    pub fn inclusive_max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_max()")
    }

    /// The [`inclusive_sum`](Self::inclusive_sum) of the lane below; 0 in the first lane that is there.
    #[track_caller]
    pub fn exclusive_sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_sum()")
    }

    /// The [`inclusive_min`](Self::inclusive_min) of the lane below; in the first lane that is there the
    /// greatest value of the type, which of floats is infinity.
    #[track_caller]
    pub fn exclusive_min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_min()")
    }

    /// The [`inclusive_max`](Self::inclusive_max) of the lane below; in the first lane that is there the
    /// least value of the type, which of floats is minus infinity.
    #[track_caller]
    pub fn exclusive_max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_max()")
    }

    /// Whether all lanes that are there give `true`.
    #[track_caller]
    pub fn all(self, predicate: bool) -> bool {
        let _ = predicate;
        crate::outside("Tile::all()")
    }

    /// Whether a lane gives `true`.
    #[track_caller]
    pub fn any(self, predicate: bool) -> bool {
        let _ = predicate;
        crate::outside("Tile::any()")
    }

    /// The lanes that are there and give `true`, each as the bit of its number in the tile.
    #[track_caller]
    pub fn ballot(self, predicate: bool) -> u32 {
        let _ = predicate;
        crate::outside("Tile::ballot()")
    }

    /// The lanes that are there and give the same value, each as the bit of its number in the tile,
    /// compared as by [`warp::match_any`](crate::warp::match_any).
    #[track_caller]
    pub fn match_any<T: Scalar>(self, value: T) -> u32 {
        let _ = value;
        crate::outside("Tile::match_any()")
    }

    /// Whether all lanes that are there give the same value.
    #[track_caller]
    pub fn match_all<T: Scalar>(self, value: T) -> bool {
        let _ = value;
        crate::outside("Tile::match_all()")
    }

    /// The lanes that are there, each as the bit of its number in the tile.
    #[track_caller]
    pub fn active_mask(self) -> u32 {
        crate::outside("Tile::active_mask()")
    }

    /// Waits until every thread of the tile that has not left the kernel is here.
    ///
    /// What they wrote to memory before, all of them see after.
    #[track_caller]
    pub fn sync(self) {
        crate::outside("Tile::sync()")
    }
}
