//! Activation functions of neural networks, which are products with a function that may be subnormal where they are not.

use super::error::normal_parts;
use super::exp::{parts, scaled};

/// sqrt(8 / pi), and that times 0.044715.
const FIRST: f32 = 1.5957692;
const FIRST_LOW: f32 = -4.534068e-8;
const THIRD: f32 = 7.1354814e-2;
const THIRD_LOW: f32 = 2.3988325e-9;

/// x / (1 + e^-v), where v = y + low has the sign of x.
#[inline(always)]
pub fn weighted(x: f32, y: f32, low: f32) -> f32 {
    let is_far = y.abs() > 110.0;
    let low = if y < 0.0 { low } else { -low };
    let (p, n) = parts(if is_far { -110.0 } else { -y.abs() }, if is_far { 0.0 } else { low });
    let below = 1.0 + scaled(p, n);
    if x < 0.0 {
        // Where this is subnormal, 1 + e^v is 1. The limit is 0.
        let x = if x < -120.0 { -120.0 } else { x };
        scaled(p * x / below, n)
    } else {
        x / below
    }
}

/// x / (1 + e^-x).
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    weighted(x, x, -0.0)
}

/// x times the probability that a normally distributed number with mean 0 and variance 1 is less than x.
#[inline(always)]
pub fn gelu(x: f32) -> f32 {
    let (p, n) = normal_parts(x);
    // The limit is 0.
    scaled(p * if x < -20.0 { -20.0 } else { x }, n)
}

/// x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
#[inline(always)]
pub fn gelu_tanh(x: f32) -> f32 {
    // Beyond, the cube makes the result x or 0.
    let z = if x > 20.0 { 20.0 } else { x };
    let z = if z < -20.0 { -20.0 } else { z };
    let square = z * z;
    let square_low = z.mul_add(z, -square);
    let cubic = square * THIRD;
    let cubic_low = square.mul_add(THIRD, -cubic) + square_low.mul_add(THIRD, square * THIRD_LOW);
    let sum = cubic + FIRST;
    let cut = if cubic > FIRST {
        FIRST - (sum - cubic)
    } else {
        cubic - (sum - FIRST)
    };
    let y = z * sum;
    let low = z.mul_add(sum, -y) + z * (cut + (cubic_low + FIRST_LOW));
    weighted(x, y, low)
}
