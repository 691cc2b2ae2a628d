//! The host side of the fault channel described in `vyre_abi::fault`. One per stream.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::sys::{CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr, CUstream};
use vyre_abi::fault::{FaultChannel, FaultControl, FaultRecord};

use super::context::Context;
use super::driver::call;
use crate::error::{Error, Result};
use crate::load::kernel::KernelInfo;

const MAPPED: u32 = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;

/// The memory in which kernels of a stream report faults.
pub(super) struct FaultLink {
    /// On the device; 0 before it is allocated.
    control: CUdeviceptr,
    /// Host-mapped memory; null before it is allocated.
    record: *mut FaultRecord,
}

impl FaultLink {
    /// A link without memory.
    pub(super) const fn closed() -> FaultLink {
        FaultLink {
            control: 0,
            record: ptr::null_mut(),
        }
    }

    /// Allocates the memory for a new stream of the context.
    pub(super) fn open(&mut self, context: &Context, stream: CUstream) -> Result<()> {
        let driver = context.driver();
        let mut record: *mut c_void = ptr::null_mut();
        let mut address = 0;
        context.bind()?;
        // SAFETY: the pointers are valid for the calls; allocations are stored before the next call
        // can fail, and have room for a record.
        unsafe {
            call!(driver, cuMemHostAlloc(&mut record, size_of::<FaultRecord>(), MAPPED))?;
            self.record = record.cast();
            self.record.write_bytes(0, 1);
            call!(driver, cuMemHostGetDevicePointer_v2(&mut address, record, 0))?;
        }
        self.control = context.allocate(size_of::<FaultControl>(), stream)?;
        let control = FaultControl {
            launch: 0,
            record: address,
            claimed: 0,
            reserved: 0,
            prints: 0,
            arrived: 0,
            ended: 0,
        };
        // SAFETY: the device's memory has this size, and `control` outlives the copy, which is
        // synchronous.
        unsafe {
            let source = (&raw const control).cast();
            call!(
                driver,
                cuMemcpyHtoDAsync_v2(self.control, source, size_of::<FaultControl>(), stream)
            )?;
            call!(driver, cuStreamSynchronize(stream))
        }
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// The stream has no pending work.
    pub(super) unsafe fn close(&mut self, context: &Context, stream: CUstream) {
        // SAFETY: no kernel that could use the memory is left. Errors here are harmless.
        unsafe {
            if self.control != 0 {
                let _ = context.release(self.control, stream);
            }
            if !self.record.is_null() {
                (context.driver().cuMemFreeHost)(self.record.cast());
            }
        }
        *self = FaultLink::closed();
    }

    /// The last parameter of a launch of a kernel.
    #[inline]
    pub(super) fn channel(&self, launch: u64, kernel: &'static KernelInfo) -> FaultChannel {
        FaultChannel {
            control: self.control,
            launch,
            kernel: ptr::from_ref(kernel).addr() as u64,
        }
    }

    /// The address at which kernels find the buffer in which they print.
    pub(super) fn prints(&self) -> CUdeviceptr {
        self.control + offset_of!(FaultControl, prints) as u64
    }

    /// Resets the counter of blocks at a grid barrier, for the next launch.
    pub(super) fn reset_arrived(&self, context: &Context, stream: CUstream) -> Result<()> {
        let arrived = self.control + offset_of!(FaultControl, arrived) as u64;
        // SAFETY: the field is eight bytes of the control, and the stream is of the current context.
        unsafe { call!(context.driver(), cuMemsetD32Async(arrived, 0, 2, stream)) }
    }

    /// True if a kernel has reported a fault. Faults of work that was waited for are seen.
    #[inline]
    pub(super) fn is_written(&self) -> bool {
        self.written().load(Ordering::Acquire) != 0
    }

    /// Returns the fault if a kernel has reported one, and rearms the channel for later launches on
    /// the stream; all further faults of earlier ones are lost.
    ///
    /// The caller ensures that no other thread calls this or launches on the stream meanwhile.
    pub(super) fn take(&self, context: &Context, stream: CUstream) -> Result<()> {
        if !self.is_written() {
            return Ok(());
        }
        // SAFETY: the record is complete, since `written` is set, and no kernel writes it before
        // `claimed` is cleared below.
        let record = unsafe { self.record.read_volatile() };
        self.written().store(0, Ordering::Release);
        context.bind()?;
        let claimed = self.control + offset_of!(FaultControl, claimed) as u64;
        // SAFETY: the field is four bytes of the control, and the stream is of the context.
        unsafe { call!(context.driver(), cuMemsetD32Async(claimed, 0, 1, stream))? };
        let kernel = context.kernel(record.kernel);
        match kernel.and_then(|kernel| Some((kernel, kernel.sites.get(record.site as usize)?))) {
            Some((kernel, site)) => {
                let values = record.message_values();
                Err(site.fault(kernel.name, &values, record.block, record.thread).into())
            }
            None => Err(Error::DamagedFault {
                kernel: record.kernel,
                site: record.site,
            }),
        }
    }

    fn written(&self) -> &AtomicU32 {
        // SAFETY: the record lives as long as this, the field is aligned, and after the setup both
        // sides access it atomically.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.record).written) }
    }
}
