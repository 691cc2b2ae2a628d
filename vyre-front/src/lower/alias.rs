//! Variables that refer to places.

use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, Handle, Local, Type};

use super::place::{Operand, Root, Shape, Step};
use super::{ExprId, Lowering, Storage};
use crate::syntax::tree::{Argument, Expr, ExprKind, MethodCall};
use crate::types::{Kind, Ty};

impl Lowering<'_, '_> {
    /// `let r = &mut place;`: `r` is another name of the place, whose indices are evaluated now.
    pub(super) fn refer(&mut self, local: usize, place: &Expr) -> Option<()> {
        let alias = self.alias(place)?;
        self.storage[local] = Storage::Alias(self.aliases.len());
        self.aliases.push(alias);
        Some(())
    }

    /// The form of a place whose indices are evaluated.
    pub(super) fn alias(&mut self, place: &Expr) -> Option<Shape<'static>> {
        if let ExprKind::Borrow(inner, _) | ExprKind::Deref(inner) = &place.kind
            && self.is_choice(inner)
        {
            return self.alias(inner);
        }
        if self.is_choice(place)
            && let Some(chosen) = self.chosen(place)
        {
            return chosen;
        }
        let mut shape = self.shape(place)?;
        if let Root::Local(local) = shape.root
            && self.moving.contains(&local)
        {
            // It stays with what the variable refers to now.
            let now = self.b.get(local);
            let now = self.b.let_("", now);
            self.fixed.push(now);
            shape.root = Root::Local(now);
        }
        let indices = self.operands(shape.indices())?;
        let indices = self.all_again(indices);
        // An index that is out of bounds faults here, unless nothing but atomic accesses may look.
        let is_atomic = |kind: &Kind| matches!(kind, Kind::Atomic(_) | Kind::Barrier | Kind::Slice(..));
        let looks = !self.tree.types.contains(place.ty, &is_atomic);
        let is_compared = |step: &Step<'_>| matches!(step, Step::Index(_, true) | Step::Cell(_, _, true));
        if looks && shape.steps.iter().any(is_compared) {
            self.at(place.span);
            let path = self.path_again(&shape, &indices, true);
            let path = self.first_scalar(path);
            let value = self.b.load(path);
            self.b.let_("", value);
        }
        let mut indices = indices.into_iter();
        let mut keep = |operand: Operand<'_>| match operand {
            Operand::Expr(_) => indices.next().map(Operand::Kept),
            Operand::Kept(index) => Some(Operand::Kept(index)),
        };
        let mut steps = Vec::with_capacity(shape.steps.len());
        for step in shape.steps {
            steps.push(match step {
                Step::Field(field) => Step::Field(field),
                Step::Element(number) => Step::Element(number),
                Step::Deref => Step::Deref,
                Step::Each(each) => Step::Each(each),
                Step::Index(index, checked) => Step::Index(keep(index)?, checked && !looks),
                Step::Cell(matrix, [row, col], checked) => {
                    Step::Cell(matrix, [keep(row)?, keep(col)?], checked && !looks)
                }
            });
        }
        Some(Shape {
            root: shape.root,
            steps,
        })
    }

    /// The place of the element found by `get`, `first` or `last`, and a flag for its existence.
    pub(super) fn sought(&mut self, call: &MethodCall) -> Option<(usize, Handle<Local>)> {
        let here = self.b.span;
        let mut alias = self.alias(&call.receiver)?;
        let given = match call.arguments.first() {
            Some(Argument::Value(index)) => {
                let index = self.value(index)?;
                Some(self.again(index))
            }
            _ => None,
        };
        self.b.span = here;
        let path = self.path_again(&alias, &[], true);
        let length = self.length_at(path);
        let length = self.again(length);
        let is_last = call.name.to_string().starts_with("last");
        let index = match given {
            Some(index) => index,
            None => {
                let (length, one, zero) = (self.get(length), self.b.u64(1), self.b.u64(0));
                // Not a valid index of an empty slice.
                let last = self.b.binary(BinaryOp::Sub, length, one);
                self.again(if is_last { last } else { zero })
            }
        };
        let (at, end) = (self.get(index), self.get(length));
        let is_there = self.b.binary(BinaryOp::Lt, at, end);
        let is_there = self.b.let_("", is_there);
        self.fixed.push(is_there);
        alias.steps.push(Step::Index(Operand::Kept(index), false));
        self.aliases.push(alias);
        Some((self.aliases.len() - 1, is_there))
    }

    /// The result of `get`, `first` or `last`, as a value.
    pub(super) fn found(&mut self, ty: Ty, (alias, is_there): (usize, Handle<Local>)) -> Option<ExprId> {
        let whole = self.ty(ty);
        let none = self.written_out(ty, &mut std::iter::repeat(0));
        let result = self.b.let_("", none);
        let place = self.aliases[alias].clone();
        let (then, ()) = self.nested(|l| {
            let path = l.path_again(&place, &[], true);
            let parts = vec![l.b.bool(true), l.b.load(path)];
            let some = l.b.construct(whole, parts);
            l.b.set(result, some);
        });
        let condition = self.b.get(is_there);
        self.branch(condition, then, Vec::new());
        Some(self.b.get(result))
    }

    /// A scalar of what lies at a place.
    fn first_scalar(&mut self, mut path: Path) -> Path {
        loop {
            let ty = self.b.path_type(&path);
            path = match &self.b.types()[ty] {
                Type::Tuple(fields) if !fields.is_empty() => self.b.field(path, 0),
                Type::Struct { .. } => self.b.field(path, 0),
                Type::Array { .. } => {
                    let first = self.b.u64(0);
                    self.b.index_with(path, first, false)
                }
                _ => return path,
            };
        }
    }
}
