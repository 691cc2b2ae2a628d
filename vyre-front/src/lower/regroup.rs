//! Slices as slices of arrays, and back.

use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, Handle, Local};

use super::{ExprId, Lowering};
use crate::syntax::tree::{Expr, Regroup};
use crate::types::Kind;

impl Lowering<'_, '_> {
    /// A variable that holds elements of an array or slice as a slice of arrays or of elements of arrays.
    pub(super) fn regrouped(&mut self, whole: &Expr, base: &Expr, part: Regroup, length: u64) -> Option<Handle<Local>> {
        let shape = self.shape(base)?;
        let operands = self.operands(shape.indices())?;
        let operands = self.all_again(operands);
        self.at(whole.span);
        let mutable = matches!(self.tree.types.kind(whole.ty), Kind::Reference(_, true));
        let path = self.path_again(&shape, &operands, true);
        let length = self.tree.types.length(length);
        let range = match part {
            Regroup::Elements | Regroup::Chunks => [self.b.u64(0), self.length_at(path.clone())],
            Regroup::FirstRest => [self.b.u64(0), self.left_over(&path, length)],
            Regroup::LastChunks => [self.left_over(&path, length), self.length_at(path.clone())],
            Regroup::Rest => {
                let (end, over) = (self.length_at(path.clone()), self.left_over(&path, length));
                [self.b.binary(BinaryOp::Sub, end, over), self.length_at(path.clone())]
            }
        };
        let slice = self.b.subslice_with(path, range, mutable, false);
        let slice = match part {
            Regroup::Elements => self.b.flattened(slice),
            Regroup::Chunks | Regroup::LastChunks => self.b.chunks(slice, length),
            Regroup::Rest | Regroup::FirstRest => slice,
        };
        let slice = self.b.let_("", slice);
        self.fixed.push(slice);
        if mutable {
            self.sliced(&shape, slice);
        }
        Some(slice)
    }

    /// The number of elements that are too few for an array.
    fn left_over(&mut self, path: &Path, length: u64) -> ExprId {
        let (elements, length) = (self.length_at(path.clone()), self.b.u64(length));
        self.b.binary(BinaryOp::Rem, elements, length)
    }
}
