//! Uniformity over the threads of a block.
//!
//! A value is *uniform* if all threads of a block that compute it get the same one. A local is uniform if every store to it
//! is one of a uniform value under uniform control flow: in no branch whose condition varies, and in no loop that some
//! threads leave or continue earlier than others. Threads that have returned from the kernel compute nothing, so a return
//! makes nothing vary.
//!
//! The locals that vary are found by a fixed point from below: all are uniform at first, and each walk over the body adds
//! those that a varying value or branch reaches.

use vyre_ir::ir::{
    Access, Axis, Block, Body, Builtin, ExprId, ExprKind, Function, Handle, Kernel, Local, Mention, PlaceBase, PlaceId,
    Program, Stmt, StmtKind, Type, Use, each_stmt,
};
use vyre_ir::validate::{AddressTaken, BodyInfo, ProgramInfo};

use super::intrinsic::{Meeting, meeting};
use super::table::Table;

/// The locals of a body whose values vary over a block.
pub(super) struct Uniformity<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    body: &'a Body,
    info: &'a BodyInfo<'a>,
    varying: Table<Local, bool>,
    /// The functions that compute the same of the same arguments in every thread.
    functions: Vec<bool>,
    /// Those that depend on nothing but their arguments and the position of the thread.
    of_position: Vec<bool>,
}

/// A loop around the statement that is walked.
struct Around<'b> {
    stmt: &'b Stmt,
    /// True if the control flow within it varies from outside of it.
    outside: bool,
}

impl<'a> Uniformity<'a> {
    /// Finds them.
    pub(super) fn of(
        (program, facts): (&'a Program, &ProgramInfo<'_>),
        kernel: &'a Kernel,
        body: &'a Body,
        info: &'a BodyInfo<'a>,
    ) -> Self {
        let mut found = Uniformity {
            program,
            kernel,
            body,
            info,
            varying: Table::new(),
            functions: vec![false; program.functions.len()],
            of_position: vec![false; program.functions.len()],
        };
        // Callees come first.
        for &function in &facts.call_order {
            let body = &program.functions[function].body;
            found.functions[function.index()] = found.is_same(body, false);
            found.of_position[function.index()] = found.is_same(body, true);
        }
        for local in body.locals.handles() {
            // A store through a reference may be one of any value.
            *found.varying.at(local) = info.local(local).address == AddressTaken::Mutable;
        }
        let mut loops: Vec<&Stmt> = Vec::new();
        while found.walk(&body.block, false, &mut Vec::new(), &mut loops) {}
        found
    }

    /// Walks a block; true if that found another local or loop that varies.
    fn walk<'b>(
        &mut self,
        block: &'b Block,
        varies: bool,
        around: &mut Vec<Around<'b>>,
        loops: &mut Vec<&'b Stmt>,
    ) -> bool {
        let body = self.body;
        let mut more = false;
        for stmt in block {
            match &stmt.kind {
                StmtKind::Store { place, value } => {
                    let place = &body.places[*place];
                    if let Some(local) = place.part_of(&self.program.types, body) {
                        let varies = varies || !self.expr(*value) || !place.indices().all(|index| self.expr(index));
                        more |= self.vary(local, varies);
                    }
                }
                StmtKind::Intrinsic { intrinsic, result, .. } => {
                    if let Some(local) = *result {
                        // All threads that count get the count.
                        more |= self.vary(local, varies || meeting(self.kernel, *intrinsic) != Meeting::Votes);
                    }
                }
                StmtKind::Call {
                    function,
                    arguments,
                    result,
                } => {
                    if let Some(local) = *result {
                        let is_same = self.functions[function.index()] && arguments.iter().all(|&it| self.expr(it));
                        more |= self.vary(local, varies || !is_same);
                    }
                }
                StmtKind::Atomic { result, .. } | StmtKind::Ptx { result, .. } => {
                    if let Some(local) = *result {
                        more |= self.vary(local, true);
                    }
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let varies = varies || !self.expr(*condition);
                    more |= self.walk(then, varies, around, loops);
                    more |= self.walk(otherwise, varies, around, loops);
                }
                StmtKind::Loop { body, step } => {
                    let inside = varies || loops.iter().any(|&known| std::ptr::eq(known, stmt));
                    around.push(Around { stmt, outside: varies });
                    more |= self.walk(body, inside, around, loops);
                    more |= self.walk(step, inside, around, loops);
                    around.pop();
                }
                StmtKind::Break(depth) | StmtKind::Continue(depth) => {
                    // Each loop from the innermost one to that which it leaves.
                    for it in around.iter().rev().take(*depth as usize + 1) {
                        if varies && !it.outside && !loops.iter().any(|&known| std::ptr::eq(known, it.stmt)) {
                            loops.push(it.stmt);
                            more = true;
                        }
                    }
                }
                StmtKind::Return(_) | StmtKind::Assert { .. } | StmtKind::Print { .. } => {}
            }
        }
        more
    }

    /// True if the body of a function depends on its arguments alone: it reads no memory, asks for no index and prints
    /// nothing. It may ask for indices where the thread has a `position`.
    fn is_same(&self, body: &Body, position: bool) -> bool {
        let mut holds = true;
        each_stmt(&body.block, &mut |stmt| {
            holds &= match stmt.kind {
                StmtKind::Call { function, .. } if position => self.of_position[function.index()],
                StmtKind::Call { function, .. } => self.functions[function.index()],
                StmtKind::Atomic { .. }
                | StmtKind::Intrinsic { .. }
                | StmtKind::Ptx { .. }
                | StmtKind::Print { .. } => false,
                _ => true,
            };
        });
        body.each_mention(&mut |mention| match mention {
            Mention::Expr(expr) => {
                holds &= match body.exprs[expr].kind {
                    ExprKind::Builtin(builtin) => position || self.builtin(builtin),
                    ExprKind::DynamicShared { .. } | ExprKind::MapShared { .. } => false,
                    _ => true,
                };
            }
            Mention::Place(place, _) => {
                let place = &body.places[place];
                let is_table = matches!(place.base, PlaceBase::Table(_));
                holds &= is_table || place.part_of(&self.program.types, body).is_some();
            }
            Mention::Result(_) => {}
        });
        holds
    }

    /// Notes that a local varies; true if that was not known.
    fn vary(&mut self, local: Handle<Local>, varies: bool) -> bool {
        varies && !std::mem::replace(self.varying.at(local), true)
    }

    /// True if a function depends on its arguments alone; see `is_same`.
    pub(super) fn is_of_arguments(&self, function: Handle<Function>) -> bool {
        self.functions[function.index()]
    }

    /// True if a function depends on its arguments and the position of the thread alone.
    pub(super) fn is_of_position(&self, function: Handle<Function>) -> bool {
        self.of_position[function.index()]
    }

    /// True if a local has the same value in all threads.
    pub(super) fn is_uniform(&self, local: Handle<Local>) -> bool {
        !self.varying.get(local)
    }

    /// True if an expression has the same value in all threads that evaluate it at the same time.
    pub(super) fn expr(&self, id: ExprId) -> bool {
        let kind = &self.body.exprs[id].kind;
        if let ExprKind::Builtin(builtin) = kind {
            return self.builtin(*builtin);
        }
        let mut uniform = true;
        kind.mentions(&mut |mention| {
            uniform = uniform
                && match mention {
                    Mention::Expr(operand) => self.expr(operand),
                    Mention::Place(place, used) => self.place(place, used),
                    Mention::Result(_) => true,
                };
        });
        uniform
    }

    fn builtin(&self, builtin: Builtin) -> bool {
        let is_flat = |axis: Axis| self.kernel.block[axis.index()] == 1;
        match builtin {
            Builtin::ThreadIndex(axis) | Builtin::GlobalIndex(axis) => is_flat(axis),
            Builtin::LinearIndex | Builtin::LaneIndex => self.kernel.block_threads() == 1,
            Builtin::BlockIndex(_)
            | Builtin::GridSize(_)
            | Builtin::BlockSize(_)
            | Builtin::ClusterSize(_)
            | Builtin::ClusterBlock(_)
            | Builtin::ClusterIndex(_)
            | Builtin::OnGpu => true,
        }
    }

    /// The same for what is read at a place, or for its address or length.
    fn place(&self, id: PlaceId, used: Use) -> bool {
        let place = &self.body.places[id];
        if !place.indices().all(|index| self.expr(index)) {
            return false;
        }
        match place.base {
            PlaceBase::Table(_) => true,
            // Others may write there while it is read.
            PlaceBase::Shared(_) => used != Use::Load,
            PlaceBase::Local(local) if !self.is_uniform(local) => false,
            PlaceBase::Local(local) => {
                let is_own = place.part_of(&self.program.types, self.body).is_some();
                match used {
                    // Each thread has its own.
                    Use::Address if is_own => false,
                    Use::Subslice if is_own => matches!(self.program.types[place.ty], Type::Slice { .. }),
                    Use::Address | Use::Subslice | Use::Length => true,
                    Use::Load if is_own => true,
                    // No thread writes to it.
                    Use::Load => place.access != Access::Volatile && self.is_input(local),
                    Use::Store | Use::Atomic => false,
                }
            }
        }
    }

    /// True of a slice that the kernel takes as `&[T]`.
    fn is_input(&self, local: Handle<Local>) -> bool {
        let is_parameter = local.index() < self.kernel.parameters.len() && self.info.local(local).assigned_at_most(0);
        match self.program.types[self.body.locals[local].ty] {
            Type::Slice { element, mutable } => is_parameter && !mutable && !self.program.types.has_atomics(element),
            _ => false,
        }
    }
}
