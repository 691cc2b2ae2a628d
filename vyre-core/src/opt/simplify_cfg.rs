//! CFG simplification: removes redundant block parameters, threads edges through empty blocks, and
//! merges a block with its only predecessor.
//!
//! **Algorithm.** Three steps, in this order, because each enables the next:
//!
//! 1. A parameter that receives only one value, or itself, is that value. Repeated until a fixed
//!    point, since one iteration does not suffice for nested loops.
//! 2. An edge to an empty block that ends in a jump, and is not a loop header, is redirected to its
//!    target. An edge to an empty block that branches on a parameter, for which the edge passes a
//!    constant, is redirected to the target selected by the constant: this is the remainder of `&&`
//!    and `||`. The parameters of such a block must not be used elsewhere.
//! 3. A block is merged with its only successor if that has no other predecessor.
//!
//! **Before and after:** any valid graph. **Cost:** linear in the blocks, except for step 1, whose
//! iterations grow with the nesting of loops.

use super::replacements::Replacements;
use crate::ssa::graph::Flow;
use crate::ssa::{Block, Edge, Function, Terminator, Value, filled};

/// Simplifies the blocks of a function; returns true if an edge was redirected.
pub(crate) fn run(function: &mut Function, mut graph: Flow) -> bool {
    // Removes parameters; edges are unchanged.
    drop_redundant_parameters(function, &graph);
    let skipped = skip_empty_blocks(function, &graph);
    if skipped {
        graph = Flow::of(function);
    }
    merge(function, &graph);
    skipped
}

fn drop_redundant_parameters(function: &mut Function, graph: &Flow) {
    let mut replacements = Replacements::new(function);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &graph.order {
            for (position, &parameter) in function.blocks[block].parameters.iter().enumerate() {
                if replacements.has(parameter) {
                    continue;
                }
                if let Some(only) = only_argument(function, graph, &replacements, block, position) {
                    replacements.set(parameter, only);
                    changed = true;
                }
            }
        }
    }
    if !replacements.any {
        return;
    }
    for &block in &graph.order {
        let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
        for edge in end.edges_mut() {
            let parameters = &function.blocks[edge.block].parameters;
            let mut position = 0;
            edge.arguments.retain(|_| {
                position += 1;
                !replacements.has(parameters[position - 1])
            });
        }
        function.blocks[block].end = end;
    }
    for &block in &graph.order {
        function.blocks[block]
            .parameters
            .retain(|parameter| !replacements.has(*parameter));
    }
    replacements.apply(function, &graph.order);
}

/// The only value that a parameter receives besides itself.
fn only_argument(
    function: &Function,
    graph: &Flow,
    replacements: &Replacements,
    block: Block,
    position: usize,
) -> Option<Value> {
    let parameter = function.blocks[block].parameters[position];
    let mut only = None;
    for &predecessor in graph.predecessors(block) {
        for edge in function.blocks[predecessor].end.edges() {
            if edge.block != block {
                continue;
            }
            let argument = replacements.resolve(edge.arguments[position]);
            if argument == parameter || only == Some(argument) {
                continue;
            }
            if only.is_some() {
                return None;
            }
            only = Some(argument);
        }
    }
    only
}

/// Returns true if an edge was redirected.
fn skip_empty_blocks(function: &mut Function, graph: &Flow) -> bool {
    let mut changed = false;
    let private = private_parameters(function, graph);
    for &block in &graph.order {
        let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
        for edge in end.edges_mut() {
            // The count ends the search in a cycle of empty blocks.
            for _ in 0..16 {
                match step(function, graph, &private, edge) {
                    Some(next) if next.block != edge.block => *edge = next,
                    _ => break,
                }
                changed = true;
            }
        }
        if let Terminator::Branch { then, otherwise, .. } = &end
            && then == otherwise
        {
            end = Terminator::Jump(then.clone());
            changed = true;
        }
        function.blocks[block].end = end;
    }
    changed
}

/// For each empty block, true if only its own terminator uses its parameters.
fn private_parameters(function: &Function, graph: &Flow) -> Vec<bool> {
    let mut private = vec![true; function.blocks.len()];
    // Only needed where [`step`] may redirect an edge.
    let is_asked = |&block: &Block| {
        let data = &function.blocks[block];
        let leads_on = || match &data.end {
            Terminator::Return => false,
            Terminator::Jump(_) => !is_header(graph, block),
            Terminator::Branch { condition, .. } => {
                data.parameters.contains(condition) || function.as_constant(*condition).is_some()
            }
        };
        data.body.is_empty() && !data.parameters.is_empty() && leads_on()
    };
    if !graph.order.iter().any(is_asked) {
        return private;
    }
    // One walk costs a quarter of what def-use lists do here.
    let mut owner: Vec<Option<Block>> = filled(None, function.values.len());
    for &block in graph.order.iter().filter(|&block| is_asked(block)) {
        for parameter in &function.blocks[block].parameters {
            owner[parameter.index()] = Some(block);
        }
    }
    for &block in &graph.order {
        let data = &function.blocks[block];
        for &value in &data.body {
            function.each_operand(value, |operand| {
                if let Some(owner) = owner[operand.index()] {
                    private[owner.index()] = false;
                }
            });
        }
        data.end.each_operand(|operand| {
            if let Some(owner) = owner[operand.index()]
                && owner != block
            {
                private[owner.index()] = false;
            }
        });
    }
    private
}

/// The redirected edge past an empty block.
fn step(function: &Function, graph: &Flow, private: &[bool], edge: &Edge) -> Option<Edge> {
    let through = &function.blocks[edge.block];
    if !through.body.is_empty() || !private[edge.block.index()] {
        return None;
    }
    let passed = |value: Value| {
        let position = through.parameters.iter().position(|&parameter| parameter == value);
        position.map_or(value, |position| edge.arguments[position])
    };
    let next = match &through.end {
        Terminator::Return => return None,
        // A loop that begins with an inner loop keeps its own header.
        Terminator::Jump(_) if is_header(graph, edge.block) => return None,
        Terminator::Jump(next) => next,
        Terminator::Branch {
            condition,
            then,
            otherwise,
        } => match function.as_constant(passed(*condition))? {
            0 => otherwise,
            _ => then,
        },
    };
    Some(Edge {
        block: next.block,
        arguments: next.arguments.iter().map(|&argument| passed(argument)).collect(),
    })
}

/// True if a back edge leads to a block.
fn is_header(graph: &Flow, block: Block) -> bool {
    let position = graph.position(block);
    graph
        .predecessors(block)
        .iter()
        .any(|&predecessor| graph.position(predecessor) >= position)
}

fn merge(function: &mut Function, graph: &Flow) {
    let mut replacements = Replacements::new(function);
    for &block in &graph.order {
        // A block merged into another one is empty and ends in a return.
        while let Terminator::Jump(edge) = &function.blocks[block].end {
            let next = edge.block;
            if next == block || graph.predecessors(next).len() != 1 {
                break;
            }
            let arguments = edge.arguments.clone();
            let taken = &mut function.blocks[next];
            let parameters = std::mem::take(&mut taken.parameters);
            let mut body = std::mem::take(&mut taken.body);
            let end = std::mem::replace(&mut taken.end, Terminator::Return);
            for (parameter, argument) in parameters.into_iter().zip(arguments) {
                replacements.set(parameter, argument);
            }
            let data = &mut function.blocks[block];
            data.body.append(&mut body);
            data.end = end;
        }
    }
    replacements.apply(function, &graph.order);
}
