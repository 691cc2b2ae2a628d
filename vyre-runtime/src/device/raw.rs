//! The driver's handles, for other libraries, and streams that those have made.

use std::any::Any;
use std::ffi::c_void;
use std::ptr;

use super::Device;
use super::stream::{Stream, StreamState};
use crate::error::Result;

impl Device {
    /// The driver's handle of the context, a `CUcontext`, for calls of the driver by other means; null on the CPU. It is the
    /// primary context of the GPU, and lives as long as the process.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
    /// assert_eq!(device.raw_context().is_null(), !device.is_cuda());
    /// # Ok(())
    /// # }
    /// ```
    pub fn raw_context(&self) -> *mut c_void {
        self.state().backend().raw_context()
    }

    /// The stream of a handle that another library has made: one and the same for each handle. `keeper` holds the stream.
    ///
    /// # Safety
    /// The stream is of the device's context, and lives as long as the keeper.
    pub(crate) unsafe fn adopt<K: Any + Send + Sync>(&self, raw: *mut c_void, keeper: K) -> Result<Stream> {
        let state = self.state();
        let mut streams = state.streams.lock();
        for &stream in streams.iter().filter(|stream| stream.keeper().is_some()) {
            let mut own = ptr::null_mut();
            stream.queue().with_raw(&mut |raw| {
                own = raw;
                Ok(())
            })?;
            if own == raw {
                return Ok(Stream::of(state, stream));
            }
        }
        // SAFETY: the keeper is held for ever, and with it the stream.
        let queue = unsafe { state.backend.adopt_queue(raw)? };
        let stream: &'static StreamState = Box::leak(Box::new(StreamState::adopted(queue, Box::new(keeper))));
        streams.push(stream);
        Ok(Stream::of(state, stream))
    }
}

impl Stream {
    /// Runs a function on the driver's handle of the stream, a `CUstream`, while the device's context is the current one
    /// of the thread: to queue work of other libraries, or to time it. On the CPU the handle is null.
    ///
    /// Work on buffers of vyre that is queued so is not known to vyre: it is ordered with launches on this stream alone.
    ///
    /// ```
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
    /// let stream = device.stream()?;
    /// let is_null = stream.with_raw(|raw| raw.is_null())?;
    /// assert_eq!(is_null, !device.is_cuda());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Closed`](crate::Error::Closed), [`Error::DeviceLost`](crate::Error::DeviceLost), or an error of the driver.
    pub fn with_raw<R>(&self, work: impl FnOnce(*mut c_void) -> R) -> Result<R> {
        self.parts().0.check_open()?;
        self.state().queue().share();
        self.state().note_wait();
        let (mut work, mut result) = (Some(work), None);
        self.state().queue().with_raw(&mut |raw| {
            result = work.take().map(|work| work(raw));
            Ok(())
        })?;
        Ok(result.expect("a queue runs the function once"))
    }
}
