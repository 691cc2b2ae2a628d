//! Products: of a constant, or of a symbol, with a sum.

use super::sum::Sum;
use super::walk::Walk;
use super::{Digit, Form, Known, NONE, Term, wrap};
use crate::ssa::Value;

/// Limit of the quotients, remainders and products of a function: more have digits that stand for themselves alone.
const MAX_SHARED: usize = 64;

impl Walk<'_> {
    /// Adds the product of two values.
    pub(super) fn product(&mut self, sum: &mut Sum, a: Value, b: Value) -> Option<()> {
        let parts = |form: Form<'_>| {
            let mut parts = Sum::new(sum.bits, form.constant);
            parts.count = form.terms.len();
            parts.terms[..parts.count].copy_from_slice(form.terms);
            parts
        };
        let (a, b) = (parts(self.digits.form(a)?), parts(self.digits.form(b)?));
        sum.constant = wrap(sum.bits, a.constant.wrapping_mul(b.constant));
        for (terms, other) in [(&a, b.constant), (&b, a.constant)] {
            for term in &terms.terms[..terms.count] {
                let factor = term.factor.wrapping_mul(other);
                sum.add(Term { factor, ..*term });
            }
        }
        for x in &a.terms[..a.count] {
            for y in &b.terms[..b.count] {
                let term = self.term_product(x, y)?;
                sum.add(term);
            }
        }
        Some(())
    }

    /// The product of two terms, if one of them is a symbol.
    pub(super) fn term_product(&mut self, x: &Term, y: &Term) -> Option<Term> {
        let parts = |term: &Term| match self.digits.digits[term.digit as usize].is_symbol {
            true => (term.digit, NONE),
            false => (term.symbol, term.digit),
        };
        let ((s, x_digit), (t, y_digit)) = (parts(x), parts(y));
        let factor = x.factor.wrapping_mul(y.factor);
        let digit = match (x_digit, y_digit) {
            (NONE, digit) | (digit, NONE) => digit,
            _ => return None,
        };
        let symbol = match (s, t) {
            (NONE, symbol) | (symbol, NONE) => symbol,
            _ => self.symbol_product(s.min(t), s.max(t))?,
        };
        Some(match digit {
            NONE => Term {
                factor,
                symbol: NONE,
                digit: symbol,
            },
            _ => Term { factor, symbol, digit },
        })
    }

    pub(super) fn symbol_product(&mut self, s: u32, t: u32) -> Option<u32> {
        let most = self.most(s).saturating_mul(self.most(t));
        let zeros = self.digits.digits[s as usize].zeros + self.digits.digits[t as usize].zeros;
        self.shared_digit(Known {
            digit: Digit::Product(s, t),
            most,
            inside: most,
            zeros,
            is_symbol: true,
        })
    }

    /// The digit of a division or product, which equal ones share.
    pub(super) fn shared_digit(&mut self, known: Known) -> Option<u32> {
        let find = |&&number: &&u32| self.digits.digits[number as usize].digit == known.digit;
        if let Some(&number) = self.shared.iter().find(find) {
            return Some(number);
        }
        if self.shared.len() == MAX_SHARED {
            return None;
        }
        let number = self.digit(known);
        self.shared.push(number);
        Some(number)
    }
}
