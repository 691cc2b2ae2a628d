//! Addresses. Constants move outwards, into the offset of a load or store, so that accesses to
//! neighbouring elements share one register.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::super::gvn::Numbering;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

pub(super) fn offset(n: &mut Numbering<'_>, ty: Ty, base: Value, bytes: Value) -> Option<Value> {
    let scalar = match ty.word() {
        Ty::I32 => Scalar::U32,
        _ => Scalar::U64,
    };
    let constant = n.function.as_constant(bytes);
    if constant == Some(0) {
        return Some(base);
    }
    // (base + x) + c stays; (base + c) + x becomes (base + x) + c.
    if let Op::Offset {
        base: inner,
        bytes: first,
    } = n.function.op(base)
        && n.function.as_constant(first).is_some()
    {
        if constant.is_some() {
            let bytes = n.binary(BinaryOp::Add, scalar, first, bytes);
            return Some(n.add(Op::Offset { base: inner, bytes }, ty));
        }
        let moved = n.add(Op::Offset { base: inner, bytes }, ty);
        return Some(n.add(
            Op::Offset {
                base: moved,
                bytes: first,
            },
            ty,
        ));
    }
    // base + (x + c) becomes (base + x) + c.
    if constant.is_none()
        && let Some((x, c)) = n.as_binary_with(bytes, BinaryOp::Add)
    {
        let moved = n.add(Op::Offset { base, bytes: x }, ty);
        let c = n.constant(ty.word(), c);
        return Some(n.add(Op::Offset { base: moved, bytes: c }, ty));
    }
    // base + extend(x + c) becomes (base + extend(x)) + c.
    if let Some(sum) = n.function.as_zero_extended(bytes)
        && let Some((x, c)) = n.as_binary_with(sum, BinaryOp::Add)
        && let Some(c) = super::convert::extended(n, x, c)
    {
        let bytes = n.convert(Scalar::U32, Scalar::U64, x);
        let moved = n.add(Op::Offset { base, bytes }, ty);
        let c = n.constant(ty.word(), c);
        return Some(n.add(Op::Offset { base: moved, bytes: c }, ty));
    }
    None
}
