//! The output of the compiler, and its errors.
//!
//! **Parameters of an entry**, in order: a scalar is one `.param` of its size (`bool` a byte); a
//! struct, tuple or array one aligned byte array with the layout of
//! [`Types::layout`](crate::ir::Types::layout); a slice two `.u64`, address and number of elements.
//! The host constants, whose values a launch passes
//! ([`Program::host_tables`](crate::ir::Program::host_tables)) follow, each an aligned byte array.
//! If the kernel has fault sites, prints or uses grid barriers, the
//! [`FaultChannel`](vyre_abi::fault::FaultChannel) follows. All entries of a kernel take the same.
//!
//! **Externals** without a value appear in the PTX as placeholders of fixed width: `0x`, `V`, then
//! the external's number in decimal digits, so that the whole has 10 characters for scalars up to
//! 32 bits (`0xV0000003`) and 18 for 64 bits. Const evaluation overwrites each by `0x` and as many
//! hexadecimal digits of the value's bits. The text form has the same placeholders.

use std::fmt;

use vyre_abi::assumption::{Inequality, NEVER, Product, Symbol, encode};
use vyre_abi::fault::FaultKind;

use crate::ir::limits::{MAX_LOCALS, MAX_OPERATIONS};
use crate::ir::{Handle, Kernel, Program, Span, Type};

/// PTX with the facts that a launcher needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The PTX.
    pub ptx: String,
    /// The `.version` that it requires, major and minor.
    pub version: (u32, u32),
    /// The `.target` that it requires: 70 for `sm_70`.
    pub target: u32,
    /// The kernels, in the order of the program.
    pub kernels: Vec<ModuleKernel>,
    /// PTX for newer devices, if instructions that come with them make it better; all else is the same.
    pub newer: Option<NewerPtx>,
}

/// PTX for newer devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewerPtx {
    /// The PTX.
    pub ptx: String,
    /// The `.target` that it requires.
    pub target: u32,
}

impl Module {
    /// The best PTX for a `.target`.
    pub fn ptx_for(&self, target: u32) -> &str {
        match &self.newer {
            Some(newer) if newer.target <= target => &newer.ptx,
            _ => &self.ptx,
        }
    }
}

/// The facts that a launcher needs about one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleKernel {
    /// The kernel.
    pub kernel: Handle<Kernel>,
    /// The fault sites, indexed by [`FaultRecord::site`](vyre_abi::fault::FaultRecord::site). If
    /// these and `prints` are empty, and it is not cooperative, the entries take no fault channel.
    pub sites: Vec<FaultSite>,
    /// The [`Template`](vyre_abi::format::Template)s of its output, indexed by
    /// [`Record::site`](vyre_abi::print::Record::site).
    pub prints: Vec<String>,
    /// True if it uses grid barriers, so that its launches are cooperative.
    pub cooperative: bool,
    /// Static shared memory, in bytes.
    pub shared_bytes: u32,
    /// Instructions in the PTX of each entry.
    pub instructions: Vec<u32>,
    /// A version of the last entry for launches that keep some conditions.
    pub assumed: Option<AssumedEntry>,
    /// The conditions that each launch has to keep, if races are denied.
    pub conditions: Vec<Condition>,
}

/// A condition that each launch of a kernel has to keep: without it, accesses may race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The condition.
    pub need: Inequality,
    /// The source location of an access that asks for it.
    pub span: Span,
}

impl Condition {
    /// The condition as [`holds`](vyre_abi::assumption::holds) evaluates it.
    pub fn code(&self, program: &Program, kernel: &Kernel) -> Vec<u8> {
        code(std::slice::from_ref(&self.need), program, kernel)
    }

    /// True if it holds for fewer blocks wherever it holds for more.
    pub fn allows_fewer(&self) -> bool {
        let has_grid = |product: &Product| product.symbols.iter().any(|it| matches!(it, Symbol::Grid(_)));
        !self.need.right.iter().any(has_grid)
    }
}

/// An entry without the checks that hold under conditions of the launch. It takes the parameters of the last entry, and
/// does the same in each launch that keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedEntry {
    /// Its symbol.
    pub symbol: String,
    /// The conditions, all of which have to hold.
    pub needs: Vec<Inequality>,
    /// Instructions in its PTX.
    pub instructions: u32,
}

impl AssumedEntry {
    /// The conditions as [`holds`](vyre_abi::assumption::holds) evaluates them, for the pointers to the arguments of a
    /// launch: two for a slice, one for any other parameter.
    pub fn code(&self, program: &Program, kernel: &Kernel) -> Vec<u8> {
        code(&self.needs, program, kernel)
    }
}

/// Inequalities as [`holds`](vyre_abi::assumption::holds) evaluates them, for the pointers to the arguments of a launch.
fn code(needs: &[Inequality], program: &Program, kernel: &Kernel) -> Vec<u8> {
    let pointer = |parameter: u32| {
        let before = kernel.parameters.iter().take(parameter as usize);
        let slices = before.filter(|parameter| matches!(program.types[parameter.ty], Type::Slice { .. }));
        parameter + slices.count() as u32
    };
    // The compiler asks for nothing that has no code; an inequality that never holds otherwise.
    encode(needs, &pointer).unwrap_or_else(|| NEVER.to_vec())
}

/// A fault site of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The source location: the span of the place whose index is out of bounds, of the expression
    /// that takes a subslice or divides, of the statement that asserts.
    pub span: Span,
    /// The [`Template`](vyre_abi::format::Template) of an assertion or panic; for an index or range, the
    /// [name](crate::ir::Program::place_name) of the slice or array; empty for other kinds.
    pub message: String,
}

/// An access that may race, or a place at which threads wait for each other and may part before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The source location.
    pub span: Span,
    /// `load`, `store`, `barrier` or `exchange`.
    pub kind: &'static str,
    /// The state space of an access, as in PTX; empty for the others.
    pub space: &'static str,
    /// The reason: `may meet its own by another block: ..`.
    pub reason: String,
}

impl Race {
    /// True for an access, and false for a barrier or an exchange.
    pub fn is_access(&self) -> bool {
        matches!(self.kind, "copy" | "load" | "store")
    }

    /// The kind, of an access with its space: `global store`.
    pub fn what(&self) -> String {
        match self.space {
            "" => self.kind.to_owned(),
            space => format!("{space} {}", self.kind),
        }
    }
}

/// Error of the compilation of a valid program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileError {
    /// With all calls inlined, an entry has more operations than the compiler accepts.
    TooLarge {
        /// The entry's symbol.
        entry: String,
        /// Its number of operations, as far as they were counted.
        operations: usize,
    },
    /// With all calls inlined, the variables of an entry that stay in memory take more than a thread has.
    LocalsTooLarge {
        /// The entry's symbol.
        entry: String,
        /// Their size in bytes.
        bytes: u64,
    },
    /// A kernel has bounds checks, which the options of the compiler deny.
    BoundsChecks {
        /// The kernel's name.
        kernel: String,
        /// The checks that are left, each once, in the order of the source.
        left: Vec<FaultSite>,
    },
    /// A kernel may have races, or threads that part before a barrier, which the options of the compiler deny.
    Races {
        /// The kernel's name.
        kernel: String,
        /// The accesses and barriers that are not proven, each once, in the order of the source.
        found: Vec<Race>,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::TooLarge { entry, operations } => write!(
                f,
                "kernel `{entry}` has at least {operations} operations once its calls are inlined, more than the {MAX_OPERATIONS} that can be compiled"
            ),
            CompileError::LocalsTooLarge { entry, bytes } => write!(
                f,
                "the variables of kernel `{entry}` take {bytes} bytes once its calls are inlined, and a thread has {MAX_LOCALS}"
            ),
            CompileError::BoundsChecks { kernel, left } => {
                write!(
                    f,
                    "the options of kernel `{kernel}` deny bounds checks, and these are left:"
                )?;
                left.iter().enumerate().try_for_each(|(number, site)| {
                    let (comma, Span { line, column, .. }) = (if number > 0 { "," } else { "" }, site.span);
                    write!(f, "{comma} of `{}` at {line}:{column}", site.message)
                })
            }
            CompileError::Races { kernel, found } => {
                write!(f, "kernel `{kernel}` may have a race, which its options do not allow:")?;
                found.iter().enumerate().try_for_each(|(number, race)| {
                    let (comma, Span { line, column, .. }) = (if number > 0 { ";" } else { "" }, race.span);
                    write!(f, "{comma} {} at {line}:{column}: {}", race.what(), race.reason)
                })
            }
        }
    }
}

impl std::error::Error for CompileError {}
