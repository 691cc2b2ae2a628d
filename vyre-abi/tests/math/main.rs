//! Accuracy of the functions of mathematics: `f32` against functions of `f64`, `f64` against numbers from MPFR.

mod double;
mod normal;
#[path = "../../../tests/support/src/random.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the generator of all tests; a dependency on its package would be a circle"
)]
mod random;
mod reference;
mod single;

/// The distance of a result from the exact value `high + low`, in units in the last place of that value; zeros must
/// have its sign. `digits` is the size of the mantissa and `least` the exponent of the smallest normal number.
fn ulps(got: f64, high: f64, low: f64, digits: i32, least: i32) -> f64 {
    if got.is_nan() || high.is_nan() {
        return if got.is_nan() && high.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let is_zero_of_other_sign = got == 0.0 && high == 0.0 && got.is_sign_negative() != high.is_sign_negative();
    if is_zero_of_other_sign || got.is_infinite() != high.is_infinite() {
        return f64::INFINITY;
    }
    if got == high {
        // Both may be infinite.
        return if got.is_infinite() {
            0.0
        } else {
            (low / unit(high, digits, least)).abs()
        };
    }
    (((got - high) - low) / unit(high, digits, least)).abs()
}

/// The distance between numbers of this size.
fn unit(of: f64, digits: i32, least: i32) -> f64 {
    let exponent = (of.abs().to_bits() >> 52) as i32 - 1023;
    let exponent = exponent.max(least) - digits + 1;
    // `powi` would give 0 for the smallest.
    f64::from_bits(match exponent {
        -1022.. => ((exponent + 1023) as u64) << 52,
        _ => 1 << (exponent + 1074).max(0),
    })
}
