//! PTX emission: from SSA to text.
//!
//! - [`header`]: the header and the constant tables;
//! - [`entry`]: one `.entry`: signature, registers, blocks;
//! - [`alu`], [`memory`], [`warp`]: the instructions of each operation;
//! - [`intrinsic`]: the instructions of each intrinsic;
//! - [`named_barrier`], [`grid_barrier`]: barriers made of counters in memory;
//! - [`mbarrier`]: barriers with split arrive and wait;
//! - [`cp_async`]: asynchronous copies into shared memory;
//! - [`cache_ops`]: cache operators of accesses;
//! - [`cluster`]: cluster barriers, and the exit of threads;
//! - [`half`]: conversions of floats of 16 bits, and their targets;
//! - [`terminators`]: block terminators, and the moves that pass arguments along edges;
//! - [`fault`]: guards, and the cold path that reports faults;
//! - [`quirks`]: bugs of ptxas and the rewrites that avoid them;
//! - [`selection`]: the values that need an instruction, and its place;
//! - [`summary`]: the requirements of an entry as a whole;
//! - [`records`]: records that the host reads;
//! - [`vectors`]: neighbours in memory that one instruction loads or stores;
//! - [`text`]: writing lines and operands.
//!
//! The baseline is PTX 6.0 and `sm_70`: atomics with ordering and scope, and barriers that do not
//! wait for exited threads. Operations that need more say so in [`Needs`]. Arithmetic always has an
//! explicit rounding mode, so that ptxas does not contract it.

mod alu;
mod cache_ops;
mod cluster;
mod cp_async;
mod entry;
mod fault;
mod grid_barrier;
mod half;
mod header;
mod intrinsic;
mod layout;
mod mbarrier;
mod memory;
mod named_barrier;
mod normal;
mod quirks;
mod records;
mod selection;
mod summary;
mod terminators;
mod text;
mod vectors;
mod warp;

use vyre_ir::ir::Scalar;

use crate::ssa::op::Op;
use crate::ssa::{Function, Space, Ty, Value};
pub(crate) use vyre_ir::ir::needs::Needs;

pub(crate) use cluster::part_ends;
pub(crate) use entry::{EntryPlan, entry};
pub(crate) use header::header;
pub(crate) use quirks::saturation::rewrite as legalize;
pub(crate) use summary::Summary;
#[cfg(feature = "report")]
pub(crate) use vectors::Memory;

/// The requirements of an operation.
fn needs(function: &Function, value: Value) -> Needs {
    match function.op(value) {
        Op::Load { address, access, .. } => cache_ops::needs(access, false, function.ty(address)),
        Op::Store { address, access, .. } => cache_ops::needs(access, true, function.ty(address)),
        Op::Intrinsic { intrinsic, .. } => intrinsic.needs(),
        Op::Ptx { number, .. } => Needs::inline(function.inline[number as usize].version),
        Op::Atomic { op, scalar, .. } => op.needs(scalar),
        Op::Unary { op, .. } => Needs::unary(op),
        Op::MulAdd { .. } if function.ty(value) == Ty::BF16 => Needs::mul_add(Scalar::BF16),
        Op::ToGeneric(a) if function.ty(a) == Ty::Pointer(Space::Param) => Needs {
            version: (7, 7),
            target: 70,
        },
        _ => Needs::ALWAYS,
    }
}
