//! Rounding to integral values.
//!
//! std's functions are a single instruction on machines that have one. x86-64 without SSE 4.1 does
//! not; there std calls a library function per element, some seven times slower than the
//! implementation here, which consists of additions and comparisons and vectorises.

/// True if std's rounding functions are library calls.
const CALLS: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "sse4.1")));

/// Rounding to integral values.
pub(super) trait Whole {
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn round(self) -> Self;
    fn round_ties_even(self) -> Self;
}

macro_rules! whole {
    ($float:ident, $limit:expr) => {
        impl Whole for $float {
            #[inline(always)]
            fn floor(self) -> Self {
                if !CALLS {
                    return <$float>::floor(self);
                }
                let near = Whole::round_ties_even(self);
                near - if near > self { 1.0 } else { 0.0 }
            }

            #[inline(always)]
            fn ceil(self) -> Self {
                if !CALLS {
                    return <$float>::ceil(self);
                }
                let near = Whole::round_ties_even(self);
                // A negative number that rounds up to zero keeps its sign.
                (near + if near < self { 1.0 } else { 0.0 }).copysign(self)
            }

            #[inline(always)]
            fn trunc(self) -> Self {
                if !CALLS {
                    return <$float>::trunc(self);
                }
                Whole::floor(self.abs()).copysign(self)
            }

            #[inline(always)]
            fn round(self) -> Self {
                if !CALLS {
                    return <$float>::round(self);
                }
                let (size, below) = (self.abs(), Whole::floor(self.abs()));
                // The difference is exact.
                let up = if size - below >= 0.5 { 1.0 } else { 0.0 };
                (below + up).copysign(self)
            }

            #[inline(always)]
            fn round_ties_even(self) -> Self {
                if !CALLS {
                    return <$float>::round_ties_even(self);
                }
                // From this limit on every float is integral, and a sum that reaches it is rounded
                // to an integral value.
                let limit: $float = $limit;
                let size = self.abs();
                let near = (size + limit) - limit;
                if size < limit { near.copysign(self) } else { self }
            }
        }
    };
}

whole!(f32, 8_388_608.0);
whole!(f64, 4_503_599_627_370_496.0);
