//! A sum while it is added up: its terms in the order of digits, each pair of digit and symbol once.

use super::{Form, MAX_TERMS, NONE, Term, wrap};

/// A sum under construction.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) constant: i64,
    pub(super) terms: [Term; MAX_TERMS],
    pub(super) count: usize,
    pub(super) bits: u32,
    /// True if there were too many terms, or factors that are no symbols.
    pub(super) failed: bool,
}

impl Sum {
    pub(super) fn new(bits: u32, constant: i64) -> Sum {
        let none = Term {
            factor: 0,
            symbol: NONE,
            digit: NONE,
        };
        Sum {
            constant: wrap(bits, constant),
            terms: [none; MAX_TERMS],
            count: 0,
            bits,
            failed: false,
        }
    }

    pub(super) fn of_digit(bits: u32, digit: u32) -> Sum {
        let mut sum = Sum::new(bits, 0);
        sum.add(Term {
            factor: 1,
            symbol: NONE,
            digit,
        });
        sum
    }

    /// Adds a term, in its place in the order of digits.
    pub(super) fn add(&mut self, mut term: Term) {
        term.factor = wrap(self.bits, term.factor);
        let key = |term: &Term| (term.digit, term.symbol);
        let mut at = 0;
        while at < self.count && key(&self.terms[at]) < key(&term) {
            at += 1;
        }
        if at < self.count && key(&self.terms[at]) == key(&term) {
            let factor = wrap(self.bits, self.terms[at].factor.wrapping_add(term.factor));
            self.terms[at].factor = factor;
            if factor == 0 {
                self.terms.copy_within(at + 1..self.count, at);
                self.count -= 1;
            }
        } else if term.factor == 0 {
        } else if self.count == MAX_TERMS {
            self.failed = true;
        } else {
            self.terms.copy_within(at..self.count, at + 1);
            self.terms[at] = term;
            self.count += 1;
        }
    }

    /// Adds a constant times another sum.
    pub(super) fn add_scaled(&mut self, form: Form<'_>, factor: i64) {
        let constant = form.constant.wrapping_mul(factor);
        self.constant = wrap(self.bits, self.constant.wrapping_add(constant));
        for term in form.terms {
            let factor = term.factor.wrapping_mul(factor);
            self.add(Term { factor, ..*term });
        }
    }

    /// A constant times the sum.
    pub(super) fn scaled(&self, factor: i64) -> Sum {
        let mut sum = Sum::new(self.bits, self.constant.wrapping_mul(factor));
        sum.failed = self.failed;
        for term in &self.terms[..self.count] {
            let factor = term.factor.wrapping_mul(factor);
            sum.add(Term { factor, ..*term });
        }
        sum
    }
}
