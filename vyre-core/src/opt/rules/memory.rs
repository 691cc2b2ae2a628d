//! Loads and stores: constant parts of addresses become offsets, bits cut off by a narrow store are
//! not computed, and a constant-index element of a constant table becomes that constant, one of a
//! parameter an argument.

use vyre_ir::ir::{BinaryOp, Scalar};

use super::super::gvn::Numbering;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Ty, Value};

/// Simplifies an access in place.
pub(in crate::opt) fn access(n: &mut Numbering<'_>, op: &mut Op) {
    match op {
        Op::Load { address, offset, .. } => fold_offset(n, address, offset),
        Op::Intrinsic { intrinsic, operands } => {
            for (index, offset) in intrinsic.offsets_mut().iter_mut().enumerate() {
                let mut address = n.function.lists.get(*operands)[index];
                fold_offset(n, &mut address, offset);
                n.function.lists.get_mut(*operands)[index] = address;
            }
        }
        Op::Store {
            address,
            offset,
            scalar,
            value,
            ..
        } => {
            fold_offset(n, address, offset);
            while let Some(whole) = cut(n, *scalar, *value) {
                *value = whole;
            }
        }
        _ => {}
    }
}

/// A known element of a constant table, or a word of a parameter.
pub(super) fn load(n: &mut Numbering<'_>, ty: Ty, address: Value, offset: i32, scalar: Scalar) -> Option<Value> {
    let table = match n.function.op(address) {
        Op::Address(Object::Table(table)) => table,
        Op::Address(Object::Parameter {
            number: parameter,
            size,
        }) => {
            let offset = u32::try_from(offset).ok()?;
            let argument = Op::Argument {
                parameter,
                offset,
                scalar,
            };
            let is_inside = offset.checked_add(scalar.size())? <= size;
            return is_inside.then(|| n.function.root(argument, ty));
        }
        _ => return None,
    };
    let table = n.function.tables.iter().find(|known| known.table == table)?;
    let (offset, size) = (u32::try_from(offset).ok()?, scalar.size());
    if table.scalar.size() != size || offset % size != 0 {
        return None;
    }
    let mut bits = *table.values.get((offset / size) as usize)?;
    if scalar.is_signed() && scalar.is_integer() {
        // A register holds a narrow signed number sign-extended.
        let spare = 64 - scalar.bits();
        bits = ((bits << spare) as i64 >> spare) as u64;
    }
    Some(n.constant(ty, bits))
}

/// Moves a constant from the address into the offset.
fn fold_offset(n: &Numbering<'_>, address: &mut Value, offset: &mut i32) {
    while let Op::Offset { base, bytes } = n.function.op(*address) {
        let Some(bits) = n.function.as_constant(bytes) else {
            return;
        };
        // Addresses of small memories wrap at 32 bits, so an offset there is signed.
        let bytes = if n.function.ty(bytes).bits() == 32 {
            i64::from(bits as i32)
        } else {
            bits as i64
        };
        let Some(sum) = bytes
            .checked_add(i64::from(*offset))
            .and_then(|sum| i32::try_from(sum).ok())
        else {
            return;
        };
        *offset = sum;
        *address = base;
    }
}

/// The source of a value that has the same low bits, as written by a store of this scalar.
fn cut(n: &Numbering<'_>, scalar: Scalar, value: Value) -> Option<Value> {
    if scalar.size() >= 4 {
        return None;
    }
    let written = (1u64 << scalar.bits()) - 1;
    match n.function.op(value) {
        Op::Convert { from, to, a } if from.is_integer() && to.size() == 4 => {
            (from.bits() >= scalar.bits() && n.function.ty(a).bits() == 32).then_some(a)
        }
        Op::Binary {
            op: BinaryOp::And,
            a,
            b,
            ..
        } => (n.function.as_constant(b)? & written == written).then_some(a),
        _ => None,
    }
}
