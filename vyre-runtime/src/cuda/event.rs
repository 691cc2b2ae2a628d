//! Events of the driver, as moments of a stream's work.
//!
//! Events that nobody has any more are recorded again. A stream that was told to wait for one waits for its record
//! at that time, so this changes nothing for it.

use std::any::Any;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{CUevent, CUevent_flags, CUstream};

use super::context::Context;
use super::driver::{NOT_READY, SUCCESS, call};
use crate::backend::Moment;
use crate::error::Result;

pub(super) struct CudaMoment {
    context: Arc<Context>,
    event: CUevent,
    time: Time,
}

/// The timing of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    /// The time of the device, for [`Moment::since`].
    Kept,
    /// Nothing: the device has less to do.
    Dropped,
}

// SAFETY: the driver accepts its handles from any thread.
unsafe impl Send for CudaMoment {}
// SAFETY: as above.
unsafe impl Sync for CudaMoment {}

impl CudaMoment {
    /// Records an event on a stream of the context, which is current.
    pub(super) fn record(context: &Arc<Context>, stream: CUstream, time: Time) -> Result<CudaMoment> {
        let driver = context.driver();
        let kept = context.events(time).lock().pop();
        let mut event = kept.unwrap_or(Handle(ptr::null_mut())).0;
        if event.is_null() {
            let flags = match time {
                Time::Kept => CUevent_flags::CU_EVENT_DEFAULT,
                Time::Dropped => CUevent_flags::CU_EVENT_DISABLE_TIMING,
            };
            // SAFETY: the pointer is valid for the call.
            unsafe { call!(driver, cuEventCreate(&mut event, flags as u32))? };
        }
        // From here on `Drop` keeps it.
        let moment = CudaMoment {
            context: context.clone(),
            event,
            time,
        };
        // SAFETY: the event and the stream are of the current context.
        unsafe { call!(driver, cuEventRecord(event, stream))? };
        context.counters().events_recorded.add(1);
        Ok(moment)
    }

    /// Makes later work on a stream of the context, which is current, wait for it.
    pub(super) fn hold(&self, stream: CUstream) -> Result<()> {
        // SAFETY: the event and the stream are of the current context.
        unsafe { call!(self.context.driver(), cuStreamWaitEvent(stream, self.event, 0)) }
    }
}

impl Moment for CudaMoment {
    fn wait(&self) -> Result<()> {
        let _bound = self.context.bind()?;
        // SAFETY: the event is of the current context.
        unsafe { call!(self.context.driver(), cuEventSynchronize(self.event)) }
    }

    fn is_over(&self) -> Result<bool> {
        let _bound = self.context.bind()?;
        let driver = self.context.driver();
        // SAFETY: the event is of the current context.
        match unsafe { (driver.cuEventQuery)(self.event) } {
            SUCCESS => Ok(true),
            NOT_READY => Ok(false),
            code => driver.check("cuEventQuery", code).map(|()| true),
        }
    }

    fn is_past(&self) -> bool {
        let driver = self.context.driver();
        let Ok(_bound) = driver.bind_to_end() else { return false };
        // SAFETY: the event is of the current context.
        unsafe { (driver.cuEventQuery)(self.event) == SUCCESS }
    }

    fn since(&self, earlier: &dyn Moment) -> Result<Duration> {
        self.wait()?;
        earlier.wait()?;
        let Some(earlier) = (earlier as &dyn Any).downcast_ref::<CudaMoment>() else {
            return Ok(Duration::ZERO);
        };
        let _bound = self.context.bind()?;
        if self.time == Time::Dropped || earlier.time == Time::Dropped {
            return Ok(Duration::ZERO);
        }
        let mut milliseconds = 0.0;
        // SAFETY: both events are of the current context and were recorded, and the pointer is valid for the call.
        unsafe {
            call!(
                self.context.driver(),
                cuEventElapsedTime(&mut milliseconds, earlier.event, self.event)
            )?
        };
        // Below zero if they are in the other order.
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }
}

impl Drop for CudaMoment {
    fn drop(&mut self) {
        self.context.events(self.time).lock().push(Handle(self.event));
    }
}

/// An event that can be recorded again.
pub(super) struct Handle(pub(super) CUevent);

// SAFETY: the driver accepts its handles from any thread.
unsafe impl Send for Handle {}
