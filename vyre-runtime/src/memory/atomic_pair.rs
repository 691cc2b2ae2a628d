//! Atomic pairs of floats of 16 bits.

use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

use half::{bf16, f16};

use super::atomic::atomic_cell;
use crate::AtomicElement;

macro_rules! atomic_pair {
    ($name:ident, $half:ident) => {
        atomic_cell! {
            #[doc = concat!("Two `", stringify!($half), "` that threads may share, side by side in 32 bits.")]
            ///
            /// Additions and other updates change each half separately: another thread may see one
            /// sum and not yet the other. A buffer of arrays of two is viewed as these.
            $name(AtomicU32): [$half; 2], Self::bits, Self::halves;
            |one: [$half; 2], other: [$half; 2]| (0..2).all(|i| Self::is_same(one[i], other[i])),
            |old: [$half; 2], value: [$half; 2]| [old[0] + value[0], old[1] + value[1]],
            |old: [$half; 2], value: [$half; 2]| [old[0] - value[0], old[1] - value[1]],
            |old: [$half; 2], value: [$half; 2]| [0, 1].map(|i| Self::least(old[i], value[i])),
            |old: [$half; 2], value: [$half; 2]| [0, 1].map(|i| -Self::least(-old[i], -value[i]))
        }

        // SAFETY: it has the size of two, and every word is a value of them.
        unsafe impl AtomicElement for $name {
            type Value = [$half; 2];
        }

        impl $name {
            fn is_same(one: $half, other: $half) -> bool {
                one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
            }

            fn least(one: $half, other: $half) -> $half {
                match (one == other, one < other) {
                    (true, _) if one.is_sign_negative() => one,
                    (false, true) => one,
                    (false, false) if other.is_nan() => one,
                    _ => other,
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
    };
}

atomic_pair!(AtomicF16x2, f16);
atomic_pair!(AtomicBF16x2, bf16);

#[cfg(test)]
mod tests;
