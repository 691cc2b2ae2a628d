//! Global memory in CPU bodies: raw slices, and accesses that may race.
//!
//! Several threads of a kernel may hold the same `&mut [T]` of the source, so bodies represent
//! slices as a pointer and a length, never as references. A body accesses an element
//! - plainly, if no other thread accesses it concurrently: slices that the kernel takes as `&[T]`,
//!   and elements of a `&mut [T]` that is only indexed by the thread's own index;
//! - by [`Memory::load`] and [`Memory::store`] otherwise: relaxed atomic accesses of each scalar,
//!   so that a race in a kernel is a wrong result and never undefined behaviour of the host.
//!
//! A race may also leave bits that are no value of an element's type. Only `bool` has such bits here, since the
//! discriminant of an enum is an integer: a byte other than 0 counts as true, as on a GPU.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use vyre_abi::semantics::{BF16, F16};

/// A slice of global or shared memory: pointer and length.
#[derive(Clone, Copy, Debug)]
pub struct Slice<T> {
    /// The first element.
    pub pointer: *mut T,
    /// The number of elements.
    pub length: u64,
}

impl<T> Slice<T> {
    /// The slice at argument `at` and the next one: pointers to an address and a length.
    ///
    /// # Safety
    /// These arguments are the two of a view of elements `T`.
    #[inline(always)]
    pub unsafe fn argument(arguments: &[*const c_void], at: usize) -> Self {
        // SAFETY: the caller guarantees that these are an address and a length, two `u64`.
        let [address, length] = [at, at + 1].map(|at| unsafe { arguments[at].cast::<u64>().read() });
        Slice {
            pointer: std::ptr::with_exposed_provenance_mut(address as usize),
            length,
        }
    }

    /// The element `index`.
    ///
    /// # Safety
    /// The index is less than the length.
    #[inline(always)]
    pub const unsafe fn at(self, index: usize) -> *mut T {
        // SAFETY: the caller vouches that the element is inside.
        unsafe { self.pointer.add(index) }
    }

    /// The elements `start..end`.
    ///
    /// # Safety
    /// The range is within the length.
    #[inline(always)]
    pub const unsafe fn part(self, start: u64, end: u64) -> Self {
        Slice {
            // SAFETY: the caller vouches that the range is inside.
            pointer: unsafe { self.pointer.add(start as usize) },
            length: end.wrapping_sub(start),
        }
    }

    /// The same memory in arrays.
    #[inline(always)]
    pub const fn chunks<const N: usize>(self) -> Slice<[T; N]> {
        Slice {
            pointer: self.pointer.cast(),
            length: self.length / N as u64,
        }
    }
}

impl<T, const N: usize> Slice<[T; N]> {
    /// The elements of all arrays.
    #[inline(always)]
    pub const fn flattened(self) -> Slice<T> {
        Slice {
            pointer: self.pointer.cast(),
            length: self.length * N as u64,
        }
    }
}

/// A slice used only for its length.
pub const fn length_only(length: usize) -> Slice<()> {
    Slice {
        pointer: std::ptr::null_mut(),
        length: length as u64,
    }
}

/// The scalar argument `at`.
///
/// # Safety
/// This argument points to a `T`.
#[inline(always)]
pub unsafe fn argument<T: Copy>(arguments: &[*const c_void], at: usize) -> T {
    // SAFETY: the caller vouches for the type.
    unsafe { arguments[at].cast::<T>().read() }
}

/// Zero bits, the value of a variable until it is written.
///
/// # Safety
/// Zero bits are a value of `T`.
#[inline(always)]
pub const unsafe fn zero<T: Copy>() -> T {
    // SAFETY: the caller vouches for it.
    unsafe { std::mem::zeroed() }
}

/// A type whose values lie in memory shared by several blocks.
///
/// # Safety
/// `load` and `store` access memory only by relaxed atomic accesses of the value's scalars. `IS_DENSE` holds only of what it says.
pub unsafe trait Memory: Copy {
    /// True if a value is its scalars one after the other, as they lie in memory, with no byte between them.
    const IS_DENSE: bool = false;

    /// Reads a value.
    ///
    /// # Safety
    /// The pointer is aligned and valid for reads and writes, and its bytes are initialised.
    unsafe fn load(pointer: *const Self) -> Self;

    /// Writes a value. The value is the first argument because it is evaluated first.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn store(value: Self, pointer: *mut Self);
}

/// [`Memory::load`], with the type inferred from the pointer.
///
/// # Safety
/// As for [`Memory::load`].
#[inline(always)]
pub unsafe fn load<T: Memory>(pointer: *const T) -> T {
    // SAFETY: the caller vouches for the pointer.
    unsafe { T::load(pointer) }
}

/// A `bool` in memory that no other thread writes at the same time: any byte but 0 is true.
///
/// # Safety
/// The pointer is valid for reads.
#[inline(always)]
pub const unsafe fn truth(pointer: *const bool) -> bool {
    // SAFETY: the caller vouches for the pointer, and any byte is a value of `u8`.
    unsafe { pointer.cast::<u8>().read() != 0 }
}

/// [`Memory::store`], with the type inferred from the pointer.
///
/// # Safety
/// As for [`Memory::store`].
#[inline(always)]
pub unsafe fn store<T: Memory>(value: T, pointer: *mut T) {
    // SAFETY: the caller vouches for the pointer.
    unsafe { T::store(value, pointer) }
}

/// Copies `count` consecutive values.
///
/// # Safety
/// As for [`Memory::load`] and [`Memory::store`], for each value.
#[inline(always)]
pub unsafe fn copy<T: Memory>(to: *mut T, from: *const T, count: u64) {
    for index in 0..count as usize {
        // SAFETY: the caller vouches for the pointers.
        unsafe { T::store(T::load(from.add(index)), to.add(index)) };
    }
}

macro_rules! scalars {
    ($($scalar:ty, $atomic:ty, $to:expr, $from:expr;)*) => {$(
        // SAFETY: one atomic access of the scalar's size.
        unsafe impl Memory for $scalar {
            const IS_DENSE: bool = true;

            #[inline(always)]
            unsafe fn load(pointer: *const Self) -> Self {
                // SAFETY: the caller vouches for the pointer.
                let cell = unsafe { <$atomic>::from_ptr(pointer.cast_mut().cast()) };
                $from(cell.load(Ordering::Relaxed))
            }

            #[inline(always)]
            unsafe fn store(value: Self, pointer: *mut Self) {
                // SAFETY: the caller vouches for the pointer.
                let cell = unsafe { <$atomic>::from_ptr(pointer.cast()) };
                cell.store($to(value), Ordering::Relaxed);
            }
        }
    )*};
}
scalars! {
    bool, AtomicU8, u8::from, |bits| bits != 0;
    i8, AtomicU8, |value| value as u8, |bits| bits as i8;
    i16, AtomicU16, |value| value as u16, |bits| bits as i16;
    i32, AtomicU32, |value| value as u32, |bits| bits as i32;
    i64, AtomicU64, |value| value as u64, |bits| bits as i64;
    u8, AtomicU8, |value| value, |bits| bits;
    u16, AtomicU16, |value| value, |bits| bits;
    u32, AtomicU32, |value| value, |bits| bits;
    u64, AtomicU64, |value| value, |bits| bits;
    F16, AtomicU16, F16::to_bits, F16::from_bits;
    BF16, AtomicU16, BF16::to_bits, BF16::from_bits;
    f32, AtomicU32, f32::to_bits, f32::from_bits;
    f64, AtomicU64, f64::to_bits, f64::from_bits;
}

// SAFETY: each element is accessed as its type does.
unsafe impl<T: Memory, const N: usize> Memory for [T; N] {
    const IS_DENSE: bool = T::IS_DENSE;

    #[inline(always)]
    unsafe fn load(pointer: *const Self) -> Self {
        // SAFETY: the elements of a valid array are valid.
        std::array::from_fn(|index| unsafe { T::load(pointer.cast::<T>().add(index)) })
    }

    #[inline(always)]
    unsafe fn store(value: Self, pointer: *mut Self) {
        for (index, element) in value.into_iter().enumerate() {
            // SAFETY: the elements of a valid array are valid.
            unsafe { T::store(element, pointer.cast::<T>().add(index)) };
        }
    }
}

// SAFETY: there is nothing to access.
unsafe impl Memory for () {
    #[inline(always)]
    unsafe fn load(_: *const Self) -> Self {}

    #[inline(always)]
    unsafe fn store((): Self, _: *mut Self) {}
}
