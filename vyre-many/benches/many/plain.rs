//! NCCL and the driver without vyre.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::Instant;

use libloading::Library;
use vyre::cudarc::driver::sys::{
    CUcontext, CUdevice, CUdeviceptr, CUresult, CUstream, CUstream_flags, cuCtxEnablePeerAccess, cuCtxSetCurrent,
    cuDeviceGet, cuDevicePrimaryCtxRetain, cuMemAlloc_v2, cuMemFree_v2, cuMemcpyPeerAsync, cuMemsetD32_v2,
    cuStreamCreate, cuStreamSynchronize,
};

use crate::{Outcome, REPEATED};

/// NCCL without vyre: communicators of all devices.
pub(crate) struct Plain {
    library: Library,
    communicators: Vec<*mut c_void>,
}

// SAFETY: NCCL's communicators may be used by any thread, each by one at a time, as `rank` is called.
unsafe impl Sync for Plain {}

impl Plain {
    pub(crate) fn new(count: usize) -> Outcome<Plain> {
        let file = std::env::var("VYRE_NCCL").unwrap_or_else(|_| "libnccl.so.2".to_string());
        // SAFETY: the library is NCCL, whose initialisers may run at any time.
        let library = unsafe { Library::new(file)? };
        let mut communicators = vec![ptr::null_mut(); count];
        let devices: Vec<c_int> = (0..count as c_int).collect();
        // SAFETY: the declaration is that of `nccl.h`, and the arrays have `count` elements.
        unsafe {
            let make = library
                .get::<unsafe extern "C" fn(*mut *mut c_void, c_int, *const c_int) -> u32>(b"ncclCommInitAll\0")?;
            assert_eq!(make(communicators.as_mut_ptr(), count as c_int, devices.as_ptr()), 0);
        }
        Ok(Plain { library, communicators })
    }

    /// A rank with memory of its own, on the calling thread.
    pub(crate) fn rank(&self, index: usize, length: usize) -> Rank<'_> {
        let mut rank = Rank {
            plain: self,
            index,
            length,
            device: 0,
            context: ptr::null_mut(),
            stream: ptr::null_mut(),
            memory: 0,
        };
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver is initialised, since devices are open, and the pointers are valid for the calls.
        unsafe {
            check(cuDeviceGet(&mut rank.device, index as c_int));
            check(cuDevicePrimaryCtxRetain(&mut rank.context, rank.device));
            check(cuCtxSetCurrent(rank.context));
            check(cuStreamCreate(&mut rank.stream, flags));
            check(cuMemAlloc_v2(&mut rank.memory, length * 4));
            check(cuMemsetD32_v2(rank.memory, 0, length));
        }
        rank
    }
}

/// A rank of plain NCCL.
pub(crate) struct Rank<'p> {
    plain: &'p Plain,
    index: usize,
    length: usize,
    device: CUdevice,
    context: CUcontext,
    stream: CUstream,
    memory: CUdeviceptr,
}

impl Rank<'_> {
    /// Returns when all was queued, once it is done.
    pub(crate) fn all_reduce(&self) -> Instant {
        type AllReduce =
            unsafe extern "C" fn(*const c_void, *mut c_void, usize, u32, u32, *mut c_void, *mut c_void) -> u32;
        /// `ncclFloat32` and `ncclSum`.
        const FLOAT: u32 = 7;
        const SUM: u32 = 0;
        let memory = self.memory as *mut c_void;
        let communicator = self.plain.communicators[self.index];
        // SAFETY: the declaration is that of `nccl.h`; the memory has `length` elements and lives until the stream is done.
        unsafe {
            let reduce = self
                .plain
                .library
                .get::<AllReduce>(b"ncclAllReduce\0")
                .expect("NCCL has it");
            check(cuCtxSetCurrent(self.context));
            for _ in 0..REPEATED {
                let code = reduce(
                    memory,
                    memory,
                    self.length,
                    FLOAT,
                    SUM,
                    communicator,
                    self.stream.cast(),
                );
                assert_eq!(code, 0);
            }
            let queued = Instant::now();
            check(cuStreamSynchronize(self.stream));
            queued
        }
    }

    pub(crate) fn may_access(&self, other: &Rank<'_>) {
        // SAFETY: both contexts are retained.
        let code = unsafe {
            check(cuCtxSetCurrent(self.context));
            cuCtxEnablePeerAccess(other.context, 0)
        };
        // NCCL may have asked for it already.
        assert!(matches!(
            code,
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
        ));
    }

    pub(crate) fn copy_from(&self, other: &Rank<'_>) {
        // SAFETY: both memories have the length, and live until the stream is done.
        unsafe {
            check(cuCtxSetCurrent(self.context));
            for _ in 0..REPEATED {
                let bytes = self.length * 4;
                check(cuMemcpyPeerAsync(
                    self.memory,
                    self.context,
                    other.memory,
                    other.context,
                    bytes,
                    self.stream,
                ));
            }
            check(cuStreamSynchronize(self.stream));
        }
    }
}

impl Drop for Rank<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is this rank's, and its stream is done.
        unsafe {
            check(cuCtxSetCurrent(self.context));
            check(cuMemFree_v2(self.memory));
        }
    }
}

/// # Panics
/// If a call of the driver has failed.
fn check(result: CUresult) {
    assert_eq!(result, CUresult::CUDA_SUCCESS);
}
