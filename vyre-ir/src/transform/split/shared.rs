//! Shared memory whose content may have to last over a barrier of the grid.

use super::again::is_plain;
use super::cuts::Row;
use super::{Refusal, RefusalKind};
use crate::ir::{Body, ExprKind, Handle, Mention, PlaceBase, Program, SharedVariable, Span, Stmt, StmtKind};

/// The shared variables that statements on both sides of a barrier use, or a loop or branch with a barrier, in order.
pub(super) fn lasting(program: &Program, body: &Body, row: &Row<'_>) -> Result<Vec<Handle<SharedVariable>>, Refusal> {
    let mut users: Vec<Option<usize>> = vec![None; program.shared.len() + 1];
    let mut lasts = vec![None; program.shared.len() + 1];
    let mut note = |stmt: &Stmt, between: Option<usize>| {
        each_shared(program, body, std::slice::from_ref(stmt), &mut |shared, span| {
            let slot = shared.map_or(program.shared.len(), Handle::index);
            let is_alone = between.is_some() && users[slot].is_none_or(|before| Some(before) == between);
            users[slot] = between.or(users[slot]);
            if !is_alone {
                lasts[slot].get_or_insert(span);
            }
        });
    };
    row.nests.iter().for_each(|(_, stmt)| note(stmt, None));
    row.plain.iter().for_each(|(between, stmt)| note(stmt, Some(*between)));
    let mut found = Vec::new();
    for shared in program.shared.handles() {
        let variable = &program.shared[shared];
        match lasts[shared.index()] {
            None => {}
            Some(_) if is_plain(program, variable.ty) => found.push(shared),
            Some(span) => return Err(refused(&variable.name, span)),
        }
    }
    match lasts.last() {
        Some(&Some(span)) => Err(refused("dynamic", span)),
        _ => Ok(found),
    }
}

fn refused(name: &str, span: Span) -> Refusal {
    Refusal {
        kind: RefusalKind::Shared(name.to_owned()),
        span,
    }
}

/// Visits the shared variables that statements and the functions that they call use, with the statement; `None` is the
/// dynamic shared memory.
fn each_shared(
    program: &Program,
    body: &Body,
    block: &[Stmt],
    visit: &mut dyn FnMut(Option<Handle<SharedVariable>>, Span),
) {
    for stmt in block {
        body.mentions_of(stmt, &mut |mention| match mention {
            Mention::Place(place, _) => {
                if let PlaceBase::Shared(shared) = body.places[place].base {
                    visit(Some(shared), stmt.span);
                }
            }
            Mention::Expr(expr) if matches!(body.exprs[expr].kind, ExprKind::DynamicShared { .. }) => {
                visit(None, stmt.span);
            }
            Mention::Expr(_) | Mention::Result(_) => {}
        });
        if let StmtKind::Call { function, .. } = stmt.kind {
            let callee = &program.functions[function].body;
            each_shared(program, callee, &callee.block, &mut |shared, _| {
                visit(shared, stmt.span)
            });
        }
        for inner in stmt.kind.blocks() {
            each_shared(program, body, inner, visit);
        }
    }
}
