//! What a back end is: a device that opens queues, and queues that do the work.
//!
//! Everything above these traits is the same for all back ends: buffers, views, which stream must
//! follow which, checks before a launch.

use std::any::Any;

use vyre_abi::kernel::MAX_CLUSTER_BLOCKS;

use crate::error::{Error, LaunchLimit, Result};
use crate::launch::arguments::Arguments;
use crate::load::kernel::KernelInfo;

/// A device, as a back end sees it.
pub(crate) trait Backend: Send + Sync {
    /// The name of the device, as its maker calls it.
    fn name(&self) -> &str;

    /// What the device can launch.
    fn limits(&self) -> &Limits;

    /// The `.target` up to which PTX loads; `None` where none is loaded.
    fn target(&self) -> Option<u32>;

    /// How many parts of the device run blocks.
    fn multiprocessors(&self) -> u32;

    /// A new queue.
    fn open_queue(&self) -> Result<Box<dyn Queue>>;
}

/// Work in order. Queues may be used from any thread.
///
/// Addresses are of the device's memory. Where a function takes an address and bytes, the range lies
/// within one allocation of the same device that was not released yet.
pub(crate) trait Queue: Any + Send + Sync {
    /// Allocates memory for work that follows on this queue, of at least one byte and aligned to at
    /// least 64. Its contents are zero if so asked and arbitrary otherwise.
    fn allocate(&self, bytes: usize, zeroed: bool) -> Result<u64>;

    /// Frees memory once the work that is on this queue now is done.
    ///
    /// # Safety
    /// The memory is from `allocate`, was not released before, and no other queue has work on it left.
    unsafe fn release(&self, address: u64, bytes: usize) -> Result<()>;

    /// Copies from the host. Blocks until the source is no longer needed and the copy is complete.
    ///
    /// # Safety
    /// `source` points to `bytes` readable bytes, and nothing else uses the target meanwhile.
    unsafe fn write(&self, address: u64, source: *const u8, bytes: usize) -> Result<()>;

    /// Copies to the host. Blocks until the copy is complete.
    ///
    /// # Safety
    /// `target` points to `bytes` writable bytes, and nothing else writes the source meanwhile.
    unsafe fn read(&self, address: u64, target: *mut u8, bytes: usize) -> Result<()>;

    /// Copies within the device.
    ///
    /// # Safety
    /// The ranges do not overlap, and the rules for memory that work on a queue uses hold for both.
    unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<()>;

    /// Writes a pattern of at least one byte, so many times in a row, at least once.
    ///
    /// # Safety
    /// The rules for memory that work on a queue uses hold, and the address is a multiple of 2 or 4 if the
    /// length of the pattern is.
    unsafe fn fill(&self, address: u64, pattern: &[u8], count: usize) -> Result<()>;

    /// Makes work that comes onto this queue later wait for all that is on another one now. Both are
    /// of the same device.
    fn follow(&self, other: &dyn Queue) -> Result<()>;

    /// Blocks until all work on the queue is done. Says nothing of faults.
    fn wait(&self) -> Result<()>;

    /// Appends what work on this queue has printed since this was last asked, up to the last wait.
    fn take_printed(&self, out: &mut String) -> Result<()>;

    /// The fault that work on this queue has reported, if it did since this was last asked.
    fn take_fault(&self) -> Result<()>;

    /// Whether no work is left on the queue, and nothing that was printed, and no fault is kept.
    fn is_idle(&self) -> bool;

    /// How many blocks of a kernel run at the same time, with so much dynamic shared memory each.
    fn resident_blocks(&self, kernel: &'static KernelInfo, entry: usize, shared_bytes: u32) -> Result<u64>;

    /// Launches a kernel, with so many bytes of dynamic shared memory for each block.
    ///
    /// # Safety
    /// The arguments are from a launcher of this kernel, `entry` is one whose predicate holds for
    /// them, and this queue follows all conflicting work on their memory.
    unsafe fn launch(
        &self,
        kernel: &'static KernelInfo,
        entry: usize,
        extent: Extent,
        shared_bytes: u32,
        arguments: &mut Arguments<'_>,
    ) -> Result<()>;
}

/// Refuses a cooperative launch of more blocks than run at the same time.
pub(crate) fn check_resident(kernel: &KernelInfo, grid: [u32; 3], limit: u64) -> Result<()> {
    let requested = grid.iter().map(|&extent| u64::from(extent)).product();
    if requested <= limit {
        return Ok(());
    }
    Err(Error::TooLarge {
        kernel: kernel.name,
        what: LaunchLimit::Resident,
        requested,
        limit,
    })
}

/// At least so many blocks, in whole clusters; the largest number where that is past all.
fn whole(blocks: u64, cluster: u32) -> u64 {
    blocks.checked_next_multiple_of(cluster.into()).unwrap_or(u64::MAX)
}

/// How many threads a launch has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At least as many as cover this domain, in whole blocks.
    Over([u64; 3]),
    /// So many blocks.
    Grid([u32; 3]),
}

impl Extent {
    /// The blocks along each axis, where a thread covers `coarsening` neighbours along x.
    #[inline]
    pub(crate) fn grid(&self, kernel: &KernelInfo, coarsening: u32, limits: &Limits) -> Result<[u32; 3]> {
        let blocks = match *self {
            Extent::Grid(grid) => grid.map(u64::from),
            Extent::Over([x, y, z]) => {
                let [width, height, depth] = kernel.block.map(|threads| u64::from(threads.max(1)));
                let width = width * u64::from(coarsening.max(1));
                let blocks = [x.div_ceil(width), y.div_ceil(height), z.div_ceil(depth)];
                // Whole clusters.
                match kernel.cluster() {
                    Some(cluster) => [0, 1, 2].map(|axis| whole(blocks[axis], cluster[axis])),
                    None => blocks,
                }
            }
        };
        // Kernels count on it: threads of one dimension differ in their place along it.
        if blocks.iter().skip(kernel.dimensions as usize).any(|&count| count > 1) {
            return Err(Error::WrongDimensions {
                kernel: kernel.name,
                dimensions: kernel.dimensions,
                blocks,
            });
        }
        if let Some(cluster) = kernel.cluster()
            && (0..3).any(|axis| !blocks[axis].is_multiple_of(cluster[axis].into()))
        {
            return Err(Error::BrokenClusters {
                kernel: kernel.name,
                cluster,
                blocks,
            });
        }
        let mut grid = [0; 3];
        for axis in 0..3 {
            let limit = limits.grid[axis];
            grid[axis] = match u32::try_from(blocks[axis]) {
                Ok(count) if count <= limit => count,
                _ => {
                    return Err(Error::TooLarge {
                        kernel: kernel.name,
                        what: LaunchLimit::Grid(axis),
                        requested: blocks[axis],
                        limit: limit.into(),
                    });
                }
            };
        }
        Ok(grid)
    }
}

/// What a device can launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Blocks along each axis.
    pub(crate) grid: [u32; 3],
    /// Threads of a block along each axis.
    pub(crate) block: [u32; 3],
    /// Threads of a block in all.
    pub(crate) threads: u32,
    /// Static shared memory of a block, in bytes.
    pub(crate) shared_bytes: u32,
    /// Static and dynamic shared memory of a block together, in bytes.
    pub(crate) all_shared_bytes: u32,
    /// Blocks of a cluster, 1 where there are none.
    pub(crate) cluster: u32,
    /// Whether kernels may wait for the whole grid.
    pub(crate) cooperative: bool,
}

impl Limits {
    /// What every CUDA device can launch, but for dynamic shared memory and clusters, of which those that have
    /// most count.
    pub(crate) const CUDA: Limits = Limits {
        grid: [i32::MAX as u32, 65535, 65535],
        block: [1024, 1024, 64],
        threads: 1024,
        shared_bytes: 48 * 1024,
        all_shared_bytes: 227 * 1024,
        cluster: MAX_CLUSTER_BLOCKS,
        cooperative: true,
    };

    /// Checks the dynamic shared memory of a launch.
    pub(crate) fn check_dynamic(&self, kernel: &KernelInfo, shared_bytes: u32) -> Result<()> {
        let requested = u64::from(kernel.shared_bytes) + u64::from(shared_bytes);
        if shared_bytes == 0 || requested <= u64::from(self.all_shared_bytes) {
            return Ok(());
        }
        Err(Error::TooLarge {
            kernel: kernel.name,
            what: LaunchLimit::SharedMemory,
            requested,
            limit: self.all_shared_bytes.into(),
        })
    }

    /// Checks what is the same for all launches of a kernel.
    pub(crate) fn check(&self, kernel: &KernelInfo) -> Result<()> {
        let within = |what, requested: u64, limit: u32| match requested <= u64::from(limit) {
            true => Ok(()),
            false => Err(Error::TooLarge {
                kernel: kernel.name,
                what,
                requested,
                limit: limit.into(),
            }),
        };
        for axis in 0..3 {
            within(LaunchLimit::Block(axis), kernel.block[axis].into(), self.block[axis])?;
        }
        // Each factor is at most 1024 here.
        within(
            LaunchLimit::Threads,
            kernel.block.iter().map(|&threads| u64::from(threads)).product(),
            self.threads,
        )?;
        let blocks = kernel.cluster().map_or(1, |cluster| cluster.iter().product());
        within(LaunchLimit::Cluster, u64::from(blocks), self.cluster)?;
        within(LaunchLimit::SharedMemory, kernel.shared_bytes.into(), self.shared_bytes)
    }
}

#[cfg(test)]
mod tests;
