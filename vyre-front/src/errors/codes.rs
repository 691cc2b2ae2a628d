//! The codes of vyre's diagnostics, one per kind of mistake. Several checks may report the same
//! code.
//!
//! To add a diagnostic, first look for a code of the same kind of mistake. If there is none, add a
//! variant with the next free number of its group, and a file `codes/V0123.md` with a wrong and a
//! right example. Tests compile both and expect the code. `VYRE_BLESS=1 cargo test --test pages`
//! writes the chapters of the book from these files. Add a case to `ui-tests`, which shows the
//! whole message: mistakes of one code in one folder share a file, and `TRYBUILD=overwrite` writes
//! its `.stderr`. A number keeps its meaning: those of removed codes are not used again.
//!
//! At most two errors are reported for a mistake, the first at its place and right. Legal Rust that kernels lack is
//! `refuse`d ([`Errors`](super::Errors)), and rustc still checks the body. A mistake that rustc may report too is
//! `conditional`: vyre's message shows where rustc accepts the body. A type mismatch is rustc's.

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
    // 1: the attribute and its options.
    /// Options that cannot be parsed.
    UnreadableOptions = 101,
    /// Unknown option.
    UnknownOption = 102,
    /// Repeated option.
    RepeatedOption = 103,
    /// Option without a value.
    OptionWithoutValue = 104,
    /// Invalid launcher name.
    LauncherName = 105,
    /// Block or cluster extents that are not one to three integer literals.
    BlockExtents = 106,
    /// Invalid block size.
    BlockSize = 107,
    /// Too few axes in `block`, or too many in `cluster`.
    BlockAxes = 108,
    /// `#[vyre::kernel]` on an item other than a function with a body.
    NotAFunction = 109,
    /// Kernel in an `impl` or a `trait`.
    InImpl = 110,
    /// Syntax error in a file for `vyre_build::compile`.
    #[cfg_attr(not(feature = "files"), allow(dead_code, reason = "build scripts read files"))]
    UnreadableFile = 111,

    /// Invalid cluster size.
    ClusterSize = 112,

    /// Option with a value that takes none.
    OptionWithValue = 113,

    /// Bounds checks in a kernel that denies them.
    BoundsChecks = 114,

    /// Races in a kernel that does not allow them.
    Races = 115,

    // 2: signatures.
    /// Unsupported function qualifier.
    Qualifier = 201,
    /// Generic kernel without instances.
    GenericKernel = 202,
    /// Kernel with a return type.
    ReturnValue = 203,
    /// Kernel with a `self` parameter.
    SelfParameter = 204,
    /// Unsupported parameter attribute.
    ParameterAttribute = 205,
    /// Pattern in place of a parameter name.
    ParameterPattern = 206,
    /// Duplicate parameter name.
    RepeatedParameter = 207,
    /// `#[each]` on a parameter other than a reference to one element.
    EachType = 208,
    /// Unsupported kernel parameter type.
    ParameterType = 209,
    /// Reference parameter that is not a slice.
    ReferenceParameter = 210,
    /// Unsupported slice element type.
    ElementType = 211,
    /// Atomics outside a shared slice.
    AtomicParameter = 212,
    /// Parameters too large.
    ParameterSize = 213,
    /// Unsupported device function parameter type.
    FunctionParameter = 214,
    /// Unsupported device function return type.
    FunctionResult = 215,
    /// Unknown trait bound.
    TraitBound = 216,
    /// Const parameter other than `usize`.
    ConstParameter = 217,
    /// Missing instance of a generic kernel. Reported by rustc, of a trait that vyre generates.
    NoInstance = 218,
    /// Launch without a number of threads. Reported by rustc, of a trait of the package `vyre`.
    #[allow(dead_code, reason = "its number is given away")]
    NoDomain = 219,
    /// Argument of a launch that does not fit. Reported by rustc, of the traits of arguments in the root package.
    #[allow(dead_code, reason = "its number is given away")]
    LaunchArgument = 220,
    /// Size of a block at a launch. Reported by rustc, of a trait of the package `vyre`.
    #[allow(dead_code, reason = "its number is given away")]
    LaunchBlock = 221,

    // 3: types.
    /// Unknown type.
    UnknownType = 301,
    /// Unsupported form of type.
    UnsupportedType = 302,
    /// String or `char`.
    Text = 303,
    /// Heap allocation.
    Allocation = 304,
    /// `Option` as a kernel parameter.
    NoOption = 305,
    /// Raw pointer.
    Pointer = 306,
    /// Unsupported numeric type.
    WideNumber = 307,
    /// Array with an unknown length.
    UnknownLength = 309,
    /// Too much local memory.
    ThreadMemory = 310,
    /// Unmarked struct or enum in a file for `vyre_build::compile`.
    Struct = 311,
    /// Unsupported `repr`.
    Representation = 313,
    /// Field type without a defined layout.
    FieldType = 314,
    /// Unsupported generic parameter of a type.
    GenericType = 316,
    /// Type without fields or variants, or with parts under `cfg`.
    TypeParts = 317,

    // 4: names, constants and items.
    /// Constant that vyre cannot evaluate.
    UncomputableConstant = 401,
    /// External constant without a type.
    UntypedConstant = 402,
    /// Part of an external constant.
    CompoundConstant = 403,
    /// Assignment to an item outside the kernel.
    AssignedConstant = 404,
    /// Binding with the name of a constant.
    ShadowedConstant = 405,
    /// Glob import in a kernel.
    GlobImport = 406,
    /// Name not defined in the file for `vyre_build::compile`.
    NotInThisFile = 407,
    /// `Self` in a kernel.
    SelfName = 408,
    /// Ambiguous name written by macros.
    AmbiguousName = 409,
    /// Attribute inside a kernel.
    AttributeInside = 410,
    /// Item inside a kernel.
    ItemInside = 411,
    /// Path through a trait.
    TraitPath = 412,
    /// External constant of another type than its context suggests.
    /// rustc reports it too, of the trait `Constant` in the root package.
    ConstantType = 413,
    /// Constant that is not a number or an array.
    ConstantForm = 414,
    /// Unsupported item under `#[vyre::device]` or `#[vyre::constant]`.
    DeviceItem = 415,
    /// Name of Rust's or vyre's that an item of the user hides. rustc reports it too, of the trait `Same` in the root
    /// package.
    HiddenName = 416,
    /// Variable of the function around a kernel or device function.
    CapturedVariable = 417,
    /// Name of vyre's that is not imported.
    NotImported = 418,

    // 5: expressions.
    /// Unsupported expression.
    Expression = 501,
    /// Unsupported use of a closure.
    Closure = 502,
    /// The `?` operator.
    QuestionMark = 503,
    /// Range as a value.
    RangeValue = 504,
    /// `async` and `.await`.
    Await = 505,
    /// Unsupported reference.
    Reference = 506,
    /// Assignment to an element of a subslice.
    PartOfSlice = 507,
    /// Destructuring assignment of a struct.
    Assignment = 508,
    /// Unsupported comparison of compound values.
    ComparedWhole = 509,
    /// Unknown field.
    UnknownField = 510,
    /// Nesting too deep.
    TooDeep = 511,
    /// Matrix index that is not written as `[[row, col]]`.
    MatrixPlace = 512,

    // 6: statements and control flow.
    /// Unsupported pattern.
    Pattern = 601,
    /// `let` outside of the condition of `if` and `while`.
    MisplacedLet = 602,
    /// Unsupported `for` loop.
    LoopRange = 603,
    /// Grid barrier that a thread could miss.
    GridSync = 604,
    /// Cluster operation without `cluster`, or with a grid barrier.
    Clusters = 605,

    // 7: calls, methods and macros.
    /// Unknown function.
    UnknownFunction = 701,
    /// Function of the standard library.
    StandardFunction = 702,
    /// Unknown function in a module of vyre.
    UnknownIntrinsic = 703,
    /// Unsupported operand type. rustc reports it too, of the traits `Scalar` and `Number` in the root package.
    WarpType = 704,
    /// Call of an expression.
    CalledExpression = 705,
    /// Unknown method.
    UnknownMethod = 706,
    /// Unsupported method.
    UnsupportedMethod = 707,
    /// Unknown macro.
    UnknownMacro = 708,
    /// Unsupported macro of the standard library.
    UnsupportedMacro = 709,
    /// Invalid format string.
    Message = 710,
    /// Macro arguments that cannot be parsed.
    MacroSyntax = 711,
    /// Recursion.
    Recursion = 712,
    /// Missing `#[vyre::device]`.
    NotDevice = 713,
    /// Value that cannot be printed.
    PrintedType = 714,
    /// Too many values in a message.
    MessageSize = 715,
    /// Invalid inline PTX.
    InlinePtx = 716,
    /// Invalid tile size or named barrier.
    Group = 717,
    /// Unsupported matrix fragment.
    FragmentType = 718,
    /// Tensor core operation that a thread could miss.
    WholeWarps = 719,
    /// Cache hint on a value other than a scalar.
    CachedType = 720,
    /// Ambiguous method.
    AmbiguousMethod = 721,
    /// Collective of a block that a thread could miss.
    WholeBlocks = 722,

    // 8: shared memory and atomics.
    /// Misplaced `shared`.
    SharedBinding = 801,
    /// Unsupported type in shared memory.
    SharedType = 802,
    /// Too much static shared memory.
    SharedSize = 803,
    /// Atomic used as a value.
    AtomicPlace = 804,
    /// Memory ordering that is a value, or invalid for the access.
    AtomicOrder = 805,
    /// Unsupported asynchronous copy.
    AsyncCopy = 806,
    /// `map_shared` of memory that is not a shared variable.
    MappedShared = 807,
    /// Token of another barrier.
    ForeignToken = 808,

    // 9: the compiler.
    /// Kernel too large.
    KernelSize = 901,
    /// Type or value on which vyre and rustc disagree.
    Disagreement = 902,
    /// Internal error.
    Internal = 903,
}

/// `V0102`.
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "V{:04}", *self as u16)
    }
}
