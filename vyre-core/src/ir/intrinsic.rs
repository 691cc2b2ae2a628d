//! Intrinsics: barriers, asynchronous copies and their like, one row each.
//!
//! A row says all that the phases between the front end and the back ends ask: the types of operands and
//! result, who waits for whom, what memory is touched, what PTX needs. Validation, both text forms, the
//! building and the checks of the graph and its optimisation follow from it. Beside the row an intrinsic has
//! one entry each for its meaning (`interp/intrinsic.rs`), its PTX (`ptx/intrinsic.rs`) and its CPU body
//! (`generate/host/intrinsic.rs` of `vyre-build`), exhaustive matches which the compiler points at.

use std::fmt;

use super::immediates::{ImmediateWriter, Immediates};

use super::{NAMED_BARRIERS, Scalar, WARP_SIZE};

/// An operation of the hardware that is no arithmetic, with its immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Intrinsic {
    /// Arrives at a barrier among some of the block's warps, and waits there if so asked. Threads of a warp
    /// come to it together, as to an exchange. It opens when as many warps as have so many threads
    /// have arrived, and begins anew; what they did to memory before, those that waited see after.
    NamedBarrier {
        /// Which one, from 1 to below [`NAMED_BARRIERS`].
        barrier: u32,
        /// A multiple of [`WARP_SIZE`], at most the threads of the block; the same wherever a kernel comes to this
        /// barrier. A warp counts whole, however many of its threads have left.
        threads: u32,
        /// Whether it waits until the barrier opens.
        waits: bool,
    },
    /// Begins to copy elements from one place in memory to another, from global to shared memory without a
    /// way through registers (PTX `cp.async`). The values are in the place, for this thread, behind a
    /// [`CopyWait`](Intrinsic::CopyWait) for the copy, and for others behind a barrier after
    /// that. Until then who reads the place finds the old or the new bytes, and what is written to
    /// either place races with the copy. Between other memories the copy is done at once.
    ///
    /// The operands, where to and where from, are two references, or two slices of which the first elements are
    /// copied. What the first one refers to is mutable and of the type of what the second one refers to, without
    /// references and atomics.
    AsyncCopy {
        /// How many elements, 1 of a reference. A slice of fewer is undefined behaviour. Their size in
        /// bytes is a multiple of 4.
        count: u64,
    },
    /// Puts the copies of this thread that are in no group yet into one (PTX `cp.async.commit_group`).
    CopyCommit,
    /// Waits until no more groups of copies of this thread than so many, the last ones, are under way (PTX
    /// `cp.async.wait_group`).
    CopyWait {
        /// How many.
        pending: u32,
    },
    /// A piece of an [`AsyncCopy`](Intrinsic::AsyncCopy), which is made of the whole when the graph is built; no
    /// program holds it.
    CopyPiece {
        /// Offsets from the two addresses in bytes.
        offsets: [i32; 2],
        /// How many bytes: 4, 8 or 16.
        bytes: u8,
        /// What both places are known to be aligned to: 1, 2, 4 or 8.
        align: u8,
    },
}

/// What the phases need to know of an intrinsic.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in both text forms.
    pub name: &'static str,
    /// The operands.
    pub operands: &'static [Operand],
    /// The result.
    pub result: Option<Scalar>,
    /// The threads that come to it together, so that there are no copies of it on different paths.
    pub among: Among,
    /// The lowest PTX `.version`.
    pub version: (u32, u32),
    /// The lowest `.target`.
    pub target: u32,
    /// Whether programs may hold it, rather than the graph alone.
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

/// The threads that come to an intrinsic together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Among {
    /// Each thread for itself.
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
    /// A row to start from: nothing taken or given, by each thread for itself, on all devices.
    const PLAIN: Row = Row {
        name: "",
        operands: &[],
        result: None,
        among: Among::Thread,
        version: (6, 0),
        target: 70,
        in_programs: true,
    };

    /// Whether it accesses memory through its operands.
    pub fn accesses_memory(&self) -> bool {
        self.operands.contains(&Operand::Target) || self.operands.contains(&Operand::Source)
    }
}

impl Intrinsic {
    /// One of each, with immediates that mean nothing.
    pub const ALL: &'static [Intrinsic] = &[
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
        match self {
            Intrinsic::NamedBarrier { .. } => Row {
                name: "named_barrier",
                among: Among::Block,
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

    /// The one of a name, with immediates that mean nothing.
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
            Intrinsic::CopyCommit => {}
        }
    }

    /// The constant parts of the addresses that are its operands, in order; the optimiser adds to them.
    pub(crate) fn offsets_mut(&mut self) -> &mut [i32] {
        match self {
            Intrinsic::CopyPiece { offsets, .. } => offsets,
            _ => &mut [],
        }
    }

    /// What is wrong with the immediates, if something is, whatever the kernel.
    pub fn fault(&self) -> Option<&'static str> {
        match *self {
            Intrinsic::NamedBarrier { barrier, threads, .. } => {
                if !(1..NAMED_BARRIERS).contains(&barrier) {
                    return Some("there is no such barrier");
                }
                let whole = threads > 0 && threads.is_multiple_of(WARP_SIZE);
                (!whole).then_some("it is not for whole warps")
            }
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
