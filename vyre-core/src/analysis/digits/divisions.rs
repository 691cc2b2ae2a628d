//! Quotients and remainders.
//!
//! Terms with multiples of the divisor divide by themselves, if the rest is from zero to the divisor. Otherwise the
//! quotient or remainder is a digit. Simplification makes products with scaled inverses of quotients by constants, and a
//! difference of a remainder; both are recognised. A mask that clears low bits leaves a multiple of a quotient.

use vyre_ir::ir::BinaryOp;

use super::sum::Sum;
use super::walk::Walk;
use super::{By, Digit, Form, Known, NONE, Term};
use crate::ssa::Value;
use crate::ssa::op::Op;

impl Walk<'_> {
    /// The sum of a value that is the quotient or the remainder of another.
    pub(super) fn divide(&mut self, value: Value, a: Value, by: By, quotient: bool) -> Option<Sum> {
        self.divided(a, by, quotient, self.zeros(self.function.op(value)))
    }

    /// The sum of a value whose low bits a mask clears: a multiple of its quotient.
    pub(super) fn without_low_bits(&mut self, a: Value, bits: u32) -> Option<Sum> {
        let zeros = self.zeros(self.function.op(a)).saturating_sub(bits);
        let quotient = self.divided(a, By::Constant(1 << bits), true, zeros)?;
        Some(quotient.scaled(1 << bits))
    }

    /// The sum of a quotient or a remainder, which has a number of low bits that are zero.
    fn divided(&mut self, a: Value, by: By, quotient: bool, zeros: u32) -> Option<Sum> {
        let form = self.digits.form(a)?;
        let width = form.bits;
        if let By::Constant(by) = by
            && by < 1 << 62
        {
            let whole_number = by as i64;
            let mut whole = Sum::new(form.bits, 0);
            let mut rest = Sum::new(form.bits, form.constant.rem_euclid(whole_number));
            whole.constant = form.constant.div_euclid(whole_number);
            for term in form.terms {
                if term.factor % whole_number == 0 {
                    let factor = term.factor / whole_number;
                    whole.add(Term { factor, ..*term });
                } else {
                    rest.add(*term);
                }
            }
            // A remainder by a power of two may be taken of a sum that wraps.
            let divides = form.is_exact() || !quotient && by.is_power_of_two();
            let left = self.stored(&rest);
            if divides && left.least >= 0 && left.most < i128::from(by) {
                return Some(if quotient { whole } else { rest });
            }
        }
        let most = self.bound(a);
        let (digit, most) = match by {
            By::Constant(by) if quotient => (Digit::Quotient(a, By::Constant(by)), most / by),
            By::Symbol(by) if quotient => (Digit::Quotient(a, By::Symbol(by)), most),
            By::Constant(by) => (Digit::Remainder(a, By::Constant(by)), most.min(by - 1)),
            By::Symbol(by) => (
                Digit::Remainder(a, By::Symbol(by)),
                most.min(self.most(by).saturating_sub(1)),
            ),
        };
        let number = self.shared_digit(Known {
            digit,
            most,
            inside: most,
            zeros,
            is_symbol: self.given.quotients && self.is_of_symbols(a),
        })?;
        Some(Sum::of_digit(width, number))
    }

    /// True if a value is a sum of symbols alone.
    fn is_of_symbols(&self, value: Value) -> bool {
        let is_symbol = |digit: u32| digit == NONE || self.digits.digits[digit as usize].is_symbol;
        let form = self.digits.form(value);
        form.is_some_and(|form| (form.terms.iter()).all(|term| is_symbol(term.digit) && is_symbol(term.symbol)))
    }

    /// A value and a number by which it is divided, if that is its product with a number, without the low bits: with
    /// `m * d = 2^k + e`, the product `n * m / 2^k` is the quotient `n / d` for all `n` with `n * e < 2^k`.
    pub(super) fn inverse(&self, mut a: Value, factor: u64, bits: u32) -> Option<(Value, u64)> {
        let power = 1u128.checked_shl(bits)?;
        let factor = u128::from(factor);
        let by = power.div_ceil(factor.max(1));
        let excess = factor.checked_mul(by)? - power;
        if excess.checked_mul(self.bound(a).into())? >= power {
            return None;
        }
        let mut by = u64::try_from(by).ok()?;
        // Factors of two are divided out before.
        if let Op::Binary {
            op: BinaryOp::Shr,
            scalar,
            a: whole,
            b,
        } = self.function.op(a)
            && let Some(amount) = self.function.as_constant(b)
            && self.is_unsigned(scalar, whole)
        {
            by = by.checked_mul(1 << (amount % u64::from(scalar.bits())))?;
            a = whole;
        }
        Some((a, by))
    }

    /// The same of a product that is shifted right.
    pub(super) fn shifted_inverse(&self, a: Value, bits: u32, amount: u32) -> Option<(Value, u64)> {
        match self.function.op(a) {
            Op::Binary {
                op: BinaryOp::MulHigh,
                scalar,
                a,
                b,
            } if !scalar.is_signed() => self.inverse(a, self.function.as_constant(b)?, bits + amount),
            _ => None,
        }
    }

    /// The value and the divisor, if a sum or difference is the value without the divisor times its quotient.
    pub(super) fn remainder(&self, op: BinaryOp, a: Value, b: Value) -> Option<(Value, By)> {
        let sign = if op == BinaryOp::Sub { 1 } else { -1 };
        let taken = |of: Value, product: Value| match self.digits.form(product)? {
            Form {
                constant: 0,
                terms: &[term],
                ..
            } => match self.digits.digits[term.digit as usize].digit {
                Digit::Quotient(divided, by) if divided == of => {
                    let is_divisor = match by {
                        By::Constant(by) => term.symbol == NONE && term.factor == sign * by as i64,
                        By::Symbol(by) => term.symbol == by && term.factor == sign,
                    };
                    is_divisor.then_some((of, by))
                }
                _ => None,
            },
            _ => None,
        };
        taken(a, b).or_else(|| if sign < 0 { taken(b, a) } else { None })
    }
}
