//! The loop that executes the instructions of a thread.

use vyre_abi::fault::FaultKind;

use super::TURN;
use super::block::Machine;
use super::code::{Code, Count, Op, Rare, Routine, SiteKind, UNRECORDED};
use super::error::Undefined;
use super::memory::Pointer;
use super::record::{Action, Atomic};
use super::thread::{State, Stop, Thread};
use crate::ir::{AtomicOp, Builtin, Constant, Handle, PlaceId, Projection, Scalar, Span, WARP_SIZE};
use crate::semantics;

/// The reason why the loop over simple instructions ends.
enum Pause {
    /// A rare instruction, by its number.
    Rare(u32),
    /// The end of an iteration, where the turn may be over.
    Repeat,
}

impl Thread {
    /// Runs to the end of the turn; the statements that have run.
    pub(super) fn run(&mut self, code: &Code<'_>, machine: &mut Machine<'_, '_>) -> Result<u64, Stop> {
        let mut ran = 0;
        while let Some(&frame) = self.frames.last() {
            let routine = code.routine(frame.function);
            let mut next = frame.op;
            let pause = self.simple(routine, machine, &mut next, &mut ran)?;
            if let Some(frame) = self.frames.last_mut() {
                frame.op = next;
            }
            match pause {
                Pause::Rare(number) => {
                    let rare = &routine.rare[number as usize];
                    self.rare(code, machine, rare, next - 1, ran)?;
                    if self.state != State::Ready {
                        self.checked.waits = false;
                        return Ok(ran);
                    }
                    // Without loops, too, calls of calls may be endless in practice.
                    if !matches!(rare, Rare::Call { .. }) {
                        continue;
                    }
                }
                Pause::Repeat => {}
            }
            let is_back = self.checked.waits && self.is_back();
            if is_back || ran >= TURN {
                self.checked.waits = machine.check.is_some();
                return Ok(ran);
            }
        }
        self.state = State::Left;
        Ok(ran)
    }

    /// Executes simple instructions of the running call.
    fn simple(
        &mut self,
        routine: &Routine<'_>,
        machine: &mut Machine<'_, '_>,
        next: &mut usize,
        ran: &mut u64,
    ) -> Result<Pause, Stop> {
        let Some(frame) = self.frames.last() else {
            return Ok(Pause::Repeat);
        };
        let base = frame.base;
        let (checks, waits) = (machine.check.is_some(), self.checked.waits);
        let registers = &mut self.registers[frame.registers..];
        let ops = &routine.ops[..];
        let mut at = *next;
        let mut statements = *ran;
        macro_rules! word {
            ($reg:expr) => {
                registers[$reg as usize]
            };
        }
        macro_rules! element {
            ($start:ident, $index:expr, $length:expr, $size:expr) => {{
                let (index, length) = ($index, $length);
                if index >= length {
                    return Err(outside(routine, machine, at - 1, [index, length]));
                }
                Pointer::from_bits(word!($start)).add(index.wrapping_mul($size))
            }};
        }
        macro_rules! load {
            ($to:ident, $address:expr, $width:ident, $place:ident) => {{
                let address = $address;
                match machine.memory.bytes(&self.private, address, $width.size()) {
                    Ok(bytes) => word!($to) = $width.read(bytes),
                    Err(what) => return Err(undefined(what, routine, at - 1)),
                }
                if checks && $place != UNRECORDED {
                    record_load(routine, machine, &self.checked.written, address, $place);
                }
            }};
        }
        let pause = loop {
            let op = &ops[at];
            at += 1;
            match *op {
                Op::Move { to, from } => word!(to) = word!(from),
                Op::Constant { to, bits } => word!(to) = bits,
                Op::Unary { function, to, operand } => word!(to) = function(word!(operand)),
                Op::Binary {
                    function,
                    to,
                    left,
                    right,
                } => match function(word!(left), word!(right)) {
                    Ok(result) => word!(to) = result,
                    Err(kind) => return Err(Stop::fault(kind, routine.site(at - 1).span, [0, 0])),
                },
                Op::UnaryHalf {
                    op,
                    scalar,
                    to,
                    operand,
                } => word!(to) = semantics::unary(op, Constant::new(scalar, word!(operand))).bits,
                Op::BinaryHalf {
                    op,
                    scalar,
                    to,
                    left,
                    right,
                } => {
                    let [left, right] = [left, right].map(|reg| Constant::new(scalar, word!(reg)));
                    // None of these operations faults.
                    word!(to) = semantics::binary(op, left, right).map_or(0, |result| result.bits);
                }
                Op::MulAdd {
                    scalar,
                    to,
                    factors: [a, b],
                    summand,
                } => {
                    let [a, b, c] = [a, b, summand].map(|reg| Constant::new(scalar, word!(reg)));
                    word!(to) = semantics::mul_add(a, b, c).bits;
                }
                Op::Extend {
                    to,
                    operand,
                    from,
                    into,
                } => word!(to) = extended(word!(operand), from, into),
                Op::Cast {
                    to,
                    operand,
                    from,
                    into,
                } => word!(to) = semantics::cast(Constant::new(from, word!(operand)), into).bits,
                Op::Bitcast {
                    to,
                    operand,
                    from,
                    into,
                } => word!(to) = semantics::bitcast(Constant::new(from, word!(operand)), into).bits,
                Op::Builtin { to, builtin } => word!(to) = machine.builtin(builtin, self.index),
                Op::Shared { to, offset } => {
                    word!(to) = Pointer::shared(machine.shared_start + offset).to_bits();
                }
                Op::Private { to, offset } => word!(to) = Pointer::private(base + offset).to_bits(),
                Op::Advance { to, start, bytes } => {
                    word!(to) = Pointer::from_bits(word!(start)).add(bytes).to_bits();
                }
                Op::Element {
                    to,
                    start,
                    length,
                    index,
                    size,
                } => word!(to) = element!(start, word!(index), word!(length), size).to_bits(),
                Op::ArrayElement {
                    to,
                    start,
                    index,
                    length,
                    size,
                } => word!(to) = element!(start, word!(index), length, size).to_bits(),
                Op::Within { index, length } => {
                    let (index, length) = (word!(index), word!(length));
                    if index >= length {
                        return Err(outside(routine, machine, at - 1, [index, length]));
                    }
                }
                Op::Load {
                    to,
                    at: address,
                    plus,
                    width,
                    place,
                } => load!(to, Pointer::from_bits(word!(address)).add(plus), width, place),
                Op::LoadElement {
                    to,
                    start,
                    length,
                    index,
                    width,
                    place,
                } => {
                    let address = element!(start, word!(index), word!(length), width.size());
                    load!(to, address, width, place);
                }
                Op::LoadArrayElement {
                    to,
                    start,
                    index,
                    length,
                    width,
                    place,
                } => {
                    let address = element!(start, word!(index), length, width.size());
                    load!(to, address, width, place);
                }
                Op::LoadLocal {
                    to,
                    offset,
                    width,
                    place,
                } => {
                    let start = base + offset;
                    word!(to) = width.read(&self.private[start as usize..]);
                    if checks && place != UNRECORDED {
                        record_load(routine, machine, &self.checked.written, Pointer::private(start), place);
                    }
                }
                Op::Store {
                    from,
                    at: address,
                    plus,
                    width,
                    place,
                } => {
                    let address = Pointer::from_bits(word!(address)).add(plus);
                    let bytes = match machine.memory.bytes_mut(&mut self.private, address, width.size()) {
                        Ok(bytes) => bytes,
                        Err(what) => return Err(undefined(what, routine, at - 1)),
                    };
                    if checks {
                        let changes = width.read(bytes) != word!(from);
                        width.write(word!(from), bytes);
                        self.checked.note_write(address, width.size(), changes);
                        if place != UNRECORDED {
                            record_store(routine, machine, address, place, routine.site(at - 1).span);
                        }
                    } else {
                        width.write(word!(from), bytes);
                    }
                }
                Op::StoreLocal { from, offset, width } => {
                    let start = base + offset;
                    width.write(word!(from), &mut self.private[start as usize..]);
                    if checks {
                        self.checked.mark(start, width.size());
                    }
                }
                Op::LoadScratch { to, offset, width } => {
                    word!(to) = machine
                        .scratch
                        .get(offset as usize..)
                        .map_or(0, |bytes| width.read(bytes));
                }
                Op::StoreScratch { from, offset, width } => {
                    width.write(word!(from), machine.scratch(offset, width.size()));
                }
                Op::Jump { target, count } => {
                    statements += u64::from(count.statements);
                    self.acted |= count.acts;
                    at = target as usize;
                }
                Op::Unless {
                    condition,
                    target,
                    count,
                } => {
                    statements += u64::from(count.statements);
                    self.acted |= count.acts;
                    if word!(condition) == 0 {
                        at = target as usize;
                    }
                }
                Op::When { condition, target } => {
                    if word!(condition) != 0 {
                        at = target as usize;
                    }
                }
                Op::Repeat { target, count } => {
                    statements += u64::from(count.statements);
                    self.acted |= count.acts;
                    at = target as usize;
                    if waits || statements >= TURN {
                        break Pause::Repeat;
                    }
                }
                Op::Count(Count { statements: more, acts }) => {
                    statements += u64::from(more);
                    self.acted |= acts;
                }
                Op::Rare(number) => break Pause::Rare(number),
            }
        };
        (*next, *ran) = (at, statements);
        Ok(pause)
    }
}

/// An integer of one type as another one.
#[inline(always)]
fn extended(word: u64, from: Scalar, into: Scalar) -> u64 {
    let word = match from.is_signed() {
        true => {
            let unused = 64 - from.bits();
            (((word << unused) as i64) >> unused) as u64
        }
        false => word,
    };
    match into.bits() {
        64 => word,
        bits => word & ((1 << bits) - 1),
    }
}

/// The stop at an index at or past a length.
#[cold]
fn outside(routine: &Routine<'_>, machine: &Machine<'_, '_>, op: usize, values: [u64; 2]) -> Stop {
    let site = routine.site(op);
    let (kind, message) = match site.kind {
        SiteKind::Index(place, steps, true) => {
            let name = machine.code.program.place_name(routine.body, place, steps);
            (FaultKind::IndexOutOfBounds, name.into_owned())
        }
        SiteKind::Within(extent) => (extent.fault(), String::new()),
        SiteKind::Index(..) | SiteKind::Other => {
            let [index, length] = values;
            return Stop::Undefined {
                what: Undefined::Index { index, length },
                span: site.span,
            };
        }
    };
    Stop::Fault {
        kind,
        span: site.span,
        message,
        values,
    }
}

/// The stop at an access that is undefined behaviour.
#[cold]
pub(super) fn undefined(what: Undefined, routine: &Routine<'_>, op: usize) -> Stop {
    Stop::Undefined {
        what,
        span: routine.site(op).span,
    }
}

/// Tells the recorder of a load. Locals are zero until they are written, so only elements of arrays count there.
pub(super) fn record_load(routine: &Routine<'_>, machine: &Machine<'_, '_>, written: &[bool], at: Pointer, place: u32) {
    let Some(mut check) = machine.recorder() else { return };
    let id: PlaceId = Handle::new(place as usize);
    let place = &routine.body.places[id];
    let size = machine.code.layout(place.ty).size;
    if at.is_private() {
        let start = at.offset() as usize;
        let written = written.get(start..start + size as usize).unwrap_or(&[]);
        let has_index = place.path.iter().any(|step| matches!(step, Projection::Index { .. }));
        if has_index && written.contains(&false) {
            let name = machine.code.program.place_name(routine.body, id, usize::MAX);
            check.unwritten_local(&name, place.span);
        }
    } else if place.access.is_concurrent() {
        let load = Atomic::unordered(AtomicOp::Load, size);
        check.atomic(at, load, place.span);
    } else if !place.access.is_prefetch() {
        check.plain(&machine.code.program.types, (at, place.ty), Action::Read, place.span);
    }
}

/// Tells the recorder of a store.
pub(super) fn record_store(routine: &Routine<'_>, machine: &Machine<'_, '_>, at: Pointer, place: u32, span: Span) {
    let Some(mut check) = machine.recorder() else { return };
    let place = &routine.body.places[Handle::new(place as usize)];
    if place.access.is_concurrent() {
        let size = machine.code.layout(place.ty).size;
        check.atomic(at, Atomic::unordered(AtomicOp::Store, size), span);
    } else {
        check.plain(&machine.code.program.types, (at, place.ty), Action::Write, span);
    }
}

impl Machine<'_, '_> {
    /// A builtin of a thread of the running block.
    fn builtin(&self, builtin: Builtin, thread: [u32; 3]) -> u64 {
        let (block, threads, blocks) = (self.block, self.kernel.block, self.grid);
        match builtin {
            Builtin::ThreadIndex(axis) => u64::from(thread[axis.index()]),
            Builtin::BlockIndex(axis) => u64::from(block[axis.index()]),
            Builtin::BlockSize(axis) => u64::from(threads[axis.index()]),
            Builtin::GridSize(axis) => u64::from(blocks[axis.index()]),
            Builtin::ClusterSize(axis) => u64::from(self.cluster()[axis.index()]),
            Builtin::ClusterBlock(axis) => u64::from(block[axis.index()] % self.cluster()[axis.index()]),
            Builtin::ClusterIndex(axis) => u64::from(block[axis.index()] / self.cluster()[axis.index()]),
            Builtin::GlobalIndex(axis) => {
                let axis = axis.index();
                u64::from(block[axis]) * u64::from(threads[axis]) + u64::from(thread[axis])
            }
            Builtin::LinearIndex => linear(block, blocks)
                .wrapping_mul(self.kernel.block_threads())
                .wrapping_add(linear(thread, threads)),
            Builtin::LaneIndex => linear(thread, threads) % u64::from(WARP_SIZE),
            Builtin::OnGpu => 0,
        }
    }
}

/// The linear index of a cell among `extents`, x fastest.
fn linear(at: [u32; 3], extents: [u32; 3]) -> u64 {
    let [x, y, z] = at.map(u64::from);
    let [width, height, _] = extents.map(u64::from);
    z.wrapping_mul(height)
        .wrapping_add(y)
        .wrapping_mul(width)
        .wrapping_add(x)
}
