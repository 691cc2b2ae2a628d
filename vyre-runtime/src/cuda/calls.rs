//! The driver's functions as an open device calls them, and the end of the device.
//!
//! A device ends by [`Calls::close`], or when the driver answers a code after which its context cannot be used. Either
//! replaces the context that [`Calls::bind`] compares with the current one by a mark that no context equals, so an
//! ordinary call pays nothing for it: it compares the two in any case.

use std::ops::Deref;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use cudarc::driver::sys::{CUcontext, CUctx_st, CUstream};

use super::context::reports::ReportTable;
use super::driver::{Driver, NOT_INITIALIZED, SUCCESS};
use crate::error::{Error, LostDevice, Result};
use crate::sync::Mutex;

/// The functions of the driver, for the calls of one device.
pub(super) struct Calls {
    driver: Driver,
    raw: CUcontext,
    /// `raw`, or [`ended`] once the device is closed or lost.
    current: AtomicPtr<CUctx_st>,
    closed: AtomicBool,
    lost: OnceLock<Error>,
    /// The name of the device in errors.
    name: OnceLock<String>,
    /// The streams, with the launches of each.
    flights: Mutex<Vec<(CUstream, &'static Flight)>>,
    reports: ReportTable,
}

// SAFETY: the driver accepts its handles from any thread; all else is shareable.
unsafe impl Send for Calls {}
// SAFETY: as above.
unsafe impl Sync for Calls {}

/// The mark of a device that has ended: no context has this address.
fn ended() -> CUcontext {
    ptr::without_provenance_mut(1)
}

impl Deref for Calls {
    type Target = Driver;

    #[inline]
    fn deref(&self) -> &Driver {
        &self.driver
    }
}

impl Calls {
    /// The calls of a device with this context. They stay for the rest of the process, as the device does.
    pub(super) fn keep(driver: &Driver, raw: CUcontext) -> &'static Calls {
        Box::leak(Box::new(Calls {
            driver: driver.clone(),
            raw,
            current: AtomicPtr::new(raw),
            closed: AtomicBool::new(false),
            lost: OnceLock::new(),
            name: OnceLock::new(),
            flights: Mutex::default(),
            reports: ReportTable::default(),
        }))
    }

    /// Names the device, once.
    pub(super) fn set_name(&self, name: String) {
        let _ = self.name.set(name);
    }

    pub(super) fn name(&self) -> &str {
        self.name.get().map_or("the device", String::as_str)
    }

    /// The context of the device.
    pub(super) fn raw(&self) -> CUcontext {
        self.raw
    }

    /// The meaning of the records of kernels.
    pub(super) fn reports(&self) -> &ReportTable {
        &self.reports
    }

    /// The result of a call as a `Result`.
    #[inline]
    pub(super) fn check(&self, call: &'static str, code: u32) -> Result<()> {
        match code {
            SUCCESS => Ok(()),
            _ => Err(self.error(call, code)),
        }
    }

    /// The error of a call that failed. One after which the context cannot be used ends the device.
    #[cold]
    pub(super) fn error(&self, call: &'static str, code: u32) -> Error {
        if code == NOT_INITIALIZED && self.driver.is_forked() {
            return Error::Forked;
        }
        if !ends_context(code) {
            return self.driver.error(call, code);
        }
        let lost = self.lost.get_or_init(|| {
            Error::DeviceLost(Box::new(LostDevice {
                device: self.name().to_owned(),
                call,
                code,
                name: self.driver.name_of(code),
                kernels: self.in_flight(),
            }))
        });
        self.current.store(ended(), Ordering::Relaxed);
        lost.clone()
    }

    /// The error of all calls, once the device is lost. Makes no call.
    pub(super) fn lost(&self) -> Option<&Error> {
        self.lost.get()
    }

    /// Makes the context the current one of the thread, until the result is dropped: another one that was current is
    /// then again. Where there was none, it stays, which the next call finds. Captures of others in progress refuse no call
    /// meanwhile.
    #[inline]
    pub(super) fn bind(&'static self) -> Result<Bound> {
        self.bind_to_queue().map(Bound::relaxed)
    }

    /// The same for calls that only queue work on streams and record events, which no capture refuses, and for calls of
    /// others.
    ///
    /// The context is asked for first, which takes less time than setting it, and other libraries may have changed it.
    #[inline]
    pub(super) fn bind_to_queue(&'static self) -> Result<Bound> {
        let current = self.bound_now()?;
        if current == self.current.load(Ordering::Relaxed) {
            return Ok(Bound::of(self, ptr::null_mut()));
        }
        self.bind_other(current)
    }

    #[cold]
    fn bind_other(&'static self, current: CUcontext) -> Result<Bound> {
        if let Some(lost) = self.lost() {
            return Err(lost.clone());
        }
        if self.is_closed() {
            let device = self.name().to_owned();
            return Err(Error::Closed { device });
        }
        self.set(current)
    }

    /// As [`bind`](Calls::bind), for what is done on a closed device, too: waiting for its work, and freeing.
    pub(super) fn bind_to_end(&'static self) -> Result<Bound> {
        self.queue_to_end().map(Bound::relaxed)
    }

    /// As [`bind_to_queue`](Calls::bind_to_queue), on a closed device, too.
    pub(super) fn queue_to_end(&'static self) -> Result<Bound> {
        if let Some(lost) = self.lost() {
            return Err(lost.clone());
        }
        match self.bound_now()? {
            current if current == self.raw => Ok(Bound::of(self, ptr::null_mut())),
            current => self.set(current),
        }
    }

    #[inline]
    fn bound_now(&self) -> Result<CUcontext> {
        let mut current = ptr::null_mut();
        // SAFETY: the driver is initialised, and the pointer is valid for the call.
        self.check("cuCtxGetCurrent", unsafe {
            (self.driver.cuCtxGetCurrent)(&mut current)
        })?;
        Ok(current)
    }

    fn set(&'static self, before: CUcontext) -> Result<Bound> {
        // SAFETY: the context lives as long as its device, which is for ever.
        self.check("cuCtxSetCurrent", unsafe { (self.driver.cuCtxSetCurrent)(self.raw) })?;
        Ok(Bound::of(self, before))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Refuses calls from now on.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.current.store(ended(), Ordering::Relaxed);
    }

    /// Notes a stream, which lives as long as the device, and its launches.
    pub(super) fn add_flight(&self, stream: CUstream, flight: &'static Flight) {
        self.flights.lock().push((stream, flight));
    }

    /// The streams on which work may be queued.
    pub(super) fn streams(&self) -> Vec<CUstream> {
        self.flights.lock().iter().map(|&(stream, _)| stream).collect()
    }

    /// The names of the kernels that may run, those launched last first.
    fn in_flight(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (_, flight) in self.flights.lock().iter() {
            for name in flight.kernels().filter_map(|number| self.reports.name(number)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

/// The context of a device is current as long as this lives.
#[must_use = "the context is current as long as this lives"]
pub(super) struct Bound {
    calls: &'static Calls,
    /// The context that was current before; null if there was none, or the same one.
    before: CUcontext,
    /// The mode in which the thread meets captures of streams, while that is [`RELAXED`].
    mode: Option<u32>,
}

/// `CU_STREAM_CAPTURE_MODE_RELAXED`.
const RELAXED: u32 = 2;

impl Bound {
    #[inline]
    fn of(calls: &'static Calls, before: CUcontext) -> Bound {
        let mode = None;
        Bound { calls, before, mode }
    }

    /// Captures of others refuse no call of the thread, as long as this lives.
    #[inline]
    pub(super) fn relaxed(mut self) -> Bound {
        let mut mode = RELAXED;
        // SAFETY: the pointer is valid for the call, which changes the thread's own mode alone.
        let code = unsafe { (self.calls.driver.cuThreadExchangeStreamCaptureMode)(&mut mode) };
        self.mode = (code == SUCCESS).then_some(mode);
        self
    }
}

impl Drop for Bound {
    #[inline]
    fn drop(&mut self) {
        if let Some(mut mode) = self.mode {
            // SAFETY: as in `relaxed`: this is the mode that the thread had.
            unsafe { (self.calls.driver.cuThreadExchangeStreamCaptureMode)(&mut mode) };
        }
        if !self.before.is_null() {
            // SAFETY: any context may be made current. One that was destroyed meanwhile is refused, which is no fault
            // of this device.
            unsafe { (self.calls.driver.cuCtxSetCurrent)(self.before) };
        }
    }
}

/// The kernels that were launched last on a stream, by their numbers: a launch notes its own, without a lock.
pub(super) struct Flight {
    /// Launches until now.
    launched: AtomicU64,
    /// Launches that are known to be over.
    over: AtomicU64,
    kernels: [AtomicU64; FLIGHTS],
}

/// A power of two.
const FLIGHTS: usize = 32;

impl Default for Flight {
    fn default() -> Flight {
        Flight {
            launched: AtomicU64::new(0),
            over: AtomicU64::new(0),
            kernels: [const { AtomicU64::new(0) }; FLIGHTS],
        }
    }
}

impl Flight {
    /// The number of launches that it keeps.
    pub(super) const ROOM: usize = FLIGHTS;

    /// Notes a launch. Called under the lock of the queue.
    #[inline]
    pub(super) fn add(&self, kernel: u64) {
        let launched = self.launched.load(Ordering::Relaxed);
        self.kernels[launched as usize % FLIGHTS].store(kernel, Ordering::Relaxed);
        self.launched.store(launched + 1, Ordering::Relaxed);
    }

    /// The number of launches until now, for [`end`](Flight::end).
    pub(super) fn launched(&self) -> u64 {
        self.launched.load(Ordering::Relaxed)
    }

    /// Notes that as many launches are over.
    pub(super) fn end(&self, launches: u64) {
        self.over.fetch_max(launches, Ordering::Relaxed);
    }

    /// The kernels of the launches that are not known to be over, the last first.
    fn kernels(&self) -> impl Iterator<Item = u64> {
        let (launched, over) = (self.launched(), self.over.load(Ordering::Relaxed));
        let first = over.max(launched.saturating_sub(FLIGHTS as u64));
        (first..launched)
            .rev()
            .map(|launch| self.kernels[launch as usize % FLIGHTS].load(Ordering::Relaxed))
    }
}

/// True for codes after which a context cannot be used: memory, stack or instructions that are wrong, an uncorrectable
/// error of memory or of a link, a kernel that the system has ended, a context that was destroyed.
fn ends_context(code: u32) -> bool {
    matches!(code, 201 | 214 | 220 | 700 | 702 | 709 | 710 | 714..=719)
}

#[cfg(test)]
mod tests;
