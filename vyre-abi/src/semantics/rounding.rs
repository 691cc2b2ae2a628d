//! Rounding to whole numbers.
//!
//! Where the machine has an instruction for it, std's functions are that instruction. x86-64
//! without SSE 4.1 has none, and std calls a library there, once for each element and some seven
//! times slower than what stands here, which is made of additions and comparisons and vectorises.

/// Whether std's rounding functions are calls of a library.
const CALLS: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "sse4.1")));

/// Rounding to whole numbers.
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
                // Up to zero, a negative number keeps its sign.
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
                // From this limit on every float is whole, and a sum that reaches it is rounded to one.
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
