//! Queries of a device's properties.

use vyre_abi::ops::WARP_SIZE;

use crate::Device;

impl Device {
    /// The compute capability of a CUDA device, `(9, 0)`; `None` on the CPU, which has none and runs all kernels.
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        let target = self.state().backend().target()?;
        Some((target / 10, target % 10))
    }

    /// True if kernels run that need this compute capability. The CPU runs all.
    ///
    /// The documentation of a feature of kernels names the capability that it needs: tensor cores and asynchronous
    /// copies 8.0, clusters 9.0.
    pub fn has_compute_capability(&self, major: u32, minor: u32) -> bool {
        self.compute_capability().is_none_or(|found| found >= (major, minor))
    }

    /// The most blocks of a cluster: 8, or 1 where there are no clusters. A launch of a kernel with larger ones is an
    /// error.
    pub fn max_cluster_blocks(&self) -> u32 {
        self.state().backend().limits().cluster
    }

    /// The most bytes of shared memory that a block has, its variables and what `.shared_bytes(n)` gives together.
    ///
    /// On the CPU that of the GPUs which have most. Kernels that shall run on all devices take at most 48 KiB.
    pub fn max_shared_bytes(&self) -> usize {
        self.state().backend().limits().all_shared_bytes as usize
    }

    /// The most threads of a block: 1024 on all devices of today.
    pub fn max_block_threads(&self) -> u32 {
        self.state().backend().limits().threads
    }

    /// The most blocks of a launch along x, y and z.
    pub fn max_grid(&self) -> [u32; 3] {
        self.state().backend().limits().grid
    }

    /// The threads of a warp, 32.
    pub fn warp_size(&self) -> u32 {
        WARP_SIZE
    }

    /// How many multiprocessors a GPU has, of which each runs some blocks at a time; on the CPU, how many threads of
    /// the host run blocks. [`Device::resident_blocks`] tells how many blocks of a kernel run on all of them together.
    pub fn multiprocessors(&self) -> u32 {
        self.state().backend().multiprocessors()
    }

    /// True if kernels run that wait for the whole grid, by `grid::sync()`.
    pub fn can_sync_grid(&self) -> bool {
        self.state().backend().limits().cooperative
    }
}
