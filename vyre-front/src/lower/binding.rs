//! `let` bindings.

use vyre_ir::ir::{Handle, Local as IrLocal, Span};

use super::operands::Again;
use super::{ExprId, Lowering, Storage};
use crate::resolve::names::plain;
use crate::syntax::tree::{Callable, Expr, ExprKind, Origin};

impl Lowering<'_, '_> {
    pub(super) fn declare(&mut self, local: Option<usize>, init: Option<&Expr>) -> Option<()> {
        let (local, init) = match (local, init) {
            (Some(local), Some(init)) => (local, init),
            (None, Some(init)) => return self.effect(init),
            (local, None) => {
                local.and_then(|local| self.variable(local, None));
                return Some(());
            }
        };
        if self.tree.types.as_closure(init.ty).is_some() {
            return self.keep_closure(init);
        }
        if self.is_named_only(local, init) {
            return Some(());
        }
        let declared = &self.tree.locals[local];
        if declared.mutable && self.tree.types.is_reference(declared.ty) {
            let value = self.referring_value(init, declared.ty)?;
            self.bind(local, value);
            return Some(());
        }
        match &init.kind {
            ExprKind::Borrow(place, _) => self.refer(local, place),
            ExprKind::Payload(..) if self.tree.types.is_reference(init.ty) => self.refer(local, init),
            _ if self.tree.locals[local].origin == Origin::Passed && self.is_scalar(init.ty) => {
                let value = self.value(init)?;
                self.storage[local] = match self.again(value) {
                    Again::Constant(constant) => Storage::Constant(constant),
                    Again::Local(handle) => Storage::Local(handle),
                };
                Some(())
            }
            _ if self.is_sought(init) && !self.tree.locals[local].mutable => self.name_sought(local, init),
            ExprKind::Local(_) if self.tree.types.is_reference(init.ty) => self.refer(local, init),
            _ if self.is_choice(init) => self.refer(local, init),
            ExprKind::Call(Callable::MapShared, of) => {
                let reference = self.map_shared(&of[0], &of[1])?;
                let reference = self.b.let_("", reference);
                self.storage[local] = match self.tree.types.is_slice(init.ty) {
                    true => Storage::Local(reference),
                    false => Storage::Reference(reference),
                };
                Some(())
            }
            ExprKind::Call(Callable::Dynamic(element), length) => {
                let (slice, dynamic) = self.dynamic_shared(*element, length.first())?;
                self.bind(local, slice);
                self.dynamics.push((local, dynamic));
                Some(())
            }
            _ if self.tree.types.is_unit(init.ty) => self.effect(init),
            _ => {
                let here = self.at(declared.name.span());
                let value = self.value(init)?;
                self.store_first(local, value, Some(here));
                Some(())
            }
        }
    }

    /// True if the variable only gives another name to shared memory or to an index; if so, notes it.
    fn is_named_only(&mut self, local: usize, init: &Expr) -> bool {
        if self.tree.types.is_matrix(init.ty) {
            // One that has a name already, as inference has seen to.
            let Some(matrix) = self.matrix(init) else { return false };
            self.storage[local] = Storage::Matrix(matrix);
            return true;
        }
        if self.tree.locals[local].mutable {
            return false;
        }
        let storage = match init.kind {
            ExprKind::Shared(shared) => Storage::Shared(self.shared[shared]),
            ExprKind::Local(other) => match self.storage[other] {
                storage @ (Storage::Shared(_) | Storage::Index3(_)) => storage,
                // A parameter's slice under another name.
                storage if self.tree.types.is_reference(init.ty) && !self.tree.locals[other].mutable => storage,
                _ => return false,
            },
            _ => match init.kind.along_axes() {
                Some(builtin) if !self.tree.types.is_tuple(init.ty) => Storage::Index3(builtin),
                _ => return false,
            },
        };
        self.storage[local] = storage;
        true
    }

    /// Makes the program's variable of a local, if it has one.
    fn variable(&mut self, local: usize, here: Option<Span>) -> Option<Handle<IrLocal>> {
        let declared = &self.tree.locals[local];
        if self.tree.types.is_unit(declared.ty) {
            return None;
        }
        if let Storage::Local(known) | Storage::Reference(known) = self.storage[local] {
            return Some(known);
        }
        self.b.span = here.unwrap_or_else(|| self.at(declared.name.span()));
        let ty = self.variable_type(declared.ty);
        let handle = self.b.local(&plain(&declared.name), ty);
        self.storage[local] = match self.tree.types.is_slice(declared.ty) || !self.is_referring(declared.ty) {
            true => Storage::Local(handle),
            false => Storage::Reference(handle),
        };
        if declared.mutable && self.tree.types.is_reference(declared.ty) {
            self.moving.push(handle);
        }
        Some(handle)
    }

    /// Stores the value that a variable begins with.
    pub(super) fn bind(&mut self, local: usize, value: ExprId) {
        self.store_first(local, value, None);
    }

    fn store_first(&mut self, local: usize, value: ExprId, here: Option<Span>) {
        if let Some(handle) = self.variable(local, here) {
            self.b.set(handle, value);
            if !self.tree.locals[local].mutable {
                self.fixed.push(handle);
            }
        }
    }
}
