//! Execution of a launch: its arguments, its blocks, and the turns of a block's threads.

use std::cell::RefCell;
use std::rc::Rc;

use vyre_abi::fault::Fault;
use vyre_abi::semantics::named_barrier::NamedBarriers;

use super::code::{Code, Home};
use super::error::Error;
use super::memory::{Global, Memory};
use super::rare::grown;
use super::record::{Kind, Make, Record};
use super::thread::{FirstFrame, State, Stop, Thread};
use super::value::Value;
use super::{Argument, POISON, PRIVATE_BYTES, Printed, SHARED_BYTES};
use crate::ir::{ConstantTable, Handle, Kernel, SHARED_ALIGN, Type, TypeId, Types, WARP_SIZE};
use crate::validate::Validated;

/// Turns after which a block lets the others of its cluster run.
const ROUNDS: u64 = 8;

/// The state shared by the threads of a launch.
pub(super) struct Machine<'p, 'a> {
    pub(super) code: Rc<Code<'p>>,
    pub(super) memory: Memory<'a>,
    pub(super) kernel: &'p Kernel,
    /// True if threads wait at grid barriers.
    is_cooperative: bool,
    /// Blocks along each axis.
    pub(super) grid: [u32; 3],
    /// The running block.
    pub(super) block: [u32; 3],
    /// The start of the block's own shared memory in that of the running blocks, and its size.
    pub(super) shared_start: u64,
    pub(super) shared_size: u64,
    /// The start of dynamic shared memory in it, and its size.
    pub(super) dynamic: [u64; 2],
    /// Statements that have run in the launch, for the clock.
    pub(super) time: u64,
    /// Statements that may run from the start of the turn on.
    pub(super) budget: u64,
    /// Aggregates while a statement computes them.
    pub(super) scratch: Vec<u8>,
    /// The named barriers of the block.
    named: NamedBarriers,
    /// The first frame of every thread.
    first: FirstFrame,
    /// The printed output.
    pub(super) printed: Printed,
    /// The recorder of checking mode.
    pub(super) check: Option<RefCell<Box<dyn Record>>>,
    /// The order in which the threads of a block take turns, as numbers; empty for that of their indices.
    order: Vec<usize>,
    /// True if a running block has got on since this was cleared. Only checking mode clears it.
    got_on: bool,
    /// True if blocks may run in any order, because none waits for another.
    has_any_order: bool,
}

impl<'p, 'a> Machine<'p, 'a> {
    pub(super) fn new(
        valid: &Validated<'p>,
        kernel: Handle<Kernel>,
        entry: usize,
        arguments: &'a mut [Argument<'_>],
        grid: [u32; 3],
        shared_bytes: u32,
        make: Option<Make<'_>>,
    ) -> Result<Self, Error> {
        let program = valid.program();
        let code = Code::new(valid, kernel, entry).ok_or(Error::NoEntry)?;
        let is_cooperative = valid.info().is_cooperative(kernel);
        let has_any_order = !valid.info().entries(kernel)[entry].body.effects.waiting_loop;
        let kernel = &program.kernels[kernel];
        let dynamic = code.shared_size.next_multiple_of(SHARED_ALIGN);
        let shared = dynamic.saturating_add(shared_bytes.into());
        if code.entry.frame > PRIVATE_BYTES || shared > SHARED_BYTES {
            return Err(Error::Memory);
        }
        let expected = kernel.parameters.len() + program.host_tables().count();
        if arguments.len() != expected {
            let given = arguments.len();
            return Err(Error::ArgumentCount { expected, given });
        }
        let (arguments, tables) = arguments.split_at_mut(kernel.parameters.len());
        let mut tables = (kernel.parameters.len()..).zip(tables);
        let mut memory = Memory::new();
        for (_, table) in program.tables.iter() {
            let mut bytes = table_bytes(&program.types, table);
            if table.host.is_some()
                && let Some((parameter, given)) = tables.next()
            {
                match given {
                    Argument::Bytes(given) if given.len() == bytes.len() => bytes.copy_from_slice(given),
                    _ => return Err(Error::Argument { parameter }),
                }
            }
            memory.add(Global::Table(bytes)).ok_or(Error::Memory)?;
        }
        let dynamic = [dynamic, shared_bytes.into()];
        let mut recorder = make.map(|make| make(&code, kernel, dynamic, shared));
        let mut first = FirstFrame {
            registers: code.entry.registers.clone(),
            private: vec![0; code.entry.bytes as usize],
            written: Vec::new(),
        };
        if recorder.is_some() {
            first.written.resize(first.private.len(), false);
        }
        for (number, (parameter, argument)) in kernel.parameters.iter().zip(arguments).enumerate() {
            let value = argument_value(&program.types, parameter.ty, argument, &mut memory)?;
            let value = value.ok_or(Error::Argument { parameter: number })?;
            if let (Some(recorder), Value::Slice { start, .. }) = (&mut recorder, &value) {
                recorder.add_region(&code, *start, Some((number, parameter.ty)));
            }
            match (code.entry.homes[number], value) {
                (Home::Memory(offset), value) => {
                    let (start, size) = (offset as usize, code.layout(parameter.ty).size as usize);
                    value.write(&mut first.private[start..start + size]);
                    if recorder.is_some() {
                        first.written[start..start + size].fill(true);
                    }
                }
                (Home::Word(reg) | Home::Slice(reg), Value::Word(word)) => first.registers[reg as usize] = word,
                (Home::Word(reg) | Home::Slice(reg), Value::Slice { start, length }) => {
                    first.registers[reg as usize] = start.to_bits();
                    first.registers[reg as usize + 1] = length;
                }
                (Home::Word(_) | Home::Slice(_), Value::Bytes(_)) => {
                    debug_assert!(false, "an aggregate is in memory");
                }
            }
        }
        let order = recorder
            .as_ref()
            .map_or_else(Vec::new, |recorder| recorder.order(0, kernel.block_threads()));
        Ok(Machine {
            code: Rc::new(code),
            memory,
            kernel,
            is_cooperative,
            grid,
            block: [0; 3],
            shared_start: 0,
            shared_size: shared,
            dynamic,
            time: 0,
            budget: u64::MAX,
            scratch: Vec::new(),
            named: NamedBarriers::default(),
            first,
            printed: Printed::default(),
            check: recorder.map(RefCell::new),
            order,
            got_on: true,
            has_any_order,
        })
    }

    /// The named barriers of the running block.
    pub(super) fn named_mut(&mut self) -> &mut NamedBarriers {
        &mut self.named
    }

    /// True if several blocks run at once.
    pub(super) fn runs_together(&self) -> bool {
        self.is_cooperative || self.kernel.cluster.is_some()
    }

    /// A range of scratch memory.
    pub(super) fn scratch(&mut self, start: u64, size: u64) -> &mut [u8] {
        grown(&mut self.scratch, start, size)
    }

    /// Evaluates the entry's predicate over the arguments.
    pub(super) fn predicate(&mut self) -> Result<bool, Error> {
        let mut thread = Thread::new();
        thread.start([0; 3], &self.code, &self.first);
        if let Some(frame) = thread.frames.last_mut() {
            frame.op = self.code.entry.predicate;
        }
        let code = Rc::clone(&self.code);
        let ran = thread.run(&code, self);
        ran.map_err(|stop| self.error(stop, [0; 3]))?;
        Ok(matches!(thread.returned, Some(Value::Word(1..))))
    }

    /// Runs all blocks.
    pub(super) fn run(&mut self, step_limit: u64) -> Result<(), Error> {
        let mut budget = step_limit;
        if self.is_cooperative {
            let grid = self.grid;
            return self.run_together([0; 3], grid, &mut budget);
        }
        if let Some(cluster) = self.kernel.cluster {
            return self.run_clusters(cluster, &mut budget);
        }
        self.memory.shared = vec![POISON; self.shared_size as usize];
        let mut threads = Vec::new();
        let shuffled = match self.recorder() {
            Some(check) if self.has_any_order => check.order(1, volume(self.grid)),
            _ => Vec::new(),
        };
        for number in 0..volume(self.grid) {
            let number = shuffled.get(number as usize).map_or(number, |number| *number as u64);
            self.block = place(number, self.grid);
            if let Some(mut check) = self.recorder() {
                check.start(&[self.block]);
            }
            self.memory.shared.fill(POISON);
            self.named = NamedBarriers::default();
            self.start(&mut threads);
            self.run_block(&mut threads, u64::MAX, &mut budget)?;
        }
        Ok(())
    }

    /// Restarts the threads for a block.
    fn start(&self, threads: &mut Vec<Thread>) {
        let block = self.kernel.block;
        threads.resize_with(volume(block) as usize, Thread::new);
        for (number, thread) in threads.iter_mut().enumerate() {
            thread.start(place(number as u64, block), &self.code, &self.first);
        }
    }

    /// The blocks of a cluster along each axis.
    pub(super) fn cluster(&self) -> [u32; 3] {
        self.kernel.cluster.unwrap_or([1; 3])
    }

    /// Runs one cluster after the other.
    fn run_clusters(&mut self, cluster: [u32; 3], budget: &mut u64) -> Result<(), Error> {
        let mut clusters = [0; 3];
        for axis in 0..3 {
            if !self.grid[axis].is_multiple_of(cluster[axis]) {
                return Err(Error::BrokenCluster {
                    grid: self.grid,
                    cluster,
                });
            }
            clusters[axis] = self.grid[axis] / cluster[axis];
        }
        for number in 0..volume(clusters) {
            let [x, y, z] = place(number, clusters);
            let first = [x * cluster[0], y * cluster[1], z * cluster[2]];
            self.run_together(first, cluster, budget)?;
        }
        Ok(())
    }

    /// Runs blocks that wait for each other, `extents` of them from `first` on: each in turn up to
    /// the next barrier of the grid or the cluster.
    fn run_together(&mut self, first: [u32; 3], extents: [u32; 3], budget: &mut u64) -> Result<(), Error> {
        let mut blocks = Vec::new();
        for number in 0..volume(extents) {
            let [x, y, z] = place(number, extents);
            let mut threads = Vec::new();
            self.start(&mut threads);
            let block = [first[0] + x, first[1] + y, first[2] + z];
            blocks.push((block, threads, NamedBarriers::default()));
        }
        self.memory.shared = vec![POISON; blocks.len() * self.shared_size as usize];
        if let Some(mut check) = self.recorder() {
            let places: Vec<_> = blocks.iter().map(|(block, ..)| *block).collect();
            check.start(&places);
        }
        // A block may wait in a loop for another, which checking mode tells from a deadlock.
        let rounds = if self.kernel.cluster.is_some() || self.check.is_some() {
            ROUNDS
        } else {
            u64::MAX
        };
        loop {
            let mut goes_on = false;
            self.got_on = self.check.is_none();
            for (number, (block, threads, named)) in blocks.iter_mut().enumerate() {
                self.block = *block;
                if let Some(mut check) = self.recorder() {
                    check.enter_block(number);
                }
                self.shared_start = number as u64 * self.shared_size;
                std::mem::swap(&mut self.named, named);
                let result = self.run_block(threads, rounds, budget);
                std::mem::swap(&mut self.named, named);
                goes_on |= result?;
            }
            if goes_on && !self.got_on {
                self.record_stuck(Kind::Deadlock, together(&blocks));
                let waits = |thread: &Thread| thread.state == State::Ready;
                if let Some((block, thread)) = find(&blocks, &waits) {
                    self.block = block;
                    return Err(self.deadlock(thread));
                }
            }
            if goes_on {
                continue;
            }
            // All waiting threads are at such a barrier, because `run_block` has ended.
            let Some((_, first)) = find(&blocks, &|thread| thread.state != State::Left) else {
                return Ok(());
            };
            // A cluster does not wait for exited threads.
            let gone = |thread: &Thread| thread.state == State::Left && first.state == State::AtCluster;
            let apart = |thread: &Thread| !gone(thread) && (thread.state != first.state || !first.waits_with(thread));
            if let Some((block, other)) = find(&blocks, &apart) {
                self.record_stuck(Kind::Divergence, together(&blocks));
                return Err(Error::Divergence {
                    block,
                    threads: [first.index, other.index],
                    barriers: [first.span(self), other.span(self)],
                });
            }
            if let Some(mut check) = self.recorder() {
                let all = blocks.iter().enumerate().flat_map(|(block, (_, threads, _))| {
                    let waiting = threads
                        .iter()
                        .enumerate()
                        .filter(|(_, thread)| thread.state != State::Left);
                    waiting.map(move |(thread, _)| (block, thread))
                });
                let all: Vec<(usize, usize)> = all.collect();
                check.barrier(&all);
            }
            for (_, threads, ..) in &mut blocks {
                for thread in threads.iter_mut().filter(|thread| thread.state != State::Left) {
                    thread.state = State::Ready;
                }
            }
        }
    }

    /// Gives the threads of a block their turns until all have exited or wait for other blocks, or
    /// each has had `rounds` turns; true if the block can continue.
    fn run_block(&mut self, threads: &mut [Thread], rounds: u64, budget: &mut u64) -> Result<bool, Error> {
        for _ in 0..rounds {
            let (mut ready, mut held, mut moved) = (false, true, false);
            let (mut exchanging, mut named) = (false, false);
            for position in 0..threads.len() {
                let number = self.order.get(position).map_or(position, |number| *number);
                let thread = &mut threads[number];
                if thread.state == State::Ready {
                    if let Some(mut check) = self.recorder() {
                        check.enter_thread(number);
                    }
                    let turn = thread.turn(self, budget);
                    turn.map_err(|stop| self.error(stop, thread.index))?;
                    ready |= thread.state == State::Ready;
                    held &= thread.is_held();
                    moved |= !thread.repeats();
                }
                exchanging |= thread.state == State::Exchanging;
                named |= matches!(thread.state, State::Named(_));
            }
            if exchanging {
                for (number, warp) in threads.chunks_mut(WARP_SIZE as usize).enumerate() {
                    if self.exchange(number * WARP_SIZE as usize, warp) {
                        (ready, held, moved) = (true, false, true);
                    }
                }
            }
            if named && self.pass_named(threads) {
                (ready, held, moved) = (true, false, true);
            }
            if let (true, Some(thread)) = (held, threads.iter().find(|thread| thread.state == State::Ready)) {
                self.record_stuck(Kind::Deadlock, [(None, &*threads)].into_iter());
                return Err(self.deadlock(thread));
            }
            self.got_on |= moved;
            if ready && !moved && self.check.is_some() {
                // Other blocks that run may still change what the threads wait for.
                if self.runs_together() {
                    return Ok(true);
                }
                self.record_stuck(Kind::Deadlock, [(None, &*threads)].into_iter());
                let thread = threads.iter().find(|thread| thread.state == State::Ready);
                return thread.map_or(Ok(true), |thread| Err(self.deadlock(thread)));
            }
            if !ready {
                if !self.open_barrier(threads)? {
                    return Ok(false);
                }
                self.got_on = true;
            }
        }
        Ok(true)
    }

    /// Releases all waiting threads; true if there are any.
    fn open_barrier(&self, threads: &mut [Thread]) -> Result<bool, Error> {
        let mut waiting = threads
            .iter()
            .filter(|thread| !matches!(thread.state, State::Ready | State::Left));
        let Some(first) = waiting.next() else {
            return Ok(false);
        };
        let named = |thread: &&Thread| matches!(thread.state, State::Named(_));
        if let Some(thread) = threads.iter().find(named) {
            self.record_stuck(Kind::Deadlock, [(None, &*threads)].into_iter());
            return Err(self.deadlock(thread));
        }
        let for_others = matches!(first.state, State::AtGrid | State::AtCluster);
        if let Some(other) = waiting.find(|other| !first.waits_with(other)) {
            self.record_stuck(Kind::Divergence, [(None, &*threads)].into_iter());
            return Err(Error::Divergence {
                block: self.block,
                threads: [first.index, other.index],
                barriers: [first.span(self), other.span(self)],
            });
        }
        if for_others {
            return Ok(false);
        }
        let votes = threads
            .iter()
            .filter(|thread| thread.state == State::Waiting)
            .filter(|thread| matches!(&thread.offer, Some(offer) if offer.value != 0));
        let count = votes.count() as u64;
        self.record_barrier(threads);
        for thread in threads {
            if thread.state == State::Waiting {
                // A plain barrier has no votes, so the count is dropped.
                thread.take(self, &Value::Word(count));
            }
        }
        Ok(true)
    }

    /// The error of a thread that waits for others which never arrive, at a barrier or in a loop.
    fn deadlock(&self, thread: &Thread) -> Error {
        let in_loop = thread.state == State::Ready && thread.last_atomic.is_some();
        Error::Deadlock {
            block: self.block,
            thread: thread.index,
            barrier: if in_loop { thread.last_atomic } else { thread.span(self) },
        }
    }

    /// The error of a stopped thread.
    fn error(&self, stop: Stop, thread: [u32; 3]) -> Error {
        match stop {
            Stop::Fault {
                kind,
                span,
                message,
                values,
            } => {
                let file = self.code.program.files.get(span.file as usize);
                Error::from(Fault {
                    kind,
                    kernel: self.kernel.name.clone(),
                    file: file.filter(|_| span.is_some()).cloned().unwrap_or_default(),
                    line: span.line,
                    column: span.column,
                    message,
                    values,
                    block: self.block,
                    thread,
                })
            }
            Stop::Undefined { what, span } => Error::Undefined {
                what,
                span,
                block: self.block,
                thread,
            },
            Stop::External(external) => Error::External(external),
            Stop::Memory => Error::Memory,
            Stop::StepLimit => Error::StepLimit,
        }
    }
}

/// The number of positions in a box.
pub(super) fn volume(extents: [u32; 3]) -> u64 {
    let [width, height, depth] = extents.map(u64::from);
    (width * height).saturating_mul(depth)
}

/// The position with this linear index in a box, x fastest.
pub(super) fn place(number: u64, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let (width, height) = (u64::from(width), u64::from(height));
    let row = number / width;
    [number % width, row % height, row / height].map(|it| it as u32)
}

/// The first matching thread of several blocks, and its block.
fn find<'t>(
    blocks: &'t [([u32; 3], Vec<Thread>, NamedBarriers)],
    wanted: &dyn Fn(&Thread) -> bool,
) -> Option<([u32; 3], &'t Thread)> {
    for (block, threads, _) in blocks {
        if let Some(thread) = threads.iter().find(|thread| wanted(thread)) {
            return Some((*block, thread));
        }
    }
    None
}

/// The threads of blocks that run at once, with the places of the blocks.
fn together(blocks: &[([u32; 3], Vec<Thread>, NamedBarriers)]) -> impl Iterator<Item = (Option<usize>, &[Thread])> {
    blocks
        .iter()
        .enumerate()
        .map(|(number, (_, threads, _))| (Some(number), &threads[..]))
}

/// The value of a parameter; `None` if the argument does not match.
fn argument_value<'a>(
    types: &Types,
    ty: TypeId,
    argument: &'a mut Argument<'_>,
    memory: &mut Memory<'a>,
) -> Result<Option<Value>, Error> {
    Ok(match (&types[ty], argument) {
        (Type::Scalar(scalar), Argument::Scalar(constant)) => {
            (constant.scalar == *scalar).then_some(Value::Word(constant.bits))
        }
        (Type::Struct { .. } | Type::Tuple(_) | Type::Array { .. }, Argument::Bytes(bytes)) => {
            (bytes.len() as u64 == types.layout(ty).size).then(|| Value::Bytes(bytes.to_vec()))
        }
        (Type::Slice { element, .. }, Argument::Slice(bytes)) => {
            let (size, given) = (types.layout(*element).size, bytes.len() as u64);
            let length = given.checked_div(size).unwrap_or(0);
            let start = memory.add(Global::Buffer(bytes)).ok_or(Error::Memory)?;
            (length * size == given).then_some(Value::Slice { start, length })
        }
        (Type::Slice { element, .. }, Argument::Input(bytes)) => {
            let (size, given) = (types.layout(*element).size, bytes.len() as u64);
            let length = given.checked_div(size).unwrap_or(0);
            let start = memory.add(Global::Input(bytes)).ok_or(Error::Memory)?;
            (length * size == given).then_some(Value::Slice { start, length })
        }
        (Type::Slice { .. }, Argument::Length(length)) => {
            let start = memory.add(Global::Input(&[])).ok_or(Error::Memory)?;
            Some(Value::Slice { start, length: *length })
        }
        _ => None,
    })
}

/// The bytes of a table.
fn table_bytes(types: &Types, table: &ConstantTable) -> Vec<u8> {
    let mut ty = table.ty;
    while let Type::Array { element, .. } = types[ty] {
        ty = element;
    }
    let size = types.layout(ty).size as usize;
    bytes_of(&table.values, size)
}

/// The lowest `size` bytes of each word.
pub(super) fn bytes_of(words: &[u64], size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(words.len() * size);
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes()[..size]);
    }
    bytes
}
