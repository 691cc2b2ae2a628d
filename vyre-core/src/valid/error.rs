//! What can be wrong with a program.

use std::fmt;

use crate::fault::FaultChannel;
use crate::ir::{
    AtomicOp, BinaryOp, ConstantTable, Expr, External, Function, Handle, Kernel, Local, MemoryOrder, Place, Program,
    Scalar, SharedVariable, Span, TypeId, UnaryOp,
};
use crate::text::type_text;

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
    /// An atomic cell of fewer than 32 bits.
    AtomicWidth(Scalar),

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
    /// A variable that holds a reference is read where it may not have been written.
    Unassigned(Handle<Local>),
}

impl Invalid {
    /// The message with the names and types of the program.
    pub fn display<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Message {
            invalid: self,
            program: Some(program),
        }
    }
}

/// The message without the names of the program; [`Invalid::display`] has them.
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = Message {
            invalid: self,
            program: None,
        };
        message.fmt(f)
    }
}

impl std::error::Error for Invalid {}

struct Message<'a> {
    invalid: &'a Invalid,
    program: Option<&'a Program>,
}

impl Message<'_> {
    /// A type, by its number where the program is not at hand.
    fn ty(&self, ty: TypeId) -> String {
        match self.program {
            Some(program) => type_text(program, ty),
            None => match Scalar::ALL.get(ty.index()) {
                Some(scalar) => scalar.name().to_owned(),
                None => format!("type {ty:?}"),
            },
        }
    }

    fn function(&self, function: Handle<Function>) -> String {
        match self.program.and_then(|program| program.functions.get(function)) {
            Some(function) => format!("`{}`", function.name),
            None => format!("function {function:?}"),
        }
    }

    fn kernel(&self, kernel: Handle<Kernel>) -> String {
        match self.program.and_then(|program| program.kernels.get(kernel)) {
            Some(kernel) => format!("`{}`", kernel.name),
            None => format!("{kernel:?}"),
        }
    }

    /// A path to where the fault is: source position, then the part of the program.
    fn location(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { file, line, column } = self.invalid.span;
        if self.invalid.span.is_some() {
            let name = self.program.and_then(|program| program.files.get(file as usize));
            match name {
                Some(name) => write!(f, "{name}:{line}:{column}: ")?,
                None => write!(f, "{line}:{column}: ")?,
            }
        }
        match self.invalid.within {
            Within::Program => Ok(()),
            Within::Function(function) => write!(f, "in function {}: ", self.function(function)),
            Within::Kernel(kernel) => write!(f, "in kernel {}: ", self.kernel(kernel)),
            Within::Entry(kernel, 0) => write!(f, "in kernel {}: ", self.kernel(kernel)),
            Within::Entry(kernel, entry) => write!(f, "in entry {entry} of kernel {}: ", self.kernel(kernel)),
        }
    }
}

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.location(f)?;
        use InvalidKind as Kind;
        match &self.invalid.kind {
            Kind::Missing(entity) => write!(f, "{entity} does not exist"),
            Kind::TypeOrder(ty) => write!(f, "type {ty:?} mentions a type that does not stand before it"),
            Kind::TypeTooComplex(ty) => write!(
                f,
                "type {ty:?} is nested more than {} deep or consists of more than {} types",
                super::MAX_TYPE_DEPTH,
                super::MAX_PARTS
            ),
            Kind::TypeTooLarge(ty) => write!(f, "`{}` is larger than {} bytes", self.ty(*ty), super::MAX_SIZE),
            Kind::EmptyArray(ty) => write!(f, "`{}` has no elements; an array has one at least", self.ty(*ty)),
            Kind::SizelessElement(ty) => write!(f, "the elements of `{}` have no size", self.ty(*ty)),
            Kind::NestedReference(ty) => write!(
                f,
                "`{}` holds references; they live in variables, tuples and structs alone",
                self.ty(*ty)
            ),
            Kind::AtomicWidth(scalar) => write!(f, "an atomic has 32 or 64 bits, `{}` has neither", scalar.name()),
            Kind::ConstantBits { scalar, bits } => {
                write!(f, "the bits {bits:#x} are not a value of `{}`", scalar.name())
            }
            Kind::TableType(ty) => write!(f, "a table is an array of scalars, not `{}`", self.ty(*ty)),
            Kind::TableLength { expected, found } => write!(f, "a table of {expected} values has {found}"),
            Kind::SharedType(ty) => write!(
                f,
                "`{}` cannot be in shared memory: it has no size, or holds references",
                self.ty(*ty)
            ),
            Kind::SharedTooLarge { bytes } => write!(
                f,
                "the shared variables take {bytes} bytes, a block has {}",
                super::MAX_SHARED
            ),
            Kind::ParameterCount { parameters, locals } => {
                write!(f, "{parameters} parameters, but {locals} locals to hold them")
            }
            Kind::ResultType(ty) => write!(f, "`{}` holds atomics and cannot be returned", self.ty(*ty)),
            Kind::Recursion(cycle) => {
                f.write_str("functions must not recurse:")?;
                for &function in cycle {
                    write!(f, " {} calls", self.function(function))?;
                }
                match cycle.first() {
                    Some(&first) => write!(f, " {}", self.function(first)),
                    None => Ok(()),
                }
            }
            Kind::CallsTooDeep(function) => write!(
                f,
                "{} calls functions more than {} deep",
                self.function(*function),
                super::MAX_CALLS
            ),
            Kind::MissingReturn(ty) => write!(f, "the function can end without returning its `{}`", self.ty(*ty)),
            Kind::EscapingReference => f.write_str("this may return a reference to a variable of the function"),
            Kind::Dimensions(dimensions) => write!(f, "a kernel has 1, 2 or 3 dimensions, not {dimensions}"),
            Kind::BlockShape(block) => write!(
                f,
                "a block of {block:?} threads: it must have 1 to 1024 in all, and at most 64 along z"
            ),
            Kind::UnusedAxis { axis, extent } => write!(
                f,
                "a block of {extent} threads along {}, which the kernel does not use",
                ["x", "y", "z"].get(*axis).unwrap_or(&"?")
            ),
            Kind::KernelParameter(ty) => write!(
                f,
                "a kernel cannot take `{}`: only scalars, slices, and structs and tuples of scalars",
                self.ty(*ty)
            ),
            Kind::ParametersTooLarge { bytes } => write!(
                f,
                "the parameters take {bytes} bytes, at most {} can be passed ({} more go to the fault channel)",
                super::MAX_PARAMETERS,
                size_of::<FaultChannel>()
            ),
            Kind::NoEntry => f.write_str("the kernel has no entry"),
            Kind::LastPredicate => f.write_str("the last entry must hold always, but has a predicate"),
            Kind::UnreachableEntry => f.write_str("this entry holds always, so those after it never run"),
            Kind::Coarsening => f.write_str("each thread must cover one index at least"),
            Kind::Symbol(symbol) => write!(f, "{symbol:?} is not a name in PTX"),
            Kind::RepeatedSymbol(symbol) => write!(f, "two entries have the name `{symbol}`"),
            Kind::EntryParameter { index, expected, found } => {
                write!(
                    f,
                    "parameter {index} is `{}`, but the entry's local ",
                    self.ty(*expected)
                )?;
                match found {
                    Some(found) => write!(f, "is `{}`", self.ty(*found)),
                    None => f.write_str("is missing"),
                }
            }
            Kind::PredicateOperand => {
                f.write_str("a predicate is computed from constants, parameters and lengths of slices alone")
            }
            Kind::PredicateDivisor => f.write_str("a predicate divides by constants alone, and not by 0 or -1"),
            Kind::LocalType(ty) => write!(f, "a variable cannot hold the atomics in `{}`", self.ty(*ty)),
            Kind::LocalsTooLarge { bytes } => {
                write!(
                    f,
                    "the variables take {bytes} bytes, a thread has {}",
                    super::MAX_LOCALS
                )
            }
            Kind::Reused(entity) => write!(f, "{entity} stands in two places; each belongs to one"),
            Kind::TooDeep => write!(f, "nested more than {} deep", super::MAX_DEPTH),
            Kind::StatedType { stated, actual } => {
                write!(f, "stated to be `{}`, but ", self.ty(*stated))?;
                match actual {
                    Some(actual) => write!(f, "is `{}`", self.ty(*actual)),
                    None => f.write_str("has another type"),
                }
            }
            Kind::Mismatch { expected, found } => {
                write!(f, "expected `{}`, found `{}`", self.ty(*expected), self.ty(*found))
            }
            Kind::NotScalar(ty) => write!(f, "expected a scalar, found `{}`", self.ty(*ty)),
            Kind::Unary { op, scalar } => write!(f, "`{}` is not defined on `{}`", op.name(), scalar.name()),
            Kind::Binary { op, scalar } => write!(f, "`{}` is not defined on `{}`", op.name(), scalar.name()),
            Kind::MulAdd(scalar) => write!(f, "`mul_add` is defined on floats, not on `{}`", scalar.name()),
            Kind::Cast { from, to } => write!(f, "`{}` does not cast to `{}`", from.name(), to.name()),
            Kind::Bitcast { from, to } => write!(f, "the bits of `{}` are not those of a `{}`", from.name(), to.name()),
            Kind::NotAggregate(ty) => write!(f, "`{}` is no tuple, struct or array", self.ty(*ty)),
            Kind::PartCount { ty, expected, found } => {
                write!(f, "`{}` is made of {expected} values, not of {found}", self.ty(*ty))
            }
            Kind::NotArray(ty) => write!(f, "expected an array, found `{}`", self.ty(*ty)),
            Kind::NoField { ty, index } => write!(f, "`{}` has no field {index}", self.ty(*ty)),
            Kind::NotIndexable(ty) => write!(f, "`{}` has no elements: it is no array or slice", self.ty(*ty)),
            Kind::NotReference(ty) => write!(f, "`{}` is no reference", self.ty(*ty)),
            Kind::NotSlice(ty) => write!(f, "expected a slice, found `{}`", self.ty(*ty)),
            Kind::AtomicLoad(ty) => write!(f, "`{}` holds atomics: read them by atomic loads", self.ty(*ty)),
            Kind::AtomicStore(ty) => write!(f, "`{}` holds atomics: write them by atomic stores", self.ty(*ty)),
            Kind::Immutable(Immutable::Table) => f.write_str("a table of constants cannot be written"),
            Kind::Immutable(Immutable::Reference) => f.write_str("cannot write through a `&` reference"),
            Kind::Immutable(Immutable::Slice) => f.write_str("cannot write through a `&[T]` slice"),
            Kind::NotAtomic(ty) => write!(f, "expected an atomic, found `{}`", self.ty(*ty)),
            Kind::Atomic { op, scalar } => {
                write!(f, "atomic `{}` is not defined on `{}`", op.name(), scalar.name())
            }
            Kind::AtomicOperands { op, found } => {
                write!(
                    f,
                    "atomic `{}` takes {} operands, not {found}",
                    op.name(),
                    op.operands()
                )
            }
            Kind::AtomicOrder { op, order } => {
                write!(f, "an atomic `{}` cannot be `{}`", op.name(), order.name())
            }
            Kind::AtomicResult => f.write_str("an atomic store has no result"),
            Kind::RelaxedFence => f.write_str("a relaxed fence orders nothing"),
            Kind::ArgumentCount {
                function,
                expected,
                found,
            } => write!(
                f,
                "{} takes {expected} arguments, not {found}",
                self.function(*function)
            ),
            Kind::NoLoop(depth) => write!(f, "there are not {} loops around this", u64::from(*depth) + 1),
            Kind::ContinueInStep => f.write_str("the step of a loop cannot continue the same loop"),
            Kind::ReturnWithout(ty) => write!(f, "this must return a `{}`", self.ty(*ty)),
            Kind::ReturnWith => f.write_str("there is no result to return"),
            Kind::Unassigned(local) => write!(f, "{} is read where it may not have been written", self.local(*local)),
        }
    }
}

impl Message<'_> {
    fn local(&self, local: Handle<Local>) -> String {
        let body = self.program.and_then(|program| match self.invalid.within {
            Within::Function(function) => program.functions.get(function).map(|function| &function.body),
            Within::Entry(kernel, entry) => {
                let entry = program.kernels.get(kernel).and_then(|kernel| kernel.entries.get(entry));
                entry.map(|entry| &entry.body)
            }
            Within::Program | Within::Kernel(_) => None,
        });
        match body.and_then(|body| body.locals.get(local)) {
            Some(found) if !found.name.is_empty() => format!("`{}`", found.name),
            _ => Entity::Local(local).to_string(),
        }
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entity::Type(handle) => write!(f, "type {handle:?}"),
            Entity::File(index) => write!(f, "file #{index}"),
            Entity::External(handle) => write!(f, "external {handle:?}"),
            Entity::Table(handle) => write!(f, "table {handle:?}"),
            Entity::Shared(handle) => write!(f, "shared variable {handle:?}"),
            Entity::Function(handle) => write!(f, "function {handle:?}"),
            Entity::Local(handle) => write!(f, "variable {handle:?}"),
            Entity::Expr(handle) => write!(f, "expression {handle:?}"),
            Entity::Place(handle) => write!(f, "place {handle:?}"),
        }
    }
}
