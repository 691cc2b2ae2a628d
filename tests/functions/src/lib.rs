//! Device functions and constants, which the kernels in `tests/` use from other crates.

use vyre::prelude::*;

/// Half of a number.
#[vyre::device]
pub fn half(x: u32) -> u32 {
    x / DIVISOR
}

/// A kernel's file has its name in a call alone: a glob brings it.
#[vyre::device]
pub fn thrice(x: u32) -> u32 {
    x * 3
}

/// Private, but it goes along with what uses it.
#[vyre::device]
const DIVISOR: u32 = 2;

/// Calls a private function of a private module, and one of another module.
#[vyre::device]
pub fn mixed(x: u32) -> u32 {
    hidden::scaled(x) + deep::deeper::total(&[x, 1, 2])
}

mod hidden {
    use super::deep::deeper as below;

    /// The name of another function of this crate.
    #[vyre::device]
    fn half(x: u32) -> u32 {
        x * 1000
    }

    #[vyre::device]
    pub(super) fn scaled(x: u32) -> u32 {
        half(x) + super::half(x) + below::WEIGHTS[1]
    }
}

/// Modules of modules.
pub mod deep {
    /// The innermost one.
    pub mod deeper {
        /// A table.
        #[vyre::device]
        pub const WEIGHTS: [u32; LENGTH] = [7, 8, 9];

        #[vyre::device]
        const LENGTH: usize = 1 + 2;

        /// Adds numbers.
        #[vyre::device]
        pub fn total(numbers: &[u32]) -> u32 {
            let mut sum = 0;
            for i in 0..numbers.len() {
                add(&mut sum, numbers[i]);
            }
            sum
        }

        #[vyre::device]
        pub(in crate::deep) fn add(sum: &mut u32, number: u32) {
            *sum += number;
        }
    }
}

/// The sum of the values of a block of `BLOCK` threads, by a tree in shared memory.
#[vyre::device]
pub fn block_sum(value: u32) -> u32 {
    let tile = shared::<[u32; BLOCK]>();
    let t = thread::idx().x;
    tile[t] = value;
    block::sync();
    let mut width = BLOCK / 2;
    while width > 0 {
        if t < width {
            tile[t] += tile[t + width];
        }
        block::sync();
        width /= 2;
    }
    tile[0]
}

/// The side of a tile.
#[vyre::device]
pub const SIDE: usize = 32;

/// The threads of a block of [`block_sum`].
#[vyre::device]
pub const BLOCK: usize = 64;

/// Counts a value in a histogram.
#[vyre::device]
pub fn count(bins: &[AtomicU32], value: u32) {
    let bin = value as usize % bins.len();
    one_more(&bins[bin]);
}

#[vyre::device]
fn one_more(cell: &AtomicU32) {
    cell.fetch_add(1, Ordering::Relaxed);
}

/// A function called like a macro of the standard library.
#[vyre::device]
pub fn vec(x: u32) -> u32 {
    x + 1
}

/// Written by a macro, several times at the same place.
macro_rules! steps {
    ($($module:ident $by:literal)*) => { $(
        /// A step.
        pub mod $module {
            #[vyre::device]
            const BY: u32 = $by;

            /// Goes a step on.
            #[vyre::device]
            pub fn step(x: u32) -> u32 {
                x + BY
            }
        }
    )* };
}
steps! { by_one 1 by_ten 10 }

/// A polynomial of degree `N - 1`, by Horner's rule.
#[vyre::device]
pub fn polynomial<T: Float, const N: usize>(coefficients: &[T; N], x: T) -> T {
    let mut sum: T = coefficients[N - 1];
    for i in 1..N {
        sum = fused(sum, x, coefficients[N - 1 - i]);
    }
    sum
}

#[vyre::device]
fn fused<T>(a: T, b: T, c: T) -> T
where
    T: Float,
{
    a.mul_add(b, c)
}

/// The sum of a row of a matrix of `COLUMNS` columns.
#[vyre::device]
pub fn row_sum<const COLUMNS: usize, T: Number>(matrix: &[T], row: usize) -> T {
    let mut sum = T::ZERO;
    for column in 0..COLUMNS {
        sum += matrix[row * COLUMNS + column];
    }
    sum
}

/// The bits of a number, the other way around in each half.
#[vyre::device]
pub fn mixed_bits<T: Integer>(x: T, by: u32) -> T {
    let bits: T = x.rotate_left(by) ^ (!x >> 3);
    bits.wrapping_mul(x | T::ONE).min(T::MAX)
}

pub mod closures;
pub mod parameters;
pub mod shapes;

/// A point of the plane.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Upwards.
    pub y: f32,
}

/// The side of a point.
#[vyre::device]
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u16)]
pub enum Side {
    /// To the left of the other one.
    Left = 4,
    /// At the other one, or to its right.
    Right = 0,
}

/// Two points with a private type inside.
pub mod lines {
    use super::{Point as End, Side};

    /// From one point to another.
    #[vyre::device]
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Line {
        /// Its ends.
        pub ends: Ends,
        /// The side of the second end, seen from the first.
        pub side: Side,
        mark: hidden::Mark,
    }

    #[vyre::device]
    type Ends = [End; 2];

    mod hidden {
        #[vyre::device]
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) struct Mark(pub(super) u16);
    }

    /// A line between points.
    #[vyre::device]
    pub fn line(from: End, to: End) -> Line {
        let side = if to.x < from.x { Side::Left } else { Side::Right };
        Line {
            ends: [from, to],
            side,
            mark: hidden::Mark(7),
        }
    }

    /// Its mark.
    #[vyre::device]
    pub fn mark(line: &Line) -> u32 {
        let hidden::Mark(mark) = line.mark;
        mark as u32
    }
}

/// Points of space, with what they can do.
#[vyre::device]
pub mod geometry {
    use core::ops::{Add, AddAssign, Mul, Neg, Sub};

    use super::Point;

    /// A vector of space.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Vec3 {
        /// To the right.
        pub x: f32,
        /// Upwards.
        pub y: f32,
        depth: f32,
    }

    impl Vec3 {
        /// The origin.
        pub const ZERO: Vec3 = Vec3::new(0.0, 0.0, 0.0);
        /// How many numbers there are.
        pub const AXES: usize = 3;

        /// A vector of its parts.
        #[must_use]
        pub const fn new(x: f32, y: f32, depth: f32) -> Self {
            Self { x, y, depth }
        }

        /// The scalar product.
        #[must_use]
        pub fn dot(self, other: Self) -> f32 {
            let parts = self.products(&other);
            parts[0] + parts[1] + parts[2]
        }

        fn products(&self, other: &Vec3) -> [f32; Self::AXES] {
            [self.x * other.x, self.y * other.y, self.depth * other.depth]
        }

        /// Makes it longer.
        pub fn scale(&mut self, by: f32) {
            *self = *self * by;
        }

        /// The side of the vector.
        #[must_use]
        pub fn seen(self) -> Point {
            let away = 1.0 + self.depth * self.depth;
            Point {
                x: self.x / away,
                y: self.y / away,
            }
        }
    }

    impl Add for Vec3 {
        type Output = Self;

        fn add(self, other: Self) -> Self::Output {
            Self::new(self.x + other.x, self.y + other.y, self.depth + other.depth)
        }
    }

    impl Sub for Vec3 {
        type Output = Self;

        fn sub(self, other: Self) -> Self {
            self + -other
        }
    }

    impl Neg for Vec3 {
        type Output = Self;

        fn neg(self) -> Self {
            self * NEGATIVE
        }
    }

    impl Mul<f32> for Vec3 {
        type Output = Self;

        fn mul(self, by: f32) -> Self {
            Self::new(self.x * by, self.y * by, self.depth * by)
        }
    }

    impl Mul<Vec3> for f32 {
        type Output = Vec3;

        fn mul(self, vector: Vec3) -> Vec3 {
            vector * self
        }
    }

    impl AddAssign for Vec3 {
        fn add_assign(&mut self, other: Self) {
            *self = *self + other;
        }
    }

    const NEGATIVE: f32 = -1.0;

    /// A trait with a size.
    pub trait Sized2: Copy {
        /// How often it counts.
        const WEIGHT: f32;

        /// The size.
        fn size(&self) -> f32;

        /// The size with its weight.
        fn weighed(&self) -> f32 {
            self.size() * Self::WEIGHT
        }
    }

    impl Sized2 for Vec3 {
        const WEIGHT: f32 = 0.5;

        fn size(&self) -> f32 {
            self.dot(*self).sqrt()
        }
    }

    impl Sized2 for f32 {
        const WEIGHT: f32 = 2.0;

        fn size(&self) -> f32 {
            self.abs()
        }
    }

    /// The middle of two vectors.
    #[must_use]
    pub fn middle(a: Vec3, b: Vec3) -> Vec3 {
        0.5 * (a + b)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn as_on_the_host() {
            assert_eq!(
                middle(Vec3::new(1.0, 2.0, 3.0), -Vec3::ZERO).dot(Vec3::new(2.0, 2.0, 2.0)),
                6.0
            );
        }
    }
}
