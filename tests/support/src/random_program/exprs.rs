//! Expressions.

use vyre_core::ir::{Access, Axis, BinaryOp, Builtin, Constant, ExprId, Extent, Scalar, Type, TypeId, UnaryOp};

use super::items::{Builder, Maker};
use super::scope::{Base, Scope};
use super::types::parts;

impl Maker {
    /// A value of any type that values have.
    pub(super) fn value(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: TypeId, depth: u32) -> ExprId {
        if let Some(scalar) = b.types().as_scalar(ty) {
            return self.expr(b, scope, scalar, depth);
        }
        b.span = self.span();
        let depth = depth.saturating_sub(1);
        match self.random.below(8) {
            0..4 => {
                if let Some(place) = self.place(b, scope, ty, false) {
                    return b.load(place);
                }
            }
            4 if depth > 0 => {
                let condition = self.expr(b, scope, Scalar::Bool, depth);
                let then = self.value(b, scope, ty, depth);
                let otherwise = self.value(b, scope, ty, depth);
                return b.select(condition, then, otherwise);
            }
            5 if depth > 0 => {
                if let Some(field) = self.field(b, scope, ty, depth) {
                    return field;
                }
            }
            6 => {
                if let Type::Array { element, length } = b.types()[ty] {
                    let value = self.value(b, scope, element, depth);
                    return b.repeat(value, length);
                }
            }
            _ => {}
        }
        let parts = parts(b.types(), ty);
        let parts = parts.into_iter().map(|ty| self.value(b, scope, ty, depth)).collect();
        b.construct(ty, parts)
    }

    /// A field of an aggregate that is no place.
    fn field(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: TypeId, depth: u32) -> Option<ExprId> {
        let types = &*b.types();
        let mut fitting = Vec::new();
        for &outer in &self.aggregates {
            if matches!(types[outer], Type::Tuple(_) | Type::Struct { .. }) {
                let fields = parts(types, outer).into_iter().enumerate();
                fitting.extend(
                    fields
                        .filter(|&(_, field)| field == ty)
                        .map(|(index, _)| (outer, index)),
                );
            }
        }
        if fitting.is_empty() {
            return None;
        }
        let (outer, index) = self.random.pick(&fitting);
        let whole = self.value(b, scope, outer, depth.saturating_sub(1));
        Some(b.field_of(whole, index as u32))
    }

    /// A value of a scalar type.
    pub(super) fn expr(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar, depth: u32) -> ExprId {
        if depth == 0 || self.fuel == 0 || self.random.once_in(4) {
            return self.leaf(b, scope, scalar);
        }
        self.fuel -= 1;
        let depth = depth - 1;
        b.span = self.span();
        match self.random.below(11) {
            0 => {
                let condition = self.expr(b, scope, Scalar::Bool, depth);
                let then = self.expr(b, scope, scalar, depth);
                let otherwise = self.expr(b, scope, scalar, depth);
                b.select(condition, then, otherwise)
            }
            1 | 2 => {
                let accepted: Vec<_> = UnaryOp::ALL
                    .iter()
                    .filter(|op| op.accepts(scalar) && !op.is_approximate() && !op.is_partial())
                    .collect();
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
            4 | 5 if scalar != Scalar::Bool => {
                let from = self.scalar();
                let from = if scalar.is_float() && from == Scalar::Bool {
                    Scalar::U8
                } else {
                    from
                };
                let operand = self.expr(b, scope, from, depth);
                b.cast(operand, scalar)
            }
            6 if scalar != Scalar::Bool => {
                let same = |other: &&Scalar| other.bits() == scalar.bits();
                let other: Vec<_> = Scalar::ALL.iter().filter(same).collect();
                let &from = self.random.pick(&other);
                let operand = self.expr(b, scope, from, depth);
                b.bitcast(operand, scalar)
            }
            7 => {
                let ty = b.types().scalar(scalar);
                match self.field(b, scope, ty, depth) {
                    Some(field) => field,
                    None => self.binary(b, scope, scalar, depth),
                }
            }
            8 if scalar == Scalar::U64 => self.within(b, scope, depth),
            _ => self.binary(b, scope, scalar, depth),
        }
    }

    /// An index that is compared with a length, which it is mostly less than.
    fn within(&mut self, b: &mut Builder<'_>, scope: &Scope, depth: u32) -> ExprId {
        let extent = self.random.pick(&[Extent::Rows, Extent::Columns]);
        let index = self.expr(b, scope, Scalar::U64, depth);
        let length = self.expr(b, scope, Scalar::U64, depth);
        if self.wild(4) {
            return b.within(index, length, extent);
        }
        let mask = self.random.pick(&[0, 7, 63]);
        let (most, one) = (b.u64(mask), b.u64(mask + 1));
        let index = b.binary(BinaryOp::And, index, most);
        let length = b.binary(BinaryOp::Or, length, one);
        b.within(index, length, extent)
    }

    fn binary(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar, depth: u32) -> ExprId {
        let operands = if scalar == Scalar::Bool { self.scalar() } else { scalar };
        let fits = |op: &&BinaryOp| {
            op.accepts(operands) && !op.is_approximate() && (scalar == Scalar::Bool) == op.is_comparison()
        };
        let mut ops: Vec<_> = BinaryOp::ALL.iter().filter(fits).collect();
        if scalar == operands && scalar == Scalar::Bool {
            ops.extend(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
        }
        let &op = self.random.pick(&ops);
        let left = self.expr(b, scope, operands, depth);
        let right = match op {
            _ if op.is_shift() => self.expr(b, scope, Scalar::U32, depth),
            _ if op.may_fault(operands) && !self.wild(4) => self.divisor(b, scope, operands, depth),
            _ => self.expr(b, scope, operands, depth),
        };
        b.binary(op, left, right)
    }

    /// A nonzero divisor.
    fn divisor(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar, depth: u32) -> ExprId {
        if self.random.once_in(2) {
            loop {
                let constant = self.random.constant(scalar);
                // Neither zero nor, of signed integers, -1.
                if constant.bits != 0 && constant.as_i128() != -1 {
                    return b.constant(constant);
                }
            }
        }
        // Between 1 and 7, 63 or 127, and odd.
        let mask = self.random.pick(&[7, 63, 127]);
        let divisor = self.expr(b, scope, scalar, depth);
        let (mask, one) = (
            b.constant(Constant::new(scalar, mask)),
            b.constant(Constant::new(scalar, 1)),
        );
        let divisor = b.binary(BinaryOp::And, divisor, mask);
        b.binary(BinaryOp::Or, divisor, one)
    }

    /// A value without operands of its type: a constant, what lies at a place, a builtin.
    pub(super) fn leaf(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar) -> ExprId {
        b.span = self.span();
        match self.random.below(8) {
            // Places may have indices, which are leaves again.
            0..5 if self.fuel > 0 => {
                self.fuel -= 1;
                let ty = b.types().scalar(scalar);
                if let Some(place) = self.place(b, scope, ty, false) {
                    let access = match self.random.once_in(6) {
                        true => self.random.pick(Access::ALL),
                        false => Access::Plain,
                    };
                    return b.load(place.with(access));
                }
            }
            5 => {
                let fitting: Vec<_> = self.data.externals.iter().filter(|one| one.1 == scalar).collect();
                if !fitting.is_empty() {
                    let &(external, _) = self.random.pick(&fitting);
                    return b.external(external);
                }
            }
            _ => {}
        }
        if self.random.once_in(3) && matches!(scalar, Scalar::U64 | Scalar::U32) {
            return self.known(b, scope, scalar);
        }
        b.constant(self.random.constant(scalar))
    }

    /// A special register, or the length of a slice.
    fn known(&mut self, b: &mut Builder<'_>, scope: &Scope, scalar: Scalar) -> ExprId {
        let axis = self.random.pick(Axis::ALL);
        if scalar == Scalar::U32 {
            let builtin = self.random.pick(&[
                Builtin::ThreadIndex(axis),
                Builtin::BlockIndex(axis),
                Builtin::BlockSize(axis),
                Builtin::GridSize(axis),
                Builtin::ClusterSize(axis),
                Builtin::ClusterBlock(axis),
                Builtin::ClusterIndex(axis),
                Builtin::LaneIndex,
            ]);
            return b.builtin(builtin);
        }
        let types = &*b.types();
        let slices = scope
            .roots
            .iter()
            .filter_map(|root| match (root.base, &types[root.ty]) {
                (Base::Local(local), Type::Slice { .. }) => Some(local),
                _ => None,
            });
        let slices: Vec<_> = slices.collect();
        match self.random.below(4) {
            0 if !slices.is_empty() => {
                let slice = self.random.pick(&slices);
                b.length(b.local_place(slice))
            }
            1 => b.builtin(Builtin::GlobalIndex(axis)),
            2 => b.builtin(Builtin::LinearIndex),
            _ => self.number(b, scope),
        }
    }
}
