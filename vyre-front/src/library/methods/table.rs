//! The table of methods.

use vyre_ir::ir::{AtomicOp, BinaryOp, MemoryScope, UnaryOp};

use super::on::*;
use super::{Does, Gives, Method, Takes};
use crate::surface::Primitive;
use crate::types::adt;

const fn row(name: &'static str, on: u16, takes: &'static [Takes], gives: Gives, does: Does) -> Method {
    Method {
        name,
        on,
        takes,
        gives,
        does,
    }
}

const NONE: &[Takes] = &[];
const SAME: &[Takes] = &[Takes::Same];
const U32: &[Takes] = &[Takes::U32];
const STORE: &[Takes] = &[Takes::Same, Takes::Order];
const USIZE: &[Takes] = &[Takes::Usize];
const PLACE: &[Takes] = &[Takes::Place];
const ORDER: &[Takes] = &[Takes::Order];
const EXCHANGE: &[Takes] = &[Takes::Same, Takes::Same, Takes::Order, Takes::Order];

const fn unary(name: &'static str, on: u16, op: UnaryOp) -> Method {
    row(name, on, NONE, Gives::Same, Does::Unary(op))
}

const fn counted(name: &'static str, op: UnaryOp) -> Method {
    row(name, INTEGER, NONE, Gives::U32, Does::Unary(op))
}

const fn binary(name: &'static str, on: u16, op: BinaryOp) -> Method {
    row(name, on, SAME, Gives::Same, Does::Binary(op))
}

const fn shift(name: &'static str, op: BinaryOp) -> Method {
    row(name, INTEGER, U32, Gives::Same, Does::Binary(op))
}

const fn atomic(name: &'static str, op: AtomicOp) -> Method {
    row(name, ATOMIC, STORE, Gives::Same, Does::Atomic(op))
}

const fn exchange(name: &'static str, takes: &'static [Takes], does: Does) -> Method {
    row(name, ATOMIC, takes, Gives::Exchanged, does)
}

const fn scope(name: &'static str, scope: MemoryScope) -> Method {
    row(name, ATOMIC, NONE, Gives::Receiver, Does::Scope(scope))
}

/// Every method that kernels know.
pub(crate) const METHODS: &[Method] = &[
    unary("abs", SIGNED | FLOAT | HALF, UnaryOp::Abs),
    unary("wrapping_abs", SIGNED, UnaryOp::Abs),
    // For integers these belong to the trait `Ord`; floats have their own.
    binary("min", INTEGER | LITERAL, BinaryOp::Min),
    binary("max", INTEGER | LITERAL, BinaryOp::Max),
    binary("min", FLOAT | HALF, BinaryOp::Min),
    binary("max", FLOAT | HALF, BinaryOp::Max),
    unary("sqrt", FLOAT | HALF, UnaryOp::Sqrt),
    unary("floor", FLOAT | HALF, UnaryOp::Floor),
    unary("ceil", FLOAT | HALF, UnaryOp::Ceil),
    unary("trunc", FLOAT | HALF, UnaryOp::Trunc),
    unary("round", FLOAT | HALF, UnaryOp::Round),
    unary("round_ties_even", FLOAT | HALF, UnaryOp::RoundTiesEven),
    row(
        "mul_add",
        FLOAT | HALF,
        &[Takes::Same, Takes::Same],
        Gives::Same,
        Does::MulAdd,
    ),
    binary("copysign", FLOAT | HALF, BinaryOp::Copysign),
    row("to_bits", FLOAT | HALF, NONE, Gives::Unsigned, Does::ToBits),
    row("cast", NUMBER | HALF, NONE, Gives::Number(None), Does::Cast),
    row(
        "to_f32",
        NUMBER | HALF,
        NONE,
        Gives::Number(Some(Primitive::F32)),
        Does::Cast,
    ),
    row(
        "to_f64",
        NUMBER | HALF,
        NONE,
        Gives::Number(Some(Primitive::F64)),
        Does::Cast,
    ),
    row("pow", INTEGER, U32, Gives::Same, Does::Pow),
    row("wrapping_pow", INTEGER, U32, Gives::Same, Does::Pow),
    binary("wrapping_add", INTEGER, BinaryOp::Add),
    binary("wrapping_sub", INTEGER, BinaryOp::Sub),
    binary("wrapping_mul", INTEGER, BinaryOp::Mul),
    // For the methods that are written in terms of others: rustc knows no such name.
    binary("__mul_high", INTEGER, BinaryOp::MulHigh),
    row("__low", WIDE, NONE, Gives::U64, Does::Word(0)),
    row("__high", WIDE, NONE, Gives::U64, Does::Word(1)),
    row("__join", UNSIGNED, SAME, Gives::U128, Does::Join),
    unary("wrapping_neg", SIGNED, UnaryOp::Neg),
    shift("wrapping_shl", BinaryOp::Shl),
    shift("wrapping_shr", BinaryOp::Shr),
    shift("rotate_left", BinaryOp::RotateLeft),
    shift("rotate_right", BinaryOp::RotateRight),
    unary("swap_bytes", INTEGER, UnaryOp::SwapBytes),
    unary("reverse_bits", INTEGER, UnaryOp::ReverseBits),
    counted("count_ones", UnaryOp::CountOnes),
    counted("leading_zeros", UnaryOp::LeadingZeros),
    counted("trailing_zeros", UnaryOp::TrailingZeros),
    row("len", SEQUENCE, NONE, Gives::Usize, Does::Length),
    row("get", SEQUENCE, USIZE, Gives::Sought(false), Does::Seek),
    row("get_mut", SEQUENCE, USIZE, Gives::Sought(true), Does::Seek),
    row("first", SEQUENCE, NONE, Gives::Sought(false), Does::Seek),
    row("first_mut", SEQUENCE, NONE, Gives::Sought(true), Does::Seek),
    row("last", SEQUENCE, NONE, Gives::Sought(false), Does::Seek),
    row("last_mut", SEQUENCE, NONE, Gives::Sought(true), Does::Seek),
    row("get_unchecked", SEQUENCE, USIZE, Gives::Element(false), Does::Unchecked),
    row(
        "get_unchecked_mut",
        SEQUENCE,
        USIZE,
        Gives::Element(true),
        Does::Unchecked,
    ),
    row("rows", MATRIX, NONE, Gives::Usize, Does::Extent(0)),
    row("cols", MATRIX, NONE, Gives::Usize, Does::Extent(1)),
    row("pitch", MATRIX, NONE, Gives::Usize, Does::Extent(2)),
    row("row", MATRIX, USIZE, Gives::Row(false), Does::Row),
    row("row_mut", MATRIX, USIZE, Gives::Row(true), Does::Row),
    row("reborrow", MATRIX, NONE, Gives::Same, Does::Reborrow),
    row("as_slice2", MATRIX, NONE, Gives::Matrix, Does::Reborrow),
    row("get_unchecked", MATRIX, PLACE, Gives::Element(false), Does::Unchecked),
    row(
        "get_unchecked_mut",
        MATRIX,
        PLACE,
        Gives::Element(true),
        Does::Unchecked,
    ),
    row("load", ATOMIC, ORDER, Gives::Same, Does::Atomic(AtomicOp::Load)),
    row("store", ATOMIC, STORE, Gives::Unit, Does::Atomic(AtomicOp::Store)),
    atomic("swap", AtomicOp::Exchange),
    atomic("fetch_add", AtomicOp::Add),
    atomic("fetch_sub", AtomicOp::Sub),
    atomic("fetch_and", AtomicOp::And),
    atomic("fetch_or", AtomicOp::Or),
    atomic("fetch_xor", AtomicOp::Xor),
    atomic("fetch_nand", AtomicOp::Nand),
    row("fetch_not", ATOMIC, ORDER, Gives::Same, Does::AtomicNot),
    atomic("fetch_min", AtomicOp::Min),
    atomic("fetch_max", AtomicOp::Max),
    row(
        "arrive",
        BARRIER,
        NONE,
        Gives::Token,
        Does::Atomic(AtomicOp::BarrierArrive),
    ),
    row(
        "hold_for_copies",
        BARRIER,
        NONE,
        Gives::Unit,
        Does::Atomic(AtomicOp::BarrierCopies),
    ),
    row("wait", BARRIER, &[Takes::Token], Gives::Unit, Does::Wait),
    row("arrive_and_wait", BARRIER, NONE, Gives::Unit, Does::Wait),
    exchange("compare_exchange", EXCHANGE, Does::Atomic(AtomicOp::CompareExchange)),
    exchange(
        "compare_exchange_weak",
        EXCHANGE,
        Does::Atomic(AtomicOp::CompareExchange),
    ),
    exchange(
        "fetch_update",
        &[Takes::Order, Takes::Order, Takes::Update],
        Does::Update,
    ),
    scope("in_block", MemoryScope::Block),
    scope("in_device", MemoryScope::Device),
    scope("in_system", MemoryScope::System),
    row("is_ok", RESULT, NONE, Gives::Bool, Does::Is(adt::OK)),
    row("is_err", RESULT, NONE, Gives::Bool, Does::Is(adt::ERR)),
    row("is_some", OPTION, NONE, Gives::Bool, Does::Is(adt::SOME)),
    row("is_none", OPTION, NONE, Gives::Bool, Does::Is(adt::NONE)),
    row("unwrap", OPTION | RESULT, NONE, Gives::Same, Does::Unwrap),
    row("expect", OPTION | RESULT, &[Takes::Text], Gives::Same, Does::Unwrap),
    row("unwrap_or", OPTION | RESULT, SAME, Gives::Same, Does::Unwrap),
];
