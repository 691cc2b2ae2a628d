//! The profile of a device, from the attributes that the driver reports.

use cudarc::driver::sys::CUdevice_attribute as Attribute;

use super::Context;
use crate::profile::Profile;

impl Context {
    /// The profile of the device.
    pub(in crate::cuda) fn profile(&self) -> Profile {
        let limits = self.limits();
        // A driver that does not know an attribute answers an error; one that has no number for it, zero.
        let attribute = |attribute: Attribute| self.attribute(attribute as u32).ok().filter(|&value| value != 0);
        let bytes = |which| attribute(which).map(u64::from);
        let mut profile = Profile {
            max_block: limits.block,
            max_block_threads: limits.threads,
            max_grid: limits.grid,
            max_cluster_blocks: limits.cluster,
            multiprocessors: self.multiprocessors,
            multiprocessor_threads: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
            multiprocessor_blocks: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR),
            multiprocessor_registers: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
            max_shared_bytes: limits.all_shared_bytes.into(),
            multiprocessor_shared_bytes: bytes(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
            memory_bytes: Some(self.memory as u64),
            max_buffer_bytes: self.memory as u64,
            l2_bytes: bytes(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
            memory_bandwidth: bandwidth(
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE),
                attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
            ),
            copy_engines: attribute(Attribute::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT),
            ..Profile::common("cuda", self.name())
        };
        profile.set_capability((self.target / 10, self.target % 10));
        profile.grid_sync &= limits.cooperative;
        profile
    }
}

/// Bytes per second of a memory with a clock in kHz and a bus of so many bits, which moves two bits on each line
/// in a cycle.
fn bandwidth(clock: Option<u32>, bits: Option<u32>) -> Option<u64> {
    Some(u64::from(clock?) * 1000 * 2 * u64::from(bits?) / 8)
}
