//! The rare instructions.

use vyre_abi::fault::FaultKind;
use vyre_abi::format;

use super::block::Machine;
use super::code::{Code, Rare, Reg, Routine, SiteKind};
use super::error::Undefined;
use super::memory::{Memory, Pointer};
use super::run::{record_load, record_store, undefined};
use super::thread::{Stop, Thread};
use crate::ir::{BinaryOp, SHARED_ALIGN, Span};

impl Thread {
    /// Executes a rare instruction: the one at `op`, after `ran` statements of the turn.
    pub(super) fn rare(
        &mut self,
        code: &Code<'_>,
        machine: &mut Machine<'_, '_>,
        rare: &Rare<'_>,
        op: usize,
        ran: u64,
    ) -> Result<(), Stop> {
        let function = self.frames.last().and_then(|frame| frame.function);
        let routine = code.routine(function);
        match rare {
            Rare::External(external) => return Err(Stop::External(*external)),
            Rare::Memory => return Err(Stop::Memory),
            Rare::Subslice { to, slice, range, size } => {
                let ([start, length], [from, end]) = (slice.map(|reg| self.word(reg)), range.map(|reg| self.word(reg)));
                if from > end || end > length {
                    return Err(outside(routine, machine, op, [from, end, length]));
                }
                let start = Pointer::from_bits(start).add(from.wrapping_mul(*size));
                self.set_words(*to, [start.to_bits(), end - from]);
            }
            Rare::Regroup { to, length, op, count } => {
                let length = self.word(*length);
                let length = match op {
                    BinaryOp::Div => length / count,
                    _ => length.wrapping_mul(*count),
                };
                self.set_words([*to], [length]);
            }
            Rare::DynamicShared {
                to,
                offset,
                length,
                size,
            } => {
                let [base, bytes] = machine.dynamic;
                let offset = self.word(*offset);
                let start = offset.wrapping_add(SHARED_ALIGN - 1) & !(SHARED_ALIGN - 1);
                let room = bytes.saturating_sub(start) / size;
                let length = length.map_or(room, |length| self.word(length));
                if length > room {
                    let end = start.wrapping_add(length.wrapping_mul(*size));
                    let span = routine.site(op).span;
                    return Err(Stop::fault(FaultKind::SharedMemory, span, [end, bytes]));
                }
                let start = Pointer::shared(machine.shared_start + base + start.min(bytes));
                self.set_words(*to, [start.to_bits(), length]);
            }
            Rare::MapShared { to, address, rank } => {
                let rank = self.word(*rank);
                let blocks = u64::from(machine.kernel.cluster_blocks());
                if rank >= blocks {
                    let span = routine.site(op).span;
                    return Err(Stop::fault(FaultKind::ClusterRank, span, [rank, blocks]));
                }
                let at = Pointer::from_bits(self.word(*address));
                let there = at.moved(machine.shared_start, rank * machine.shared_size);
                self.set_words([*to], [there.to_bits()]);
            }
            Rare::Load {
                to,
                from,
                size,
                place,
                ty,
            } => {
                let at = Pointer::from_bits(self.word(*from));
                let Machine { memory, scratch, .. } = machine;
                let bytes = memory.bytes(&self.private, at, *size);
                let bytes = bytes.map_err(|what| undefined(what, routine, op))?;
                let target = grown(scratch, *to, *size);
                target.copy_from_slice(bytes);
                code.normalise(*ty, target);
                record_load(routine, machine, &self.checked.written, at, place.index() as u32);
            }
            Rare::Store { from, to, size, place } => {
                let at = Pointer::from_bits(self.word(*to));
                let span = routine.site(op).span;
                let Machine { memory, scratch, .. } = machine;
                self.write(memory, at, grown(scratch, *from, *size), span)?;
                record_store(routine, machine, at, place.index() as u32, span);
            }
            Rare::Copy { to, from, size } => {
                let (from, end) = (*from as usize, (*from + *size) as usize);
                machine.scratch(*to, *size);
                machine.scratch.copy_within(from..end, *to as usize);
            }
            Rare::Zero { start, size } => machine.scratch(*start, *size).fill(0),
            Rare::Fill { start, element, size } => {
                let bytes = machine.scratch(*start, *size);
                let (first, rest) = bytes.split_at_mut(*element as usize);
                // Elements without size need no copies.
                for copy in rest.chunks_exact_mut(first.len().max(1)) {
                    copy.copy_from_slice(first);
                }
            }
            Rare::Call {
                function,
                arguments,
                result,
            } => self.call(machine, code.routine(Some(*function)), *function, arguments, *result)?,
            Rare::Return(value) => self.leave(machine, *value),
            Rare::End => {
                self.has_ended = self.frames.len() == 1;
                self.leave(machine, None);
            }
            Rare::Atomic(atomic) => self.atomic(machine, atomic)?,
            Rare::Intrinsic {
                intrinsic,
                operands,
                size,
                result,
                span,
            } => {
                machine.time = u64::MAX - machine.budget.saturating_sub(ran);
                self.intrinsic(machine, *intrinsic, (operands, *size), *result, *span)?;
            }
            Rare::Print { template, values } => {
                let text = self.text(template, values);
                machine.printed.add(&text);
                self.checked.has_effect = true;
            }
            Rare::Fail {
                kind,
                message,
                values,
                span,
            } => {
                return Err(Stop::Fault {
                    kind: *kind,
                    span: *span,
                    message: self.text(message, values),
                    values: [0, 0],
                });
            }
        }
        Ok(())
    }

    /// Writes words to registers of the running call.
    fn set_words<const N: usize>(&mut self, to: [Reg; N], words: [u64; N]) {
        let first = self.first_register();
        for (reg, word) in to.into_iter().zip(words) {
            self.registers[first + reg as usize] = word;
        }
    }

    /// Writes bytes to an address.
    pub(super) fn write(
        &mut self,
        memory: &mut Memory<'_>,
        at: Pointer,
        content: &[u8],
        span: Span,
    ) -> Result<(), Stop> {
        let size = content.len() as u64;
        let bytes = memory.bytes_mut(&mut self.private, at, size);
        let bytes = bytes.map_err(|what| Stop::Undefined { what, span })?;
        let changes = bytes != content;
        bytes.copy_from_slice(content);
        self.checked.note_write(at, size, changes);
        Ok(())
    }

    /// The formatted text of a template with these values.
    fn text(&self, template: &str, values: &[Reg]) -> String {
        let words: Vec<u64> = values.iter().map(|&reg| self.word(reg)).collect();
        format::render(template, &words)
    }
}

/// The stop at a range that is not within a length.
fn outside(routine: &Routine<'_>, machine: &Machine<'_, '_>, op: usize, [start, end, length]: [u64; 3]) -> Stop {
    let site = routine.site(op);
    match site.kind {
        SiteKind::Index(place, steps, true) => Stop::Fault {
            kind: FaultKind::RangeOutOfBounds,
            span: site.span,
            message: (machine.code.program)
                .place_name(routine.body, place, steps)
                .into_owned(),
            values: [start, end],
        },
        _ => Stop::Undefined {
            what: Undefined::Range { start, end, length },
            span: site.span,
        },
    }
}

/// A range of scratch memory, which grows if it is too small.
pub(super) fn grown(scratch: &mut Vec<u8>, start: u64, size: u64) -> &mut [u8] {
    let (start, end) = (start as usize, (start + size) as usize);
    if scratch.len() < end {
        scratch.resize(end, 0);
    }
    &mut scratch[start..end]
}
