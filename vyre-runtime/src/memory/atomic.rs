//! Atomic types that buffers can be seen as, among them floats, which the standard library lacks.

use core::fmt;
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
    /// What a buffer must hold to be seen as this.
    type Value: Element;
}

macro_rules! atomic_elements {
    ($($atomic:ty => $value:ty),* $(,)?) => {
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

macro_rules! atomic_float {
    ($name:ident, $float:ident, $atomic:ident, $bits:ident) => {
        #[doc = concat!("A [`", stringify!($float), "`] that threads may share, like the atomic integers of the standard library.")]
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
            pub const fn new(value: $float) -> Self {
                Self($atomic::new(value.to_bits()))
            }

            /// The value, from an atomic that nobody else can see.
            #[inline]
            pub fn into_inner(self) -> $float {
                $float::from_bits(self.0.into_inner())
            }

            /// The value now.
            ///
            /// # Panics
            /// If `order` is `Release` or `AcqRel`.
            #[inline]
            pub fn load(&self, order: Ordering) -> $float {
                $float::from_bits(self.0.load(order))
            }

            /// Sets the value.
            ///
            /// # Panics
            /// If `order` is `Acquire` or `AcqRel`.
            #[inline]
            pub fn store(&self, value: $float, order: Ordering) {
                self.0.store(value.to_bits(), order);
            }

            /// Sets the value and returns the one before.
            #[inline]
            pub fn swap(&self, value: $float, order: Ordering) -> $float {
                $float::from_bits(self.0.swap(value.to_bits(), order))
            }

            /// Sets the value to `new` if its bits are those of `current`, and returns the one before:
            /// in `Ok` if it was set. By bits a NaN equals itself, and -0 differs from 0.
            #[inline]
            pub fn compare_exchange(
                &self,
                current: $float,
                new: $float,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$float, $float> {
                match self.0.compare_exchange(current.to_bits(), new.to_bits(), success, failure) {
                    Ok(bits) => Ok($float::from_bits(bits)),
                    Err(bits) => Err($float::from_bits(bits)),
                }
            }

            /// As [`compare_exchange`](Self::compare_exchange), but may fail for no reason, which
            /// some processors do faster in a loop.
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: $float,
                new: $float,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$float, $float> {
                match self.0.compare_exchange_weak(current.to_bits(), new.to_bits(), success, failure) {
                    Ok(bits) => Ok($float::from_bits(bits)),
                    Err(bits) => Err($float::from_bits(bits)),
                }
            }

            /// Sets the value to what `update` makes of it, again if another thread came between,
            /// until `update` returns `None`. Returns the value before: in `Ok` if it was set.
            #[inline]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut update: impl FnMut($float) -> Option<$float>,
            ) -> Result<$float, $float> {
                self.0
                    .fetch_update(set, fetch, |bits| update($float::from_bits(bits)).map($float::to_bits))
                    .map($float::from_bits)
                    .map_err($float::from_bits)
            }

            /// Adds to the value and returns the one before.
            #[inline]
            pub fn fetch_add(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| old + value)
            }

            /// Subtracts from the value and returns the one before.
            #[inline]
            pub fn fetch_sub(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| old - value)
            }

            /// Sets the value to the smaller of it and `value` and returns the one before. A NaN
            /// loses, and -0 is less than 0.
            #[inline]
            pub fn fetch_min(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| match old == value {
                    true => if old.is_sign_negative() { old } else { value },
                    false => old.min(value),
                })
            }

            /// Sets the value to the larger of it and `value` and returns the one before. A NaN
            /// loses, and -0 is less than 0.
            #[inline]
            pub fn fetch_max(&self, value: $float, order: Ordering) -> $float {
                self.change(order, |old| match old == value {
                    true => if old.is_sign_negative() { value } else { old },
                    false => old.max(value),
                })
            }

            /// The value, through an exclusive borrow, which no other thread can hold.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $float {
                const { assert!(align_of::<$float>() == align_of::<$bits>()) };
                let bits: *mut $bits = self.0.get_mut();
                // SAFETY: the borrow is exclusive, and the float has the size and alignment of its
                // bits, of which each is a value.
                unsafe { &mut *bits.cast::<$float>() }
            }

            #[inline]
            fn change(&self, order: Ordering, change: impl Fn($float) -> $float) -> $float {
                // A load may not release, so a failed attempt keeps only the acquiring half.
                let failure = match order {
                    Ordering::AcqRel => Ordering::Acquire,
                    Ordering::Release => Ordering::Relaxed,
                    order => order,
                };
                let mut old = self.0.load(Ordering::Relaxed);
                loop {
                    let new = change($float::from_bits(old)).to_bits();
                    match self.0.compare_exchange_weak(old, new, order, failure) {
                        Ok(bits) => return $float::from_bits(bits),
                        Err(bits) => old = bits,
                    }
                }
            }
        }

        impl From<$float> for $name {
            fn from(value: $float) -> Self {
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

atomic_float!(AtomicF32, f32, AtomicU32, u32);
atomic_float!(AtomicF64, f64, AtomicU64, u64);

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

    #[test]
    fn methods_do_what_they_say() {
        let mut a = AtomicF32::new(1.5);
        assert_eq!(a.load(Acquire), 1.5);
        assert_eq!(a.fetch_add(2.0, AcqRel), 1.5);
        assert_eq!(a.fetch_sub(0.5, Release), 3.5);
        assert_eq!(a.swap(-0.0, SeqCst), 3.0);
        assert_eq!(
            a.compare_exchange(0.0, 1.0, AcqRel, Relaxed).map_err(f32::to_bits),
            Err((-0.0f32).to_bits())
        );
        assert_eq!(a.compare_exchange(-0.0, 1.0, AcqRel, Relaxed), Ok(-0.0));
        assert_eq!(a.fetch_update(AcqRel, Relaxed, |v| (v < 1.0).then_some(9.0)), Err(1.0));
        assert_eq!(a.fetch_update(AcqRel, Relaxed, |v| Some(v * 4.0)), Ok(1.0));
        *a.get_mut() += 1.0;
        assert_eq!(a.into_inner(), 5.0);
    }

    #[test]
    fn minimum_and_maximum_order_zeros_and_ignore_nan() {
        let a = AtomicF64::new(0.0);
        a.fetch_min(-0.0, Relaxed);
        assert!(a.load(Relaxed).is_sign_negative());
        a.fetch_max(0.0, Relaxed);
        assert!(a.load(Relaxed).is_sign_positive());
        a.fetch_min(f64::NAN, Relaxed);
        assert_eq!(a.load(Relaxed), 0.0);
        a.store(f64::NAN, Relaxed);
        a.fetch_max(-7.0, Relaxed);
        assert_eq!(a.load(Relaxed), -7.0);
    }

    #[test]
    fn additions_of_many_threads_all_count() {
        let sum = AtomicF32::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| _ = sum.fetch_add(1.0, Relaxed)));
            }
        });
        assert_eq!(sum.load(Relaxed), 4000.0);
    }
}
