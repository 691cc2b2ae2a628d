//! The traits of numbers for generic device functions.

use core::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Rem, RemAssign, Shl, Shr, Sub,
    SubAssign,
};

use vyre_abi::semantics;

use crate::warp;

/// The numbers of Rust with up to 64 bits, for generic device functions.
///
/// ```
/// use vyre::prelude::*;
///
/// /// The largest of `N` neighbours.
/// #[vyre::device]
/// fn largest<T: Number, const N: usize>(values: &[T], from: usize) -> T {
///     let mut largest = T::MIN;
///     for i in 0..N {
///         if values[from + i] > largest {
///             largest = values[from + i];
///         }
///     }
///     largest
/// }
///
/// #[vyre::kernel]
/// fn peaks(x: &[i16], y: &[f32], out: &mut [f32]) {
///     let i = thread::index();
///     if i < out.len() {
///         out[i] = largest::<_, 3>(x, i) as f32 + largest::<f32, 2>(y, i);
///     }
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut out = [0.0; 2];
/// Peaks::dispatch(&Device::cpu(), 2, &[1, 5, 2, 7], &[0.5, 0.25, 0.75], &mut out)?;
/// assert_eq!(out, [5.5, 7.75]);
/// # Ok(())
/// # }
/// ```
pub trait Number:
    warp::Number
    + 'static
    + Default
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Rem<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + RemAssign
{
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The smallest value; of floats the smallest finite one.
    const MIN: Self;
    /// The largest value; of floats the largest finite one.
    const MAX: Self;

    /// The value as a number of another type, `x as U`: integers wrap, floats round to nearest, and a float becomes the
    /// nearest integer towards zero that the type has, a NaN 0. Between integers and `f16` or `bf16` it goes through
    /// `f32`.
    ///
    /// ```
    /// use vyre::prelude::*;
    ///
    /// /// Each sum is computed in `f32`, whatever numbers are in memory.
    /// #[vyre::kernel(T = [f32, i16], U = [f64, u8])]
    /// fn halve<T: Number, U: Number>(#[each] x: &T, #[each] y: &mut U) {
    ///     *y = (x.to_f32() * 0.5).cast();
    /// }
    ///
    /// # fn main() -> vyre::Result<()> {
    /// let mut y = [0u8; 3];
    /// Halve::<i16, u8>::dispatch(&Device::cpu(), &[5, -1, 700], &mut y)?;
    /// assert_eq!(y, [2, 0, 255]);
    /// assert_eq!((-1i16).cast::<u8>(), 255);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    fn cast<U: Number>(self) -> U {
        U::__narrow(self.__widen())
    }
    /// `x as f32`.
    #[must_use]
    fn to_f32(self) -> f32 {
        self.cast()
    }
    /// `x as f64`.
    #[must_use]
    fn to_f64(self) -> f64 {
        self.cast()
    }

    #[doc(hidden)]
    fn __widen(self) -> Widened;
    #[doc(hidden)]
    fn __narrow(value: Widened) -> Self;
}

/// The value of any number: a cast from there rounds or wraps as one from the number itself.
#[doc(hidden)]
#[derive(Debug)]
pub enum Widened {
    Integer(i128),
    Single(f32),
    Double(f64),
}

/// Both directions between a number of Rust and [`Widened`].
macro_rules! casts {
    ($variant:ident) => {
        #[allow(clippy::cast_lossless, trivial_numeric_casts, reason = "from each type")]
        fn __widen(self) -> Widened {
            Widened::$variant(self as _)
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            clippy::cast_lossless,
            trivial_numeric_casts,
            reason = "as `as` does"
        )]
        fn __narrow(value: Widened) -> Self {
            match value {
                Widened::Integer(value) => value as Self,
                Widened::Single(value) => value as Self,
                Widened::Double(value) => value as Self,
            }
        }
    };
}

/// The integers with up to 64 bits. `min`, `max` and `clamp` are those of [`Ord`].
pub trait Integer:
    Number
    + warp::Integer
    + Eq
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The number of bits that are 1.
    #[must_use]
    fn count_ones(self) -> u32;
    /// The number of zeros above the highest 1.
    #[must_use]
    fn leading_zeros(self) -> u32;
    /// The number of zeros below the lowest 1.
    #[must_use]
    fn trailing_zeros(self) -> u32;
    /// The bits rotated towards the high end.
    #[must_use]
    fn rotate_left(self, by: u32) -> Self;
    /// The bits rotated towards the low end.
    #[must_use]
    fn rotate_right(self, by: u32) -> Self;
    /// The sum, wrapping on overflow.
    #[must_use]
    fn wrapping_add(self, other: Self) -> Self;
    /// The difference, wrapping on overflow.
    #[must_use]
    fn wrapping_sub(self, other: Self) -> Self;
    /// The product, wrapping on overflow.
    #[must_use]
    fn wrapping_mul(self, other: Self) -> Self;
    /// The sum, or on overflow the nearest value.
    #[must_use]
    fn saturating_add(self, other: Self) -> Self;
    /// The difference, or on overflow the nearest value.
    #[must_use]
    fn saturating_sub(self, other: Self) -> Self;
    /// The product, or on overflow the nearest value.
    #[must_use]
    fn saturating_mul(self, other: Self) -> Self;
    /// The power, or on overflow the nearest value.
    #[must_use]
    fn saturating_pow(self, exponent: u32) -> Self;
}

/// `f32` and `f64`; with the feature `half` also `f16` and `bf16`.
///
/// They also have the methods of mathematics by the names of Rust, `x.exp()`, `y.atan2(x)`, which on the host are the
/// functions of [`math`](crate::math), with the same bits, and may be passed to these functions.
///
/// ```
/// use vyre::prelude::*;
///
/// /// ln(1 + e^x).
/// #[vyre::device]
/// fn softplus<T: Float>(x: T) -> T {
///     x.max(T::ZERO) + (-x.abs()).exp().ln_1p()
/// }
///
/// #[vyre::kernel(T = [f32, f64])]
/// fn smooth<T: Float>(#[each] x: &mut T) {
///     *x = softplus(*x);
/// }
///
/// # fn main() -> vyre::Result<()> {
/// let mut x = [-2.0f64, 0.0, 3.5];
/// Smooth::<f64>::dispatch(&Device::best()?, &mut x)?;
/// assert_eq!(x, [-2.0, 0.0, 3.5].map(softplus));
/// # Ok(())
/// # }
/// ```
pub trait Float: Number + Neg<Output = Self> + crate::math::Real {
    /// Positive infinity.
    const INFINITY: Self;
    /// The distance from 1 to the next number.
    const EPSILON: Self;
    /// The nearest value of the type.
    #[must_use]
    fn from_f32(value: f32) -> Self;
    /// The nearest value of the type.
    #[must_use]
    fn from_f64(value: f64) -> Self;
    /// The minimum; a number is preferred to a NaN.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// The maximum; a number is preferred to a NaN.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// The value restricted to the bounds.
    #[must_use]
    fn clamp(self, min: Self, max: Self) -> Self;
    /// The absolute value.
    #[must_use]
    fn abs(self) -> Self;
    /// The value with the sign of another one. In kernels the sign of a NaN is positive.
    #[must_use]
    fn copysign(self, sign: Self) -> Self;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// `self * a + b`, rounded once.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The reciprocal.
    #[must_use]
    fn recip(self) -> Self;
    /// Rounded down to an integer.
    #[must_use]
    fn floor(self) -> Self;
    /// Rounded up to an integer.
    #[must_use]
    fn ceil(self) -> Self;
    /// Rounded towards zero to an integer.
    #[must_use]
    fn trunc(self) -> Self;
    /// Rounded to the nearest integer, ties away from zero.
    #[must_use]
    fn round(self) -> Self;
    /// Rounded to the nearest integer, ties to even.
    #[must_use]
    fn round_ties_even(self) -> Self;
    /// The fractional part, with the sign of the value.
    #[must_use]
    fn fract(self) -> Self;
    /// True for a NaN.
    #[must_use]
    fn is_nan(self) -> bool;
    /// True if it is neither infinite nor a NaN.
    #[must_use]
    fn is_finite(self) -> bool;
}

macro_rules! integers {
    ($($ty:ident)*) => { $(
        impl Number for $ty {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const MIN: Self = $ty::MIN;
            const MAX: Self = $ty::MAX;
            casts!(Integer);
        }
        impl Integer for $ty {
            fn count_ones(self) -> u32 { $ty::count_ones(self) }
            fn leading_zeros(self) -> u32 { $ty::leading_zeros(self) }
            fn trailing_zeros(self) -> u32 { $ty::trailing_zeros(self) }
            fn rotate_left(self, by: u32) -> Self { $ty::rotate_left(self, by) }
            fn rotate_right(self, by: u32) -> Self { $ty::rotate_right(self, by) }
            fn wrapping_add(self, other: Self) -> Self { $ty::wrapping_add(self, other) }
            fn wrapping_sub(self, other: Self) -> Self { $ty::wrapping_sub(self, other) }
            fn wrapping_mul(self, other: Self) -> Self { $ty::wrapping_mul(self, other) }
            fn saturating_add(self, other: Self) -> Self { $ty::saturating_add(self, other) }
            fn saturating_sub(self, other: Self) -> Self { $ty::saturating_sub(self, other) }
            fn saturating_mul(self, other: Self) -> Self { $ty::saturating_mul(self, other) }
            fn saturating_pow(self, exponent: u32) -> Self { $ty::saturating_pow(self, exponent) }
        }
    )* };
}
integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

macro_rules! floats {
    ($($ty:ident $variant:ident)*) => { $(
        impl Number for $ty {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const MIN: Self = $ty::MIN;
            const MAX: Self = $ty::MAX;
            casts!($variant);
        }
        impl Float for $ty {
            const INFINITY: Self = $ty::INFINITY;
            const EPSILON: Self = $ty::EPSILON;
            #[allow(clippy::cast_possible_truncation, clippy::cast_lossless, trivial_numeric_casts, reason = "to either")]
            fn from_f32(value: f32) -> Self { value as $ty }
            #[allow(clippy::cast_possible_truncation, trivial_numeric_casts, reason = "to either")]
            fn from_f64(value: f64) -> Self { value as $ty }
            // -0 is less than +0, as in kernels.
            fn min(self, other: Self) -> Self { semantics::min(self, other) }
            fn max(self, other: Self) -> Self { semantics::max(self, other) }
            fn clamp(self, min: Self, max: Self) -> Self { $ty::clamp(self, min, max) }
            fn abs(self) -> Self { $ty::abs(self) }
            fn copysign(self, sign: Self) -> Self { $ty::copysign(self, sign) }
            fn sqrt(self) -> Self { $ty::sqrt(self) }
            fn mul_add(self, a: Self, b: Self) -> Self { $ty::mul_add(self, a, b) }
            fn recip(self) -> Self { $ty::recip(self) }
            fn floor(self) -> Self { $ty::floor(self) }
            fn ceil(self) -> Self { $ty::ceil(self) }
            fn trunc(self) -> Self { $ty::trunc(self) }
            fn round(self) -> Self { $ty::round(self) }
            fn round_ties_even(self) -> Self { $ty::round_ties_even(self) }
            fn fract(self) -> Self { $ty::fract(self) }
            fn is_nan(self) -> bool { $ty::is_nan(self) }
            fn is_finite(self) -> bool { $ty::is_finite(self) }
        }
    )* };
}
floats! { f32 Single f64 Double }
