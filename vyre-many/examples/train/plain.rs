//! The same regression in plain Rust, in double precision.

use super::kernels::FEATURES;

/// The losses of each step.
pub fn losses(x: &[[f32; FEATURES]], labels: &[f32], rate: f64, steps: usize) -> Vec<f64> {
    let mut weights = [0.0f64; FEATURES + 1];
    let step = |_| {
        let (mut gradient, mut loss) = ([0.0; FEATURES + 1], 0.0);
        for (sample, &label) in x.iter().zip(labels) {
            let products = weights
                .iter()
                .zip(sample)
                .map(|(weight, &value)| weight * f64::from(value));
            let logit = products.sum::<f64>() + weights[FEATURES];
            let label = f64::from(label);
            loss += logit.max(0.0) + (-logit.abs()).exp().ln_1p() - label * logit;
            let error = 1.0 / (1.0 + (-logit).exp()) - label;
            let values = sample.iter().map(|&value| f64::from(value)).chain([1.0]);
            gradient
                .iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += error * value);
        }
        let count = x.len() as f64;
        weights
            .iter_mut()
            .zip(gradient)
            .for_each(|(weight, sum)| *weight -= rate * sum / count);
        loss / count
    };
    (0..steps).map(step).collect()
}
