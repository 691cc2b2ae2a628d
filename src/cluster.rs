//! Thread block clusters: blocks that run at the same time, wait for each other, and access each other's shared
//! memory.
//!
//! The option `cluster = N`, or `[x, y]` or `[x, y, z]`, of [`kernel`](macro@crate::kernel) sets the number of
//! blocks of a cluster, at most 8. A launch with `over` has whole clusters; the number of blocks of `grid(n)`
//! must make whole clusters. GPUs have clusters (and the distributed shared memory of CUDA) from compute
//! capability 9.0 on; on older ones the launch is an error. The CPU runs clusters.
//!
//! ```
//! use vyre::prelude::*;
//!
//! /// Smooths values: each with those beside it, also where these are of the other block of the cluster.
//! #[vyre::kernel(block = 64, cluster = 2)]
//! fn smooth(x: &[f32], y: &mut [f32]) {
//!     let tile = shared::<[f32; 64]>();
//!     let (i, t) = (thread::index(), thread::idx().x);
//!     tile[t] = x[i];
//!     cluster::sync();
//!     let rank = cluster::block_rank();
//!     let theirs = cluster::map_shared(tile, 1 - rank);
//!     let before = if t > 0 { tile[t - 1] } else if rank > 0 { theirs[63] } else { 0.0 };
//!     let after = if t < 63 { tile[t + 1] } else if rank < 1 { theirs[0] } else { 0.0 };
//!     y[i] = (before + 2.0 * tile[t] + after) / 4.0;
//! }
//!
//! # fn main() -> vyre::Result<()> {
//! let device = Device::cpu();
//! let (x, mut y) = (device.upload(&[1.0f32; 256])?, device.zeros::<f32>(256)?);
//! smooth(&x, &mut y).over(256).launch(&device)?;
//! let y = y.download()?;
//! assert_eq!((y[0], y[63], y[64], y[127], y[128]), (0.75, 1.0, 1.0, 0.75, 0.75));
//! # Ok(())
//! # }
//! ```

use crate::Index3;

/// Waits for all threads of the cluster that have not returned (CUDA `cluster.sync()`, PTX
/// `barrier.cluster`).
///
/// Their writes to memory before it are visible to all of them after it. All threads of the cluster
/// that have not returned must reach the same `sync`. In a device function that a kernel without
/// clusters calls it is [`block::sync`](crate::block::sync). A fault wakes the waiting threads.
///
/// ```
/// # use vyre::prelude::*;
/// /// The blocks of a cluster exchange one value each.
/// #[vyre::kernel(block = 32, cluster = 2)]
/// fn exchange(x: &mut [u32]) {
///     let own = shared::<[u32; 32]>();
///     let (i, t) = (thread::index(), thread::idx().x);
///     own[t] = x[i];
///     cluster::sync(); // both blocks have written
///     x[i] = cluster::map_shared(own, 1 - cluster::block_rank())[t];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::cpu();
/// let mut x: Vec<u32> = (0..64).collect();
/// Exchange::dispatch(&device, 64, &mut x)?;
/// assert_eq!((x[0], x[32]), (32, 0));
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn sync() {
    crate::outside("cluster::sync()")
}

/// Maps a shared variable to the block with this rank: `let theirs = cluster::map_shared(tile, rank);` (CUDA
/// `cluster.map_shared_rank`, PTX `mapa`).
///
/// `variable` is the name of a `let` with the result of [`shared()`](crate::shared()),
/// [`shared::slice()`](crate::shared::slice) or [`shared::dynamic()`](crate::shared::dynamic), or a part of it,
/// an element, a row or a field: `cluster::map_shared(&tile[i], rank)`. The result is used like shared memory:
/// elements are read and written, atomics accessed, and it is passed to device functions. What one block wrote,
/// another sees after [`sync`], or as atomics order it; without either the content is unspecified. A rank that
/// the cluster does not have is a fault. The memory of a block remains until all blocks of the cluster have
/// ended.
///
/// ```
/// # use vyre::prelude::*;
/// /// Each block adds to a counter of the first block of its cluster.
/// #[vyre::kernel(block = 32, cluster = 4)]
/// fn count(y: &mut [u32]) {
///     let counter = shared::<[AtomicU32; 1]>();
///     if thread::idx().x == 0 {
///         counter[0].store(0, Ordering::Relaxed);
///     }
///     cluster::sync();
///     if thread::idx().x == 0 {
///         cluster::map_shared(counter, 0)[0].fetch_add(1, Ordering::Relaxed);
///     }
///     cluster::sync();
///     if thread::idx().x == 0 {
///         y[block::idx().x] = counter[0].load(Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [9; 4];
/// Count::dispatch(&Device::cpu(), 128, &mut y)?;
/// assert_eq!(y, [4, 0, 0, 0]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn map_shared<T: ?Sized>(variable: &T, rank: usize) -> &'static mut T {
    let _ = (variable, rank);
    crate::outside("cluster::map_shared()")
}

/// The rank of the block in its cluster: x varies fastest, then y, then z (CUDA `cluster.block_rank()`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32, cluster = 2)]
/// fn ranks(y: &mut [usize]) {
///     if thread::idx().x == 0 {
///         y[block::idx().x] = cluster::block_rank();
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [9; 4];
/// Ranks::dispatch(&Device::cpu(), 128, &mut y)?;
/// assert_eq!(y, [0, 1, 0, 1]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn block_rank() -> usize {
    crate::outside("cluster::block_rank()")
}

/// The number of blocks of a cluster (CUDA `cluster.num_blocks()`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = [32, 1], cluster = [2, 2])]
/// fn blocks(y: &mut [usize]) {
///     let (column, row) = thread::index_2d();
///     if column == 0 && row == 0 {
///         y[0] = cluster::num_blocks();
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0];
/// Blocks::dispatch(&Device::cpu(), [64, 2], &mut y)?;
/// assert_eq!(y, [4]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn num_blocks() -> usize {
    crate::outside("cluster::num_blocks()")
}

/// The index of the block in its cluster (CUDA `cluster.block_index()`).
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = [32, 1], cluster = [1, 2])]
/// fn rows(y: &mut [usize]) {
///     let (column, row) = thread::index_2d();
///     if column == 0 {
///         y[row] = cluster::block_idx().y;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [9; 4];
/// Rows::dispatch(&Device::cpu(), [32, 4], &mut y)?;
/// assert_eq!(y, [0, 1, 0, 1]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn block_idx() -> Index3 {
    crate::outside("cluster::block_idx()")
}

/// The index of the cluster in the grid, in units of clusters.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32, cluster = 2)]
/// fn clusters(y: &mut [usize]) {
///     if thread::idx().x == 0 {
///         y[block::idx().x] = cluster::idx().x;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [9; 4];
/// Clusters::dispatch(&Device::cpu(), 128, &mut y)?;
/// assert_eq!(y, [0, 0, 1, 1]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn idx() -> Index3 {
    crate::outside("cluster::idx()")
}

/// The number of blocks of a cluster along each axis (CUDA `cluster.dim_blocks()`), as set by the option
/// `cluster`.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel(block = 32, cluster = 4)]
/// fn sizes(y: &mut [usize]) {
///     if thread::idx().x == 0 {
///         y[block::idx().x] = cluster::dim().x;
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0; 4];
/// Sizes::dispatch(&Device::cpu(), 128, &mut y)?;
/// assert_eq!(y, [4; 4]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn dim() -> Index3 {
    crate::outside("cluster::dim()")
}
