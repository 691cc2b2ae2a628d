//! PTX emission: from SSA to text.
//!
//! - [`header`]: the header and the constant tables;
//! - [`entry`]: one `.entry`: signature, registers, blocks;
//! - [`alu`], [`memory`], [`warp`]: the instructions of each operation;
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
mod grid_sync;
mod half;
mod header;
mod intrinsic;
mod mbarrier;
mod memory;
mod named_barrier;
mod quirks;
mod records;
mod selection;
mod summary;
mod terminators;
mod text;
mod warp;

use crate::ir::Scalar;
use crate::ssa::op::Op;
use crate::ssa::{Function, Space, Ty, Value};

pub(crate) use cluster::part_ends;
pub(crate) use entry::{EntryPlan, entry};
pub(crate) use header::header;
pub(crate) use quirks::saturation::rewrite as legalize;
pub(crate) use summary::Summary;

/// Bytes of parameters allowed in every PTX version.
const SMALL_PARAMETERS: u64 = 4096;

/// The lowest `.version` and `.target` that a module requires.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) version: (u32, u32),
    pub(crate) target: u32,
}

impl Needs {
    /// Requirements of every module.
    pub(crate) const ALWAYS: Needs = Needs {
        version: (6, 0),
        target: 70,
    };

    /// Requirements of kernels with clusters.
    pub(crate) const CLUSTERS: Needs = Needs {
        version: (7, 8),
        target: 90,
    };

    /// Adds the requirements of an operation.
    pub(crate) fn add(&mut self, function: &Function, value: Value) {
        let since_7 = |target| Needs {
            version: (7, 0),
            target,
        };
        *self = self.and(match function.op(value) {
            Op::Load { address, access, .. } => cache_ops::needs(access, false, function.ty(address)),
            Op::Store { address, access, .. } => cache_ops::needs(access, true, function.ty(address)),
            Op::Intrinsic { intrinsic, .. } => {
                let row = intrinsic.row();
                Needs {
                    version: row.version,
                    target: row.target,
                }
            }
            Op::Atomic { op, .. } if op.is_barrier() => since_7(80),
            Op::MulAdd { .. } if function.ty(value) == Ty::BF16 => since_7(half::BF16_TARGET),
            Op::Atomic {
                scalar: Scalar::F16, ..
            } => Needs {
                version: (6, 2),
                target: 70,
            },
            Op::Atomic {
                scalar: Scalar::BF16, ..
            } => Needs {
                version: (7, 8),
                target: 90,
            },
            Op::ToGeneric(a) if function.ty(a) == Ty::Pointer(Space::Param) => Needs {
                version: (7, 7),
                target: 70,
            },
            _ => return,
        });
    }

    /// Adds the requirements of `bytes` bytes of parameters.
    pub(crate) fn add_parameters(&mut self, bytes: u64) {
        if bytes > SMALL_PARAMETERS {
            *self = self.and(Needs {
                version: (8, 1),
                target: 70,
            });
        }
    }

    /// The maximum of both.
    pub(crate) fn and(self, other: Needs) -> Needs {
        Needs {
            version: self.version.max(other.version),
            target: self.target.max(other.target),
        }
    }
}
