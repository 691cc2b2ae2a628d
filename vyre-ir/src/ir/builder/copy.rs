//! Copies of statements. Expressions form trees, so a copy has nodes of its own.

use super::BodyBuilder;
use crate::ir::{Block, ExprId, MentionMut, PlaceId, Projection};

impl BodyBuilder<'_> {
    /// A copy of a block of this body. Locals stay the same.
    pub(crate) fn copy(&mut self, block: &Block) -> Block {
        let mut block = block.clone();
        for stmt in &mut block {
            stmt.kind.mentions_mut(&mut |mention| self.copy_mention(mention));
            for inner in stmt.kind.blocks_mut() {
                *inner = self.copy(inner);
            }
        }
        block
    }

    fn copy_mention(&mut self, mention: MentionMut<'_>) {
        match mention {
            MentionMut::Expr(expr) => *expr = self.copy_expr(*expr),
            MentionMut::Place(place, _) => *place = self.copy_place(*place),
            MentionMut::Result(_) => {}
        }
    }

    fn copy_expr(&mut self, expr: ExprId) -> ExprId {
        let mut copy = self.body.exprs[expr].clone();
        copy.kind.mentions_mut(&mut |mention| self.copy_mention(mention));
        self.body.exprs.push(copy)
    }

    fn copy_place(&mut self, place: PlaceId) -> PlaceId {
        let mut copy = self.body.places[place].clone();
        for step in &mut copy.path {
            if let Projection::Index { index, .. } = step {
                *index = self.copy_expr(*index);
            }
        }
        self.body.places.push(copy)
    }
}
