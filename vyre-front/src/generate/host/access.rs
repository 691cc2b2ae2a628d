//! Analysis of slice accesses in CPU bodies.
//!
//! **Own elements.** A local that is written once, with the thread's linear index in the launch, is
//! the thread's own index; so is a copy of it. If a mutable slice is used only as `slice[own
//! index]` and `slice.len()`, no thread accesses another's element, and accesses are plain. So are
//! those to a matrix that a kernel of two axes uses only as `matrix[[own row, own column]]`: a column
//! is less than the columns, which launches keep at most at the pitch. So are those to slices that the
//! kernel takes as `&[T]`, which are not written. Others may race and are relaxed atomic.
//!
//! **Bounds.** In one dimension the own indices of a block are consecutive. Uniform bounds that the
//! body compares its own index with (the length of a slice that it indexes, `i < n`) are compared
//! once for the whole block; if the whole block is within them, the body runs without those
//! comparisons, and since nothing in it can exit early any more, LLVM can vectorise it.

use vyre_ir::ir::{
    Axis, BinaryOp, Body, Builtin, Expr, ExprId, ExprKind, Extent, Handle, Kernel, Local, Mention, PlaceId, Projection,
    StmtKind, Type, Types, Use, each_stmt,
};
use vyre_ir::validate::BodyInfo;

use super::indices::Indices;
use super::locals::Declarations;
use super::table::Table;

/// A bound that own indices are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The length of a parameter.
    Length(Handle<Local>),
    /// An expression over parameters and constants.
    Value(ExprId),
}

/// A comparison of an own index with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// True if the comparison is "less than"; false for its inverse.
    pub(super) inside: bool,
    /// True if the index is the left operand.
    pub(super) is_left: bool,
}

/// The result of the analysis of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    plain: Table<Local, bool>,
    /// Bounds of the block; empty if there is nothing to gain.
    pub(super) bounds: Vec<Bound>,
    comparisons: Table<Expr, Option<Comparison>>,
    indices: Table<Expr, bool>,
}

impl Accesses {
    /// True if elements of the slice in this local are accessed plainly.
    pub(super) fn is_plain(&self, local: Handle<Local>) -> bool {
        self.plain.get(local)
    }

    /// The comparison of an own index with a bound that an expression is.
    pub(super) fn comparison(&self, expr: ExprId) -> Option<Comparison> {
        self.comparisons.get(expr)
    }

    /// Forgets the bounds: every comparison is made by each thread.
    pub(super) fn forget_bounds(&mut self) {
        *self = Accesses {
            plain: std::mem::take(&mut self.plain),
            ..Accesses::default()
        };
    }

    /// True if an index is below the length whenever the block is within the bounds.
    pub(super) fn is_inside(&self, index: ExprId) -> bool {
        self.indices.get(index)
    }
}

struct Finder<'a> {
    types: &'a Types,
    body: &'a Body,
    kernel: &'a Kernel,
    info: &'a BodyInfo<'a>,
    own: Table<Local, bool>,
    indices: Indices,
}

/// Finds them for a body of a kernel.
pub(super) fn accesses(
    types: &Types,
    kernel: &Kernel,
    body: &Body,
    info: &BodyInfo<'_>,
    declarations: &Declarations<'_>,
) -> Accesses {
    let mut finder = Finder {
        types,
        body,
        kernel,
        info,
        own: Table::new(),
        indices: Indices::of(body, info),
    };
    finder.find_own(declarations);
    let mut found = Accesses {
        plain: finder.plain(),
        ..Accesses::default()
    };
    if kernel.dimensions == 1 {
        finder.bounds(&mut found);
    }
    found
}

impl Finder<'_> {
    fn is_own(&self, expr: ExprId) -> bool {
        match self.body.exprs[expr].kind {
            ExprKind::Builtin(Builtin::LinearIndex) => true,
            ExprKind::Builtin(Builtin::GlobalIndex(Axis::X)) => self.kernel.dimensions == 1,
            ExprKind::Load(place) => self.body.places[place]
                .whole_local()
                .is_some_and(|local| self.own.get(local)),
            _ => false,
        }
    }

    fn find_own(&mut self, declarations: &Declarations<'_>) {
        let body = self.body;
        // A copy follows its source, so one pass in order finds all.
        each_stmt(&body.block, &mut |stmt| {
            if let StmtKind::Store { place, value } = stmt.kind
                && let Some(local) = body.places[place].whole_local()
                // Not read before, when it would hold zero.
                && declarations.declares(stmt, local)
                && self.info.local(local).assigned_at_most(1)
                && self.is_own(value)
            {
                *self.own.at(local) = true;
            }
        });
    }

    /// The slices whose elements are accessed plainly.
    fn plain(&self) -> Table<Local, bool> {
        let mut plain = Table::new();
        for local in self.body.locals.handles().take(self.kernel.parameters.len()) {
            let is_slice = match self.types[self.body.locals[local].ty] {
                Type::Slice { element, .. } => !self.types.has_atomics(element),
                _ => false,
            };
            *plain.at(local) = is_slice && self.info.local(local).assigned_at_most(0);
        }
        self.body.each_mention(&mut |mention| {
            let Mention::Place(id, used) = mention else { return };
            let place = &self.body.places[id];
            let Some(local) = place.local() else { return };
            let Type::Slice { mutable: true, .. } = self.types[self.body.locals[local].ty] else {
                return;
            };
            let own = match place.path.first() {
                None => used == Use::Length,
                Some(Projection::Index { index, .. }) => self.is_own(*index) || self.is_own_cell(local, *index),
                Some(_) => false,
            };
            if !own {
                *plain.at(local) = false;
            }
        });
        plain
    }

    /// True if an index is that of the thread's own row and column in the matrix whose elements are in a parameter. The next
    /// three parameters are its rows, its columns and its pitch.
    fn is_own_cell(&self, elements: Handle<Local>, index: ExprId) -> bool {
        let kind = |id: ExprId| &self.body.exprs[id].kind;
        let is_extent = |id: ExprId, after: usize| match *kind(id) {
            ExprKind::Cast(operand) => match *kind(operand) {
                ExprKind::Load(place) => self.body.places[place]
                    .whole_local()
                    .is_some_and(|local| local.index() == elements.index() + after && self.is_steady(local)),
                _ => false,
            },
            _ => false,
        };
        let is_within = |id: ExprId, axis: Axis, of: Extent, after: usize| match *kind(id) {
            ExprKind::Within { index, length, extent } => {
                let own = self.indices.resolved(self.body, index).map(kind);
                let is_own = matches!(own, Some(&ExprKind::Builtin(Builtin::GlobalIndex(known))) if known == axis);
                extent == of && is_own && is_extent(length, after)
            }
            _ => false,
        };
        let &ExprKind::Binary {
            op: BinaryOp::Add,
            left,
            right,
        } = kind(index)
        else {
            return false;
        };
        let &ExprKind::Binary {
            op: BinaryOp::Mul,
            left: row,
            right: pitch,
        } = kind(left)
        else {
            return false;
        };
        self.kernel.dimensions == 2
            && is_within(row, Axis::Y, Extent::Rows, 1)
            && is_within(right, Axis::X, Extent::Columns, 2)
            && is_extent(pitch, 3)
    }

    fn bounds(&self, found: &mut Accesses) {
        let mut bounds = Vec::new();
        let mut add = |bound: Bound| {
            if !bounds.iter().any(|&known| self.same(known, bound)) {
                bounds.push(bound);
            }
        };
        let (mut comparisons, mut indices) = (Table::new(), Table::new());
        self.body.each_mention(&mut |mention| match mention {
            Mention::Place(id, _) => {
                let place = &self.body.places[id];
                if let Some(&Projection::Index { index, checked: true }) = place.path.first()
                    && let Some(local) = place.local()
                    && self.is_steady(local)
                    && matches!(self.types[self.body.locals[local].ty], Type::Slice { .. })
                    && self.is_own(index)
                {
                    add(Bound::Length(local));
                    *indices.at(index) = true;
                }
            }
            Mention::Expr(id) => {
                if let Some((bound, comparison)) = self.comparison(&self.body.exprs[id]) {
                    add(bound);
                    *comparisons.at(id) = Some(comparison);
                }
            }
            Mention::Result(_) => {}
        });
        *found = Accesses {
            plain: std::mem::take(&mut found.plain),
            bounds,
            comparisons,
            indices,
        };
    }

    /// True if a local is an unmodified parameter.
    fn is_steady(&self, local: Handle<Local>) -> bool {
        local.index() < self.kernel.parameters.len() && self.info.local(local).assigned_at_most(0)
    }

    /// The bound that an expression compares an own index with.
    fn comparison(&self, expr: &Expr) -> Option<(Bound, Comparison)> {
        let ExprKind::Binary { op, left, right } = expr.kind else {
            return None;
        };
        let (inside, is_left) = match op {
            BinaryOp::Lt => (true, true),
            BinaryOp::Ge => (false, true),
            BinaryOp::Gt => (true, false),
            BinaryOp::Le => (false, false),
            _ => return None,
        };
        let (own, bound) = if is_left { (left, right) } else { (right, left) };
        if !self.is_own(own) || !self.is_uniform(bound) {
            return None;
        }
        let comparison = Comparison { inside, is_left };
        match self.body.exprs[bound].kind {
            ExprKind::Length(place) => Some((Bound::Length(self.body.places[place].local()?), comparison)),
            _ => Some((Bound::Value(bound), comparison)),
        }
    }

    /// True if an expression is uniform over all threads, computed from parameters without faults.
    fn is_uniform(&self, expr: ExprId) -> bool {
        let of_parameter = |place: PlaceId| {
            self.body.places[place]
                .whole_local()
                .is_some_and(|local| self.is_steady(local))
        };
        match self.body.exprs[expr].kind {
            ExprKind::Constant(_) | ExprKind::External(_) => true,
            ExprKind::Load(place) => of_parameter(place) && self.types.as_scalar(self.body.exprs[expr].ty).is_some(),
            ExprKind::Length(place) => of_parameter(place),
            ExprKind::Cast(operand) | ExprKind::Unary { operand, .. } => self.is_uniform(operand),
            ExprKind::Binary { op, left, right } => {
                let scalar = self.types.as_scalar(self.body.exprs[left].ty);
                scalar.is_some_and(|scalar| !op.may_fault(scalar)) && self.is_uniform(left) && self.is_uniform(right)
            }
            _ => false,
        }
    }

    fn same(&self, a: Bound, b: Bound) -> bool {
        match (a, b) {
            (Bound::Value(a), Bound::Value(b)) => {
                let (a, b) = (&self.body.exprs[a].kind, &self.body.exprs[b].kind);
                match (a, b) {
                    (&ExprKind::Load(a), &ExprKind::Load(b)) => {
                        self.body.places[a].whole_local() == self.body.places[b].whole_local()
                    }
                    _ => a == b,
                }
            }
            _ => a == b,
        }
    }
}

#[cfg(test)]
mod tests;
