//! Methods of the primitive types: a single operation if there is one, else an expansion.

use vyre_core::ir::{AtomicOp, BinaryOp, Constant, ExprKind as IrKind, Scalar, StmtKind, UnaryOp};

use super::operands::Again;
use super::{ExprId, Lowering};
use crate::library::methods::Does;
use crate::syntax::evaluate::float;
use crate::syntax::tree::{Argument, Expr, MethodCall};
use crate::types::Kind;

impl Lowering<'_, '_> {
    pub(super) fn method(&mut self, expr: &Expr, call: &MethodCall) -> Option<ExprId> {
        let here = self.b.span;
        let does = call.method?.does;
        match does {
            Does::Extent(number) => {
                let matrix = self.matrix(&call.receiver)?;
                return Some(self.extent(matrix, number));
            }
            Does::Row => return self.row(expr, call),
            Does::Length | Does::IsEmpty => return self.length(call, does == Does::IsEmpty),
            Does::Atomic(AtomicOp::CompareExchange) => return self.attempt(expr, call),
            Does::Atomic(AtomicOp::BarrierArrive) => return self.arrive(expr, call),
            Does::Atomic(_) | Does::AtomicNot => {
                let (old, _) = self.atomic(call, true)?;
                return Some(self.b.get(old));
            }
            Does::Update => return self.update(expr, call),
            Does::Wait => {
                self.wait(call)?;
                return None;
            }
            Does::Seek => {
                let sought = self.sought(call)?;
                return self.found(expr.ty, sought);
            }
            Does::Is(variant) => return self.is(&call.receiver, variant),
            Does::Unwrap => return self.unwrapped(expr, call),
            Does::Unchecked => {
                let path = self.place(expr)?;
                return Some(self.b.load(path));
            }
            _ => {}
        }
        let arguments = call.arguments.iter().filter_map(|argument| match argument {
            Argument::Value(value) => Some(value),
            Argument::Order(..) | Argument::Text(_) => None,
        });
        let operands = self.operands(std::iter::once(&call.receiver).chain(arguments))?;
        self.b.span = here;
        if let (Does::Checked(op) | Does::Overflowing(op), &[x, y]) = (does, &operands[..]) {
            return Some(self.checked(does, op, x, y, expr.ty));
        }
        let to = self.scalar(expr.ty);
        match operands[..] {
            [x] => self.of_one(does, x, to),
            [x, y] => self.of_two(does, x, y, to),
            [x, y, z] => self.of_three(does, x, y, z),
            _ => None,
        }
    }

    fn length(&mut self, call: &MethodCall, is_empty: bool) -> Option<ExprId> {
        let here = self.b.span;
        let sequence = self.tree.types.referent(call.receiver.ty);
        let length = match *self.tree.types.kind(sequence) {
            Kind::Array(_, length) => self.b.u64(length),
            Kind::Fragment(..) => {
                let (role, shape) = crate::types::fragment::fragment(&self.tree.types, sequence)?;
                self.b.u64(shape.elements(role).into())
            }
            _ => {
                let path = self.place(&call.receiver)?;
                self.b.span = here;
                self.b.length(path)
            }
        };
        Some(match is_empty {
            true => self.compare_zero(BinaryOp::Eq, length),
            false => length,
        })
    }

    fn of_one(&mut self, does: Does, x: ExprId, to: Scalar) -> Option<ExprId> {
        let scalar = self.scalar_of(x);
        Some(match does {
            Does::Unary(UnaryOp::Neg) if !scalar.is_signed() => {
                let zero = self.number(scalar, 0.0);
                self.b.binary(BinaryOp::Sub, zero, x)
            }
            Does::Unary(op) => {
                let value = self.b.unary(op, x);
                self.cast(value, to)
            }
            Does::UnaryOfNot(op) => {
                let inverse = self.b.unary(UnaryOp::Not, x);
                let value = self.b.unary(op, inverse);
                self.cast(value, to)
            }
            Does::Signum if scalar.is_float() => {
                // One with the sign of `x`; a NaN stays one.
                let x = self.again(x);
                let (a, b) = (self.get(x), self.get(x));
                let is_nan = self.b.binary(BinaryOp::Ne, a, b);
                let (nan, one, sign) = (self.get(x), self.number(scalar, 1.0), self.get(x));
                let signed = self.b.binary(BinaryOp::Copysign, one, sign);
                self.b.select(is_nan, nan, signed)
            }
            Does::Signum => {
                let x = self.again(x);
                let value = self.get(x);
                let positive = self.compare_zero(BinaryOp::Gt, value);
                let value = self.get(x);
                let negative = self.compare_zero(BinaryOp::Lt, value);
                let (up, down) = (self.b.cast(positive, scalar), self.b.cast(negative, scalar));
                self.b.binary(BinaryOp::Sub, up, down)
            }
            Does::Fract => {
                let x = self.again(x);
                let (whole, part) = (self.get(x), self.get(x));
                let whole = self.b.unary(UnaryOp::Trunc, whole);
                self.b.binary(BinaryOp::Sub, part, whole)
            }
            Does::Recip => {
                let one = self.number(scalar, 1.0);
                self.b.binary(BinaryOp::Div, one, x)
            }
            Does::ToBits => self.b.bitcast(x, to),
            Does::IsNan => {
                let x = self.again(x);
                let (a, b) = (self.get(x), self.get(x));
                self.b.binary(BinaryOp::Ne, a, b)
            }
            Does::IsFinite | Does::IsInfinite => {
                let magnitude = self.b.unary(UnaryOp::Abs, x);
                let infinity = self.number(scalar, f64::INFINITY);
                let op = if does == Does::IsFinite {
                    BinaryOp::Lt
                } else {
                    BinaryOp::Eq
                };
                self.b.binary(op, magnitude, infinity)
            }
            Does::IsSignNegative | Does::IsSignPositive => {
                let one = self.number(scalar, 1.0);
                let signed = self.b.binary(BinaryOp::Copysign, one, x);
                let op = if does == Does::IsSignNegative {
                    BinaryOp::Lt
                } else {
                    BinaryOp::Gt
                };
                self.compare_zero(op, signed)
            }
            Does::IsPositive => self.compare_zero(BinaryOp::Gt, x),
            Does::IsNegative => self.compare_zero(BinaryOp::Lt, x),
            Does::IsPowerOfTwo => {
                let ones = self.b.unary(UnaryOp::CountOnes, x);
                let one = self.number(scalar, 1.0);
                self.b.binary(BinaryOp::Eq, ones, one)
            }
            Does::UnsignedAbs => {
                let magnitude = self.b.unary(UnaryOp::Abs, x);
                self.cast(magnitude, to)
            }
            Does::Cast => self.cast(x, to),
            Does::Ilog2 => self.ilog2(x),
            Does::NextPowerOfTwo => self.next_power_of_two(x),
            Does::Scaled(narrow, wide) => {
                let factor = if scalar == Scalar::F32 { f64::from(narrow) } else { wide };
                let factor = self.number(scalar, factor);
                self.b.binary(BinaryOp::Mul, x, factor)
            }
            _ => return None,
        })
    }

    fn of_two(&mut self, does: Does, x: ExprId, y: ExprId, to: Scalar) -> Option<ExprId> {
        let scalar = self.scalar_of(x);
        Some(match does {
            Does::Binary(op) if op.is_shift() => {
                let amount = self.cast(y, Scalar::U32);
                self.b.binary(op, x, amount)
            }
            Does::Binary(op) => {
                let y = self.cast(y, scalar);
                self.b.binary(op, x, y)
            }
            Does::AbsDiff => {
                let (x, y) = (self.again(x), self.again(y));
                let less = self.of(BinaryOp::Lt, x, y);
                let (up, down) = (self.of(BinaryOp::Sub, y, x), self.of(BinaryOp::Sub, x, y));
                let (up, down) = (self.cast(up, to), self.cast(down, to));
                self.b.select(less, up, down)
            }
            Does::RemEuclid => self.rem_euclid(x, y),
            Does::DivEuclid => self.div_euclid(x, y),
            Does::DivCeil => {
                let (x, y) = (self.again(x), self.again(y));
                let quotient = self.of(BinaryOp::Div, x, y);
                let rest = self.of(BinaryOp::Rem, x, y);
                let rest = self.compare_zero(BinaryOp::Ne, rest);
                let rest = self.b.cast(rest, scalar);
                self.b.binary(BinaryOp::Add, quotient, rest)
            }
            Does::IsMultipleOf => {
                let (x, y) = (self.again(x), self.again(y));
                // Zero has no multiple but itself, and nothing is divided by it.
                let divisor = self.get(y);
                let by_zero = self.compare_zero(BinaryOp::Eq, divisor);
                let dividend = self.get(x);
                let is_zero = self.compare_zero(BinaryOp::Eq, dividend);
                let rest = self.of(BinaryOp::Rem, x, y);
                let divides = self.compare_zero(BinaryOp::Eq, rest);
                self.b.select(by_zero, is_zero, divides)
            }
            Does::Saturating(op) => self.saturating(op, x, y),
            Does::WrappingQuotient(op) => self.wrapping_quotient(op, x, y),
            Does::Pow => self.pow(x, y),
            _ => return None,
        })
    }

    fn of_three(&mut self, does: Does, x: ExprId, y: ExprId, z: ExprId) -> Option<ExprId> {
        match does {
            Does::MulAdd => Some(self.b.mul_add(x, y, z)),
            Does::Clamp => {
                let (x, least, most) = (self.again(x), self.again(y), self.again(z));
                let ordered = self.of(BinaryOp::Le, least, most);
                self.b.assert(ordered, "min <= max");
                // In this order a NaN stays one, as in Rust.
                let below = self.of(BinaryOp::Lt, x, least);
                let (a, b) = (self.get(least), self.get(x));
                let raised = self.b.select(below, a, b);
                let raised = self.again(raised);
                let above = self.of(BinaryOp::Gt, raised, most);
                let (a, b) = (self.get(most), self.get(raised));
                Some(self.b.select(above, a, b))
            }
            _ => None,
        }
    }

    /// An operation on values that are used again.
    pub(super) fn of(&mut self, op: BinaryOp, x: Again, y: Again) -> ExprId {
        let (x, y) = (self.get(x), self.get(y));
        self.b.binary(op, x, y)
    }

    /// A small number as a constant of any type.
    pub(super) fn number(&mut self, scalar: Scalar, value: f64) -> ExprId {
        self.b.constant(match scalar.is_float() {
            true => float(scalar, value),
            false => Constant::new(scalar, value as i64 as u64),
        })
    }

    fn rem_euclid(&mut self, x: ExprId, y: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        if scalar.is_integer() && !scalar.is_signed() {
            return self.b.binary(BinaryOp::Rem, x, y);
        }
        let y = self.again(y);
        let divisor = self.get(y);
        let rest = self.b.binary(BinaryOp::Rem, x, divisor);
        let rest = self.again(rest);
        let value = self.get(rest);
        let negative = self.compare_zero(BinaryOp::Lt, value);
        let (value, divisor) = (self.get(rest), self.get(y));
        let magnitude = self.b.unary(UnaryOp::Abs, divisor);
        let raised = self.b.binary(BinaryOp::Add, value, magnitude);
        let value = self.get(rest);
        self.b.select(negative, raised, value)
    }

    fn div_euclid(&mut self, x: ExprId, y: ExprId) -> ExprId {
        let scalar = self.scalar_of(x);
        if scalar.is_integer() && !scalar.is_signed() {
            return self.b.binary(BinaryOp::Div, x, y);
        }
        let (x, y) = (self.again(x), self.again(y));
        let mut quotient = self.of(BinaryOp::Div, x, y);
        if scalar.is_float() {
            quotient = self.b.unary(UnaryOp::Trunc, quotient);
        }
        let quotient = self.again(quotient);
        let rest = self.of(BinaryOp::Rem, x, y);
        let negative = self.compare_zero(BinaryOp::Lt, rest);
        let divisor = self.get(y);
        let up = self.compare_zero(BinaryOp::Gt, divisor);
        let (value, one) = (self.get(quotient), self.number(scalar, 1.0));
        let lower = self.b.binary(BinaryOp::Sub, value, one);
        let (value, one) = (self.get(quotient), self.number(scalar, 1.0));
        let higher = self.b.binary(BinaryOp::Add, value, one);
        let moved = self.b.select(up, lower, higher);
        let value = self.get(quotient);
        self.b.select(negative, moved, value)
    }

    /// By squaring; a small constant exponent becomes products.
    fn pow(&mut self, base: ExprId, exponent: ExprId) -> ExprId {
        let scalar = self.scalar_of(base);
        let one = self.number(scalar, 1.0);
        if let IrKind::Constant(constant) = *self.b.kind_of(exponent)
            && constant.bits <= 64
        {
            let mut power = self.again(base);
            let mut product: Option<ExprId> = None;
            let mut left = constant.bits;
            while left > 0 {
                if left & 1 == 1 {
                    let factor = self.get(power);
                    product = Some(match product {
                        Some(product) => self.b.binary(BinaryOp::Mul, product, factor),
                        None => factor,
                    });
                }
                left >>= 1;
                if left > 0 {
                    let squared = self.of(BinaryOp::Mul, power, power);
                    power = self.again(squared);
                }
            }
            return product.unwrap_or(one);
        }
        let power = self.b.let_("", base);
        let left = self.b.let_("", exponent);
        let product = self.b.let_("", one);
        let (body, ()) = self.nested(|l| {
            let value = l.b.get(left);
            let more = l.compare_zero(BinaryOp::Ne, value);
            l.b.break_unless(more, 0);
            let (value, one) = (l.b.get(left), l.b.u32(1));
            let odd = l.b.binary(BinaryOp::And, value, one);
            let odd = l.compare_zero(BinaryOp::Ne, odd);
            l.b.if_(
                odd,
                |b| {
                    let (a, f) = (b.get(product), b.get(power));
                    let next = b.binary(BinaryOp::Mul, a, f);
                    b.set(product, next);
                },
                |_| {},
            );
            let (a, f) = (l.b.get(power), l.b.get(power));
            let squared = l.b.binary(BinaryOp::Mul, a, f);
            l.b.set(power, squared);
            let (value, one) = (l.b.get(left), l.b.u32(1));
            let halved = l.b.binary(BinaryOp::Shr, value, one);
            l.b.set(left, halved);
        });
        self.b.push(StmtKind::Loop { body, step: Vec::new() });
        self.b.get(product)
    }
}
