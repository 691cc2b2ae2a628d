//! Values that are the same for all threads of a block, and blocks that all of them come to.
//!
//! **Rules.** Arguments, addresses of what is not in local memory, and the special registers of
//! block and grid are uniform. So are pure operations on uniform operands, including loads of
//! memory that is never written. Thread and lane indices, loads of written memory, shuffles and
//! atomic accesses are varying.
//!
//! A parameter is uniform if its arguments are and no varying branch decides which of several the thread passes. A
//! block is decided by a branch if it lies on a path from the branch to its immediate post-dominator, where threads meet
//! again. To the other blocks all threads come together; those that fault on the way do not count. Threads that leave a
//! loop in different iterations hold its values of different iterations, so a loop that a varying branch leaves makes
//! all its values varying.
//!
//! **Algorithm.** An optimistic fixed point: everything is uniform until a rule says otherwise.
//! **Cost:** linear for each iteration, times the blocks that each varying branch decides.

use super::loop_forest::LoopForest;
use super::post_dominators::PostDominators;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Block, Function, Terminator, Value};

/// For each value, true if it may differ among the threads of a block.
pub(crate) struct Uniformity {
    #[cfg(feature = "verify")]
    varying: Vec<bool>,
    /// For each block, true if a varying branch decides whether threads come to it.
    apart: Vec<bool>,
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
            apart: vec![false; function.blocks.len()],
            changed: true,
        };
        while std::mem::take(&mut search.changed) {
            for &block in &forest.graph.order {
                search.block(block);
            }
        }
        Uniformity {
            #[cfg(feature = "verify")]
            varying: search.varying,
            apart: search.apart,
        }
    }

    /// True if all threads of a block that have not faulted come to a block of the graph, and equally often.
    pub(crate) fn together(&self, block: Block) -> bool {
        !self.apart[block.index()]
    }

    /// True if all threads of a block that compute a value get the same result.
    #[cfg(feature = "verify")]
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
    apart: Vec<bool>,
    changed: bool,
}

impl Search<'_> {
    fn block(&mut self, block: Block) {
        let function = self.function;
        let data = &function.blocks[block];
        if self.apart[block.index()] {
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
            if Some(block) != meet {
                self.changed |= !std::mem::replace(&mut self.apart[block.index()], true);
                work.extend(self.targets(block));
            }
        }
        if let Some(meet) = meet {
            self.meet(meet, |from| from == branch || from != meet && seen[from.index()]);
        }
        let (function, forest) = (self.function, self.forest);
        for (number, this) in forest.loops.iter().enumerate() {
            let leaves = |(from, _): (Block, Block)| from == branch || Some(from) != meet && seen[from.index()];
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

    /// Marks the parameters of a block that differ along the edges between which a varying branch decides.
    fn meet(&mut self, meet: Block, decides: impl Fn(Block) -> bool) {
        let function = self.function;
        let mut first: Option<&[Value]> = None;
        for &from in self
            .forest
            .graph
            .predecessors(meet)
            .iter()
            .filter(|&&from| decides(from))
        {
            for edge in function.blocks[from].end.edges().filter(|edge| edge.block == meet) {
                let first = *first.get_or_insert(&edge.arguments);
                for (at, (one, other)) in first.iter().zip(&edge.arguments).enumerate() {
                    if one != other {
                        self.mark(function.blocks[meet].parameters[at]);
                    }
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
