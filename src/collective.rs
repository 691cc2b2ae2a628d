//! Reductions, scans, sorts and broadcasts among the threads of a block.

use crate::warp::{Integer, Number};

/// The sum over all threads of the block, the same in each; integers wrap. It is [`reduce`] with `a + b`, so that
/// sums of floats are the same on every device.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The sum of the squares of each run of 256 values.
/// #[vyre::kernel(block = 256)]
/// fn squares(x: &[f32], sums: &mut [f32]) {
///     let i = thread::index();
///     let x = if i < x.len() { x[i] } else { 0.0 };
///     let sum = block::sum(x * x);
///     if thread::idx().x == 0 {
///         sums[block::idx().x] = sum;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[0.5f32; 1000])?;
/// let mut sums = device.zeros::<f32>(4)?;
/// squares(&x, &mut sums).over(1000).launch(&device)?;
/// assert_eq!(sums.download()?, [64.0, 64.0, 64.0, 58.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sum<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("block::sum()")
}

/// The product over all threads of the block, the same in each; integers wrap. It is [`reduce`] with `a * b`.
#[track_caller]
pub fn product<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("block::product()")
}

/// The minimum over all threads of the block, the same in each; a number is preferred to a NaN, and -0 is less than
/// +0.
#[track_caller]
pub fn min<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("block::min()")
}

/// The maximum over all threads of the block, the same in each; a number is preferred to a NaN, and -0 is less than
/// +0.
#[track_caller]
pub fn max<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("block::max()")
}

/// The bitwise and over all threads of the block, the same in each.
#[track_caller]
pub fn and<T: Integer>(value: T) -> T {
    let _ = value;
    crate::outside("block::and()")
}

/// The bitwise or over all threads of the block, the same in each.
#[track_caller]
pub fn or<T: Integer>(value: T) -> T {
    let _ = value;
    crate::outside("block::or()")
}

/// The bitwise exclusive or over all threads of the block, the same in each.
#[track_caller]
pub fn xor<T: Integer>(value: T) -> T {
    let _ = value;
    crate::outside("block::xor()")
}

/// The combination of the values of all threads of the block by an associative function, the same in each (CUB
/// `BlockReduce::Reduce`).
///
/// `combine(a, b)` gets in `a` the combination of some consecutive threads, and in `b` that of the threads that follow,
/// so it need not be commutative. The order is fixed, so that the result has the same bits on every device even where
/// `combine` is only nearly associative, as the addition of floats is:
/// - In each warp of 32 threads, the values of threads 0 and 1 are combined, of 2 and 3, and so on; then these pairs in
///   pairs, and so on, in five steps. In the last warp, which may be smaller, what has no successor stays as it is.
/// - Then the results of the warps are combined one after the other: those of the first and the second, that and the
///   third, and so on.
///
/// The value may be a scalar, or an array or struct of the device, whose scalars the threads exchange one by one:
/// `block::reduce(v, |a, b| a + b)` is the sum of vectors.
///
/// `combine` runs in other threads too, whose results are not used, on values of the same warp in other orders. It
/// calls nothing that waits for other threads.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The place of the greatest value of each run of 128; of equal ones that of the first.
/// #[vyre::kernel(block = 128)]
/// fn greatest(x: &[f32], places: &mut [u32]) {
///     let i = thread::index();
///     let key = if i < x.len() { (x[i].to_bits() as u64) << 32 | (u32::MAX - i as u32) as u64 } else { 0 };
///     let key = block::reduce(key, |a, b| a.max(b));
///     if thread::idx().x == 0 {
///         places[block::idx().x] = u32::MAX - key as u32;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x: Vec<f32> = (0..256).map(|i| (i * 37 % 101) as f32).collect();
/// let x = device.upload(&x)?;
/// let mut places = device.zeros::<u32>(2)?;
/// greatest(&x, &mut places).over(256).launch(&device)?;
/// assert_eq!(places.download()?, [30, 131]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn reduce<T: Copy, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
    let _ = (value, combine);
    crate::outside("block::reduce()")
}

/// The inclusive prefix sum: over this thread and all threads of the block below; integers wrap. It is
/// [`inclusive_scan`] with `a + b`.
#[track_caller]
pub fn inclusive_sum<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("block::inclusive_sum()")
}

/// The exclusive prefix sum: over the threads of the block below, 0 in the first; integers wrap. It is
/// [`exclusive_scan`] with `a + b`, beginning with 0.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Moves the values above zero to the front of each block's 256, and counts them.
/// #[vyre::kernel(block = 256)]
/// fn compact(values: &[i32], kept: &mut [i32], counts: &mut [u32]) {
///     let i = thread::index();
///     let keeps = i < values.len() && values[i] > 0;
///     let place = block::exclusive_sum(keeps as u32);
///     if keeps {
///         // Each thread that keeps its value has another place.
///         store::relaxed(&mut kept[i - thread::idx().x + place as usize], values[i]);
///     }
///     if thread::idx().x == 255 {
///         counts[block::idx().x] = place + keeps as u32;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let values: Vec<i32> = (0..256).map(|i| if i % 3 == 0 { i } else { -1 }).collect();
/// let values = device.upload(&values)?;
/// let (mut kept, mut counts) = (device.zeros::<i32>(256)?, device.zeros::<u32>(1)?);
/// compact(&values, &mut kept, &mut counts).over(256).launch(&device)?;
/// assert_eq!(counts.download()?, [85]);
/// assert_eq!(kept.download()?[83..86], [252, 255, 0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn exclusive_sum<T: Number>(value: T) -> T {
    let _ = value;
    crate::outside("block::exclusive_sum()")
}

/// The inclusive scan: the combination of the values of this thread and all threads of the block below, by an
/// associative function (CUB `BlockScan::InclusiveScan`).
///
/// The order is fixed. In each warp of 32 threads, each combines the value of the thread 1 below with its own, what
/// the thread 2 below has then with what it has, and so on for 4, 8 and 16; what has no such thread stays as it is. The
/// results of the last threads of the warps below are combined one after the other, and the result of that with the
/// thread's own.
///
/// `combine` gets what comes first as its first argument. It calls nothing that waits for other threads.
#[track_caller]
pub fn inclusive_scan<T: Copy, F: Fn(T, T) -> T>(value: T, combine: F) -> T {
    let _ = (value, combine);
    crate::outside("block::inclusive_scan()")
}

/// The exclusive scan: the combination of `first` with the values of all threads of the block below, by an associative
/// function (CUB `BlockScan::ExclusiveScan`). The first thread has its own `first`, which is the same in each.
///
/// The order is that of [`inclusive_scan`], with `first` before the results of the warps below: the thread combines
/// what these give with what the thread below has in its own warp.
#[track_caller]
pub fn exclusive_scan<T: Copy, F: Fn(T, T) -> T>(value: T, first: T, combine: F) -> T {
    let _ = (value, first, combine);
    crate::outside("block::exclusive_scan()")
}

/// The value of one thread of the block, the same in each. The thread is told by its number in the block, where x varies
/// fastest, then y, then z. All threads tell the same; it is a fault if the block has no such thread.
#[track_caller]
pub fn broadcast<T: Copy>(value: T, from: usize) -> T {
    let _ = (value, from);
    crate::outside("block::broadcast()")
}

/// Sorts the numbers of the threads of the block, one each: the thread gets the one at its place (CUB `BlockMergeSort`).
///
/// Integers and floats are in ascending order; of floats -0 comes before +0, and NaNs come last. For descending order sort
/// `!key` of integers, `-key` of floats.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The median of each run of 255 values.
/// #[vyre::kernel(block = 255)]
/// fn medians(x: &[f32], medians: &mut [f32]) {
///     let sorted = block::sort(x[thread::index()]);
///     if thread::idx().x == 127 {
///         medians[block::idx().x] = sorted;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x: Vec<f32> = (0..510).map(|i| (i * 37 % 510) as f32).collect();
/// let (x, mut y) = (device.upload(&x)?, device.zeros::<f32>(2)?);
/// medians(&x, &mut y).over(510).launch(&device)?;
/// let mut first: Vec<f32> = x.download()?[..255].to_vec();
/// first.sort_by(f32::total_cmp);
/// assert_eq!(y.download()?[0], first[127]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sort<T: Number>(key: T) -> T {
    let _ = key;
    crate::outside("block::sort()")
}

/// Sorts keys with a value each, which may be any scalar, array or struct of the device: as [`sort`], and values of equal
/// keys stay in the order of their threads, so that sorting by one key after the other sorts by both.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The places of the values of each block in ascending order.
/// #[vyre::kernel(block = 64)]
/// fn order(x: &[i32], places: &mut [u32]) {
///     let i = thread::index();
///     let (_, place) = block::sort_pairs(x[i], i as u32);
///     places[i] = place;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<i32> = (0..64).map(|i| (i - 32) / 2 * (i % 2 * 2 - 1)).collect();
/// let mut places = [0; 64];
/// Order::dispatch(&Device::best()?, 64, &x, &mut places)?;
/// assert!(places.windows(2).all(|pair| (x[pair[0] as usize], pair[0]) < (x[pair[1] as usize], pair[1])));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sort_pairs<T: Number, V: Copy>(key: T, value: V) -> (T, V) {
    let _ = (key, value);
    crate::outside("block::sort_pairs()")
}

/// Sorts `N` numbers of each thread: as [`sort`], thread 0 gets the first `N`, thread 1 those that follow, and so on.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Sorts each run of 4 * 64 values.
/// #[vyre::kernel(block = 64)]
/// fn runs(values: &mut [[u32; 4]]) {
///     let i = thread::index();
///     values[i] = block::sort_items(values[i]);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut values: Vec<[u32; 4]> = (0..128).map(|i| [i * 97 % 101, 7, i, 1000 - i]).collect();
/// Runs::dispatch(&Device::best()?, 128, &mut values)?;
/// assert!(values[..64].as_flattened().is_sorted() && values[64..].as_flattened().is_sorted());
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sort_items<T: Number, const N: usize>(keys: [T; N]) -> [T; N] {
    let _ = keys;
    crate::outside("block::sort_items()")
}

/// Sorts `N` keys of each thread with a value each: [`sort_items`] and [`sort_pairs`] in one. Values of equal keys stay in
/// order: those of lower threads first, and of a thread those at lower places.
#[track_caller]
pub fn sort_pair_items<T: Number, V: Copy, const N: usize>(keys: [T; N], values: [V; N]) -> ([T; N], [V; N]) {
    let _ = (keys, values);
    crate::outside("block::sort_pair_items()")
}
