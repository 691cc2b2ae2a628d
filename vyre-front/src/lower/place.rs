//! Places: where values lie.

use vyre_ir::ir::builder::Path;
use vyre_ir::ir::{BinaryOp, ConstantTable, Handle, Local, SharedVariable, Type};

use super::matrix::Matrix;
use super::operands::Again;
use super::{ExprId, Lowering, Storage};
use crate::library::methods::Does;
use crate::syntax::tree::{Argument, Bounds, Callable, Expr, ExprKind};
use crate::types::Kind;
use crate::types::adt::{FROM_END, Form};
use crate::types::slots::Place;

/// The form of a place: its indices are not lowered yet, because what else is evaluated before
/// them differs from use to use.
#[derive(Clone)]
pub(super) struct Shape<'t> {
    pub(super) root: Root,
    pub(super) steps: Vec<Step<'t>>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Root {
    Local(Handle<Local>),
    Shared(Handle<SharedVariable>),
    Table(Handle<ConstantTable>),
}

#[derive(Clone, Copy)]
pub(super) enum Step<'t> {
    Field(u32),
    /// An element that exists.
    Element(u32),
    /// An index and whether it is compared with the length.
    Index(Operand<'t>, bool),
    /// An element of a matrix, the first step: row and column, and whether they are compared with its
    /// extents.
    Cell(Matrix, [Operand<'t>; 2], bool),
    /// From a reference to what it refers to.
    Deref,
    /// This thread's own element.
    Each(Handle<Local>),
}

/// An index on the way to a place.
#[derive(Clone, Copy)]
pub(super) enum Operand<'t> {
    Expr(&'t Expr),
    /// It was evaluated before.
    Kept(Again),
}

impl Shape<'_> {
    /// A whole variable.
    pub(super) fn at(root: Root) -> Self {
        let steps = Vec::new();
        Shape { root, steps }
    }

    /// True if both name one place, by the same evaluated indices.
    pub(super) fn is(&self, other: &Shape<'_>) -> bool {
        let mut steps = self.steps.iter().zip(&other.steps);
        self.root == other.root && self.steps.len() == other.steps.len() && steps.all(|(one, other)| one.is(other))
    }

    /// True if an index leads to it.
    pub(super) fn is_indexed(&self) -> bool {
        let is_index = |step: &Step<'_>| matches!(step, Step::Index(..) | Step::Cell(..) | Step::Each(_));
        self.steps.iter().any(is_index)
    }
}

impl Step<'_> {
    fn is(&self, other: &Step<'_>) -> bool {
        let is_kept = |one: &Operand<'_>, other: &Operand<'_>| match (one, other) {
            (Operand::Kept(one), Operand::Kept(other)) => one == other,
            _ => false,
        };
        match (self, other) {
            (Step::Field(one), Step::Field(other)) | (Step::Element(one), Step::Element(other)) => one == other,
            (Step::Index(one, _), Step::Index(other, _)) => is_kept(one, other),
            (Step::Cell(one, [row, col], _), Step::Cell(other, [r, c], _)) => {
                one.elements == other.elements && is_kept(row, r) && is_kept(col, c)
            }
            (Step::Deref, Step::Deref) => true,
            (Step::Each(one), Step::Each(other)) => one == other,
            _ => false,
        }
    }
}

impl<'t> Shape<'t> {
    /// The indices in the order of evaluation.
    pub(super) fn indices(&self) -> Vec<&'t Expr> {
        self.indices_and(&[])
    }

    /// The same, and more that is evaluated after them.
    pub(super) fn indices_and<'e>(&self, more: &[&'e Expr]) -> Vec<&'e Expr>
    where
        't: 'e,
    {
        let mut indices = Vec::new();
        for step in &self.steps {
            let operands = match step {
                Step::Index(index, _) => std::slice::from_ref(index),
                Step::Cell(_, place, _) => place,
                _ => &[],
            };
            for operand in operands {
                if let Operand::Expr(index) = operand {
                    indices.push(*index);
                }
            }
        }
        indices.extend_from_slice(more);
        indices
    }
}

impl Lowering<'_, '_> {
    /// The form of the place that `expr` names. A value that lies nowhere is put into a variable.
    pub(super) fn shape<'t>(&mut self, expr: &'t Expr) -> Option<Shape<'t>> {
        let root = |root| Some(Shape::at(root));
        match &expr.kind {
            ExprKind::Local(local) => match self.storage[*local] {
                Storage::Local(handle) => root(Root::Local(handle)),
                Storage::Reference(handle) => Some(Shape {
                    root: Root::Local(handle),
                    steps: vec![Step::Deref],
                }),
                Storage::Each(handle) => Some(Shape {
                    root: Root::Local(handle),
                    steps: self.each.map(Step::Each).into_iter().collect(),
                }),
                Storage::Shared(shared) => root(Root::Shared(shared)),
                Storage::Alias(number) => Some(self.aliases[number].clone()),
                _ => self.temporary(expr),
            },
            ExprKind::Shared(shared) => root(Root::Shared(self.shared[*shared])),
            ExprKind::Constant(constant) => match self.tables[*constant] {
                Some(table) => root(Root::Table(table)),
                None => self.temporary(expr),
            },
            ExprKind::Call(Callable::MapShared, _) => {
                let mut shape = self.temporary(expr)?;
                if !self.tree.types.is_slice(expr.ty) {
                    shape.steps.push(Step::Deref);
                }
                Some(shape)
            }
            ExprKind::Deref(inner) | ExprKind::Borrow(inner, _) => self.shape(inner),
            _ if self.is_choice(expr) => self.alias(expr),
            ExprKind::Index { base, index, checked } if self.tree.types.is_matrix(base.ty) => {
                self.cell_shape(base, index, *checked)
            }
            ExprKind::Index { base, index, checked } => {
                let mut shape = self.shape(base)?;
                shape.steps.push(Step::Index(Operand::Expr(index), *checked));
                Some(shape)
            }
            ExprKind::Part(base, ends, bounds) => {
                let part = self.part(expr, base, ends, *bounds)?;
                root(Root::Local(part))
            }
            ExprKind::Regroup(base, part, length) => {
                let part = self.regrouped(expr, base, *part, *length)?;
                root(Root::Local(part))
            }
            ExprKind::Field(base, field) => {
                let mut shape = self.shape(base)?;
                shape.steps.push(Step::Field(*field));
                Some(shape)
            }
            ExprKind::Payload(base, case, number) => {
                if let ExprKind::Local(local) = base.kind
                    && let Storage::Sought(alias, _) = self.storage[local]
                {
                    return Some(self.aliases[alias].clone());
                }
                match self.slot(base.ty, *case, *number) {
                    Some(Place::Bytes(offset)) => return self.split(base, *case, *number, offset),
                    Some(Place::Nowhere) if !self.tree.types.is_unit(expr.ty) => return self.nothing(expr),
                    _ => {}
                }
                let mut shape = self.shape(base)?;
                if *number >= FROM_END {
                    // A slice, whose length the pattern has been compared with.
                    let indices = self.operands(shape.indices())?;
                    let path = self.path(&shape, &indices);
                    let length = self.length_at(path);
                    let back = self.b.u64(u64::from(*number - FROM_END) + 1);
                    let index = self.b.binary(BinaryOp::Sub, length, back);
                    let index = self.again(index);
                    shape.steps.push(Step::Index(Operand::Kept(index), false));
                    return Some(shape);
                }
                shape
                    .steps
                    .extend(match self.tree.types.adt(case.of).map(|of| of.form) {
                        None => Some(Step::Element(*number)),
                        Some(Form::Tagged) => match self.slot(base.ty, *case, *number) {
                            Some(Place::Slot(slot)) => Some(Step::Field(slot)),
                            _ => None,
                        },
                        Some(_) => Some(Step::Field(*number)),
                    });
                Some(shape)
            }
            ExprKind::Method(call) if call.method.is_some_and(|m| m.does == Does::Unchecked) => {
                if let (true, Some(Argument::Value(place))) =
                    (self.tree.types.is_matrix(call.receiver.ty), call.arguments.first())
                {
                    return self.cell_shape(&call.receiver, place, false);
                }
                let mut shape = self.shape(&call.receiver)?;
                if let Some(Argument::Value(index)) = call.arguments.first() {
                    shape.steps.push(Step::Index(Operand::Expr(index), false));
                }
                Some(shape)
            }
            _ => self.temporary(expr),
        }
    }

    /// A variable that holds a part of an array or slice, whose bounds are compared with its length.
    fn part(
        &mut self,
        whole: &Expr,
        base: &Expr,
        ends: &[Option<Box<Expr>>; 2],
        bounds: Bounds,
    ) -> Option<Handle<Local>> {
        let shape = self.shape(base)?;
        let given: Vec<&Expr> = ends.iter().flatten().map(|bound| &**bound).collect();
        let operands = self.operands(shape.indices_and(&given))?;
        let mut operands = self.all_again(operands);
        let end = ends[1].as_ref().and_then(|_| operands.pop());
        let start = ends[0].as_ref().and_then(|_| operands.pop());
        self.at(whole.span);
        let path = self.path_again(&shape, &operands, true);
        let ty = self.b.path_type(&path);
        let start = match start {
            Some(start) => self.get(start),
            None => self.b.u64(0),
        };
        let end = match (end, &self.b.types()[ty]) {
            (Some(end), _) => {
                let mut end = self.get(end);
                if bounds == Bounds::Closed {
                    // An end past the largest number does not exist, nor does such an element.
                    let (last, one) = (self.b.u64(u64::MAX - 1), self.b.u64(1));
                    end = self.b.binary(BinaryOp::Min, end, last);
                    end = self.b.binary(BinaryOp::Add, end, one);
                }
                end
            }
            (None, &Type::Array { length, .. }) => self.b.u64(length),
            (None, _) => self.b.length(path.clone()),
        };
        let mutable = self.is_written(base);
        let part = self.b.subslice_with(
            path,
            [start, end],
            mutable,
            matches!(bounds, Bounds::HalfOpen | Bounds::Closed),
        );
        let part = self.b.let_("", part);
        self.fixed.push(part);
        if mutable {
            self.sliced(&shape, part);
        }
        Some(part)
    }

    /// True if what lies at a place may be changed through it.
    fn is_written(&mut self, place: &Expr) -> bool {
        if let Kind::Reference(_, mutable) = self.tree.types.kind(place.ty) {
            return *mutable;
        }
        match &place.kind {
            ExprKind::Local(local) => match self.storage[*local] {
                // Captured variables are read-only, also if the variable may be written.
                Storage::Reference(held) => {
                    let ty = self.b.path_type(&self.b.local_place(held));
                    matches!(self.b.types()[ty], Type::Reference { mutable: true, .. })
                }
                _ => self.tree.locals[*local].mutable,
            },
            ExprKind::Regroup(..) => false,
            _ => place.base().is_some_and(|base| self.is_written(base)),
        }
    }

    /// The form of an element of a matrix.
    fn cell_shape<'t>(&mut self, base: &Expr, place: &'t Expr, checked: bool) -> Option<Shape<'t>> {
        let matrix = self.matrix(base)?;
        let ExprKind::Array(place) = &place.kind else {
            return None;
        };
        let [row, col] = &place[..] else { return None };
        Some(Shape {
            root: Root::Local(matrix.elements),
            steps: vec![Step::Cell(matrix, [Operand::Expr(row), Operand::Expr(col)], checked)],
        })
    }

    /// A variable for what has no content.
    fn nothing<'t>(&mut self, expr: &Expr) -> Option<Shape<'t>> {
        let ty = self.tree.types.referent(expr.ty);
        let value = self.written_out(ty, &mut std::iter::empty());
        Some(self.holding(value))
    }

    fn temporary<'t>(&mut self, expr: &Expr) -> Option<Shape<'t>> {
        let value = self.value(expr)?;
        Some(self.holding(value))
    }

    /// A variable that holds a value.
    fn holding<'t>(&mut self, value: ExprId) -> Shape<'t> {
        let local = self.b.let_("", value);
        self.fixed.push(local);
        Shape::at(Root::Local(local))
    }

    fn start(&self, root: Root) -> Path {
        match root {
            Root::Local(local) => self.b.local_place(local),
            Root::Shared(shared) => self.b.shared_place(shared),
            Root::Table(table) => self.b.table_place(table),
        }
    }

    /// The place of a form whose indices have these values.
    pub(super) fn path(&mut self, shape: &Shape<'_>, indices: &[ExprId]) -> Path {
        let mut indices = indices.iter().copied();
        self.path_with(shape, &mut |_| indices.next(), true)
    }

    /// As `path`, for one of several uses: `checked` is true if indices are checked here.
    pub(super) fn path_again(&mut self, shape: &Shape<'_>, indices: &[Again], checked: bool) -> Path {
        let mut indices = indices.iter();
        self.path_with(shape, &mut |l| indices.next().map(|&index| l.get(index)), checked)
    }

    fn path_with(
        &mut self,
        shape: &Shape<'_>,
        next: &mut dyn FnMut(&mut Self) -> Option<ExprId>,
        checked: bool,
    ) -> Path {
        let mut path = self.start(shape.root);
        for step in &shape.steps {
            path = match *step {
                Step::Field(field) => self.b.field(path, field),
                Step::Element(number) => {
                    let index = self.b.u64(u64::from(number));
                    self.b.index_with(path, index, false)
                }
                Step::Deref => self.b.deref(path),
                Step::Index(index, wanted) => match self.index(index, next) {
                    Some(index) => self.b.index_with(path, index, checked && wanted),
                    None => path,
                },
                Step::Cell(matrix, [row, col], wanted) => match (self.index(row, next), self.index(col, next)) {
                    (Some(row), Some(col)) => self.cell(matrix, [row, col], checked && wanted),
                    _ => path,
                },
                Step::Each(each) => {
                    let index = self.b.get(each);
                    self.b.index_with(path, index, false)
                }
            };
        }
        path
    }

    fn index(&mut self, operand: Operand<'_>, next: &mut dyn FnMut(&mut Self) -> Option<ExprId>) -> Option<ExprId> {
        match operand {
            Operand::Expr(_) => next(self),
            Operand::Kept(index) => Some(self.get(index)),
        }
    }

    /// The place that `expr` names, its indices evaluated.
    pub(super) fn place(&mut self, expr: &Expr) -> Option<Path> {
        let shape = self.shape(expr)?;
        let indices = self.operands(shape.indices())?;
        if !indices.is_empty() {
            self.at(expr.span);
        }
        Some(self.path(&shape, &indices))
    }
}
