//! Statements: effects, in order.

use super::expr::{ExprId, PlaceId};
use super::handle::Handle;
use super::intrinsic::Intrinsic;
use super::ops::{AtomicOp, MemoryOrder, MemoryScope};
use super::program::{Function, Local};
use super::span::Span;

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stmt {
    /// The kind.
    pub kind: StmtKind,
    /// The source location.
    pub span: Span,
}

/// The kind of a statement.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StmtKind {
    /// Writes a value to a place of its type. The value is evaluated first, then the place's
    /// indices, as in Rust's `place = value`.
    Store {
        /// The destination: not atomic, not a table, not through an immutable slice or reference.
        place: PlaceId,
        /// The value.
        value: ExprId,
    },
    /// Calls a device function. Functions do not recurse.
    Call {
        /// The function.
        function: Handle<Function>,
        /// One per parameter, of its type.
        arguments: Vec<ExprId>,
        /// The local for the result; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// An atomic access to a cell. The place is evaluated before the operands, like the receiver of
    /// a method in Rust.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// A place of atomic type, in global or shared memory.
        place: PlaceId,
        /// [`AtomicOp::operands`] values of the cell's scalar.
        operands: Vec<ExprId>,
        /// The ordering.
        order: MemoryOrder,
        /// The scope.
        scope: MemoryScope,
        /// The local for the old value, of the cell's scalar; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// An intrinsic, documented at its variant.
    Intrinsic {
        /// The intrinsic.
        intrinsic: Intrinsic,
        /// The operands of its [`Row`](super::Row), evaluated in order.
        operands: Vec<ExprId>,
        /// The local for the result, if its row has one; `None` drops it.
        result: Option<Handle<Local>>,
    },
    /// One of two blocks.
    If {
        /// A `bool`.
        condition: ExprId,
        /// Executed if it is true.
        then: Block,
        /// Executed if it is false.
        otherwise: Block,
    },
    /// Repeats `body`, then `step`. `continue` goes to `step`, which contains no `continue` of this
    /// loop; `break` leaves the loop.
    Loop {
        /// The body.
        body: Block,
        /// Executed between two iterations.
        step: Block,
    },
    /// Leaves a loop: 0 is the innermost one, 1 the one around it.
    Break(u32),
    /// Goes to the `step` of a loop, numbered as for `Break`.
    Continue(u32),
    /// Leaves the function or kernel; with a value of the result type unless that is unit.
    Return(Option<ExprId>),
    /// Faults with the message if the condition is false. A panic asserts `false`.
    Assert {
        /// A `bool`.
        condition: ExprId,
        /// The message of the fault.
        message: AssertMessage,
        /// One per placeholder of the message, of its type; evaluated if the condition is false.
        values: Vec<ExprId>,
    },
    /// Inline PTX, in a scope of its own. Guarded by `if on_gpu`, so that no other back end
    /// executes it. Its instructions have no effect except on the result, and on memory that
    /// nothing else in the program refers to.
    Ptx {
        /// The instructions. `{0}` is the register of an operand, `{result}` that of the result,
        /// `{result.0}` that of an element of a tuple; `{{` and `}}` are braces.
        text: String,
        /// The lowest PTX `.version` that has the instructions, one of [`PTX_VERSIONS`]; `None` for those that every
        /// module has.
        version: Option<(u32, u32)>,
        /// Up to [`MAX_PTX_OPERANDS`] scalars of 16, 32 or 64 bits.
        operands: Vec<ExprId>,
        /// The local for the result, a scalar of 16, 32 or 64 bits, or a tuple of up to
        /// [`MAX_PTX_RESULTS`].
        result: Option<Handle<Local>>,
    },
    /// Passes text to the host, which prints it after the launch. Texts of a thread keep their
    /// order.
    Print {
        /// The text: a [`Template`](vyre_abi::format::Template).
        template: String,
        /// One per placeholder of the template, of its type.
        values: Vec<ExprId>,
    },
}

/// The PTX versions that [`StmtKind::Ptx`] may ask for: for each major one the highest minor one, from the `.version` of every
/// module on.
pub const PTX_VERSIONS: [(u32, u32); 4] = [(6, 5), (7, 8), (8, 8), (9, 1)];

/// True if there is such a PTX version.
pub fn is_ptx_version((major, minor): (u32, u32)) -> bool {
    PTX_VERSIONS
        .iter()
        .any(|&(known, last)| known == major && minor <= last)
}

/// Limit of the operands of [`StmtKind::Ptx`]: those of a matrix product, plus two.
pub const MAX_PTX_OPERANDS: usize = 12;

/// Limit of the elements of a tuple result of [`StmtKind::Ptx`].
pub const MAX_PTX_RESULTS: usize = 4;

/// The message of a failed [`StmtKind::Assert`]: a [`Template`](vyre_abi::format::Template), in
/// which braces are doubled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AssertMessage {
    /// `assert!` failed: the text of the condition, or the message given.
    Assertion(String),
    /// `panic!` with this text.
    Panic(String),
}
