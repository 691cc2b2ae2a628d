//! The host side of the fault channel described in `vyre_abi::fault`. One per stream.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use cudarc::driver::sys::{
    CU_MEMHOSTALLOC_DEVICEMAP, CU_MEMHOSTALLOC_PORTABLE, CUdeviceptr, CUevent, CUstream, CUstream_flags,
};
use vyre_abi::fault::{FAULT_RECORDS, FaultChannel, FaultControl, FaultRecord};

use super::context::Context;
use super::driver::{OUT_OF_MEMORY, call};
use crate::backend::{FaultedLaunch, LaunchLog};
use crate::error::{Error, Result};

const MAPPED: u32 = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;

/// The memory in which kernels of a stream report faults.
pub(super) struct FaultLink {
    /// On the device; 0 before it is allocated.
    control: CUdeviceptr,
    /// Host-mapped memory; null before it is allocated.
    records: *mut FaultRecord,
    /// The device's address of the records.
    first: CUdeviceptr,
}

impl FaultLink {
    /// A link without memory.
    pub(super) const fn closed() -> FaultLink {
        FaultLink {
            control: 0,
            records: ptr::null_mut(),
            first: 0,
        }
    }

    /// Allocates the memory for a new stream of the context.
    pub(super) fn open(&mut self, context: &Context, stream: CUstream) -> Result<()> {
        let driver = context.driver();
        let mut records: *mut c_void = ptr::null_mut();
        const COUNT: usize = FAULT_RECORDS as usize;
        const BYTES: usize = COUNT * size_of::<FaultRecord>();
        let _bound = context.bind()?;
        // SAFETY: the pointers are valid for the calls; allocations are stored before the next call
        // can fail, and have room for the records.
        unsafe {
            match (driver.cuMemHostAlloc)(&mut records, BYTES, MAPPED) {
                OUT_OF_MEMORY => {
                    return Err(Error::out_of_memory(BYTES));
                }
                code => driver.check("cuMemHostAlloc", code)?,
            }
            self.records = records.cast();
            self.records.write_bytes(0, COUNT);
            call!(driver, cuMemHostGetDevicePointer_v2(&mut self.first, records, 0))?;
            for number in 1..COUNT {
                let next = self.first + (number * size_of::<FaultRecord>()) as u64;
                (*self.records.add(number - 1)).next = next;
            }
        }
        self.control = context.allocate(size_of::<FaultControl>(), stream)?;
        let control = FaultControl {
            launch: 0,
            free: self.first,
            prints: 0,
            arrived: 0,
            ended: 0,
            base: 0,
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
            if !self.records.is_null() {
                (context.driver().cuMemFreeHost)(self.records.cast());
            }
        }
        *self = FaultLink::closed();
    }

    /// The address of the control.
    pub(super) fn control(&self) -> CUdeviceptr {
        self.control
    }

    /// The last parameter of a launch of a kernel.
    #[inline]
    pub(super) fn channel(&self, launch: u64, kernel: u64) -> FaultChannel {
        FaultChannel {
            control: self.control,
            launch,
            kernel,
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

    /// Makes the threads of a launch that poll for faults leave: writes its number where they look, by another stream, since
    /// its own is busy. Later work of the launch's stream waits for the write, by the event.
    ///
    /// The caller ensures that the launch has begun, and that no other one is queued behind it meanwhile.
    pub(super) fn leave(&self, context: &Context, launch: u64, stream: CUstream, event: CUevent) -> Result<()> {
        let driver = context.driver();
        let at = self.control + offset_of!(FaultControl, launch) as u64;
        let mut beside: CUstream = ptr::null_mut();
        // SAFETY: the context is current, the word is one of the control, and a stream that is destroyed does its work
        // first.
        unsafe {
            let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
            call!(driver, cuStreamCreateWithPriority(&mut beside, flags, 0))?;
            // The source is read before the call returns. A stream's write of a value takes no memory of pools.
            let source = (&raw const launch).cast();
            let written = call!(driver, cuMemcpyHtoDAsync_v2(at, source, size_of_val(&launch), beside))
                .and_then(|()| call!(driver, cuEventRecord(event, beside)))
                .and_then(|()| call!(driver, cuStreamWaitEvent(stream, event, 0)));
            (driver.cuStreamDestroy_v2)(beside);
            written
        }
    }

    /// True if a kernel has reported a fault. Faults of work that was waited for are seen.
    #[inline]
    pub(super) fn is_written(&self) -> bool {
        self.written(0).load(Ordering::Acquire) != 0
    }

    /// Waits for the stream, appends the launches that have reported a fault, and makes their records
    /// free for later launches.
    ///
    /// The caller ensures that no other thread calls this or launches on the stream meanwhile.
    pub(super) fn take(
        &self,
        context: &Context,
        stream: CUstream,
        log: &LaunchLog,
        faulted: &mut Vec<FaultedLaunch>,
    ) -> Result<()> {
        if !self.is_written() {
            return Ok(());
        }
        let (driver, control) = (context.driver(), self.control);
        let _bound = context.bind()?;
        let mut state = [0u64; 2];
        const { assert!(offset_of!(FaultControl, launch) == 0 && offset_of!(FaultControl, free) == 8) };
        // SAFETY: the control begins with these two words, and the copy is synchronous.
        unsafe {
            call!(driver, cuStreamSynchronize(stream))?;
            call!(
                driver,
                cuMemcpyDtoHAsync_v2(state.as_mut_ptr().cast(), control, size_of_val(&state), stream)
            )?;
            call!(driver, cuStreamSynchronize(stream))?;
        }
        let [last_faulted, free] = state;
        let mut last_recorded = 0;
        for number in 0..FAULT_RECORDS as usize {
            let written = self.written(number);
            if written.load(Ordering::Acquire) == 0 {
                break;
            }
            // SAFETY: the record is complete, since `written` is set, and no kernel runs.
            let record = unsafe { self.records.add(number).read_volatile() };
            written.store(0, Ordering::Release);
            last_recorded = record.launch;
            faulted.push(FaultedLaunch {
                launch: record.launch,
                error: describe(context, &record),
                writes: log.of(record.launch),
            });
        }
        if free == 0 && last_recorded < last_faulted {
            faulted.push(FaultedLaunch {
                launch: last_faulted,
                error: Error::LostFault { records: FAULT_RECORDS },
                writes: log.between(last_recorded + 1, last_faulted),
            });
        }
        let free = control + offset_of!(FaultControl, free) as u64;
        // SAFETY: the field is eight bytes of the control, and the stream is of the context. Words are
        // written as halves.
        unsafe {
            call!(driver, cuMemsetD32Async(free, self.first as u32, 1, stream))?;
            call!(driver, cuMemsetD32Async(free + 4, (self.first >> 32) as u32, 1, stream))
        }
    }

    fn written(&self, number: usize) -> &AtomicU32 {
        debug_assert!(number < FAULT_RECORDS as usize);
        // SAFETY: the records live as long as this, the field is aligned, and after the setup both
        // sides access it atomically.
        unsafe { AtomicU32::from_ptr(&raw mut (*self.records.add(number)).written) }
    }
}

/// The error that a record describes.
fn describe(context: &Context, record: &FaultRecord) -> Error {
    let fault = context
        .reports()
        .get(record.kernel)
        .and_then(|kernel| kernel.fault(record));
    match fault {
        Some(fault) => fault.into(),
        None => Error::DamagedFault {
            kernel: record.kernel,
            site: record.site,
        },
    }
}
