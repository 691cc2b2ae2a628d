//! CFG simplification: removes redundant block parameters, threads edges through empty blocks, and
//! merges a block with its only predecessor.
//!
//! **Algorithm.** Three steps, in this order, because each makes work for the next:
//!
//! 1. A parameter that receives only one value, or itself, is that value. Repeated until nothing
//!    changes, which after one round over nested loops it does not.
//! 2. An edge to an empty block that jumps on, and begins no loop, leads to where that one jumps. An edge to an empty
//!    block that branches on a parameter, for which the edge passes a constant, leads to where the
//!    constant leads: this is what is left of `&&` and `||`. The parameters of such a block must
//!    not be used elsewhere.
//! 3. A block whose only successor has no other predecessor takes that one in.
//!
//! **Before and after:** any valid graph. **Cost:** linear in the blocks, but for step 1, whose
//! rounds are as many as loops are nested.

use crate::analysis::uses::{User, Uses};
use crate::ssa::graph::Flow;
use crate::ssa::{Block, Edge, Function, Terminator, Value, filled};

/// Tidies the blocks of a function; returns whether an edge leads elsewhere than before.
pub(crate) fn run(function: &mut Function, mut graph: Flow) -> bool {
    // Parameters go, and edges stay.
    drop_redundant_parameters(function, &graph);
    let skipped = skip_empty_blocks(function, &graph);
    if skipped {
        graph = Flow::of(function);
    }
    merge(function, &graph);
    skipped
}

/// What stands for each value.
struct Replacements {
    of: Vec<Option<Value>>,
    any: bool,
}

impl Replacements {
    fn new(function: &Function) -> Self {
        Replacements {
            of: filled(None, function.values.len()),
            any: false,
        }
    }

    fn set(&mut self, value: Value, by: Value) {
        self.of[value.index()] = Some(by);
        self.any = true;
    }

    fn resolve(&self, mut value: Value) -> Value {
        while let Some(by) = self.of.get(value.index()).copied().flatten() {
            value = by;
        }
        value
    }

    fn apply(&self, function: &mut Function, order: &[Block]) {
        if !self.any {
            return;
        }
        for &block in order {
            for position in 0..function.blocks[block].body.len() {
                let value = function.blocks[block].body[position];
                function.visit_operands(value, |operand| *operand = self.resolve(*operand));
            }
            function.blocks[block]
                .end
                .visit(|operand| *operand = self.resolve(*operand));
        }
    }
}

fn drop_redundant_parameters(function: &mut Function, graph: &Flow) {
    let mut replacements = Replacements::new(function);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &graph.order {
            for (position, &parameter) in function.blocks[block].parameters.iter().enumerate() {
                if replacements.of[parameter.index()].is_some() {
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
                replacements.of[parameters[position - 1].index()].is_none()
            });
        }
        function.blocks[block].end = end;
    }
    for &block in &graph.order {
        function.blocks[block]
            .parameters
            .retain(|parameter| replacements.of[parameter.index()].is_none());
    }
    replacements.apply(function, &graph.order);
}

/// The one value that a parameter receives besides itself.
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

/// Whether an edge leads elsewhere than before.
fn skip_empty_blocks(function: &mut Function, graph: &Flow) -> bool {
    let mut changed = false;
    let private = private_parameters(function, graph);
    for &block in &graph.order {
        let mut end = std::mem::replace(&mut function.blocks[block].end, Terminator::Return);
        for edge in end.edges_mut() {
            // A ring of empty blocks ends the search by the count.
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

/// For each empty block whether nothing but its own end uses its parameters.
fn private_parameters(function: &Function, graph: &Flow) -> Vec<bool> {
    let mut private = vec![true; function.blocks.len()];
    // Only of empty blocks does anybody ask.
    let is_asked = |&block: &Block| {
        let data = &function.blocks[block];
        data.body.is_empty() && !data.parameters.is_empty()
    };
    if !graph.order.iter().any(is_asked) {
        return private;
    }
    let uses = Uses::of(function, graph);
    for &block in graph.order.iter().filter(|&block| is_asked(block)) {
        let mut users = function.blocks[block]
            .parameters
            .iter()
            .flat_map(|&parameter| uses.of_value(parameter));
        private[block.index()] = users.all(|&user| user == User::End(block));
    }
    private
}

/// Where an edge leads past an empty block.
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
        // A loop that begins with another one keeps a header of its own.
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

/// Whether an edge leads back to a block.
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
        // A block that another one has taken in is empty and ends in a return.
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
