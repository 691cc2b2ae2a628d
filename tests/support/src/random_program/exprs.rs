//! Random expressions.

use super::{Builder, Maker, PAIR, Scope};
use vyre_core::ir::{Axis, BinaryOp, Builtin, Constant, ExprId, Handle, Local, Scalar, Type, UnaryOp};

impl Maker {
    /// A value of a scalar type.
    pub(super) fn expr(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar, depth: u32) -> ExprId {
        if depth == 0 || self.random.once_in(4) {
            return self.leaf(b, scope, scalar);
        }
        let depth = depth - 1;
        b.span = self.span();
        match self.random.below(10) {
            0 => {
                let condition = self.expr(b, scope, Scalar::Bool, depth);
                let then = self.expr(b, scope, scalar, depth);
                let otherwise = self.expr(b, scope, scalar, depth);
                b.select(condition, then, otherwise)
            }
            1 | 2 => {
                let accepted: Vec<_> = UnaryOp::ALL.iter().filter(|op| op.accepts(scalar)).collect();
                let operand = self.expr(b, scope, scalar, depth);
                let &op = self.random.pick(&accepted);
                b.unary(op, operand)
            }
            3 if scalar.is_float() => {
                let [x, y, z] = [0; 3].map(|_| self.expr(b, scope, scalar, depth));
                b.mul_add(x, y, z)
            }
            3 if scalar == Scalar::Bool => {
                let left = self.expr(b, scope, scalar, depth);
                let right = self.expr(b, scope, scalar, depth);
                if self.random.once_in(2) {
                    b.and(left, right)
                } else {
                    b.or(left, right)
                }
            }
            4 if scalar != Scalar::Bool => {
                let from = self.scalar();
                let from = if scalar.is_float() && from == Scalar::Bool {
                    Scalar::U8
                } else {
                    from
                };
                let operand = self.expr(b, scope, from, depth);
                b.cast(operand, scalar)
            }
            5 if scalar != Scalar::Bool => {
                let same = |other: &&Scalar| other.bits() == scalar.bits();
                let other: Vec<_> = Scalar::ALL.iter().filter(same).collect();
                let &from = self.random.pick(&other);
                let operand = self.expr(b, scope, from, depth);
                b.bitcast(operand, scalar)
            }
            6 if PAIR.contains(&scalar) => {
                let pair = self.pair(b, scope, depth);
                b.field_of(pair, u32::from(scalar == PAIR[1]))
            }
            _ => self.binary(b, scope, scalar, depth),
        }
    }

    fn binary(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar, depth: u32) -> ExprId {
        let operands = if scalar == Scalar::Bool { self.scalar() } else { scalar };
        let fits = |op: &&BinaryOp| op.accepts(operands) && (scalar == Scalar::Bool) == op.is_comparison();
        let mut ops: Vec<_> = BinaryOp::ALL.iter().filter(fits).collect();
        if scalar == operands && scalar == Scalar::Bool {
            ops.extend(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
        }
        let &op = self.random.pick(&ops);
        let left = self.expr(b, scope, operands, depth);
        let right = match op {
            _ if op.is_shift() => self.expr(b, scope, Scalar::U32, depth),
            BinaryOp::Copysign => {
                let sign = self.expr(b, scope, Scalar::I32, depth);
                b.cast(sign, scalar)
            }
            _ if op.may_fault(operands) && !(self.options.faults && self.random.once_in(4)) => {
                // Between 1 and 7, so that neither 0 nor -1 divides.
                let divisor = self.expr(b, scope, operands, depth);
                let (mask, one) = (
                    b.constant(Constant::new(operands, 7)),
                    b.constant(Constant::new(operands, 1)),
                );
                let divisor = b.binary(BinaryOp::And, divisor, mask);
                b.binary(BinaryOp::Or, divisor, one)
            }
            _ => self.expr(b, scope, operands, depth),
        };
        b.binary(op, left, right)
    }

    pub(super) fn pair(&mut self, b: &mut Builder<'_>, scope: &Scope, depth: u32) -> ExprId {
        if !scope.pairs.is_empty() && self.random.once_in(2) {
            let pair = self.random.pick(&scope.pairs);
            return b.get(pair);
        }
        let fields: Vec<_> = PAIR
            .iter()
            .map(|&scalar| self.expr(b, scope, scalar, depth.saturating_sub(1)))
            .collect();
        let types = PAIR.map(|scalar| b.types().scalar(scalar));
        let ty = b.types().intern(Type::Tuple(types.to_vec()));
        b.construct(ty, fields)
    }

    /// An index below `length`.
    pub(super) fn index(&mut self, b: &mut Builder<'_>, scope: &Scope, length: u64) -> ExprId {
        if self.options.faults && self.random.once_in(32) {
            return self.leaf(b, scope, Scalar::U64);
        }
        let any = self.leaf(b, scope, Scalar::U64);
        let length = b.u64(length);
        b.binary(BinaryOp::Rem, any, length)
    }

    /// A value without operands of its type: a constant, variable, element or builtin.
    fn leaf(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar) -> ExprId {
        b.span = self.span();
        // What there is of the type, by how it is read.
        for _ in 0..3 {
            match self.random.below(9) {
                0..=2 => {
                    let fitting: Vec<_> = scope.scalars.iter().filter(|local| local.1 == scalar).collect();
                    if !fitting.is_empty() {
                        let &(local, _) = self.random.pick(&fitting);
                        return b.get(local);
                    }
                }
                3 => {
                    let fitting: Vec<_> = scope.slices.iter().filter(|slice| slice.1 == scalar).collect();
                    if !fitting.is_empty() {
                        let &(slice, _) = self.random.pick(&fitting);
                        return self.element_of_slice(b, slice);
                    }
                }
                4 => {
                    let fitting: Vec<_> = scope.arrays.iter().filter(|array| array.1 == scalar).collect();
                    if !fitting.is_empty() {
                        let &(array, _, length) = self.random.pick(&fitting);
                        let index = b.u64(self.random.below(length));
                        let checked = self.random.once_in(2);
                        let path = b.index_with(b.local_place(array), index, checked);
                        return b.load(path);
                    }
                }
                5 => {
                    let fitting: Vec<_> = self.data.tables.iter().filter(|table| table.1 == scalar).collect();
                    if !fitting.is_empty() {
                        let &&(table, _, length) = &fitting[self.random.below(fitting.len() as u64) as usize];
                        let (any, length) = (b.builtin(Builtin::LinearIndex), b.u64(length));
                        let index = b.binary(BinaryOp::Rem, any, length);
                        let path = b.index(b.table_place(table), index);
                        return b.load(path);
                    }
                }
                6 => {
                    let fitting: Vec<_> = self.data.externals.iter().filter(|one| one.1 == scalar).collect();
                    if let Some(&&(external, _)) = fitting.first() {
                        return b.external(external);
                    }
                }
                7 => {
                    let fitting: Vec<_> = scope.references.iter().filter(|one| one.1 == scalar).collect();
                    if let Some(&&(reference, _)) = fitting.first() {
                        let path = b.deref(b.local_place(reference));
                        return b.load(path);
                    }
                }
                _ => match scalar {
                    Scalar::U64 if self.random.once_in(2) && !scope.slices.is_empty() => {
                        let (slice, _) = self.random.pick(&scope.slices);
                        return b.length(b.local_place(slice));
                    }
                    Scalar::U64 | Scalar::U32 => {
                        let axis = self.random.pick(Axis::ALL);
                        let builtin = self.random.pick(&[
                            Builtin::ThreadIndex(axis),
                            Builtin::BlockIndex(axis),
                            Builtin::BlockSize(axis),
                            Builtin::GridSize(axis),
                            Builtin::GlobalIndex(axis),
                            Builtin::LinearIndex,
                        ]);
                        if builtin.scalar() == scalar {
                            return b.builtin(builtin);
                        }
                    }
                    _ => {}
                },
            }
        }
        b.constant(self.random.constant(scalar))
    }

    /// Some element of a slice: its first one unchecked, or any.
    fn element_of_slice(&mut self, b: &mut Builder<'_>, slice: Handle<Local>) -> ExprId {
        if self.random.once_in(3) {
            let index = b.u64(0);
            let path = b.index_with(b.local_place(slice), index, false);
            return b.load(path);
        }
        let (any, length) = (b.builtin(Builtin::LinearIndex), b.length(b.local_place(slice)));
        let index = b.binary(BinaryOp::Rem, any, length);
        let path = b.index(b.local_place(slice), index);
        b.load(path)
    }
}
