//! Random valid programs, from a seed.
//!
//! The programs end, have no undefined behaviour and no races, and unless asked for no faults: what
//! they compute is defined, so that back ends can be compared on them. How each is kept:
//!
//! - Loops count to small constants, or count down what they may do; functions call earlier
//!   functions alone.
//! - Divisors are made positive or are harmless constants, indices are taken modulo a length or are
//!   constants that fit. Every slice that a kernel takes has [`LENGTH`] elements, and a thread whose
//!   number in the launch is past that leaves at the beginning.
//! - Of outputs, and of the atomics that are its own, a thread accesses the element of its number
//!   in the launch. Other atomics have one operation for each cell, whose order does not matter, or
//!   loops until nobody comes between that have the same effect, and their results are dropped.
//! - Shared memory is written whole at first. Then each thread writes its own cell, all wait, each
//!   reads any cell, all wait, and so on, outside of branches that threads take differently. What
//!   refers to shared memory lives no longer than that.
//! - Where a kernel waits for the grid, outputs have the same two phases: their elements are written by
//!   the threads that they belong to, all wait, each reads any of them and writes none, all wait. No
//!   thread leaves such a kernel early.
//! - Threads of a tile come to an exchange together: it stands where barriers do, or under a condition
//!   that all lanes of the tile have from a ballot.
//! - Which NaN an operation gives is unspecified and visible through `copysign` and the bits of
//!   atomic floats alone, so the one takes its sign from an integer and the other is compared with numbers and with
//!   what a thread's own cell holds alone.
//!   Sums of atomic `f32` are unspecified where they are subnormal, so there are none.

mod atomics;
mod calls;
mod clusters;
mod cooperation;
mod exprs;
mod items;
mod kernel;
mod numbers;
mod scope;
mod stmts;
mod types;
mod whole_blocks;

pub use numbers::Random;

use vyre_core::interp::Argument;
use vyre_core::ir::{Constant, Handle, Kernel, Parameter, Program, Type};

use items::Maker;

/// Elements of each slice that a kernel takes.
pub const LENGTH: u64 = 64;

/// The largest element of a slice that a kernel takes, in bytes.
pub const LARGEST_ELEMENT: u64 = 32;

/// What the programs may do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Divide by anything, index with anything, assert: whether a launch faults, and which thread
    /// does first, depends on the arguments. Half of these programs run a single thread.
    pub faults: bool,
    /// Give nodes places in source files.
    pub spans: bool,
    /// Give items and variables names that are odd or taken.
    pub odd_names: bool,
    /// Take such parameters alone as the launchers of generated code do: scalars, slices of scalars.
    pub launchable: bool,
    /// Print.
    pub prints: bool,
    /// Leave some externals without a value, so that the program cannot run.
    pub open_externals: bool,
    /// Exchange values within warps, vote at barriers, wait for the whole grid, and take dynamic
    /// shared memory, of which a launch gives 1000 bytes.
    pub cooperation: bool,
    /// Make clusters.
    pub clusters: bool,
    /// Read constants that the host sets. A launch takes their values after the arguments.
    pub constants: bool,
}

/// A program with one kernel.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// The program.
    pub program: Program,
    /// Its kernel.
    pub kernel: Handle<Kernel>,
    /// The blocks to launch.
    pub grid: [u32; 3],
}

/// What a kernel gets for a parameter, in order of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A scalar.
    Scalar(Constant),
    /// A struct or tuple.
    Bytes(Vec<u8>),
    /// A slice of [`LENGTH`] elements.
    Slice(Vec<u8>),
}

impl Input {
    /// What the interpreter takes.
    pub fn argument(&mut self) -> Argument<'_> {
        match self {
            Input::Scalar(constant) => Argument::Scalar(*constant),
            Input::Bytes(bytes) => Argument::Bytes(bytes),
            Input::Slice(bytes) => Argument::Slice(bytes),
        }
    }
}

impl RandomProgram {
    /// Random arguments for the kernel.
    pub fn inputs(&self, random: &mut Random) -> Vec<Input> {
        let types = &self.program.types;
        let parameters = &self.program.kernels[self.kernel].parameters;
        let input = |parameter: &Parameter| match types[parameter.ty] {
            Type::Scalar(scalar) => Input::Scalar(random.constant(scalar)),
            Type::Slice { element, .. } => {
                let mut bytes = Vec::new();
                for _ in 0..LENGTH {
                    types::value_bytes(types, element, random, &mut bytes);
                }
                Input::Slice(bytes)
            }
            _ => {
                let mut bytes = Vec::new();
                types::value_bytes(types, parameter.ty, random, &mut bytes);
                Input::Bytes(bytes)
            }
        };
        let mut inputs: Vec<Input> = parameters.iter().map(input).collect();
        for (_, table) in self.program.host_tables() {
            let mut bytes = Vec::new();
            types::value_bytes(types, table.ty, random, &mut bytes);
            inputs.push(Input::Bytes(bytes));
        }
        inputs
    }
}

/// The program of a seed.
pub fn random_program(seed: u64, options: Options) -> RandomProgram {
    let mut program = Program::default();
    let mut maker = Maker::new(seed, options);
    maker.types(&mut program.types);
    maker.data(&mut program);
    let shape = maker.shape();
    maker.shared(&mut program);
    maker.reserve(&mut program);
    for number in 0..maker.random.below(4) {
        maker.function(&mut program, number);
    }
    if !maker.data.shared.is_empty() && maker.random.once_in(2) {
        maker.exchanging_function(&mut program);
    }
    let kernel = maker.kernel(&mut program, shape);
    RandomProgram {
        program,
        kernel,
        grid: shape.grid,
    }
}
