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

            /// Sets each of the values to the smaller of it and that of `values`, and returns those before. A NaN
            /// loses, and -0 is less than 0.
            #[inline]
            pub fn fetch_min(&self, values: [$half; 2], order: Ordering) -> [$half; 2] {
                self.change(order, |old| [0, 1].map(|i| Self::least(old[i], values[i])))
            }

            /// Sets each of the values to the larger of it and that of `values`, and returns those before. A NaN
            /// loses, and -0 is less than 0.
            #[inline]
            pub fn fetch_max(&self, values: [$half; 2], order: Ordering) -> [$half; 2] {
                self.change(order, |old| [0, 1].map(|i| -Self::least(-old[i], -values[i])))
            }

            /// Sets the values to `new` if the bits of both are those of `current`, and returns those before: in
            /// `Ok` if they were set. By bits a NaN equals itself, and -0 differs from 0.
            #[inline]
            pub fn compare_exchange(
                &self,
                current: [$half; 2],
                new: [$half; 2],
                success: Ordering,
                failure: Ordering,
            ) -> Result<[$half; 2], [$half; 2]> {
                let (current, new) = (Self::bits(current), Self::bits(new));
                let before = self.0.compare_exchange(current, new, success, failure);
                before.map(Self::halves).map_err(Self::halves)
            }

            /// As [`compare_exchange`](Self::compare_exchange), but may fail for no reason, which
            /// some processors do faster in a loop.
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: [$half; 2],
                new: [$half; 2],
                success: Ordering,
                failure: Ordering,
            ) -> Result<[$half; 2], [$half; 2]> {
                let (current, new) = (Self::bits(current), Self::bits(new));
                let before = self.0.compare_exchange_weak(current, new, success, failure);
                before.map(Self::halves).map_err(Self::halves)
            }

            /// Sets the values to what `update` makes of them, again if another thread came between,
            /// until `update` returns `None`. Returns the values before: in `Ok` if they were set.
            #[inline]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut update: impl FnMut([$half; 2]) -> Option<[$half; 2]>,
            ) -> Result<[$half; 2], [$half; 2]> {
                let before = self
                    .0
                    .fetch_update(set, fetch, |word| update(Self::halves(word)).map(Self::bits));
                before.map(Self::halves).map_err(Self::halves)
            }

            fn least(one: $half, other: $half) -> $half {
                match (one == other, one < other) {
                    (true, _) if one.is_sign_negative() => one,
                    (false, true) => one,
                    (false, false) if other.is_nan() => one,
                    _ => other,
                }
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
    fn pairs_are_compared_and_exchanged() {
        let pair = |a: f32, b: f32| [a, b].map(f16::from_f32);
        let cell = AtomicF16x2::new(pair(0.0, f32::NAN));
        let bits = |values: [f16; 2]| values.map(f16::to_bits);
        assert_eq!(cell.fetch_min(pair(-0.0, 2.0), Relaxed)[0].to_bits(), 0);
        assert_eq!(
            bits(cell.fetch_max(pair(f32::NAN, 3.0), Relaxed)),
            bits(pair(-0.0, 2.0))
        );
        assert_eq!(bits(cell.load(Relaxed)), bits(pair(-0.0, 3.0)));
        assert!(
            cell.compare_exchange(pair(0.0, 3.0), pair(1.0, 1.0), AcqRel, Relaxed)
                .is_err()
        );
        assert!(
            cell.compare_exchange(pair(-0.0, 3.0), pair(1.0, 1.0), AcqRel, Relaxed)
                .is_ok()
        );
        assert_eq!(
            cell.fetch_update(AcqRel, Relaxed, |[a, b]| Some([b + b, a])),
            Ok(pair(1.0, 1.0))
        );
        assert_eq!(cell.fetch_update(AcqRel, Relaxed, |_| None), Err(pair(2.0, 1.0)));
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
