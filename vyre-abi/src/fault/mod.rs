//! Faults: the reasons why a thread of a kernel stops, and the records by which a device reports
//! them.

mod record;

use std::fmt;

pub use record::{FAULT_RECORDS, FaultChannel, FaultControl, FaultRecord, value_offset};

/// Limit of the values in the message of an assertion.
pub const MAX_FAULT_VALUES: usize = 8;

/// Kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum FaultKind {
    /// An index at or past the length of a slice or array. `values` are index and length.
    IndexOutOfBounds,
    /// `&x[a..b]` with `a > b`, or `b` past the length. `values` are `a` and `b`.
    RangeOutOfBounds,
    /// A row at or past the number of rows of a matrix. `values` are both.
    RowOutOfBounds,
    /// A column at or past the number of columns of a matrix. `values` are both.
    ColumnOutOfBounds,
    /// A slice in dynamic shared memory that exceeds the size given by the launch. `values` are the
    /// bytes up to the slice's end, modulo 2^64, and the bytes available.
    SharedMemory,
    /// Integer division or remainder by zero. `values` are unused.
    DivisionByZero,
    /// `MIN / -1` or `MIN % -1`. `values` are unused.
    DivisionOverflow,
    /// A `grid::sync()` that some threads of the launch do not reach. `values` are unused.
    GridBarrier,
    /// A block rank outside of the cluster. `values` are the rank and the number of blocks.
    ClusterRank,
    /// A failed `assert!`. The site has its text, with placeholders for up to 8
    /// values, which the record holds in order.
    Assertion,
    /// `panic!`; as an assertion.
    Panic,
}

impl FaultKind {
    /// All kinds, in the order of the enum.
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

/// A fault as the host sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The name of the kernel.
    pub kernel: String,
    /// The source file; empty if the kernel has no source.
    pub file: String,
    /// Line, from 1; 0 if the kernel has no source.
    pub line: u32,
    /// Column, from 1; 0 if the kernel has no source.
    pub column: u32,
    /// The text of an assertion or panic. For an index or range, the slice or array, such as `x` or
    /// `points[..].mass`, unless it has no name. Empty for other kinds.
    pub message: String,
    /// The two values documented at [`FaultKind`] for indices and ranges; zeros for other kinds.
    pub values: [u64; 2],
    /// The block of the thread, along x, y and z.
    pub block: [u32; 3],
    /// The thread in its block, along x, y and z.
    pub thread: [u32; 3],
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = self.values;
        let of = match self.message.as_str() {
            "" => String::new(),
            name => format!(" of `{name}`"),
        };
        match self.kind {
            FaultKind::IndexOutOfBounds => write!(f, "index {a}{of} is out of bounds of length {b}")?,
            FaultKind::RangeOutOfBounds if a > b => write!(f, "range {a}..{b}{of} ends before it begins")?,
            FaultKind::RangeOutOfBounds => write!(f, "range {a}..{b}{of} is out of bounds")?,
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

#[cfg(test)]
mod tests;
