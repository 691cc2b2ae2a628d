//! Groups the guards of a block, so that several share one branch.
//!
//! **Algorithm.** A guard joins the previous one in the block if its operands can be computed
//! there: the operations in between that it needs are moved up. A load moves only if
//! [loop versioning](super::loop_versioning) has proven it in bounds: the indices of a gather over
//! several iterations are then loaded together, and checked by one branch. Guards keep their order,
//! and so do all effects visible to other threads; only loads and stores sink below a guard that
//! followed them, and after a fault their effects do not matter. The emission of grouped guards is
//! in [`ptx`](crate::ptx).
//!
//! **Before and after:** any valid graph. **Cost:** linear.

use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Value, filled};

/// Groups guards.
pub(crate) fn run(function: &mut Function, graph: &Flow) {
    let mut gathering = Gathering {
        place: filled(None, function.values.len()),
        function,
        head: Vec::new(),
        guards: Vec::new(),
        tail: Vec::new(),
    };
    for &block in &graph.order {
        gathering.block(block);
    }
}

/// The new body of a block: the finished part, then a group of guards, then the operations that
/// currently follow them.
struct Gathering<'f> {
    function: &'f mut Function,
    head: Vec<Value>,
    guards: Vec<Value>,
    /// With gaps for operations that have moved up.
    tail: Vec<Option<Value>>,
    /// The position of each value in the tail.
    place: Vec<Option<u32>>,
}

impl Gathering<'_> {
    fn block(&mut self, block: Block) {
        let old = std::mem::take(&mut self.function.blocks[block].body);
        for value in old {
            match self.function.op(value) {
                Op::Guard { .. } => self.guard(value),
                op if op.has_effect() && !matches!(op, Op::Store { .. }) => {
                    self.close();
                    self.head.push(value);
                }
                _ if self.guards.is_empty() => self.head.push(value),
                _ => {
                    self.place[value.index()] = Some(self.tail.len() as u32);
                    self.tail.push(Some(value));
                }
            }
        }
        self.close();
        self.function.blocks[block].body = std::mem::take(&mut self.head);
    }

    fn guard(&mut self, value: Value) {
        let mut needed = Vec::new();
        if !self.guards.is_empty() {
            let mut possible = true;
            self.function
                .each_operand(value, |operand| possible &= self.need(operand, &mut needed));
            if possible {
                for place in needed {
                    if let Some(moved) = self.tail[place as usize].take() {
                        self.place[moved.index()] = None;
                        self.head.push(moved);
                    }
                }
            } else {
                self.close();
            }
        }
        self.guards.push(value);
    }

    /// Collects the positions in the tail of a value's operands, in order; false if one cannot
    /// move. Memory that is not written has the same value everywhere.
    fn need(&self, value: Value, needed: &mut Vec<u32>) -> bool {
        let Some(place) = self.place[value.index()] else {
            return true;
        };
        match needed.binary_search(&place) {
            Ok(_) => return true,
            Err(at) => needed.insert(at, place),
        }
        let op = self.function.op(value);
        let mut possible = op.is_speculatable()
            || matches!(
                op,
                Op::Load {
                    constant: true,
                    in_bounds: true,
                    ..
                }
            );
        self.function
            .each_operand(value, |operand| possible = possible && self.need(operand, needed));
        possible
    }

    /// Ends a group.
    fn close(&mut self) {
        self.head.append(&mut self.guards);
        for value in self.tail.drain(..).flatten() {
            self.place[value.index()] = None;
            self.head.push(value);
        }
    }
}
