//! The instructions of a routine.
//!
//! Scalars, references and the two words of a slice are in registers, as bits. A register is read and written by its index
//! in the frame: constants come first, then locals, then temporaries, which live within one statement. Aggregates that are
//! locals, and locals that references lead to, are bytes of the frame; other aggregates are temporaries in the scratch
//! memory of the launch.

use vyre_abi::fault::FaultKind;
use vyre_abi::semantics::words;

use super::super::memory::Width;
use crate::ir::{
    AtomicOp, BinaryOp, Builtin, Extent, External, Function, Handle, Intrinsic, Local, MemoryOrder, MemoryScope,
    PlaceId, Scalar, Span, TypeId, UnaryOp,
};

/// The index of a register in the frame.
pub(in super::super) type Reg = u32;

/// The value of an expression.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Operand {
    /// A scalar or a reference.
    Word(Reg),
    /// A slice: the address of its first element, and its length.
    Slice(Reg, Reg),
    /// An aggregate: where it begins in scratch memory, and its size.
    Bytes(u64, u64),
}

/// Statements that have run since the last count.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Count {
    pub(in super::super) statements: u32,
    /// True if one of them does more than to pass time.
    pub(in super::super) acts: bool,
}

/// An instruction. Those with operands of any number are [`Rare`].
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Op {
    Move {
        to: Reg,
        from: Reg,
    },
    Constant {
        to: Reg,
        bits: u64,
    },
    Unary {
        function: words::Unary,
        to: Reg,
        operand: Reg,
    },
    Binary {
        function: words::Binary,
        to: Reg,
        left: Reg,
        right: Reg,
    },
    /// A unary operation on a float of 16 bits.
    UnaryHalf {
        op: UnaryOp,
        scalar: Scalar,
        to: Reg,
        operand: Reg,
    },
    /// A binary operation on floats of 16 bits.
    BinaryHalf {
        op: BinaryOp,
        scalar: Scalar,
        to: Reg,
        left: Reg,
        right: Reg,
    },
    MulAdd {
        scalar: Scalar,
        to: Reg,
        factors: [Reg; 2],
        summand: Reg,
    },
    /// An integer as another one: extended by the sign of the first, or cut.
    Extend {
        to: Reg,
        operand: Reg,
        from: Scalar,
        into: Scalar,
    },
    Cast {
        to: Reg,
        operand: Reg,
        from: Scalar,
        into: Scalar,
    },
    Bitcast {
        to: Reg,
        operand: Reg,
        from: Scalar,
        into: Scalar,
    },
    Builtin {
        to: Reg,
        builtin: Builtin,
    },
    /// The address of a byte of the block's shared memory.
    Shared {
        to: Reg,
        offset: u64,
    },
    /// The address of a byte of the frame.
    Private {
        to: Reg,
        offset: u64,
    },
    /// An address so many bytes further on.
    Advance {
        to: Reg,
        start: Reg,
        bytes: u64,
    },
    /// The address of an element of a slice, whose index is checked.
    Element {
        to: Reg,
        start: Reg,
        length: Reg,
        index: Reg,
        size: u64,
    },
    /// The same for an array.
    ArrayElement {
        to: Reg,
        start: Reg,
        index: Reg,
        length: u64,
        size: u64,
    },
    /// Checks an index of a matrix.
    Within {
        index: Reg,
        length: Reg,
    },
    /// Reads a word. `place` is that which the recorder is told of, or [`UNRECORDED`].
    Load {
        to: Reg,
        at: Reg,
        plus: u64,
        width: Width,
        place: u32,
    },
    /// [`Element`](Op::Element) and a load of it.
    LoadElement {
        to: Reg,
        start: Reg,
        length: Reg,
        index: Reg,
        width: Width,
        place: u32,
    },
    /// [`ArrayElement`](Op::ArrayElement) and a load of it.
    LoadArrayElement {
        to: Reg,
        start: Reg,
        index: Reg,
        length: u64,
        width: Width,
        place: u32,
    },
    /// Reads a word of the frame.
    LoadLocal {
        to: Reg,
        offset: u64,
        width: Width,
        place: u32,
    },
    /// Writes a word.
    Store {
        from: Reg,
        at: Reg,
        plus: u64,
        width: Width,
        place: u32,
    },
    /// Writes a word of the frame.
    StoreLocal {
        from: Reg,
        offset: u64,
        width: Width,
    },
    /// Reads a word of scratch memory.
    LoadScratch {
        to: Reg,
        offset: u64,
        width: Width,
    },
    /// Writes a word of scratch memory.
    StoreScratch {
        from: Reg,
        offset: u64,
        width: Width,
    },
    Jump {
        target: u32,
        count: Count,
    },
    /// Goes to the target if the condition is false.
    Unless {
        condition: Reg,
        target: u32,
        count: Count,
    },
    /// Goes to the target if the condition is true.
    When {
        condition: Reg,
        target: u32,
    },
    /// Goes back to the start of a loop. A turn may end here.
    Repeat {
        target: u32,
        count: Count,
    },
    Count(Count),
    /// One of the routine's rare instructions.
    Rare(u32),
}

/// In place of a place: an access that is part of another one, and not recorded.
pub(in super::super) const UNRECORDED: u32 = u32::MAX;

/// An instruction that is executed rarely, or takes long.
#[derive(Clone, Debug)]
pub(in super::super) enum Rare<'p> {
    /// An external, which stops the thread if it has no value.
    External(Handle<External>),
    /// Stops the thread, because a value takes more than its private memory.
    Memory,
    Subslice {
        to: [Reg; 2],
        slice: [Reg; 2],
        range: [Reg; 2],
        size: u64,
    },
    /// The length of a slice in elements of another size.
    Regroup {
        to: Reg,
        length: Reg,
        op: BinaryOp,
        count: u64,
    },
    DynamicShared {
        to: [Reg; 2],
        offset: Reg,
        length: Option<Reg>,
        size: u64,
    },
    MapShared {
        to: Reg,
        address: Reg,
        rank: Reg,
    },
    /// Reads an aggregate into scratch memory.
    Load {
        to: u64,
        from: Reg,
        size: u64,
        place: PlaceId,
        ty: TypeId,
    },
    /// Writes an aggregate from scratch memory.
    Store {
        from: u64,
        to: Reg,
        size: u64,
        place: PlaceId,
    },
    /// Copies scratch memory.
    Copy {
        to: u64,
        from: u64,
        size: u64,
    },
    /// Zeros scratch memory, for the padding of an aggregate.
    Zero {
        start: u64,
        size: u64,
    },
    /// Repeats the bytes at the start of a range of scratch memory up to its end.
    Fill {
        start: u64,
        element: u64,
        size: u64,
    },
    Call {
        function: Handle<Function>,
        arguments: Vec<Operand>,
        result: Option<Handle<Local>>,
    },
    Return(Option<Operand>),
    /// The end of the body.
    End,
    Atomic(Atomic),
    Intrinsic {
        intrinsic: Intrinsic,
        operands: Vec<Operand>,
        /// The bytes of what the first operand refers to, for copies.
        size: u64,
        result: Option<Handle<Local>>,
        span: Span,
    },
    Print {
        template: &'p str,
        values: Vec<Reg>,
    },
    /// The fault of an assertion or a panic.
    Fail {
        kind: FaultKind,
        message: &'p str,
        values: Vec<Reg>,
        span: Span,
    },
}

/// An atomic statement.
#[derive(Clone, Debug)]
pub(in super::super) struct Atomic {
    pub(in super::super) op: AtomicOp,
    pub(in super::super) order: MemoryOrder,
    pub(in super::super) scope: MemoryScope,
    pub(in super::super) scalar: Scalar,
    pub(in super::super) at: Reg,
    pub(in super::super) operands: Vec<Operand>,
    pub(in super::super) result: Option<Handle<Local>>,
    pub(in super::super) span: Span,
}

/// The place in the source of an instruction that may stop the thread.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Site {
    /// The index of the instruction.
    pub(in super::super) op: u32,
    pub(in super::super) span: Span,
    pub(in super::super) kind: SiteKind,
}

#[derive(Clone, Copy, Debug)]
pub(in super::super) enum SiteKind {
    /// An access, a division, or one of the rare instructions.
    Other,
    /// An index or range of a place after so many projections, and whether it is checked.
    Index(PlaceId, usize, bool),
    /// An index of a matrix.
    Within(Extent),
}
