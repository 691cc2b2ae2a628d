//! What became of checks.
//!
//! A check whose guard is in no loop of the final graph, but whose access is in one, was hoisted. So was one of which a
//! loop has a copy with the access and without the guard: the other copy is for launches that fail the comparison before.

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::Span;
use vyre_ir::module::FaultSite;

use super::{Check, access};
use crate::analysis::loop_forest::LoopForest;
use crate::ssa::graph::NONE;
use crate::ssa::op::Op;
use crate::ssa::{Function, Terminator};

/// What is left at the end of the passes.
#[derive(Default)]
pub(super) struct Final {
    /// The guards: site and innermost loop.
    guards: Vec<(u32, u32)>,
    /// The accesses: place, kind and innermost loop.
    accesses: Vec<(Span, &'static str, u32)>,
    /// The loop around each, or [`NONE`].
    parents: Vec<u32>,
    /// The conditions of branches.
    branches: Vec<Span>,
}

impl Final {
    pub(super) fn of(function: &Function) -> Final {
        let forest = LoopForest::as_is(function);
        let mut end = Final {
            parents: forest.loops.iter().map(|this| this.parent).collect(),
            ..Final::default()
        };
        for &block in &forest.graph.order {
            let around = forest.innermost(block);
            for &value in &function.blocks[block].body {
                if let Op::Guard { site, .. } | Op::Claim { site } = function.op(value) {
                    end.guards.push((site, around));
                }
                for part in access::parts(function, value) {
                    end.accesses.push((function.values[value].span, part.kind, around));
                }
            }
            if let Terminator::Branch { condition, .. } = function.blocks[block].end {
                end.branches.push(function.values[condition].span);
            }
        }
        end
    }

    /// True if an access of this place and kind is left.
    pub(super) fn has_access(&self, span: Span, kind: &str) -> bool {
        self.accesses.iter().any(|&(at, of, _)| at == span && of == kind)
    }

    /// True if a branch by a condition of this place is left.
    pub(super) fn has_branch(&self, span: Span) -> bool {
        self.branches.contains(&span)
    }

    /// True if a loop is another one or inside of it.
    fn is_inside(&self, mut inner: u32, outer: u32) -> bool {
        while inner != NONE && inner != outer {
            inner = self.parents[inner as usize];
        }
        inner == outer
    }

    /// What became of a check; `None` if it is gone.
    fn check(&self, site: u32, span: Span) -> Option<Check> {
        let mut guards = self
            .guards
            .iter()
            .filter(|(of, _)| *of == site)
            .map(|(_, around)| *around);
        let first = guards.next()?;
        let guards: Vec<u32> = std::iter::once(first).chain(guards).collect();
        let in_loops = self
            .accesses
            .iter()
            .filter(|(at, _, around)| *at == span && *around != NONE);
        let is_free = |&(_, _, around): &(Span, &str, u32)| !guards.iter().any(|&guard| self.is_inside(guard, around));
        Some(
            match (guards.iter().all(|&guard| guard == NONE), in_loops.clone().next()) {
                (true, None) => Check::Checked,
                (true, Some(_)) => Check::Hoisted,
                (false, _) if in_loops.copied().any(|access| is_free(&access)) => Check::Hoisted,
                (false, _) => Check::InLoop,
            },
        )
    }
}

/// What became of each check of a kernel: in all launches, and in those that keep the conditions of an entry.
pub(super) fn verdicts(sites: &[FaultSite], all: &Final, entry: &Final) -> Vec<(Span, FaultKind, Check)> {
    let verdict = |(number, site): (u32, &FaultSite)| {
        let check = match (all.check(number, site.span), entry.check(number, site.span)) {
            (None, _) => Check::Proven,
            (Some(_), None) => Check::Launch,
            (Some(_), Some(check)) => check,
        };
        (site.span, site.kind, check)
    };
    (0..).zip(sites).map(verdict).collect()
}

/// The condition that a check tests.
pub fn name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::IndexOutOfBounds => "index in bounds",
        FaultKind::RangeOutOfBounds => "range in bounds",
        FaultKind::RowOutOfBounds => "row in bounds",
        FaultKind::ColumnOutOfBounds => "column in bounds",
        FaultKind::SharedMemory => "dynamic shared memory is large enough",
        FaultKind::DivisionByZero => "divisor is not zero",
        FaultKind::DivisionOverflow => "division does not overflow",
        FaultKind::GridBarrier => "all threads come to the grid barrier",
        FaultKind::ClusterRank => "block is one of the cluster",
        FaultKind::Assertion => "assertion",
        FaultKind::Panic => "panic",
        _ => "check",
    }
}
