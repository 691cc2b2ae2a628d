//! Calls with their arguments, and parts of arrays and slices.

use vyre_core::ir::{BinaryOp, ExprId, Handle, Local, Scalar, StmtKind, Type, TypeId};

use super::items::{Builder, Callee, Maker, Taken};
use super::scope::{Base, Root, Scope};

impl Maker {
    /// Calls a function. The result is in the local returned.
    pub(super) fn call(&mut self, b: &mut Builder<'_>, scope: &Scope, callee: &Callee) -> (Handle<Local>, TypeId) {
        let mut arguments = Vec::new();
        for &taken in &callee.parameters {
            let ty = taken.ty(b.types());
            let argument = match taken {
                Taken::Value(ty) => self.value(b, scope, ty, 2),
                Taken::Reference { pointee, mutable } => match self.pointer_of(b, scope, ty) {
                    Some(pointer) => pointer,
                    None => {
                        let value = self.value(b, scope, pointee, 1);
                        let local = b.let_("", value);
                        b.reference(b.local_place(local), mutable)
                    }
                },
                Taken::Slice { element, mutable } => match self.pointer_of(b, scope, ty) {
                    Some(pointer) => pointer,
                    None => {
                        let value = self.value(b, scope, element, 1);
                        let array = b.repeat(value, 2);
                        let array = b.let_("", array);
                        let (start, end) = (b.u64(0), b.u64(2));
                        b.subslice(b.local_place(array), start, end, mutable)
                    }
                },
            };
            arguments.push(argument);
        }
        if callee.result == b.types().unit() || self.random.once_in(8) {
            b.push(StmtKind::Call {
                function: callee.handle,
                arguments,
                result: None,
            });
            // A variable of a type that every scope has.
            let ty = b.types().scalar(Scalar::U32);
            return (b.local("", ty), ty);
        }
        (b.call(callee.handle, arguments), callee.result)
    }

    /// A slice with an element at least: part of an array, of a slice, or one element of an output.
    pub(super) fn part(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope,
        element: TypeId,
        mutable: bool,
    ) -> Option<ExprId> {
        let types = b.types();
        let whole: Vec<Root> = scope
            .roots
            .iter()
            .filter(|root| match types[root.ty] {
                Type::Slice {
                    element: of,
                    mutable: is,
                } => of == element && (!mutable || is && root.writable),
                _ => false,
            })
            .copied()
            .collect();
        if !whole.is_empty() && self.random.once_in(2) {
            let slice = self.random.pick(&whole);
            let Base::Local(local) = slice.base else {
                unreachable!("slices lie in variables");
            };
            let (start, end) = match self.random.below(3) {
                // To anywhere, but not empty: what reaches outside is a fault at once.
                0 if self.wild(4) => {
                    let (start, end) = (self.leaf(b, scope, Scalar::U64), self.leaf(b, scope, Scalar::U64));
                    let (one, two) = (b.u64(1), b.u64(2));
                    let start = b.binary(BinaryOp::And, start, one);
                    (start, b.binary(BinaryOp::Max, end, two))
                }
                0 => (b.u64(0), b.u64(1)),
                // From the thread's number on.
                1 if slice.whole => (self.number(b, scope), b.u64(super::LENGTH)),
                _ => (b.u64(0), b.length(b.local_place(local))),
            };
            return Some(b.subslice(b.local_place(local), start, end, mutable));
        }
        // The elements of arrays of a slice.
        if self.random.once_in(6) {
            let arrays = b.types().iter().filter_map(|(id, ty)| match *ty {
                Type::Array { element: of, .. } if of == element => Some(id),
                _ => None,
            });
            let arrays: Vec<TypeId> = arrays.collect();
            if !arrays.is_empty()
                && let array = self.random.pick(&arrays)
                && let Some(slice) = self.part(b, scope, array, mutable)
            {
                return Some(b.flattened(slice));
            }
        }
        // The thread's own element.
        let own = scope.roots.iter().filter_map(|root| match root.base {
            Base::Own(slice) if root.ty == element => Some(slice),
            _ => None,
        });
        let own: Vec<_> = own.collect();
        if !own.is_empty() && self.random.once_in(3) {
            let slice = self.random.pick(&own);
            let (start, number, one) = (self.number(b, scope), self.number(b, scope), b.u64(1));
            let end = b.binary(BinaryOp::Add, number, one);
            let checked = !self.random.once_in(4);
            return Some(b.subslice_with(b.local_place(slice), [start, end], mutable, checked));
        }
        // Arrays of any existing length.
        let lengths: Vec<(TypeId, u64)> = b
            .types()
            .iter()
            .filter_map(|(id, ty)| match *ty {
                Type::Array { element: of, length } if of == element => Some((id, length)),
                _ => None,
            })
            .collect();
        if lengths.is_empty() {
            return None;
        }
        let (array, length) = self.random.pick(&lengths);
        let path = self.place(b, scope, array, mutable)?;
        let first = self.random.below(length);
        let last = first + 1 + self.random.below(length - first);
        let (start, end) = (b.u64(first), b.u64(last));
        let checked = !self.random.once_in(4);
        Some(b.subslice_with(path, [start, end], mutable, checked))
    }
}
