//! Half precision: the number traits for the types of the crate `half`.
//!
//! The functions compute like kernels, so that device functions are bit-identical on the host. The
//! crate's own conversions from `f64` round twice on some hosts; those of [`Float`] round once.

use vyre_abi::semantics::{self, BF16, F16, Half};

use crate::number::Widened;
use crate::{Float, Number};

macro_rules! halves {
    ($($ty:ident $twin:ident)*) => { $(
        const _: () = {
            use half::$ty as Type;

            /// Computed in `f32` and rounded.
            fn through(value: Type, f: impl Fn(f32) -> f32) -> Type {
                theirs($twin::narrow(f(ours(value).widen())))
            }

            fn ours(value: Type) -> $twin {
                $twin::from_bits(value.to_bits())
            }

            fn theirs(value: $twin) -> Type {
                Type::from_bits(value.to_bits())
            }

            impl Number for Type {
                const ZERO: Self = Type::ZERO;
                const ONE: Self = Type::ONE;
                const MIN: Self = Type::MIN;
                const MAX: Self = Type::MAX;
                fn __widen(self) -> Widened { Widened::Single(ours(self).widen()) }
                fn __narrow(value: Widened) -> Self {
                    match value {
                        // An integer by way of `f32`.
                        Widened::Integer(_) => theirs($twin::narrow(f32::__narrow(value))),
                        Widened::Single(value) => theirs($twin::narrow(value)),
                        Widened::Double(value) => theirs($twin::narrow_wide(value)),
                    }
                }
            }

            impl Float for Type {
                const INFINITY: Self = Type::INFINITY;
                const EPSILON: Self = Type::EPSILON;
                fn from_f32(value: f32) -> Self { theirs($twin::narrow(value)) }
                fn from_f64(value: f64) -> Self { theirs($twin::narrow_wide(value)) }
                // -0 is less than +0, as in kernels.
                fn min(self, other: Self) -> Self { through(self, |x| semantics::min(x, ours(other).widen())) }
                fn max(self, other: Self) -> Self { through(self, |x| semantics::max(x, ours(other).widen())) }
                fn clamp(self, min: Self, max: Self) -> Self { Type::clamp(self, min, max) }
                fn abs(self) -> Self { Type::from_bits(self.to_bits() & 0x7fff) }
                fn copysign(self, sign: Self) -> Self { Type::copysign(self, sign) }
                fn sqrt(self) -> Self { through(self, semantics::sqrt) }
                fn mul_add(self, a: Self, b: Self) -> Self { theirs(semantics::mul_add(ours(self), ours(a), ours(b))) }
                fn recip(self) -> Self { through(self, f32::recip) }
                fn floor(self) -> Self { through(self, semantics::floor) }
                fn ceil(self) -> Self { through(self, semantics::ceil) }
                fn trunc(self) -> Self { through(self, semantics::trunc) }
                fn round(self) -> Self { through(self, semantics::round) }
                fn round_ties_even(self) -> Self { through(self, semantics::round_ties_even) }
                fn fract(self) -> Self { through(self, f32::fract) }
                fn is_nan(self) -> bool { Type::is_nan(self) }
                fn is_finite(self) -> bool { Type::is_finite(self) }
            }
        };
    )* };
}
halves! { f16 F16 bf16 BF16 }
