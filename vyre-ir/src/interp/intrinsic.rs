//! The semantics of each intrinsic.

use vyre_abi::semantics::named_barrier::{Arrives, AtBarrier};
use vyre_abi::semantics::{Exchange, Fragments, MatrixOp};

use super::block::Machine;
use super::code::Operand;
use super::error::Undefined;
use super::memory::{Pointer, Width};
use super::record::Action;
use super::thread::{State, Stop, Thread};
use super::value::Value;
use crate::ir::{Constant, Handle, Intrinsic, Local, MatrixLoad, Product, Role, Span, WARP_SIZE};
use crate::semantics::binary;

/// The operands of a thread for a warp operation, or its vote at a counting barrier.
#[derive(Clone, Debug)]
pub(super) struct Offer {
    pub(super) intrinsic: Intrinsic,
    /// The bits of the first operand; 1 if there is none.
    pub(super) value: u64,
    /// The second operand; 0 if there is none.
    amount: u32,
    /// The fragments of a matrix operation.
    pub(super) fragments: Option<(MatrixOp, Box<Fragments>)>,
    pub(super) result: Option<Handle<Local>>,
}

impl Offer {
    /// The result of a lane of the warp, once all have offered.
    pub(super) fn outcome(&self, exchange: &Exchange, lane: u32) -> u64 {
        let bits = self.value;
        match self.intrinsic {
            Intrinsic::Ballot { tile } => exchange.ballot(tile, lane).into(),
            Intrinsic::MatchAny { tile } => exchange.matching(tile, lane, bits).into(),
            Intrinsic::Reduce { op, scalar, tile } => {
                let constant = |bits| Constant::new(scalar, bits);
                // None of the operations faults.
                let combined = |a, b| binary(op, constant(a), constant(b)).map_or(a, |combined| combined.bits);
                exchange.reduced(tile, lane, combined)
            }
            Intrinsic::Shuffle { from, tile } => exchange.shuffled(from, tile, lane, self.amount).unwrap_or(bits),
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
        (operands, size): (&[Operand], u64),
        result: Option<Handle<Local>>,
        span: Span,
    ) -> Result<(), Stop> {
        match intrinsic {
            Intrinsic::Barrier => self.state = State::Waiting,
            Intrinsic::BarrierCount => {
                self.offer_scalars(intrinsic, operands, result);
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
                    self.set(machine, result, &Value::Word(machine.time));
                }
            }
            // Memory is sequentially consistent without fences.
            Intrinsic::Fence { order, scope } => {
                if let Some(mut check) = machine.recorder() {
                    check.fence(order, scope);
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
            Intrinsic::AsyncCopy { count } => self.copy(machine, operands, (count, size), span)?,
            Intrinsic::Shuffle { .. }
            | Intrinsic::Ballot { .. }
            | Intrinsic::MatchAny { .. }
            | Intrinsic::Reduce { .. }
            | Intrinsic::WarpBarrier { .. } => {
                self.offer_scalars(intrinsic, operands, result);
                self.state = State::Exchanging;
            }
            Intrinsic::MultiplyAdd { product } => {
                let fragments = self.fragments(machine, product, operands);
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
            Intrinsic::Nap | Intrinsic::CopyPiece { .. } => {}
        }
        Ok(())
    }

    /// Offers scalar operands to the threads that reach the same intrinsic.
    fn offer_scalars(&mut self, intrinsic: Intrinsic, operands: &[Operand], result: Option<Handle<Local>>) {
        let operand = |number: usize| match operands.get(number) {
            Some(&Operand::Word(reg)) => Some(self.word(reg)),
            _ => None,
        };
        let (value, amount) = (operand(0).unwrap_or(1), operand(1).unwrap_or(0) as u32);
        self.offer = Some(Offer {
            intrinsic,
            value,
            amount,
            fragments: None,
            result,
        });
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
            value: 1,
            amount: 0,
            fragments: Some((op, Box::new(fragments))),
            result,
        });
        self.state = State::Exchanging;
    }

    /// The row supplied by this lane to a matrix load.
    fn row(&self, machine: &Machine<'_, '_>, operands: &[Operand], span: Span) -> Result<Fragments, Stop> {
        let mut fragments = Fragments::default();
        let Some(&Operand::Slice(start, _)) = operands.first() else {
            return Ok(fragments);
        };
        let start = Pointer::from_bits(self.word(start));
        if let Some(mut check) = machine.recorder() {
            check.bytes(start, MatrixLoad::ROW_BYTES, Action::Read, span);
        }
        let bytes = machine.memory.bytes(&self.private, start, MatrixLoad::ROW_BYTES);
        let bytes = bytes.map_err(|what| Stop::Undefined { what, span })?;
        for (word, bytes) in fragments.a.iter_mut().zip(bytes.chunks_exact(4)) {
            *word = Width::Four.read(bytes);
        }
        Ok(fragments)
    }

    /// The fragments of a matrix product.
    fn fragments(&self, machine: &Machine<'_, '_>, product: Product, operands: &[Operand]) -> Fragments {
        let mut fragments = Fragments::default();
        let roles = [
            (Role::A, &mut fragments.a[..]),
            (Role::B, &mut fragments.b[..]),
            (Role::C, &mut fragments.c[..]),
        ];
        for ((role, words), &operand) in roles.into_iter().zip(operands) {
            let (scalar, length) = product.shape().registers(role);
            if let Value::Bytes(bytes) = self.read(machine, operand, self.first_register()) {
                let registers = bytes.chunks_exact(scalar.size() as usize).take(length as usize);
                for (word, bytes) in words.iter_mut().zip(registers) {
                    *word = Width::of(scalar).read(bytes);
                }
            }
        }
        fragments
    }

    /// Copies elements of a size from the second end to the first.
    fn copy(
        &mut self,
        machine: &mut Machine<'_, '_>,
        ends: &[Operand],
        (count, size): (u64, u64),
        span: Span,
    ) -> Result<(), Stop> {
        let &[to, from] = ends else { return Ok(()) };
        let size = size.saturating_mul(count);
        let mut places = [Pointer::private(0); 2];
        for (place, end) in places.iter_mut().zip([to, from]) {
            *place = match self.read(machine, end, self.first_register()) {
                Value::Slice { length, .. } if length < count => {
                    let what = Undefined::Index {
                        index: count - 1,
                        length,
                    };
                    return Err(Stop::Undefined { what, span });
                }
                Value::Slice { start, .. } => start,
                Value::Word(address) => Pointer::from_bits(address),
                Value::Bytes(_) => return Ok(()),
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
