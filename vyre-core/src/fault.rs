//! Faults: what a kernel reports when it cannot go on, and how the report reaches the host.
//!
//! A thread that faults writes one [`FaultRecord`] and leaves. Of each launch the first record
//! counts. On CUDA a kernel that can fault or print takes, after its own parameters, one more of 24
//! bytes, the [`FaultChannel`]: it says where the device keeps its [`FaultControl`], which launch this is
//! and which kernel. The protocol of the faulting thread:
//!
//! 1. `old = atomic_max(control.launch, channel.launch)`, device scope. Loops that wait for
//!    other threads compare `control.launch` with `channel.launch` and leave where they are equal.
//! 2. If `old < channel.launch` and `atomic_exchange(control.claimed, 1) == 0`: write all fields
//!    of `*control.record` (host-mapped memory), a system fence, then `record.written = 1`.
//! 3. Return from the kernel. Nothing traps, so the context stays usable.
//!
//! The host reads the record after it has waited for the stream, then clears `claimed` and
//! `written`. Launch numbers count from 1 on each stream and never return to a smaller one.

use std::fmt;

use crate::format::MAX_FAULT_VALUES;
use crate::ir::Span;

/// Why a thread could not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An index at or past the length of a slice or array. `values` are index and length.
    IndexOutOfBounds,
    /// `&x[a..b]` with `a > b`, or `b` past the length. `values` are `a` and `b`.
    RangeOutOfBounds,
    /// A row at or past the number of rows of a matrix. `values` are both.
    RowOutOfBounds,
    /// A column at or past the number of columns of a matrix. `values` are both.
    ColumnOutOfBounds,
    /// A slice in dynamic shared memory that the launch gives too little for. `values` are the bytes
    /// up to the slice's end, modulo 2^64, and those that there are.
    SharedMemory,
    /// Integer division or remainder by zero. `values` are unused.
    DivisionByZero,
    /// `MIN / -1` or `MIN % -1`. `values` are unused.
    DivisionOverflow,
    /// A `grid::sync()` to which some threads of the launch do not come. `values` are unused.
    GridBarrier,
    /// A block that its cluster does not have. `values` are its rank, and the number of blocks.
    ClusterRank,
    /// A failed `assert!`; the site has its text, with places for up to
    /// [`MAX_FAULT_VALUES`] values, which the record's `values` and `more` hold in order.
    Assertion,
    /// `panic!`; as an assertion.
    Panic,
}

impl FaultKind {
    /// All kinds, in order.
    pub const ALL: [FaultKind; 11] = [
        FaultKind::IndexOutOfBounds,
        FaultKind::RangeOutOfBounds,
        FaultKind::RowOutOfBounds,
        FaultKind::ColumnOutOfBounds,
        FaultKind::SharedMemory,
        FaultKind::DivisionByZero,
        FaultKind::DivisionOverflow,
        FaultKind::GridBarrier,
        FaultKind::ClusterRank,
        FaultKind::Assertion,
        FaultKind::Panic,
    ];
}

/// A place in a kernel that can fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSite {
    /// What happens there.
    pub kind: FaultKind,
    /// Where it stands in the source: the span of the place whose index is out of bounds, of the
    /// expression that takes a subslice or divides, of the statement that asserts.
    pub span: Span,
    /// The [`Template`](crate::format::Template) of an assertion or panic; empty for other kinds.
    pub message: String,
}

/// A fault as the host sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The name of the kernel.
    pub kernel: String,
    /// The source file; empty where no source made the kernel.
    pub file: String,
    /// Line, from 1; 0 where no source made the kernel.
    pub line: u32,
    /// Column, from 1; 0 where no source made the kernel.
    pub column: u32,
    /// The text of an assertion or panic; empty for other kinds.
    pub message: String,
    /// Of indices and ranges the two values that [`FaultKind`] names; zeros of other kinds.
    pub values: [u64; 2],
    /// The block of the thread, along x, y and z.
    pub block: [u32; 3],
    /// The thread in its block, along x, y and z.
    pub thread: [u32; 3],
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.values;
        match self.kind {
            FaultKind::IndexOutOfBounds => write!(f, "index {a} is out of bounds of length {b}")?,
            FaultKind::RangeOutOfBounds if a > b => write!(f, "range {a}..{b} ends before it begins")?,
            FaultKind::RangeOutOfBounds => write!(f, "range {a}..{b} is out of bounds")?,
            FaultKind::RowOutOfBounds => write!(f, "row {a} is out of bounds of {b} rows")?,
            FaultKind::ColumnOutOfBounds => write!(f, "column {a} is out of bounds of {b} columns")?,
            FaultKind::SharedMemory => write!(
                f,
                "{a} bytes of dynamic shared memory are used, but the launch gives {b}; add `.shared_bytes({a})` to it"
            )?,
            FaultKind::DivisionByZero => f.write_str("division by zero")?,
            FaultKind::DivisionOverflow => f.write_str("division overflows: the least number by -1")?,
            FaultKind::GridBarrier => f.write_str("some threads do not come to this `grid::sync()`")?,
            FaultKind::ClusterRank => write!(f, "a cluster of {b} blocks has none of rank {a}")?,
            FaultKind::Assertion => write!(f, "assertion failed: {}", self.message)?,
            FaultKind::Panic => write!(f, "panicked: {}", self.message)?,
        }
        write!(f, "\n  in kernel `{}`", self.kernel)?;
        if self.line != 0 {
            write!(f, " at {}:{}:{}", self.file, self.line, self.column)?;
        }
        write!(f, "\n  block {:?}, thread {:?}", self.block, self.thread)
    }
}

impl std::error::Error for Fault {}

/// The hidden last parameter of a CUDA entry that can fault. 24 bytes, alignment 8.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultChannel {
    /// Device address of the [`FaultControl`].
    pub control: u64,
    /// Number of this launch on its stream.
    pub launch: u64,
    /// What the record's `kernel` field gets: the host's name for the kernel.
    pub kernel: u64,
}

/// In device memory, one per stream. 48 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultControl {
    /// Number of the last launch in which a thread faulted; 0 for none. Offset 0.
    pub launch: u64,
    /// Device address of the [`FaultRecord`]. Offset 8.
    pub record: u64,
    /// 1 once a thread has claimed the record. Offset 16.
    pub claimed: u32,
    /// Zero. Offset 20.
    pub reserved: u32,
    /// Device address of the [`PrintBuffer`](crate::print::PrintBuffer); 0 before a kernel that
    /// prints is launched. Offset 24.
    pub prints: u64,
    /// Blocks that have come to a barrier of the grid, in the cooperative launch that runs; 0 when it
    /// begins. Offset 32.
    pub arrived: u64,
    /// Number of the last launch with barriers of the grid of which a block has come to its end; 0 for
    /// none. Offset 40.
    pub ended: u64,
}

/// In host-mapped memory, one per stream. 112 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FaultRecord {
    /// The channel's `kernel`. Offset 0.
    pub kernel: u64,
    /// Two values whose meaning [`FaultKind`] gives. Offset 8.
    pub values: [u64; 2],
    /// The block. Offset 24.
    pub block: [u32; 3],
    /// The thread. Offset 36.
    pub thread: [u32; 3],
    /// Index into the kernel's sites. Offset 48.
    pub site: u32,
    /// 1 once the record is whole. Offset 52.
    pub written: u32,
    /// Zero. Offset 56.
    pub reserved: u64,
    /// The values of a message after the first two. Offset 64.
    pub more: [u64; MAX_FAULT_VALUES - 2],
}

/// The offset of a value of a message in a [`FaultRecord`].
pub const fn value_offset(number: usize) -> usize {
    if number < 2 { 8 + 8 * number } else { 48 + 8 * number }
}

const _: () =
    assert!(size_of::<FaultChannel>() == 24 && size_of::<FaultControl>() == 48 && size_of::<FaultRecord>() == 112);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_numbered_in_order() {
        for (number, kind) in FaultKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
        }
        assert_eq!(FaultKind::Panic as usize + 1, FaultKind::ALL.len());
    }
}
