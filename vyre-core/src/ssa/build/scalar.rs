//! Scalar operations: those on narrow integers and on `bool` become operations on registers.

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{BinaryOp, Scalar, UnaryOp};

use super::Builder;
use crate::ssa::op::Op;
use crate::ssa::{Ty, Value};

/// The scalar type of the register of a value: narrow integers take 32 bits.
pub(super) fn machine(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::U8 | Scalar::U16 => Scalar::U32,
        other => other,
    }
}

/// True if values of the type are narrower than their register.
pub(super) fn is_narrow(scalar: Scalar) -> bool {
    scalar.is_integer() && scalar.bits() < 32
}

impl Builder<'_, '_> {
    /// The low bits of a register as a value of a narrow type.
    pub(super) fn narrow(&mut self, a: Value, scalar: Scalar) -> Value {
        match scalar {
            Scalar::U8 | Scalar::U16 => {
                let mask = (1 << scalar.bits()) - 1;
                self.binary_with(BinaryOp::And, Scalar::U32, a, mask)
            }
            Scalar::I8 | Scalar::I16 => self.convert(scalar, Scalar::U32, a),
            _ => a,
        }
    }

    /// The value of a narrow type, zero-extended.
    fn zero_extended(&mut self, a: Value, scalar: Scalar) -> Value {
        match scalar {
            Scalar::I8 | Scalar::I16 => {
                let mask = (1 << scalar.bits()) - 1;
                self.binary_with(BinaryOp::And, Scalar::U32, a, mask)
            }
            _ => a,
        }
    }

    /// An operation on one scalar.
    pub(super) fn unary(&mut self, op: UnaryOp, scalar: Scalar, a: Value) -> Value {
        let word = machine(scalar);
        let narrow = is_narrow(scalar);
        let spare = u64::from(32u32.saturating_sub(scalar.bits()));
        match op {
            UnaryOp::Neg if scalar.is_integer() => {
                let zero = self.constant(Ty::of(scalar), 0);
                let negative = self.binary_op(BinaryOp::Sub, word, zero, a);
                self.narrow(negative, scalar)
            }
            UnaryOp::Not if narrow && !scalar.is_signed() => {
                let mask = (1 << scalar.bits()) - 1;
                self.binary_with(BinaryOp::Xor, Scalar::U32, a, mask)
            }
            UnaryOp::Not => self.unary_op(op, super::unsigned(word), a),
            UnaryOp::Abs => {
                let magnitude = self.unary_op(op, word, a);
                self.narrow(magnitude, scalar)
            }
            UnaryOp::Neg => self.unary_op(op, word, a),
            _ if scalar.is_half() => {
                let wide = self.cast(a, scalar, Scalar::F32);
                let wide = self.unary(op, Scalar::F32, wide);
                self.cast(wide, Scalar::F32, scalar)
            }
            UnaryOp::Round => self.round(scalar, a),
            UnaryOp::Sqrt | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Trunc | UnaryOp::RoundTiesEven => {
                self.unary_op(op, word, a)
            }
            UnaryOp::ApproxExp2
            | UnaryOp::ApproxLog2
            | UnaryOp::ApproxSin
            | UnaryOp::ApproxCos
            | UnaryOp::ApproxTanh
            | UnaryOp::ApproxRsqrt
            | UnaryOp::ApproxRecip
            | UnaryOp::ApproxSqrt
            | UnaryOp::NormalRecip
            | UnaryOp::NormalSqrt
            | UnaryOp::NormalRsqrt => self.unary_op(op, word, a),
            UnaryOp::ReverseBits => {
                let reversed = self.unary_op(op, super::unsigned(word), a);
                if !narrow {
                    return reversed;
                }
                // The bits end up at the top; the shift by the word's type extends them.
                self.binary_with(BinaryOp::Shr, word, reversed, spare)
            }
            UnaryOp::SwapBytes => match scalar.size() {
                1 => a,
                2 => {
                    let swapped = self.unary_op(op, Scalar::U32, a);
                    self.binary_with(BinaryOp::Shr, word, swapped, 16)
                }
                _ => self.unary_op(op, super::unsigned(word), a),
            },
            UnaryOp::CountOnes => {
                let bits = self.zero_extended(a, scalar);
                self.count(op, scalar, bits)
            }
            UnaryOp::LeadingZeros => {
                let bits = self.zero_extended(a, scalar);
                let zeros = self.count(op, scalar, bits);
                if !narrow {
                    return zeros;
                }
                self.binary_with(BinaryOp::Sub, Scalar::U32, zeros, spare)
            }
            UnaryOp::TrailingZeros => {
                let bits = if narrow {
                    // A one above the highest bit bounds the count for zero.
                    self.binary_with(BinaryOp::Or, Scalar::U32, a, 1 << scalar.bits())
                } else {
                    a
                };
                self.count(op, scalar, bits)
            }
        }
    }

    /// A count of bits, which a register of 32 bits receives, in the operand's own type.
    fn count(&mut self, op: UnaryOp, scalar: Scalar, a: Value) -> Value {
        let word = super::unsigned(machine(scalar));
        let count = self.emit(Op::Unary { op, scalar: word, a }, Ty::I32);
        if word == Scalar::U64 {
            return self.convert(Scalar::U32, Scalar::U64, count);
        }
        count
    }

    /// An operation on two scalars.
    pub(super) fn binary(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        match scalar {
            Scalar::Bool => self.binary_bool(op, a, b),
            Scalar::F16 | Scalar::BF16 => self.binary_half(op, scalar, a, b),
            Scalar::F32 | Scalar::F64 => self.binary_float(op, scalar, a, b),
            _ => {
                if op.may_fault(scalar) {
                    self.check_division(scalar, a, b);
                }
                if is_narrow(scalar) {
                    self.binary_narrow(op, scalar, a, b)
                } else {
                    self.binary_op(op, scalar, a, b)
                }
            }
        }
    }

    fn binary_bool(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let bool = Scalar::Bool;
        let not = |this: &mut Self, a| this.unary_op(UnaryOp::Not, bool, a);
        match op {
            BinaryOp::Ne => self.binary_op(BinaryOp::Xor, bool, a, b),
            BinaryOp::Eq => {
                let differ = self.binary_op(BinaryOp::Xor, bool, a, b);
                not(self, differ)
            }
            BinaryOp::Lt => {
                let a = not(self, a);
                self.binary_op(BinaryOp::And, bool, a, b)
            }
            BinaryOp::Le => {
                let a = not(self, a);
                self.binary_op(BinaryOp::Or, bool, a, b)
            }
            BinaryOp::Gt => {
                let b = not(self, b);
                self.binary_op(BinaryOp::And, bool, a, b)
            }
            BinaryOp::Ge => {
                let b = not(self, b);
                self.binary_op(BinaryOp::Or, bool, a, b)
            }
            _ => self.binary_op(op, bool, a, b),
        }
    }

    fn check_division(&mut self, scalar: Scalar, a: Value, b: Value) {
        let word = machine(scalar);
        match self.function.as_constant(b) {
            Some(0) => {
                let never = self.bool(false);
                self.guard_plain(never, FaultKind::DivisionByZero, "");
            }
            Some(_) => {}
            None => {
                let nonzero = self.binary_with(BinaryOp::Ne, word, b, 0);
                self.guard_plain(nonzero, FaultKind::DivisionByZero, "");
            }
        }
        if !scalar.is_signed() {
            return;
        }
        let minus_one = self.constant(Ty::of(scalar), u64::MAX);
        if b != minus_one && self.function.as_constant(b).is_some() {
            return;
        }
        let smallest = (u64::MAX << (scalar.bits() - 1)) & (u64::MAX >> (64 - Ty::of(scalar).bits()));
        let large = self.binary_with(BinaryOp::Ne, word, a, smallest);
        let fits = if b == minus_one {
            large
        } else {
            let other = self.binary_op(BinaryOp::Ne, word, b, minus_one);
            self.binary_op(BinaryOp::Or, Scalar::Bool, large, other)
        };
        self.guard_plain(fits, FaultKind::DivisionOverflow, "");
    }

    /// An operation on two integers of 8 or 16 bits.
    fn binary_narrow(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        let word = machine(scalar);
        let width = u64::from(scalar.bits());
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                let whole = self.binary_op(op, word, a, b);
                self.narrow(whole, scalar)
            }
            BinaryOp::Shl => {
                let amount = self.binary_with(BinaryOp::And, Scalar::U32, b, width - 1);
                let whole = self.binary_op(op, word, a, amount);
                self.narrow(whole, scalar)
            }
            BinaryOp::Shr => {
                let amount = self.binary_with(BinaryOp::And, Scalar::U32, b, width - 1);
                self.binary_op(op, word, a, amount)
            }
            BinaryOp::RotateLeft | BinaryOp::RotateRight => {
                let bits = self.zero_extended(a, scalar);
                let amount = self.binary_with(BinaryOp::And, Scalar::U32, b, width - 1);
                let all = self.constant(Ty::I32, width);
                let other = self.binary_op(BinaryOp::Sub, Scalar::U32, all, amount);
                let (left, right) = if op == BinaryOp::RotateLeft {
                    (amount, other)
                } else {
                    (other, amount)
                };
                let high = self.binary_op(BinaryOp::Shl, Scalar::U32, bits, left);
                let low = self.binary_op(BinaryOp::Shr, Scalar::U32, bits, right);
                let whole = self.binary_op(BinaryOp::Or, Scalar::U32, high, low);
                self.narrow(whole, scalar)
            }
            BinaryOp::MulHigh => {
                let whole = self.binary_op(BinaryOp::Mul, word, a, b);
                self.binary_with(BinaryOp::Shr, word, whole, width)
            }
            _ => self.binary_op(op, word, a, b),
        }
    }
}
