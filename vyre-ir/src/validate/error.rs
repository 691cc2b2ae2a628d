//! Validation errors.

use vyre_abi::format::TemplateError;

use crate::ir::{
    AtomicOp, BinaryOp, ConstantTable, Expr, External, Function, Handle, Intrinsic, Kernel, Local, MemoryOrder, Place,
    Scalar, SharedVariable, Span, TypeId, UnaryOp,
};

/// A validation error with its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The kind of error.
    pub kind: InvalidKind,
    /// The part of the program.
    pub within: Within,
    /// The source location, as precisely as known.
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

/// The reason why a place cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Immutable {
    /// It is part of a table of constants.
    Table,
    /// It is behind a `&T`.
    Reference,
    /// It is an element of a `&[T]`.
    Slice,
}

/// The kind of a validation error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidKind {
    /// A handle refers to an element that does not exist.
    Missing(Entity),

    /// A type refers to itself or a later one.
    TypeOrder(TypeId),
    /// A type is nested deeper than [`MAX_TYPE_DEPTH`](crate::ir::limits::MAX_TYPE_DEPTH), or consists of more
    /// types than [`MAX_PARTS`](crate::ir::limits::MAX_PARTS).
    TypeTooComplex(TypeId),
    /// A type is larger than [`MAX_SIZE`](crate::ir::limits::MAX_SIZE).
    TypeTooLarge(TypeId),
    /// A struct that asks for an alignment that is no power of two, or more than
    /// [`SHARED_ALIGN`](crate::ir::SHARED_ALIGN).
    Alignment(TypeId),
    /// An array or slice of zero-sized elements.
    SizelessElement(TypeId),
    /// An array, slice or reference that contains references.
    NestedReference(TypeId),

    /// A constant has bits above its type's width.
    ConstantBits {
        /// The type.
        scalar: Scalar,
        /// The bits.
        bits: u64,
    },
    /// A table is not an array of scalars.
    TableType(TypeId),
    /// A table has too many or too few values.
    TableLength {
        /// The number required by its type.
        expected: u64,
        /// Its number of values.
        found: u64,
    },
    /// A shared variable is zero-sized, or contains references.
    SharedType(TypeId),
    /// A kernel's shared variables are larger than [`MAX_SHARED`](crate::ir::limits::MAX_SHARED).
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
    /// The result of a function contains atomics.
    ResultType(TypeId),
    /// Functions call each other recursively: each the next one, the last the first.
    Recursion(Vec<Handle<Function>>),
    /// The call depth exceeds [`MAX_CALLS`](crate::ir::limits::MAX_CALLS).
    CallsTooDeep(Handle<Function>),
    /// A function with a result can end without a `return`.
    MissingReturn(TypeId),
    /// A function may return a reference to one of its own variables.
    EscapingReference,

    /// A kernel has 0 or more than 3 dimensions.
    Dimensions(u32),
    /// A block has no threads, or more than the hardware allows.
    BlockShape([u32; 3]),
    /// So many blocks are resident on the multiprocessors of no GPU.
    MinBlocks(u32),
    /// A block has several threads along an axis that the kernel does not use.
    UnusedAxis {
        /// 0 for x, 1 for y, 2 for z.
        axis: usize,
        /// Threads along it.
        extent: u32,
    },
    /// A type that is not allowed as a kernel parameter.
    KernelParameter(TypeId),
    /// A kernel's parameters are larger than [`MAX_PARAMETERS`](crate::ir::limits::MAX_PARAMETERS).
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
    /// An entry with a coarsening of 0.
    Coarsening,
    /// The symbol of an entry is not a valid PTX name.
    Symbol(String),
    /// Two entries have the same symbol.
    RepeatedSymbol(String),
    /// The first locals of an entry do not have the types of the kernel's parameters.
    EntryParameter {
        /// The index of the parameter.
        index: usize,
        /// Its type.
        expected: TypeId,
        /// The type of the local, if there is one.
        found: Option<TypeId>,
    },
    /// A predicate depends on something that is unknown at the launch.
    PredicateOperand,
    /// A predicate divides by something other than a constant, or by 0 or -1.
    PredicateDivisor,

    /// The type of a variable contains atomics.
    LocalType(TypeId),
    /// The variables of a body are larger than [`MAX_LOCALS`](crate::ir::limits::MAX_LOCALS).
    LocalsTooLarge {
        /// Their size in bytes.
        bytes: u64,
        /// The largest of those that have a name in the source, with their sizes in bytes: at most four.
        largest: Box<[(String, u64)]>,
    },
    /// The variables of an entry and of the functions that call one another from there are larger than
    /// [`MAX_LOCALS`](crate::ir::limits::MAX_LOCALS).
    CallLocalsTooLarge {
        /// Their size in bytes.
        bytes: u64,
        /// The first of these functions.
        function: Handle<Function>,
    },
    /// An expression or place is used twice.
    Reused(Entity),
    /// Expressions and blocks are nested deeper than [`MAX_DEPTH`](crate::ir::limits::MAX_DEPTH).
    TooDeep,

    /// The declared type of a node differs from its actual type.
    StatedType {
        /// The declared type.
        stated: TypeId,
        /// The actual type, if the program has interned it.
        actual: Option<TypeId>,
    },
    /// An operand has the wrong type.
    Mismatch {
        /// The required type.
        expected: TypeId,
        /// The actual type.
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
    /// `mul_add` of a type other than a float.
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
    /// A slice as one of a type that is neither of arrays of its elements nor of the elements of its arrays.
    Regroup {
        /// From this type.
        from: TypeId,
        /// To this one.
        to: TypeId,
    },
    /// A construction of a type other than a tuple, struct or array.
    NotAggregate(TypeId),
    /// A construction with too many or too few parts.
    PartCount {
        /// The constructed type.
        ty: TypeId,
        /// Its parts.
        expected: u64,
        /// The parts given.
        found: u64,
    },
    /// A repetition of a type other than an array.
    NotArray(TypeId),
    /// A type without this field.
    NoField {
        /// The type.
        ty: TypeId,
        /// The field's number.
        index: u32,
    },
    /// An index into a type other than an array or slice.
    NotIndexable(TypeId),
    /// A dereference of a type other than a reference.
    NotReference(TypeId),
    /// The length of a type other than a slice.
    NotSlice(TypeId),
    /// A plain read of atomics.
    AtomicLoad(TypeId),
    /// A plain write of atomics.
    AtomicStore(TypeId),
    /// A write or `&mut` of an immutable place.
    Immutable(Immutable),

    /// An atomic operation on a place that is not atomic.
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
    /// An ordering that the operation does not allow.
    AtomicOrder {
        /// The operation.
        op: AtomicOp,
        /// The ordering.
        order: MemoryOrder,
    },
    /// An operand or a result of an intrinsic of a type that it does not have.
    IntrinsicValue {
        /// The intrinsic.
        intrinsic: Intrinsic,
        /// The type of the value.
        ty: TypeId,
    },
    /// An intrinsic with invalid immediates, operands or result.
    Intrinsic {
        /// The intrinsic.
        intrinsic: Intrinsic,
        /// The reason.
        why: &'static str,
    },
    /// Dynamic shared memory of a type other than a mutable slice of allowed elements.
    NotSharedSlice(TypeId),
    /// An asynchronous copy whose operands are not two references or slices of one type, the first
    /// one mutable, or whose size is not a multiple of the word size.
    Copy {
        /// The type of the destination.
        to: TypeId,
        /// The type of the source.
        from: TypeId,
        /// The number of elements.
        count: u64,
    },
    /// A cache operator on a place of this type, which is not a scalar.
    AccessType(TypeId),
    /// An invalid cluster shape.
    ClusterShape([u32; 3]),
    /// A grid barrier in a kernel with clusters.
    GridBarrierAmongClusters,
    /// `map_shared` of something that is not in a shared variable.
    MapsOther,
    /// A grid barrier in a function.
    GridBarrierInFunction,
    /// An entry with a grid barrier that returns before its end.
    LeavesBeforeGridBarrier,
    /// A matrix operation in a kernel with partial warps or early returns.
    ProductOfSomeLanes,
    /// A result of an atomic store.
    AtomicResult,
    /// A call with too many or too few arguments.
    ArgumentCount {
        /// The function.
        function: Handle<Function>,
        /// Its parameters.
        expected: u32,
        /// The arguments given.
        found: usize,
    },
    /// A break or continue without an enclosing loop of that depth.
    NoLoop(u32),
    /// A continue of a loop inside the loop's own step.
    ContinueInStep,
    /// A return without the value required by the function.
    ReturnWithout(TypeId),
    /// A return with a value in a function without a result.
    ReturnWith,
    /// A message or printed text that is not a valid template.
    Template(TemplateError),
    /// A template with too many or too few values.
    TemplateValues {
        /// The number of its placeholders.
        expected: usize,
        /// The values given.
        found: usize,
    },
    /// A message with too many values.
    TooManyValues {
        /// The limit.
        most: usize,
        /// The values given.
        found: usize,
    },
    /// Inline PTX that is not guarded by `if on_gpu`.
    PtxAnywhere,
    /// A placeholder in inline PTX that refers to no operand or result.
    PtxPlace,
    /// A PTX version that there is not, or that is below the one of every module.
    PtxVersion((u32, u32)),
    /// An operand or result of inline PTX that is not a scalar of 16, 32 or 64 bits.
    PtxOperand(TypeId),
    /// A reference variable that may be read before it is initialised.
    Unassigned(Handle<Local>),
}
