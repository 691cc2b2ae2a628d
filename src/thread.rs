//! The indices of the running thread, a clock and a pause.
//!
//! ```
//! use vyre::prelude::*;
//!
//! #[vyre::kernel]
//! fn places(launch: &mut [u32], block: &mut [u32]) {
//!     let i = thread::index();
//!     if i < launch.len() && i < block.len() {
//!         launch[i] = i as u32;
//!         block[i] = thread::idx().x as u32;
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let mut launch = device.zeros::<u32>(300)?;
//! let mut block = device.zeros::<u32>(300)?;
//! places(&mut launch, &mut block).over(300).launch(&device)?;
//! assert_eq!(launch.download()?[299], 299);
//! assert_eq!(block.download()?[299], 299 % 256); // blocks of 256 threads, unless the kernel says otherwise
//! # Ok(())
//! # }
//! ```

use crate::Index3;

/// The index of this thread in the launch, from 0, computed without wrapping.
///
/// With one axis: `block::idx().x * block::dim().x + thread::idx().x`. With two or three axes: block after
/// block, and within a block x varies fastest, then y, then z; likewise for blocks.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn squares(y: &mut [usize]) {
///     let i = thread::index();
///     if i < y.len() {
///         y[i] = i * i;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 1000];
/// Squares::dispatch(&Device::best()?, 1000, &mut y)?;
/// assert_eq!(y[999], 998001);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn index() -> usize {
    crate::outside("thread::index()")
}

/// The index of this thread in a launch of two axes, `(x, y)`.
///
/// Neighbouring threads differ in x, so let x run along the rows of a row-major matrix.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn transpose(x: Slice2<'_, f32>, mut y: SliceMut2<'_, f32>) {
///     let (column, row) = thread::index_2d();
///     if row < x.rows() && column < x.cols() {
///         y[[column, row]] = x[[row, column]];
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut y = device.zeros(6)?;
/// transpose(x.view2(2, 3)?, y.view2_mut(3, 2)?).over([3, 2]).launch(&device)?;
/// assert_eq!(y.download()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn index_2d() -> (usize, usize) {
    crate::outside("thread::index_2d()")
}

/// The index of this thread in a launch of three axes, `(x, y, z)`.
///
/// ```
/// # use vyre::prelude::*;
/// /// The distance of each point of a box from its corner, in steps.
/// #[vyre::kernel]
/// fn steps(width: usize, height: usize, y: &mut [usize]) {
///     let (i, j, k) = thread::index_3d();
///     let place = (k * height + j) * width + i;
///     if i < width && j < height && place < y.len() {
///         y[place] = i + j + k;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 3 * 4 * 5];
/// Steps::dispatch(&Device::best()?, [3, 4, 5], 3, 4, &mut y)?;
/// assert_eq!((y[0], y[59]), (0, 2 + 3 + 4));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn index_3d() -> (usize, usize, usize) {
    crate::outside("thread::index_3d()")
}

/// The index of this thread in its block (CUDA `threadIdx`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 128)]
/// fn places(y: &mut [usize]) {
///     y[thread::index()] = thread::idx().x;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 256];
/// Places::dispatch(&Device::best()?, 256, &mut y)?;
/// assert_eq!((y[127], y[128]), (127, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn idx() -> Index3 {
    crate::outside("thread::idx()")
}

/// A clock that advances while the thread runs (CUDA `clock64()`): cycles of the multiprocessor on a GPU,
/// nanoseconds on the CPU. Only differences between readings of one thread are meaningful, and they vary
/// between launches.
///
/// ```
/// use vyre::prelude::*;
///
/// #[vyre::kernel]
/// fn time(x: &[f32], y: &mut [f32], took: &mut [u64]) {
///     let i = thread::index();
///     if i < y.len() {
///         let start = thread::clock();
///         y[i] = x[i].sqrt();
///         took[i] = thread::clock() - start;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (mut y, mut took) = ([0.0; 3], [0; 3]);
/// Time::dispatch(&Device::cpu(), 3, &[4.0, 9.0, 16.0], &mut y, &mut took)?;
/// assert_eq!(y, [2.0, 3.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn clock() -> u64 {
    crate::outside("thread::clock()")
}

/// Lets the thread pause for about this many nanoseconds: from none to twice as many, and a millisecond at most (CUDA
/// `__nanosleep()`). A thread that polls memory leaves the others more of the multiprocessor so. The CPU gives way to other
/// threads of the host.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The second block waits for the first one.
/// #[vyre::kernel(block = 32)]
/// fn relay(ready: &[AtomicU32], y: &[AtomicU32]) {
///     let i = thread::idx().x;
///     match block::idx().x {
///         0 => {
///             y[i].store(7, Ordering::Relaxed);
///             grid::fence(Ordering::Release);
///             ready[i].store(1, Ordering::Relaxed);
///         }
///         _ => {
///             while ready[i].load(Ordering::Acquire) == 0 {
///                 thread::nap(200);
///             }
///             y[i].fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (mut ready, mut y) = ([0; 32], [0; 32]);
/// Relay::dispatch(&Device::best()?, 64, &mut ready, &mut y)?;
/// assert_eq!(y, [8; 32]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn nap(nanoseconds: u32) {
    let _ = nanoseconds;
    crate::outside("thread::nap()")
}
