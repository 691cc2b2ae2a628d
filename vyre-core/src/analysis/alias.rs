//! Accesses that may touch the same memory.
//!
//! **Rules.** Memories of different spaces do not overlap, but for a cluster's view of shared memory, and a
//! generic pointer may point into any. In one space, pointers offset from different known
//! [roots](super::provenance) do not meet: variables do not overlap, and parameters do only where nothing writes
//! them. From one root, accesses at constant offsets from one pointer meet if the bytes do. In all other cases
//! they may.

use super::difference::base_and_distance;
use super::provenance::{Provenance, Root};
use crate::ssa::op::Op;
use crate::ssa::{Function, Space, Ty, Value};

/// True if two loads, stores or atomic accesses may touch the same byte.
pub(crate) fn may_alias(function: &Function, provenance: &Provenance, a: Value, b: Value) -> bool {
    let (Some(a), Some(b)) = (Place::of(function, a), Place::of(function, b)) else {
        return true;
    };
    if let (Some(of_a), Some(of_b)) = (a.memory(function), b.memory(function))
        && of_a != of_b
    {
        return false;
    }
    let (root_a, root_b) = (
        provenance.root(function, a.address),
        provenance.root(function, b.address),
    );
    if let (Root::Value(x), Root::Value(y)) = (root_a, root_b)
        && x != y
    {
        return false;
    }
    let ((x, first), (y, second)) = (a.start(function), b.start(function));
    // Offsets wrap like addresses, so their difference decides.
    let distance = first.wrapping_sub(second);
    x != y || distance < b.size || distance.wrapping_neg() < a.size
}

/// The memory touched by an access.
struct Place {
    address: Value,
    offset: i32,
    size: u64,
}

impl Place {
    fn of(function: &Function, access: Value) -> Option<Place> {
        let (address, offset, scalar) = match function.op(access) {
            Op::Load {
                address,
                offset,
                scalar,
                ..
            }
            | Op::Store {
                address,
                offset,
                scalar,
                ..
            } => (address, offset, scalar),
            Op::Atomic { address, scalar, .. } => (address, 0, scalar),
            _ => return None,
        };
        // Pairs of halves are accessed as words.
        let size = u64::from(scalar.size().max(4));
        Some(Place { address, offset, size })
    }

    /// The state space that the address points into; `None` if unknown.
    fn memory(&self, function: &Function) -> Option<Space> {
        match function.ty(self.address) {
            Ty::Pointer(Space::Generic) => None,
            Ty::Pointer(Space::Cluster) => Some(Space::Shared),
            Ty::Pointer(space) => Some(space),
            _ => None,
        }
    }

    fn start(&self, function: &Function) -> (Value, u64) {
        let (base, distance) = base_and_distance(function, self.address);
        // The words of small memories wrap at 32 bits.
        let distance = match function.ty(self.address).bits() {
            32 => i64::from(distance as u32 as i32) as u64,
            _ => distance,
        };
        (base, distance.wrapping_add(i64::from(self.offset) as u64))
    }
}
