//! The limits of a device on launches, and the grid of a launch.

use vyre_abi::limits::MAX_CLUSTER_BLOCKS;

use crate::error::{Error, LaunchLimit, Result};
use crate::load::kernel::KernelDescription;

/// Refuses a cooperative launch of more blocks than can be co-resident.
pub(crate) fn check_resident(kernel: &KernelDescription<'_>, grid: [u32; 3], limit: u64) -> Result<()> {
    let requested = grid.iter().map(|&extent| u64::from(extent)).product();
    if requested <= limit {
        return Ok(());
    }
    Err(Error::TooLarge {
        kernel: kernel.name.to_owned().into(),
        what: LaunchLimit::Resident,
        requested,
        limit,
    })
}

/// Rounds up to whole clusters, saturating.
fn whole(blocks: u64, cluster: u32) -> u64 {
    blocks.checked_next_multiple_of(cluster.into()).unwrap_or(u64::MAX)
}

/// The extent of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// At least as many threads as cover this domain, in whole blocks.
    Over([u64; 3]),
    /// This number of blocks.
    Grid([u32; 3]),
}

impl Extent {
    /// The blocks along each axis, if a thread covers `coarsening` neighbours along x.
    #[inline]
    pub(crate) fn grid(&self, kernel: &KernelDescription<'_>, coarsening: u32, limits: &Limits) -> Result<[u32; 3]> {
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
        // Kernels rely on it: threads of a one-dimensional kernel differ in x only.
        if blocks.iter().skip(kernel.dimensions as usize).any(|&count| count > 1) {
            return Err(Error::WrongDimensions {
                kernel: kernel.name.to_owned().into(),
                dimensions: kernel.dimensions,
                blocks,
            });
        }
        if let Some(cluster) = kernel.cluster()
            && (0..3).any(|axis| !blocks[axis].is_multiple_of(cluster[axis].into()))
        {
            return Err(Error::BrokenClusters {
                kernel: kernel.name.to_owned().into(),
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
                        kernel: kernel.name.to_owned().into(),
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

/// The limits of a device on launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Blocks along each axis.
    pub(crate) grid: [u32; 3],
    /// Threads of a block along each axis.
    pub(crate) block: [u32; 3],
    /// Threads of a block in total.
    pub(crate) threads: u32,
    /// Static shared memory of a block, in bytes.
    pub(crate) shared_bytes: u32,
    /// Static plus dynamic shared memory of a block, in bytes.
    pub(crate) all_shared_bytes: u32,
    /// Blocks of a cluster; 1 without cluster support.
    pub(crate) cluster: u32,
    /// True if kernels may wait for the whole grid.
    pub(crate) cooperative: bool,
}

impl Limits {
    /// The limits of every CUDA device, but for dynamic shared memory and clusters, of which those that have
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
    pub(crate) fn check_dynamic(&self, kernel: &KernelDescription<'_>, shared_bytes: u32) -> Result<()> {
        let requested = u64::from(kernel.shared_bytes) + u64::from(shared_bytes);
        if shared_bytes == 0 || requested <= u64::from(self.all_shared_bytes) {
            return Ok(());
        }
        Err(Error::TooLarge {
            kernel: kernel.name.to_owned().into(),
            what: LaunchLimit::SharedMemory,
            requested,
            limit: self.all_shared_bytes.into(),
        })
    }

    /// Checks the properties common to all launches of a kernel.
    pub(crate) fn check(&self, kernel: &KernelDescription<'_>) -> Result<()> {
        let within = |what, requested: u64, limit: u32| match requested <= u64::from(limit) {
            true => Ok(()),
            false => Err(Error::TooLarge {
                kernel: kernel.name.to_owned().into(),
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
