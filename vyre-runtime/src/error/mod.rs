//! The errors of all calls, each with what to do about it.

mod message;

use vyre_abi::fault::Fault;

/// The result of what can fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of the runtime.
///
/// `{:?}` gives the same text as `{}`, since that is what a `main` that returns a [`Result`] and an `unwrap` show.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no CUDA driver on this machine, or none that can be loaded.
    NoDriver {
        /// The libraries that were looked for, in this order; none on a system that CUDA does not support.
        searched: Vec<String>,
    },
    /// The CUDA driver is older than what vyre needs.
    DriverTooOld {
        /// The CUDA version that the driver supports, major and minor.
        found: (u32, u32),
        /// The version that is needed.
        needed: (u32, u32),
        /// The function that the driver lacks, if that is how it showed.
        missing: Option<&'static str>,
    },
    /// There is no CUDA device of this number.
    NoDevice {
        /// The number that was asked for, from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The memory of a device does not suffice. Everything that was there before is still usable.
    OutOfMemory {
        /// The bytes that were asked for.
        requested: u64,
        /// The bytes that were free then, where the device can tell.
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
    /// Something that belongs to one device was given to another.
    WrongDevice {
        /// The kernel whose launch was refused.
        kernel: &'static str,
        /// The name of a parameter, or the stream.
        parameter: &'static str,
        /// The device that it belongs to.
        belongs: String,
        /// The device of the launch.
        wanted: String,
    },
    /// Two lengths that must be equal are not.
    LengthMismatch {
        /// The name of the first one.
        first: &'static str,
        /// The first length, in elements.
        first_length: usize,
        /// The name of the second one.
        second: &'static str,
        /// The second length, in elements.
        second_length: usize,
    },
    /// A range of elements that does not lie within a buffer.
    RangeOutOfBounds {
        /// The first element of the range.
        start: usize,
        /// One past the last element of the range.
        end: usize,
        /// The length of what it was applied to.
        length: usize,
    },
    /// A matrix that does not lie within a slice or buffer: `pitch` is less than `cols`, the elements are
    /// too few, or an extent is larger than 2^32 - 1.
    MatrixSize {
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        cols: usize,
        /// From a row to the next one, how many elements there are.
        pitch: usize,
        /// The number of elements in which the matrix should lie.
        length: usize,
    },
    /// A grid with no blocks.
    EmptyGrid {
        /// The kernel.
        kernel: &'static str,
        /// The blocks along x, y and z.
        grid: [u32; 3],
    },
    /// A launch along an axis that the kernel does not use: its threads there would be the same.
    WrongDimensions {
        /// The kernel.
        kernel: &'static str,
        /// The axes that it uses: 1, 2 or 3.
        dimensions: u32,
        /// The blocks of the launch along x, y and z.
        blocks: [u64; 3],
    },
    /// A launch of blocks that make no whole clusters.
    BrokenClusters {
        /// The kernel.
        kernel: &'static str,
        /// The blocks of a cluster along x, y and z.
        cluster: [u32; 3],
        /// The blocks of the launch along x, y and z.
        blocks: [u64; 3],
    },
    /// A launch beyond the limits of the device.
    TooLarge {
        /// The kernel.
        kernel: &'static str,
        /// The limit that is exceeded.
        what: LaunchLimit,
        /// How much of it the launch needs.
        requested: u64,
        /// How much of it there is.
        limit: u64,
    },
    /// A kernel reported a fault. Told once; the device stays usable.
    Fault(Box<Fault>),
    /// A kernel reported a fault, but what it wrote makes no sense: something has overwritten it.
    DamagedFault {
        /// The address of the kernel, as it was found.
        kernel: u64,
        /// The number of the place in the kernel, as it was found.
        site: u32,
    },
    /// The driver refused the PTX of a kernel.
    PtxRejected {
        /// The kernel.
        kernel: &'static str,
        /// The driver's result, a `CUresult`.
        code: u32,
        /// The name of that code.
        name: String,
        /// The log of the driver's assembler.
        log: String,
    },
    /// A device lacks what is needed.
    Unsupported {
        /// The missing feature, and its user.
        feature: String,
        /// The device.
        device: String,
    },
}

/// A limit of a device on launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LaunchLimit {
    /// Blocks along x, y or z: axis 0, 1 or 2.
    Grid(usize),
    /// Threads of a block along x, y or z: axis 0, 1 or 2.
    Block(usize),
    /// Threads of a block in all.
    Threads,
    /// Bytes of shared memory of a block.
    SharedMemory,
    /// Blocks of a cluster.
    Cluster,
    /// Blocks of a kernel that waits for the whole grid: all of them run at the same time.
    Resident,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::Fault(Box::new(fault))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Fault(fault) => Some(&**fault),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
