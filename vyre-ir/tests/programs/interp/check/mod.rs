//! Checking mode: planted faults are found with both of their places, and their repaired twins are clean.

mod atomics;
mod barriers;
mod copies;
mod order;
mod races;
mod unwritten;

use vyre_ir::interp::check::{Check, Checked, Kind, Report};
use vyre_ir::interp::{Argument, Options, Printed, launch_checked};
use vyre_ir::ir::Program;

use super::{parse, read_words, run, valid, words};

/// A kernel on `out: &mut [u32]` and `cells: &[AtomicU32]`. Lines of a body have their places by `@line:column`.
struct Kernel {
    items: &'static str,
    block: &'static str,
    grid: [u32; 3],
    shared_bytes: u32,
}

impl Kernel {
    /// A block of threads along x.
    fn block(block: &'static str) -> Kernel {
        Kernel {
            items: "",
            block,
            grid: [1; 3],
            shared_bytes: 0,
        }
    }

    /// The same with items before it.
    fn with(self, items: &'static str) -> Kernel {
        Kernel { items, ..self }
    }

    fn text(&self, body: &str) -> String {
        format!(
            "file \"k.rs\"\n{}\nkernel k(out: &mut [u32], cells: &[AtomicU32]) dimensions 1 block {} {{ entry k {{\n{body}\n}} }}",
            self.items, self.block
        )
    }

    fn checked(&self, body: &str, seed: u64) -> (Checked, Vec<u32>) {
        let check = Check {
            seed,
            ..Check::default()
        };
        let (mut out, mut cells) = (words(&[0; 128]), words(&[0; 8]));
        let program = parse(&self.text(body));
        let mut arguments = [Argument::Slice(&mut out), Argument::Slice(&mut cells)];
        let checked = launch(&program, &mut arguments, self.grid, self.shared_bytes, &check);
        (checked, read_words(&out))
    }

    /// The first report of a faulty body is of this kind, and its parties are at these lines, in any order of the threads.
    fn finds(&self, body: &str, kind: Kind, lines: &[u32]) -> Report {
        let mut reports = Vec::new();
        for seed in [0, 1, 2] {
            let (checked, _) = self.checked(body, seed);
            let found = checked.reports.into_iter().find(|report| report.kind == kind);
            let report = found.unwrap_or_else(|| panic!("seed {seed}: no {kind:?}, but {:?}", checked.outcome));
            let mut at: Vec<u32> = report.parties.iter().map(|party| party.line).collect();
            at.sort_unstable();
            assert_eq!(at, lines, "seed {seed}: {report}");
            assert!(
                report
                    .parties
                    .iter()
                    .all(|party| party.line == 0 || party.file == "k.rs")
            );
            reports.push(report);
        }
        reports.swap_remove(0)
    }

    /// A repaired body has no report, and the results of an unchecked launch.
    fn passes(&self, body: &str) {
        let (mut out, mut cells) = (words(&[0; 128]), words(&[0; 8]));
        let program = parse(&self.text(body));
        let kernel = program.kernel("k").expect("a kernel");
        let options = Options {
            step_limit: 1_000_000,
            shared_bytes: self.shared_bytes,
            ..Options::default()
        };
        let mut arguments = [Argument::Slice(&mut out), Argument::Slice(&mut cells)];
        let plain = vyre_ir::interp::launch_with(&valid(&program), kernel, &mut arguments, self.grid, options);
        plain.unwrap_or_else(|error| panic!("{error}"));
        for seed in [0, 1, 2] {
            let (checked, found) = self.checked(body, seed);
            assert!(checked.reports.is_empty(), "seed {seed}: {}", checked.reports[0]);
            assert_eq!((checked.outcome, found), (Ok(()), read_words(&out)), "seed {seed}");
        }
    }
}

fn launch(
    program: &Program,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    shared_bytes: u32,
    check: &Check,
) -> Checked {
    let options = Options {
        step_limit: 1_000_000,
        shared_bytes,
        ..Options::default()
    };
    let kernel = program.kernel("k").expect("a kernel");
    let mut output = Printed {
        room: u64::MAX,
        ..Printed::default()
    };
    launch_checked(&valid(program), kernel, arguments, grid, options, check, &mut output)
}

/// Recording changes no result: nor does a fault of the kernel.
#[test]
fn faults_are_those_of_unchecked_launches() {
    let text = Kernel::block("4 1 1").text("store out[add(linear_index, 126u64)] = 1u32 @2:1");
    let (mut out, mut cells) = (words(&[0; 128]), words(&[0; 8]));
    let mut arguments = [Argument::Slice(&mut out), Argument::Slice(&mut cells)];
    let plain = run(&text, &mut arguments, [1; 3]);
    let checked = launch(&parse(&text), &mut arguments, [1; 3], 0, &Check::default());
    assert!(plain.is_err() && checked.reports.is_empty());
    assert_eq!(checked.outcome, plain);
}
