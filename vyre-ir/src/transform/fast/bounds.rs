//! The stated errors of fast forms: one table, which documentation and the choice of approximations follow.
//!
//! They are NVIDIA's for instructions and functions, and a little wider where a GPU was found to exceed those. A bound of
//! `2^-n` of the result is at most `2^(24 - n)` ulp, and half of one for the rounding.

use super::Fast;

/// The stated error of a [`Fast`] form.
///
/// ```
/// use vyre_ir::transform::fast::Fast;
///
/// assert_eq!(Fast::Recip.bound().ulps, Some(1));
/// assert_eq!(Fast::Sin.bound().ulps, None); // large beside a sine near 0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bound {
    /// In words, with the arguments `x` and `y` of the form.
    pub stated: &'static str,
    /// The distance from the exact value, in units in the last place of that, which no argument exceeds; `None` if there is
    /// no such number.
    pub ulps: Option<u32>,
}

impl Fast {
    /// The stated error.
    ///
    /// ```
    /// use vyre_ir::transform::fast::Fast;
    ///
    /// for &form in Fast::ALL {
    ///     println!("{}: {}", form.name(), form.bound().stated);
    /// }
    /// ```
    pub const fn bound(self) -> Bound {
        let (stated, ulps) = match self {
            Fast::Exp2 => ("2^-22.5 of the result", Some(4)),
            // Up to the largest finite result, of 88.73. Results below the normal numbers have a larger ulp.
            Fast::Exp => ("3 + |1.173 x| ulp", Some(108)),
            // Up to 38.54.
            Fast::Exp10 => ("3 + |2.97 x| ulp", Some(118)),
            Fast::Log2 => ("2^-22 for x from 1/2 to 2, else 2^-22 of the result", None),
            Fast::Ln => ("2^-21.41 for x from 1/2 to 2, else 3 ulp", None),
            Fast::Log10 => ("2^-23.4 for x from 1/2 to 2, else 3 ulp", None),
            Fast::Log => ("none where a logarithm is near 0", None),
            Fast::Sin | Fast::Cos => ("2^-20 up to 2π, 2^-14.7 up to 100π, none beyond", None),
            Fast::Tan => ("none near the zeros of the cosine", None),
            Fast::Tanh => ("2^-11 of the result", Some(8193)),
            // Below -88.7 the power overflows, and the result is 0.
            Fast::Sigmoid => ("5 + |1.173 x| ulp for x from -88", None),
            Fast::Powf => ("grows with |y log2 x|; x from 0 up, 0^0 is NaN", None),
            Fast::Rsqrt => ("2^-22.9 of the result", Some(3)),
            Fast::Sqrt => ("2^-23 of the result", Some(3)),
            Fast::Recip => ("1 ulp", Some(1)),
            Fast::Div => ("2 ulp for |y| from 2^-126 to 2^126; a larger finite y gives 0", None),
        };
        Bound { stated, ulps }
    }
}
