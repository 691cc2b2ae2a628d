//! Logarithms.
//!
//! x = 2^k (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), and log(1 + f) = f + f^2 q(f). The first term is exact, so the rounding
//! of the others counts little.

/// 2^-23: the exponent in its place is 2^23 times as large.
const UNIT: f32 = 1.1920929e-7;
const LN_2: f32 = 0.6931472 * UNIT;
const LOG2_E_HIGH: f32 = 1.442695;
const LOG2_E_LOW: f32 = 1.925963e-8;
const LOG10_E_HIGH: f32 = 0.4342945;
const LOG10_E_LOW: f32 = -1.010305e-8;
/// log10(2) with 16 bits, and the rest.
const LOG10_2_HIGH: f32 = 0.30103302 * UNIT;
const LOG10_2_LOW: f32 = -3.0243555e-6 * UNIT;
/// The bits of sqrt(1/2): subtracted, the exponent is that of a power of two that leaves sqrt(1/2) to sqrt(2).
const ROOT_HALF: u32 = 0x3f3504f3;
const EXPONENT: u32 = 0xff800000;

/// (f, 2^23 k) of a positive normal number.
#[inline(always)]
pub fn normal_split(x: f32) -> (f32, f32) {
    let bits = x.to_bits();
    let exponent = bits.wrapping_sub(ROOT_HALF) & EXPONENT;
    (
        f32::from_bits(bits.wrapping_sub(exponent)) - 1.0,
        exponent as i32 as f32,
    )
}

/// (f, 2^23 k) of a positive finite number.
#[inline(always)]
pub fn split(x: f32) -> (f32, f32) {
    if x < f32::MIN_POSITIVE {
        let (f, k) = normal_split(x * 8388608.0);
        (f, k - 192937984.0)
    } else {
        normal_split(x)
    }
}

/// The terms of ln(1 + f) from the third on, divided by f^3, for f from -0.293 to 0.414.
#[inline(always)]
pub fn series(f: f32) -> f32 {
    let q = 6.916832e-2f32;
    let q = q.mul_add(f, -1.17921956e-1);
    let q = q.mul_add(f, 1.187321e-1);
    let q = q.mul_add(f, -1.238397e-1);
    let q = q.mul_add(f, 1.4218621e-1);
    let q = q.mul_add(f, -1.6669266e-1);
    let q = q.mul_add(f, 2.0002227e-1);
    let q = q.mul_add(f, -2.4999987e-1);
    q.mul_add(f, 3.333331e-1)
}

/// ln(1 + f) - f, for f from -0.293 to 0.414.
#[inline(always)]
pub fn rest(f: f32) -> f32 {
    f * f * series(f).mul_add(f, -0.5)
}

/// True for positive normal numbers.
#[inline(always)]
pub fn is_plain(x: f32) -> bool {
    x >= f32::MIN_POSITIVE && x < f32::INFINITY
}

/// The result for arguments that are not plain, where this one is that for positive finite ones.
#[inline(always)]
pub fn with_edges(x: f32, result: f32) -> f32 {
    if x == 0.0 {
        f32::NEG_INFINITY
    } else if x < 0.0 {
        f32::NAN
    } else if x < f32::INFINITY {
        result
    } else {
        x
    }
}

/// ln(2^k (1 + f)), for 2^23 k.
#[inline(always)]
pub fn whole_ln(f: f32, k: f32) -> f32 {
    k.mul_add(LN_2, f + rest(f))
}

/// ln x.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    if !is_plain(x) {
        let (f, k) = split(x);
        return with_edges(x, whole_ln(f, k));
    }
    let (f, k) = normal_split(x);
    whole_ln(f, k)
}

/// log2(2^k (1 + f)), for 2^23 k.
#[inline(always)]
pub fn whole_log2(f: f32, k: f32) -> f32 {
    let q = 9.6511625e-2f32;
    let q = q.mul_add(f, -1.6741537e-1);
    let q = q.mul_add(f, 1.7157996e-1);
    let q = q.mul_add(f, -1.7925775e-1);
    let q = q.mul_add(f, 2.0514898e-1);
    let q = q.mul_add(f, -2.4044035e-1);
    let q = q.mul_add(f, 2.8856954e-1);
    let q = q.mul_add(f, -3.6067498e-1);
    let q = q.mul_add(f, 4.8089802e-1);
    let q = q.mul_add(f, -7.213475e-1);
    // The first coefficient in two parts.
    k.mul_add(UNIT, f.mul_add(LOG2_E_HIGH, (f * f).mul_add(q, f * LOG2_E_LOW)))
}

/// log2 x.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    if !is_plain(x) {
        let (f, k) = split(x);
        return with_edges(x, whole_log2(f, k));
    }
    let (f, k) = normal_split(x);
    whole_log2(f, k)
}

/// log10(2^k (1 + f)), for 2^23 k.
#[inline(always)]
pub fn whole_log10(f: f32, k: f32) -> f32 {
    let q = 3.231916e-2f32;
    let q = q.mul_add(f, -5.2367765e-2);
    let q = q.mul_add(f, 5.1039543e-2);
    let q = q.mul_add(f, -5.3489085e-2);
    let q = q.mul_add(f, 6.1788432e-2);
    let q = q.mul_add(f, -7.241856e-2);
    let q = q.mul_add(f, 8.686782e-2);
    let q = q.mul_add(f, -1.085728e-1);
    let q = q.mul_add(f, 1.4476472e-1);
    let q = q.mul_add(f, -2.1714725e-1);
    // The first coefficient and log10(2) in two parts.
    let low = (f * f).mul_add(q, f * LOG10_E_LOW);
    k.mul_add(LOG10_2_HIGH, f.mul_add(LOG10_E_HIGH, k.mul_add(LOG10_2_LOW, low)))
}

/// log10 x.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    if !is_plain(x) {
        let (f, k) = split(x);
        return with_edges(x, whole_log10(f, k));
    }
    let (f, k) = normal_split(x);
    whole_log10(f, k)
}

/// ln(1 + x).
#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    if x > -1.0 && x < 1.0e38 {
        plain_ln_1p(x)
    } else if x >= 1.0e38 {
        let (f, k) = normal_split(x);
        if x == f32::INFINITY { x } else { whole_ln(f, k) }
    } else if x == -1.0 {
        f32::NEG_INFINITY
    } else {
        f32::NAN
    }
}

/// ln(1 + x) for x from -1 to 1e38.
///
/// 1 + x = 2^k (1 + f) with 1 + f from 3/4 to 3/2, so that f is exact where k is small.
#[inline(always)]
pub fn plain_ln_1p(x: f32) -> f32 {
    // The exponent of 2^-k: downwards, so that k = 0 leaves +0.
    let exponent = 0x3fc00000u32.wrapping_sub((1.0 + x).to_bits()) & EXPONENT;
    let inverse = f32::from_bits(0x3f800000u32.wrapping_add(exponent));
    // -0 is added for k = 0, and keeps the sign of a zero.
    let f = x.mul_add(inverse, -(1.0 - inverse));
    let q = -4.5307633e-2f32;
    let q = q.mul_add(f, 1.05023235e-1);
    let q = q.mul_add(f, -1.3181387e-1);
    let q = q.mul_add(f, 1.4479212e-1);
    let q = q.mul_add(f, -1.6645315e-1);
    let q = q.mul_add(f, 1.9990502e-1);
    let q = q.mul_add(f, -2.500014e-1);
    let q = q.mul_add(f, 3.333346e-1);
    let q = q.mul_add(f, -0.5);
    (exponent as i32 as f32).mul_add(-LN_2, (f * f).mul_add(q, f))
}

/// (f, cut, 2^23 k) with 1 + x = 2^k (1 + f + cut) and cut far below f, for x from -1 to 1e38.
#[inline(always)]
pub fn split_1p(x: f32) -> (f32, f32, f32) {
    let exponent = (1.0 + x).to_bits().wrapping_sub(ROOT_HALF) & EXPONENT;
    let k = exponent as i32 as f32;
    let inverse = inverse_power(exponent);
    // Two exact terms.
    let one = inverse - 1.0;
    let scaled = x * inverse;
    let f = one + scaled;
    (f, scaled - (f - one), k)
}

/// 2^-k, for k in the place of the exponent, up to 126.
#[inline(always)]
pub fn inverse_power(exponent: u32) -> f32 {
    f32::from_bits(0x3f800000u32.wrapping_sub(exponent))
}

/// ln(2^k (1 + f + cut)), for 2^23 k.
#[inline(always)]
pub fn ln_of_parts(f: f32, cut: f32, k: f32) -> f32 {
    // The derivative of the logarithm at f is about 1 - f.
    let tail = (-f).mul_add(cut, cut);
    k.mul_add(LN_2, f + (rest(f) + tail))
}

/// ln(1 + x + low), for x from -1 to 1e38.
#[inline(always)]
pub fn ln_1p_sum(x: f32, low: f32) -> f32 {
    let exponent = (1.0 + x).to_bits().wrapping_sub(ROOT_HALF) & EXPONENT;
    let (f, cut, k) = split_1p(x);
    ln_of_parts(f, low.mul_add(inverse_power(exponent), cut), k)
}

/// The logarithm of x to a base.
#[inline(always)]
pub fn log(x: f32, base: f32) -> f32 {
    ln(x) / ln(base)
}
