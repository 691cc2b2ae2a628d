//! Expressions: values without effects. They read memory and may fault, but change nothing.
//!
//! Each expression stands in one place of one statement: expressions form trees. A statement
//! evaluates its trees depth first, operands from left to right, so loads see the memory as it is
//! when their statement runs.

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
    /// What it computes.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: TypeId,
    /// Where it stands in the source.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ExprKind {
    /// A scalar that the source writes. Type: that scalar.
    Constant(Constant),
    /// A scalar constant whose value the compiler of the crate supplies later. Type: its scalar.
    External(Handle<External>),
    /// A value of the running thread. Type: [`Builtin::scalar`].
    Builtin(Builtin),
    /// The value at a place: a local, an element, a field. Type: the place's, which is neither
    /// atomic nor holds atomics. Faults where an index of the place is out of bounds.
    Load(PlaceId),
    /// The number of elements of the slice that lies at a place of slice type. Type: `u64`.
    Length(PlaceId),
    /// `&place` or `&mut place`. Type: a reference to the place's type. Locals may be referred to;
    /// such a reference does not outlive the local.
    Reference(PlaceId),
    /// `&place[start..end]` of a place of slice or array type, `start` and `end` of `u64`.
    /// Type: a slice. Faults where `start > end` or `end` exceeds the length, if `checked`.
    Subslice {
        /// The slice or array.
        place: PlaceId,
        /// First element.
        start: ExprId,
        /// One past the last element.
        end: ExprId,
        /// Whether the range is compared with the length.
        checked: bool,
    },
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
    /// `left && right`: `right` is evaluated where `left` is true. Type: `bool`.
    And {
        /// Evaluated first.
        left: ExprId,
        /// Evaluated where `left` is true.
        right: ExprId,
    },
    /// `left || right`: `right` is evaluated where `left` is false. Type: `bool`.
    Or {
        /// Evaluated first.
        left: ExprId,
        /// Evaluated where `left` is false.
        right: ExprId,
    },
    /// `if condition { then } else { otherwise }`: one of the two is evaluated. Type: theirs.
    Select {
        /// A `bool`.
        condition: ExprId,
        /// Evaluated where it is true.
        then: ExprId,
        /// Evaluated where it is false.
        otherwise: ExprId,
    },
    /// `operand as T` between scalars, with Rust's meaning: integers truncate or extend by the
    /// operand's sign; integer to float and float to float round to nearest; float to integer
    /// truncates and saturates, NaN gives 0; `bool` to integer gives 0 or 1. Nothing casts to
    /// `bool`, `bool` does not cast to a float. From integers to `f16` and `bf16`, and
    /// back, it goes by way of `f32`.
    Cast(ExprId),
    /// The same bits as another scalar type of the same width (`to_bits`, `from_bits`). Of a float,
    /// to another type, a NaN becomes the canonical one: `0x7e00` of `f16`, `0x7fc0` of `bf16`,
    /// `0x7fc00000` or `0x7ff8000000000000`.
    Bitcast(ExprId),
    /// A tuple, struct or array of these fields or elements, in order.
    Construct(Vec<ExprId>),
    /// `[operand; N]`: an array that repeats one value.
    Repeat(ExprId),
    /// A mutable slice in the dynamic shared memory of the block, of which the launch says how much
    /// there is: it begins `offset` bytes from the start, rounded up to a multiple of
    /// [`SHARED_ALIGN`](super::SHARED_ALIGN), and has `length` elements, or as many as there are bytes
    /// for. Both are `u64`. Where it does not fit, it faults. Slices of one launch may overlap.
    DynamicShared {
        /// Bytes that are left out, at least.
        offset: ExprId,
        /// Number of elements; `None`: as many as there is room for.
        length: Option<ExprId>,
    },
    /// What the operand refers to, in the shared memory of another block of the cluster. The operand is an
    /// [`ExprKind::Reference`] to a place in a shared variable, an [`ExprKind::Subslice`] of one, or an
    /// [`ExprKind::DynamicShared`]; type: the operand's. Faults where the cluster has no block of this rank, which counts its blocks, x
    /// fastest, then y, then z; a kernel without clusters has one, its own. The memory stays what it is until all
    /// threads of the cluster have left.
    MapShared {
        /// The reference.
        reference: ExprId,
        /// Which block, a `u64`.
        rank: ExprId,
    },
    /// `index`, a `u64`; where it is not less than `length`, another one, it faults. Type: `u64`.
    /// The places of matrices are written with it, whose rows and columns are compared one by one.
    Within {
        /// What is compared.
        index: ExprId,
        /// What it is less than.
        length: ExprId,
        /// What the fault says that it counts.
        extent: Extent,
    },
    /// A field of a tuple or struct value, by number.
    Field {
        /// The tuple or struct.
        operand: ExprId,
        /// The field's number.
        index: u32,
    },
}

/// What the index in an [`ExprKind::Within`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Extent {
    /// The rows of a matrix.
    Rows,
    /// The columns of a matrix.
    Columns,
}

impl Extent {
    /// The fault of an index that is not less than the length.
    pub fn fault(self) -> FaultKind {
        match self {
            Extent::Rows => FaultKind::RowOutOfBounds,
            Extent::Columns => FaultKind::ColumnOutOfBounds,
        }
    }
}

/// Where a value lies: a base, then steps into it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Place {
    /// Where the path begins.
    pub base: PlaceBase,
    /// Steps from there, outermost first.
    pub path: Vec<Projection>,
    /// The type of the value at the end of the path.
    pub ty: TypeId,
    /// How it is loaded from or stored to. Others than plain ones are places of a scalar.
    pub access: Access,
    /// Where it stands in the source.
    pub span: Span,
}

/// Where a place begins.
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

/// One step of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Projection {
    /// A field of a tuple or struct, by number.
    Field(u32),
    /// An element of an array or of the slice that lies there. `index` is `u64`; an index at or
    /// past the length faults if `checked`, else it is undefined behaviour.
    Index {
        /// The element's number.
        index: ExprId,
        /// Whether the index is compared with the length.
        checked: bool,
    },
    /// From a reference to what it refers to.
    Deref,
}
