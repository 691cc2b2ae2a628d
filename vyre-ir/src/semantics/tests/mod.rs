//! The operations against references that are computed in another way.

mod convert;
mod float;
mod half;
mod integer;

use vyre_abi::semantics::constants;
use vyre_test_support::edge_values;

use super::{binary, unary};
use crate::ir::{BinaryOp, Constant, Scalar, UnaryOp};

/// Calls `check` with every pair of edge values of a type.
fn pairs(scalar: Scalar, mut check: impl FnMut(Constant, Constant)) {
    let values = edge_values(scalar);
    for &left in &values {
        for &right in &values {
            check(left, right);
        }
    }
}

/// Every operation computes on exactly the types that it accepts, and yields the type that it says.
#[test]
fn tables_agree_on_types() {
    // Those of 16 bits are computed in `f32`.
    for scalar in Scalar::ALL.into_iter().filter(|scalar| !scalar.is_half()) {
        let one = Constant::new(scalar, 1);
        for &op in UnaryOp::ALL {
            let result = constants::unary(op, one);
            assert_eq!(result.is_some(), op.accepts(scalar), "{op:?} {scalar:?}");
            assert!(result.is_none_or(|result| result.scalar == scalar));
        }
        for &op in BinaryOp::ALL {
            let right = if op.is_shift() {
                Constant::new(Scalar::U32, 1)
            } else {
                one
            };
            let result = constants::binary(op, one, right);
            assert_eq!(result.is_some(), op.accepts(scalar), "{op:?} {scalar:?}");
            let output = if op.is_comparison() { Scalar::Bool } else { scalar };
            assert!(result.is_none_or(|result| result.unwrap().scalar == output));
        }
    }
}

#[test]
fn bool_operations() {
    for left in [false, true] {
        let operand = Constant::bool(left);
        assert_eq!(unary(UnaryOp::Not, operand), Constant::bool(!left));
        for right in [false, true] {
            let check = |op, expected| {
                assert_eq!(binary(op, operand, Constant::bool(right)), Ok(Constant::bool(expected)));
            };
            check(BinaryOp::And, left && right);
            check(BinaryOp::Or, left || right);
            check(BinaryOp::Xor, left != right);
            check(BinaryOp::Eq, left == right);
            check(BinaryOp::Ne, left != right);
            check(BinaryOp::Lt, !left && right);
            check(BinaryOp::Le, !left || right);
            check(BinaryOp::Gt, left && !right);
            check(BinaryOp::Ge, left || !right);
        }
    }
}
