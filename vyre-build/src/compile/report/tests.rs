use vyre_abi::target::Target;

use super::{Row, json, text};
use crate::report::resources::Resources;

const SAID: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'rows_2' for 'sm_90'
ptxas info    : Function properties for rows_2
    48 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 48 bytes cumulative stack size, 5120 bytes smem
ptxas info    : Compile time = 44.864 ms
ptxas info    : Compiling entry function 'rows' for 'sm_90'
ptxas info    : Function properties for rows
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Compile time = 4.864 ms
";

fn target(name: &str) -> Target {
    Target::from_name(name).expect("it is a target")
}

fn resources(registers: u32, shared: u32) -> Resources {
    Resources {
        registers,
        shared,
        ..Resources::default()
    }
}

#[test]
fn what_ptxas_says_is_read_by_entry() {
    let first = Resources::read(SAID, "rows_2", 100);
    let wanted = Resources {
        registers: 64,
        shared: 5120,
        stack: 48,
        spill_stores: 16,
        spill_loads: 24,
        bytes: 100,
    };
    assert_eq!(first, Some(wanted));
    assert_eq!(Resources::read(SAID, "rows", 0), Some(resources(32, 0)));
    assert_eq!(Resources::read(SAID, "columns", 0), None);
}

/// Results of `cudaOccupancyMaxActiveBlocksPerMultiprocessor` and of the CUDA Occupancy Calculator.
#[test]
fn occupancy_is_that_of_the_calculator() {
    for (name, threads, registers, shared, expected) in [
        // All threads of a multiprocessor.
        ("sm_80", 256, 32, 0, (8, 100)),
        ("sm_90", 1024, 32, 0, (2, 100)),
        ("sm_86", 256, 32, 0, (6, 100)),
        ("sm_75", 256, 32, 0, (4, 100)),
        // Registers: 255 of each of 256 threads fit once.
        ("sm_80", 256, 255, 0, (1, 12)),
        ("sm_80", 256, 64, 0, (4, 50)),
        ("sm_80", 256, 65, 0, (3, 37)),
        // 40 registers are 5 units a warp: 12 warps of each quarter.
        ("sm_80", 256, 40, 0, (6, 75)),
        // Shared memory: with the system's KiB, 49 KiB of 164.
        ("sm_80", 128, 32, 48 * 1024, (3, 18)),
        ("sm_90", 128, 32, 227 * 1024, (1, 6)),
        ("sm_75", 128, 32, 32 * 1024, (2, 25)),
        // The number of blocks.
        ("sm_90", 32, 16, 0, (32, 50)),
        ("sm_86", 32, 16, 0, (16, 33)),
        // A block of whole warps.
        ("sm_90", 33, 16, 0, (32, 100)),
    ] {
        let found = resources(registers, shared).occupancy(target(name), threads);
        assert_eq!(
            found,
            Some(expected),
            "{name}, {threads} threads, {registers} registers, {shared} bytes"
        );
    }
    assert_eq!(resources(32, 0).occupancy(target("sm_87"), 256), None);
}

fn rows() -> Vec<Row> {
    let row = |entry: &str, name: &str, outcome| Row {
        module: "filters/blur".to_owned(),
        kernel: "rows".to_owned(),
        entry: entry.to_owned(),
        target: target(name),
        threads: 256,
        outcome,
    };
    vec![
        row("rows", "sm_80", Err("needs sm_90".to_owned())),
        row("rows", "sm_90", Ok(resources(32, 0))),
        row(
            "rows_2",
            "sm_90",
            Resources::read(SAID, "rows_2", 12345).ok_or_else(String::new),
        ),
        row("rows", "sm_87", Ok(resources(8, 1024))),
    ]
}

#[test]
fn the_text_is_a_table() {
    assert_eq!(
        text(&rows(), "ptxas 13.0, /a b/ptxas", &[]),
        "\
Machine code by ptxas 13.0, /a b/ptxas

kernel                target  registers  shared  spilled  stack  blocks  occupancy  bytes
filters/blur: rows    sm_80   needs sm_90
filters/blur: rows    sm_90          32       0        0      0       8      100 %      0
filters/blur: rows_2  sm_90          64    5120       40     48       4       50 %  12345
filters/blur: rows    sm_87           8    1024        0      0       ?          ?      0

shared, stack and spilled are bytes: of a block, of a thread, stored and loaded by a thread. blocks run at a time on a \
multiprocessor, and are so much of its threads.
"
    );
}

#[test]
fn the_json_has_the_same() {
    let json = json(&rows()[..2], "C:\\\"p\"\n", &[]);
    assert_eq!(
        json,
        r#"{
  "format": 1,
  "assembler": "C:\\\"p\"\u000a",
  "kernels": [
    {"module": "filters/blur", "kernel": "rows", "entry": "rows", "target": "sm_80", "block_threads": 256, "reason": "needs sm_90"},
    {"module": "filters/blur", "kernel": "rows", "entry": "rows", "target": "sm_90", "block_threads": 256, "registers": 32, "shared_bytes": 0, "stack_bytes": 0, "spill_store_bytes": 0, "spill_load_bytes": 0, "resident_blocks": 8, "occupancy_percent": 100, "cubin_bytes": 0}
  ],
  "reports": []
}
"#
    );
}
