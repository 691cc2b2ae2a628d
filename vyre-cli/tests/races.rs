//! Verdicts about races: of kernels that are known to race or not, and of all kernels of the tree, as tables that
//! `VYRE_BLESS=1` writes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use vyre_core::inspect::{Finding, Launch, Need, Observer, SIMPLIFIED, Safety, Stage, Symbol, compile_observed};
use vyre_core::ir::{Handle, SharedVariable};
use vyre_core::module::Condition;
use vyre_core::validate::validate;
use vyre_core::{CompileError, CompileOptions, compile};
use vyre_test_support::snapshot;

/// The verdicts about the last entry of a kernel, with the names of its parameters.
struct Kernel {
    name: String,
    parameters: Vec<String>,
    findings: Vec<Finding>,
    /// The conditions of its launches if it denies races; `None` if it is refused.
    denying: Option<Vec<Condition>>,
    /// Those by default.
    by_default: Option<Vec<Condition>>,
}

struct Watch<'p> {
    entry: &'p str,
    files: &'p [String],
    apart: &'p [Handle<SharedVariable>],
    dimensions: u32,
    found: Option<Vec<Finding>>,
}

impl Observer for Watch<'_> {
    fn passed(&mut self, stage: &Stage<'_>) {
        if (stage.name, stage.entry) == (SIMPLIFIED, self.entry) && self.found.is_none() {
            let launch = Launch {
                dimensions: self.dimensions,
                grid: None,
                files: self.files,
                apart: self.apart,
            };
            self.found = Some(stage.races(launch));
        }
    }
}

/// The kernels of a file; none if this front end, which sees one file, cannot read it.
fn kernels(file: &Path) -> Option<Vec<Kernel>> {
    let mut kernels = Vec::new();
    for inspected in vyre_build::inspect(file).ok()? {
        let program = &inspected.program;
        let valid = validate(program).ok()?;
        for (_, kernel) in program.kernels.iter() {
            let mut watch = Watch {
                entry: &kernel.entries.last()?.symbol,
                files: &program.files,
                apart: &inspected.collectives,
                dimensions: kernel.dimensions,
                found: None,
            };
            compile_observed(&valid, &CompileOptions::default(), &mut watch).ok()?;
            let conditions = |assume_launches: bool| {
                let options = CompileOptions {
                    deny_races: true,
                    assume_launches,
                    apart: inspected.collectives.clone(),
                    ..CompileOptions::default()
                };
                match compile(&valid, &options) {
                    Ok(module) => module.kernels.into_iter().next_back().map(|kernel| kernel.conditions),
                    Err(CompileError::Races { .. }) => None,
                    Err(error) => panic!("{}: {error}", inspected.name),
                }
            };
            kernels.push(Kernel {
                denying: conditions(false),
                by_default: conditions(true),
                name: inspected.name.clone(),
                parameters: kernel.parameters.iter().map(|it| it.name.clone()).collect(),
                findings: watch.found?,
            });
        }
    }
    Some(kernels)
}

/// A row for each verdict: the place, the kind, what is said of it.
fn table(kernels: &[Kernel]) -> String {
    let mut out = String::new();
    for kernel in kernels {
        let _ = writeln!(out, "{}", kernel.name);
        for finding in &kernel.findings {
            let verdict = match &finding.safety {
                Safety::Proven if finding.after_return => "proven behind returns".to_owned(),
                Safety::Proven => "proven".to_owned(),
                Safety::Asks(needs) => conditions(needs, kernel),
                Safety::Unfollowed(reason, needs) if needs.is_empty() => format!("not followed: {reason}"),
                Safety::Unfollowed(reason, needs) => {
                    format!("{}, not followed: {reason}", conditions(needs, kernel))
                }
                Safety::Unknown(reason) => format!("unknown: {reason}"),
            };
            let (line, column) = (finding.span.line, finding.span.column);
            let _ = writeln!(out, "  {line}:{column} {} {}: {verdict}", finding.space, finding.kind);
        }
    }
    out
}

/// The conditions of a proof; those that are not necessary in parentheses.
fn conditions(needs: &[Need], kernel: &Kernel) -> String {
    let text = |need: &Need| match need.is_necessary {
        true => need.text(&kernel.parameters),
        false => format!("({})", need.text(&kernel.parameters)),
    };
    format!("if {}", needs.iter().map(text).collect::<Vec<_>>().join(", "))
}

/// True if an access is not proven, or under a condition that no launch keeps, such as `5 * n <= 4 * n`.
fn is_open(finding: &Finding) -> bool {
    let never_holds = |need: &Need| match (&need.left[..], &need.right[..]) {
        ([left], [right]) => left.symbols == right.symbols && left.factor > right.factor,
        _ => false,
    };
    match &finding.safety {
        Safety::Proven => false,
        Safety::Asks(needs) => needs.iter().any(never_holds),
        Safety::Unfollowed(..) | Safety::Unknown(_) => true,
    }
}

/// Each kernel has a fault, which no verdict may deny: with each the kind of what has to be named, and whether a condition of
/// the launch is enough.
const REFUSED: [(&str, &str, bool); 47] = [
    ("halved_index", "store", false),
    ("remainder", "store", false),
    ("scatter", "store", false),
    ("shift", "store", false),
    ("one_element", "store", false),
    ("tile_without_barrier", "store", false),
    ("tree_without_barrier", "store", false),
    ("write_after_read", "store", false),
    // A width that is at least that of the launch keeps columns apart.
    ("unguarded_column", "store", true),
    // So does an odd factor that keeps products small.
    ("wrapping_product", "store", true),
    ("parted_barrier", "barrier", false),
    ("parted_shuffle", "exchange", false),
    ("swap_by_both", "store", false),
    ("swap_with_own_distance", "store", false),
    ("narrow_tickets", "store", false),
    ("tickets_from_zero", "store", false),
    ("tickets_of_cells", "store", false),
    ("endless_tickets", "store", false),
    ("tickets_times_a_parameter", "store", false),
    ("tickets_of_two_views", "store", false),
    ("one_buffer_of_two", "store", false),
    ("buffers_of_each_thread", "store", false),
    ("wide_border", "store", false),
    // Under a condition that no launch keeps.
    ("short_stride", "store", true),
    // A slice that is no longer than the distance of rows keeps them apart.
    ("rows_that_overlap", "store", true),
    // A step of zero would divide by it.
    ("trips_that_wrap", "store", true),
    ("number_in_the_middle", "store", false),
    // If a number of 16 bits were that large.
    ("group_that_wraps", "store", true),
    ("return_in_a_branch", "barrier", false),
    ("return_before_a_branch", "exchange", false),
    ("lanes_that_leave_a_loop", "exchange", false),
    ("warp_in_a_tile", "exchange", false),
    ("every_block_of_a_grid", "store", false),
    ("one_element_before_a_named_barrier", "store", false),
    ("accesses_behind_a_named_barrier", "store", false),
    ("lanes_of_two_warps", "store", false),
    ("tiles_across_rows", "store", false),
    ("fields_of_two_elements", "store", false),
    ("stores_beside_a_copy", "store", false),
    ("one_thread_of_each_iteration", "store", false),
    ("two_threads", "store", false),
    ("one_thread_of_each_row", "store", false),
    ("returns_before_a_loop_without_barrier", "store", false),
    ("written_before_a_return", "store", false),
    ("assertion_without_barrier", "store", false),
    ("assertion_in_a_branch", "barrier", false),
    ("quotients_beyond_a_row", "store", false),
];

#[test]
fn racy_kernels_are_not_proven() {
    let kernels = kernels(Path::new("tests/races/refused.rs")).expect("the kernels are read");
    assert!(
        kernels
            .iter()
            .map(|kernel| &*kernel.name)
            .eq(REFUSED.map(|(name, ..)| name))
    );
    for (kernel, (name, kind, may_ask)) in kernels.iter().zip(REFUSED) {
        let named = kernel.findings.iter().filter(|finding| finding.kind == kind);
        let named = named.filter(|finding| match &finding.safety {
            Safety::Unknown(_) => true,
            Safety::Asks(_) => may_ask,
            Safety::Unfollowed(..) | Safety::Proven => false,
        });
        assert!(named.count() > 0, "{name}: {:?}", kernel.findings);
        assert!(may_ask || kernel.by_default.is_none(), "{name}");
        match &kernel.denying {
            None => {}
            Some(conditions) => assert!(may_ask && !conditions.is_empty(), "{name}: {conditions:?}"),
        }
    }
    let compared = snapshot::compare(Path::new("tests/races/refused.txt"), &table(&kernels));
    compared.unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn kernels_without_a_race_are_proven() {
    let kernels = kernels(Path::new("tests/races/accepted.rs")).expect("the kernels are read");
    for kernel in &kernels {
        let is_known = !kernel.findings.iter().any(is_open);
        assert!(is_known, "{}: {:?}", kernel.name, kernel.findings);
        assert!(kernel.denying.is_some(), "{}", kernel.name);
    }
    let compared = snapshot::compare(Path::new("tests/races/accepted.txt"), &table(&kernels));
    compared.unwrap_or_else(|difference| panic!("{difference}"));
}

/// Unguarded kernels race where the grid is wider than the matrix: their threads then come to the next row.
#[test]
fn conditions_refuse_the_launches_that_race() {
    let kernels = kernels(Path::new("tests/races/accepted.rs")).expect("the kernels are read");
    let holds = |name: &str, parameter: &str, number: u64, blocks: u64| {
        let kernel = kernels.iter().find(|kernel| kernel.name == name).expect("a kernel");
        let value = |symbol: Symbol| match symbol {
            Symbol::Argument {
                parameter: at,
                offset: 0,
                ..
            } => (kernel.parameters[at as usize] == parameter).then_some(number),
            Symbol::Grid(axis) => Some(if axis == 2 { 1 } else { blocks }),
            _ => None,
        };
        kernel.findings.iter().all(|finding| match &finding.safety {
            Safety::Proven => true,
            Safety::Asks(needs) => needs.iter().all(|need| need.holds(&value) == Some(true)),
            Safety::Unfollowed(..) | Safety::Unknown(_) => false,
        })
    };
    // Blocks of 16 x 16 and of 32 x 32 threads.
    assert!(holds("gemm_tiled", "n", 64, 4) && holds("transpose", "width", 64, 2));
    assert!(!holds("gemm_tiled", "n", 64, 5) && !holds("gemm_tiled", "n", 40, 3));
    assert!(!holds("transpose", "width", 48, 2));
    // A guard keeps the threads beyond a row away, and a width that wraps is no width.
    assert!(holds("gemm", "n", 64, 1000) && !holds("gemm", "n", 1 << 60, 1));
}

/// By default launches are held against the conditions without which they race.
#[test]
fn necessary_conditions_hold_all_launches() {
    let kernels = kernels(Path::new("tests/races/accepted.rs")).expect("the kernels are read");
    let asked = |name: &str| {
        let kernel = kernels.iter().find(|kernel| kernel.name == name).expect("a kernel");
        let conditions = kernel.by_default.as_ref().expect("it compiles");
        let text = |condition: &Condition| condition.need.text(&kernel.parameters);
        conditions.iter().map(text).collect::<Vec<String>>()
    };
    assert_eq!(asked("gemm_tiled"), ["16 * grid.x <= n"]);
    assert_eq!(asked("transpose"), ["32 * grid.y <= width"]);
    assert_eq!(asked("unguarded_rows"), ["16 * grid.x <= width"]);
    assert_eq!(asked("total"), ["grid.x <= 1"]);
    assert_eq!(asked("row_total"), ["grid.x <= 1"]);
    // Launches that break the conditions of these may have no race.
    for name in ["gemm", "unguarded_long_rows", "unguarded_rows_at_times"] {
        assert!(asked(name).is_empty(), "{:?}", asked(name));
    }
}

/// The Rust files below a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// A line for each kernel: how many accesses, barriers and exchanges are proven, proven under conditions, and unknown.
/// Files that need others of their crate are listed as such.
#[test]
fn the_tree_has_these_verdicts() {
    let mut all = Vec::new();
    for folder in [
        "../examples",
        "../tests/algorithms",
        "../tests/primitives",
        "../tests/semantics",
        "../src",
        "../vyre-primitives",
        "../vyre-many",
    ] {
        files(Path::new(folder), &mut all);
    }
    let mut out = String::new();
    let mut sums = [0; 3];
    for file in all {
        let text = std::fs::read_to_string(&file).expect("a source file can be read");
        if !text.contains("#[vyre::kernel") && !text.contains("#[kernel") {
            continue;
        }
        let name = file.display().to_string().replace('\\', "/");
        let name = name.trim_start_matches("../");
        let Some(kernels) = kernels(&file) else {
            let _ = writeln!(out, "{name}: needs other files");
            continue;
        };
        let mut counts: BTreeMap<&str, [u32; 3]> = BTreeMap::new();
        for kernel in &kernels {
            let count = counts.entry(&kernel.name).or_default();
            for finding in &kernel.findings {
                let at = match finding.safety {
                    Safety::Proven => 0,
                    Safety::Asks(_) => 1,
                    Safety::Unfollowed(..) | Safety::Unknown(_) => 2,
                };
                count[at] += 1;
                sums[at] += 1;
            }
        }
        for (kernel, [proven, asks, unknown]) in counts {
            let _ = writeln!(
                out,
                "{name} {kernel}: {proven} proven, {asks} conditional, {unknown} unknown"
            );
        }
    }
    let [proven, asks, unknown] = sums;
    let _ = writeln!(out, "all: {proven} proven, {asks} conditional, {unknown} unknown");
    let compared = snapshot::compare(Path::new("tests/races/tree.txt"), &out);
    compared.unwrap_or_else(|difference| panic!("{difference}"));
}
