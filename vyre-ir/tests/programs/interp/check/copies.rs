//! Asynchronous copies: read or overwritten before the wait, or before the barrier behind it.

use vyre_ir::interp::check::{Action, Does, Kind};

use super::Kernel;

fn body(wait: &str, barrier: &str, mask: u32) -> String {
    format!(
        "async_copy[1] (&mut shared::tile[linear_index], &out[linear_index]) @2:5
        copy_commit @3:5
        {wait}
        {barrier}
        store out[add(linear_index, 64u64)] = shared::tile[xor(linear_index, {mask}u64)] @6:5"
    )
}

#[test]
fn copies_are_waited_for() {
    let kernel = Kernel::block("64 1 1").with("shared tile: [u32; 64]");
    let (wait, barrier) = ("copy_wait[0] @4:5", "barrier @5:5");
    // Of a thread's own copy, and of those of others.
    let report = kernel.finds(&body("", "", 0), Kind::CopyRace, &[2, 6]);
    assert_eq!(report.parties[0].thread, report.parties[1].thread);
    assert_eq!(report.parties[0].does, Does::Access(Action::CopyWrite));
    assert!(report.missing.contains("pipeline::wait_prior"), "{report}");
    kernel.passes(&body(wait, "", 0));
    kernel.finds(&body("", barrier, 40), Kind::CopyRace, &[2, 6]);
    kernel.finds(&body(wait, "", 40), Kind::CopyRace, &[2, 6]);
    kernel.passes(&body(wait, barrier, 40));
    // The last group is not complete yet.
    kernel.finds(&body("copy_wait[1] @4:5", barrier, 40), Kind::CopyRace, &[2, 6]);
    // No group, no wait.
    kernel.finds(
        &body(wait, barrier, 40).replace("copy_commit", "fence.acq_rel.block"),
        Kind::CopyRace,
        &[2, 6],
    );
}

#[test]
fn the_source_of_a_copy_stays_as_it_is() {
    let kernel = Kernel::block("64 1 1").with("shared tile: [u32; 64]");
    let text = |wait: &str| format!("{}\nstore out[linear_index] = 0u32 @8:5", body(wait, "", 0));
    let (checked, _) = kernel.checked(&text(""), 0);
    let report = checked
        .reports
        .iter()
        .find(|report| report.parties[1].line == 8)
        .expect("a report");
    assert_eq!(
        (report.kind, &report.parties[0].does),
        (Kind::CopyRace, &Does::Access(Action::CopyRead))
    );
    kernel.passes(&text("copy_wait[0] @4:5"));
}

/// An asynchronous barrier holds for the copies of those that say so.
#[test]
fn barriers_that_hold_for_copies() {
    let body = |hold: &str| {
        format!(
            "let token: u64
            let open: u64
            if eq(linear_index, 0u64) {{
                atomic barrier_init(shared::full, 64u64) relaxed block @2:5
            }}
            barrier @3:5
            async_copy[1] (&mut shared::tile[linear_index], &out[linear_index]) @4:5
            {hold}
            atomic token = barrier_arrive(shared::full) relaxed block @6:5
            loop {{
                atomic open = barrier_opened(shared::full, token) relaxed block @7:9
                if ne(open, 0u64) {{
                    break 0
                }}
            }}
            store out[add(linear_index, 64u64)] = shared::tile[sub(63u64, linear_index)] @8:5"
        )
    };
    let kernel = Kernel::block("64 1 1").with("shared tile: [u32; 64]\nshared full: AtomicU64");
    kernel.passes(&body("atomic barrier_copies(shared::full) relaxed block @5:5"));
    kernel.finds(&body(""), Kind::CopyRace, &[4, 8]);
}

/// Between other memories a copy is done at once.
#[test]
fn copies_within_memory_are_plain_accesses() {
    let kernel = Kernel::block("4 1 1");
    kernel.passes("async_copy[1] (&mut out[linear_index], &out[add(linear_index, 8u64)]) @2:5");
    kernel.finds(
        "async_copy[1] (&mut out[linear_index], &out[add(linear_index, 1u64)]) @2:5",
        Kind::Race,
        &[2, 2],
    );
}
