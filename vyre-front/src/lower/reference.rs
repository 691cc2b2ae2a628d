//! References that control flow chooses: `if c { &mut x[i] } else { &mut x[j] }`, and elements that may not exist.
//!
//! Where only one branch yields a reference, or all refer to places that differ in indices alone, the result is such a
//! place, and nothing behind here sees the choice but in the index. Other references become values of the program.

use vyre_abi::list;
use vyre_ir::ir::{Handle, Local, Scalar, Stmt, TypeId};

use super::message::NO_SOME;
use super::operands::Again;
use super::place::{Operand, Root, Shape, Step};
use super::{Lowering, Storage, ir_type};
use crate::library::methods::Does;
use crate::syntax::tree::{Block, Expr, ExprKind, MethodCall};
use crate::types::adt::SOME;
use crate::types::{Kind, Ty};

/// An element that may not exist: its place, unless it never exists, and whether it does.
pub(super) type Optional = (Option<Shape<'static>>, Handle<Local>);

/// A branch: its statements, and what it yields, unless it diverges.
type Branch<R> = (Vec<Stmt>, Option<R>);

impl Lowering<'_, '_> {
    /// The type of a variable of a program that holds such a value, or such a reference.
    pub(super) fn variable_type(&mut self, ty: Ty) -> TypeId {
        match self.is_referring(ty) {
            true => ir_type(&self.tree.types, ty, self.b.types()),
            false => self.ty(ty),
        }
    }

    /// True if a reference of the type is one in the program too; one to a value that does not change is that value.
    pub(super) fn is_referring(&self, ty: Ty) -> bool {
        let types = &self.tree.types;
        types.is_reference(ty) && !types.is_plain(types.by_value(ty))
    }

    /// A value; of a reference to what may change, the reference.
    pub(super) fn referring_value(&mut self, expr: &Expr, ty: Ty) -> Option<super::ExprId> {
        match self.is_referring(ty) {
            true => {
                let lent = self.lent.len();
                let value = self.argument(expr, ty);
                if !self.lent.split_off(lent).is_empty() {
                    self.refused.push(self.b.span);
                }
                value
            }
            false => self.value(expr),
        }
    }

    /// True for expressions of control flow that yield references, and those that name an element which must exist.
    pub(super) fn is_choice(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::If(_, _, Some(_)) | ExprKind::Block(..) | ExprKind::Loop(_, None, _) => {
                self.tree.types.is_reference(expr.ty)
            }
            ExprKind::Method(call) => call.does(Does::Unwrap) && self.may_lack(call.receiver.ty),
            _ => false,
        }
    }

    /// The place that an expression of control flow refers to; `None` if it is another one.
    pub(super) fn chosen(&mut self, expr: &Expr) -> Option<Option<Shape<'static>>> {
        Some(match &expr.kind {
            ExprKind::If(condition, then, Some(otherwise)) => self.one_of(expr.ty, condition, then, otherwise),
            ExprKind::Block(block, None) => self.at_end(block, |l, tail| l.alias(tail)),
            ExprKind::Block(_, Some(_)) | ExprKind::Loop(_, None, _) => self.loop_value(expr).map(|value| {
                let held = self.b.let_("", value);
                self.fixed.push(held);
                self.held(held, expr.ty)
            }),
            ExprKind::Method(call) if self.is_choice(expr) => self.existing(call),
            _ => return None,
        })
    }

    /// The place that a variable of the program refers to, which holds what is of this type.
    fn held(&self, local: Handle<Local>, ty: Ty) -> Shape<'static> {
        let is_direct = self.tree.types.is_slice(ty) || !self.is_referring(ty);
        Shape {
            root: Root::Local(local),
            steps: if is_direct { Vec::new() } else { vec![Step::Deref] },
        }
    }

    fn at_end<R>(&mut self, block: &Block, build: impl FnOnce(&mut Self, &Expr) -> Option<R>) -> Option<R> {
        self.of_block(block, |l| {
            l.statements(block)?;
            build(l, block.tail.as_deref()?)
        })
    }

    fn one_of(&mut self, ty: Ty, condition: &Expr, then: &Block, otherwise: &Expr) -> Option<Shape<'static>> {
        let here = self.b.span;
        let condition = self.value(condition)?;
        let mut one: Branch<_> = self.nested(|l| l.at_end(then, |l, tail| l.alias(tail)));
        let mut other: Branch<_> = self.nested(|l| l.alias(otherwise));
        self.b.span = here;
        let chosen = match (one.1.take(), other.1.take()) {
            (Some(a), Some(b)) => Some(self.joined(ty, [(&mut one.0, a), (&mut other.0, b)])),
            (a, b) => a.or(b),
        };
        self.branch(condition, one.0, other.0);
        chosen
    }

    /// The place of two branches, which end by noting what is different.
    fn joined(&mut self, ty: Ty, [one, other]: [(&mut Vec<Stmt>, Shape<'static>); 2]) -> Shape<'static> {
        let (a, b) = (&one.1, &other.1);
        let indices = match a.root == b.root && a.steps.len() == b.steps.len() {
            true => {
                let mut others = b.steps.iter();
                list::try_map(&a.steps, |step| differing(step, others.next()?))
            }
            false => None,
        };
        let Some(indices) = indices else {
            let ty_of_held = self.variable_type(ty);
            let held = self.b.local("", ty_of_held);
            for (statements, shape) in [one, other] {
                let (more, ()) = self.nested(|l| {
                    let path = l.path_again(&shape, &[], true);
                    if matches!(l.tree.types.kind(ty), Kind::Reference(_, true)) {
                        l.keeps_reference(&shape);
                    }
                    let value = match l.is_referring(ty) {
                        true => l.reference(path, ty),
                        false => Some(l.b.load(path)),
                    };
                    if let Some(value) = value {
                        l.b.set(held, value);
                    }
                });
                statements.extend(more);
            }
            self.fixed.push(held);
            return self.held(held, ty);
        };
        let mut steps = a.steps.clone();
        for (step, pair) in steps.iter_mut().zip(indices) {
            let (Some((a, b)), Step::Index(operand, _)) = (pair, step) else {
                continue;
            };
            let word = self.b.types().scalar(Scalar::U64);
            let index = self.b.local("", word);
            self.fixed.push(index);
            for (statements, value) in [(&mut *one.0, a), (&mut *other.0, b)] {
                let (more, ()) = self.nested(|l| {
                    let value = l.get(value);
                    l.b.set(index, value);
                });
                statements.extend(more);
            }
            *operand = Operand::Kept(Again::Local(index));
        }
        Shape { root: a.root, steps }
    }

    /// True if a type is an `Option` of what lies somewhere.
    pub(super) fn may_lack(&self, ty: Ty) -> bool {
        let types = &self.tree.types;
        types.as_tagged(ty).is_some() && types.is_place(ty)
    }

    /// True if an expression is an `Option` of an element that stays in place until it is known to exist.
    pub(super) fn is_sought(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Method(call) if call.does(Does::Seek)) || self.may_lack(expr.ty)
    }

    /// An element that may not exist.
    pub(super) fn optional(&mut self, expr: &Expr) -> Option<Optional> {
        match &expr.kind {
            ExprKind::Method(call) if call.does(Does::Seek) => {
                let (alias, is_there) = self.sought(call)?;
                Some((Some(self.aliases[alias].clone()), is_there))
            }
            ExprKind::Local(local) => match self.storage[*local] {
                Storage::Sought(alias, is_there) => Some((Some(self.aliases[alias].clone()), is_there)),
                _ => None,
            },
            ExprKind::Block(block, None) => self.at_end(block, |l, tail| l.optional(tail)),
            ExprKind::If(condition, then, Some(otherwise)) => self.optional_of(expr.ty, condition, then, otherwise),
            ExprKind::Make { of, fields, .. } => {
                let place = match (of.variant, &fields[..]) {
                    (SOME, [(_, place)]) => Some(self.alias(place)?),
                    _ => None,
                };
                let is_there = self.b.bool(place.is_some());
                let is_there = self.b.let_("", is_there);
                self.fixed.push(is_there);
                Some((place, is_there))
            }
            _ => None,
        }
    }

    fn optional_of(&mut self, ty: Ty, condition: &Expr, then: &Block, otherwise: &Expr) -> Option<Optional> {
        let here = self.b.span;
        let condition = self.value(condition)?;
        let mut one: Branch<Optional> = self.nested(|l| l.at_end(then, |l, tail| l.optional(tail)));
        let mut other: Branch<Optional> = self.nested(|l| l.optional(otherwise));
        self.b.span = here;
        let chosen = match (one.1.take(), other.1.take()) {
            (Some((a, in_one)), Some((b, in_other))) => {
                let flag = self.b.types().scalar(Scalar::Bool);
                let is_there = self.b.local("", flag);
                self.fixed.push(is_there);
                for (statements, found) in [(&mut one.0, in_one), (&mut other.0, in_other)] {
                    let (more, ()) = self.nested(|l| {
                        let found = l.b.get(found);
                        l.b.set(is_there, found);
                    });
                    statements.extend(more);
                }
                let place = match (a, b) {
                    (Some(a), Some(b)) => {
                        let held = self.tree.types.adt(ty).and_then(|of| of.arguments.first().copied());
                        let held = held.unwrap_or(Ty::REFUSED);
                        Some(self.joined(held, [(&mut one.0, a), (&mut other.0, b)]))
                    }
                    (a, b) => a.or(b),
                };
                Some((place, is_there))
            }
            (a, b) => a.or(b),
        };
        self.branch(condition, one.0, other.0);
        chosen
    }

    /// Lets a variable name an element that may not exist.
    pub(super) fn name_sought(&mut self, local: usize, init: &Expr) -> Option<()> {
        let (place, is_there) = self.optional(init)?;
        let place = match place {
            Some(place) => place,
            // It never exists, so nothing looks.
            None => {
                let held = self
                    .tree
                    .types
                    .adt(init.ty)
                    .and_then(|of| of.arguments.first().copied());
                let held = self.tree.types.referent(held.unwrap_or(Ty::UNIT));
                let ty = match *self.tree.types.kind(held) {
                    Kind::Slice(element, _) => element,
                    _ => held,
                };
                let ty = self.ty(ty);
                Shape::at(Root::Local(self.b.local("", ty)))
            }
        };
        self.storage[local] = Storage::Sought(self.aliases.len(), is_there);
        self.aliases.push(place);
        Some(())
    }

    /// `y.get_mut(i).unwrap()`: the place of an element that must exist.
    fn existing(&mut self, call: &MethodCall) -> Option<Shape<'static>> {
        let here = self.b.span;
        let (place, is_there) = self.optional(&call.receiver)?;
        self.b.span = here;
        let is_there = self.b.get(is_there);
        self.expect(is_there, call, NO_SOME);
        place
    }
}

/// The indices of two steps, where these differ in nothing else; `Some(None)` if they are the same.
fn differing(one: &Step<'_>, other: &Step<'_>) -> Option<Option<(Again, Again)>> {
    match (*one, *other) {
        (Step::Field(a), Step::Field(b)) | (Step::Element(a), Step::Element(b)) => (a == b).then_some(None),
        (Step::Deref, Step::Deref) => Some(None),
        (Step::Each(a), Step::Each(b)) => (a == b).then_some(None),
        (Step::Index(Operand::Kept(a), checked), Step::Index(Operand::Kept(b), other)) if checked == other => {
            Some((a != b).then_some((a, b)))
        }
        _ => None,
    }
}
