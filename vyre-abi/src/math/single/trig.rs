//! Sine, cosine and tangent.
//!
//! A multiple of pi/2 is subtracted: up to [`LIMIT`] with pi/2 in three parts (W. J. Cody and W. Waite, Software Manual
//! for the Elementary Functions, 1980), the first two of which leave exact differences; for larger arguments,
//! and for those near a multiple of pi/2, by the product of all bits that count with the bits of 2/pi (M. H. Payne and R.
//! N. Hanek, Radian reduction for trigonometric functions, 1983).

use crate::math::normal::normal_recip;

const ROUND: f32 = 12582912.0;
const ROUND_BITS: u32 = 0x4b400000;
const TWO_OVER_PI: f32 = 0.63661975;
/// pi/2 in three parts, of which the second one has 11 bits.
const PART_1: f32 = 1.5707963705062866;
const PART_2: f32 = -4.371395334601402e-08;
const PART_3: f32 = 2.5633440682570896e-12;
/// The largest argument with a multiple that has 13 bits.
const LIMIT: f32 = 12000.0;
const HALF_PI: f32 = 1.5707964;
const HALF_PI_LOW: f32 = -4.371139e-8;
const PI: f32 = 3.1415927;
const PI_LOW: f32 = -8.742278e-8;
/// The bits of 2/pi behind the point, after 32 zeros.
const BITS: [u32; 8] = [
    0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
];

/// (r, low, n) with x = n pi/2 + r + low and |r| up to pi/4; n counts modulo 4. NaN for infinite x.
#[inline]
pub fn reduced(x: f32) -> (f32, f32, u32) {
    let shifted = x.mul_add(TWO_OVER_PI, ROUND);
    let n = shifted - ROUND;
    // Exact, a multiple of 2^-24 below 1, and an exact product.
    let near = (-n).mul_add(PART_1, x);
    let second = n * PART_2;
    let r = near - second;
    let low = (-n).mul_add(PART_3, (near - r) - second);
    // Where r is small its last bits are those of the third part, which are too few.
    if x.abs() <= LIMIT && r.abs() > 2.0e-6 {
        (r, low, shifted.to_bits().wrapping_sub(ROUND_BITS))
    } else if x.abs() < 0.5 {
        (x, 0.0, 0)
    } else {
        reduced_by_bits(x)
    }
}

/// As [`reduced`], for |x| from 1.
#[inline]
pub fn reduced_by_bits(x: f32) -> (f32, f32, u32) {
    if !x.is_finite() {
        return (f32::NAN, 0.0, 0);
    }
    let bits = x.to_bits();
    // Bits of 2/pi so high that their products are multiples of 4 are left out.
    let start = (bits >> 23 & 0xff) - 120;
    let (at, shift) = ((start >> 5) as usize, start & 31);
    let (a, b, c, d) = (word(at), word(at + 1), word(at + 2), word(at + 3));
    let high = (a << 32 | b) << shift >> 32;
    let middle = (b << 32 | c) << shift >> 32;
    let low = (c << 32 | d) << shift >> 32;
    let mantissa = (bits & 0x7fffff | 0x800000) as u64;
    let low = low * mantissa;
    let middle = middle * mantissa + (low >> 32);
    let high = (high & 0xffffffff) * mantissa + (middle >> 32);
    // x * 2/pi modulo 4, times 2^62.
    let product = high << 32 | middle & 0xffffffff;
    let fraction = (product << 2) as i64;
    let quadrant = (product >> 62) as u32 + (fraction < 0) as u32;
    let upper = fraction as f32;
    let lower = (fraction.wrapping_sub(upper as i64)) as f32;
    // 2^-64
    let upper = upper * 5.421010862427522e-20;
    let lower = lower * 5.421010862427522e-20;
    let most = upper * HALF_PI;
    let tail = upper.mul_add(HALF_PI, -most) + upper.mul_add(HALF_PI_LOW, lower * HALF_PI);
    let r = most + tail;
    let tail = tail - (r - most);
    if x < 0.0 {
        (-r, -tail, 4 - quadrant)
    } else {
        (r, tail, quadrant)
    }
}

/// An element of [`BITS`], which is mentioned once, so that kernels have one copy.
#[inline]
pub fn word(at: usize) -> u64 {
    BITS[at & 7] as u64
}

/// sin(r + low) for |r| up to pi/4.
#[inline]
pub fn near_sin(r: f32, low: f32) -> f32 {
    let z = r * r;
    let p = -1.951861e-4f32;
    let p = p.mul_add(z, 8.332191e-3);
    let p = p.mul_add(z, -1.6666655e-1);
    (z * r).mul_add(p, low) + r
}

/// cos(r + low) for |r| up to pi/4.
#[inline]
pub fn near_cos(r: f32, low: f32) -> f32 {
    let z = r * r;
    let p = 2.443074e-5f32;
    let p = p.mul_add(z, -1.3887301e-3);
    let p = p.mul_add(z, 4.1666646e-2);
    // 1 - z / 2, and what its rounding has cut off.
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cut = (1.0 - most) - half;
    most + (z * z).mul_add(p, (-r).mul_add(low, cut))
}

/// sin x and cos x, of radians.
#[inline]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let (r, low, n) = reduced(x);
    let (s, c) = (near_sin(r, low), near_cos(r, low));
    let (s, c) = if n & 1 == 0 { (s, c) } else { (c, -s) };
    let (s, c) = if n & 2 == 0 { (s, c) } else { (-s, -c) };
    // The sum loses the sign of -0.
    (if x == 0.0 { x } else { s }, c)
}

/// sin x, of radians.
#[inline]
pub fn sin(x: f32) -> f32 {
    let (r, low, n) = reduced(x);
    let y = if n & 1 == 0 { near_sin(r, low) } else { near_cos(r, low) };
    if x == 0.0 {
        x
    } else if n & 2 == 0 {
        y
    } else {
        -y
    }
}

/// cos x, of radians.
#[inline]
pub fn cos(x: f32) -> f32 {
    let (r, low, n) = reduced(x);
    let y = if n & 1 == 0 { near_cos(r, low) } else { near_sin(r, low) };
    if n.wrapping_add(1) & 2 == 0 { y } else { -y }
}

/// tan x, of radians.
#[inline]
pub fn tan(x: f32) -> f32 {
    let (r, low, n) = reduced(x);
    let (s, c) = (near_sin(r, low), near_cos(r, low));
    let (top, below) = if n & 1 == 0 { (s, c) } else { (-c, s) };
    let y = top * normal_recip(below);
    if x == 0.0 { x } else { y }
}

/// (r, n) with x = n/2 + r and |r| up to 1/4, both exact; n counts modulo 4. NaN for infinite x.
#[inline]
pub fn halves(x: f32) -> (f32, u32) {
    // Multiples of 2 do not count, and from 2^24 all numbers are such.
    let x = x - 2.0 * (x * 0.5).trunc();
    let shifted = x.mul_add(2.0, ROUND);
    (
        (shifted - ROUND).mul_add(-0.5, x),
        shifted.to_bits().wrapping_sub(ROUND_BITS),
    )
}

/// sin(pi r) for |r| up to 1/4.
#[inline]
pub fn near_sin_pi(r: f32) -> f32 {
    let z = r * r;
    let p = 7.9171896e-2f32;
    let p = p.mul_add(z, -5.989821e-1);
    let p = p.mul_add(z, 2.5501547);
    let p = p.mul_add(z, -5.1677127);
    r.mul_add(PI, r.mul_add(PI_LOW, z * r * p))
}

/// cos(pi r) for |r| up to 1/4.
#[inline]
pub fn near_cos_pi(r: f32) -> f32 {
    let z = r * r;
    let p = 2.2874317e-1f32;
    let p = p.mul_add(z, -1.3347361);
    let p = p.mul_add(z, 4.0586963);
    let p = p.mul_add(z, -4.934802);
    z.mul_add(p, 1.0)
}

/// sin(pi x).
#[inline]
pub fn sin_pi(x: f32) -> f32 {
    let (r, n) = halves(x);
    let y = if n & 1 == 0 { near_sin_pi(r) } else { near_cos_pi(r) };
    let y = if n & 2 == 0 { y } else { -y };
    // Integers give a zero with their sign.
    if x == x.trunc() { x * 0.0 } else { y }
}

/// cos(pi x).
#[inline]
pub fn cos_pi(x: f32) -> f32 {
    let (r, n) = halves(x);
    let y = if n & 1 == 0 { near_cos_pi(r) } else { near_sin_pi(r) };
    let y = if n.wrapping_add(1) & 2 == 0 { y } else { -y };
    // Halves give +0.
    y + 0.0
}
