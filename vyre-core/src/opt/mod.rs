//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

mod address_spaces;
mod constant_loads;
mod dce;
pub(crate) mod fault_polls;
pub(crate) mod fault_sites;
pub(crate) mod full_warp;
mod guard_sinking;
mod gvn;
mod ldmatrix;
mod licm;
mod loop_rotate;
mod loop_versioning;
mod mem2reg;
mod reg2mem;
mod rules;
mod simplify_cfg;
mod strength_reduction;
mod unroll;

use crate::analysis::loop_forest::LoopForest;
use crate::driver::CompileOptions;
use crate::ssa::Function;
use crate::ssa::graph::{Flow, Graph};

/// Optimises one entry; returns its graph.
pub(crate) fn optimise(function: &mut Function, options: &CompileOptions) -> Graph {
    options.passed("build", function);
    simplify_cfg::run(function, Flow::of(function));
    options.passed("simplify_cfg", function);
    find_memories(function, options);
    // Whether there may be something to simplify.
    let mut changed = simplify(function, options);
    let mut nest = LoopForest::of(function);
    changed |= licm::run(function, &nest);
    options.passed("licm", function);
    if loop_rotate::run(function, &nest) {
        changed = rebuild(function, "loop_rotate", options);
        nest = LoopForest::of(function);
    }
    // Each generation may make the loops around it small enough for the next.
    for _ in 0..MAX_NEST {
        if !unroll::run(function, &nest) {
            break;
        }
        changed = rebuild(function, "unroll", options);
        nest = LoopForest::of(function);
        changed |= licm::run(function, &nest);
        options.passed("licm", function);
    }
    changed |= strength_reduction::run(function, &nest);
    options.passed("strength_reduction", function);
    if changed {
        simplify(function, options);
        nest = LoopForest::of(function);
    }
    if loop_versioning::run(function, &nest) {
        changed = rebuild(function, "loop_versioning", options);
        nest = LoopForest::of(function);
        changed |= licm::run(function, &nest);
        options.passed("licm", function);
        match changed {
            true => simplify(function, options),
            // The blocks in front of the loops go.
            false => simplify_cfg::run(function, nest.graph.into_flow()),
        };
    }
    let graph = Graph::of(function);
    ldmatrix::run(function, &graph);
    options.passed("ldmatrix", function);
    guard_sinking::run(function, &graph);
    options.passed("guard_sinking", function);
    graph
}

/// Loops inside each other that are written out, at most.
const MAX_NEST: usize = 4;

/// The passes for which each other pass leaves work; returns whether they have left some themselves.
fn simplify(function: &mut Function, options: &CompileOptions) -> bool {
    let mut left = tidy(function, options);
    // Constant addresses turn objects into values, and pointers may come out of memory then.
    if let Some(graph) = mem2reg::run(function) {
        simplify_cfg::run(function, graph.into_flow());
        options.passed("mem2reg", function);
        find_memories(function, options);
        left = tidy(function, options);
    }
    left
}

/// Returns whether numbering may find more, because edges are gone or lead elsewhere.
fn tidy(function: &mut Function, options: &CompileOptions) -> bool {
    let graph = Graph::of(function);
    let cut = gvn::run(function, &graph);
    options.passed("gvn", function);
    let flow = if cut { Flow::of(function) } else { graph.into_flow() };
    dce::run(function, &flow);
    options.passed("dce", function);
    let skipped = simplify_cfg::run(function, flow);
    options.passed("simplify_cfg", function);
    cut || skipped
}

/// Finds out where pointers point.
fn find_memories(function: &mut Function, options: &CompileOptions) {
    if address_spaces::run(function) {
        options.passed("address_spaces", function);
    }
    constant_loads::run(function);
    options.passed("constant_loads", function);
}

/// Makes values again of what a pass that copies blocks has demoted, and simplifies.
fn rebuild(function: &mut Function, phase: &str, options: &CompileOptions) -> bool {
    let flow = mem2reg::run(function).map_or_else(|| Flow::of(function), Graph::into_flow);
    simplify_cfg::run(function, flow);
    options.passed(phase, function);
    simplify(function, options)
}
