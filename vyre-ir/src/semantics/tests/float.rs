//! Floats against exact integer arithmetic, and against the rules of IEEE 754.

use vyre_abi::semantics::{Native, to_bits};
use vyre_test_support::edge_values;

use super::super::{binary, mul_add, unary};
use super::pairs;
use crate::ir::{BinaryOp, Constant, Scalar, UnaryOp};

const FLOATS: [Scalar; 4] = [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64];

/// Explicit bits of the significand, and the bias of the exponent.
fn layout(scalar: Scalar) -> (i32, i32) {
    match scalar {
        Scalar::F16 => (10, 15),
        Scalar::BF16 => (7, 127),
        Scalar::F32 => (23, 127),
        _ => (52, 1023),
    }
}

/// A float as its sign, an integer and a power of two; `None` for infinities and NaNs.
fn parts(value: Constant) -> Option<(bool, u64, i32)> {
    let (fraction_bits, bias) = layout(value.scalar);
    let width = value.scalar.bits();
    let sign = value.bits >> (width - 1) == 1;
    let exponent = (value.bits >> fraction_bits) as i32 & ((1 << (width as i32 - 1 - fraction_bits)) - 1);
    let fraction = value.bits & ((1 << fraction_bits) - 1);
    match exponent {
        0 => Some((sign, fraction, 1 - bias - fraction_bits)),
        _ if exponent == 2 * bias + 1 => None,
        _ => Some((sign, fraction | 1 << fraction_bits, exponent - bias - fraction_bits)),
    }
}

fn is_nan(value: Constant) -> bool {
    let (fraction_bits, bias) = layout(value.scalar);
    value.bits & !sign_bit(value.scalar) > (2 * bias as u64 + 1) << fraction_bits
}

fn sign_bit(scalar: Scalar) -> u64 {
    1 << (scalar.bits() - 1)
}

#[test]
fn arithmetic_is_that_of_the_host() {
    pairs(Scalar::F32, |left, right| {
        let (a, b) = (f32::of(left), f32::of(right));
        // In f64, which holds sums and products of two f32 to enough places, rounded to f32.
        let (wide_a, wide_b) = (f64::from(a), f64::from(b));
        let check = |op, expected: f64| {
            let result = f32::of(binary(op, left, right).unwrap());
            let expected = expected as f32;
            assert!(
                result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan(),
                "{op:?} of {a:e} and {b:e}: {result:e}, not {expected:e}"
            );
        };
        check(BinaryOp::Add, wide_a + wide_b);
        check(BinaryOp::Sub, wide_a - wide_b);
        check(BinaryOp::Mul, wide_a * wide_b);
        check(BinaryOp::Div, wide_a / wide_b);
    });
    pairs(Scalar::F64, |left, right| {
        let (a, b) = (f64::of(left), f64::of(right));
        for (op, expected) in [
            (BinaryOp::Add, a + b),
            (BinaryOp::Sub, a - b),
            (BinaryOp::Mul, a * b),
            (BinaryOp::Div, a / b),
        ] {
            let result = f64::of(binary(op, left, right).unwrap());
            assert!(result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan());
        }
    });
}

fn remainder_is_exact_on(scalar: Scalar) {
    pairs(scalar, |left, right| {
        let result = binary(BinaryOp::Rem, left, right).unwrap();
        let expected = match (parts(left), parts(right)) {
            (None, _) | (_, Some((_, 0, _))) => None,
            (_, None) if is_nan(right) => None,
            // A finite number is its own remainder by infinity.
            (Some(_), None) => Some(left),
            (Some((sign, a, mut exponent)), Some((_, b, divisor_exponent))) => {
                // Long division: the dividend moves down to the power of the divisor.
                let (mut rest, mut divisor) = (u128::from(a), u128::from(b));
                let mut low = divisor_exponent;
                if exponent > divisor_exponent {
                    rest %= divisor;
                    while exponent > divisor_exponent {
                        rest = rest * 2 % divisor;
                        exponent -= 1;
                    }
                } else {
                    let distance = (divisor_exponent - exponent) as u32;
                    low = exponent;
                    // A divisor so far above is larger than the dividend.
                    if distance < 64 {
                        divisor <<= distance;
                        rest %= divisor;
                    }
                }
                Some((sign, rest, low)).map(|(sign, rest, power)| encode(scalar, sign, rest, power))
            }
        };
        match expected {
            None => assert!(is_nan(result), "{left:?} % {right:?}"),
            Some(expected) => assert_eq!(result, expected, "{left:?} % {right:?}"),
        }
    });
}

/// The float of exactly this value, which must be one.
fn encode(scalar: Scalar, sign: bool, integer: u128, power: i32) -> Constant {
    let (fraction_bits, bias) = layout(scalar);
    let lowest = 1 - bias - fraction_bits;
    let (mut integer, mut power) = (integer, power);
    while integer >= 2 << fraction_bits {
        assert_eq!(integer & 1, 0, "not a float");
        integer /= 2;
        power += 1;
    }
    while integer < 1 << fraction_bits && power > lowest {
        integer *= 2;
        power -= 1;
    }
    assert!(power >= lowest);
    let exponent = if integer < 1 << fraction_bits {
        0
    } else {
        (power + bias + fraction_bits) as u64
    };
    let fraction = integer as u64 & ((1 << fraction_bits) - 1);
    let sign = if sign { sign_bit(scalar) } else { 0 };
    Constant::new(scalar, sign | exponent << fraction_bits | fraction)
}

#[test]
fn remainder_is_exact() {
    FLOATS.into_iter().for_each(remainder_is_exact_on);
}

fn rounding_on(scalar: Scalar) {
    let sample = (0..u64::from(u32::MAX)).step_by(262_147);
    let sample = sample.map(|bits| Constant::new(scalar, bits << 32 >> (64 - scalar.bits())));
    for value in edge_values(scalar).into_iter().chain(sample) {
        let Some((sign, integer, power)) = parts(value) else {
            // Infinities and NaNs stay.
            for op in [
                UnaryOp::Floor,
                UnaryOp::Ceil,
                UnaryOp::Trunc,
                UnaryOp::Round,
                UnaryOp::RoundTiesEven,
            ] {
                let result = unary(op, value);
                assert!(result == value || is_nan(result) && is_nan(value));
            }
            continue;
        };
        let check = |op, up: &dyn Fn(u128, u128, u128) -> bool| {
            let expected = if power >= 0 {
                value
            } else {
                // The whole part, and the rest in units of `2^power`; below 2^-70 the rest is tiny.
                let shift = (-power).min(70) as u32;
                let one = 1u128 << shift;
                let (whole, rest) = (u128::from(integer) / one, u128::from(integer) % one);
                encode(scalar, sign, whole + u128::from(up(whole, rest, one)), 0)
            };
            assert_eq!(unary(op, value), expected, "{op:?} of {value:?}");
        };
        check(UnaryOp::Trunc, &|_, _, _| false);
        check(UnaryOp::Floor, &|_, rest, _| sign && rest > 0);
        check(UnaryOp::Ceil, &|_, rest, _| !sign && rest > 0);
        check(UnaryOp::Round, &|_, rest, one| rest * 2 >= one);
        check(UnaryOp::RoundTiesEven, &|whole, rest, one| {
            rest * 2 > one || rest * 2 == one && whole % 2 == 1
        });
    }
}

#[test]
fn rounding() {
    FLOATS.into_iter().for_each(rounding_on);
}

/// True if a value has these bits, or those of the canonical NaN where these are the bits of a NaN.
fn equal(value: Constant, bits: u64) -> bool {
    let wanted = Constant { bits, ..value };
    value
        == if is_nan(wanted) {
            canonical(value.scalar)
        } else {
            wanted
        }
}

/// The canonical NaN.
fn canonical(scalar: Scalar) -> Constant {
    let bits = match scalar {
        Scalar::F16 => 0x7e00,
        Scalar::BF16 => 0x7fc0,
        Scalar::F32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    };
    Constant::new(scalar, bits)
}

fn signs_are_bits_on(scalar: Scalar) {
    let sign = sign_bit(scalar);
    for value in edge_values(scalar) {
        assert!(equal(unary(UnaryOp::Neg, value), value.bits ^ sign));
        assert!(equal(unary(UnaryOp::Abs, value), value.bits & !sign));
    }
    pairs(scalar, |left, right| {
        let result = binary(BinaryOp::Copysign, left, right).unwrap();
        // The sign of a NaN is positive.
        let negative = if is_nan(right) { 0 } else { right.bits & sign };
        assert!(equal(result, left.bits & !sign | negative));
    });
}

#[test]
fn signs_are_bits() {
    FLOATS.into_iter().for_each(signs_are_bits_on);
}

/// The position of a number in the order of all numbers of its type, -0 before +0.
fn rank(value: Constant) -> i128 {
    let magnitude = i128::from(value.bits & !sign_bit(value.scalar));
    if value.bits & sign_bit(value.scalar) == 0 {
        magnitude
    } else {
        -1 - magnitude
    }
}

fn minimum_and_comparisons_on(scalar: Scalar) {
    pairs(scalar, |left, right| {
        let min = binary(BinaryOp::Min, left, right).unwrap();
        let max = binary(BinaryOp::Max, left, right).unwrap();
        let compare = |op| binary(op, left, right).unwrap().bits == 1;
        let (eq, lt, gt) = match (is_nan(left), is_nan(right)) {
            (false, false) => {
                let (low, high) = if rank(left) <= rank(right) {
                    (left, right)
                } else {
                    (right, left)
                };
                assert_eq!((min, max), (low, high));
                let zeros = (left.bits | right.bits) & !sign_bit(scalar) == 0;
                let eq = zeros || left == right;
                (eq, !eq && rank(left) < rank(right), !eq && rank(left) > rank(right))
            }
            (left_is_nan, right_is_nan) => {
                let number = if left_is_nan { right } else { left };
                if left_is_nan && right_is_nan {
                    assert!(is_nan(min) && is_nan(max));
                } else {
                    assert_eq!((min, max), (number, number));
                }
                (false, false, false)
            }
        };
        assert_eq!(compare(BinaryOp::Eq), eq);
        assert_eq!(compare(BinaryOp::Ne), !eq);
        assert_eq!(compare(BinaryOp::Lt), lt);
        assert_eq!(compare(BinaryOp::Gt), gt);
        assert_eq!(compare(BinaryOp::Le), lt || eq);
        assert_eq!(compare(BinaryOp::Ge), gt || eq);
        let nans = is_nan(left) && is_nan(right);
        assert_eq!(compare(BinaryOp::SameBits), nans || left.bits == right.bits);
    });
}

#[test]
fn minimum_and_comparisons() {
    FLOATS.into_iter().for_each(minimum_and_comparisons_on);
}

fn square_root_on(scalar: Scalar) {
    for value in edge_values(scalar) {
        let result = unary(UnaryOp::Sqrt, value);
        match parts(value) {
            Some((_, 0, _)) => assert_eq!(result, value),
            Some((false, integer, power)) => {
                // The root's integer `r` satisfies (r - 1/2)^2 < x < (r + 1/2)^2 in its own unit.
                // A square that ends on a half has too many digits to be a float.
                let (_, root, root_power) = parts(result).unwrap();
                let (low, high) = (2 * u128::from(root) - 1, 2 * u128::from(root) + 1);
                let shift = power - 2 * (root_power - 1);
                assert!(shift >= 0 && shift < integer.leading_zeros() as i32 + 64);
                let square = u128::from(integer) << shift;
                assert!(low * low < square && square < high * high, "sqrt of {value:?}");
            }
            _ if is_nan(value) || value.bits & sign_bit(scalar) != 0 => assert!(is_nan(result)),
            _ => assert_eq!(result, value),
        }
    }
}

#[test]
fn square_root() {
    FLOATS.into_iter().for_each(square_root_on);
}

/// `a * b + c` in f64, rounded to odd, which f32 then rounds as if it saw all digits.
fn fused_f32(a: f32, b: f32, c: f32) -> f32 {
    let (product, c) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + c;
    let back = sum - product;
    let error = (product - (sum - back)) + (c - back);
    if error == 0.0 || !error.is_finite() || sum.to_bits() & 1 == 1 {
        return sum as f32;
    }
    let outwards = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if outwards { sum.to_bits() + 1 } else { sum.to_bits() - 1 }) as f32
}

#[test]
fn mul_add_rounds_once() {
    let values = edge_values(Scalar::F32);
    for &a in &values {
        for &b in values.iter().step_by(3) {
            for &c in &values {
                let result = f32::of(mul_add(a, b, c));
                let expected = fused_f32(f32::of(a), f32::of(b), f32::of(c));
                assert!(
                    result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan(),
                    "{:e} * {:e} + {:e}: {result:e}, not {expected:e}",
                    f32::of(a),
                    f32::of(b),
                    f32::of(c)
                );
            }
        }
    }
    // The error of a rounded product is itself a float, and only a fused operation finds it.
    let x = 1.0f64 + f64::EPSILON;
    let rest = mul_add(x.constant(), x.constant(), (-(x * x)).constant());
    assert_eq!(f64::of(rest), f64::EPSILON * f64::EPSILON);
}

#[test]
fn computed_nans_are_canonical() {
    let (zero, one) = (0.0f32.constant(), 1.0f32.constant());
    let nan = binary(BinaryOp::Div, zero, zero).unwrap();
    assert_eq!(nan.bits, 0x7fc0_0000);
    let odd = Constant::new(Scalar::F32, 0xffc1_2345);
    assert_eq!(binary(BinaryOp::Add, odd, one).unwrap().bits, 0x7fc0_0000);
    assert_eq!(
        unary(UnaryOp::Sqrt, Constant::new(Scalar::F64, f64::to_bits(-1.0))).bits,
        0x7ff8_0000_0000_0000
    );
    assert_eq!(to_bits(f32::from_bits(0xff80_0001)), 0x7fc0_0000);
    assert_eq!(to_bits(f64::from_bits(0xfff8_0000_0000_0001)), 0x7ff8_0000_0000_0000);
    assert_eq!(to_bits(-0.0f32), 0x8000_0000);
}
