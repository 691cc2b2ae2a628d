//! Random valid programs, from a seed.
//!
//! The programs terminate, have no undefined behaviour and no races, and by default no faults:
//! their results are defined, so that back ends can be compared on them. The measures:
//!
//! - Loops have small constant trip counts, or count down a budget; functions call only earlier
//!   functions.
//! - Divisors are made positive or are harmless constants, indices are taken modulo a length or are
//!   constants in bounds. Every slice parameter has [`LENGTH`] elements, and a thread whose index
//!   in the launch is past that exits at the beginning.
//! - A thread accesses only the element at its index in the launch of outputs, and of the atomics
//!   that are its own. Other atomics have one commutative operation per cell, or compare-exchange
//!   loops with the same effect, and their results are dropped.
//! - Shared memory is fully written at first. Then each thread writes its own cell, all wait, each
//!   reads any cell, all wait, and so on, in uniform control flow. References to shared memory live
//!   no longer than that.
//! - In a kernel with grid barriers, outputs have the same two phases: each thread writes its own
//!   elements, all wait, each reads any of them and writes none, all wait. No thread exits such a
//!   kernel early.
//! - The threads of a tile reach a warp operation together: it is placed like a barrier, or under a
//!   condition that all lanes of the tile have from a ballot.
//! - Sums of atomic `f32` are unspecified if they are subnormal, so there are none. Which NaN one is shows nowhere but in
//!   the bytes of memory.

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

pub use crate::random::Random;

use vyre_core::interp::Argument;
use vyre_core::ir::{Constant, Handle, Kernel, Parameter, Program, Type};

use items::Maker;

/// Elements of each slice that a kernel takes.
pub const LENGTH: u64 = 64;

/// The largest element of a slice that a kernel takes, in bytes.
pub const LARGEST_ELEMENT: u64 = 32;

/// Features of the programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Divide by anything, index with anything, assert: whether a launch faults, and which thread
    /// does first, depends on the arguments. Half of these programs run a single thread.
    pub faults: bool,
    /// Give nodes places in source files.
    pub spans: bool,
    /// Give items and variables names that are odd or taken.
    pub odd_names: bool,
    /// Only parameters that launchers of generated code have: scalars, slices of scalars.
    pub launchable: bool,
    /// Print.
    pub prints: bool,
    /// Leave some externals without a value, so that the program cannot run.
    pub open_externals: bool,
    /// Warp operations, votes at barriers, grid barriers, and dynamic shared memory, of which a
    /// launch has 1000 bytes.
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

/// An argument of a kernel, in its memory layout.
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
    /// The argument for the interpreter.
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
