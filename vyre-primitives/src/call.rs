//! A primitive with its arguments, ready to be launched.

use std::cell::RefCell;
use std::fmt;

use vyre_runtime::kernel::{Kernel, Sealed, uninitialized, zeros};

use vyre::{Device, DeviceBuffer, Element, Error, Launch, Recordable, Result, Sequence, Stream, ViewMut};

/// A primitive with its arguments: everything that it needs but the stream.
///
/// It runs on the default stream of the device of its arguments, or on the one given by [`on`](Call::on). A [`Sequence`]
/// records it as it records a launch, and keeps the temporary memory.
///
/// ```
/// # use vyre::prelude::*;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[1u32, 2, 3])?;
/// let mut total = device.zeros(1)?;
/// vyre_primitives::sum(&x, &mut total).launch()?;
/// assert_eq!(total.download()?, [6]);
///
/// let stream = device.stream()?;
/// vyre_primitives::product(&x, &mut total).on(&stream).launch()?;
/// assert_eq!(total.download()?, [6]);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing runs before `.launch()`"]
pub struct Call<'c> {
    name: &'static str,
    device: Device,
    stream: Option<Stream>,
    run: Run<'c>,
}

type Run<'c> = Box<dyn FnOnce(&Queue<'_>) -> Result<()> + 'c>;

/// The device of a primitive, and where its launches go.
#[doc(hidden)]
#[derive(Debug)]
pub struct Queue<'q> {
    pub(super) device: &'q Device,
    target: Target<'q>,
}

#[derive(Debug)]
enum Target<'q> {
    Stream(&'q Stream),
    /// A sequence that records them.
    Sequence(RefCell<&'q mut Sequence>),
}

impl<'q> Queue<'q> {
    /// Launches on a stream of the device.
    pub(super) fn on(device: &'q Device, stream: &'q Stream) -> Queue<'q> {
        let target = Target::Stream(stream);
        Queue { device, target }
    }

    pub(super) fn launch<K: Kernel>(&self, launch: Launch<K>) -> Result<()> {
        match &self.target {
            Target::Stream(stream) => launch.on(stream).launch(self.device),
            Target::Sequence(sequence) => sequence.borrow_mut().launch(launch),
        }
    }

    pub(super) fn fill<T: Element>(&self, mut target: ViewMut<'_, T>, value: T) -> Result<()> {
        match &self.target {
            Target::Stream(_) => target.fill(value),
            Target::Sequence(sequence) => sequence.borrow_mut().fill(target, value),
        }
    }

    /// Temporary memory of zeros, in each run of a sequence.
    pub(super) fn zeros<T: Element + Default>(&self, length: usize) -> Result<DeviceBuffer<T>> {
        match &self.target {
            Target::Stream(stream) => zeros(stream, length),
            Target::Sequence(_) => {
                // SAFETY: the step before those of the caller writes every element.
                let mut memory = unsafe { self.uninitialized(length)? };
                self.fill(memory.as_view_mut(), T::default())?;
                Ok(memory)
            }
        }
    }

    /// Temporary memory, which a sequence keeps once a step uses it.
    ///
    /// # Safety
    /// Kernels write every element before they read it.
    pub(super) unsafe fn uninitialized<T: Element>(&self, length: usize) -> Result<DeviceBuffer<T>> {
        let default;
        let stream = match &self.target {
            Target::Stream(stream) => *stream,
            Target::Sequence(_) => {
                default = self.device.default_stream();
                &default
            }
        };
        // SAFETY: the contract is the same.
        unsafe { uninitialized(stream, length) }
    }
}

impl<'c> Call<'c> {
    pub(super) fn new(name: &'static str, device: Device, run: impl FnOnce(&Queue<'_>) -> Result<()> + 'c) -> Call<'c> {
        let run = Box::new(run);
        Call {
            name,
            device,
            stream: None,
            run,
        }
    }

    /// Runs on this stream instead of the device's default.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut keys = device.upload(&[3, 1, 2])?;
    /// vyre_primitives::sort(&mut keys).on(&stream).launch()?;
    /// assert_eq!(keys.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on(mut self, stream: &Stream) -> Call<'c> {
        self.stream = Some(stream.clone());
        self
    }

    /// Queues the kernels of the primitive on its device; on the CPU, runs them. Does not wait for a GPU.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (x, mut least) = (device.upload(&[2.5f32, -1.0])?, device.zeros(2)?);
    /// assert!(vyre_primitives::min(&x, &mut least).launch().is_err()); // the result is one value, not two
    /// vyre_primitives::min(&x, least.slice_mut(1..)?).launch()?;
    /// assert_eq!(least.download()?, [0.0, -1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] for views whose lengths do not fit each other, [`Error::WrongDevice`] for arguments or
    /// a stream of another device, [`Error::OutOfMemory`] for temporary memory, and those of
    /// [`Launch::launch`](vyre::Launch::launch). Nothing has run then, except after an error of the driver.
    pub fn launch(self) -> Result<()> {
        let stream = self.stream.unwrap_or_else(|| self.device.default_stream());
        belongs(self.name, "the stream", &stream.device(), &self.device)?;
        let queue = Queue::on(&self.device, &stream);
        (self.run)(&queue)
    }
}

impl Sealed for Call<'_> {}

impl Recordable for Call<'_> {
    fn record(self, sequence: &mut Sequence) -> Result<()> {
        let Call {
            name,
            device,
            stream,
            run,
        } = self;
        belongs(name, "the sequence", &sequence.device(), &device)?;
        if stream.is_some_and(|stream| !sequence.is_on(&stream)) {
            return Err(Error::StreamInSequence { kernel: name.into() });
        }
        sequence.together(|sequence| {
            let target = Target::Sequence(RefCell::new(sequence));
            let queue = Queue {
                device: &device,
                target,
            };
            run(&queue)
        })
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call of vyre_primitives::{} on {}", self.name, self.device)
    }
}

/// An error if an argument belongs to another device.
pub(super) fn belongs(name: &'static str, parameter: &'static str, belongs: &Device, wanted: &Device) -> Result<()> {
    match belongs == wanted {
        true => Ok(()),
        false => Err(Error::WrongDevice {
            user: name.into(),
            what: parameter.into(),
            belongs: belongs.to_string().into(),
            wanted: wanted.to_string().into(),
        }),
    }
}

/// An error if two lengths differ.
pub(super) fn equal(
    first: &'static str,
    first_length: usize,
    second: &'static str,
    second_length: usize,
) -> Result<()> {
    match first_length == second_length {
        true => Ok(()),
        false => Err(Error::LengthMismatch {
            first: first.into(),
            first_length,
            second: second.into(),
            second_length,
        }),
    }
}
