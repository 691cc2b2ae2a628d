//! The constants that Rust defines for its primitive types, and their values.

use vyre_ir::ir::Scalar;

use super::evaluate::float;
use crate::surface::Primitive;

/// The constants that Rust defines on its primitive types.
pub(super) fn known(names: &[&str]) -> Option<(Primitive, u128)> {
    let names = match names {
        ["core" | "std", rest @ ..] => rest,
        names => names,
    };
    match *names {
        [ty, name] => limit(Primitive::from_name(ty)?, name),
        // By any path, since the type is no primitive of Rust.
        [.., ty @ ("f16" | "bf16"), name] => limit(Primitive::from_name(ty)?, name),
        ["f32", "consts", name] => {
            let value = CONSTS.iter().find(|known| known.0 == name)?.1;
            Some((Primitive::F32, value.to_bits().into()))
        }
        ["f64", "consts", name] => {
            let value = CONSTS.iter().find(|known| known.0 == name)?.2;
            Some((Primitive::F64, value.to_bits().into()))
        }
        _ => None,
    }
}

/// The bits of a number as the scalars of a constant: two of 128 bits.
pub(super) fn words(of: Primitive, bits: u128) -> Vec<u64> {
    match of.is_wide() {
        true => vec![bits as u64, (bits >> 64) as u64],
        false => vec![bits as u64],
    }
}

pub(super) fn limit(ty: Primitive, name: &str) -> Option<(Primitive, u128)> {
    let scalar = ty.scalar();
    if scalar.is_float() {
        let value = float_limit(scalar, name)?;
        return Some((ty, float(scalar, value).bits.into()));
    }
    if !scalar.is_integer() {
        return None;
    }
    let ones = u128::MAX >> (128 - ty.bits());
    match (name, scalar.is_signed()) {
        ("BITS", _) => Some((Primitive::U32, ty.bits().into())),
        ("MAX", false) => Some((ty, ones)),
        ("MIN", false) => Some((ty, 0)),
        ("MAX", true) => Some((ty, ones >> 1)),
        ("MIN", true) => Some((ty, (ones >> 1) + 1)),
        _ => None,
    }
}

/// A constant of a float type. The crate `half` has all there, also those of `consts`.
fn float_limit(scalar: Scalar, name: &str) -> Option<f64> {
    // Explicit bits of the significand, and the greatest exponent.
    let (fraction, most): (i32, i32) = match scalar {
        Scalar::F16 => (10, 15),
        Scalar::BF16 => (7, 127),
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    };
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    Some(match name {
        "MAX" => (2.0 - power(-fraction)) * power(most),
        "MIN" => (power(-fraction) - 2.0) * power(most),
        "MIN_POSITIVE" => power(1 - most),
        "EPSILON" => power(-fraction),
        "INFINITY" => f64::INFINITY,
        "NEG_INFINITY" => f64::NEG_INFINITY,
        "NAN" => f64::NAN,
        _ if !scalar.is_half() => return None,
        "ZERO" => 0.0,
        "NEG_ZERO" => -0.0,
        "ONE" => 1.0,
        "NEG_ONE" => -1.0,
        "MIN_POSITIVE_SUBNORMAL" => power(1 - most - fraction),
        "MAX_SUBNORMAL" => power(1 - most) - power(1 - most - fraction),
        _ => CONSTS.iter().find(|known| known.0 == name)?.2,
    })
}

macro_rules! consts {
    ($($name:ident)*) => {
        &[$((stringify!($name), std::f32::consts::$name, std::f64::consts::$name),)*]
    };
}

/// True of a name in `core::f32::consts` and `core::f64::consts`.
pub(super) fn is_mathematical(name: &str) -> bool {
    CONSTS.iter().any(|known| known.0 == name)
}

/// `core::f32::consts` and `core::f64::consts`.
const CONSTS: &[(&str, f32, f64)] = consts! {
    PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG2_10 LOG10_E LOG10_2 FRAC_PI_2 FRAC_PI_3 FRAC_PI_4
    FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI FRAC_1_SQRT_2
};
