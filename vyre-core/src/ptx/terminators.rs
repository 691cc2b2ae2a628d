//! Block terminators: branches, and the moves of arguments into block parameters.

use super::entry::{Writer, label};
use super::text::{Operand, Register};
use crate::ssa::{Block, Edge, Terminator};

impl Writer<'_> {
    /// The blocks whose labels a block's terminator names. `next` is the following block.
    pub(super) fn named_targets(&self, block: Block, next: Option<Block>) -> Vec<Block> {
        match &self.function.blocks[block].end {
            Terminator::Return => Vec::new(),
            Terminator::Jump(edge) => [edge.block]
                .into_iter()
                .filter(|&target| Some(target) != next)
                .collect(),
            Terminator::Branch { then, otherwise, .. } => {
                let plan = BranchPlan::of(then, otherwise, next);
                let mut targets = Vec::with_capacity(2);
                if plan.split.is_none() {
                    targets.push(plan.far.block);
                }
                if Some(plan.near.block) != next || plan.split.is_some() {
                    targets.push(plan.near.block);
                }
                if let Some(far) = plan.split.filter(|far| Some(far.block) != next) {
                    targets.push(far.block);
                }
                targets
            }
        }
    }

    /// Emits the terminator of a block. `next` is the following block, which control falls into.
    pub(super) fn end(&mut self, block: Block, next: Option<Block>) {
        let function = self.function;
        match &function.blocks[block].end {
            Terminator::Return => {
                self.end_for_grid();
                self.end_of_thread();
            }
            Terminator::Jump(edge) => self.follow(edge, next),
            Terminator::Branch {
                condition,
                then,
                otherwise,
            } => {
                let plan = BranchPlan::of(then, otherwise, next);
                let predicate = self.register(*condition);
                match plan.split {
                    None => {
                        let target = label(plan.far.block);
                        self.text
                            .predicated(predicate, plan.far_if, "bra", Operand::Text(&target));
                        self.follow(plan.near, next);
                    }
                    Some(far) => {
                        let split = format!("L{}_other", block.index());
                        self.text
                            .predicated(predicate, plan.far_if, "bra", Operand::Text(&split));
                        self.follow(plan.near, None);
                        self.text.label(&split);
                        self.follow(far, next);
                    }
                }
            }
        }
    }

    /// Passes the arguments of an edge and branches to its target.
    fn follow(&mut self, edge: &Edge, next: Option<Block>) {
        self.moves(edge);
        if Some(edge.block) != next {
            let target = label(edge.block);
            self.text.instruction(&["bra"], &[Operand::Text(&target)]);
        }
    }

    /// Moves the arguments of an edge into the parameters of its target as a parallel copy: a
    /// parameter is written once no pending move reads it, and a cycle is broken by a temporary.
    fn moves(&mut self, edge: &Edge) {
        let parameters = &self.function.blocks[edge.block].parameters;
        let mut open: Vec<(Register, Operand<'_>)> = Vec::with_capacity(parameters.len());
        for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
            if parameter != argument && self.is_used(parameter) {
                let target = self.register(parameter);
                open.push((target, self.operand(argument)));
            }
        }
        while !open.is_empty() {
            let ready = open
                .iter()
                .position(|&(target, _)| open.iter().all(|&(_, source)| source != Operand::Register(target)));
            match ready {
                Some(ready) => {
                    let (target, source) = open.remove(ready);
                    self.mov(target, source);
                }
                None => {
                    let (target, _) = open[0];
                    let aside = self.text.register(target.class);
                    self.mov(aside, Operand::Register(target));
                    for (_, source) in &mut open {
                        if *source == Operand::Register(target) {
                            *source = Operand::Register(aside);
                        }
                    }
                }
            }
        }
    }

    pub(super) fn mov(&mut self, target: Register, source: Operand<'_>) {
        self.text
            .instruction(&["mov.", target.class.bits()], &[Operand::Register(target), source]);
    }
}

/// The layout of a conditional branch's two edges.
struct BranchPlan<'e> {
    /// The edge that the predicated branch takes.
    far: &'e Edge,
    /// True if it is taken on a true condition.
    far_if: bool,
    /// The edge followed after the branch.
    near: &'e Edge,
    /// The far edge if it passes arguments: they are moved after a label of its own.
    split: Option<&'e Edge>,
}

impl<'e> BranchPlan<'e> {
    fn of(then: &'e Edge, otherwise: &'e Edge, next: Option<Block>) -> BranchPlan<'e> {
        let plan = |far, far_if, near, split| BranchPlan {
            far,
            far_if,
            near,
            split,
        };
        match (then.arguments.is_empty(), otherwise.arguments.is_empty()) {
            (true, true) if Some(then.block) == next => plan(otherwise, false, then, None),
            (true, _) => plan(then, true, otherwise, None),
            (false, true) => plan(otherwise, false, then, None),
            (false, false) => plan(otherwise, false, then, Some(otherwise)),
        }
    }
}
