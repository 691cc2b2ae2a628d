//! The element types of buffers.

use std::any::type_name;
use std::borrow::Cow;
use std::marker::PhantomData;

use crate::error::{Error, Result};

/// A type whose values a buffer can hold and a kernel can take.
///
/// # Safety
/// The type is plain data whose layout on the device is that of the host, and for which zero bytes are a value. If some
/// bytes of a value may be uninitialised, because they belong to no field, or to none of the variant, `PADDED` is true, and
/// `put` writes all others. If some bit patterns are no values, `CHECKED` is true, and `is_value` tells them: threads that
/// write one element at the same time may leave parts of several values.
#[diagnostic::on_unimplemented(
    message = "buffers and kernels cannot hold a value of type `{Self}`",
    note = "they hold numbers, `bool`, arrays, and structs and enums marked `#[vyre::device]`, of which one variant is 0; \
            atomics are the plain numbers of a buffer, which a kernel takes as `&[AtomicU32]`; a slice of plain values of \
            another crate is viewed as one of these by `vyre::cast(&x)`, with the feature `bytemuck`"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// True if some bytes of a value may be uninitialised.
    #[doc(hidden)]
    const PADDED: bool = false;

    /// True only if every bit pattern is a value, as for numbers, and no byte is uninitialised. Not so for `bool` and
    /// enums.
    #[doc(hidden)]
    const ANY_BITS: bool = false;

    /// True if some bit patterns are no values. What the host reads from a device is checked then.
    #[doc(hidden)]
    const CHECKED: bool = false;

    /// True if these bytes, as many as the type has, are a value. It looks at no byte that may be uninitialised.
    #[doc(hidden)]
    fn is_value(bytes: &[u8]) -> bool {
        let _ = bytes;
        true
    }

    /// Writes the initialised bytes of a value to their places in `bytes`, which has the size of the type and holds zeros.
    #[doc(hidden)]
    fn put(&self, bytes: &mut [u8]) {
        // SAFETY: only types that are not `PADDED` do without an implementation of their own, so all bytes are initialised.
        bytes.copy_from_slice(unsafe { raw(std::slice::from_ref(self)) });
    }
}

// Sizes, alignments, `usize` and byte order are the same on host and device.
const _: () = assert!(
    size_of::<usize>() == 8 && align_of::<u128>() == 16 && cfg!(target_endian = "little"),
    "vyre needs a 64-bit, little-endian host"
);

macro_rules! elements {
    ($($type:ty)*) => {
        // SAFETY: numbers have no padding, and any bits are a value of each.
        $(unsafe impl Element for $type {
            const ANY_BITS: bool = true;
        })*
    };
}

elements!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 u128 i128);

// SAFETY: it has no padding, and its values are 0 and 1.
unsafe impl Element for bool {
    const CHECKED: bool = true;

    fn is_value(bytes: &[u8]) -> bool {
        bytes[0] < 2
    }
}

// SAFETY: they are 16 bits, all patterns of which are valid, including zero.
#[cfg(feature = "half")]
unsafe impl Element for half::f16 {
    const ANY_BITS: bool = true;
}
// SAFETY: as for `f16`.
#[cfg(feature = "half")]
unsafe impl Element for half::bf16 {
    const ANY_BITS: bool = true;
}

// SAFETY: an array has no uninitialised bytes beside those of its elements, and zero bytes make values of these.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const PADDED: bool = N != 0 && T::PADDED;
    const ANY_BITS: bool = T::ANY_BITS;
    const CHECKED: bool = N != 0 && T::CHECKED;

    fn is_value(bytes: &[u8]) -> bool {
        first_invalid::<T>(bytes).is_none()
    }

    fn put(&self, bytes: &mut [u8]) {
        for element in self {
            put(self, element, bytes);
        }
    }
}

// SAFETY: it has no bytes.
unsafe impl<T: Send + Sync + 'static> Element for PhantomData<T> {
    const ANY_BITS: bool = true;
}

/// Writes a part of a value to its place in the bytes of the whole.
pub fn put<T, P: Element>(whole: &T, part: &P, bytes: &mut [u8]) {
    let start = (&raw const *part).addr() - (&raw const *whole).addr();
    part.put(&mut bytes[start..start + size_of::<P>()]);
}

/// Checks that bytes from the memory of a device are elements.
pub(crate) fn check<T: Element>(bytes: &[u8]) -> Result<()> {
    match first_invalid::<T>(bytes) {
        None => Ok(()),
        Some(index) => Err(invalid::<T>(index)),
    }
}

/// Checks elements whose bytes were copied from the memory of a device. Those that are no values become zeros.
///
/// # Safety
/// There are as many elements, whose bytes are initialised and nobody else's.
pub(crate) unsafe fn check_in_place<T: Element>(elements: *mut T, count: usize) -> Result<()> {
    if !T::CHECKED {
        return Ok(());
    }
    // SAFETY: the bytes of the elements, by the contract.
    let bytes = unsafe { std::slice::from_raw_parts_mut(elements.cast::<u8>(), count * size_of::<T>()) };
    let Some(first) = first_invalid::<T>(bytes) else {
        return Ok(());
    };
    for bytes in bytes.chunks_exact_mut(size_of::<T>()).skip(first) {
        if !T::is_value(bytes) {
            bytes.fill(0);
        }
    }
    Err(invalid::<T>(first))
}

fn invalid<T>(index: usize) -> Error {
    Error::InvalidElement {
        index,
        element: type_name::<T>(),
    }
}

/// The first of these elements that is no value. One that is checked has bytes.
fn first_invalid<T: Element>(bytes: &[u8]) -> Option<usize> {
    match T::CHECKED {
        true => bytes.chunks_exact(size_of::<T>()).position(|bytes| !T::is_value(bytes)),
        false => None,
    }
}

/// True if the bytes of a whole have a value of this part at an offset.
pub fn is_part<P: Element>(bytes: &[u8], offset: usize) -> bool {
    !P::CHECKED || P::is_value(&bytes[offset..offset + size_of::<P>()])
}

/// A field of a variant: true if it is a value, and the offset behind it. `end` is that of what comes before. Fields lie as
/// those of a struct of C.
pub fn is_field<P: Element>(bytes: &[u8], end: usize) -> (bool, usize) {
    let offset = end.next_multiple_of(align_of::<P>());
    (is_part::<P>(bytes, offset), offset + size_of::<P>())
}

/// The bytes of a value.
pub(crate) fn bytes_of<T: Element>(value: &T) -> Cow<'_, [u8]> {
    bytes_of_all(std::slice::from_ref(value))
}

/// The bytes of values, zero where they are uninitialised. Those of most types lie there already.
pub(crate) fn bytes_of_all<T: Element>(values: &[T]) -> Cow<'_, [u8]> {
    if !T::PADDED {
        // SAFETY: all bytes are initialised.
        return Cow::Borrowed(unsafe { raw(values) });
    }
    let mut bytes = vec![0; size_of_val(values)];
    for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
        value.put(bytes);
    }
    Cow::Owned(bytes)
}

/// Values as bytes.
///
/// # Safety
/// All bytes of the values are initialised.
unsafe fn raw<T>(values: &[T]) -> &[u8] {
    // SAFETY: the bytes of the values, which are initialised by the contract.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}
