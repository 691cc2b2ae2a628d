//! Branches at which the lanes of a warp part.

use std::collections::BTreeMap;

use vyre_ir::ir::{BinaryOp, Scalar, Span, UnaryOp};

use super::checks::Final;
use super::lanes::{LANES, Lanes, Varying, Warp};
use super::{BranchReport, Divergence};
use crate::analysis::loop_forest::LoopForest;
use crate::analysis::uniformity::Uniformity;
use crate::ssa::graph::NONE;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Terminator, Value};

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
        forest,
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
        if let Some(divergence) = conditions.divergence(condition, came, DEPTH) {
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

/// Limit of the conditions in a condition.
const DEPTH: u32 = 8;

struct Conditions<'a> {
    function: &'a Function,
    forest: &'a LoopForest,
    uniformity: &'a Uniformity,
    warp: &'a Warp<'a>,
}

impl Conditions<'_> {
    /// How the lanes that came part by a condition, if they do.
    fn divergence(&self, condition: Value, came: u32, depth: u32) -> Option<Divergence> {
        if depth == 0 {
            return Some(Divergence::Thread);
        }
        let part = |part: Value| self.divergence(part, came, depth - 1);
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
            } => part(a),
            Op::Binary {
                op: BinaryOp::And | BinaryOp::Or,
                scalar: Scalar::Bool,
                a,
                b,
            } => {
                let parts = [a, b].map(part);
                parts.into_iter().flatten().reduce(worse)
            }
            Op::Binary { op, scalar, a, b } if op.is_comparison() && scalar.is_integer() => {
                match (self.warp.value(a), self.warp.value(b)) {
                    (Ok(a), Ok(b)) => compared(op, &a, &b),
                    (Err(Varying::Data), _) | (_, Err(Varying::Data)) => Some(Divergence::Data),
                    _ => Some(Divergence::Thread),
                }
            }
            // The value of `a && b`: it is false, or `b` if a branch by `a` was taken.
            Op::Parameter => {
                let (block, at) = self.home(condition)?;
                let mut parts = Vec::new();
                for &from in self.forest.graph.predecessors(block) {
                    let end = &self.function.blocks[from].end;
                    let arguments = end.edges().filter(|edge| edge.block == block);
                    parts.extend(arguments.map(|edge| edge.arguments[at]));
                    match end {
                        Terminator::Branch { condition, .. } => parts.push(*condition),
                        _ => parts.extend(self.decides(from)),
                    }
                }
                parts.into_iter().filter_map(part).reduce(worse)
            }
            Op::Binary { scalar, .. } if scalar.is_float() => Some(Divergence::Data),
            _ => Some(match self.warp.value(condition) {
                Err(Varying::Computed) => Divergence::Thread,
                _ => Divergence::Data,
            }),
        }
    }

    /// The block of a parameter, and its position there.
    fn home(&self, parameter: Value) -> Option<(Block, usize)> {
        let mut blocks = self.forest.graph.order.iter();
        blocks.find_map(|&block| {
            let mut parameters = self.function.blocks[block].parameters.iter();
            Some((block, parameters.position(|&known| known == parameter)?))
        })
    }

    /// The condition of the branch that leads to a block alone.
    fn decides(&self, block: Block) -> Option<Value> {
        let [only] = self.forest.graph.predecessors(block) else {
            return None;
        };
        match self.function.blocks[*only].end {
            Terminator::Branch { condition, .. } => Some(condition),
            _ => None,
        }
    }
}

/// How lanes part by the comparison of numbers that the launch decides: in the warps at the limit alone, or, where they ask
/// for one number, in the warp that has it.
fn compared(op: BinaryOp, a: &Lanes, b: &Lanes) -> Option<Divergence> {
    let difference = a.minus(b);
    if difference.is_same() {
        return None;
    }
    let is_own = |lane: usize| (0..lane).all(|other| difference.known[lane] != difference.known[other]);
    let is_equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
    match is_equality && !(difference.scaled.is_empty() && (0..LANES).all(is_own)) {
        true => Some(Divergence::Thread),
        false => Some(Divergence::Edge),
    }
}
