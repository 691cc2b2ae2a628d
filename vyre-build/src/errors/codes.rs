//! The codes of vyre's diagnostics, one for each kind of mistake. Several places may report the same code.
//!
//! To add a diagnostic, first look for a code of the same kind of mistake. If there is none, add a variant with the
//! next free number of its group, and a file `codes/V0123.md` with a wrong and a right example. Tests compile both and
//! expect the code. `VYRE_BLESS=1 cargo test --test pages` writes the chapters of the book from these files. Add a case
//! to `ui-tests`, which shows the whole message.
//! A number keeps its meaning: those of removed codes are not used again.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// A kind of mistake, by its number.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub(crate) enum Code {
            $($(#[$doc])* $name = $number,)*
        }

        #[cfg(test)]
        impl Code {
            /// Every code.
            pub(crate) const ALL: &[Code] = &[$(Code::$name),*];
        }
    };
}

codes! {
    // 1: where a kernel stands, and its options.
    /// The options cannot be parsed.
    UnreadableOptions = 101,
    /// There is no such option.
    UnknownOption = 102,
    /// An option is given twice.
    RepeatedOption = 103,
    /// An option has no value.
    OptionWithoutValue = 104,
    /// The name of the launcher is no identifier, or that of a parameter's type.
    LauncherName = 105,
    /// `block` or `cluster` is not one to three integer literals.
    BlockExtents = 106,
    /// A block has more threads than a GPU runs, or none.
    BlockSize = 107,
    /// The body uses more axes than `block` has, or `cluster` has more.
    BlockAxes = 108,
    /// The attribute does not stand on a function.
    NotAFunction = 109,
    /// A kernel stands in an `impl` or a `trait`.
    InImpl = 110,
    /// A file for `vyre_build::compile` is no Rust.
    #[cfg_attr(not(feature = "compile"), allow(dead_code, reason = "build scripts read files"))]
    UnreadableFile = 111,

    /// A cluster has more blocks than GPUs run together, or none.
    ClusterSize = 112,

    // 2: the signature.
    /// `async`, `const`, `unsafe`, `extern` or `...`.
    Qualifier = 201,
    /// Generic parameters.
    GenericKernel = 202,
    /// A kernel returns something.
    ReturnValue = 203,
    /// A kernel takes `self`.
    SelfParameter = 204,
    /// An attribute on a parameter that is not `#[each]`.
    ParameterAttribute = 205,
    /// A pattern in the place of a parameter's name.
    ParameterPattern = 206,
    /// Two parameters have one name.
    RepeatedParameter = 207,
    /// `#[each]` on what is no reference to one element.
    EachType = 208,
    /// A kernel takes no value of this type.
    ParameterType = 209,
    /// A kernel takes no reference to this type.
    ReferenceParameter = 210,
    /// A kernel takes no slice of this type.
    ElementType = 211,
    /// Atomics that are not `&[AtomicU32]` or its like.
    AtomicParameter = 212,
    /// The parameters together are larger than a launch can pass.
    ParameterSize = 213,
    /// A device function takes nothing of this type.
    FunctionParameter = 214,
    /// A device function returns nothing of this type.
    FunctionResult = 215,
    /// A generic parameter is bound by a trait that vyre does not know.
    TraitBound = 216,
    /// A constant parameter that is no `usize`.
    ConstParameter = 217,
    /// A generic kernel has no such instance. rustc says so, of a trait that vyre writes.
    NoInstance = 218,
    /// A launch does not say how many threads there are. rustc says so, of a trait of the package `vyre`.
    #[allow(dead_code, reason = "its number is given away")]
    NoDomain = 219,

    // 3: types.
    /// A type that vyre does not know.
    UnknownType = 301,
    /// A form of type that kernels do not have.
    UnsupportedType = 302,
    /// A string or a `char`.
    Text = 303,
    /// A type that allocates.
    Allocation = 304,
    /// An `Option` as a parameter of a kernel.
    NoOption = 305,
    /// A pointer.
    Pointer = 306,
    /// A number of a width that kernels do not have.
    WideNumber = 307,
    /// An array of no elements.
    EmptyArray = 308,
    /// An array whose length vyre cannot see.
    UnknownLength = 309,
    /// More local memory than a thread has.
    ThreadMemory = 310,
    /// A struct or an enum that is not marked as a type of the device.
    Struct = 311,
    /// A struct with bytes that belong to no field.
    Padding = 312,
    /// A `repr` that is not C's, or of an enum not an integer's.
    Representation = 313,
    /// A field of a struct of a type that has no place in memory.
    FieldType = 314,
    /// A parameter that a type of the device does not have: a lifetime, or one with a default.
    GenericType = 316,
    /// A type of the device without parts, or with parts that may be left out.
    TypeParts = 317,

    // 4: names, constants and items.
    /// A constant that vyre cannot compute.
    UncomputableConstant = 401,
    /// A constant from elsewhere whose type nothing tells.
    UntypedConstant = 402,
    /// A part of a constant from elsewhere.
    CompoundConstant = 403,
    /// An assignment to what stands outside of the kernel.
    AssignedConstant = 404,
    /// A new variable with the name of a constant.
    ShadowedConstant = 405,
    /// `use ..::*`.
    GlobImport = 406,
    /// A name that the file for `vyre_build::compile` does not define.
    NotInThisFile = 407,
    /// `Self` in a kernel.
    SelfName = 408,
    /// Several variables of one name, written by macros.
    AmbiguousName = 409,
    /// An attribute inside a kernel.
    AttributeInside = 410,
    /// An item inside a kernel.
    ItemInside = 411,
    /// A path through a trait.
    TraitPath = 412,
    /// vyre and rustc see different types in a constant from elsewhere. rustc says so too, of the trait `Constant` in
    /// the root package.
    ConstantType = 413,
    /// A device constant that is neither a scalar nor an array of scalars; one that the host sets and that is no
    /// array, or too large.
    ConstantForm = 414,
    /// `#[vyre::device]` on an item that does not travel, `#[vyre::constant]` on one that is no static.
    DeviceItem = 415,

    // 5: expressions.
    /// A form of expression that kernels do not have.
    Expression = 501,
    /// A closure.
    Closure = 502,
    /// `?`.
    QuestionMark = 503,
    /// A range as a value.
    RangeValue = 504,
    /// `async` or `.await`.
    Await = 505,
    /// A reference where kernels have none.
    Reference = 506,
    /// An assignment to an element of a part of a slice.
    PartOfSlice = 507,
    /// An assignment that takes something apart.
    Assignment = 508,
    /// A comparison of compound values.
    ComparedWhole = 509,
    /// There is no such field.
    UnknownField = 510,
    /// Too many levels of nesting.
    TooDeep = 511,
    /// A place in a matrix that is not written as a row and a column.
    MatrixPlace = 512,

    // 6: statements and control flow.
    /// A pattern that kernels do not have.
    Pattern = 601,
    /// A `let` in the guard of an arm.
    RefutableLet = 602,
    /// A `for` over what is no range of numbers.
    LoopRange = 603,
    /// A wait for the whole grid that some thread would miss.
    GridSync = 604,
    /// What clusters do in a kernel that has none, or what kernels with clusters do not do.
    Clusters = 605,

    // 7: calls, methods and macros.
    /// A function that kernels cannot call.
    UnknownFunction = 701,
    /// A function of the standard library.
    StandardFunction = 702,
    /// There is no such function in `thread`, `block` and their like.
    UnknownVocabulary = 703,
    /// An exchange among a warp of values that it does not take, or a function of vyre's with a written type.
    /// rustc says so too, of the traits `Scalar` and `Number` in the root package.
    WarpType = 704,
    /// A call of what is no name.
    CalledExpression = 705,
    /// There is no such method.
    UnknownMethod = 706,
    /// A method of the standard library that kernels do not have.
    UnsupportedMethod = 707,
    /// A macro that vyre does not know.
    UnknownMacro = 708,
    /// A macro of the standard library that kernels do not have.
    UnsupportedMacro = 709,
    /// A message that is no format string of the kind that kernels know.
    Message = 710,
    /// Arguments of a macro that cannot be parsed.
    MacroSyntax = 711,
    /// A function calls itself.
    Recursion = 712,
    /// A function without `#[vyre::device]`.
    NotDevice = 713,
    /// A value that kernels do not print.
    PrintedType = 714,
    /// A message of too many values.
    MessageSize = 715,
    /// PTX in a kernel that is not of the form that it has there.
    InlinePtx = 716,
    /// A group of threads of a size that there is not.
    Group = 717,
    /// A fragment of a matrix whose type is not written.
    FragmentType = 718,
    /// Threads of a warp miss what whole warps do.
    WholeWarps = 719,
    /// A load or store by its cache of what is no scalar.
    CachedType = 720,
    /// A method that several traits have, or one and the type itself.
    AmbiguousMethod = 721,

    // 8: shared memory and atomics.
    /// `shared` where it has no place.
    SharedBinding = 801,
    /// Shared memory of a type that it cannot hold.
    SharedType = 802,
    /// More shared memory than a block has.
    SharedSize = 803,
    /// An atomic that is moved from its place.
    AtomicPlace = 804,
    /// An ordering that is not written where the atomic is accessed, or that it cannot have.
    AtomicOrder = 805,
    /// An asynchronous copy of what is not copied so.
    AsyncCopy = 806,
    /// What is looked for in the shared memory of another block, but has no place of its own there.
    MappedShared = 807,
    /// A thread waits at a barrier for a token of another one.
    ForeignToken = 808,

    // 9: the compiler.
    /// A kernel is too large to be compiled.
    KernelSize = 901,
    /// vyre sees a type mismatch that rustc does not.
    Disagreement = 902,
    /// vyre has made a program that its own checks refuse.
    Internal = 903,
}

/// `V0102`.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "V{:04}", *self as u16)
    }
}
