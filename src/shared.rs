//! Shared memory of a block, and the barriers in it.
//!
//! [`shared()`] is static shared memory, up to 48 KiB. [`slice()`] and [`dynamic`] take dynamic shared memory,
//! which the launch sets with `.shared_bytes(n)`: each slice begins after those before it, at the next multiple
//! of 16 bytes.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Of each block the values that are above a limit, and how often each remainder occurs.
//! #[vyre::kernel(block = 64, allow(races))] // vyre does not tell the parts of dynamic memory from each other
//! fn summary(values: &[u32], buckets: usize, counts: &[AtomicU32], above: &mut [u32]) {
//!     let histogram = shared::slice::<AtomicU32>(buckets);
//!     let window = shared::dynamic::<u32>();
//!     let (i, t) = (thread::index(), thread::idx().x);
//!     if t < buckets {
//!         histogram[t].store(0, Ordering::Relaxed);
//!     }
//!     block::sync();
//!     window[t] = values[i];
//!     histogram[values[i] as usize % buckets].fetch_add(1, Ordering::Relaxed);
//!     block::sync();
//!     above[i] = window[window.len() - 1 - t];
//!     if t < buckets {
//!         counts[t].fetch_add(histogram[t].load(Ordering::Relaxed), Ordering::Relaxed);
//!     }
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let numbers: Vec<u32> = (0..128).collect();
//! let (values, buckets) = (device.upload(&numbers)?, 4);
//! let (mut counts, mut above) = (device.zeros::<u32>(buckets)?, device.zeros::<u32>(128)?);
//! summary(&values, buckets, &mut counts, &mut above)
//!     .over(128)
//!     .shared_bytes(buckets * 4 + 64 * 4)
//!     .launch(&device)?;
//! assert_eq!(counts.download()?, [32; 4]);
//! assert_eq!(above.download()?[..2], [63, 62]);
//! # Ok(())
//! # }
//! ```

/// Static shared memory of the block: `let tile = shared::<[[f32; 33]; 32]>();`.
///
/// All threads of the block see the same memory. Its content is unspecified when the block starts, and a thread
/// sees the writes of others after [`block::sync`](crate::block::sync). A block has 48 KiB of it; [`slice()`]
/// can be larger. `T` is a scalar, an atomic, or a tuple, struct or array of these.
///
/// ```
/// # use vyre::prelude::*;
/// /// Each value minus the smallest one of its block.
/// #[vyre::kernel(block = 64)]
/// fn lower(x: &mut [u32]) {
///     let tile = shared::<[u32; 64]>();
///     let i = thread::index();
///     tile[thread::idx().x] = x[i];
///     block::sync();
///     let mut least = u32::MAX;
///     for &value in tile.iter() {
///         least = least.min(value);
///     }
///     x[i] -= least;
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (10..138).collect();
/// Lower::dispatch(&Device::best()?, 128, &mut x)?;
/// assert_eq!((x[0], x[63], x[64]), (0, 63, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn shared<T>() -> &'static mut T {
    crate::outside("shared()")
}

/// A slice of `n` elements in dynamic shared memory: `let keys = shared::slice::<u32>(n);`.
///
/// All threads of a block take the same lengths. If the launch gives too little, the kernel faults. `T` is a
/// number, an atomic of 32 or 64 bits, or an array or struct of these. Otherwise it is like [`shared()`]. A
/// slice of rows begins at a multiple of 16 bytes, as tensor cores and asynchronous copies need it.
///
/// GPUs have more dynamic than static shared memory: 99 KiB and more from compute capability 8.0 on, 227 KiB on
/// 9.0.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The sums of so many rows at the same time, each brought into shared memory by asynchronous copies.
/// #[vyre::kernel(block = 64)]
/// fn row_sums(x: &[[f32; 256]], rows: usize, sums: &mut [f32]) {
///     let tile = shared::slice::<[f32; 256]>(rows);
///     let t = thread::idx().x;
///     for row in 0..rows {
///         pipeline::copy(&mut tile[row][4 * t..4 * t + 4], &x[row][4 * t..4 * t + 4]);
///     }
///     pipeline::commit();
///     pipeline::wait_prior::<0>();
///     block::sync();
///     if t < rows {
///         let mut sum = 0.0;
///         for i in 0..256 {
///             sum += tile[t][(t + i) % 256];
///         }
///         sums[t] = sum;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let (device, rows) = (Device::cpu(), 60);
/// let (x, mut sums) = (device.upload(&vec![[0.5; 256]; rows])?, device.zeros::<f32>(rows)?);
/// row_sums(&x, rows, &mut sums).grid(1).shared_bytes(rows * 1024).launch(&device)?;
/// assert_eq!(sums.download()?, vec![128.0; rows]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn slice<T>(length: usize) -> &'static mut [T] {
    let _ = length;
    crate::outside("shared::slice()")
}

/// The rest of the dynamic shared memory, after the slices of [`slice()`] before:
/// `let tile = shared::dynamic::<f32>();`.
///
/// Its length is what the launch gives, `.shared_bytes(n)`, in elements. `T` is as for [`slice()`]. Otherwise
/// it is like [`shared()`].
///
/// ```
/// # use vyre::prelude::*;
/// /// Reverses runs as long as the shared memory that the launch gives.
/// #[vyre::kernel(block = 64)]
/// fn reverse(x: &mut [u32]) {
///     let run = shared::dynamic::<u32>();
///     let t = thread::idx().x;
///     let start = block::idx().x * run.len();
///     if t < run.len() {
///         run[t] = x[start + t];
///     }
///     block::sync();
///     if t < run.len() {
///         x[start + t] = run[run.len() - 1 - t];
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.upload(&[0, 1, 2, 3, 4, 5])?;
/// reverse(&mut x).grid(2).shared_bytes(3 * 4).launch(&device)?;
/// assert_eq!(x.download()?, [2, 1, 0, 5, 4, 3]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn dynamic<T>() -> &'static mut [T] {
    crate::outside("shared::dynamic()")
}

/// `N` barriers in shared memory, each for `ARRIVALS` arrivals: `let full = shared::barriers::<2, 64>();`.
///
/// They are initialized when the block starts. See [`Barrier`].
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 64)]
/// fn rotate(x: &mut [u32]) {
///     let tile = shared::<[u32; 64]>();
///     let full = shared::barriers::<1, 64>(); // one barrier, which all 64 threads reach
///     let t = thread::idx().x;
///     tile[t] = x[t];
///     full[0].arrive_and_wait();
///     x[t] = tile[(t + 1) % 64];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..64).collect();
/// Rotate::dispatch(&Device::cpu(), 64, &mut x)?;
/// assert_eq!((x[0], x[63]), (1, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn barriers<const N: usize, const ARRIVALS: usize>() -> &'static mut [Barrier; N] {
    crate::outside("shared::barriers()")
}

/// A barrier at which arriving and waiting are separate (CUDA `cuda::barrier`, PTX `mbarrier`);
/// [`barriers`] yields them.
///
/// A phase completes when the barrier's number of threads have arrived, and the next one begins.
/// Writes by the arriving threads are visible to the threads that waited. Between arriving and
/// waiting, a thread can do independent work:
///
/// ```
/// use vyre::prelude::*;
///
/// /// Adds to each value the one that is as far from the end of the block.
/// #[vyre::kernel(block = 64)]
/// fn fold(values: &mut [u32]) {
///     let tile = shared::<[u32; 64]>();
///     let full = shared::barriers::<1, 64>();
///     let (i, t) = (thread::index(), thread::idx().x);
///     let own = values[i];
///     tile[t] = own;
///     let token = full[0].arrive();
///     let square = own * own;
///     full[0].wait(token);
///     values[i] = square + tile[63 - t];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut values: Vec<u32> = (0..128).collect();
/// Fold::dispatch(&Device::cpu(), 128, &mut values)?;
/// assert!((0..64).all(|i| values[i as usize] == i * i + 63 - i));
/// # Ok(())
/// # }
/// ```
///
/// [`hold_for_copies`](Self::hold_for_copies) extends a phase until the [copies](crate::pipeline)
/// that a thread has started are complete, so some warps can load what others wait for.
///
/// Device functions take barriers, `full: &shared::Barrier`. A kernel with them needs a GPU of
/// compute capability 8.0.
///
/// # Deadlocks
/// If too few threads arrive, the waiting ones wait forever: on a GPU the launch does not end, on
/// the CPU it is an error. A fault wakes the waiting threads. A token must be waited for before the
/// phase after its own completes.
#[derive(Debug)]
pub struct Barrier(());

/// The phase of a [`Barrier`] in which a thread arrived. Device functions take and return tokens,
/// `token: shared::Token`.
///
/// ```
/// # use vyre::prelude::*;
/// /// Arrives after a store, in the name of the whole block.
/// #[vyre::device]
/// fn put(tile: &mut [u32; 32], value: u32, full: &shared::Barrier) -> shared::Token {
///     tile[thread::idx().x] = value;
///     full.arrive()
/// }
///
/// #[vyre::kernel(block = 32)]
/// fn reverse(x: &mut [u32]) {
///     let tile = shared::<[u32; 32]>();
///     let full = shared::barriers::<1, 32>();
///     let t = thread::idx().x;
///     let token = put(tile, x[t], &full[0]);
///     full[0].wait(token);
///     x[t] = tile[31 - t];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x: Vec<u32> = (0..32).collect();
/// Reverse::dispatch(&Device::cpu(), 32, &mut x)?;
/// assert_eq!(x[0], 31);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "who does not wait for the others needs no token: `let _ = full[0].arrive();`"]
pub struct Token(());

impl Barrier {
    /// Arrives without waiting. The token is for [`wait`](Self::wait).
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The first warp writes and does not wait, the second one waits.
    /// #[vyre::kernel(block = 64)]
    /// fn pass(x: &[u32], y: &mut [u32]) {
    ///     let tile = shared::<[u32; 32]>();
    ///     let full = shared::barriers::<1, 64>();
    ///     let lane = lane::index();
    ///     if thread::idx().x < 32 {
    ///         tile[lane] = x[lane];
    ///         let _ = full[0].arrive();
    ///     } else {
    ///         full[0].arrive_and_wait();
    ///         y[lane] = tile[31 - lane];
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<u32> = (0..32).collect();
    /// let mut y = [0; 32];
    /// Pass::dispatch(&Device::cpu(), 64, &x, &mut y)?;
    /// assert_eq!((y[0], y[31]), (31, 0));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn arrive(&self) -> Token {
        crate::outside("Barrier::arrive()")
    }

    /// Waits until the phase of the token is complete. The token of another barrier does not compile, or is a
    /// fault where the compiler cannot see it.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel(block = 32)]
    /// fn mirror(x: &mut [u32]) {
    ///     let tile = shared::<[u32; 32]>();
    ///     let full = shared::barriers::<1, 32>();
    ///     let t = thread::idx().x;
    ///     tile[t] = x[t];
    ///     let token = full[0].arrive();
    ///     let own = 100 * tile[t]; // work that needs no other thread
    ///     full[0].wait(token);
    ///     x[t] = own + tile[31 - t];
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x: Vec<u32> = (0..32).collect();
    /// Mirror::dispatch(&Device::cpu(), 32, &mut x)?;
    /// assert_eq!((x[0], x[1]), (31, 130));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn wait(&self, token: Token) {
        let _ = token;
        crate::outside("Barrier::wait()")
    }

    /// Arrives, and waits until the phase is complete.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The sum of four values, in two rounds of one barrier.
    /// #[vyre::kernel(block = 4)]
    /// fn sum(x: &mut [u32]) {
    ///     let tile = shared::<[u32; 4]>();
    ///     let step = shared::barriers::<1, 4>();
    ///     let t = thread::idx().x;
    ///     tile[t] = x[t];
    ///     step[0].arrive_and_wait();
    ///     if t < 2 {
    ///         tile[t] += tile[t + 2];
    ///     }
    ///     step[0].arrive_and_wait();
    ///     x[t] = tile[0] + tile[1];
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = [1, 2, 3, 4];
    /// Sum::dispatch(&Device::cpu(), 4, &mut x)?;
    /// assert_eq!(x, [10; 4]);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn arrive_and_wait(&self) {
        crate::outside("Barrier::arrive_and_wait()")
    }

    /// Extends the phase until the copies that this thread has started are complete (CUDA
    /// `__pipeline_arrive_on`). It is not an arrival: the thread, or another one, arrives as well, after it.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// The first warp copies, the second one reads what has come.
    /// #[vyre::kernel(block = 64)]
    /// fn fetch(x: &[f32], y: &mut [f32]) {
    ///     let tile = shared::<[f32; 32]>();
    ///     let full = shared::barriers::<1, 64>();
    ///     let lane = lane::index();
    ///     if thread::idx().x < 32 {
    ///         pipeline::copy(&mut tile[lane], &x[lane]);
    ///         full[0].hold_for_copies();
    ///         let _ = full[0].arrive();
    ///     } else {
    ///         full[0].arrive_and_wait();
    ///         y[lane] = tile[31 - lane];
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x: Vec<f32> = (0..32).map(|i| i as f32).collect();
    /// let mut y = [0.0; 32];
    /// Fetch::dispatch(&Device::cpu(), 64, &x, &mut y)?;
    /// assert_eq!((y[0], y[31]), (31.0, 0.0));
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn hold_for_copies(&self) {
        crate::outside("Barrier::hold_for_copies()")
    }
}
