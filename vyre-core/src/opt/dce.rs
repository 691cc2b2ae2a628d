//! Dead-code elimination: operations, block parameters and their arguments.
//!
//! **Algorithm.** The operands of effects and the conditions of branches are live, and so are the
//! operands of live values; a live parameter makes its arguments live. The rest is removed,
//! including cycles of parameters that only feed each other. An atomic access whose old value is
//! dead stops yielding it, so that it becomes a reduction.
//!
//! **Before and after:** any valid graph. **Cost:** linear.

use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Ty, Value, filled};

/// Removes dead values.
pub(crate) fn run(function: &mut Function, graph: &Flow) {
    let asked = mark(function, graph);
    for &block in &graph.order {
        let mut body = std::mem::take(&mut function.blocks[block].body);
        body.retain(|value| asked[value.index()] || function.op(*value).has_effect());
        for value in &body {
            let data = &mut function.values[*value];
            if matches!(data.op, Op::Atomic { .. }) && !asked[value.index()] {
                data.ty = Ty::Unit;
            }
        }
        function.blocks[block].body = body;
        drop_arguments(function, block, &asked);
    }
    for &block in &graph.order {
        function.blocks[block]
            .parameters
            .retain(|parameter| asked[parameter.index()]);
    }
}

/// For each value, true if it is live.
fn mark(function: &Function, graph: &Flow) -> Vec<bool> {
    // The block and position of each parameter.
    let mut seats: Vec<Option<(Block, usize)>> = filled(None, function.values.len());
    let mut work: Vec<Value> = Vec::new();
    for &block in &graph.order {
        let data = &function.blocks[block];
        for (position, parameter) in data.parameters.iter().enumerate() {
            seats[parameter.index()] = Some((block, position));
        }
        for &value in &data.body {
            if function.op(value).has_effect() {
                function.each_operand(value, |operand| work.push(operand));
            }
        }
        if let Terminator::Branch { condition, .. } = data.end {
            work.push(condition);
        }
    }
    let mut asked = vec![false; function.values.len()];
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut asked[value.index()], true) {
            continue;
        }
        if let Some((block, position)) = seats[value.index()] {
            for &predecessor in graph.predecessors(block) {
                let edges = function.blocks[predecessor].end.edges();
                work.extend(
                    edges
                        .filter(|edge| edge.block == block)
                        .map(|edge| edge.arguments[position]),
                );
            }
            continue;
        }
        // The operands of effects are already marked.
        if !function.op(value).has_effect() {
            function.each_operand(value, |operand| work.push(operand));
        }
    }
    asked
}

/// Removes the arguments of a block's edges whose parameters are dead.
fn drop_arguments(function: &mut Function, block: Block, asked: &[bool]) {
    let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
    for edge in end.edges_mut() {
        let parameters = &function.blocks[edge.block].parameters;
        let mut position = 0;
        edge.arguments.retain(|_| {
            position += 1;
            asked[parameters[position - 1].index()]
        });
    }
    function.blocks[block].end = end;
}
