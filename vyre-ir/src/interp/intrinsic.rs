//! The semantics of each intrinsic.

use vyre_abi::semantics::named_barrier::{Arrives, AtBarrier};
use vyre_abi::semantics::{Exchange, Fragments, MatrixOp};

use super::block::Machine;
use super::error::Undefined;
use super::eval::Stop;
use super::memory::Pointer;
use super::thread::{State, Thread};
use super::value::{Value, read_scalar};
use crate::ir::{Constant, ExprId, Handle, Intrinsic, Local, Product, Role, Scalar, Span, Type, WARP_SIZE};
use crate::semantics::binary;

/// The operands of a thread for a warp operation, or its vote at a counting barrier.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) intrinsic: Intrinsic,
    pub(super) value: Constant,
    /// The second operand; 0 if there is none.
    amount: u32,
    /// The fragments of a matrix operation.
    pub(super) fragments: Option<(MatrixOp, Box<Fragments>)>,
    pub(super) result: Option<Handle<Local>>,
}

impl Offer {
    /// The result of a lane of the warp, once all have offered.
    pub(super) fn outcome(&self, exchange: &Exchange, lane: u32) -> Constant {
        let Constant { scalar, bits } = self.value;
        let lanes = |lanes: u32| Constant::new(Scalar::U32, lanes.into());
        match self.intrinsic {
            Intrinsic::Ballot { tile } => lanes(exchange.ballot(tile, lane)),
            Intrinsic::MatchAny { tile } => lanes(exchange.matching(tile, lane, bits)),
            Intrinsic::Reduce { op, tile, .. } => {
                let constant = |bits| Constant::new(scalar, bits);
                // None of the operations faults.
                let combined = |a, b| binary(op, constant(a), constant(b)).map_or(a, |combined| combined.bits);
                constant(exchange.reduced(tile, lane, combined))
            }
            Intrinsic::Shuffle { from, tile } => {
                let taken = exchange.shuffled(from, tile, lane, self.amount);
                Constant::new(scalar, taken.unwrap_or(bits))
            }
            // They yield nothing, or not to each lane its own.
            Intrinsic::Barrier
            | Intrinsic::BarrierCount
            | Intrinsic::NamedBarrier { .. }
            | Intrinsic::ClusterBarrier
            | Intrinsic::GridBarrier
            | Intrinsic::Fence { .. }
            | Intrinsic::Clock
            | Intrinsic::Nap
            | Intrinsic::AsyncCopy { .. }
            | Intrinsic::CopyCommit
            | Intrinsic::CopyWait { .. }
            | Intrinsic::CopyPiece { .. }
            | Intrinsic::WarpBarrier { .. }
            | Intrinsic::MultiplyAdd { .. }
            | Intrinsic::LoadMatrices { .. } => self.value,
        }
    }
}

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
                self.offer_scalars(machine, intrinsic, operands, result)?;
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
            Intrinsic::Fence { order, scope } => {
                if let Some(mut check) = machine.recorder() {
                    check.fence(order, scope);
                }
            }
            Intrinsic::Nap => {
                let context = self.context(machine);
                for &operand in operands {
                    context.value(operand)?;
                }
            }
            Intrinsic::NamedBarrier {
                barrier,
                threads,
                waits,
            } => {
                let warps = threads / WARP_SIZE;
                self.state = State::Named(AtBarrier::Arriving { barrier, warps, waits });
            }
            Intrinsic::AsyncCopy { count } => self.copy(machine, operands, count, span)?,
            Intrinsic::Shuffle { .. }
            | Intrinsic::Ballot { .. }
            | Intrinsic::MatchAny { .. }
            | Intrinsic::Reduce { .. }
            | Intrinsic::WarpBarrier { .. } => {
                self.offer_scalars(machine, intrinsic, operands, result)?;
                self.state = State::Exchanging;
            }
            Intrinsic::MultiplyAdd { product } => {
                let fragments = self.fragments(machine, product, operands)?;
                self.offer_fragments(intrinsic, MatrixOp::MultiplyAdd(product), fragments, result);
            }
            Intrinsic::LoadMatrices { load, .. } => {
                let row = self.row(machine, operands, span)?;
                self.offer_fragments(intrinsic, MatrixOp::Load(load), row, result);
            }
            // Copies are executed immediately and completely.
            Intrinsic::CopyCommit => {
                if let Some(mut check) = machine.recorder() {
                    check.commit();
                }
            }
            Intrinsic::CopyWait { pending } => {
                if let Some(mut check) = machine.recorder() {
                    check.wait_for_copies(pending);
                }
            }
            Intrinsic::CopyPiece { .. } => {}
        }
        Ok(())
    }

    /// Offers scalar operands to the threads that reach the same intrinsic.
    fn offer_scalars(
        &mut self,
        machine: &Machine<'_, '_>,
        intrinsic: Intrinsic,
        operands: &[ExprId],
        result: Option<Handle<Local>>,
    ) -> Result<(), Stop> {
        let operands = self.context(machine).scalars(operands)?;
        self.offer = Some(Offer {
            intrinsic,
            value: operands.first().copied().unwrap_or(Constant::bool(true)),
            amount: operands.get(1).map_or(0, |amount| amount.bits as u32),
            fragments: None,
            result,
        });
        Ok(())
    }

    /// Offers fragments to the warp.
    fn offer_fragments(
        &mut self,
        intrinsic: Intrinsic,
        op: MatrixOp,
        fragments: Fragments,
        result: Option<Handle<Local>>,
    ) {
        self.offer = Some(Offer {
            intrinsic,
            value: Constant::bool(true),
            amount: 0,
            fragments: Some((op, Box::new(fragments))),
            result,
        });
        self.state = State::Exchanging;
    }

    /// The row supplied by this lane to a matrix load.
    fn row(&self, machine: &Machine<'_, '_>, operands: &[ExprId], span: Span) -> Result<Fragments, Stop> {
        let context = self.context(machine);
        let mut fragments = Fragments::default();
        for &operand in operands {
            for (word, bytes) in (fragments.a.iter_mut()).zip(context.row(operand, span)?.chunks(4)) {
                *word = read_scalar(Scalar::U32, bytes).bits;
            }
        }
        Ok(fragments)
    }

    /// The fragments of a matrix product.
    fn fragments(&self, machine: &Machine<'_, '_>, product: Product, operands: &[ExprId]) -> Result<Fragments, Stop> {
        let context = self.context(machine);
        let mut fragments = Fragments::default();
        let roles = [
            (Role::A, &mut fragments.a[..]),
            (Role::B, &mut fragments.b[..]),
            (Role::C, &mut fragments.c[..]),
        ];
        for ((role, words), &operand) in roles.into_iter().zip(operands) {
            let (scalar, length) = product.shape().registers(role);
            if let Value::Aggregate(bytes) = context.value(operand)? {
                let registers = bytes.chunks(scalar.size() as usize).take(length as usize);
                for (word, bytes) in words.iter_mut().zip(registers) {
                    *word = read_scalar(scalar, bytes).bits;
                }
            }
        }
        Ok(fragments)
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
        self.record_copy(machine, places, size, span);
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

    fn arrive(&mut self, openings: u32) {
        self.arrived = Some(openings);
    }

    fn go_on(&mut self) {
        self.state = State::Ready;
    }
}
