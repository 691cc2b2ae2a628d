//! From the graph to PTX.
//!
//! - [`module`]: the header and the constant tables;
//! - [`entry`]: one `.entry`: its signature, its registers, its blocks;
//! - [`code`], [`memory`], [`warp`]: the instructions of each operation;
//! - [`edges`]: how blocks end, and the moves that pass values along edges;
//! - [`fault`]: what a thread that cannot go on does;
//! - [`uses`]: which values need an instruction, and where;
//! - [`message`]: records that the host reads;
//! - [`text`]: writing lines and operands.
//!
//! Everything here needs PTX 6.0 and `sm_70`: atomics with order and scope, and barriers that do
//! not wait for threads that have left. Arithmetic always names its rounding, so that ptxas does
//! not contract it.

mod code;
mod edges;
mod entry;
mod fault;
mod grid;
mod memory;
mod message;
mod module;
mod text;
mod uses;
mod warp;

pub(crate) use entry::{EntryPlan, entry};
pub(crate) use module::header;

/// The `.version` that all of this needs.
pub(crate) const VERSION: (u32, u32) = (6, 0);
/// The `.target` that all of this needs.
pub(crate) const TARGET: u32 = 70;
