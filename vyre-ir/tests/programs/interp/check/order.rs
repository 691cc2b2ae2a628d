//! Results that depend on the order of threads, and accesses outside of memory.

use vyre_ir::interp::check::{Action, Check, Checked, Does, Kind, Unwritten, launch_twice};
use vyre_ir::interp::{Argument, Options, Printed};

use super::{Kernel, parse, read_words, valid, words};

fn twice(kernel: &Kernel, body: &str, check: &Check) -> (Checked, Vec<u32>, String) {
    let (mut out, mut cells) = (words(&[0; 128]), words(&[0; 8]));
    let program = parse(&kernel.text(body));
    let mut arguments = [Argument::Slice(&mut out), Argument::Slice(&mut cells)];
    let options = Options {
        step_limit: 1_000_000,
        ..Options::default()
    };
    let mut printed = Printed {
        room: u64::MAX,
        ..Printed::default()
    };
    let name = program.kernel("k").expect("a kernel");
    let grid = kernel.grid;
    let checked = launch_twice(
        &valid(&program),
        name,
        &mut arguments,
        grid,
        options,
        check,
        &mut printed,
    );
    (checked, read_words(&out), printed.text)
}

/// Threads take places in the order in which they come: no race, and another result in each order.
fn tickets(store: &str) -> String {
    format!("let place: u32\natomic place = add(cells[0u64], 1u32) relaxed device @3:5\n{store}")
}

#[test]
fn a_result_that_depends_on_the_order_is_found() {
    let body = tickets("store out[cast u64(place)] = add(cast u32(linear_index), 7u32) @4:5");
    let (blocks, threads) = (
        Kernel {
            grid: [3, 1, 1],
            ..Kernel::block("1 1 1")
        },
        Kernel::block("64 1 1"),
    );
    for (kernel, last) in [(blocks, 2u32), (threads, 63)] {
        for seed in [0, 1, 2] {
            let check = Check {
                seed,
                ..Check::default()
            };
            let (checked, out, _) = twice(&kernel, &body, &check);
            let [report] = &checked.reports[..] else {
                panic!("seed {seed}: {:?}", checked.reports);
            };
            assert_eq!(report.kind, Kind::Order, "{report}");
            let lines: Vec<u32> = report.parties.iter().map(|party| party.line).collect();
            assert_eq!(lines, [4, 4], "{report}");
            assert_eq!(report.parties[0].does, Does::Access(Action::Write));
            // The slices are those of the first run.
            assert!(out.iter().any(|&value| value == last + 7), "{out:?}");
            if seed == 0 {
                assert_eq!(report.object, "`out[0]`");
                assert_eq!(report.values, Some(["7".to_owned(), (last + 7).to_string()]));
                assert_eq!(out[0], 7);
            }
        }
    }
}

#[test]
fn what_any_order_computes_is_clean() {
    let kernel = Kernel {
        grid: [3, 1, 1],
        ..Kernel::block("32 1 1")
    };
    let body = tickets("store out[linear_index] = 5u32 @4:5\nprint \"once \"");
    let (checked, out, printed) = twice(&kernel, &body, &Check::default());
    assert!(checked.is_clean(), "{:?}", checked.reports);
    assert_eq!(out[..96], [5; 96]);
    assert_eq!(printed, "once ".repeat(96));
}

/// The winner of an exchange is the last thread of the order: the report names both writers by their atomics.
#[test]
fn atomic_writers_are_named() {
    let kernel = Kernel {
        grid: [2, 1, 1],
        ..Kernel::block("1 1 1")
    };
    let body = "atomic store(cells[3u64], block_index.x) relaxed device @5:7";
    let (checked, ..) = twice(&kernel, body, &Check::default());
    let report = &checked.reports[0];
    assert_eq!((report.kind, &*report.object), (Kind::Order, "`cells[3]`"), "{report}");
    assert_eq!(report.values, Some(["1".to_owned(), "0".to_owned()]));
    assert!(
        report.parties.iter().all(|party| (party.line, party.column) == (5, 7)),
        "{report}"
    );
}

/// Memory without values has none in the second run either.
#[test]
fn the_second_run_begins_as_the_first() {
    let kernel = Kernel::block("4 1 1");
    let body = "store out[linear_index] = 1u32 @2:5\nstore out[linear_index] = add(out[linear_index], 1u32) @3:5";
    let check = Check {
        unwritten: vec![Unwritten::new(0)],
        ..Check::default()
    };
    let (checked, out, _) = twice(&kernel, body, &check);
    assert!(checked.is_clean(), "{:?}", checked.reports);
    assert_eq!(out[..5], [2, 2, 2, 2, 0]);
    let written = check.unwritten[0].written.borrow();
    assert_eq!(written.iter().filter(|&&written| written).count(), 16);
}

#[test]
fn an_unchecked_index_outside_is_a_report() {
    let kernel = Kernel::block("4 1 1");
    let body = "store out[unchecked add(linear_index, 125u64)] = 1u32 @2:5";
    let report = kernel.finds(body, Kind::Outside, &[2]);
    assert!(
        report
            .to_string()
            .starts_with("unchecked index 128 is out of bounds of length 128"),
        "{report}"
    );
    assert_eq!(report.parties[0].thread, [3, 0, 0]);
}
