//! The natural loops of a function, each with a preheader.
//!
//! Passes over loops work on one and the same nest as long as none of them changes an edge, because
//! most do nothing, and finding loops takes as long as they do.
//!
//! **Cost:** that of [`Graph`] and [`Loops`], twice where a block was missing.

use crate::ssa::graph::{Graph, Loop, Loops};
use crate::ssa::{Block, Edge, Function, Terminator, Value};

/// The graph and the loops of a function.
pub(crate) struct LoopForest {
    pub(crate) graph: Graph,
    pub(crate) loops: Loops,
}

impl LoopForest {
    /// Looks through a function, and makes the blocks that are missing.
    pub(crate) fn of(function: &mut Function) -> LoopForest {
        let nest = LoopForest::as_is(function);
        let mut changed = false;
        for this in &nest.loops.loops {
            let outside: Vec<Block> = outside(&nest.graph, this).collect();
            if let &[only] = outside.as_slice()
                && matches!(function.blocks[only].end, Terminator::Jump(_))
            {
                continue;
            }
            changed = true;
            add_preheader(function, this.header, &outside);
        }
        if changed { LoopForest::as_is(function) } else { nest }
    }

    fn as_is(function: &Function) -> LoopForest {
        let graph = Graph::of(function);
        let loops = Loops::of(function, &graph);
        LoopForest { graph, loops }
    }
}

/// The blocks outside of a loop with an edge to its header.
fn outside<'a>(graph: &'a Graph, this: &Loop) -> impl Iterator<Item = Block> + 'a {
    let header = this.header;
    graph
        .predecessors(header)
        .iter()
        .copied()
        .filter(move |&block| !graph.dominates(header, block))
}

/// The block in front of a loop that has one.
pub(crate) fn preheader(graph: &Graph, this: &Loop) -> Block {
    outside(graph, this)
        .next()
        .unwrap_or_else(|| unreachable!("a loop that control reaches is entered from outside"))
}

fn add_preheader(function: &mut Function, header: Block, outside: &[Block]) {
    let front = function.add_block();
    let mut arguments = Vec::new();
    if let &[only] = outside
        && let Some(edge) = function.blocks[only].end.edges_mut().find(|edge| edge.block == header)
    {
        // One edge passes its arguments on as they are.
        arguments = std::mem::take(&mut edge.arguments);
        edge.block = front;
    } else {
        // Which of the header's parameters the block needs too.
        let mut merged = Vec::new();
        for position in 0..function.blocks[header].parameters.len() {
            let alike = alike(function, header, outside, position);
            merged.push(alike.is_none());
            arguments.push(alike.unwrap_or_else(|| {
                let data = function.values[function.blocks[header].parameters[position]];
                function.add_parameter(front, data.ty, data.span)
            }));
        }
        for &block in outside {
            for edge in function.blocks[block].end.edges_mut() {
                if edge.block == header {
                    edge.block = front;
                    let mut merged = merged.iter();
                    edge.arguments.retain(|_| merged.next() == Some(&true));
                }
            }
        }
    }
    function.blocks[front].end = Terminator::Jump(Edge {
        block: header,
        arguments,
    });
}

/// The value that all edges from `outside` pass for a parameter of `header`, if it is one. That one
/// needs no parameter of the block in front, and the start of a counter stays a constant.
fn alike(function: &Function, header: Block, outside: &[Block], position: usize) -> Option<Value> {
    let mut only = None;
    for &block in outside {
        for edge in function.blocks[block].end.edges() {
            if edge.block == header && *only.get_or_insert(edge.arguments[position]) != edge.arguments[position] {
                return None;
            }
        }
    }
    only
}
