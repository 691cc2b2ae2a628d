//! Barriers that not all threads reach, deadlocks, and what named, cluster and grid barriers order.

use vyre_ir::interp::check::{Does, Kind};

use super::Kernel;

const TILE: &str = "shared tile: [u32; 64]";

#[test]
fn half_of_a_block_never_comes_to_the_barrier() {
    let kernel = Kernel::block("64 1 1");
    let report = kernel.finds(
        "if lt(linear_index, 16u64) {
            barrier @3:9
        }",
        Kind::Skipped,
        &[0, 3],
    );
    let parties: Vec<_> = report
        .parties
        .iter()
        .map(|party| (&party.does, party.threads))
        .collect();
    assert_eq!(parties, [(&Does::Barrier, 16), (&Does::Ended, 48)]);
    kernel.passes("barrier @3:9");
    // Threads that return are not waited for.
    kernel.passes(
        "if ge(linear_index, 16u64) {
            return
        }
        barrier @3:9",
    );
}

#[test]
fn a_part_of_a_warp_never_comes_to_its_operation() {
    let kernel = Kernel::block("64 1 1");
    let body = "let sum: u32
        if lt(linear_index, 40u64) {
            reduce.add.u32[32] sum = (1u32) @3:9
        }";
    let report = kernel.finds(body, Kind::Skipped, &[0, 3]);
    assert_eq!(report.parties[0].does, Does::WarpOperation);
    kernel.passes(&body.replace("40u64", "32u64"));
}

#[test]
fn barriers_at_two_places() {
    let kernel = Kernel::block("64 1 1");
    let report = kernel.finds(
        "if lt(linear_index, 16u64) {
            barrier @3:9
        } else {
            barrier @5:9
        }",
        Kind::Divergence,
        &[3, 5],
    );
    assert_eq!(report.parties.iter().map(|party| party.threads).sum::<u32>(), 64);
    kernel.passes("barrier @3:9");
}

/// The first warp hands a tile to the second one.
#[test]
fn named_barriers_order_arrivals_before_waits() {
    let body = |arrive: &str, wait: &str| {
        format!(
            "if lt(linear_index, 32u64) {{
                store shared::tile[linear_index] = 3u32 @3:9
                {arrive}
            }} else {{
                {wait}
                store out[linear_index] = shared::tile[sub(63u64, linear_index)] @7:9
            }}"
        )
    };
    let kernel = Kernel::block("64 1 1").with(TILE);
    kernel.passes(&body("named_barrier[1, 64] @4:9", "named_barrier.wait[1, 64] @6:9"));
    kernel.finds(&body("", ""), Kind::Race, &[3, 7]);
    // Arriving is not waiting.
    kernel.finds(
        &body("named_barrier[1, 64] @4:9", "named_barrier[1, 64] @6:9"),
        Kind::Race,
        &[3, 7],
    );
    // The tile is written again while it is read.
    let again = "named_barrier[1, 64] @4:9\nstore shared::tile[linear_index] = 4u32 @5:9";
    kernel.finds(&body(again, "named_barrier.wait[1, 64] @6:9"), Kind::Race, &[5, 7]);
    // Too few come.
    let report = kernel.finds(&body("", "named_barrier.wait[1, 64] @6:9"), Kind::Deadlock, &[0, 6]);
    assert_eq!(report.parties[0].does, Does::NamedBarrier(1));
    assert_eq!((report.parties[0].threads, report.parties[1].threads), (32, 32));
}

/// Blocks of a cluster, and of a grid, read what others have written.
#[test]
fn barriers_of_clusters_and_grids() {
    let grid = |barrier: &str| {
        format!(
            "store out[linear_index] = 1u32 @2:5
            {barrier}
            store out[add(linear_index, 64u64)] = out[xor(linear_index, 20u64)] @4:5"
        )
    };
    let kernel = Kernel {
        grid: [4, 1, 1],
        ..Kernel::block("16 1 1")
    };
    let report = kernel.finds(&grid(""), Kind::Race, &[2, 4]);
    assert!(report.missing.contains("grid::sync()"), "{report}");
    kernel.finds(&grid("barrier @3:5"), Kind::Race, &[2, 4]);
    kernel.passes(&grid("grid_barrier @3:5"));
    let cluster = Kernel {
        block: "16 1 1 cluster 2 1 1",
        ..kernel
    };
    let near = |barrier: &str| grid(barrier).replace("20u64", "16u64");
    let report = cluster.finds(&near(""), Kind::Race, &[2, 4]);
    assert!(report.missing.contains("cluster::sync()"), "{report}");
    cluster.passes(&near("cluster_barrier @3:5"));
    // The other cluster is not in it.
    cluster.finds(
        &grid("cluster_barrier @3:5").replace("20u64", "40u64"),
        Kind::Race,
        &[2, 4],
    );
}

/// A block waits in a loop for a flag that nobody sets any more.
#[test]
fn a_wait_for_a_flag_that_nobody_sets() {
    let body = |value: u32| {
        format!(
            "let seen: u32
            if lt(linear_index, 32u64) {{
                atomic store(cells[3u64], {value}u32) release device @3:9
            }} else {{
                loop {{
                    atomic seen = load(cells[3u64]) acquire device @5:9
                    if eq(seen, 1u32) {{
                        break 0
                    }}
                }}
            }}"
        )
    };
    let kernel = Kernel::block("64 1 1");
    let report = kernel.finds(&body(2), Kind::Deadlock, &[0, 5]);
    assert_eq!(report.parties[0].does, Does::Loop("`cells[3]`".to_owned()));
    assert!(
        report
            .to_string()
            .contains("waits in a loop for a change of `cells[3]` at k.rs:5:9"),
        "{report}"
    );
    kernel.passes(&body(1));
}

/// A lock that is taken twice: the loop writes, but nothing new.
#[test]
fn a_lock_that_is_held_for_ever() {
    let body = |unlock: &str| {
        format!(
            "let taken: u32
            let n: u32
            loop {{
                if eq(n, 2u32) {{
                    break 0
                }}
                loop {{
                    atomic taken = exchange(cells[0u64], 1u32) acq_rel device @3:9
                    if eq(taken, 0u32) {{
                        break 0
                    }}
                }}
                store out[0u64] = add(out[0u64], 1u32) @5:9
                {unlock}
            }} step {{
                store n = add(n, 1u32)
            }}"
        )
    };
    let kernel = Kernel::block("4 1 1");
    kernel.finds(&body(""), Kind::Deadlock, &[3]);
    let held = body("atomic store(cells[0u64], 0u32) release device @6:9");
    kernel.passes(&held);
    // Relaxed, the lock keeps nothing apart.
    let relaxed = held.replace("acq_rel", "relaxed").replace("release", "relaxed");
    kernel.finds(&relaxed, Kind::Race, &[5, 5]);
}

/// Two blocks of a cooperative launch, one of which waits at the barrier and the other in a loop.
#[test]
fn blocks_that_wait_for_each_other() {
    let body = |before: &str, after: &str| {
        format!(
            "let seen: u32
            if eq(block_index.x, 0u32) {{
                {before}
            }} else {{
                loop {{
                    atomic seen = load(cells[0u64]) acquire device @5:9
                    if eq(seen, 1u32) {{
                        break 0
                    }}
                }}
            }}
            grid_barrier @7:5
            {after}"
        )
    };
    let set = "atomic store(cells[0u64], 1u32) release device @3:9";
    let kernel = Kernel {
        grid: [2, 1, 1],
        ..Kernel::block("8 1 1")
    };
    kernel.passes(&body(set, ""));
    let report = kernel.finds(&body("", set), Kind::Deadlock, &[5, 7]);
    let does: Vec<_> = report.parties.iter().map(|party| party.does.clone()).collect();
    assert_eq!(does, [Does::GridBarrier, Does::Loop("`cells[0]`".to_owned())]);
}

/// Turns end at calls, too, and so may all turns of a loop with a call.
#[test]
fn a_loop_that_waits_in_a_function_is_a_deadlock() {
    let items = "fn poll(cells: &[AtomicU32]) -> bool {
            let v: u32
            atomic v = load(cells[0u64]) acquire device @20:5
            return ne(v, 0u32)
        }";
    let kernel = Kernel::block("1 1 1").with(items);
    for before in 0..6 {
        let body = format!(
            "let n: u32
            let r: bool
            {}
            loop {{
                call r = poll(cells)
                if r {{
                    break 0
                }}
            }}",
            "store n = 0u32\n".repeat(before)
        );
        kernel.finds(&body, Kind::Deadlock, &[20]);
    }
}
