//! What a node mentions: for code that visits expression trees without regard to their meaning.

use super::expr::{ExprId, ExprKind, Place, PlaceId, Projection};
use super::stmt::{Block, StmtKind};

impl ExprKind {
    /// Calls `visit` with each operand, in order of evaluation. The indices of a place are not
    /// among them.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        self.visit_operands(&mut visit);
    }

    /// The same, once for all callers: a user waits for each copy to be compiled.
    fn visit_operands(&self, visit: &mut dyn FnMut(ExprId)) {
        match *self {
            ExprKind::Constant(_)
            | ExprKind::External(_)
            | ExprKind::Builtin(_)
            | ExprKind::Load(_)
            | ExprKind::Length(_)
            | ExprKind::Reference(_) => {}
            ExprKind::Subslice { start, end, .. } => {
                visit(start);
                visit(end);
            }
            ExprKind::DynamicShared { offset, length } => {
                visit(offset);
                length.into_iter().for_each(visit);
            }
            ExprKind::Unary { operand, .. }
            | ExprKind::Cast(operand)
            | ExprKind::Bitcast(operand)
            | ExprKind::Repeat(operand)
            | ExprKind::Field { operand, .. } => visit(operand),
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
                visit(left);
                visit(right);
            }
            ExprKind::MulAdd { a, b, c }
            | ExprKind::Select {
                condition: a,
                then: b,
                otherwise: c,
            } => {
                visit(a);
                visit(b);
                visit(c);
            }
            ExprKind::Construct(ref parts) => parts.iter().copied().for_each(visit),
        }
    }

    /// The place that the expression mentions.
    pub fn place(&self) -> Option<PlaceId> {
        match *self {
            ExprKind::Load(place)
            | ExprKind::Length(place)
            | ExprKind::Reference(place)
            | ExprKind::Subslice { place, .. } => Some(place),
            _ => None,
        }
    }
}

impl Place {
    /// The indices along the path, in order.
    pub fn indices(&self) -> impl Iterator<Item = ExprId> {
        self.path.iter().filter_map(|step| match *step {
            Projection::Index { index, .. } => Some(index),
            Projection::Field(_) | Projection::Deref => None,
        })
    }
}

impl StmtKind {
    /// Calls `visit` with the root of each expression tree, in order of evaluation. Trees inside
    /// the statement's blocks, and the indices of its place, are not among them.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        self.visit_operands(&mut visit);
    }

    /// The same, once for all callers.
    fn visit_operands(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            StmtKind::Store { value, .. } => visit(*value),
            StmtKind::Call { arguments, .. } => arguments.iter().copied().for_each(visit),
            StmtKind::Atomic { operands, .. } | StmtKind::Warp { operands, .. } | StmtKind::Ptx { operands, .. } => {
                operands.iter().copied().for_each(visit);
            }
            StmtKind::AsyncCopy { ends, .. } => ends.iter().copied().for_each(visit),
            StmtKind::If { condition, .. }
            | StmtKind::BarrierCount {
                predicate: condition, ..
            } => visit(*condition),
            StmtKind::Assert { condition, values, .. } => {
                visit(*condition);
                values.iter().copied().for_each(visit);
            }
            StmtKind::Print { values, .. } => values.iter().copied().for_each(visit),
            StmtKind::Return(value) => value.iter().copied().for_each(visit),
            StmtKind::Fence { .. }
            | StmtKind::CopyGroup(_)
            | StmtKind::Barrier
            | StmtKind::NamedBarrier { .. }
            | StmtKind::GridBarrier
            | StmtKind::ClusterBarrier
            | StmtKind::Clock { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_) => {}
        }
    }

    /// The place that the statement accesses.
    pub fn place(&self) -> Option<PlaceId> {
        match *self {
            StmtKind::Store { place, .. } | StmtKind::Atomic { place, .. } => Some(place),
            _ => None,
        }
    }

    /// The blocks inside the statement, in order.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        let blocks = match self {
            StmtKind::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
            StmtKind::Loop { body, step } => [Some(body), Some(step)],
            _ => [None, None],
        };
        blocks.into_iter().flatten()
    }
}

/// Whether a statement of a block, or of a block in it, is of a kind.
pub(crate) fn has(block: &Block, is_it: &impl Fn(&StmtKind) -> bool) -> bool {
    let mut open = vec![block];
    while let Some(block) = open.pop() {
        for stmt in block {
            if is_it(&stmt.kind) {
                return true;
            }
            open.extend(stmt.kind.blocks());
        }
    }
    false
}
