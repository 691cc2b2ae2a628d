//! The messages of validation errors.

use std::fmt;

use super::error::{Entity, Immutable, Invalid, InvalidKind, Within};
use crate::ir::{
    Function, Handle, Kernel, Local, MAX_CLUSTER_BLOCKS, MAX_RESIDENT_BLOCKS, MAX_RESIDENT_THREADS, Program,
    SHARED_ALIGN, Scalar, Span, TypeId, limits,
};
use crate::text::type_text;

impl Invalid {
    /// The message with the names and types of the program.
    pub fn display<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Message {
            invalid: self,
            program: Some(program),
            located: true,
        }
    }

    /// The message of [`display`](Invalid::display) without the location.
    pub fn fault<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        Message {
            invalid: self,
            program: Some(program),
            located: false,
        }
    }
}

/// The message without the names of the program; [`Invalid::display`] has them.
impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = Message {
            invalid: self,
            program: None,
            located: true,
        };
        message.fmt(f)
    }
}

impl std::error::Error for Invalid {}

struct Message<'a> {
    invalid: &'a Invalid,
    program: Option<&'a Program>,
    /// True if the message begins with the location.
    located: bool,
}

impl Message<'_> {
    /// A type, by its number if the program is not available.
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

    /// The location of the error: source position, then the part of the program.
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
        if self.located {
            self.location(f)?;
        }
        use InvalidKind as Kind;
        match &self.invalid.kind {
            Kind::Missing(entity) => write!(f, "{entity} does not exist"),
            Kind::TypeOrder(ty) => write!(f, "type {ty:?} mentions a type that does not stand before it"),
            Kind::TypeTooComplex(_) => write!(
                f,
                "a type is nested more than {} deep or consists of more than {} types",
                limits::MAX_TYPE_DEPTH,
                limits::MAX_PARTS
            ),
            Kind::TypeTooLarge(ty) => write!(f, "`{}` is larger than {} bytes", self.ty(*ty), limits::MAX_SIZE),
            Kind::Alignment(ty) => write!(
                f,
                "`{}` asks for an alignment that is no power of two up to {SHARED_ALIGN}",
                self.ty(*ty)
            ),
            Kind::SizelessElement(ty) => write!(f, "the elements of `{}` have no size", self.ty(*ty)),
            Kind::NestedReference(ty) => write!(
                f,
                "`{}` holds references; they live in variables, tuples and structs alone",
                self.ty(*ty)
            ),
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
                "the shared variables take {bytes} bytes, and a block has {}",
                limits::MAX_SHARED
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
                limits::MAX_CALLS
            ),
            Kind::MissingReturn(ty) => write!(f, "the function can end without returning its `{}`", self.ty(*ty)),
            Kind::EscapingReference => f.write_str("this may return a reference to a variable of the function"),
            Kind::Dimensions(dimensions) => write!(f, "a kernel has 1, 2 or 3 dimensions, not {dimensions}"),
            Kind::BlockShape(block) => write!(
                f,
                "a block of {block:?} threads: it must have 1 to 1024 in all, and at most 64 along z"
            ),
            Kind::MinBlocks(blocks) => write!(
                f,
                "{blocks} blocks at once: a multiprocessor runs at most {MAX_RESIDENT_BLOCKS}, and {MAX_RESIDENT_THREADS} threads"
            ),
            Kind::UnusedAxis { axis, extent } => write!(
                f,
                "a block of {extent} threads along {}, which the kernel does not use",
                ["x", "y", "z"].get(*axis).unwrap_or(&"?")
            ),
            Kind::KernelParameter(ty) => write!(
                f,
                "a kernel cannot take `{}`: only slices, scalars, and structs, tuples and arrays of up to {} scalars",
                self.ty(*ty),
                limits::MAX_PARAMETER_SCALARS
            ),
            Kind::ParametersTooLarge { bytes } => write!(
                f,
                "the parameters, with the constants that the host sets, take {bytes} bytes, and a launch passes at most {}",
                limits::MAX_PARAMETERS
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
            Kind::LocalsTooLarge { bytes, largest } => {
                write!(
                    f,
                    "the variables take {bytes} bytes, and a thread has {}",
                    limits::MAX_LOCALS
                )?;
                let mut mark = "; the largest are";
                for (name, bytes) in largest.iter() {
                    write!(f, "{mark} `{name}` with {bytes}")?;
                    mark = ",";
                }
                Ok(())
            }
            Kind::CallLocalsTooLarge { bytes, function } => {
                write!(
                    f,
                    "with its call of {} and those in there the variables take {bytes} bytes, and a thread has {}",
                    self.function(*function),
                    limits::MAX_LOCALS
                )
            }
            Kind::Reused(entity) => write!(f, "{entity} stands in two places; each belongs to one"),
            Kind::TooDeep => write!(f, "this is nested more than {} levels deep", limits::MAX_DEPTH),
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
            Kind::Regroup { from, to } => {
                write!(f, "`{}` is not made of the elements of `{}`", self.ty(*to), self.ty(*from))
            }
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
            Kind::IntrinsicValue { intrinsic, ty } => {
                write!(f, "`{intrinsic}` does not take or yield a `{}`", self.ty(*ty))
            }
            Kind::Intrinsic { intrinsic, why } => write!(f, "`{intrinsic}`: {why}"),
            Kind::Copy { to, from, count } => {
                write!(f, "{count} elements are not copied from `{}` to `{}`", self.ty(*from), self.ty(*to))
            }
            Kind::AccessType(ty) => write!(f, "`{}` is accessed as a scalar", self.ty(*ty)),
            Kind::NotSharedSlice(ty) => write!(f, "dynamic shared memory is no `{}`", self.ty(*ty)),
            Kind::ClusterShape([x, y, z]) => {
                write!(f, "clusters of {x} x {y} x {z} blocks: they have 1 to {MAX_CLUSTER_BLOCKS}")
            }
            Kind::GridBarrierAmongClusters => f.write_str("a kernel with clusters does not wait for the grid"),
            Kind::MapsOther => f.write_str("this is no reference to what lies in a shared variable"),
            Kind::GridBarrierInFunction => f.write_str("a function does not wait for the grid"),
            Kind::LeavesBeforeGridBarrier => f.write_str("an entry that waits for the grid returns at its end alone"),
            Kind::ProductOfSomeLanes => f.write_str(
                "a kernel with products of matrices has blocks of whole warps, and its entries return at their ends alone",
            ),
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
            Kind::AtomicResult => f.write_str("this atomic operation has no result"),
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
            Kind::PtxAnywhere => f.write_str("PTX stands under `if on_gpu` alone"),
            Kind::PtxVersion((major, minor)) => write!(f, "there is no PTX version {major}.{minor} from 6.0 on"),
            Kind::PtxPlace => f.write_str("a place in PTX names no operand and no result"),
            Kind::PtxOperand(ty) => write!(
                f,
                "PTX takes and yields numbers of 16, 32 or 64 bits, not `{}`",
                self.ty(*ty)
            ),
            Kind::Template(error) => write!(f, "this text is no template: {error}"),
            Kind::TemplateValues { expected, found } => {
                write!(f, "a template with {expected} places has {found} values")
            }
            Kind::TooManyValues { most, found } => write!(f, "a message of {found} values: it has {most} at most"),
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
