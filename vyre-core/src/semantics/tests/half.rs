//! Floats of 16 bits against the crate `half`, and where it does not say, against exact integers.

use super::super::half::{BF16, F16, Half};
use super::super::{binary, cast, mul_add, nasty};
use crate::ir::{BinaryOp, Constant, Scalar};

/// Many numbers in no order.
fn random(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|n| {
        let n = (n ^ n >> 16).wrapping_mul(0x7feb_352d);
        let n = (n ^ n >> 15).wrapping_mul(0x846c_a68b);
        n ^ n >> 16
    })
}

#[test]
fn all_widen_as_in_half() {
    for bits in 0..=u16::MAX {
        for (ours, theirs) in [
            (F16::from_bits(bits).widen(), half::f16::from_bits(bits).to_f32()),
            (BF16::from_bits(bits).widen(), half::bf16::from_bits(bits).to_f32()),
        ] {
            let same = ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan();
            assert!(same, "{bits:#x}: {ours:e}, not {theirs:e}");
            assert_eq!(ours.is_sign_negative(), bits >> 15 == 1);
        }
        let (f16, bf16) = (F16::from_bits(bits).widen(), BF16::from_bits(bits).widen());
        assert!(f16.is_nan() || F16::narrow(f16).to_bits() == bits);
        assert!(bf16.is_nan() || BF16::narrow(bf16).to_bits() == bits);
        assert_eq!(F16::narrow(f16).widen().is_nan(), f16.is_nan());
    }
}

#[test]
fn floats_narrow_as_in_half() {
    // Beside every value, and halfway to the next.
    let near = (0..=u16::MAX).flat_map(|bits| {
        let f16 = F16::from_bits(bits).widen().to_bits();
        let bf16 = u32::from(bits) << 16;
        [
            f16,
            f16 | 0xfff,
            f16 | 0x1000,
            f16 | 0x1001,
            bf16 | 0x7fff,
            bf16 | 0x8000,
            bf16 | 0x8001,
        ]
    });
    for bits in near.chain(random(1 << 20)) {
        let value = f32::from_bits(bits);
        let (ours, theirs) = (F16::narrow(value).to_bits(), half::f16::from_f32(value).to_bits());
        assert!(
            ours == theirs || value.is_nan() && ours & 0x7fff > 0x7c00,
            "{value:e}: {ours:#x}, not {theirs:#x}"
        );
        let (ours, theirs) = (BF16::narrow(value).to_bits(), half::bf16::from_f32(value).to_bits());
        assert!(
            ours == theirs || value.is_nan() && ours & 0x7fff > 0x7f80,
            "{value:e}: {ours:#x}, not {theirs:#x}"
        );
        assert!(!value.is_nan() || ours >> 15 == (bits >> 31) as u16);
    }
}

/// Checks that `result` is the number nearest to `value`, of two the even one, by its neighbours.
fn nearest<T: Half>(value: f64, result: T, bits: u16, infinity: u16) {
    assert_eq!(bits >> 15 == 1, value.is_sign_negative(), "{value:e}");
    let of = |size: u16| match size {
        // Where numbers end, what would be the next one counts.
        _ if size == infinity => f64::from(of_bits::<T>(infinity - 1)) * 2.0 - f64::from(of_bits::<T>(infinity - 2)),
        _ => f64::from(of_bits::<T>(size)),
    };
    let (size, own) = (value.abs(), bits & 0x7fff);
    // Halves of the steps are exact in f64.
    let even = own % 2 == 0;
    if own > 0 {
        let middle = f64::midpoint(of(own - 1), of(own));
        assert!(
            size > middle || size == middle && even,
            "{value:e} becomes {:e}",
            result.widen()
        );
    }
    if own < infinity {
        let middle = f64::midpoint(of(own), of(own + 1));
        assert!(
            size < middle || size == middle && even,
            "{value:e} becomes {:e}",
            result.widen()
        );
    }
}

fn of_bits<T: Half>(bits: u16) -> f32 {
    T::of(Constant::new(T::SCALAR, u64::from(bits))).widen()
}

#[test]
fn wide_floats_round_once() {
    let ties = (0..=u16::MAX).flat_map(|bits| {
        let (f16, bf16) = (F16::from_bits(bits).widen(), BF16::from_bits(bits).widen());
        let f16 = f64::from(f32::from_bits(f16.to_bits() | 0x1000)).to_bits();
        let bf16 = f64::from(f32::from_bits(bf16.to_bits() | 0x8000)).to_bits();
        [f16 - 1, f16, f16 + 1, bf16 - 1, bf16, bf16 + 1]
    });
    let nasty = nasty(Scalar::F64).into_iter().map(|value| value.bits);
    let random = random(1 << 16).map(|bits| u64::from(bits) << 30 | 0x3000_0000_1234_5678);
    for value in ties.chain(nasty).chain(random).map(f64::from_bits) {
        let (f16, bf16) = (F16::narrow_wide(value), BF16::narrow_wide(value));
        if value.is_nan() {
            assert!(f16.widen().is_nan() && bf16.widen().is_nan());
            continue;
        }
        nearest(value, f16, f16.to_bits(), 0x7c00);
        nearest(value, bf16, bf16.to_bits(), 0x7f80);
    }
    // As an `f32` this is a tie.
    assert_eq!(
        F16::narrow_wide(1.0 + 2f64.powi(-11) + 2f64.powi(-50)).to_bits(),
        0x3c01
    );
}

/// The operations that `half` has, on random values.
macro_rules! operations {
    ($name:ident, $half:ty, $scalar:expr) => {
        #[test]
        fn $name() {
            for (a, b) in random(1 << 18).map(|bits| (bits as u16, (bits >> 16) as u16)) {
                let (x, y) = (<$half>::from_bits(a), <$half>::from_bits(b));
                let [a, b] = [a, b].map(|bits| Constant::new($scalar, u64::from(bits)));
                for (op, expected) in [
                    (BinaryOp::Add, x + y),
                    (BinaryOp::Sub, x - y),
                    (BinaryOp::Mul, x * y),
                    (BinaryOp::Div, x / y),
                    (BinaryOp::Rem, x % y),
                ] {
                    let result = binary(op, a, b).unwrap().bits as u16;
                    let same = result == expected.to_bits() || <$half>::from_bits(result).is_nan() && expected.is_nan();
                    assert!(same, "{op:?} of {x} and {y}: {result:#x}, not {expected}");
                }
                for (op, expected) in [
                    (BinaryOp::Lt, x < y),
                    (BinaryOp::Eq, x == y),
                    (BinaryOp::Ge, x >= y),
                ] {
                    assert_eq!(binary(op, a, b), Ok(Constant::bool(expected)));
                }
            }
        }
    };
}
operations!(operations_on_f16_are_those_of_half, half::f16, Scalar::F16);
operations!(operations_on_bf16_are_those_of_half, half::bf16, Scalar::BF16);

/// A finite `f16` in units of 2^-48.
fn units(value: f32) -> i128 {
    (f64::from(value) * 2f64.powi(48)) as i128
}

#[test]
fn mul_add_of_f16_rounds_once() {
    let of = |bits: u32| F16::from_bits(bits as u16);
    let mut values = random(1 << 18);
    while let (Some(a), Some(b)) = (values.next(), values.next()) {
        let (a, b, c) = (of(a), of(a >> 16), of(b));
        let [x, y, z] = [a, b, c].map(F16::widen);
        let result = mul_add(a, b, c);
        if ![x, y, z].iter().all(|x| x.is_finite()) {
            continue;
        }
        // Products of units of 2^-24 are units of 2^-48.
        let exact = (units(x) >> 24) * (units(y) >> 24) + units(z);
        let (bits, got) = (result.to_bits(), units(result.widen()));
        if !result.widen().is_finite() {
            assert!(exact.abs() >= 65520 << 48);
            continue;
        }
        let gap = |other: u16| (units(of(u32::from(other)).widen()) - got).abs();
        let own = bits & 0x7fff;
        let up = if own == 0x7bff { 32 << 48 } else { gap(bits + 1) };
        let down = if own == 0 { up } else { gap(bits - 1) };
        let rest = exact.abs() - got.abs();
        let step = if rest > 0 { up } else { down };
        let near = 2 * rest.abs() < step || 2 * rest.abs() == step && own % 2 == 0;
        assert!(near, "{x:e} * {y:e} + {z:e} = {:e}", result.widen());
    }
}

#[test]
fn mul_add_sees_what_is_far_below() {
    for (scalar, a, ties, least) in [(Scalar::F16, 0x3c01, 0x3e01, 1), (Scalar::BF16, 0x3f81, 0x3fc1, 1)] {
        let of = |bits| Constant::new(scalar, bits);
        let half = |value: f32| cast(Constant::new(Scalar::F32, u64::from(value.to_bits())), scalar);
        // The product lies halfway between this number and the next.
        let tied = |c| mul_add(of(a), half(1.5), c).bits;
        let even = ties + ties % 2;
        assert_eq!(tied(of(0)), even);
        assert_eq!(tied(of(least)), ties + 1);
        assert_eq!(tied(of(least | 1 << 15)), ties);
    }
}
