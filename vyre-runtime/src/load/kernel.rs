//! Descriptions of compiled kernels for the runtime. Generated code defines them as statics.

use std::ffi::c_void;

use vyre_abi::kernel::{EntryInfo, Location, Site};

use super::cache::KernelCache;
use crate::body::BlockContext;

/// A compiled kernel; one static per kernel.
pub struct KernelInfo {
    /// The name in the source.
    pub name: &'static str,
    /// The place of its definition.
    pub location: Location,
    /// Axes of a launch that it uses: 1, 2 or 3.
    pub dimensions: u32,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster along x, y and z; empty for kernels without clusters.
    pub cluster: &'static [u32],
    /// Static shared memory, in bytes.
    pub shared_bytes: u32,
    /// True if it waits for the whole grid, whose blocks then all run at the same time.
    pub cooperative: bool,
    /// The names of the parameters, in order.
    pub parameters: &'static [&'static str],
    /// The constants set by the host, which a launch passes after the parameters.
    pub constants: &'static [HostConstant],
    /// The entries, in order of preference.
    pub entries: &'static [EntryInfo],
    /// The PTX.
    pub ptx: &'static str,
    /// The `.target` of the PTX: 70 for `sm_70`.
    pub target: u32,
    /// The text form of the program.
    pub program: &'static str,
    /// The fault sites, by their indices in the PTX.
    pub sites: &'static [Site],
    /// The templates of its output, by their indices in the PTX. If this and `sites` are empty, no
    /// fault channel is passed.
    pub prints: &'static [&'static str],
    /// The CPU body.
    pub host: HostBody,
    /// The functions that devices have loaded.
    pub cache: KernelCache,
}

/// A constant that the host sets, as a kernel knows it.
#[derive(Debug)]
pub struct HostConstant {
    /// Tells it from all others.
    pub key: u64,
    /// The value until one is set.
    pub initial: &'static [u8],
}

/// Runs one block of a launch on the CPU.
///
/// Takes the pointers that [`Arguments`](crate::kernel::Arguments) holds, in the same order.
///
/// # Safety
/// The pointers are those of a launcher of the same kernel.
pub type HostBody = unsafe fn(arguments: &[*const c_void], block: &BlockContext<'_>);

impl KernelInfo {
    /// Blocks of a cluster, if the kernel has clusters.
    pub(crate) fn cluster(&self) -> Option<[u32; 3]> {
        self.cluster.try_into().ok()
    }
}
