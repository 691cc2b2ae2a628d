//! Descriptions of compiled kernels for the runtime. Generated code defines them as statics.

#[cfg(feature = "cpu")]
use std::ffi::c_void;
use std::fmt;

use vyre_abi::kernel::{AssumedInfo, Cubin, EntryInfo, Location, NewerPtx, Site};
use vyre_abi::order::sort_by_key;

use super::cache::KernelCache;
#[cfg(feature = "cpu")]
use crate::body::BlockContext;

/// A compiled kernel of the crate; one static per kernel.
pub type KernelInfo = KernelDescription<'static>;

/// A compiled kernel. What it refers to lives as long as the program for kernels of the crate, and as long as
/// the kernel for those that a program makes while it runs.
pub struct KernelDescription<'k> {
    /// The name in the source.
    pub name: &'k str,
    /// The place of its definition.
    #[doc(hidden)]
    pub location: Location<'k>,
    /// Axes of a launch that it uses: 1, 2 or 3.
    pub dimensions: u32,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster along x, y and z; empty for kernels without clusters.
    pub cluster: &'k [u32],
    /// Static shared memory, in bytes.
    pub shared_bytes: u32,
    /// True if it waits for the whole grid, whose blocks then all run at the same time.
    pub cooperative: bool,
    /// The names of the parameters, in order.
    pub parameters: &'k [&'k str],
    /// The constants set by the host, which a launch passes after the parameters.
    #[doc(hidden)]
    pub constants: &'k [HostConstant<'k>],
    /// The entries, in order of preference.
    #[doc(hidden)]
    pub entries: &'k [EntryInfo<'k>],
    /// The entry for launches that keep its conditions; may be empty.
    #[doc(hidden)]
    pub assumed: &'k [AssumedInfo<'k>],
    /// Machine code, each target once; may be empty.
    #[doc(hidden)]
    pub cubins: &'k [Cubin<'k>],
    /// The PTX.
    pub ptx: &'k str,
    /// The `.target` of the PTX: 70 for `sm_70`.
    pub target: u32,
    /// PTX for newer devices, the newest first; may be empty.
    #[doc(hidden)]
    pub newer: &'k [NewerPtx<'k>],
    /// The text form of the program.
    pub program: &'k str,
    /// The fault sites, by their indices in the PTX.
    #[doc(hidden)]
    pub sites: &'k [Site<'k>],
    /// The templates of its output, by their indices in the PTX. If this and `sites` are empty, no
    /// fault channel is passed.
    #[doc(hidden)]
    pub prints: &'k [&'k str],
    /// The CPU body.
    #[doc(hidden)]
    pub host: HostBody,
    /// The functions that devices have loaded.
    #[doc(hidden)]
    pub cache: KernelCache,
}

impl fmt::Debug for KernelDescription<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelInfo")
            .field("name", &self.name)
            .field("location", &self.location)
            .field("dimensions", &self.dimensions)
            .field("block", &self.block)
            .field("cluster", &self.cluster)
            .field("shared_bytes", &self.shared_bytes)
            .field("cooperative", &self.cooperative)
            .field("parameters", &self.parameters)
            .field("target", &self.target)
            .finish_non_exhaustive()
    }
}

/// A constant that the host sets, as a kernel knows it.
#[derive(Debug)]
pub struct HostConstant<'k> {
    /// Tells it from all others.
    pub key: u64,
    /// The value until one is set.
    pub initial: &'k [u8],
}

/// Runs one block of a launch on the CPU.
///
/// Takes the pointers that [`Arguments`](crate::kernel::Arguments) holds, in the same order.
///
/// # Safety
/// The pointers are those of a launcher of the same kernel.
#[cfg(feature = "cpu")]
pub type HostBody = unsafe fn(arguments: &[*const c_void], block: &BlockContext<'_>);

/// Nothing: CPU bodies come with the feature `cpu`.
#[cfg(not(feature = "cpu"))]
pub type HostBody = ();

impl<'k> KernelDescription<'k> {
    /// The machine code that a device of a compute capability runs (90 for 9.0), the best first.
    pub(crate) fn cubins_for(&self, capability: u32) -> Vec<&'k Cubin<'k>> {
        let mut fitting: Vec<_> = self
            .cubins
            .iter()
            .filter(|cubin| cubin.target.runs_on(capability))
            .collect();
        sort_by_key(&mut fitting, |cubin| {
            let (capability, features) = (cubin.target.capability, cubin.target.features);
            u128::MAX - (u128::from(capability) << 32 | features as u128)
        });
        fitting
    }

    /// The PTX that a device of a compute capability may load, the best first.
    pub(crate) fn texts_for(&self, capability: u32) -> impl Iterator<Item = &'k str> {
        let newer = self.newer.iter().filter(move |newer| newer.target <= capability);
        newer.map(|newer| newer.ptx).chain([self.ptx])
    }

    /// Blocks of a cluster, if the kernel has clusters.
    pub(crate) fn cluster(&self) -> Option<[u32; 3]> {
        self.cluster.try_into().ok()
    }
}
