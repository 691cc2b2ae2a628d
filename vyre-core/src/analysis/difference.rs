//! Values that differ by a constant.
//!
//! **Rules.** `x + c` differs from `x` by `c`, also where the sum wraps: differences are taken modulo the size of
//! the type. A difference says nothing of order; for that see [`facts`](super::facts).
//!
//! **Cost:** the length of the chain of sums, which numbering makes one.

use vyre_ir::ir::BinaryOp;

use crate::ssa::op::Op;
use crate::ssa::{Function, Value};

/// The base of a value and its constant distance from it, with wrapping.
pub(crate) fn base_and_distance(function: &Function, value: Value) -> (Value, u64) {
    let (mut base, mut distance) = (value, 0u64);
    loop {
        let (a, b) = match function.op(base) {
            Op::Binary {
                op: BinaryOp::Add,
                scalar,
                a,
                b,
            } if scalar.is_integer() => (a, b),
            Op::Offset { base, bytes } => (base, bytes),
            _ => break,
        };
        let Some(constant) = function.as_constant(b) else { break };
        (base, distance) = (a, distance.wrapping_add(constant));
    }
    let bits = function.ty(value).bits();
    (
        base,
        if bits < 64 {
            distance & ((1 << bits) - 1)
        } else {
            distance
        },
    )
}

/// The constant `a - b`, with wrapping, if known.
#[cfg(feature = "verify")]
pub(crate) fn difference(function: &Function, a: Value, b: Value) -> Option<u64> {
    let ((x, first), (y, second)) = (base_and_distance(function, a), base_and_distance(function, b));
    let bits = function.ty(a).bits();
    let mask = if bits < 64 { (1 << bits) - 1 } else { u64::MAX };
    (x == y && function.ty(a) == function.ty(b)).then(|| first.wrapping_sub(second) & mask)
}
