//! The driver: from a program to PTX.
//!
//! Each entry of a kernel is built as an SSA graph and goes through the [`passes`], the last one maybe [again](assumed)
//! without the checks that the launch decides; then the fault sites that the entries of the kernel still use are numbered,
//! and the entries are emitted as PTX.

mod assumed;
#[cfg(feature = "verify")]
pub(crate) mod by_name;
mod newer;
mod passes;
pub(crate) mod races;

use vyre_abi::assumption::Inequality;
use vyre_abi::order::sort_by_key;
use vyre_ir::ir::limits::{MAX_LOCALS, MAX_OPERATIONS};
use vyre_ir::ir::needs::{Devices, PtxLimits, parameter_bytes};
use vyre_ir::ir::{CLUSTER_COUNTER_BYTES, Handle, Kernel, NAMED_BARRIER_BYTES, Program, SharedVariable};
use vyre_ir::module::{AssumedEntry, CompileError, Condition, FaultSite, Module, ModuleKernel};
use vyre_ir::validate::Validated;

pub use self::newer::compile_for_all;

use crate::opt::fault_sites;
use crate::ptx::{self, EntryPlan, Needs, Summary};
use crate::ssa::Function;
use crate::ssa::build::{self, Sites};
use crate::ssa::graph::Flow;
use crate::ssa::op::Object;
#[cfg(feature = "verify")]
use crate::ssa::verify;

/// Options of the compiler.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Emit `.file` and `.loc` directives, from which ptxas and the driver make tables of lines for debuggers and profilers,
    /// instead of comments that name the source lines.
    pub line_info: bool,
    /// Lower for devices that take no PTX above this: cache hints that they lack are left out, and additions to
    /// `AtomicBF16x2` are compare-exchange loops. Whatever else needs more stays, and [`Module`] says so.
    pub limits: Option<PtxLimits>,
    /// Lower for devices that all have this `.target`, such as 80 for `sm_80`: instructions that come with it replace
    /// sequences of others. With 0 the code is for all devices.
    pub target: u32,
    /// Emit no [entries](vyre_ir::module::AssumedEntry) that rely on conditions of the launch.
    pub checked_only: bool,
    /// Refuse a kernel if launches that keep its conditions check an index, a range, a row or a column:
    /// [`CompileError::BoundsChecks`].
    pub deny_bounds_checks: bool,
    /// Refuse a kernel if an access may race, or threads may part before a barrier or an exchange of a warp:
    /// [`CompileError::Races`]. What is proven under conditions of the launch is asked of each launch:
    /// [`ModuleKernel::conditions`].
    pub deny_races: bool,
    /// Shared variables whose accesses are known not to race.
    pub apart: Vec<Handle<SharedVariable>>,
    /// With `deny_races`: hold launches against necessary conditions alone, which a launch without a race keeps, and accept
    /// accesses that an order may keep apart which vyre does not follow. A condition that no launch keeps is refused still.
    pub assume_launches: bool,
    /// Verify the graph after every pass, for tests of the compiler: a violation panics and names
    /// the pass.
    #[cfg(feature = "verify")]
    pub verify: bool,
}

impl CompileOptions {
    fn devices(&self) -> Devices {
        Devices {
            limits: self.limits,
            target: self.target,
        }
    }
}

/// An observer of the compilation: the verifier, or a tool. A user's build has none.
pub(crate) trait Watch {
    /// The next entry, by its symbol.
    fn entry(&mut self, symbol: &str) {
        let _ = symbol;
    }

    /// The graph after a stage.
    fn passed(&mut self, stage: &'static str, function: &Function) {
        let _ = (stage, function);
    }

    /// All entries of a kernel are built, with these sites.
    fn built(&mut self, kernel: Handle<Kernel>, sites: &[FaultSite]) {
        let _ = (kernel, sites);
    }
}

/// No observer.
struct Unwatched;

impl Watch for Unwatched {}

/// Verifies the graph after each pass.
#[cfg(feature = "verify")]
struct Verifier;

#[cfg(feature = "verify")]
impl Watch for Verifier {
    fn passed(&mut self, stage: &'static str, function: &Function) {
        // Emission does not change the graph.
        if stage != "ptx" {
            verify::check(function, stage);
        }
    }
}

/// Compiles the kernels of a program.
///
/// # Errors
/// If a kernel is too large, or has what the options deny.
pub fn compile(valid: &Validated<'_>, options: &CompileOptions) -> Result<Module, CompileError> {
    #[cfg(feature = "verify")]
    if options.verify {
        return compile_watched(valid, options, &mut Verifier);
    }
    compile_watched(valid, options, &mut Unwatched)
}

/// Compiles under an observer.
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
        needs = needs.and(Needs::parameters(parameter_bytes(program, kernel)));
        let mut sites = Sites::of(program, kernel);
        let cooperative = valid.info().is_cooperative(handle);
        let mut lowered = Vec::with_capacity(kernel.entries.len());
        let mut symbols = Vec::with_capacity(kernel.entries.len());
        let (mut assumed, mut conditions) = (None, Vec::new());
        for (number, entry) in kernel.entries.iter().enumerate() {
            let of_entry = lower(valid, handle, number, &mut sites, options, watch)?;
            lowered.push(of_entry.checked);
            symbols.push(entry.symbol.clone());
            (assumed, conditions) = (of_entry.assumed, of_entry.conditions);
        }
        let assumed = assumed.map(|(function, needs)| {
            lowered.push(function);
            symbols.push(assumed::symbol(kernel));
            needs
        });
        let (sites, prints) = sites.into_inner();
        watch.built(handle, &sites);
        let functions = lowered.iter_mut().map(|entry| (&mut entry.function, &entry.flow));
        let sites = fault_sites::keep_used(sites, functions);
        if options.deny_bounds_checks {
            // A launch that keeps the conditions takes the entry without checks in place of the last one.
            let replaced = assumed.as_ref().map(|_| kernel.entries.len() - 1);
            let taken = lowered
                .iter()
                .enumerate()
                .filter(|(number, _)| Some(*number) != replaced);
            let left = fault_sites::bounds_checks(&sites, taken.map(|(_, entry)| (&entry.function, &entry.flow)));
            if !left.is_empty() {
                return Err(CompileError::BoundsChecks {
                    kernel: kernel.name.clone(),
                    left,
                });
            }
        }
        used.shared = vec![false; program.shared.len()];
        used.shared_align = 1;
        let mut instructions = Vec::with_capacity(lowered.len());
        let mut counters = 0;
        for (symbol, lowered) in symbols.iter().zip(&lowered) {
            watch.entry(symbol);
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
                symbol,
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
        let assumed = match (assumed, symbols.pop(), instructions.len() > kernel.entries.len()) {
            (Some(needs), Some(symbol), true) => instructions.pop().map(|instructions| AssumedEntry {
                symbol,
                needs,
                instructions,
            }),
            _ => None,
        };
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
            assumed,
            conditions,
        });
    }
    let mut ptx = ptx::header(program, needs, &used.tables, used.dynamic, options.line_info);
    ptx.push_str(&entries);
    Ok(Module {
        ptx,
        version: needs.version,
        target: needs.target,
        kernels,
        newer: None,
    })
}

/// The graph of an entry without checks, and the conditions for that.
type Assumed = (Lowered, Vec<Inequality>);

/// An entry after all passes.
struct Entry {
    checked: Lowered,
    assumed: Option<Assumed>,
    /// The conditions that each launch has to keep.
    conditions: Vec<Condition>,
}

/// The graph of an entry, ready for emission.
struct Lowered {
    function: Function,
    flow: Flow,
    summary: Summary,
}

/// Builds the graph of an entry and runs the passes; of the last entry maybe also that without the checks which hold under
/// conditions of the launch.
fn lower(
    valid: &Validated<'_>,
    handle: Handle<Kernel>,
    number: usize,
    sites: &mut Sites,
    options: &CompileOptions,
    watch: &mut dyn Watch,
) -> Result<Entry, CompileError> {
    let kernel = &valid.program().kernels[handle];
    let symbol = &kernel.entries[number].symbol;
    watch.entry(symbol);
    let mut function = build::build(valid, handle, number, sites, options.devices());
    let operations = function.values.len();
    if operations > MAX_OPERATIONS {
        return Err(CompileError::TooLarge {
            entry: symbol.clone(),
            operations,
        });
    }
    let (forest, changed) = passes::simplify(&mut function, watch);
    let is_last = number + 1 == kernel.entries.len();
    // The others are made of it, and access the same elements.
    let conditions = match is_last && options.deny_races {
        true => races::conditions(kernel, &valid.program().files, &function, options)?,
        false => Vec::new(),
    };
    // Launches that wait for all their blocks ask how many of an entry are resident, and threads that wait in loops have to
    // look for faults, by which a launch can be ended.
    let waits = valid.info().is_cooperative(handle) || valid.info().entries(handle)[number].body.effects.waiting_loop;
    let may_assume = is_last && !options.checked_only && !waits;
    let unchecked = may_assume.then(|| assumed::unchecked(&function, &forest)).flatten();
    let (flow, mut summary) = passes::optimise(&mut function, kernel, forest, changed, false, watch);
    if kernel.cluster.is_some() {
        summary.needs = summary.needs.and(Needs::CLUSTERS);
    }
    let mut locals: Vec<u32> = summary
        .objects
        .iter()
        .filter_map(|object| match object {
            Object::Local(number) => Some(*number),
            _ => None,
        })
        .collect();
    sort_by_key(&mut locals, |&number| number.into());
    locals.dedup();
    let bytes = locals
        .iter()
        .map(|&number| function.objects[number as usize].size)
        .sum();
    if bytes > MAX_LOCALS {
        return Err(CompileError::LocalsTooLarge {
            entry: symbol.clone(),
            bytes,
        });
    }
    let lowered = Lowered {
        function,
        flow,
        summary,
    };
    let denied = options.deny_bounds_checks;
    let assumed = unchecked.and_then(|unchecked| assumed::lower(unchecked, kernel, &lowered, denied, watch));
    Ok(Entry {
        checked: lowered,
        assumed,
        conditions,
    })
}

/// The objects used by the emitted functions.
struct Used {
    tables: Vec<bool>,
    /// The shared variables of the current kernel.
    shared: Vec<bool>,
    /// Their minimal alignment, required by asynchronous copies and matrix loads.
    shared_align: u64,
    /// True if one of them uses dynamic shared memory.
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

/// The size of the shared memory of these variables, each aligned.
fn shared_bytes(program: &Program, used: &Used) -> u32 {
    let mut size = 0u64;
    for ((_, variable), _) in program.shared.iter().zip(&used.shared).filter(|(_, used)| **used) {
        let layout = program.types.layout(variable.ty);
        let align = layout.align.max(used.shared_align);
        size = size.next_multiple_of(align).saturating_add(layout.size);
    }
    u32::try_from(size).unwrap_or(u32::MAX)
}
