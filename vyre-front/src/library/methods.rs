//! The methods that kernels know: on what, with what, to what, doing what.

use vyre_ir::ir::{AtomicOp, BinaryOp, MemoryScope, UnaryOp};

use crate::library;
use crate::surface::Primitive;

mod table;
mod unsupported;

use on::*;
pub(crate) use table::METHODS;
pub(crate) use unsupported::{cast, instead, is_of_collections, of_others, takes_length};

/// A method.
#[derive(Debug)]
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// The receivers that have it: a union of [`on`] bits.
    pub(crate) on: u16,
    pub(crate) takes: &'static [Takes],
    pub(crate) gives: Gives,
    pub(crate) does: Does,
}

/// Kinds of receivers.
pub(crate) mod on {
    pub(crate) const UNSIGNED: u16 = 1;
    pub(crate) const SIGNED: u16 = 2;
    pub(crate) const FLOAT: u16 = 4;
    /// Slices and arrays.
    pub(crate) const SEQUENCE: u16 = 8;
    pub(crate) const ATOMIC: u16 = 16;
    /// `Option` and `Result`.
    pub(crate) const OPTION: u16 = 32;
    pub(crate) const RESULT: u16 = 256;
    /// Set on methods of a trait, which a literal without suffix has too.
    pub(crate) const LITERAL: u16 = 64;
    /// `f16` and `bf16`.
    pub(crate) const HALF: u16 = 512;

    /// Matrices.
    pub(crate) const MATRIX: u16 = 128;
    pub(crate) const BOOL: u16 = 1024;
    pub(crate) const BARRIER: u16 = 2048;
    /// `core::cmp::Ordering`.
    pub(crate) const ORDERING: u16 = 4096;
    /// Tiles of a warp.
    pub(crate) const TILE: u16 = 8192;

    /// `u128` and `i128`, which are unsigned and signed integers too.
    pub(crate) const WIDE_UNSIGNED: u16 = 16384;
    pub(crate) const WIDE_SIGNED: u16 = 32768;

    pub(crate) const WIDE: u16 = WIDE_UNSIGNED | WIDE_SIGNED;
    pub(crate) const INTEGER: u16 = UNSIGNED | SIGNED;
    pub(crate) const NUMBER: u16 = INTEGER | FLOAT;
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// The receiver's type, or that of an atomic's cell.
    Same,
    U32,
    Usize,
    /// An `Ordering`.
    Order,
    /// `[row, column]`, expanded.
    Place,
    /// A text, as it is written.
    Text,
    /// The token of an arrival at a barrier.
    Token,
    /// A closure that makes an `Option` of a new value from the one in an atomic's cell.
    Update,
}

/// The type of a method's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// The receiver's type, or that of an atomic's cell.
    Same,
    Bool,
    /// The token of an arrival at a barrier.
    Token,
    U32,
    U64,
    U128,
    Usize,
    /// The unsigned type of the receiver's width.
    Unsigned,
    Unit,
    /// A reference to an element; mutable where true.
    Element(bool),
    /// `Option` of such a reference.
    Sought(bool),
    /// `Result` of twice the type of an atomic's cell.
    Exchanged,
    /// A reference to the receiver.
    Receiver,
    /// A reference to a row; mutable where true.
    Row(bool),
    /// The matrix to read.
    Matrix,
    /// A number of this type, or of one that is written or inferred.
    Number(Option<Primitive>),
}

/// The operation of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Does {
    Unary(UnaryOp),
    Binary(BinaryOp),
    MulAdd,
    /// A word of an integer of 128 bits, by its number.
    Word(u32),
    /// `u128` of a low word and a high one.
    Join,
    ToBits,
    Cast,
    Pow,
    Length,
    Unchecked,
    /// Yields the element at an index, the first or the last one, if it exists.
    Seek,
    /// An extent of a matrix, by its place among [`lower::matrix`](crate::lower)'s.
    Extent(usize),
    Row,
    /// Yields the matrix itself.
    Reborrow,
    Atomic(AtomicOp),
    /// An exclusive or with `true`.
    AtomicNot,
    /// Replaces what is in a cell by what a closure makes of it, again where another thread came between.
    Update,
    /// Waits until a barrier's phase is over: that of a token, or that in which it arrives.
    Wait,
    Is(u32),
    /// Yields what is in `Some` or `Ok`, or what is given in its place, or faults.
    Unwrap,
    /// Yields the atomic that it is called on, to be accessed among these threads.
    Scope(MemoryScope),
}

/// The method of a name on receivers of one kind.
pub(crate) fn find(name: &str, on: u16) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && method.on & on != 0)
}

/// True if some receiver has a method of the name.
pub(crate) fn knows(name: &str) -> bool {
    on_which(name) != 0
}

/// The receivers that have a method of the name.
pub(crate) fn on_which(name: &str) -> u16 {
    let mut all = 0;
    for method in METHODS {
        if method.name == name {
            all |= method.on;
        }
    }
    for row in library::all() {
        if row.name() == name {
            all |= row.on;
        }
    }
    all
}

/// The names of the methods of receivers of one kind, or of all.
pub(crate) fn names(on: Option<u16>) -> Vec<&'static str> {
    let mut names = Vec::new();
    for method in METHODS {
        if on.is_none_or(|on| method.on & on != 0) {
            names.push(method.name);
        }
    }
    for row in library::all() {
        // Methods of tiles are known to inference.
        if on.map_or(row.on != TILE, |on| row.on & on != 0) {
            names.push(row.name());
        }
    }
    names
}

/// The kind of receiver that a primitive is.
pub(crate) fn receiver(primitive: Primitive) -> u16 {
    let scalar = primitive.scalar();
    if primitive.is_wide() {
        return if scalar.is_signed() {
            SIGNED | WIDE_SIGNED
        } else {
            UNSIGNED | WIDE_UNSIGNED
        };
    }
    if scalar.is_half() {
        HALF
    } else if scalar.is_float() {
        FLOAT
    } else if scalar.is_signed() {
        SIGNED
    } else if scalar.is_integer() {
        UNSIGNED
    } else {
        BOOL
    }
}

/// The unsigned or signed integer of a primitive's width.
pub(crate) fn of_width(primitive: Primitive, signed: bool) -> Primitive {
    match (primitive, signed) {
        (Primitive::I8 | Primitive::U8 | Primitive::Bool, false) => Primitive::U8,
        (Primitive::I16 | Primitive::U16 | Primitive::F16 | Primitive::BF16, false) => Primitive::U16,
        (Primitive::I32 | Primitive::U32 | Primitive::F32, false) => Primitive::U32,
        (Primitive::I64 | Primitive::U64 | Primitive::F64, false) => Primitive::U64,
        (Primitive::Isize | Primitive::Usize, false) => Primitive::Usize,
        (Primitive::I8 | Primitive::U8 | Primitive::Bool, true) => Primitive::I8,
        (Primitive::I16 | Primitive::U16 | Primitive::F16 | Primitive::BF16, true) => Primitive::I16,
        (Primitive::I32 | Primitive::U32 | Primitive::F32, true) => Primitive::I32,
        (Primitive::I64 | Primitive::U64 | Primitive::F64, true) => Primitive::I64,
        (Primitive::Isize | Primitive::Usize, true) => Primitive::Isize,
        (Primitive::I128 | Primitive::U128, false) => Primitive::U128,
        (Primitive::I128 | Primitive::U128, true) => Primitive::I128,
    }
}

/// The supported methods, in words.
pub(crate) const IN_ALL: &str = "write it in a `#[vyre::device]` function: kernels have the methods of numbers, slices, `Option` and atomics that the book lists";

/// The receivers of some [`on`] bits, in words.
pub(crate) fn owners(bits: u16) -> &'static str {
    let bits = match bits & FLOAT {
        0 => bits,
        _ => bits & !HALF,
    };
    match bits & !LITERAL {
        bits if bits & NUMBER == NUMBER => "numbers",
        INTEGER => "integers",
        UNSIGNED => "unsigned integers",
        SIGNED => "signed integers",
        FLOAT => "`f32` and `f64`",
        bits if bits & NUMBER == SIGNED | FLOAT => "signed numbers",
        SEQUENCE => "slices and arrays",
        MATRIX => "matrices",
        ATOMIC => "atomics: index the slice first, `counts[i]`",
        BARRIER => "barriers of `shared::barriers`: index them first, `full[0]`",
        HALF => "`f16` and `bf16`",
        OPTION => "`Option`",
        RESULT => "`Result`",
        ORDERING => "`Ordering`",
        BOOL => "`bool`",
        TILE => "tiles of a warp",
        bits if bits & !(OPTION | RESULT) == 0 => "`Option` and `Result`",
        _ => "other types",
    }
}
