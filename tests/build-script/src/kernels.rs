//! Kernels with constants of their file. Attributes of the file stay behind.

use vyre::prelude::*;

/// Columns of a picture.
pub const WIDTH: usize = 16;

const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];

/// The offset added by `levels`, unless set by the host.
#[vyre::constant]
pub static LEVELS: [u32; 2] = tens(1);

#[vyre::device]
const fn tens(mut first: u32) -> [u32; 2] {
    let mut tens = [0; 2];
    let mut at = 0;
    while at < 2 {
        tens[at] = 10 * first;
        first += 1;
        at += 1;
    }
    tens
}

/// Adds the level of each remainder.
#[vyre::kernel]
pub fn levels(#[each] y: &mut u32) {
    *y += inner::level(*y as usize % 2);
}

/// Adds the left and right neighbours.
#[vyre::kernel]
pub fn blur(from: &[f32], to: &mut [f32]) {
    let i = thread::index();
    if i < to.len() {
        let column = i % WIDTH;
        let mut sum = WEIGHTS[1] * from[i];
        if column > 0 {
            sum = added(sum, || weighted(from, i - 1, 0));
        }
        if column + 1 < WIDTH {
            sum += weighted(from, i + 1, 2);
        }
        to[i] = sum;
    }
}

/// Takes a closure, which captures a parameter of the kernel.
#[vyre::device]
fn added(sum: f32, more: impl FnOnce() -> f32) -> f32 {
    sum + more()
}

/// A device function, which the host may call too.
#[vyre::device]
#[must_use]
pub fn weighted(from: &[f32], i: usize, weight: usize) -> f32 {
    let value = inner::element(from, i);
    WEIGHTS[weight] * value
}

/// Kernels of a module see its constants.
pub mod inner {
    use vyre::prelude::*;

    const START: u32 = 100;

    /// In another module than its caller.
    #[device]
    pub(super) fn element(from: &[f32], i: usize) -> f32 {
        from[i]
    }

    /// Reads a constant that the host sets.
    #[device]
    pub(super) fn level(remainder: usize) -> u32 {
        super::LEVELS[remainder]
    }

    /// Counts from `START`.
    #[kernel(block = 64, launcher = Counter)]
    pub fn count(out: &mut [u32]) {
        let i = thread::index();
        if i < out.len() {
            out[i] = START + i as u32;
        }
    }
}

/// A generic kernel.
#[vyre::kernel(T = [u32, f32], N = [3])]
pub fn repeat<T: Copy, const N: usize>(from: &[T], to: &mut [T]) {
    let i = thread::index();
    if i < to.len() {
        to[i] = from[i / N];
    }
}

/// Items other than kernels stay unchanged.
#[must_use]
pub fn host() -> usize {
    WIDTH
}

/// A type with methods.
#[vyre::device]
pub mod complex {
    use core::ops::{Add, Mul};

    /// A complex number.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Complex {
        /// The real part.
        pub re: f32,
        /// The imaginary part.
        pub im: f32,
    }

    impl Complex {
        /// The imaginary unit.
        pub const I: Self = Self::new(0.0, 1.0);

        /// A number of its parts.
        #[must_use]
        pub const fn new(re: f32, im: f32) -> Self {
            Self { re, im }
        }

        /// The square of the absolute value.
        #[must_use]
        pub fn norm(&self) -> f32 {
            self.re * self.re + self.im * self.im
        }
    }

    impl Add for Complex {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            Self::new(self.re + other.re, self.im + other.im)
        }
    }

    impl Mul for Complex {
        type Output = Self;

        fn mul(self, other: Self) -> Self {
            Self::new(
                self.re * other.re - self.im * other.im,
                self.re * other.im + self.im * other.re,
            )
        }
    }
}

/// Rotates each number by a right angle, and computes its distance from 1.
#[vyre::kernel]
pub fn turn(#[each] number: &mut complex::Complex, #[each] distance: &mut f32) {
    use complex::Complex;
    *number = *number * Complex::I;
    *distance = (*number + Complex::new(-1.0, 0.0)).norm();
}

/// Rows of a table, which a kernel takes as one argument.
#[vyre::device]
pub struct Rows<'a> {
    /// The values.
    pub values: &'a [f32],
    /// The sum of each row.
    pub sums: &'a mut [f32],
    /// The length of a row.
    pub columns: u32,
}

#[vyre::device]
fn row(rows: &Rows<'_>, at: usize) -> f32 {
    let columns = rows.columns as usize;
    let mut sum = 0.0;
    for column in 0..columns {
        sum += rows.values[at * columns + column];
    }
    sum
}

/// Adds the values of each row.
#[vyre::kernel]
pub fn sum_rows(rows: Rows<'_>, scale: f32) {
    let i = thread::index();
    if i < rows.sums.len() {
        rows.sums[i] = scale * row(&rows, i);
    }
}
