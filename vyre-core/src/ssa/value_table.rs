//! A hash table from operations to the values that compute them.
//!
//! Buckets are chains through a side table, and a lookup walks the chain of its hash: an entry
//! costs eight bytes and no allocation. When this crate runs unoptimised inside a macro, the
//! standard map would spend more time in its generic code than in the lookup.

use vyre_ir::ir::Arena;

use super::function::{Value, ValueData};
use super::op::Op;
use super::ty::Ty;

/// Values by operation and type.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// One more than the first entry of the chain of each hash; 0 if there is none.
    heads: Vec<u32>,
    /// Value, and one more than the next entry of the chain.
    entries: Vec<(Value, u32)>,
}

impl Table {
    /// The entry that computes `op` and is still usable. Unusable entries are removed from their
    /// chain, so that none is visited twice.
    pub(crate) fn find(
        &mut self,
        values: &Arena<ValueData>,
        op: Op,
        ty: Ty,
        is_good: impl Fn(Value) -> bool,
    ) -> Option<Value> {
        if self.heads.is_empty() {
            return None;
        }
        let bucket = hash(op, ty) as usize & (self.heads.len() - 1);
        let mut before = 0;
        let mut next = self.heads[bucket];
        while next != 0 {
            let (value, after) = self.entries[next as usize - 1];
            let data = &values[value];
            if data.op == op && data.ty == ty {
                if is_good(value) {
                    return Some(value);
                }
                match before {
                    0 => self.heads[bucket] = after,
                    _ => self.entries[before as usize - 1].1 = after,
                }
            } else {
                before = next;
            }
            next = after;
        }
        None
    }

    /// Adds a value under its operation.
    pub(crate) fn insert(&mut self, values: &Arena<ValueData>, value: Value) {
        if self.entries.len() >= self.heads.len() {
            self.grow(values);
        }
        self.entries.push((value, 0));
        self.link(values, self.entries.len() - 1);
    }

    fn grow(&mut self, values: &Arena<ValueData>) {
        let buckets = (self.heads.len() * 2).max(64);
        self.heads = vec![0; buckets];
        for entry in 0..self.entries.len() {
            self.link(values, entry);
        }
    }

    fn link(&mut self, values: &Arena<ValueData>, entry: usize) {
        let data = &values[self.entries[entry].0];
        let bucket = hash(data.op, data.ty) as usize & (self.heads.len() - 1);
        self.entries[entry].1 = std::mem::replace(&mut self.heads[bucket], entry as u32 + 1);
    }
}

/// Hashes the distinguishing fields. Fields that rarely differ are left to the comparison.
fn hash(op: Op, ty: Ty) -> u32 {
    let (kind, a, b) = match op {
        Op::Parameter => (0, 0, 0),
        Op::Constant(bits) => (1, bits as u32, (bits >> 32) as u32),
        Op::External(external) => (2, external.index() as u32, 0),
        Op::Argument { parameter, offset, .. } => (3, parameter, offset),
        Op::Special(_) => (4, 0, 0),
        Op::Address(_) => (5, 0, 0),
        Op::Unary { op, a, .. } => (6 | (op as u32) << 8, word(a), 0),
        Op::Binary { op, a, b, .. } => (7 | (op as u32) << 8, word(a), word(b)),
        Op::MulAdd { a, b, c } => (8, word(a), word(b).rotate_left(16) ^ word(c)),
        Op::MulWide { a, b, .. } => (9, word(a), word(b)),
        Op::Select { condition, a, b } => (10, word(condition), word(a).rotate_left(16) ^ word(b)),
        Op::Convert { from, to, a } => (11 | (from as u32) << 8 | (to as u32) << 16, word(a), 0),
        Op::Bits(a) => (12, word(a), 0),
        Op::Offset { base, bytes } => (13, word(base), word(bytes)),
        Op::ToGeneric(a) => (14, word(a), 0),
        Op::LowBits(a) => (20, word(a), 0),
        Op::MapShared { address, rank } => (19, word(address), word(rank)),
        Op::Load { address, offset, .. } => (15, word(address), offset as u32),
        Op::Guard { condition, .. } => (16, word(condition), 0),
        Op::Result { of, index } => (18, word(of), index),
        Op::Store { .. }
        | Op::Intrinsic { .. }
        | Op::Atomic { .. }
        | Op::Poll(_)
        | Op::Leave(_)
        | Op::Print { .. }
        | Op::Claim { .. }
        | Op::Put { .. }
        | Op::Ptx { .. }
        | Op::Fault(_) => (17, 0, 0),
    };
    let ty = match ty {
        Ty::Unit => 0,
        Ty::Bool => 1,
        Ty::I32 => 2,
        Ty::I64 => 3,
        Ty::F32 => 4,
        Ty::F64 => 5,
        Ty::Pointer(_) => 6,
        Ty::F16 => 7,
        Ty::BF16 => 8,
    };
    let mut mixed = (kind ^ ty << 24).wrapping_mul(0x9e37_79b1);
    mixed = (mixed ^ a).wrapping_mul(0x85eb_ca6b);
    mixed ^= mixed >> 15;
    mixed = (mixed ^ b).wrapping_mul(0xc2b2_ae35);
    mixed ^ mixed >> 16
}

fn word(value: Value) -> u32 {
    value.index() as u32
}
