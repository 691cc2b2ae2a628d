//! Values as sums: a constant, and factors times digits.
//!
//! **Digits** are the roots, the trips of loops, quotients and remainders, and the results of all other operations, each
//! as the unsigned number that its bits are. A factor is a constant, or one times a symbol: a root that is the same
//! for the whole launch, or a product of such. A sum has at most six terms; a value that needs more is a digit itself.
//!
//! **Rules.** A sum equals its value modulo 2^W, where W is the width of the type: sums, differences, products with
//! constants and symbols, and left shifts keep that, also where they wrap. Two values with equal terms differ by a
//! constant, with wrapping, wherever both are computed. A sum has a least and a greatest number; if these are within
//! the type, the value does not wrap and is that number: the sum is exact. Extensions, quotients and remainders need
//! that, and take a digit of their own without it. A counter is its first value plus its step times the trip; the loop's
//! test bounds the trip if the counter cannot step over the end of its type, and no loop runs 2^64 times.
//!
//! All this holds wherever a value is computed, without regard to guards; those have [`facts`](super::facts).
//!
//! **Cost:** one linear walk over the blocks; a question takes constant time.

mod counters;
mod divisions;
mod products;
mod sum;
mod walk;

use crate::ssa::op::Op;
use crate::ssa::{Block, Value};

/// No digit, form or symbol.
pub(crate) const NONE: u32 = u32::MAX;

/// Limit of the terms of a sum.
pub(crate) const MAX_TERMS: usize = 6;

/// The digit or symbol of a term.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "verify", derive(Debug))]
pub(crate) enum Digit {
    /// A root, a parameter, or an operation that has no sum.
    Value(Value),
    /// The number of earlier iterations of the loop with this header.
    Trip(Block),
    /// A value divided by a number.
    Quotient(Value, By),
    /// The remainder of that.
    Remainder(Value, By),
    /// The product of two symbols.
    Product(u32, u32),
}

/// A divisor.
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "verify", derive(Debug))]
pub(crate) enum By {
    Constant(u64),
    Symbol(u32),
}

/// A digit with what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) digit: Digit,
    /// No value of the digit is greater.
    pub(crate) most: u64,
    /// For the trips of a loop, no value is greater in its blocks but the header, which may find that it ends.
    pub(crate) inside: u64,
    /// The number of its low bits that are zero.
    zeros: u32,
    /// True if it is the same for the whole launch.
    pub(crate) is_symbol: bool,
}

/// A factor times a symbol, if there is one, times a digit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) factor: i64,
    pub(crate) symbol: u32,
    pub(crate) digit: u32,
}

/// A value as a sum.
#[derive(Clone, Copy)]
pub(crate) struct Form<'d> {
    pub(crate) constant: i64,
    pub(crate) terms: &'d [Term],
    /// The least and the greatest number that the sum can be, if nothing wraps.
    pub(crate) least: i128,
    pub(crate) most: i128,
    /// The width of the type in bits.
    pub(crate) bits: u32,
}

/// A sum in the arena.
#[derive(Clone, Copy)]
struct Stored {
    constant: i64,
    start: u32,
    count: u32,
    least: i128,
    most: i128,
    bits: u32,
}

/// Facts known besides the function's own.
pub(crate) struct Given<'g> {
    /// How the address of an object is aligned, and that of a slice which is an argument, in bytes, a power of two.
    pub(crate) aligned: &'g dyn Fn(Op) -> u64,
    /// True if a block is in the loop with a header; without it, tests at the top of a loop bound nothing.
    pub(crate) inside: Option<&'g dyn Fn(Block, Block) -> bool>,
    /// The blocks of the grid, none of them zero: an assumption.
    pub(crate) grid: Option<[u32; 3]>,
    /// True if quotients and remainders of sums of symbols are symbols too, which have no register of their own.
    pub(crate) quotients: bool,
}

impl<'g> Given<'g> {
    /// The alignment alone.
    pub(crate) fn alignment(aligned: &'g dyn Fn(Op) -> u64) -> Self {
        Given {
            aligned,
            inside: None,
            grid: None,
            quotients: false,
        }
    }
}

/// The sums of a function's values.
pub(crate) struct Digits {
    /// For each value its form, or [`NONE`].
    of: Vec<u32>,
    forms: Vec<Stored>,
    terms: Vec<Term>,
    digits: Vec<Known>,
}

impl Digits {
    /// The sum of an integer or pointer; none of values added since.
    pub(crate) fn form(&self, value: Value) -> Option<Form<'_>> {
        let stored = *self.forms.get(*self.of.get(value.index())? as usize)?;
        let start = stored.start as usize;
        Some(Form {
            constant: stored.constant,
            terms: &self.terms[start..start + stored.count as usize],
            least: stored.least,
            most: stored.most,
            bits: stored.bits,
        })
    }

    /// The number of digits.
    pub(crate) fn len(&self) -> u32 {
        self.digits.len() as u32
    }

    /// The facts about a digit.
    pub(crate) fn digit(&self, digit: u32) -> Known {
        self.digits[digit as usize]
    }

    /// The value that is a digit of its own, if this is a digit, and a value.
    #[cfg(feature = "verify")]
    pub(crate) fn value(&self, digit: u32) -> Option<Option<Value>> {
        match self.digits.get(digit as usize)?.digit {
            Digit::Value(value) => Some(Some(value)),
            _ => Some(None),
        }
    }

    /// The value that is a digit.
    pub(crate) fn own_value(digit: Digit) -> Option<Value> {
        match digit {
            Digit::Value(value) => Some(value),
            _ => None,
        }
    }

    /// True if a digit is a value of its own.
    pub(crate) fn is_own(&self, digit: u32, value: Value) -> bool {
        self.digits[digit as usize].digit == Digit::Value(value)
    }

    /// The digits that are symbols.
    #[cfg(feature = "verify")]
    pub(crate) fn symbols(&self) -> impl Iterator<Item = u32> {
        (0..self.digits.len() as u32).filter(|&digit| self.digits[digit as usize].is_symbol)
    }

    /// The constant `a - b`, with wrapping, if known.
    pub(crate) fn distance(&self, a: Value, b: Value) -> Option<i64> {
        let (a, b) = (self.form(a)?, self.form(b)?);
        (a.bits == b.bits && a.terms == b.terms).then(|| wrap(a.bits, a.constant.wrapping_sub(b.constant)))
    }

    /// The number of a value's low bits known to be zero: an address with `n` of them is aligned to `1 << n` bytes.
    pub(crate) fn zeros(&self, value: Value) -> u32 {
        self.form(value).map_or(0, |form| self.zeros_of(form))
    }

    fn zeros_of(&self, form: Form<'_>) -> u32 {
        let mut zeros = form.constant.trailing_zeros();
        for term in form.terms {
            zeros = zeros.min(self.zeros_of_term(term));
        }
        zeros
    }

    /// The number of low bits of a term known to be zero.
    pub(crate) fn zeros_of_term(&self, term: &Term) -> u32 {
        let zeros = |digit: u32| match digit {
            NONE => 0,
            digit => self.digits[digit as usize].zeros,
        };
        term.factor.trailing_zeros() + zeros(term.symbol) + zeros(term.digit)
    }
}

impl Digits {
    /// Between which numbers a sum is, if nothing wraps.
    fn interval(&self, constant: i64, terms: &[Term]) -> (i128, i128) {
        let most = |digit: u32| match digit {
            NONE => 1,
            digit => match self.digits[digit as usize] {
                // It may be beyond 64 bits.
                Known {
                    digit: Digit::Product(..),
                    most: u64::MAX,
                    ..
                } => i128::MAX,
                known => i128::from(known.most),
            },
        };
        let (mut least, mut greatest) = (i128::from(constant), i128::from(constant));
        for term in terms {
            let reach = i128::from(term.factor).saturating_mul(most(term.digit));
            let reach = reach.saturating_mul(most(term.symbol));
            least = least.saturating_add(reach.min(0));
            greatest = greatest.saturating_add(reach.max(0));
        }
        (least, greatest)
    }
}

impl Form<'_> {
    /// True if the sum does not wrap as an unsigned number of its type.
    pub(crate) fn is_exact(&self) -> bool {
        self.least >= 0 && self.most >> self.bits == 0
    }

    /// True if the sum does not wrap as a signed number of its type.
    fn is_exact_signed(&self) -> bool {
        self.least >= -1 << (self.bits - 1) && self.most < 1 << (self.bits - 1)
    }
}

/// A number modulo a power of two, as the one next to zero.
fn wrap(bits: u32, number: i64) -> i64 {
    if bits == 32 { i64::from(number as i32) } else { number }
}
