//! Views: slices of device memory passed to kernels.

use std::fmt;
use std::marker::PhantomData;
use std::mem::size_of;
use std::ops::{Bound, Range, RangeBounds};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::allocation::Allocation;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::transfer;
use crate::{AtomicElement, Element};

/// The fields of every view: the two that a kernel's parameters take, and the allocation.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawView<'v> {
    /// The address of the first element, in the device's memory.
    pub(crate) address: u64,
    /// The number of elements.
    pub(crate) length: u64,
    pub(crate) allocation: &'v Allocation,
}

impl<'v> RawView<'v> {
    /// The subview of a range, for elements of `size` bytes.
    pub(super) fn part(self, range: impl RangeBounds<usize>, size: usize) -> Result<RawView<'v>> {
        let Range { start, end } = bounds(range, self.length as usize)?;
        // Within the allocation, so there is no overflow.
        Ok(RawView {
            address: self.address + (start * size) as u64,
            length: (end - start) as u64,
            ..self
        })
    }
}

/// Start and end of a range, which must lie within a length.
pub(crate) fn bounds(range: impl RangeBounds<usize>, length: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => start,
        Bound::Excluded(&start) => start.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.saturating_add(1),
        Bound::Excluded(&end) => end,
        Bound::Unbounded => length,
    };
    match start <= end && end <= length {
        true => Ok(start..end),
        false => Err(Error::RangeOutOfBounds { start, end, length }),
    }
}

/// An immutable part of a [`DeviceBuffer`], like `&[T]`.
///
/// Kernels take it for `&[T]` parameters; `&buffer` converts to one of the whole buffer.
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
/// let x = device.upload(&[1, 2, 3, 4])?;
/// let mut y = device.zeros(2)?;
/// add(x.slice(..2)?, &mut y).launch(&device)?;
/// add(x.slice(2..)?, &mut y).launch(&device)?;
/// assert_eq!(y.download()?, [4, 6]);
/// # Ok(())
/// # }
/// ```
#[repr(transparent)]
pub struct View<'v, T> {
    raw: RawView<'v>,
    marker: PhantomData<&'v [T]>,
}

/// A mutable part of a [`DeviceBuffer`], like `&mut [T]`.
///
/// Kernels take it for `&mut [T]` parameters; `&mut buffer` converts to one of the whole buffer.
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
/// let (mut low, high) = x.split_at_mut(2)?;
/// twice(&mut low).launch(&device)?; // lends the view
/// twice(low).launch(&device)?; // gives it away
/// twice(high).launch(&device)?;
/// assert_eq!(x.download()?, [4, 8, 6, 8]);
/// # Ok(())
/// # }
/// ```
#[repr(transparent)]
pub struct ViewMut<'v, T> {
    raw: RawView<'v>,
    marker: PhantomData<&'v mut [T]>,
}

/// A part of a [`DeviceBuffer`] whose elements are atomics, like `&[AtomicU32]`.
///
/// Kernels take it for parameters like `&[AtomicU32]`. It is made from an exclusive borrow, such as
/// `&mut buffer` of a `DeviceBuffer<u32>`, and is `Copy`, because atomics may be shared.
///
/// ```
/// # use vyre::prelude::*;
/// #[vyre::kernel]
/// fn largest(#[each] x: &u32, most: &[AtomicU32]) {
///     most[0].fetch_max(*x, Ordering::Relaxed);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let device = Device::best()?;
/// let (x, mut most) = (device.upload(&[5, 9, 2])?, device.zeros::<u32>(1)?);
/// let shared: AtomicView<'_, AtomicU32> = most.as_atomics();
/// largest(&x, shared).over(3).launch(&device)?;
/// largest(&x, shared).over(3).launch(&device)?; // it is `Copy`
/// assert_eq!(most.download()?, [9]);
/// # Ok(())
/// # }
/// ```
#[repr(transparent)]
pub struct AtomicView<'v, A> {
    raw: RawView<'v>,
    marker: PhantomData<&'v [A]>,
}

impl<'v, T: Element> View<'v, T> {
    /// # Safety
    /// The elements lie within the allocation, are of this type, and are not written during `'v`.
    pub(crate) unsafe fn from_raw(raw: RawView<'v>) -> Self {
        View::of(raw)
    }

    /// The elements of a range.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3, 4])?;
    /// let tail = x.as_view().slice(1..)?;
    /// assert_eq!(tail.slice(..2)?.download()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'v, T>> {
        Ok(View::of(self.raw.part(range, size_of::<T>())?))
    }

    /// Copies the elements to the host, after all work on the buffer so far.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3])?;
    /// assert_eq!(x.slice(1..)?.download()?, [2, 3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::download`].
    pub fn download(&self) -> Result<Vec<T>> {
        transfer::download(&self.raw)
    }

    /// Copies the elements into a slice of the same length.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let x = Device::best()?.upload(&[1, 2, 3])?;
    /// let mut last = [0];
    /// x.slice(2..)?.download_into(&mut last)?;
    /// assert_eq!(last, [3]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::download_into`].
    pub fn download_into(&self, target: &mut [T]) -> Result<()> {
        transfer::download_into(&self.raw, target)
    }
}

impl<'v, T: Element> ViewMut<'v, T> {
    /// # Safety
    /// The elements lie within the allocation, are of this type, and are not accessed otherwise
    /// during `'v`.
    pub(crate) unsafe fn from_raw(raw: RawView<'v>) -> Self {
        ViewMut::of(raw)
    }

    /// An immutable borrow of these elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let mut x = device.upload(&[1, 2, 3, 4])?;
    /// let (low, mut high) = x.split_at_mut(2)?;
    /// high.copy_from(low.as_view())?;
    /// assert_eq!(x.download()?, [1, 2, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn as_view(&self) -> View<'_, T> {
        View::of(self.raw)
    }

    /// A mutable reborrow of these elements.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # #[vyre::kernel]
    /// # fn twice(#[each] x: &mut u32) {
    /// #     *x *= 2;
    /// # }
    /// # fn main() -> vyre::Result<()> {
    /// fn twice_twice(mut x: ViewMut<'_, u32>) -> vyre::Result<()> {
    ///     let device = x.device();
    ///     twice(x.reborrow()).launch(&device)?;
    ///     twice(x).launch(&device)
    /// }
    /// let mut x = Device::best()?.upload(&[1, 2])?;
    /// twice_twice(x.as_view_mut())?;
    /// assert_eq!(x.download()?, [4, 8]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut::of(self.raw)
    }

    /// An immutable view of a range.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3])?;
    /// let view = x.as_view_mut();
    /// assert_eq!(view.slice(..2)?.download()?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.as_view().slice(range)
    }

    /// The elements of a range.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3])?;
    /// let mut view = x.as_view_mut();
    /// view.slice_mut(1..)?.fill(9)?;
    /// assert_eq!(x.download()?, [1, 9, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        Ok(ViewMut::of(self.raw.part(range, size_of::<T>())?))
    }

    /// Splits the elements at `middle` into two mutable views, which different kernels may write.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3, 4])?;
    /// let (_, rest) = x.as_view_mut().split_at_mut(1)?;
    /// let (mut middle, _) = rest.split_at_mut(2)?;
    /// middle.fill(0)?;
    /// assert_eq!(x.download()?, [1, 0, 0, 4]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`] if `middle` is past the length.
    pub fn split_at_mut(self, middle: usize) -> Result<(ViewMut<'v, T>, ViewMut<'v, T>)> {
        let first = self.raw.part(..middle, size_of::<T>())?;
        let second = self.raw.part(middle.., size_of::<T>())?;
        Ok((ViewMut::of(first), ViewMut::of(second)))
    }

    /// Copies the elements to the host, after all work on the buffer so far.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1, 2, 3])?;
    /// let mut tail = x.slice_mut(1..)?;
    /// tail.fill(5)?;
    /// assert_eq!(tail.download()?, [5, 5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::download`].
    pub fn download(&self) -> Result<Vec<T>> {
        transfer::download(&self.raw)
    }

    /// Overwrites the elements with as many from the host, after all work on the buffer so far.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.zeros(3)?;
    /// x.slice_mut(1..)?.write(&[8, 9])?;
    /// assert_eq!(x.download()?, [0, 8, 9]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::write`].
    pub fn write(&mut self, source: &[T]) -> Result<()> {
        transfer::write(&self.raw, source)
    }

    /// Overwrites the elements with as many from another buffer.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (source, mut target) = (device.upload(&[1, 2])?, device.zeros(4)?);
    /// target.slice_mut(1..3)?.copy_from(&source)?;
    /// assert_eq!(target.download()?, [0, 1, 2, 0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from`].
    pub fn copy_from<'s>(&mut self, source: impl Into<View<'s, T>>) -> Result<()> {
        transfer::copy(&self.raw, source.into().raw(), size_of::<T>())
    }

    /// Overwrites every element with a value.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// # fn main() -> vyre::Result<()> {
    /// let mut x = Device::best()?.upload(&[1.0, 2.0, 3.0])?;
    /// x.slice_mut(..2)?.fill(f32::INFINITY)?;
    /// assert_eq!(x.download()?, [f32::INFINITY, f32::INFINITY, 3.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`DeviceBuffer::fill`].
    pub fn fill(&mut self, value: T) -> Result<()> {
        transfer::fill(&self.raw, value)
    }
}

impl<A: AtomicElement> AtomicView<'_, A> {
    /// The elements of a range.
    ///
    /// ```
    /// # use vyre::prelude::*;
    /// #[vyre::kernel]
    /// fn count(#[each] x: &u32, bins: &[AtomicU32]) {
    ///     bins[*x as usize].fetch_add(1, Ordering::Relaxed);
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let device = Device::best()?;
    /// let (x, mut bins) = (device.upload(&[0, 1, 1])?, device.zeros::<u32>(4)?);
    /// let all = bins.as_atomics::<AtomicU32>();
    /// count(&x, all.slice(2..)?).over(3).launch(&device)?;
    /// assert_eq!(bins.download()?, [0, 0, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<Self> {
        Ok(AtomicView::of(self.raw.part(range, size_of::<A::Value>())?))
    }
}

macro_rules! common {
    ($view:ident, $element:ident) => {
        impl<'v, $element> $view<'v, $element> {
            /// A view of elements of this type, valid during the borrow `'v`.
            #[inline]
            fn of(raw: RawView<'v>) -> Self {
                $view {
                    raw,
                    marker: PhantomData,
                }
            }

            #[inline]
            pub(crate) fn raw(&self) -> &RawView<'v> {
                &self.raw
            }

            /// The number of elements.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let mut x = Device::best()?.zeros::<u32>(10)?;
            /// assert_eq!(x.slice(2..5)?.len(), 3);
            /// assert_eq!(x.slice_mut(2..)?.len(), 8);
            /// assert_eq!(x.as_atomics::<AtomicU32>().len(), 10);
            /// # Ok(())
            /// # }
            /// ```
            #[inline]
            pub fn len(&self) -> usize {
                self.raw.length as usize
            }

            /// True if there are no elements.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let mut x = Device::best()?.zeros::<u32>(10)?;
            /// assert!(x.slice(3..3)?.is_empty());
            /// assert!(x.slice_mut(10..)?.is_empty());
            /// assert!(!x.as_atomics::<AtomicU32>().is_empty());
            /// # Ok(())
            /// # }
            /// ```
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.raw.length == 0
            }

            /// The device of the elements.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let device = Device::best()?;
            /// let mut x = device.zeros::<u32>(10)?;
            /// assert_eq!(x.slice(2..)?.device(), device);
            /// assert_eq!(x.as_view_mut().device(), device);
            /// assert_eq!(x.as_atomics::<AtomicU32>().device(), device);
            /// # Ok(())
            /// # }
            /// ```
            pub fn device(&self) -> Device {
                self.raw.allocation.device()
            }

            /// The address of the first element in the device's memory; for other libraries, and
            /// for alignment checks of launchers.
            ///
            /// ```
            /// # use vyre::prelude::*;
            /// # fn main() -> vyre::Result<()> {
            /// let mut x = Device::best()?.zeros::<u32>(10)?;
            /// let start = x.as_view().address();
            /// assert_eq!(x.slice(3..)?.address(), start + 3 * 4);
            /// assert_eq!(x.as_view_mut().address(), start);
            /// assert_eq!(x.as_atomics::<AtomicU32>().address(), start);
            /// # Ok(())
            /// # }
            /// ```
            #[inline]
            pub fn address(&self) -> u64 {
                self.raw.address
            }
        }

        impl<$element> fmt::Debug for $view<'_, $element> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let element = std::any::type_name::<$element>();
                write!(
                    f,
                    "{}<{element}>[{}] on {}",
                    stringify!($view),
                    self.len(),
                    self.device()
                )
            }
        }
    };
}

common!(View, T);
common!(ViewMut, T);
common!(AtomicView, A);

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<A> Clone for AtomicView<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for AtomicView<'_, A> {}

impl<'v, T: Element> From<&'v DeviceBuffer<T>> for View<'v, T> {
    fn from(buffer: &'v DeviceBuffer<T>) -> Self {
        buffer.as_view()
    }
}

impl<'v, T: Element> From<&'v mut DeviceBuffer<T>> for View<'v, T> {
    fn from(buffer: &'v mut DeviceBuffer<T>) -> Self {
        buffer.as_view()
    }
}

impl<'v, T: Element> From<ViewMut<'v, T>> for View<'v, T> {
    fn from(view: ViewMut<'v, T>) -> Self {
        View::of(view.raw)
    }
}

impl<'v, T: Element> From<&'v ViewMut<'_, T>> for View<'v, T> {
    fn from(view: &'v ViewMut<'_, T>) -> Self {
        view.as_view()
    }
}

impl<'v, T: Element> From<&'v mut DeviceBuffer<T>> for ViewMut<'v, T> {
    fn from(buffer: &'v mut DeviceBuffer<T>) -> Self {
        buffer.as_view_mut()
    }
}

impl<'v, T: Element> From<&'v mut ViewMut<'_, T>> for ViewMut<'v, T> {
    fn from(view: &'v mut ViewMut<'_, T>) -> Self {
        view.reborrow()
    }
}

impl<'v, A: AtomicElement> From<&'v mut DeviceBuffer<A::Value>> for AtomicView<'v, A> {
    fn from(buffer: &'v mut DeviceBuffer<A::Value>) -> Self {
        buffer.as_view_mut().into()
    }
}

impl<'v, A: AtomicElement> From<ViewMut<'v, A::Value>> for AtomicView<'v, A> {
    fn from(view: ViewMut<'v, A::Value>) -> Self {
        AtomicView::of(view.raw)
    }
}

impl<'v, A: AtomicElement> From<&'v mut ViewMut<'_, A::Value>> for AtomicView<'v, A> {
    fn from(view: &'v mut ViewMut<'_, A::Value>) -> Self {
        view.reborrow().into()
    }
}
