//! Numbers as mantissa and exponent.

/// x * 2^n, rounded once.
#[inline(always)]
pub fn ldexp(x: f64, n: i32) -> f64 {
    let n = if n > 2200 { 2200 } else { n };
    let n = if n < -2200 { -2200 } else { n };
    // Powers of two in steps. Downwards they leave 53 bits above the subnormal numbers, so that only the last one rounds.
    let (x, n) = if n > 1023 {
        (x * 8.98846567431158e307, n - 1023)
    } else {
        (x, n)
    };
    let (x, n) = if n > 1023 {
        (x * 8.98846567431158e307, n - 1023)
    } else {
        (x, n)
    };
    let n = if n > 1023 { 1023 } else { n };
    let (x, n) = if n < -1022 {
        (x * 2.004168360008973e-292, n + 969)
    } else {
        (x, n)
    };
    let (x, n) = if n < -1022 {
        (x * 2.004168360008973e-292, n + 969)
    } else {
        (x, n)
    };
    let n = if n < -1022 { -1022 } else { n };
    x * f64::from_bits(((n + 1023) as u64) << 52)
}

/// (m, n) with x = m * 2^n and |m| from 1/2 to 1; (x, 0) where x is 0, infinite or NaN.
#[inline(always)]
pub fn frexp(x: f64) -> (f64, i32) {
    let is_small = x.abs() < f64::MIN_POSITIVE;
    let bits = (if is_small { x * 18014398509481984.0 } else { x }).to_bits();
    let n = (bits >> 52 & 0x7ff) as i32 - if is_small { 1076 } else { 1022 };
    if x == 0.0 || !x.is_finite() {
        (x, 0)
    } else {
        (f64::from_bits(bits & 0x800fffffffffffff | 0x3fe0000000000000), n)
    }
}
