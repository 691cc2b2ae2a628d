//! Streams: work in order.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::backend::Queue;
use crate::device::{Device, DeviceState};
use crate::error::Result;

/// A stream of a device: what is launched on it runs in order, and beside what other streams run.
///
/// Buffers may be used on several streams without further ado: where that conflicts, the later stream
/// waits for the earlier one, on the device.
///
/// Cheap to clone; all clones are the same stream. When the last is dropped, work on the stream goes
/// on, and a fault that it still reports comes out of [`Device::synchronize`].
#[derive(Clone)]
pub struct Stream {
    lease: Arc<Lease>,
}

/// A stream as it stays with its device, which hands it out again after the last [`Stream`] of it.
pub(crate) struct StreamState {
    queue: Box<dyn Queue>,
    /// Whether a [`Stream`] has it.
    leased: AtomicBool,
}

struct Lease {
    device: &'static DeviceState,
    state: &'static StreamState,
}

impl Stream {
    /// The state is of the device, and was taken with [`StreamState::try_lease`] or is one that the
    /// device keeps.
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
        self.lease.state.queue.take_fault()?;
        self.lease.device.take_error()
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
        }
    }

    #[inline]
    pub(crate) fn queue(&self) -> &dyn Queue {
        &*self.queue
    }

    /// Takes the stream if nobody has it and nothing of its last use is left.
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
            self.state.leased.store(false, Ordering::Release);
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream {:p} of {}", self.lease.state, self.lease.device.name())
    }
}
