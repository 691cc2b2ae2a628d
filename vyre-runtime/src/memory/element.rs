//! The element types of buffers.

/// A type whose values a buffer can hold and a kernel can take.
///
/// # Safety
/// The type is plain data without padding, whose layout on the device is that of the host, and for
/// which zero bytes are a value. A kernel that takes it writes only bit patterns that are values.
#[diagnostic::on_unimplemented(
    message = "buffers and kernels cannot hold a value of type `{Self}`",
    note = "they hold numbers, `bool`, arrays, and structs and enums marked `#[vyre::device]`, of which one variant is 0; a \
            slice of plain values of another crate is viewed as one of these by `vyre::cast(&x)`, with the feature `bytemuck`"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Fails the build if the instance of a generic struct has padding: the instances are known
    /// only from their uses.
    #[doc(hidden)]
    const DENSE: () = ();

    /// True only if every bit pattern is a value, as for numbers. Not so for `bool` and enums.
    #[doc(hidden)]
    const ANY_BITS: bool = false;
}

// Sizes, `usize` and byte order are the same on host and device.
const _: () = assert!(
    size_of::<usize>() == 8 && cfg!(target_endian = "little"),
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

elements!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

// SAFETY: it has no padding and zero is a value; PTX stores 0 or 1.
unsafe impl Element for bool {}

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

// SAFETY: an array has no padding beside that of its elements, and zero bytes make values of these.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const DENSE: () = T::DENSE;
    const ANY_BITS: bool = T::ANY_BITS;
}

/// The bytes of a value.
pub(crate) fn bytes_of<T: Element>(value: &T) -> &[u8] {
    // SAFETY: elements have no padding, so all their bytes are initialised.
    unsafe { std::slice::from_raw_parts((&raw const *value).cast::<u8>(), size_of::<T>()) }
}
