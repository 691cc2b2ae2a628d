//! Values that are the same for all threads of a group, a block or a warp, and blocks that all of them come to.
//!
//! **Rules.** Arguments, addresses of what is not in local memory, and the special registers of
//! block and grid are uniform. So are pure operations on uniform operands, including loads of
//! memory that is never written. Thread and lane indices, loads of written memory, shuffles and
//! atomic accesses are varying.
//!
//! The count of a block's barrier is the same for all threads of the block that come to it.
//!
//! The threads of a warp agree on more. A ballot of one mask is the same for all of them. So is an index along `y` or `z`
//! where whole warps fill a row or plane of the block. The indices along `x` of a warp, and a multiple of 32 plus them,
//! differ in the five low bits alone: what those do not decide is uniform, as `i / 32` and `i < 64`. Of a tile of 8 lanes these are
//! three bits.
//!
//! A parameter is uniform if its arguments are and no varying branch decides which of several the thread passes. A
//! block is decided by a branch if it lies on a path from the branch to its immediate post-dominator, where threads meet
//! again. To the other blocks all threads come together; those that fault on the way do not count. Threads that leave a
//! loop in different iterations hold its values of different iterations, so a loop that a varying branch leaves makes
//! all its values varying.
//!
//! **Algorithm.** An optimistic fixed point: everything is uniform until a rule says otherwise.
//! **Cost:** linear for each iteration, times the blocks that each varying branch decides.

use vyre_ir::ir::{Axis, BinaryOp, WARP_SIZE};

use super::digits::{By, Digit, Digits, Given, NONE};
use super::loop_forest::LoopForest;
use super::post_dominators::PostDominators;
use crate::ssa::build::warp::balloted;
use crate::ssa::function::ValueData;
use crate::ssa::graph::Flow;
use crate::ssa::op::{Object, Op, Special};
use crate::ssa::{Block, Function, Terminator, Value};

/// The threads among which values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Those of a block.
    Block,
    /// Those of a warp.
    Warp,
    /// Those of a tile of so many lanes.
    Tile(u32),
    /// Those of the grid.
    Grid,
}

/// For each value, true if it may differ among the threads of a group.
pub(crate) struct Uniformity {
    varying: Vec<bool>,
    /// For each block, true if a varying branch decides whether threads come to it.
    apart: Vec<bool>,
    post_dominators: PostDominators,
}

impl Uniformity {
    /// Looks through a function.
    pub(crate) fn of(function: &Function, forest: &LoopForest, group: Group) -> Uniformity {
        let lanes = match group {
            Group::Warp => Some(WARP_SIZE),
            Group::Tile(lanes) => Some(lanes),
            Group::Block | Group::Grid => None,
        };
        let warp = lanes.map(|lanes| Warp {
            function,
            lanes,
            digits: Digits::of(function, &forest.graph, &Given::alignment(&|_| 1)),
        });
        let varies = |(value, data): (Value, &ValueData)| match &warp {
            Some(warp) => warp.varies(value),
            None => varies(data.op) && !is_vote(group, data.op) || differs_by_block(group, data.op),
        };
        let mut search = Search {
            function,
            group,
            forest,
            post_dominators: PostDominators::of(function, &forest.graph),
            found: Found {
                varying: function.values.iter().map(varies).collect(),
                apart: vec![false; function.blocks.len()],
                trips: vec![false; function.blocks.len()],
            },
            warp,
            changed: true,
        };
        while std::mem::take(&mut search.changed) {
            for &block in &forest.graph.order {
                search.block(block);
            }
        }
        Uniformity {
            varying: search.found.varying,
            apart: search.found.apart,
            post_dominators: search.post_dominators,
        }
    }

    /// True if all threads of a group that have not faulted come to a block of the graph, and equally often.
    pub(crate) fn together(&self, block: Block) -> bool {
        !self.apart[block.index()]
    }

    /// True if all threads of a group that compute a value get the same result.
    pub(crate) fn uniform(&self, value: Value) -> bool {
        !self.varying[value.index()]
    }

    /// True if of the threads of a group that leave a block all or none come to one that it immediately dominates, in the
    /// same iteration of a loop that contains both.
    pub(crate) fn follows(&self, function: &Function, flow: &Flow, before: Block, block: Block) -> bool {
        if self.post_dominators.post_dominates(flow, block, before) {
            return true;
        }
        let Terminator::Branch { condition, .. } = function.blocks[before].end else {
            return false;
        };
        flow.predecessors(block) == [before] && self.uniform(condition)
    }
}

/// True if a value may differ between blocks, in a group with several.
fn differs_by_block(group: Group, op: Op) -> bool {
    group == Group::Grid && matches!(op, Op::Special(Special::Block(_)))
}

/// True for the count of a barrier, which is the same for all threads of the block that come to it.
fn is_vote(group: Group, op: Op) -> bool {
    group != Group::Grid && matches!(op, Op::Intrinsic { intrinsic, .. } if intrinsic.is_block_barrier())
}

/// True if a value varies for any operands.
fn varies(op: Op) -> bool {
    match op {
        Op::Special(Special::Thread(_) | Special::Lane) | Op::Address(Object::Local(_)) => true,
        Op::Parameter => false,
        op => !op.is_pure(),
    }
}

/// The rules for threads of a warp, or a tile of one.
struct Warp<'f> {
    function: &'f Function,
    lanes: u32,
    digits: Digits,
}

impl Warp<'_> {
    /// True if a value varies for any operands.
    fn varies(&self, value: Value) -> bool {
        match self.function.op(value) {
            Op::Special(Special::Thread(axis)) => !self.fills(axis),
            op => balloted(self.function, value).is_none() && !is_vote(Group::Warp, op) && varies(op),
        }
    }

    /// The bits of a lane's index.
    fn bits(&self) -> u32 {
        self.lanes.trailing_zeros()
    }

    /// True if whole warps fill the part of a block in which an index is the same.
    fn fills(&self, axis: Axis) -> bool {
        let [x, y, _] = self.function.block_size;
        let threads = match axis {
            Axis::X => return false,
            Axis::Y => x,
            Axis::Z => x * y,
        };
        threads.is_multiple_of(self.lanes)
    }

    /// True if a value varies that is computed of varying operands. `found` tells those.
    fn computes_varying(&self, value: Value, found: &Found) -> bool {
        if let Some([_, members]) = balloted(self.function, value) {
            return found.varying[members.index()];
        }
        let consecutive = |value| self.consecutive(value, found);
        if let Op::Binary { op, scalar, a, b } = self.function.op(value) {
            match op {
                BinaryOp::Shr if consecutive(a) => {
                    let amount = self.function.as_constant(b).unwrap_or(0) % u64::from(scalar.bits());
                    return amount < self.bits().into();
                }
                BinaryOp::And if self.is_multiple(b, found) && consecutive(a) => return false,
                BinaryOp::Lt | BinaryOp::Ge if self.parts_warps(a, b, found) => return false,
                BinaryOp::Gt | BinaryOp::Le if self.parts_warps(b, a, found) => return false,
                _ => {}
            }
        }
        // Varying terms may have cancelled.
        match self.digits.form(value) {
            Some(form) => !form.terms.iter().all(|term| {
                !matches!(self.digits.digit(term.digit).digit, Digit::Value(own) if own == value)
                    && self.is_uniform(term.digit, found)
            }),
            None => true,
        }
    }

    /// True if the limit of a comparison `a < b` lies between warps.
    fn parts_warps(&self, a: Value, b: Value, found: &Found) -> bool {
        if let Some(limit) = self.function.as_constant(a) {
            return limit.trailing_ones() >= self.bits() && self.consecutive(b, found);
        }
        self.is_multiple(b, found) && self.consecutive(a, found)
    }

    /// True if a value is a multiple of 32, the same for all lanes, plus an index along `x` of the thread.
    fn consecutive(&self, mut value: Value, found: &Found) -> bool {
        // The low bits are the same in words of any width.
        while let Op::Convert { from, to, a } = self.function.op(value)
            && from.is_integer()
            && from.size() >= 4
            && to.is_integer()
        {
            value = a;
        }
        let Some(form) = self.digits.form(value) else {
            return false;
        };
        let mut threads = 0;
        for term in form.terms {
            let is_thread = self.is_thread(term.digit);
            threads += u32::from(is_thread);
            let fits = match is_thread {
                true => term.factor == 1 && term.symbol == NONE,
                false => self.digits.zeros_of_term(term) >= self.bits() && self.is_uniform(term.digit, found),
            };
            if !fits {
                return false;
            }
        }
        threads == 1 && form.constant.trailing_zeros() >= self.bits()
    }

    /// True if a digit is the index along `x`, of which whole warps fill a row, or the lane, whose tiles fill a warp.
    fn is_thread(&self, digit: u32) -> bool {
        let Digit::Value(value) = self.digits.digit(digit).digit else {
            return false;
        };
        match self.function.op(value) {
            Op::Special(Special::Thread(Axis::X)) => self.function.block_size[0].is_multiple_of(self.lanes),
            Op::Special(Special::Lane) => true,
            _ => false,
        }
    }

    /// True if a digit is the same for all lanes.
    fn is_uniform(&self, digit: u32, found: &Found) -> bool {
        match self.digits.digit(digit).digit {
            Digit::Value(value) | Digit::Remainder(value, _) => !found.varying[value.index()],
            Digit::Trip(header) => !found.trips[header.index()] && !found.apart[header.index()],
            Digit::Quotient(value, by) => {
                let whole_warps = matches!(by, By::Constant(by) if by.is_multiple_of(self.lanes.into()));
                !found.varying[value.index()] || whole_warps && self.consecutive(value, found)
            }
            Digit::Product(..) => true,
        }
    }

    /// True if a value is a multiple of 32, the same for all lanes.
    fn is_multiple(&self, value: Value, found: &Found) -> bool {
        !found.varying[value.index()] && self.digits.zeros(value) >= self.bits()
    }
}

struct Search<'f> {
    function: &'f Function,
    group: Group,
    forest: &'f LoopForest,
    post_dominators: PostDominators,
    /// The rules for warps, if the group is one.
    warp: Option<Warp<'f>>,
    found: Found,
    changed: bool,
}

/// The values known to vary so far.
struct Found {
    varying: Vec<bool>,
    /// For each block, true if a varying branch decides it.
    apart: Vec<bool>,
    /// For each header of a loop, true if a varying branch leaves the loop.
    trips: Vec<bool>,
}

impl Search<'_> {
    fn block(&mut self, block: Block) {
        let function = self.function;
        let data = &function.blocks[block];
        if self.found.apart[block.index()] {
            data.parameters.iter().for_each(|&parameter| self.mark(parameter));
        }
        for &value in &data.body {
            // It is the same whatever the threads pass.
            if is_vote(self.group, function.op(value)) {
                continue;
            }
            let mut varies = false;
            function.each_operand(value, |operand| varies |= self.found.varying[operand.index()]);
            if let (true, Some(warp)) = (varies, &self.warp) {
                varies = warp.computes_varying(value, &self.found);
            }
            if varies {
                self.mark(value);
            }
        }
        for edge in data.end.edges() {
            let parameters = &function.blocks[edge.block].parameters;
            for (&parameter, &argument) in parameters.iter().zip(&edge.arguments) {
                if self.found.varying[argument.index()] {
                    self.mark(parameter);
                }
            }
        }
        if let Terminator::Branch { condition, .. } = data.end
            && self.found.varying[condition.index()]
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
                self.changed |= !std::mem::replace(&mut self.found.apart[block.index()], true);
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
                self.changed |= !std::mem::replace(&mut self.found.trips[this.header.index()], true);
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
        self.changed |= !std::mem::replace(&mut self.found.varying[value.index()], true);
    }
}
