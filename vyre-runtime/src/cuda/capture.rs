//! Streams that somebody else captures into a graph of the driver.
//!
//! **Calls beside a capture.** The driver refuses calls that no stream has in its order, such as allocations and waits, while
//! a capture is in progress on the thread or, in the global mode, in the process; and it makes the capture invalid. They are
//! no part of what is captured, so [`Bound`](super::calls::Bound) makes them in the relaxed mode, which allows them.
//! `cuCtxSynchronize` is refused in every mode, so nothing calls it.
//!
//! **Calls on a captured stream.** Waits, events of other streams and allocations would make the capture invalid. A queue of
//! a stream that others know is therefore asked first, and refuses. Only launches whose caller vouches for what the graph
//! does later go into it.

use std::sync::atomic::Ordering;

use cudarc::driver::sys::CUstream;

use super::calls::{Bound, Calls};
use super::context::Context;
use super::driver::call;
use super::queue::CudaQueue;
use crate::error::{CaptureProblem, Error, Result};

/// The state of a stream that is not captured, a `CUstreamCaptureStatus`.
const NONE: u32 = 0;

/// The state of one whose capture has become invalid.
const INVALIDATED: u32 = 2;

impl Calls {
    /// The state of a stream, of the current context.
    fn capture_status(&self, stream: CUstream) -> Result<u32> {
        let mut status = NONE;
        // SAFETY: the stream is of the current context, and the pointer is valid for the call.
        unsafe { call!(self, cuStreamIsCapturing(stream, &mut status))? };
        Ok(status)
    }

    /// Refuses a stream that is captured, of the current context.
    pub(super) fn check_uncaptured(&self, stream: CUstream) -> Result<()> {
        match self.capture_status(stream)? {
            NONE => Ok(()),
            _ => Err(self.captured(CaptureProblem::Work)),
        }
    }

    fn captured(&self, problem: CaptureProblem) -> Error {
        Error::StreamCaptured {
            device: self.name().to_owned(),
            problem: Box::new(problem),
        }
    }

    /// Waits for the streams of the device. Refused if one of them is captured.
    pub(super) fn wait_for_streams(&self) -> Result<()> {
        let streams = self.streams();
        for &stream in &streams {
            self.check_uncaptured(stream)?;
        }
        for stream in streams {
            // SAFETY: the stream is of the current context, and lives as long as the device.
            unsafe { call!(self, cuStreamSynchronize(stream))? };
        }
        Ok(())
    }
}

impl CudaQueue {
    /// The context, for a call on the stream. Refused while the stream is captured, before the call is made.
    #[inline]
    pub(super) fn bind(&self) -> Result<Bound> {
        self.refuse_captured()?;
        self.context().bind()
    }

    /// The same for a call that only queues work.
    #[inline]
    pub(super) fn bind_to_queue(&self) -> Result<Bound> {
        self.refuse_captured()?;
        self.context().bind_to_queue()
    }

    #[inline]
    pub(super) fn refuse_captured(&self) -> Result<()> {
        match self.shared.load(Ordering::Relaxed) {
            true => self.refuse_now(),
            false => Ok(()),
        }
    }

    #[cold]
    fn refuse_now(&self) -> Result<()> {
        let _bound = self.context().driver().bind_to_end()?;
        self.context().driver().check_uncaptured(self.stream())
    }

    /// True if the stream is captured. Refused if that capture is invalid.
    pub(super) fn is_in_capture(&self) -> Result<bool> {
        if !self.shared.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let driver = self.context().driver();
        let _bound = driver.bind_to_end()?;
        match driver.capture_status(self.stream())? {
            INVALIDATED => Err(driver.captured(CaptureProblem::Invalidated)),
            status => Ok(status != NONE),
        }
    }

    /// Frees memory whose release came while the stream was captured, which is over.
    pub(super) fn release_deferred(&self, context: &Context) -> Result<()> {
        if !self.has_deferred.load(Ordering::Relaxed) {
            return Ok(());
        }
        let deferred = std::mem::take(&mut *self.deferred.lock());
        self.has_deferred.store(false, Ordering::Relaxed);
        let mut released = Ok(());
        for address in deferred {
            // SAFETY: `release` had the contract, which only makes the memory wait longer.
            released = released.and(unsafe { context.release(address, self.stream()) });
        }
        released
    }

    /// Keeps memory until the stream is not captured any more.
    pub(super) fn defer(&self, address: u64) {
        self.deferred.lock().push(address);
        self.has_deferred.store(true, Ordering::Relaxed);
    }
}
