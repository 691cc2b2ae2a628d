//! Regions that load atomically: a thread that runs again may load other values than the lanes did.
//!
//! Where lanes have given up, what they have stored stays. That is as if they had never run if their threads store to the
//! same elements once more, whatever they load: no index of a store that takes place at once, and no condition before it,
//! may come of an atomic load. What is stored may. Stores that take place at the end are none of lanes that give up.

use vyre_ir::ir::{AtomicOp, ExprId, Handle, Local, Mention, Stmt, StmtKind, each_stmt};

use super::Plan;
use super::plan::Finder;
use crate::generate::host::regions::Region;

impl Finder<'_> {
    /// True if a thread of a region that runs again stores to the same elements.
    pub(super) fn stores_again(&self, region: &Region<'_>, plan: &Plan) -> bool {
        let (mut loads, mut stores) = (false, false);
        for stmt in &region.stmts {
            each_one(stmt, &mut |stmt| match stmt.kind {
                StmtKind::Atomic { op, .. } => loads |= op == AtomicOp::Load,
                StmtKind::Store { place, .. } => {
                    let is_variable = self.body.places[place].part_of(self.types, self.body).is_some();
                    stores |= !is_variable && plan.later(place).is_none();
                }
                _ => {}
            });
        }
        if !loads || !stores {
            return true;
        }
        let mut loaded = Vec::new();
        loop {
            let known = loaded.len();
            for stmt in &region.stmts {
                self.find_loaded(stmt, false, &mut loaded);
            }
            if loaded.len() == known {
                break;
            }
        }
        region
            .stmts
            .iter()
            .all(|stmt| self.is_done_again(stmt, false, &loaded, plan))
    }

    /// Finds the variables whose values come of atomic loads. `depends` under a condition that does.
    fn find_loaded(&self, stmt: &Stmt, depends: bool, loaded: &mut Vec<Handle<Local>>) {
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                let place = &self.body.places[*place];
                if let Some(local) = place.part_of(self.types, self.body) {
                    let reads = self.reads(*value, loaded) || place.indices().any(|index| self.reads(index, loaded));
                    add(local, depends || reads, loaded);
                }
            }
            StmtKind::Call {
                arguments,
                result: Some(local),
                ..
            } => {
                let reads = arguments.iter().any(|&argument| self.reads(argument, loaded));
                add(*local, depends || reads, loaded);
            }
            StmtKind::Atomic {
                result: Some(local), ..
            } => add(*local, true, loaded),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let depends = depends || self.reads(*condition, loaded);
                for stmt in then.iter().chain(otherwise) {
                    self.find_loaded(stmt, depends, loaded);
                }
            }
            StmtKind::Loop { body, step } => {
                for stmt in body.iter().chain(step) {
                    self.find_loaded(stmt, depends, loaded);
                }
            }
            _ => {}
        }
    }

    /// True if an expression reads one of the variables.
    fn reads(&self, expr: ExprId, loaded: &[Handle<Local>]) -> bool {
        let mut found = false;
        self.body.inside(Mention::Expr(expr), &mut |mention| {
            if let Mention::Place(place, _) = mention
                && let Some(local) = self.body.places[place].local()
            {
                found |= loaded.contains(&local);
            }
        });
        found
    }

    /// True if a statement stores and jumps whatever the variables hold.
    fn is_done_again(&self, stmt: &Stmt, depends: bool, loaded: &[Handle<Local>], plan: &Plan) -> bool {
        match &stmt.kind {
            StmtKind::Store { place, .. } => {
                let target = &self.body.places[*place];
                let is_variable = target.part_of(self.types, self.body).is_some();
                let is_same = !depends && !target.indices().any(|index| self.reads(index, loaded));
                is_variable || plan.later(*place).is_some() || is_same
            }
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_) => !depends,
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let depends = depends || self.reads(*condition, loaded);
                let mut stmts = then.iter().chain(otherwise);
                stmts.all(|stmt| self.is_done_again(stmt, depends, loaded, plan))
            }
            StmtKind::Loop { body, step } => {
                let mut stmts = body.iter().chain(step);
                stmts.all(|stmt| self.is_done_again(stmt, depends, loaded, plan))
            }
            _ => true,
        }
    }
}

fn add(local: Handle<Local>, depends: bool, loaded: &mut Vec<Handle<Local>>) {
    if depends && !loaded.contains(&local) {
        loaded.push(local);
    }
}

/// Calls `visit` with a statement and those of its blocks.
fn each_one<'b>(stmt: &'b Stmt, visit: &mut dyn FnMut(&'b Stmt)) {
    visit(stmt);
    for block in stmt.kind.blocks() {
        each_stmt(block, visit);
    }
}
