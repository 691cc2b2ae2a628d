//! Streams: in-order queues of work.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::Queue;
use crate::device::{Device, DeviceState};
use crate::error::Result;
use crate::sync::Mutex;

/// A stream of a device: work launched on it runs in order, and concurrently with that of other
/// streams.
///
/// Buffers may be used on several streams without explicit synchronization: on a conflict, the
/// later stream waits for the earlier one, on the device.
///
/// Cheap to clone; all clones are the same stream. When the last is dropped, work on the stream
/// continues, and a fault that it reports later is returned by [`Device::synchronize`].
#[derive(Clone)]
pub struct Stream {
    lease: Arc<Lease>,
}

/// The permanent state of a stream, which its device leases again after the last [`Stream`] of it
/// is dropped.
pub(crate) struct StreamState {
    queue: Box<dyn Queue>,
    /// True while a [`Stream`] has it.
    leased: AtomicBool,
    /// The receiver of what is printed; `None` is standard output.
    printer: Mutex<Option<Printer>>,
}

type Printer = Box<dyn FnMut(&str) + Send>;

struct Lease {
    device: &'static DeviceState,
    state: &'static StreamState,
}

impl Stream {
    /// The state belongs to the device, and was leased by [`StreamState::try_lease`] or is one of
    /// the device's own.
    pub(crate) fn of(device: &'static DeviceState, state: &'static StreamState) -> Stream {
        Stream {
            lease: Arc::new(Lease { device, state }),
        }
    }

    /// Its device.
    pub fn device(&self) -> Device {
        Device::of(self.lease.device)
    }

    /// Waits for the work on this stream.
    ///
    /// # Errors
    /// [`Error::Fault`](crate::Error::Fault) if a kernel on this stream has reported one since the
    /// last wait. The stream stays usable.
    pub fn synchronize(&self) -> Result<()> {
        self.lease.state.queue.wait()?;
        self.lease.state.report()?;
        self.lease.device.take_error()
    }

    /// Passes the output of kernels on this stream to `printer` instead of standard output: at each
    /// wait, everything printed since the last one, in the order of the launches.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use vyre_runtime::Device;
    ///
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let stream = Device::cpu().stream()?;
    /// let lines = Arc::new(Mutex::new(String::new()));
    /// let kept = lines.clone();
    /// stream.print_to(move |text| kept.lock().unwrap().push_str(text));
    /// # Ok(())
    /// # }
    /// ```
    pub fn print_to(&self, printer: impl FnMut(&str) + Send + 'static) {
        *self.lease.state.printer.lock() = Some(Box::new(printer));
    }

    pub(crate) fn state(&self) -> &'static StreamState {
        self.lease.state
    }
}

impl StreamState {
    pub(crate) fn new(queue: Box<dyn Queue>, leased: bool) -> StreamState {
        StreamState {
            queue,
            leased: AtomicBool::new(leased),
            printer: Mutex::new(None),
        }
    }

    /// The end of a wait: hands out what kernels have printed, and returns the fault that one has
    /// reported.
    pub(crate) fn report(&self) -> Result<()> {
        let mut text = String::new();
        // Locked from here on, so that a concurrent wait neither returns before the output is
        // delivered nor delivers later text first.
        let mut printer = self.printer.lock();
        let taken = self.queue.take_printed(&mut text);
        if !text.is_empty() {
            match &mut *printer {
                Some(printer) => printer(&text),
                // A closed standard output is no fault of the kernel.
                None => drop(std::io::stdout().write_all(text.as_bytes())),
            }
        }
        drop(printer);
        taken?;
        self.queue.take_fault()
    }

    #[inline]
    pub(crate) fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    /// Leases the stream if it is free and nothing of its last use is pending.
    pub(crate) fn try_lease(&self) -> bool {
        if self.leased.swap(true, Ordering::Acquire) {
            return false;
        }
        let idle = self.queue.is_idle();
        if !idle {
            self.leased.store(false, Ordering::Release);
        }
        idle
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.device.keeps(self.state) {
            *self.state.printer.lock() = None;
            self.state.leased.store(false, Ordering::Release);
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream {:p} of {}", self.lease.state, self.lease.device.name())
    }
}
