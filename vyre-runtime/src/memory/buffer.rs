//! Buffers: device memory with elements of one type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::sync::Arc;

use crate::device::stream::StreamState;
use crate::device::{Device, DeviceState};
use crate::error::{Error, Result};
use crate::memory::allocation::Allocation;
use crate::memory::transfer;
use crate::memory::view::{RawView, View, ViewMut};
use crate::{AtomicElement, AtomicView, Element};

/// Elements in the memory of a device, like a `Vec<T>` of fixed length.
///
/// Kernels take `&buffer`, `&mut buffer`, or a part of one. Work on a buffer is ordered across
/// streams, and a buffer may be dropped while work on it is pending.
pub struct DeviceBuffer<T> {
    allocation: Arc<Allocation>,
    length: usize,
    marker: PhantomData<T>,
}

impl<T: Element> DeviceBuffer<T> {
    /// If not `zeroed`, the caller writes all elements before they can be read.
    pub(crate) fn allocate(
        device: &'static DeviceState,
        stream: &'static StreamState,
        length: usize,
        zeroed: bool,
    ) -> Result<DeviceBuffer<T>> {
        let () = T::DENSE;
        let bytes = length
            .checked_mul(size_of::<T>())
            .filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or(Error::OutOfMemory {
            requested: u64::MAX,
            free: None,
        })?;
        let allocation = Arc::new(Allocation::new(device, stream, bytes, zeroed)?);
        Ok(DeviceBuffer {
            allocation,
            length,
            marker: PhantomData,
        })
    }

    /// Copies the elements to the host, after all work on the buffer so far.
    ///
    /// # Errors
    /// [`Error::Fault`] if a kernel that had this buffer as `&mut` has reported one, each time until
    /// something else than a kernel has written all of the buffer; or if a kernel has reported one that
    /// nobody was told yet, on a stream that used this buffer; or an error of the driver.
    pub fn download(&self) -> Result<Vec<T>> {
        self.as_view().download()
    }

    /// Copies the elements into a slice of the same length, after all work on the buffer so far.
    ///
    /// # Errors
    /// As [`download`](Self::download), and [`Error::LengthMismatch`]. After another error the
    /// contents of `target` are unspecified.
    pub fn download_into(&self, target: &mut [T]) -> Result<()> {
        self.as_view().download_into(target)
    }

    /// Overwrites the elements with as many from the host, after all work on the buffer so far.
    /// Returns when the copy is complete.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], or an error of the driver.
    pub fn write(&mut self, source: &[T]) -> Result<()> {
        self.as_view_mut().write(source)
    }

    /// Overwrites the elements with as many from another buffer. On one device this is queued like a
    /// launch; between two it goes through the host and returns when it is complete.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::Fault`] if a download of the source is known to be one, or
    /// an error of the driver.
    pub fn copy_from<'s>(&mut self, source: impl Into<View<'s, T>>) -> Result<()> {
        self.as_view_mut().copy_from(source)
    }

    /// Overwrites every element with a value. This is queued like a launch, and takes no kernel.
    ///
    /// ```
    /// # fn main() -> vyre_runtime::Result<()> {
    /// let device = vyre_runtime::Device::best()?;
    /// let mut distances = device.zeros::<f32>(4)?;
    /// distances.fill(f32::INFINITY)?;
    /// distances.slice_mut(..1)?.fill(0.0)?;
    /// assert_eq!(distances.download()?, [0.0, f32::INFINITY, f32::INFINITY, f32::INFINITY]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.as_view_mut().fill(value)
    }

    /// A second buffer on the same device with the same elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn try_clone(&self) -> Result<DeviceBuffer<T>> {
        let device = self.device().state();
        let mut clone = DeviceBuffer::allocate(device, device.default_stream(), self.length, false)?;
        clone.copy_from(self)?;
        Ok(clone)
    }

    /// An immutable view of all elements.
    pub fn as_view(&self) -> View<'_, T> {
        // SAFETY: these are the elements, and the borrow prevents writes.
        unsafe { View::from_raw(self.raw()) }
    }

    /// A mutable view of all elements.
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: these are the elements, and the borrow is exclusive.
        unsafe { ViewMut::from_raw(self.raw()) }
    }

    /// All elements as atomics: a `DeviceBuffer<u32>` as an [`AtomicView`] of `AtomicU32`.
    pub fn as_atomics<A: AtomicElement<Value = T>>(&mut self) -> AtomicView<'_, A> {
        self.into()
    }

    /// An immutable view of a range.
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.as_view().slice(range)
    }

    /// A mutable view of a range.
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        // SAFETY: a part of these elements, and the borrow is exclusive.
        Ok(unsafe { ViewMut::from_raw(*self.slice(range)?.raw()) })
    }

    /// Splits the elements at `middle` into two mutable views, which different kernels may write.
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`] if `middle` is past the length.
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>)> {
        self.as_view_mut().split_at_mut(middle)
    }

    fn raw(&self) -> RawView<'_> {
        RawView {
            address: self.allocation.address(),
            length: self.length as u64,
            allocation: &self.allocation,
        }
    }
}

/// Copies the elements of a buffer that only the caller's launches have written. Tells faults of these,
/// and none of another launch.
pub fn download_own<T: Element>(buffer: &DeviceBuffer<T>, target: &mut [T]) -> Result<()> {
    transfer::download_own(&buffer.raw(), target)
}

impl Device {
    /// A buffer with a copy of `source`. Returns when the copy is complete; does not wait for kernels.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn upload<T: Element>(&self, source: &[T]) -> Result<DeviceBuffer<T>> {
        transfer::upload(self.state(), source)
    }

    /// A buffer of `length` zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn zeros<T: Element>(&self, length: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::allocate(self.state(), self.state().default_stream(), length, true)
    }
}

impl<T> DeviceBuffer<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The device of the elements.
    pub fn device(&self) -> Device {
        self.allocation.device()
    }

    pub(crate) fn allocation(&self) -> &Allocation {
        &self.allocation
    }
}

impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "DeviceBuffer<{}>[{}] on {}",
            std::any::type_name::<T>(),
            self.length,
            self.device()
        )
    }
}

const _: () = {
    const fn sent_and_shared<T: Send + Sync>() {}
    sent_and_shared::<DeviceBuffer<f32>>();
    sent_and_shared::<View<'static, f32>>();
    sent_and_shared::<ViewMut<'static, f32>>();
    sent_and_shared::<Device>();
    sent_and_shared::<crate::Stream>();
};
