//! Pairs of floats of 16 bits that threads may share.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

use half::{bf16, f16};

use crate::AtomicElement;

macro_rules! atomic_pair {
    ($name:ident, $half:ident) => {
        #[doc = concat!("Two `", stringify!($half), "` that threads may share, side by side in 32 bits.")]
        ///
        /// On the GPU `fetch_add` is one instruction, which adds each of the two by itself: another thread may
        /// see one sum and not yet the other. A buffer of arrays of two is seen as these.
        #[repr(transparent)]
        #[derive(Default)]
        pub struct $name(AtomicU32);

        // SAFETY: it has the size of two, and every word is a value of them.
        unsafe impl AtomicElement for $name {
            type Value = [$half; 2];
        }

        impl $name {
            /// A new atomic with these values.
            #[inline]
            pub const fn new(values: [$half; 2]) -> Self {
                Self(AtomicU32::new(Self::bits(values)))
            }

            /// The values, from an atomic that nobody else can see.
            #[inline]
            pub fn into_inner(self) -> [$half; 2] {
                Self::halves(self.0.into_inner())
            }

            /// The values now.
            ///
            /// # Panics
            /// If `order` is `Release` or `AcqRel`.
            #[inline]
            pub fn load(&self, order: Ordering) -> [$half; 2] {
                Self::halves(self.0.load(order))
            }

            /// Sets the values.
            ///
            /// # Panics
            /// If `order` is `Acquire` or `AcqRel`.
            #[inline]
            pub fn store(&self, values: [$half; 2], order: Ordering) {
                self.0.store(Self::bits(values), order);
            }

            /// Sets the values and returns those before.
            #[inline]
            pub fn swap(&self, values: [$half; 2], order: Ordering) -> [$half; 2] {
                Self::halves(self.0.swap(Self::bits(values), order))
            }

            /// Adds to the values and returns those before.
            #[inline]
            pub fn fetch_add(&self, values: [$half; 2], order: Ordering) -> [$half; 2] {
                self.change(order, |[low, high]| [low + values[0], high + values[1]])
            }

            /// Subtracts from the values and returns those before.
            #[inline]
            pub fn fetch_sub(&self, values: [$half; 2], order: Ordering) -> [$half; 2] {
                self.change(order, |[low, high]| [low - values[0], high - values[1]])
            }

            fn change(&self, order: Ordering, change: impl Fn([$half; 2]) -> [$half; 2]) -> [$half; 2] {
                let changed = self.0.fetch_update(order, Ordering::Relaxed, |word| {
                    Some(Self::bits(change(Self::halves(word))))
                });
                match changed {
                    Ok(word) | Err(word) => Self::halves(word),
                }
            }

            const fn bits([low, high]: [$half; 2]) -> u32 {
                low.to_bits() as u32 | (high.to_bits() as u32) << 16
            }

            const fn halves(word: u32) -> [$half; 2] {
                [
                    $half::from_bits(word as u16),
                    $half::from_bits((word >> 16) as u16),
                ]
            }
        }

        impl From<[$half; 2]> for $name {
            fn from(values: [$half; 2]) -> Self {
                Self::new(values)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.load(Ordering::Relaxed).fmt(f)
            }
        }
    };
}

atomic_pair!(AtomicF16x2, f16);
atomic_pair!(AtomicBF16x2, bf16);

#[cfg(test)]
mod tests {
    use super::*;
    use Ordering::{AcqRel, Relaxed, SeqCst};

    #[test]
    fn halves_are_kept_apart() {
        let pair = |a: f32, b: f32| [a, b].map(bf16::from_f32);
        let cell = AtomicBF16x2::new(pair(1.0, -2.0));
        assert_eq!(cell.fetch_add(pair(0.5, f32::INFINITY), AcqRel), pair(1.0, -2.0));
        assert_eq!(cell.fetch_sub(pair(1.0, 1.0), SeqCst), pair(1.5, f32::INFINITY));
        assert_eq!(cell.swap(pair(3.0, 4.0), Relaxed), pair(0.5, f32::INFINITY));
        cell.store(pair(5.0, -0.0), Relaxed);
        assert_eq!(format!("{cell:?}"), "[5.0, -0.0]");
        assert_eq!(cell.into_inner(), pair(5.0, -0.0));
    }

    #[test]
    fn additions_of_many_threads_all_count() {
        let sums = AtomicF16x2::default();
        let one = [f16::ONE, -f16::ONE];
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| _ = sums.fetch_add(one, Relaxed)));
            }
        });
        assert_eq!(sums.into_inner(), [2000.0, -2000.0].map(f16::from_f32));
    }
}
