//! The kernels of logistic regression.

use vyre::prelude::*;

/// The features of a sample.
#[vyre::device]
pub const FEATURES: usize = 16;

/// The sums of a chunk: the gradient by each weight and by the bias, and the loss.
#[vyre::device]
pub const SUMS: usize = FEATURES + 2;

/// The error of each sample, the predicted probability less the label, and its loss. `x` has a row for each feature.
#[vyre::kernel]
pub fn predict(x: &[f32], labels: &[f32], weights: &[f32], errors: &mut [f32], losses: &mut [f32]) {
    let i = thread::index();
    let samples = labels.len();
    if i < samples {
        let mut logit = weights[FEATURES];
        for feature in 0..FEATURES {
            logit = weights[feature].mul_add(x[feature * samples + i], logit);
        }
        // The logarithm of 1 + exp(logit), for any logit.
        let size = if logit < 0.0 { -logit } else { logit };
        let rest = (-size).exp();
        let positive = if logit > 0.0 { logit } else { 0.0 };
        losses[i] = positive + rest.ln_1p() - labels[i] * logit;
        let probability = if logit < 0.0 {
            rest / (1.0 + rest)
        } else {
            1.0 / (1.0 + rest)
        };
        errors[i] = probability - labels[i];
    }
}

/// The sums of chunks of `length` samples. A block computes one of the sums of a chunk.
#[vyre::kernel(block = 128)]
pub fn sums(length: usize, x: &[f32], errors: &[f32], losses: &[f32], out: &mut [f32]) {
    let (chunk, which) = (block::idx().x / SUMS, block::idx().x % SUMS);
    let samples = errors.len();
    let mut own = 0.0;
    let mut i = thread::idx().x;
    while i < length {
        let sample = chunk * length + i;
        if which < FEATURES {
            own = errors[sample].mul_add(x[which * samples + sample], own);
        } else if which == FEATURES {
            own += errors[sample];
        } else {
            own += losses[sample];
        }
        i += 128;
    }
    let all = block::sum(own);
    if thread::idx().x == 0 {
        out[block::idx().x] = all;
    }
}

/// A step of descent by the sums of all chunks, which are added in an order of their own: it depends on nothing but their number.
/// A block adds up one of the sums. The last weight is the bias, and after it comes the loss.
#[vyre::kernel(block = 128)]
pub fn descend(rate: f32, samples: f32, sums: &[f32], weights: &mut [f32]) {
    let which = block::idx().x;
    let mut own = 0.0;
    let mut at = which + SUMS * thread::idx().x;
    while at < sums.len() {
        own += sums[at];
        at += 128 * SUMS;
    }
    let mean = block::sum(own) / samples;
    if thread::idx().x == 0 {
        weights[which] = if which < SUMS - 1 {
            weights[which] - rate * mean
        } else {
            mean
        };
    }
}
