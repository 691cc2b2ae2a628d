//! The limits of a device on launches, and the grid of a launch.

use vyre_abi::limits::{MAX_CLUSTER_BLOCKS, SHARED_ALIGN};

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

/// The number of blocks of so many threads that cover an extent. Most axes of a launch have one block, which takes no
/// division.
#[inline]
fn cover(extent: u64, threads: u64) -> u64 {
    match extent <= threads {
        true => u64::from(extent != 0),
        false => extent.div_ceil(threads),
    }
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
        let blocks = self.coarse_blocks(kernel, coarsening);
        let [x, y, z] = blocks;
        // Kernels rely on it: threads of a one-dimensional kernel differ in x only.
        let is_flat = (y <= 1 || kernel.dimensions > 1) && (z <= 1 || kernel.dimensions > 2);
        let [most_x, most_y, most_z] = limits.grid.map(u64::from);
        let is_whole = kernel.cluster().is_none_or(|cluster| divides(cluster, blocks));
        match is_flat && is_whole && x <= most_x && y <= most_y && z <= most_z {
            true => Ok(blocks.map(|count| count as u32)),
            false => Err(refusal(kernel, blocks, limits)),
        }
    }

    /// The blocks along each axis, if a thread covers one index; they may be more than a device runs.
    pub(crate) fn blocks(&self, kernel: &KernelDescription<'_>) -> [u64; 3] {
        self.coarse_blocks(kernel, 1)
    }

    #[inline]
    fn coarse_blocks(&self, kernel: &KernelDescription<'_>, coarsening: u32) -> [u64; 3] {
        let [x, y, z] = match *self {
            Extent::Grid(grid) => return grid.map(u64::from),
            Extent::Over(domain) => domain,
        };
        let [width, height, depth] = kernel.block.map(|threads| u64::from(threads.max(1)));
        let width = width * u64::from(coarsening.max(1));
        let blocks = [cover(x, width), cover(y, height), cover(z, depth)];
        // Whole clusters.
        match kernel.cluster() {
            Some(cluster) => [0, 1, 2].map(|axis| whole(blocks[axis], cluster[axis])),
            None => blocks,
        }
    }
}

/// True if a grid consists of whole clusters.
fn divides(cluster: [u32; 3], blocks: [u64; 3]) -> bool {
    (0..3).all(|axis| blocks[axis].is_multiple_of(cluster[axis].into()))
}

/// The reason why a grid is none for the kernel or the device.
#[cold]
fn refusal(kernel: &KernelDescription<'_>, blocks: [u64; 3], limits: &Limits) -> Error {
    let name = kernel.name.to_owned().into();
    if blocks.iter().skip(kernel.dimensions as usize).any(|&count| count > 1) {
        return Error::WrongDimensions {
            kernel: name,
            dimensions: kernel.dimensions,
            blocks,
        };
    }
    if let Some(cluster) = kernel.cluster().filter(|&cluster| !divides(cluster, blocks)) {
        return Error::BrokenClusters {
            kernel: name,
            cluster,
            blocks,
        };
    }
    let axis = (0..3)
        .find(|&axis| blocks[axis] > limits.grid[axis].into())
        .unwrap_or(0);
    Error::TooLarge {
        kernel: name,
        what: LaunchLimit::Grid(axis),
        requested: blocks[axis],
        limit: limits.grid[axis].into(),
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

    /// The dynamic shared memory of a launch, if it fits behind that of the kernel.
    pub(crate) fn check_dynamic(&self, kernel: &KernelDescription<'_>, dynamic: u64) -> Result<u32> {
        // As assemblers lay it out: dynamic memory begins at a multiple of its alignment.
        let own = u64::from(kernel.shared_bytes).next_multiple_of(SHARED_ALIGN);
        self.check_shared(kernel, own, dynamic)
    }

    /// The same behind so many bytes of the kernel's own.
    pub(crate) fn check_shared(&self, kernel: &KernelDescription<'_>, own: u64, dynamic: u64) -> Result<u32> {
        let requested = own.saturating_add(dynamic);
        if dynamic == 0 || requested <= u64::from(self.all_shared_bytes) {
            // It is less than the limit, which has 32 bits.
            return Ok(dynamic as u32);
        }
        Err(Error::TooLarge {
            kernel: kernel.name.to_owned().into(),
            what: LaunchLimit::SharedMemory { own, dynamic },
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
        let shared = LaunchLimit::SharedMemory {
            own: kernel.shared_bytes.into(),
            dynamic: 0,
        };
        within(shared, kernel.shared_bytes.into(), self.shared_bytes)
    }
}

#[cfg(test)]
mod tests;
