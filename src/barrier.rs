//! Named barriers for some warps of a block.

/// A named barrier for `THREADS` threads of a block, which form whole warps (CUDA `barrier.sync`).
/// [`barrier`] yields it. Uses of the same number `ID` in a kernel refer to the same barrier.
///
/// It completes when `THREADS / 32` warps have reached [`sync`](Self::sync) or
/// [`arrive`](Self::arrive), and is then reset. All threads of a warp that have not returned reach
/// it together, as for a warp shuffle. Writes by the arriving warps are visible to the warps that
/// waited.
///
/// So warps can be specialized as producers and consumers.
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
/// # Deadlocks
/// If too few warps arrive, the waiting ones wait forever. The CPU back end and the interpreter
/// report that as an error; on a GPU the launch does not end. A fault wakes the waiting warps.
#[derive(Clone, Copy, Debug)]
pub struct Barrier<const ID: usize, const THREADS: usize>(());

/// The barrier with number `ID`, 1 to 15, for `THREADS` threads of the block, a multiple of 32. A kernel uses a
/// number with one thread count.
///
/// ```
/// # use vyre::prelude::*;
/// /// The second warp takes over what the first one writes; the others do not wait.
/// #[vyre::kernel(block = 128)]
/// fn hand_over(x: &[u32], y: &mut [u32]) {
///     let tile = shared::<[u32; 32]>();
///     let full = block::barrier::<1, 64>();
///     let (warp, lane) = (thread::idx().x / 32, lane::index());
///     if warp == 0 {
///         tile[lane] = x[lane];
///         full.arrive();
///     } else if warp == 1 {
///         full.sync();
///         y[lane] = tile[31 - lane];
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let x: Vec<u32> = (0..32).collect();
/// let mut y = [0; 32];
/// HandOver::dispatch(&Device::best()?, 128, &x, &mut y)?;
/// assert_eq!((y[0], y[31]), (31, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn barrier<const ID: usize, const THREADS: usize>() -> Barrier<ID, THREADS> {
    crate::outside("block::barrier()")
}

impl<const ID: usize, const THREADS: usize> Barrier<ID, THREADS> {
    /// Arrives, and waits until the barrier completes.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// Each pair of warps has a barrier of its own.
    /// #[vyre::kernel(block = 128)]
    /// fn swap(x: &mut [u32]) {
    ///     let tile = shared::<[u32; 128]>();
    ///     let (low, high) = (block::barrier::<1, 64>(), block::barrier::<2, 64>());
    ///     let t = thread::idx().x;
    ///     tile[t] = x[t];
    ///     if t < 64 {
    ///         low.sync();
    ///     } else {
    ///         high.sync();
    ///     }
    ///     x[t] = tile[t ^ 32];
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..128).collect();
    /// Swap::dispatch(&Device::best()?, 128, &mut x)?;
    /// assert_eq!((x[0], x[32], x[64], x[96]), (32, 0, 96, 64));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn sync(self) {
        crate::outside("Barrier::sync()")
    }

    /// Arrives without waiting (CUDA `barrier.arrive`).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The first warp writes and goes on; the second one waits for it.
    /// #[vyre::kernel(block = 64)]
    /// fn sums(x: &[u32], y: &mut [u32]) {
    ///     let tile = shared::<[u32; 32]>();
    ///     let full = block::barrier::<1, 64>();
    ///     let lane = lane::index();
    ///     if thread::idx().x < 32 {
    ///         tile[lane] = x[lane] + x[lane + 32];
    ///         full.arrive();
    ///     } else {
    ///         full.sync();
    ///         y[lane] = tile[lane];
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut y = [0; 32];
    /// Sums::dispatch(&Device::best()?, 64, &[2; 64], &mut y)?;
    /// assert_eq!(y, [4; 32]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn arrive(self) {
        crate::outside("Barrier::arrive()")
    }
}
