//! Path-sensitive checks of a body: functions end with their result, references are initialised
//! before they are read, and no reference to a function's own variables escapes.
//!
//! One walk in order of execution. Its state is the set of initialised variables, or `None` in
//! unreachable code. The set only grows along a path, so the variables initialised at a loop's
//! entry are also initialised at its back edge, and one pass over its body suffices.

use super::body::BodyCheck;
use super::error::InvalidKind;
use crate::ir::natural;
use crate::ir::{
    Block, Constant, ExprId, ExprKind, Handle, Local, Mention, PlaceBase, PlaceId, Span, Stmt, StmtKind, Type, Use,
    each_stmt,
};

/// The initialised variables; `None` in unreachable code.
type State = Option<Vec<bool>>;

/// Checks a body whose trees are known to be trees of bounded depth.
pub(super) fn check(body: &mut BodyCheck<'_, '_>) {
    let locals = &body.body.locals;
    let watched: Vec<bool> = locals
        .iter()
        .map(|(handle, local)| handle.index() >= body.parameters && body.facts.of(local.ty).references)
        .collect();
    // The set is empty if no variable is tracked, so that most bodies cost no copies.
    let written = if watched.contains(&true) {
        watched.iter().map(|&watched| !watched).collect()
    } else {
        Vec::new()
    };
    let mut flow = Flow {
        loops: Vec::new(),
        body,
    };
    let block = &flow.body.body.block;
    let end = flow.block(block, Some(written));
    if end.is_some()
        && let Some(result) = body.result
    {
        body.error(body.span, InvalidKind::MissingReturn(result));
    }
    escapes(body);
}

/// The states at the exits and at the back edge of a loop.
struct Loop {
    breaks: State,
    continues: State,
}

struct Flow<'f, 'p, 'e> {
    body: &'f mut BodyCheck<'p, 'e>,
    loops: Vec<Loop>,
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

impl<'p> Flow<'_, 'p, '_> {
    fn block(&mut self, block: &'p Block, mut state: State) -> State {
        for stmt in block {
            state = self.stmt(stmt, state);
        }
        state
    }

    fn stmt(&mut self, stmt: &'p Stmt, mut state: State) -> State {
        if let Some(written) = &state
            && !written.is_empty()
        {
            self.reads(stmt, written);
        }
        match &stmt.kind {
            StmtKind::Store { place, .. } => {
                let place = &self.body.body.places[*place];
                if let (PlaceBase::Local(local), true) = (place.base, place.path.is_empty()) {
                    write(&mut state, local);
                }
                state
            }
            StmtKind::Call {
                result: Some(local), ..
            }
            | StmtKind::Intrinsic {
                result: Some(local), ..
            } => {
                write(&mut state, *local);
                state
            }
            StmtKind::Call { result: None, .. }
            | StmtKind::Intrinsic { result: None, .. }
            | StmtKind::Atomic { .. }
            | StmtKind::Print { .. }
            | StmtKind::Ptx { .. } => state,
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
                let condition = &self.body.body.exprs[*condition].kind;
                if *condition == ExprKind::Constant(Constant::bool(false)) {
                    None
                } else {
                    state
                }
            }
        }
    }

    fn around(&mut self, depth: u32) -> Option<&mut Loop> {
        self.loops.iter_mut().rev().nth(depth as usize)
    }

    /// Reports the variables that a statement reads and that may be uninitialised.
    fn reads(&mut self, stmt: &'p Stmt, written: &[bool]) {
        let body = self.body.body;
        body.mentions_of(stmt, &mut |mention| {
            let Mention::Place(id, used) = mention else { return };
            let place = &body.places[id];
            if used == Use::Store && place.path.is_empty() {
                return;
            }
            if let PlaceBase::Local(local) = place.base
                && !written[local.index()]
            {
                self.body.error(place.span, InvalidKind::Unassigned(local));
            }
        });
    }
}

fn write(state: &mut State, local: Handle<Local>) {
    if let Some(written) = state
        && let Some(written) = written.get_mut(local.index())
    {
        *written = true;
    }
}

/// Reports returns of references to the function's own variables.
///
/// A variable is *inward* if it may hold a reference to a variable of the body. That set grows from
/// the statements until a fixed point; references only occur in variables, so only statements that
/// write variables need to be considered.
fn escapes(body: &mut BodyCheck<'_, '_>) {
    if !body.result.is_some_and(|result| body.facts.of(result).references) {
        return;
    }
    let mut writes = Vec::new();
    let mut returns = Vec::new();
    collect(body, &mut writes, &mut returns);
    let mut inward = vec![false; body.body.locals.len()];
    loop {
        let mut changed = false;
        for (local, values) in &writes {
            if !inward[local.index()] && values.iter().any(|&value| is_inward(body, value, &inward)) {
                inward[local.index()] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for (value, span) in returns {
        if is_inward(body, value, &inward) {
            body.error(span, InvalidKind::EscapingReference);
        }
    }
}

/// A variable, and the values that it may hold in whole or in part.
type Write = (Handle<Local>, Vec<ExprId>);

fn collect(body: &BodyCheck<'_, '_>, writes: &mut Vec<Write>, returns: &mut Vec<(ExprId, Span)>) {
    each_stmt(&body.body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { place, value } => {
            if let PlaceBase::Local(local) = body.body.places[*place].base {
                writes.push((local, vec![*value]));
            }
        }
        StmtKind::Call {
            arguments,
            result: Some(local),
            ..
        } => writes.push((*local, arguments.clone())),
        StmtKind::Return(Some(value)) => returns.push((*value, stmt.span)),
        _ => {}
    });
}

/// True if a value may contain references to the variables of the body.
fn is_inward(body: &BodyCheck<'_, '_>, value: ExprId, inward: &[bool]) -> bool {
    let expr = &body.body.exprs[value];
    if !body.facts.of(expr.ty).references {
        return false;
    }
    match &expr.kind {
        ExprKind::Load(place) => match body.body.places[*place].base {
            PlaceBase::Local(local) => inward[local.index()],
            PlaceBase::Shared(_) | PlaceBase::Table(_) => false,
        },
        ExprKind::Reference(place) | ExprKind::Subslice { place, .. } => {
            let PlaceBase::Local(local) = body.body.places[*place].base else {
                return false;
            };
            let sliced = matches!(expr.kind, ExprKind::Subslice { .. });
            !is_behind(body, *place, sliced) || inward[local.index()]
        }
        kind => {
            let mut found = false;
            kind.operands(&mut |operand| found |= is_inward(body, operand, inward));
            found
        }
    }
}

/// True if a place is behind a reference or slice held by its variable, not in the variable itself.
/// A place to be `sliced` also goes through the slice at the end of its path.
fn is_behind(body: &BodyCheck<'_, '_>, place: PlaceId, sliced: bool) -> bool {
    let place = &body.body.places[place];
    let mut ty = natural::base_type(body.program, body.body, place.base);
    for step in &place.path {
        let Some(from) = ty else { return false };
        if matches!(body.ty(from), Type::Slice { .. } | Type::Reference { .. }) {
            return true;
        }
        ty = natural::step_type(body.program, from, step);
    }
    sliced && ty.is_some_and(|ty| matches!(body.ty(ty), Type::Slice { .. }))
}
