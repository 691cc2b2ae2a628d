//! Visits everything that a statement or expression mentions.

use vyre_core::ir::{
    Block, Body, ExprId, ExprKind, Handle, Local, Place, PlaceBase, PlaceId, Projection, Stmt, StmtKind, Type, Types,
};

/// Something that a statement mentions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mention {
    /// An expression.
    Expr(ExprId),
    /// A place, and what is done with it.
    Place(PlaceId, Use),
    /// A local that takes the result of a call, an atomic access or an exchange.
    Result(Handle<Local>),
}

/// What is done with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Its value is read.
    Load,
    /// It is written.
    Store,
    /// The length of the slice there is read.
    Length,
    /// Its address is taken, or that of a part.
    Address,
    /// It is accessed atomically.
    Atomic,
}

/// The place, if it is all of a local.
pub(super) fn whole_local(place: &Place) -> Option<Handle<Local>> {
    match place.base {
        PlaceBase::Local(local) if place.path.is_empty() => Some(local),
        _ => None,
    }
}

/// The local that a place begins with.
pub(super) fn base_local(place: &Place) -> Option<Handle<Local>> {
    match place.base {
        PlaceBase::Local(local) => Some(local),
        _ => None,
    }
}

/// Whether a place lies elsewhere than in the local that it begins with: behind a reference, or in
/// a slice.
pub(super) fn leaves_local(types: &Types, body: &Body, place: &Place) -> bool {
    let Some(local) = base_local(place) else { return true };
    let mut ty = body.locals[local].ty;
    for step in &place.path {
        ty = match (step, &types[ty]) {
            (Projection::Index { .. }, Type::Array { element, .. }) => *element,
            (Projection::Field(index), Type::Tuple(fields)) => fields[*index as usize],
            (Projection::Field(index), Type::Struct { fields, .. }) => fields[*index as usize].ty,
            _ => return true,
        };
    }
    false
}

/// Visits what a statement itself mentions, all expressions within included, but not the
/// statements in its blocks.
pub(super) fn statement(body: &Body, stmt: &Stmt, visit: &mut dyn FnMut(Mention)) {
    match &stmt.kind {
        StmtKind::Store { place, value } => {
            expression(body, *value, visit);
            self::place(body, *place, Use::Store, visit);
        }
        StmtKind::Call { arguments, result, .. }
        | StmtKind::Ptx {
            operands: arguments,
            result,
            ..
        }
        | StmtKind::Warp {
            operands: arguments,
            result,
            ..
        } => {
            for &argument in arguments {
                expression(body, argument, visit);
            }
            result.iter().for_each(|&local| visit(Mention::Result(local)));
        }
        StmtKind::Atomic {
            place,
            operands,
            result,
            ..
        } => {
            self::place(body, *place, Use::Atomic, visit);
            for &operand in operands {
                expression(body, operand, visit);
            }
            result.iter().for_each(|&local| visit(Mention::Result(local)));
        }
        StmtKind::Clock { result } => visit(Mention::Result(*result)),
        StmtKind::BarrierCount { predicate, result } => {
            expression(body, *predicate, visit);
            result.iter().for_each(|&local| visit(Mention::Result(local)));
        }
        StmtKind::If { condition, .. } => expression(body, *condition, visit),
        StmtKind::Assert { condition, values, .. } => {
            expression(body, *condition, visit);
            values.iter().for_each(|&value| expression(body, value, visit));
        }
        StmtKind::Print { values, .. } => values.iter().for_each(|&value| expression(body, value, visit)),
        StmtKind::AsyncCopy { ends, .. } => ends.iter().for_each(|&end| expression(body, end, visit)),
        StmtKind::Return(value) => value.iter().for_each(|&value| expression(body, value, visit)),
        StmtKind::Fence { .. }
        | StmtKind::CopyGroup(_)
        | StmtKind::Barrier
        | StmtKind::NamedBarrier { .. }
        | StmtKind::GridBarrier
        | StmtKind::ClusterBarrier
        | StmtKind::Loop { .. }
        | StmtKind::Break(_)
        | StmtKind::Continue(_) => {}
    }
}

/// Visits an expression and all within it.
pub(super) fn expression(body: &Body, id: ExprId, visit: &mut dyn FnMut(Mention)) {
    visit(Mention::Expr(id));
    match &body.exprs[id].kind {
        ExprKind::Constant(_) | ExprKind::External(_) | ExprKind::Builtin(_) => {}
        ExprKind::Load(place) => self::place(body, *place, Use::Load, visit),
        ExprKind::Length(place) => self::place(body, *place, Use::Length, visit),
        ExprKind::Reference(place) => self::place(body, *place, Use::Address, visit),
        ExprKind::DynamicShared { offset, length } => {
            expression(body, *offset, visit);
            length.iter().for_each(|&length| expression(body, length, visit));
        }
        ExprKind::Subslice { place, start, end, .. } => {
            self::place(body, *place, Use::Address, visit);
            expression(body, *start, visit);
            expression(body, *end, visit);
        }
        ExprKind::Unary { operand, .. }
        | ExprKind::Cast(operand)
        | ExprKind::Bitcast(operand)
        | ExprKind::Repeat(operand)
        | ExprKind::Field { operand, .. } => expression(body, *operand, visit),
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
            expression(body, *left, visit);
            expression(body, *right, visit);
        }
        ExprKind::MulAdd {
            a: first,
            b: second,
            c: third,
        }
        | ExprKind::Select {
            condition: first,
            then: second,
            otherwise: third,
        } => {
            expression(body, *first, visit);
            expression(body, *second, visit);
            expression(body, *third, visit);
        }
        ExprKind::Construct(parts) => parts.iter().for_each(|&part| expression(body, part, visit)),
    }
}

/// Visits a place and the indices on its path.
pub(super) fn place(body: &Body, id: PlaceId, used: Use, visit: &mut dyn FnMut(Mention)) {
    visit(Mention::Place(id, used));
    for step in &body.places[id].path {
        if let Projection::Index { index, .. } = step {
            expression(body, *index, visit);
        }
    }
}

/// The blocks in a statement.
pub(super) fn blocks(stmt: &Stmt) -> impl Iterator<Item = &Block> {
    let (first, second) = match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => (Some(then), Some(otherwise)),
        StmtKind::Loop { body, step } => (Some(body), Some(step)),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

/// Visits every statement of a block and of the blocks in it, each before those in it.
pub(super) fn statements<'b>(block: &'b Block, visit: &mut dyn FnMut(&'b Stmt)) {
    for stmt in block {
        visit(stmt);
        for inner in blocks(stmt) {
            statements(inner, visit);
        }
    }
}
