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

    /// The maximum of the blocks of a cluster: 8, or 1 without cluster support. A launch of a
    /// kernel with larger ones is an error.
    pub fn max_cluster_blocks(&self) -> u32 {
        self.state().backend().limits().cluster
    }

    /// The maximum of the shared memory of a block in bytes: static variables plus
    /// `.shared_bytes(n)`.
    ///
    /// On the CPU it is that of the largest GPUs. Kernels for all devices use at most 48 KiB.
    pub fn max_shared_bytes(&self) -> usize {
        self.state().backend().limits().all_shared_bytes as usize
    }

    /// The maximum of the threads of a block: 1024 on all current devices.
    pub fn max_block_threads(&self) -> u32 {
        self.state().backend().limits().threads
    }

    /// The maximum of the blocks of a launch along x, y and z.
    pub fn max_grid(&self) -> [u32; 3] {
        self.state().backend().limits().grid
    }

    /// The number of threads of a warp, 32.
    pub fn warp_size(&self) -> u32 {
        WARP_SIZE
    }

    /// The number of multiprocessors of a GPU; on the CPU, the number of host threads that run
    /// blocks. [`Device::resident_blocks`] returns how many blocks of a kernel run on all of them
    /// together.
    pub fn multiprocessors(&self) -> u32 {
        self.state().backend().multiprocessors()
    }

    /// True if kernels run that wait for the whole grid, by `grid::sync()`.
    pub fn can_sync_grid(&self) -> bool {
        self.state().backend().limits().cooperative
    }
}
