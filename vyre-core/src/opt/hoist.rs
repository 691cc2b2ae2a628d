//! Moves what a loop computes anew each time round, to the same result, in front of it.
//!
//! **Algorithm.** Loops are taken from the inside out. An operation of a loop whose operands all
//! come from outside of it goes to the block in front, which is made where there is none; what was
//! moved counts as outside, and moves on when its turn comes in the loop around. Only what may
//! run without being asked for moves: the loop may run no time at all. Predicates stay, because
//! there are few registers for them and they are cheap.
//!
//! **Before and after:** any valid graph. **Cost:** linear in the code, times the depth of loops.

use crate::ssa::graph::{Graph, Loop, Loops};
use crate::ssa::{Block, Edge, Function, Terminator, Ty, Value};

/// Moves invariant operations out of loops.
pub(crate) fn run(function: &mut Function) {
    let (graph, loops) = with_preheaders(function);
    if loops.loops.is_empty() {
        return;
    }
    // For each value whether it is computed in the loop at hand: the number of the block's loop
    // would not do once operations move.
    let mut inside = vec![false; function.values.len()];
    for this in loops.loops.iter().rev() {
        for &block in &this.blocks {
            mark(function, block, &mut inside, true);
        }
        let mut moved = Vec::new();
        for &block in &this.blocks {
            let mut body = std::mem::take(&mut function.blocks[block].body);
            body.retain(|&value| {
                let data = &function.values[value];
                let mut invariant = data.op.is_speculatable() && data.ty != Ty::Bool;
                if invariant {
                    data.op.each_operand(|operand| invariant &= !inside[operand.index()]);
                }
                if invariant {
                    inside[value.index()] = false;
                    moved.push(value);
                }
                !invariant
            });
            function.blocks[block].body = body;
        }
        for &block in &this.blocks {
            mark(function, block, &mut inside, false);
        }
        if !moved.is_empty() {
            let front = preheader(&graph, this);
            function.blocks[front].body.extend(moved);
        }
    }
}

fn mark(function: &Function, block: Block, marks: &mut [bool], value: bool) {
    let data = &function.blocks[block];
    for marked in data.parameters.iter().chain(&data.body) {
        if let Some(mark) = marks.get_mut(marked.index()) {
            *mark = value;
        }
    }
}

/// The loops of a function, each with a block in front of it that leads nowhere else.
pub(super) fn with_preheaders(function: &mut Function) -> (Graph, Loops) {
    let graph = Graph::of(function);
    let loops = Loops::of(function, &graph);
    let mut changed = false;
    for this in &loops.loops {
        let outside: Vec<Block> = outside(&graph, this).collect();
        if let &[only] = outside.as_slice()
            && matches!(function.blocks[only].end, Terminator::Jump(_))
        {
            continue;
        }
        changed = true;
        add_preheader(function, this.header, &outside);
    }
    if !changed {
        return (graph, loops);
    }
    let graph = Graph::of(function);
    let loops = Loops::of(function, &graph);
    (graph, loops)
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
pub(super) fn preheader(graph: &Graph, this: &Loop) -> Block {
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
    let mut given = outside
        .iter()
        .flat_map(|&block| function.blocks[block].end.edges())
        .filter(|edge| edge.block == header)
        .map(|edge| edge.arguments[position]);
    let first = given.next()?;
    given.all(|other| other == first).then_some(first)
}
