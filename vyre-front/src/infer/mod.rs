//! Inference: gives every expression of the tree the type that rustc gives it.
//!
//! One pass in the order of the source, as rustc's, because a method needs the type of its
//! receiver when it is reached. Then literals that nothing determined get their defaults, and a
//! second pass holds every operation against the types found. Where types do not agree the body
//! is left to rustc, which says so in its own words.

mod adt;
mod async_copy;
mod barrier_token;
mod call;
pub(crate) mod calls;
pub(crate) mod captures;
mod closure;
mod expr;
mod fragment;
mod iteration;
mod library_call;
mod memory;
pub(crate) mod message;
mod method;
mod operations;
mod orders;
mod placeholder;
mod places;
mod user_methods;
pub(crate) mod wide;

pub(crate) use memory::{SHARED_BYTES, shared_bytes};
pub(crate) use placeholder::polymorphic;
pub(crate) use places::names_matrix;

use proc_macro2::Span;

use crate::errors::{Code, Errors};
use crate::syntax;
use crate::syntax::tree::{Block, Expr, ExprKind, Origin, Statement, Tree};
use crate::types::{Kind, Ty};

/// Types the body of a kernel or device function.
pub(crate) fn infer(tree: &mut Tree, errors: &mut Errors) {
    let left = errors.left();
    let mut body = std::mem::replace(&mut tree.body, Block::empty());
    let mut inference = Inference::new(tree, errors);
    let ty = inference.block(&mut body, None);
    inference.give(ty, body.tail.as_deref(), "end the statement with `;`");
    let axes = inference.axes;
    let mut wanted = inference.wanted;
    tree.axes = tree.axes.max(axes);
    tree.types.default_literals(0);
    let known = operations::externals(tree, errors, &mut wanted);
    tree.want(wanted);
    tree.body = body;
    if known {
        if errors.is_empty() {
            syntax::unfit(tree, errors);
        }
        operations::block(tree, &tree.body, errors);
        memory::bindings(tree, errors);
        operations::instances(tree, errors);
        if tree.has_wide.get() && errors.is_empty() {
            wide::calls(tree, errors);
        }
        if !tree.types.closures.is_empty() && errors.is_empty() {
            captures::find(tree, errors);
        }
    }
    if !tree.wanted.is_empty() {
        // A mismatch may involve types that are not known yet.
        errors.forget_left(left);
    }
}

/// Types the expression of a constant, whose own types are those after the `first`; false where it is faulty.
pub(crate) fn constant(tree: &mut Tree, errors: &mut Errors, expr: &mut Expr, ty: Ty, first: usize) -> bool {
    let before = errors.count();
    let mut inference = Inference::new(tree, errors);
    let found = inference.expr(expr, Some(ty));
    inference.agree(found, ty);
    let wanted = inference.wanted;
    tree.want(wanted);
    tree.types.default_literals(first);
    operations::expr(tree, expr, errors);
    errors.count() == before
}

struct Inference<'a> {
    /// The tree without its body.
    tree: &'a mut Tree,
    errors: &'a mut Errors,
    /// True if control cannot get here. A statement after that is typed as any other.
    diverges: bool,
    /// The type of what leaves each loop or labelled block by `break`.
    breaks: Vec<Option<Ty>>,
    /// The loops and labelled blocks that a `break` which control reaches leaves.
    left: Vec<usize>,
    axes: u32,
    /// The reference type that the expression to be typed next is converted to, branch by branch.
    expected: Option<Ty>,
    /// The type that the place of the expression to be typed next has. A function of mathematics takes it where its
    /// argument is a literal without suffix.
    place: Option<Ty>,
    /// Constants from elsewhere of which more must be known than a number.
    wanted: Vec<usize>,
    /// The known tokens of barriers.
    known: barrier_token::Known,
}

impl<'a> Inference<'a> {
    fn new(tree: &'a mut Tree, errors: &'a mut Errors) -> Self {
        Inference {
            breaks: vec![None; tree.left_by_break.len()],
            left: Vec::new(),
            tree,
            errors,
            diverges: false,
            axes: 1,
            expected: None,
            place: None,
            wanted: Vec::new(),
            known: barrier_token::Known::default(),
        }
    }

    /// Makes two types equal, or leaves the body to rustc.
    fn agree(&mut self, found: Ty, expected: Ty) {
        if !self.tree.types.unify(found, expected) {
            self.errors.mismatch();
        }
    }

    /// A value leaves the body. rustc is shown a kernel that may return anything, so vyre says what is wrong.
    fn give(&mut self, found: Ty, value: Option<&Expr>, instead: &str) {
        let expected = self.tree.result;
        match value {
            Some(value) if self.tree.is_kernel => {
                if !self.tree.types.unify(found, expected) && !self.errors.is_left_to_rustc() {
                    self.errors.refuse(
                        Code::ReturnValue,
                        value.span,
                        "a kernel returns nothing, and here is a value",
                        format_args!("{instead}, and write values through a `&mut [T]` parameter"),
                    );
                }
            }
            _ => self.agree(found, expected),
        }
    }

    /// As `agree`, at a coercion site, where Rust converts `&mut T` to `&T` and `&[T; N]` to
    /// `&[T]`.
    fn coerce(&mut self, found: Ty, expected: Ty) {
        if let (&Kind::Reference(inner, true), &Kind::Reference(wanted, false)) =
            (self.tree.types.kind(found), self.tree.types.kind(expected))
        {
            return self.unsized_or_same(inner, wanted);
        }
        if let (&Kind::Reference(inner, one), &Kind::Reference(wanted, other)) =
            (self.tree.types.kind(found), self.tree.types.kind(expected))
            && one == other
        {
            return self.unsized_or_same(inner, wanted);
        }
        self.agree(found, expected);
    }

    /// Makes two referents agree: the same type, or an array or `Slice` where a slice is expected.
    fn unsized_or_same(&mut self, found: Ty, expected: Ty) {
        match (self.tree.types.kind(found), self.tree.types.kind(expected)) {
            (&Kind::Array(element, _) | &Kind::Slice(element, _), &Kind::Slice(wanted, false)) => {
                self.agree(element, wanted);
            }
            _ => self.agree(found, expected),
        }
    }

    /// True if rustc does not know the type here either: a constant from elsewhere it does know.
    fn is_undetermined(&self, ty: Ty) -> bool {
        let root = self.tree.types.find(ty);
        matches!(self.tree.types.kind(root), Kind::Unknown { diverges: false })
            && !self
                .tree
                .externals
                .iter()
                .any(|external| self.tree.types.find(external.ty) == root)
    }

    /// The type of a part of something that has none: a mistake that rustc reports, unless it is a
    /// constant from elsewhere, of which rustc sees more than vyre.
    fn no_part(&mut self, base: &Expr) -> Ty {
        let types = &self.tree.types;
        let root = types.find(types.referent(base.ty));
        let mut known = self.tree.externals.iter();
        // Perhaps under the name of a variable.
        let number = match base.kind {
            ExprKind::External(number) => Some(number),
            _ => known.position(|external| types.find(external.ty) == root),
        };
        match number {
            Some(number) => {
                let external = &self.tree.externals[number];
                let ty = external.ty;
                if !external.is_unmarked {
                    self.wanted.push(number);
                } else {
                    external.refuse(
                        self.errors,
                        Code::CompoundConstant,
                        format_args!("vyre sees only the name of `{}`, so it must be a scalar", external.name),
                        operations::NOT_SCALAR,
                    );
                }
                self.agree(ty, Ty::REFUSED);
            }
            _ => self.errors.mismatch(),
        }
        Ty::REFUSED
    }

    /// Refuses a fault that shows in the types, unless the types themselves are at fault.
    fn refuse(&mut self, code: Code, span: Span, fault: impl std::fmt::Display, help: impl std::fmt::Display) {
        if !self.errors.is_left_to_rustc() {
            self.errors.refuse(code, span, fault, help);
        }
    }

    /// Types a block. `hint` is what a cast makes of its value.
    fn block(&mut self, block: &mut Block, hint: Option<Ty>) -> Ty {
        let before = std::mem::take(&mut self.diverges);
        let (expected, place) = (self.expected.take(), self.place.take());
        for statement in &mut block.statements {
            self.statement(statement);
        }
        let ty = match &mut block.tail {
            Some(tail) => {
                (self.expected, self.place) = (expected, place);
                self.expr(tail, hint)
            }
            None if self.diverges => self.tree.types.never(),
            None => Ty::UNIT,
        };
        block.diverges = self.diverges;
        self.diverges |= before;
        ty
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let {
                local,
                annotation,
                init,
            } => {
                let ty = match annotation {
                    Some(ty) => *ty,
                    None => self.tree.types.unknown(),
                };
                let expected = local.map_or(ty, |local| self.tree.locals[local].ty);
                let mut never = false;
                if let Some(init) = init {
                    self.expected = annotation.filter(|&ty| self.tree.types.is_reference(ty));
                    self.place = *annotation;
                    let found = self.initial(*local, init);
                    never = annotation.is_none() && self.tree.types.is_never(found);
                    match annotation {
                        Some(_) => self.coerce(found, ty),
                        None => self.agree(found, ty),
                    }
                    self.know_token(*local, init);
                }
                self.agree(ty, expected);
                if never {
                    self.tree.types.make_never(ty);
                }
            }
            Statement::Expr(expr, dropped) => {
                let ty = self.expr(expr, None);
                if !*dropped {
                    self.agree(ty, Ty::UNIT);
                }
            }
        }
    }

    /// The initial value of a variable. The name of a part that a pattern reaches through a reference is a reference.
    fn initial(&mut self, local: Option<usize>, init: &mut Expr) -> Ty {
        let found = self.expr(init, None);
        let is_mutable = local.is_some_and(|local| self.tree.locals[local].mutable);
        // Others are no names of a pattern.
        let is_named = !matches!(init.kind, ExprKind::Part(..)) || places::is_rest(self.tree, init);
        match places::through_matched(&self.tree.types, init) {
            Some(mutable) if !is_mutable && is_named => {
                let ty = self.tree.types.add(Kind::Reference(found, mutable));
                refer_to(init, mutable, ty);
                ty
            }
            None if places::is_rest(self.tree, init) && self.tree.types.is_slice(found) => {
                self.refuse(
                    Code::Pattern,
                    init.span,
                    "the rest of an array has no name in a kernel where the array is taken apart by value",
                    "take apart a reference: `let [first, rest @ ..] = &array;`",
                );
                Ty::REFUSED
            }
            _ => found,
        }
    }

    /// Refuses to assign to an element or a field of what vyre sees the name of alone.
    fn assigned_outside(&mut self, target: &Expr) {
        if let (ExprKind::Index { .. } | ExprKind::Field(..), &ExprKind::External(number)) =
            (&target.kind, &target.whole().kind)
            && self.tree.externals[number].is_unmarked
        {
            places::refuse_outside(&self.tree.externals[number], self.errors);
            self.agree(self.tree.externals[number].ty, Ty::REFUSED);
        }
    }

    fn assign(&mut self, target: &mut Expr, value: &mut Expr) -> Ty {
        self.assigned_outside(target);
        let expected = self.expr(target, None);
        let found = self.placed(value, expected);
        if let ExprKind::Local(local) = target.kind
            && self.tree.types.is_reference(found)
            && self.tree.locals[local].origin == Origin::Matched
        {
            self.no_value_to_take_apart(found, value.span);
            self.agree(expected, Ty::REFUSED);
        } else {
            self.coerce(found, expected);
        }
        Ty::UNIT
    }

    fn no_value_to_take_apart(&mut self, reference: Ty, span: Span) {
        let (fault, help) = match self.tree.types.is_slice(reference) {
            true => (
                "a pattern does not destructure a slice in a kernel",
                "compare its length, and index it: `if x.len() == 2 { .. x[0] .. }`",
            ),
            false => (
                "a pattern destructures a value, and not the referent of a reference",
                "write `*` in front of the reference",
            ),
        };
        self.refuse(Code::Pattern, span, fault, help);
    }
}

/// Makes an expression a reference of this type to what it is: in each branch, where there are some.
fn refer_to(part: &mut Expr, mutable: bool, ty: Ty) {
    if let ExprKind::If(_, then, Some(otherwise)) = &mut part.kind {
        then.tail.iter_mut().for_each(|tail| refer_to(tail, mutable, ty));
        refer_to(otherwise, mutable, ty);
    } else {
        let inner = part.take();
        part.kind = ExprKind::Borrow(Box::new(inner), mutable);
    }
    part.ty = ty;
}
