//! Warp shuffles, votes, reductions and scans: the 32 threads of a warp exchange values without memory.
//!
//! A block is divided into warps in the order of its threads: x varies fastest, then y, then z. The index of a
//! thread in its warp is its [lane](crate::lane).
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Of each row of a matrix the sum: one warp per row, whatever the rows' length.
//! #[vyre::kernel(block = 128)]
//! fn row_sums(matrix: &[f32], columns: usize, sums: &mut [f32]) {
//!     let row = thread::index() / warp::size();
//!     let mut sum = 0.0;
//!     if row < sums.len() {
//!         let mut column = lane::index();
//!         while column < columns {
//!             sum += matrix[row * columns + column];
//!             column += warp::size();
//!         }
//!     }
//!     let total = warp::sum(sum);
//!     if lane::index() == 0 && row < sums.len() {
//!         unsafe { *sums.get_unchecked_mut(row) = total };
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let matrix = device.upload(&[0.5f32; 10 * 70])?;
//! let mut sums = device.zeros::<f32>(10)?;
//! row_sums(&matrix, 70, &mut sums).over(10 * 32).launch(&device)?;
//! assert_eq!(sums.download()?, [35.0; 10]);
//! # Ok(())
//! # }
//! ```
//!
//! # Convergence
//! All threads of the warp that have not returned must reach the same operation, in the same iteration of the
//! loops around it; it waits for them. An operation under a condition that differs between the threads of a
//! warp, followed by another operation or a [`block::sync`](crate::block::sync), has no defined result. Lanes
//! whose thread has returned, or that a small block does not have, take no part: a lane that would read from
//! them keeps its own value.
//!
//! Only [`sync`] orders memory accesses.

use vyre_runtime::Element;

pub use crate::tile::{Tile, tile};

/// The values that matches compare: scalars.
#[diagnostic::on_unimplemented(
    message = "V0704: the threads of a warp compare scalars, not `{Self}`",
    label = "this is no scalar",
    note = "help: compare the parts one by one"
)]
pub trait Scalar: Element + sealed::Sealed {}

/// The values of reductions and scans: numbers.
#[diagnostic::on_unimplemented(
    message = "V0704: threads combine numbers, not `{Self}`",
    label = "this is no number",
    note = "help: combine numbers, or other values by a function: `block::reduce(v, |a, b| ..)`; `bool`s have `warp::all` and \
            `warp::any`, `block::sync_and` and `block::sync_or`"
)]
pub trait Number: Scalar {}

/// The values of bitwise reductions: integers.
#[diagnostic::on_unimplemented(
    message = "V0704: threads combine the bits of integers, not of `{Self}`",
    label = "this is no integer",
    note = "help: combine integers; `x.to_bits()` is one"
)]
pub trait Integer: Number {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($ty:ident)*) => { $(
        impl sealed::Sealed for $ty {}
        impl Scalar for $ty {}
        impl Number for $ty {}
    )* };
}
numbers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 }
#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "half")]
numbers! { f16 bf16 }

macro_rules! integers {
    ($($ty:ident)*) => { $(
        impl Integer for $ty {}
    )* };
}
integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl sealed::Sealed for bool {}
impl Scalar for bool {}

/// The number of threads of a warp: 32.
///
/// ```
/// # use vyre::prelude::*;
/// /// The number of each thread's warp in its block.
/// #[vyre::kernel(block = 96)]
/// fn warps(#[each] y: &mut usize) {
///     *y = thread::idx().x / warp::size();
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 96];
/// Warps::dispatch(&Device::best()?, &mut y)?;
/// assert_eq!((y[31], y[32], y[95]), (0, 1, 2));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn size() -> usize {
    crate::outside("warp::size()")
}

/// The value of lane `lane`, taken modulo 32 (CUDA `__shfl_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn rotate(#[each] x: &mut u32) {
///     *x = warp::shuffle(*x, lane::index() + 1);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Rotate::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[0], x[30], x[31]), (1, 31, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn shuffle<T: Element>(value: T, lane: usize) -> T {
    let _ = (value, lane);
    crate::outside("warp::shuffle()")
}

/// The value of the lane `delta` below, `delta` taken modulo 32; the lowest `delta` lanes keep
/// their own (CUDA `__shfl_up_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// Each value minus the one before.
/// #[vyre::kernel(block = 32)]
/// fn differences(#[each] x: &mut u32) {
///     *x = *x - warp::shuffle_up(*x, 1);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).map(|i| i * i).collect();
/// Differences::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x[..4], [0, 1, 3, 5]); // the first lane has none below
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn shuffle_up<T: Element>(value: T, delta: usize) -> T {
    let _ = (value, delta);
    crate::outside("warp::shuffle_up()")
}

/// The value of the lane `delta` above, `delta` taken modulo 32; the highest `delta` lanes keep
/// their own (CUDA `__shfl_down_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn ahead(#[each] x: &mut u32) {
///     *x = warp::shuffle_down(*x, 8);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Ahead::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[0], x[23], x[24]), (8, 31, 24)); // the last eight keep their own
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn shuffle_down<T: Element>(value: T, delta: usize) -> T {
    let _ = (value, delta);
    crate::outside("warp::shuffle_down()")
}

/// The value of the lane `lane::index() ^ mask`, `mask` taken modulo 32 (CUDA `__shfl_xor_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// Swaps neighbours.
/// #[vyre::kernel(block = 32)]
/// fn swap(#[each] x: &mut u32) {
///     *x = warp::shuffle_xor(*x, 1);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Swap::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x[..4], [1, 0, 3, 2]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn shuffle_xor<T: Element>(value: T, mask: usize) -> T {
    let _ = (value, mask);
    crate::outside("warp::shuffle_xor()")
}

/// The combination of the values of all lanes by an associative function, the same in each.
///
/// `combine(a, b)` gets in `a` the combination of some consecutive lanes, and in `b` that of the lanes that follow, so it
/// need not be commutative. Lanes 0 and 1 are combined, 2 and 3, and so on; then these pairs in pairs, and so on, in five
/// steps. In the last warp of a block, which may be smaller, what has no successor stays as it is. No thread of the warp
/// has returned before.
///
/// The value is a scalar, or an array, struct or tuple of up to 64 scalars. `combine` runs in other lanes too, whose results are not
/// used.
///
/// ```
/// use vyre::prelude::*;
/// use vyre::vector::Vec3;
///
/// /// The sum of each run of 32 vectors.
/// #[vyre::kernel(block = 64)]
/// fn sums(v: &[Vec3], sums: &mut [Vec3]) {
///     let i = thread::index();
///     let sum = warp::reduce(v[i], |a, b| a + b);
///     if lane::index() == 0 {
///         sums[i / 32] = sum;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let v = device.upload(&[Vec3::new(1.0, 2.0, 0.5); 64])?;
/// let mut totals = device.zeros::<Vec3>(2)?;
/// sums(&v, &mut totals).over(64).launch(&device)?;
/// assert_eq!(totals.download()?, [Vec3::new(32.0, 64.0, 16.0); 2]);
/// # Ok(())
/// # }
/// ```
///
/// The place of the greatest value:
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::kernel(block = 32)]
/// fn greatest(x: &[f32], #[each] place: &mut u32) {
///     let own = (x[thread::index()], lane::index() as u32);
///     let (_, at) = warp::reduce(own, |a, b| if a.0 < b.0 { b } else { a });
///     *place = at;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x = [0.5; 32];
/// x[17] = 2.0;
/// let mut place = [0; 32];
/// Greatest::dispatch(&Device::best()?, 32, &x, &mut place)?;
/// assert_eq!(place, [17; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn reduce<T: Copy, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
    let _ = (value, combine);
    crate::outside("warp::reduce()")
}

/// True in one of the active lanes, the first one.
///
/// ```
/// # use vyre::prelude::*;
/// use core::sync::atomic::{AtomicU32, Ordering};
///
/// /// Counts the values above zero, with one addition for each warp.
/// #[vyre::kernel]
/// fn count(x: &[f32], total: &[AtomicU32]) {
///     let i = thread::index();
///     let votes = warp::ballot(i < x.len() && x[i] > 0.0);
///     if warp::elect() {
///         total[0].fetch_add(votes.count_ones(), Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[1.0f32, -1.0, 2.0])?;
/// let mut total = device.zeros::<u32>(1)?;
/// count(&x, &mut total).over(3).launch(&device)?;
/// assert_eq!(total.download()?, [2]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
#[must_use]
pub fn elect() -> bool {
    crate::outside("warp::elect()")
}

/// The sum over all present lanes, the same in each; integers wrap.
///
/// The order of the additions is fixed, so that sums of floats are the same on every device. If all 32 lanes
/// are present, each adds the value of the lane whose index differs in bit 4, then the sum of the lane that
/// differs in bit 3, and so on down to bit 0. Otherwise the values are added sequentially in the order of the
/// lanes.
///
/// ```
/// # use vyre::prelude::*;
/// /// Each value as a part of the sum of its warp.
/// #[vyre::kernel(block = 32)]
/// fn shares(#[each] x: &mut f32) {
///     *x = *x / warp::sum(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<f32> = vec![0.5; 32];
/// Shares::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x, [1.0 / 32.0; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sum<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::sum()")
}

/// The product over all present lanes, the same in each; integers wrap. The order is that of [`sum`].
///
/// ```
/// # use vyre::prelude::*;
/// /// The probability that all of a warp's events happen.
/// #[vyre::kernel(block = 32)]
/// fn all_of(#[each] chance: &mut f32) {
///     *chance = warp::product(*chance);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut chance = vec![1.0; 32];
/// chance[3] = 0.5;
/// chance[17] = 0.25;
/// AllOf::dispatch(&Device::best()?, &mut chance)?;
/// assert_eq!(chance, [0.125; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn product<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::product()")
}

/// The minimum over all present lanes, the same in each; a number is preferred to a NaN, and -0 is less than
/// +0.
///
/// ```
/// # use vyre::prelude::*;
/// /// Each value minus the least of its warp.
/// #[vyre::kernel(block = 32)]
/// fn above(#[each] x: &mut u32) {
///     *x = *x - warp::min(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (7..39).collect();
/// Above::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[0], x[31]), (0, 31));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn min<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::min()")
}

/// The maximum over all present lanes, the same in each; a number is preferred to a NaN, and -0 is less than
/// +0.
///
/// ```
/// # use vyre::prelude::*;
/// /// How much each value is below the greatest of its warp.
/// #[vyre::kernel(block = 32)]
/// fn below(#[each] x: &mut u32) {
///     *x = warp::max(*x) - *x;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Below::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[0], x[31]), (31, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn max<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::max()")
}

/// The bitwise and over all present lanes, the same in each (CUDA `__reduce_and_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// The bits that all values of a warp have.
/// #[vyre::kernel(block = 32)]
/// fn common(#[each] x: &mut u32) {
///     *x = warp::and(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).map(|i| 0x100 + i).collect();
/// Common::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x, [0x100; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn and<T: Integer>(value: T) -> T {
    let _ = value;
    crate::outside("warp::and()")
}

/// The bitwise or over all present lanes, the same in each (CUDA `__reduce_or_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// The bits that any value of a warp has.
/// #[vyre::kernel(block = 32)]
/// fn used(#[each] x: &mut u32) {
///     *x = warp::or(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Used::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x, [31; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn or<T: Integer>(value: T) -> T {
    let _ = value;
    crate::outside("warp::or()")
}

/// The bitwise exclusive or over all present lanes, the same in each (CUDA `__reduce_xor_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// The bits that an odd number of values of a warp have.
/// #[vyre::kernel(block = 32)]
/// fn parity(#[each] x: &mut u32) {
///     *x = warp::xor(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).map(|i| if i < 3 { 1 } else { 0 }).collect();
/// Parity::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x, [1; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn xor<T: Integer>(value: T) -> T {
    let _ = value;
    crate::outside("warp::xor()")
}

/// The inclusive prefix sum: over this lane and all present lanes below; integers wrap.
///
/// The order of the additions is fixed, so that sums of floats are the same on every device. If all 32 lanes
/// are present, each adds its own value to that of the lane 1 below, its sum so far to that of the lane 2
/// below, and so on for 4, 8 and 16. Otherwise the values are added sequentially in the order of the lanes.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Moves the values above zero to the front of each warp's 32, and counts them.
/// #[vyre::kernel(block = 64)]
/// fn compact(values: &[i32], kept: &mut [i32], counts: &mut [u32]) {
///     let i = thread::index();
///     let keeps = values[i] > 0;
///     let place = warp::exclusive_sum(keeps as u32);
///     if keeps {
///         // Each lane that keeps its value has another place.
///         store::relaxed(&mut kept[i - lane::index() + place as usize], values[i]);
///     }
///     counts[i] = warp::inclusive_sum(keeps as u32);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let values: Vec<i32> = (0..64).map(|i| if i % 3 == 0 { i } else { -1 }).collect();
/// let values = device.upload(&values)?;
/// let (mut kept, mut counts) = (device.zeros::<i32>(64)?, device.zeros::<u32>(64)?);
/// compact(&values, &mut kept, &mut counts).over(64).launch(&device)?;
/// assert_eq!(kept.download()?[..4], [3, 6, 9, 12]);
/// assert_eq!(counts.download()?[31], 10);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn inclusive_sum<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::inclusive_sum()")
}

/// The inclusive prefix minimum: over this lane and all present lanes below, as [`min`] compares them.
///
/// ```
/// # use vyre::prelude::*;
/// /// The least value so far.
/// #[vyre::kernel(block = 32)]
/// fn lowest(#[each] x: &mut u32) {
///     *x = warp::inclusive_min(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).map(|i| 100 - (i % 10)).collect();
/// Lowest::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[0], x[9], x[10], x[31]), (100, 91, 91, 91));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn inclusive_min<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::inclusive_min()")
}

/// The inclusive prefix maximum: over this lane and all present lanes below, as [`max`] compares them.
///
/// ```
/// # use vyre::prelude::*;
/// /// The greatest value so far.
/// #[vyre::kernel(block = 32)]
/// fn highest(#[each] x: &mut u32) {
///     *x = warp::inclusive_max(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).map(|i| i % 10).collect();
/// Highest::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!((x[3], x[9], x[10], x[31]), (3, 9, 9, 9));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn inclusive_max<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::inclusive_max()")
}

/// The exclusive prefix sum: over the present lanes below; 0 in the first present lane.
///
/// ```
/// # use vyre::prelude::*;
/// /// Where each part begins, from the lengths of the parts.
/// #[vyre::kernel(block = 32)]
/// fn starts(#[each] x: &mut u32) {
///     *x = warp::exclusive_sum(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = vec![3; 32];
/// Starts::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x[..4], [0, 3, 6, 9]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn exclusive_sum<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::exclusive_sum()")
}

/// The exclusive prefix minimum: over the present lanes below; in the first present lane the greatest value of
/// the type, infinity for floats.
///
/// ```
/// # use vyre::prelude::*;
/// /// The least of the values before.
/// #[vyre::kernel(block = 32)]
/// fn before(#[each] x: &mut u32) {
///     *x = warp::exclusive_min(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (5..37).collect();
/// Before::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x[..3], [u32::MAX, 5, 5]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn exclusive_min<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::exclusive_min()")
}

/// The exclusive prefix maximum: over the present lanes below; in the first present lane the least value of the
/// type, minus infinity for floats.
///
/// ```
/// # use vyre::prelude::*;
/// /// Whether a value is greater than all before it.
/// #[vyre::kernel(block = 32)]
/// fn records(#[each] x: &i32, #[each] y: &mut bool) {
///     *y = *x > warp::exclusive_max(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<i32> = (0..32).map(|i| i % 10).collect();
/// let mut y = [false; 32];
/// Records::dispatch(&Device::best()?, &x, &mut y)?;
/// assert_eq!((y[9], y[10], y[19]), (true, false, false));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn exclusive_max<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("warp::exclusive_max()")
}

/// True if all present lanes have `true` (CUDA `__all_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// Whether all values of a warp are below 40.
/// #[vyre::kernel(block = 32)]
/// fn within(#[each] x: &u32, #[each] y: &mut bool) {
///     *y = warp::all(*x < 40);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..32).collect();
/// let mut y = [false; 32];
/// Within::dispatch(&Device::best()?, &x, &mut y)?;
/// assert_eq!(y, [true; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn all(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("warp::all()")
}

/// True if any lane has `true` (CUDA `__any_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// Whether a value of the warp is 7.
/// #[vyre::kernel(block = 32)]
/// fn found(#[each] x: &u32, #[each] y: &mut bool) {
///     *y = warp::any(*x == 7);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..32).collect();
/// let mut y = [false; 32];
/// Found::dispatch(&Device::best()?, &x, &mut y)?;
/// assert_eq!(y, [true; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn any(predicate: bool) -> bool {
    let _ = predicate;
    crate::outside("warp::any()")
}

/// A mask with the bit of each present lane that has `true` (CUDA `__ballot_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// /// A bit for each odd value of the warp.
/// #[vyre::kernel(block = 32)]
/// fn odd(#[each] x: &u32, #[each] y: &mut u32) {
///     *y = warp::ballot(*x % 2 == 1);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..32).collect();
/// let mut y = [0; 32];
/// Odd::dispatch(&Device::best()?, &x, &mut y)?;
/// assert_eq!(y, [0xaaaa_aaaa; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn ballot(predicate: bool) -> u32 {
    let _ = predicate;
    crate::outside("warp::ballot()")
}

/// A mask with the bit of each present lane that has the same value (CUDA `__match_any_sync`). Floats are
/// compared by `to_bits()`: -0 is not +0, and all NaNs are equal.
///
/// ```
/// # use vyre::prelude::*;
/// /// How many lanes have the same value.
/// #[vyre::kernel(block = 32)]
/// fn alike(#[each] x: &u32, #[each] y: &mut u32) {
///     *y = warp::match_any(*x).count_ones();
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
pub fn match_any<T: Scalar>(value: T) -> u32 {
    let _ = value;
    crate::outside("warp::match_any()")
}

/// True if all present lanes have the same value, compared as by [`match_any`] (CUDA
/// `__match_all_sync`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn uniform(#[each] x: &u32, #[each] y: &mut bool) {
///     *y = warp::match_all(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..32).map(|i| i / 32).collect();
/// let mut y = [false; 32];
/// Uniform::dispatch(&Device::best()?, &x, &mut y)?;
/// assert_eq!(y, [true; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn match_all<T: Scalar>(value: T) -> bool {
    let _ = value;
    crate::outside("warp::match_all()")
}

/// A mask with the bit of each present lane, whose thread has not returned.
///
/// It waits for them, like every operation of this module. CUDA's `__activemask` does not, and returns the
/// lanes that happen to be converged at the moment, which varies between devices.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32)]
/// fn present(y: &mut [u32]) {
///     let i = thread::index();
///     if i >= y.len() {
///         return;
///     }
///     y[i] = warp::active_mask();
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 20];
/// Present::dispatch(&Device::best()?, 20, &mut y)?;
/// assert_eq!(y, [0xf_ffff; 20]); // twenty lanes are left
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn active_mask() -> u32 {
    crate::outside("warp::active_mask()")
}

/// Waits for all threads of the warp that have not returned (CUDA `__syncwarp`).
///
/// Their writes to memory before it are visible to all of them after it.
///
/// ```
/// # use vyre::prelude::*;
/// /// Reverses the values of each warp.
/// #[vyre::kernel(block = 64)]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared::<[[u32; 32]; 2]>();
///     let (i, own) = (thread::index(), thread::idx().x / 32);
///     tile[own][lane::index()] = x[i];
///     warp::sync(); // the other warp is not waited for
///     x[i] = tile[own][31 - lane::index()];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..64).collect();
/// Reverse::dispatch(&Device::best()?, 64, &mut x)?;
/// assert_eq!((x[0], x[31], x[32]), (31, 0, 63));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync() {
    crate::outside("warp::sync()")
}
