//! Numbers as mantissa and exponent.

/// x * 2^n, rounded once.
#[inline(always)]
pub fn ldexp(x: f32, n: i32) -> f32 {
    let n = if n > 400 { 400 } else { n };
    let n = if n < -400 { -400 } else { n };
    // Powers of two in steps. Downwards they leave 24 bits above the subnormal numbers, so that only the last one rounds.
    let (x, n) = if n > 127 {
        (x * 1.7014118346046923e38, n - 127)
    } else {
        (x, n)
    };
    let (x, n) = if n > 127 {
        (x * 1.7014118346046923e38, n - 127)
    } else {
        (x, n)
    };
    let n = if n > 127 { 127 } else { n };
    let (x, n) = if n < -126 {
        (x * 1.9721522630525295e-31, n + 102)
    } else {
        (x, n)
    };
    let (x, n) = if n < -126 {
        (x * 1.9721522630525295e-31, n + 102)
    } else {
        (x, n)
    };
    let n = if n < -126 { -126 } else { n };
    x * f32::from_bits(((n + 127) << 23) as u32)
}

/// (m, n) with x = m * 2^n and |m| from 1/2 to 1; (x, 0) where x is 0, infinite or NaN.
#[inline(always)]
pub fn frexp(x: f32) -> (f32, i32) {
    let is_small = x.abs() < f32::MIN_POSITIVE;
    let bits = (if is_small { x * 16777216.0 } else { x }).to_bits();
    let n = (bits >> 23 & 0xff) as i32 - if is_small { 150 } else { 126 };
    if x == 0.0 || !x.is_finite() {
        (x, 0)
    } else {
        (f32::from_bits(bits & 0x807fffff | 0x3f000000), n)
    }
}
