//! The canonical order of the nodes of bodies: that of the parser's output.

use super::Validated;
use crate::ir::{
    Arena, Block, Body, Expr, ExprId, ExprKind, MentionMut, Place, PlaceId, Program, Projection, StmtKind,
};

impl Validated<'_> {
    /// The same program with the expressions and places of each body in the order in which the text
    /// form names them, operands before operators, and without unused ones. This is the result of
    /// [`parse`](crate::text::parse) on the printed program.
    pub fn canonical(&self) -> Program {
        let mut program = self.program().clone();
        for function in program.functions.handles() {
            reorder(&mut program.functions[function].body, &mut None);
        }
        for kernel in program.kernels.handles() {
            for entry in &mut program.kernels[kernel].entries {
                reorder(&mut entry.body, &mut entry.predicate);
            }
        }
        program
    }
}

fn reorder(body: &mut Body, predicate: &mut Option<ExprId>) {
    let mut order = Order {
        exprs: std::mem::take(&mut body.exprs),
        places: std::mem::take(&mut body.places),
        to: body,
    };
    if let Some(predicate) = predicate {
        order.expr(predicate);
    }
    let mut block = std::mem::take(&mut order.to.block);
    order.block(&mut block);
    order.to.block = block;
}

/// Moves nodes to the ends of new arenas, and updates references to them.
struct Order<'b> {
    exprs: Arena<Expr>,
    places: Arena<Place>,
    to: &'b mut Body,
}

impl Order<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            match &mut stmt.kind {
                // The text names the place first.
                StmtKind::Store { place, value } => {
                    self.place(place);
                    self.expr(value);
                }
                kind => kind.mentions_mut(&mut |mention| self.mention(mention)),
            }
            for inner in stmt.kind.blocks_mut() {
                self.block(inner);
            }
        }
    }

    fn mention(&mut self, mention: MentionMut<'_>) {
        match mention {
            MentionMut::Expr(expr) => self.expr(expr),
            MentionMut::Place(place, _) => self.place(place),
            MentionMut::Result(_) => {}
        }
    }

    fn expr(&mut self, id: &mut ExprId) {
        let mut expr = self.exprs[*id].clone();
        match &mut expr.kind {
            // The text has the range inside the place.
            ExprKind::Subslice { place, start, end, .. } => {
                let moved = self.steps(*place);
                self.expr(start);
                self.expr(end);
                *place = self.to.places.push(moved);
            }
            kind => kind.mentions_mut(&mut |mention| self.mention(mention)),
        }
        *id = self.to.exprs.push(expr);
    }

    fn place(&mut self, id: &mut PlaceId) {
        let moved = self.steps(*id);
        *id = self.to.places.push(moved);
    }

    /// A place whose indices were moved.
    fn steps(&mut self, id: PlaceId) -> Place {
        let mut place = self.places[id].clone();
        for step in &mut place.path {
            if let Projection::Index { index, .. } = step {
                self.expr(index);
            }
        }
        place
    }
}
