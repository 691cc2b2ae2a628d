//! Values at which operations go wrong first.

use vyre_abi::scalar::{Constant, Scalar};
use vyre_abi::semantics::{BF16, F16, Half, Native};

/// Edge values of a type: limits, neighbours of powers of two, halves, zeros of both signs,
/// subnormals, infinities, NaNs. Tests of every back end run on them.
pub fn edge_values(scalar: Scalar) -> Vec<Constant> {
    let mut values = Vec::new();
    let mut add = |bits: u64| {
        let value = Constant::new(scalar, bits);
        if !values.contains(&value) {
            values.push(value);
        }
    };
    match scalar {
        Scalar::Bool => {
            add(0);
            add(1);
        }
        Scalar::F16 | Scalar::BF16 => {
            floats(&mut |value| {
                add(match scalar {
                    Scalar::F16 => F16::narrow_wide(value).constant().bits,
                    _ => BF16::narrow_wide(value).constant().bits,
                });
            });
            let (fraction, infinity) = if scalar == Scalar::F16 {
                (10, 0x7c00)
            } else {
                (7, 0x7f80)
            };
            for bits in halves(fraction, infinity) {
                add(bits);
                add(bits | 1 << 15);
            }
        }
        Scalar::F32 => {
            floats(&mut |value| add(u64::from((value as f32).to_bits())));
            for bits in F32S {
                add(bits);
                add(bits | 1 << 31);
            }
        }
        Scalar::F64 => {
            floats(&mut |value| add(value.to_bits()));
            for bits in F64S {
                add(bits);
                add(bits | 1 << 63);
            }
        }
        _ => integers(scalar.bits(), &mut |bits| {
            add(bits);
            add(bits.wrapping_neg());
            add(!bits);
        }),
    }
    values
}

fn integers(width: u32, add: &mut dyn FnMut(u64)) {
    for bits in [0, 3, 5, 7, 10, 100, 0x5555_5555_5555_5555, 0x0123_4567_89ab_cdef] {
        add(bits);
    }
    for shift in 0..width {
        // Around every power of two that begins a byte, and around the limits.
        if shift % 8 == 0 || shift + 2 >= width || shift < 3 {
            let power = 1u64 << shift;
            add(power - 1);
            add(power);
            add(power + 1);
        }
    }
    // Shift amounts around the width of every type.
    for bits in [31, 32, 33, 63, 64, 65] {
        add(bits);
    }
}

/// Values for both float types, of both signs.
fn floats(add: &mut dyn FnMut(f64)) {
    use std::f64::consts::{E, PI};
    const SMALL: [f64; 20] = [
        0.0,
        0.1,
        0.25,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        3.5,
        10.0,
        1e10,
        1e-10,
        1e30,
        1e-30,
        PI,
        E,
        1.0 / 3.0,
        f64::INFINITY,
    ];
    for value in SMALL {
        add(value);
        add(-value);
    }
    // Values at which rounding and casts change: the limits of the integer types and of exact
    // integers.
    for exponent in [7, 8, 15, 16, 22, 23, 24, 31, 32, 51, 52, 53, 63, 64] {
        let power = 2f64.powi(exponent);
        for value in [power - 1.0, power - 0.5, power, power + 0.5, power + 1.0] {
            add(value);
            add(-value);
        }
    }
}

/// Bits of positive values of a float of 16 bits.
fn halves(fraction: u32, infinity: u64) -> [u64; 16] {
    let normal = 1 << fraction;
    let one = (infinity >> 1) & !(normal - 1);
    [
        1, // the smallest subnormal
        2,
        normal / 2 + 1,
        normal - 1, // the largest subnormal
        normal,     // the smallest normal number
        normal + 1,
        one / 2, // its square is small
        one - 1, // just below one
        one + 1,
        one + normal - 1,
        infinity - normal,
        infinity - 1, // the largest number
        infinity + 1, // a signalling NaN
        infinity + normal / 2,
        infinity + normal / 2 + 3,
        0x7fff,
    ]
}

/// Bits of positive values of f32.
const F32S: [u64; 33] = [
    1, // the smallest subnormal
    0x0000_0002,
    0x0012_3456,
    0x007f_ffff, // the largest subnormal
    0x0080_0000, // the smallest normal number
    0x0080_0001,
    0x3eff_ffff, // just below one half
    0x3f00_0001,
    0x3f7f_ffff, // just below one
    0x3f80_0001,
    0x4aff_ffff, // just below 2^23, where the halves end
    0x4eff_ffff, // just below 2^31
    0x4f7f_ffff, // just below 2^32
    0x5eff_ffff, // just below 2^63
    0x5f7f_ffff, // just below 2^64
    0x5f80_0001,
    0x1f80_0000, // its square is the smallest normal number, nearly
    0x3f80_1000, // halfway between two f16, even below
    0x3f80_3000, // halfway between two f16, even above
    0x3f80_1001,
    0x3f80_8000, // halfway between two bf16
    0x3f81_8000,
    0x3300_0000, // half of the smallest f16
    0x3300_0001,
    0x477f_efff, // the last that rounds to the largest f16
    0x477f_f000, // the first that rounds to infinity
    0x7f7f_8000, // the first that rounds to infinity as bf16
    0x7f00_0000,
    0x7f7f_ffff, // the largest number
    0x7f80_0001, // a signalling NaN
    0x7fc0_0000, // the canonical NaN
    0x7fc1_2345,
    0x7fff_ffff,
];

/// Bits of positive values of f64.
const F64S: [u64; 36] = [
    1, // the smallest subnormal
    0x0000_0000_0000_0002,
    0x0001_2345_6789_abcd,
    0x000f_ffff_ffff_ffff, // the largest subnormal
    0x0010_0000_0000_0000, // the smallest normal number
    0x0010_0000_0000_0001,
    0x36a0_0000_0000_0000, // the smallest subnormal of f32
    0x3690_0000_0000_0000, // half of it, which rounds to zero
    0x3690_0000_0000_0001, // which rounds up
    0x380f_ffff_c000_0000, // the largest subnormal of f32
    0x47ef_ffff_e000_0000, // the largest number of f32
    0x47ef_ffff_efff_ffff, // the last that rounds to it
    0x47ef_ffff_f000_0000, // the first that rounds to infinity
    0x3fdf_ffff_ffff_ffff, // just below one half
    0x3fe0_0000_0000_0001,
    0x3ff0_0200_0000_0000, // halfway between two f16, even below
    0x3ff0_0200_0000_0001, // which is no tie, and is one as f32
    0x3ff0_05ff_ffff_ffff,
    0x3ff0_1000_0000_0000, // halfway between two bf16, even below
    0x3ff0_1000_0000_0001,
    0x3ff0_2fff_ffff_ffff,
    0x3e60_0000_0000_0001, // just above half of the smallest f16
    0x40ef_fdff_ffff_ffff, // the last that rounds to the largest f16
    0x3fef_ffff_ffff_ffff, // just below one
    0x3ff0_0000_0000_0001,
    0x3ff0_0000_1000_0000, // halfway between two f32, even below
    0x3ff0_0000_3000_0000, // halfway between two f32, even above
    0x432f_ffff_ffff_ffff, // just below 2^52, where the halves end
    0x43df_ffff_ffff_ffff, // just below 2^63
    0x43ef_ffff_ffff_ffff, // just below 2^64
    0x7fe0_0000_0000_0000,
    0x7fef_ffff_ffff_ffff, // the largest number
    0x7ff0_0000_0000_0001, // a signalling NaN
    0x7ff8_0000_0000_0000, // the canonical NaN
    0x7ff8_1234_5678_9abc,
    0x7fff_ffff_ffff_ffff,
];
