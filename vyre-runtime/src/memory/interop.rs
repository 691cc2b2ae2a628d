//! The safe types of cudarc as neighbours: contexts, streams and slices.
//!
//! cudarc orders the streams that use a slice by events of its own, and only in a context of several streams, unless that is
//! disabled. So each use of a slice by vyre is ordered by events between vyre's stream and the slice's, before and after the
//! use, and the slice's own event is recorded again after that, for cudarc's other streams.

use std::borrow::BorrowMut;
use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::sys::{CUevent_wait_flags, CUstreamCaptureStatus};
use cudarc::driver::{CudaContext, CudaEvent, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError, result};

use crate::device::Device;
use crate::error::{CaptureProblem, Error, Result};
use crate::memory::allocation::Handover;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::foreign::{Lent, LentMut, Memory};
use crate::sync::Mutex;
use crate::{Element, Stream};

/// `CU_STREAM_PER_THREAD`: another stream for each thread.
const PER_THREAD: usize = 2;

/// The error of a call by cudarc.
fn failed(error: DriverError) -> Error {
    let code = error.0 as u32;
    let name = error.error_name().ok().and_then(|name| name.to_str().ok());
    Error::Driver {
        call: "a call of cudarc",
        code,
        name: name.unwrap_or("an unknown error").to_owned(),
    }
}

impl Device {
    /// The device of a context of cudarc. Both use the primary context, so streams and memory can be exchanged.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let context = vyre::cudarc::driver::CudaContext::new(0)?;
    /// let device = vyre::Device::from_cudarc(&context)?;
    /// assert_eq!(device.raw_context(), context.cu_ctx().cast());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a context that is not the primary one of its GPU; else those of [`Device::cuda`].
    pub fn from_cudarc(context: &Arc<CudaContext>) -> Result<Device> {
        let device = Device::cuda(context.ordinal())?;
        match context.is_primary() && device.raw_context() == context.cu_ctx().cast() {
            true => Ok(device),
            false => Err(Error::unsupported("contexts that are not the primary one", &device)),
        }
    }

    /// The context of cudarc for this device. The context of the thread is as before.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = vyre::Device::cuda(0)?;
    /// let stream = device.to_cudarc()?.new_stream()?;
    /// let slice = stream.clone_htod(&[1, 2, 3])?;
    /// assert_eq!(device.lend(&slice)?.as_view().download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the CPU, [`Error::Closed`], or an error of the driver.
    pub fn to_cudarc(&self) -> Result<Arc<CudaContext>> {
        let Some(ordinal) = self.state().ordinal() else {
            return Err(Error::unsupported("a CUDA context", self));
        };
        // cudarc leaves its context current on the thread, which it is now, until the end of this call.
        let made = self.default_stream().with_raw(|_| CudaContext::new(ordinal))?;
        made.map_err(failed)
    }

    fn check(&self, stream: &CudaStream) -> Result<()> {
        self.state().check_open()?;
        let is_own = stream.context().cu_ctx().cast() == self.raw_context() && self.is_cuda();
        if !is_own {
            return Err(Error::unsupported("streams and slices of other contexts", self));
        }
        match stream.cu_stream().addr() == PER_THREAD {
            true => Err(Error::unsupported("streams that are another one on each thread", self)),
            false => Ok(()),
        }
    }

    /// The same for a slice of the stream, whose events cudarc waits for and records when its address is asked for.
    fn check_slice(&self, stream: &CudaStream) -> Result<()> {
        self.check(stream)?;
        match stream.context().is_event_tracking() {
            true => uncaptured(stream),
            false => Ok(()),
        }
    }

    /// Lends a slice of cudarc to launches that read it: `&device.lend(&slice)?` is an argument where `&buffer` is one.
    ///
    /// ```no_run
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn add(#[each] x: &f32, #[each] y: &mut f32) {
    /// #     *y += *x;
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = Device::cuda(0)?;
    /// let stream = device.to_cudarc()?.new_stream()?;
    /// let x = stream.clone_htod(&[1.0f32; 100])?;
    /// let mut y = stream.alloc_zeros::<f32>(100)?;
    /// add(&device.lend(&x)?, &mut device.lend_mut(&mut y)?).over(100).launch(&device)?;
    /// assert_eq!(stream.clone_dtoh(&y)?, [1.0; 100]); // cudarc waits for the launch
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a slice of another context, or of a stream that is another one on each thread; [`Error::Closed`].
    pub fn lend<'s, T: Element>(&self, slice: &'s CudaSlice<T>) -> Result<Lent<'s, T>> {
        self.check_slice(slice.stream())?;
        let stream = slice.stream();
        let used = move || drop(slice.device_ptr(stream));
        let memory = Memory {
            device: self.clone(),
            address: slice.device_ptr(stream).0,
            length: slice.len(),
            owner: Box::new(Neighbour {
                stream: stream.clone(),
                used,
            }),
        };
        // SAFETY: a slice has so many values, and its borrow is shared.
        unsafe { Lent::over(memory, false) }
    }

    /// Lends a slice of cudarc to launches that write it.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = vyre::Device::cuda(0)?;
    /// let stream = device.to_cudarc()?.default_stream();
    /// let mut y = stream.alloc_zeros::<u32>(100)?;
    /// device.lend_mut(&mut y)?.as_view_mut().fill(7)?;
    /// assert_eq!(stream.clone_dtoh(&y)?, [7; 100]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`lend`](Device::lend).
    pub fn lend_mut<'s, T: Element>(&self, slice: &'s mut CudaSlice<T>) -> Result<LentMut<'s, T>> {
        self.check_slice(slice.stream())?;
        // SAFETY: a slice has so many values, and its borrow is exclusive.
        unsafe { LentMut::over(exclusive(self, slice)) }
    }
}

impl Stream {
    /// A stream of cudarc, for launches by `.on(&stream)`. It is kept by the device from then on, once.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = vyre::Device::cuda(0)?;
    /// let stream = vyre::Stream::from_cudarc(device.to_cudarc()?.new_stream()?)?;
    /// assert_eq!(stream.device(), device);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Device::from_cudarc`], and [`Error::Unsupported`] for a stream that is another one on each thread.
    pub fn from_cudarc(stream: Arc<CudaStream>) -> Result<Stream> {
        let device = Device::from_cudarc(stream.context())?;
        device.check(&stream)?;
        // SAFETY: the stream is of the device's context, and is kept with it.
        unsafe { device.adopt(stream.cu_stream().cast(), stream) }
    }
}

impl<T: Element> DeviceBuffer<T> {
    /// Takes a slice of cudarc. What is dropped at last is the slice.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = vyre::Device::cuda(0)?;
    /// let slice = device.to_cudarc()?.default_stream().clone_htod(&[1, 2, 3])?;
    /// let buffer = vyre::DeviceBuffer::from_cudarc(slice)?;
    /// assert_eq!(buffer.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Device::from_cudarc`] and [`Device::lend_mut`].
    pub fn from_cudarc(slice: CudaSlice<T>) -> Result<DeviceBuffer<T>> {
        let device = Device::from_cudarc(slice.context())?;
        device.check_slice(slice.stream())?;
        // SAFETY: a slice has so many values, and nobody else reaches them.
        unsafe { DeviceBuffer::of_foreign(exclusive(&device, slice)) }
    }

    /// Gives the memory to cudarc, as a slice of one of its streams, whose later work comes after the work on the buffer.
    /// Faults of that work are told by waits for its streams.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let device = vyre::Device::cuda(0)?;
    /// let stream = device.to_cudarc()?.new_stream()?;
    /// let slice = device.upload(&[1, 2, 3])?.into_cudarc(&stream)?;
    /// assert_eq!(stream.clone_dtoh(&slice)?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a stream of another context, or a buffer that something else still uses or that came from
    /// another library; [`Error::Closed`], or another error of the driver, after which the buffer is freed.
    pub fn into_cudarc(self, stream: &Arc<CudaStream>) -> Result<CudaSlice<T>> {
        let device = self.device();
        device.check(stream)?;
        let length = self.len();
        if length * size_of::<T>() == 0 {
            return Err(Error::unsupported("slices without bytes", &device));
        }
        let Some(allocation) = self.into_allocation() else {
            return Err(Error::unsupported(
                "giving away a buffer that is in use, or of another library",
                &device,
            ));
        };
        let own = device.default_stream();
        let address = allocation.give_up(own.state(), || own.with_raw(|raw| follow(stream, raw))?)?;
        // SAFETY: the memory is the driver's, from its pools where it has these, which is also how cudarc frees it; it has
        // so many elements, which are values, and the stream follows all work on it.
        Ok(unsafe { stream.upgrade_device_ptr(address, length) })
    }
}

/// Refuses a stream that somebody captures: a stream that waits for it would be captured, too.
fn uncaptured(stream: &CudaStream) -> Result<()> {
    match stream.capture_status().map_err(failed)? {
        CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => Ok(()),
        _ => Err(Error::StreamCaptured {
            device: Device::from_cudarc(stream.context())?.to_string(),
            problem: Box::new(CaptureProblem::Work),
        }),
    }
}

/// Makes a stream of cudarc wait for the work on one of the driver's handles. The work on one stream is in order anyway.
fn follow(stream: &CudaStream, raw: *mut c_void) -> Result<()> {
    if stream.cu_stream().cast() == raw {
        return Ok(());
    }
    uncaptured(stream)?;
    let event = event(stream)?;
    // SAFETY: the stream and the event are of the current context.
    unsafe { result::event::record(event.cu_event(), raw.cast()) }.map_err(failed)?;
    stream.wait(&event).map_err(failed)
}

/// Makes one of the driver's handles wait for the work on a stream of cudarc.
fn lead(stream: &CudaStream, raw: *mut c_void) -> Result<()> {
    if stream.cu_stream().cast() == raw {
        return Ok(());
    }
    let event = event(stream)?;
    event.record(stream).map_err(failed)?;
    let flags = CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
    // SAFETY: the stream and the event are of the current context.
    unsafe { result::stream::wait_event(raw.cast(), event.cu_event(), flags) }.map_err(failed)
}

fn event(stream: &CudaStream) -> Result<CudaEvent> {
    stream.context().new_event(None).map_err(failed)
}

/// The memory of a slice that is owned, or borrowed exclusively.
fn exclusive<'s, T: Element>(device: &Device, mut slice: impl BorrowMut<CudaSlice<T>> + Send + 's) -> Memory<'s> {
    let own = slice.borrow_mut();
    let (stream, length) = (own.stream().clone(), own.len());
    let address = own.device_ptr_mut(&stream).0;
    let (of, slice) = (stream.clone(), Mutex::new(slice));
    let used = move || drop((*slice.lock()).borrow_mut().device_ptr_mut(&of));
    Memory {
        device: device.clone(),
        address,
        length,
        owner: Box::new(Neighbour { stream, used }),
    }
}

/// The owner of a slice, with its stream and a function that has the stream wait for the slice's events and records its
/// event again.
///
/// The stream waits for the events before vyre's stream waits for that one, and vyre's use is over for the stream when the
/// event is recorded again.
struct Neighbour<U> {
    stream: Arc<CudaStream>,
    used: U,
}

impl<U: Fn() + Send + Sync> Handover for Neighbour<U> {
    fn acquire(&self, stream: *mut c_void) -> Result<()> {
        uncaptured(&self.stream)?;
        (self.used)();
        lead(&self.stream, stream)
    }

    fn release(&self, stream: *mut c_void) -> Result<()> {
        follow(&self.stream, stream)?;
        (self.used)();
        Ok(())
    }
}
