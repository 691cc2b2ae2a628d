//! Where the locals of a body live: in values, or in local memory.
//!
//! A local lives in memory if its address is taken, if an array in it is indexed by a value, or
//! if it is bulky; a parameter of a kernel that nothing changes then stays in the memory of parameters. Local memory is slow, but most of these locals come back as values once calls
//! are inlined and loops unrolled ([`opt::mem2reg`](crate::opt::mem2reg)).

use super::shape::Shapes;
use crate::ir::{
    Block, Body, ExprId, ExprKind, Handle, Local, Place, PlaceBase, PlaceId, Projection, StmtKind, Type, Types,
};

/// What building needs to know of a body, whichever call of it is inlined.
#[derive(Debug)]
pub(super) struct Homes {
    /// For each local whether it lives in memory.
    pub(super) in_memory: Vec<bool>,
    /// For each local in memory whether some path reads it before it is written.
    pub(super) zeroed: Vec<bool>,
    /// For each parameter of a kernel whether it is read where the launch has put it.
    pub(super) in_place: Vec<bool>,
}

impl Homes {
    /// Looks through a body.
    pub(super) fn of(body: &Body, types: &Types, shapes: &mut Shapes<'_>) -> Homes {
        let mut in_memory: Vec<bool> = body.locals.iter().map(|(_, local)| shapes.of(local.ty).bulky).collect();
        for (_, place) in body.places.iter() {
            if let Reach::Within { dynamic: true, .. } = reach(body, types, place) {
                mark(&mut in_memory, place);
            }
        }
        for (_, expr) in body.exprs.iter() {
            let (place, slices) = match expr.kind {
                ExprKind::Reference(place) => (place, true),
                ExprKind::Subslice { place, .. } => (place, false),
                _ => continue,
            };
            let place = &body.places[place];
            if (slices || !matches!(types[place.ty], Type::Slice { .. }))
                && let Reach::Within { .. } = reach(body, types, place)
            {
                mark(&mut in_memory, place);
            }
        }
        let zeroed = if in_memory.contains(&true) {
            let mut walk = Walk::new(body);
            walk.block(&body.block);
            walk.unproven
        } else {
            vec![false; in_memory.len()]
        };
        Homes {
            in_memory,
            zeroed,
            in_place: Vec::new(),
        }
    }

    /// Lets parameters that the body of a kernel never changes stay where they are, those that would live in
    /// local memory.
    pub(super) fn keep_parameters(&mut self, body: &Body, types: &Types, parameters: usize) {
        if !self.in_memory[..parameters].contains(&true) {
            return;
        }
        let mut changed = vec![false; body.locals.len()];
        assigned(body, types, &body.block, &mut changed);
        for (_, expr) in body.exprs.iter() {
            let (ExprKind::Reference(place) | ExprKind::Subslice { place, .. }) = expr.kind else {
                continue;
            };
            if let Type::Reference { mutable: true, .. } | Type::Slice { mutable: true, .. } = types[expr.ty] {
                mark(&mut changed, &body.places[place]);
            }
        }
        let homes = self.in_memory.iter().zip(changed).take(parameters);
        self.in_place = homes.map(|(&in_memory, changed)| in_memory && !changed).collect();
    }
}

/// Marks the locals whose variables the statements assign.
pub(super) fn assigned(body: &Body, types: &Types, stmts: &Block, marks: &mut [bool]) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Store { place, .. } => {
                let place = &body.places[*place];
                if let Reach::Within { .. } = reach(body, types, place) {
                    mark(marks, place);
                }
            }
            StmtKind::Call { result, .. }
            | StmtKind::Atomic { result, .. }
            | StmtKind::BarrierCount { result, .. }
            | StmtKind::Ptx { result, .. }
            | StmtKind::Warp { result, .. } => {
                if let Some(local) = result {
                    marks[local.index()] = true;
                }
            }
            StmtKind::Clock { result } => marks[result.index()] = true,
            StmtKind::If { then, otherwise, .. } => {
                assigned(body, types, then, marks);
                assigned(body, types, otherwise, marks);
            }
            StmtKind::Loop { body: inner, step } => {
                assigned(body, types, inner, marks);
                assigned(body, types, step, marks);
            }
            StmtKind::Fence { .. }
            | StmtKind::AsyncCopy { .. }
            | StmtKind::CopyGroup(_)
            | StmtKind::Barrier
            | StmtKind::GridBarrier
            | StmtKind::ClusterBarrier
            | StmtKind::NamedBarrier { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Return(_)
            | StmtKind::Assert { .. }
            | StmtKind::Print { .. } => {}
        }
    }
}

fn mark(in_memory: &mut [bool], place: &Place) {
    if let PlaceBase::Local(local) = place.base {
        in_memory[local.index()] = true;
    }
}

/// What a place denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The local of its base or a part of it.
    Within {
        /// Whether a value indexes an array on the way.
        dynamic: bool,
    },
    /// Something else, perhaps found through the local.
    Beyond,
}

/// What a place denotes.
pub(super) fn reach(body: &Body, types: &Types, place: &Place) -> Reach {
    let PlaceBase::Local(local) = place.base else {
        return Reach::Beyond;
    };
    let mut ty = body.locals[local].ty;
    let mut dynamic = false;
    for step in &place.path {
        ty = match (step, &types[ty]) {
            (Projection::Field(index), Type::Tuple(fields)) => fields[*index as usize],
            (Projection::Field(index), Type::Struct { fields, .. }) => fields[*index as usize].ty,
            (Projection::Index { index, .. }, Type::Array { element, .. }) => {
                dynamic |= !matches!(body.exprs[*index].kind, ExprKind::Constant(_));
                *element
            }
            _ => return Reach::Beyond,
        };
    }
    Reach::Within { dynamic }
}

/// The places of the body that an expression mentions, those in indices included.
pub(super) fn each_place(body: &Body, expr: ExprId, f: &mut impl FnMut(PlaceId)) {
    let place = |id: PlaceId, f: &mut _| each_place_of(body, id, f);
    match &body.exprs[expr].kind {
        ExprKind::Constant(_) | ExprKind::External(_) | ExprKind::Builtin(_) => {}
        ExprKind::Load(id) | ExprKind::Length(id) | ExprKind::Reference(id) => place(*id, f),
        ExprKind::Subslice {
            place: id, start, end, ..
        } => {
            place(*id, f);
            each_place(body, *start, f);
            each_place(body, *end, f);
        }
        ExprKind::Unary { operand, .. }
        | ExprKind::Cast(operand)
        | ExprKind::Bitcast(operand)
        | ExprKind::Repeat(operand)
        | ExprKind::Field { operand, .. } => each_place(body, *operand, f),
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
            each_place(body, *left, f);
            each_place(body, *right, f);
        }
        ExprKind::MulAdd { a, b, c }
        | ExprKind::Select {
            condition: a,
            then: b,
            otherwise: c,
        } => {
            each_place(body, *a, f);
            each_place(body, *b, f);
            each_place(body, *c, f);
        }
        ExprKind::Construct(parts) => parts.iter().for_each(|&part| each_place(body, part, f)),
        ExprKind::DynamicShared { offset, length } => {
            each_place(body, *offset, f);
            length.iter().for_each(|&length| each_place(body, length, f));
        }
    }
}

fn each_place_of(body: &Body, id: PlaceId, f: &mut impl FnMut(PlaceId)) {
    f(id);
    for step in &body.places[id].path {
        if let Projection::Index { index, .. } = step {
            each_place(body, *index, f);
        }
    }
}

/// Finds the locals that are not written as a whole before every other mention of them.
///
/// A local is proven if the first mention in the order of the text is a store to the whole of it,
/// and all other mentions stand in the same block or in blocks inside that one.
struct Walk<'b> {
    body: &'b Body,
    /// For each local the number of the block that writes it first.
    owner: Vec<Option<u32>>,
    unproven: Vec<bool>,
    /// For each block met so far whether the walk is inside it.
    open: Vec<bool>,
}

impl<'b> Walk<'b> {
    fn new(body: &'b Body) -> Self {
        Walk {
            body,
            owner: vec![None; body.locals.len()],
            unproven: vec![false; body.locals.len()],
            open: Vec::new(),
        }
    }

    fn mention(&mut self, local: Handle<Local>) {
        let proven = self.owner[local.index()].is_some_and(|block| self.open[block as usize]);
        self.unproven[local.index()] |= !proven;
    }

    fn place(&mut self, id: PlaceId) {
        let body = self.body;
        each_place_of(body, id, &mut |id| {
            if let PlaceBase::Local(local) = body.places[id].base {
                self.mention(local);
            }
        });
    }

    fn expr(&mut self, expr: ExprId) {
        let body = self.body;
        each_place(body, expr, &mut |id| {
            if let PlaceBase::Local(local) = body.places[id].base {
                self.mention(local);
            }
        });
    }

    /// Notes that the block numbered `block` writes the whole of a local.
    fn write(&mut self, local: Handle<Local>, block: u32) {
        let owner = &mut self.owner[local.index()];
        if owner.is_none() {
            *owner = Some(block);
        } else {
            self.mention(local);
        }
    }

    fn block(&mut self, stmts: &Block) {
        let number = self.open.len() as u32;
        self.open.push(true);
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Store { place, value } => {
                    self.expr(*value);
                    let target = &self.body.places[*place];
                    match target.base {
                        PlaceBase::Local(local) if target.path.is_empty() => self.write(local, number),
                        _ => self.place(*place),
                    }
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
                    arguments.iter().for_each(|&argument| self.expr(argument));
                    if let Some(local) = result {
                        self.write(*local, number);
                    }
                }
                StmtKind::Clock { result } => self.write(*result, number),
                StmtKind::BarrierCount { predicate, result } => {
                    self.expr(*predicate);
                    if let Some(local) = result {
                        self.write(*local, number);
                    }
                }
                StmtKind::Atomic {
                    place,
                    operands,
                    result,
                    ..
                } => {
                    operands.iter().for_each(|&operand| self.expr(operand));
                    self.place(*place);
                    if let Some(local) = result {
                        self.write(*local, number);
                    }
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    self.expr(*condition);
                    self.block(then);
                    self.block(otherwise);
                }
                StmtKind::Loop { body, step } => {
                    self.block(body);
                    self.block(step);
                }
                StmtKind::Return(Some(value)) => self.expr(*value),
                StmtKind::Assert { condition, values, .. } => {
                    self.expr(*condition);
                    values.iter().for_each(|&value| self.expr(value));
                }
                StmtKind::Print { values, .. } => values.iter().for_each(|&value| self.expr(value)),
                StmtKind::AsyncCopy { ends, .. } => ends.iter().for_each(|&end| self.expr(end)),
                StmtKind::Return(None)
                | StmtKind::CopyGroup(_)
                | StmtKind::Break(_)
                | StmtKind::Continue(_)
                | StmtKind::Fence { .. }
                | StmtKind::GridBarrier
                | StmtKind::ClusterBarrier
                | StmtKind::NamedBarrier { .. }
                | StmtKind::Barrier => {}
            }
        }
        self.open[number as usize] = false;
    }
}
