//! Reductions of tiles, one by each block.

use crate::value::Value;
use vyre::prelude::*;

#[vyre::device]
const THREADS: usize = 512;

/// The elements that [`reduce_tile`] takes: each thread of a block of 512 combines 32 of them.
#[vyre::device]
pub const REDUCE_TILE: usize = THREADS * 32;

/// The threads of a launch that reduces so many elements.
pub fn threads(length: usize) -> usize {
    length.div_ceil(REDUCE_TILE) * THREADS
}

/// Reduces the tile of this block, the values `REDUCE_TILE * block::idx().x` and so on of `length`: the result in each
/// thread.
///
/// For kernels of one axis with `block = 512`, in which all threads of the block call it. Such a kernel writes one
/// result for each block, and the same function reduces these again, until one is left. `load` gives the value of an
/// index below `length`, `combine` is associative, and `neutral` is a value that it does not change others with.
///
/// The order is that of [`vyre_primitives::sum`](crate::sum).
///
/// ```
/// use vyre::prelude::*;
/// use vyre_primitives::{REDUCE_TILE, reduce_tile};
///
/// /// The dot product of each tile.
/// #[vyre::kernel(block = 512)]
/// fn dot(x: &[f32], y: &[f32], out: &mut [f32]) {
///     let sum = reduce_tile(x.len(), 0.0, |i| x[i] * y[i], |a, b| a + b);
///     if thread::idx().x == 0 {
///         out[block::idx().x] = sum;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (device, n) = (Device::best()?, 100_000);
/// let (x, y) = (device.upload(&vec![0.5; n])?, device.upload(&vec![2.0; n])?);
/// let tiles = n.div_ceil(REDUCE_TILE);
/// let (mut parts, mut total) = (device.zeros(tiles)?, device.zeros(1)?);
/// dot(&x, &y, &mut parts).grid(tiles as u32).launch(&device)?;
/// vyre_primitives::sum(&parts, &mut total).launch()?;
/// assert_eq!(total.download()?, [100_000.0]);
/// # Ok(())
/// # }
/// ```
#[vyre::device]
pub fn reduce_tile<T: Copy>(
    length: usize,
    neutral: T,
    load: impl Fn(usize) -> T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    let start = block::idx().x * REDUCE_TILE;
    let mut at = start + thread::idx().x;
    let mut own = neutral;
    if start + REDUCE_TILE <= length {
        own = if size_of::<T>() <= 4 {
            of_thread::<T, 32>(at, neutral, load, combine)
        } else {
            of_thread::<T, 16>(at, neutral, load, combine)
        };
    } else {
        while at < length {
            own = combine(own, load(at));
            at += THREADS;
        }
    }
    block::reduce(own, combine)
}

/// The elements of a thread of a whole tile, from `at` on, with so many loads in flight at the same time.
#[vyre::device]
fn of_thread<T: Copy, const WIDTH: usize>(
    mut at: usize,
    neutral: T,
    load: impl Fn(usize) -> T,
    combine: impl Fn(T, T) -> T + Copy,
) -> T {
    let mut own = neutral;
    for _ in 0..REDUCE_TILE / (THREADS * WIDTH) {
        let mut loaded = [neutral; WIDTH];
        for k in 0..WIDTH {
            loaded[k] = load(at + k * THREADS);
        }
        for k in 0..WIDTH {
            own = combine(own, loaded[k]);
        }
        at += WIDTH * THREADS;
    }
    own
}

/// The sum of each tile. Those of signed numbers have the same bits as those of unsigned ones.
#[vyre::kernel(block = 512, T = [u32, f32, u64, f64])]
pub fn sum<T: Value>(x: &[T], out: &mut [T]) {
    // SAFETY: the index is below the length.
    let all = reduce_tile(x.len(), T::NO_SUM, |i| unsafe { *x.get_unchecked(i) }, |a, b| a + b);
    if thread::idx().x == 0 {
        out[block::idx().x] = all;
    }
}

/// The product of each tile, likewise.
#[vyre::kernel(block = 512, T = [u32, f32, u64, f64])]
pub fn product<T: Value>(x: &[T], out: &mut [T]) {
    // SAFETY: the index is below the length.
    let all = reduce_tile(x.len(), T::ONE, |i| unsafe { *x.get_unchecked(i) }, |a, b| a * b);
    if thread::idx().x == 0 {
        out[block::idx().x] = all;
    }
}

/// The minimum of each tile.
#[vyre::kernel(block = 512, T = [u32, i32, f32, u64, i64, f64])]
pub fn minimum<T: Value>(x: &[T], out: &mut [T]) {
    // SAFETY: the index is below the length.
    let all = reduce_tile(
        x.len(),
        T::NO_MIN,
        |i| unsafe { *x.get_unchecked(i) },
        |a, b| a.lesser(b),
    );
    if thread::idx().x == 0 {
        out[block::idx().x] = all;
    }
}

/// The maximum of each tile.
#[vyre::kernel(block = 512, T = [u32, i32, f32, u64, i64, f64])]
pub fn maximum<T: Value>(x: &[T], out: &mut [T]) {
    // SAFETY: the index is below the length.
    let all = reduce_tile(
        x.len(),
        T::NO_MAX,
        |i| unsafe { *x.get_unchecked(i) },
        |a, b| a.greater(b),
    );
    if thread::idx().x == 0 {
        out[block::idx().x] = all;
    }
}
