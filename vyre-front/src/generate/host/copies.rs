//! Variables that are copies of others, in a body that functions were put into.
//!
//! Arguments and results of such functions are assigned to variables. Each that lives past a barrier would be one more array
//! with an element per thread.

use vyre_ir::ir::{Body, ExprKind, Handle, Local, PlaceBase, Stmt, StmtKind, Types, each_stmt};
use vyre_ir::validate::{AddressTaken, BodyInfo};

use super::table::Table;

/// Puts the variables that are copied in the place of the copies. False if there are none.
///
/// A copy is assigned once, before all other mentions of it and around them; so is what it copies, or never. Where the
/// copy is mentioned, what it copies has had no other value since.
///
/// Only of scalars: a fault of an index names the variable that is indexed.
pub(super) fn forward(types: &Types, body: &mut Body, info: &BodyInfo<'_>, parameters: usize) -> bool {
    let is_fixed = |local: Handle<Local>| {
        let it = info.local(local);
        let times = u32::from(local.index() >= parameters);
        it.assigned_at_most(times) && !it.read_unwritten && it.address == AddressTaken::No
    };
    let mut copies: Table<Local, Option<Handle<Local>>> = Table::new();
    let mut any = false;
    each_stmt(&body.block, &mut |stmt| {
        if let Some((to, from)) = copy(body, stmt)
            && to.index() >= parameters
            && types.as_scalar(body.locals[to].ty).is_some()
            && is_fixed(to)
            && is_fixed(from)
        {
            // A copy of a copy follows it.
            let from = copies.get(from).unwrap_or(from);
            *copies.at(to) = Some(from);
            any = true;
        }
    });
    if !any {
        return false;
    }
    let mut block = std::mem::take(&mut body.block);
    remove(body, &mut block, &copies);
    body.block = block;
    let places: Vec<_> = body.places.handles().collect();
    for place in places {
        if let PlaceBase::Local(local) = &mut body.places[place].base
            && let Some(from) = copies.get(*local)
        {
            *local = from;
        }
    }
    true
}

/// The variables of a statement that copies one as a whole.
fn copy(body: &Body, stmt: &Stmt) -> Option<(Handle<Local>, Handle<Local>)> {
    let StmtKind::Store { place, value } = stmt.kind else {
        return None;
    };
    let to = body.places[place].whole_local()?;
    match body.exprs[value].kind {
        ExprKind::Load(from) => Some((to, body.places[from].whole_local()?)),
        _ => None,
    }
}

/// Removes the statements that assign copies.
fn remove(body: &Body, block: &mut Vec<Stmt>, copies: &Table<Local, Option<Handle<Local>>>) {
    block.retain_mut(|stmt| {
        for inner in stmt.kind.blocks_mut() {
            remove(body, inner, copies);
        }
        copy(body, stmt).is_none_or(|(to, _)| copies.get(to).is_none())
    });
}
