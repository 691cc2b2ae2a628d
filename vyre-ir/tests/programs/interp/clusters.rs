//! Clusters: their barriers, and the shared memory of other blocks.

use vyre_abi::fault::FaultKind;

use super::*;

const TILE: &str = "shared tile: [u32; 4]\nshared end: u32";
const BLOCK: &str = "4 1 1 cluster 2 1 1";

/// Statements that put `10 * block + thread` into the block's memory, and wait.
const FILL: &str = "
    let t: u64
    let other: &mut [u32; 4]
    store t = cast u64(thread_index.x)
    store shared::tile[t] = add(mul(block_index.x, 10u32), thread_index.x)
    cluster_barrier
    store other = map_shared(&mut shared::tile, cast u64(sub(1u32, cluster_block.x)))";

#[test]
fn blocks_of_a_cluster_see_each_other() {
    let body = format!(
        "{FILL}
        store out[global_index.x] = add(mul(other.*[sub(3u64, t)], 100u32), add(mul(cluster_index.x, 10u32), cluster_size.x))
        cluster_barrier
        store other.*[t] = block_index.x
        cluster_barrier
        store out[global_index.x] = add(out[global_index.x], mul(shared::tile[t], 10000u32))"
    );
    let found = on_words(TILE, BLOCK, &body, [4, 1, 1], &[0; 16]).unwrap();
    let expected: Vec<u32> = (0..16)
        .map(|i| (i, (i / 4) ^ 1))
        .map(|(i, other)| (other * 10 + 3 - i % 4) * 100 + i / 8 * 10 + 2 + other * 10_000)
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn blocks_may_leave_and_wait_in_loops() {
    // The first block leaves; its memory is read by the second one, which also waits for a word of its own.
    let body = format!(
        "{FILL}
        if eq(cluster_block.x, 0u32) {{
            store map_shared_end.* = 7u32
            return
        }}
        loop {{
            if eq(shared::end, 7u32) {{ break 0 }}
        }}
        cluster_barrier
        store out[t] = other.*[t]"
    );
    let body = body.replace(
        "store map_shared_end.* = 7u32",
        "let e: &mut u32 store e = map_shared(&mut shared::end, 1u64) store e.* = 7u32",
    );
    let found = on_words(TILE, BLOCK, &body, [2, 1, 1], &[9; 4]).unwrap();
    assert_eq!(found, [0, 1, 2, 3]);
}

#[test]
fn ranks_exist() {
    for (block, rank, blocks) in [(BLOCK, 2, 2), ("4 1 1", 1, 1)] {
        let body = format!(
            "let other: &mut [u32; 4]
            store other = map_shared(&mut shared::tile, {rank}u64)
            store out[0u64] = other.*[0u64]"
        );
        match on_words(TILE, block, &body, [2, 1, 1], &[0; 1]) {
            Err(Error::Fault(fault)) => {
                assert_eq!((fault.kind, fault.values), (FaultKind::ClusterRank, [rank, blocks]));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_block_without_a_cluster_is_alone() {
    let body = "
        let t: u64
        let own: &mut [u32; 4]
        store t = cast u64(thread_index.x)
        store shared::tile[t] = add(thread_index.x, cluster_size.z)
        cluster_barrier
        store own = map_shared(&mut shared::tile, 0u64)
        store out[global_index.x] = own.*[sub(3u64, t)]";
    let found = on_words(TILE, "4 1 1", body, [2, 1, 1], &[0; 8]).unwrap();
    assert_eq!(found, [4, 3, 2, 1, 4, 3, 2, 1]);
}

#[test]
fn wrong_clusters_are_errors() {
    let broken = on_words(TILE, BLOCK, "cluster_barrier", [3, 1, 1], &[]);
    let (grid, cluster) = ([3, 1, 1], [2, 1, 1]);
    assert_eq!(broken, Err(Error::BrokenCluster { grid, cluster }));
    let two = "
        if eq(cluster_block.x, 0u32) {
            cluster_barrier
        } else {
            cluster_barrier
        }";
    let block = "
        if lt(thread_index.x, 1u32) {
            cluster_barrier
        } else {
            barrier
        }";
    for body in [two, block] {
        let found = on_words("", BLOCK, body, [2, 1, 1], &[]);
        assert!(matches!(found, Err(Error::Divergence { .. })), "{found:?}");
    }
}
