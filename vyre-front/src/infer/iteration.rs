//! Inference of loops over elements.

use super::Inference;
use crate::syntax::tree::{Callable, Expr, ExprKind, Regroup};
use crate::types::{Kind, Ty};

impl Inference<'_> {
    /// A reference to what a loop goes through: `iter` and `iter_mut` take one by themselves.
    pub(super) fn iterated(&mut self, expr: &mut Expr) -> Ty {
        let ExprKind::Call(Callable::Iterated(mutable), mut of) = expr.kind.take() else {
            return Ty::REFUSED;
        };
        let mut base = of.remove(0);
        let ty = self.expr(&mut base, None);
        match *self.tree.types.kind(ty) {
            Kind::Reference(..) => {
                if mutable && !self.tree.types.is_written(ty) {
                    self.errors.mismatch();
                }
                self.through_outer_references(&mut base, ty);
                *expr = base;
                let inner = match *self.tree.types.kind(self.tree.types.referent(ty)) {
                    // The methods that go through it are those of `[T]`.
                    Kind::Slice(element, _) => self.tree.types.add(Kind::Slice(element, false)),
                    _ => self.tree.types.referent(ty),
                };
                self.tree.types.add(Kind::Reference(inner, mutable))
            }
            Kind::Refused => Ty::REFUSED,
            _ => {
                expr.kind = ExprKind::Borrow(Box::new(base), mutable);
                self.tree.types.add(Kind::Reference(ty, mutable))
            }
        }
    }

    /// A part of an array or slice.
    pub(super) fn part(&mut self, base: &mut Expr, bounds: &mut [Option<Box<Expr>>; 2]) -> Ty {
        let ty = self.expr(base, None);
        let mut bound_ty = None;
        for bound in bounds.iter_mut().flatten() {
            let found = self.expr(bound, None);
            self.agree(found, bound_ty.unwrap_or(found));
            bound_ty = Some(found);
        }
        for bound in bounds.iter_mut().flatten() {
            self.subscript(ty, bound);
        }
        match *self.tree.types.kind(self.tree.types.referent(ty)) {
            Kind::Array(element, _) => self.tree.types.add(Kind::Slice(element, false)),
            Kind::Slice(element, any) => self.tree.types.add(Kind::Slice(element, any)),
            Kind::Refused => Ty::REFUSED,
            _ => self.no_part(base),
        }
    }

    /// All elements of what a reference refers to, as a `Slice`.
    pub(super) fn any_slice(&mut self, whole: &mut Expr) -> Ty {
        let ty = self.expr(whole, None);
        if *self.tree.types.kind(ty) == Kind::Refused {
            return Ty::REFUSED;
        }
        if !self.tree.types.is_reference(ty) {
            self.errors.mismatch();
        }
        match *self.tree.types.kind(self.tree.types.referent(ty)) {
            Kind::Array(element, _) | Kind::Slice(element, _) => self.tree.types.add(Kind::Slice(element, true)),
            Kind::Refused => Ty::REFUSED,
            _ => self.no_part(whole),
        }
    }

    /// An index of a sequence, which has been typed: a `usize`, and of a `Slice` any integer, which is converted.
    pub(super) fn subscript(&mut self, of: Ty, index: &mut Expr) {
        let types = &self.tree.types;
        if !types.is_any_slice(of) {
            return self.agree(index.ty, Ty::USIZE);
        }
        match types.kind(index.ty) {
            Kind::Primitive(primitive) if !primitive.scalar().is_integer() => self.errors.mismatch(),
            // The type of a constant from elsewhere is asked for in the end.
            Kind::Primitive(_) | Kind::Integer | Kind::Unknown { .. } => {
                let given = index.take();
                index.kind = ExprKind::Cast(Box::new(given), Ty::USIZE);
                index.ty = Ty::USIZE;
            }
            Kind::Refused => {}
            _ => self.errors.mismatch(),
        }
    }

    /// Elements in arrays, what is left over, or the elements of arrays.
    pub(super) fn regrouped(&mut self, base: &mut Expr, part: Regroup, length: u64) -> Ty {
        let ty = self.expr(base, None);
        if !self.tree.types.is_reference(ty) {
            return Ty::REFUSED;
        }
        self.through_outer_references(base, ty);
        let (whole, mutable) = (self.tree.types.referent(ty), self.tree.types.is_written(ty));
        let types = &mut self.tree.types;
        let element = match *types.kind(whole) {
            Kind::Array(element, _) | Kind::Slice(element, _) => element,
            Kind::Refused => return Ty::REFUSED,
            _ => return self.no_part(base),
        };
        let element = match (part, types.kind(element)) {
            (Regroup::Chunks | Regroup::LastChunks, _) => types.add(Kind::Array(element, length)),
            (Regroup::Rest | Regroup::FirstRest, _) => element,
            (Regroup::Elements, &Kind::Array(element, _)) => element,
            (Regroup::Elements, Kind::Refused) => return Ty::REFUSED,
            (Regroup::Elements, _) => {
                self.errors.mismatch();
                return Ty::REFUSED;
            }
        };
        let slice = types.add(Kind::Slice(element, false));
        types.add(Kind::Reference(slice, mutable))
    }

    /// An element of what a loop goes through.
    pub(super) fn item(&mut self, expr: &mut Expr) -> Ty {
        let span = expr.span;
        let ExprKind::Call(Callable::Item(copied), mut of) = expr.kind.take() else {
            return Ty::REFUSED;
        };
        let (mut base, mut index) = (Box::new(of.remove(0)), Box::new(of.remove(0)));
        let ty = self.expr(&mut base, None);
        self.expr(&mut index, None);
        let (sequence, by_reference) = match *self.tree.types.kind(ty) {
            Kind::Reference(inner, mutable) => (inner, Some(mutable)),
            _ => (ty, None),
        };
        let element = match *self.tree.types.kind(sequence) {
            // A slice only occurs behind a reference.
            Kind::Array(element, _) | Kind::Slice(element, _) => element,
            Kind::Refused => return Ty::REFUSED,
            _ => return self.no_part(&base),
        };
        let checked = false;
        let place = ExprKind::Index { base, index, checked };
        match by_reference {
            Some(mutable) if !copied => {
                let mut place = Expr::new(place, span);
                place.ty = element;
                expr.kind = ExprKind::Borrow(Box::new(place), mutable);
                self.tree.types.add(Kind::Reference(element, mutable))
            }
            None if copied => {
                // `&x` where the loop yields no references.
                self.errors.mismatch();
                Ty::REFUSED
            }
            _ => {
                expr.kind = place;
                element
            }
        }
    }
}
