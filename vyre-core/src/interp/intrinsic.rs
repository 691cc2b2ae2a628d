//! The semantics of each intrinsic.

use vyre_abi::semantics::named_barrier::{Arrives, AtBarrier};

use super::block::Machine;
use super::error::Undefined;
use super::eval::Stop;
use super::memory::Pointer;
use super::thread::{Offer, State, Thread};
use super::value::Value;
use crate::ir::{Constant, ExprId, Handle, Intrinsic, Local, Span, Type, WARP_SIZE, WarpOp};

impl Thread {
    /// Executes an intrinsic, or waits for it.
    pub(super) fn intrinsic(
        &mut self,
        machine: &mut Machine<'_, '_>,
        intrinsic: Intrinsic,
        operands: &[ExprId],
        result: Option<Handle<Local>>,
        span: Span,
    ) -> Result<(), Stop> {
        match intrinsic {
            Intrinsic::Barrier => self.state = State::Waiting,
            Intrinsic::BarrierCount => {
                let votes = self.context(machine).scalars(operands)?;
                self.offer = Some(Offer {
                    op: WarpOp::Ballot,
                    tile: WARP_SIZE,
                    value: votes.first().copied().unwrap_or(Constant::bool(false)),
                    amount: 0,
                    fragments: None,
                    result,
                });
                self.state = State::Waiting;
            }
            Intrinsic::ClusterBarrier => {
                self.state = match machine.kernel.cluster {
                    Some(_) => State::AtCluster,
                    None => State::Waiting,
                };
            }
            Intrinsic::GridBarrier => self.state = State::AtGrid,
            Intrinsic::Clock => {
                if let Some(result) = result {
                    let time = Constant::u64(machine.time);
                    self.set(machine, result, &Value::Scalar(time));
                }
            }
            // Memory is sequentially consistent without fences.
            Intrinsic::Fence { .. } => {}
            Intrinsic::NamedBarrier {
                barrier,
                threads,
                waits,
            } => {
                let warps = threads / WARP_SIZE;
                self.state = State::Named(AtBarrier::Arriving { barrier, warps, waits });
            }
            Intrinsic::AsyncCopy { count } => self.copy(machine, operands, count, span)?,
            // Copies are executed immediately and completely.
            Intrinsic::CopyCommit | Intrinsic::CopyWait { .. } | Intrinsic::CopyPiece { .. } => {}
        }
        Ok(())
    }

    /// Copies elements from the second end to the first.
    fn copy(&mut self, machine: &mut Machine<'_, '_>, ends: &[ExprId], count: u64, span: Span) -> Result<(), Stop> {
        let context = self.context(machine);
        let types = &machine.code.program.types;
        let &[to, from] = ends else { return Ok(()) };
        let held = match types[context.routine.body.exprs[to].ty] {
            Type::Reference { pointee: held, .. } | Type::Slice { element: held, .. } => held,
            _ => return Ok(()),
        };
        let size = machine.code.layout(held).size.saturating_mul(count);
        let mut places = [Pointer::private(0); 2];
        for (place, end) in places.iter_mut().zip([to, from]) {
            *place = match context.value(end)? {
                Value::Slice { length, .. } if length < count => {
                    let what = Undefined::Index {
                        index: count - 1,
                        length,
                    };
                    return Err(Stop::Undefined { what, span });
                }
                Value::Reference(start) | Value::Slice { start, .. } => start,
                _ => return Ok(()),
            };
        }
        let undefined = |what| Stop::Undefined { what, span };
        let [to, from] = places;
        let bytes = machine
            .memory
            .bytes(&self.private, from, size)
            .map_err(undefined)?
            .to_vec();
        let target = machine.memory.bytes_mut(&mut self.private, to, size);
        target.map_err(undefined)?.copy_from_slice(&bytes);
        Ok(())
    }
}

impl Arrives for Thread {
    fn at(&self) -> AtBarrier {
        match self.state {
            State::Left => AtBarrier::Left,
            State::Named(at) => at,
            _ => AtBarrier::Elsewhere,
        }
    }

    fn is_with(&self, other: &Self) -> bool {
        self.waits_with(other)
    }

    fn hold(&mut self, openings: u32) {
        if let State::Named(AtBarrier::Arriving { barrier, .. }) = self.state {
            self.state = State::Named(AtBarrier::Held { barrier, openings });
        }
    }

    fn go_on(&mut self) {
        self.state = State::Ready;
    }
}
