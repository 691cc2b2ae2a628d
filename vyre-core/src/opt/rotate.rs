//! Turns loops that test at the top into loops that test at the bottom, behind one test in front.
//!
//! A round then takes one branch instead of two, and what the loop's test has decided is known in
//! the whole of its body from the first round on.
//!
//! **Algorithm.** The header of a loop that leaves the loop by one of its two edges is copied; the
//! way into the loop leads through the copy, and the header itself becomes the end of each round.
//!
//! **Before:** any valid graph. **After:** the values of rotated loops are in local memory
//! ([`demote`](super::demote)) until [`promote`](super::promote) has run. **Cost:** linear.

use super::demote::{self, Copies};
use super::hoist::{preheader, with_preheaders};
use crate::ssa::graph::{Graph, Loop};
use crate::ssa::{Block, Function, Terminator};

/// Headers with more operations than this are not copied.
const MAX_HEADER: usize = 24;

/// Rotates loops; returns whether there were any to rotate.
pub(crate) fn run(function: &mut Function) -> bool {
    let (graph, loops) = with_preheaders(function);
    let headers: Vec<(Block, Block)> = loops
        .loops
        .iter()
        .filter(|this| tests_at_top(function, this))
        .map(|this| (this.header, preheader(&graph, this)))
        .collect();
    if headers.is_empty() {
        return false;
    }
    let blocks: Vec<Block> = headers.iter().map(|&(header, _)| header).collect();
    demote_headers(function, &graph, &blocks);
    for (header, front) in headers {
        let copies = Copies::of(function, &[header]);
        for edge in function.blocks[front].end.edges_mut() {
            edge.block = copies.get(edge.block);
        }
    }
    true
}

fn demote_headers(function: &mut Function, graph: &Graph, headers: &[Block]) {
    demote::run(function, &graph.order, headers);
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
