//! The order that bodies have when they come out of the parser.

use crate::ir::{Arena, Block, Body, Expr, ExprId, ExprKind, Place, PlaceId, Program, Projection, StmtKind};
use crate::validate::Validated;

/// The same program with the expressions and places of each body in the order in which the text
/// form names them, operands before operators, and without those that no statement mentions.
/// This is what [`parse`](super::parse) makes of the printed program.
pub fn canonical(program: Validated<'_>) -> Program {
    let mut program = program.program().clone();
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

/// Moves nodes to the ends of new arenas, and lets what mentions them follow.
struct Order<'b> {
    exprs: Arena<Expr>,
    places: Arena<Place>,
    to: &'b mut Body,
}

impl Order<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            self.stmt(&mut stmt.kind);
        }
    }

    fn stmt(&mut self, stmt: &mut StmtKind) {
        match stmt {
            StmtKind::Store { place, value } => {
                self.place(place);
                self.expr(value);
            }
            StmtKind::Call { arguments, .. } => self.exprs(arguments),
            StmtKind::Warp { operands, .. } | StmtKind::Ptx { operands, .. } => self.exprs(operands),
            StmtKind::Atomic { place, operands, .. } => {
                self.place(place);
                self.exprs(operands);
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::Loop { body, step } => {
                self.block(body);
                self.block(step);
            }
            StmtKind::Return(Some(value)) | StmtKind::BarrierCount { predicate: value, .. } => self.expr(value),
            StmtKind::Assert { condition, values, .. } => {
                self.expr(condition);
                self.exprs(values);
            }
            StmtKind::Print { values, .. } => self.exprs(values),
            StmtKind::AsyncCopy { ends, .. } => self.exprs(ends),
            StmtKind::Fence { .. }
            | StmtKind::CopyGroup(_)
            | StmtKind::Barrier
            | StmtKind::NamedBarrier { .. }
            | StmtKind::GridBarrier
            | StmtKind::ClusterBarrier
            | StmtKind::Clock { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(None) => {}
        }
    }

    fn exprs(&mut self, exprs: &mut [ExprId]) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, id: &mut ExprId) {
        let mut expr = self.exprs[*id].clone();
        match &mut expr.kind {
            ExprKind::Constant(_) | ExprKind::External(_) | ExprKind::Builtin(_) => {}
            ExprKind::Load(place) | ExprKind::Length(place) | ExprKind::Reference(place) => self.place(place),
            ExprKind::Subslice { place, start, end, .. } => {
                let moved = self.steps(*place);
                self.expr(start);
                self.expr(end);
                *place = self.to.places.push(moved);
            }
            ExprKind::Unary { operand, .. }
            | ExprKind::Cast(operand)
            | ExprKind::Bitcast(operand)
            | ExprKind::Repeat(operand)
            | ExprKind::Field { operand, .. } => self.expr(operand),
            ExprKind::Binary { left, right, .. }
            | ExprKind::And { left, right }
            | ExprKind::Or { left, right }
            | ExprKind::MapShared {
                reference: left,
                rank: right,
            }
            | ExprKind::Within {
                index: left,
                length: right,
                ..
            } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::MulAdd { a, b, c }
            | ExprKind::Select {
                condition: a,
                then: b,
                otherwise: c,
            } => {
                self.expr(a);
                self.expr(b);
                self.expr(c);
            }
            ExprKind::Construct(parts) => self.exprs(parts),
            ExprKind::DynamicShared { offset, length } => {
                self.expr(offset);
                length.iter_mut().for_each(|length| self.expr(length));
            }
        }
        *id = self.to.exprs.push(expr);
    }

    fn place(&mut self, id: &mut PlaceId) {
        let moved = self.steps(*id);
        *id = self.to.places.push(moved);
    }

    /// A place whose indices have moved.
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
