//! Errors that end a launch.

use std::fmt;

use vyre_abi::fault::Fault;

use crate::ir::{External, Handle, Span};

/// The reason why the interpreter ended a launch early, or did not start it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A thread faulted.
    Fault(Box<Fault>),
    /// The number of arguments does not match the kernel's parameters.
    ArgumentCount {
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments given.
        given: usize,
    },
    /// An argument does not match the parameter's kind, type or size: the bytes of a slice must be
    /// a whole number of elements.
    Argument {
        /// The index of the parameter.
        parameter: usize,
    },
    /// The requested entry does not exist, or no predicate held.
    NoEntry,
    /// The program uses a constant whose value has not been supplied.
    External(Handle<External>),
    /// Threads of a block wait at different barriers, or threads of a warp at different warp
    /// operations.
    Divergence {
        /// The block.
        block: [u32; 3],
        /// Two of the threads.
        threads: [[u32; 3]; 2],
        /// The barriers or operations that they wait at. Equal if reached by different calls.
        barriers: [Span; 2],
    },
    /// A thread waits at a named barrier, or for a phase of an mbarrier, for others that never
    /// arrive.
    Deadlock {
        /// The block.
        block: [u32; 3],
        /// The thread.
        thread: [u32; 3],
        /// The barrier.
        barrier: Span,
    },
    /// A thread executed undefined behaviour.
    Undefined {
        /// The kind of undefined behaviour.
        what: Undefined,
        /// The source location.
        span: Span,
        /// The block of the thread.
        block: [u32; 3],
        /// The thread in its block.
        thread: [u32; 3],
    },
    /// The number of blocks is not a multiple of the cluster size.
    BrokenCluster {
        /// The blocks along each axis.
        grid: [u32; 3],
        /// Those of a cluster.
        cluster: [u32; 3],
    },
    /// The threads have executed more statements than the limit.
    StepLimit,
    /// The locals of a thread, or the shared variables, exceed the memory limit.
    Memory,
}

/// A kind of undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// An unchecked index at or past the length.
    Index {
        /// The index.
        index: u64,
        /// The length.
        length: u64,
    },
    /// An unchecked range with start past end, or end past the length.
    Range {
        /// First element.
        start: u64,
        /// One past the last element.
        end: u64,
        /// The length.
        length: u64,
    },
    /// A dangling reference or slice: it was never set, or its local is out of scope.
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
