//! `let` bindings, and the variables bound by patterns.

use vyre_core::ir::{Handle, Local as IrLocal};

use super::{ExprId, Lowering, Storage};
use crate::library::methods::Does;
use crate::resolve::names::plain;
use crate::syntax::tree::{Expr, ExprKind, Pattern};
use crate::types::Kind;

impl Lowering<'_, '_> {
    pub(super) fn declare(&mut self, pattern: &Pattern, init: Option<&Expr>) -> Option<()> {
        let Some(init) = init else {
            self.declare_only(pattern);
            return Some(());
        };
        match (pattern, &init.kind) {
            (Pattern::Local(_), _) if self.tree.types.as_closure(init.ty).is_some() => self.keep_closure(init),
            (Pattern::Ignore, _) => self.effect(init),
            (Pattern::Local(local), _) if self.is_named_only(*local, init) => Some(()),
            (Pattern::Local(local), ExprKind::Borrow(place, _)) => self.refer(*local, place),
            (Pattern::Local(local), ExprKind::Payload(..)) if self.tree.types.is_reference(init.ty) => {
                self.refer(*local, init)
            }
            // A found element stays in place until it is known to exist.
            (Pattern::Local(local), ExprKind::Method(call))
                if call.does(Does::Seek) && !self.tree.locals[*local].mutable =>
            {
                let (alias, is_there) = self.sought(call)?;
                self.storage[*local] = Storage::Sought(alias, is_there);
                Some(())
            }
            (Pattern::Local(local), ExprKind::MapShared(variable, rank)) => {
                let reference = self.map_shared(variable, rank)?;
                let reference = self.b.let_("", reference);
                self.storage[*local] = match self.tree.types.is_slice(init.ty) {
                    true => Storage::Local(reference),
                    false => Storage::Reference(reference),
                };
                Some(())
            }
            (Pattern::Local(local), ExprKind::Dynamic(element, length)) => {
                let (slice, dynamic) = self.dynamic_shared(*element, length.as_deref())?;
                self.bind(pattern, slice);
                self.dynamics.push((*local, dynamic));
                Some(())
            }
            (Pattern::Struct(_, patterns), ExprKind::Make { fields, base: None, .. })
                if patterns
                    .iter()
                    .map(|(to, _)| to)
                    .eq(fields.iter().map(|(from, _)| from)) =>
            {
                let values = self.operands(fields.iter().map(|(_, value)| value))?;
                for ((_, pattern), value) in patterns.iter().zip(values) {
                    self.bind(pattern, value);
                }
                Some(())
            }
            _ => {
                if self.tree.types.is_unit(init.ty) {
                    return self.effect(init);
                }
                let value = self.value(init)?;
                self.bind(pattern, value);
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
                storage if matches!(self.tree.types.kind(init.ty), Kind::Reference(..)) => storage,
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

    fn declare_only(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Ignore => {}
            Pattern::Local(local) => {
                self.variable(*local);
            }
            Pattern::Array(elements) => elements.iter().for_each(|element| self.declare_only(element)),
            Pattern::Referent(inner) => self.declare_only(inner),
            Pattern::Struct(_, fields) => fields.iter().for_each(|(_, field)| self.declare_only(field)),
        }
    }

    /// Makes the program's variable of a local, if it has one.
    pub(super) fn variable(&mut self, local: usize) -> Option<Handle<IrLocal>> {
        let declared = &self.tree.locals[local];
        if self.tree.types.is_unit(declared.ty) {
            return None;
        }
        if let Storage::Local(known) = self.storage[local] {
            return Some(known);
        }
        self.at(declared.name.span());
        let ty = self.ty(declared.ty);
        let handle = self.b.local(&plain(&declared.name), ty);
        self.storage[local] = Storage::Local(handle);
        Some(handle)
    }

    pub(super) fn bind(&mut self, pattern: &Pattern, value: ExprId) {
        match pattern {
            // The value is evaluated all the same: it may fault.
            Pattern::Ignore => {
                self.again(value);
            }
            Pattern::Local(local) => {
                if let Some(handle) = self.variable(*local) {
                    self.b.set(handle, value);
                    if !self.tree.locals[*local].mutable {
                        self.fixed.push(handle);
                    }
                }
            }
            // References have come as values.
            Pattern::Referent(inner) => self.bind(inner, value),
            Pattern::Array(elements) => {
                let whole = self.b.let_("", value);
                for (index, element) in (0..).zip(elements) {
                    let path = self.b.local_place(whole);
                    let index = self.b.u64(index);
                    let path = self.b.index_with(path, index, false);
                    let value = self.b.load(path);
                    self.bind(element, value);
                }
            }
            Pattern::Struct(_, fields) => self.take_apart(value, fields.iter().map(|(index, field)| (*index, field))),
        }
    }

    /// Binds fields of a value, by number.
    fn take_apart<'t>(&mut self, value: ExprId, fields: impl Iterator<Item = (u32, &'t Pattern)>) {
        let whole = self.b.let_("", value);
        for (index, field) in fields {
            let path = self.b.local_place(whole);
            let path = self.b.field(path, index);
            let value = self.b.load(path);
            self.bind(field, value);
        }
    }
}
