//! A thread: its calls, its memory, and its turns.

use vyre_abi::fault::FaultKind;
use vyre_abi::format;
use vyre_abi::semantics::mbarrier;
use vyre_abi::semantics::named_barrier::AtBarrier;

use super::block::Machine;
use super::eval::{Context, Stop};
use super::flatten::Step;
use super::intrinsic::Offer;
use super::memory::Pointer;
use super::place::Spot;
use super::record::{Action, Atomic};
use super::value::{Value, read_scalar, write_word};
use super::{PRIVATE_BYTES, TURN};
use crate::ir::{
    AssertMessage, AtomicOp, BinaryOp, Constant, ExprId, Function, Handle, Local, MemoryOrder, MemoryScope, PlaceId,
    Scalar, Span, Stmt, StmtKind, Type, UnaryOp,
};
use crate::semantics;

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At a barrier.
    Waiting,
    /// At a warp operation.
    Exchanging,
    /// At a barrier of the grid.
    AtGrid,
    /// At a barrier of the cluster.
    AtCluster,
    /// At a named barrier.
    Named(AtBarrier),
    Left,
}

/// A running call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// The running function; `None` for the entry.
    function: Option<Handle<Function>>,
    /// The next step.
    step: usize,
    /// The start of its locals in the private memory.
    base: u64,
    /// The local of the caller that receives the result.
    result: Option<Handle<Local>>,
}

/// A thread of the running block.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) index: [u32; 3],
    pub(super) state: State,
    /// The calls, outermost first.
    frames: Vec<Frame>,
    /// The locals of the calls.
    pub(super) private: Vec<u8>,
    /// Its operands of the warp operation, or its vote, that it waits with.
    pub(super) offer: Option<Offer>,
    /// True if its last turn only found that a phase of a barrier is incomplete, and nothing else
    /// happened.
    asked: bool,
    acted: bool,
    /// True if it left at the end of the kernel, and not by a return before it.
    pub(super) has_ended: bool,
    /// How often the named barrier had opened at which it has arrived last, and of one at which it waits; for checking
    /// mode.
    pub(super) arrived: Option<u32>,
    pub(super) opening: Option<u32>,
    /// State of checking mode alone.
    checked: Followed,
}

/// State of a thread in checking mode.
#[derive(Debug, Default)]
struct Followed {
    /// The bytes of private memory that have been written.
    written: Vec<bool>,
    /// The calls and the private memory when its turn began.
    before: (Vec<Frame>, Vec<u8>),
    /// True if it has changed something since that others see.
    has_effect: bool,
    /// True if it has come back to where its turn began, and nothing was different.
    repeats: bool,
}

impl Thread {
    /// An exited thread.
    pub(super) fn new() -> Self {
        Thread {
            index: [0; 3],
            state: State::Left,
            frames: Vec::new(),
            private: Vec::new(),
            offer: None,
            asked: false,
            acted: false,
            has_ended: false,
            arrived: None,
            opening: None,
            checked: Followed::default(),
        }
    }

    /// Restarts, with the given first frame.
    /// `written` has the bytes of it that hold arguments, in checking mode.
    pub(super) fn start(&mut self, index: [u32; 3], frame: &[u8], written: &[bool]) {
        self.index = index;
        self.state = State::Ready;
        self.frames.clear();
        self.frames.push(Frame {
            function: None,
            step: 0,
            base: 0,
            result: None,
        });
        self.private.clear();
        self.private.extend_from_slice(frame);
        (self.has_ended, self.arrived, self.opening) = (false, None, None);
        self.checked.written.clear();
        self.checked.written.extend_from_slice(written);
    }

    /// True if both wait at the same barrier or warp operation, reached by the same calls.
    pub(super) fn waits_with(&self, other: &Thread) -> bool {
        self.frames.len() == other.frames.len()
            && (self.frames.iter().zip(&other.frames)).all(|(a, b)| (a.function, a.step) == (b.function, b.step))
    }

    /// The span of the most recent statement.
    pub(super) fn span(&self, machine: &Machine<'_, '_>) -> Span {
        let step = self.frames.last().and_then(|frame| {
            let steps = &machine.code.routine(frame.function).steps;
            steps.get(frame.step.wrapping_sub(1))
        });
        match step {
            Some(Step::Do(stmt)) => stmt.span,
            _ => Span::NONE,
        }
    }

    /// Runs until the thread exits, waits, or has had its turn. `budget` counts down.
    pub(super) fn turn(&mut self, machine: &mut Machine<'_, '_>, budget: &mut u64) -> Result<(), Stop> {
        (self.asked, self.acted) = (false, false);
        if machine.check.is_some() {
            self.follow();
        }
        for _ in 0..TURN {
            *budget = budget.checked_sub(1).ok_or(Stop::StepLimit)?;
            let Some(frame) = self.frames.last_mut() else {
                self.state = State::Left;
                return Ok(());
            };
            let step = machine.code.routine(frame.function).steps[frame.step];
            frame.step += 1;
            match step {
                Step::Jump(target) => frame.step = target,
                Step::Unless(condition, target) => {
                    if !self.context(machine).holds(condition)?
                        && let Some(frame) = self.frames.last_mut()
                    {
                        frame.step = target;
                    }
                }
                Step::Return(value) => self.leave(machine, value)?,
                Step::End => {
                    self.has_ended = self.frames.len() == 1;
                    self.leave(machine, None)?;
                }
                Step::Do(stmt) => {
                    // Statements are counted down.
                    machine.time = u64::MAX - *budget;
                    self.acted |= !is_idle(&stmt.kind);
                    self.perform(machine, stmt)?;
                    if self.state != State::Ready {
                        return Ok(());
                    }
                }
            }
            if machine.check.is_some() && self.is_back() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Remembers where a turn begins.
    fn follow(&mut self) {
        let (frames, private) = &mut self.checked.before;
        frames.clone_from(&self.frames);
        private.clone_from(&self.private);
        (self.checked.has_effect, self.checked.repeats) = (false, false);
    }

    /// True if the thread is where its turn began, and has changed nothing: it does the same again until another thread
    /// changes what it reads.
    fn is_back(&mut self) -> bool {
        let (frames, private) = &self.checked.before;
        let step = |frames: &[Frame]| frames.last().map(|frame| frame.step);
        // Most steps differ in the first.
        self.checked.repeats = !self.checked.has_effect
            && step(&self.frames) == step(frames)
            && self.frames == *frames
            && self.private == *private;
        self.checked.repeats
    }

    /// True if its last turn ended where it began.
    pub(super) fn repeats(&self) -> bool {
        self.checked.repeats
    }

    /// True if its last turn only found that a phase of a barrier is incomplete.
    pub(super) fn is_held(&self) -> bool {
        self.asked && !self.acted
    }

    fn perform(&mut self, machine: &mut Machine<'_, '_>, stmt: &Stmt) -> Result<(), Stop> {
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                let context = self.context(machine);
                if let Some((scalar, offset)) = context.routine.scalars[place.index()] {
                    let (value, start) = (context.scalar(*value)?, context.frame + offset);
                    let end = start as usize + scalar.size() as usize;
                    write_word(value.bits, &mut self.private[start as usize..end]);
                    self.mark(start, scalar.size().into());
                    return Ok(());
                }
                let value = context.value(*value)?;
                let spot = context.locate(*place)?;
                let access = context.routine.body.places[*place].access;
                self.write(machine, spot, &value, stmt.span)?;
                if let Some(mut check) = machine.recorder() {
                    if access.is_volatile() {
                        let size = machine.code.layout(spot.ty).size;
                        check.atomic(spot.at, Atomic::volatile(AtomicOp::Store, size), stmt.span);
                    } else {
                        let types = &machine.code.program.types;
                        check.plain(types, (spot.at, spot.ty), Action::Write, stmt.span);
                    }
                }
                Ok(())
            }
            StmtKind::Call {
                function,
                arguments,
                result,
            } => self.call(machine, *function, arguments, *result),
            StmtKind::Atomic {
                op,
                place,
                operands,
                order,
                scope,
                result,
            } => self.atomic(machine, (*op, *order, *scope), *place, operands, *result, stmt.span),
            StmtKind::Assert {
                condition,
                message,
                values,
            } => {
                if self.context(machine).holds(*condition)? {
                    return Ok(());
                }
                let (kind, message) = match message {
                    AssertMessage::Assertion(text) => (FaultKind::Assertion, text),
                    AssertMessage::Panic(text) => (FaultKind::Panic, text),
                };
                Err(Stop::Fault {
                    kind,
                    span: stmt.span,
                    message: self.text(machine, message, values)?,
                    values: [0, 0],
                })
            }
            StmtKind::Print { template, values } => {
                let text = self.text(machine, template, values)?;
                machine.printed.add(&text);
                self.checked.has_effect = true;
                Ok(())
            }
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result,
            } => self.intrinsic(machine, *intrinsic, operands, *result, stmt.span),
            // Inline PTX is guarded by `on_gpu`, so no thread reaches it. The others are separate steps.
            StmtKind::Ptx { .. }
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(_) => Ok(()),
        }
    }

    /// The formatted text of a template with these values.
    fn text(&self, machine: &Machine<'_, '_>, template: &str, values: &[ExprId]) -> Result<String, Stop> {
        let values = self.context(machine).scalars(values)?;
        let words: Vec<u64> = values.iter().map(|value| value.bits).collect();
        Ok(format::render(template, &words))
    }

    /// Takes the result of the warp operation, and continues.
    pub(super) fn take(&mut self, machine: &Machine<'_, '_>, value: &Value) {
        self.state = State::Ready;
        if let Some(result) = self.offer.take().and_then(|offer| offer.result) {
            self.set(machine, result, value);
        }
    }

    fn call(
        &mut self,
        machine: &Machine<'_, '_>,
        function: Handle<Function>,
        arguments: &[ExprId],
        result: Option<Handle<Local>>,
    ) -> Result<(), Stop> {
        let values = self.context(machine).values(arguments)?;
        let routine = machine.code.routine(Some(function));
        // No type is aligned to more than eight bytes.
        let base = self.private.len().next_multiple_of(8) as u64;
        let end = base.saturating_add(routine.frame);
        if end > PRIVATE_BYTES {
            return Err(Stop::Memory);
        }
        self.private.resize(end as usize, 0);
        if machine.check.is_some() {
            self.checked.written.resize(end as usize, false);
        }
        self.frames.push(Frame {
            function: Some(function),
            step: 0,
            base,
            result,
        });
        for (number, value) in values.iter().enumerate() {
            self.set(machine, Handle::new(number), value);
        }
        Ok(())
    }

    /// Returns from the running call.
    fn leave(&mut self, machine: &Machine<'_, '_>, value: Option<ExprId>) -> Result<(), Stop> {
        let value = value.map(|value| self.context(machine).value(value)).transpose()?;
        if let Some(frame) = self.frames.pop() {
            self.private.truncate(frame.base as usize);
            self.checked.written.truncate(frame.base as usize);
            if let (Some(result), Some(value)) = (frame.result, value) {
                self.set(machine, result, &value);
            }
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        machine: &mut Machine<'_, '_>,
        (op, order, scope): (AtomicOp, MemoryOrder, MemoryScope),
        place: PlaceId,
        operands: &[ExprId],
        result: Option<Handle<Local>>,
        span: Span,
    ) -> Result<(), Stop> {
        let context = self.context(machine);
        let spot = context.locate(place)?;
        let scalar = match machine.code.program.types[spot.ty] {
            Type::Atomic(scalar) => scalar,
            _ => Scalar::U32,
        };
        if scalar.is_half() {
            let operands = context.values(operands)?;
            let pair = |value: &Value| match value {
                Value::Aggregate(pair) => pair.clone(),
                _ => vec![0; 4],
            };
            let operands: Vec<Vec<u8>> = operands.iter().map(pair).collect();
            let old = context.bytes(spot, span)?.to_vec();
            let read = |pair: &[u8], at: usize| read_scalar(scalar, &pair[at..at + 2]);
            let half = |operand: &[u8], at: usize| {
                let new = exchanged(op, read(&old, at), &[read(operand, at)]);
                new.map_or(0, |new| new.bits as u16).to_le_bytes()
            };
            let new = match &operands[..] {
                [operand] => Some([half(operand, 0), half(operand, 2)].concat()),
                // Both halves are compared.
                [expected, new] if [0, 2].iter().all(|&at| same_bits(read(expected, at), read(&old, at))) => {
                    Some(new.clone())
                }
                _ => None,
            };
            let access = Atomic {
                op,
                order,
                scope,
                writes: new.is_some(),
                size: 4,
            };
            if let Some(new) = new {
                self.write(machine, spot, &Value::Aggregate(new), span)?;
            }
            if let Some(mut check) = machine.recorder() {
                check.atomic(spot.at, access, span);
            }
            if let Some(result) = result {
                self.set(machine, result, &Value::Aggregate(old));
            }
            return Ok(());
        }
        let operands = context.scalars(operands)?;
        let bytes = context.bytes(spot, span)?;
        let old = read_scalar(scalar, bytes);
        if let (AtomicOp::BarrierOpened, Some(token)) = (op, operands.first()) {
            self.asked = true;
            self.acted |= mbarrier::test_wait(old.bits, token.bits) != 0;
        }
        let new = exchanged(op, old, &operands);
        if let Some(new) = new {
            self.write(machine, spot, &Value::Scalar(new), span)?;
        }
        if let Some(mut check) = machine.recorder() {
            if op.is_barrier() {
                let states = [old.bits, new.unwrap_or(old).bits];
                let is_open = operands
                    .first()
                    .is_some_and(|token| mbarrier::test_wait(old.bits, token.bits) != 0);
                check.phase(spot.at, op, states, is_open, span);
            } else {
                let access = Atomic {
                    op,
                    order,
                    scope,
                    writes: new.is_some(),
                    size: u64::from(scalar.size()),
                };
                check.atomic(spot.at, access, span);
            }
        }
        if let Some(result) = result {
            let yields = match (op, operands.first()) {
                (AtomicOp::BarrierOpened, Some(token)) => Constant::u64(mbarrier::test_wait(old.bits, token.bits)),
                (AtomicOp::BarrierNumber, _) => Constant::u64(spot.at.to_bits()),
                _ => old,
            };
            self.set(machine, result, &Value::Scalar(yields));
        }
        Ok(())
    }

    /// The environment of the running call.
    pub(super) fn context<'m>(&'m self, machine: &'m Machine<'_, '_>) -> Context<'m> {
        let frame = self.frames.last();
        Context {
            machine,
            routine: machine.code.routine(frame.and_then(|frame| frame.function)),
            private: &self.private,
            written: &self.checked.written,
            frame: frame.map_or(0, |frame| frame.base),
            thread: self.index,
        }
    }

    fn write(&mut self, machine: &mut Machine<'_, '_>, spot: Spot, value: &Value, span: Span) -> Result<(), Stop> {
        let size = machine.code.layout(spot.ty).size;
        match machine.memory.bytes_mut(&mut self.private, spot.at, size) {
            Ok(bytes) if machine.check.is_some() => {
                let is_private = spot.at.is_private();
                self.checked.has_effect |= !is_private && !value.is_at(bytes);
                value.write(bytes);
                if is_private {
                    self.mark(spot.at.offset(), size);
                }
                Ok(())
            }
            Ok(bytes) => {
                value.write(bytes);
                Ok(())
            }
            Err(what) => Err(Stop::Undefined { what, span }),
        }
    }

    /// Marks private memory as written.
    fn mark(&mut self, start: u64, size: u64) {
        if let Some(written) = self.checked.written.get_mut(start as usize..(start + size) as usize) {
            written.fill(true);
        }
    }

    /// Tells the recorder of a copy, from the second place to the first. It goes on beside the thread if it is one from
    /// global to shared memory.
    pub(super) fn record_copy(&mut self, machine: &Machine<'_, '_>, [to, from]: [Pointer; 2], size: u64, span: Span) {
        let Some(mut check) = machine.recorder() else { return };
        self.checked.has_effect = true;
        if to.is_private() {
            self.mark(to.offset(), size);
        }
        let mut actions = [Action::Read, Action::Write];
        if to.is_shared() && !from.is_shared() && !from.is_private() {
            check.begin_copy();
            actions = [Action::CopyRead, Action::CopyWrite];
        }
        check.bytes(from, size, actions[0], span);
        check.bytes(to, size, actions[1], span);
    }

    /// Sets a local of the running call.
    pub(super) fn set(&mut self, machine: &Machine<'_, '_>, local: Handle<Local>, value: &Value) {
        if let Some(frame) = self.frames.last() {
            let routine = machine.code.routine(frame.function);
            let start = (frame.base + routine.locals[local.index()]) as usize;
            let size = machine.code.layout(routine.body.locals[local].ty).size as usize;
            value.write(&mut self.private[start..start + size]);
            self.mark(start as u64, size as u64);
        }
    }
}

/// True for a statement without effect on other threads: a query of a barrier phase, or of the time.
fn is_idle(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Atomic { op, .. } => *op == AtomicOp::BarrierOpened,
        StmtKind::Intrinsic { intrinsic, .. } => intrinsic.is_idle(),
        _ => false,
    }
}

/// True if two scalars have the same bits, or are NaNs both.
fn same_bits(one: Constant, other: Constant) -> bool {
    match one.scalar.is_float() {
        true => semantics::binary(BinaryOp::SameBits, one, other).is_ok_and(|same| same.bits == 1),
        false => one.bits == other.bits,
    }
}

/// The value written by an atomic access, if any.
fn exchanged(op: AtomicOp, old: Constant, operands: &[Constant]) -> Option<Constant> {
    let combined = |op| {
        // None of these operations faults.
        operands
            .first()
            .map(|&operand| semantics::binary(op, old, operand).unwrap_or(old))
    };
    match op {
        // Copies are complete by then.
        AtomicOp::Load | AtomicOp::BarrierOpened | AtomicOp::BarrierCopies | AtomicOp::BarrierNumber => None,
        AtomicOp::BarrierInit => operands.first().map(|count| Constant::u64(mbarrier::init(count.bits))),
        AtomicOp::BarrierArrive => Some(Constant::u64(mbarrier::arrive(old.bits))),
        AtomicOp::Store | AtomicOp::Exchange => operands.first().copied(),
        AtomicOp::CompareExchange => match operands {
            [expected, new] if same_bits(*expected, old) => Some(*new),
            _ => None,
        },
        AtomicOp::Add => combined(BinaryOp::Add),
        AtomicOp::Sub => combined(BinaryOp::Sub),
        AtomicOp::And => combined(BinaryOp::And),
        AtomicOp::Or => combined(BinaryOp::Or),
        AtomicOp::Xor => combined(BinaryOp::Xor),
        AtomicOp::Nand => combined(BinaryOp::And).map(|both| semantics::unary(UnaryOp::Not, both)),
        AtomicOp::Min => combined(BinaryOp::Min),
        AtomicOp::Max => combined(BinaryOp::Max),
    }
}
