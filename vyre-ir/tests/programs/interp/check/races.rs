//! Races between plain accesses.

use vyre_ir::interp::check::{Action, Does, Kind};

use super::Kernel;

const TILE: &str = "shared tile: [u32; 64]";

/// The twins of a neighbour's read, with the barrier or without it.
fn neighbours(barrier: &str) -> String {
    format!(
        "store shared::tile[linear_index] = 1u32 @2:5
        {barrier}
        store out[linear_index] = shared::tile[xor(linear_index, 40u64)] @4:9"
    )
}

#[test]
fn a_tile_is_read_before_its_barrier() {
    let kernel = Kernel::block("64 1 1").with(TILE);
    let report = kernel.finds(&neighbours(""), Kind::Race, &[2, 4]);
    assert!(report.object.starts_with("`tile[") && report.object.ends_with("]` in shared memory"));
    let mut does: Vec<_> = report.parties.iter().map(|party| party.does.clone()).collect();
    does.sort_by_key(|does| *does == Does::Access(Action::Read));
    assert_eq!(does, [Does::Access(Action::Write), Does::Access(Action::Read)]);
    assert!(report.parties[0].thread != report.parties[1].thread);
    assert!(report.missing.contains("block::sync()"), "{report}");
    kernel.passes(&neighbours("barrier"));
    kernel.passes(&neighbours("barrier_count (true)"));
}

/// Nothing runs in lockstep: within a warp a barrier is needed too, and that of a tile is for its lanes.
#[test]
fn warps_do_not_run_in_lockstep() {
    let body = |barrier: &str, mask: u32| {
        format!(
            "store shared::tile[linear_index] = 1u32 @2:5
            {barrier}
            store out[linear_index] = shared::tile[xor(linear_index, {mask}u64)] @4:9"
        )
    };
    let kernel = Kernel::block("64 1 1").with(TILE);
    let report = kernel.finds(&body("", 1), Kind::Race, &[2, 4]);
    assert!(report.missing.contains("warp::sync()"), "{report}");
    kernel.passes(&body("warp_barrier[32]", 1));
    kernel.passes(&body("warp_barrier[8]", 7));
    kernel.finds(&body("warp_barrier[8]", 8), Kind::Race, &[2, 4]);
    kernel.finds(&body("warp_barrier[32]", 32), Kind::Race, &[2, 4]);
    // A vote waits for the lanes, but orders no memory.
    kernel.finds(&body("ballot[32] (true)", 1), Kind::Race, &[2, 4]);
}

/// Sums by halving, with the barrier of the loop at a line.
fn tree(barrier: &str) -> String {
    format!(
        "let half: u64
        store shared::tile[linear_index] = 1u32 @2:5
        barrier @3:5
        store half = 32u64
        loop {{
            if eq(half, 0u64) {{
                break 0
            }}
            if lt(linear_index, half) {{
                store shared::tile[linear_index] = add(shared::tile[linear_index], shared::tile[add(linear_index, half)]) @6:9 6:20 6:20 6:20 6:20 7:30
            }}
            {barrier}
        }} step {{
            store half = shr(half, 1u32)
        }}
        if eq(linear_index, 0u64) {{
            store out[0u64] = shared::tile[0u64] @12:9
        }}"
    )
}

#[test]
fn a_tree_without_its_barrier() {
    let kernel = Kernel::block("64 1 1").with(TILE);
    let body = tree("");
    let (checked, _) = kernel.checked(&body, 0);
    assert!(checked.outcome.is_ok() && !checked.reports.is_empty());
    for report in &checked.reports {
        assert_eq!(report.kind, Kind::Race);
        assert!(
            report.parties.iter().all(|party| (6..=7).contains(&party.line)),
            "{report}"
        );
    }
    kernel.passes(&tree("barrier @9:9"));
}

/// A read of one iteration and the write of the next one.
#[test]
fn a_write_after_a_read_over_the_back_edge() {
    let body = |barrier: &str| {
        format!(
            "let n: u32
            loop {{
                if eq(n, 3u32) {{
                    break 0
                }}
                store shared::tile[linear_index] = n @3:9
                barrier @4:9
                store out[linear_index] = shared::tile[sub(63u64, linear_index)] @5:9
                {barrier}
            }} step {{
                store n = add(n, 1u32)
            }}"
        )
    };
    let kernel = Kernel::block("64 1 1").with(TILE);
    kernel.finds(&body(""), Kind::Race, &[3, 5]);
    kernel.passes(&body("barrier @6:9"));
}

/// Several threads write one element, with equal values even; in one block and in two.
#[test]
fn two_writers_of_an_element() {
    let kernel = Kernel::block("4 1 1");
    let report = kernel.finds("store out[div(linear_index, 2u64)] = 7u32 @2:5", Kind::Race, &[2, 2]);
    assert_eq!(report.object, "`out[0]`");
    kernel.passes("store out[linear_index] = 7u32 @2:5");
    let kernel = Kernel {
        grid: [2, 1, 1],
        ..Kernel::block("4 1 1")
    };
    let report = kernel.finds("store out[cast u64(thread_index.x)] = 7u32 @2:5", Kind::Race, &[2, 2]);
    assert_eq!((report.parties[0].block, report.parties[1].block), ([0; 3], [1, 0, 0]));
    assert!(report.missing.contains("grid::sync()"), "{report}");
    kernel.passes("store out[linear_index] = 7u32 @2:5");
}

#[test]
fn a_write_of_what_the_neighbour_reads() {
    let kernel = Kernel::block("64 1 1");
    kernel.finds(
        "store out[add(linear_index, 1u64)] = out[linear_index] @2:5",
        Kind::Race,
        &[2, 2],
    );
    kernel.passes(
        "let v: u32
        store v = out[linear_index] @2:9
        barrier @3:9
        store out[add(linear_index, 1u64)] = v @4:9",
    );
}

/// A call has the places of the function, and the threads those of the caller.
#[test]
fn races_in_functions() {
    let items = "shared tile: [u32; 64]
        fn get(i: u64) -> u32 {
            return shared::tile[i] @30:3
        }";
    let body = |barrier: &str| {
        format!(
            "let v: u32
            store shared::tile[linear_index] = 1u32 @2:5
            {barrier}
            call v = get(sub(63u64, linear_index)) @4:5
            store out[linear_index] = v @5:5"
        )
    };
    let kernel = Kernel::block("64 1 1").with(items);
    let report = kernel.finds(&body(""), Kind::Race, &[2, 30]);
    assert!(report.to_string().contains("k.rs:30:3"), "{report}");
    kernel.passes(&body("barrier @3:1"));
}

/// Each of several readers counts, and not only the first: the barrier orders the writer behind two of four.
#[test]
fn a_write_after_several_reads() {
    let body = |barrier: &str| {
        format!(
            "store shared::tile[linear_index] = 1u32 @2:5
            barrier @3:5
            store out[linear_index] = shared::tile[0u64] @4:5
            {barrier}
            if eq(linear_index, 0u64) {{
                store shared::tile[0u64] = 2u32 @6:9
            }}"
        )
    };
    let kernel = Kernel::block("4 1 1").with(TILE);
    let report = kernel.finds(&body("warp_barrier[2] @5:5"), Kind::Race, &[4, 6]);
    assert!(report.parties[0].thread[0] >= 2, "{report}");
    kernel.passes(&body("warp_barrier[4] @5:5"));
}

#[test]
fn fields_of_structs_are_apart() {
    let items = "struct Pair { small: u8, large: u32 }
        shared pairs: [Pair; 4]";
    let kernel = Kernel::block("4 1 1").with(items);
    // Each thread writes the field of another one, and neither the padding nor the other field.
    let apart = "store shared::pairs[linear_index].0 = 1u8 @2:5
        store shared::pairs[sub(3u64, linear_index)].1 = 5u32 @3:5";
    kernel.passes(apart);
    let report = kernel.finds(
        &format!("{apart}\nstore shared::pairs[linear_index].1 = 6u32 @4:5"),
        Kind::Race,
        &[3, 4],
    );
    assert!(report.object.contains(".large`"), "{}", report.object);
    // The whole has no value in its padding, which is none of its parts.
    kernel.passes(
        "let pair: Pair
        store shared::pairs[linear_index].0 = 1u8 @2:5
        store shared::pairs[linear_index].1 = 5u32 @3:5
        store pair = shared::pairs[linear_index] @4:5
        store out[linear_index] = pair.1 @5:5",
    );
}

/// A race in one order of the threads is one in every order, and is reported once.
#[test]
fn each_pair_of_places_is_reported_once() {
    let kernel = Kernel::block("64 1 1").with(TILE);
    for seed in 0..4 {
        let reports = kernel.checked(&neighbours(""), seed).0.reports;
        let races = reports.iter().filter(|report| report.kind == Kind::Race);
        assert_eq!(races.count(), 1, "{reports:?}");
    }
}

#[test]
fn orders_differ_by_their_seeds() {
    let body = "let place: u32
        atomic place = add(cells[0u64], 1u32) relaxed device @2:5
        store out[cast u64(place)] = cast u32(linear_index) @3:5";
    let kernel = Kernel::block("64 1 1");
    let orders: Vec<Vec<u32>> = [0, 1, 1, 2].map(|seed| kernel.checked(body, seed).1).into();
    assert!(orders[0][..64].iter().copied().eq(0..64));
    assert!(orders[1] == orders[2] && orders[1] != orders[0] && orders[1] != orders[3]);
    let mut sorted = orders[1][..64].to_vec();
    sorted.sort_unstable();
    assert!(sorted.into_iter().eq(0..64));
}
