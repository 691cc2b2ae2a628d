//! User traits and functions with names known to vyre, core and rustc, and paths in angle brackets.

use vyre_semantics::everywhere;

#[vyre::device]
mod algebra {
    use core::ops::{Add, Mul};

    /// Not the one of vyre.
    pub(super) trait Number: Copy + Add<Output = Self> + Mul<Output = Self> {
        const ONE: Self;

        fn of(value: f64) -> Self;
        fn weight(self) -> f64;

        fn from_f64(value: f64) -> Self {
            Self::of(value) * Self::ONE
        }
    }

    impl Number for f64 {
        const ONE: f64 = 3.0;

        fn of(value: f64) -> f64 {
            value
        }

        fn weight(self) -> f64 {
            self
        }
    }

    /// A number, and how it changes.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Dual<T> {
        pub(super) value: T,
        pub(super) slope: T,
    }

    impl<T> Dual<T> {
        pub(super) const PARTS: u32 = 2;
    }

    impl<T: Number> Add for Dual<T> {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Dual {
                value: self.value + other.value,
                slope: self.slope + other.slope,
            }
        }
    }

    impl<T: Number> Mul for Dual<T> {
        type Output = Self;

        fn mul(self, other: Self) -> Self {
            Dual {
                value: self.value * other.value,
                slope: self.slope * other.value + self.value * other.slope,
            }
        }
    }

    impl<T: Number> Number for Dual<T> {
        const ONE: Self = Dual {
            value: <T>::ONE,
            slope: T::ONE,
        };

        fn of(value: f64) -> Self {
            Dual {
                value: <T>::of(value),
                slope: T::of(0.0),
            }
        }

        fn weight(self) -> f64 {
            self.value.weight() + 0.5 * self.slope.weight()
        }
    }

    /// The path that a point takes.
    pub(super) fn path<T: Number>(x: T) -> T {
        x * x + T::from_f64(2.0)
    }
}

use algebra::{Dual, Number, path};

#[vyre::device]
fn test(x: f64) -> f64 {
    let inner = Dual { value: x, slope: 1.0 };
    let outer = Dual {
        value: inner,
        slope: <Dual<f64>>::of(1.0),
    };
    path(outer).weight() + <f64 as Number>::of(x) + <f64>::max(x, 1.0) + f64::from(<Dual<f64>>::PARTS)
}

#[vyre::kernel]
fn named_alike(#[each] x: &f64, #[each] y: &mut f64) {
    *y = test(*x);
}

#[test]
fn names_mean_what_they_mean_to_rustc() {
    let x: Vec<f64> = (0..40).map(|i| i as f64 / 4.0 - 3.0).collect();
    everywhere(|place| {
        let (given, mut y) = (place.device().upload(&x)?, place.device().zeros::<f64>(x.len())?);
        place.over(named_alike(&given, &mut y), x.len())?;
        assert_eq!(y.download()?, x.iter().map(|&x| test(x)).collect::<Vec<f64>>());
        Ok(())
    });
}
