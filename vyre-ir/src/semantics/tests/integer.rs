//! Integers against arithmetic on `i128`, bit by bit where that has no such operation.

use vyre_abi::fault::FaultKind;
use vyre_test_support::edge_values;

use super::super::{binary, unary};
use super::pairs;
use crate::ir::{BinaryOp, Constant, Scalar, UnaryOp};

fn integers() -> impl Iterator<Item = Scalar> {
    Scalar::ALL.into_iter().filter(|scalar| scalar.is_integer())
}

fn minimum(scalar: Scalar) -> i128 {
    if scalar.is_signed() {
        -(1 << (scalar.bits() - 1))
    } else {
        0
    }
}

/// The value wrapped to the type.
fn wrapped(scalar: Scalar, value: i128) -> Result<Constant, FaultKind> {
    Ok(Constant::new(scalar, value as u64))
}

fn check_pair(left: Constant, right: Constant) {
    let scalar = left.scalar;
    let (a, b) = (left.as_i128(), right.as_i128());
    let check = |op, expected| assert_eq!(binary(op, left, right), expected, "{op:?} of {left:?} and {right:?}");
    check(BinaryOp::Add, wrapped(scalar, a + b));
    check(BinaryOp::Sub, wrapped(scalar, a - b));
    check(BinaryOp::Mul, wrapped(scalar, a.wrapping_mul(b)));
    // The product of two `u64` may not fit in an `i128`, but its bits do.
    let high = if scalar.is_signed() {
        (a * b) >> scalar.bits()
    } else {
        ((a as u128 * b as u128) >> scalar.bits()) as i128
    };
    check(BinaryOp::MulHigh, wrapped(scalar, high));
    let divided = |value: fn(i128, i128) -> i128| match b {
        0 => Err(FaultKind::DivisionByZero),
        -1 if a == minimum(scalar) => Err(FaultKind::DivisionOverflow),
        _ => wrapped(scalar, value(a, b)),
    };
    check(BinaryOp::Div, divided(|a, b| a / b));
    check(BinaryOp::Rem, divided(|a, b| a % b));
    check(BinaryOp::And, wrapped(scalar, a & b));
    check(BinaryOp::Or, wrapped(scalar, a | b));
    check(BinaryOp::Xor, wrapped(scalar, a ^ b));
    check(BinaryOp::Min, wrapped(scalar, if a < b { a } else { b }));
    check(BinaryOp::Max, wrapped(scalar, if a < b { b } else { a }));
    check(BinaryOp::Eq, Ok(Constant::bool(a == b)));
    check(BinaryOp::Ne, Ok(Constant::bool(a != b)));
    check(BinaryOp::Lt, Ok(Constant::bool(a < b)));
    check(BinaryOp::Le, Ok(Constant::bool(a <= b)));
    check(BinaryOp::Gt, Ok(Constant::bool(a > b)));
    check(BinaryOp::Ge, Ok(Constant::bool(a >= b)));
}

fn check_shifts(left: Constant, amount: u64) {
    let (scalar, a) = (left.scalar, left.as_i128());
    let width = u64::from(scalar.bits());
    let amount_constant = Constant::new(Scalar::U32, amount);
    let by = amount_constant.bits % width;
    let check = |op, expected| {
        assert_eq!(
            binary(op, left, amount_constant),
            wrapped(scalar, expected),
            "{op:?} of {left:?} by {amount}"
        );
    };
    check(BinaryOp::Shl, ((left.bits as u128) << by) as i128);
    // An arithmetic shift divides and rounds down.
    check(BinaryOp::Shr, a.div_euclid(1 << by));
    let bits = u128::from(left.bits);
    let rotated = |by| (bits << by | bits >> (width - by)) as i128;
    check(BinaryOp::RotateLeft, rotated(by));
    check(BinaryOp::RotateRight, rotated((width - by) % width));
}

fn check_one(operand: Constant) {
    let scalar = operand.scalar;
    let width = scalar.bits();
    let bit = |at: u32| operand.bits >> at & 1 == 1;
    let check = |op, expected: i128| {
        assert_eq!(
            Ok(unary(op, operand)),
            wrapped(scalar, expected),
            "{op:?} of {operand:?}"
        );
    };
    let value = operand.as_i128();
    if scalar.is_signed() {
        check(UnaryOp::Neg, -value);
        check(UnaryOp::Abs, if value < 0 { -value } else { value });
    }
    check(UnaryOp::Not, -1 - value);
    let place = |to: &dyn Fn(u32) -> u32| (0..width).filter(|&at| bit(at)).map(|at| 1i128 << to(at)).sum();
    check(UnaryOp::ReverseBits, place(&|at| width - 1 - at));
    check(UnaryOp::SwapBytes, place(&|at| (width / 8 - 1 - at / 8) * 8 + at % 8));
    check(UnaryOp::CountOnes, (0..width).filter(|&at| bit(at)).count() as i128);
    check(
        UnaryOp::LeadingZeros,
        (0..width).rev().take_while(|&at| !bit(at)).count() as i128,
    );
    check(
        UnaryOp::TrailingZeros,
        (0..width).take_while(|&at| !bit(at)).count() as i128,
    );
}

#[test]
fn all_pairs_of_eight_bits() {
    for scalar in [Scalar::I8, Scalar::U8] {
        for left in 0..256 {
            let left = Constant::new(scalar, left);
            check_one(left);
            for right in 0..256 {
                check_pair(left, Constant::new(scalar, right));
                check_shifts(left, right);
            }
        }
    }
}

#[test]
fn nasty_integers() {
    for scalar in integers() {
        pairs(scalar, check_pair);
        for operand in edge_values(scalar) {
            check_one(operand);
            for amount in edge_values(Scalar::U32) {
                check_shifts(operand, amount.bits);
            }
        }
    }
}
