//! Resources that machine code uses, as text for people and JSON for programs.

use std::fmt::Write;

use vyre_abi::architecture::{REGISTERS, architecture};
use vyre_abi::target::Target;

/// An entry of a kernel on an architecture.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) module: String,
    pub(super) kernel: String,
    pub(super) entry: String,
    pub(super) target: Target,
    /// Threads of a block.
    pub(super) threads: u32,
    pub(super) outcome: Result<Resources, String>,
}

/// The resources of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Resources {
    /// Registers of a thread.
    pub(super) registers: u32,
    /// Static shared memory of a block, in bytes.
    pub(super) shared: u32,
    /// Bytes of the stack of a thread.
    pub(super) stack: u32,
    /// Bytes that a thread stores to spill registers.
    pub(super) spill_stores: u32,
    /// Bytes that a thread loads to restore them.
    pub(super) spill_loads: u32,
    /// The size of the file with all entries of the kernel.
    pub(super) bytes: usize,
}

impl Resources {
    /// Reads what `ptxas -v` has said about an entry; `None` if it said something else.
    pub(super) fn read(said: &str, entry: &str, bytes: usize) -> Option<Resources> {
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
    pub(super) fn occupancy(&self, target: Target, threads: u32) -> Option<(u32, u32)> {
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
}

/// The report for people: a table.
pub(super) fn text(rows: &[Row], assembler: &str) -> String {
    let heads = [
        "kernel",
        "target",
        "registers",
        "shared",
        "spilled",
        "stack",
        "blocks",
        "occupancy",
        "bytes",
    ];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    for row in rows {
        let mut cells = vec![format!("{}: {}", row.module, row.entry), row.target.to_string()];
        match &row.outcome {
            Ok(it) => {
                let occupancy = it.occupancy(row.target, row.threads);
                let known = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
                cells.extend([
                    it.registers.to_string(),
                    it.shared.to_string(),
                    (it.spill_stores + it.spill_loads).to_string(),
                    it.stack.to_string(),
                    known(occupancy.map(|(blocks, _)| blocks.to_string())),
                    known(occupancy.map(|(_, percent)| format!("{percent} %"))),
                    it.bytes.to_string(),
                ]);
            }
            Err(reason) => cells.push(reason.clone()),
        }
        table.push(cells);
    }
    let width = |column: usize| {
        // A reason reaches over the columns.
        let full = table.iter().filter(|cells| column < 2 || cells.len() == heads.len());
        full.map(|cells| cells[column].chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let mut out = format!("Machine code by {assembler}\n\n");
    for cells in &table {
        let is_reason = cells.len() < heads.len();
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let width = widths[column];
            let _ = match column {
                0 | 1 => write!(line, "{cell:width$}  "),
                _ if is_reason => write!(line, "{cell}"),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out + "\nshared, stack and spilled are bytes: of a block, of a thread, stored and loaded by a thread. blocks run at a time \
           on a multiprocessor, and are so much of its threads.\n"
}

/// The report for programs.
pub(super) fn json(rows: &[Row], assembler: &str) -> String {
    let mut out = format!(
        "{{\n  \"format\": 1,\n  \"assembler\": {},\n  \"kernels\": [",
        quoted(assembler)
    );
    for (number, row) in rows.iter().enumerate() {
        out.push_str(if number == 0 { "\n" } else { ",\n" });
        let _ = write!(
            out,
            "    {{\"module\": {}, \"kernel\": {}, \"entry\": {}, \"target\": \"{}\", \"block_threads\": {}, ",
            quoted(&row.module),
            quoted(&row.kernel),
            quoted(&row.entry),
            row.target,
            row.threads,
        );
        let _ = match &row.outcome {
            Ok(it) => {
                let occupancy = it.occupancy(row.target, row.threads);
                let number = |value: Option<u32>| value.map_or("null".to_owned(), |value| value.to_string());
                write!(
                    out,
                    "\"registers\": {}, \"shared_bytes\": {}, \"stack_bytes\": {}, \"spill_store_bytes\": {}, \
                     \"spill_load_bytes\": {}, \"resident_blocks\": {}, \"occupancy_percent\": {}, \"cubin_bytes\": {}}}",
                    it.registers,
                    it.shared,
                    it.stack,
                    it.spill_stores,
                    it.spill_loads,
                    number(occupancy.map(|(blocks, _)| blocks)),
                    number(occupancy.map(|(_, percent)| percent)),
                    it.bytes,
                )
            }
            Err(reason) => write!(out, "\"reason\": {}}}", quoted(reason)),
        };
    }
    out + "\n  ]\n}\n"
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            c if u32::from(c) < 0x20 => write!(out, "\\u{:04x}", u32::from(c)),
            c => write!(out, "{c}"),
        };
    }
    out + "\""
}

#[cfg(test)]
mod tests;
