//! The operations that touch memory of several threads.
//!
//! **Rules.** Local memory, tables, parameters and slices that nothing writes while the kernel runs do not count. A load
//! or store is plain, a volatile or relaxed one counts as atomic: it is no race by itself, and it orders nothing. Intrinsics
//! touch all of the memory that their pointers come from; an asynchronous copy does so at any time, for it goes on behind its
//! place. Inline PTX with an address touches anything.

use vyre_ir::ir::{AtomicOp, Operand, Scalar};

use crate::analysis::provenance::{Provenance, Root};
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Block, Function, Space, Ty, Value};

/// The memory of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    /// That of a variable or parameter.
    Of(Value),
    /// Some in a space.
    In(Space),
    /// Any.
    Any,
}

/// An operation that touches memory.
#[derive(Clone)]
pub(super) struct Touch {
    pub(super) value: Value,
    pub(super) block: Block,
    /// The place in the body of the block.
    pub(super) at: usize,
    pub(super) memory: Memory,
    /// True if the memory belongs to a block.
    pub(super) is_shared: bool,
    pub(super) writes: bool,
    pub(super) is_atomic: bool,
    /// True if it may happen at any time behind its place.
    pub(super) is_late: bool,
    /// Where it begins, an offset to that, and the bytes; `None` if it may touch all of the memory.
    pub(super) place: Option<(Value, i64, u64)>,
}

impl Touch {
    /// True for a load or store that is neither volatile, relaxed nor atomic.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_atomic && self.place.is_some()
    }

    /// True if accesses of two threads to one byte are a race.
    pub(super) fn conflicts(&self, other: &Touch, function: &Function) -> bool {
        (self.writes || other.writes) && !(self.is_atomic && other.is_atomic) && self.may_share(other, function)
    }

    /// True if accesses may be to one memory.
    pub(super) fn may_share(&self, other: &Touch, function: &Function) -> bool {
        let space = |memory: Memory| match memory {
            Memory::Of(root) => space_of(function, root),
            Memory::In(Space::Cluster) => Some(Space::Shared),
            Memory::In(Space::Generic) | Memory::Any => None,
            Memory::In(space) => Some(space),
        };
        match (self.memory, other.memory) {
            (Memory::Of(a), Memory::Of(b)) => a == b,
            (a, b) => match (space(a), space(b)) {
                (Some(a), Some(b)) => a == b,
                _ => true,
            },
        }
    }
}

/// The space of a root.
fn space_of(function: &Function, root: Value) -> Option<Space> {
    match function.ty(root) {
        Ty::Pointer(Space::Generic) => None,
        Ty::Pointer(space) => Some(space),
        _ => None,
    }
}

/// The operations of a function that touch memory, in the order of its blocks.
pub(super) fn find(function: &Function, flow: &Flow, provenance: &Provenance) -> Vec<Touch> {
    let mut touches = Vec::new();
    for &block in &flow.order {
        for (at, &value) in function.blocks[block].body.iter().enumerate() {
            let mut add = |address: Option<Value>, touch: Touch| {
                let memory = address.map_or(Some(Memory::Any), |address| memory(function, provenance, address));
                if let Some(memory) = memory {
                    let is_shared = match memory {
                        Memory::Of(root) => space_of(function, root) == Some(Space::Shared),
                        Memory::In(space) => space == Space::Shared,
                        Memory::Any => false,
                    };
                    touches.push(Touch {
                        memory,
                        is_shared,
                        ..touch
                    });
                }
            };
            let touch = |writes: bool, is_atomic: bool| Touch {
                value,
                block,
                at,
                memory: Memory::Any,
                is_shared: false,
                writes,
                is_atomic,
                is_late: false,
                place: None,
            };
            match function.op(value) {
                Op::Load { constant: true, .. } => {}
                Op::Load { access, .. } if access.is_prefetch() => {}
                Op::Load {
                    address,
                    offset,
                    scalar,
                    access,
                    ..
                } => {
                    let bytes = size(scalar, function.ty(value));
                    let place = Some((address, offset.into(), bytes));
                    let touch = touch(false, access.is_concurrent());
                    add(Some(address), Touch { place, ..touch });
                }
                Op::Store {
                    address,
                    offset,
                    scalar,
                    access,
                    value: stored,
                } => {
                    let bytes = size(scalar, function.ty(stored));
                    let place = Some((address, offset.into(), bytes));
                    let touch = touch(true, access.is_concurrent());
                    add(Some(address), Touch { place, ..touch });
                }
                Op::Atomic {
                    op, address, scalar, ..
                } => {
                    // The setup of an asynchronous barrier is none of its operations.
                    let is_atomic = op != AtomicOp::BarrierInit;
                    let place = Some((address, 0, u64::from(scalar.size().max(4))));
                    let touch = touch(op != AtomicOp::Load, is_atomic);
                    add(Some(address), Touch { place, ..touch });
                }
                Op::Intrinsic { intrinsic, operands } if intrinsic.row().accesses_memory() => {
                    // Those that write are asynchronous copies.
                    let is_late = intrinsic.row().operands.contains(&Operand::Target);
                    for &operand in function.lists.get(operands) {
                        if matches!(function.ty(operand), Ty::Pointer(_)) {
                            let touch = touch(is_late, false);
                            add(Some(operand), Touch { is_late, ..touch });
                        }
                    }
                }
                Op::Ptx { number, .. } if function.inline[number as usize].text.contains('[') => {
                    let touch = touch(true, false);
                    add(None, Touch { is_late: true, ..touch });
                }
                _ => {}
            }
        }
    }
    touches
}

/// The bytes of an access. Pairs of halves are accessed as words.
fn size(scalar: Scalar, ty: Ty) -> u64 {
    match (scalar, ty) {
        (Scalar::F16 | Scalar::BF16, Ty::I32) => 4,
        _ => scalar.size().into(),
    }
}

/// The memory that an address is in; `None` if other threads do not come there, or nothing writes it.
fn memory(function: &Function, provenance: &Provenance, address: Value) -> Option<Memory> {
    let Ty::Pointer(space) = function.ty(address) else {
        return Some(Memory::Any);
    };
    if let Root::Value(root) = provenance.root(function, address) {
        match function.op(root) {
            Op::Address(Object::Local(_) | Object::Table(_) | Object::Parameter { .. }) => return None,
            // A cluster's view of a variable is that of another block.
            Op::Address(_) | Op::Argument { .. } if space != Space::Cluster => return Some(Memory::Of(root)),
            _ => {}
        }
    }
    match space {
        Space::Local | Space::Const | Space::Param => None,
        Space::Generic => Some(Memory::Any),
        space => Some(Memory::In(space)),
    }
}
