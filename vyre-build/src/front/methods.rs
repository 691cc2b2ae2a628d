//! The methods that kernels know, in a table: on what, with what, to what, doing what.

use vyre_core::ir::{AtomicOp, BinaryOp, MemoryScope, UnaryOp};

use super::sums::{self, Case};
use crate::surface::Primitive;

mod refused;

pub(super) use refused::instead;

/// A method.
#[derive(Debug)]
pub(super) struct Method {
    pub(super) name: &'static str,
    /// The receivers that have it: a union of [`on`] bits.
    pub(super) on: u16,
    pub(super) takes: &'static [Takes],
    pub(super) gives: Gives,
    pub(super) does: Does,
}

/// Kinds of receivers.
pub(super) mod on {
    pub(in crate::front) const UNSIGNED: u16 = 1;
    pub(in crate::front) const SIGNED: u16 = 2;
    pub(in crate::front) const FLOAT: u16 = 4;
    /// Slices and arrays.
    pub(in crate::front) const SEQUENCE: u16 = 8;
    pub(in crate::front) const ATOMIC: u16 = 16;
    /// `Option` and `Result`.
    pub(in crate::front) const OPTION: u16 = 32;
    pub(in crate::front) const RESULT: u16 = 256;
    /// Set on methods of a trait, which a literal without suffix has too.
    pub(in crate::front) const LITERAL: u16 = 64;
    /// `f16` and `bf16`. They also have those of the floats in [`HALVES`](super::HALVES).
    pub(in crate::front) const HALF: u16 = 512;

    /// Matrices.
    pub(in crate::front) const MATRIX: u16 = 128;

    pub(in crate::front) const INTEGER: u16 = UNSIGNED | SIGNED;
    pub(in crate::front) const NUMBER: u16 = INTEGER | FLOAT;
}

/// What an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// The receiver's type, or that of an atomic's cell.
    Same,
    U32,
    Usize,
    /// The unsigned type of the receiver's width.
    Unsigned,
    /// The signed type of the receiver's width.
    Signed,
    /// An `Ordering`.
    Order,
    /// `[row, column]`, written out.
    Place,
    /// A text, as it is written.
    Text,
}

/// What a method yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// The receiver's type, or that of an atomic's cell.
    Same,
    Bool,
    /// `Option` of the receiver's type.
    Option,
    /// The receiver's type with a `bool`.
    WithBool,
    U32,
    Usize,
    F32,
    F64,
    /// The unsigned type of the receiver's width.
    Unsigned,
    /// The signed type of the receiver's width.
    Signed,
    Unit,
    /// A reference to an element; mutable where true.
    Element(bool),
    /// `Result` of twice the type of an atomic's cell.
    Exchanged,
    /// A reference to the receiver.
    Receiver,
    /// A reference to a row; mutable where true.
    Row(bool),
    /// The matrix to read.
    Matrix,
}

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Does {
    Unary(UnaryOp),
    /// As `Unary`, of the receiver with all bits inverted.
    UnaryOfNot(UnaryOp),
    Binary(BinaryOp),
    MulAdd,
    Clamp,
    Signum,
    Fract,
    Recip,
    ToBits,
    IsNan,
    IsFinite,
    IsInfinite,
    IsSignNegative,
    IsSignPositive,
    IsPositive,
    IsNegative,
    IsPowerOfTwo,
    IsMultipleOf,
    AbsDiff,
    UnsignedAbs,
    RemEuclid,
    DivEuclid,
    DivCeil,
    Saturating(BinaryOp),
    /// Yields `Some` of the result, or `None` where there is none.
    Checked(BinaryOp),
    /// Yields the result that went round, and whether it did.
    Overflowing(BinaryOp),
    /// A quotient or remainder that goes round.
    WrappingQuotient(BinaryOp),
    Ilog2,
    NextPowerOfTwo,
    /// A product with a constant, of `f32` and of `f64`.
    Scaled(f32, f64),
    Pow,
    /// Yields what it is called on, converted to the result's type.
    Cast,
    Length,
    IsEmpty,
    Unchecked,
    /// An extent of a matrix, by its place among [`lower::matrix`](super::lower)'s.
    Extent(usize),
    Row,
    /// Yields the matrix itself.
    Reborrow,
    Atomic(AtomicOp),
    /// Waits until a barrier's phase is over: that of a token, or that in which it arrives.
    Wait,
    Is(Case),
    /// Yields what is in `Some` or `Ok`, or what is given in its place, or faults.
    Unwrap,
    /// Yields the atomic that it is called on, to be accessed among these threads.
    Scope(MemoryScope),
}

impl Method {
    /// Whether it is a method of matrices that writes through them.
    pub(super) fn needs_mutable(&self) -> bool {
        let writes = matches!(self.gives, Gives::Row(true) | Gives::Element(true) | Gives::Same);
        self.on == MATRIX && writes
    }
}

const fn row(name: &'static str, on: u16, takes: &'static [Takes], gives: Gives, does: Does) -> Method {
    Method {
        name,
        on,
        takes,
        gives,
        does,
    }
}

use on::*;

const NONE: &[Takes] = &[];
const SAME: &[Takes] = &[Takes::Same];
const U32: &[Takes] = &[Takes::U32];

/// Every method that kernels know.
pub(super) const METHODS: &[Method] = &[
    row("abs", SIGNED | FLOAT, NONE, Gives::Same, Does::Unary(UnaryOp::Abs)),
    row("wrapping_abs", SIGNED, NONE, Gives::Same, Does::Unary(UnaryOp::Abs)),
    row("unsigned_abs", SIGNED, NONE, Gives::Unsigned, Does::UnsignedAbs),
    row("abs_diff", INTEGER, SAME, Gives::Unsigned, Does::AbsDiff),
    row("signum", SIGNED | FLOAT, NONE, Gives::Same, Does::Signum),
    row("is_positive", SIGNED, NONE, Gives::Bool, Does::IsPositive),
    row("is_negative", SIGNED, NONE, Gives::Bool, Does::IsNegative),
    // Of integers these three come from the trait `Ord`; floats have their own.
    row("min", INTEGER | LITERAL, SAME, Gives::Same, Does::Binary(BinaryOp::Min)),
    row("max", INTEGER | LITERAL, SAME, Gives::Same, Does::Binary(BinaryOp::Max)),
    row(
        "clamp",
        INTEGER | LITERAL,
        &[Takes::Same, Takes::Same],
        Gives::Same,
        Does::Clamp,
    ),
    row("min", FLOAT, SAME, Gives::Same, Does::Binary(BinaryOp::Min)),
    row("max", FLOAT, SAME, Gives::Same, Does::Binary(BinaryOp::Max)),
    row("clamp", FLOAT, &[Takes::Same, Takes::Same], Gives::Same, Does::Clamp),
    row("sqrt", FLOAT, NONE, Gives::Same, Does::Unary(UnaryOp::Sqrt)),
    row("floor", FLOAT, NONE, Gives::Same, Does::Unary(UnaryOp::Floor)),
    row("ceil", FLOAT, NONE, Gives::Same, Does::Unary(UnaryOp::Ceil)),
    row("trunc", FLOAT, NONE, Gives::Same, Does::Unary(UnaryOp::Trunc)),
    row("round", FLOAT, NONE, Gives::Same, Does::Unary(UnaryOp::Round)),
    row(
        "round_ties_even",
        FLOAT,
        NONE,
        Gives::Same,
        Does::Unary(UnaryOp::RoundTiesEven),
    ),
    row("fract", FLOAT, NONE, Gives::Same, Does::Fract),
    row("recip", FLOAT, NONE, Gives::Same, Does::Recip),
    row("mul_add", FLOAT, &[Takes::Same, Takes::Same], Gives::Same, Does::MulAdd),
    row("copysign", FLOAT, SAME, Gives::Same, Does::Binary(BinaryOp::Copysign)),
    row("to_bits", FLOAT, NONE, Gives::Unsigned, Does::ToBits),
    row("is_nan", FLOAT, NONE, Gives::Bool, Does::IsNan),
    row("is_finite", FLOAT, NONE, Gives::Bool, Does::IsFinite),
    row("is_infinite", FLOAT, NONE, Gives::Bool, Does::IsInfinite),
    row("is_sign_negative", FLOAT, NONE, Gives::Bool, Does::IsSignNegative),
    row("is_sign_positive", FLOAT, NONE, Gives::Bool, Does::IsSignPositive),
    row("rem_euclid", NUMBER, SAME, Gives::Same, Does::RemEuclid),
    row("div_euclid", NUMBER, SAME, Gives::Same, Does::DivEuclid),
    row("div_ceil", UNSIGNED, SAME, Gives::Same, Does::DivCeil),
    row("pow", INTEGER, U32, Gives::Same, Does::Pow),
    row("wrapping_pow", INTEGER, U32, Gives::Same, Does::Pow),
    row("wrapping_add", INTEGER, SAME, Gives::Same, Does::Binary(BinaryOp::Add)),
    row("wrapping_sub", INTEGER, SAME, Gives::Same, Does::Binary(BinaryOp::Sub)),
    row("wrapping_mul", INTEGER, SAME, Gives::Same, Does::Binary(BinaryOp::Mul)),
    row("wrapping_neg", INTEGER, NONE, Gives::Same, Does::Unary(UnaryOp::Neg)),
    row("wrapping_shl", INTEGER, U32, Gives::Same, Does::Binary(BinaryOp::Shl)),
    row("wrapping_shr", INTEGER, U32, Gives::Same, Does::Binary(BinaryOp::Shr)),
    row(
        "wrapping_add_signed",
        UNSIGNED,
        &[Takes::Signed],
        Gives::Same,
        Does::Binary(BinaryOp::Add),
    ),
    row(
        "wrapping_add_unsigned",
        SIGNED,
        &[Takes::Unsigned],
        Gives::Same,
        Does::Binary(BinaryOp::Add),
    ),
    row(
        "saturating_add",
        INTEGER,
        SAME,
        Gives::Same,
        Does::Saturating(BinaryOp::Add),
    ),
    row(
        "saturating_sub",
        INTEGER,
        SAME,
        Gives::Same,
        Does::Saturating(BinaryOp::Sub),
    ),
    row(
        "checked_add",
        INTEGER,
        SAME,
        Gives::Option,
        Does::Checked(BinaryOp::Add),
    ),
    row(
        "checked_sub",
        INTEGER,
        SAME,
        Gives::Option,
        Does::Checked(BinaryOp::Sub),
    ),
    row(
        "checked_div",
        INTEGER,
        SAME,
        Gives::Option,
        Does::Checked(BinaryOp::Div),
    ),
    row(
        "checked_rem",
        INTEGER,
        SAME,
        Gives::Option,
        Does::Checked(BinaryOp::Rem),
    ),
    row(
        "overflowing_add",
        INTEGER,
        SAME,
        Gives::WithBool,
        Does::Overflowing(BinaryOp::Add),
    ),
    row(
        "overflowing_sub",
        INTEGER,
        SAME,
        Gives::WithBool,
        Does::Overflowing(BinaryOp::Sub),
    ),
    row(
        "wrapping_div",
        INTEGER,
        SAME,
        Gives::Same,
        Does::WrappingQuotient(BinaryOp::Div),
    ),
    row(
        "wrapping_rem",
        INTEGER,
        SAME,
        Gives::Same,
        Does::WrappingQuotient(BinaryOp::Rem),
    ),
    row("ilog2", INTEGER, NONE, Gives::U32, Does::Ilog2),
    row("next_power_of_two", UNSIGNED, NONE, Gives::Same, Does::NextPowerOfTwo),
    row(
        "to_radians",
        FLOAT,
        NONE,
        Gives::Same,
        Does::Scaled(core::f32::consts::PI / 180.0, core::f64::consts::PI / 180.0),
    ),
    row(
        "to_degrees",
        FLOAT,
        NONE,
        Gives::Same,
        // As Rust has them: in f32 the quotient would not be the nearest one.
        Does::Scaled(57.295_78, 180.0 / core::f64::consts::PI),
    ),
    row(
        "rotate_left",
        INTEGER,
        U32,
        Gives::Same,
        Does::Binary(BinaryOp::RotateLeft),
    ),
    row(
        "rotate_right",
        INTEGER,
        U32,
        Gives::Same,
        Does::Binary(BinaryOp::RotateRight),
    ),
    row(
        "swap_bytes",
        INTEGER,
        NONE,
        Gives::Same,
        Does::Unary(UnaryOp::SwapBytes),
    ),
    row(
        "reverse_bits",
        INTEGER,
        NONE,
        Gives::Same,
        Does::Unary(UnaryOp::ReverseBits),
    ),
    row("count_ones", INTEGER, NONE, Gives::U32, Does::Unary(UnaryOp::CountOnes)),
    row(
        "count_zeros",
        INTEGER,
        NONE,
        Gives::U32,
        Does::UnaryOfNot(UnaryOp::CountOnes),
    ),
    row(
        "leading_zeros",
        INTEGER,
        NONE,
        Gives::U32,
        Does::Unary(UnaryOp::LeadingZeros),
    ),
    row(
        "leading_ones",
        INTEGER,
        NONE,
        Gives::U32,
        Does::UnaryOfNot(UnaryOp::LeadingZeros),
    ),
    row(
        "trailing_zeros",
        INTEGER,
        NONE,
        Gives::U32,
        Does::Unary(UnaryOp::TrailingZeros),
    ),
    row(
        "trailing_ones",
        INTEGER,
        NONE,
        Gives::U32,
        Does::UnaryOfNot(UnaryOp::TrailingZeros),
    ),
    row("is_power_of_two", UNSIGNED, NONE, Gives::Bool, Does::IsPowerOfTwo),
    row("is_multiple_of", UNSIGNED, SAME, Gives::Bool, Does::IsMultipleOf),
    row("cast_signed", UNSIGNED, NONE, Gives::Signed, Does::Cast),
    row("cast_unsigned", SIGNED, NONE, Gives::Unsigned, Does::Cast),
    row("to_f32", HALF, NONE, Gives::F32, Does::Cast),
    row("to_f64", HALF, NONE, Gives::F64, Does::Cast),
    row("to_f32_const", HALF, NONE, Gives::F32, Does::Cast),
    row("to_f64_const", HALF, NONE, Gives::F64, Does::Cast),
    row("len", SEQUENCE, NONE, Gives::Usize, Does::Length),
    row("is_empty", SEQUENCE, NONE, Gives::Bool, Does::IsEmpty),
    row(
        "get_unchecked",
        SEQUENCE,
        &[Takes::Usize],
        Gives::Element(false),
        Does::Unchecked,
    ),
    row(
        "get_unchecked_mut",
        SEQUENCE,
        &[Takes::Usize],
        Gives::Element(true),
        Does::Unchecked,
    ),
    row("rows", MATRIX, NONE, Gives::Usize, Does::Extent(0)),
    row("cols", MATRIX, NONE, Gives::Usize, Does::Extent(1)),
    row("pitch", MATRIX, NONE, Gives::Usize, Does::Extent(2)),
    row("row", MATRIX, &[Takes::Usize], Gives::Row(false), Does::Row),
    row("row_mut", MATRIX, &[Takes::Usize], Gives::Row(true), Does::Row),
    row("reborrow", MATRIX, NONE, Gives::Same, Does::Reborrow),
    row("as_slice2", MATRIX, NONE, Gives::Matrix, Does::Reborrow),
    row(
        "get_unchecked",
        MATRIX,
        &[Takes::Place],
        Gives::Element(false),
        Does::Unchecked,
    ),
    row(
        "get_unchecked_mut",
        MATRIX,
        &[Takes::Place],
        Gives::Element(true),
        Does::Unchecked,
    ),
    row(
        "load",
        ATOMIC,
        &[Takes::Order],
        Gives::Same,
        Does::Atomic(AtomicOp::Load),
    ),
    row("store", ATOMIC, STORE, Gives::Unit, Does::Atomic(AtomicOp::Store)),
    row("swap", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Exchange)),
    row("fetch_add", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Add)),
    row("fetch_sub", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Sub)),
    row("fetch_and", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::And)),
    row("fetch_or", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Or)),
    row("fetch_xor", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Xor)),
    row("fetch_nand", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Nand)),
    row("fetch_min", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Min)),
    row("fetch_max", ATOMIC, STORE, Gives::Same, Does::Atomic(AtomicOp::Max)),
    // Barriers: rustc tells them from atomics.
    row(
        "arrive",
        ATOMIC,
        NONE,
        Gives::Same,
        Does::Atomic(AtomicOp::BarrierArrive),
    ),
    row(
        "hold_for_copies",
        ATOMIC,
        NONE,
        Gives::Unit,
        Does::Atomic(AtomicOp::BarrierCopies),
    ),
    row("wait", ATOMIC, SAME, Gives::Unit, Does::Wait),
    row("arrive_and_wait", ATOMIC, NONE, Gives::Unit, Does::Wait),
    row(
        "compare_exchange",
        ATOMIC,
        EXCHANGE,
        Gives::Exchanged,
        Does::Atomic(AtomicOp::CompareExchange),
    ),
    row(
        "compare_exchange_weak",
        ATOMIC,
        EXCHANGE,
        Gives::Exchanged,
        Does::Atomic(AtomicOp::CompareExchange),
    ),
    row(
        "in_block",
        ATOMIC,
        NONE,
        Gives::Receiver,
        Does::Scope(MemoryScope::Block),
    ),
    row(
        "in_device",
        ATOMIC,
        NONE,
        Gives::Receiver,
        Does::Scope(MemoryScope::Device),
    ),
    row(
        "in_system",
        ATOMIC,
        NONE,
        Gives::Receiver,
        Does::Scope(MemoryScope::System),
    ),
    row("is_ok", RESULT, NONE, Gives::Bool, Does::Is(sums::OK)),
    row("is_err", RESULT, NONE, Gives::Bool, Does::Is(sums::ERR)),
    row("is_some", OPTION, NONE, Gives::Bool, Does::Is(sums::SOME)),
    row("is_none", OPTION, NONE, Gives::Bool, Does::Is(sums::NONE)),
    row("unwrap", OPTION | RESULT, NONE, Gives::Same, Does::Unwrap),
    row("expect", OPTION | RESULT, &[Takes::Text], Gives::Same, Does::Unwrap),
    row("unwrap_or", OPTION | RESULT, &[Takes::Same], Gives::Same, Does::Unwrap),
];

/// The methods of floats that `f16` and `bf16` have, of their own or from the trait `vyre::Float`.
const HALVES: &[&str] = &[
    "abs",
    "signum",
    "min",
    "max",
    "clamp",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "round",
    "round_ties_even",
    "fract",
    "recip",
    "mul_add",
    "copysign",
    "to_bits",
    "is_nan",
    "is_finite",
    "is_infinite",
    "is_sign_negative",
    "is_sign_positive",
];

impl Method {
    /// Whether receivers of one kind have it.
    pub(super) fn is_on(&self, on: u16) -> bool {
        self.on & on != 0 || on == HALF && self.on & FLOAT != 0 && HALVES.contains(&self.name)
    }
}

const STORE: &[Takes] = &[Takes::Same, Takes::Order];
const EXCHANGE: &[Takes] = &[Takes::Same, Takes::Same, Takes::Order, Takes::Order];

/// The method of a name on receivers of one kind.
pub(super) fn find(name: &str, on: u16) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name && method.is_on(on))
}

/// The kind of receiver that a primitive is; 0 for `bool`, which has no methods.
pub(super) fn receiver(primitive: Primitive) -> u16 {
    let scalar = primitive.scalar();
    if scalar.is_half() {
        HALF
    } else if scalar.is_float() {
        FLOAT
    } else if scalar.is_signed() {
        SIGNED
    } else if scalar.is_integer() {
        UNSIGNED
    } else {
        0
    }
}

/// The unsigned or signed integer of a primitive's width.
pub(super) fn of_width(primitive: Primitive, signed: bool) -> Primitive {
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
    }
}

/// The methods that there are, in words.
pub(super) const IN_ALL: &str =
    "kernels know the arithmetic methods of the primitive types, `len`, and those of atomics";

/// The receivers of some [`on`] bits, in words.
pub(super) fn owners(bits: u16) -> &'static str {
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
        HALF => "`f16` and `bf16`",
        OPTION => "`Option`",
        RESULT => "`Result`",
        bits if bits & !(OPTION | RESULT) == 0 => "`Option` and `Result`",
        _ => "other types",
    }
}
