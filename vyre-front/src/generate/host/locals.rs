//! Placement of the declarations of locals in CPU bodies.
//!
//! A local of the program lives from the start of its body. Declared there, every local would be
//! saved across every barrier by the state machine that rustc generates for the body, so each is
//! declared in the innermost block that contains all its mentions:
//! - at the first statement that mentions it, if that assigns all of it and reads none of it;
//! - otherwise before that statement, with zero bits; and outside of all loops, because the value
//!   may be loop-carried.

use vyre_ir::ir::{Block, Body, Handle, Local, Mention, Stmt, StmtKind};
use vyre_ir::validate::BodyInfo;

use super::table::Table;

/// The declarations of a body.
#[derive(Debug, Default)]
pub(super) struct Declarations<'b> {
    /// By statement: the locals that are declared, with zero bits, before it.
    before: Vec<(&'b Stmt, Vec<Handle<Local>>)>,
    /// By local: the statement that declares it by its first value.
    by_value: Table<Local, Option<&'b Stmt>>,
    /// By local: whether it is assigned at all, and more than once or otherwise than as a whole.
    assigned: Table<Local, (bool, bool)>,
}

impl Declarations<'_> {
    /// The locals to declare before a statement.
    pub(super) fn before(&self, stmt: &Stmt) -> &[Handle<Local>] {
        let found = self.before.iter().find(|(at, _)| std::ptr::eq(*at, stmt));
        found.map_or(&[], |(_, locals)| locals)
    }

    /// True if a statement that writes a local also declares it.
    pub(super) fn declares(&self, stmt: &Stmt, local: Handle<Local>) -> bool {
        self.by_value
            .get(local)
            .is_some_and(|declaring| std::ptr::eq(declaring, stmt))
    }

    /// Leaves those of some locals alone; the others are declared elsewhere.
    pub(super) fn only(&mut self, is_here: impl Fn(Handle<Local>) -> bool) {
        self.before.clear();
        for index in 0..self.by_value.len() {
            let local = Handle::new(index);
            if !is_here(local) {
                *self.by_value.at(local) = None;
            }
        }
    }

    /// True if a local that a statement declares by its value is written again later.
    pub(super) fn changes(&self, local: Handle<Local>) -> bool {
        self.assigned.get(local).1
    }

    /// True if a parameter is written.
    pub(super) fn is_written(&self, parameter: Handle<Local>) -> bool {
        self.assigned.get(parameter).0
    }
}

/// A place in the tree of blocks.
#[derive(Clone, Copy)]
struct Position {
    block: usize,
    stmt: usize,
}

struct Scope<'b> {
    block: &'b Block,
    /// The position of the statement that contains this block; `None` for the outermost.
    parent: Option<Position>,
    depth: u32,
    in_loop: bool,
}

struct Finder<'b> {
    body: &'b Body,
    scopes: Vec<Scope<'b>>,
    homes: Table<Local, Option<Position>>,
}

/// Finds the declarations of a body whose first locals are `parameters` parameters.
pub(super) fn declarations<'b>(body: &'b Body, info: &BodyInfo<'_>, parameters: usize) -> Declarations<'b> {
    let mut finder = Finder {
        body,
        scopes: Vec::new(),
        homes: Table::new(),
    };
    finder.block(&body.block, None, false);
    let mut found = Declarations::default();
    for local in body.locals.handles() {
        let info = info.local(local);
        *found.assigned.at(local) = (!info.assigned_at_most(0), !info.assigned_at_most(1));
    }
    for local in body.locals.handles().skip(parameters) {
        let Some(home) = finder.homes.get(local) else {
            continue;
        };
        let stmt = &finder.scopes[home.block].block[home.stmt];
        // Inline PTX generates no code.
        if !info.local(local).read_unwritten && !matches!(stmt.kind, StmtKind::Ptx { .. }) {
            *found.by_value.at(local) = Some(stmt);
        } else {
            let home = finder.outside_loops(home);
            let stmt = &finder.scopes[home.block].block[home.stmt];
            match found.before.iter_mut().find(|(at, _)| std::ptr::eq(*at, stmt)) {
                Some((_, locals)) => locals.push(local),
                None => found.before.push((stmt, vec![local])),
            }
        }
    }
    found
}

impl<'b> Finder<'b> {
    fn block(&mut self, block: &'b Block, parent: Option<Position>, in_loop: bool) {
        let number = self.scopes.len();
        let depth = parent.map_or(0, |parent| self.scopes[parent.block].depth + 1);
        self.scopes.push(Scope {
            block,
            parent,
            depth,
            in_loop,
        });
        for (index, stmt) in block.iter().enumerate() {
            let position = Position {
                block: number,
                stmt: index,
            };
            let body = self.body;
            body.mentions_of(stmt, &mut |mention| {
                let local = match mention {
                    Mention::Expr(_) => None,
                    Mention::Place(place, _) => body.places[place].local(),
                    Mention::Result(local) => Some(local),
                };
                if let Some(local) = local {
                    self.mention(local, position);
                }
            });
            let in_loop = in_loop || matches!(stmt.kind, StmtKind::Loop { .. });
            for inner in stmt.kind.blocks() {
                self.block(inner, Some(position), in_loop);
            }
        }
    }

    fn mention(&mut self, local: Handle<Local>, position: Position) {
        let home = match self.homes.get(local) {
            None => position,
            Some(home) => self.common(home, position),
        };
        *self.homes.at(local) = Some(home);
    }

    /// The earlier of two positions, each raised to the innermost block that holds both.
    fn common(&self, mut a: Position, mut b: Position) -> Position {
        while a.block != b.block {
            let deeper = if self.scopes[a.block].depth >= self.scopes[b.block].depth {
                &mut a
            } else {
                &mut b
            };
            match self.scopes[deeper.block].parent {
                Some(parent) => *deeper = parent,
                // The outermost block holds everything.
                None => return *deeper,
            }
        }
        if a.stmt <= b.stmt { a } else { b }
    }

    fn outside_loops(&self, mut position: Position) -> Position {
        while self.scopes[position.block].in_loop {
            match self.scopes[position.block].parent {
                Some(parent) => position = parent,
                None => break,
            }
        }
        position
    }
}

#[cfg(test)]
mod tests;
