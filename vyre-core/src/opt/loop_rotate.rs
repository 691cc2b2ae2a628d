//! Loop rotation: a loop that tests at the top tests at the bottom, behind one test in its preheader.
//!
//! A round then takes one branch instead of two, and what the loop's test has decided is known in
//! the whole of its body from the first round on.
//!
//! **Algorithm.** The header of a loop that leaves the loop by one of its two edges is copied; the
//! way into the loop leads through the copy, and the header itself becomes the end of each round. Where
//! constants decide the first test there is none.
//!
//! **Before:** any valid graph. **After:** the values of rotated loops are in local memory
//! ([`reg2mem`](super::demote)) until [`mem2reg`](super::promote) has run. **Cost:** linear.

use super::reg2mem::{self, Copies};
use super::rules;
use crate::analysis::loop_forest::{LoopForest, preheader};
use crate::ssa::graph::Loop;
use crate::ssa::{Block, Function, Terminator};

/// Headers with more operations than this are not copied.
const MAX_HEADER: usize = 24;
/// How many operations may lie between constants and a test that they decide.
const MAX_DEPTH: u32 = 2;

/// Rotates loops; returns whether there were any to rotate.
pub(super) fn run(function: &mut Function, nest: &LoopForest) -> bool {
    let LoopForest { graph, loops } = nest;
    let headers: Vec<(Block, Block, Option<u64>)> = loops
        .loops
        .iter()
        .filter(|this| tests_at_top(function, this))
        .map(|this| {
            let front = preheader(graph, this);
            (this.header, front, first_test(function, this.header, front))
        })
        .collect();
    if headers.is_empty() {
        return false;
    }
    let blocks: Vec<Block> = headers.iter().map(|&(header, ..)| header).collect();
    reg2mem::run(function, &graph.order, &blocks);
    for (header, front, test) in headers {
        let copies = Copies::of(function, &[header]);
        for edge in function.blocks[front].end.edges_mut() {
            edge.block = copies.get(edge.block);
        }
        if let Some(test) = test {
            function.blocks[copies.get(header)].end.decide(test == 1);
        }
    }
    true
}

/// What a header's test yields the first time, if that is known.
fn first_test(function: &Function, header: Block, front: Block) -> Option<u64> {
    let (Terminator::Branch { condition, .. }, Terminator::Jump(edge)) =
        (&function.blocks[header].end, &function.blocks[front].end)
    else {
        return None;
    };
    rules::bits(function, *condition, MAX_DEPTH, &|value| {
        let parameters = &function.blocks[header].parameters;
        let position = parameters.iter().position(|&parameter| parameter == value)?;
        function.as_constant(edge.arguments[position])
    })
}

/// Whether a loop's header decides whether to go on, and some other block ends the round.
fn tests_at_top(function: &Function, this: &Loop) -> bool {
    let header = &function.blocks[this.header];
    let inside = |block: Block| this.blocks.contains(&block);
    let Terminator::Branch { then, otherwise, .. } = &header.end else {
        return false;
    };
    inside(then.block) != inside(otherwise.block)
        && !this.latches.contains(&this.header)
        && header.body.len() <= MAX_HEADER
}
