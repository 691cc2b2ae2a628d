//! Expressions form trees of bounded depth: each expression and place is mentioned once.

use super::MAX_DEPTH;
use super::body::BodyCheck;
use super::error::{Entity, InvalidKind};
use crate::ir::{Block, ExprId, PlaceId, Span};

/// What is known of the trees of a body.
pub(super) struct Trees {
    /// Nothing is nested too deep.
    pub(super) bounded: bool,
    /// Nothing is mentioned twice, so that a walk over all trees sees each node once.
    pub(super) disjoint: bool,
}

/// Walks over the trees of all statements, and the predicate's.
pub(super) fn check(body: &mut BodyCheck<'_, '_>, predicate: Option<ExprId>) -> Trees {
    let mut walk = Walk {
        exprs: vec![false; body.body.exprs.len()],
        places: vec![false; body.body.places.len()],
        body,
        depth: 0,
        trees: Trees {
            bounded: true,
            disjoint: true,
        },
    };
    if let Some(predicate) = predicate {
        walk.expr(predicate);
    }
    let block = &walk.body.body.block;
    walk.block(block, walk.body.span);
    walk.trees
}

struct Walk<'w, 'p, 'e> {
    body: &'w mut BodyCheck<'p, 'e>,
    /// Which nodes were met.
    exprs: Vec<bool>,
    places: Vec<bool>,
    depth: u32,
    trees: Trees,
}

impl<'p> Walk<'_, 'p, '_> {
    /// Goes one level deeper, unless that is too deep. The first such place is reported.
    fn deeper(&mut self, span: Span) -> bool {
        if self.depth == MAX_DEPTH {
            if self.trees.bounded {
                self.body.error(span, InvalidKind::TooDeep);
            }
            self.trees.bounded = false;
            return false;
        }
        self.depth += 1;
        true
    }

    fn reused(&mut self, span: Span, entity: Entity) {
        self.trees.disjoint = false;
        self.body.error(span, InvalidKind::Reused(entity));
    }

    fn block(&mut self, block: &'p Block, span: Span) {
        if !self.deeper(span) {
            return;
        }
        for stmt in block {
            stmt.kind.for_each_operand(|operand| self.expr(operand));
            if let Some(place) = stmt.kind.place() {
                self.place(place);
            }
            for inner in stmt.kind.blocks() {
                self.block(inner, stmt.span);
            }
        }
        self.depth -= 1;
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body.body;
        let expr = &body.exprs[id];
        if std::mem::replace(&mut self.exprs[id.index()], true) {
            return self.reused(expr.span, Entity::Expr(id));
        }
        if !self.deeper(expr.span) {
            return;
        }
        expr.kind.for_each_operand(|operand| self.expr(operand));
        if let Some(place) = expr.kind.place() {
            self.place(place);
        }
        self.depth -= 1;
    }

    fn place(&mut self, id: PlaceId) {
        let body = self.body.body;
        let place = &body.places[id];
        if std::mem::replace(&mut self.places[id.index()], true) {
            return self.reused(place.span, Entity::Place(id));
        }
        for index in place.indices() {
            self.expr(index);
        }
    }
}
