//! Waiting loops that only poll: they read what other threads write until it suits them.
//!
//! No iteration of such a loop changes what a later one does, so it goes on for ever where nobody else writes. If all
//! threads of a launch are in such loops, or wait for those that are, the launch stands still, and the CPU says so.
//!
//! **Rules.** The loop has no step, and its body consists of atomic and other loads, assertions, branches, jumps, naps,
//! and assignments of whole locals whose address nobody has taken. A local that is assigned in the loop is read only
//! where the same iteration has assigned it before: it carries nothing over. Calls, inner loops and everything else
//! make a loop one that may go on by itself. So does a load of the scope of the system: it sees what the host and other
//! devices write, of which the launch knows nothing.

use super::info::{AddressTaken, BodyInfo};
use crate::ir::{
    AtomicOp, Block, Body, ExprId, Handle, Local, MemoryScope, Mention, PlaceId, Stmt, StmtKind, Use, each_stmt,
};
use vyre_abi::list;

/// True if a loop only polls.
pub(super) fn only_polls(stmt: &Stmt, body: &Body, info: &BodyInfo<'_>) -> bool {
    let StmtKind::Loop { body: inside, step } = &stmt.kind else {
        return false;
    };
    let mut assigned = vec![false; body.locals.len()];
    each_stmt(inside, &mut |stmt| {
        if let Some(local) = assigned_by(stmt, body) {
            assigned[local.index()] = true;
        }
    });
    let mut known: Vec<bool> = list::map(&assigned, |assigned| !assigned);
    let iteration = Iteration { body, info };
    iteration.polls(inside, &mut known) && step.is_empty()
}

/// The local that a statement assigns in full.
fn assigned_by(stmt: &Stmt, body: &Body) -> Option<Handle<Local>> {
    match stmt.kind {
        StmtKind::Store { place, .. } => body.places[place].whole_local(),
        StmtKind::Atomic { result, .. } => result,
        _ => None,
    }
}

struct Iteration<'a, 'p> {
    body: &'a Body,
    info: &'a BodyInfo<'p>,
}

impl Iteration<'_, '_> {
    /// True if a block only polls. `known` are the locals that hold the same in each iteration; the block adds those
    /// that it assigns.
    fn polls(&self, block: &Block, known: &mut Vec<bool>) -> bool {
        block.iter().all(|stmt| self.statement(stmt, known))
    }

    fn statement(&self, stmt: &Stmt, known: &mut Vec<bool>) -> bool {
        let polls = match &stmt.kind {
            StmtKind::Store { place, value } => {
                let local = self.body.places[*place].whole_local();
                local.is_some_and(|local| self.is_own(local)) && self.reads(*value, known)
            }
            StmtKind::Atomic {
                op,
                place,
                operands,
                result,
                scope,
                ..
            } => {
                let is_load = matches!(op, AtomicOp::Load | AtomicOp::BarrierOpened);
                is_load
                    && *scope != MemoryScope::System
                    && result.is_none_or(|local| self.is_own(local))
                    && self.addresses(*place, known)
                    && operands.iter().all(|&operand| self.reads(operand, known))
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let mut after = known.clone();
                let polls =
                    self.reads(*condition, known) && self.polls(then, known) && self.polls(otherwise, &mut after);
                for (known, after) in known.iter_mut().zip(after) {
                    *known &= after;
                }
                polls
            }
            StmtKind::Assert { condition, .. } => self.reads(*condition, known),
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_) => true,
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result: None,
            } => intrinsic.is_idle() && operands.iter().all(|&operand| self.reads(operand, known)),
            StmtKind::Call { .. }
            | StmtKind::Intrinsic { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Ptx { .. }
            | StmtKind::Print { .. } => false,
        };
        if let Some(local) = assigned_by(stmt, self.body) {
            known[local.index()] = true;
        }
        polls
    }

    /// True if a local is accessed by its name alone.
    fn is_own(&self, local: Handle<Local>) -> bool {
        self.info.local(local).address == AddressTaken::No
    }

    /// True if an expression reads known locals only.
    fn reads(&self, expr: ExprId, known: &[bool]) -> bool {
        self.are_known(Mention::Expr(expr), known)
    }

    /// The same of the address of a place.
    fn addresses(&self, place: PlaceId, known: &[bool]) -> bool {
        self.are_known(Mention::Place(place, Use::Load), known)
    }

    fn are_known(&self, mention: Mention, known: &[bool]) -> bool {
        let mut all = true;
        self.body.inside(mention, &mut |mention| {
            if let Mention::Place(place, _) = mention
                && let Some(local) = self.body.places[place].local()
            {
                all &= known[local.index()];
            }
        });
        all
    }
}
