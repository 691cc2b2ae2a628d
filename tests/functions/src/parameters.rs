//! Types with parameters.

use vyre::prelude::*;

/// Two values of one type.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<T> {
    /// The first one.
    pub a: T,
    /// The second one.
    pub b: T,
}

/// A key with what belongs to it.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<K, T, const N: usize>
where
    T: Number,
{
    /// The key.
    pub key: K,
    /// The values.
    pub values: [T; N],
    counted: Count,
}

/// A private type of a private alias.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Counted<const N: usize> {
    of: [u32; N],
}

#[vyre::device]
type Count = Counted<2>;

/// Four values.
#[vyre::device]
pub type Four<T> = Pair<Pair<T>>;

/// An entry of a key.
#[vyre::device]
pub fn entry<K: Copy, T: Number, const N: usize>(key: K, values: [T; N]) -> Entry<K, T, N> {
    let counted = Counted { of: [N as u32, 1] };
    Entry { key, values, counted }
}

/// How much an entry counts.
#[vyre::device]
pub fn counted<K: Copy, T: Number, const N: usize>(entry: &Entry<K, T, N>) -> u32 {
    let Counted { of: [first, second] } = entry.counted;
    first * 10 + second
}

/// One of two.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Either<A, B> {
    /// The one.
    Left(A),
    /// The other.
    Right(B),
    /// Neither of them.
    Neither,
}

/// The payload of the left variant.
#[vyre::device]
pub fn left<A: Copy, B: Copy>(of: Either<A, B>) -> Option<A> {
    match of {
        Either::Left(a) => Some(a),
        _ => None,
    }
}

/// Vectors and matrices of any size.
#[vyre::device]
pub mod algebra {
    use core::ops::{Add, Mul};

    use super::Pair;
    use vyre::Number;

    /// A vector.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Vector<T, const N: usize> {
        /// Its elements.
        pub of: [T; N],
    }

    /// A matrix by rows.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Matrix<T, const R: usize, const C: usize> {
        /// Its rows.
        pub rows: [Vector<T, C>; R],
    }

    impl<T: Number, const N: usize> Vector<T, N> {
        /// Nothing.
        pub const ZERO: Self = Self { of: [T::ZERO; N] };
        /// How many elements there are.
        pub const LENGTH: usize = N;

        /// Equal elements.
        pub fn splat(value: T) -> Self {
            Self { of: [value; N] }
        }

        /// The inner product.
        pub fn dot(&self, other: &Self) -> T {
            let mut sum = T::ZERO;
            for i in 0..Self::LENGTH {
                sum += self.of[i] * other.of[i];
            }
            sum
        }

        /// Applies a function to each element.
        pub fn map<U: Number>(self, of: impl Fn(T) -> U) -> Vector<U, N> {
            let mut mapped = Vector::splat(U::ZERO);
            self.each(|i, element| mapped.of[i] = of(element));
            mapped
        }

        /// Calls a function with each element.
        pub fn each<F: FnMut(usize, T)>(&self, mut with: F) {
            for i in 0..N {
                with(i, self.of[i]);
            }
        }

        /// The first elements.
        pub fn first<const M: usize>(&self) -> [T; M] {
            let mut first = [T::ZERO; M];
            for i in 0..M {
                first[i] = self.of[i];
            }
            first
        }

        /// The ends.
        pub fn ends(self) -> Pair<T> {
            Pair {
                a: self.of[0],
                b: self.of[N - 1],
            }
        }
    }

    impl<T: Number, const N: usize> Add for Vector<T, N> {
        type Output = Self;

        fn add(mut self, other: Self) -> Self {
            for i in 0..N {
                self.of[i] += other.of[i];
            }
            self
        }
    }

    impl<T: Number, const N: usize> Mul<T> for Vector<T, N> {
        type Output = Self;

        fn mul(mut self, by: T) -> Self {
            for i in 0..N {
                self.of[i] *= by;
            }
            self
        }
    }

    impl<T: Number, const R: usize, const K: usize, const C: usize> Mul<Matrix<T, K, C>> for Matrix<T, R, K> {
        type Output = Matrix<T, R, C>;

        fn mul(self, other: Matrix<T, K, C>) -> Matrix<T, R, C> {
            let mut rows = [Vector::ZERO; R];
            for r in 0..R {
                for k in 0..K {
                    rows[r] = rows[r] + other.rows[k] * self.rows[r].of[k];
                }
            }
            Matrix { rows }
        }
    }

    /// A trait with a measure.
    pub trait Measured {
        /// The type of an element.
        type One;
        /// A factor.
        const FACTOR: u32;

        /// Its size.
        fn measure(&self) -> u32;

        /// An element.
        fn one(&self) -> Self::One;

        /// Its size with the factor.
        fn scaled(&self) -> u32 {
            self.measure() * Self::FACTOR
        }
    }

    impl Measured for u32 {
        type One = u32;
        const FACTOR: u32 = 2;

        fn measure(&self) -> u32 {
            *self
        }

        fn one(&self) -> u32 {
            *self
        }
    }

    impl<T: Measured + Copy, const N: usize> Measured for Vector<T, N> {
        type One = T;
        const FACTOR: u32 = T::FACTOR + 1;

        fn measure(&self) -> u32 {
            let mut sum = 0;
            for i in 0..N {
                sum += self.of[i].scaled();
            }
            sum
        }

        fn one(&self) -> T {
            self.of[0]
        }
    }

    /// The measures of two.
    pub fn both<A: Measured, B: Measured>(a: &A, b: &B) -> u32 {
        a.scaled() * 1000 + b.measure()
    }
}
