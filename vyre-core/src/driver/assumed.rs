//! The entry of a kernel without the checks that its launch decides.
//!
//! [`assume`] finds the checks that hold under conditions of a launch, in the graph whose loops are those of the source.
//! They are removed from a copy before all other passes see it, as if the source had none: loops need no copies without
//! checks, and nothing keeps the operands of a check. The copy becomes an entry of the same module, with the
//! conditions for the launcher, if it has at most half as many checks in the end as the entry with all of them, which runs all
//! other launches and faults where the source does. Its loops poll as those of that entry, which has a fault: a launch that
//! is late leaves by either. Only a kernel without any fault has no polls, and no channel to poll.

use vyre_abi::assumption::Inequality;
use vyre_ir::ir::Kernel;

use super::passes;
use super::{Assumed, Lowered, Watch};
use crate::analysis::assume::{self, Assumption};
use crate::analysis::loop_forest::LoopForest;
use crate::opt::{dce, wide_indices};
use crate::ptx::Needs;
use crate::ssa::Function;
use crate::ssa::op::Op;

/// A graph without the checks that hold under conditions of the launch, and these.
pub(super) struct Unchecked {
    function: Function,
    needs: Vec<Inequality>,
}

/// The symbol of the entry.
pub(super) fn symbol(kernel: &Kernel) -> String {
    let last = kernel.entries.last().map_or("", |entry| &entry.symbol);
    format!("{last}__assumed")
}

/// The graph without checks, from that of the last entry after its first simplification; `None` if none would go.
pub(super) fn unchecked(function: &Function, forest: &LoopForest) -> Option<Unchecked> {
    let Assumption { guards, needs, wide } = assume::find(function, forest)?;
    let mut function = function.clone();
    wide_indices::run(&mut function, &forest.graph, &wide);
    for &block in &forest.graph.order {
        function.blocks[block].body.retain(|value| !guards.contains(value));
    }
    Some(Unchecked { function, needs })
}

/// Runs the passes; `None` if too many checks are left for a second entry to pay, unless bounds checks are `denied`.
pub(super) fn lower(
    Unchecked { mut function, needs }: Unchecked,
    kernel: &Kernel,
    checked: &Lowered,
    denied: bool,
    watch: &mut dyn Watch,
) -> Option<Assumed> {
    watch.entry(&symbol(kernel));
    watch.passed("wide_indices", &function);
    let forest = LoopForest::as_is(&function);
    // The operands of the checks.
    dce::run(&mut function, &forest.graph);
    let (flow, mut summary) = passes::optimise(&mut function, kernel, forest, true, true, watch);
    if kernel.cluster.is_some() {
        summary.needs = summary.needs.and(Needs::CLUSTERS);
    }
    let lowered = Lowered {
        function,
        flow,
        summary,
    };
    let (left, all) = (checks(&lowered), checks(checked));
    (all > 0 && (denied || 2 * left <= all)).then_some((lowered, needs))
}

/// The number of checks in a graph.
fn checks(lowered: &Lowered) -> usize {
    let function = &lowered.function;
    let values = lowered
        .flow
        .order
        .iter()
        .flat_map(|&block| &function.blocks[block].body);
    values
        .filter(|&&value| matches!(function.op(value), Op::Guard { .. }))
        .count()
}
