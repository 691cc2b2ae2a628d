//! The kernels. They know nothing of candle.

use vyre::prelude::*;

/// Threads of a block, which normalises one row.
pub(crate) const THREADS: usize = 256;

/// Divides each row by its root mean square, and multiplies it by the weights.
#[vyre::kernel(block = 256)]
pub(crate) fn rms_norm(x: &[f32], weight: &[f32], epsilon: f32, y: &mut [f32]) {
    let columns = weight.len();
    let start = block::idx().x * columns;
    let row = &x[start..start + columns];
    let out = &mut y[start..start + columns];
    let mut sum = 0.0;
    for column in (thread::idx().x..row.len()).step_by(256) {
        sum += row[column] * row[column];
    }
    let scale = 1.0 / (block::sum(sum) / columns as f32 + epsilon).sqrt();
    for column in (thread::idx().x..row.len()).step_by(256) {
        if column < out.len() && column < weight.len() {
            out[column] = row[column] * scale * weight[column];
        }
    }
}

/// Bends values smoothly so that they stay between `-cap` and `cap`.
#[vyre::kernel]
pub(crate) fn soft_cap(cap: f32, #[each] x: &mut f32) {
    *x = cap * (*x / cap).tanh();
}
