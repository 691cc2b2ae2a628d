//! Warp-level operations.

use vyre_ir::interp::Error;

use super::on_words;

/// Warps are cut from the threads in their order, across rows.
#[test]
fn shuffles_stay_in_their_warp() {
    let body = "
        let i: u64
        let v: u32
        store i = linear_index
        shuffle.xor[32] v = (out[i], 33u32)
        store out[i] = add(v, mul(1000u32, lane_index))";
    let found = on_words("", "8 8 1", body, [1; 3], &(0..64).collect::<Vec<_>>()).unwrap();
    let expected: Vec<u32> = (0..64).map(|i| (i ^ 1) + 1000 * (i % 32)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_lane_without_a_source_keeps_its_own_value() {
    for (op, source) in [
        ("shuffle.up", (|lane| lane - 3) as fn(i32) -> i32),
        ("shuffle.down", |lane| lane + 3),
        ("shuffle.xor", |lane| lane ^ 3),
        ("shuffle.index", |_| 3),
    ] {
        // In blocks of forty threads, lane 7 of each warp exits first.
        let body = format!(
            "
            let i: u64
            let v: f64
            store i = linear_index
            if eq(lane_index, 7u32) {{
                return
            }}
            {op}[32] v = (cast f64(i), 3u32)
            store out[i] = cast u32(v)"
        );
        let found = on_words("", "40 1 1", &body, [1; 3], &[99; 40]).unwrap();
        let expected: Vec<u32> = (0..40)
            .map(|i| {
                let (first, lane) = (i / 32 * 32, i % 32);
                let from = source(lane);
                let there = (0..32).contains(&from) && first + from < 40 && from != 7;
                match lane {
                    7 => 99,
                    _ if there => (first + from) as u32,
                    _ => i as u32,
                }
            })
            .collect();
        assert_eq!(found, expected, "{op}");
    }
}

/// A tile iterates independently, and counts its own lanes.
#[test]
fn tiles_do_not_wait_for_each_other() {
    let body = "
        let i: u32
        let v: u32
        let n: u32
        let sum: u32
        store i = lane_index
        if eq(i, 9u32) {
            return
        }
        store n = add(div(i, 4u32), 1u32)
        store v = i
        loop {
            if eq(n, 0u32) {
                break 0
            }
            store n = sub(n, 1u32)
            shuffle.index[4] v = (v, add(i, 1u32))
            ballot[4] sum = (lt(v, 6u32))
        }
        store out[linear_index] = add(mul(v, 100u32), sum)";
    let found = on_words("", "14 1 1", body, [1; 3], &[0; 14]).unwrap();
    let value = |lane: u32, rounds: u32| (0..rounds).fold(lane, |v, _| v / 4 * 4 + (v + 1) % 4);
    assert_eq!(found[..4], [0, 1, 2, 3].map(|i| value(i, 1) * 100 + 15));
    // For lanes 4 to 7, two iterations give 6, 7, 4 and 5.
    assert_eq!(found[4..8], [6, 7, 4, 5].map(|v| v * 100 + 0b1100));
    // Lane 9 has exited, so lane 8 keeps its own value; lanes 10 and 11 iterate without it.
    assert_eq!(found[8..10], [800, 0]);
    // The last tile has two lanes.
    assert_eq!(found.len(), 14);
}

#[test]
fn a_ballot_counts_those_that_are_there() {
    let body = "
        let v: u32
        if eq(and(lane_index, 1u32), 0u32) {
            ballot[32] v = (lt(lane_index, 6u32))
            store out[linear_index] = v
        }";
    let found = on_words("", "36 1 1", body, [1; 3], &[0; 36]).unwrap();
    let expected: Vec<u32> = (0..36)
        .map(|i| match (i % 2, i / 32) {
            (1, _) => 0,
            (_, 0) => 0b1_0101,
            _ => 0b101,
        })
        .collect();
    assert_eq!(found, expected);
}

/// One warp waits in a loop for an action of another one after its shuffle.
#[test]
fn warps_do_not_wait_for_each_other() {
    let items = "shared cell: AtomicU32";
    let body = "
        let v: u32
        if lt(linear_index, 32u64) {
            loop {
                atomic v = load(shared::cell) acquire block
                if eq(v, 7u32) {
                    break 0
                }
            }
        } else {
            shuffle.index[32] v = (7u32, 0u32)
            atomic store(shared::cell, v) release block
        }
        store out[linear_index] = v";
    assert_eq!(on_words(items, "64 1 1", body, [1; 3], &[0; 64]).unwrap(), [7; 64]);
}

#[test]
fn different_exchanges_of_a_warp_are_an_error() {
    let apart = "
        let v: u32
        if lt(linear_index, 5u64) {
            ballot[32] v = (true)
        } else {
            ballot[32] v = (false)
        }
        store out[linear_index] = v";
    let barrier = "
        let v: u32
        if lt(linear_index, 5u64) {
            ballot[32] v = (true)
        } else {
            barrier
        }
        store out[linear_index] = v";
    // One lane waits for its warp, the others of its tile for the tile.
    let sizes = "
        let v: u32
        if eq(lane_index, 5u32) {
            ballot[32] v = (true)
        } else {
            ballot[8] v = (true)
        }
        store out[linear_index] = v";
    for body in [apart, barrier, sizes] {
        let found = on_words("", "32 1 1", body, [1; 3], &[0; 32]);
        assert!(matches!(found, Err(Error::Divergence { .. })), "{found:?}");
    }
}

#[test]
fn matching_lanes_are_those_with_the_same_bits() {
    // Lane 3 leaves first.
    let body = "
        let v: u32
        if eq(lane_index, 3u32) {
            return
        }
        match_any[32] v = (cast i8(and(lane_index, 1u32)))
        store out[linear_index] = v";
    let found = on_words("", "8 1 1", body, [1; 3], &[0; 8]).unwrap();
    assert_eq!(found, [0x55, 0xa2, 0x55, 0, 0x55, 0xa2, 0x55, 0xa2]);
}

/// Each warp runs independently, and its threads see the writes of the others.
#[test]
fn a_warp_waits_for_its_threads_alone() {
    let items = "shared cells: [u32; 64]";
    let body = "
        let i: u64
        store i = linear_index
        if lt(i, 32u64) {
            store shared::cells[i] = cast u32(i)
            warp_barrier[32]
            store out[i] = shared::cells[sub(31u64, i)]
        }
        barrier";
    let found = on_words(items, "64 1 1", body, [1; 3], &[0; 64]).unwrap();
    let expected: Vec<u32> = (0..64).map(|i| if i < 32 { 31 - i } else { 0 }).collect();
    assert_eq!(found, expected);
}

#[test]
fn barriers_count_those_that_are_there() {
    let body = "
        let i: u64
        let n: u32
        let m: u32
        store i = linear_index
        if lt(i, 3u64) {
            return
        }
        barrier_count n = (lt(i, 10u64))
        barrier_count (true)
        barrier_count m = (eq(n, 7u32))
        barrier
        store out[i] = add(mul(n, 100u32), m)";
    let found = on_words("", "40 1 1", body, [1; 3], &[0; 40]).unwrap();
    let expected: Vec<u32> = (0..40).map(|i| if i < 3 { 0 } else { 737 }).collect();
    assert_eq!(found, expected);
}
