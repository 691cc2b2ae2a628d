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
//! Everything here needs PTX 6.0 and `sm_70`: atomics with order and scope, and barriers that do
//! not wait for threads that have left. What needs more says so in [`Needs`]. Arithmetic always names
//! its rounding, so that ptxas does not contract it.

mod code;
mod edges;
mod entry;
mod fault;
mod grid;
mod half;
mod memory;
mod message;
mod module;
mod named;
mod text;
mod uses;
mod warp;

use crate::ssa::Ty;
use crate::ssa::op::Op;

pub(crate) use entry::{EntryPlan, entry};
pub(crate) use module::header;

/// The lowest `.version` and `.target` that a module loads with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) version: (u32, u32),
    pub(crate) target: u32,
}

impl Needs {
    /// Those of every module.
    pub(crate) const ALWAYS: Needs = Needs {
        version: (6, 0),
        target: 70,
    };

    /// Adds those of an operation, whose result is of this type.
    pub(crate) fn add(&mut self, op: Op, ty: Ty) {
        let target = match op {
            Op::Product { product, .. } => product.shape().target,
            Op::MulAdd { .. } if ty == Ty::BF16 => half::BF16_TARGET,
            _ => return,
        };
        *self = self.and(Needs {
            version: (7, 0),
            target,
        });
    }

    /// What is enough for both.
    pub(crate) fn and(self, other: Needs) -> Needs {
        Needs {
            version: self.version.max(other.version),
            target: self.target.max(other.target),
        }
    }
}
