//! Kernels that the program makes while it runs.

use std::ffi::c_void;
use std::sync::atomic::AtomicU64;

use vyre_abi::fault::FaultKind;
use vyre_abi::kernel::{EntryInfo, Location, Site};

use crate::backend::{Extent, Launching, Parameters, Queue};
use crate::body::BlockContext;
use crate::cuda::queue::CudaQueue;
use crate::kernel::{KernelCache, KernelInfo};

unsafe fn nothing(_: &[*const c_void], _: &BlockContext<'_>) {}

/// A kernel that the program makes while it runs. It does nothing; on the played driver its launches fault.
pub(in crate::cuda) fn kernel(name: &'static str) -> Box<KernelInfo> {
    const PLACE: Location = Location {
        file: "kernel.rs",
        line: 1,
        column: 1,
    };
    const SITES: &[Site] = &[Site {
        kind: FaultKind::Panic,
        location: PLACE,
        message: "",
    }];
    Box::new(KernelInfo {
        name,
        location: PLACE,
        dimensions: 1,
        block: [32, 1, 1],
        cluster: &[],
        shared_bytes: 0,
        cooperative: false,
        parameters: &[],
        constants: &[],
        entries: &[EntryInfo {
            symbol: "made",
            coarsening: 1,
        }],
        assumed: &[],
        cubins: &[],
        ptx: ".version 7.0\n.target sm_70\n.address_size 64\n// played: fault\n\
              .visible .entry made(.param .align 8 .b8 channel[24]) { ret; }\n",
        target: 70,
        newer: &[],
        program: "",
        sites: SITES,
        prints: &[],
        host: nothing,
        cache: KernelCache::new(),
    })
}

/// Launches a kernel, and returns the number of the launch.
pub(super) fn launch(queue: &CudaQueue, kernel: &KernelInfo, clock: &AtomicU64) -> u64 {
    // SAFETY: the kernel has no parameters.
    let launched = unsafe {
        queue.launch(Launching {
            kernel,
            interpreter: None,
            entry: 0,
            extent: Extent::Grid([1, 1, 1]),
            shared_bytes: 0,
            captured: false,
            parameters: &mut Parameters::new(),
            writes: &[],
            clock,
        })
    };
    launched.unwrap()
}
