//! Fragments of matrices: loads and stores, element by element.
//!
//! The position of an element in the matrix is the sum of its place in the first lane's fragment, which is
//! known, and of what the lane's number makes of it.

use vyre_ir::ir::{BinaryOp, Builtin, Constant, Factor, Intrinsic, Role, Scalar, Shape as Product, StmtKind};

use super::operands::Again;
use super::place::Shape;
use super::{ExprId, Lowering};
use crate::syntax::tree::{Expr, OfFragment};
use crate::types::fragment::{self, product};

/// The place of a matrix.
struct Region<'t> {
    shape: Shape<'t>,
    indices: Vec<Again>,
    /// The index of the lane's part of the first element.
    first: Again,
    stride: Again,
    /// True for column-major matrices.
    transposed: bool,
}

impl Lowering<'_, '_> {
    /// A load, a constant fragment, or a coordinate.
    pub(super) fn fragment(
        &mut self,
        expr: &Expr,
        op: OfFragment,
        of: crate::types::Ty,
        arguments: &[Expr],
    ) -> Option<ExprId> {
        let (role, shape) = fragment::fragment(&self.tree.types, of)?;
        let here = self.b.span;
        match (op, arguments) {
            (OfFragment::Load(transposed), [source, start, stride]) => {
                let region = self.region((role, shape), source, [start, stride], transposed)?;
                self.b.span = here;
                let words = self.load_words(&region, role, shape);
                let ty = self.ty(expr.ty);
                Some(self.b.construct(ty, words))
            }
            (OfFragment::LoadTile(transposed), [tile, row, column]) => {
                let (role, shape, load) = fragment::tile_load(&self.tree.types, of, transposed)?;
                let Some(load) = load else {
                    let words = self.load_elements((role, shape), tile, [row, column], (transposed, here))?;
                    let ty = self.ty(expr.ty);
                    return Some(self.b.construct(ty, words));
                };
                let words = self.load_tile((role, shape, load), tile, [row, column], here)?;
                let ty = self.ty(expr.ty);
                match shape.left {
                    Factor::Tf32 => {
                        let words = self.round_words(words, load.count());
                        Some(self.b.construct(ty, words))
                    }
                    _ => Some(self.b.get(words)),
                }
            }
            (OfFragment::Zero | OfFragment::Fill, _) => {
                let value = match arguments {
                    [value] => self.value(value)?,
                    _ => self.b.constant(Constant::new(shape.sum, 0)),
                };
                self.b.span = here;
                Some(self.b.repeat(value, u64::from(shape.elements(role))))
            }
            (OfFragment::Row | OfFragment::Column, [_, number]) => {
                let number = self.value(number)?;
                self.b.span = here;
                let number = self.again(number);
                Some(self.coordinate(role, shape, number, op == OfFragment::Row))
            }
            _ => None,
        }
    }

    /// A store.
    pub(super) fn store_fragment(&mut self, transposed: bool, of: crate::types::Ty, arguments: &[Expr]) -> Option<()> {
        let (role, shape) = fragment::fragment(&self.tree.types, of)?;
        let [fragment, target, start, stride] = arguments else {
            return None;
        };
        let here = self.b.span;
        let fragment = self.place(fragment)?;
        let fragment = self.b.load(fragment);
        let fragment = self.b.let_("", fragment);
        let region = self.region((role, shape), target, [start, stride], transposed)?;
        self.b.span = here;
        for element in 0..shape.elements(role) {
            let number = self.b.u64(element.into());
            let part = self.b.local_place(fragment);
            let part = self.b.index_with(part, number, false);
            let value = self.b.load(part);
            let index = self.element_index(&region, shape.first(role, element));
            let path = self.path_again(&region.shape, &region.indices, true);
            let path = self.b.index_with(path, index, true);
            self.b.store(path, value);
        }
        self.put_back(&region.shape);
        Some(())
    }

    /// `mma::multiply_add(a, b, c)`.
    pub(super) fn multiply_add(&mut self, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        let [a, b, c] = arguments else { return None };
        let product = product(&self.tree.types, [a.ty, b.ty, c.ty])?;
        let fragments = self.operands(arguments)?;
        self.b.span = here;
        let sum = self.b.intrinsic_value(Intrinsic::MultiplyAdd { product }, &fragments);
        self.fixed.push(sum);
        Some(self.b.get(sum))
    }

    fn region<'t>(
        &mut self,
        (role, product): (Role, Product),
        slice: &'t Expr,
        places: [&'t Expr; 2],
        transposed: bool,
    ) -> Option<Region<'t>> {
        let shape = self.shape(slice)?;
        let values = self.operands(shape.indices_and(&places))?;
        let mut values = self.all_again(values);
        let (stride, start) = (values.pop()?, values.pop()?);
        let by_lane = product.steps(role);
        let row = self.of_lane(by_lane.map(|(row, _)| row));
        let column = self.of_lane(by_lane.map(|(_, column)| column));
        let (far, near) = if transposed { (column, row) } else { (row, column) };
        let stride_value = self.get(stride);
        let far = self.b.binary(BinaryOp::Mul, far, stride_value);
        let start = self.get(start);
        let sum = self.b.binary(BinaryOp::Add, start, far);
        let first = self.b.binary(BinaryOp::Add, sum, near);
        Some(Region {
            shape,
            indices: values,
            first: self.again(first),
            stride,
            transposed,
        })
    }

    /// `lane / 4` times the first factor, and `lane % 4` times the second.
    pub(super) fn of_lane(&mut self, factors: [u32; 2]) -> ExprId {
        let mut sum = None;
        for (factor, op, amount) in [(factors[0], BinaryOp::Shr, 2), (factors[1], BinaryOp::And, 3)] {
            if factor == 0 {
                continue;
            }
            let lane = self.b.builtin(Builtin::LaneIndex);
            let amount = self.b.u32(amount);
            let part = self.b.binary(op, lane, amount);
            let factor = self.b.u32(factor);
            let part = self.b.binary(BinaryOp::Mul, part, factor);
            sum = Some(match sum {
                Some(before) => self.b.binary(BinaryOp::Add, before, part),
                None => part,
            });
        }
        match sum {
            Some(sum) => self.b.cast(sum, Scalar::U64),
            None => self.b.u64(0),
        }
    }

    /// The index of an element at this row and column offset from the lane's first.
    fn element_index(&mut self, region: &Region<'_>, (row, column): (u32, u32)) -> ExprId {
        let (far, near) = if region.transposed {
            (column, row)
        } else {
            (row, column)
        };
        let mut index = self.get(region.first);
        if far != 0 {
            let (stride, far) = (self.get(region.stride), self.b.u64(far.into()));
            let distance = self.b.binary(BinaryOp::Mul, stride, far);
            index = self.b.binary(BinaryOp::Add, index, distance);
        }
        if near != 0 {
            let near = self.b.u64(near.into());
            index = self.b.binary(BinaryOp::Add, index, near);
        }
        index
    }

    /// The registers of a fragment.
    fn load_words(&mut self, region: &Region<'_>, role: Role, shape: Product) -> Vec<ExprId> {
        let packed = shape.packed(role);
        let mut words: Vec<ExprId> = Vec::new();
        for element in 0..shape.elements(role) {
            let index = self.element_index(region, shape.first(role, element));
            let path = self.path_again(&region.shape, &region.indices, true);
            let path = self.b.index_with(path, index, true);
            let value = self.b.load(path);
            if role == Role::C || shape.registers(role).0 != Scalar::U32 {
                words.push(value);
                continue;
            }
            let word = match self.scalar_of(value) {
                Scalar::F32 => self.tf32(value),
                scalar => {
                    let bits = match scalar {
                        Scalar::U8 => value,
                        Scalar::I8 => self.b.bitcast(value, Scalar::U8),
                        _ => self.b.bitcast(value, Scalar::U16),
                    };
                    self.b.cast(bits, Scalar::U32)
                }
            };
            match (element % packed, words.last_mut()) {
                (inside @ 1.., Some(last)) => {
                    let amount = self.b.u32(inside * (32 / packed));
                    let shifted = self.b.binary(BinaryOp::Shl, word, amount);
                    *last = self.b.binary(BinaryOp::Or, *last, shifted);
                }
                _ => words.push(word),
            }
        }
        words
    }

    /// The bits of a float rounded to tf32: to nearest, halves away from zero.
    pub(super) fn tf32(&mut self, value: ExprId) -> ExprId {
        let value = self.b.let_("", value);
        let ty = self.b.types().scalar(Scalar::U32);
        let result = self.b.local("", ty);
        self.fixed.push(result);
        let (then, ()) = self.nested(|l| {
            let operand = l.b.get(value);
            l.b.push(StmtKind::Ptx {
                text: "cvt.rna.tf32.f32 {result}, {0};".to_owned(),
                // A product of such matrices needs more.
                version: None,
                operands: vec![operand],
                result: Some(result),
            });
        });
        let (otherwise, ()) = self.nested(|l| {
            let (a, b) = (l.b.get(value), l.b.get(value));
            let is_nan = l.b.binary(BinaryOp::Ne, a, b);
            let bits = l.b.get(value);
            let bits = l.b.bitcast(bits, Scalar::U32);
            let (half, mask, nan) = (l.b.u32(0x1000), l.b.u32(!0x1fff), l.b.u32(0x7fff_e000));
            let above = l.b.binary(BinaryOp::Add, bits, half);
            let rounded = l.b.binary(BinaryOp::And, above, mask);
            let rounded = l.b.select(is_nan, nan, rounded);
            l.b.set(result, rounded);
        });
        let condition = self.b.builtin(Builtin::OnGpu);
        self.branch(condition, then, otherwise);
        self.b.get(result)
    }

    /// The row or column of an element of this lane's fragment in the matrix.
    fn coordinate(&mut self, role: Role, shape: Product, number: Again, row: bool) -> ExprId {
        let packed = u64::from(shape.packed(role));
        let by_lane = shape
            .steps(role)
            .map(|(by_row, by_column)| if row { by_row } else { by_column });
        let own = self.of_lane(by_lane);
        // Number and factor of what the element adds: `number / divisor % modulus * factor`.
        let halves = u64::from(shape.m / 8);
        let parts: &[(u64, u64, u64)] = match (role, row) {
            (Role::A, true) => &[(packed, halves, 8)],
            (Role::A, false) => &[(packed * halves, u64::MAX, 4 * packed), (1, packed, 1)],
            (Role::B, true) => &[(packed, u64::MAX, 4 * packed), (1, packed, 1)],
            (Role::B, false) => &[],
            (Role::C, true) => &[(2, u64::MAX, 8)],
            (Role::C, false) => &[(1, 2, 1)],
        };
        let mut sum = own;
        for &(divisor, modulus, factor) in parts {
            let mut part = self.get(number);
            for (op, by) in [
                (BinaryOp::Div, divisor),
                (BinaryOp::Rem, modulus),
                (BinaryOp::Mul, factor),
            ] {
                if by != 1 && by != u64::MAX || op == BinaryOp::Rem && by == 1 {
                    let by = self.b.u64(by);
                    part = self.b.binary(op, part, by);
                }
            }
            sum = self.b.binary(BinaryOp::Add, sum, part);
        }
        sum
    }
}
