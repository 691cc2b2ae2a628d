//! Shared code of the methods of launchers.

use std::fmt;

use crate::Bundle;
use vyre_runtime::kernel::{Kernel, download_own};
use vyre_runtime::{Device, DeviceBuffer, Element, Error, Result};

/// Writes a launcher as its kernel with the names of the parameters, `saxpy(a, x, y)`: values may be of types that cannot
/// be written.
pub fn formatted<K: Kernel>(_: &K, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let kernel = K::info();
    let mut shown = f.debug_tuple(kernel.name);
    for parameter in kernel.parameters {
        shown.field(&format_args!("{parameter}"));
    }
    shown.finish()
}

/// The `Debug` of a launcher, which rustc reads faster than its tokens from another macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __vyre_debug {
    ($launcher:ident $($lifetime:tt)*) => {
        impl $($lifetime)* ::core::fmt::Debug for $launcher $($lifetime)* {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::__private::formatted(self, f)
            }
        }
    };
}

/// Has sequences record a launcher, whose own domain is that of `launch` without one: the elements of its first view.
#[cfg(feature = "graphs")]
#[macro_export]
#[doc(hidden)]
macro_rules! __vyre_recorded {
    ($launcher:ident $first:ident $($lifetime:tt)*) => {
        impl $($lifetime)* $crate::__private::Sealed for $launcher $($lifetime)* {}
        impl $($lifetime)* $crate::__private::Recordable for $launcher $($lifetime)* {
            fn record(self, sequence: &mut $crate::__private::Sequence) -> $crate::__private::Result<()> {
                let domain = self.$first.len();
                $crate::__private::Recordable::record(self.over(domain), sequence)
            }
        }
    };
}

/// Without the feature `graphs` there are no sequences. The feature is asked here, so that macros need not know it.
#[cfg(not(feature = "graphs"))]
#[macro_export]
#[doc(hidden)]
macro_rules! __vyre_recorded {
    ($($launcher:tt)*) => {};
}

/// The view of a buffer, of the type of a launcher's field.
pub fn view<V>(buffer: impl Into<V>) -> V {
    buffer.into()
}

/// The buffer of a slice, if there is one.
///
/// # Errors
/// Those of `Device::upload`.
pub fn uploaded<T: Element>(device: &Device, slice: Option<&[T]>) -> Result<Option<DeviceBuffer<T>>> {
    slice.map(|slice| device.upload(slice)).transpose()
}

/// Reads such a buffer back, as `download_own` does.
///
/// # Errors
/// Those of the copy.
pub fn downloaded<T: Element>(buffer: Option<DeviceBuffer<T>>, slice: Option<&mut [T]>) -> Result<()> {
    match (buffer, slice) {
        (Some(buffer), Some(slice)) => download_own(&buffer, slice),
        _ => Ok(()),
    }
}

/// A struct of slices of the host, which `dispatch` uploads and downloads: one without atomics.
pub trait Dispatched: Bundle {
    /// A buffer for each slice.
    type Buffers;

    /// Uploads the slices.
    ///
    /// # Errors
    /// Those of `Device::upload`.
    fn upload(&self, device: &Device) -> Result<Self::Buffers>;

    /// The views of the buffers, and the values.
    fn borrow<'b>(&self, buffers: &'b mut Self::Buffers) -> Self::Views<'b>;

    /// Reads back what a kernel may have written.
    ///
    /// # Errors
    /// Those of the copies.
    fn download(self, buffers: Self::Buffers) -> Result<()>;
}

/// A domain or a grid, in as many dimensions as the kernel has.
pub trait Axes<T> {
    /// The extents along x, y and z; 1 along axes that are not given.
    fn axes(self) -> [T; 3];
}

impl Axes<u64> for usize {
    fn axes(self) -> [u64; 3] {
        [self as u64, 1, 1]
    }
}
impl Axes<u64> for [usize; 2] {
    fn axes(self) -> [u64; 3] {
        [self[0] as u64, self[1] as u64, 1]
    }
}
impl Axes<u64> for [usize; 3] {
    fn axes(self) -> [u64; 3] {
        self.map(|extent| extent as u64)
    }
}
impl Axes<u32> for u32 {
    fn axes(self) -> [u32; 3] {
        [self, 1, 1]
    }
}
impl Axes<u32> for [u32; 2] {
    fn axes(self) -> [u32; 3] {
        [self[0], self[1], 1]
    }
}
impl Axes<u32> for [u32; 3] {
    fn axes(self) -> [u32; 3] {
        self
    }
}

/// Checks that the slices of the `#[each]` parameters, given by name and length, have equal
/// lengths.
pub fn equal_lengths(slices: &[(&'static str, usize)]) -> Result<()> {
    for pair in slices.windows(2) {
        let [(first, first_length), (second, second_length)] = [pair[0], pair[1]];
        if first_length != second_length {
            return Err(Error::LengthMismatch {
                first: first.into(),
                first_length,
                second: second.into(),
                second_length,
            });
        }
    }
    Ok(())
}
