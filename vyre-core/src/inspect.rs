//! Views of a compilation for tools and tests of the compiler: the graph after each pass, and
//! single passes on the text of a graph.
//!
//! A user's build does not need this: it requires the feature `verify`.

pub use vyre_abi::assumption::{Inequality, Product, Symbol};
use vyre_ir::ir::{Handle, Kernel, Span};
use vyre_ir::module::{CompileError, FaultSite, Module};
use vyre_ir::validate::Validated;

use crate::analysis;
pub use crate::analysis::races::{Finding, Launch, Need, Safety};
pub use crate::analysis::verdicts::{Thread, Verdict, Verdicts};
pub use crate::driver::by_name::{PASSES, run_passes};
use crate::driver::{CompileOptions, Watch, compile_watched};
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, parse, print, verify};

/// Parses a graph, and prints the facts of the analyses about each block and value.
///
/// # Errors
/// The line that cannot be parsed, or the rule that the graph violates.
pub fn facts(text: &str) -> Result<String, String> {
    let function = parse::parse(text)?;
    verify::verify(&function)?;
    Ok(analysis::print::print(&function))
}

/// The first pass behind the first simplification.
pub const SIMPLIFIED: &str = "ballots";

/// An observer of a compilation.
pub trait Observer {
    /// An entry has gone through a stage.
    fn passed(&mut self, stage: &Stage<'_>);

    /// All entries of a kernel are built. These are its fault sites before any pass has removed
    /// one; the remaining ones are [`ModuleKernel::sites`](vyre_ir::module::ModuleKernel::sites).
    fn built(&mut self, kernel: Handle<Kernel>, sites: &[FaultSite]) {
        let _ = (kernel, sites);
    }
}

/// An entry after a stage of its compilation.
#[derive(Debug)]
pub struct Stage<'a> {
    /// The symbol of the entry.
    pub entry: &'a str,
    /// `build` after the graph is made, the name of a pass, or `ptx` after the entry is printed.
    pub name: &'static str,
    function: &'a Function,
}

impl Stage<'_> {
    /// The facts of the analyses about each block and value, as text.
    pub fn facts(&self) -> String {
        analysis::print::print(self.function)
    }

    /// The facts of the values that the graph prints, for a launch with these blocks.
    pub fn verdicts(&self, grid: [u32; 3]) -> Verdicts<'_> {
        Verdicts::of(self.function, grid)
    }

    /// The verdicts about accesses that may race and about barriers, for launches of a kind. They are sharpest after
    /// [`SIMPLIFIED`], when loops are those of the source.
    pub fn races(&self, launch: Launch<'_>) -> Vec<Finding> {
        crate::driver::races::find(self.function, launch)
    }

    /// The graph as text.
    pub fn text(&self) -> String {
        print::print(self.function)
    }

    /// The loads, stores and atomic accesses of the graph, in the order of its blocks.
    pub fn accesses(&self) -> Vec<Access> {
        let function = self.function;
        let mut accesses = Vec::new();
        for block in Flow::of(function).order {
            for &value in &function.blocks[block].body {
                let (kind, address, bytes) = match function.op(value) {
                    Op::Load {
                        address,
                        scalar,
                        constant,
                        ..
                    } => {
                        let kind = if constant { "read-only load" } else { "load" };
                        (kind, address, scalar.size())
                    }
                    Op::Store { address, scalar, .. } => ("store", address, scalar.size()),
                    Op::Atomic { address, scalar, .. } => ("atomic access", address, scalar.size()),
                    _ => match crate::report::copied(function, value) {
                        Some(([(target, _), _], bytes)) => ("asynchronous copy", target, bytes),
                        None => continue,
                    },
                };
                let Ty::Pointer(space) = function.ty(address) else {
                    continue;
                };
                accesses.push(Access {
                    kind,
                    space: space.name(),
                    bytes,
                    span: function.values[value].span,
                });
            }
        }
        accesses
    }

    /// The distinct numbers of the fault sites that the graph checks. Up to the pass `fault_sites`
    /// they are those of [`Observer::built`].
    pub fn checked_sites(&self) -> Vec<u32> {
        let mut sites = Vec::new();
        for block in Flow::of(self.function).order {
            for &value in &self.function.blocks[block].body {
                if let Op::Guard { site, .. } | Op::Claim { site } = self.function.op(value) {
                    sites.push(site);
                }
            }
        }
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// A memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// The source location.
    pub span: Span,
    /// `load`, `read-only load`, `store`, `atomic access` or `asynchronous copy`.
    pub kind: &'static str,
    /// The state space, as in PTX; for a copy that of its destination.
    pub space: &'static str,
    /// The width.
    pub bytes: u32,
}

/// Compiles like [`compile`](crate::compile()), and shows each stage to an observer.
///
/// # Errors
/// As [`compile`](crate::compile()).
pub fn compile_observed(
    valid: &Validated<'_>,
    options: &CompileOptions,
    observer: &mut dyn Observer,
) -> Result<Module, CompileError> {
    let mut watch = Observed {
        verify: options.verify,
        observer,
        entry: String::new(),
    };
    compile_watched(valid, options, &mut watch)
}

/// Verifies the graph after each pass and shows it.
struct Observed<'o> {
    verify: bool,
    observer: &'o mut dyn Observer,
    /// The symbol of the current entry.
    entry: String,
}

impl Watch for Observed<'_> {
    fn entry(&mut self, symbol: &str) {
        symbol.clone_into(&mut self.entry);
    }

    fn passed(&mut self, name: &'static str, function: &Function) {
        // Emission does not change the graph.
        if self.verify && name != "ptx" {
            verify::check(function, name);
        }
        let entry = &self.entry;
        self.observer.passed(&Stage { entry, name, function });
    }

    fn built(&mut self, kernel: Handle<Kernel>, sites: &[FaultSite]) {
        self.observer.built(kernel, sites);
    }
}
