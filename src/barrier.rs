//! Barriers of some warps of a block.

/// A barrier at which `THREADS` threads of a block meet, which are whole warps (CUDA `barrier.sync`).
/// [`barrier`] yields it; it has a number, `ID`, by which different parts of a kernel mean the same.
///
/// It opens when `THREADS / 32` warps have come to [`sync`](Self::sync) or [`arrive`](Self::arrive), and
/// is closed again at once for the next time. All threads of a warp that have not left the kernel come
/// to it together, as to an exchange of the warp. What they wrote to memory before, those see that
/// waited.
///
/// So warps may divide the work: some make what others use.
///
/// ```
/// use vyre::prelude::*;
///
/// /// Of a block the first two warps read, and the last two sum up what they have read.
/// #[vyre::kernel(block = 128)]
/// fn sums(values: &[u32], sums: &[AtomicU32]) {
///     let tile = shared::<[u32; 64]>();
///     let (full, empty) = (block::barrier::<1, 128>(), block::barrier::<2, 128>());
///     let t = thread::idx().x;
///     let mut first = 0;
///     while first < values.len() {
///         if t < 64 {
///             let i = first + t;
///             tile[t] = if i < values.len() { values[i] } else { 0 };
///             full.arrive();
///             empty.sync();
///         } else {
///             full.sync();
///             let value = tile[t - 64];
///             empty.arrive();
///             let sum = warp::sum(value);
///             if lane::index() == 0 {
///                 sums[block::idx().x].fetch_add(sum, Ordering::Relaxed);
///             }
///         }
///         first += 64;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let values = device.upload(&(1..=1000).collect::<Vec<u32>>())?;
/// let mut totals = device.zeros::<u32>(1)?;
/// sums(&values, &mut totals).grid(1).launch(&device)?;
/// assert_eq!(totals.download()?, [500_500]);
/// # Ok(())
/// # }
/// ```
///
/// # What does not end
/// A barrier at which fewer warps arrive than it is for keeps those that wait. The CPU back end and the
/// interpreter report that; on a GPU the launch does not end. A fault keeps nobody: those that wait
/// leave.
#[derive(Clone, Copy, Debug)]
pub struct Barrier<const ID: usize, const THREADS: usize>(());

/// The barrier of number `ID`, 1 to 15, for `THREADS` threads of the block, a multiple of 32. In one
/// kernel a number goes with one number of threads.
#[track_caller]
pub fn barrier<const ID: usize, const THREADS: usize>() -> Barrier<ID, THREADS> {
    crate::outside("block::barrier()")
}

impl<const ID: usize, const THREADS: usize> Barrier<ID, THREADS> {
    /// Arrives, and waits until the barrier opens.
    #[track_caller]
    pub fn sync(self) {
        crate::outside("Barrier::sync()")
    }

    /// Arrives, and does not wait (CUDA `barrier.arrive`).
    #[track_caller]
    pub fn arrive(self) {
        crate::outside("Barrier::arrive()")
    }
}
