//! The host's end of the print buffer, which `vyre_abi::print` describes. One for each stream.

use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cudarc::driver::sys::{CUdeviceptr, CUstream};
use vyre_abi::format;
use vyre_abi::print::{self, CAPACITY, PrintBuffer};

use super::context::Context;
use super::driver::call;
use crate::error::Result;

/// Size of the buffer's header.
const HEADER: usize = size_of::<PrintBuffer>();
/// Size of the buffer.
const BYTES: usize = HEADER + CAPACITY as usize;

/// The memory in which kernels of a stream print.
pub(super) struct PrintLink {
    /// On the device; 0 before the first launch of a kernel that prints.
    buffer: AtomicU64,
    /// True if such a kernel was launched since the records were last read.
    is_used: AtomicBool,
}

impl PrintLink {
    pub(super) const fn closed() -> PrintLink {
        PrintLink {
            buffer: AtomicU64::new(0),
            is_used: AtomicBool::new(false),
        }
    }

    /// Allocates the buffer for later kernels on the stream, on first use. `field` is the device
    /// address that holds the buffer's address. Called under the lock of the queue.
    pub(super) fn open(&self, context: &Context, stream: CUstream, field: CUdeviceptr) -> Result<()> {
        if self.buffer.load(Ordering::Relaxed) != 0 {
            self.is_used.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let buffer = context.allocate(BYTES, stream)?;
        if let Err(error) = prepare(context, stream, field, buffer) {
            // SAFETY: the memory is not shared yet. The first error is the one to report.
            let _ = unsafe { context.release(buffer, stream) };
            return Err(error);
        }
        self.buffer.store(buffer, Ordering::Relaxed);
        self.is_used.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// True if something may have been printed since this was last taken.
    #[inline]
    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }

    /// Appends the output and clears the buffer. Called under the lock of the queue, so that no
    /// launch intervenes.
    pub(super) fn take(&self, context: &Context, stream: CUstream, out: &mut String) -> Result<()> {
        if !self.is_used.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let _bound = context.bind()?;
        let buffer = self.buffer.load(Ordering::Relaxed);
        let mut header = [0; HEADER / 8];
        read(context, stream, buffer, &mut header)?;
        let [cursor, _, lost, _] = header;
        let written = cursor.min(CAPACITY) as usize;
        if written == 0 {
            return Ok(());
        }
        let mut words = vec![0; written / 8];
        read(context, stream, buffer + HEADER as u64, &mut words)?;
        let driver = context.driver();
        let lost_field = buffer + offset_of!(PrintBuffer, lost) as u64;
        // SAFETY: all of it lies within the buffer, and no kernel that prints is on the stream.
        unsafe {
            call!(driver, cuMemsetD32Async(buffer, 0, 2, stream))?;
            call!(driver, cuMemsetD32Async(lost_field, 0, 2, stream))?;
            call!(driver, cuMemsetD8Async(buffer + HEADER as u64, 0, written, stream))?;
        }
        for record in print::records(&words) {
            if let Some(kernel) = context.reports().get(record.kernel)
                && let Some(template) = kernel.template(record.site)
            {
                out.push_str(&format::render(template, record.values));
            }
        }
        if lost != 0 {
            out.push_str(&print::lost(lost));
        }
        Ok(())
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// The stream has no pending work.
    pub(super) unsafe fn close(&mut self, context: &Context, stream: CUstream) {
        let buffer = std::mem::take(self.buffer.get_mut());
        if buffer != 0 {
            // SAFETY: no kernel that could use the memory is left. Errors here are harmless.
            let _ = unsafe { context.release(buffer, stream) };
        }
    }
}

/// Clears a buffer and publishes its address to kernels.
fn prepare(context: &Context, stream: CUstream, field: CUdeviceptr, buffer: CUdeviceptr) -> Result<()> {
    let driver = context.driver();
    let capacity = buffer + offset_of!(PrintBuffer, capacity) as u64;
    // SAFETY: the buffer has this many bytes, `field` has eight, and both are on this device. Words
    // are written as halves; the upper half of the capacity is zero.
    unsafe {
        call!(driver, cuMemsetD8Async(buffer, 0, BYTES, stream))?;
        call!(driver, cuMemsetD32Async(capacity, CAPACITY as u32, 1, stream))?;
        call!(driver, cuMemsetD32Async(field, buffer as u32, 1, stream))?;
        call!(driver, cuMemsetD32Async(field + 4, (buffer >> 32) as u32, 1, stream))
    }
}

/// Reads words of the device synchronously.
fn read(context: &Context, stream: CUstream, address: CUdeviceptr, words: &mut [u64]) -> Result<()> {
    let driver = context.driver();
    // SAFETY: the context is current, the callers pass words of the buffer, and the copy is synchronous.
    unsafe {
        call!(
            driver,
            cuMemcpyDtoHAsync_v2(words.as_mut_ptr().cast(), address, size_of_val(words), stream)
        )?;
        call!(driver, cuStreamSynchronize(stream))
    }
}
