//! The walk that finds the sums: operands come before their users, except around loops.

use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::super::bounds::{self, Range};
use super::sum::Sum;
use super::{By, Digit, Digits, Form, Given, Known, NONE, Stored, Term};
use crate::ssa::graph::Flow;
use crate::ssa::op::{Op, Special};
use crate::ssa::{Function, Ty, Value, filled};

pub(super) struct Walk<'f> {
    pub(super) function: &'f Function,
    pub(super) flow: &'f Flow,
    pub(super) given: &'f Given<'f>,
    pub(super) digits: Digits,
    /// The quotients, remainders and products, which equal ones share.
    pub(super) shared: Vec<u32>,
}

impl Digits {
    /// Analyses a function.
    pub(crate) fn of(function: &Function, flow: &Flow, given: &Given<'_>) -> Digits {
        let digits = Digits {
            of: filled(NONE, function.values.len()),
            forms: Vec::with_capacity(function.values.len()),
            terms: Vec::with_capacity(function.values.len()),
            digits: Vec::new(),
        };
        let mut walk = Walk {
            function,
            flow,
            given,
            digits,
            shared: Vec::new(),
        };
        for (value, data) in function.values.iter() {
            if data.op.is_root() && has_sum(data.ty) {
                walk.root(value, data.op, data.ty);
            }
        }
        for &block in &flow.order {
            walk.parameters(block);
            for &value in &function.blocks[block].body {
                if has_sum(function.ty(value)) {
                    walk.operation(value);
                }
            }
        }
        walk.digits
    }
}

/// True of the types of values that have sums.
pub(super) fn has_sum(ty: Ty) -> bool {
    matches!(ty, Ty::I32 | Ty::I64 | Ty::Pointer(_))
}

impl Walk<'_> {
    pub(super) fn root(&mut self, value: Value, op: Op, ty: Ty) {
        if let Op::Constant(bits) = op {
            let width = ty.word().bits();
            return self.store(value, &Sum::new(width, bits as i64));
        }
        let zeros = match op {
            Op::Address(_) => (self.given.aligned)(op).trailing_zeros(),
            Op::Argument { .. } if matches!(ty, Ty::Pointer(_)) => (self.given.aligned)(op).trailing_zeros(),
            _ => 0,
        };
        let is_symbol = matches!(
            op,
            Op::External(_) | Op::Argument { .. } | Op::Special(Special::Grid(_) | Special::SharedBytes)
        );
        let most = match (op, self.given.grid) {
            (Op::Special(Special::Block(axis)), Some(grid)) => u64::from(grid[axis.index()] - 1),
            (Op::Special(Special::Grid(axis)), Some(grid)) => grid[axis.index()].into(),
            _ => bounds::of_root(self.function, op, ty),
        };
        self.own_digit(value, most, zeros, is_symbol);
    }

    /// Gives a value a digit of its own.
    pub(super) fn own_digit(&mut self, value: Value, most: u64, zeros: u32, is_symbol: bool) {
        let digit = self.digit(Known {
            digit: Digit::Value(value),
            most,
            inside: most,
            zeros,
            is_symbol,
        });
        self.store_digit(value, digit);
    }

    pub(super) fn digit(&mut self, known: Known) -> u32 {
        self.digits.digits.push(known);
        self.digits.digits.len() as u32 - 1
    }

    /// Makes a digit the sum of a value.
    pub(super) fn store_digit(&mut self, value: Value, digit: u32) {
        self.store(value, &Sum::of_digit(self.width(value), digit));
    }

    pub(super) fn width(&self, value: Value) -> u32 {
        self.function.ty(value).word().bits()
    }

    /// Makes a sum that of a value.
    pub(super) fn store(&mut self, value: Value, sum: &Sum) {
        let stored = self.stored(sum);
        self.digits.of[value.index()] = self.digits.forms.len() as u32;
        self.digits.forms.push(stored);
        self.digits.terms.extend_from_slice(&sum.terms[..sum.count]);
    }

    pub(super) fn stored(&self, sum: &Sum) -> Stored {
        let (least, most) = self.digits.interval(sum.constant, &sum.terms[..sum.count]);
        Stored {
            constant: sum.constant,
            start: self.digits.terms.len() as u32,
            count: sum.count as u32,
            least,
            most,
            bits: sum.bits,
        }
    }

    pub(super) fn most(&self, digit: u32) -> u64 {
        self.digits.digits[digit as usize].most
    }

    pub(super) fn range(&self, value: Value) -> Range {
        match self.digits.form(value) {
            Some(form) if form.is_exact() => Range {
                least: form.least as u64,
                most: form.most as u64,
            },
            _ => Range::of_type(self.function.ty(value)),
        }
    }

    /// The greatest unsigned number that a value can be.
    pub(super) fn bound(&self, value: Value) -> u64 {
        self.range(value).most
    }

    pub(super) fn operation(&mut self, value: Value) {
        if let Some(sum) = self.sum(value, self.function.op(value)).filter(|sum| !sum.failed) {
            return self.store(value, &sum);
        }
        if self.digits.of[value.index()] == NONE {
            let (op, ty) = (self.function.op(value), self.function.ty(value));
            let range = bounds::of(self.function, op, ty, &|operand| self.range(operand));
            self.own_digit(value, range.most, self.zeros(op), false);
        }
    }

    /// The sum of an operation; none if it has none, or was given a digit.
    pub(super) fn sum(&mut self, value: Value, op: Op) -> Option<Sum> {
        let mut sum = Sum::new(self.width(value), 0);
        let function = self.function;
        let constant = |value| function.as_constant(value);
        if let Op::Binary {
            op: op @ (BinaryOp::Add | BinaryOp::Sub),
            a,
            b,
            ..
        } = op
            && let Some((of, by)) = self.remainder(op, a, b)
        {
            return self.divide(value, of, by, false);
        }
        match op {
            Op::Offset { base: a, bytes: b }
            | Op::Binary {
                op: BinaryOp::Add,
                a,
                b,
                ..
            } => {
                sum.add_scaled(self.digits.form(a)?, 1);
                sum.add_scaled(self.digits.form(b)?, 1);
            }
            Op::Binary {
                op: BinaryOp::Sub,
                a,
                b,
                ..
            } => {
                sum.add_scaled(self.digits.form(a)?, 1);
                sum.add_scaled(self.digits.form(b)?, -1);
            }
            // Bits that do not overlap.
            Op::Binary {
                op: BinaryOp::Or, a, b, ..
            } => {
                let (high, low) = (self.digits.form(a)?, self.digits.form(b)?);
                let apart = |high: Form<'_>, low: Form<'_>| {
                    low.is_exact() && low.most >> self.digits.zeros_of(high).min(64) == 0
                };
                if !apart(high, low) && !apart(low, high) {
                    return None;
                }
                sum.add_scaled(high, 1);
                sum.add_scaled(low, 1);
            }
            Op::Binary {
                op: BinaryOp::Mul,
                a,
                b,
                ..
            } => self.product(&mut sum, a, b)?,
            Op::MulWide { signed, a, b } => {
                for factor in [a, b] {
                    self.exact(factor, signed)?;
                }
                self.product(&mut sum, a, b)?;
            }
            Op::Unary {
                op: UnaryOp::Neg, a, ..
            } => sum.add_scaled(self.digits.form(a)?, -1),
            Op::Convert { from, to, a } if from.is_integer() && to.is_integer() => {
                // The low bits of a narrower type are extended.
                let form = self.digits.form(a)?;
                let wider = to.bits() > from.bits() || from.bits() < 32;
                if wider && from.bits() >= 32 {
                    self.exact(a, from.is_signed())?;
                } else if wider && !(form.is_exact() && form.most >> (from.bits() - u32::from(from.is_signed())) == 0) {
                    return None;
                }
                sum.add_scaled(form, 1);
            }
            Op::Binary { op, scalar, a, b } => match op {
                BinaryOp::Shl => {
                    let amount = constant(b)? % u64::from(scalar.bits());
                    sum.add_scaled(self.digits.form(a)?, 1 << amount);
                }
                BinaryOp::MulHigh if !scalar.is_signed() => {
                    let (of, by) = self.inverse(a, constant(b)?, scalar.bits())?;
                    return self.divide(value, of, By::Constant(by), true);
                }
                BinaryOp::Shr if self.is_unsigned(scalar, a) => {
                    let amount = constant(b)? % u64::from(scalar.bits());
                    if let Some((of, by)) = self.shifted_inverse(a, scalar.bits(), amount as u32) {
                        return self.divide(value, of, By::Constant(by), true);
                    }
                    return self.divide(value, a, By::Constant(1 << amount), true);
                }
                BinaryOp::And => {
                    let mask = constant(b)?;
                    let next = mask.wrapping_add(1);
                    if next.is_power_of_two() {
                        return self.divide(value, a, By::Constant(next), false);
                    }
                    let cleared = !mask & u64::MAX >> (u64::BITS - self.width(value));
                    let is_low = cleared.wrapping_add(1).is_power_of_two() && cleared < 1 << 32;
                    if is_low && self.is_unsigned(scalar, a) {
                        return self.without_low_bits(a, cleared.trailing_ones());
                    }
                    return None;
                }
                BinaryOp::Div | BinaryOp::Rem if self.is_unsigned(scalar, a) && self.is_unsigned(scalar, b) => {
                    let by = match constant(b) {
                        Some(0) => return None,
                        Some(by) => By::Constant(by),
                        None => By::Symbol(self.symbol(b)?),
                    };
                    return self.divide(value, a, by, op == BinaryOp::Div);
                }
                _ => return None,
            },
            _ => return None,
        }
        Some(sum)
    }

    /// The sum of a value that does not wrap.
    pub(super) fn exact(&self, value: Value, signed: bool) -> Option<Form<'_>> {
        let exact = |form: &Form<'_>| {
            if signed {
                form.is_exact_signed()
            } else {
                form.is_exact()
            }
        };
        self.digits.form(value).filter(exact)
    }

    /// True if an operation does with an operand what the unsigned one does.
    pub(super) fn is_unsigned(&self, scalar: Scalar, a: Value) -> bool {
        !scalar.is_signed() || self.bound(a) >> (scalar.bits() - 1) == 0
    }

    /// The symbol that a value is.
    pub(super) fn symbol(&self, value: Value) -> Option<u32> {
        match self.digits.form(value)? {
            form @ Form {
                constant: 0,
                terms:
                    &[
                        Term {
                            factor: 1,
                            symbol: NONE,
                            digit,
                        },
                    ],
                ..
            } if self.digits.digits[digit as usize].is_symbol && form.is_exact() => Some(digit),
            _ => None,
        }
    }

    /// The low zero bits of an operation that has no sum.
    pub(super) fn zeros(&self, op: Op) -> u32 {
        let of = |value| self.digits.zeros(value);
        match op {
            Op::Select { a, b, .. } => of(a).min(of(b)),
            Op::MulWide { a, b, .. } => of(a) + of(b),
            Op::Offset { base: a, bytes: b } => of(a).min(of(b)),
            Op::Convert { from, to, a } if from.is_integer() && to.is_integer() => of(a),
            Op::Binary { op, a, b, scalar } if scalar.is_integer() => match op {
                BinaryOp::And => of(a).max(of(b)),
                BinaryOp::Mul => of(a) + of(b),
                BinaryOp::Shl => of(a),
                BinaryOp::Shr => match self.function.as_constant(b) {
                    Some(amount) => of(a).saturating_sub(amount as u32 % scalar.bits()),
                    None => 0,
                },
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Min | BinaryOp::Max => {
                    of(a).min(of(b))
                }
                _ => 0,
            },
            _ => 0,
        }
        .min(u64::BITS)
    }
}
