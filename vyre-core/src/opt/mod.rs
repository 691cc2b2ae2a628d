//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

mod address_spaces;
mod block_copies;
#[cfg(feature = "verify")]
pub(crate) mod by_name;
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
mod rules;
mod simplify_cfg;
mod ssa_updater;
mod strength_reduction;
mod unroll;

use crate::analysis::loop_forest::LoopForest;
use crate::driver::Watch;
use crate::ssa::Function;
use crate::ssa::graph::{Flow, Graph};

/// Optimises one entry; returns its loops.
pub(crate) fn optimise(function: &mut Function, watch: &mut dyn Watch) -> LoopForest {
    watch.passed("build", function);
    simplify_cfg::run(function, Flow::of(function));
    watch.passed("simplify_cfg", function);
    find_memories(function, watch);
    // Whether there may be something to simplify.
    let mut changed = simplify(function, watch);
    let mut nest = LoopForest::of(function);
    changed |= licm::run(function, &nest);
    watch.passed("licm", function);
    if let Some(graph) = loop_rotate::run(function, &nest) {
        changed = rebuild(function, graph, "loop_rotate", watch);
        nest = LoopForest::of(function);
    }
    // Each generation may make the loops around it small enough for the next.
    for _ in 0..MAX_NEST {
        let Some(graph) = unroll::run(function, &nest) else {
            break;
        };
        changed = rebuild(function, graph, "unroll", watch);
        nest = LoopForest::of(function);
        changed |= licm::run(function, &nest);
        watch.passed("licm", function);
    }
    changed |= strength_reduction::run(function, &nest);
    watch.passed("strength_reduction", function);
    if changed {
        simplify(function, watch);
        nest = LoopForest::of(function);
    }
    if let Some(graph) = loop_versioning::run(function, &nest) {
        changed = rebuild(function, graph, "loop_versioning", watch);
        nest = LoopForest::of(function);
        changed |= licm::run(function, &nest);
        watch.passed("licm", function);
        match changed {
            true => simplify(function, watch),
            // The blocks in front of the loops go.
            false => simplify_cfg::run(function, nest.graph.into_flow()),
        };
    }
    let forest = LoopForest::as_is(function);
    ldmatrix::run(function, &forest.graph);
    watch.passed("ldmatrix", function);
    guard_sinking::run(function, &forest.graph);
    watch.passed("guard_sinking", function);
    forest
}

/// Loops inside each other that are written out, at most.
const MAX_NEST: usize = 4;

/// The passes for which each other pass leaves work; returns whether they have left some themselves.
fn simplify(function: &mut Function, watch: &mut dyn Watch) -> bool {
    let mut left = tidy(function, watch);
    // Constant addresses turn objects into values, and pointers may come out of memory then.
    if let Some(graph) = mem2reg::run(function) {
        simplify_cfg::run(function, graph.into_flow());
        watch.passed("mem2reg", function);
        find_memories(function, watch);
        left = tidy(function, watch);
    }
    left
}

/// Returns whether numbering may find more, because edges are gone or lead elsewhere.
fn tidy(function: &mut Function, watch: &mut dyn Watch) -> bool {
    let graph = Graph::of(function);
    let cut = gvn::run(function, &graph);
    watch.passed("gvn", function);
    let flow = if cut { Flow::of(function) } else { graph.into_flow() };
    dce::run(function, &flow);
    watch.passed("dce", function);
    let skipped = simplify_cfg::run(function, flow);
    watch.passed("simplify_cfg", function);
    cut || skipped
}

/// Finds out where pointers point.
fn find_memories(function: &mut Function, watch: &mut dyn Watch) {
    if address_spaces::run(function) {
        watch.passed("address_spaces", function);
    }
    constant_loads::run(function);
    watch.passed("constant_loads", function);
}

/// Simplifies what a pass that copies blocks has left.
fn rebuild(function: &mut Function, graph: Graph, pass: &'static str, watch: &mut dyn Watch) -> bool {
    watch.passed(pass, function);
    simplify_cfg::run(function, graph.into_flow());
    watch.passed("simplify_cfg", function);
    simplify(function, watch)
}
