//! Kernel descriptions: the facts about a compiled kernel that a launch needs.

use crate::fault::{Fault, FaultKind, MAX_FAULT_VALUES};
use crate::format;
use crate::target::Target;

/// A source location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'k> {
    /// The file, as the compiler names it.
    pub file: &'k str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// A fault site of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site<'k> {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The source location.
    pub location: Location<'k>,
    /// The template of an assertion or panic; the name of the slice or array for an index or range; empty for other
    /// kinds.
    pub message: &'k str,
}

/// One entry of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct EntryInfo<'k> {
    /// Its symbol in the PTX.
    pub symbol: &'k str,
    /// Thread coarsening: consecutive indices along x per thread.
    pub coarsening: u32,
}

/// The last entry of a kernel without the checks that hold under conditions of the launch.
#[derive(Clone, Copy, Debug)]
pub struct AssumedInfo<'k> {
    /// Its symbol in the PTX.
    pub symbol: &'k str,
    /// The conditions, as [`holds`](crate::assumption::holds) evaluates them.
    pub needs: &'k [u8],
}

/// A condition that a launch has to keep: without it, accesses of the kernel may race.
#[derive(Clone, Copy, Debug)]
pub struct LaunchCondition<'k> {
    /// The text, with the names of the parameters: `32 * grid.x <= width`.
    pub text: &'k str,
    /// The inequality, as [`holds`](crate::assumption::holds) evaluates it.
    pub needs: &'k [u8],
    /// True if it holds for fewer blocks wherever it holds for more.
    pub allows_fewer: bool,
    /// The place of an access that asks for it.
    pub location: Location<'k>,
}

/// Machine code of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Cubin<'k> {
    /// The architecture.
    pub target: Target,
    /// An ELF file, whose address is a multiple of 8.
    pub code: &'k [u8],
}

/// PTX of a kernel for newer devices.
#[derive(Clone, Copy, Debug)]
pub struct NewerPtx<'k> {
    /// Its `.target`: 80 for `sm_80`.
    pub target: u32,
    /// The text.
    pub ptx: &'k str,
}

impl Site<'_> {
    /// The fault reported by a thread at this site.
    pub fn fault(&self, kernel: &str, values: &[u64; MAX_FAULT_VALUES], block: [u32; 3], thread: [u32; 3]) -> Fault {
        let is_message = matches!(self.kind, FaultKind::Assertion | FaultKind::Panic);
        Fault {
            kind: self.kind,
            kernel: kernel.to_owned(),
            file: self.location.file.to_owned(),
            line: self.location.line,
            column: self.location.column,
            message: format::render(self.message, values),
            values: match is_message {
                true => [0; 2],
                false => [values[0], values[1]],
            },
            block,
            thread,
        }
    }
}
