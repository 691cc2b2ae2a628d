//! Integer arithmetic that reports overflow, or wraps.

use vyre_core::ir::{AssertMessage, BinaryOp, Constant, Scalar, UnaryOp};

use super::operands::Again;
use super::{ExprId, Lowering};
use crate::library::methods::Does;
use crate::types::Ty;

impl Lowering<'_, '_> {
    /// `checked_add` and related methods, which yield an `Option`, and `overflowing_add` and
    /// related ones, which yield the wrapped value and an overflow flag.
    pub(super) fn checked(&mut self, does: Does, op: BinaryOp, x: ExprId, y: ExprId, result: Ty) -> ExprId {
        let scalar = self.scalar_of(x);
        let (x, y) = (self.again(x), self.again(y));
        let (value, over) = match op {
            BinaryOp::Add | BinaryOp::Sub => self.wrapped(op, x, y),
            _ => {
                let over = self.has_no_quotient(x, y);
                let over = self.again(over);
                let (is_over, one, divisor) = (self.get(over), self.number(scalar, 1.0), self.get(y));
                let divisor = self.b.select(is_over, one, divisor);
                let dividend = self.get(x);
                let value = self.b.binary(op, dividend, divisor);
                (self.again(value), self.get(over))
            }
        };
        let result = self.ty(result);
        let over = self.again(over);
        if let Does::Overflowing(_) = does {
            let parts = vec![self.get(value), self.get(over)];
            return self.b.construct(result, parts);
        }
        // `None` holds zero, so that equal values are equal slot by slot.
        let (is_over, zero, value) = (self.get(over), self.number(scalar, 0.0), self.get(value));
        let value = self.b.select(is_over, zero, value);
        let is_over = self.get(over);
        let is_some = self.b.unary(UnaryOp::Not, is_over);
        self.b.construct(result, vec![is_some, value])
    }

    /// True if a division faults: by zero, or of the least number by -1.
    fn has_no_quotient(&mut self, x: Again, y: Again) -> ExprId {
        let divisor = self.get(y);
        let by_zero = self.compare_zero(BinaryOp::Eq, divisor);
        let scalar = self.scalar_of(divisor);
        if !scalar.is_signed() {
            return by_zero;
        }
        let (dividend, least) = (self.get(x), 1 << (scalar.bits() - 1));
        let least = self.b.constant(Constant::new(scalar, least));
        let is_least = self.b.binary(BinaryOp::Eq, dividend, least);
        let (divisor, one) = (self.get(y), self.number(scalar, -1.0));
        let by_one = self.b.binary(BinaryOp::Eq, divisor, one);
        let both = self.b.binary(BinaryOp::And, is_least, by_one);
        self.b.binary(BinaryOp::Or, by_zero, both)
    }

    /// `wrapping_div` and `wrapping_rem`: the least number divided by -1 is itself.
    pub(super) fn wrapping_quotient(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        if !scalar.is_signed() {
            return self.b.binary(op, x, y);
        }
        let (x, y) = (self.again(x), self.again(y));
        let (divisor, one) = (self.get(y), self.number(scalar, -1.0));
        let by_one = self.b.binary(BinaryOp::Eq, divisor, one);
        let by_one = self.again(by_one);
        let (is_one, one, divisor) = (self.get(by_one), self.number(scalar, 1.0), self.get(y));
        let divisor = self.b.select(is_one, one, divisor);
        let dividend = self.get(x);
        let value = self.b.binary(op, dividend, divisor);
        if op == BinaryOp::Rem {
            return value;
        }
        let (zero, dividend) = (self.number(scalar, 0.0), self.get(x));
        let negative = self.b.binary(BinaryOp::Sub, zero, dividend);
        let is_one = self.get(by_one);
        self.b.select(is_one, negative, value)
    }

    /// A wrapped sum or difference, and its overflow flag.
    pub(super) fn wrapped(&mut self, op: BinaryOp, x: Again, y: Again) -> (Again, ExprId) {
        let wrapped = self.of(op, x, y);
        let scalar = self.scalar_of(wrapped);
        let wrapped = self.again(wrapped);
        let adds = op == BinaryOp::Add;
        if !scalar.is_signed() {
            let over = match adds {
                true => self.of(BinaryOp::Lt, wrapped, x),
                false => self.of(BinaryOp::Lt, x, y),
            };
            return (wrapped, over);
        }
        // It wrapped where the sign of the result is not that of `x` and `y` could not explain it.
        let changed = self.of(BinaryOp::Xor, x, wrapped);
        let other = match adds {
            true => self.of(BinaryOp::Xor, y, wrapped),
            false => self.of(BinaryOp::Xor, x, y),
        };
        let both = self.b.binary(BinaryOp::And, changed, other);
        (wrapped, self.compare_zero(BinaryOp::Lt, both))
    }

    pub(super) fn saturating(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        let (x, y) = (self.again(x), self.again(y));
        let (wrapped, over) = self.wrapped(op, x, y);
        let ones = u64::MAX >> (64 - scalar.bits());
        let bound = match scalar.is_signed() {
            false => {
                let bound = if op == BinaryOp::Add { ones } else { 0 };
                self.b.constant(Constant::new(scalar, bound))
            }
            true => {
                let value = self.get(x);
                let negative = self.compare_zero(BinaryOp::Lt, value);
                let (least, most) = (
                    self.b.constant(Constant::new(scalar, (ones >> 1) + 1)),
                    self.b.constant(Constant::new(scalar, ones >> 1)),
                );
                self.b.select(negative, least, most)
            }
        };
        let value = self.get(wrapped);
        self.b.select(over, bound, value)
    }

    /// The position of the highest set bit, which exists.
    pub(super) fn ilog2(&mut self, x: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        let x = self.again(x);
        let value = self.get(x);
        let positive = self.compare_zero(BinaryOp::Gt, value);
        let message = "argument of integer logarithm must be positive".to_owned();
        self.fail(positive, AssertMessage::Panic(message), Vec::new());
        let value = self.get(x);
        let zeros = self.b.unary(UnaryOp::LeadingZeros, value);
        let zeros = self.cast(zeros, Scalar::U32);
        let most = self.b.u32(scalar.bits() - 1);
        self.b.binary(BinaryOp::Sub, most, zeros)
    }

    /// The next power of two; past the last one, 0.
    pub(super) fn next_power_of_two(&mut self, x: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        let x = self.again(x);
        let (value, one) = (self.get(x), self.number(scalar, 1.0));
        let before = self.b.binary(BinaryOp::Sub, value, one);
        let zeros = self.b.unary(UnaryOp::LeadingZeros, before);
        let zeros = self.cast(zeros, Scalar::U32);
        let ones = self.b.constant(Constant::new(scalar, u64::MAX >> (64 - scalar.bits())));
        let ones = self.b.binary(BinaryOp::Shr, ones, zeros);
        let (value, one) = (self.get(x), self.number(scalar, 1.0));
        let is_small = self.b.binary(BinaryOp::Le, value, one);
        let zero = self.number(scalar, 0.0);
        let below = self.b.select(is_small, zero, ones);
        let one = self.number(scalar, 1.0);
        self.b.binary(BinaryOp::Add, below, one)
    }
}
