//! Profiles: what a device is and has, as plain data for planners.
//!
//! - `architecture` has what follows from a compute capability.
//! - `known` is a table of GPUs, for planning without one.

mod architecture;
mod known;

use vyre_abi::ops::WARP_SIZE;

/// The profile of a device.
///
/// Fields are what the driver reports or what follows from the compute capability. `None` is a fact that the
/// device does not have or nobody reports; no field has a made-up value. The last fields say which features of
/// kernels run, and are true only for what vyre compiles.
///
/// ```
/// use vyre::{Device, Profile};
///
/// # fn main() -> vyre::Result<()> {
/// let here = Device::best()?.profile();
/// let planned = Profile::known("h100-sxm")?;
/// let threads = |profile: &Profile| profile.multiprocessors * profile.max_block_threads;
/// assert!(threads(&planned) == 132 * 1024 && threads(&here) >= 1024);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Profile {
    /// The back end: `cuda` or `cpu`.
    pub backend: String,
    /// The name, as the vendor calls it.
    pub name: String,
    /// The compute capability, `(9, 0)`; `None` on the CPU.
    pub compute_capability: Option<(u32, u32)>,

    /// Most threads of a block along x, y and z.
    pub max_block: [u32; 3],
    /// Most threads of a block in total.
    pub max_block_threads: u32,
    /// Most blocks of a launch along x, y and z.
    pub max_grid: [u32; 3],
    /// Most blocks of a cluster; 1 without clusters.
    pub max_cluster_blocks: u32,
    /// Threads of a warp.
    pub warp_size: u32,

    /// Multiprocessors; on the CPU, threads of the host that run blocks.
    pub multiprocessors: u32,
    /// Most resident threads of a multiprocessor.
    pub multiprocessor_threads: Option<u32>,
    /// Most resident blocks of a multiprocessor.
    pub multiprocessor_blocks: Option<u32>,
    /// Registers of a multiprocessor, of 32 bits.
    pub multiprocessor_registers: Option<u32>,
    /// Most registers of a thread, of 32 bits.
    pub thread_registers: Option<u32>,

    /// Most shared memory of a block in bytes, static and dynamic together.
    pub max_shared_bytes: u64,
    /// Shared memory of a multiprocessor in bytes. A resident block takes 1024 more than it asks for from
    /// compute capability 8.0 on.
    pub multiprocessor_shared_bytes: Option<u64>,
    /// Banks of shared memory.
    pub shared_banks: Option<u32>,
    /// Width of a bank in bytes.
    pub shared_bank_bytes: Option<u32>,

    /// Memory of the device in bytes.
    pub memory_bytes: Option<u64>,
    /// Largest buffer in bytes.
    pub max_buffer_bytes: u64,
    /// L1 cache and shared memory of a multiprocessor together, in bytes. The cache is what blocks do not
    /// share.
    pub l1_bytes: Option<u64>,
    /// L2 cache in bytes.
    pub l2_bytes: Option<u64>,
    /// Peak bandwidth of the memory, in bytes per second.
    pub memory_bandwidth: Option<u64>,
    /// Engines that copy between host and device while kernels run.
    pub copy_engines: Option<u32>,

    /// Bits of the widest integers that kernels compute with.
    pub int_bits: u32,
    /// Kernels compute with `f16`.
    pub f16: bool,
    /// Kernels compute with `bf16`. Before compute capability 8.0 it is computed by `f32`.
    pub bf16: bool,
    /// Kernels compute the upper half of a product, by `mul_high`.
    pub mul_high: bool,
    /// Lanes of a warp exchange values, vote and reduce.
    pub warp_operations: bool,
    /// Kernels multiply matrices on tensor cores, by `vyre::mma`: of `f16` alone before compute capability 8.0,
    /// those of `f64` in part from 9.0 on. The CPU computes the same products.
    pub tensor_cores: bool,
    /// Copies from global to shared memory overlap with computation. The CPU does them at once.
    pub async_copies: bool,
    /// Kernels may wait for the whole grid.
    pub grid_sync: bool,
    /// A kernel's fault reaches the host as an error, and the device stays usable.
    pub faults: bool,
    /// The device itself takes the times of [events](crate::Event). For the CPU the host's clock does.
    pub device_times: bool,
}

impl Profile {
    /// The facts that all devices of a back end have in common, for devices with kernels. The caller fills in
    /// the rest.
    pub(crate) fn common(backend: &str, name: &str) -> Profile {
        Profile {
            backend: backend.to_owned(),
            name: name.to_owned(),
            compute_capability: None,
            max_block: [1024, 1024, 64],
            max_block_threads: 1024,
            max_grid: [i32::MAX as u32, 65535, 65535],
            max_cluster_blocks: 1,
            warp_size: WARP_SIZE,
            multiprocessors: 0,
            multiprocessor_threads: None,
            multiprocessor_blocks: None,
            multiprocessor_registers: None,
            thread_registers: None,
            max_shared_bytes: 0,
            multiprocessor_shared_bytes: None,
            shared_banks: None,
            shared_bank_bytes: None,
            memory_bytes: None,
            max_buffer_bytes: isize::MAX as u64,
            l1_bytes: None,
            l2_bytes: None,
            memory_bandwidth: None,
            copy_engines: None,
            int_bits: 64,
            f16: true,
            bf16: true,
            mul_high: true,
            warp_operations: true,
            tensor_cores: true,
            async_copies: true,
            grid_sync: true,
            faults: true,
            device_times: false,
        }
    }
}

#[cfg(test)]
mod tests;
