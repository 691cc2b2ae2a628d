//! Fragments of matrices that a whole warp loads from the rows of a tile.
//!
//! Each lane gives a row of one of the matrices of eight by 16 bytes that make the fragment, and gets a
//! word of each. Of A those below each other come first, as its registers do.

use vyre_ir::ir::{
    BinaryOp, Builtin, Handle, Intrinsic, Local, MatrixLoad, Role, Scalar, Shape as Product, Span, Type,
};

use super::operands::Again;
use super::place::Shape;
use super::{ExprId, Lowering};
use crate::syntax::tree::Expr;

impl Lowering<'_, '_> {
    /// The words of a fragment of the matrix that begins at a row and column of a tile.
    pub(super) fn load_tile(
        &mut self,
        (role, product, load): (Role, Product, MatrixLoad),
        tile: &Expr,
        place: [&Expr; 2],
        here: Span,
    ) -> Option<Handle<Local>> {
        let shape = self.shape(tile)?;
        let values = self.operands(shape.indices_and(&place))?;
        let mut values = self.all_again(values);
        let (column, row) = (values.pop()?, values.pop()?);
        self.b.span = here;
        let width = 4 * u64::from(product.left.packed());
        // Number of matrices below each other, and next to each other.
        let below = if role == Role::A { u64::from(product.m) / 8 } else { 1 };
        let beside = load.count() / below;
        let own = match (load.is_transposed(), below) {
            (false, _) => {
                let column = self.lane_and(8 * below, beside);
                [self.lane_and(1, 8 * below), self.scaled(column, width)]
            }
            (true, 1) => [self.lane_and(1, 8 * beside), self.b.u32(0)],
            (true, _) => {
                let (inside, row) = (self.lane_and(1, 8), self.lane_and(8 * below, beside));
                let row = self.scaled(row, 8);
                let row = self.b.binary(BinaryOp::Add, inside, row);
                let column = self.lane_and(8, 2);
                [row, self.scaled(column, 8)]
            }
        };
        let own = own.map(|part| self.b.cast(part, Scalar::U64));
        let (row, column) = (self.get(row), self.get(column));
        let row = self.b.binary(BinaryOp::Add, row, own[0]);
        let column = self.b.binary(BinaryOp::Add, column, own[1]);
        let column = self.again(column);
        let path = self.path_again(&shape, &values, true);
        let path = self.b.index_with(path, row, true);
        let (start, end, width) = (self.get(column), self.get(column), self.b.u64(width));
        let end = self.b.binary(BinaryOp::Add, end, width);
        let row = self.b.subslice(path, start, end, false);
        let ty = self.b.type_of(row);
        let Type::Slice { element, .. } = self.b.types()[ty] else {
            return None;
        };
        let intrinsic = Intrinsic::LoadMatrices {
            load,
            element: self.b.types().as_scalar(element)?,
            offset: 0,
        };
        let words = self.b.intrinsic_value(intrinsic, &[row]);
        self.fixed.push(words);
        Some(words)
    }

    /// The words of a tf32 fragment whose elements each lane loads one by one, because the hardware
    /// does not transpose elements of 32 bits.
    pub(super) fn load_elements(
        &mut self,
        (role, product): (Role, Product),
        tile: &Expr,
        place: [&Expr; 2],
        (transposed, here): (bool, Span),
    ) -> Option<Vec<ExprId>> {
        let shape = self.shape(tile)?;
        let values = self.operands(shape.indices_and(&place))?;
        let mut values = self.all_again(values);
        let (column, row) = (values.pop()?, values.pop()?);
        self.b.span = here;
        let turned = |(row, column): (u32, u32)| if transposed { (column, row) } else { (row, column) };
        let by_lane = product.steps(role).map(turned);
        let own = [
            self.of_lane(by_lane.map(|(row, _)| row)),
            self.of_lane(by_lane.map(|(_, column)| column)),
        ];
        let mut first = [row, column];
        for (first, own) in first.iter_mut().zip(own) {
            let given = self.get(*first);
            let sum = self.b.binary(BinaryOp::Add, given, own);
            *first = self.again(sum);
        }
        let mut elements = Vec::new();
        for element in 0..product.elements(role) {
            elements.push(self.element_of_tile(&shape, &values, first, turned(product.first(role, element))));
        }
        Some(elements)
    }

    /// An element at this row and column offset from the first one, rounded to tf32.
    fn element_of_tile(
        &mut self,
        shape: &Shape<'_>,
        indices: &[Again],
        first: [Again; 2],
        (row, column): (u32, u32),
    ) -> ExprId {
        let mut path = self.path_again(shape, indices, true);
        for (first, behind) in first.into_iter().zip([row, column]) {
            let (first, behind) = (self.get(first), self.b.u64(behind.into()));
            let index = self.b.binary(BinaryOp::Add, first, behind);
            path = self.b.index_with(path, index, true);
        }
        let value = self.b.load(path);
        self.tf32(value)
    }

    /// Words that were loaded, rounded to tf32.
    pub(super) fn round_words(&mut self, words: Handle<Local>, count: u64) -> Vec<ExprId> {
        let mut rounded = Vec::new();
        for number in 0..count {
            let (place, number) = (self.b.local_place(words), self.b.u64(number));
            let place = self.b.index_with(place, number, false);
            let word = self.b.load(place);
            let value = self.b.bitcast(word, Scalar::F32);
            rounded.push(self.tf32(value));
        }
        rounded
    }

    /// `lane / divisor % modulus`, of powers of two.
    fn lane_and(&mut self, divisor: u64, modulus: u64) -> ExprId {
        let mut lane = self.b.builtin(Builtin::LaneIndex);
        if divisor > 1 {
            let amount = self.b.u32(divisor.trailing_zeros());
            lane = self.b.binary(BinaryOp::Shr, lane, amount);
        }
        let mask = self.b.u32(modulus as u32 - 1);
        self.b.binary(BinaryOp::And, lane, mask)
    }

    fn scaled(&mut self, value: ExprId, factor: u64) -> ExprId {
        let factor = self.b.u32(factor as u32);
        self.b.binary(BinaryOp::Mul, value, factor)
    }
}
