//! Sinks the guards of a block to one place, so that one branch serves several.
//!
//! **Algorithm.** A guard joins the one before it in the block if what it compares can be computed
//! there: the operations in between that it needs are moved in front. Guards keep their order,
//! and so does everything that other threads can see; only loads and stores fall behind a guard
//! that stood behind them, and after a fault what they did does not count. What PTX makes of
//! guards that stand together is in [`ptx`](crate::ptx).
//!
//! **Before and after:** any valid graph. **Cost:** linear.

use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Value, filled};

/// Brings guards together.
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

/// The new body of a block: what is done with, then a group of guards, then what stands behind
/// them for now.
struct Gathering<'f> {
    function: &'f mut Function,
    head: Vec<Value>,
    guards: Vec<Value>,
    /// With gaps where operations have moved to the head.
    tail: Vec<Option<Value>>,
    /// For each value its place in the tail.
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

    /// Collects the places in the tail of what a value needs, in order; false if that cannot move.
    fn need(&self, value: Value, needed: &mut Vec<u32>) -> bool {
        let Some(place) = self.place[value.index()] else {
            return true;
        };
        match needed.binary_search(&place) {
            Ok(_) => return true,
            Err(at) => needed.insert(at, place),
        }
        let mut possible = self.function.op(value).is_speculatable();
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
