//! Intrinsics: barriers, asynchronous copies, warp operations and the like, one row each.
//!
//! A row holds everything that the phases between the front end and the back ends need: validation,
//! both text forms, SSA construction, verification and optimisation follow from it. Beside it an
//! intrinsic has one entry each for its semantics (`interp/intrinsic.rs`), its PTX
//! (`ptx/intrinsic.rs`) and its CPU code (`generate/host/intrinsic.rs` of `vyre-front`).

use super::immediates::Immediates;
use super::needs::Needs;
use super::ops::{MemoryOrder, MemoryScope};
use super::row::{Among, Operand, Output, Row};
use super::{BinaryOp, MatrixLoad, NAMED_BARRIERS, Product, Role, Scalar, Shuffle, WARP_SIZE, is_tile};

/// A hardware operation other than arithmetic, with its immediates.
///
/// A *warp operation* takes place among the lanes of a *tile*: the threads of a warp, or 16, 8, 4 or
/// 2 of them, the first of which has an index that is a multiple of the tile's size. They are indexed
/// from 0. A lane is *active* unless its thread has exited or lies beyond the end of a partial warp.
/// The operation waits for every active lane of the tile; threads of a tile that reach one reach the
/// same one, by the same calls, in the same iteration of the loops around it.
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
    /// Lets the thread pause for about as many nanoseconds as its operand, a `u32`, says: from none to twice as many, and a
    /// millisecond at most (PTX `nanosleep`). The CPU gives way to other threads of the host; the interpreter goes on.
    Nap,
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
    /// Yields the value that another lane of the tile passes: of any scalar type, and a `u32` that
    /// selects the lane. A lane whose source is inactive or outside the tile receives its own value.
    Shuffle {
        /// The way in which the `u32` selects the source.
        from: Shuffle,
        /// Lanes of the tile.
        tile: u32,
    },
    /// Yields a `u32` whose bit `i` is set if lane `i` of the tile is active and passes `true`.
    Ballot {
        /// Lanes of the tile.
        tile: u32,
    },
    /// Yields a `u32` whose bit `i` is set if lane `i` of the tile is active and passes the same
    /// integer or `bool` as this lane.
    MatchAny {
        /// Lanes of the tile.
        tile: u32,
    },
    /// Yields the values of the active lanes of the tile, combined by `op`.
    ///
    /// If all lanes are active, each combines its value with that of the lane whose index differs in the highest bit
    /// (bit 4 in a warp), the result with that of the lane that differs in the bit below, and so on down to bit 0.
    /// Otherwise the values are combined sequentially, in the order of the lanes.
    Reduce {
        /// The operation; see [`Intrinsic::REDUCTIONS`].
        op: BinaryOp,
        /// The type of the values.
        scalar: Scalar,
        /// Lanes of the tile.
        tile: u32,
    },
    /// Barrier of the tile. Writes of the lanes before it are visible to all of them after it; other
    /// warp operations order no memory accesses.
    WarpBarrier {
        /// Lanes of the tile.
        tile: u32,
    },
    /// A matrix multiply-add by a whole warp: takes this lane's fragments of the three matrices,
    /// arrays of [`Shape::registers`](super::Shape::registers), and yields that of the result.
    /// Requires that blocks consist of whole warps and that threads exit early only by faults.
    MultiplyAdd {
        /// The product.
        product: Product,
    },
    /// A load of matrices by a whole warp, with the same requirements: takes a slice of at least
    /// [`MatrixLoad::ROW_BYTES`] bytes, the row supplied by this lane, and yields an array of one
    /// `u32` per matrix. After optimisation the row is aligned to its size and in shared memory.
    LoadMatrices {
        /// The load.
        load: MatrixLoad,
        /// The elements of the slice, scalars of 8, 16 or 32 bits.
        element: Scalar,
        /// The row's offset from the address in bytes; 0 in programs.
        offset: i32,
    },
    /// A piece of an [`AsyncCopy`](Intrinsic::AsyncCopy), made during SSA construction; not allowed
    /// in programs.
    CopyPiece {
        /// Offsets from the two addresses in bytes.
        offsets: [i32; 2],
        /// Size in bytes: 4, 8 or 16.
        bytes: u8,
        /// Known alignment of both places: 1, 2, 4, 8 or 16.
        align: u8,
    },
}

impl Intrinsic {
    /// The operations of [`Reduce`](Intrinsic::Reduce).
    pub const REDUCTIONS: [BinaryOp; 7] = [
        BinaryOp::Add,
        BinaryOp::Mul,
        BinaryOp::Min,
        BinaryOp::Max,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::Xor,
    ];

    /// True for barriers of all threads of the block that have not exited, with a vote or without.
    pub fn is_block_barrier(&self) -> bool {
        matches!(self, Intrinsic::Barrier | Intrinsic::BarrierCount)
    }

    /// True if it only passes time: no other thread sees anything of it.
    pub fn is_idle(&self) -> bool {
        matches!(self, Intrinsic::Clock | Intrinsic::Nap)
    }

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
        Intrinsic::Nap,
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
        Intrinsic::Shuffle {
            from: Shuffle::Index,
            tile: WARP_SIZE,
        },
        Intrinsic::Ballot { tile: WARP_SIZE },
        Intrinsic::MatchAny { tile: WARP_SIZE },
        Intrinsic::Reduce {
            op: BinaryOp::Add,
            scalar: Scalar::U32,
            tile: WARP_SIZE,
        },
        Intrinsic::WarpBarrier { tile: WARP_SIZE },
        Intrinsic::MultiplyAdd {
            product: Product::I8K16,
        },
        Intrinsic::LoadMatrices {
            load: MatrixLoad::One,
            element: Scalar::U32,
            offset: 0,
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
        const MATRICES: Row = Row {
            among: Among::Warp,
            whole_warps: true,
            ..Row::PLAIN
        };
        const fn of_tile(tile: u32) -> Row {
            Row {
                among: Among::Warp,
                tile: Some(tile),
                ..Row::PLAIN
            }
        }
        match *self {
            Intrinsic::Barrier => Row {
                name: "barrier",
                ..BARRIER
            },
            Intrinsic::BarrierCount => Row {
                name: "barrier_count",
                operands: &[Operand::Scalar(Scalar::Bool)],
                result: Output::Scalar(Scalar::U32),
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
                graph_result: Some(Output::Scalar(Scalar::Bool)),
                ..BARRIER
            },
            Intrinsic::Fence { .. } => Row {
                name: "fence",
                orders_memory: true,
                ..Row::PLAIN
            },
            Intrinsic::Clock => Row {
                name: "clock",
                result: Output::Scalar(Scalar::U64),
                ..Row::PLAIN
            },
            Intrinsic::Nap => Row {
                name: "nap",
                operands: &[Operand::Scalar(Scalar::U32)],
                version: (6, 3),
                ..Row::PLAIN
            },
            Intrinsic::AsyncCopy { count } => Row {
                name: "async_copy",
                operands: &[Operand::Target, Operand::Source],
                copied: Some(count),
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
            Intrinsic::Shuffle { tile, .. } => Row {
                name: "shuffle",
                operands: &[Operand::Value, Operand::Scalar(Scalar::U32)],
                result: Output::First,
                ..of_tile(tile)
            },
            Intrinsic::Ballot { tile } => Row {
                name: "ballot",
                operands: &[Operand::Scalar(Scalar::Bool)],
                result: Output::Scalar(Scalar::U32),
                ..of_tile(tile)
            },
            Intrinsic::MatchAny { tile } => Row {
                name: "match_any",
                operands: &[Operand::Bits],
                result: Output::Scalar(Scalar::U32),
                ..of_tile(tile)
            },
            Intrinsic::Reduce { scalar, tile, .. } => Row {
                name: "reduce",
                operands: &[Operand::Value],
                result: Output::First,
                value: Some(scalar),
                has_sequence: true,
                version: (7, 0),
                target: 80,
                ..of_tile(tile)
            },
            Intrinsic::WarpBarrier { tile } => Row {
                name: "warp_barrier",
                orders_memory: true,
                ..of_tile(tile)
            },
            Intrinsic::MultiplyAdd { product } => {
                let shape = product.shape();
                Row {
                    name: "mma",
                    operands: &Operand::FRAGMENTS,
                    shape: Some(shape),
                    result: Output::of_array(shape.registers(Role::C)),
                    graph_result: Some(Output::of_array(shape.machine_registers(Role::C))),
                    version: if shape.target >= 90 { (7, 8) } else { (7, 0) },
                    target: shape.target,
                    ..MATRICES
                }
            }
            Intrinsic::LoadMatrices { load, element, .. } => Row {
                name: "ldmatrix",
                operands: &[Operand::Row],
                row_element: Some(element),
                result: Output::of_array((Scalar::U32, load.count())),
                version: (6, 5),
                target: 75,
                ..MATRICES
            },
        }
    }

    /// The lowest PTX `.version` and `.target`.
    #[doc(hidden)]
    pub const fn needs(&self) -> Needs {
        let row = self.row();
        Needs {
            version: row.version,
            target: row.target,
        }
    }

    /// The intrinsic of this name, with arbitrary immediates.
    pub fn named(name: &str) -> Option<Intrinsic> {
        // Rows are large, and macros run unoptimised.
        const NAMES: [&str; Intrinsic::ALL.len()] = {
            let mut names = [""; Intrinsic::ALL.len()];
            let mut at = 0;
            while at < names.len() {
                names[at] = Intrinsic::ALL[at].row().name;
                at += 1;
            }
            names
        };
        let at = NAMES
            .iter()
            .position(|known| known.len() == name.len() && *known == name)?;
        Some(Intrinsic::ALL[at])
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
            Intrinsic::Shuffle { from, tile } => {
                with.word(from);
                with.number(tile);
            }
            Intrinsic::Ballot { tile } | Intrinsic::MatchAny { tile } | Intrinsic::WarpBarrier { tile } => {
                with.number(tile);
            }
            Intrinsic::Reduce { op, scalar, tile } => {
                with.word(op);
                with.word(scalar);
                with.number(tile);
            }
            Intrinsic::MultiplyAdd { product } => with.word(product),
            Intrinsic::LoadMatrices { load, element, offset } => {
                with.word(load);
                with.word(element);
                with.offset(offset);
            }
            Intrinsic::Barrier
            | Intrinsic::BarrierCount
            | Intrinsic::ClusterBarrier
            | Intrinsic::GridBarrier
            | Intrinsic::Clock
            | Intrinsic::Nap
            | Intrinsic::CopyCommit => {}
        }
    }

    /// The constant parts of the addresses that are its operands, in order; the optimiser adds to them.
    #[doc(hidden)]
    pub fn offsets_mut(&mut self) -> &mut [i32] {
        match self {
            Intrinsic::CopyPiece { offsets, .. } => offsets,
            Intrinsic::LoadMatrices { offset, .. } => std::slice::from_mut(offset),
            _ => &mut [],
        }
    }

    /// The error of the immediates, if any, independent of the kernel.
    pub fn fault(&self) -> Option<&'static str> {
        if self.row().tile.is_some_and(|lanes| !is_tile(lanes)) {
            return Some("a warp is cut into tiles of 2, 4, 8, 16 or 32 lanes");
        }
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
            Intrinsic::Reduce { op, scalar, .. } if !Intrinsic::REDUCTIONS.contains(&op) || !op.accepts(scalar) => {
                Some("values of this type are not combined so")
            }
            Intrinsic::LoadMatrices { offset, .. } if offset != 0 => Some("only the compiler adds an offset"),
            Intrinsic::LoadMatrices { load, element, .. } if !load.accepts(element) => {
                Some("it does not load elements of this type")
            }
            _ => (!self.row().in_programs).then_some("only the compiler makes it"),
        }
    }
}
