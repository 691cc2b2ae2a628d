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
    fn part(self, range: impl RangeBounds<usize>, size: usize) -> Result<RawView<'v>> {
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
#[repr(transparent)]
pub struct View<'v, T> {
    raw: RawView<'v>,
    marker: PhantomData<&'v [T]>,
}

/// A mutable part of a [`DeviceBuffer`], like `&mut [T]`.
///
/// Kernels take it for `&mut [T]` parameters; `&mut buffer` converts to one of the whole buffer.
#[repr(transparent)]
pub struct ViewMut<'v, T> {
    raw: RawView<'v>,
    marker: PhantomData<&'v mut [T]>,
}

/// A part of a [`DeviceBuffer`] whose elements are atomics, like `&[AtomicU32]`.
///
/// Kernels take it for parameters like `&[AtomicU32]`. It is made from an exclusive borrow, such as
/// `&mut buffer` of a `DeviceBuffer<u32>`, and is `Copy`, because atomics may be shared.
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
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'v, T>> {
        Ok(View::of(self.raw.part(range, size_of::<T>())?))
    }

    /// Copies the elements to the host, after all work on the buffer so far.
    ///
    /// # Errors
    /// As [`DeviceBuffer::download`].
    pub fn download(&self) -> Result<Vec<T>> {
        transfer::download(&self.raw)
    }

    /// Copies the elements into a slice of the same length.
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
    pub fn as_view(&self) -> View<'_, T> {
        View::of(self.raw)
    }

    /// A mutable reborrow of these elements.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut::of(self.raw)
    }

    /// An immutable view of a range.
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.as_view().slice(range)
    }

    /// The elements of a range.
    ///
    /// # Errors
    /// [`Error::RangeOutOfBounds`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        Ok(ViewMut::of(self.raw.part(range, size_of::<T>())?))
    }

    /// Splits the elements at `middle` into two mutable views, which different kernels may write.
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
    /// # Errors
    /// As [`DeviceBuffer::download`].
    pub fn download(&self) -> Result<Vec<T>> {
        transfer::download(&self.raw)
    }

    /// Overwrites the elements with as many from the host, after all work on the buffer so far.
    ///
    /// # Errors
    /// As [`DeviceBuffer::write`].
    pub fn write(&mut self, source: &[T]) -> Result<()> {
        transfer::write(&self.raw, source)
    }

    /// Overwrites the elements with as many from another buffer.
    ///
    /// # Errors
    /// As [`DeviceBuffer::copy_from`].
    pub fn copy_from<'s>(&mut self, source: impl Into<View<'s, T>>) -> Result<()> {
        transfer::copy(&self.raw, source.into().raw(), size_of::<T>())
    }

    /// Overwrites every element with a value.
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
            #[inline]
            pub fn len(&self) -> usize {
                self.raw.length as usize
            }

            /// True if there are no elements.
            #[inline]
            pub fn is_empty(&self) -> bool {
                self.raw.length == 0
            }

            /// The device of the elements.
            pub fn device(&self) -> Device {
                self.raw.allocation.device()
            }

            /// The address of the first element in the device's memory; for other libraries, and
            /// for alignment checks of launchers.
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
