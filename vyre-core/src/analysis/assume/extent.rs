//! How far values reach: symbolic bounds of what they are in any thread and iteration.
//!
//! **Rules.** The greatest number: what a branch compares with bounds a value. Otherwise it follows from those of the
//! operands, as if nothing wrapped: a result modulo 2^W is not greater than the number itself. A difference needs more: it
//! must not fall below zero. For this there is the least number, for which in turn nothing may wrap; that is asked of the
//! launch, beside.
//!
//! **Cost:** at most [`FUEL`] values for each question.

use vyre_abi::assumption::Symbol;
use vyre_ir::ir::{BinaryOp, Scalar};

use super::sum::Sum;
use super::{Asked, Search};
use crate::analysis::digits::{By, Digit, Form, NONE};
use crate::ssa::op::{Op, Special};
use crate::ssa::{Ty, Value};

/// Limit of the values that the answer to a question follows from.
pub(super) const FUEL: u32 = 96;
/// Bounds above this are those of types.
const MOST: u64 = 1 << 30;

impl Search<'_> {
    /// No value in any thread is greater where the current block runs. None if only the type bounds it, or data.
    pub(super) fn most(&mut self, value: Value) -> Option<Sum> {
        self.fuel = self.fuel.checked_sub(1)?;
        if let Some(exact) = self.exact(value) {
            return Some(exact);
        }
        // The comparisons of the source say what a launch covers, better than the checks of other accesses do.
        if let Some(sum) = self.below(value, true) {
            return Some(sum);
        }
        // A way that fails asks nothing.
        let asked = self.asked.len();
        let ways: [fn(&mut Self, Value) -> Option<Sum>; 3] = [Self::of_operation, Self::of_form, |this, value| {
            this.below(value, false)
        }];
        for way in ways {
            if let Some(sum) = way(self, value) {
                return Some(sum);
            }
            self.asked.truncate(asked);
        }
        None
    }

    /// The number that a value is in all threads.
    pub(super) fn exact(&mut self, value: Value) -> Option<Sum> {
        let symbol = match self.function.op(value) {
            Op::Constant(bits) if self.function.ty(value) != Ty::Bool => {
                return i64::try_from(bits)
                    .ok()
                    .filter(|bits| *bits < 1 << 62)
                    .map(Sum::constant);
            }
            Op::Argument {
                parameter,
                offset,
                scalar,
            } if matches!(self.function.ty(value), Ty::I32 | Ty::I64)
                && !matches!(scalar, Scalar::I8 | Scalar::I16) =>
            {
                Symbol::argument(parameter, offset, scalar.size())
            }
            Op::Special(Special::Grid(axis)) => Symbol::Grid(axis.index() as u32),
            Op::Special(Special::SharedBytes) => Symbol::SharedBytes,
            Op::Convert {
                from: Scalar::U32,
                to,
                a,
            } if to.is_integer() && to.bits() == 64 => return self.exact(a),
            _ => {
                let Digit::Quotient(of, By::Constant(by)) = self.own_digit(value)? else {
                    return None;
                };
                let of = self.exact(of)?;
                return self.quotient(of, 0, by);
            }
        };
        self.symbol(symbol)
    }

    /// `(of + more) / by`, if it is a symbol.
    fn quotient(&mut self, of: Sum, more: u64, by: u64) -> Option<Sum> {
        match self.symbols[of.as_symbol()?] {
            Symbol::Argument {
                parameter,
                offset,
                bytes,
                more: 0,
                by: 1,
            } => self.symbol(Symbol::Argument {
                parameter,
                offset,
                bytes,
                more: u32::try_from(more).ok()?,
                by: u32::try_from(by).ok()?,
            }),
            _ => None,
        }
    }

    /// The digit that a value is, and not only modulo the range of its type.
    fn own_digit(&self, value: Value) -> Option<Digit> {
        let form = self.digits.form(value).filter(Form::is_exact)?;
        match (form.constant, form.terms) {
            (0, [term]) if term.factor == 1 && term.symbol == NONE => Some(self.digits.digit(term.digit).digit),
            _ => None,
        }
    }

    /// The bound by a comparison, of those of branches or of all.
    fn below(&mut self, value: Value, of_branches: bool) -> Option<Sum> {
        let facts = if of_branches { &self.branches } else { &self.all };
        let mut limits: Vec<(Value, i64)> = Vec::new();
        facts.each_order(value, self.block, &mut |limit, number| limits.push((limit, number)));
        let constant = facts.compared(value, self.block).filter(|&most| most < MOST);
        // The comparisons of outer blocks come last.
        for (limit, number) in limits.into_iter().rev() {
            let aligned = self.digits.zeros(value).min(16);
            if number == 0 && aligned > 0 {
                // The last multiple below the limit.
                let by = 1u64 << aligned;
                let multiples = self.exact(limit).and_then(|limit| self.quotient(limit, by - 1, by));
                if let Some(sum) = multiples.and_then(|multiples| multiples.times(&Sum::constant(by as i64))) {
                    return sum.plus_constant(-(by as i64));
                }
            }
            let sum = self.most(limit);
            if let Some(sum) = sum.and_then(|sum| sum.plus_constant(number.checked_neg()?.checked_sub(1)?)) {
                return Some(sum);
            }
        }
        constant.map(|most| Sum::constant(most as i64))
    }

    /// The bound by the operation.
    fn of_operation(&mut self, value: Value) -> Option<Sum> {
        let function = self.function;
        match function.op(value) {
            Op::Special(Special::Thread(axis)) => {
                Some(Sum::constant(i64::from(function.block_size[axis.index()].max(1)) - 1))
            }
            Op::Special(Special::Block(axis)) => self.symbol(Symbol::Grid(axis.index() as u32))?.plus_constant(-1),
            Op::Special(Special::Lane) => {
                let threads = function.block_size.iter().product::<u32>();
                Some(Sum::constant(i64::from(threads.clamp(1, 32)) - 1))
            }
            Op::Convert { from, to, a } if from.is_integer() && to.is_integer() => {
                let most = self.most(a)?;
                if from.is_signed() && to.bits() > from.bits() {
                    // Its sign must not be set.
                    self.asked.push(Asked {
                        sum: most,
                        bits: from.bits() - 1,
                    });
                }
                Some(most)
            }
            Op::MulWide { signed: false, a, b } => self.most(a)?.times(&self.most(b)?),
            Op::Select { a, b, .. } => {
                let (a, b) = (self.most(a)?, self.most(b)?);
                greater(a, b)
            }
            Op::Binary { op, scalar, a, b } if scalar.is_integer() => self.of_binary(op, scalar, a, b),
            _ => None,
        }
    }

    fn of_binary(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Option<Sum> {
        let function = self.function;
        let constant = function.as_constant(b);
        let is_unsigned = !scalar.is_signed();
        match op {
            BinaryOp::Add => match constant.and_then(|bits| taken(scalar, bits)) {
                Some(taken) => {
                    let taken = Sum::constant(taken);
                    self.is_at_least(a, &taken).then_some(())?;
                    self.most(a)?.plus(&taken, -1)
                }
                None => self.most(a)?.plus(&self.most(b)?, 1),
            },
            BinaryOp::Sub => match (self.exact(a), self.exact(b)) {
                (_, Some(taken)) if self.is_ordered(b, a) || self.is_at_least(a, &taken) => {
                    self.most(a)?.plus(&taken, -1)
                }
                _ if self.is_fixed(a) && self.is_ordered(b, a) => {
                    let least = self.all.range(function, b, self.block).least;
                    self.most(a)?.plus_constant(-i64::try_from(least).ok()?)
                }
                // Terms that both operands share are not cancelled.
                _ => None,
            },
            BinaryOp::Mul => self.most(a)?.times(&self.most(b)?),
            BinaryOp::Shl => self.most(a)?.times(&power(scalar, constant?)?),
            BinaryOp::And => match constant.filter(|&mask| mask < MOST) {
                Some(mask) => Some(Sum::constant(mask as i64).min_constant(self.most(a))),
                None => self.most(a).or_else(|| self.most(b)),
            },
            BinaryOp::Rem if is_unsigned => self.exact(b)?.plus_constant(-1),
            BinaryOp::Min if is_unsigned => match (self.exact(a), self.exact(b)) {
                (_, Some(exact)) | (Some(exact), _) => Some(exact),
                _ => self.most(a).or_else(|| self.most(b)),
            },
            BinaryOp::Max if is_unsigned => {
                let (a, b) = (self.most(a)?, self.most(b)?);
                greater(a, b)
            }
            _ => None,
        }
    }

    /// The bound by the sum of digits, which have that of the sum of their bounds if none is taken away.
    fn of_form(&mut self, value: Value) -> Option<Sum> {
        let form = self.digits.form(value)?;
        if form.constant < 0 {
            return None;
        }
        let (constant, terms) = (form.constant, form.terms.to_vec());
        let mut sum = Sum::constant(constant);
        for term in terms {
            if term.factor < 0 {
                return None;
            }
            let mut product = self.of_digit(term.digit, value)?;
            if term.symbol != NONE {
                product = product.times(&self.of_digit(term.symbol, value)?)?;
            }
            sum = sum.plus(&product, term.factor)?;
        }
        Some(sum)
    }

    /// The bound of a digit other than a value itself.
    fn of_digit(&mut self, digit: u32, value: Value) -> Option<Sum> {
        self.fuel = self.fuel.checked_sub(1)?;
        let known = self.digits.digit(digit);
        match known.digit {
            Digit::Value(of) => (of != value).then_some(())?,
            Digit::Product(a, b) => return self.of_digit(a, value)?.times(&self.of_digit(b, value)?),
            _ => {}
        }
        match known.digit {
            Digit::Value(of) => self.most(of),
            Digit::Trip(_) => (known.most < MOST).then(|| Sum::constant(known.most as i64)),
            Digit::Quotient(of, By::Constant(by)) => self.most(of)?.divided(i64::try_from(by).ok()?),
            Digit::Remainder(of, By::Constant(by)) => {
                Some(Sum::constant(i64::try_from(by).ok()? - 1).min_constant(self.most(of)))
            }
            Digit::Remainder(_, By::Symbol(by)) => self.of_digit(by, value)?.plus_constant(-1),
            Digit::Quotient(_, By::Symbol(_)) | Digit::Product(..) => None,
        }
    }

    /// True if one value is at most another one, by a comparison.
    fn is_ordered(&self, lesser: Value, greater: Value) -> bool {
        // The greater one may be `x - k`.
        let (root, more) = match self.function.op(greater) {
            Op::Binary {
                op: BinaryOp::Add,
                scalar,
                a,
                b,
            } => match self.function.as_constant(b).and_then(|bits| taken(scalar, bits)) {
                Some(taken) => (a, taken),
                None => (greater, 0),
            },
            _ => (greater, 0),
        };
        let mut found = false;
        self.all.each_order(lesser, self.block, &mut |limit, number| {
            found |= limit == greater && number >= -1 || limit == root && number >= more - 1;
        });
        found
    }

    /// True if a value is the same in all threads: a symbol, or one and a constant.
    fn is_fixed(&mut self, value: Value) -> bool {
        match self.function.op(value) {
            Op::Binary {
                op: BinaryOp::Add,
                a,
                b,
                ..
            } if self.function.as_constant(b).is_some() => self.exact(a).is_some(),
            _ => self.exact(value).is_some(),
        }
    }

    /// True if a value is at least a number, maybe under a condition of the launch.
    pub(super) fn is_at_least(&mut self, value: Value, number: &Sum) -> bool {
        let range = self.all.range(self.function, value, self.block);
        if number.is_at_most(&Sum::constant(range.least.min(MOST) as i64)) {
            return true;
        }
        let asked = self.asked.len();
        let least = self.least(value);
        let holds = least
            .and_then(|least| least.plus(number, -1))
            .is_some_and(|rest| rest.is_natural());
        if !holds {
            self.asked.truncate(asked);
        }
        holds
    }

    /// No value in any thread is less, and no symbol has a negative factor. Asks that nothing wraps.
    fn least(&mut self, value: Value) -> Option<Sum> {
        self.fuel = self.fuel.checked_sub(1)?;
        if let Some(exact) = self.exact(value) {
            return Some(exact);
        }
        let range = self.all.range(self.function, value, self.block);
        let constant = Sum::constant(i64::try_from(range.least).ok()?);
        let asked = self.asked.len();
        let found = self.least_of_operation(value);
        if let Some(found) = found
            && found.is_natural()
            && !found.is_at_most(&constant)
        {
            return Some(found);
        }
        self.asked.truncate(asked);
        Some(constant)
    }

    fn least_of_operation(&mut self, value: Value) -> Option<Sum> {
        let function = self.function;
        let bits = function.ty(value).word().bits();
        match function.op(value) {
            // A loop does not run 2^64 times.
            Op::Parameter => match self.digits.form(value)? {
                form if form.bits == 64 && form.constant >= 0 => match form.terms {
                    [term] if (term.factor, term.symbol) == (1, NONE) => {
                        let digit = self.digits.digit(term.digit).digit;
                        matches!(digit, Digit::Trip(_)).then(|| Sum::constant(form.constant))
                    }
                    _ => None,
                },
                _ => None,
            },
            Op::Convert {
                from: Scalar::U32,
                to,
                a,
            } if to.is_integer() && to.bits() == 64 => self.least(a),
            Op::MulWide { signed: false, a, b } => self.least(a)?.times(&self.least(b)?),
            Op::Binary {
                op: op @ (BinaryOp::Add | BinaryOp::Mul | BinaryOp::Shl),
                scalar,
                a,
                b,
            } => {
                let constant = function.as_constant(b);
                if op == BinaryOp::Add
                    && let Some(taken) = constant.and_then(|bits| taken(scalar, bits))
                {
                    return self.least(a)?.plus_constant(-taken).filter(Sum::is_natural);
                }
                let factor = match (op, constant) {
                    (BinaryOp::Shl, Some(amount)) => Some(power(scalar, amount)?),
                    (BinaryOp::Shl, None) => return None,
                    _ => None,
                };
                let asked = self.asked.len();
                let both = |a: Sum, b: Sum| {
                    if op == BinaryOp::Add {
                        a.plus(&b, 1)
                    } else {
                        a.times(&b)
                    }
                };
                let (most_a, least_a) = (self.most(a)?, self.least(a)?);
                let (most_b, least_b) = match factor {
                    Some(factor) => (factor, factor),
                    None => (self.most(b)?, self.least(b)?),
                };
                // Where this does not wrap, its operands do not, unless the product is zero whatever they are.
                let is_narrower = |asked: &Asked| asked.bits < bits;
                let narrower: Vec<Asked> = self.asked.drain(asked..).filter(is_narrower).collect();
                self.asked.extend(narrower);
                self.asked.push(Asked {
                    sum: both(most_a, most_b)?,
                    bits,
                });
                both(least_a, least_b)
            }
            Op::Binary {
                op: BinaryOp::Sub,
                a,
                b,
                ..
            } => {
                let taken = self.exact(b)?;
                self.least(a)?.plus(&taken, -1).filter(Sum::is_natural)
            }
            _ => None,
        }
    }
}

impl Sum {
    /// The lesser one of a constant and a bound, if that is a constant too.
    fn min_constant(self, other: Option<Sum>) -> Sum {
        match other {
            Some(other) if other.is_at_most(&self) => other,
            _ => self,
        }
    }
}

/// The number that adding a constant takes away, if it is negative.
fn taken(scalar: Scalar, bits: u64) -> Option<i64> {
    let number = if scalar.bits() == 64 {
        bits as i64
    } else {
        i64::from(bits as u32 as i32)
    };
    (number < 0).then(|| number.checked_neg())?
}

/// The number by which a left shift multiplies.
fn power(scalar: Scalar, amount: u64) -> Option<Sum> {
    let amount = amount % u64::from(scalar.bits());
    (amount < 62).then(|| Sum::constant(1 << amount))
}

/// The greater one of two sums, if it is known.
fn greater(a: Sum, b: Sum) -> Option<Sum> {
    match () {
        () if a.is_at_most(&b) => Some(b),
        () if b.is_at_most(&a) => Some(a),
        () => None,
    }
}
