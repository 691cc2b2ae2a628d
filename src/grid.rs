//! The grid: its size, its barrier, and the fence of the device.

use core::sync::atomic::Ordering;

use crate::Index3;

/// The number of blocks along each axis (CUDA `gridDim`).
///
/// ```
/// use vyre::prelude::*;
///
/// /// Each thread takes every n-th element, so that any grid covers all of them.
/// #[vyre::kernel]
/// fn double(values: &mut [f32]) {
///     let stride = grid::dim().x * block::dim().x;
///     let mut i = thread::index();
///     while i < values.len() {
///         values[i] *= 2.0;
///         i += stride;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let mut values = device.upload(&[1.5f32; 5000])?;
/// double(&mut values).grid(4).launch(&device)?;
/// assert!(values.download()?.iter().all(|&v| v == 3.0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn dim() -> Index3 {
    crate::outside("grid::dim()")
}

/// A memory fence for the threads of the device: orders the accesses before it against those after it (CUDA
/// `__threadfence`, PTX `fence.gpu`).
///
/// It means what [`core::sync::atomic::fence`] means: with an atomic access it makes other threads see what
/// this one wrote, or this thread see what they wrote. CUDA's is `Ordering::SeqCst`; `Ordering::AcqRel` costs
/// less and suffices to hand data over.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The last block that comes here adds up what all of them wrote.
/// #[vyre::kernel(block = 32)]
/// fn total(values: &[u32], partial: &[AtomicU32], done: &[AtomicU32]) {
///     let sum = warp::sum(values[thread::index()]);
///     if lane::index() != 0 {
///         return;
///     }
///     partial[block::idx().x].store(sum, Ordering::Relaxed);
///     grid::fence(Ordering::AcqRel);
///     if done[0].fetch_add(1, Ordering::Relaxed) + 1 == grid::dim().x as u32 {
///         grid::fence(Ordering::AcqRel);
///         let mut total = 0;
///         for i in 0..grid::dim().x {
///             total += partial[i].load(Ordering::Relaxed);
///         }
///         partial[0].store(total, Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let values = device.upload(&[2; 320])?;
/// let (mut partial, mut done) = (device.zeros::<u32>(10)?, device.zeros::<u32>(1)?);
/// total(&values, &mut partial, &mut done).over(320).launch(&device)?;
/// assert_eq!(partial.download()?[0], 640);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn fence(order: Ordering) {
    let _ = order;
    crate::outside("grid::fence()")
}

/// Waits for all threads of the grid (CUDA `grid.sync()` of cooperative groups).
///
/// Their writes to memory before it are visible to all of them after it. All threads of the grid
/// must reach the same `sync`, so a kernel with one has no early `return`; if some threads do not
/// reach it, the waiting ones report a fault. All blocks run at the same time: a launch with more
/// blocks than the device can hold is an error, and `Device::resident_blocks` returns that number.
/// A fault also wakes the waiting threads.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Smooths values in place, so many times.
/// #[vyre::kernel(block = 64)]
/// fn smooth(rounds: usize, values: &[AtomicU32]) {
///     let stride = grid::dim().x * block::dim().x;
///     let n = values.len();
///     for round in 0..rounds {
///         // Odd places in one round, even ones in the next.
///         let mut i = 2 * thread::index() + (round + 1) % 2;
///         while i < n {
///             let sides = values[(i + n - 1) % n].load(Ordering::Relaxed) + values[(i + 1) % n].load(Ordering::Relaxed);
///             values[i].store(sides / 2, Ordering::Relaxed);
///             i += 2 * stride;
///         }
///         grid::sync();
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let mut values = device.upload(&[0, 16, 0, 16])?;
/// let kernel = smooth(2, &mut values);
/// let blocks = device.resident_blocks(&kernel, 0)?.min(2);
/// kernel.grid(blocks).launch(&device)?;
/// assert_eq!(values.download()?, [0; 4]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync() {
    crate::outside("grid::sync()")
}
