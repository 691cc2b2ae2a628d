//! Places: where values lie.

use vyre_core::ir::builder::Path;
use vyre_core::ir::{ConstantTable, Handle, Local, SharedVariable, Type};

use super::super::methods::Does;
use super::super::tree::{Argument, Expr, ExprKind};
use super::super::types::Kind;
use super::operands::Again;
use super::{ExprId, Lowering, Storage};

/// The form of a place: its indices are not lowered yet, because what else is evaluated before
/// them differs from use to use.
pub(super) struct Shape<'t> {
    pub(super) root: Root,
    steps: Vec<Step<'t>>,
}

#[derive(Clone, Copy)]
pub(super) enum Root {
    Local(Handle<Local>),
    Shared(Handle<SharedVariable>),
    Table(Handle<ConstantTable>),
}

#[derive(Clone, Copy)]
enum Step<'t> {
    Field(u32),
    /// An index and whether it is compared with the length.
    Index(&'t Expr, bool),
    /// An index that was evaluated before, and whether it is compared with the length.
    Kept(Again, bool),
    /// From a reference to what it refers to.
    Deref,
    /// This thread's own element.
    Each(Handle<Local>),
}

/// A place that a variable refers to.
#[derive(Clone)]
pub(super) struct Alias {
    root: Root,
    steps: Vec<Step<'static>>,
}

impl<'t> Shape<'t> {
    /// The indices in the order of evaluation.
    pub(super) fn indices(&self) -> impl Iterator<Item = &'t Expr> {
        self.steps.iter().filter_map(|step| match step {
            Step::Index(index, _) => Some(*index),
            _ => None,
        })
    }
}

impl Lowering<'_, '_> {
    /// The form of the place that `expr` names. A value that lies nowhere is put into a variable.
    pub(super) fn shape<'t>(&mut self, expr: &'t Expr) -> Option<Shape<'t>> {
        let root = |root| {
            Some(Shape {
                root,
                steps: Vec::new(),
            })
        };
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
                Storage::Alias(number) => {
                    let Alias { root, steps } = self.aliases[number].clone();
                    Some(Shape { root, steps })
                }
                _ => self.temporary(expr),
            },
            ExprKind::Shared(shared) => root(Root::Shared(self.shared[*shared])),
            ExprKind::Constant(constant) => match self.tables[*constant] {
                Some(table) => root(Root::Table(table)),
                None => self.temporary(expr),
            },
            ExprKind::Deref(inner) | ExprKind::Borrow(inner, _) => self.shape(inner),
            ExprKind::Block(block, None) if block.statements.is_empty() => match &block.tail {
                Some(tail) if matches!(self.tree.types.kind(tail.ty), Kind::Reference(..)) => self.shape(tail),
                _ => self.temporary(expr),
            },
            ExprKind::Index { base, index, checked } => {
                let mut shape = self.shape(base)?;
                shape.steps.push(Step::Index(index, *checked));
                Some(shape)
            }
            ExprKind::Field(base, field) => {
                let mut shape = self.shape(base)?;
                shape.steps.push(Step::Field(*field));
                Some(shape)
            }
            ExprKind::Method(call) if call.method.is_some_and(|m| m.does == Does::Unchecked) => {
                let mut shape = self.shape(&call.receiver)?;
                if let Some(Argument::Value(index)) = call.arguments.first() {
                    shape.steps.push(Step::Index(index, false));
                }
                Some(shape)
            }
            _ => self.temporary(expr),
        }
    }

    /// `let r = &mut place;`: `r` is another name of the place, whose indices are evaluated now.
    pub(super) fn refer(&mut self, local: usize, place: &Expr) -> Option<()> {
        let shape = self.shape(place)?;
        let indices = self.operands(shape.indices())?;
        let indices: Vec<Again> = indices.into_iter().map(|index| self.again(index)).collect();
        // An index that is out of bounds faults here, unless nothing but atomic accesses may look.
        let is_atomic = |kind: &Kind| matches!(kind, Kind::Atomic(_) | Kind::Slice(_));
        let looks = !self.tree.types.contains(place.ty, &is_atomic);
        if looks && shape.steps.iter().any(|step| matches!(step, Step::Index(_, true))) {
            self.at(place.span);
            let path = self.path_again(&shape, &indices, true);
            let path = self.first_scalar(path);
            let value = self.b.load(path);
            self.b.let_("", value);
        }
        let mut indices = indices.into_iter();
        let mut steps = Vec::with_capacity(shape.steps.len());
        for step in shape.steps {
            steps.push(match step {
                Step::Field(field) => Step::Field(field),
                Step::Kept(index, checked) => Step::Kept(index, checked),
                Step::Deref => Step::Deref,
                Step::Each(each) => Step::Each(each),
                Step::Index(_, checked) => Step::Kept(indices.next()?, checked && !looks),
            });
        }
        self.storage[local] = Storage::Alias(self.aliases.len());
        self.aliases.push(Alias {
            root: shape.root,
            steps,
        });
        Some(())
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

    fn temporary<'t>(&mut self, expr: &Expr) -> Option<Shape<'t>> {
        let value = self.value(expr)?;
        let local = self.b.let_("", value);
        self.fixed.push(local);
        Some(Shape {
            root: Root::Local(local),
            steps: Vec::new(),
        })
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
        let mut indices = indices.iter();
        let mut path = self.start(shape.root);
        for step in &shape.steps {
            path = match *step {
                Step::Field(field) => self.b.field(path, field),
                Step::Kept(index, checked) => self.kept(path, index, checked),
                Step::Deref => self.b.deref(path),
                Step::Index(_, checked) => match indices.next() {
                    Some(&index) => self.b.index_with(path, index, checked),
                    None => path,
                },
                Step::Each(each) => {
                    let index = self.b.get(each);
                    self.b.index_with(path, index, false)
                }
            };
        }
        path
    }

    /// As `path`, for one of several mentions: `checked` says whether indices are compared here.
    pub(super) fn path_again(&mut self, shape: &Shape<'_>, indices: &[Again], checked: bool) -> Path {
        let mut indices = indices.iter();
        let mut path = self.start(shape.root);
        for step in &shape.steps {
            path = match *step {
                Step::Field(field) => self.b.field(path, field),
                Step::Kept(index, checked) => self.kept(path, index, checked),
                Step::Deref => self.b.deref(path),
                Step::Index(_, wanted) => match indices.next() {
                    Some(&index) => {
                        let index = self.get(index);
                        self.b.index_with(path, index, checked && wanted)
                    }
                    None => path,
                },
                Step::Each(each) => {
                    let index = self.b.get(each);
                    self.b.index_with(path, index, false)
                }
            };
        }
        path
    }

    fn kept(&mut self, path: Path, index: Again, checked: bool) -> Path {
        let index = self.get(index);
        self.b.index_with(path, index, checked)
    }

    /// The place that `expr` names, its indices evaluated.
    pub(super) fn place(&mut self, expr: &Expr) -> Option<Path> {
        let shape = self.shape(expr)?;
        let indices = self.operands(shape.indices())?;
        self.at(expr.span);
        Some(self.path(&shape, &indices))
    }
}
