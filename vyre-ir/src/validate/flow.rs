//! Path-sensitive checks of a body: functions end with their result, references are initialised
//! before they are read, and no reference to a function's own variables escapes.

use super::body::BodyCheck;
use super::error::InvalidKind;
use crate::ir::{
    ExprId, ExprKind, Handle, Local, PlaceBase, PlaceId, Span, StmtKind, Type, each_stmt, natural, unassigned_reads,
};

/// Checks a body whose trees are known to be trees of bounded depth.
pub(super) fn check(body: &mut BodyCheck<'_, '_>) {
    let whole = body.body;
    let mut assigned = Vec::new();
    for (handle, local) in whole.locals.iter() {
        let is_watched = handle.index() >= body.parameters && body.facts.of(local.ty).references;
        assigned.push(!is_watched);
    }
    // The set is empty if no variable is tracked, so that most bodies cost no copies.
    if !assigned.contains(&false) {
        assigned.clear();
    }
    let ends = unassigned_reads(whole, &whole.block, assigned, &mut |place, local| {
        body.error(whole.places[place].span, InvalidKind::Unassigned(local));
    });
    if ends && let Some(result) = body.result {
        body.error(body.span, InvalidKind::MissingReturn(result));
    }
    escapes(body);
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
