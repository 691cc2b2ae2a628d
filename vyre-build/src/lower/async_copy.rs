//! Asynchronous copies.

use vyre_ir::ir::{BinaryOp, Intrinsic};

use super::function::referent;
use super::{ExprId, Lowering};
use crate::syntax::tree::End;

impl Lowering<'_, '_> {
    /// `pipeline::copy(&mut to, &from)`.
    pub(super) fn async_copy(&mut self, ends: &[End; 2]) -> Option<()> {
        let here = self.b.span;
        let lent = self.lent.len();
        let to = self.end_of_copy(&ends[0], true)?;
        let start = self.b.position();
        let from = self.end_of_copy(&ends[1], false)?;
        let mut values = [to];
        if self.b.position() != start {
            self.keep(&mut values, start);
        }
        self.b.span = here;
        let ([to], count) = (values, ends[0].part.as_ref().map_or(1, |(_, count)| *count));
        self.b.intrinsic(Intrinsic::AsyncCopy { count }, &[to, from]);
        self.take_back(lent);
        Some(())
    }

    /// A reference, or a slice of the part.
    fn end_of_copy(&mut self, end: &End, mutable: bool) -> Option<ExprId> {
        let place = referent(&end.place);
        let shape = self.shape(place)?;
        if mutable {
            self.lend(&shape);
        }
        let Some((first, count)) = &end.part else {
            let indices = self.operands(shape.indices())?;
            self.at(place.span);
            let path = self.path(&shape, &indices);
            return Some(self.b.reference(path, mutable));
        };
        let operands = self.operands(shape.indices_and(&[first]))?;
        let mut operands = self.all_again(operands);
        let first = operands.pop()?;
        self.at(end.place.span);
        let path = self.path_again(&shape, &operands, true);
        let (start, first, count) = (self.get(first), self.get(first), self.b.u64(*count));
        let last = self.b.binary(BinaryOp::Add, first, count);
        Some(self.b.subslice(path, start, last, mutable))
    }
}
