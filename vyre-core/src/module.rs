//! What compiling a program yields.
//!
//! **Parameters of an entry**, in order: a scalar is one `.param` of its size (`bool` a byte); a
//! struct, tuple or array one aligned byte array with the layout of [`Types::layout`](crate::ir::Types::layout);
//! a slice two `.u64`, address and number of elements. The tables of the program whose values a launch gives
//! ([`Program::host_tables`](crate::ir::Program::host_tables)) follow, each an aligned byte array. If the kernel has fault sites, prints or waits
//! for the whole grid, the [`FaultChannel`](vyre_abi::fault::FaultChannel) follows. All entries of a kernel take the same.
//!
//! **Externals** without a value appear in the PTX as placeholders of fixed width: `0x`, `V`, then
//! the external's number in decimal digits, so that the whole has 10 characters for scalars up to
//! 32 bits (`0xV0000003`) and 18 for 64 bits. Const evaluation overwrites each by `0x` and as many
//! hexadecimal digits of the value's bits. The text form has the same placeholders.

use vyre_abi::fault::FaultKind;

use crate::ir::{Handle, Kernel, Span};

/// PTX with what a launcher must know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The PTX.
    pub ptx: String,
    /// The `.version` that it needs, major and minor.
    pub version: (u32, u32),
    /// The `.target` that it needs: 70 for `sm_70`.
    pub target: u32,
    /// The kernels, in the order of the program.
    pub kernels: Vec<ModuleKernel>,
}

/// What a launcher must know about one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleKernel {
    /// Which one.
    pub kernel: Handle<Kernel>,
    /// The places that can fault, numbered as in [`FaultRecord::site`](vyre_abi::fault::FaultRecord::site).
    /// If these and `prints` are empty, and it is not cooperative, the entries take no fault channel.
    pub sites: Vec<FaultSite>,
    /// The [`Template`](vyre_abi::format::Template)s of what it prints, numbered as in
    /// [`Record::site`](vyre_abi::print::Record::site).
    pub prints: Vec<String>,
    /// Whether it waits for the whole grid, so that its launches are cooperative.
    pub cooperative: bool,
    /// Static shared memory, in bytes.
    pub shared_bytes: u32,
    /// Instructions in the PTX of each entry.
    pub instructions: Vec<u32>,
}

/// A place in a kernel that can fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// What happens there.
    pub kind: FaultKind,
    /// Where it stands in the source: the span of the place whose index is out of bounds, of the
    /// expression that takes a subslice or divides, of the statement that asserts.
    pub span: Span,
    /// The [`Template`](vyre_abi::format::Template) of an assertion or panic; empty for other kinds.
    pub message: String,
}
