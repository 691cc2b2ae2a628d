//! From a program to PTX: the driver.

use std::fmt;

use crate::fault::FaultChannel;
use crate::ir::{CLUSTER_COUNTER_BYTES, Kernel, MatrixLoad, NAMED_BARRIER_BYTES, Program};
use crate::module::{Module, ModuleKernel};
use crate::ptx::{self, EntryPlan, Needs};
use crate::ssa::build::{self, Sites};
use crate::ssa::op::{Object, Op};
use crate::ssa::{Function, verify};
use crate::valid::Validated;
use crate::{opt, ssa};

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Emit `.file` and `.loc` directives, from which ptxas makes line tables for debuggers and
    /// profilers, in place of comments that name the source lines.
    pub line_info: bool,
    /// Check the graph after every pass, for tests of the compiler: a violation panics and names
    /// the pass. Without it the graph is checked once, after the last pass, and in debug builds alone.
    pub verify: bool,
    /// Receives the name of each phase and the graph after it.
    pub dump: Option<fn(phase: &str, graph: &str)>,
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
pub fn compile(program: Validated<'_>, options: &CompileOptions) -> Result<Module, CompileError> {
    let program = program.program();
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
        let mut functions = Vec::with_capacity(kernel.entries.len());
        for entry in &kernel.entries {
            let mut function = build::build(program, kernel, entry, &mut sites);
            let operations = function.values.len();
            if operations > MAX_OPERATIONS {
                return Err(CompileError::TooLarge {
                    entry: entry.symbol.clone(),
                    operations,
                });
            }
            opt::optimise(&mut function, options);
            functions.push(function);
        }
        let (sites, prints) = sites.into_inner();
        let sites = opt::sites::keep_used(sites, &mut functions);
        used.shared = vec![false; program.shared.len()];
        used.shared_align = 1;
        let mut instructions = Vec::with_capacity(functions.len());
        let mut counters = 0;
        let mut clusters = 0;
        for (entry, function) in kernel.entries.iter().zip(&mut functions) {
            if !sites.is_empty() {
                opt::polls::add(function);
                opt::whole::add(function);
            }
            if kernel.cluster.is_some() {
                ptx::part_ends(function);
            }
            if options.verify || cfg!(debug_assertions) {
                verify::check(function, "the last pass");
            }
            let mut own = used.mark(function);
            if kernel.cluster.is_some() {
                own = own.and(Needs::CLUSTERS);
                clusters = CLUSTER_COUNTER_BYTES;
            }
            needs = needs.and(own);
            if function
                .values
                .iter()
                .any(|(_, data)| matches!(data.op, Op::NamedBarrier { .. }))
            {
                counters = NAMED_BARRIER_BYTES;
            }
            let plan = EntryPlan {
                program,
                kernel,
                symbol: &entry.symbol,
                function,
                sites: &sites,
                prints: !prints.is_empty(),
                target: own.target,
                shared_align: used.shared_align,
                options,
            };
            instructions.push(ptx::entry(plan, &mut entries));
        }
        kernels.push(ModuleKernel {
            kernel: handle,
            sites,
            prints,
            cooperative: kernel.is_cooperative(),
            shared_bytes: shared_bytes(program, &used) + counters + clusters,
            instructions,
        });
    }
    let mut ptx = ptx::header(program, needs, &used.tables, used.dynamic, options);
    ptx.push_str(&entries);
    Ok(Module {
        ptx,
        version: needs.version,
        target: needs.target,
        kernels,
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
    /// Marks what a function takes the address of. Returns what it needs to run.
    fn mark(&mut self, function: &Function) -> Needs {
        let mut needs = Needs::ALWAYS;
        let (tables, shared, dynamic) = (&mut self.tables, &mut self.shared, &mut self.dynamic);
        let mut mark = |value: ssa::Value| match function.op(value) {
            Op::Address(Object::Table(table)) => tables[table.index()] = true,
            Op::Address(Object::Shared(variable)) => shared[variable.index()] = true,
            Op::Address(Object::Dynamic) => *dynamic = true,
            _ => {}
        };
        let graph = ssa::graph::Flow::of(function);
        for &block in &graph.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                let op = function.op(value);
                op.each_operand(&mut mark);
                needs.add(function, value);
                let align = match op {
                    Op::AsyncCopy { bytes, .. } => bytes.into(),
                    Op::LoadMatrices { .. } => MatrixLoad::ROW_BYTES,
                    _ => continue,
                };
                self.shared_align = self.shared_align.max(align);
            }
            data.end.each_operand(&mut mark);
        }
        needs
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
