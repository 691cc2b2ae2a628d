//! Reads of memory that nothing has written.

use vyre_ir::interp::Argument;
use vyre_ir::interp::check::{Check, Kind, Unwritten};

use super::{Kernel, launch, parse, words};

#[test]
fn shared_memory_that_nobody_wrote() {
    let kernel = Kernel {
        grid: [2, 1, 1],
        ..Kernel::block("32 1 1").with("shared tile: [u32; 33]")
    };
    let body = |index: &str| {
        format!(
            "store shared::tile[linear_index_in_block] = 1u32 @2:5
            barrier @3:5
            store out[linear_index] = shared::tile[{index}] @4:5"
        )
        .replace("linear_index_in_block", "cast u64(thread_index.x)")
    };
    let report = kernel.finds(&body("add(cast u64(thread_index.x), 1u64)"), Kind::Unwritten, &[4]);
    assert_eq!(report.object, "`tile[32]` in shared memory");
    kernel.passes(&body("sub(31u64, cast u64(thread_index.x))"));
    // What an earlier block has written is gone.
    let once = "if eq(block_index.x, 0u32) {
            store shared::tile[cast u64(thread_index.x)] = 1u32 @3:9
        }
        store out[linear_index] = shared::tile[cast u64(thread_index.x)] @5:5";
    kernel.finds(once, Kind::Unwritten, &[5]);
}

#[test]
fn atomic_cells_of_shared_memory_start_without_values() {
    let kernel = Kernel::block("32 1 1").with("shared bins: [AtomicU32; 32]");
    let add = "atomic add(shared::bins[linear_index], 1u32) relaxed block @3:5";
    let report = kernel.finds(add, Kind::Unwritten, &[3]);
    assert!(report.object.starts_with("`bins["), "{report}");
    kernel.passes(&format!(
        "atomic store(shared::bins[linear_index], 0u32) relaxed block @2:5\n{add}"
    ));
}

#[test]
fn elements_of_local_arrays() {
    let kernel = Kernel::block("4 1 1");
    let body = |from: u32| {
        format!(
            "let a: [u32; 4]
            let i: u64
            store i = {from}u64
            loop {{
                if eq(i, 4u64) {{
                    break 0
                }}
                store a[i] = 1u32 @4:9
            }} step {{
                store i = add(i, 1u64)
            }}
            store out[linear_index] = a[linear_index] @6:5"
        )
    };
    let report = kernel.finds(&body(1), Kind::Unwritten, &[6]);
    assert!(report.object.contains('a'), "{report}");
    kernel.passes(&body(0));
    kernel.passes("let a: [u32; 4]\nstore a = repeat [u32; 4](3u32)\nstore out[linear_index] = a[linear_index] @6:5");
}

/// The locals of a call are new in each call.
#[test]
fn local_arrays_of_calls() {
    let items = "fn get(write: bool) -> u32 {
            let a: [u32; 2]
            if write {
                store a[1u64] = 5u32 @21:5
            }
            return a[1u64] @22:5
        }";
    let body = |second: bool| {
        format!(
            "let v: u32
            call v = get(true) @2:5
            call v = get({second}) @3:5
            store out[linear_index] = v @4:5"
        )
    };
    let kernel = Kernel::block("1 1 1").with(items);
    kernel.finds(&body(false), Kind::Unwritten, &[22]);
    kernel.passes(&body(true));
}

#[test]
fn buffers_without_values() {
    let text = |body: &str| {
        format!(
            "file \"k.rs\"\nkernel k(x: &[u32], y: &mut [u32]) dimensions 1 block 4 1 1 {{ entry k {{\n{body}\n}} }}"
        )
    };
    let found = |body: &str, unwritten: &[usize]| {
        let check = Check {
            unwritten: unwritten.iter().copied().map(Unwritten::new).collect(),
            ..Check::default()
        };
        let (x, mut y) = (words(&[1; 4]), words(&[1; 4]));
        let mut arguments = [Argument::Input(&x), Argument::Slice(&mut y)];
        let checked = launch(&parse(&text(body)), &mut arguments, [1; 3], 0, &check);
        let reports = checked.reports.into_iter();
        reports
            .map(|report| (report.kind, report.object, report.parties[0].line))
            .collect::<Vec<_>>()
    };
    let add = "store y[linear_index] = add(y[linear_index], x[linear_index]) @2:5";
    assert_eq!(found(add, &[]), []);
    assert_eq!(found(add, &[1]), [(Kind::Unwritten, "`y[0]`".to_owned(), 2)]);
    assert_eq!(found(add, &[0]), [(Kind::Unwritten, "`x[0]`".to_owned(), 2)]);
    let first = format!("store y[linear_index] = 0u32 @1:5\n{add}");
    assert_eq!(found(&first, &[1]), []);
}
