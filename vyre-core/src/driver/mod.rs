//! From a program to PTX: the driver.
//!
//! Each entry of a kernel is built as a graph and goes through the [`passes`]; then the fault sites that the
//! entries of the kernel still name get their numbers, and the entries are written as PTX.

#[cfg(feature = "verify")]
pub(crate) mod by_name;
mod passes;

use std::fmt;

use vyre_abi::fault::FaultChannel;

use crate::ir::{CLUSTER_COUNTER_BYTES, Handle, Kernel, NAMED_BARRIER_BYTES, Program};
use crate::module::{FaultSite, Module, ModuleKernel};
use crate::opt::fault_sites;
use crate::ptx::{self, EntryPlan, Needs, Summary};
use crate::ssa::Function;
use crate::ssa::build::{self, Sites};
use crate::ssa::graph::Flow;
use crate::ssa::op::Object;
#[cfg(feature = "verify")]
use crate::ssa::verify;
use crate::validate::Validated;

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Emit `.file` and `.loc` directives, from which ptxas makes line tables for debuggers and
    /// profilers, in place of comments that name the source lines.
    pub line_info: bool,
    /// Check the graph after every pass, for tests of the compiler: a violation panics and names
    /// the pass.
    #[cfg(feature = "verify")]
    pub verify: bool,
}

/// Looks on while a program is compiled: for the verifier and for tools. In a user's build nothing does.
pub(crate) trait Watch {
    /// The entry of this symbol comes next.
    fn entry(&mut self, symbol: &str) {
        let _ = symbol;
    }

    /// A stage has left this graph.
    fn passed(&mut self, stage: &'static str, function: &Function) {
        let _ = (stage, function);
    }

    /// All entries of a kernel are built, with these sites.
    fn built(&mut self, kernel: Handle<Kernel>, sites: &[FaultSite]) {
        let _ = (kernel, sites);
    }
}

/// Nothing that looks.
struct Unwatched;

impl Watch for Unwatched {}

/// Holds the graph against its rules after each pass.
#[cfg(feature = "verify")]
struct Verifier;

#[cfg(feature = "verify")]
impl Watch for Verifier {
    fn passed(&mut self, stage: &'static str, function: &Function) {
        // Printing leaves the graph as it is.
        if stage != "ptx" {
            verify::check(function, stage);
        }
    }
}

/// Why a program that is valid could not be compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileError {
    /// With all calls inlined an entry has more operations than the compiler takes.
    TooLarge {
        /// The entry's symbol.
        entry: String,
        /// How many operations it has.
        operations: usize,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::TooLarge { entry, operations } => write!(
                f,
                "kernel `{entry}` has {operations} operations once its calls are inlined, more than the {MAX_OPERATIONS} that can be compiled"
            ),
        }
    }
}

impl std::error::Error for CompileError {}

/// Operations of an entry beyond which it is refused.
const MAX_OPERATIONS: usize = 1 << 20;

/// Compiles the kernels of a program.
///
/// # Errors
/// Where a kernel is too large.
pub fn compile(valid: &Validated<'_>, options: &CompileOptions) -> Result<Module, CompileError> {
    #[cfg(feature = "verify")]
    if options.verify {
        return compile_watched(valid, options, &mut Verifier);
    }
    compile_watched(valid, options, &mut Unwatched)
}

/// Compiles while something looks.
pub(crate) fn compile_watched(
    valid: &Validated<'_>,
    options: &CompileOptions,
    watch: &mut dyn Watch,
) -> Result<Module, CompileError> {
    let program = valid.program();
    let mut used = Used {
        tables: vec![false; program.tables.len()],
        shared: Vec::new(),
        shared_align: 1,
        dynamic: false,
    };
    let mut needs = Needs::ALWAYS;
    let mut entries = String::new();
    let mut kernels = Vec::with_capacity(program.kernels.len());
    for (handle, kernel) in program.kernels.iter() {
        needs.add_parameters(parameter_bytes(program, kernel));
        let mut sites = Sites::of(program, kernel);
        let mut lowered = Vec::with_capacity(kernel.entries.len());
        for number in 0..kernel.entries.len() {
            lowered.push(lower(valid, handle, number, &mut sites, watch)?);
        }
        let (sites, prints) = sites.into_inner();
        watch.built(handle, &sites);
        let functions = lowered.iter_mut().map(|entry| (&mut entry.function, &entry.flow));
        let sites = fault_sites::keep_used(sites, functions);
        let cooperative = valid.info().is_cooperative(handle);
        used.shared = vec![false; program.shared.len()];
        used.shared_align = 1;
        let mut instructions = Vec::with_capacity(lowered.len());
        let mut counters = 0;
        for (entry, lowered) in kernel.entries.iter().zip(&lowered) {
            watch.entry(&entry.symbol);
            watch.passed("fault_sites", &lowered.function);
            let summary = &lowered.summary;
            used.mark(summary);
            needs = needs.and(summary.needs);
            if summary.named_barriers != 0 {
                counters = NAMED_BARRIER_BYTES;
            }
            let plan = EntryPlan {
                program,
                kernel,
                symbol: &entry.symbol,
                function: &lowered.function,
                flow: &lowered.flow,
                summary,
                sites: &sites,
                prints: !prints.is_empty(),
                shared_align: used.shared_align,
                cooperative,
                line_info: options.line_info,
            };
            instructions.push(ptx::entry(plan, &mut entries));
            watch.passed("ptx", &lowered.function);
        }
        let clusters = match kernel.cluster {
            Some(_) => CLUSTER_COUNTER_BYTES,
            None => 0,
        };
        kernels.push(ModuleKernel {
            kernel: handle,
            sites,
            prints,
            cooperative,
            shared_bytes: shared_bytes(program, &used) + counters + clusters,
            instructions,
        });
    }
    let mut ptx = ptx::header(program, needs, &used.tables, used.dynamic, options.line_info);
    ptx.push_str(&entries);
    Ok(Module {
        ptx,
        version: needs.version,
        target: needs.target,
        kernels,
    })
}

/// The graph of an entry, ready to be written as PTX.
struct Lowered {
    function: Function,
    flow: Flow,
    summary: Summary,
}

/// Builds the graph of an entry and lets the passes go over it.
fn lower(
    valid: &Validated<'_>,
    handle: Handle<Kernel>,
    number: usize,
    sites: &mut Sites,
    watch: &mut dyn Watch,
) -> Result<Lowered, CompileError> {
    let kernel = &valid.program().kernels[handle];
    let symbol = &kernel.entries[number].symbol;
    watch.entry(symbol);
    let mut function = build::build(valid, handle, number, sites);
    let operations = function.values.len();
    if operations > MAX_OPERATIONS {
        return Err(CompileError::TooLarge {
            entry: symbol.clone(),
            operations,
        });
    }
    let (flow, mut summary) = passes::run(&mut function, kernel, watch);
    if kernel.cluster.is_some() {
        summary.needs = summary.needs.and(Needs::CLUSTERS);
    }
    Ok(Lowered {
        function,
        flow,
        summary,
    })
}

/// What functions take the addresses of.
struct Used {
    tables: Vec<bool>,
    /// The shared variables of the kernel at hand.
    shared: Vec<bool>,
    /// What they are aligned to at least: what asynchronous copies and loads of matrices want.
    shared_align: u64,
    /// Whether one of them has dynamic shared memory.
    dynamic: bool,
}

impl Used {
    fn mark(&mut self, entry: &Summary) {
        self.shared_align = self.shared_align.max(entry.shared_align);
        for &object in &entry.objects {
            match object {
                Object::Table(table) => self.tables[table.index()] = true,
                Object::Shared(variable) => self.shared[variable.index()] = true,
                Object::Dynamic => self.dynamic = true,
                Object::Local(_) | Object::Parameter { .. } => {}
            }
        }
    }
}

/// What a launch of a kernel passes, in bytes.
fn parameter_bytes(program: &Program, kernel: &Kernel) -> u64 {
    let parameters = kernel.parameters.iter().map(|parameter| parameter.ty);
    let tables = program.host_tables().map(|(_, table)| table.ty);
    let end = parameters.chain(tables).fold(0_u64, |end, ty| {
        let layout = program.types.layout(ty);
        end.next_multiple_of(layout.align.max(1)) + layout.size
    });
    end.next_multiple_of(8) + size_of::<FaultChannel>() as u64
}

/// The shared memory of these variables, each at the next multiple of its alignment.
fn shared_bytes(program: &Program, used: &Used) -> u32 {
    let mut size = 0u64;
    for ((_, variable), _) in program.shared.iter().zip(&used.shared).filter(|(_, used)| **used) {
        let layout = program.types.layout(variable.ty);
        let align = layout.align.max(used.shared_align);
        size = size.next_multiple_of(align).saturating_add(layout.size);
    }
    u32::try_from(size).unwrap_or(u32::MAX)
}
