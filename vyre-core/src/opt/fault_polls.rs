//! Adds a poll of the fault flag to loops that wait for other threads, so that a fault ends them.
//!
//! A loop waits if it might iterate forever because of the behaviour of other threads: a branch in
//! it depends on an atomic access or a warp operation in it, or on what it loads while a value that
//! it stores does; or it contains a barrier, and a branch in it depends on memory that other threads
//! write. Such a loop
//! polls once in a number of iterations, because a poll costs a memory access. A missing poll hangs
//! the launch, so in doubt a loop polls, unless its trip count is a small constant. A
//! compare-exchange that expects the value seen in the previous iteration does not wait: it fails
//! only because another thread made progress.
//!
//! **Before:** the last pass, for kernels that can fault. **Cost:** linear in the operations that
//! the exit conditions of loops with atomics, warp operations or barriers depend on.

use vyre_ir::ir::{Access, Among, AtomicOp, BinaryOp, Output, Scalar};

use super::trip_count::TripCount;
use super::unroll;
use crate::analysis::loop_forest::{Loop, LoopForest};
use crate::ssa::graph::Graph;
use crate::ssa::op::Op;
use crate::ssa::{Block, Function, Space, Span, Terminator, Ty, Value, filled};

/// Iterations per poll of a waiting loop, a power of two.
const POLL_EVERY: u64 = 32;

/// The dependences of values.
#[derive(Default)]
struct Taint {
    /// The old value of an atomic access, or values of other lanes.
    answer: bool,
    /// Memory that other threads of the block may write.
    memory: bool,
    /// Memory that the thread or others may write.
    loads: bool,
}

/// Adds polls to waiting loops; returns true if there are any.
pub(crate) fn run(function: &mut Function, forest: &LoopForest) -> bool {
    let graph = &forest.graph;
    let mut sources = None;
    let mut polls = false;
    for (number, this) in forest.loops.iter().enumerate() {
        let meets = Meets::of(function, this);
        if !meets.answer && !meets.barrier {
            continue;
        }
        let sources = sources.get_or_insert_with(|| Sources::of(function, graph));
        if waits(function, sources, this, &meets) && !has_small_trip_count(function, forest, number) {
            poll(function, graph, this);
            polls = true;
        }
    }
    polls
}

/// Lets a loop count its iterations, and poll now and then.
fn poll(function: &mut Function, graph: &Graph, this: &Loop) {
    let zero = function.constant(Ty::I32, 0);
    let one = function.constant(Ty::I32, 1);
    let mask = function.constant(Ty::I32, POLL_EVERY - 1);
    let count = function.add_parameter(this.header, Ty::I32, Span::NONE);
    let mut ways = graph.predecessors(this.header).to_vec();
    ways.dedup();
    for block in ways {
        let mut next = zero;
        if this.latches.contains(&block) {
            let mut add = |op: Op, ty: Ty| {
                let value = function.add_value(op, ty, Span::NONE);
                function.blocks[block].body.push(value);
                value
            };
            let scalar = Scalar::U32;
            let mut binary = |op: BinaryOp, a: Value, b: Value, ty: Ty| add(Op::Binary { op, scalar, a, b }, ty);
            next = binary(BinaryOp::Add, count, one, Ty::I32);
            let masked = binary(BinaryOp::And, next, mask, Ty::I32);
            let due = binary(BinaryOp::Eq, masked, zero, Ty::Bool);
            add(Op::Poll(due), Ty::Unit);
        }
        for edge in function.blocks[block].end.edges_mut() {
            if edge.block == this.header {
                edge.arguments.push(next);
            }
        }
    }
}

/// True if the trip count of a loop is a small constant.
fn has_small_trip_count(function: &Function, forest: &LoopForest, number: usize) -> bool {
    let one_way_in = forest.outside(&forest.loops[number]).nth(1).is_none();
    one_way_in
        && TripCount::of(function, forest, number)
            .is_some_and(|trips| trips.count(function, unroll::LIMITS.trips).is_some())
}

/// The interactions of a loop with other threads.
struct Meets {
    /// True if it contains an atomic access or a warp operation.
    answer: bool,
    /// True if it contains a barrier.
    barrier: bool,
}

impl Meets {
    fn of(function: &Function, this: &Loop) -> Meets {
        let mut meets = Meets {
            answer: false,
            barrier: false,
        };
        for &block in &this.blocks {
            for &value in &function.blocks[block].body {
                let op = function.op(value);
                meets.answer |= is_answer(op) && function.ty(value) != Ty::Unit;
                meets.barrier |= is_barrier(op);
            }
        }
        meets
    }
}

fn waits(function: &Function, sources: &Sources<'_>, this: &Loop, meets: &Meets) -> bool {
    let mut asked = Vec::new();
    for &block in &this.blocks {
        if let Terminator::Branch { condition, .. } = function.blocks[block].end
            && !is_exchange(function, this, condition)
        {
            asked.push(condition);
        }
    }
    let decides = sources.taint(function, asked);
    if meets.answer && decides.answer || meets.barrier && (decides.memory || decides.answer) {
        return true;
    }
    if !meets.answer || !decides.loads {
        return false;
    }
    let mut stored = Vec::new();
    for &block in &this.blocks {
        for &value in &function.blocks[block].body {
            if let Op::Store { value, .. } = function.op(value) {
                stored.push(value);
            }
        }
    }
    sources.taint(function, stored).answer
}

/// The arguments of block parameters.
struct Sources<'g> {
    graph: &'g Graph,
    /// For each parameter its block and position.
    seats: Vec<Option<(Block, u32)>>,
}

impl<'g> Sources<'g> {
    fn of(function: &Function, graph: &'g Graph) -> Self {
        let mut seats = filled(None, function.values.len());
        for &block in &graph.order {
            for (place, parameter) in function.blocks[block].parameters.iter().enumerate() {
                seats[parameter.index()] = Some((block, place as u32));
            }
        }
        Sources { graph, seats }
    }

    /// The union of the dependences of these values.
    fn taint(&self, function: &Function, mut work: Vec<Value>) -> Taint {
        let mut seen = vec![false; function.values.len()];
        let mut taint = Taint::default();
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut seen[value.index()], true) {
                continue;
            }
            if let Some(&Some((block, place))) = self.seats.get(value.index()) {
                for &predecessor in self.graph.predecessors(block) {
                    let edges = function.blocks[predecessor].end.edges();
                    let edges = edges.filter(|edge| edge.block == block);
                    work.extend(edges.map(|edge| edge.arguments[place as usize]));
                }
                continue;
            }
            let op = function.op(value);
            taint.answer |= is_answer(op);
            match op {
                Op::Load {
                    address,
                    constant: false,
                    ..
                } => {
                    taint.loads = true;
                    taint.memory |= function.ty(address) != Ty::Pointer(Space::Local);
                }
                // It may load.
                Op::Ptx { .. } => taint.loads = true,
                _ => {}
            }
            function.each_operand(value, |operand| work.push(operand));
        }
        taint
    }
}

/// True if the result of an operation depends on other threads.
fn is_answer(op: Op) -> bool {
    if let Op::Intrinsic { intrinsic, .. } = op {
        let row = intrinsic.row();
        return row.among > Among::Thread && row.result != Output::Nothing;
    }
    matches!(
        op,
        Op::Load {
            access: Access::Volatile,
            ..
        } | Op::Atomic { .. }
    )
}

/// True if an operation waits for others and makes writes visible to them.
fn is_barrier(op: Op) -> bool {
    match op {
        Op::Intrinsic { intrinsic, .. } => intrinsic.row().orders_memory && intrinsic.row().among > Among::Thread,
        _ => false,
    }
}

/// True if a condition compares the result of a compare-exchange with the value seen in the
/// previous iteration.
fn is_exchange(function: &Function, this: &Loop, condition: Value) -> bool {
    let Op::Binary {
        op: BinaryOp::Eq | BinaryOp::Ne,
        a,
        b,
        ..
    } = function.op(condition)
    else {
        return false;
    };
    [(a, b), (b, a)].into_iter().any(|(old, seen)| match function.op(old) {
        Op::Atomic {
            op: AtomicOp::CompareExchange,
            operands: [expected, _],
            ..
        } => expected == seen && function.blocks[this.header].parameters.contains(&seen),
        _ => false,
    })
}
