//! Values that are the same for all threads of a block.
//!
//! **Rules.** Arguments, addresses of what is not in local memory, and the special registers of
//! block and grid are uniform. So are pure operations on uniform operands, including loads of
//! memory that is never written. Thread and lane indices, loads of written memory, shuffles and
//! atomic accesses are varying.
//!
//! A parameter is uniform if its arguments are and no varying branch decides which edge a thread
//! takes: a block is decided by a branch if it lies on a path from the branch to its immediate
//! post-dominator, that one included. Threads that leave a loop in different iterations hold its
//! values of different iterations, so a loop that a varying branch leaves makes all its values
//! varying.
//!
//! **Algorithm.** An optimistic fixed point: everything is uniform until a rule says otherwise.
//! **Cost:** linear for each iteration, times the blocks that each varying branch decides.

use super::loop_forest::LoopForest;
use super::post_dominators::PostDominators;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Block, Function, Terminator, Value};

/// For each value, true if it may differ among the threads of a block.
pub(crate) struct Uniformity {
    varying: Vec<bool>,
}

impl Uniformity {
    /// Looks through a function.
    pub(crate) fn of(function: &Function, forest: &LoopForest) -> Uniformity {
        let post_dominators = PostDominators::of(function, &forest.graph);
        let mut search = Search {
            function,
            forest,
            post_dominators,
            varying: function.values.iter().map(|(_, data)| varies(data.op)).collect(),
            decided: vec![false; function.blocks.len()],
            changed: true,
        };
        while std::mem::take(&mut search.changed) {
            for &block in &forest.graph.order {
                search.block(block);
            }
        }
        Uniformity {
            varying: search.varying,
        }
    }

    /// True if all threads of a block that compute a value get the same result.
    pub(crate) fn uniform(&self, value: Value) -> bool {
        !self.varying[value.index()]
    }
}

/// True if a value varies for any operands.
fn varies(op: Op) -> bool {
    match op {
        Op::Special(Special::Thread(_) | Special::Lane) | Op::Address(Object::Local(_)) => true,
        Op::Parameter => false,
        op => !op.is_pure(),
    }
}

struct Search<'f> {
    function: &'f Function,
    forest: &'f LoopForest,
    post_dominators: PostDominators,
    varying: Vec<bool>,
    /// For each block, true if a varying branch decides it.
    decided: Vec<bool>,
    changed: bool,
}

impl Search<'_> {
    fn block(&mut self, block: Block) {
        let function = self.function;
        let data = &function.blocks[block];
        if self.decided[block.index()] {
            data.parameters.iter().for_each(|&parameter| self.mark(parameter));
        }
        for &value in &data.body {
            let mut varies = false;
            function.each_operand(value, |operand| varies |= self.varying[operand.index()]);
            if varies {
                self.mark(value);
            }
        }
        for edge in data.end.edges() {
            let parameters = &function.blocks[edge.block].parameters;
            for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                if self.varying[argument.index()] {
                    self.mark(parameter);
                }
            }
        }
        if let Terminator::Branch { condition, .. } = data.end
            && self.varying[condition.index()]
        {
            self.diverge(block);
        }
    }

    /// Marks the blocks and values decided by a varying branch.
    fn diverge(&mut self, branch: Block) {
        let meet = self.post_dominators.immediate(&self.forest.graph, branch);
        let mut work: Vec<Block> = self.targets(branch).collect();
        let mut seen = vec![false; self.function.blocks.len()];
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            self.changed |= !std::mem::replace(&mut self.decided[block.index()], true);
            if Some(block) != meet {
                work.extend(self.targets(block));
            }
        }
        let (function, forest) = (self.function, self.forest);
        for (number, this) in forest.loops.iter().enumerate() {
            let leaves = |(from, _): (Block, Block)| from == branch || seen[from.index()];
            if forest.contains(number, branch) && forest.exits(function, number).any(leaves) {
                for &block in &this.blocks {
                    let data = &function.blocks[block];
                    data.parameters
                        .iter()
                        .chain(&data.body)
                        .for_each(|&value| self.mark(value));
                }
            }
        }
    }

    fn targets(&self, block: Block) -> impl Iterator<Item = Block> + use<> {
        self.function.blocks[block].end.targets().into_iter().flatten()
    }

    fn mark(&mut self, value: Value) {
        self.changed |= !std::mem::replace(&mut self.varying[value.index()], true);
    }
}
