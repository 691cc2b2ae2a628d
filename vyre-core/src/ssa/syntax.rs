//! The syntax of operations: a mnemonic, then immediates, then operands.
//!
//! The printer and the reader share this file, so a name or an immediate is defined in one place:
//! [`mnemonic`] names an operation, [`samples`] lists one operation of each mnemonic for the reader
//! to start from, and [`immediates`] visits the fields that are not values. The number of operands
//! and their order are those of [`Function::each_operand`](super::Function::each_operand).
//!
//! Words follow the mnemonic after dots, numbers follow in brackets: `load.constant.f32[16] v3`,
//! `copy_piece[0, 16, 8, 4] v1, v2`.

use vyre_ir::ir::{
    Access, AtomicOp, BinaryOp, Handle, Immediates, Intrinsic, MemoryOrder, MemoryScope, Scalar, UnaryOp,
};

use super::Value;
use super::op::Op;
use super::value_list::ValueList;

/// The name of an operation. Roots and parameters have none in the text; theirs are for messages.
pub(super) fn mnemonic(op: &Op) -> &'static str {
    match op {
        Op::Parameter => "parameter",
        Op::Constant(_) | Op::External(_) | Op::Argument { .. } | Op::Special(_) | Op::Address(_) => "root",
        Op::Unary { op, .. } => op.name(),
        Op::Binary { op, .. } => op.name(),
        Op::MulAdd { .. } => "mul_add",
        Op::MulWide { .. } => "mul_wide",
        Op::Select { .. } => "select",
        Op::Convert { .. } => "convert",
        Op::Bits(_) => "bits",
        Op::Offset { .. } => "offset",
        Op::ToGeneric(_) => "to_generic",
        Op::LowBits(_) => "low_bits",
        Op::MapShared { .. } => "map_shared",
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::Atomic { .. } => "atomic",
        Op::Intrinsic { intrinsic, .. } => intrinsic.row().name,
        Op::Result { .. } => "result",
        Op::Guard { .. } => "guard",
        Op::Poll(_) => "poll",
        Op::Leave(_) => "leave",
        Op::Print { .. } => "print",
        Op::Claim { .. } => "claim",
        Op::Put { .. } => "put",
        Op::Ptx { .. } => "ptx",
        Op::Fault(_) => "fault",
    }
}

/// Visits the fields of an operation that are neither values nor part of the mnemonic: words first,
/// then numbers.
pub(super) fn immediates(op: &mut Op, with: &mut impl Immediates) {
    match op {
        Op::Unary { scalar, .. } | Op::Binary { scalar, .. } => with.word(scalar),
        Op::MulWide { signed, .. } => with.flag("signed", signed),
        Op::Convert { from, to, .. } => {
            with.word(from);
            with.word(to);
        }
        Op::Load {
            offset,
            scalar,
            constant,
            in_bounds,
            access,
            ..
        } => {
            with.flag("constant", constant);
            with.flag("in_bounds", in_bounds);
            with.word(access);
            with.word(scalar);
            with.offset(offset);
        }
        Op::Store {
            offset, scalar, access, ..
        } => {
            with.word(access);
            with.word(scalar);
            with.offset(offset);
        }
        Op::Atomic {
            op,
            scalar,
            order,
            scope,
            ..
        } => {
            with.word(op);
            with.word(scalar);
            with.word(order);
            with.word(scope);
        }
        Op::Intrinsic { intrinsic, .. } => intrinsic.immediates(with),
        Op::Result { index, .. } => with.number(index),
        Op::Ptx { number, .. } => with.number(number),
        Op::Guard { site, .. } | Op::Claim { site } => with.number(site),
        Op::Print { site, values } => {
            with.number(site);
            with.number(values);
        }
        Op::Put { offset, .. } => with.number(offset),
        Op::Parameter
        | Op::Constant(_)
        | Op::External(_)
        | Op::Argument { .. }
        | Op::Special(_)
        | Op::Address(_)
        | Op::MulAdd { .. }
        | Op::Select { .. }
        | Op::Bits(_)
        | Op::Offset { .. }
        | Op::ToGeneric(_)
        | Op::LowBits(_)
        | Op::MapShared { .. }
        | Op::Poll(_)
        | Op::Leave(_)
        | Op::Fault(_) => {}
    }
}

/// One operation of each mnemonic, with arbitrary operands and immediates.
pub(super) fn samples() -> Vec<Op> {
    let a: Value = Handle::new(0);
    let scalar = Scalar::U32;
    let mut all = vec![
        Op::MulAdd { a, b: a, c: a },
        Op::MulWide { signed: false, a, b: a },
        Op::Select { condition: a, a, b: a },
        Op::Convert {
            from: scalar,
            to: scalar,
            a,
        },
        Op::Bits(a),
        Op::Offset { base: a, bytes: a },
        Op::ToGeneric(a),
        Op::LowBits(a),
        Op::MapShared { address: a, rank: a },
        Op::Load {
            address: a,
            offset: 0,
            scalar,
            constant: false,
            in_bounds: false,
            access: Access::Plain,
        },
        Op::Store {
            address: a,
            offset: 0,
            scalar,
            value: a,
            access: Access::Plain,
        },
        Op::Atomic {
            op: AtomicOp::Load,
            scalar,
            order: MemoryOrder::Relaxed,
            scope: MemoryScope::Device,
            address: a,
            operands: [a; 2],
        },
        Op::Result { of: a, index: 0 },
        Op::Guard {
            condition: a,
            site: 0,
            values: [a; 2],
        },
        Op::Poll(a),
        Op::Leave(a),
        Op::Print { site: 0, values: 0 },
        Op::Claim { site: 0 },
        Op::Put {
            record: a,
            offset: 0,
            value: a,
        },
        Op::Ptx {
            number: 0,
            operands: ValueList::default(),
        },
        Op::Fault(a),
    ];
    all.extend(Intrinsic::ALL.iter().map(|&intrinsic| Op::Intrinsic {
        intrinsic,
        operands: ValueList::default(),
    }));
    all.extend(UnaryOp::ALL.iter().map(|&op| Op::Unary { op, scalar, a }));
    all.extend(BinaryOp::ALL.iter().map(|&op| Op::Binary { op, scalar, a, b: a }));
    all
}

#[cfg(test)]
mod tests;
