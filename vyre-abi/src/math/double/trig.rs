//! Sine, cosine and tangent.
//!
//! A multiple of pi/2 is subtracted: up to [`LIMIT`] with pi/2 in four parts (W. J. Cody and W. Waite, Software Manual
//! for the Elementary Functions, 1980), of which the first three make exact products; for larger arguments, and for
//! those near a multiple of pi/2, by the product of all bits that count with the bits of 2/pi (M. H. Payne and R. N.
//! Hanek, Radian reduction for trigonometric functions, 1983).

const ROUND: f64 = 6755399441055744.0;
const ROUND_BITS: u64 = 0x4338000000000000;
const TWO_OVER_PI: f64 = 0.6366197723675814;
/// pi/2: parts of 26, 26 and 33 bits, and the rest.
const PART_1: f64 = 1.5707963407039642;
const PART_2: f64 = -1.3909067675399456e-8;
const PART_3: f64 = 6.12323399538461e-17;
const PART_4: f64 = 3.5215598651832e-27;
/// The largest argument with a multiple that has 20 bits.
const LIMIT: f64 = 1.6e6;
const HALF_PI: f64 = 1.5707963267948966;
const HALF_PI_LOW: f64 = 6.123233995736766e-17;
const PI: f64 = 3.141592653589793;
const PI_LOW: f64 = 1.2246467991473532e-16;
/// The bits of 2/pi behind the point, after 64 zeros, and zeros for places that are never read.
const BITS: [u32; 64] = [
    0, 0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046, 0xfc7b6bab, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
];

/// (r, low, n) with x = n pi/2 + r + low and |r| up to pi/4; n counts modulo 4. NaN for infinite x.
#[inline(always)]
pub fn reduced(x: f64) -> (f64, f64, u32) {
    let shifted = x.mul_add(TWO_OVER_PI, ROUND);
    let n = shifted - ROUND;
    let near = (-n).mul_add(PART_2, (-n).mul_add(PART_1, x));
    let third = n * PART_3;
    let r = near - third;
    let low = (-n).mul_add(PART_4, (near - r) - third);
    // Where r is small its last bits are those of the fourth part, which are too few.
    if x.abs() <= LIMIT && (n == 0.0 || r.abs() > 1.0e-15) {
        (r, low, shifted.to_bits().wrapping_sub(ROUND_BITS) as u32)
    } else {
        reduced_by_bits(x)
    }
}

/// As [`reduced`], for |x| from 1.
#[inline(always)]
pub fn reduced_by_bits(x: f64) -> (f64, f64, u32) {
    if !x.is_finite() {
        return (f64::NAN, 0.0, 0);
    }
    let bits = x.to_bits();
    // Bits of 2/pi so high that their products are multiples of 4 are left out.
    let start = (bits >> 52 & 0x7ff) as u32 - 1013;
    let (at, shift) = ((start >> 5) as usize, start & 31);
    let (a, b, c) = (window(at, shift), window(at + 1, shift), window(at + 2, shift));
    let (d, e, f) = (window(at + 3, shift), window(at + 4, shift), window(at + 5, shift));
    // The product of 192 bits with the mantissa, modulo 2^192, from the lowest 32 bits on: first with the mantissa's low
    // half, then with its high one.
    let low = bits & 0xffffffff;
    let high = bits >> 32 & 0xfffff | 0x100000;
    let f_low = low * f;
    let e_low = low * e + (f_low >> 32);
    let d_low = low * d + (e_low >> 32);
    let c_low = low * c + (d_low >> 32);
    let b_low = low * b + (c_low >> 32);
    let a_low = low * a + (b_low >> 32);
    let second = high * f + (e_low & 0xffffffff);
    let third = high * e + (d_low & 0xffffffff) + (second >> 32);
    let fourth = high * d + (c_low & 0xffffffff) + (third >> 32);
    let fifth = high * c + (b_low & 0xffffffff) + (fourth >> 32);
    let sixth = high * b + (a_low & 0xffffffff) + (fifth >> 32);
    // x * 2/pi modulo 4, times 2^62, and 64 more bits.
    let product = sixth << 32 | fifth & 0xffffffff;
    let more = fourth << 32 | third & 0xffffffff;
    let fraction = product << 2 | more >> 62;
    let more = more << 2;
    let is_above = fraction >> 63 == 1;
    let quadrant = (product >> 62) as u32 + is_above as u32;
    // Its distance to the nearest integer.
    let distance = if is_above {
        !fraction + (more == 0) as u64
    } else {
        fraction
    };
    let more = if is_above { more.wrapping_neg() } else { more };
    let upper = distance as f64;
    let lower = distance.wrapping_sub(upper as u64) as i64 as f64;
    // 2^-64 and 2^-128
    let upper = upper * 5.421010862427522e-20;
    let lower = lower * 5.421010862427522e-20 + more as f64 * 2.938735877055719e-39;
    let whole = upper + lower;
    let lower = lower - (whole - upper);
    let most = whole * HALF_PI;
    let tail = whole.mul_add(HALF_PI, -most) + whole.mul_add(HALF_PI_LOW, lower * HALF_PI);
    let r = most + tail;
    let tail = tail - (r - most);
    let (r, tail) = if is_above == (x < 0.0) { (r, tail) } else { (-r, -tail) };
    (r, tail, if x < 0.0 { 4 - quadrant } else { quadrant })
}

/// The 32 bits of [`BITS`] that begin `shift` bits after an element.
#[inline(always)]
pub fn window(at: usize, shift: u32) -> u64 {
    (word(at) << 32 | word(at + 1)) << shift >> 32
}

/// An element of [`BITS`], which is mentioned once, so that kernels have one copy.
#[inline(always)]
pub fn word(at: usize) -> u64 {
    BITS[at & 63] as u64
}

/// sin(r + low) for |r| up to pi/4, as the sum of r and of what is added to it.
#[inline(always)]
pub fn sin_terms(r: f64, low: f64) -> (f64, f64) {
    let z = r * r;
    let p = -7.380037681593128e-13f64;
    let p = p.mul_add(z, 1.6054132316502108e-10);
    let p = p.mul_add(z, -2.5052069634269958e-8);
    let p = p.mul_add(z, 2.7557319069674277e-6);
    let p = p.mul_add(z, -1.9841269840955927e-4);
    let p = p.mul_add(z, 8.333333333333038e-3);
    let p = p.mul_add(z, -1.6666666666666666e-1);
    (r, (z * r).mul_add(p, low))
}

/// sin(r + low) for |r| up to pi/4.
#[inline(always)]
pub fn near_sin(r: f64, low: f64) -> f64 {
    let (most, rest) = sin_terms(r, low);
    most + rest
}

/// cos(r + low) for |r| up to pi/4, as a sum of two numbers.
#[inline(always)]
pub fn cos_terms(r: f64, low: f64) -> (f64, f64) {
    let z = r * r;
    let p = 4.5797016445697745e-14f64;
    let p = p.mul_add(z, -1.146658750742371e-11);
    let p = p.mul_add(z, 2.0876719776657474e-9);
    let p = p.mul_add(z, -2.755731905200772e-7);
    let p = p.mul_add(z, 2.4801587301164907e-5);
    let p = p.mul_add(z, -1.3888888888888378e-3);
    let p = p.mul_add(z, 4.1666666666666664e-2);
    // 1 - z / 2, and what its rounding has cut off.
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cut = (1.0 - most) - half;
    (most, (z * z).mul_add(p, (-r).mul_add(low, cut)))
}

/// cos(r + low) for |r| up to pi/4.
#[inline(always)]
pub fn near_cos(r: f64, low: f64) -> f64 {
    let (most, rest) = cos_terms(r, low);
    most + rest
}

/// a + b for |a| above |b|, and what its rounding has cut off.
#[inline(always)]
pub fn sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// sin x and cos x, of radians.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let (r, low, n) = reduced(x);
    let (s, c) = (near_sin(r, low), near_cos(r, low));
    let (s, c) = if n & 1 == 0 { (s, c) } else { (c, -s) };
    let (s, c) = if n & 2 == 0 { (s, c) } else { (-s, -c) };
    // The sum loses the sign of -0.
    (if x == 0.0 { x } else { s }, c)
}

/// sin x, of radians.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
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
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let (r, low, n) = reduced(x);
    let y = if n & 1 == 0 { near_cos(r, low) } else { near_sin(r, low) };
    if n.wrapping_add(1) & 2 == 0 { y } else { -y }
}

/// tan x, of radians.
#[inline(always)]
pub fn tan(x: f64) -> f64 {
    let (r, low, n) = reduced(x);
    let (most, rest) = sin_terms(r, low);
    let (s, s_low) = sum(most, rest);
    let (most, rest) = cos_terms(r, low);
    let (c, c_low) = sum(most, rest);
    let is_even = n & 1 == 0;
    let (top, top_low) = if is_even { (s, s_low) } else { (-c, -c_low) };
    let (below, below_low) = if is_even { (c, c_low) } else { (s, s_low) };
    let inverse = 1.0 / below;
    let y = top * inverse;
    // The errors of the quotient and of both functions.
    let error = (-y).mul_add(below, top) + (-y).mul_add(below_low, top_low);
    let y = error.mul_add(inverse, y);
    if x == 0.0 { x } else { y }
}

/// (r, n) with x = n/2 + r and |r| up to 1/4, both exact; n counts modulo 4. NaN for infinite x.
#[inline(always)]
pub fn halves(x: f64) -> (f64, u32) {
    // Multiples of 2 do not count, and from 2^53 all numbers are such.
    let x = x - 2.0 * (x * 0.5).trunc();
    let shifted = x.mul_add(2.0, ROUND);
    (
        (shifted - ROUND).mul_add(-0.5, x),
        shifted.to_bits().wrapping_sub(ROUND_BITS) as u32,
    )
}

/// sin(pi r) for |r| up to 1/4.
#[inline(always)]
pub fn near_sin_pi(r: f64) -> f64 {
    let z = r * r;
    let p = 2.3384398903145716e-5f64;
    let p = p.mul_add(z, -2.7511012732651388e-5);
    let p = p.mul_add(z, 4.668641844244492e-4);
    let p = p.mul_add(z, -7.370460135243877e-3);
    let p = p.mul_add(z, 8.214588744532082e-2);
    let p = p.mul_add(z, -5.992645293335446e-1);
    let p = p.mul_add(z, 2.550164039877438);
    let p = p.mul_add(z, -5.16771278004997);
    r.mul_add(PI, r.mul_add(PI_LOW, z * r * p))
}

/// cos(pi r) for |r| up to 1/4.
#[inline(always)]
pub fn near_cos_pi(r: f64) -> f64 {
    let z = r * r;
    let p = -2.6797061352833388e-5f64;
    let p = p.mul_add(z, -9.693772392370391e-5);
    let p = p.mul_add(z, 1.928801650940796e-3);
    let p = p.mul_add(z, -2.5806851198169282e-2);
    let p = p.mul_add(z, 2.3533062920955275e-1);
    let p = p.mul_add(z, -1.335262768837004);
    let p = p.mul_add(z, 4.058712126416641);
    let p = p.mul_add(z, -4.934802200544679);
    z.mul_add(p, 1.0)
}

/// sin(pi x).
#[inline(always)]
pub fn sin_pi(x: f64) -> f64 {
    let (r, n) = halves(x);
    let y = if n & 1 == 0 { near_sin_pi(r) } else { near_cos_pi(r) };
    let y = if n & 2 == 0 { y } else { -y };
    // Integers give a zero with their sign.
    if x == x.trunc() { x * 0.0 } else { y }
}

/// cos(pi x).
#[inline(always)]
pub fn cos_pi(x: f64) -> f64 {
    let (r, n) = halves(x);
    let y = if n & 1 == 0 { near_cos_pi(r) } else { near_sin_pi(r) };
    let y = if n.wrapping_add(1) & 2 == 0 { y } else { -y };
    // Halves give +0.
    if n & 1 == 1 && r == 0.0 { 0.0 } else { y }
}
