//! Removes barriers of the block that order nothing.
//!
//! A barrier orders the accesses of each thread before it against those of the others behind it. Accesses that another
//! barrier separates from it are ordered by that one. So a barrier may go if none of the accesses before it, back to
//! the barriers before, can touch memory that the accesses behind it touch, up to the barriers behind, with one of them
//! writing.
//!
//! **Rules.** Two threads compute an address differently, so only the memory that it lies in tells accesses apart:
//! another space, another variable, another parameter of the kernel. Local memory and memory that nothing writes do not
//! count. Atomic and volatile accesses, fences, copies and inline PTX may order other memory too, and are taken for
//! accesses to all of it; exchanges of a warp touch none.
//!
//! **Algorithm.** For each barrier two walks from it, against the edges and along them, that end at other barriers.
//!
//! **Before and after:** any valid graph, of a kernel without clusters, whose blocks look into the memory of others.
//! **Cost:** the number of barriers times the blocks between them.

use vyre_ir::ir::{Access, Among, Output};

use crate::analysis::provenance::{Provenance, Root};
use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Ty, Value};

/// Limit of the barriers of a function, for the sake of compile time.
const MAX_BARRIERS: usize = 64;

/// Removes the barriers.
pub(crate) fn run(function: &mut Function, flow: &Flow) {
    let mut barriers: Vec<(Block, usize)> = Vec::new();
    for &block in &flow.order {
        let body = function.blocks[block].body.iter().enumerate();
        barriers.extend(body.filter_map(|(at, &value)| is_barrier(function, value).then_some((block, at))));
    }
    if barriers.is_empty() || barriers.len() > MAX_BARRIERS {
        return;
    }
    let provenance = Provenance::of(function, flow);
    // From the end, so that the places of those that are left stay.
    for (block, at) in barriers.into_iter().rev() {
        let search = Search {
            function,
            flow,
            provenance: &provenance,
        };
        if !search.orders(block, at) {
            function.blocks[block].body.remove(at);
        }
    }
}

/// True for a barrier of the block without a vote.
fn is_barrier(function: &Function, value: Value) -> bool {
    matches!(function.op(value), Op::Intrinsic { intrinsic, .. }
        if intrinsic.is_block_barrier() && intrinsic.row().result == Output::Nothing)
}

/// Memory, as far as accesses of different threads can be told apart.
#[derive(Clone, Copy, PartialEq)]
enum Memory {
    /// That of the root of an address.
    Of(Op, Space),
    /// Some in a space.
    In(Space),
    /// Any.
    Any,
}

/// The effect of an operation on the memory of other threads.
#[derive(Clone, Copy, PartialEq)]
struct Touch {
    memory: Memory,
    writes: bool,
}

/// The memory that is touched on one side of a barrier.
type Side = Vec<Touch>;

struct Search<'f> {
    function: &'f Function,
    flow: &'f Flow,
    provenance: &'f Provenance,
}

impl Search<'_> {
    /// True if a barrier orders accesses.
    fn orders(&self, block: Block, at: usize) -> bool {
        let (before, behind) = self.function.blocks[block].body.split_at(at);
        let before = self.side(block, before, true);
        if before.is_empty() {
            return false;
        }
        let behind = self.side(block, &behind[1..], false);
        before.iter().any(|a| behind.iter().any(|b| a.conflicts(*b)))
    }

    /// The memory touched between a barrier and the ones before or behind it; `part` is what its own block has there.
    fn side(&self, block: Block, part: &[Value], backwards: bool) -> Side {
        let next = |block: Block| match backwards {
            true => self.flow.predecessors(block).to_vec(),
            false => self.function.blocks[block]
                .end
                .targets()
                .into_iter()
                .flatten()
                .collect(),
        };
        let mut side = Side::new();
        let mut seen = vec![false; self.function.blocks.len()];
        let mut work: Vec<Block> = Vec::new();
        if !self.walk(part, backwards, &mut side) {
            work.extend(next(block));
        }
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut seen[block.index()], true) {
                continue;
            }
            if !self.walk(&self.function.blocks[block].body, backwards, &mut side) {
                work.extend(next(block));
            }
        }
        if backwards {
            self.tails(&seen, &mut side);
        }
        side
    }

    /// Adds what threads touch that end without the barrier whose blocks before it are `before`: it does not wait for
    /// them, but for their end.
    fn tails(&self, before: &[bool], side: &mut Side) {
        let function = self.function;
        let targets = |block: Block| function.blocks[block].end.targets().into_iter().flatten();
        let blocks = self.flow.order.iter().filter(|block| before[block.index()]);
        let mut work: Vec<Block> = blocks.flat_map(|&block| targets(block)).collect();
        let mut seen = before.to_vec();
        while let Some(block) = work.pop() {
            let body = &function.blocks[block].body;
            // After a fault results do not matter.
            let faults = function.faults(block);
            if !std::mem::replace(&mut seen[block.index()], true) && !faults && !self.walk(body, false, side) {
                work.extend(targets(block));
            }
        }
    }

    /// Adds what operations touch, up to a barrier; true if there is one.
    fn walk(&self, body: &[Value], backwards: bool, side: &mut Side) -> bool {
        let place = |at: usize| if backwards { body.len() - 1 - at } else { at };
        for value in (0..body.len()).map(|at| body[place(at)]) {
            if let Op::Intrinsic { intrinsic, .. } = self.function.op(value)
                && intrinsic.is_block_barrier()
            {
                return true;
            }
            if let Some(touch) = self.touch(value)
                && !side.contains(&touch)
            {
                side.push(touch);
            }
        }
        false
    }

    fn touch(&self, value: Value) -> Option<Touch> {
        let all = Touch {
            memory: Memory::Any,
            writes: true,
        };
        let function = self.function;
        match function.op(value) {
            Op::Load { constant: true, .. } => None,
            Op::Load {
                access: Access::Volatile,
                ..
            }
            | Op::Store {
                access: Access::Volatile,
                ..
            } => Some(all),
            Op::Load { address, .. } => self.at(address, false),
            Op::Store { address, .. } => self.at(address, true),
            Op::Intrinsic { intrinsic, .. } => {
                let row = intrinsic.row();
                let is_exchange = row.among == Among::Warp && !row.orders_memory && !row.accesses_memory();
                (!is_exchange).then_some(all)
            }
            Op::Atomic { .. } | Op::Print { .. } | Op::Put { .. } | Op::Ptx { .. } => Some(all),
            _ => None,
        }
    }

    /// An access at an address.
    fn at(&self, address: Value, writes: bool) -> Option<Touch> {
        let memory = match self.function.ty(address) {
            Ty::Pointer(Space::Local | Space::Const | Space::Param) => return None,
            Ty::Pointer(space @ (Space::Global | Space::Shared)) => {
                match self.provenance.root(self.function, address) {
                    Root::Value(root) if self.is_apart(root) => Memory::Of(self.function.op(root), space),
                    _ => Memory::In(space),
                }
            }
            _ => Memory::Any,
        };
        Some(Touch { memory, writes })
    }

    /// True if the memory of a root does not overlap that of others.
    fn is_apart(&self, root: Value) -> bool {
        matches!(self.function.op(root), Op::Address(_) | Op::Argument { .. })
    }
}

impl Touch {
    fn conflicts(self, other: Touch) -> bool {
        let meet = match (self.memory, other.memory) {
            (Memory::Any, _) | (_, Memory::Any) => true,
            (Memory::In(a) | Memory::Of(_, a), Memory::In(b)) | (Memory::In(a), Memory::Of(_, b)) => a == b,
            (Memory::Of(a, _), Memory::Of(b, _)) => a == b,
        };
        meet && (self.writes || other.writes)
    }
}
