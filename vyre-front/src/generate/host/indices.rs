//! Locals that hold an index of the thread, or another value of its position.
//!
//! They are evaluated again where they are mentioned, so that no block keeps them from barrier to barrier, and rustc knows
//! their bounds.

use vyre_ir::ir::{Body, ExprId, ExprKind, Handle, Local, Projection, StmtKind, each_stmt};
use vyre_ir::validate::{AddressTaken, BodyInfo};

use super::table::Table;

/// The values of the locals that are assigned once, as far as they may be such.
#[derive(Clone, Debug, Default)]
pub(super) struct Indices {
    values: Table<Local, Option<ExprId>>,
}

impl Indices {
    /// Finds them.
    pub(super) fn of(body: &Body, info: &BodyInfo<'_>) -> Indices {
        let mut values = Table::new();
        each_stmt(&body.block, &mut |stmt| {
            if let StmtKind::Store { place, value } = stmt.kind
                && let Some(local) = body.places[place].whole_local()
                && let ExprKind::Construct(_)
                | ExprKind::Builtin(_)
                | ExprKind::Load(_)
                | ExprKind::Cast(_)
                | ExprKind::Field { .. } = body.exprs[value].kind
            {
                let info = info.local(local);
                let is_fixed = info.assigned_at_most(1) && !info.read_unwritten && info.address == AddressTaken::No;
                *values.at(local) = is_fixed.then_some(value);
            }
        });
        Indices { values }
    }

    /// The value of a local that holds an index.
    pub(super) fn local(&self, body: &Body, local: Handle<Local>) -> Option<ExprId> {
        self.resolved(body, self.values.get(local)?)
    }

    /// The expression of builtins alone that an expression has the value of.
    pub(super) fn resolved(&self, body: &Body, id: ExprId) -> Option<ExprId> {
        let field_of = |tuple: ExprId, field: u32| match &body.exprs[tuple].kind {
            ExprKind::Construct(parts) => self.resolved(body, *parts.get(field as usize)?),
            _ => None,
        };
        match body.exprs[id].kind {
            ExprKind::Builtin(_) => Some(id),
            // A variable in between would be one more to look up.
            ExprKind::Cast(operand) => (self.resolved(body, operand)? == operand).then_some(id),
            ExprKind::Load(place) => match (body.places[place].local()?, &body.places[place].path[..]) {
                (local, []) => self.local(body, local),
                (local, &[Projection::Field(field)]) => field_of(self.values.get(local)?, field),
                _ => None,
            },
            ExprKind::Field { operand, index } => field_of(operand, index),
            _ => None,
        }
    }
}
