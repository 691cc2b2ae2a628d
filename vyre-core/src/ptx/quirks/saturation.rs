//! Maxima with zero that ptxas combines into a saturation (quirk `saturated_nan`).

use vyre_ir::ir::{BinaryOp, Constant, Scalar};
use vyre_ir::semantics;

use crate::ssa::op::Op;
use crate::ssa::{Function, Span, Ty, Value};

/// Rewrites `max(x, -0)` to `-0 <= x ? x : -0`, and `max(min(x, c), 0)` with `c >= 1` to a
/// selection by the sign bit: the minimum is a number, which is kept if its sign bit is clear.
///
/// **Before:** optimised SSA. **After:** no such maximum is left. **Cost:** one walk over the
/// blocks; a rewritten maximum takes one instruction more.
pub(crate) fn rewrite(function: &mut Function) {
    for block in function.blocks.handles().collect::<Vec<_>>() {
        let has_maximum = |&value: &Value| zero_of_maximum(function, value).is_some();
        if !function.blocks[block].body.iter().any(has_maximum) {
            continue;
        }
        let old = std::mem::take(&mut function.blocks[block].body);
        let mut body = Vec::with_capacity(old.len() + 2);
        for value in old {
            if let Some((scalar, a, zero)) = zero_of_maximum(function, value) {
                select(function, &mut body, value, scalar, a, zero);
            }
            body.push(value);
        }
        function.blocks[block].body = body;
    }
}

/// The type and operands of a maximum that may become part of a saturation.
fn zero_of_maximum(function: &Function, value: Value) -> Option<(Scalar, Value, Value)> {
    let Op::Binary {
        op: BinaryOp::Max,
        scalar,
        a,
        b: zero,
    } = function.op(value)
    else {
        return None;
    };
    if !scalar.is_float() || number(function, scalar, zero)? != 0.0 {
        return None;
    }
    if function.as_constant(zero) != Some(sign(scalar)) {
        let Op::Binary {
            op: BinaryOp::Min,
            b: most,
            ..
        } = function.op(a)
        else {
            return None;
        };
        number(function, scalar, most).filter(|&most| most >= 1.0)?;
    }
    Some((scalar, a, zero))
}

/// Rewrites a maximum to a selection; its condition is appended to `body`.
fn select(function: &mut Function, body: &mut Vec<Value>, maximum: Value, scalar: Scalar, a: Value, zero: Value) {
    let span = function.values[maximum].span;
    let condition = if function.as_constant(zero) == Some(sign(scalar)) {
        let (op, b) = (BinaryOp::Le, a);
        push(function, body, Op::Binary { op, scalar, a: zero, b }, Ty::Bool, span)
    } else {
        let scalar_bits = if scalar.size() == 8 { Scalar::U64 } else { Scalar::U32 };
        let ty = Ty::of(scalar_bits);
        let bits = push(function, body, Op::Bits(a), ty, span);
        let less = Op::Binary {
            op: BinaryOp::Lt,
            scalar: scalar_bits,
            a: bits,
            b: function.constant(ty, sign(scalar)),
        };
        push(function, body, less, Ty::Bool, span)
    };
    function.values[maximum].op = Op::Select { condition, a, b: zero };
}

fn push(function: &mut Function, body: &mut Vec<Value>, op: Op, ty: Ty, span: Span) -> Value {
    let value = function.add_value(op, ty, span);
    body.push(value);
    value
}

/// The sign bit of a float.
fn sign(scalar: Scalar) -> u64 {
    1 << (scalar.bits() - 1)
}

/// The value of a constant.
fn number(function: &Function, scalar: Scalar, value: Value) -> Option<f64> {
    let constant = Constant::new(scalar, function.as_constant(value)?);
    Some(f64::from_bits(semantics::cast(constant, Scalar::F64).bits))
}
