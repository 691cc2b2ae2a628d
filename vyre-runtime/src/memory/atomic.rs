//! Atomic element types of buffers, among them floats, which the standard library lacks.

use core::cell::UnsafeCell;
use core::fmt;
use core::ops::{Add, Deref, Sub};
use core::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    AtomicUsize, Ordering,
};

use crate::Element;

/// An atomic type that a kernel can take in `&[A]`.
///
/// # Safety
/// The type has the size of `Value` and is aligned to its size at most, and every value of `Value` is one of it.
pub unsafe trait AtomicElement: Send + Sync + 'static {
    /// The element type of buffers that can be seen as this.
    type Value: Element;
}

/// A scalar, array or struct with a counterpart of atomics. A struct of the device derives it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no counterpart of atomics",
    note = "integers of 8 to 64 bits, `bool`, `f32`, `f64` and arrays of these have one, and structs that derive `vyre::Atomics`"
)]
pub trait Atomics: Element {
    /// The counterpart: of a struct the same fields, of atomics.
    type Atomics: AtomicElement<Value = Self>;
    /// The type of a field of atomics: that of a struct is [`Atomic`], which kernels name.
    #[doc(hidden)]
    type Cell: AtomicElement<Value = Self>;
}

/// A struct that derives [`Atomics`] with an atomic in the place of each scalar: it has the same fields, all of atomics.
///
/// A kernel takes `&[Atomic<Stats>]` where a launch passes `&mut buffer` of `Stats`; another kernel takes that buffer as
/// `&[Stats]`. The host has none itself.
#[repr(transparent)]
#[derive(Debug)]
pub struct Atomic<T>(UnsafeCell<T>);

// SAFETY: it is accessed as atomics alone.
unsafe impl<T: Element> Sync for Atomic<T> {}

// SAFETY: it is transparent over a value.
unsafe impl<T: Element> AtomicElement for Atomic<T> {
    type Value = T;
}

impl<T: Atomics> Deref for Atomic<T> {
    type Target = T::Atomics;

    fn deref(&self) -> &T::Atomics {
        const { assert!(size_of::<T::Atomics>() == size_of::<T>() && align_of::<T::Atomics>() <= align_of::<T>()) };
        // SAFETY: every value is one of the atomics, whose size it has, and they are as aligned as it is at most.
        unsafe { &*self.0.get().cast() }
    }
}

macro_rules! atomic_elements {
    ($($atomic:ty => $value:ty),* $(,)?) => {
        $(impl Atomics for $value { type Atomics = $atomic; type Cell = $atomic; })*
        // SAFETY: the standard library promises size and bit validity of its atomics, the aligned
        // buffers, which hold one after the other, give the alignment, and the atomics below are transparent over one of them.
        $(unsafe impl AtomicElement for $atomic { type Value = $value; })*
    };
}

atomic_elements! {
    AtomicBool => bool, AtomicI8 => i8, AtomicI16 => i16, AtomicU8 => u8, AtomicU16 => u16,
    AtomicI32 => i32, AtomicI64 => i64, AtomicIsize => isize,
    AtomicU32 => u32, AtomicU64 => u64, AtomicUsize => usize,
    AtomicF32 => f32, AtomicF64 => f64,
}

// SAFETY: an array lies in memory as its elements one after the other, which are such as the trait asks.
unsafe impl<A: AtomicElement, const N: usize> AtomicElement for [A; N]
where
    [A::Value; N]: Element,
{
    type Value = [A::Value; N];
}

impl<T: Atomics, const N: usize> Atomics for [T; N]
where
    [T; N]: Element,
{
    type Atomics = [T::Cell; N];
    type Cell = [T::Cell; N];
}

/// An atomic stored as the bits of an atomic integer. `$to` and `$from` convert values to bits and
/// back; the last line defines whether two values are the same to `compare_exchange`, and their sum, difference, minimum and
/// maximum.
macro_rules! atomic_cell {
    (
        $(#[$about:meta])*
        $name:ident($atomic:ident): $value:ty, $to:path, $from:path;
        $same:expr, $add:expr, $sub:expr, $min:expr, $max:expr
    ) => {
        $(#[$about])*
        ///
        /// On the GPU `fetch_add` is one instruction, and the order in which concurrent additions
        /// happen is not fixed, so neither is the rounding of their sum. On the host the methods that
        /// change the value are loops over compare and exchange.
        #[repr(transparent)]
        #[derive(Default)]
        pub struct $name($atomic);

        impl $name {
            /// A new atomic with this value.
            #[inline]
            pub const fn new(value: $value) -> Self {
                Self($atomic::new($to(value)))
            }

            /// The value of an atomic that is not shared.
            #[inline]
            pub fn into_inner(self) -> $value {
                $from(self.0.into_inner())
            }

            /// The current value.
            ///
            /// # Panics
            /// If `order` is `Release` or `AcqRel`.
            #[inline]
            pub fn load(&self, order: Ordering) -> $value {
                $from(self.0.load(order))
            }

            /// Sets the value.
            ///
            /// # Panics
            /// If `order` is `Acquire` or `AcqRel`.
            #[inline]
            pub fn store(&self, value: $value, order: Ordering) {
                self.0.store($to(value), order);
            }

            /// Sets the value and returns the previous one.
            #[inline]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                $from(self.0.swap($to(value), order))
            }

            /// Sets the value to `new` if its bits are those of `current`, and returns the previous
            /// one: in `Ok` if it was set. Compared by bits, -0 differs from 0. A NaN has the bits of
            /// every other.
            #[inline]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let mut bits = $to(current);
                loop {
                    match self.0.compare_exchange(bits, $to(new), success, failure) {
                        Err(other) if $same($from(other), current) => bits = other,
                        before => return before.map($from).map_err($from),
                    }
                }
            }

            /// As [`compare_exchange`](Self::compare_exchange), but may fail spuriously, which is
            /// faster in a loop on some processors.
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let before = self.0.compare_exchange_weak($to(current), $to(new), success, failure);
                match before {
                    // It has the bits of another NaN, or failed spuriously.
                    Err(other) if $same($from(other), current) => self.compare_exchange(current, new, success, failure),
                    before => before.map($from).map_err($from),
                }
            }

            /// Sets the value to the result of `update`, retrying if another thread changed it
            /// meanwhile, until `update` returns `None`. Returns the previous value: in `Ok` if it
            /// was set.
            #[inline]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let before = self.0.fetch_update(set, fetch, |bits| update($from(bits)).map($to));
                before.map($from).map_err($from)
            }

            /// Adds to the value and returns the previous one.
            #[inline]
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.change(order, |old| $add(old, value))
            }

            /// Subtracts from the value and returns the previous one.
            #[inline]
            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.change(order, |old| $sub(old, value))
            }

            /// Sets the value to the minimum of it and `value` and returns the previous one. A NaN
            /// loses, and -0 is less than 0.
            #[inline]
            pub fn fetch_min(&self, value: $value, order: Ordering) -> $value {
                self.change(order, |old| $min(old, value))
            }

            /// Sets the value to the maximum of it and `value` and returns the previous one. A NaN
            /// loses, and -0 is less than 0.
            #[inline]
            pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                self.change(order, |old| $max(old, value))
            }

            #[inline]
            fn change(&self, order: Ordering, change: impl Fn($value) -> $value) -> $value {
                let changed = self.fetch_update(order, Ordering::Relaxed, |old| Some(change(old)));
                changed.unwrap_or_else(|before| before)
            }
        }

        impl From<$value> for $name {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.load(Ordering::Relaxed).fmt(f)
            }
        }
    };
}
#[cfg(feature = "half")]
pub(super) use atomic_cell;

macro_rules! atomic_float {
    ($name:ident, $float:ident, $atomic:ident, $bits:ident) => {
        atomic_cell! {
            #[doc = concat!("A [`", stringify!($float), "`] that threads may share, like the atomic integers of the standard library.")]
            $name($atomic): $float, $float::to_bits, $float::from_bits;
            vyre_abi::semantics::same_bits,
            $float::add, $float::sub,
            |old: $float, value: $float| match old == value {
                true => if old.is_sign_negative() { old } else { value },
                false => old.min(value),
            },
            |old: $float, value: $float| match old == value {
                true => if old.is_sign_negative() { value } else { old },
                false => old.max(value),
            }
        }

        impl $name {
            /// The value, through an exclusive borrow, which no other thread can hold.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $float {
                const { assert!(align_of::<$float>() == align_of::<$bits>()) };
                let bits: *mut $bits = self.0.get_mut();
                // SAFETY: the borrow is exclusive, and the float has the size and alignment of its
                // bits, all of which are valid.
                unsafe { &mut *bits.cast::<$float>() }
            }
        }
    };
}

atomic_float!(AtomicF32, f32, AtomicU32, u32);
atomic_float!(AtomicF64, f64, AtomicU64, u64);

#[cfg(test)]
mod tests;
