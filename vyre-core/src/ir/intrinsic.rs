//! Intrinsics: barriers, asynchronous copies and similar operations, one row each.
//!
//! A row holds everything that the phases between the front end and the back ends need: the types
//! of operands and result, the threads that take part, the memory effects, the PTX requirements.
//! Validation, both text forms, SSA construction, verification and optimisation follow from it.
//! Beside the row an intrinsic has one entry each for its semantics (`interp/intrinsic.rs`), its
//! PTX (`ptx/intrinsic.rs`) and its CPU code (`generate/host/intrinsic.rs` of `vyre-build`), in
//! exhaustive matches that the compiler points at.

use std::fmt;

use super::immediates::{ImmediateWriter, Immediates};

use super::ops::{MemoryOrder, MemoryScope};
use super::{NAMED_BARRIERS, Scalar, WARP_SIZE};

/// A hardware operation other than arithmetic, with its immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Intrinsic {
    /// Waits until every thread of the block that has not exited has arrived; their memory accesses
    /// before it are visible to all of them after it (CUDA `__syncthreads`). The threads of a block
    /// that reach a barrier reach the same one.
    Barrier,
    /// Waits like [`Barrier`](Intrinsic::Barrier), and counts the threads that pass `true`. Exited
    /// threads do not count.
    BarrierCount,
    /// Arrives at a barrier among some of the block's warps, and waits there if `waits`. Threads of
    /// a warp reach it together, as for a warp operation. It opens when the warps of `threads`
    /// threads have arrived, and is then reset; writes before the arrival are visible to the
    /// threads that waited.
    NamedBarrier {
        /// The barrier's number, from 1 to below [`NAMED_BARRIERS`].
        barrier: u32,
        /// A multiple of [`WARP_SIZE`], at most the threads of the block; the same at each use of
        /// this barrier in a kernel. A warp counts in full, however many of its threads have
        /// exited.
        threads: u32,
        /// True if it waits until the barrier opens.
        waits: bool,
    },
    /// Waits until every thread of the block's cluster that has not exited has arrived; their
    /// memory accesses before it are visible to all of them after it (PTX `barrier.cluster`). The
    /// threads of a cluster that reach one reach the same one, by the same calls. In a kernel
    /// without clusters this is a [`Barrier`](Intrinsic::Barrier).
    ClusterBarrier,
    /// Waits until every thread of the grid has arrived; their memory accesses before it are
    /// visible to all of them after it. Kernels with one are launched cooperatively: all blocks are
    /// co-resident. It is only allowed in an entry, not in a function, whose only `Return` is at
    /// its end; threads exit before it only by faults. If some threads reach the entry's end, or
    /// another grid barrier, the waiting ones fault.
    GridBarrier,
    /// Orders the memory accesses before it against those after it.
    Fence {
        /// Acquire, release, both or sequentially consistent.
        order: MemoryOrder,
        /// The scope.
        scope: MemoryScope,
    },
    /// Reads a clock that advances while the thread runs: cycles of the multiprocessor on a GPU
    /// (PTX `%clock64`), nanoseconds on the CPU, statements in the interpreter.
    Clock,
    /// Starts a copy of elements from one place in memory to another, from global to shared memory
    /// without registers (PTX `cp.async`). The values are visible to this thread after a
    /// [`CopyWait`](Intrinsic::CopyWait) for the copy, and to others after a later barrier. Until
    /// then a read of the destination yields the old or the new bytes, and a write to either place
    /// is a race. Between other memories the copy is done immediately.
    ///
    /// The operands, destination and source, are two references, or two slices whose first elements
    /// are copied. The target of the first one is mutable and has the type of the target of the
    /// second one, without references and atomics.
    AsyncCopy {
        /// The number of elements, 1 for a reference. A shorter slice is undefined behaviour. Their
        /// size in bytes is a multiple of 4.
        count: u64,
    },
    /// Commits the copies of this thread that are in no group yet as one group (PTX
    /// `cp.async.commit_group`).
    CopyCommit,
    /// Waits until at most `pending` groups of copies of this thread, the latest ones, are
    /// incomplete (PTX `cp.async.wait_group`).
    CopyWait {
        /// The number of groups.
        pending: u32,
    },
    /// A piece of an [`AsyncCopy`](Intrinsic::AsyncCopy), made during SSA construction; not allowed
    /// in programs.
    CopyPiece {
        /// Offsets from the two addresses in bytes.
        offsets: [i32; 2],
        /// Size in bytes: 4, 8 or 16.
        bytes: u8,
        /// Known alignment of both places: 1, 2, 4 or 8.
        align: u8,
    },
}

/// The properties of an intrinsic.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in both text forms.
    pub name: &'static str,
    /// The operands.
    pub operands: &'static [Operand],
    /// The result.
    pub result: Option<Scalar>,
    /// The result in the SSA graph, if it differs.
    pub graph_result: Option<Scalar>,
    /// True if it orders memory accesses of its threads.
    pub orders_memory: bool,
    /// The threads that reach it together, so that it must not be duplicated on different paths.
    pub among: Among,
    /// The lowest PTX `.version`.
    pub version: (u32, u32),
    /// The lowest `.target`.
    pub target: u32,
    /// True if programs may contain it, rather than only the SSA graph.
    pub in_programs: bool,
}

/// An operand of an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A scalar.
    Scalar(Scalar),
    /// A reference or slice that is read through.
    Source,
    /// A mutable reference or slice that is written through.
    Target,
}

/// The threads that reach an intrinsic together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Among {
    /// Each thread by itself.
    Thread,
    /// The threads of a warp.
    Warp,
    /// Those of a block, or some warps of it.
    Block,
    /// Those of a cluster of blocks.
    Cluster,
    /// Those of the grid.
    Grid,
}

impl Row {
    /// The default row: no operands and result, each thread by itself, on all devices.
    const PLAIN: Row = Row {
        name: "",
        operands: &[],
        result: None,
        graph_result: None,
        orders_memory: false,
        among: Among::Thread,
        version: (6, 0),
        target: 70,
        in_programs: true,
    };

    /// The result in the SSA graph.
    pub fn yields(&self) -> Option<Scalar> {
        self.graph_result.or(self.result)
    }

    /// True if it accesses memory through its operands.
    pub fn accesses_memory(&self) -> bool {
        self.operands.contains(&Operand::Target) || self.operands.contains(&Operand::Source)
    }
}

impl Intrinsic {
    /// One of each, with arbitrary immediates.
    pub const ALL: &'static [Intrinsic] = &[
        Intrinsic::Barrier,
        Intrinsic::BarrierCount,
        Intrinsic::ClusterBarrier,
        Intrinsic::GridBarrier,
        Intrinsic::Fence {
            order: MemoryOrder::SeqCst,
            scope: MemoryScope::Device,
        },
        Intrinsic::Clock,
        Intrinsic::NamedBarrier {
            barrier: 0,
            threads: 0,
            waits: false,
        },
        Intrinsic::AsyncCopy { count: 0 },
        Intrinsic::CopyCommit,
        Intrinsic::CopyWait { pending: 0 },
        Intrinsic::CopyPiece {
            offsets: [0; 2],
            bytes: 0,
            align: 0,
        },
    ];

    /// Its row.
    pub const fn row(&self) -> Row {
        const COPY: Row = Row {
            version: (7, 0),
            target: 80,
            ..Row::PLAIN
        };
        const BARRIER: Row = Row {
            among: Among::Block,
            orders_memory: true,
            ..Row::PLAIN
        };
        match self {
            Intrinsic::Barrier => Row {
                name: "barrier",
                ..BARRIER
            },
            Intrinsic::BarrierCount => Row {
                name: "barrier_count",
                operands: &[Operand::Scalar(Scalar::Bool)],
                result: Some(Scalar::U32),
                ..BARRIER
            },
            Intrinsic::NamedBarrier { .. } => Row {
                name: "named_barrier",
                ..BARRIER
            },
            Intrinsic::ClusterBarrier => Row {
                name: "cluster_barrier",
                among: Among::Cluster,
                ..BARRIER
            },
            // In the graph it tells whether all have come; a guard makes the fault of it.
            Intrinsic::GridBarrier => Row {
                name: "grid_barrier",
                among: Among::Grid,
                graph_result: Some(Scalar::Bool),
                ..BARRIER
            },
            Intrinsic::Fence { .. } => Row {
                name: "fence",
                orders_memory: true,
                ..Row::PLAIN
            },
            Intrinsic::Clock => Row {
                name: "clock",
                result: Some(Scalar::U64),
                ..Row::PLAIN
            },
            Intrinsic::AsyncCopy { .. } => Row {
                name: "async_copy",
                operands: &[Operand::Target, Operand::Source],
                ..COPY
            },
            Intrinsic::CopyCommit => Row {
                name: "copy_commit",
                ..COPY
            },
            Intrinsic::CopyWait { .. } => Row {
                name: "copy_wait",
                ..COPY
            },
            Intrinsic::CopyPiece { .. } => Row {
                name: "copy_piece",
                operands: &[Operand::Target, Operand::Source],
                in_programs: false,
                ..COPY
            },
        }
    }

    /// The intrinsic of this name, with arbitrary immediates.
    pub fn named(name: &str) -> Option<Intrinsic> {
        Intrinsic::ALL.iter().copied().find(|known| known.row().name == name)
    }

    /// Visits the immediates.
    pub fn immediates(&mut self, with: &mut impl Immediates) {
        match self {
            Intrinsic::NamedBarrier {
                barrier,
                threads,
                waits,
            } => {
                with.flag("wait", waits);
                with.number(barrier);
                with.number(threads);
            }
            Intrinsic::AsyncCopy { count } => with.number(count),
            Intrinsic::CopyWait { pending } => with.number(pending),
            Intrinsic::CopyPiece { offsets, bytes, align } => {
                offsets.iter_mut().for_each(|offset| with.number(offset));
                with.number(bytes);
                with.number(align);
            }
            Intrinsic::Fence { order, scope } => {
                with.word(order);
                with.word(scope);
            }
            Intrinsic::Barrier
            | Intrinsic::BarrierCount
            | Intrinsic::ClusterBarrier
            | Intrinsic::GridBarrier
            | Intrinsic::Clock
            | Intrinsic::CopyCommit => {}
        }
    }

    /// The constant parts of the addresses that are its operands, in order; the optimiser adds to them.
    pub(crate) fn offsets_mut(&mut self) -> &mut [i32] {
        match self {
            Intrinsic::CopyPiece { offsets, .. } => offsets,
            _ => &mut [],
        }
    }

    /// The error of the immediates, if any, independent of the kernel.
    pub fn fault(&self) -> Option<&'static str> {
        match *self {
            Intrinsic::NamedBarrier { barrier, threads, .. } => {
                if !(1..NAMED_BARRIERS).contains(&barrier) {
                    return Some("there is no such barrier");
                }
                let whole = threads > 0 && threads.is_multiple_of(WARP_SIZE);
                (!whole).then_some("it is not for whole warps")
            }
            Intrinsic::Fence {
                order: MemoryOrder::Relaxed,
                ..
            } => Some("a relaxed fence orders nothing"),
            _ => (!self.row().in_programs).then_some("only the compiler makes it"),
        }
    }
}

impl fmt::Display for Intrinsic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.row().name.to_owned();
        let mut writer = ImmediateWriter::new(&mut text);
        { *self }.immediates(&mut writer);
        writer.close();
        f.write_str(&text)
    }
}
