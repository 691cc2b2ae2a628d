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
///
/// ```
/// # use vyre::prelude::*;
/// # #[vyre::kernel]
/// # fn twice(#[each] x: &mut u32) {
/// #     *x *= 2;
/// # }
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let mut x: DeviceBuffer<u32> = device.upload(&[1, 2, 3, 4])?;
/// twice(&mut x).launch(&device)?;
/// assert_eq!((x.len(), x.download()?), (4, vec![2, 4, 6, 8]));
/// # Ok(())
/// # }
/// ```
pub struct DeviceBuffer<T> {
    allocation: Arc<Allocation>,
    length: usize,
    marker: PhantomData<T>,
}

/// Elements whose buffers are copied without a failure: none.
#[diagnostic::on_unimplemented(
    message = "a copy of a `DeviceBuffer` takes memory of the device, which may fail",
    label = "write `try_clone()?`",
    note = "help: kernels that only read take `&buffer`; several owners share an `Arc` of one buffer"
)]
pub trait Infallible: Sized {
    /// The copy.
    fn copy_of(buffer: &DeviceBuffer<Self>) -> DeviceBuffer<Self>;
}

impl<T: Element> DeviceBuffer<T> {
    /// If not `zeroed`, the caller writes all elements before they can be read.
    pub(crate) fn allocate(
        device: &'static DeviceState,
        stream: &'static StreamState,
        length: usize,
        zeroed: bool,
    ) -> Result<DeviceBuffer<T>> {
        let bytes = length
            .checked_mul(size_of::<T>())
            .filter(|&bytes| bytes <= isize::MAX as usize);
        let bytes = bytes.ok_or(Error::out_of_memory(usize::MAX))?;
        let allocation = Allocation::new(device, stream, bytes, zeroed)?;
        Ok(DeviceBuffer {
            allocation,
            length,
            marker: PhantomData,
        })
    }

    /// Copies the elements to the host, after all work on the buffer so far.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1.5, 2.5])?;
    /// assert_eq!(x.download()?, [1.5, 2.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Fault`] if a kernel that had this buffer as `&mut` has reported one, each time until
    /// something else than a kernel has written all of the buffer; or if a kernel has reported one that
    /// nobody was told yet, on a stream that used this buffer; [`Error::InvalidElement`] if an element has
    /// bits that are no value of its type, because threads have written it at the same time; or an error
    /// of the driver.
    pub fn download(&self) -> Result<Vec<T>> {
        self.as_view().download()
    }

    /// Copies the elements into a slice of the same length, after all work on the buffer so far.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3])?;
    /// let mut target = [0; 3]; // used again and again
    /// x.download_into(&mut target)?;
    /// assert_eq!(target, [1, 2, 3]);
    /// # Ok(())
    /// # }
    /// ```
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
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.zeros(3)?;
    /// x.write(&[1, 2, 3])?;
    /// x.slice_mut(..1)?.write(&[7])?;
    /// assert_eq!(x.download()?, [7, 2, 3]);
    /// assert!(x.write(&[1, 2]).is_err()); // the lengths differ
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], or an error of the driver.
    pub fn write(&mut self, source: &[T]) -> Result<()> {
        self.as_view_mut().write(source)
    }

    /// Overwrites the elements with as many from another buffer. On one device this is queued like a
    /// launch; between two it goes through the host and returns when it is complete.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let source = device.upload(&[1, 2, 3, 4])?;
    /// let mut target = device.zeros(2)?;
    /// target.copy_from(source.slice(1..3)?)?;
    /// assert_eq!(target.download()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
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
    /// # fn main() -> vyre::Result<()> {
    /// let device = vyre::Device::best()?;
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
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2])?;
    /// let saved = x.try_clone()?;
    /// x.fill(0)?;
    /// assert_eq!((x.download()?, saved.download()?), (vec![0, 0], vec![1, 2]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn try_clone(&self) -> Result<DeviceBuffer<T>> {
        let device = self.device().state();
        // That of the copy.
        let stream = self.allocation().owner().unwrap_or(device.default_stream());
        let mut clone = DeviceBuffer::allocate(device, stream, self.length, false)?;
        clone.copy_from(self)?;
        Ok(clone)
    }

    /// Leads to [`try_clone`](DeviceBuffer::try_clone). Without it, `clone()` of a `&DeviceBuffer` would be another
    /// reference, and the error one of borrows in a later line.
    #[doc(hidden)]
    #[allow(clippy::should_implement_trait, reason = "no type has what it asks for")]
    pub fn clone(&self) -> DeviceBuffer<T>
    where
        T: Infallible,
    {
        T::copy_of(self)
    }

    /// An immutable view of all elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// /// A function that takes what a kernel takes for `&[u32]`.
    /// fn first(values: View<'_, u32>) -> vyre::Result<u32> {
    ///     Ok(values.slice(..1)?.download()?[0])
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[7, 8])?;
    /// assert_eq!(first(x.as_view())?, 7);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view(&self) -> View<'_, T> {
        // SAFETY: these are the elements, and the borrow prevents writes.
        unsafe { View::from_raw(self.raw()) }
    }

    /// A mutable view of all elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3])?;
    /// let mut view = x.as_view_mut();
    /// twice(&mut view).launch(&device)?;
    /// twice(view).launch(&device)?;
    /// assert_eq!(x.download()?, [4, 8, 12]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        // SAFETY: these are the elements, and the borrow is exclusive.
        unsafe { ViewMut::from_raw(self.raw()) }
    }

    /// All elements as atomics: a `DeviceBuffer<u32>` as an [`AtomicView`] of `AtomicU32`.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn count(bytes: &[u8], counts: &[AtomicU32]) {
    ///     let i = thread::index();
    ///     if i < bytes.len() {
    ///         counts[bytes[i] as usize % 2].fetch_add(1, Ordering::Relaxed);
    ///     }
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let bytes = device.upload(b"odd and even")?;
    /// let mut counts = device.zeros::<u32>(2)?;
    /// count(&bytes, counts.as_atomics()).over(bytes.len()).launch(&device)?;
    /// assert_eq!(counts.download()?, [8, 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_atomics<A: AtomicElement<Value = T>>(&mut self) -> AtomicView<'_, A> {
        self.into()
    }

    /// An immutable view of a range.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3, 4])?;
    /// assert_eq!(x.slice(1..3)?.download()?, [2, 3]);
    /// assert!(x.slice(3..9).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.as_view().slice(range)
    }

    /// A mutable view of a range.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3, 4])?;
    /// twice(x.slice_mut(2..)?).launch(&device)?;
    /// assert_eq!(x.download()?, [1, 2, 6, 8]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        // SAFETY: a part of these elements, and the borrow is exclusive.
        Ok(unsafe { ViewMut::from_raw(*self.slice(range)?.raw()) })
    }

    /// Splits the elements at `middle` into two mutable views, which different kernels may write.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn add(#[each] x: &u32, #[each] y: &mut u32) {
    ///     *y += *x;
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3, 4])?;
    /// let (low, high) = x.split_at_mut(2)?;
    /// add(low, high).launch(&device)?;
    /// assert_eq!(x.download()?, [1, 2, 4, 6]);
    /// # Ok(())
    /// # }
    /// ```
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
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let words = device.upload(&[[1.0f32, 2.0], [3.0, 4.0]])?; // elements may be arrays and device structs
    /// assert_eq!(words.len(), 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn upload<T: Element>(&self, source: &[T]) -> Result<DeviceBuffer<T>> {
        transfer::upload(self.state(), source)
    }

    /// A buffer of `length` zeros.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.zeros::<f64>(3)?;
    /// assert_eq!(x.download()?, [0.0; 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], or an error of the driver.
    pub fn zeros<T: Element>(&self, length: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::allocate(self.state(), self.default_state(), length, true)
    }
}

impl<T> DeviceBuffer<T> {
    /// The number of elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert_eq!(Device::best()?.zeros::<f32>(100)?.len(), 100);
    /// # Ok(())
    /// # }
    /// ```
    pub fn len(&self) -> usize {
        self.length
    }

    /// True if there are no elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// assert!(Device::best()?.zeros::<f32>(0)?.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The device of the elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// /// Works where its argument lies.
    /// fn twice_in_place(x: &mut DeviceBuffer<u32>) -> vyre::Result<()> {
    ///     let device = x.device();
    ///     twice(x).launch(&device)
    /// }
    /// let mut x = Device::best()?.upload(&[1, 2])?;
    /// twice_in_place(&mut x)?;
    /// assert_eq!(x.download()?, [2, 4]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn device(&self) -> Device {
        self.allocation.device()
    }

    /// The elements of an allocation.
    pub(crate) fn over(allocation: Arc<Allocation>, length: usize) -> DeviceBuffer<T> {
        DeviceBuffer {
            allocation,
            length,
            marker: PhantomData,
        }
    }

    /// The allocation, if nothing else holds it and it is the device's own.
    pub(crate) fn into_allocation(self) -> Option<Allocation> {
        Arc::into_inner(self.allocation).filter(Allocation::is_own)
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
