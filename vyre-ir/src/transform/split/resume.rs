//! The statements of a part: the body from one barrier of the grid up to the next.
//!
//! A part keeps the loops around its barrier. The local `resumed` is true until the part has come to where it begins; until
//! then it skips what stands before the barrier in each loop, and the conditions of the branches around it.

use super::cuts::{cuts_in, cuts_of, is_cut};
use crate::ir::builder::BodyBuilder;
use crate::ir::{Block, Handle, Local, Stmt, StmtKind};

/// Appends the statements of a part to the open block: from behind the barrier `from`, of all by number in the order of the
/// text, or from the begin of the body. `arrive` appends what the threads do at a barrier, which ends them.
pub(super) fn part(
    b: &mut BodyBuilder<'_>,
    block: &Block,
    from: Option<usize>,
    arrive: &dyn Fn(&mut BodyBuilder<'_>, usize),
) {
    let walk = Walk { arrive };
    match from {
        None => walk.whole(b, block, 0),
        Some(from) => {
            let resumed = in_loop(block, 0, from).then(|| {
                let resumed = b.bool(true);
                b.let_("resumed", resumed)
            });
            walk.rest(b, block, 0, (from, resumed), false);
        }
    }
}

/// True if a loop is around the barrier of this number, where `first` is that of the first one in the block.
fn in_loop(block: &[Stmt], mut first: usize, from: usize) -> bool {
    for stmt in block {
        if (first..first + cuts_in(stmt)).contains(&from) {
            let mut inner = first;
            return matches!(stmt.kind, StmtKind::Loop { .. })
                || stmt.kind.blocks().any(|block| {
                    let here = in_loop(block, inner, from);
                    inner += cuts_of(block);
                    here
                });
        }
        first += cuts_in(stmt);
    }
    false
}

/// The number of the barrier at which the part begins, and the local that is true until it has come there, if that stands
/// in a loop.
type From = (usize, Option<Handle<Local>>);

struct Walk<'w> {
    arrive: &'w dyn Fn(&mut BodyBuilder<'_>, usize),
}

impl Walk<'_> {
    /// Statements from the first one on, where `first` is the number of their first barrier.
    fn whole(&self, b: &mut BodyBuilder<'_>, block: &[Stmt], mut first: usize) {
        for stmt in block {
            b.span = stmt.span;
            match &stmt.kind {
                _ if cuts_in(stmt) == 0 => b.append(vec![stmt.clone()]),
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => b.if_(
                    *condition,
                    |b| self.whole(b, then, first),
                    |b| self.whole(b, otherwise, first + cuts_of(then)),
                ),
                StmtKind::Loop { body, step } => b.loop_(
                    |b| self.whole(b, body, first),
                    |b| self.whole(b, step, first + cuts_of(body)),
                ),
                // The barrier ends the thread, and with it the block.
                _ => return (self.arrive)(b, first),
            }
            first += cuts_in(stmt);
        }
    }

    /// Statements with the barrier at which the part begins. In a loop they are repeated, from the first one on.
    fn rest(&self, b: &mut BodyBuilder<'_>, block: &[Stmt], first: usize, from: From, in_loop: bool) {
        let mut number = first;
        let position = block.iter().position(|stmt| {
            number += cuts_in(stmt);
            number > from.0
        });
        let Some(position) = position else { return };
        let stmt = &block[position];
        number -= cuts_in(stmt);
        // A later iteration comes to the barrier itself as to any other.
        let before = &block[..position + usize::from(is_cut(stmt))];
        if in_loop && !before.is_empty() {
            unless_resumed(b, from, |b| self.whole(b, before, first));
        }
        b.span = stmt.span;
        self.through(b, stmt, number, from, in_loop);
        self.whole(b, &block[position + 1..], number + cuts_in(stmt));
    }

    /// The statement with the barrier at which the part begins.
    fn through(&self, b: &mut BodyBuilder<'_>, stmt: &Stmt, first: usize, from: From, in_loop: bool) {
        match &stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let second = first + cuts_of(then);
                let is_then = from.0 < second;
                let inner = |b: &mut BodyBuilder<'_>, block: &Block, first, has_it| match has_it {
                    true => self.rest(b, block, first, from, in_loop),
                    false => self.whole(b, block, first),
                };
                if !in_loop {
                    // The branch was taken, once.
                    return match is_then {
                        true => inner(b, then, first, true),
                        false => inner(b, otherwise, second, true),
                    };
                }
                let taken = b.bool(is_then);
                let taken = b.let_("taken", taken);
                unless_resumed(b, from, |b| b.set(taken, *condition));
                let taken = b.get(taken);
                b.if_(
                    taken,
                    |b| inner(b, then, first, is_then),
                    |b| inner(b, otherwise, second, !is_then),
                );
            }
            StmtKind::Loop { body, step } => {
                let second = first + cuts_of(body);
                let is_body = from.0 < second;
                b.loop_(
                    |b| match is_body {
                        true => self.rest(b, body, first, from, true),
                        false => unless_resumed(b, from, |b| self.whole(b, body, first)),
                    },
                    |b| match is_body {
                        true => self.whole(b, step, second),
                        false => self.rest(b, step, second, from, true),
                    },
                );
            }
            _ => {
                debug_assert!(is_cut(stmt), "the barrier is in no other statement");
                if let (Some(resumed), true) = (from.1, in_loop) {
                    let no = b.bool(false);
                    b.set(resumed, no);
                }
            }
        }
    }
}

fn unless_resumed(b: &mut BodyBuilder<'_>, from: From, otherwise: impl FnOnce(&mut BodyBuilder<'_>)) {
    if let Some(resumed) = from.1 {
        let resumed = b.get(resumed);
        b.if_(resumed, |_| {}, otherwise);
    }
}
