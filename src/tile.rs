//! Tiles of a warp.

use vyre_runtime::Element;

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
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn sums(#[each] x: &mut u32) {
///     *x = warp::tile::<8>().sum(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Sums::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[0], x[8]), (28, 92)); // 0 + 1 + .. + 7, 8 + 9 + .. + 15
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn tile<const N: usize>() -> Tile<N> {
    crate::outside("warp::tile()")
}

impl<const N: usize> Tile<N> {
    /// The lane in the tile, below `N`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn lanes(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().lane() as u32;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = vec![0; 32];
    /// Lanes::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8], x[31]), (7, 0, 7));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn lane(self) -> usize {
        crate::outside("Tile::lane()")
    }

    /// The index of the tile in its warp, below `32 / N`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn tiles(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().index() as u32;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = vec![0; 32];
    /// Tiles::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8], x[31]), (0, 1, 3));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn index(self) -> usize {
        crate::outside("Tile::index()")
    }

    /// The number of lanes, `N`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn mean(#[each] x: &mut f32) {
    ///     *x = warp::tile::<8>().sum(*x) / warp::tile::<8>().size() as f32;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<f32> = (0..32).map(|i| i as f32).collect();
    /// Mean::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[31]), (3.5, 27.5));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn size(self) -> usize {
        crate::outside("Tile::size()")
    }

    /// The value of lane `lane`, taken modulo `N`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The value of the first lane of each tile.
    /// #[vyre::kernel(block = 32)]
    /// fn first(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().shuffle(*x, 0);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// First::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8], x[31]), (0, 8, 24));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn shuffle<T: Element>(self, value: T, lane: usize) -> T {
        let _ = (value, lane);
        crate::outside("Tile::shuffle()")
    }

    /// The value of the lane `delta` below, `delta` taken modulo `N`; the lowest `delta` lanes keep their
    /// own.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn before(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().shuffle_up(*x, 1);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Before::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8], x[9]), (6, 8, 8)); // the first lane of a tile keeps its own
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn shuffle_up<T: Element>(self, value: T, delta: usize) -> T {
        let _ = (value, delta);
        crate::outside("Tile::shuffle_up()")
    }

    /// The value of the lane `delta` above, `delta` taken modulo `N`; the highest `delta` lanes keep
    /// their own.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn after(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().shuffle_down(*x, 1);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// After::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[6], x[7], x[8]), (7, 7, 9)); // the last lane of a tile keeps its own
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn shuffle_down<T: Element>(self, value: T, delta: usize) -> T {
        let _ = (value, delta);
        crate::outside("Tile::shuffle_down()")
    }

    /// The value of the lane with the index of this one `^ mask`, `mask` taken modulo `N`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// Reverses the values of each tile.
    /// #[vyre::kernel(block = 32)]
    /// fn reverse(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().shuffle_xor(*x, 7);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Reverse::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[7], x[8]), (7, 0, 15));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn shuffle_xor<T: Element>(self, value: T, mask: usize) -> T {
        let _ = (value, mask);
        crate::outside("Tile::shuffle_xor()")
    }

    /// The sum over all present lanes, the same in each, added in the order of [`warp::sum`](crate::warp::sum):
    /// if all are present, first the lane whose index differs in the highest bit, and so on down to bit 0.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn pairs(#[each] x: &mut u32) {
    ///     *x = warp::tile::<2>().sum(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Pairs::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[1], x[2]), (1, 1, 5));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::sum()")
    }

    /// The product over all present lanes, the same in each, in the order of [`sum`](Self::sum).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn pairs(#[each] x: &mut u32) {
    ///     *x = warp::tile::<2>().product(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (1..=32).collect();
    /// Pairs::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[1], x[2]), (2, 2, 12));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn product<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::product()")
    }

    /// The minimum over all present lanes, the same in each, compared as by [`warp::min`](crate::warp::min).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn least(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().min(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Least::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8]), (0, 8));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::min()")
    }

    /// The maximum over all present lanes, the same in each, compared as by [`warp::max`](crate::warp::max).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn most(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().max(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Most::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[8]), (7, 15));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::max()")
    }

    /// The bitwise and over all present lanes, the same in each.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn common(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().and(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Common::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[31]), (0, 24));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn and<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::and()")
    }

    /// The bitwise or over all present lanes, the same in each.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn used(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().or(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Used::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[31]), (7, 31));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn or<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::or()")
    }

    /// The bitwise exclusive or over all present lanes, the same in each.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn parity(#[each] x: &mut u32) {
    ///     *x = warp::tile::<2>().xor(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Parity::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[2]), (1, 1)); // 0 ^ 1, 2 ^ 3
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn xor<T: Integer>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::xor()")
    }

    /// The inclusive prefix sum: over this lane and all present lanes below, as
    /// [`warp::inclusive_sum`](crate::warp::inclusive_sum).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn totals(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().inclusive_sum(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = vec![1; 32];
    /// Totals::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[7], x[8]), (1, 8, 1));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn inclusive_sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_sum()")
    }

    /// The inclusive prefix minimum: over this lane and all present lanes below.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn lowest(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().inclusive_min(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).map(|i| 100 - i).collect();
    /// Lowest::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8]), (93, 92));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn inclusive_min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_min()")
    }

    /// The inclusive prefix maximum: over this lane and all present lanes below.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn highest(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().inclusive_max(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).map(|i| 100 - i).collect();
    /// Highest::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[7], x[8]), (100, 92));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn inclusive_max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::inclusive_max()")
    }

    /// The exclusive prefix sum: over the present lanes below; 0 in the first present lane.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn starts(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().exclusive_sum(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = vec![3; 32];
    /// Starts::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[7], x[8]), (0, 21, 0));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn exclusive_sum<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_sum()")
    }

    /// The exclusive prefix minimum: over the present lanes below; in the first present lane the greatest value
    /// of the type, infinity for floats.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn lower(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().exclusive_min(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (5..37).collect();
    /// Lower::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[1], x[8]), (u32::MAX, 5, u32::MAX));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn exclusive_min<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_min()")
    }

    /// The exclusive prefix maximum: over the present lanes below; in the first present lane the least value of
    /// the type, minus infinity for floats.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn higher(#[each] x: &mut u32) {
    ///     *x = warp::tile::<8>().exclusive_max(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (5..37).collect();
    /// Higher::dispatch(&Device::best()?, &mut x)?;
    /// assert_eq!((x[0], x[1], x[8]), (0, 5, 0));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn exclusive_max<T: Number>(self, value: T) -> T {
        let _ = value;
        crate::outside("Tile::exclusive_max()")
    }

    /// True if all present lanes have `true`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn small(#[each] x: &u32, #[each] y: &mut bool) {
    ///     *y = warp::tile::<8>().all(*x < 16);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<u32> = (0..32).collect();
    /// let mut y = [false; 32];
    /// Small::dispatch(&Device::best()?, &x, &mut y)?;
    /// assert_eq!((y[15], y[16]), (true, false));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn all(self, predicate: bool) -> bool {
        let _ = predicate;
        crate::outside("Tile::all()")
    }

    /// True if any lane has `true`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn found(#[each] x: &u32, #[each] y: &mut bool) {
    ///     *y = warp::tile::<8>().any(*x == 20);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<u32> = (0..32).collect();
    /// let mut y = [false; 32];
    /// Found::dispatch(&Device::best()?, &x, &mut y)?;
    /// assert_eq!((y[15], y[16]), (false, true));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn any(self, predicate: bool) -> bool {
        let _ = predicate;
        crate::outside("Tile::any()")
    }

    /// A mask with the bit of each present lane that has `true`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn odd(#[each] x: &u32, #[each] y: &mut u32) {
    ///     *y = warp::tile::<8>().ballot(*x % 2 == 1);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<u32> = (0..32).collect();
    /// let mut y = [0; 32];
    /// Odd::dispatch(&Device::best()?, &x, &mut y)?;
    /// assert_eq!(y, [0xaa; 32]); // eight bits for eight lanes
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn ballot(self, predicate: bool) -> u32 {
        let _ = predicate;
        crate::outside("Tile::ballot()")
    }

    /// A mask with the bit of each present lane that has the same value, compared as by
    /// [`warp::match_any`](crate::warp::match_any).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn alike(#[each] x: &u32, #[each] y: &mut u32) {
    ///     *y = warp::tile::<8>().match_any(*x).count_ones();
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<u32> = (0..32).map(|i| i / 4).collect();
    /// let mut y = [0; 32];
    /// Alike::dispatch(&Device::best()?, &x, &mut y)?;
    /// assert_eq!(y, [4; 32]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn match_any<T: Scalar>(self, value: T) -> u32 {
        let _ = value;
        crate::outside("Tile::match_any()")
    }

    /// True if all present lanes have the same value.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn uniform(#[each] x: &u32, #[each] y: &mut bool) {
    ///     *y = warp::tile::<8>().match_all(*x);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<u32> = (0..32).map(|i| i / 12).collect();
    /// let mut y = [false; 32];
    /// Uniform::dispatch(&Device::best()?, &x, &mut y)?;
    /// assert_eq!((y[0], y[8], y[16]), (true, false, true));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn match_all<T: Scalar>(self, value: T) -> bool {
        let _ = value;
        crate::outside("Tile::match_all()")
    }

    /// A mask with the bit of each present lane.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn present(y: &mut [u32]) {
    ///     let i = thread::index();
    ///     if i >= y.len() {
    ///         return;
    ///     }
    ///     y[i] = warp::tile::<8>().active_mask();
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut y = [0; 20];
    /// Present::dispatch(&Device::best()?, 20, &mut y)?;
    /// assert_eq!((y[15], y[16]), (0xff, 0xf)); // the third tile has four lanes left
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn active_mask(self) -> u32 {
        crate::outside("Tile::active_mask()")
    }

    /// The combination of the values of all lanes by an associative function, the same in each.
    ///
    /// `combine(a, b)` gets in `a` the combination of some consecutive lanes, and in `b` that of the lanes that follow, so
    /// it need not be commutative. Lanes 0 and 1 are combined, 2 and 3, and so on; then these pairs in pairs, and so on. In
    /// the last tile of a block, which may be smaller, what has no successor stays as it is. No thread of the tile has
    /// returned before.
    ///
    /// The value is a scalar, or an array, struct or tuple of up to 64 scalars. `combine` runs in other lanes too, whose
    /// results are not used.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The least and the greatest value of each tile.
    /// #[vyre::kernel(block = 32)]
    /// fn bounds(x: &[i32], #[each] y: &mut [i32; 2]) {
    ///     let own = x[thread::index()];
    ///     *y = warp::tile::<8>().reduce([own, own], |a, b| [a[0].min(b[0]), a[1].max(b[1])]);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<i32> = (0..32).map(|i| (i * 13) % 32).collect();
    /// let mut y = [[0; 2]; 32];
    /// Bounds::dispatch(&Device::best()?, 32, &x, &mut y)?;
    /// let of_first = [*x[..8].iter().min().unwrap(), *x[..8].iter().max().unwrap()];
    /// assert_eq!(y[..8], [of_first; 8]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn reduce<T: Copy, F: Fn(T, T) -> T>(self, value: T, combine: F) -> T {
        let _ = (value, combine);
        crate::outside("Tile::reduce()")
    }

    /// True in one of the active lanes of the tile, the first one.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// One element for each tile.
    /// #[vyre::kernel(block = 32)]
    /// fn sums(x: &[u32], sums: &mut [u32]) {
    ///     let (tile, i) = (warp::tile::<8>(), thread::index());
    ///     let sum = tile.sum(x[i]);
    ///     if tile.elect() {
    ///         // SAFETY: one lane of each tile writes its own element.
    ///         unsafe { *sums.get_unchecked_mut(i / 8) = sum };
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut sums = [0; 4];
    /// Sums::dispatch(&Device::best()?, 32, &[1; 32], &mut sums)?;
    /// assert_eq!(sums, [8; 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    #[must_use]
    pub fn elect(self) -> bool {
        crate::outside("Tile::elect()")
    }

    /// Waits for all threads of the tile that have not returned.
    ///
    /// Their writes to memory before it are visible to all of them after it.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// Reverses the values of each tile.
    /// #[vyre::kernel(block = 32)]
    /// fn reverse(x: &mut [u32]) {
    ///     let values = shared::<[[u32; 8]; 4]>();
    ///     let tile = warp::tile::<8>();
    ///     values[tile.index()][tile.lane()] = x[thread::index()];
    ///     tile.sync(); // the other tiles are not waited for
    ///     x[thread::index()] = values[tile.index()][7 - tile.lane()];
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Reverse::dispatch(&Device::best()?, 32, &mut x)?;
    /// assert_eq!((x[0], x[8], x[31]), (7, 15, 24));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn sync(self) {
        crate::outside("Tile::sync()")
    }
}
