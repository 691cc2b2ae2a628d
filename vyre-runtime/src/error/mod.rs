//! The errors of all calls, each with what to do about it.

#[cfg(feature = "check")]
pub(crate) mod check;
#[cfg(feature = "programs")]
mod label;
mod make;
mod message;
mod race;
pub(crate) mod ranks;

use std::borrow::Cow;
use std::time::Duration;

use vyre_abi::fault::Fault;

pub use self::race::RaceProblem;
use self::ranks::RankProblem;

/// The result type of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the runtime.
///
/// Names are borrowed from the program's own kernels, and owned for kernels that it has made while it runs.
///
/// `{:?}` gives the same text as `{}`, since that is what a `main` that returns a [`Result`] and an `unwrap` show.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::{Error, FaultKind};
///
/// #[vyre::kernel]
/// fn gather(#[each] place: &u32, x: &[f32], #[each] y: &mut f32) {
///     *y = x[*place as usize];
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut y = [0.0; 2];
/// match Gather::dispatch(&Device::best()?, 2, &[1, 7], &[5.0, 6.0], &mut y) {
///     Err(Error::Fault(fault)) => {
///         assert_eq!((fault.kind, fault.values), (FaultKind::IndexOutOfBounds, [7, 2]));
///         eprintln!("{fault}"); // index 7 is out of bounds of length 2, in kernel `gather` at ..
///     }
///     other => other?,
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA driver on this machine, or it cannot be loaded.
    NoDriver {
        /// The libraries that were tried, in this order; none on a system that CUDA does not
        /// support.
        searched: Vec<String>,
    },
    /// The CUDA driver is older than vyre requires.
    DriverTooOld {
        /// The CUDA version that the driver supports, major and minor.
        found: (u32, u32),
        /// The required version.
        needed: (u32, u32),
        /// The missing function of the driver, if that revealed it.
        missing: Option<&'static str>,
    },
    /// There is no CUDA device with this index.
    NoDevice {
        /// The requested index, from 0.
        index: usize,
        /// The number of devices.
        count: usize,
    },
    /// There is no device or profile of this name.
    UnknownName {
        /// The kind of name: `device`, `profile`, `kernel` or `set of options`.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Several things have this name.
    AmbiguousName {
        /// The kind of name: `kernel`.
        what: &'static str,
        /// The name.
        name: String,
        /// The number of those that have it.
        count: usize,
    },
    /// The device is out of memory. Existing allocations remain usable.
    OutOfMemory {
        /// The requested bytes. For a kernel that is loaded, those of its PTX: the driver does not tell the size
        /// of its machine code. For a CUDA graph, those that describe its nodes, for the same reason.
        requested: u64,
        /// The bytes free at that time, if known.
        free: Option<u64>,
    },
    /// A call to the CUDA driver failed.
    Driver {
        /// The function.
        call: &'static str,
        /// The result, a `CUresult`.
        code: u32,
        /// The name of that code.
        name: String,
    },
    /// The device was [shut down](crate::Device::shutdown). What was made on it can only be dropped.
    Closed {
        /// The device.
        device: String,
    },
    /// The device cannot be used any more. Every later call for what was made on it is this error.
    DeviceLost(Box<LostDevice>),
    /// A lost device that nothing in this process brings back: see [`Device::recover`](crate::Device::recover).
    RestartNeeded {
        /// The device.
        device: String,
        /// The result by which the loss was seen, a `CUresult`.
        code: u32,
    },
    /// The process was forked from one that uses CUDA, which works in the parent alone.
    Forked,
    /// Things of two devices meet in one call. Nothing was done.
    WrongDevice {
        /// The kernel that was launched, `the sequence` that was recorded, or what else works on its device.
        user: Cow<'static, str>,
        /// The name of a parameter, or what else belongs elsewhere: `the stream`, `the buffer`, `the event`, ..
        what: Cow<'static, str>,
        /// The device that this belongs to.
        belongs: Box<str>,
        /// The device of the user.
        wanted: Box<str>,
    },
    /// A launch on a stream of its own within a sequence, which has one for all of its steps.
    StreamInSequence {
        /// The kernel.
        kernel: Cow<'static, str>,
    },
    /// An exchange of the arguments of a graph's node, which launches another kernel. Nothing was changed.
    WrongKernel {
        /// The kernel of the new launch.
        kernel: Cow<'static, str>,
        /// The kernel of the node.
        recorded: Cow<'static, str>,
    },
    /// A node that a graph does not have: it is of another sequence, or its launch had an empty domain and recorded
    /// nothing. Nothing was changed.
    ForeignNode,
    /// Two lengths that must be equal are not.
    LengthMismatch {
        /// The name of the first one.
        first: Cow<'static, str>,
        /// The first length, in elements.
        first_length: usize,
        /// The name of the second one.
        second: Cow<'static, str>,
        /// The second length, in elements.
        second_length: usize,
    },
    /// A range of elements that exceeds a buffer.
    RangeOutOfBounds {
        /// The first element of the range.
        start: usize,
        /// One past the last element of the range.
        end: usize,
        /// The length of the buffer or view.
        length: usize,
    },
    /// A counter on the device that says more elements than its buffer has. They were not read, and the buffer keeps what it
    /// has.
    CountOutOfBounds {
        /// The count.
        count: u64,
        /// The length of the buffer or view.
        length: usize,
    },
    /// An element from the memory of a device whose bits are no value of its type, such as a `bool` of 2: threads have
    /// written several words of it at the same time, or it was written as another type. What was read is dropped, or the
    /// element is zero where it was read into memory of the caller.
    InvalidElement {
        /// The first such element, counted in what was read.
        index: usize,
        /// The type.
        element: &'static str,
    },
    /// A matrix that exceeds a slice or buffer: `pitch` is less than `cols`, there are too few
    /// elements, or an extent exceeds 2^32 - 1.
    MatrixSize {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        cols: usize,
        /// The distance of consecutive rows, in elements.
        pitch: usize,
        /// The number of elements available.
        length: usize,
    },
    /// A grid with no blocks.
    EmptyGrid {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The blocks along x, y and z.
        grid: [u32; 3],
    },
    /// A launch along an axis that the kernel does not use: its threads would be duplicates there.
    WrongDimensions {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The number of axes that it uses: 1, 2 or 3.
        dimensions: u32,
        /// The blocks of the launch along x, y and z.
        blocks: [u64; 3],
    },
    /// A number of blocks that is not a multiple of the cluster size.
    BrokenClusters {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The blocks of a cluster along x, y and z.
        cluster: [u32; 3],
        /// The blocks of the launch along x, y and z.
        blocks: [u64; 3],
    },
    /// A launch that breaks a condition without which it races, or one that its kernel asks for by `deny(races)`:
    /// threads might access an element at the same time. Nothing has run.
    MayRace {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The condition, and the numbers of the launch.
        problem: Box<RaceProblem>,
    },
    /// A launch beyond the limits of the device.
    TooLarge {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The limit that is exceeded.
        what: LaunchLimit,
        /// The value needed by the launch.
        requested: u64,
        /// The limit.
        limit: u64,
    },
    /// A kernel reported a fault. A wait returns it once, a download of what the kernel may have written
    /// each time until something else has overwritten it. The device stays usable.
    Fault(Box<Fault>),
    /// [Checking mode](crate::Device::checked) has found faults of a launch. It is told as [`Fault`](Error::Fault) is.
    #[cfg(feature = "check")]
    Check(Box<check::Findings>),
    /// More launches of a stream have faulted than it keeps records of, and a launch after the last
    /// recorded one may have, too.
    LostFault {
        /// The number of records.
        records: u32,
    },
    /// A kernel reported a fault, but the record is invalid: something has overwritten it, or its kernel was unloaded so
    /// long ago that its name is forgotten.
    DamagedFault {
        /// The number of the kernel in the record.
        kernel: u64,
        /// The index of the site in the record.
        site: u32,
    },
    /// The driver refused the PTX of a kernel.
    PtxRejected {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The driver's result, a `CUresult`.
        code: u32,
        /// The name of that code.
        name: String,
        /// The log of the driver's assembler.
        log: Box<str>,
    },
    /// An argument of a call of a pipeline does not fit its parameter. Nothing has run.
    Argument {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The name of the parameter, or a description in words.
        parameter: Cow<'static, str>,
        /// The problem.
        problem: Box<ArgumentProblem>,
    },
    /// A stream that somebody else captures into a graph of the driver. Nothing was done, and the capture goes on.
    StreamCaptured {
        /// The device.
        device: String,
        /// The problem.
        problem: Box<CaptureProblem>,
    },
    /// A handle that cannot be used so. Nothing was changed.
    Handle {
        /// The number of the handle in its table, from 1; 0 for a buffer without one.
        number: u64,
        /// The problem.
        problem: HandleProblem,
    },
    /// A program that is not valid, or that the compiler refuses.
    InvalidProgram {
        /// All errors found, each a sentence.
        errors: Vec<String>,
    },
    /// A program with operations that nobody checks: they could reach memory that is none of the arguments of a call.
    UncheckedProgram {
        /// The first of each kernel and device function: its name, the operation, and the place if that is known.
        operations: Vec<String>,
    },
    /// A call of a program of several kernels that chooses none.
    NoKernelChosen {
        /// The names of the kernels.
        kernels: Vec<String>,
    },
    /// A launch on the CPU cannot go on: a program has undefined behaviour or waits for ever, so that on a GPU it may hang or
    /// have any result; or more blocks wait for others than the CPU runs at the same time.
    Stopped {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The reason, a sentence.
        reason: String,
    },
    /// The work of a call was not over in time. It goes on, and what it uses is kept until it is over.
    Timeout {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The time that the call was given.
        limit: Duration,
    },
    /// A call has more bytes of outputs than it may have. Nothing has run.
    OutputTooLarge {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The bytes of its outputs.
        bytes: u64,
        /// The bytes that it may have.
        limit: u64,
    },
    /// Ranks that cannot work together, or no longer.
    Ranks {
        /// The rank that tells it.
        rank: usize,
        /// The number of ranks.
        ranks: usize,
        /// The problem.
        problem: Box<RankProblem>,
    },
    /// A feature of vyre is needed, which this program was built without.
    MissingFeature {
        /// The feature.
        feature: &'static str,
        /// The use of it: a variable of the environment with its value, or the CPU as a device.
        asked: String,
    },
    /// A feature that the device does not support.
    Unsupported {
        /// The missing feature, and its user.
        feature: String,
        /// The device.
        device: String,
    },
}

/// How a device was lost.
///
/// ```
/// use vyre::{Device, Error};
///
/// /// Says what is known about an error.
/// fn report(error: &Error) -> String {
///     match error {
///         Error::DeviceLost(lost) => format!("code {} while {:?} may have run", lost.code, lost.kernels),
///         other => other.to_string(),
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// if let Err(error) = device.synchronize() {
///     eprintln!("{}", report(&error));
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostDevice {
    /// The device.
    pub device: String,
    /// The function of the driver that answered first that it is lost.
    pub call: &'static str,
    /// Its result, a `CUresult`.
    pub code: u32,
    /// The name of that code.
    pub name: String,
    /// The kernels that may have run then, on each stream those launched last first: the launches since the last wait
    /// for the stream, up to 32. The cause may be another program on the device.
    pub kernels: Vec<String>,
}

/// A problem of work on a stream that somebody else captures.
///
/// ```
/// use vyre::{CaptureProblem, Error};
///
/// fn is_refused(error: &Error) -> bool {
///     matches!(error, Error::StreamCaptured { problem, .. } if **problem == CaptureProblem::Work)
/// }
/// # assert!(!is_refused(&Error::Forked));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CaptureProblem {
    /// Work that cannot be captured, or was not [meant to be](crate::Launch::captured).
    Work,
    /// The capture has become invalid before, by a call of somebody else.
    Invalidated,
    /// A kernel that reports faults, prints or waits for the grid, for which the graph has no memory.
    Reports {
        /// The kernel.
        kernel: Cow<'static, str>,
    },
    /// Memory that the stream would have to wait for, because other streams have used it.
    Order {
        /// The kernel.
        kernel: Cow<'static, str>,
        /// The parameter.
        parameter: Cow<'static, str>,
    },
}

/// A problem of a handle of a buffer.
///
/// ```
/// use vyre::{Device, Error, HandleProblem};
///
/// # fn main() -> vyre::Result<()> {
/// let handles = Device::best()?.handles();
/// let x = handles.allocate(4)?;
/// let error = handles.write(&[(x, 3, &[1, 2])]).unwrap_err();
/// let problem = HandleProblem::Range { start: 3, end: 5, length: 4 };
/// assert_eq!(error, Error::Handle { number: 1, problem });
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandleProblem {
    /// It is of another table, or a buffer of another device.
    Foreign,
    /// Its buffer was freed, or taken out of the table.
    Freed,
    /// It stands in the same call before.
    Twice,
    /// [`Handles::with`](crate::Handles::with) has lent its buffer: it is to be freed, or was used by the function that
    /// runs on lent buffers.
    Lent,
    /// The lengths differ.
    Length {
        /// The bytes of the buffer.
        length: usize,
        /// The bytes that were given.
        given: usize,
    },
    /// A range that exceeds the buffer, in bytes.
    Range {
        /// Its first byte.
        start: usize,
        /// One past its last byte.
        end: usize,
        /// The bytes of the buffer.
        length: usize,
    },
}

/// A problem of an argument of a call.
///
/// ```
/// # #[cfg(feature = "programs")]
/// # fn main() -> vyre_runtime::Result<()> {
/// use vyre_core::{build, ir::Program};
/// use vyre_runtime::{ArgumentProblem, Device, Error};
///
/// let mut program = Program::default();
/// build::kernel(&mut program, "zero", &[32], build::slice_mut::<f32>("y"), |k, y| {
///     y.set(k.linear_index(), 0.0);
/// });
/// let error = Device::cpu().compile(&program)?.call().bytes(&[0; 7]).over(32).run().unwrap_err();
/// assert!(matches!(error, Error::Argument { problem, .. } if matches!(*problem, ArgumentProblem::Length { .. })));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "programs"))]
/// # fn main() {}
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArgumentProblem {
    /// There is none.
    Missing,
    /// The kernel has only this many parameters.
    Unexpected {
        /// The number of parameters.
        parameters: usize,
    },
    /// It is of another kind or type.
    Kind {
        /// The kind that the parameter takes.
        expected: String,
        /// The kind that was given.
        given: String,
    },
    /// The bytes are no whole number of elements.
    Length {
        /// Their number.
        bytes: u64,
        /// The size of an element, in bytes.
        element: u64,
    },
    /// A struct, tuple or array of another size.
    Size {
        /// The number of bytes that were given.
        bytes: u64,
        /// The number of bytes of the type.
        expected: u64,
    },
    /// An address that is no multiple of the alignment of the elements.
    Alignment {
        /// The address, in the memory of the device.
        address: u64,
        /// The alignment, in bytes.
        alignment: u64,
    },
    /// A byte of a `bool` that is neither 0 nor 1.
    Bool {
        /// The number of the byte in the argument, from 0.
        offset: u64,
    },
    /// The kernel writes through the parameter, and the buffer was given to be read.
    ReadOnly,
}

/// A limit of a device on launches.
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::{Error, LaunchLimit};
///
/// # #[vyre::kernel]
/// # fn twice(#[each] x: &mut u32) {
/// #     *x *= 2;
/// # }
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x = device.upload(&[1, 2, 3])?;
/// let error = twice(&mut x).over(3).shared_bytes(1 << 30).launch(&device).unwrap_err();
/// assert!(matches!(error, Error::TooLarge { what: LaunchLimit::SharedMemory { .. }, .. }));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaunchLimit {
    /// Blocks along x, y or z: axis 0, 1 or 2.
    Grid(usize),
    /// Threads of a block along x, y or z: axis 0, 1 or 2.
    Block(usize),
    /// Threads of a block in total.
    Threads,
    /// Bytes of shared memory of a block.
    SharedMemory {
        /// Those that the kernel declares, with the padding in front of dynamic shared memory.
        own: u64,
        /// Those that the launch gives it.
        dynamic: u64,
    },
    /// Blocks of a cluster.
    Cluster,
    /// Blocks of a kernel with grid barriers: all of them must be co-resident.
    Resident,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::Fault(Box::new(fault))
    }
}

/// No error has a source: the text of a fault is that of the error, and reporters that print the chain of sources would
/// print it twice.
impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
