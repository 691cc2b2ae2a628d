//! The passes over the graph of an entry, in order.
//!
//! [`simplify`] and [`optimise`] are the optimiser's table of contents: each pass is a function in a file of its own,
//! under [`opt`](crate::opt) or [`ptx`], whose head describes it. No pass changes a result, be it
//! an integer or a float.

use vyre_ir::ir::Kernel;

use super::Watch;
use crate::analysis::loop_forest::LoopForest;
use crate::opt::{
    address_spaces, ballots, block_barriers, constant_loads, dce, fault_polls, full_warp, guard_sinking, gvn,
    if_conversion, ldmatrix, licm, loop_rotate, loop_versioning, mem2reg, product_halves, relaxed, simplify_cfg,
    strength_reduction, tiles, unroll,
};
use crate::ptx::{self, Summary};
use crate::ssa::Function;
use crate::ssa::graph::{Flow, Graph};

/// Limit of the iterations of unrolling, each of which enables unrolling of the next outer loops.
const MAX_UNROLLS: usize = 4;

/// Runs the passes over the graph of an entry up to its first simplification; returns its loops, which are those of the
/// source, and true if there may be something to simplify.
pub(super) fn simplify(function: &mut Function, watch: &mut dyn Watch) -> (LoopForest, bool) {
    watch.passed("build", function);
    let mut passes = Passes { function, watch };
    passes.run("simplify_cfg", |f| simplify_cfg::run(f, Flow::of(f)));
    passes.find_memories();
    let mut changed = passes.simplify();
    if passes.run("ballots", ballots::run) {
        changed = passes.simplify();
    }
    (LoopForest::of(passes.function), changed)
}

/// Runs the other passes, from what [`simplify`] returns on; returns the block order and the requirements of the entry.
///
/// Loops that wait for other threads poll for faults if the entry has one, or `polls`: threads whose launch cannot fault wait
/// for no one who has left, but a launch that is late leaves where it polls.
pub(super) fn optimise(
    function: &mut Function,
    kernel: &Kernel,
    mut forest: LoopForest,
    mut changed: bool,
    polls: bool,
    watch: &mut dyn Watch,
) -> (Flow, Summary) {
    let mut passes = Passes { function, watch };
    passes.run("relaxed", relaxed::run);
    changed |= passes.run("licm", |f| licm::run(f, &forest));
    if let Some(graph) = passes.run("loop_rotate", |f| loop_rotate::run(f, &forest)) {
        changed = passes.rebuild(graph);
        forest = LoopForest::of(passes.function);
    }
    // Each iteration may make the enclosing loops small enough for the next.
    for _ in 0..MAX_UNROLLS {
        let Some(graph) = passes.run("unroll", |f| unroll::run(f, &forest)) else {
            break;
        };
        changed = passes.rebuild(graph);
        forest = LoopForest::of(passes.function);
        changed |= passes.run("licm", |f| licm::run(f, &forest));
    }
    // Those of several iterations.
    changed |= passes.run("ballots", ballots::run);
    changed |= passes.run("tiles", |f| tiles::run(f, &forest));
    changed |= passes.run("strength_reduction", |f| strength_reduction::run(f, &forest));
    if changed {
        passes.simplify();
        forest = LoopForest::of(passes.function);
    }
    if let Some(graph) = passes.run("loop_versioning", |f| loop_versioning::run(f, &forest)) {
        changed = passes.rebuild(graph);
        forest = LoopForest::of(passes.function);
        changed |= passes.run("licm", |f| licm::run(f, &forest));
        if changed {
            passes.simplify();
        } else {
            // Removes the preheaders.
            passes.run("simplify_cfg", |f| simplify_cfg::run(f, forest.graph.into_flow()));
        }
    }

    if passes.run("if_conversion", if_conversion::run) {
        passes.run("simplify_cfg", |f| simplify_cfg::run(f, Flow::of(f)));
    }

    let mut forest = LoopForest::as_is(passes.function);
    if kernel.cluster.is_none() {
        passes.run("block_barriers", |f| block_barriers::run(f, &forest.graph));
    }
    passes.run("ldmatrix", |f| ldmatrix::run(f, &forest.graph));
    passes.run("product_halves", |f| product_halves::run(f, &forest.graph.order));
    passes.run("guard_sinking", |f| guard_sinking::run(f, &forest.graph));
    passes.run("legalize", ptx::legalize);
    let summary = Summary::of(passes.function, &forest.graph);
    let leaves = match summary.faults || polls {
        true => passes.run("fault_polls", |f| fault_polls::run(f, &forest)) || summary.faults,
        false => false,
    };
    if leaves && summary.matrices {
        passes.run("full_warp", |f| full_warp::run(f, &forest.graph));
    }
    if kernel.cluster.is_some() {
        passes.run("part_ends", ptx::part_ends);
        forest.graph = Graph::of(passes.function);
    }
    (forest.graph.into_flow(), summary)
}

/// Runs passes, and reports the graph after each.
struct Passes<'a> {
    function: &'a mut Function,
    watch: &'a mut dyn Watch,
}

impl Passes<'_> {
    fn run<T>(&mut self, name: &'static str, pass: impl FnOnce(&mut Function) -> T) -> T {
        let result = pass(self.function);
        self.watch.passed(name, self.function);
        result
    }

    /// Runs the passes that clean up after each other pass; returns true if they changed something
    /// themselves.
    fn simplify(&mut self) -> bool {
        let mut left = self.tidy();
        // Constant addresses turn objects into values, after which pointers may be loaded from memory, and the elements of
        // one object are constant indices of the next.
        while let Some(graph) = self.run("mem2reg", mem2reg::run) {
            self.run("simplify_cfg", |f| simplify_cfg::run(f, graph.into_flow()));
            self.find_memories();
            left = self.tidy();
        }
        left
    }

    /// Returns true if value numbering may find more, because edges were removed or redirected.
    fn tidy(&mut self) -> bool {
        let graph = Graph::of(self.function);
        let cut = self.run("gvn", |f| gvn::run(f, &graph));
        let flow = if cut {
            Flow::of(self.function)
        } else {
            graph.into_flow()
        };
        self.run("dce", |f| dce::run(f, &flow));
        let skipped = self.run("simplify_cfg", |f| simplify_cfg::run(f, flow));
        cut || skipped
    }

    /// Infers the state spaces of pointers.
    fn find_memories(&mut self) {
        self.run("address_spaces", address_spaces::run);
        self.run("constant_loads", constant_loads::run);
    }

    /// Simplifies the graph after a pass that copies blocks.
    fn rebuild(&mut self, graph: Graph) -> bool {
        self.run("simplify_cfg", |f| simplify_cfg::run(f, graph.into_flow()));
        self.simplify()
    }
}
