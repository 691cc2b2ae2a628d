//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

mod blocks;
mod bounds;
mod dead;
mod demote;
mod facts;
mod gather;
mod hoist;
mod induction;
mod linear;
mod matrices;
mod nest;
mod numbering;
pub(crate) mod polls;
mod promote;
mod provenance;
mod rotate;
mod rules;
pub(crate) mod sites;
mod spaces;
mod split;
mod unroll;
pub(crate) mod whole;

use self::nest::Nest;
use crate::compile::CompileOptions;
use crate::ssa::Function;
use crate::ssa::graph::{Flow, Graph};

/// Optimises one entry; returns its graph.
pub(crate) fn optimise(function: &mut Function, options: &CompileOptions) -> Graph {
    options.passed("build", function);
    blocks::run(function, Flow::of(function));
    options.passed("blocks", function);
    find_memories(function, options);
    // Whether there may be something to simplify.
    let mut changed = simplify(function, options);
    let mut nest = Nest::of(function);
    changed |= hoist::run(function, &nest);
    options.passed("hoist", function);
    if rotate::run(function, &nest) {
        changed = rebuild(function, "rotate", options);
        nest = Nest::of(function);
    }
    // Each generation may make the loops around it small enough for the next.
    for _ in 0..MAX_NEST {
        if !unroll::run(function, &nest) {
            break;
        }
        changed = rebuild(function, "unroll", options);
        nest = Nest::of(function);
        changed |= hoist::run(function, &nest);
        options.passed("hoist", function);
    }
    changed |= induction::run(function, &nest);
    options.passed("induction", function);
    if changed {
        simplify(function, options);
        nest = Nest::of(function);
    }
    if split::run(function, &nest) {
        changed = rebuild(function, "split", options);
        nest = Nest::of(function);
        changed |= hoist::run(function, &nest);
        options.passed("hoist", function);
        match changed {
            true => simplify(function, options),
            // The blocks in front of the loops go.
            false => blocks::run(function, nest.graph.into_flow()),
        };
    }
    let graph = Graph::of(function);
    matrices::run(function, &graph);
    options.passed("matrices", function);
    gather::run(function, &graph);
    options.passed("gather", function);
    graph
}

/// Loops inside each other that are written out, at most.
const MAX_NEST: usize = 4;

/// The passes for which each other pass leaves work; returns whether they have left some themselves.
fn simplify(function: &mut Function, options: &CompileOptions) -> bool {
    let mut left = tidy(function, options);
    // Constant addresses turn objects into values, and pointers may come out of memory then.
    if let Some(graph) = promote::run(function) {
        blocks::run(function, graph.into_flow());
        options.passed("promote", function);
        find_memories(function, options);
        left = tidy(function, options);
    }
    left
}

/// Returns whether numbering may find more, because edges are gone or lead elsewhere.
fn tidy(function: &mut Function, options: &CompileOptions) -> bool {
    let graph = Graph::of(function);
    let cut = numbering::run(function, &graph);
    options.passed("numbering", function);
    let flow = if cut { Flow::of(function) } else { graph.into_flow() };
    dead::run(function, &flow);
    options.passed("dead", function);
    let skipped = blocks::run(function, flow);
    options.passed("blocks", function);
    cut || skipped
}

/// Finds out where pointers point.
fn find_memories(function: &mut Function, options: &CompileOptions) {
    if spaces::run(function) {
        options.passed("spaces", function);
    }
    provenance::mark_constant_loads(function);
    options.passed("constant loads", function);
}

/// Makes values again of what a pass that copies blocks has demoted, and simplifies.
fn rebuild(function: &mut Function, phase: &str, options: &CompileOptions) -> bool {
    let flow = promote::run(function).map_or_else(|| Flow::of(function), Graph::into_flow);
    blocks::run(function, flow);
    options.passed(phase, function);
    simplify(function, options)
}
