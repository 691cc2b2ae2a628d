//! The accesses of a body: what touches memory that other threads may see, and what is compared with a
//! length. Each has a number, which goes with it through inlining down to the operations that carry it out,
//! so that a fact about those can be led back to the source.

use crate::ir::{Arena, ExprId, Handle, Place, PlaceId, Projection, Span};

/// The number of an access in its body.
pub type AccessId = Handle<AccessInfo>;

/// An access of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessInfo {
    /// What is done.
    pub kind: AccessKind,
    /// Where it stands in the source.
    pub span: Span,
}

/// What an access does. The node tells it from all others, since each stands in one place of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Indexes an array or slice.
    Index {
        /// The place.
        place: PlaceId,
        /// Which step of its path.
        step: u32,
    },
    /// Loads from memory at a place.
    Load(PlaceId),
    /// Stores to memory at a place.
    Store(PlaceId),
    /// Accesses a cell atomically.
    Atomic(PlaceId),
    /// Takes a range of a slice, a slice of dynamic shared memory, the memory of another block, or compares an
    /// index with a length.
    Range(ExprId),
    /// Accesses memory through references or slices that are operands of a statement, of which this is the
    /// first: an asynchronous copy, or a load of matrices.
    Through(ExprId),
}

/// The accesses of a body in order of evaluation, found by their nodes.
#[derive(Debug, Default)]
pub struct Accesses {
    list: Arena<AccessInfo>,
    /// For each place the first of its accesses: one for each index of its path, then that of the value there.
    places: Vec<Option<AccessId>>,
    /// For each expression its [`AccessKind::Range`].
    exprs: Vec<Option<AccessId>>,
    /// The [`AccessKind::Through`], which are few.
    through: Vec<(ExprId, AccessId)>,
}

impl Accesses {
    /// No access yet, of a body of so many places and expressions.
    pub(super) fn new(places: usize, exprs: usize) -> Accesses {
        Accesses {
            places: vec![None; places],
            exprs: vec![None; exprs],
            ..Accesses::default()
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (AccessId, &AccessInfo)> {
        self.list.iter()
    }

    /// An access by its number.
    pub fn get(&self, access: AccessId) -> AccessInfo {
        self.list[access]
    }

    /// The first access of a place: those of its indices follow each other in order of its path, then comes
    /// [that of the value there](Accesses::of_value).
    pub fn of_place(&self, place: PlaceId) -> Option<AccessId> {
        self.places.get(place.index()).copied().flatten()
    }

    /// The load, store or atomic access of the value at a place, if it may lie in memory.
    pub fn of_value(&self, id: PlaceId, place: &Place) -> Option<AccessId> {
        let access = Handle::new(self.of_place(id)?.index() + place.indices().count());
        match self.list.get(access)?.kind {
            AccessKind::Load(of) | AccessKind::Store(of) | AccessKind::Atomic(of) if of == id => Some(access),
            _ => None,
        }
    }

    /// The [`AccessKind::Range`] of an expression.
    pub fn of_expr(&self, expr: ExprId) -> Option<AccessId> {
        self.exprs.get(expr.index()).copied().flatten()
    }

    /// The [`AccessKind::Through`] whose first operand is this one.
    pub fn through(&self, operand: ExprId) -> Option<AccessId> {
        let found = self.through.iter().find(|(known, _)| *known == operand);
        found.map(|&(_, access)| access)
    }

    /// Adds the accesses of a place; `value` is what is done to the value there.
    pub(super) fn add_place(&mut self, id: PlaceId, place: &Place, value: Option<AccessKind>) {
        let indices = (0..)
            .zip(&place.path)
            .filter_map(|(step, projection)| match projection {
                Projection::Index { .. } => Some(AccessKind::Index { place: id, step }),
                Projection::Field(_) | Projection::Deref => None,
            });
        let span = place.span;
        for kind in indices.chain(value) {
            let access = self.list.push(AccessInfo { kind, span });
            self.places[id.index()].get_or_insert(access);
        }
    }

    pub(super) fn add_range(&mut self, expr: ExprId, span: Span) {
        let kind = AccessKind::Range(expr);
        self.exprs[expr.index()] = Some(self.list.push(AccessInfo { kind, span }));
    }

    pub(super) fn add_through(&mut self, operand: ExprId, span: Span) {
        let kind = AccessKind::Through(operand);
        let access = self.list.push(AccessInfo { kind, span });
        self.through.push((operand, access));
    }
}
