//! Lets loops that wait for other threads end when one of those has faulted.
//!
//! A loop waits if it could go round for ever because of what other threads do not do: a branch
//! in it, or a value that it stores, depends on an atomic access or an exchange among a warp in it;
//! or it holds a barrier, and a branch in it depends on memory that other threads write. Such a loop
//! polls before it goes
//! round, once in a number of rounds, because that takes as long as any access to memory does. Never
//! to poll hangs the launch, so in doubt a loop polls, but not if the number of its rounds is a small
//! constant. A compare-and-exchange that expects the value that the round before has seen does not
//! wait: it fails only because another thread got on.
//!
//! **Before:** the last pass, for kernels that can fault. **Cost:** linear; nothing for functions
//! without atomics, exchanges and barriers.

use super::unroll::Rounds;
use crate::ir::{Access, AtomicOp, BinaryOp, Scalar};
use crate::ssa::graph::{Graph, Loop, Loops};
use crate::ssa::op::Op;
use crate::ssa::{Function, Space, Span, Terminator, Ty, Value};

/// A loop that waits polls once in so many rounds, a power of two.
const POLL_EVERY: u64 = 32;

/// What a value depends on.
#[derive(Clone, Copy, Default, PartialEq)]
struct Taint {
    /// The old value of an atomic access, or what other lanes give.
    answer: bool,
    /// Memory that other threads of the block may write.
    memory: bool,
}

/// Adds polls to the loops that wait.
pub(crate) fn add(function: &mut Function) {
    let graph = Graph::of(function);
    let communicates = graph.order.iter().any(|&block| {
        function.blocks[block]
            .body
            .iter()
            .any(|&value| is_answer(function.op(value)) || is_barrier(function.op(value)))
    });
    if !communicates {
        return;
    }
    let loops = Loops::of(function, &graph);
    if loops.loops.is_empty() {
        return;
    }
    let taints = taints(function, &graph);
    for this in &loops.loops {
        if waits(function, &taints, this) && !has_few_rounds(function, &graph, this) {
            poll(function, &graph, this);
        }
    }
}

/// Lets a loop count its rounds, and poll now and then.
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

/// Whether the number of a loop's rounds is a small constant.
fn has_few_rounds(function: &Function, graph: &Graph, this: &Loop) -> bool {
    let mut outside = graph
        .predecessors(this.header)
        .iter()
        .filter(|block| !this.latches.contains(block));
    match (outside.next(), outside.next()) {
        (Some(&front), None) => {
            Rounds::of(function, this, front).is_some_and(|mut rounds| rounds.count(function, usize::MAX).is_some())
        }
        _ => false,
    }
}

/// What each value depends on.
fn taints(function: &Function, graph: &Graph) -> Vec<Taint> {
    let mut taints = vec![Taint::default(); function.values.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &graph.order {
            let data = &function.blocks[block];
            for &value in &data.body {
                let op = function.op(value);
                let mut taint = Taint {
                    answer: is_answer(op),
                    memory: match op {
                        Op::Load {
                            address,
                            constant: false,
                            ..
                        } => function.ty(address) != Ty::Pointer(Space::Local),
                        _ => false,
                    },
                };
                op.each_operand(|operand| taint = taint.join(taints[operand.index()]));
                changed |= taints[value.index()] != taint;
                taints[value.index()] = taint;
            }
            for edge in data.end.edges() {
                for (&parameter, &argument) in function.blocks[edge.block].parameters.iter().zip(&edge.arguments) {
                    let taint = taints[parameter.index()].join(taints[argument.index()]);
                    changed |= taints[parameter.index()] != taint;
                    taints[parameter.index()] = taint;
                }
            }
        }
    }
    taints
}

fn waits(function: &Function, taints: &[Taint], this: &Loop) -> bool {
    let (mut answer, mut barrier, mut stores) = (false, false, false);
    let mut decides = Taint::default();
    for &block in &this.blocks {
        let data = &function.blocks[block];
        for &value in &data.body {
            match function.op(value) {
                op if is_answer(op) => {
                    answer |= function.ty(value) != Ty::Unit;
                    barrier |= is_barrier(op);
                }
                op if is_barrier(op) => barrier = true,
                Op::Store { value, .. } => stores |= taints[value.index()].answer,
                _ => {}
            }
        }
        if let Terminator::Branch { condition, .. } = data.end
            && !is_exchange(function, this, condition)
        {
            decides = decides.join(taints[condition.index()]);
        }
    }
    answer && (decides.answer || stores) || barrier && (decides.memory || decides.answer)
}

/// Whether an operation yields what other threads have a part in.
fn is_answer(op: Op) -> bool {
    matches!(
        op,
        Op::Load {
            access: Access::Volatile,
            ..
        } | Op::Atomic { .. }
            | Op::Shuffle { .. }
            | Op::Ballot(..)
            | Op::MatchAny(..)
            | Op::Product { .. }
            | Op::LoadMatrices { .. }
            | Op::BarrierCount(_)
    )
}

/// Whether an operation waits for others and has them see what was written.
fn is_barrier(op: Op) -> bool {
    matches!(
        op,
        Op::Barrier
            | Op::NamedBarrier { .. }
            | Op::BarrierCount(_)
            | Op::GridBarrier
            | Op::ClusterBarrier
            | Op::WarpSync(_)
    )
}

/// Whether a condition says that a cell held what the round before saw in it.
fn is_exchange(function: &Function, this: &Loop, condition: Value) -> bool {
    let Op::Binary {
        op: BinaryOp::Eq, a, b, ..
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

impl Taint {
    fn join(self, other: Taint) -> Taint {
        Taint {
            answer: self.answer || other.answer,
            memory: self.memory || other.memory,
        }
    }
}
