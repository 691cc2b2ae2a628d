//! Detection of loops that wait for other threads.
//!
//! A loop waits if its termination depends on an atomic access, or a volatile load, within it.
//! Between two iterations of such a loop a thread yields to others, and exits if the launch has
//! faulted.
//!
//! Within a loop, the result of an atomic access flows
//! - from an expression to the local, or to memory, that it is stored to, and out of memory again;
//! - from a condition to everything stored under it, and, if a branch jumps, to everything that
//!   follows in the loop.
//!
//! If it reaches a jump out of the loop, the loop waits. The analysis is conservative: a loop that
//! waits needlessly costs some nanoseconds per iteration.

use super::info::{AddressTaken, BodyInfo, ProgramInfo};
use crate::ir::{
    Access, Block, Body, ExprId, Handle, Local, Mention, Operand, PlaceBase, PlaceId, Program, Stmt, StmtKind, Use,
    each_stmt,
};

impl<'p> ProgramInfo<'p> {
    /// The waiting loops of a body, given the effects of its callees.
    pub(super) fn waiting(&self, program: &'p Program, body: &'p Body, info: &BodyInfo<'p>) -> Vec<&'p Stmt> {
        let mut called = info.calls.iter().map(|&function| self.function(function).effects);
        let mut waiting = Vec::new();
        if !info.own.reads_others && !called.any(|effects| effects.reads_others) {
            return waiting;
        }
        each_stmt(&body.block, &mut |stmt| {
            if let StmtKind::Loop { body: inside, step } = &stmt.kind {
                let mut flow = Flow {
                    facts: self,
                    program,
                    body,
                    info,
                    locals: vec![false; body.locals.len()],
                    memory: false,
                    loops: Vec::new(),
                    exits: false,
                    changed: false,
                };
                if flow.reaches_exit([inside, step]) {
                    waiting.push(stmt);
                }
            }
        });
        waiting
    }
}

/// The data flow of the atomic accesses of one loop.
struct Flow<'a, 'p> {
    facts: &'a ProgramInfo<'p>,
    program: &'p Program,
    body: &'p Body,
    info: &'a BodyInfo<'p>,
    /// The tainted locals.
    locals: Vec<bool>,
    memory: bool,
    /// Inner loops whose termination is tainted.
    loops: Vec<&'p Stmt>,
    /// True if a jump out of this loop is tainted.
    exits: bool,
    changed: bool,
}

impl<'p> Flow<'_, 'p> {
    fn reaches_exit(&mut self, blocks: [&'p Block; 2]) -> bool {
        loop {
            self.changed = false;
            let mut reached = false;
            for block in blocks {
                reached = self.block(block, &mut Vec::new(), reached);
            }
            if self.exits || !self.changed {
                return self.exits;
            }
        }
    }

    /// Follows a block that is tainted or not; returns true if the code after it is. `inner` are
    /// the loops around it that lie within the analysed one, outermost first.
    fn block(&mut self, block: &'p Block, inner: &mut Vec<&'p Stmt>, mut reached: bool) -> bool {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Store { place, value } if reached || self.reads(*value) => self.write(*place),
                StmtKind::Intrinsic {
                    intrinsic,
                    operands,
                    result,
                } if reached || operands.iter().any(|&operand| self.reads(operand)) => {
                    self.extend(*result);
                    if intrinsic.row().operands.contains(&Operand::Target) {
                        self.reach_memory();
                    }
                }
                StmtKind::Atomic { result, .. } => self.extend(*result),
                StmtKind::Call {
                    function,
                    arguments,
                    result,
                } => {
                    let from_arguments = arguments.iter().any(|&argument| self.reads(argument));
                    if reached || from_arguments || self.facts.function(*function).effects.reads_others {
                        self.extend(*result);
                        self.reach_memory();
                    }
                }
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let within = reached || self.reads(*condition);
                    let after_then = self.block(then, inner, within);
                    let after_otherwise = self.block(otherwise, inner, within);
                    reached |= after_then && jumps(then);
                    reached |= after_otherwise && jumps(otherwise);
                }
                StmtKind::Loop { body, step } => {
                    inner.push(stmt);
                    let within = reached || self.leaves(stmt);
                    let after = self.block(body, inner, within);
                    self.block(step, inner, after);
                    inner.pop();
                    reached |= self.leaves(stmt);
                }
                StmtKind::Break(depth) if reached => match inner.iter().rev().nth(*depth as usize) {
                    None => self.exits = true,
                    Some(&left) if !self.leaves(left) => {
                        self.loops.push(left);
                        self.changed = true;
                    }
                    Some(_) => {}
                },
                StmtKind::Return(_) if reached => self.exits = true,
                _ => {}
            }
        }
        reached
    }

    /// True if the termination of an inner loop is tainted.
    fn leaves(&self, inner: &Stmt) -> bool {
        self.loops.iter().any(|&known| std::ptr::eq(known, inner))
    }

    /// True if an expression depends on a tainted value.
    fn reads(&self, expr: ExprId) -> bool {
        let mut reads = false;
        self.body.inside(Mention::Expr(expr), &mut |mention| {
            if let Mention::Place(id, used) = mention {
                let place = &self.body.places[id];
                reads |= used == Use::Load && place.access == Access::Volatile;
                reads |= place.local().is_some_and(|local| self.locals[local.index()]);
                reads |= self.memory && self.is_memory(id);
            }
        });
        reads
    }

    fn write(&mut self, id: PlaceId) {
        if self.is_memory(id) {
            self.reach_memory();
        } else {
            self.extend(self.body.places[id].local());
        }
    }

    fn extend(&mut self, local: Option<Handle<Local>>) {
        if let Some(local) = local {
            self.changed |= !std::mem::replace(&mut self.locals[local.index()], true);
        }
    }

    /// The memory may be a local, through a reference.
    fn reach_memory(&mut self) {
        self.changed |= !self.memory;
        self.memory = true;
        for local in self.body.locals.handles() {
            if self.info.local(local).address != AddressTaken::No {
                self.extend(Some(local));
            }
        }
    }

    /// True if a place is outside of the locals themselves.
    fn is_memory(&self, id: PlaceId) -> bool {
        let place = &self.body.places[id];
        match place.base {
            PlaceBase::Local(_) => place.part_of(&self.program.types, self.body).is_none(),
            PlaceBase::Shared(_) => true,
            PlaceBase::Table(_) => false,
        }
    }
}

/// True if a block jumps out of itself.
fn jumps(block: &Block) -> bool {
    let mut found = false;
    each_stmt(block, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_)
        );
    });
    found
}
