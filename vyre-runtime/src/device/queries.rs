//! Queries of a device's properties.

use vyre_abi::ops::WARP_SIZE;

use crate::Device;

impl Device {
    /// The compute capability of a CUDA device, `(9, 0)`; `None` on the CPU, which has none and runs all kernels.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// match Device::best()?.compute_capability() {
    ///     Some((major, minor)) => println!("sm_{major}{minor}"),
    ///     None => println!("the CPU"),
    /// }
    /// assert_eq!(Device::cpu().compute_capability(), None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        let target = self.state().backend().target()?;
        Some((target / 10, target % 10))
    }

    /// True if kernels run that need this compute capability. The CPU runs all.
    ///
    /// The documentation of a feature of kernels names the capability that it needs: tensor cores and asynchronous
    /// copies 8.0, clusters 9.0.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let kernel = if device.has_compute_capability(8, 0) { "tensor cores" } else { "plain arithmetic" };
    /// println!("matrix products by {kernel}");
    /// assert!(Device::cpu().has_compute_capability(9, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn has_compute_capability(&self, major: u32, minor: u32) -> bool {
        self.compute_capability().is_none_or(|found| found >= (major, minor))
    }

    /// The maximum of the blocks of a cluster: 8, or 1 without cluster support. A launch of a
    /// kernel with larger ones is an error.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let clusters = device.max_cluster_blocks() > 1;
    /// assert!(clusters || !device.has_compute_capability(9, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_cluster_blocks(&self) -> u32 {
        self.state().backend().limits().cluster
    }

    /// The maximum of the shared memory of a block in bytes: static variables plus
    /// `.shared_bytes(n)`.
    ///
    /// On the CPU it is that of the largest GPUs. Kernels for all devices use at most 48 KiB.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// // The longest row of floats that fits, with a second one beside it.
    /// let longest = Device::best()?.max_shared_bytes() / (2 * size_of::<f32>());
    /// assert!(longest >= 48 * 1024 / 8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_shared_bytes(&self) -> usize {
        self.state().backend().limits().all_shared_bytes as usize
    }

    /// The maximum of the threads of a block: 1024 on all current devices.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert_eq!(Device::best()?.max_block_threads(), 1024);
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_block_threads(&self) -> u32 {
        self.state().backend().limits().threads
    }

    /// The maximum of the blocks of a launch along x, y and z.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let [x, y, _] = Device::best()?.max_grid();
    /// assert!(x > y && y >= 65_535); // put the longest axis first
    /// # Ok(())
    /// # }
    /// ```
    pub fn max_grid(&self) -> [u32; 3] {
        self.state().backend().limits().grid
    }

    /// The number of threads of a warp, 32.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert_eq!(Device::best()?.warp_size(), 32);
    /// # Ok(())
    /// # }
    /// ```
    pub fn warp_size(&self) -> u32 {
        WARP_SIZE
    }

    /// The number of multiprocessors of a GPU; on the CPU, the number of host threads that run
    /// blocks. [`Device::resident_blocks`] returns how many blocks of a kernel run on all of them
    /// together.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// x := 2 * x, by a grid of any size.
    /// #[vyre::kernel]
    /// fn twice(x: &mut [f32]) {
    ///     let mut i = thread::index();
    ///     while i < x.len() {
    ///         x[i] *= 2.0;
    ///         i += grid::dim().x * block::dim().x;
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1.0; 100_000])?;
    /// twice(&mut x).grid(4 * device.multiprocessors()).launch(&device)?;
    /// assert_eq!(x.download()?, [2.0; 100_000]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn multiprocessors(&self) -> u32 {
        self.state().backend().multiprocessors()
    }

    /// True if kernels run that wait for the whole grid, by `grid::sync()`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// // All NVIDIA GPUs that vyre supports can, but some virtual machines switch it off.
    /// assert!(Device::cpu().can_sync_grid());
    /// # Ok(())
    /// # }
    /// ```
    pub fn can_sync_grid(&self) -> bool {
        self.state().backend().limits().cooperative
    }
}
