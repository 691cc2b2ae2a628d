//! Constants of 16 bits against the crate `half`.

use super::super::{binary, cast, mul_add};
use crate::ir::{BinaryOp, Constant, Scalar};

/// Many numbers in no order.
fn random(count: u32) -> impl Iterator<Item = u32> {
    (0..count).map(|n| {
        let n = (n ^ n >> 16).wrapping_mul(0x7feb_352d);
        let n = (n ^ n >> 15).wrapping_mul(0x846c_a68b);
        n ^ n >> 16
    })
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
