//! The accesses of a body: operations on memory visible to other threads, and bounds checks. Each
//! has an index, which is kept through inlining down to the operations that implement it, so that a
//! fact about those can be traced to the source.

use crate::ir::{Arena, ExprId, Handle, Place, PlaceId, Projection, Span};

/// The index of an access in its body.
pub type AccessId = Handle<AccessInfo>;

/// An access of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessInfo {
    /// The kind.
    pub kind: AccessKind,
    /// The source location.
    pub span: Span,
}

/// The kind of an access. The node identifies it, since each is used in one place of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Indexes an array or slice.
    Index {
        /// The place.
        place: PlaceId,
        /// The index of the projection in its path.
        step: u32,
    },
    /// Loads from memory at a place.
    Load(PlaceId),
    /// Stores to memory at a place.
    Store(PlaceId),
    /// Accesses a cell atomically.
    Atomic(PlaceId),
    /// Takes a range of a slice, a slice of dynamic shared memory, the memory of another block, or
    /// checks an index against a length.
    Range(ExprId),
    /// Accesses memory through references or slices that are operands of a statement, the first of
    /// which is this: an asynchronous copy, or a matrix load.
    Through(ExprId),
}

/// The accesses of a body in order of evaluation, indexed by their nodes.
#[derive(Debug, Default)]
pub struct Accesses {
    list: Arena<AccessInfo>,
    /// The first access of each place: one per index of its path, then that of its value.
    places: Vec<Option<AccessId>>,
    /// For each expression its [`AccessKind::Range`].
    exprs: Vec<Option<AccessId>>,
    /// The [`AccessKind::Through`] accesses, which are few.
    through: Vec<(ExprId, AccessId)>,
}

impl Accesses {
    /// An empty table for a body with this many places and expressions.
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

    /// An access by its index.
    pub fn get(&self, access: AccessId) -> AccessInfo {
        self.list[access]
    }

    /// The first access of a place: those of its indices follow each other in the order of its
    /// path, then comes [that of its value](Accesses::of_value).
    pub fn of_place(&self, place: PlaceId) -> Option<AccessId> {
        self.places.get(place.index()).copied().flatten()
    }

    /// The load, store or atomic access of a place's value, if it may be in memory.
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

    /// Adds the accesses of a place; `value` is the access to its value.
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
