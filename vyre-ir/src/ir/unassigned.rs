//! Definite assignment: the reads of locals that a path reaches before it has assigned them.
//!
//! One walk in order of execution. Its state is the set of assigned locals, or `None` in unreachable code. The set only
//! grows along a path, so the locals assigned at a loop's entry are also assigned at its back edge, and one pass over its
//! body suffices.

use super::{Block, Body, Constant, ExprKind, Handle, Local, Mention, PlaceBase, PlaceId, Stmt, StmtKind, Use};

/// The assigned locals; `None` in unreachable code.
type State = Option<Vec<bool>>;

/// Calls `read` with each place of a block that reads its local, or changes a part of it, where a path has not assigned all
/// of the local. `assigned` has the locals that are assigned before the block; none are followed if it is empty.
/// True if the end of the block can be reached.
pub(crate) fn unassigned_reads(
    body: &Body,
    block: &Block,
    assigned: Vec<bool>,
    read: &mut dyn FnMut(PlaceId, Handle<Local>),
) -> bool {
    let mut walk = Walk {
        body,
        loops: Vec::new(),
        read,
    };
    walk.block(block, Some(assigned)).is_some()
}

/// The states at the exits and at the back edge of a loop.
struct Loop {
    breaks: State,
    continues: State,
}

struct Walk<'w> {
    body: &'w Body,
    loops: Vec<Loop>,
    read: &'w mut dyn FnMut(PlaceId, Handle<Local>),
}

/// The state at a join.
fn meet(a: State, b: State) -> State {
    match (a, b) {
        (None, state) | (state, None) => state,
        (Some(mut a), Some(b)) => {
            for (a, b) in a.iter_mut().zip(b) {
                *a &= b;
            }
            Some(a)
        }
    }
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, mut state: State) -> State {
        for stmt in block {
            state = self.stmt(stmt, state);
        }
        state
    }

    fn stmt(&mut self, stmt: &Stmt, mut state: State) -> State {
        if let Some(assigned) = &state
            && !assigned.is_empty()
        {
            self.reads(stmt, assigned);
        }
        match &stmt.kind {
            StmtKind::Store { place, .. } => {
                let local = self.body.places[*place].whole_local();
                assign(&mut state, local);
                state
            }
            StmtKind::Call { result, .. }
            | StmtKind::Intrinsic { result, .. }
            | StmtKind::Atomic { result, .. }
            | StmtKind::Ptx { result, .. } => {
                assign(&mut state, *result);
                state
            }
            StmtKind::Print { .. } => state,
            StmtKind::If { then, otherwise, .. } => {
                let after = self.block(then, state.clone());
                let otherwise = self.block(otherwise, state);
                meet(after, otherwise)
            }
            StmtKind::Loop { body, step } => {
                self.loops.push(Loop {
                    breaks: None,
                    continues: None,
                });
                let end = self.block(body, state);
                let continues = self.loops.last_mut().and_then(|around| around.continues.take());
                self.block(step, meet(end, continues));
                self.loops.pop().and_then(|left| left.breaks)
            }
            StmtKind::Break(depth) => {
                if let Some(around) = self.around(*depth) {
                    around.breaks = meet(around.breaks.take(), state);
                }
                None
            }
            StmtKind::Continue(depth) => {
                if let Some(around) = self.around(*depth) {
                    around.continues = meet(around.continues.take(), state);
                }
                None
            }
            StmtKind::Return(_) => None,
            StmtKind::Assert { condition, .. } => {
                let condition = &self.body.exprs[*condition].kind;
                state.filter(|_| *condition != ExprKind::Constant(Constant::bool(false)))
            }
        }
    }

    fn around(&mut self, depth: u32) -> Option<&mut Loop> {
        self.loops.iter_mut().rev().nth(depth as usize)
    }

    fn reads(&mut self, stmt: &Stmt, assigned: &[bool]) {
        let Walk { body, read, .. } = self;
        body.mentions_of(stmt, &mut |mention| {
            let Mention::Place(id, used) = mention else { return };
            let place = &body.places[id];
            if used == Use::Store && place.path.is_empty() {
                return;
            }
            if let PlaceBase::Local(local) = place.base
                && !assigned[local.index()]
            {
                read(id, local);
            }
        });
    }
}

fn assign(state: &mut State, local: Option<Handle<Local>>) {
    if let (Some(assigned), Some(local)) = (state, local)
        && let Some(assigned) = assigned.get_mut(local.index())
    {
        *assigned = true;
    }
}
