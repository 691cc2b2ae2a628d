//! Dynamic shared memory, and what shared memory is in other blocks of the cluster.

use vyre_ir::ir::{BinaryOp, Handle, Local, SHARED_ALIGN, TypeId};

use super::function::referent;
use super::operands::Again;
use super::place::Root;
use super::{ExprId, Lowering};
use crate::syntax::tree::{Expr, ExprKind};
use crate::types::Ty;

/// A slice in dynamic shared memory, kept for repeated uses.
#[derive(Clone, Copy)]
pub(super) struct Dynamic {
    element: TypeId,
    /// The bytes that the slices before it have taken.
    offset: Option<Handle<Local>>,
    length: Option<Again>,
}

impl Lowering<'_, '_> {
    /// A slice in dynamic shared memory, after the previous ones.
    pub(super) fn dynamic_shared(&mut self, element: Ty, length: Option<&Expr>) -> Option<(ExprId, Dynamic)> {
        let here = self.b.span;
        let element = self.ty(element);
        let length = match length {
            Some(length) => {
                let length = self.value(length)?;
                Some(self.again(length))
            }
            None => None,
        };
        self.b.span = here;
        let dynamic = Dynamic {
            element,
            offset: self.taken,
            length,
        };
        let slice = self.slice_of(dynamic);
        let slice = self.again(slice);
        if let Some(length) = length {
            let before = self.offset(dynamic);
            let (most, mask) = (self.b.u64(SHARED_ALIGN - 1), self.b.u64(!(SHARED_ALIGN - 1)));
            let above = self.b.binary(BinaryOp::Add, before, most);
            let start = self.b.binary(BinaryOp::And, above, mask);
            let size = self.b.types().layout(element).size;
            let (length, size) = (self.get(length), self.b.u64(size));
            let bytes = self.b.binary(BinaryOp::Mul, length, size);
            let end = self.b.binary(BinaryOp::Add, start, bytes);
            let taken = self.b.let_("", end);
            self.fixed.push(taken);
            self.taken = Some(taken);
        }
        Some((self.get(slice), dynamic))
    }

    fn slice_of(&mut self, dynamic: Dynamic) -> ExprId {
        let offset = self.offset(dynamic);
        let length = dynamic.length.map(|length| self.get(length));
        self.b.dynamic_shared(dynamic.element, offset, length)
    }

    fn offset(&mut self, dynamic: Dynamic) -> ExprId {
        match dynamic.offset {
            Some(taken) => self.b.get(taken),
            None => self.b.u64(0),
        }
    }

    /// A reference to a shared variable, or to a part of one, of another block.
    pub(super) fn map_shared(&mut self, variable: &Expr, rank: &Expr) -> Option<ExprId> {
        let here = self.b.span;
        let mut shape = self.shape(referent(variable))?;
        let mut values = self.operands(shape.indices_and(&[rank]))?;
        let rank = values.pop()?;
        self.b.span = here;
        let dynamic = match variable.whole().kind {
            ExprKind::Local(local) => self.dynamics.iter().find(|(known, _)| *known == local),
            _ => None,
        };
        let Some(&(_, dynamic)) = dynamic else {
            let path = self.path(&shape, &values);
            let reference = self.b.reference(path, true);
            return Some(self.b.map_shared(reference, rank));
        };
        let slice = self.slice_of(dynamic);
        let slice = self.b.map_shared(slice, rank);
        if let ExprKind::Local(_) = referent(variable).kind {
            return Some(slice);
        }
        shape.root = Root::Local(self.b.let_("", slice));
        let path = self.path(&shape, &values);
        Some(self.b.reference(path, true))
    }
}
