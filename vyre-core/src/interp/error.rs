//! Why a launch ends early.

use std::fmt;

use vyre_abi::fault::Fault;

use crate::ir::{External, Handle, Span};

/// Why the interpreter ended a launch early, or did not begin it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A thread faulted.
    Fault(Box<Fault>),
    /// The kernel has another number of parameters.
    ArgumentCount {
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments given.
        given: usize,
    },
    /// An argument has another kind, type or size than the parameter: for a slice, the bytes are
    /// no whole number of elements.
    Argument {
        /// The number of the parameter.
        parameter: usize,
    },
    /// The entry that was asked for does not exist, or no predicate held.
    NoEntry,
    /// The program mentions a constant whose value has not been supplied.
    External(Handle<External>),
    /// Threads of a block wait at different barriers, or of a warp at different exchanges.
    Divergence {
        /// The block.
        block: [u32; 3],
        /// Two of the threads.
        threads: [[u32; 3]; 2],
        /// The barriers or exchanges at which they wait. Equal where they came by different calls.
        barriers: [Span; 2],
    },
    /// A thread waits at a named barrier, or for a phase of one at which threads arrive and wait apart, for others that
    /// never come.
    Deadlock {
        /// The block.
        block: [u32; 3],
        /// The thread.
        thread: [u32; 3],
        /// The barrier.
        barrier: Span,
    },
    /// A thread did what has no defined behaviour.
    Undefined {
        /// What it did.
        what: Undefined,
        /// Where it stands in the source.
        span: Span,
        /// The block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// The blocks of the launch make no whole clusters.
    BrokenCluster {
        /// The blocks along each axis.
        grid: [u32; 3],
        /// Those of a cluster.
        cluster: [u32; 3],
    },
    /// The threads have run more statements than the limit allows.
    StepLimit,
    /// Locals of a thread, or the shared variables, take more memory than there is.
    Memory,
}

/// What has no defined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// An unchecked index at or past the length.
    Index {
        /// The index.
        index: u64,
        /// The length.
        length: u64,
    },
    /// An unchecked range that is out of order or ends past the length.
    Range {
        /// First element.
        start: u64,
        /// One past the last element.
        end: u64,
        /// The length.
        length: u64,
    },
    /// A reference or slice that points at nothing: it was never set, or its local is no more.
    Dangling,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Error::Fault(Box::new(fault))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Fault(fault) => fault.fmt(f),
            Error::ArgumentCount { expected, given } => {
                write!(
                    f,
                    "the kernel has {expected} parameters, but {given} arguments were given"
                )
            }
            Error::Argument { parameter } => {
                write!(f, "argument {parameter} does not fit the type of its parameter")
            }
            Error::NoEntry => f.write_str("the kernel has no such entry, or no entry fits the launch"),
            Error::External(external) => write!(f, "the external constant {external:?} has no value"),
            Error::Divergence {
                block,
                threads: [first, second],
                barriers: [here, there],
            } => write!(
                f,
                "threads {first:?} and {second:?} of block {block:?} wait at different barriers or exchanges, at {}:{} and {}:{}",
                here.line, here.column, there.line, there.column
            ),
            Error::Deadlock { block, thread, barrier } => write!(
                f,
                "thread {thread:?} of block {block:?} waits at {}:{} for threads that never come",
                barrier.line, barrier.column
            ),
            Error::Undefined {
                what,
                span,
                block,
                thread,
            } => write!(
                f,
                "{what}\n  at {}:{}\n  block {block:?}, thread {thread:?}",
                span.line, span.column
            ),
            Error::BrokenCluster { grid, cluster } => {
                write!(f, "a grid of {grid:?} blocks has no whole clusters of {cluster:?}")
            }
            Error::StepLimit => f.write_str("the launch does not end within the step limit"),
            Error::Memory => f.write_str("the kernel needs more memory than there is"),
        }
    }
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undefined::Index { index, length } => {
                write!(f, "unchecked index {index} is out of bounds of length {length}")
            }
            Undefined::Range { start, end, length } => {
                write!(f, "unchecked range {start}..{end} is out of bounds of length {length}")
            }
            Undefined::Dangling => f.write_str("a reference points at nothing"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}
