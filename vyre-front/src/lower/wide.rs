//! Integers of 128 bits: structs of two words, whose operations are calls of functions of the library.

use vyre_ir::ir::{BinaryOp, Constant, Field, Scalar, Type, TypeId, Types};

use super::{ExprId, Lowering};
use crate::surface::Primitive;
use crate::syntax::tree::Operation;
use crate::types::Ty;

/// The struct that an integer of 128 bits is in a program.
pub(super) fn words(of: Primitive, to: &mut Types) -> TypeId {
    let field = |name: &str, ty| Field {
        name: name.to_owned(),
        ty,
    };
    let fields = vec![
        field("low", to.scalar(Scalar::U64)),
        field("high", to.scalar(of.scalar())),
    ];
    to.intern(Type::Struct {
        name: of.name().to_owned(),
        align: 16,
        fields,
    })
}

impl Lowering<'_, '_> {
    /// The call of an operation.
    pub(super) fn wide_operation(&mut self, operation: Operation, values: Vec<ExprId>) -> Option<ExprId> {
        let mut known = self.tree.wide.iter();
        let &(_, call) = known.find(|(known, _)| *known == operation)?;
        let function = self.handles[self.calls[call]];
        let values = match (operation, &values[..]) {
            (("__div", of), &[x, y]) => self.divisible(BinaryOp::Div, of, x, y),
            (("__rem", of), &[x, y]) => self.divisible(BinaryOp::Rem, of, x, y),
            (("__shl" | "__shr" | "__rotate_left" | "__rotate_right", _), &[x, amount]) => {
                vec![x, self.amount(amount)]
            }
            _ => values,
        };
        let result = self.b.call(function, values);
        self.fixed.push(result);
        Some(self.b.get(result))
    }

    /// The amount of a shift.
    pub(super) fn amount(&mut self, value: ExprId) -> ExprId {
        let ty = self.b.type_of(value);
        let value = match self.b.types().as_scalar(ty) {
            Some(_) => value,
            None => self.b.field_of(value, 0),
        };
        self.cast(value, Scalar::U32)
    }

    /// The operands of a division, held against zero and overflow: by a division of small numbers that faults for the same
    /// reason, here and not in the library.
    fn divisible(&mut self, op: BinaryOp, of: Primitive, x: ExprId, y: ExprId) -> Vec<ExprId> {
        let [x, y] = [x, y].map(|value| self.again(value));
        let one = |l: &mut Self, value: i32| l.b.constant(Constant::new(Scalar::I32, value as u64));
        let zero = self.equals(of, y, 0);
        let (none, some) = (one(self, 0), one(self, 1));
        let mut divisor = self.b.select(zero, none, some);
        if of.scalar().is_signed() {
            let (least, all) = (self.equals(of, x, 1 << 127), self.equals(of, y, u128::MAX));
            let overflows = self.b.and(least, all);
            let minus_one = one(self, -1);
            divisor = self.b.select(overflows, minus_one, divisor);
        }
        let dividend = one(self, i32::MIN);
        let quotient = self.b.binary(op, dividend, divisor);
        self.again(quotient);
        vec![self.get(x), self.get(y)]
    }

    /// True if a value has these bits.
    fn equals(&mut self, of: Primitive, value: super::operands::Again, bits: u128) -> ExprId {
        let words = [(bits as u64, Scalar::U64), ((bits >> 64) as u64, of.scalar())];
        let [low, high] = [0, 1].map(|number| {
            let (bits, scalar) = words[number as usize];
            let value = self.get(value);
            let word = self.b.field_of(value, number);
            let wanted = self.b.constant(Constant::new(scalar, bits));
            self.b.binary(BinaryOp::Eq, word, wanted)
        });
        self.b.and(low, high)
    }

    /// A cast between integers of which one at least has 128 bits.
    pub(super) fn wide_cast(&mut self, value: ExprId, from: Ty, to: Ty) -> ExprId {
        let types = &self.tree.types;
        let (from, wide) = (types.as_wide(from), types.as_wide(to));
        let Some(wide) = wide else {
            let low = self.b.field_of(value, 0);
            let to = self.scalar(to);
            return self.cast(low, to);
        };
        if from == Some(wide) {
            return value;
        }
        let value = self.again(value);
        let [low, high] = match from {
            Some(_) => [0, 1].map(|word| {
                let value = self.get(value);
                self.b.field_of(value, word)
            }),
            None => {
                let low = self.get(value);
                let is_signed = self.scalar_of(low).is_signed();
                let low = self.cast(low, Scalar::U64);
                let high = match is_signed {
                    true => {
                        let value = self.get(value);
                        let (value, amount) = (self.cast(value, Scalar::I64), self.b.u32(63));
                        self.b.binary(BinaryOp::Shr, value, amount)
                    }
                    false => self.b.u64(0),
                };
                [low, high]
            }
        };
        self.join(Ty::primitive(wide), low, high)
    }

    /// The integer of two words.
    pub(super) fn join(&mut self, ty: Ty, low: ExprId, high: ExprId) -> ExprId {
        let scalar = self.tree.types.as_wide(ty).map_or(Scalar::U64, Primitive::scalar);
        let high = self.cast(high, scalar);
        let ty = self.ty(ty);
        self.b.construct(ty, vec![low, high])
    }
}
