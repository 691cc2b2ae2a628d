//! `--facts`: the compiler's facts about a kernel.
//!
//! A fact is a text at a location, under a topic. Each topic is a function over the results of a
//! compilation, [`Compiled`]; [`TOPICS`] lists them. A new analysis adds a row.

use std::collections::BTreeMap;
use std::fmt::Write;

use vyre_core::inspect::{Access, Observer, Stage, compile_observed};
use vyre_core::ir::{Among, Block, Handle, Kernel, Span, StmtKind};
use vyre_core::module::{AssumedEntry, FaultSite, Module};
use vyre_core::report::check_name;
use vyre_core::validate::{BodyInfo, Effects, Validated};
use vyre_core::{CompileError, CompileOptions};

use super::sources::Sources;
use crate::Result;
use crate::source::Unit;

/// A fact about a location, or about the kernel as a whole.
struct Fact {
    place: Span,
    text: String,
}

/// The results of a compilation that facts are derived from.
struct Compiled<'u> {
    unit: &'u Unit,
    valid: Validated<'u>,
    seen: Seen,
    module: Module,
}

/// Collects the facts of a topic for a kernel.
type Topic = fn(&Compiled<'_>, Handle<Kernel>) -> Vec<Fact>;

/// The topics, in the order in which they are shown: what costs time comes first.
const TOPICS: [(&str, Topic); 6] = [
    ("checks that are left", checks_left),
    ("checks that the launch decides", checks_decided),
    ("memory accesses", accesses),
    ("synchronisation", synchronisation),
    ("arithmetic", arithmetic),
    (REMOVED, checks_removed),
];

/// The topic of which only the count is shown, unless all is asked for.
const REMOVED: &str = "checks that were removed";

/// How much of the facts is shown.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Extent {
    /// The checks that are left, and the number of those that were removed
    Left,
    /// Also the checks that were removed
    All,
}

/// Records the results of passes that facts need.
#[derive(Default)]
struct Seen {
    /// The fault sites of each kernel, before any pass.
    sites: BTreeMap<Handle<Kernel>, Vec<FaultSite>>,
    /// The sites that each entry still checks.
    checked: BTreeMap<String, Vec<u32>>,
    /// The final memory accesses of each entry.
    accesses: BTreeMap<String, Vec<Access>>,
}

impl Observer for Seen {
    fn passed(&mut self, stage: &Stage<'_>) {
        // After `fault_sites` they have other numbers.
        if !matches!(
            stage.name,
            "fault_sites" | "fault_polls" | "full_warp" | "part_ends" | "ptx"
        ) {
            self.checked.insert(stage.entry.to_owned(), stage.checked_sites());
        }
        if stage.name == "ptx" {
            self.accesses.insert(stage.entry.to_owned(), stage.accesses());
        }
    }

    fn built(&mut self, kernel: Handle<Kernel>, sites: &[FaultSite]) {
        self.sites.insert(kernel, sites.to_vec());
    }
}

/// The facts of each kernel of a program, by topic.
pub(super) fn show(unit: &Unit, sources: &Sources, extent: Extent) -> Result<String> {
    let valid = unit.validated()?;
    let mut seen = Seen::default();
    let mut refused = String::new();
    let module = match compile_observed(&valid, &unit.options, &mut seen) {
        Err(error @ (CompileError::BoundsChecks { .. } | CompileError::Races { .. })) => {
            refused = format!("  refused: {error}\n");
            seen = Seen::default();
            let tolerant = CompileOptions {
                deny_bounds_checks: false,
                deny_races: false,
                ..unit.options.clone()
            };
            compile_observed(&valid, &tolerant, &mut seen)
        }
        compiled => compiled,
    };
    let module = module.map_err(|error| error.to_string())?;
    let compiled = Compiled {
        unit,
        valid,
        seen,
        module,
    };
    let mut out = String::new();
    for (handle, kernel) in unit.program.kernels.iter() {
        let _ = writeln!(out, "kernel {}", kernel.name);
        out += &refused;
        for (topic, find) in TOPICS {
            let facts = find(&compiled, handle);
            let hidden = topic == REMOVED && extent == Extent::Left;
            let _ = match facts.len() {
                0 => writeln!(out, "  {topic}: none"),
                count if hidden => writeln!(out, "  {topic}: {count}, listed by --facts=all"),
                _ => writeln!(out, "  {topic}"),
            };
            for fact in facts.into_iter().filter(|_| !hidden) {
                let _ = match fact.place.is_some() {
                    true => writeln!(out, "    {}: {}", place(unit, sources, fact.place), fact.text),
                    false => writeln!(out, "    {}", fact.text),
                };
            }
        }
    }
    Ok(out)
}

/// `saxpy.rs:5:16 | y[i] = a * x[i] + y[i];`
pub(super) fn place(unit: &Unit, sources: &Sources, place: Span) -> String {
    let file = unit.program.files.get(place.file as usize).map_or("?", String::as_str);
    let text = sources
        .text(file, place.line)
        .map_or_else(String::new, |text| format!(" `{text}`"));
    format!("{file}:{}:{}{text}", place.line, place.column)
}

/// For each site of a kernel, the entries that still check it.
fn sites<'c>(compiled: &'c Compiled<'_>, kernel: Handle<Kernel>) -> Vec<(&'c FaultSite, Vec<&'c str>)> {
    let entries = &compiled.unit.program.kernels[kernel].entries;
    let sites = compiled.seen.sites.get(&kernel).map_or(&[][..], Vec::as_slice);
    let checked_in = |number: u32| {
        let entries = entries.iter().map(|entry| entry.symbol.as_str());
        let checks = |entry: &&str| {
            compiled
                .seen
                .checked
                .get(*entry)
                .is_some_and(|all| all.contains(&number))
        };
        entries.filter(checks).collect()
    };
    (0..)
        .zip(sites)
        .map(|(number, site)| (site, checked_in(number)))
        .collect()
}

/// The entry without the checks that the launch decides.
fn assumed<'c>(compiled: &'c Compiled<'_>, kernel: Handle<Kernel>) -> Option<&'c AssumedEntry> {
    let mut kernels = compiled.module.kernels.iter();
    kernels.find(|known| known.kernel == kernel)?.assumed.as_ref()
}

/// True if a site is not checked in launches that keep the conditions of the kernel.
fn is_decided(compiled: &Compiled<'_>, kernel: Handle<Kernel>, site: usize) -> bool {
    let checked = assumed(compiled, kernel).and_then(|assumed| compiled.seen.checked.get(&assumed.symbol));
    checked.is_some_and(|checked| !checked.contains(&(site as u32)))
}

/// The conditions of the entry without checks, and the checks that it does without.
fn checks_decided(compiled: &Compiled<'_>, kernel: Handle<Kernel>) -> Vec<Fact> {
    let Some(assumed) = assumed(compiled, kernel) else {
        return Vec::new();
    };
    let parameters = compiled.unit.program.kernels[kernel].parameters.iter();
    let names: Vec<String> = parameters.map(|parameter| parameter.name.clone()).collect();
    let needs: Vec<String> = assumed
        .needs
        .iter()
        .map(|need| format!("`{}`", need.text(&names)))
        .collect();
    let conditions = Fact {
        place: Span::NONE,
        text: match needs.is_empty() {
            true => "gone in all launches".to_owned(),
            false => format!("gone in launches for which {}", needs.join(" and ")),
        },
    };
    let sites = sites(compiled, kernel).into_iter().enumerate();
    let decided = sites.filter(|(number, (_, entries))| !entries.is_empty() && is_decided(compiled, kernel, *number));
    let checks = decided.map(|(_, (site, _))| Fact {
        place: site.span,
        text: check_name(site.kind).to_owned(),
    });
    std::iter::once(conditions).chain(checks).collect()
}

fn checks_left(compiled: &Compiled<'_>, kernel: Handle<Kernel>) -> Vec<Fact> {
    let all = compiled.unit.program.kernels[kernel].entries.len();
    let sites = sites(compiled, kernel).into_iter().enumerate();
    let left = sites
        .filter(|(number, (_, entries))| !entries.is_empty() && !is_decided(compiled, kernel, *number))
        .map(|(_, site)| site);
    let fact = |(site, entries): (&FaultSite, Vec<&str>)| Fact {
        place: site.span,
        text: match entries.len() == all {
            true => check_name(site.kind).to_owned(),
            false => format!(
                "{}, in {} of {all} entries: {}",
                check_name(site.kind),
                entries.len(),
                entries.join(", ")
            ),
        },
    };
    left.map(fact).collect()
}

fn checks_removed(compiled: &Compiled<'_>, kernel: Handle<Kernel>) -> Vec<Fact> {
    let removed = sites(compiled, kernel)
        .into_iter()
        .filter(|(_, entries)| entries.is_empty());
    removed
        .map(|(site, _)| Fact {
            place: site.span,
            text: check_name(site.kind).to_owned(),
        })
        .collect()
}

/// The accesses to memory in the graphs of the entries, by place: a loop that is unrolled or versioned has several
/// of one place. Accesses that a launch makes to report a fault are not among them.
fn accesses(compiled: &Compiled<'_>, kernel: Handle<Kernel>) -> Vec<Fact> {
    let entries = &compiled.unit.program.kernels[kernel].entries;
    let mut facts = Vec::new();
    for entry in entries {
        let mut counts: BTreeMap<Access, u32> = BTreeMap::new();
        for &access in compiled.seen.accesses.get(&entry.symbol).into_iter().flatten() {
            *counts.entry(access).or_default() += 1;
        }
        let of = if entries.len() > 1 {
            format!(", in entry {}", entry.symbol)
        } else {
            String::new()
        };
        facts.extend(counts.into_iter().map(|(access, count)| {
            let times = if count > 1 {
                format!("{count} x ")
            } else {
                String::new()
            };
            let Access {
                kind,
                space,
                bytes,
                span,
            } = access;
            Fact {
                place: span,
                text: format!("{times}{space} {kind} of {bytes} bytes{of}"),
            }
        }));
    }
    facts.sort_by_key(|fact| fact.place);
    facts
}

/// The statements at which threads wait for each other, and what the kernel does as a whole.
fn synchronisation(compiled: &Compiled<'_>, kernel: Handle<Kernel>) -> Vec<Fact> {
    let (program, info) = (compiled.valid.program(), compiled.valid.info());
    let mut facts = Vec::new();
    let (Some(entry), Some(known)) = (program.kernels[kernel].entries.last(), info.entries(kernel).last()) else {
        return facts;
    };
    let Effects {
        block_barrier,
        grid_barrier,
        warp_exchange,
        matrices,
        waiting_loop,
        reads_others,
        mul_add: _,
    } = known.body.effects;
    let whole = [
        (block_barrier, "waits for its block, its cluster or warps"),
        (grid_barrier, "waits for the whole grid: launches are cooperative"),
        (warp_exchange, "exchanges values among warps"),
        (matrices, "multiplies or loads matrices by whole warps"),
        (
            waiting_loop,
            "has loops that wait for other threads: they poll for faults",
        ),
        (reads_others, "reads what other threads may write meanwhile"),
    ];
    facts.extend(whole.into_iter().filter(|(holds, _)| *holds).map(|(_, text)| Fact {
        place: Span::NONE,
        text: text.to_owned(),
    }));
    waits(&entry.body.block, &known.body, &mut facts);
    for &function in &known.reach.functions {
        waits(
            &program.functions[function].body.block,
            info.function(function),
            &mut facts,
        );
    }
    facts
}

/// Fused multiply-adds, which the CPU body needs the feature `fma` for.
fn arithmetic(compiled: &Compiled<'_>, kernel: Handle<Kernel>) -> Vec<Fact> {
    let entry = compiled.valid.info().entries(kernel).last();
    let fused = entry.filter(|known| known.body.effects.mul_add);
    let fact = |_| Fact {
        place: Span::NONE,
        text: "has a fused multiply-add: the CPU body is compiled a second time with the feature fma".to_owned(),
    };
    fused.map(fact).into_iter().collect()
}

fn waits(block: &Block, known: &BodyInfo<'_>, facts: &mut Vec<Fact>) {
    for stmt in block {
        let text;
        let text = match &stmt.kind {
            StmtKind::Intrinsic { intrinsic, .. } => {
                let (row, written) = (intrinsic.row(), intrinsic.to_string());
                let whole = match row.among {
                    Among::Thread => "",
                    Among::Warp => "exchanges values among the warp",
                    Among::Block => "waits for the block",
                    Among::Cluster => "waits for the cluster",
                    Among::Grid => "waits for the grid",
                };
                // One with immediates is among a part, or does not wait.
                if whole.is_empty() || row.among == Among::Warp || written == row.name {
                    whole
                } else {
                    text = format!("arrives at `{written}`");
                    &text
                }
            }
            StmtKind::Loop { .. } if known.is_wait(stmt) => "loops until another thread writes something",
            _ => "",
        };
        if !text.is_empty() {
            facts.push(Fact {
                place: stmt.span,
                text: text.to_owned(),
            });
        }
        stmt.kind.blocks().for_each(|block| waits(block, known, facts));
    }
}
