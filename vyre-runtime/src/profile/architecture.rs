//! What follows from a compute capability.
//!
//! The numbers are from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and,
//! for the size of L1 cache and shared memory together, from "Shared Memory" in the section of each capability
//! there. 7.0, which newer editions leave out, is from the edition of CUDA 12.0.

use super::Profile;

/// The capabilities with a row. A device of another one reports its own numbers, all but the size of its L1.
pub(super) const ARCHITECTURES: [Architecture; 8] = [
    row((7, 0), [2048, 32], [96, 96, 128]),
    row((7, 5), [1024, 16], [64, 64, 96]),
    row((8, 0), [2048, 32], [164, 163, 192]),
    row((8, 6), [1536, 16], [100, 99, 128]),
    row((8, 9), [1536, 24], [100, 99, 128]),
    row((9, 0), [2048, 32], [228, 227, 256]),
    row((10, 0), [2048, 32], [228, 227, 256]),
    row((12, 0), [1536, 24], [100, 99, 128]),
];

/// The properties of a compute capability.
#[derive(Clone, Copy, Debug)]
pub(super) struct Architecture {
    pub(super) capability: (u32, u32),
    /// Resident threads and blocks of a multiprocessor.
    pub(super) threads: u32,
    pub(super) blocks: u32,
    /// Bytes of shared memory of a multiprocessor and of a block.
    pub(super) shared: u64,
    pub(super) block_shared: u64,
    /// Bytes of L1 cache and shared memory together.
    pub(super) l1_and_shared: u64,
}

/// Registers of a multiprocessor and the most of a thread, the same for all.
pub(super) const REGISTERS: u32 = 64 * 1024;
const THREAD_REGISTERS: u32 = 255;

/// Banks of shared memory and their width in bytes, the same for all.
const BANKS: u32 = 32;
const BANK_BYTES: u32 = 4;

const fn row(capability: (u32, u32), [threads, blocks]: [u32; 2], kilobytes: [u64; 3]) -> Architecture {
    let [shared, block_shared, l1_and_shared] = kilobytes;
    Architecture {
        capability,
        threads,
        blocks,
        shared: shared * 1024,
        block_shared: block_shared * 1024,
        l1_and_shared: l1_and_shared * 1024,
    }
}

/// The row of a compute capability.
pub(super) fn architecture(capability: (u32, u32)) -> Option<&'static Architecture> {
    ARCHITECTURES.iter().find(|row| row.capability == capability)
}

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
