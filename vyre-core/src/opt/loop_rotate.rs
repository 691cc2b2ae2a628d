//! Loop rotation: a loop that tests at the top is changed to test at the bottom, after one test in
//! its preheader.
//!
//! An iteration then takes one branch instead of two, and the outcome of the loop's test is known
//! in its whole body from the first iteration on.
//!
//! **Algorithm.** A header with an exit edge is copied; the loop is entered through the copy, and
//! the header itself becomes the latch. If constants decide the first test, it is omitted.
//! [`block_copies`](super::block_copies) does the rest.
//!
//! **Before and after:** any valid graph. **Cost:** linear.

use super::block_copies::Regions;
use super::rules;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::graph::Graph;
use crate::ssa::{Block, Edge, Function, Terminator};

/// Headers with more operations than this are not copied.
const MAX_HEADER: usize = 24;
/// Limit of the operations between constants and a test that they decide.
const MAX_DEPTH: u32 = 2;

/// Rotates loops; returns the new graph if there were any to rotate.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> Option<Graph> {
    let rotated: Vec<&Loop> = (0..forest.loops.len())
        .filter(|&number| tests_at_top(function, forest, number))
        .map(|number| &forest.loops[number])
        .collect();
    if rotated.is_empty() {
        return None;
    }
    let headers = rotated.iter().map(|this| std::slice::from_ref(&this.header));
    let mut regions = Regions::of(function, headers);
    for (region, this) in rotated.into_iter().enumerate() {
        let front = this.preheader();
        let test = first_test(function, this.header, front);
        let Terminator::Jump(Edge { arguments, .. }) = &mut function.blocks[front].end else {
            continue;
        };
        let arguments = std::mem::take(arguments);
        let (copy, into) = regions.copy_with(function, region, arguments);
        function.blocks[front].end = Terminator::Jump(into);
        if let Some(test) = test {
            let copied = regions.block(region, copy, this.header);
            function.blocks[copied].end.decide(test == 1);
        }
    }
    Some(regions.repair(function))
}

/// The outcome of a header's test in the first iteration, if known.
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

/// True if a loop's header has the exit test, and another block is the latch.
fn tests_at_top(function: &Function, forest: &LoopForest, number: usize) -> bool {
    let this = &forest.loops[number];
    let header = &function.blocks[this.header];
    let Terminator::Branch { then, otherwise, .. } = &header.end else {
        return false;
    };
    forest.contains(number, then.block) != forest.contains(number, otherwise.block)
        && !this.latches.contains(&this.header)
        && header.body.len() <= MAX_HEADER
}
