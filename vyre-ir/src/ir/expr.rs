//! Expressions: values without effects. They read memory and may fault, but change nothing.
//!
//! Each expression is used once, in one statement: expressions form trees. A statement evaluates
//! its trees depth first, operands from left to right, so loads see the memory at the time when
//! their statement runs.

use vyre_abi::fault::FaultKind;

use super::access::Access;
use super::handle::Handle;
use super::ops::Builtin;
use super::program::{ConstantTable, External, Local, SharedVariable};
use super::span::Span;
use super::types::TypeId;
use super::{BinaryOp, Constant, UnaryOp};

/// The handle of an [`Expr`] in its [`Body`](super::program::Body).
pub type ExprId = Handle<Expr>;
/// The handle of a [`Place`] in its [`Body`](super::program::Body).
pub type PlaceId = Handle<Place>;

/// A typed expression.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expr {
    /// The operation.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: TypeId,
    /// The source location.
    pub span: Span,
}

/// The operation of an expression.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExprKind {
    /// A literal scalar. Type: that scalar.
    Constant(Constant),
    /// A scalar constant whose value rustc supplies later. Type: its scalar.
    External(Handle<External>),
    /// A value of the running thread. Type: [`Builtin::scalar`].
    Builtin(Builtin),
    /// The value at a place: a local, an element, a field. Type: the place's, which neither is
    /// atomic nor contains atomics. Faults if an index of the place is out of bounds.
    Load(PlaceId),
    /// The number of elements of the slice at a place of slice type. Type: `u64`.
    Length(PlaceId),
    /// `&place` or `&mut place`. Type: a reference to the place's type. References to locals do not
    /// outlive the local.
    Reference(PlaceId),
    /// `&place[start..end]` of a place of slice or array type, `start` and `end` of `u64`. Type: a
    /// slice. Faults if `start > end` or `end` exceeds the length, if `checked`.
    Subslice {
        /// The slice or array.
        place: PlaceId,
        /// First element.
        start: ExprId,
        /// One past the last element.
        end: ExprId,
        /// True if the range is bounds-checked.
        checked: bool,
    },
    /// The memory of a slice as a slice of arrays of its elements, or of the elements of its arrays: `as_chunks` and
    /// `as_flattened`. Type: such a slice. Elements that are too few for an array at the end are left out.
    Regroup(ExprId),
    /// An operation on one scalar. Type: the operand's.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// Its operand.
        operand: ExprId,
    },
    /// An operation on two scalars. Type: `bool` for comparisons, else the left operand's.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// Left operand.
        left: ExprId,
        /// Right operand: of the left one's type, or `u32` for shifts and rotations.
        right: ExprId,
    },
    /// `a * b + c` rounded once; floats of one type.
    MulAdd {
        /// First factor.
        a: ExprId,
        /// Second factor.
        b: ExprId,
        /// Summand.
        c: ExprId,
    },
    /// `left && right`: `right` is evaluated only if `left` is true. Type: `bool`.
    And {
        /// Evaluated first.
        left: ExprId,
        /// Evaluated if `left` is true.
        right: ExprId,
    },
    /// `left || right`: `right` is evaluated only if `left` is false. Type: `bool`.
    Or {
        /// Evaluated first.
        left: ExprId,
        /// Evaluated if `left` is false.
        right: ExprId,
    },
    /// `if condition { then } else { otherwise }`: only one of the two is evaluated. Type: theirs.
    Select {
        /// A `bool`.
        condition: ExprId,
        /// Evaluated if it is true.
        then: ExprId,
        /// Evaluated if it is false.
        otherwise: ExprId,
    },
    /// `operand as T` between scalars, with Rust's semantics: integers truncate or extend by the
    /// operand's sign; integer to float and float to float round to nearest; float to integer
    /// truncates and saturates, NaN gives 0; `bool` to integer gives 0 or 1. Nothing casts to
    /// `bool`, `bool` does not cast to a float. From integers to `f16` and `bf16`, and back, the
    /// conversion goes through `f32`.
    Cast(ExprId),
    /// The same bits as another scalar type of the same width (`to_bits`, `from_bits`). For a
    /// conversion from a float, a NaN becomes the canonical one: `0x7e00` of `f16`, `0x7fc0` of
    /// `bf16`, `0x7fc00000` or `0x7ff8000000000000`.
    Bitcast(ExprId),
    /// A tuple, struct or array of these fields or elements, in order.
    Construct(Vec<ExprId>),
    /// `[operand; N]`: an array that repeats one value.
    Repeat(ExprId),
    /// A mutable slice in the dynamic shared memory of the block, whose size is set by the launch:
    /// it begins `offset` bytes from the start, rounded up to a multiple of
    /// [`SHARED_ALIGN`](super::SHARED_ALIGN), and has `length` elements, or as many as fit. Both
    /// are `u64`. Faults if it does not fit. Slices of one launch may overlap.
    DynamicShared {
        /// Minimal offset in bytes.
        offset: ExprId,
        /// Number of elements; `None` for as many as fit.
        length: Option<ExprId>,
    },
    /// Maps a reference to the shared memory of another block of the cluster. The operand is an
    /// [`ExprKind::Reference`] to a place in a shared variable, an [`ExprKind::Subslice`] of one,
    /// or an [`ExprKind::DynamicShared`]; type: the operand's. Faults if the cluster has no block
    /// of this rank; ranks number the blocks with x fastest, then y, then z. A kernel without
    /// clusters has one block per cluster. The memory stays valid until all threads of the cluster
    /// have exited.
    MapShared {
        /// The reference.
        reference: ExprId,
        /// The rank of the block, a `u64`.
        rank: ExprId,
    },
    /// `index`, a `u64`; faults unless it is less than `length`, a `u64`. Type: `u64`. Used in the
    /// places of matrices, where row and column are checked separately.
    Within {
        /// The checked index.
        index: ExprId,
        /// The exclusive bound.
        length: ExprId,
        /// The extent named by the fault.
        extent: Extent,
    },
    /// A field of a tuple or struct value, by index.
    Field {
        /// The tuple or struct.
        operand: ExprId,
        /// The field's index.
        index: u32,
    },
}

/// The extent indexed by an [`ExprKind::Within`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Extent {
    /// The rows of a matrix.
    Rows,
    /// The columns of a matrix.
    Columns,
}

impl Extent {
    /// The fault of an out-of-bounds index.
    pub fn fault(self) -> FaultKind {
        match self {
            Extent::Rows => FaultKind::RowOutOfBounds,
            Extent::Columns => FaultKind::ColumnOutOfBounds,
        }
    }
}

/// A place: a base and projections.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// The base.
    pub base: PlaceBase,
    /// The projections, outermost first.
    pub path: Vec<Projection>,
    /// The type of the value at the end of the path.
    pub ty: TypeId,
    /// The cache operator of loads and stores. Non-plain ones require a scalar place.
    pub access: Access,
    /// The source location.
    pub span: Span,
}

/// The base of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PlaceBase {
    /// A parameter or variable of the body. Private to the thread.
    Local(Handle<Local>),
    /// A variable in the shared memory of the block.
    Shared(Handle<SharedVariable>),
    /// A table of constants. Never written.
    Table(Handle<ConstantTable>),
}

/// A projection of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Projection {
    /// A field of a tuple or struct, by index.
    Field(u32),
    /// An element of the array or slice. `index` is `u64`; an index at or past the length faults if
    /// `checked`, otherwise it is undefined behaviour.
    Index {
        /// The element's number.
        index: ExprId,
        /// True if the index is bounds-checked.
        checked: bool,
    },
    /// The target of a reference.
    Deref,
}
