//! Branches at which the lanes of a warp part.

use std::collections::BTreeMap;

use vyre_ir::ir::{BinaryOp, Scalar, Span, UnaryOp};

use super::checks::Final;
use super::{BranchReport, Divergence};
use crate::analysis::lanes::{LANES, Lanes, Varying, Warp};
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::Uniformity;
use crate::ssa::graph::NONE;
use crate::ssa::op::Op;
use crate::ssa::{Function, Terminator, Value};

/// Adds the branches at which the lanes of a warp part.
pub(super) fn warp(
    function: &Function,
    forest: &LoopForest,
    uniformity: &Uniformity,
    warp: &Warp<'_>,
    found: &mut Vec<BranchReport>,
) {
    let conditions = Conditions {
        function,
        uniformity,
        warp,
    };
    for &block in &forest.graph.order {
        let Terminator::Branch { condition, .. } = function.blocks[block].end else {
            continue;
        };
        let (span, came) = (function.values[condition].span, warp.came(block));
        if !span.is_some() || came == 0 {
            continue;
        }
        if let Some(divergence) = conditions.divergence(condition, came) {
            let around = forest.innermost(block);
            let leaves = |target| around != NONE && !forest.contains(around as usize, target);
            let targets = function.blocks[block].end.targets();
            found.push(BranchReport {
                span,
                divergence,
                is_loop: targets.into_iter().flatten().any(leaves),
            });
        }
    }
}

/// The branches of the final graph, each once, with the worst divergence.
pub(super) fn reports(found: &[BranchReport], end: &Final) -> Vec<BranchReport> {
    let mut worst: BTreeMap<Span, BranchReport> = BTreeMap::new();
    for branch in found.iter().filter(|branch| end.has_branch(branch.span)) {
        let known = worst.entry(branch.span).or_insert_with(|| branch.clone());
        known.is_loop |= branch.is_loop;
        known.divergence = worse(known.divergence, branch.divergence);
    }
    worst.into_values().collect()
}

/// The worse of two divergences; of two splits the more even one.
fn worse(a: Divergence, b: Divergence) -> Divergence {
    match (a, b) {
        (Divergence::Lanes { taken: x, of: m }, Divergence::Lanes { taken: y, of: n }) => {
            if x.min(m - x) >= y.min(n - y) { a } else { b }
        }
        _ => a.max(b),
    }
}

struct Conditions<'a> {
    function: &'a Function,
    uniformity: &'a Uniformity,
    warp: &'a Warp<'a>,
}

impl Conditions<'_> {
    /// How the lanes that came part by a condition, if they do.
    fn divergence(&self, condition: Value, came: u32) -> Option<Divergence> {
        if self.uniformity.uniform(condition) {
            return None;
        }
        if let Some(taken) = self.warp.taken(condition) {
            let taken = taken & came;
            return (taken != 0 && taken != came).then(|| Divergence::Lanes {
                taken: taken.count_ones(),
                of: came.count_ones(),
            });
        }
        match self.function.op(condition) {
            Op::Unary {
                op: UnaryOp::Not, a, ..
            } => self.divergence(a, came),
            Op::Binary {
                op: BinaryOp::And | BinaryOp::Or,
                scalar: Scalar::Bool,
                a,
                b,
            } => {
                let parts = [a, b].map(|part| self.divergence(part, came));
                parts.into_iter().flatten().reduce(worse)
            }
            Op::Binary { op, scalar, a, b } if op.is_comparison() && scalar.is_integer() => {
                match (self.warp.value(a), self.warp.value(b)) {
                    (Ok(a), Ok(b)) => self.compared(&a, &b),
                    (Err(Varying::Data), _) | (_, Err(Varying::Data)) => Some(Divergence::Data),
                    _ => Some(Divergence::Thread),
                }
            }
            _ => Some(match self.warp.value(condition) {
                Err(Varying::Computed) => Divergence::Thread,
                _ => Divergence::Data,
            }),
        }
    }

    /// How lanes part by the comparison of numbers: at one place if their difference goes one way.
    fn compared(&self, a: &Lanes, b: &Lanes) -> Option<Divergence> {
        let goes_one_way = |numbers: &dyn Fn(usize) -> i128| {
            let steps = (1..LANES).map(|lane| numbers(lane) - numbers(lane - 1));
            steps.fold((true, true), |(up, down), step| (up && step >= 0, down && step <= 0))
        };
        let (mut up, mut down) = goes_one_way(&|lane| i128::from(a.known[lane]) - i128::from(b.known[lane]));
        for (sign, lanes) in [(1, a), (-1, b)] {
            for (_, numbers) in &lanes.scaled {
                let (more, less) = goes_one_way(&|lane| sign * i128::from(numbers[lane]));
                (up, down) = (up && more, down && less);
            }
        }
        match (up, down) {
            (true, true) => None,
            (false, false) => Some(Divergence::Thread),
            _ => Some(Divergence::Edge),
        }
    }
}
