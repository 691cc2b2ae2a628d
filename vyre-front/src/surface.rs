//! The interface of a kernel: its name, options and parameters. The front end finds it before
//! it looks at the body; the launcher, and the stub after an error, need nothing else.

pub use crate::spans::Spans;
use std::fmt;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use vyre_ir::ir::{Handle, Kernel, Program, Scalar, SharedVariable};

/// Things that are errors in a kernel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Denied {
    /// Bounds checks, in launches that keep the conditions of the kernel.
    pub bounds_checks: bool,
    /// Accesses that may race in every launch, and barriers before which threads may part.
    pub races: bool,
    /// Launches that do not keep the conditions under which no access races.
    pub launches: bool,
}

/// The signature of a kernel.
#[derive(Clone)]
pub struct Surface {
    /// The attributes that go onto the constructor: docs, `cfg`, lints.
    pub attributes: Vec<syn::Attribute>,
    /// The visibility of the kernel; the launcher has the same.
    pub visibility: syn::Visibility,
    /// The name of the function.
    pub name: Ident,
    /// The name of the launcher struct: the function's in camel case, or `launcher = Name`.
    pub launcher: Ident,
    /// True if the constructor and the launcher struct were already generated, before the chain of
    /// macros that the rest of the kernel needs.
    pub has_face: bool,
    /// False if a struct of slices has atomics, which the host's atomics are no copies of.
    pub dispatches: bool,
    /// Axes of a launch that the kernel uses: 1, 2 or 3.
    pub dimensions: u32,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster along x, y and z, if the kernel has clusters.
    pub cluster: Option<[u32; 3]>,
    /// Blocks that shall be resident on a multiprocessor at once, if the kernel says.
    pub min_blocks: Option<u32>,
    /// The parameters in order.
    pub parameters: Vec<SurfaceParameter>,
}

impl Surface {
    /// True if the slices alone determine the number of threads.
    pub(crate) fn has_domain(&self) -> bool {
        let is_value = |it: &SurfaceParameter| matches!(it.kind, ParameterKind::Value(_));
        let mut slices = self.parameters.iter().filter(|&it| !is_value(it));
        self.parameters.iter().any(|it| it.each) && slices.all(|it| it.each)
    }
}

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct SurfaceParameter {
    /// The name.
    pub name: Ident,
    /// Its type.
    pub kind: ParameterKind,
    /// `#[each]`: a slice of which each thread sees its own element.
    pub each: bool,
    /// True of a `Slice`, which integers of all types index.
    pub any_index: bool,
    /// The type in the `Option` that the caller passes. The kernel takes a value as vyre's `Maybe`, and a slice with a flag
    /// after it.
    pub option: Option<TokenStream>,
    /// The optional slice that this flag belongs to; the flag is true if the slice is there.
    pub tells: Option<Ident>,
}

impl SurfaceParameter {
    /// True of a slice that the caller may leave out.
    pub(crate) fn may_lack(&self) -> bool {
        self.option.is_some() && !matches!(self.kind, ParameterKind::Value(_))
    }

    /// The flag that tells whether such a slice is there.
    pub(crate) fn flag(&self) -> Option<SurfaceParameter> {
        self.may_lack().then(|| SurfaceParameter {
            name: format_ident!("{}_is_some", self.name),
            kind: ParameterKind::Value(Element::Primitive(Primitive::Bool)),
            each: false,
            any_index: false,
            option: None,
            tells: Some(self.name.clone()),
        })
    }
}

/// The type of a kernel's parameter.
#[derive(Clone, Debug)]
pub enum ParameterKind {
    /// A scalar or struct by value.
    Value(Element),
    /// `&[T]` (or `&T` with `#[each]`).
    Slice(Element),
    /// `&mut [T]` (or `&mut T` with `#[each]`).
    SliceMut(Element),
    /// `Slice2<'_, T>`.
    Matrix(Element),
    /// `SliceMut2<'_, T>`.
    MatrixMut(Element),
    /// `&[AtomicU32]` and other slices of atomics.
    Atomics(Primitive),
    /// `&[[AtomicU32; 2]]` and `&[Atomic<Stats>]`, with the element as it is written.
    AtomicElements(TokenStream),
    /// `Mesh<'_>`, a struct of slices, as it is written. Each of its fields is a parameter of the program.
    Bundle(TokenStream),
}

/// The type of a value, or of the elements of a buffer.
#[derive(Clone, Debug)]
pub enum Element {
    /// A primitive.
    Primitive(Primitive),
    /// A type of the user or an array, as it is written.
    Defined(TokenStream),
}

/// A primitive type of Rust that kernels support, or one of half precision.
///
/// As [`Scalar`], but `usize` and `isize` are distinct types, as in Rust. A program has no integers of 128 bits: `u128` and
/// `i128` are structs of two words there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the types of the same names")]
pub enum Primitive {
    Bool,
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F16,
    BF16,
    F32,
    F64,
    U128,
    I128,
}

impl Primitive {
    /// Every primitive.
    pub const ALL: [Primitive; 17] = [
        Primitive::Bool,
        Primitive::I8,
        Primitive::I16,
        Primitive::I32,
        Primitive::I64,
        Primitive::Isize,
        Primitive::U8,
        Primitive::U16,
        Primitive::U32,
        Primitive::U64,
        Primitive::Usize,
        Primitive::F16,
        Primitive::BF16,
        Primitive::F32,
        Primitive::F64,
        Primitive::U128,
        Primitive::I128,
    ];

    /// The scalar of the IR. An integer of 128 bits has none: it is that of its high word, with its sign.
    pub const fn scalar(self) -> Scalar {
        match self {
            Primitive::Bool => Scalar::Bool,
            Primitive::I8 => Scalar::I8,
            Primitive::I16 => Scalar::I16,
            Primitive::I32 => Scalar::I32,
            Primitive::I64 | Primitive::Isize | Primitive::I128 => Scalar::I64,
            Primitive::U8 => Scalar::U8,
            Primitive::U16 => Scalar::U16,
            Primitive::U32 => Scalar::U32,
            Primitive::U64 | Primitive::Usize | Primitive::U128 => Scalar::U64,
            Primitive::F16 => Scalar::F16,
            Primitive::BF16 => Scalar::BF16,
            Primitive::F32 => Scalar::F32,
            Primitive::F64 => Scalar::F64,
        }
    }

    /// The name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Primitive::Isize => "isize",
            Primitive::Usize => "usize",
            Primitive::U128 => "u128",
            Primitive::I128 => "i128",
            other => other.scalar().name(),
        }
    }

    /// True for the integers of 128 bits.
    pub const fn is_wide(self) -> bool {
        matches!(self, Primitive::U128 | Primitive::I128)
    }

    /// The number of bits; of `bool` 8.
    pub const fn bits(self) -> u32 {
        if self.is_wide() { 128 } else { self.scalar().bits() }
    }

    /// True if this is a float type of which Rust has literals.
    pub const fn has_literals(self) -> bool {
        matches!(self, Primitive::F32 | Primitive::F64)
    }

    /// The primitive of this name, or `None`. `f16` and `bf16` require the feature `half`.
    pub fn from_name(name: &str) -> Option<Primitive> {
        let known = Primitive::ALL.into_iter().find(|primitive| primitive.name() == name);
        known.filter(|primitive| cfg!(feature = "half") || !primitive.scalar().is_half())
    }
}

/// A kernel that the front end has accepted.
#[derive(Clone)]
pub struct Lowered {
    /// Its signature.
    pub surface: Surface,
    /// A program with only this kernel.
    pub program: Program,
    /// The kernel in the program.
    pub kernel: Handle<Kernel>,
    /// The function as the user wrote it, with a witness after each binding: for rustc to check,
    /// never called.
    pub checked: TokenStream,
    /// For each external of the program, the path that the user wrote.
    pub externals: Vec<TokenStream>,
    /// The places in the user's tokens of the spans in the program.
    pub spans: Spans,
    /// The shared variables of block collectives, whose accesses vyre knows to be apart.
    pub collectives: Vec<Handle<SharedVariable>>,
    /// The things that are errors in it, by its options.
    pub denied: Denied,
}

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surface")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Lowered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lowered")
            .field("surface", &self.surface)
            .finish_non_exhaustive()
    }
}

impl Lowered {
    /// True if the PTX has placeholders for constants, whose values rustc fills in.
    pub fn is_patched(&self) -> bool {
        let mut externals = self.program.externals.iter();
        externals.any(|(_, external)| external.value.is_none())
    }
}

/// A namespace of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Namespace {
    Type,
    Value,
}
