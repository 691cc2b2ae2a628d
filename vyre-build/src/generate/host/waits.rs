//! Which loops wait for other threads, and which bodies pause.
//!
//! A loop waits if whether it ends depends on an atomic access, or a volatile load, within it. Between two passes of
//! such a loop the thread gives way to the others of its block, and leaves if the launch has
//! faulted. A body pauses if it has a barrier, an exchange or a loop that waits, or calls a function that
//! pauses: the CPU runs it as a future.
//!
//! Within a loop, what an atomic access yields flows
//! - from an expression to the local, or to memory, that it is stored to, and out of memory again;
//! - from a condition to everything that is stored under it, and, where a branch jumps, to
//!   everything that follows in the loop.
//!
//! A jump out of the loop that it reaches makes the loop wait. The rule errs towards waiting, which
//! costs some nanoseconds for each round.

use std::collections::HashMap;

use vyre_core::ir::{
    Access, Block, Body, ExprId, Function, Handle, Local, PlaceBase, PlaceId, Program, Stmt, StmtKind,
};

use super::table::Table;
use super::walk::{self, Mention, Use};

/// What is known of a function, for its callers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FunctionFacts {
    /// Whether it pauses.
    pub(super) pauses: bool,
    /// Whether it, or a function that it calls, reads atomic cells.
    reads_atomics: bool,
}

/// What is known of a body.
#[derive(Debug, Default)]
pub(super) struct Waits {
    loops: Vec<*const Stmt>,
    pub(super) facts: FunctionFacts,
}

impl Waits {
    /// Whether a loop waits.
    pub(super) fn is_wait(&self, stmt: &Stmt) -> bool {
        self.loops.contains(&std::ptr::from_ref(stmt))
    }
}

/// Finds the loops of a body that wait, given what is known of the functions that it calls.
pub(super) fn waits(program: &Program, body: &Body, functions: &HashMap<Handle<Function>, Waits>) -> Waits {
    let mut found = Waits::default();
    let called = |function: Handle<Function>| {
        functions
            .get(&function)
            .map_or_else(Default::default, |waits| waits.facts)
    };
    walk::statements(&body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Barrier
        | StmtKind::NamedBarrier { .. }
        | StmtKind::GridBarrier
        | StmtKind::ClusterBarrier
        | StmtKind::BarrierCount { .. }
        | StmtKind::Warp { .. } => {
            found.facts.pauses = true;
        }
        StmtKind::Call { function, .. } => {
            let called = called(*function);
            found.facts.pauses |= called.pauses;
            found.facts.reads_atomics |= called.reads_atomics;
        }
        StmtKind::Atomic { result: Some(_), .. } => found.facts.reads_atomics = true,
        _ => {}
    });
    walk::statements(&body.block, &mut |stmt| {
        walk::statement(body, stmt, &mut |mention| {
            found.facts.reads_atomics |=
                matches!(mention, Mention::Place(place, Use::Load) if is_volatile(body, place));
        });
    });
    if !found.facts.reads_atomics {
        return found;
    }
    let addressed = addressed(body);
    walk::statements(&body.block, &mut |stmt| {
        if let StmtKind::Loop { body: inside, step } = &stmt.kind {
            let mut flow = Flow::new(program, body, &called, &addressed);
            if flow.reaches_exit([inside, step]) {
                found.loops.push(stmt);
                found.facts.pauses = true;
            }
        }
    });
    found
}

/// Whether what is loaded from a place may be another thread's, as what an atomic access yields.
fn is_volatile(body: &Body, place: PlaceId) -> bool {
    body.places[place].access == Access::Volatile
}

/// The locals whose address is taken.
fn addressed(body: &Body) -> Vec<Handle<Local>> {
    let mut locals = Vec::new();
    walk::statements(&body.block, &mut |stmt| {
        walk::statement(body, stmt, &mut |mention| {
            if let Mention::Place(place, Use::Address) = mention {
                locals.extend(walk::base_local(&body.places[place]));
            }
        });
    });
    locals
}

/// How far the values of the atomic accesses of one loop flow.
struct Flow<'a> {
    program: &'a Program,
    body: &'a Body,
    called: &'a dyn Fn(Handle<Function>) -> FunctionFacts,
    addressed: &'a [Handle<Local>],
    /// Those that it reaches.
    locals: Table<Local, bool>,
    memory: bool,
    /// Loops within this one whose end it reaches.
    loops: Vec<*const Stmt>,
    /// Whether it reaches a jump out of this loop.
    exits: bool,
    changed: bool,
}

impl<'a> Flow<'a> {
    fn new(
        program: &'a Program,
        body: &'a Body,
        called: &'a dyn Fn(Handle<Function>) -> FunctionFacts,
        addressed: &'a [Handle<Local>],
    ) -> Self {
        Flow {
            program,
            body,
            called,
            addressed,
            locals: Table::new(),
            memory: false,
            loops: Vec::new(),
            exits: false,
            changed: false,
        }
    }

    fn reaches_exit(&mut self, blocks: [&Block; 2]) -> bool {
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

    /// Follows a block that is itself reached or not; tells whether what follows it is.
    /// `inner` are the loops around it that lie within the one in question, outermost first.
    fn block(&mut self, block: &Block, inner: &mut Vec<*const Stmt>, mut reached: bool) -> bool {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Store { place, value } if reached || self.reads(*value) => self.write(*place),
                StmtKind::AsyncCopy { ends, .. } if reached || ends.iter().any(|&end| self.reads(end)) => {
                    self.extend(self.addressed.iter().copied());
                    self.reach_memory();
                }
                StmtKind::Atomic { result, .. } => self.extend(*result),
                StmtKind::Warp { operands, result, .. }
                    if reached || operands.iter().any(|&operand| self.reads(operand)) =>
                {
                    self.extend(*result);
                }
                StmtKind::BarrierCount { predicate, result } if reached || self.reads(*predicate) => {
                    self.extend(*result);
                }
                StmtKind::Call {
                    function,
                    arguments,
                    result,
                } => {
                    let from_arguments = arguments.iter().any(|&argument| self.reads(argument));
                    if reached || from_arguments || (self.called)(*function).reads_atomics {
                        self.extend(*result);
                        self.extend(self.addressed.iter().copied());
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
                    let this = std::ptr::from_ref(stmt);
                    inner.push(this);
                    let within = reached || self.loops.contains(&this);
                    let after = self.block(body, inner, within);
                    self.block(step, inner, after);
                    inner.pop();
                    reached |= self.loops.contains(&this);
                }
                StmtKind::Break(depth) if reached => {
                    let depth = *depth as usize;
                    if depth >= inner.len() {
                        self.exits = true;
                    } else {
                        let left = inner[inner.len() - 1 - depth];
                        if !self.loops.contains(&left) {
                            self.loops.push(left);
                            self.changed = true;
                        }
                    }
                }
                StmtKind::Return(_) if reached => self.exits = true,
                _ => {}
            }
        }
        reached
    }

    /// Whether an expression depends on what has been reached.
    fn reads(&self, expr: ExprId) -> bool {
        let mut reads = false;
        walk::expression(self.body, expr, &mut |mention| {
            if let Mention::Place(id, used @ (Use::Load | Use::Length | Use::Address)) = mention {
                let place = &self.body.places[id];
                reads |= used == Use::Load && is_volatile(self.body, id);
                reads |= walk::base_local(place).is_some_and(|local| self.locals.get(local));
                reads |= self.memory && self.is_memory(id);
            }
        });
        reads
    }

    fn write(&mut self, id: PlaceId) {
        if self.is_memory(id) {
            self.reach_memory();
            // The memory may be a local, through a reference.
            self.extend(self.addressed.iter().copied());
        } else {
            self.extend(walk::base_local(&self.body.places[id]));
        }
    }

    fn extend(&mut self, locals: impl IntoIterator<Item = Handle<Local>>) {
        for local in locals {
            self.changed |= !std::mem::replace(self.locals.at(local), true);
        }
    }

    fn reach_memory(&mut self) {
        self.changed |= !self.memory;
        self.memory = true;
    }

    /// Whether a place lies outside of the locals themselves.
    fn is_memory(&self, id: PlaceId) -> bool {
        let place = &self.body.places[id];
        match place.base {
            PlaceBase::Local(_) => walk::leaves_local(&self.program.types, self.body, place),
            PlaceBase::Shared(_) => true,
            PlaceBase::Table(_) => false,
        }
    }
}

/// Whether a block jumps out of itself.
fn jumps(block: &Block) -> bool {
    let mut found = false;
    walk::statements(block, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_)
        );
    });
    found
}
