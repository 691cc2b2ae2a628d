//! The kernels of a hot plate.

use vyre::prelude::*;

/// The part of the difference to the four neighbours that flows in a step.
#[vyre::device]
pub const FLOW: f32 = 0.2;

/// A step of the rows from `first` on of a plate of `rows` rows. `now` begins one row before, and `next` with them. The border of
/// the plate keeps its temperature.
#[vyre::kernel]
pub fn step(first: usize, rows: usize, width: usize, now: &[f32], next: &mut [f32]) {
    let (x, y) = thread::index_2d();
    let at = y * width + x;
    if x < width && at < next.len() {
        let here = now[at + width];
        let row = first + y;
        next[at] = if row == 0 || row + 1 == rows || x == 0 || x + 1 == width {
            here
        } else {
            let sides = now[at + width - 1] + now[at + width + 1];
            let ends = now[at] + now[at + 2 * width];
            here + FLOW * (sides + ends - 4.0 * here)
        };
    }
}
