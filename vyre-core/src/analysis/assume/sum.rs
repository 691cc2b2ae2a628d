//! Sums of products of symbols, each a number of the launch that is not negative.

/// Limit of the products of a sum.
const MAX_TERMS: usize = 10;
/// Limit of the symbols of a product.
const MAX_SYMBOLS: usize = 4;

/// The symbols of a product: their numbers plus one in ascending order, and zeros behind them.
pub(super) type Symbols = [u8; MAX_SYMBOLS];

/// A place without a product.
const NONE: (Symbols, i64) = ([0; MAX_SYMBOLS], 0);

/// A constant and factors times products of symbols, in ascending order of these.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Sum {
    pub(super) constant: i64,
    terms: [(Symbols, i64); MAX_TERMS],
    count: usize,
}

impl Sum {
    pub(super) fn constant(constant: i64) -> Sum {
        Sum {
            constant,
            terms: [NONE; MAX_TERMS],
            count: 0,
        }
    }

    /// The symbol of a number.
    pub(super) fn symbol(number: usize) -> Option<Sum> {
        let mut sum = Sum::constant(0);
        sum.terms[0] = ([u8::try_from(number + 1).ok()?, 0, 0, 0], 1);
        sum.count = 1;
        Some(sum)
    }

    pub(super) fn terms(&self) -> &[(Symbols, i64)] {
        &self.terms[..self.count]
    }

    /// The factor of a product.
    pub(super) fn factor(&self, symbols: Symbols) -> i64 {
        let found = self.terms().iter().find(|(known, _)| *known == symbols);
        found.map_or(0, |(_, factor)| *factor)
    }

    fn add_term(&mut self, symbols: Symbols, factor: i64) -> Option<()> {
        let mut at = 0;
        while at < self.count && self.terms[at].0 < symbols {
            at += 1;
        }
        if at < self.count && self.terms[at].0 == symbols {
            let sum = self.terms[at].1.checked_add(factor)?;
            self.terms[at].1 = sum;
            if sum == 0 {
                self.terms.copy_within(at + 1..self.count, at);
                self.count -= 1;
                // Equal sums are equal in all places.
                self.terms[self.count] = NONE;
            }
        } else if factor != 0 {
            if self.count == MAX_TERMS {
                return None;
            }
            self.terms.copy_within(at..self.count, at + 1);
            self.terms[at] = (symbols, factor);
            self.count += 1;
        }
        Some(())
    }

    /// The sum with a multiple of another one.
    pub(super) fn plus(mut self, other: &Sum, times: i64) -> Option<Sum> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(times)?)?;
        for &(symbols, factor) in other.terms() {
            self.add_term(symbols, factor.checked_mul(times)?)?;
        }
        Some(self)
    }

    /// The sum with a constant.
    pub(super) fn plus_constant(mut self, constant: i64) -> Option<Sum> {
        self.constant = self.constant.checked_add(constant)?;
        Some(self)
    }

    pub(super) fn times(&self, other: &Sum) -> Option<Sum> {
        let mut product = Sum::constant(0).plus(other, self.constant)?;
        for &(symbols, factor) in self.terms() {
            product.add_term(symbols, factor.checked_mul(other.constant)?)?;
            for &(more, by) in other.terms() {
                product.add_term(merged(symbols, more)?, factor.checked_mul(by)?)?;
            }
        }
        Some(product)
    }

    /// The quotient, rounded down, if all factors are multiples of the divisor.
    pub(super) fn divided(mut self, by: i64) -> Option<Sum> {
        self.constant = self.constant.div_euclid(by);
        for (_, factor) in &mut self.terms[..self.count] {
            if *factor % by != 0 {
                return None;
            }
            *factor /= by;
        }
        Some(self)
    }

    /// True if the sum is not greater than another one, whatever the symbols are.
    pub(super) fn is_at_most(&self, other: &Sum) -> bool {
        let difference = self.plus(other, -1);
        difference.is_some_and(|sum| sum.constant <= 0 && sum.terms().iter().all(|(_, factor)| *factor <= 0))
    }

    /// True if the sum is not negative, whatever the symbols are.
    pub(super) fn is_natural(&self) -> bool {
        Sum::constant(0).is_at_most(self)
    }

    /// True if the sum is positive, whatever the symbols are.
    pub(super) fn is_positive(&self) -> bool {
        Sum::constant(1).is_at_most(self)
    }

    /// The symbol that the sum is.
    pub(super) fn as_symbol(&self) -> Option<usize> {
        match (self.constant, self.terms()) {
            (0, &[([number, 0, 0, 0], 1)]) => Some(usize::from(number) - 1),
            _ => None,
        }
    }
}

/// The symbols of two products.
fn merged(a: Symbols, b: Symbols) -> Option<Symbols> {
    let mut all = [0; MAX_SYMBOLS];
    let mut count = 0;
    for symbol in a.into_iter().chain(b).filter(|&symbol| symbol != 0) {
        *all.get_mut(count)? = symbol;
        count += 1;
    }
    all[..count].sort_unstable();
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::Sum;

    /// `a * b`, and sums of it.
    #[test]
    fn products_of_sums_are_multiplied_out() {
        let symbol = |number| Sum::symbol(number).expect("a symbol");
        let less = |number| symbol(number).plus_constant(-1).expect("it fits");
        // (a - 1) * b + (b - 1) = a * b - 1
        let index = less(0)
            .times(&symbol(1))
            .and_then(|row| row.plus(&less(1), 1))
            .expect("it fits");
        let area = symbol(1).times(&symbol(0)).expect("it fits");
        assert!(index == area.plus_constant(-1).expect("it fits"));
        assert!(index.is_at_most(&area) && !area.is_at_most(&index));
        assert_eq!(area.factor([1, 2, 0, 0]), 1);
        assert!(area.divided(2).is_none());
        // (16 a - 1) / 16 = a - 1
        let sixteen = symbol(0)
            .times(&Sum::constant(16))
            .and_then(|sum| sum.plus_constant(-1));
        assert!(sixteen.and_then(|sum| sum.divided(16)) == Some(less(0)));
        let cube = area.times(&area).expect("four symbols");
        assert!(cube.times(&symbol(0)).is_none());
        assert_eq!(
            (symbol(3).as_symbol(), cube.as_symbol(), less(0).as_symbol()),
            (Some(3), None, None)
        );
    }
}
