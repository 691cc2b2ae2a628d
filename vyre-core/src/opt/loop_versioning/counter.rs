//! The counter of the copies in 32 bits.
//!
//! The predicate before the loop asks that the first value and the limit of the counter are less than 2^31. Its steps are
//! constants, and those of a group are less than 2^21 together, so that it stays a word. In the first iteration of each copy
//! it is truncated and extended, and so it is at the end of a group; in between, indices stay sums of 64 bits, whose constants
//! end in the offsets of addresses. The [`rules`](super::super::rules) make operations on words of that.

use vyre_ir::ir::BinaryOp;

use super::super::block_copies::Regions;
use super::entry::Front;
use super::plan::Plan;
use crate::analysis::loop_forest::Loop;
use crate::ssa::{Block, Function, Terminator, Value};

impl Plan {
    /// True if the counter is below a limit, computed in a block.
    pub(super) fn stays(&self, function: &mut Function, block: Block, stepped: Value, mut limit: Value) -> Value {
        if self.counts_narrow {
            limit = Front {
                function,
                block: self.front,
            }
            .low_half(limit);
        }
        Front { function, block }.binary(BinaryOp::Lt, self.scalar, stepped, limit)
    }

    /// Replaces the counter in a copy that begins with its parameter by its low half, extended.
    pub(super) fn narrow_counter(
        &self,
        function: &mut Function,
        regions: &Regions,
        region: usize,
        this: &Loop,
        copy: usize,
    ) {
        let header = regions.block(region, copy, this.header);
        let counter = function.blocks[header].parameters[self.counter];
        let body = std::mem::take(&mut function.blocks[header].body);
        let low = Front {
            function,
            block: header,
        }
        .low_half(counter);
        let replace = |operand: &mut Value| {
            if *operand == counter {
                *operand = low;
            }
        };
        for &value in &body {
            function.visit_operands(value, replace);
        }
        function.blocks[header].body.extend(body);
        for &block in &this.blocks {
            let block = regions.block(region, copy, block);
            if block != header {
                for position in 0..function.blocks[block].body.len() {
                    function.visit_operands(function.blocks[block].body[position], replace);
                }
            }
            function.blocks[block].end.visit(replace);
        }
    }

    /// Counts and compares in 32 bits at the end of the loop for the rest.
    pub(super) fn narrow_end(&self, function: &mut Function, latch: Block) {
        let end = std::mem::replace(&mut function.blocks[latch].end, Terminator::Return);
        let Terminator::Branch { then, otherwise, .. } = end else {
            function.blocks[latch].end = end;
            return;
        };
        let (mut back, mut exit) = if self.stays_by_then {
            (then, otherwise)
        } else {
            (otherwise, then)
        };
        let stepped = back.arguments[self.counter];
        let low = Front { function, block: latch }.low_half(stepped);
        for argument in back.arguments.iter_mut().chain(&mut exit.arguments) {
            if *argument == stepped {
                *argument = low;
            }
        }
        function.blocks[latch].end = Terminator::Branch {
            condition: self.stays(function, latch, low, self.limit),
            then: back,
            otherwise: exit,
        };
    }
}
