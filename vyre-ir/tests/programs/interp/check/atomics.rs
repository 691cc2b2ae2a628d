//! Atomic accesses, fences and asynchronous barriers order as much as they promise.

use vyre_ir::interp::check::Kind;

use super::Kernel;

/// A thread hands a value over by a flag in memory of the device: block 0 to block 1, or warp 0 to warp 1.
fn hand_over(store: &str, load: &str, sender: &str) -> String {
    format!(
        "let seen: u32
        if eq({sender}, 0u32) {{
            store out[0u64] = 5u32 @3:9
            {store}
        }} else {{
            {load}
            if ne(seen, 0u32) {{
                store out[1u64] = out[0u64] @7:9
            }}
        }}"
    )
}

/// Two blocks of a thread. Block 1 comes after block 0 in an unshuffled order, and sees the flag.
fn blocks() -> Kernel {
    Kernel {
        grid: [2, 1, 1],
        ..Kernel::block("1 1 1")
    }
}

/// The kinds that the natural order finds.
fn kinds(kernel: &Kernel, body: &str) -> Vec<Kind> {
    let (checked, _) = kernel.checked(body, 0);
    checked.outcome.unwrap_or_else(|error| panic!("{error}"));
    checked.reports.iter().map(|report| report.kind).collect()
}

#[test]
fn a_release_is_acquired() {
    let body = |store: &str, load: &str| {
        hand_over(
            &format!("atomic store(cells[0u64], 1u32) {store} @4:9"),
            &format!("atomic seen = load(cells[0u64]) {load} @5:9"),
            "block_index.x",
        )
    };
    let kernel = blocks();
    assert_eq!(kinds(&kernel, &body("release device", "acquire device")), []);
    assert_eq!(kinds(&kernel, &body("seq_cst system", "seq_cst device")), []);
    for (store, load) in [
        ("relaxed device", "acquire device"),
        ("release device", "relaxed device"),
        ("relaxed device", "relaxed device"),
    ] {
        assert_eq!(kinds(&kernel, &body(store, load)), [Kind::Race], "{store}, {load}");
    }
    // The scope of a block is for its threads: the accesses to the flag race too.
    assert_eq!(
        kinds(&kernel, &body("release block", "acquire device")),
        [Kind::ScopeRace, Kind::Race]
    );
    let reports = kernel.checked(&body("relaxed device", "acquire device"), 0).0.reports;
    let lines = [0, 1].map(|party| reports[0].parties[party].line);
    assert_eq!(lines, [3, 7], "{}", reports[0]);
}

#[test]
fn fences_order_relaxed_accesses() {
    let body = |release: &str, acquire: &str| {
        hand_over(
            &format!("{release}\natomic store(cells[0u64], 1u32) relaxed device @4:9"),
            &format!("atomic seen = load(cells[0u64]) relaxed device @5:9\n{acquire}"),
            "block_index.x",
        )
    };
    let kernel = blocks();
    assert_eq!(
        kinds(&kernel, &body("fence.release.device", "fence.acquire.device")),
        []
    );
    assert_eq!(
        kinds(&kernel, &body("fence.seq_cst.system", "fence.acq_rel.device")),
        []
    );
    for (release, acquire) in [
        ("", "fence.acquire.device"),
        ("fence.release.device", ""),
        ("fence.acquire.device", "fence.acquire.device"),
        ("fence.release.block", "fence.acquire.device"),
        ("fence.release.device", "fence.acquire.block"),
    ] {
        assert_eq!(
            kinds(&kernel, &body(release, acquire)),
            [Kind::Race],
            "{release}, {acquire}"
        );
    }
    let near = Kernel {
        grid: [1; 3],
        ..Kernel::block("2 1 1")
    };
    let within = body("fence.release.block", "fence.acquire.block").replace("block_index", "thread_index");
    assert_eq!(kinds(&near, &within), []);
}

/// An update goes on with a release sequence, a store ends it.
#[test]
fn release_sequences() {
    let body = |between: &str| {
        format!(
            "let seen: u32
            if eq(block_index.x, 0u32) {{
                store out[0u64] = 5u32 @3:9
                atomic store(cells[0u64], 1u32) release device @4:9
            }}
            if eq(block_index.x, 1u32) {{
                {between}
            }}
            if eq(block_index.x, 2u32) {{
                atomic seen = load(cells[0u64]) acquire device @8:9
                store out[1u64] = out[0u64] @9:9
            }}"
        )
    };
    let kernel = Kernel {
        grid: [3, 1, 1],
        ..Kernel::block("1 1 1")
    };
    assert_eq!(
        kinds(&kernel, &body("atomic add(cells[0u64], 1u32) relaxed device")),
        []
    );
    assert_eq!(
        kinds(&kernel, &body("atomic store(cells[0u64], 2u32) relaxed device")),
        [Kind::Race]
    );
}

/// The last block to finish reads what all have written, as in a reduction by one launch.
#[test]
fn the_last_block_reads_what_all_have_written() {
    let body = |order: &str| {
        format!(
            "let place: u32
            store out[linear_index] = 1u32 @2:5
            barrier @3:5
            if eq(thread_index.x, 0u32) {{
                atomic place = add(cells[0u64], 1u32) {order} device @5:9
                if eq(place, 3u32) {{
                    store out[127u64] = add(out[5u64], out[63u64]) @7:9
                }}
            }}"
        )
    };
    let kernel = Kernel {
        grid: [4, 1, 1],
        ..Kernel::block("16 1 1")
    };
    let lines = kernel.finds(&body("relaxed"), Kind::Race, &[2, 7]);
    assert!(lines.parties[0].block != lines.parties[1].block);
    kernel.passes(&body("acq_rel"));
}

#[test]
fn relaxed_accesses_do_not_race_with_each_other() {
    let kernel = Kernel {
        grid: [4, 1, 1],
        ..Kernel::block("16 1 1").with("shared bin: AtomicU32")
    };
    kernel.passes(
        "if eq(thread_index.x, 0u32) {
            atomic store(shared::bin, 0u32) relaxed block @2:9
        }
        barrier @3:5
        atomic add(shared::bin, 1u32) relaxed block @4:5
        atomic add(cells[0u64], 1u32) relaxed device @5:5",
    );
    // Between blocks they are too narrow.
    kernel.finds(
        "atomic add(cells[0u64], 1u32) relaxed block @2:5",
        Kind::ScopeRace,
        &[2, 2],
    );
}

/// Volatile accesses mean to race, plain ones beside them do not.
#[test]
fn volatile_accesses_are_no_plain_ones() {
    let body = |load: &str| {
        format!(
            "let v: u32
            if eq(linear_index, 0u64) {{
                store out[0u64].volatile = 1u32 @3:9
            }} else {{
                store v = out[0u64]{load} @5:9
            }}"
        )
    };
    let kernel = Kernel::block("2 1 1");
    kernel.passes(&body(".volatile"));
    kernel.finds(&body(""), Kind::MixedRace, &[3, 5]);
}

/// Dynamic shared memory may be seen as atomics and as plain values.
#[test]
fn an_atomic_access_beside_a_plain_one() {
    let body = |barrier: &str| {
        format!(
            "let counts: &mut [AtomicU32]
            let values: &mut [u32]
            store counts = dynamic_shared &mut [AtomicU32](0u64, 4u64)
            store values = dynamic_shared &mut [u32](0u64, 4u64)
            if lt(linear_index, 4u64) {{
                store values[linear_index] = 0u32 @3:9
            }}
            barrier @4:5
            atomic add(counts[rem(linear_index, 4u64)], 1u32) relaxed block @5:5
            {barrier}
            store out[linear_index] = values[0u64] @7:5"
        )
    };
    let kernel = Kernel {
        shared_bytes: 64,
        ..Kernel::block("64 1 1")
    };
    let report = kernel.finds(&body(""), Kind::MixedRace, &[5, 7]);
    assert_eq!(report.object, "byte 0 of dynamic shared memory");
    kernel.passes(&body("barrier @6:5"));
}

/// The first warp hands a tile to the second one by an asynchronous barrier.
#[test]
fn asynchronous_barriers_order_arrivals_before_waits() {
    let body = |arrive: &str, wait: &str| {
        format!(
            "let token: u64
            let open: u64
            if eq(linear_index, 0u64) {{
                atomic barrier_init(shared::full, 32u64) relaxed block @2:5
            }}
            barrier @3:5
            if lt(linear_index, 32u64) {{
                store shared::tile[linear_index] = 3u32 @4:9
                {arrive}
            }} else {{
                atomic token = load_token(shared::full) @6:9
                {wait}
                store out[linear_index] = shared::tile[sub(63u64, linear_index)] @8:9
            }}"
        )
        .replace(
            "atomic token = load_token(shared::full) @6:9\n",
            "store token = 137438953504u64\n",
        )
    };
    let arrive = "atomic token = barrier_arrive(shared::full) relaxed block @5:9";
    let wait = "loop {
            atomic open = barrier_opened(shared::full, token) relaxed block @7:9
            if ne(open, 0u64) {
                break 0
            }
        }";
    let items = "shared tile: [u32; 32]\nshared full: AtomicU64";
    let kernel = Kernel::block("64 1 1").with(items);
    kernel.passes(&body(arrive, wait));
    kernel.finds(&body(arrive, ""), Kind::Race, &[4, 8]);
    // The first write after the arrival is not part of the phase.
    let late = format!("{arrive}\nstore shared::tile[linear_index] = 4u32 @10:9");
    let (checked, _) = kernel.checked(&body(&late, wait), 0);
    assert!(checked.reports.iter().any(|report| report.kind == Kind::Race));
    // Nobody arrives: the second warp waits for a phase that never ends.
    let report = kernel.finds(&body("", wait), Kind::Deadlock, &[0, 7]);
    assert!(
        report
            .to_string()
            .contains("waits in a loop for a change of `full` in shared memory"),
        "{report}"
    );
}
