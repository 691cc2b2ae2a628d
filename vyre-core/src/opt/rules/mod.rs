//! The rewrite rules of [`gvn`](super::gvn).
//!
//! Each file has the rules of one kind of operation as a function that returns the simpler value,
//! or `None`. Rules may add operations, which are simplified in turn. Rules on floats are exact:
//! they hold for every operand, except for the sign and payload of a NaN.

mod address;
mod boolean;
mod compare;
mod convert;
mod divide;
mod float;
mod integer;
pub(super) mod memory;

use vyre_ir::ir::{BinaryOp, Constant, Scalar};
use vyre_ir::semantics;

use super::gvn::Numbering;
use crate::ssa::op::Op;
use crate::ssa::{Function, Ty, Value};

/// A simpler value that equals the operation, if a rule applies.
pub(super) fn simplify(n: &mut Numbering<'_>, op: Op, ty: Ty) -> Option<Value> {
    if let Some(value) = fold(n, op, ty) {
        return Some(value);
    }
    match op {
        Op::Unary { op, scalar, a } => match scalar {
            Scalar::Bool => boolean::not(n, a),
            _ if scalar.is_float() => float::unary(n, op, scalar, a),
            _ => integer::unary(n, op, scalar, a),
        },
        Op::Binary { op, scalar, a, b } if op.is_comparison() => compare::simplify(n, op, scalar, a, b),
        Op::Binary { op, scalar, a, b } => match scalar {
            Scalar::Bool => boolean::binary(n, op, a, b),
            _ if scalar.is_float() => float::binary(n, op, scalar, a, b),
            _ => integer::binary(n, op, scalar, a, b),
        },
        Op::MulAdd { a, b, c } => float::mul_add(n, ty, a, b, c),
        Op::Select { condition, a, b } => boolean::select(n, condition, a, b),
        Op::Convert { from, to, a } => convert::simplify(n, from, to, a),
        Op::Bits(a) => convert::bits(n, ty, a),
        Op::MulWide { signed: false, a, b } => convert::product(n, a, b),
        Op::Offset { base, bytes } => address::offset(n, ty, base, bytes),
        Op::Load {
            address,
            offset,
            scalar,
            access,
            ..
        } if !access.is_effect() => memory::load(n, ty, address, offset, scalar),
        _ => None,
    }
}

/// An operation on constants.
fn fold(n: &mut Numbering<'_>, op: Op, ty: Ty) -> Option<Value> {
    let bits = evaluate(op, ty, &|value| n.function.as_constant(value))?;
    Some(n.constant(ty, bits))
}

/// The bits of a value computed by few operations from constants and from `known` values.
pub(super) fn bits(function: &Function, value: Value, depth: u32, known: &dyn Fn(Value) -> Option<u64>) -> Option<u64> {
    let bits = known(value).or(function.as_constant(value));
    if bits.is_some() || depth == 0 {
        return bits;
    }
    let data = function.values[value];
    evaluate(data.op, data.ty, &|operand| {
        self::bits(function, operand, depth - 1, known)
    })
}

/// The bits of an operation from those of its operands, if it is a scalar operation.
pub(crate) fn evaluate(op: Op, ty: Ty, bits: &dyn Fn(Value) -> Option<u64>) -> Option<u64> {
    let constant = |value: Value, scalar: Scalar| bits(value).map(|bits| Constant::new(scalar, bits));
    Some(match op {
        Op::Unary { op, scalar, a } => semantics::unary(op, constant(a, scalar)?).bits,
        Op::Binary { op, scalar, a, b } => {
            let right = if op.is_shift() { Scalar::U32 } else { scalar };
            let (a, b) = (constant(a, scalar)?, constant(b, right)?);
            // A division that faults is dominated by a guard that fails; its result does not
            // matter.
            semantics::binary(op, a, b).ok()?.bits
        }
        Op::MulAdd { a, b, c } => {
            let scalar = ty.scalar()?;
            semantics::mul_add(constant(a, scalar)?, constant(b, scalar)?, constant(c, scalar)?).bits
        }
        Op::MulWide { signed, a, b } => {
            let (a, b) = (bits(a)?, bits(b)?);
            if signed {
                (i64::from(a as i32) * i64::from(b as i32)) as u64
            } else {
                a * b
            }
        }
        Op::Convert { from, to, a } => {
            let bits = semantics::cast(constant(a, from)?, to).bits;
            // A narrow source has been extended by the cast.
            Constant::new(to, bits).bits
        }
        // The lower half of a word as a float of 16 bits.
        Op::Bits(a) if ty.is_half() => bits(a)? & 0xffff,
        Op::Bits(a) => bits(a)?,
        _ => return None,
    })
}

/// Helpers of the rules.
impl Numbering<'_> {
    fn binary(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        let ty = if op.is_comparison() { Ty::Bool } else { Ty::of(scalar) };
        self.add(Op::Binary { op, scalar, a, b }, ty)
    }

    fn binary_with(&mut self, op: BinaryOp, scalar: Scalar, a: Value, bits: u64) -> Value {
        let ty = if op.is_shift() { Ty::I32 } else { Ty::of(scalar) };
        let b = self.constant(ty, bits);
        self.binary(op, scalar, a, b)
    }

    fn not(&mut self, a: Value) -> Value {
        self.add(
            Op::Unary {
                op: vyre_ir::ir::UnaryOp::Not,
                scalar: Scalar::Bool,
                a,
            },
            Ty::Bool,
        )
    }

    fn convert(&mut self, from: Scalar, to: Scalar, a: Value) -> Value {
        self.add(Op::Convert { from, to, a }, Ty::of(to))
    }

    fn bool(&mut self, value: bool) -> Option<Value> {
        Some(self.constant(Ty::Bool, u64::from(value)))
    }

    /// The operands of a value computed by this operation.
    fn as_binary(&self, value: Value, wanted: BinaryOp) -> Option<(Value, Value)> {
        match self.function.op(value) {
            Op::Binary { op, a, b, .. } if op == wanted => Some((a, b)),
            _ => None,
        }
    }

    /// The operand and constant of a value computed by this operation with a constant on the right.
    fn as_binary_with(&self, value: Value, wanted: BinaryOp) -> Option<(Value, u64)> {
        let (a, b) = self.as_binary(value, wanted)?;
        Some((a, self.function.as_constant(b)?))
    }

    /// Two 64-bit operands that are zero extensions, or constants of 32 bits, without the extension; so are sums of those and
    /// constants, at most one of which is added once more.
    fn narrowed(&mut self, scalar: Scalar, a: Value, b: Value) -> Option<(Value, Value)> {
        if scalar != Scalar::U64 {
            return None;
        }
        let (of_a, of_b) = (self.as_word(a)?, self.as_word(b)?);
        if of_a.1 != 0 && of_b.1 != 0 {
            return None;
        }
        let [a, b] = [of_a, of_b].map(|(word, added)| match added {
            0 => word,
            _ => self.binary_with(BinaryOp::Add, Scalar::U32, word, added),
        });
        Some((a, b))
    }

    /// A 64-bit value that fits 32 bits as a word and a number to add to it.
    pub(super) fn as_word(&mut self, value: Value) -> Option<(Value, u64)> {
        if let Some(bits) = self.function.as_constant(value) {
            return u32::try_from(bits).is_ok().then(|| (self.constant(Ty::I32, bits), 0));
        }
        if let Some(word) = self.function.as_zero_extended(value) {
            return Some((word, 0));
        }
        let (x, added) = self.as_binary_with(value, BinaryOp::Add)?;
        let word = self.function.as_zero_extended(x)?;
        self.fits_32(value).then_some((word, added & u64::from(u32::MAX)))
    }

    /// The `I32` that a value is the sign extension of.
    fn as_sign_extended(&self, value: Value) -> Option<Value> {
        match self.function.op(value) {
            Op::Convert {
                from: Scalar::I32,
                to: Scalar::U64,
                a,
            } => Some(a),
            _ => None,
        }
    }
}

/// All bits of a scalar's register.
fn ones(scalar: Scalar) -> u64 {
    crate::analysis::bounds::of_type(Ty::of(scalar))
}

/// The bits of a constant as a signed number.
fn signed(scalar: Scalar, bits: u64) -> i64 {
    if scalar.size() == 8 {
        bits as i64
    } else {
        i64::from(bits as u32 as i32)
    }
}
