//! Loops that lanes leave one by one: their conditions, and the variables that each lane then has for itself.

use vyre_ir::ir::{BinaryOp, Block, Body, ExprId, ExprKind, Handle, Local, Mention, Stmt, StmtKind, Use, each_stmt};
use vyre_ir::validate::BodyInfo;

use super::{Form, Lanes, Variable};

/// The comparison on which a loop goes on, with its operands, if it begins with one.
pub(in crate::generate::host) fn condition_of(body: &Body, stmt: &Stmt) -> Option<(ExprId, BinaryOp, [ExprId; 2])> {
    let StmtKind::Loop { body: block, .. } = &stmt.kind else {
        return None;
    };
    let StmtKind::If {
        condition,
        then,
        otherwise,
    } = &block.first()?.kind
    else {
        return None;
    };
    let leaves = matches!(&otherwise[..], [only] if matches!(only.kind, StmtKind::Break(0)));
    if !then.is_empty() || !leaves {
        return None;
    }
    let ExprKind::Binary { op, left, right } = body.exprs[*condition].kind else {
        return None;
    };
    let is_ordered = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
    is_ordered.then_some((*condition, op, [left, right]))
}

/// The variables of a loop that are scalars of each lane where it runs lane by lane, and whether they live in it alone.
/// `assigned` are those that the statements before it, of the same block, assign. `None` if a variable that all lanes share
/// lives on, or if the loop is left in another way than by its own end.
pub(in crate::generate::host) fn own_of(
    (body, info): (&Body, &BodyInfo<'_>),
    lanes: &Lanes,
    (variables, assigned): (&[Variable], &[Handle<Local>]),
    stmt: &Stmt,
) -> Option<Vec<(Handle<Local>, bool)>> {
    if stmt.kind.blocks().any(|block| jumps_out(block, 0)) {
        return None;
    }
    // By local: how often the loop mentions, assigns and reads it.
    let mut found: Vec<(Handle<Local>, [usize; 3])> = Vec::new();
    let mut note = |mention: Mention| {
        let (local, used) = match mention {
            Mention::Place(place, used) => (body.places[place].local(), used),
            Mention::Result(local) => (Some(local), Use::Store),
            Mention::Expr(_) => return,
        };
        let Some(local) = local else { return };
        let stores = usize::from(used == Use::Store);
        match found.iter_mut().find(|(known, _)| *known == local) {
            Some((_, counts)) => {
                counts[0] += 1;
                counts[1] += stores;
                counts[2] += 1 - stores;
            }
            None => found.push((local, [1, stores, 1 - stores])),
        }
    };
    for block in stmt.kind.blocks() {
        each_stmt(block, &mut |stmt| body.mentions_of(stmt, &mut note));
    }
    let mut own = Vec::new();
    for (local, [mentions, stores, reads]) in found {
        let is_variable = variables.iter().any(|it| it.local == local);
        if !is_variable || stores == 0 {
            continue;
        }
        let mut all = [0; 2];
        body.each_mention(&mut |mention| match mention {
            Mention::Place(place, used) if body.places[place].local() == Some(local) => {
                all[0] += 1;
                all[1] += usize::from(used != Use::Store);
            }
            Mention::Result(result) if result == local => all[0] += 1,
            _ => {}
        });
        let is_unwritten = info.local(local).read_unwritten;
        if all[0] == mentions && !is_unwritten {
            own.push((local, true));
        } else if lanes.local(local) != Form::Varying {
            if all[1] != reads || is_unwritten || !assigned.contains(&local) {
                return None;
            }
            own.push((local, false));
        }
    }
    Some(own)
}

/// True if a block leaves more than `depth` loops around it, or the body.
fn jumps_out(block: &Block, depth: u32) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break(to) | StmtKind::Continue(to) => *to > depth,
        StmtKind::Return(_) => true,
        StmtKind::If { then, otherwise, .. } => jumps_out(then, depth) || jumps_out(otherwise, depth),
        StmtKind::Loop { body, step } => jumps_out(body, depth + 1) || jumps_out(step, depth + 1),
        _ => false,
    })
}
