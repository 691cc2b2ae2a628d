//! The reference interpreter. It defines the meaning of programs; every back end is compared with
//! it.
//!
//! The results of operations are defined by [`semantics`](crate::semantics); everything else is
//! defined here:
//!
//! - **Order.** A statement is atomic: it evaluates its expressions depth first, operands from left
//!   to right, and then has its effect. Between statements other threads of the block may run.
//!   Memory is sequentially consistent, which every memory order permits; fences do nothing.
//! - **Blocks** run one after the other: x fastest, then y, then z. A block that waits for a later
//!   one waits forever, and the step limit ends it. In a cooperative launch each runs to the next
//!   grid barrier, in this order; there it is checked that all threads have reached the same one,
//!   and none has exited. The blocks of a cluster run likewise up to its barriers, but each lets
//!   the others run now and then, so that one may wait in a loop for another.
//! - **Threads** of a block take turns in the order of their indices. A turn ends at a barrier, at
//!   the end of the thread, and after [`TURN`] statements at the end of an iteration of a loop or at a call; so a
//!   thread that waits in a loop for another one of its block lets that one run.
//! - **Barriers** open when every thread of the block that has not exited waits. It is an error if
//!   they wait at different statements, or reached one through different calls.
//! - **Warp operations** execute when every thread of the warp that has not exited is at one. It is
//!   an error if they are at different ones, or if some wait at a barrier.
//! - **Faults.** The first fault of a launch ends it. That is the one of the first thread, if no
//!   thread takes more than one turn between barriers.
//! - **Memory.** Locals hold zero bits until they are written; shared memory holds the bytes
//!   [`POISON`] when a block starts. References have provenance, and every access stays within its
//!   object.
//! - **Printing.** Output is in the order in which threads reach it.
//! - **Checking mode**, [`launch_checked`], reports races and other faults that this order hides: see [`check`].
//! - **Undefined behaviour**: an unchecked index or range out of bounds, and a reference to a dead
//!   local, are errors.

mod atomic;
mod block;
#[cfg(feature = "programs")]
pub mod check;
mod code;
mod error;
mod intrinsic;
mod memory;
mod rare;
#[cfg_attr(
    not(feature = "programs"),
    allow(dead_code, unreachable_pub, reason = "some is for the recorder alone")
)]
mod record;
mod run;
mod thread;
mod value;
mod warp;

pub use error::{Error, Undefined};

use crate::ir::{Constant, Handle, Kernel};
use crate::validate::Validated;
use block::Machine;
#[cfg(feature = "programs")]
use check::{Check, Checked};

/// Statements after which a thread lets the others of its block run, once it comes to the end of an iteration or to a call.
pub const TURN: u64 = 1000;

/// The initial bytes of a block's shared memory.
pub const POISON: u8 = 0xa5;

/// Limit of the locals of one thread in bytes; CUDA's limit.
pub const PRIVATE_BYTES: u64 = 512 << 10;

/// Limit of the shared variables of a block in bytes; no GPU has more.
pub const SHARED_BYTES: u64 = 256 << 10;

/// An argument of a kernel.
#[derive(Debug)]
pub enum Argument<'a> {
    /// A scalar.
    Scalar(Constant),
    /// A struct, tuple or array, with the layout of [`Types::layout`](crate::ir::Types::layout).
    Bytes(&'a [u8]),
    /// The elements of a slice, one after the other, each with the layout of
    /// [`Types::layout`](crate::ir::Types::layout).
    Slice(&'a mut [u8]),
    /// As [`Slice`](Argument::Slice), for a slice that the kernel only reads. Several arguments may be the same
    /// memory. A write of an atomic cell there is undefined behaviour.
    Input(&'a [u8]),
    /// A slice of this many elements, which are elsewhere. For [`entry`](fn@entry), whose predicates read lengths
    /// and no elements; a launch that accesses one has undefined behaviour.
    Length(u64),
}

/// Options of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The entry to run; `None` for the first one whose predicate holds.
    pub entry: Option<usize>,
    /// Limit of the statements of all threads together, beyond which the launch counts as endless. Turns end before it is
    /// compared.
    pub step_limit: u64,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            entry: None,
            step_limit: 1 << 32,
            shared_bytes: 0,
        }
    }
}

/// Runs a kernel over a grid of blocks, by the first entry whose predicate holds.
///
/// # Errors
/// The first fault, arguments that do not match the parameters, a divergent barrier, undefined
/// behaviour, or a launch that does not end. The contents of the slices are then unspecified.
pub fn launch(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
) -> Result<(), Error> {
    launch_with(program, kernel, arguments, grid, Options::default())
}

/// Runs a kernel like [`launch`], with options, and drops its output.
///
/// # Errors
/// As [`launch`].
pub fn launch_with(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    options: Options,
) -> Result<(), Error> {
    launch_printing(program, kernel, arguments, grid, options, &mut String::new())
}

/// Runs a kernel like [`launch_with`], and appends its printed output to `output`, also if it
/// faults afterwards.
///
/// # Errors
/// As [`launch`].
pub fn launch_printing(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    options: Options,
    output: &mut String,
) -> Result<(), Error> {
    let mut limited = Printed {
        room: u64::MAX,
        ..Printed::default()
    };
    let result = launch_limited(program, kernel, arguments, grid, options, &mut limited);
    output.push_str(&limited.text);
    result
}

/// The printed output of a launch, up to a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// The bytes that may still be added to it.
    pub room: u64,
    /// The outputs that were dropped, since they did not fit or came after one that did not.
    pub lost: u64,
}

impl Printed {
    fn add(&mut self, text: &str) {
        match self.room.checked_sub(text.len() as u64) {
            Some(room) if self.lost == 0 => {
                self.room = room;
                self.text.push_str(text);
            }
            _ => self.lost += 1,
        }
    }
}

/// Runs a kernel like [`launch_printing`], with a limit for its output.
///
/// # Errors
/// As [`launch`].
pub fn launch_limited(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    options: Options,
    output: &mut Printed,
) -> Result<(), Error> {
    let number = match options.entry {
        Some(number) => number,
        None => entry(program, kernel, arguments)?,
    };
    let mut machine = Machine::new(program, kernel, number, arguments, grid, options.shared_bytes, None)?;
    machine.printed = std::mem::take(output);
    let result = machine.run(options.step_limit);
    *output = machine.printed;
    result
}

/// Runs a kernel like [`launch_limited`] in [checking mode](check). Where it reports nothing, the results are those of an
/// unchecked launch.
#[cfg(feature = "programs")]
pub fn launch_checked(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    options: Options,
    check: &Check,
    output: &mut Printed,
) -> Checked {
    launch_recorded(program, kernel, arguments, grid, options, check, false, output).0
}

/// Runs a kernel like [`launch_checked`], and returns the recorder too. `keeps_writers` says whether it knows the last writer
/// of each element.
#[cfg(feature = "programs")]
#[expect(clippy::too_many_arguments, reason = "those of a launch, and one more")]
fn launch_recorded(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    arguments: &mut [Argument<'_>],
    grid: [u32; 3],
    options: Options,
    check: &Check,
    keeps_writers: bool,
    output: &mut Printed,
) -> (Checked, Option<Box<check::Recorder>>) {
    let number = match options.entry {
        Some(number) => Ok(number),
        None => entry(program, kernel, arguments),
    };
    let make: record::Make<'_> = &|code, kernel, dynamic, shared| {
        let mut recorder = check::Recorder::new(code, kernel, check, dynamic, shared);
        recorder.keeps_writers = keeps_writers;
        Box::new(recorder)
    };
    let machine = number.and_then(|number| {
        let bytes = options.shared_bytes;
        Machine::new(program, kernel, number, arguments, grid, bytes, Some(make))
    });
    let mut machine = match machine {
        Ok(machine) => machine,
        Err(error) => {
            let checked = Checked {
                outcome: Err(error),
                reports: Vec::new(),
            };
            return (checked, None);
        }
    };
    machine.printed = std::mem::take(output);
    let outcome = machine.run(options.step_limit);
    *output = machine.printed;
    let recorder = machine.check.map(|check| check.into_inner().into_any());
    let mut recorder = recorder.and_then(|recorder| recorder.downcast::<check::Recorder>().ok());
    let reports = recorder
        .as_mut()
        .map_or_else(Vec::new, |recorder| recorder.reports(&outcome));
    (Checked { outcome, reports }, recorder)
}

/// The index of the first entry whose predicate holds for these arguments. A predicate that faults
/// does not hold.
///
/// # Errors
/// Arguments that do not match the parameters, and externals without a value.
pub fn entry(program: &Validated<'_>, kernel: Handle<Kernel>, arguments: &mut [Argument<'_>]) -> Result<usize, Error> {
    let entries = &program.program().kernels[kernel].entries;
    for (number, entry) in entries.iter().enumerate() {
        let holds = match entry.predicate {
            None => true,
            Some(_) => holds(program, kernel, number, arguments)?,
        };
        if holds {
            return Ok(number);
        }
    }
    Err(Error::NoEntry)
}

fn holds(
    program: &Validated<'_>,
    kernel: Handle<Kernel>,
    number: usize,
    arguments: &mut [Argument<'_>],
) -> Result<bool, Error> {
    let mut machine = Machine::new(program, kernel, number, arguments, [1; 3], 0, None)?;
    match machine.predicate() {
        Err(Error::Fault(_)) => Ok(false),
        result => result,
    }
}
