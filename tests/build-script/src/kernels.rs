//! Kernels with constants of their file. Attributes of the file stay behind.

use vyre::prelude::*;

/// Columns of a picture.
pub const WIDTH: usize = 16;

const WEIGHTS: [f32; 3] = [0.25, 0.5, 0.25];

/// Adds what stands left and right.
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

    /// Stands in another module than what calls it.
    #[device]
    pub(super) fn element(from: &[f32], i: usize) -> f32 {
        from[i]
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

/// What is no kernel stays as it is.
#[must_use]
pub fn host() -> usize {
    WIDTH
}
