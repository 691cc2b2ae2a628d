//! Methods that are operations.

use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{AtomicOp, BinaryOp, Constant, ExprKind as IrKind, Scalar, StmtKind, Type};

use super::operands::Again;
use super::{ExprId, Lowering};
use crate::infer::wide;
use crate::library::methods::Does;
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
            Does::Length => return self.length(call),
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
            Does::Cast => return self.converted(expr, &call.receiver),
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
        if let Some(operation) = wide::operation(&self.tree.types, expr) {
            return self.wide_operation(operation, operands);
        }
        let to = self.scalar(expr.ty);
        Some(match (does, &operands[..]) {
            (Does::Unary(op), &[x]) => {
                let value = self.b.unary(op, x);
                self.cast(value, to)
            }
            (Does::ToBits, &[x]) => self.b.bitcast(x, to),
            (Does::Binary(op), &[x, y]) if op.is_shift() => {
                let amount = self.cast(y, Scalar::U32);
                self.b.binary(op, x, amount)
            }
            (Does::Binary(op), &[x, y]) => self.b.binary(op, x, y),
            (Does::Word(number), &[x]) => {
                let word = self.b.field_of(x, number);
                self.cast(word, Scalar::U64)
            }
            (Does::Join, &[low, high]) => self.join(expr.ty, low, high),
            (Does::MulAdd, &[x, y, z]) => self.b.mul_add(x, y, z),
            (Does::Pow, &[x, y]) => self.pow(x, y),
            _ => return None,
        })
    }

    fn length(&mut self, call: &MethodCall) -> Option<ExprId> {
        let here = self.b.span;
        let sequence = self.tree.types.referent(call.receiver.ty);
        Some(match *self.tree.types.kind(sequence) {
            Kind::Array(_, length) => self.b.u64(length),
            Kind::Fragment(..) => {
                let (role, shape) = crate::types::fragment::fragment(&self.tree.types, sequence)?;
                self.b.u64(shape.elements(role).into())
            }
            _ => {
                let path = self.place(&call.receiver)?;
                self.b.span = here;
                self.length_at(path)
            }
        })
    }

    /// The length of the array or slice at a place: where a slice is expected an array stays one.
    pub(super) fn length_at(&mut self, path: Path) -> ExprId {
        let ty = self.b.path_type(&path);
        match self.b.types()[ty] {
            Type::Array { length, .. } => self.b.u64(length),
            _ => self.b.length(path),
        }
    }

    /// An operation on values that are used again.
    pub(super) fn of(&mut self, op: BinaryOp, x: Again, y: Again) -> ExprId {
        let (x, y) = (self.get(x), self.get(y));
        self.b.binary(op, x, y)
    }

    /// By squaring; a small constant exponent becomes products.
    fn pow(&mut self, base: ExprId, exponent: ExprId) -> ExprId {
        let scalar = self.scalar_of(base);
        let one = self.b.constant(Constant::new(scalar, 1));
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
