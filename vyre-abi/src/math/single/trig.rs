//! Sine, cosine and tangent.
//!
//! A multiple of pi/2 is subtracted: with pi/2 in two parts (W. J. Cody and W. Waite, Software Manual for the Elementary
//! Functions, 1980), the first of which leaves an exact difference; for large arguments, and for those near a multiple of
//! pi/2, by the product of all bits that count with the bits of 2/pi (M. H. Payne and R. N. Hanek, Radian reduction for
//! trigonometric functions, 1983).

use crate::math::normal::normal_recip;

/// Added and subtracted, it rounds to an integer, which is then in the low bits: 1.5 * 2^23.
const ROUND: f32 = 12582912.0;
const TWO_OVER_PI: f32 = 0.63661975;
/// pi/2 in two parts. The second one is large enough for the test of [`reduced`], and its own rest counts for little.
const PART_1: f32 = 1.5707954;
const PART_2: f32 = 9.099629e-7;
const HALF_PI: f32 = 1.5707964;
const HALF_PI_LOW: f32 = -4.371139e-8;
const PI: f32 = 3.1415927;
const PI_LOW: f32 = -8.742278e-8;
/// The bits of 2/pi behind the point, after 32 zeros.
const BITS: [u32; 8] = [
    0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
];

/// (r, cut, n) with x = n pi/2 + r - cut and |r| up to pi/4; n counts modulo 4. NaN for infinite x.
#[inline(always)]
pub fn reduced(x: f32) -> (f32, f32, u32) {
    let shifted = x.mul_add(TWO_OVER_PI, ROUND);
    let n = shifted - ROUND;
    // Exact: a multiple of 2^-24, below 1.
    let near = (-n).mul_add(PART_1, x);
    let r = (-n).mul_add(PART_2, near);
    let step = r - near;
    // Where r is smaller than the step, that is inexact, and the bits behind the second part count; so it is where n is
    // no integer, since the step grows with it.
    if r.abs() >= step.abs() {
        (r, n.mul_add(PART_2, step), shifted.to_bits())
    } else {
        reduced_by_bits(x)
    }
}

/// As [`reduced`], for |x| from 1.
#[inline(always)]
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
    let cut = (r - most) - tail;
    if x < 0.0 {
        (-r, -cut, 4 - quadrant)
    } else {
        (r, cut, quadrant)
    }
}

/// An element of [`BITS`], which is mentioned once, so that kernels have one copy.
#[inline(always)]
pub fn word(at: usize) -> u64 {
    BITS[at & 7] as u64
}

/// sin(r - cut) for |r| up to pi/4.
#[inline(always)]
pub fn near_sin(r: f32, cut: f32) -> f32 {
    let z = r * r;
    let p = -1.9481333e-4f32;
    let p = p.mul_add(z, 8.331911e-3);
    let p = p.mul_add(z, -1.6666651e-1);
    // +0 keeps the sign of a zero: the first term of the sum is then -0.
    z.mul_add(r, 0.0).mul_add(p, -cut) + r
}

/// cos(r - cut) for |r| up to pi/4.
#[inline(always)]
pub fn near_cos(r: f32, cut: f32) -> f32 {
    let z = r * r;
    let p = 2.4391531e-5f32;
    let p = p.mul_add(z, -1.3886947e-3);
    let p = p.mul_add(z, 4.1666638e-2);
    // 1 - z / 2, and what its rounding has cut off.
    let most = z.mul_add(-0.5, 1.0);
    let rest = z.mul_add(-0.5, 1.0 - most);
    most + (z * z).mul_add(p, r.mul_add(cut, rest))
}

/// sin x and cos x, of radians.
#[inline(always)]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let (r, cut, n) = reduced(x);
    let (s, c) = (near_sin(r, cut), near_cos(r, cut));
    let (s, c) = if n & 1 == 0 { (s, c) } else { (c, -s) };
    if n & 2 == 0 { (s, c) } else { (-s, -c) }
}

/// sin x, of radians.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (r, cut, n) = reduced(x);
    let y = if n & 1 == 0 { near_sin(r, cut) } else { near_cos(r, cut) };
    if n & 2 == 0 { y } else { -y }
}

/// cos x, of radians.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (r, cut, n) = reduced(x);
    let y = if n & 1 == 0 { near_cos(r, cut) } else { near_sin(r, cut) };
    if n.wrapping_add(1) & 2 == 0 { y } else { -y }
}

/// tan x, of radians.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    let (r, cut, n) = reduced(x);
    let (s, c) = (near_sin(r, cut), near_cos(r, cut));
    let (top, below) = if n & 1 == 0 { (s, c) } else { (-c, s) };
    top * normal_recip(below)
}

/// x less a multiple of 2, from -1 to 1, exact; NaN for infinite x.
#[inline(always)]
pub fn within_turn(x: f32) -> f32 {
    (x * 0.5).round_ties_even().mul_add(-2.0, x)
}

/// sin(pi r) for |r| up to 1/4.
#[inline(always)]
pub fn near_sin_pi(r: f32) -> f32 {
    let z = r * r;
    let p = -5.89576e-1f32;
    let p = p.mul_add(z, 2.5498197);
    let p = p.mul_add(z, -5.1677094);
    r.mul_add(PI, r * p.mul_add(z, PI_LOW))
}

/// cos(pi r) for |r| up to 1/4.
#[inline(always)]
pub fn near_cos_pi(r: f32) -> f32 {
    let z = r * r;
    let p = 2.2874317e-1f32;
    let p = p.mul_add(z, -1.3347361);
    let p = p.mul_add(z, 4.0586963);
    let p = p.mul_add(z, -4.934802);
    z.mul_add(p, 1.0)
}

/// sin(pi x).
#[inline(always)]
pub fn sin_pi(x: f32) -> f32 {
    let near = within_turn(x);
    let a = near.abs();
    let n = a.mul_add(2.0, ROUND) - ROUND;
    let r = n.mul_add(0.5, -a);
    let y = if n == 1.0 { near_cos_pi(r) } else { near_sin_pi(r) };
    // Integers give a zero with their sign.
    y.copysign(if y == 0.0 { x } else { near })
}

/// cos(pi x).
#[inline(always)]
pub fn cos_pi(x: f32) -> f32 {
    let a = within_turn(x).abs();
    let n = a.mul_add(2.0, ROUND) - ROUND;
    // From a to the multiple of 1/2: +0 at halves, where the result is +0.
    let r = n.mul_add(0.5, -a);
    if n == 1.0 {
        near_sin_pi(r)
    } else {
        // The factor is -1 for n = 2.
        near_cos_pi(r) * (1.0 - n)
    }
}
