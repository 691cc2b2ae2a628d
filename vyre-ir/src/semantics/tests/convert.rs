//! Casts against arithmetic on integers and in f64.

use vyre_abi::semantics::Native;
use vyre_test_support::edge_values;

use super::super::{bitcast, cast};
use crate::ir::{Constant, Scalar};

fn integers() -> impl Iterator<Item = Scalar> {
    Scalar::ALL.into_iter().filter(|scalar| scalar.is_integer())
}

fn limits(scalar: Scalar) -> (i128, i128) {
    let bits = scalar.bits();
    if scalar.is_signed() {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

#[test]
fn integers_to_integers_wrap() {
    for from in Scalar::ALL.into_iter().filter(|scalar| !scalar.is_float()) {
        for value in edge_values(from) {
            for to in integers() {
                assert_eq!(cast(value, to), Constant::new(to, value.as_i128() as u64));
            }
        }
    }
}

/// The float nearest to an integer, found among the neighbours of a first guess.
#[test]
fn integers_to_floats_round_to_nearest_even() {
    for from in integers() {
        for value in edge_values(from) {
            let exact = value.as_i128();
            for (to, fraction_bits) in [(Scalar::F32, 23), (Scalar::F64, 52)] {
                let magnitude = exact.unsigned_abs();
                let excess = (128 - magnitude.leading_zeros()).saturating_sub(fraction_bits + 1);
                let unit = 1u128 << excess;
                let (mut kept, rest) = (magnitude / unit, magnitude % unit);
                if rest * 2 > unit || rest * 2 == unit && kept % 2 == 1 {
                    kept += 1;
                }
                // `kept` and its product with a power of two are exact in f64.
                let expected = kept as f64 * unit as f64 * if exact < 0 { -1.0 } else { 1.0 };
                let result = cast(value, to);
                let result = if to == Scalar::F32 {
                    f64::from(f32::of(result))
                } else {
                    f64::of(result)
                };
                assert_eq!(result.to_bits(), expected.to_bits(), "{value:?} as {to:?}");
            }
        }
    }
}

#[test]
fn floats_to_integers_saturate() {
    for from in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
        for value in edge_values(from) {
            let wide = f64::of(cast(value, Scalar::F64));
            for to in integers() {
                let (low, high) = limits(to);
                let expected = if wide.is_nan() {
                    0
                } else if wide >= 2f64.powi(100) {
                    high
                } else if wide <= -(2f64.powi(100)) {
                    low
                } else {
                    (wide as i128).clamp(low, high)
                };
                assert_eq!(
                    cast(value, to),
                    Constant::new(to, expected as u64),
                    "{wide:e} as {to:?}"
                );
            }
        }
    }
}

#[test]
fn floats_to_floats() {
    for value in edge_values(Scalar::F32) {
        let (narrow, wide) = (f32::of(value), f64::of(cast(value, Scalar::F64)));
        assert!(wide == f64::from(narrow) || wide.is_nan() && narrow.is_nan());
        let back = cast(wide.constant(), Scalar::F32);
        assert!(back == value || narrow.is_nan() && back.bits == 0x7fc0_0000);
    }
    let narrowed = |bits| cast(Constant::new(Scalar::F64, bits), Scalar::F32).bits;
    assert_eq!(narrowed(0x3ff0_0000_1000_0000), 0x3f80_0000, "halfway to even, below");
    assert_eq!(narrowed(0x3ff0_0000_3000_0000), 0x3f80_0002, "halfway to even, above");
    assert_eq!(narrowed(0x47ef_ffff_efff_ffff), 0x7f7f_ffff, "the last finite one");
    assert_eq!(narrowed(0x47ef_ffff_f000_0000), 0x7f80_0000, "the first infinite one");
    assert_eq!(narrowed(0x3690_0000_0000_0000), 0, "half of the smallest subnormal");
    assert_eq!(narrowed(0x3690_0000_0000_0001), 1, "just above that half");
    assert_eq!(narrowed(0x7ff0_0000_0000_0001), 0x7fc0_0000, "a signalling NaN");
}

#[test]
fn bitcasts_keep_bits_but_of_nans() {
    for (float, integers) in [
        (Scalar::F16, [Scalar::U16, Scalar::I16]),
        (Scalar::BF16, [Scalar::U16, Scalar::I16]),
        (Scalar::F32, [Scalar::U32, Scalar::I32]),
        (Scalar::F64, [Scalar::U64, Scalar::I64]),
    ] {
        for integer in integers {
            for value in edge_values(integer) {
                assert_eq!(bitcast(value, float).bits, value.bits);
            }
            for value in edge_values(float) {
                let is_nan = value.bits & (u64::MAX >> (65 - float.bits())) > infinity(float);
                let expected = if is_nan {
                    infinity(float) | quiet(float)
                } else {
                    value.bits
                };
                assert_eq!(bitcast(value, integer), Constant::new(integer, expected));
            }
        }
    }
}

#[test]
fn bitcasts_between_halves_keep_bits_but_of_nans() {
    for (from, to) in [(Scalar::F16, Scalar::BF16), (Scalar::BF16, Scalar::F16)] {
        for value in edge_values(from) {
            let through = bitcast(bitcast(value, Scalar::U16), to);
            assert_eq!(bitcast(value, to), through);
            assert_eq!(bitcast(value, from), value);
        }
    }
}

fn infinity(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 0x7c00,
        Scalar::BF16 => 0x7f80,
        Scalar::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}

fn quiet(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::F16 => 1 << 9,
        Scalar::BF16 => 1 << 6,
        Scalar::F32 => 1 << 22,
        _ => 1 << 51,
    }
}
