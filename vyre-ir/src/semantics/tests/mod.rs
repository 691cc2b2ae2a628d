//! The operations against references that are computed in another way.

mod convert;
mod float;
mod half;
mod integer;

use vyre_abi::semantics::words;
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

/// Every operation computes on exactly the types that it accepts.
#[test]
fn tables_agree_on_types() {
    // Those of 16 bits are computed in `f32`.
    for scalar in Scalar::ALL.into_iter().filter(|scalar| !scalar.is_half()) {
        for &op in UnaryOp::ALL {
            assert_eq!(
                words::unary(op, scalar).is_some(),
                op.accepts(scalar),
                "{op:?} {scalar:?}"
            );
        }
        for &op in BinaryOp::ALL {
            assert_eq!(
                words::binary(op, scalar).is_some(),
                op.accepts(scalar),
                "{op:?} {scalar:?}"
            );
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
