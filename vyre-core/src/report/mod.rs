//! What a kernel does to memory and to warps, as its author should know it: checks, coalescing, bank conflicts, divergence.
//!
//! [`report`] compiles a program once more and looks at the graph of each kernel twice: after the first simplification,
//! whose accesses and branches are those of the source, and at the end of the passes, which have removed and moved checks.
//! Accesses and branches that are gone by then are left out.
//!
//! The pattern of an access is that of the warps of a block, from the sums that indices are of the lane
//! (`lanes`). It is an estimate for people, and no pass relies on it.

mod access;
mod branches;
mod checks;
mod lanes;

use vyre_ir::ir::{Handle, Kernel, Program, Span};
use vyre_ir::module::{CompileError, FaultSite};
use vyre_ir::validate::Validated;

use self::access::Found;
#[cfg(feature = "verify")]
pub(crate) use self::access::copied;
use self::checks::Final;
pub use self::checks::name as check_name;
use self::lanes::{LANES, Warp};
use crate::analysis::digits::{Digits, Given};
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::{Group, Uniformity};
use crate::driver::{CompileOptions, Watch, compile_watched};
use crate::ssa::Function;

/// The report about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelReport {
    /// The name in the source.
    pub name: String,
    /// The location of its definition.
    pub span: Span,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// The symbol of the entry that the report is about: the one without checks that the launch decides, if there is one.
    pub entry: String,
    /// The conditions of the launch that select this entry; none if all launches do, but for those that are coarsened.
    pub conditions: Vec<String>,
    /// The error by which the options refuse the program, if they do; the report is about the kernel without them.
    pub refused: Option<String>,
    /// The accesses to memory, by place.
    pub accesses: Vec<AccessReport>,
    /// The checks that are left besides those of accesses: divisions, ranges, assertions.
    pub checks: Vec<CheckReport>,
    /// The branches at which the lanes of a warp part, by place.
    pub branches: Vec<BranchReport>,
}

/// A memory access of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessReport {
    /// The source location.
    pub span: Span,
    /// The slice or variable; empty if it has no name.
    pub name: String,
    /// `load`, `store`, `atomic access`, `copy from` or `copy to`.
    pub kind: &'static str,
    /// The state space, as in PTX.
    pub space: &'static str,
    /// The bytes that a thread accesses by one instruction.
    pub bytes: u32,
    /// The elements of the slice that it accesses, if it is one.
    pub element: Option<Element>,
    /// What became of the check of its index; `None` without one.
    pub check: Option<Check>,
    /// The addresses of a warp.
    pub pattern: Pattern,
}

/// The elements of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Bytes of each.
    pub size: u64,
    /// Their alignment in bytes.
    pub align: u64,
}

/// What became of a bounds check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// Gone: it always holds.
    Proven,
    /// Gone in launches that keep the conditions.
    Launch,
    /// One comparison before a loop decides for all iterations.
    Hoisted,
    /// Each thread checks, outside of loops.
    Checked,
    /// Each iteration of a loop checks.
    InLoop,
}

/// The addresses that the lanes of a warp access together. The worst of the warps of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All lanes access one address.
    Uniform,
    /// Global memory: neighbouring lanes access neighbouring addresses.
    Coalesced {
        /// Sectors of 32 bytes that the warp touches, if the first one begins where the access does.
        sectors: u32,
    },
    /// Global memory: the addresses of neighbouring lanes are apart.
    Strided {
        /// The bytes from one lane to the next, if they are known, or what the unknown number is multiplied by.
        bytes: i64,
        /// The unknown number, as `width`; empty if it has no name.
        times: Option<String>,
        /// Sectors of 32 bytes that the warp touches.
        sectors: u32,
    },
    /// Global memory: the addresses are known and irregular.
    Irregular {
        /// Sectors of 32 bytes that the warp touches.
        sectors: u32,
    },
    /// Global memory: the addresses depend on data, or on more than sums of the index of the lane.
    Scattered {
        /// True if they depend on data.
        by_data: bool,
    },
    /// Shared memory: the number of turns that the warp takes because lanes access different words of one bank; 1 is the
    /// least.
    Banks {
        /// The number of turns.
        degree: u32,
        /// The degree if rows were one word longer.
        padded: Option<u32>,
    },
    /// Shared memory: the addresses depend on data, or on more than sums of the index of the lane.
    UnknownBanks {
        /// True if they depend on data.
        by_data: bool,
    },
    /// Memory of the thread alone, or constants: no pattern to tell.
    Private,
}

/// A check that is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckReport {
    /// The source location.
    pub span: Span,
    /// What is checked: `divisor is not zero`.
    pub kind: &'static str,
    /// What became of it.
    pub check: Check,
}

/// A branch at which the lanes of a warp may part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchReport {
    /// The source location of the condition.
    pub span: Span,
    /// How lanes part.
    pub divergence: Divergence,
    /// True if it ends a loop: lanes have different numbers of iterations.
    pub is_loop: bool,
}

/// How lanes part at a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Divergence {
    /// In the warp at the limit of an index alone, as at `i < n`.
    Edge,
    /// In the same way in each block: in the warp that parts most evenly, so many lanes go one way.
    Lanes {
        /// The lanes that take the branch.
        taken: u32,
        /// The lanes that come to it.
        of: u32,
    },
    /// By the index of the thread, in a way that is not known.
    Thread,
    /// By data.
    Data,
}

impl AccessReport {
    /// The changes of the source that are known to help.
    pub fn advice(&self) -> Vec<String> {
        let mut advice = Vec::new();
        let is_known = !matches!(self.pattern, Pattern::Scattered { .. } | Pattern::UnknownBanks { .. });
        if self.check == Some(Check::InLoop) && is_known {
            advice.push("compare the index once before the loop, or iterate over the slice".to_owned());
        }
        match (&self.pattern, self.part_of()) {
            (Pattern::Strided { .. }, Some(Element { size, align })) => {
                // Parts of neighbouring elements, each by an instruction of its own.
                let is_vector = matches!(size, 8 | 16) && align < size;
                let text = format!("align the element to its {size} bytes: one instruction accesses all of it");
                advice.extend(is_vector.then_some(text));
            }
            (Pattern::Strided { .. }, None) => {
                advice.push("let neighbouring threads access neighbouring elements".to_owned());
            }
            (Pattern::Banks { degree, padded }, _) if *degree > 1 => advice.push(match padded {
                Some(less) if less < degree => "pad the row by one word".to_owned(),
                _ => "let neighbouring threads access neighbouring words".to_owned(),
            }),
            _ => {}
        }
        advice
    }

    /// The elements of which lanes access parts, neighbours those of neighbours.
    fn part_of(&self) -> Option<Element> {
        let Pattern::Strided { bytes, times: None, .. } = &self.pattern else {
            return None;
        };
        self.element.filter(|element| bytes.unsigned_abs() == element.size)
    }
}

impl Check {
    /// The verdict in a word or few.
    pub fn text(self) -> &'static str {
        match self {
            Check::Proven => "proven",
            Check::Launch => "decided by the launch",
            Check::Hoisted => "hoisted",
            Check::Checked => "checked",
            Check::InLoop => "checked in a loop",
        }
    }
}

impl Divergence {
    /// The change of the source that is known to help, if there is one.
    pub fn advice(self) -> Option<&'static str> {
        match self {
            Divergence::Lanes { taken, of } if taken > 1 && taken + 1 < of => {
                Some("let whole warps take one side: decide by the index divided by 32")
            }
            _ => None,
        }
    }
}

/// The reports about the kernels of a program, in its order.
///
/// What the options deny is reported and no error.
///
/// # Errors
/// If a kernel is too large.
pub fn report(valid: &Validated<'_>, options: &CompileOptions) -> Result<Vec<KernelReport>, CompileError> {
    let program = valid.program();
    let watched = |options: &CompileOptions| {
        let mut seen = Seen {
            program,
            entry: String::new(),
            entries: Vec::new(),
            sites: Vec::new(),
        };
        compile_watched(valid, options, &mut seen).map(|module| (module, seen))
    };
    let (refused, (module, seen)) = match watched(options) {
        Ok(compiled) => (None, compiled),
        Err(error @ (CompileError::BoundsChecks { .. } | CompileError::Races { .. })) => {
            let tolerant = CompileOptions {
                deny_bounds_checks: false,
                deny_races: false,
                ..options.clone()
            };
            (Some(error.to_string()), watched(&tolerant)?)
        }
        Err(error) => return Err(error),
    };
    let mut reports = Vec::new();
    for compiled in &module.kernels {
        let kernel = &program.kernels[compiled.kernel];
        let last = kernel.entries.last().map_or("", |entry| &entry.symbol);
        let names: Vec<String> = (kernel.parameters.iter())
            .map(|parameter| parameter.name.clone())
            .collect();
        let (entry, conditions) = match &compiled.assumed {
            Some(assumed) => (
                assumed.symbol.as_str(),
                assumed.needs.iter().map(|need| need.text(&names)).collect(),
            ),
            None => (last, Vec::new()),
        };
        let nothing = Entry::default();
        let known = |symbol: &str| {
            let found = seen.entries.iter().find(|(of, _)| of == symbol);
            found.map_or(&nothing, |(_, entry)| entry)
        };
        let sites = seen.sites.iter().find(|(of, _)| *of == compiled.kernel);
        let verdicts = checks::verdicts(
            sites.map_or(&[], |(_, sites)| sites),
            &known(last).end,
            &known(entry).end,
        );
        let (accesses, checks) = access::reports(&known(last).accesses, &verdicts, &known(entry).end);
        reports.push(KernelReport {
            name: kernel.name.clone(),
            span: kernel.span,
            block: kernel.block,
            entry: entry.to_owned(),
            conditions,
            refused: refused.clone(),
            accesses,
            checks,
            branches: branches::reports(&known(last).branches, &known(entry).end),
        });
    }
    Ok(reports)
}

/// The findings about an entry.
#[derive(Default)]
struct Entry {
    is_seen: bool,
    accesses: Vec<Found>,
    branches: Vec<BranchReport>,
    end: Final,
}

/// Collects the findings while the program is compiled.
struct Seen<'p> {
    program: &'p Program,
    /// The symbol of the current entry.
    entry: String,
    entries: Vec<(String, Entry)>,
    sites: Vec<(Handle<Kernel>, Vec<FaultSite>)>,
}

impl Watch for Seen<'_> {
    fn entry(&mut self, symbol: &str) {
        symbol.clone_into(&mut self.entry);
    }

    fn passed(&mut self, stage: &'static str, function: &Function) {
        let at = match self.entries.iter().position(|(symbol, _)| *symbol == self.entry) {
            Some(at) => at,
            None => {
                self.entries.push((self.entry.clone(), Entry::default()));
                self.entries.len() - 1
            }
        };
        match stage {
            // The first run is the end of the first simplification.
            "ballots" if !self.entries[at].1.is_seen => {
                self.entries[at].1.is_seen = true;
                let mut kernels = self.program.kernels.iter().map(|(_, kernel)| kernel);
                let kernel = kernels.find(|kernel| kernel.entries.iter().any(|entry| entry.symbol == self.entry));
                if let Some(kernel) = kernel {
                    let (accesses, branches) = look(self.program, kernel, function);
                    let entry = &mut self.entries[at].1;
                    (entry.accesses, entry.branches) = (accesses, branches);
                }
            }
            // The last pass before sites get other numbers that every entry goes through.
            "legalize" => self.entries[at].1.end = Final::of(function),
            _ => {}
        }
    }

    fn built(&mut self, kernel: Handle<Kernel>, sites: &[FaultSite]) {
        self.sites.push((kernel, sites.to_vec()));
    }
}

/// The accesses and branches of an entry whose loops are those of the source.
fn look(program: &Program, kernel: &Kernel, function: &Function) -> (Vec<Found>, Vec<BranchReport>) {
    let forest = LoopForest::as_is(function);
    let inside = |header, block| forest.is_inside(header, block);
    let given = Given {
        // Buffers and variables begin at multiples of this.
        aligned: &|_| 256,
        inside: Some(&inside),
        grid: None,
        quotients: false,
    };
    let digits = Digits::of(function, &forest.graph, &given);
    let uniformity = Uniformity::of(function, &forest, Group::Warp);
    let threads: u32 = function.block_size.iter().product();
    let (mut accesses, mut branches) = (access::Search::new(program, kernel, function, &forest), Vec::new());
    for number in 0..threads.div_ceil(LANES as u32).min(MAX_WARPS) {
        let warp = Warp::of(function, &forest, &digits, &uniformity, number);
        accesses.warp(&warp);
        branches::warp(function, &forest, &uniformity, &warp, &mut branches);
    }
    (accesses.found, branches)
}

/// Limit of the warps of a block that are looked at.
const MAX_WARPS: u32 = 8;
