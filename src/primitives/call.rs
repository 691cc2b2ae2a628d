//! A primitive with its arguments, ready to be launched.

use std::fmt;

use crate::{Device, Error, Result, Stream};

/// A primitive with its arguments: everything that it needs but the stream.
///
/// It runs on the default stream of the device of its arguments, or on the one given by [`on`](Call::on).
///
/// ```
/// # use vyre::prelude::*;
/// use vyre::primitives;
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.upload(&[1u32, 2, 3])?;
/// let mut total = device.zeros(1)?;
/// primitives::sum(&x, &mut total).launch()?;
/// assert_eq!(total.download()?, [6]);
///
/// let stream = device.stream()?;
/// primitives::product(&x, &mut total).on(&stream).launch()?;
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

/// The stream that a primitive runs on, and its device.
#[doc(hidden)]
#[derive(Debug)]
pub struct Queue<'q> {
    pub(super) device: &'q Device,
    pub(super) stream: &'q Stream,
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
    /// use vyre::primitives;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let stream = device.stream()?;
    /// let mut keys = device.upload(&[3, 1, 2])?;
    /// primitives::sort(&mut keys).on(&stream).launch()?;
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
    /// use vyre::primitives;
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (x, mut least) = (device.upload(&[2.5f32, -1.0])?, device.zeros(2)?);
    /// assert!(primitives::min(&x, &mut least).launch().is_err()); // the result is one value, not two
    /// primitives::min(&x, least.slice_mut(1..)?).launch()?;
    /// assert_eq!(least.download()?, [0.0, -1.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] for views whose lengths do not fit each other, [`Error::WrongDevice`] for arguments or
    /// a stream of another device, [`Error::OutOfMemory`] for temporary memory, and those of
    /// [`Launch::launch`](crate::Launch::launch). Nothing has run then, except after an error of the driver.
    pub fn launch(self) -> Result<()> {
        let stream = self.stream.unwrap_or_else(|| self.device.default_stream());
        belongs(self.name, "the stream", &stream.device(), &self.device)?;
        let queue = Queue {
            device: &self.device,
            stream: &stream,
        };
        (self.run)(&queue)
    }
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call of primitives::{} on {}", self.name, self.device)
    }
}

/// An error if an argument belongs to another device.
pub(super) fn belongs(name: &'static str, parameter: &'static str, belongs: &Device, wanted: &Device) -> Result<()> {
    match belongs == wanted {
        true => Ok(()),
        false => Err(Error::WrongDevice {
            kernel: name.into(),
            parameter: parameter.into(),
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
