//! The optimiser: passes over the graph, in the order in which [`optimise`] calls them.
//!
//! A pass is a function in a file of its own, which begins with what it does. No pass changes a
//! result, of a float no more than of an integer.

mod address_spaces;
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
mod reg2mem;
mod rules;
mod simplify_cfg;
mod strength_reduction;
mod unroll;

use crate::analysis::loop_forest::LoopForest;
use crate::driver::Watch;
use crate::ssa::Function;
use crate::ssa::graph::{Flow, Graph};

/// Optimises one entry; returns its graph.
pub(crate) fn optimise(function: &mut Function, watch: &mut dyn Watch) -> Graph {
    watch.passed("build", function);
    simplify_cfg::run(function, Flow::of(function));
    watch.passed("simplify_cfg", function);
    find_memories(function, watch);
    // Whether there may be something to simplify.
    let mut changed = simplify(function, watch);
    let mut nest = LoopForest::of(function);
    changed |= licm::run(function, &nest);
    watch.passed("licm", function);
    if loop_rotate::run(function, &nest) {
        changed = rebuild(function, "loop_rotate", watch);
        nest = LoopForest::of(function);
    }
    // Each generation may make the loops around it small enough for the next.
    for _ in 0..MAX_NEST {
        if !unroll::run(function, &nest) {
            break;
        }
        changed = rebuild(function, "unroll", watch);
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
    if loop_versioning::run(function, &nest) {
        changed = rebuild(function, "loop_versioning", watch);
        nest = LoopForest::of(function);
        changed |= licm::run(function, &nest);
        watch.passed("licm", function);
        match changed {
            true => simplify(function, watch),
            // The blocks in front of the loops go.
            false => simplify_cfg::run(function, nest.graph.into_flow()),
        };
    }
    let graph = Graph::of(function);
    ldmatrix::run(function, &graph);
    watch.passed("ldmatrix", function);
    guard_sinking::run(function, &graph);
    watch.passed("guard_sinking", function);
    graph
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

/// Makes values again of what a pass that copies blocks has demoted, and simplifies.
fn rebuild(function: &mut Function, phase: &'static str, watch: &mut dyn Watch) -> bool {
    let flow = mem2reg::run(function).map_or_else(|| Flow::of(function), Graph::into_flow);
    simplify_cfg::run(function, flow);
    watch.passed(phase, function);
    simplify(function, watch)
}
