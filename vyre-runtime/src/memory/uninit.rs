//! Buffers that hold no values yet.

use std::fmt;

use crate::Element;
use crate::device::Device;
use crate::error::Result;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::pinned::{Pinned, Transfer};
use crate::memory::view::{View, ViewMut};

/// Memory of a device that holds no values yet, made by [`Device::uninit`]. Writing all of it makes a [`DeviceBuffer`];
/// what is dropped in between is freed.
///
/// [`Device::zeros`] and [`Device::upload`] need none of this. It saves the pass of zeros before one that overwrites all.
///
/// ```
/// # use vyre::prelude::*;
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let x = device.uninit::<f32>(3)?.fill(2.5)?;
/// let y = device.uninit(3)?.copy_from(&x)?;
/// assert_eq!(y.download()?, [2.5; 3]);
/// # Ok(())
/// # }
/// ```
pub struct Uninit<T> {
    buffer: DeviceBuffer<T>,
}

impl Device {
    /// Memory for elements that are all written before any is read.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.uninit(3)?.write(&[1, 2, 3])?;
    /// assert_eq!(x.download()?, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or an error of the driver.
    pub fn uninit<T: Element>(&self, length: usize) -> Result<Uninit<T>> {
        let buffer = DeviceBuffer::allocate(self.state(), self.default_state(), length, false)?;
        Ok(Uninit { buffer })
    }
}

impl<T: Element> Uninit<T> {
    /// Copies as many elements from the host.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.uninit(2)?.write(&[true, false])?;
    /// assert_eq!(x.download()?, [true, false]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::write`].
    pub fn write(mut self, source: &[T]) -> Result<DeviceBuffer<T>> {
        self.buffer.write(source)?;
        Ok(self.buffer)
    }

    /// Copies as many elements from the host, and returns before that is done.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (x, written) = device.uninit::<u32>(2)?.write_from(device.pinned(2)?)?;
    /// assert_eq!(x.download()?, [0, 0]);
    /// assert_eq!(written.wait()?.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::write_from`].
    pub fn write_from(mut self, source: Pinned<T>) -> Result<(DeviceBuffer<T>, Transfer<T>)> {
        let written = self.buffer.write_from(source)?;
        Ok((self.buffer, written))
    }

    /// Copies as many elements from a buffer or view.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let x = device.upload(&[1, 2, 3])?;
    /// let tail = device.uninit(2)?.copy_from(x.slice(1..)?)?;
    /// assert_eq!(tail.download()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from`].
    pub fn copy_from<'s>(mut self, source: impl Into<View<'s, T>>) -> Result<DeviceBuffer<T>> {
        self.buffer.copy_from(source)?;
        Ok(self.buffer)
    }

    /// Sets all elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert_eq!(Device::best()?.uninit(2)?.fill(7u8)?.download()?, [7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn fill(mut self, value: T) -> Result<DeviceBuffer<T>> {
        self.buffer.fill(value)?;
        Ok(self.buffer)
    }

    /// The elements for a kernel that writes all of them.
    ///
    /// ```
    /// use vyre::prelude::*;
    ///
    /// #[vyre::kernel]
    /// fn iota(#[each] y: &mut u32) {
    ///     *y = thread::index() as u32;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut y = device.uninit(100)?;
    /// // SAFETY: the kernel writes each element and reads none.
    /// let y = unsafe {
    ///     iota(y.as_view_mut()).over(100).launch(&device)?;
    ///     y.assume_init()
    /// };
    /// assert_eq!(y.download()?[99], 99);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// No element is read before it is written.
    pub unsafe fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        self.buffer.as_view_mut()
    }

    /// The buffer, once launches on this device that come before all later uses write all elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.uninit::<u8>(2)?;
    /// // SAFETY: both elements are written.
    /// let x = unsafe {
    ///     x.as_view_mut().write(&[1, 2])?;
    ///     x.assume_init()
    /// };
    /// assert_eq!(x.download()?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Safety
    /// All elements were written, and no launch that wrote them ended in a fault.
    pub unsafe fn assume_init(self) -> DeviceBuffer<T> {
        self.buffer
    }
}

impl<T> fmt::Debug for Uninit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Uninit {:?}", self.buffer)
    }
}
