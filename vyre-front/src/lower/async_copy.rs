//! Asynchronous copies.

use vyre_ir::ir::{BinaryOp, Intrinsic};

use super::function::referent;
use super::{ExprId, Lowering};
use crate::syntax::tree::Expr;

impl Lowering<'_, '_> {
    /// `pipeline::copy(&mut to, &from)`.
    pub(super) fn async_copy(&mut self, counts: [Option<u64>; 2], arguments: &[Expr]) -> Option<()> {
        let here = self.b.span;
        let lent = self.lent.len();
        let mut firsts = arguments.iter().skip(2);
        let [one, other] = counts.map(|count| count.and_then(|count| Some((firsts.next()?, count))));
        let to = self.end_of_copy(&arguments[0], one, true)?;
        let start = self.b.position();
        let from = self.end_of_copy(&arguments[1], other, false)?;
        let mut values = [to];
        if self.b.position() != start {
            self.keep(&mut values, start);
        }
        self.b.span = here;
        let ([to], count) = (values, counts[0].unwrap_or(1));
        self.b.intrinsic(Intrinsic::AsyncCopy { count }, &[to, from]);
        self.take_back(lent);
        Some(())
    }

    /// A reference, or a slice of the part.
    fn end_of_copy(&mut self, end: &Expr, part: Option<(&Expr, u64)>, mutable: bool) -> Option<ExprId> {
        let place = referent(end);
        let shape = self.shape(place)?;
        if mutable {
            self.lend(&shape);
        }
        let Some((first, count)) = part else {
            let indices = self.operands(shape.indices())?;
            self.at(place.span);
            let path = self.path(&shape, &indices);
            return Some(self.b.reference(path, mutable));
        };
        let operands = self.operands(shape.indices_and(&[first]))?;
        let mut operands = self.all_again(operands);
        let first = operands.pop()?;
        self.at(end.span);
        let path = self.path_again(&shape, &operands, true);
        let (start, first, count) = (self.get(first), self.get(first), self.b.u64(count));
        let last = self.b.binary(BinaryOp::Add, first, count);
        Some(self.b.subslice(path, start, last, mutable))
    }
}
