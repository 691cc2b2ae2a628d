//! The passes over the graph of an entry, in order.
//!
//! [`run`] is the optimiser's table of contents: each pass is a function in a file of its own, under
//! [`opt`](crate::opt) or [`ptx`], whose head says what it does. No pass changes a result, of a float no more
//! than of an integer.

use super::Watch;
use crate::analysis::loop_forest::LoopForest;
use crate::ir::Kernel;
use crate::opt::{
    address_spaces, constant_loads, dce, fault_polls, full_warp, guard_sinking, gvn, ldmatrix, licm, loop_rotate,
    loop_versioning, mem2reg, simplify_cfg, strength_reduction, unroll,
};
use crate::ptx::{self, Summary};
use crate::ssa::Function;
use crate::ssa::graph::{Flow, Graph};

/// The generations of loops inside each other that are unrolled, at most.
const MAX_UNROLLS: usize = 4;

/// Brings the graph of an entry into the form from which PTX is written; returns its order and what it needs.
pub(super) fn run(function: &mut Function, kernel: &Kernel, watch: &mut dyn Watch) -> (Flow, Summary) {
    watch.passed("build", function);
    let mut passes = Passes { function, watch };
    passes.run("simplify_cfg", |f| simplify_cfg::run(f, Flow::of(f)));
    passes.find_memories();
    // Whether there may be something to simplify.
    let mut changed = passes.simplify();

    let mut forest = LoopForest::of(passes.function);
    changed |= passes.run("licm", |f| licm::run(f, &forest));
    if let Some(graph) = passes.run("loop_rotate", |f| loop_rotate::run(f, &forest)) {
        changed = passes.rebuild(graph);
        forest = LoopForest::of(passes.function);
    }
    // Each generation may make the loops around it small enough for the next.
    for _ in 0..MAX_UNROLLS {
        let Some(graph) = passes.run("unroll", |f| unroll::run(f, &forest)) else {
            break;
        };
        changed = passes.rebuild(graph);
        forest = LoopForest::of(passes.function);
        changed |= passes.run("licm", |f| licm::run(f, &forest));
    }
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
            // The preheaders go.
            passes.run("simplify_cfg", |f| simplify_cfg::run(f, forest.graph.into_flow()));
        }
    }

    let mut forest = LoopForest::as_is(passes.function);
    passes.run("ldmatrix", |f| ldmatrix::run(f, &forest.graph));
    passes.run("guard_sinking", |f| guard_sinking::run(f, &forest.graph));
    passes.run("legalize", ptx::legalize);
    let summary = Summary::of(passes.function, &forest.graph);
    if summary.faults {
        passes.run("fault_polls", |f| fault_polls::run(f, &forest));
        if summary.matrices {
            passes.run("full_warp", |f| full_warp::run(f, &forest.graph));
        }
    }
    if kernel.cluster.is_some() {
        passes.run("part_ends", ptx::part_ends);
        forest.graph = Graph::of(passes.function);
    }
    (forest.graph.into_flow(), summary)
}

/// Runs passes, and shows what each has left.
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

    /// The passes for which each other pass leaves work; returns whether they have left some themselves.
    fn simplify(&mut self) -> bool {
        let left = self.tidy();
        // Constant addresses turn objects into values, and pointers may come out of memory then.
        let Some(graph) = self.run("mem2reg", mem2reg::run) else {
            return left;
        };
        self.run("simplify_cfg", |f| simplify_cfg::run(f, graph.into_flow()));
        self.find_memories();
        self.tidy()
    }

    /// Returns whether numbering may find more, because edges are gone or lead elsewhere.
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

    /// Finds out where pointers point.
    fn find_memories(&mut self) {
        self.run("address_spaces", address_spaces::run);
        self.run("constant_loads", constant_loads::run);
    }

    /// Simplifies what a pass that copies blocks has left.
    fn rebuild(&mut self, graph: Graph) -> bool {
        self.run("simplify_cfg", |f| simplify_cfg::run(f, graph.into_flow()));
        self.simplify()
    }
}
