//! Replaces branches that choose between integers by selections: `if c { hi = m } else { lo = m + 1 }`.
//!
//! ptxas turns such branches into predicated moves, one for each value and side, and keeps the copies in front of a loop's
//! header apart; a selection is one instruction.
//!
//! **Algorithm.** Where both edges of a branch lead to one block, directly or through a block of their own with a few
//! cheap operations that cannot fault, these operations move in front of the branch, and a selection takes the place of
//! each parameter that receives two values.
//!
//! **Before:** any valid graph, after the passes that learn from branches. **After:** blocks that
//! [`simplify_cfg`](super::simplify_cfg) merges. **Cost:** linear.

use vyre_ir::ir::BinaryOp;

use crate::ssa::graph::Flow;
use crate::ssa::op::Op;
use crate::ssa::{Block, Edge, Function, Terminator, Ty, Value};

/// The most operations that move in front of a branch.
const MOVED: usize = 2;
/// The most selections in place of a branch.
const SELECTIONS: usize = 2;

/// Replaces the branches; returns true if there were any.
pub(crate) fn run(function: &mut Function) -> bool {
    // Most functions have none, which takes no graph to see.
    if !function.blocks.handles().any(|block| sides(function, block).is_some()) {
        return false;
    }
    let graph = Flow::of(function);
    let mut changed = false;
    for &block in &graph.order {
        let is_own = |side: &Side| {
            side.through
                .is_none_or(|through| graph.predecessors(through).len() == 1)
        };
        if let Some((condition, sides)) = sides(function, block)
            && sides.iter().all(is_own)
        {
            convert(function, block, condition, sides);
            changed = true;
        }
    }
    changed
}

/// A side of a branch: its edge to where the sides meet.
#[derive(Clone, Copy)]
struct Side {
    /// The block with operations of the side's own.
    through: Option<Block>,
    /// The block with the edge.
    from: Block,
    /// True for the second edge of a branch.
    is_second: bool,
}

impl Side {
    fn edge(self, function: &Function) -> &Edge {
        let mut edges = function.blocks[self.from].end.edges();
        let edge = if self.is_second {
            edges.next_back()
        } else {
            edges.next()
        };
        edge.expect("a side has an edge")
    }

    fn body(self, function: &Function) -> &[Value] {
        self.through.map_or(&[], |block| &function.blocks[block].body)
    }
}

/// The condition of a branch and its sides, if they meet after a few cheap operations with different integers.
fn sides(function: &Function, block: Block) -> Option<(Value, [Side; 2])> {
    let Terminator::Branch {
        condition,
        then,
        otherwise,
    } = &function.blocks[block].end
    else {
        return None;
    };
    let direct = |is_second: bool| Side {
        through: None,
        from: block,
        is_second,
    };
    let through = |edge: &Edge| {
        is_passage(function, edge.block).then_some(Side {
            through: Some(edge.block),
            from: edge.block,
            is_second: false,
        })
    };
    let sides = if then.block == otherwise.block {
        [direct(false), direct(true)]
    } else {
        match (through(then), through(otherwise)) {
            (Some(then), _) if then.edge(function).block == otherwise.block => [then, direct(true)],
            (_, Some(otherwise)) if otherwise.edge(function).block == then.block => [direct(false), otherwise],
            (Some(then), Some(otherwise)) if then.edge(function).block == otherwise.edge(function).block => {
                [then, otherwise]
            }
            _ => return None,
        }
    };
    let moved: usize = sides.iter().map(|side| side.body(function).len()).sum();
    let [a, b] = sides.map(|side| &side.edge(function).arguments);
    let mut differing = a.iter().zip(b).filter(|(a, b)| a != b);
    let fits = moved <= MOVED
        && differing.clone().count() <= SELECTIONS
        && differing.all(|(&a, _)| matches!(function.ty(a), Ty::I32 | Ty::I64));
    fits.then_some((*condition, sides))
}

/// True for a block with a few cheap operations that goes on in another one.
fn is_passage(function: &Function, block: Block) -> bool {
    let data = &function.blocks[block];
    matches!(data.end, Terminator::Jump(_))
        && data.parameters.is_empty()
        && data.body.len() <= MOVED
        && data.body.iter().all(|&value| is_cheap(function, value))
}

fn convert(function: &mut Function, block: Block, condition: Value, sides: [Side; 2]) {
    let mut body = sides.map(|side| side.body(function)).concat();
    let Edge {
        block: to,
        mut arguments,
    } = sides[0].edge(function).clone();
    let others = sides[1].edge(function).arguments.clone();
    for (a, b) in arguments.iter_mut().zip(others) {
        if *a != b {
            let (ty, span) = (function.ty(*a), function.values[condition].span);
            *a = function.add_value(Op::Select { condition, a: *a, b }, ty, span);
            body.push(*a);
        }
    }
    let data = &mut function.blocks[block];
    data.body.extend(body);
    data.end = Terminator::Jump(Edge { block: to, arguments });
}

/// True for an operation that cannot fault and is one instruction.
fn is_cheap(function: &Function, value: Value) -> bool {
    if !matches!(function.ty(value), Ty::I32 | Ty::I64) {
        return false;
    }
    match function.op(value) {
        Op::Select { .. } | Op::Bits(_) => true,
        Op::Convert { from, to, .. } => from.is_integer() && to.is_integer(),
        Op::Binary { op, scalar, .. } => {
            use BinaryOp::{Add, And, Max, Min, Or, Shl, Shr, Sub, Xor};
            scalar.is_integer() && matches!(op, Add | Sub | And | Or | Xor | Shl | Shr | Min | Max)
        }
        _ => false,
    }
}
