//! Calls as values, and as statements for their effects.

use vyre_ir::ir::{Access, Axis, WARP_SIZE};

use super::function::referent;
use super::{ExprId, Lowering, Storage};
use crate::infer::wide;
use crate::library::group_methods::OfGroup;
use crate::syntax::tree::{Callable, Expr, ExprKind, OfFragment};
use crate::types::adt::{ARRAY, LEAST};

impl Lowering<'_, '_> {
    /// The value of a call.
    pub(super) fn called(&mut self, expr: &Expr, callable: &Callable, arguments: &[Expr]) -> Option<ExprId> {
        let here = self.b.span;
        match (callable, arguments) {
            (Callable::Row(function), _) if !self.tree.types.is_unit(expr.ty) => {
                self.intrinsic(function, WARP_SIZE, expr.ty, arguments)
            }
            (Callable::Access(access), [place]) if !access.is_prefetch() => {
                let path = self.place(referent(place))?;
                Some(self.b.load(path.with(*access)))
            }
            (Callable::Device(number), _) => self.invoke(*number, arguments),
            (Callable::Closure, [callee, arguments @ ..]) => self.apply(callee, arguments),
            (Callable::Group(does), [group, arguments @ ..]) => self.of_group(group, *does, expr.ty, arguments),
            (Callable::Fragment(op, ty), _) => self.fragment(expr, *op, *ty, arguments),
            (Callable::MapShared, [variable, rank]) => self.map_shared(variable, rank),
            (Callable::Dynamic(element), _) => Some(self.dynamic_shared(*element, arguments.first())?.0),
            (Callable::Axis(axis), [base]) => self.axis(base, *axis),
            (Callable::Is(case), [value]) => match case.key {
                ARRAY | LEAST => self.is_of_length(value, *case),
                _ => self.is(value, case.variant),
            },
            (Callable::From(_) | Callable::Nearest(..), [operand]) => self.converted(expr, operand),
            (Callable::FromBits(_), [operand]) => {
                let to = self.scalar(expr.ty);
                let operand = self.value(operand)?;
                self.b.span = here;
                Some(self.b.bitcast(operand, to))
            }
            (Callable::Ptx(inline), [operands @ .., host]) => self.inline(inline, operands, host),
            // They have no value.
            (
                Callable::Row(_)
                | Callable::Access(_)
                | Callable::Do(_)
                | Callable::NewGroup(_)
                | Callable::Assert(..)
                | Callable::Panic(_)
                | Callable::Print(_)
                | Callable::Copy(_),
                _,
            ) => {
                self.call_effect(expr, callable, arguments);
                None
            }
            _ => None,
        }
    }

    /// A call for its effect; the value is dropped.
    pub(super) fn call_effect(&mut self, expr: &Expr, callable: &Callable, arguments: &[Expr]) -> Option<()> {
        match (callable, arguments) {
            (Callable::Device(number), _) => self.invoke(*number, arguments).map(|_| ()),
            (Callable::Closure, [callee, arguments @ ..]) => self.apply(callee, arguments).map(|_| ()),
            (Callable::Access(access), [place, value]) => self.store_at(referent(place), value, *access),
            (Callable::Access(access), [place]) if access.is_prefetch() => {
                let path = self.place(referent(place))?;
                let value = self.b.load(path.with(*access));
                self.again(value);
                Some(())
            }
            (&Callable::Do(intrinsic), _) => {
                self.b.intrinsic(intrinsic, &[]);
                Some(())
            }
            (Callable::Row(function), _) if self.tree.types.is_unit(expr.ty) => {
                self.intrinsic_effect(function, arguments)
            }
            (Callable::NewGroup(_), _) => Some(()),
            (Callable::Assert(parts, shows_sides), [condition, values @ ..]) => {
                self.assert(condition, (parts, values), *shows_sides)
            }
            (Callable::Panic(parts), _) => self.panic((parts, arguments)),
            (Callable::Print(parts), _) => self.print((parts, arguments)),
            (Callable::Copy(counts), _) => self.async_copy(*counts, arguments),
            (Callable::Ptx(inline), [operands @ .., host]) if self.tree.types.is_unit(inline.result) => {
                self.inline(inline, operands, host);
                Some(())
            }
            (Callable::Fragment(OfFragment::Store(transposed), ty), _) => {
                self.store_fragment(*transposed, *ty, arguments)
            }
            (Callable::Group(does @ (OfGroup::Sync | OfGroup::Arrive)), [group, ..]) => {
                self.sync_group(group, matches!(does, OfGroup::Sync))
            }
            // Replaced by others before.
            (Callable::Library(_) | Callable::Iterated(_) | Callable::Item(_), _) => None,
            _ => {
                let value = self.computed(expr)?;
                self.again(value);
                Some(())
            }
        }
    }

    /// The value of a cast or of another conversion.
    pub(super) fn converted(&mut self, expr: &Expr, operand: &Expr) -> Option<ExprId> {
        let here = self.b.span;
        let from = operand.ty;
        let operand = self.value(operand)?;
        self.b.span = here;
        if let Some(operation) = wide::operation(&self.tree.types, expr) {
            return self.wide_operation(operation, vec![operand]);
        }
        Some(match self.is_wide(from) || self.is_wide(expr.ty) {
            true => self.wide_cast(operand, from, expr.ty),
            false => self.cast(operand, self.scalar(expr.ty)),
        })
    }

    /// `.x`, `.y`, `.z`.
    fn axis(&mut self, base: &Expr, axis: u32) -> Option<ExprId> {
        let builtin = match base.kind {
            ExprKind::Local(local) => match self.storage[local] {
                Storage::Index3(builtin) => Some(builtin),
                _ => None,
            },
            _ => base.kind.along_axes(),
        };
        match builtin {
            Some(builtin) => Some(self.index_of(builtin(Axis::ALL[axis.min(2) as usize]))),
            None => {
                let value = self.value(base)?;
                Some(self.b.field_of(value, axis))
            }
        }
    }

    /// `store::streaming(&mut place, value)` and related functions: the place is evaluated first.
    fn store_at(&mut self, place: &Expr, value: &Expr, access: Access) -> Option<()> {
        let here = self.b.span;
        let shape = self.shape(place)?;
        let indices = self.operands(shape.indices())?;
        let indices = self.all_again(indices);
        let value = self.value(value)?;
        self.b.span = here;
        let path = self.path_again(&shape, &indices, true);
        self.b.store(path.with(access), value);
        self.put_back(&shape);
        Some(())
    }
}
