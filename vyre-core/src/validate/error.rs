//! What can be wrong with a program.

use vyre_abi::format::TemplateError;

use crate::ir::{
    AtomicOp, BinaryOp, ConstantTable, Expr, External, Function, Handle, Intrinsic, Kernel, Local, MemoryOrder, Place,
    Scalar, SharedVariable, Span, TypeId, UnaryOp, WarpOp,
};

/// Something wrong with a program: what, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong.
    pub kind: InvalidKind,
    /// In which part of the program.
    pub within: Within,
    /// Where in the source, as closely as it is known.
    pub span: Span,
}

/// A part of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// Its types and data.
    Program,
    /// A function.
    Function(Handle<Function>),
    /// A kernel's interface.
    Kernel(Handle<Kernel>),
    /// An entry of a kernel, by its position.
    Entry(Handle<Kernel>, usize),
}

/// An element of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the elements of the same names")]
pub enum Entity {
    Type(TypeId),
    File(u32),
    External(Handle<External>),
    Table(Handle<ConstantTable>),
    Shared(Handle<SharedVariable>),
    Function(Handle<Function>),
    Local(Handle<Local>),
    Expr(Handle<Expr>),
    Place(Handle<Place>),
}

/// Why a place cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immutable {
    /// It is part of a table of constants.
    Table,
    /// It lies behind a `&T`.
    Reference,
    /// It is an element of a `&[T]`.
    Slice,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidKind {
    /// A handle names an element that does not exist.
    Missing(Entity),

    /// A type mentions itself or a later one.
    TypeOrder(TypeId),
    /// A type is nested deeper than [`MAX_TYPE_DEPTH`](super::MAX_TYPE_DEPTH), or consists of more
    /// types than [`MAX_PARTS`](super::MAX_PARTS).
    TypeTooComplex(TypeId),
    /// A type is larger than [`MAX_SIZE`](super::MAX_SIZE).
    TypeTooLarge(TypeId),
    /// `[T; 0]`.
    EmptyArray(TypeId),
    /// An array or slice of elements without a size.
    SizelessElement(TypeId),
    /// An array, slice or reference that holds references.
    NestedReference(TypeId),

    /// A constant has bits beyond its type.
    ConstantBits {
        /// The type.
        scalar: Scalar,
        /// The bits.
        bits: u64,
    },
    /// A table is no array, or not of scalars.
    TableType(TypeId),
    /// A table has too many or too few values.
    TableLength {
        /// What its type says.
        expected: u64,
        /// What it has.
        found: u64,
    },
    /// A shared variable has no size, or holds references.
    SharedType(TypeId),
    /// A kernel's shared variables are larger than [`MAX_SHARED`](super::MAX_SHARED).
    SharedTooLarge {
        /// Their size in bytes.
        bytes: u64,
    },

    /// A function has more parameters than locals.
    ParameterCount {
        /// Parameters.
        parameters: u32,
        /// Locals.
        locals: usize,
    },
    /// The result of a function holds atomics.
    ResultType(TypeId),
    /// Functions call each other in a circle: each the next one, the last the first.
    Recursion(Vec<Handle<Function>>),
    /// Functions call each other deeper than [`MAX_CALLS`](super::MAX_CALLS).
    CallsTooDeep(Handle<Function>),
    /// A function with a result can end without a `return`.
    MissingReturn(TypeId),
    /// A function may return a reference to one of its own variables.
    EscapingReference,

    /// A kernel has 0 or more than 3 dimensions.
    Dimensions(u32),
    /// A block has no threads or more than the hardware allows.
    BlockShape([u32; 3]),
    /// A block has several threads along an axis that the kernel does not use.
    UnusedAxis {
        /// 0 for x, 1 for y, 2 for z.
        axis: usize,
        /// Threads along it.
        extent: u32,
    },
    /// A kernel cannot take a parameter of this type.
    KernelParameter(TypeId),
    /// A kernel's parameters are larger than [`MAX_PARAMETERS`](super::MAX_PARAMETERS).
    ParametersTooLarge {
        /// Their size in bytes.
        bytes: u64,
    },
    /// A kernel has no entry.
    NoEntry,
    /// The last entry of a kernel has a predicate, so some launches have no entry.
    LastPredicate,
    /// An entry before the last has no predicate, so later ones never run.
    UnreachableEntry,
    /// An entry covers no index.
    Coarsening,
    /// The name of an entry is no name in PTX.
    Symbol(String),
    /// Two entries have the same name.
    RepeatedSymbol(String),
    /// The first locals of an entry do not have the types of the kernel's parameters.
    EntryParameter {
        /// Which parameter.
        index: usize,
        /// Its type.
        expected: TypeId,
        /// The type of the local, if there is one.
        found: Option<TypeId>,
    },
    /// A predicate has something in it that is not known at the launch.
    PredicateOperand,
    /// A predicate divides by something else than a constant, or by 0 or -1.
    PredicateDivisor,

    /// A variable's type holds atomics.
    LocalType(TypeId),
    /// The variables of a body are larger than [`MAX_LOCALS`](super::MAX_LOCALS).
    LocalsTooLarge {
        /// Their size in bytes.
        bytes: u64,
    },
    /// An expression or place is mentioned twice.
    Reused(Entity),
    /// Expressions and blocks are nested deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,

    /// A node states another type than it has.
    StatedType {
        /// The type that it states.
        stated: TypeId,
        /// The type that it has, where the program has such a type.
        actual: Option<TypeId>,
    },
    /// An operand has another type than it must.
    Mismatch {
        /// The type that it must have.
        expected: TypeId,
        /// The type that it has.
        found: TypeId,
    },
    /// An operand must be a scalar.
    NotScalar(TypeId),
    /// An operation is not defined on this type.
    Unary {
        /// The operation.
        op: UnaryOp,
        /// The type.
        scalar: Scalar,
    },
    /// An operation is not defined on this type.
    Binary {
        /// The operation.
        op: BinaryOp,
        /// The type.
        scalar: Scalar,
    },
    /// `mul_add` of what is no float.
    MulAdd(Scalar),
    /// `as` between types that do not cast.
    Cast {
        /// From this type.
        from: Scalar,
        /// To this one.
        to: Scalar,
    },
    /// The bits of one type as another of a different width, or of `bool`.
    Bitcast {
        /// From this type.
        from: Scalar,
        /// To this one.
        to: Scalar,
    },
    /// A construction of what is no tuple, struct or array.
    NotAggregate(TypeId),
    /// A construction with too many or too few parts.
    PartCount {
        /// What is constructed.
        ty: TypeId,
        /// Its parts.
        expected: u64,
        /// The parts given.
        found: u64,
    },
    /// A repetition of what is no array.
    NotArray(TypeId),
    /// A type without this field.
    NoField {
        /// The type.
        ty: TypeId,
        /// The field's number.
        index: u32,
    },
    /// An index into what is no array or slice.
    NotIndexable(TypeId),
    /// A dereference of what is no reference.
    NotReference(TypeId),
    /// The length of what is no slice.
    NotSlice(TypeId),
    /// A plain read of atomics.
    AtomicLoad(TypeId),
    /// A plain write of atomics.
    AtomicStore(TypeId),
    /// A write or `&mut` of what cannot be written.
    Immutable(Immutable),

    /// An atomic operation on what is not atomic.
    NotAtomic(TypeId),
    /// An atomic operation that is not defined on this type.
    Atomic {
        /// The operation.
        op: AtomicOp,
        /// The type.
        scalar: Scalar,
    },
    /// An atomic operation with too many or too few operands.
    AtomicOperands {
        /// The operation.
        op: AtomicOp,
        /// The operands given.
        found: usize,
    },
    /// An ordering that the operation cannot have.
    AtomicOrder {
        /// The operation.
        op: AtomicOp,
        /// The ordering.
        order: MemoryOrder,
    },
    /// An exchange among a warp with too many or too few operands.
    WarpOperands {
        /// The operation.
        op: WarpOp,
        /// The operands given.
        found: usize,
    },
    /// An exchange among a warp of what is no scalar, or none that the operation takes.
    WarpValue {
        /// The operation.
        op: WarpOp,
        /// The type of the value.
        ty: TypeId,
    },
    /// An exchange among tiles of so many lanes, into which no warp is cut.
    Tile(u32),
    /// An intrinsic whose immediates, operands or result do not fit.
    Intrinsic {
        /// Which one.
        intrinsic: Intrinsic,
        /// What is wrong.
        why: &'static str,
    },
    /// Dynamic shared memory of a type that is no mutable slice of what may lie there.
    NotSharedSlice(TypeId),
    /// An asynchronous copy between what are no two references or slices of one type, the first one
    /// mutable, or of what is not whole words.
    Copy {
        /// The type of where it goes.
        to: TypeId,
        /// The type of where it comes from.
        from: TypeId,
        /// How many elements.
        count: u64,
    },
    /// A place that is not plainly accessed is of this type, which is no scalar.
    AccessType(TypeId),
    /// Clusters of so many blocks.
    ClusterShape([u32; 3]),
    /// A barrier of the grid in a kernel with clusters.
    GridBarrierAmongClusters,
    /// What is looked for in another block, but does not lie in a shared variable.
    MapsOther,
    /// A function that waits for the whole grid.
    GridBarrierInFunction,
    /// An entry that waits for the whole grid and returns elsewhere than at its end.
    LeavesBeforeGridBarrier,
    /// A product of matrices in a kernel whose warps are not whole, or that returns early.
    ProductOfSomeLanes,
    /// A result of an exchange that yields none.
    WarpResult,
    /// A result of an atomic store.
    AtomicResult,
    /// A relaxed fence.
    RelaxedFence,
    /// A call with too many or too few arguments.
    ArgumentCount {
        /// The function.
        function: Handle<Function>,
        /// Its parameters.
        expected: u32,
        /// The arguments given.
        found: usize,
    },
    /// A break or continue without a loop around it that it could mean.
    NoLoop(u32),
    /// A continue of a loop inside the loop's own step.
    ContinueInStep,
    /// A return without the value that the function promises.
    ReturnWithout(TypeId),
    /// A return with a value, where there is no result.
    ReturnWith,
    /// The text of a message or of what is printed is no template.
    Template(TemplateError),
    /// A template with too many or too few values.
    TemplateValues {
        /// Its places.
        expected: usize,
        /// The values given.
        found: usize,
    },
    /// A message with more values than it may have.
    TooManyValues {
        /// The values that it may have.
        most: usize,
        /// The values given.
        found: usize,
    },
    /// Instructions in PTX that do not stand under `if on_gpu`.
    PtxAnywhere,
    /// A place in the text of instructions that names no operand and no result.
    PtxPlace,
    /// An operand or result of instructions that is no scalar of 16, 32 or 64 bits.
    PtxOperand(TypeId),
    /// A variable that holds a reference is read where it may not have been written.
    Unassigned(Handle<Local>),
}
