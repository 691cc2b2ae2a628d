//! Runs PTX on the host: the instructions emitted by the compiler, with the semantics of the PTX
//! manual, one thread after the other between barriers.
//!
//! This is an implementation of the manual independent of the emitter, so that the whole
//! compilation to PTX can be compared with the reference interpreter without a GPU. Unknown
//! instructions are errors; races, timing and the memory model are not modelled.

mod copies;
mod half;
mod memory;
mod mma;
mod parse;
mod plain;
mod scalar;
mod thread;
mod warp;

use std::cell::Cell;
use std::collections::HashMap;
use std::mem::offset_of;

use memory::Memory;
use parse::{Entry, Instruction, Source};
pub use plain::run;
use scalar::Type;
use thread::{State, Thread};
use vyre_abi::assumption::{self, Symbol};
use vyre_abi::fault::{Fault, FaultControl, FaultRecord, value_offset};
use vyre_abi::fault::{FaultKind, MAX_FAULT_VALUES};
use vyre_abi::format;
use vyre_abi::print::{self, PrintBuffer};
use vyre_core::ir::{self, Handle, Kernel, Parameter, Program};
use vyre_core::module::Module;

/// An argument of a kernel.
#[derive(Debug)]
pub enum Argument<'a> {
    /// A scalar, struct or tuple in its memory layout.
    Bytes(&'a [u8]),
    /// The elements of a slice.
    Slice(&'a mut Vec<u8>),
}

/// The report of a faulting thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Index into the kernel's sites.
    pub site: u32,
    /// The values: two for an index, more for a message.
    pub values: [u64; MAX_FAULT_VALUES],
    /// The block.
    pub block: [u32; 3],
    /// The thread in its block.
    pub thread: [u32; 3],
}

impl Report {
    /// The fault that the runtime would construct.
    ///
    /// # Errors
    /// If the kernel has no such site.
    pub fn fault(&self, module: &Module, program: &Program, kernel: Handle<Kernel>) -> Result<Box<Fault>, String> {
        let compiled = module.kernels.iter().find(|compiled| compiled.kernel == kernel);
        let site = compiled.and_then(|compiled| compiled.sites.get(self.site as usize));
        let site = site.ok_or_else(|| format!("there is no fault site {}", self.site))?;
        let file = site.span.is_some().then(|| &program.files[site.span.file as usize]);
        let is_message = matches!(site.kind, FaultKind::Assertion | FaultKind::Panic);
        Ok(Box::new(Fault {
            kind: site.kind,
            kernel: program.kernels[kernel].name.clone(),
            file: file.cloned().unwrap_or_default(),
            line: site.span.line,
            column: site.span.column,
            message: format::render(&site.message, &self.values),
            values: match is_message {
                true => [0; 2],
                false => [self.values[0], self.values[1]],
            },
            block: self.block,
            thread: self.thread,
        }))
    }
}

/// Side results of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The report of the first faulting thread, if any.
    pub report: Option<Report>,
    /// The print records.
    pub prints: Vec<u64>,
}

impl Run {
    /// The text that the runtime would print.
    ///
    /// # Errors
    /// If the kernel has no such template.
    pub fn printed(&self, module: &Module, kernel: Handle<Kernel>) -> Result<String, String> {
        let compiled = module.kernels.iter().find(|compiled| compiled.kernel == kernel);
        let mut printed = String::new();
        for record in print::records(&self.prints) {
            let template = compiled.and_then(|compiled| compiled.prints.get(record.site as usize));
            let template = template.ok_or_else(|| format!("there is no print {}", record.site))?;
            printed.push_str(&format::render(template, record.values));
        }
        Ok(printed)
    }
}

/// What is added to the number in the channel of a launch.
const BASE: u64 = 40;

/// Bytes for print records.
const PRINT_BYTES: usize = print::CAPACITY as usize;

/// Limit of the instructions of all threads together.
const STEP_LIMIT: u64 = 200_000_000;

/// True if a launch keeps the conditions of the kernel's [`AssumedEntry`](vyre_core::module::AssumedEntry), if it has one.
pub fn is_assumed(
    module: &Module,
    program: &Program,
    kernel: Handle<Kernel>,
    arguments: &[Argument<'_>],
    (grid, shared_bytes): ([u32; 3], u32),
) -> bool {
    let Some(compiled) = module.kernels.iter().find(|compiled| compiled.kernel == kernel) else {
        return false;
    };
    let Some(assumed) = &compiled.assumed else { return false };
    let definition = &program.kernels[kernel];
    let mut pointers: Vec<Vec<u8>> = Vec::new();
    for (parameter, argument) in definition.parameters.iter().zip(arguments) {
        match (argument, &program.types[parameter.ty]) {
            (Argument::Slice(bytes), ir::Type::Slice { element, .. }) => {
                let length = bytes.len() as u64 / program.types.layout(*element).size.max(1);
                pointers.extend([vec![0; 8], length.to_le_bytes().to_vec()]);
            }
            (Argument::Bytes(bytes), _) => pointers.push(bytes.to_vec()),
            (Argument::Slice(bytes), _) => pointers.push(bytes.to_vec()),
        }
    }
    let code = assumed.code(program, definition);
    let value = |source| match source {
        assumption::Source::Argument { pointer, offset, bytes } => {
            let bytes = &pointers[pointer][offset..offset + bytes];
            bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte))
        }
        assumption::Source::Grid(axis) => grid[axis].into(),
        assumption::Source::SharedBytes => shared_bytes.into(),
    };
    let holds = assumption::holds(&code, value);
    let names: Vec<String> = definition
        .parameters
        .iter()
        .map(|parameter| parameter.name.clone())
        .collect();
    let of_texts = assumed.needs.iter().all(|need| {
        let value = |symbol| match symbol {
            Symbol::Argument {
                parameter,
                offset,
                bytes,
                ..
            } => {
                let slices = |all: &[Parameter]| {
                    all.iter()
                        .filter(|parameter| matches!(program.types[parameter.ty], ir::Type::Slice { .. }))
                        .count()
                };
                let at = parameter as usize;
                let first = at + slices(&definition.parameters[..at]);
                let (pointer, offset) = match slices(&definition.parameters[at..=at]) {
                    1 => (first + 1, 0),
                    _ => (first, offset as usize),
                };
                Some(value(assumption::Source::Argument {
                    pointer,
                    offset,
                    bytes: bytes as usize,
                }))
            }
            Symbol::Grid(axis) => Some(grid[axis as usize].into()),
            Symbol::SharedBytes => Some(shared_bytes.into()),
            Symbol::External(_) => None,
        };
        need.holds(&value) == Some(true)
    });
    assert_eq!(
        holds,
        of_texts,
        "{:?}",
        assumed.needs.iter().map(|need| need.text(&names)).collect::<Vec<_>>()
    );
    holds
}

/// Runs an entry of a compiled kernel over a grid, with dynamic shared memory; the one behind the last is the
/// [`AssumedEntry`](vyre_core::module::AssumedEntry).
///
/// # Errors
/// Unsupported PTX, an access outside all memory, an endless launch, a warp operation that only
/// part of a warp reaches, or different barriers for parts of a block.
pub fn launch(
    module: &Module,
    program: &Program,
    kernel: Handle<Kernel>,
    entry: usize,
    arguments: &mut [Argument<'_>],
    (grid, shared_bytes): ([u32; 3], u32),
) -> Result<Run, String> {
    let definition = &program.kernels[kernel];
    let compiled = module
        .kernels
        .iter()
        .find(|compiled| compiled.kernel == kernel)
        .ok_or("the module lacks the kernel")?;
    let symbol = match (definition.entries.get(entry), &compiled.assumed) {
        (Some(entry), _) => &entry.symbol,
        (None, Some(assumed)) => &assumed.symbol,
        (None, None) => return Err(format!("there is no entry {entry}")),
    };
    let source = Source::parse(&module.ptx, symbol)?;
    let mut memory = Memory::default();
    let mut names = HashMap::new();
    for table in &source.tables {
        names.insert(table.name.clone(), memory.add(table.in_const, table.bytes.clone()));
    }

    let mut parameters = Vec::new();
    let mut slices = Vec::new();
    for (parameter, argument) in definition.parameters.iter().zip(arguments.iter_mut()) {
        match argument {
            Argument::Bytes(bytes) => {
                // A compound parameter may have its address taken.
                let name = source
                    .entry
                    .parameter_name(parameters.len())
                    .ok_or("one parameter too many")?;
                names.insert(name.to_owned(), memory.add(true, bytes.to_vec()));
                parameters.push(bytes.to_vec());
            }
            Argument::Slice(bytes) => {
                let element = match program.types[parameter.ty] {
                    ir::Type::Slice { element, .. } => element,
                    _ => return Err(format!("`{}` is no slice", parameter.name)),
                };
                let size = program.types.layout(element).size.max(1);
                let mut bytes = std::mem::take(*bytes);
                let length = bytes.len() as u64;
                if program.types.is_small_atomic(element) {
                    // Allocations are of whole words.
                    bytes.resize(bytes.len().next_multiple_of(4), 0);
                }
                let address = memory.add(false, bytes);
                slices.push((address, length));
                parameters.push(address.to_le_bytes().to_vec());
                parameters.push((length / size).to_le_bytes().to_vec());
            }
        }
    }
    // Tables passed by launches have addresses, too.
    for argument in arguments.iter().skip(definition.parameters.len()) {
        let Argument::Bytes(bytes) = argument else {
            return Err("a table is given as bytes".to_owned());
        };
        let name = source
            .entry
            .parameter_name(parameters.len())
            .ok_or("one table too many")?;
        names.insert(name.to_owned(), memory.add(true, bytes.to_vec()));
        parameters.push(bytes.to_vec());
    }
    let record = memory.add(false, vec![0; size_of::<FaultRecord>()]);
    let control = memory.add(false, vec![0; size_of::<FaultControl>()]);
    let prints = memory.add(false, vec![0; size_of::<PrintBuffer>() + PRINT_BYTES]);
    memory.write(prints + 8, 8, PRINT_BYTES as u64)?;
    if !compiled.sites.is_empty() || !compiled.prints.is_empty() || compiled.cooperative {
        memory.write(control + offset_of!(FaultControl, free) as u64, 8, record)?;
        memory.write(control + offset_of!(FaultControl, prints) as u64, 8, prints)?;
        // As in a graph, of which the last launch has faulted.
        memory.write(control + offset_of!(FaultControl, base) as u64, 8, BASE)?;
        memory.write(control, 8, BASE)?;
        let channel = [control, 1u64, 77];
        parameters.push(channel.iter().flat_map(|word| word.to_le_bytes()).collect());
    }
    let arguments_bytes = source.entry.lay_out(&parameters)?;

    let mut steps = STEP_LIMIT;
    let [columns, rows, layers] = grid;
    let places = (0..layers).flat_map(|z| (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y, z])));
    let mut blocks: Vec<Block<'_>> = places
        .map(|block| Block {
            entry: &source.entry,
            names: &names,
            parameters: &arguments_bytes,
            grid,
            shared_bytes,
            block,
            own: Cell::default(),
        })
        .collect();
    let cluster = source.entry.cluster.unwrap_or([1; 3]);
    if (0..3).any(|axis| !grid[axis].is_multiple_of(cluster[axis])) {
        return Err("the grid has no whole clusters".to_owned());
    }
    // Stable, so that the blocks of a cluster are in the order of their ranks.
    let cluster_of = |block: &Block<'_>| [2, 1, 0].map(|axis| block.block[axis] / cluster[axis]);
    blocks.sort_by_key(cluster_of);
    // Blocks that wait for each other are run in turns.
    let together = match compiled.cooperative {
        true => blocks.len().max(1),
        false => cluster.iter().product::<u32>() as usize,
    };
    for blocks in blocks.chunks(together) {
        let mut running = Vec::new();
        for (rank, block) in blocks.iter().enumerate() {
            let start = memory.next_small();
            running.push((block, block.threads(&mut memory)));
            // All blocks have the same layout.
            block.own.set(Own {
                rank: rank as u64,
                start,
                bytes: memory.next_small() - start,
            });
        }
        while !running.is_empty() {
            let mut left = Vec::new();
            let mut goes_on = false;
            for (block, mut threads) in running {
                match block.turn(&mut threads, &mut memory, &mut steps)? {
                    Turn::Done => {
                        block.end(&mut memory);
                        goes_on = true;
                        continue;
                    }
                    Turn::Runs => goes_on = true,
                    Turn::Waits => {}
                }
                left.push((block, threads));
            }
            running = left;
            if !goes_on {
                let threads = running.iter_mut().flat_map(|(_, threads)| threads);
                for thread in threads.filter(|thread| thread.state == State::AtCluster) {
                    thread.state = State::Runs;
                }
            }
        }
        memory.release_small();
    }

    let mut slices = slices.into_iter();
    for argument in arguments {
        if let Argument::Slice(bytes) = argument
            && let Some((address, length)) = slices.next()
        {
            **bytes = memory.take(address);
            bytes.truncate(length as usize);
        }
    }
    let printed = memory.read(prints, 8)?.min(PRINT_BYTES as u64);
    let words = (0..printed / 8).map(|word| memory.read(prints + size_of::<PrintBuffer>() as u64 + 8 * word, 8));
    let prints = words.collect::<Result<_, _>>()?;
    if memory.read(record + offset_of!(FaultRecord, written) as u64, 4)? == 0 {
        return Ok(Run { report: None, prints });
    }
    let word = |offset: usize| memory.read(record + offset as u64, 4).map(|bits| bits as u32);
    let launch = memory.read(record + offset_of!(FaultRecord, launch) as u64, 8)?;
    if launch != BASE + 1 {
        return Err(format!("the fault is that of launch {launch}, not of {}", BASE + 1));
    }
    let words = |offset| Ok::<_, String>([word(offset)?, word(offset + 4)?, word(offset + 8)?]);
    let mut values = [0; MAX_FAULT_VALUES];
    for (number, value) in values.iter_mut().enumerate() {
        *value = memory.read(record + value_offset(number) as u64, 8)?;
    }
    let report = Some(Report {
        site: word(offset_of!(FaultRecord, site))?,
        values,
        block: words(offset_of!(FaultRecord, block))?,
        thread: words(offset_of!(FaultRecord, thread))?,
    });
    Ok(Run { report, prints })
}

/// A block of the launch.
struct Block<'l> {
    entry: &'l Entry<'l>,
    names: &'l HashMap<String, u64>,
    parameters: &'l [u8],
    grid: [u32; 3],
    shared_bytes: u32,
    block: [u32; 3],
    own: Cell<Own>,
}

/// The small objects of one of the blocks that run concurrently.
#[derive(Clone, Copy, Default)]
struct Own {
    rank: u64,
    /// The start of its small objects.
    start: u64,
    /// Their size.
    bytes: u64,
}

/// The state of a block after a turn.
enum Turn {
    Runs,
    /// At a barrier of the cluster.
    Waits,
    Done,
}

impl Block<'_> {
    /// The address in the block of this rank that corresponds to one in this block.
    fn map(&self, address: u64, rank: u64) -> Result<u64, String> {
        let own = self.own.get();
        let blocks: u32 = self.entry.cluster.iter().flatten().product();
        if rank >= blocks.into() {
            return Err(format!("there is no block of rank {rank}"));
        }
        Ok(address.wrapping_add(rank.wrapping_sub(own.rank).wrapping_mul(own.bytes)))
    }

    /// Frees the memory of the block once all its threads have exited.
    fn end(&self, memory: &mut Memory) {
        let own = self.own.get();
        memory.end_between(own.start, own.start + own.bytes);
    }

    /// Creates the threads of the block and their memory.
    fn threads(&self, memory: &mut Memory) -> Vec<Thread> {
        let mut names = self.names.clone();
        let dynamic = vec![0xa5; self.shared_bytes as usize];
        names.insert("dynamic_shared".to_owned(), memory.add_small(dynamic, 16));
        for variable in &self.entry.shared {
            let address = memory.add_small(vec![0xa5; variable.size], variable.align);
            names.insert(variable.name.clone(), address);
        }
        let [width, height, depth] = self.entry.block;
        let mut threads = Vec::new();
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    let mut names = names.clone();
                    for variable in &self.entry.local {
                        let address = memory.add_small(vec![0xa5; variable.size], variable.align);
                        names.insert(variable.name.clone(), address);
                    }
                    threads.push(Thread::new(self.entry, names, [x, y, z]));
                }
            }
        }
        threads
    }

    /// Gives each thread of the block a turn; returns the state. Turns are limited, so that a
    /// thread that waits for another does not run forever.
    fn turn(&self, threads: &mut [Thread], memory: &mut Memory, steps: &mut u64) -> Result<Turn, String> {
        let mut goes_on = false;
        for thread in threads.iter_mut().filter(|thread| thread.state == State::Runs) {
            goes_on = true;
            thread.run(self, memory, steps)?;
        }
        for lanes in threads.chunks_mut(warp::SIZE) {
            goes_on |= warp::exchange(lanes, self, memory)?;
        }
        if goes_on {
            return Ok(Turn::Runs);
        }
        if threads.iter().all(|thread| thread.state == State::Done) {
            return Ok(Turn::Done);
        }
        let apart = |thread: &Thread| !matches!(thread.state, State::Done | State::AtCluster);
        if !threads.iter().any(apart) {
            return Ok(Turn::Waits);
        }
        self.pass_barrier(threads)?;
        Ok(Turn::Runs)
    }

    /// Releases the threads from the barrier that all of them have reached, with the count of votes
    /// if it counts.
    fn pass_barrier(&self, threads: &mut [Thread]) -> Result<(), String> {
        let mut barrier = None;
        let mut count = 0;
        for thread in threads.iter().filter(|thread| thread.state != State::Done) {
            let instruction = self.waits_at(thread)?;
            if thread.state != State::AtBarrier {
                return Err(format!("part of a warp does not reach {}", instruction.text));
            }
            if *barrier.get_or_insert(instruction.name.as_slice()) != instruction.name.as_slice() {
                return Err(format!(
                    "another barrier than that of other threads: {}",
                    instruction.text
                ));
            }
            if let Some(predicate) = instruction.operands.get(2) {
                count += thread.get(predicate, self)? & 1;
            }
        }
        for thread in threads.iter_mut().filter(|thread| thread.state != State::Done) {
            let instruction = self.waits_at(thread)?;
            if instruction.operands.len() == 3 {
                thread.set(&instruction.operands[0], Type::parse("u32")?, count)?;
            }
            thread.state = State::Runs;
        }
        Ok(())
    }

    /// The instruction that a thread waits at.
    fn waits_at(&self, thread: &Thread) -> Result<&Instruction<'_>, String> {
        (thread.at.checked_sub(1))
            .and_then(|at| self.entry.code.get(at))
            .ok_or_else(|| "a thread waits that has not begun".to_owned())
    }
}
