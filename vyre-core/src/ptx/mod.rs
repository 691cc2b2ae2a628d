//! From the graph to PTX.
//!
//! - [`module`]: the header and the constant tables;
//! - [`entry`]: one `.entry`: its signature, its registers, its blocks;
//! - [`code`], [`memory`], [`warp`]: the instructions of each operation;
//! - [`half`]: floats of 16 bits, and what they need;
//! - [`edges`]: how blocks end, and the moves that pass values along edges;
//! - [`fault`]: what a thread that cannot go on does;
//! - [`uses`]: which values need an instruction, and where;
//! - [`message`]: records that the host reads;
//! - [`text`]: writing lines and operands.
//!
//! All but a part of [`half`] needs PTX 6.0 and `sm_70`: atomics with order and scope, and barriers that do
//! not wait for threads that have left. Arithmetic always names its rounding, so that ptxas does
//! not contract it.

mod code;
mod edges;
mod entry;
mod fault;
mod grid;
mod half;
mod memory;
mod message;
mod module;
mod text;
mod uses;
mod warp;

pub(crate) use entry::{EntryPlan, entry};
pub(crate) use half::needs;
pub(crate) use module::header;

/// The `.version` and `.target` that a module needs at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Major and minor.
    pub(crate) version: (u32, u32),
    /// 70 for `sm_70`.
    pub(crate) target: u32,
}

impl Needs {
    /// What every module needs.
    pub(crate) const LEAST: Needs = Needs {
        version: (6, 0),
        target: 70,
    };

    /// What is enough for both.
    pub(crate) fn and(self, other: Needs) -> Needs {
        Needs {
            version: self.version.max(other.version),
            target: self.target.max(other.target),
        }
    }
}
