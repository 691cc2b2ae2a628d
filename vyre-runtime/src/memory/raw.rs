//! Memory for functions that are made of kernels or of calls of other libraries: temporary buffers, and views of the
//! words and bytes of other types.

use crate::Element;
use crate::device::stream::Stream;
use crate::error::Result;
use crate::memory::buffer::DeviceBuffer;
use crate::memory::view::{RawView, View, ViewMut};

/// A buffer whose memory is allocated in the order of a stream, without zeros: the content is unspecified.
///
/// # Safety
/// Kernels write every element before they or a download read it.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory), or an error of the driver.
pub unsafe fn uninitialized<T: Element>(stream: &Stream, length: usize) -> Result<DeviceBuffer<T>> {
    let (device, stream) = stream.parts();
    DeviceBuffer::allocate(device, stream, length, false)
}

/// A buffer of zeros, allocated in the order of a stream.
///
/// # Errors
/// As [`uninitialized`].
pub fn zeros<T: Element>(stream: &Stream, length: usize) -> Result<DeviceBuffer<T>> {
    let (device, stream) = stream.parts();
    DeviceBuffer::allocate(device, stream, length, true)
}

/// The same elements as values of another type.
///
/// # Safety
/// Both types have the same size and alignment, and every element is a value of `U`.
pub unsafe fn reinterpret<T: Element, U: Element>(view: View<'_, T>) -> View<'_, U> {
    // SAFETY: the caller's promise; the elements are those of the view, for its lifetime.
    unsafe { View::from_raw(*view.raw()) }
}

/// As [`reinterpret`], to be written.
///
/// # Safety
/// As for [`reinterpret`], in both directions.
pub unsafe fn reinterpret_mut<T: Element, U: Element>(view: ViewMut<'_, T>) -> ViewMut<'_, U> {
    // SAFETY: the caller's promise; the view is given away, so nothing else accesses its elements.
    unsafe { ViewMut::from_raw(*view.raw()) }
}

/// The bytes of the elements, which have no padding: with some, the program does not compile.
pub fn bytes<T: Element>(view: View<'_, T>) -> View<'_, u8> {
    // SAFETY: without padding, as `in_bytes` asserts, all bytes are values of `u8`, and those are of the view.
    unsafe { View::from_raw(in_bytes::<T>(*view.raw())) }
}

/// As [`bytes`], to be written.
///
/// # Safety
/// Only bytes of elements are written.
pub unsafe fn bytes_mut<T: Element>(view: ViewMut<'_, T>) -> ViewMut<'_, u8> {
    // SAFETY: as in `bytes`; the view is given away, and values are written by the contract.
    unsafe { ViewMut::from_raw(in_bytes::<T>(*view.raw())) }
}

fn in_bytes<T: Element>(raw: RawView<'_>) -> RawView<'_> {
    const {
        assert!(
            !T::PADDED,
            "bytes of padding have no value: add fields in place of the padding, or take an array per field"
        );
    }
    RawView {
        length: raw.length * size_of::<T>() as u64,
        ..raw
    }
}
