//! Facts that follow from a compute capability.
//!
//! The numbers are from the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and,
//! for the size of L1 cache and shared memory together, from "Shared Memory" in the section of each capability
//! there. 7.0, which newer editions leave out, is from the edition of CUDA 12.0.

/// The capabilities with a row. A device of another one reports its own numbers, all but the size of its L1.
pub const ARCHITECTURES: [Architecture; 8] = [
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
pub struct Architecture {
    /// Major and minor number.
    pub capability: (u32, u32),
    /// Resident threads of a multiprocessor.
    pub threads: u32,
    /// Resident blocks of a multiprocessor.
    pub blocks: u32,
    /// Bytes of shared memory of a multiprocessor.
    pub shared: u64,
    /// Bytes of shared memory of a block.
    pub block_shared: u64,
    /// Bytes of L1 cache and shared memory together.
    pub l1_and_shared: u64,
}

/// Registers of a multiprocessor, the same for all.
pub const REGISTERS: u32 = 64 * 1024;

/// The most registers of a thread, the same for all.
pub const THREAD_REGISTERS: u32 = 255;

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
pub fn architecture(capability: (u32, u32)) -> Option<&'static Architecture> {
    ARCHITECTURES.iter().find(|row| row.capability == capability)
}
