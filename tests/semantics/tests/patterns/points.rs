//! Arguments that kernels make from a number, and sums of results.

/// Combines results so that a single differing bit shows.
#[vyre::device]
pub(super) fn combined(sum: u64, bits: u64) -> u64 {
    (sum ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Random bits for a number (`SplitMix64`: G. L. Steele and others, Fast splittable pseudorandom number generators, 2014).
#[vyre::device]
pub(super) fn hashed(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Any number, or one from 2^-8 to 2^8.
#[vyre::device]
pub(super) fn single(bits: u32) -> f32 {
    if bits & 1 == 0 {
        f32::from_bits(bits)
    } else {
        f32::from_bits(bits & 0x807f_ffff | (119 + (bits >> 23) % 16) << 23)
    }
}

/// Any number, or one from 2^-8 to 2^8.
#[vyre::device]
pub(super) fn double(bits: u64) -> f64 {
    if bits & 1 == 0 {
        f64::from_bits(bits)
    } else {
        f64::from_bits(bits & 0x800f_ffff_ffff_ffff | (1015 + (bits >> 52) % 16) << 52)
    }
}

/// An integer of any size.
#[vyre::device]
pub(super) fn integer(bits: u64) -> i32 {
    bits as u32 as i32 >> (bits >> 59)
}

/// The distance of a result from the exact value, in units in the last place of that; infinite where one is a NaN or
/// infinite and the other is not, and for a zero of the wrong sign.
#[vyre::device]
pub(super) fn ulps(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got.is_nan() || rounded.is_nan() {
        return if got.is_nan() && rounded.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got.is_infinite() || rounded.is_infinite() {
        return if got == rounded { 0.0 } else { f64::INFINITY };
    }
    if got == 0.0 && exact == 0.0 && got.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    let exponent = (exact.to_bits() >> 52 & 0x7ff).max(1023 - 126);
    (got as f64 - exact).abs() / f64::from_bits((exponent - 23) << 52)
}
