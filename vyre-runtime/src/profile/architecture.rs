//! Facts that follow from a compute capability.

use vyre_abi::architecture::{THREAD_REGISTERS, architecture};

use super::Profile;

/// Banks of shared memory and their width in bytes, the same for all.
const BANKS: u32 = 32;
const BANK_BYTES: u32 = 4;

/// The lowest capability on which kernels run.
const KERNELS: (u32, u32) = (7, 0);

/// The lowest capability with a product of matrices.
const TENSOR_CORES: (u32, u32) = (7, 5);

/// The lowest capability with copies from global to shared memory that need no registers.
const ASYNC_COPIES: (u32, u32) = (8, 0);

impl Profile {
    /// Sets what follows from a compute capability and no driver reports.
    pub(crate) fn set_capability(&mut self, capability: (u32, u32)) {
        let runs = capability >= KERNELS;
        self.compute_capability = Some(capability);
        self.thread_registers = Some(THREAD_REGISTERS);
        self.shared_banks = Some(BANKS);
        self.shared_bank_bytes = Some(BANK_BYTES);
        self.l1_bytes = architecture(capability).map(|row| row.l1_and_shared);
        for feature in [
            &mut self.f16,
            &mut self.bf16,
            &mut self.mul_high,
            &mut self.warp_operations,
            &mut self.grid_sync,
            &mut self.faults,
            &mut self.device_times,
        ] {
            *feature = runs;
        }
        self.tensor_cores = capability >= TENSOR_CORES;
        self.async_copies = capability >= ASYNC_COPIES;
    }
}
