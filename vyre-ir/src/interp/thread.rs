//! A thread: its calls, its memory, and the start and end of its turns.

use std::rc::Rc;

use vyre_abi::fault::FaultKind;
use vyre_abi::semantics::named_barrier::AtBarrier;

use super::PRIVATE_BYTES;
use super::block::Machine;
use super::code::{Code, Home, Operand, Reg, Routine};
use super::error::Undefined;
use super::intrinsic::Offer;
use super::memory::Pointer;
use super::record::Action;
use super::value::Value;
use crate::ir::{External, Function, Handle, Local, Span};

/// The reason why a thread stops.
#[derive(Debug)]
pub(super) enum Stop {
    Fault {
        kind: FaultKind,
        span: Span,
        /// The text of an assertion or panic, or the name of an indexed place.
        message: String,
        values: [u64; 2],
    },
    Undefined {
        what: Undefined,
        span: Span,
    },
    External(Handle<External>),
    Memory,
    StepLimit,
}

impl Stop {
    pub(super) fn fault(kind: FaultKind, span: Span, values: [u64; 2]) -> Stop {
        Stop::Fault {
            kind,
            span,
            message: String::new(),
            values,
        }
    }
}

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
pub(super) struct Frame {
    /// The running function; `None` for the entry.
    pub(super) function: Option<Handle<Function>>,
    /// The index of the next instruction.
    pub(super) op: usize,
    /// The first of its registers.
    pub(super) registers: usize,
    /// The start of its locals in the private memory.
    pub(super) base: u64,
    /// The size of the locals of all calls up to it, of those in registers too.
    size: u64,
    /// The local of the caller that receives the result.
    pub(super) result: Option<Handle<Local>>,
}

/// A thread of the running block.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) index: [u32; 3],
    pub(super) state: State,
    /// The calls, outermost first.
    pub(super) frames: Vec<Frame>,
    /// The registers of the calls.
    pub(super) registers: Vec<u64>,
    /// The locals of the calls that are in memory.
    pub(super) private: Vec<u8>,
    /// Its operands of the warp operation, or its vote, that it waits with.
    pub(super) offer: Option<Offer>,
    /// True if its last turn only found that a phase of a barrier is incomplete, and nothing else
    /// happened.
    pub(super) asked: bool,
    pub(super) acted: bool,
    /// The place in the source of its last atomic statement, for which it may wait in a loop.
    pub(super) last_atomic: Span,
    /// The value that it has returned, for predicates.
    pub(super) returned: Option<Value>,
    /// True if it left at the end of the kernel, and not by a return before it.
    pub(super) has_ended: bool,
    /// How often the named barrier had opened at which it has arrived last, and of one at which it waits; for checking
    /// mode.
    pub(super) arrived: Option<u32>,
    pub(super) opening: Option<u32>,
    /// State of checking mode alone.
    pub(super) checked: Followed,
}

/// State of a thread in checking mode.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// The bytes of private memory that have been written.
    pub(super) written: Vec<bool>,
    /// True if its last turn was over within a loop: it may wait there for another thread.
    pub(super) waits: bool,
    /// The calls, the registers and the private memory when such a turn began.
    before: (Vec<Frame>, Vec<u64>, Vec<u8>),
    /// True if it has changed something since that others see.
    pub(super) has_effect: bool,
    /// True if it has come back to where its turn began, and nothing was different.
    repeats: bool,
}

impl Followed {
    /// Marks private memory as written.
    pub(super) fn mark(&mut self, start: u64, size: u64) {
        if let Some(written) = self.written.get_mut(start as usize..(start + size) as usize) {
            written.fill(true);
        }
    }

    /// Notes a write, and whether it has changed anything.
    pub(super) fn note_write(&mut self, at: Pointer, size: u64, changes: bool) {
        if at.is_private() {
            self.mark(at.offset(), size);
        } else {
            self.has_effect |= changes;
        }
    }
}

impl Thread {
    /// An exited thread.
    pub(super) fn new() -> Self {
        Thread {
            index: [0; 3],
            state: State::Left,
            frames: Vec::new(),
            registers: Vec::new(),
            private: Vec::new(),
            offer: None,
            last_atomic: Span::NONE,
            returned: None,
            asked: false,
            acted: false,
            has_ended: false,
            arrived: None,
            opening: None,
            checked: Followed::default(),
        }
    }

    /// Restarts, at the beginning of the code, with the given first frame.
    pub(super) fn start(&mut self, index: [u32; 3], code: &Code<'_>, first: &FirstFrame) {
        self.index = index;
        self.state = State::Ready;
        self.frames.clear();
        self.frames.push(Frame {
            function: None,
            op: 0,
            registers: 0,
            base: 0,
            size: code.entry.frame,
            result: None,
        });
        self.registers.clear();
        self.registers.extend_from_slice(&first.registers);
        self.private.clear();
        self.private.extend_from_slice(&first.private);
        (self.has_ended, self.arrived, self.opening) = (false, None, None);
        self.last_atomic = Span::NONE;
        self.checked.waits = false;
        self.checked.written.clear();
        self.checked.written.extend_from_slice(&first.written);
    }

    /// True if both wait at the same barrier or warp operation, reached by the same calls.
    pub(super) fn waits_with(&self, other: &Thread) -> bool {
        self.frames.len() == other.frames.len()
            && (self.frames.iter().zip(&other.frames)).all(|(a, b)| (a.function, a.op) == (b.function, b.op))
    }

    /// The span of the most recent statement.
    pub(super) fn span(&self, machine: &Machine<'_, '_>) -> Span {
        self.frames.last().map_or(Span::NONE, |frame| {
            machine.code.routine(frame.function).span_before(frame.op)
        })
    }

    /// Runs until the thread exits, waits, or has had its turn. `budget` counts down.
    pub(super) fn turn(&mut self, machine: &mut Machine<'_, '_>, budget: &mut u64) -> Result<(), Stop> {
        (self.asked, self.acted) = (false, false);
        self.checked.repeats = false;
        if self.checked.waits {
            self.follow();
        }
        let code = Rc::clone(&machine.code);
        machine.budget = *budget;
        let ran = self.run(&code, machine)?;
        *budget = budget.checked_sub(ran).ok_or(Stop::StepLimit)?;
        Ok(())
    }

    /// Remembers where a turn begins.
    fn follow(&mut self) {
        let (frames, registers, private) = &mut self.checked.before;
        frames.clone_from(&self.frames);
        registers.clone_from(&self.registers);
        private.clone_from(&self.private);
        self.checked.has_effect = false;
    }

    /// True if the thread is where its turn began, and has changed nothing: it does the same again until another thread
    /// changes what it reads.
    pub(super) fn is_back(&mut self) -> bool {
        let (frames, registers, private) = &self.checked.before;
        self.checked.repeats = !self.checked.has_effect
            && self.frames == *frames
            && self.registers == *registers
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

    /// Takes the result of the warp operation, and continues.
    pub(super) fn take(&mut self, machine: &Machine<'_, '_>, value: &Value) {
        self.state = State::Ready;
        if let Some(result) = self.offer.take().and_then(|offer| offer.result) {
            self.set(machine, result, value);
        }
    }

    /// Calls a function, with values of the caller and scratch memory.
    pub(super) fn call(
        &mut self,
        machine: &Machine<'_, '_>,
        routine: &Routine<'_>,
        function: Handle<Function>,
        arguments: &[Operand],
        result: Option<Handle<Local>>,
    ) -> Result<(), Stop> {
        let caller = self.frames.last().copied();
        // No type is aligned to more than eight bytes.
        let size = caller.map_or(0, |caller| caller.size.next_multiple_of(8));
        let size = size.saturating_add(routine.frame);
        if size > PRIVATE_BYTES {
            return Err(Stop::Memory);
        }
        let from = caller.map_or(0, |caller| caller.registers);
        let registers = self.registers.len();
        self.registers.extend_from_slice(&routine.registers);
        let base = self.private.len().next_multiple_of(8);
        let end = base + routine.bytes as usize;
        self.private.resize(end, 0);
        if machine.check.is_some() {
            self.checked.written.resize(end, false);
        }
        self.frames.push(Frame {
            function: Some(function),
            op: 0,
            registers,
            base: base as u64,
            size,
            result,
        });
        for (number, &argument) in arguments.iter().enumerate() {
            let value = self.read(machine, argument, from);
            self.set(machine, Handle::new(number), &value);
        }
        Ok(())
    }

    /// Returns from the running call, with a value.
    pub(super) fn leave(&mut self, machine: &Machine<'_, '_>, value: Option<Operand>) {
        let Some(frame) = self.frames.pop() else { return };
        let value = value.map(|value| self.read(machine, value, frame.registers));
        self.registers.truncate(frame.registers);
        self.private.truncate(frame.base as usize);
        self.checked.written.truncate(frame.base as usize);
        match (frame.result, value) {
            (Some(result), Some(value)) => self.set(machine, result, &value),
            (_, value) => self.returned = value,
        }
    }

    /// The value of an operand of the call whose first register is given.
    pub(super) fn read(&self, machine: &Machine<'_, '_>, operand: Operand, first: usize) -> Value {
        let register = |reg: Reg| self.registers[first + reg as usize];
        match operand {
            Operand::Word(reg) => Value::Word(register(reg)),
            Operand::Slice(start, length) => Value::Slice {
                start: Pointer::from_bits(register(start)),
                length: register(length),
            },
            Operand::Bytes(start, size) => {
                let bytes = machine.scratch.get(start as usize..(start + size) as usize);
                Value::Bytes(bytes.map_or_else(Vec::new, <[u8]>::to_vec))
            }
        }
    }

    /// The registers of the running call.
    pub(super) fn first_register(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.registers)
    }

    /// The word of a register of the running call.
    pub(super) fn word(&self, reg: Reg) -> u64 {
        self.registers[self.first_register() + reg as usize]
    }

    /// Tells the recorder of a copy, from the second place to the first. It goes on beside the thread if it is one from
    /// global to shared memory.
    pub(super) fn record_copy(&mut self, machine: &Machine<'_, '_>, [to, from]: [Pointer; 2], size: u64, span: Span) {
        let Some(mut check) = machine.recorder() else { return };
        self.checked.has_effect = true;
        if to.is_private() {
            self.checked.mark(to.offset(), size);
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
        let Some(frame) = self.frames.last() else { return };
        let routine = machine.code.routine(frame.function);
        let first = frame.registers;
        match (routine.homes[local.index()], value) {
            (Home::Word(reg), Value::Word(word)) => self.registers[first + reg as usize] = *word,
            (Home::Slice(reg), Value::Slice { start, length }) => {
                self.registers[first + reg as usize] = start.to_bits();
                self.registers[first + reg as usize + 1] = *length;
            }
            (Home::Memory(offset), value) => {
                let start = frame.base + offset;
                let size = machine.code.layout(routine.body.locals[local].ty).size;
                value.write(&mut self.private[start as usize..(start + size) as usize]);
                self.checked.mark(start, size);
            }
            (home, value) => debug_assert!(false, "{value:?} is not for {home:?}"),
        }
    }
}

/// The first frame of every thread: the arguments, then zeros.
#[derive(Debug, Default)]
pub(super) struct FirstFrame {
    pub(super) registers: Vec<u64>,
    pub(super) private: Vec<u8>,
    /// The bytes of it that hold arguments, in checking mode.
    pub(super) written: Vec<bool>,
}
