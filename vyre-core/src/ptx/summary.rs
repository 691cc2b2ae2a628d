//! Requirements of an entry's operations, collected in one pass for all consumers.

use super::Needs;
use super::warp::is_all;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Function, Value};

/// Requirements of an entry's operations.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// The lowest `.version` and `.target`.
    pub(crate) needs: Needs,
    /// The objects whose addresses are taken, possibly repeated.
    pub(crate) objects: Vec<Object>,
    /// The named barriers, as a bit set.
    pub(crate) named_barriers: u32,
    /// True if there is a grid barrier.
    pub(crate) grid_barriers: bool,
    /// True if some warp operation is among part of a warp.
    pub(crate) tiles: bool,
    /// True if some guard or fault is left.
    pub(crate) faults: bool,
    /// True if there are matrix products or loads.
    pub(crate) matrices: bool,
    /// True if there are accesses to the shared memory of other blocks.
    pub(crate) maps_shared: bool,
    /// Alignment that accesses require of shared variables.
    pub(crate) shared_align: u64,
}

impl Summary {
    /// Collects over the reachable blocks.
    pub(crate) fn of(function: &Function, flow: &Flow) -> Summary {
        let mut summary = Summary {
            needs: Needs::ALWAYS,
            objects: Vec::new(),
            named_barriers: 0,
            grid_barriers: false,
            tiles: false,
            faults: false,
            matrices: false,
            maps_shared: false,
            shared_align: 1,
        };
        for &block in &flow.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                summary.add(function, value);
            }
            data.end.each_operand(|operand| summary.address(function, operand));
        }
        summary
    }

    fn add(&mut self, function: &Function, value: Value) {
        let op = function.op(value);
        match op {
            Op::Intrinsic { intrinsic, operands } => {
                let row = intrinsic.row();
                let members = function.lists.get(operands).last().filter(|_| row.tile.is_some());
                self.tiles |= members.is_some_and(|&members| !is_all(function, members));
                self.matrices |= row.whole_warps;
                self.intrinsic(intrinsic);
            }
            Op::Guard { .. } | Op::Claim { .. } => self.faults = true,
            Op::MapShared { .. } => self.maps_shared = true,
            _ => {}
        }
        self.needs = self.needs.and(super::needs(function, value));
        function.each_operand(value, |operand| self.address(function, operand));
    }

    fn address(&mut self, function: &Function, operand: Value) {
        if let Op::Address(object) = function.op(operand) {
            self.objects.push(object);
        }
    }
}
