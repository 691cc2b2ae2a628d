//! Registers, shared memory and spills of machine code, by the output of ptxas, and its occupancy.

use vyre_abi::architecture::{REGISTERS, architecture};
use vyre_abi::target::Target;

/// The resources of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Resources {
    /// Registers of a thread.
    pub(crate) registers: u32,
    /// Static shared memory of a block, in bytes.
    pub(crate) shared: u32,
    /// Bytes of the stack of a thread.
    pub(crate) stack: u32,
    /// Bytes that a thread stores to spill registers.
    pub(crate) spill_stores: u32,
    /// Bytes that a thread loads to restore them.
    pub(crate) spill_loads: u32,
    /// The size of the file with all entries of the kernel.
    pub(crate) bytes: usize,
}

impl Resources {
    /// Reads what `ptxas -v` has said about an entry; `None` if it said something else.
    pub(crate) fn read(said: &str, entry: &str, bytes: usize) -> Option<Resources> {
        let start = said.find(&format!("Compiling entry function '{entry}' "))?;
        let rest = &said[start..];
        let end = rest[1..]
            .find("Compiling entry function")
            .map_or(rest.len(), |end| end + 1);
        let section = &rest[..end];
        let before = |word: &str| -> Option<u32> {
            let (before, _) = section.split_once(word)?;
            before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        Some(Resources {
            registers: before(" registers")?,
            // Left out where there is none.
            shared: before(" bytes smem").unwrap_or(0),
            stack: before(" bytes stack frame").unwrap_or(0),
            spill_stores: before(" bytes spill stores").unwrap_or(0),
            spill_loads: before(" bytes spill loads").unwrap_or(0),
            bytes,
        })
    }

    /// Blocks that a multiprocessor runs at a time, and the part of its threads that they are, in percent. `None` for
    /// architectures whose multiprocessors vyre does not know.
    ///
    /// The rules are those of the CUDA Occupancy Calculator: a warp takes registers in units of 256, each quarter of a
    /// multiprocessor has its own, and shared memory is given in units of 128 bytes, 256 before 8.0. From 8.0 on the
    /// system takes 1 KiB of each block.
    pub(crate) fn occupancy(&self, target: Target, threads: u32) -> Option<(u32, u32)> {
        let capability = (target.capability / 10, target.capability % 10);
        let device = architecture(capability)?;
        let warps = threads.div_ceil(32).max(1);
        let by_warps = device.threads / 32 / warps;
        let warp_registers = (self.registers * 32).next_multiple_of(256).max(256);
        let by_registers = REGISTERS / 4 / warp_registers * 4 / warps;
        let (unit, kept) = if capability >= (8, 0) { (128, 1024) } else { (256, 0) };
        let by_shared = match (u64::from(self.shared) + kept).next_multiple_of(unit) {
            0 => u32::MAX,
            bytes => u32::try_from(device.shared / bytes).unwrap_or(u32::MAX),
        };
        let blocks = by_warps.min(by_registers).min(by_shared).min(device.blocks);
        Some((blocks, 100 * blocks * warps * 32 / device.threads))
    }

    /// The fields of a JSON object.
    pub(crate) fn json(&self, target: Target, threads: u32) -> String {
        let occupancy = self.occupancy(target, threads);
        let number = |value: Option<u32>| value.map_or("null".to_owned(), |value| value.to_string());
        format!(
            "\"registers\": {}, \"shared_bytes\": {}, \"stack_bytes\": {}, \"spill_store_bytes\": {}, \
             \"spill_load_bytes\": {}, \"resident_blocks\": {}, \"occupancy_percent\": {}",
            self.registers,
            self.shared,
            self.stack,
            self.spill_stores,
            self.spill_loads,
            number(occupancy.map(|(blocks, _)| blocks)),
            number(occupancy.map(|(_, percent)| percent)),
        )
    }
}
