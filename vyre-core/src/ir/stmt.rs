//! Statements: effects, in order.

use super::WarpOp;
use super::expr::{ExprId, PlaceId};
use super::handle::Handle;
use super::intrinsic::Intrinsic;
use super::ops::{AtomicOp, MemoryOrder, MemoryScope};
use super::program::{Function, Local};
use super::span::Span;

/// Statements that run one after the other.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands in the source.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StmtKind {
    /// Writes a value to a place of its type. The value is evaluated first, then the place's
    /// indices, as in Rust's `place = value`.
    Store {
        /// Where to: not atomic, not a table, not through an immutable slice or reference.
        place: PlaceId,
        /// What.
        value: ExprId,
    },
    /// Calls a device function. Functions do not recurse.
    Call {
        /// The function.
        function: Handle<Function>,
        /// One for each parameter, of its type.
        arguments: Vec<ExprId>,
        /// Where the result goes; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// An atomic access to a cell. The place is evaluated before the operands, as the receiver of
    /// any method is in Rust.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// A place of atomic type, in global or shared memory.
        place: PlaceId,
        /// [`AtomicOp::operands`] values of the cell's scalar.
        operands: Vec<ExprId>,
        /// The ordering.
        order: MemoryOrder,
        /// Among whom.
        scope: MemoryScope,
        /// Where the old value goes, of the cell's scalar; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// An intrinsic; its variant says what it does.
    Intrinsic {
        /// Which one.
        intrinsic: Intrinsic,
        /// Those of its [`Row`](super::Row), evaluated in order.
        operands: Vec<ExprId>,
        /// Where the result goes, if its row has one; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// Orders the memory accesses before it against those after it.
    Fence {
        /// Acquire, release, both or sequentially consistent.
        order: MemoryOrder,
        /// Among whom.
        scope: MemoryScope,
    },
    /// Waits until every thread of the block that has not left is here; their accesses to memory
    /// before it are seen by all of them after it (CUDA `__syncthreads`). The threads of a block
    /// that reach a barrier reach the same one.
    Barrier,
    /// Waits as [`Barrier`](StmtKind::Barrier) does, and counts the threads that give `true`. Those
    /// that have left give nothing.
    BarrierCount {
        /// A `bool`.
        predicate: ExprId,
        /// Where the count goes, a `u32`; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// Reads a clock that goes on while the thread runs: of the multiprocessor's cycles on a GPU (PTX
    /// `%clock64`), of nanoseconds on the CPU, of statements in the interpreter.
    Clock {
        /// Where the time goes, a `u64`.
        result: Handle<Local>,
    },
    /// Waits until every thread of the grid is here; their accesses to memory before it are seen by all
    /// of them after it. Kernels with one are launched cooperatively: all blocks run at the same time.
    /// It stands in an entry, not in a function, and no `Return` but one at the entry's end; threads
    /// leave before it by faults alone. Where some threads come to the entry's end, or to another barrier
    /// of the grid, it is a fault of those that wait.
    GridBarrier,
    /// Waits until every thread of the block's cluster that has not left is here; their accesses to memory
    /// before it are seen by all of them after it (PTX `barrier.cluster`). The threads of a cluster that
    /// reach one reach the same one, by the same calls.
    /// In a kernel without clusters this is a [`Barrier`](StmtKind::Barrier).
    ClusterBarrier,
    /// Exchanges values among the threads of the warp, or of a tile of it. It waits until every thread
    /// of the tile that has not left is here; threads of a tile that reach an exchange reach the same
    /// one, by the same calls, in the same round of the loops around it. Tiles of a warp do not wait
    /// for each other. Only [`WarpOp::Sync`] orders memory accesses.
    Warp {
        /// The operation.
        op: WarpOp,
        /// How many lanes the tile has, [`WARP_SIZE`](crate::ir::WARP_SIZE) where it is the warp: one
        /// of those that [`is_tile`](crate::ir::is_tile) holds of.
        tile: u32,
        /// [`WarpOp::operands`] values: of a shuffle any scalar and a `u32`, of the others what the
        /// operation says.
        operands: Vec<ExprId>,
        /// Where the result goes: of a shuffle the first operand's scalar, of those that yield lanes
        /// a `u32`, of a product the third operand's type, of `Sync` none; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// One of two blocks.
    If {
        /// A `bool`.
        condition: ExprId,
        /// Runs where it is true.
        then: Block,
        /// Runs where it is false.
        otherwise: Block,
    },
    /// Runs `body`, then `step`, again and again. `continue` goes to `step`, which holds no
    /// `continue` of this loop; `break` leaves.
    Loop {
        /// What repeats.
        body: Block,
        /// Runs between one pass and the next.
        step: Block,
    },
    /// Leaves a loop: 0 is the innermost one, 1 the one around it.
    Break(u32),
    /// Goes to the `step` of a loop, counted as by `Break`.
    Continue(u32),
    /// Leaves the function or kernel; with a value of the result type where that is not unit.
    Return(Option<ExprId>),
    /// Faults with the message where the condition is false. A panic asserts `false`.
    Assert {
        /// A `bool`.
        condition: ExprId,
        /// What the fault says.
        message: AssertMessage,
        /// One for each place of the message, of its type; evaluated where the condition is false.
        values: Vec<ExprId>,
    },
    /// Instructions in PTX, in a scope of their own. Stands under `if on_gpu`, so that no other back
    /// end meets it. Its instructions have no effect but on the result, and on memory that nothing
    /// else of the program names.
    Ptx {
        /// The instructions. `{0}` stands for the register of an operand, `{result}` for that of the
        /// result, `{result.0}` for that of an element of a tuple; `{{` and `}}` are braces.
        text: String,
        /// Up to [`MAX_PTX_OPERANDS`] scalars of 16, 32 or 64 bits.
        operands: Vec<ExprId>,
        /// Where the result goes, a scalar of 16, 32 or 64 bits, or a tuple of up to [`MAX_PTX_RESULTS`].
        result: Option<Handle<Local>>,
    },
    /// Hands text to the host, which prints it after the launch. Texts of a thread keep their order.
    Print {
        /// What is printed: a [`Template`](vyre_abi::format::Template).
        template: String,
        /// One for each place of the template, of its type.
        values: Vec<ExprId>,
    },
}

/// The most operands of [`StmtKind::Ptx`]: as many as a product of matrices has, and two more.
pub const MAX_PTX_OPERANDS: usize = 12;

/// The most elements of a tuple that [`StmtKind::Ptx`] yields.
pub const MAX_PTX_RESULTS: usize = 4;

/// What a failed [`StmtKind::Assert`] says: a [`Template`](vyre_abi::format::Template), in which
/// braces are doubled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AssertMessage {
    /// `assert!` failed: the text of the condition, or the message given.
    Assertion(String),
    /// `panic!` with this text.
    Panic(String),
}
