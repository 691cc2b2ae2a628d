//! Loops that some lanes leave before the others.
//!
//! Where a block fills an array of shared memory that is a little wider than itself, `while column < 34`, its first threads
//! go round once more. All lanes run such a loop together as long as they agree; from there on it runs lane by lane, in a
//! second copy of its code, and then they go on together. A chunk that gave up there would do so each time.
//!
//! The condition compares a linear value with a constant: loops over the elements of a slice part in one chunk at most.

use vyre_ir::ir::{BinaryOp, Block, ExprId, ExprKind, Handle, Local, Mention, Stmt, StmtKind, Use, each_stmt};

use super::Form;
use crate::code::{Code, code};
use crate::generate::host::body::Writer;

impl Writer<'_> {
    /// Notes what the statements before a loop, of the same block, assign as a whole.
    pub(super) fn note_assigned(&mut self, before: &[&Stmt]) {
        let mut assigned = Vec::new();
        for stmt in before {
            if let StmtKind::Store { place, .. } = stmt.kind {
                assigned.extend(self.body.places[place].whole_local());
            }
        }
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.assigned = assigned;
        }
    }

    /// The code at the start of an iteration of a loop, in code of lanes, by which it goes on lane by lane where they do
    /// not agree on its condition; `None` if it gives up there.
    pub(in crate::generate::host) fn apart_loop(&mut self, stmt: &Stmt, number: usize) -> Option<Code> {
        if !self.are_lanes() {
            return None;
        }
        let (id, op, [left, right]) = self.condition_of(stmt)?;
        let own = self.own_of(stmt)?;
        let span = self.span;
        let is_left = self.form(left) == Some(Form::Linear);
        let end = match is_left {
            true => code!(span=> let __a = __t.last_lane(__a, __N)?;),
            false => code!(span=> let __b = __t.last_lane(__b, __N)?;),
        };
        let (a, b) = (self.expr(left), self.expr(right));
        let result = |writer: &Self| writer.combined(op, None, code!(span=> __a), code!(span=> __b));
        let (first, last) = (result(self), result(self));
        let mut inside = Code::default();
        for &(local, is_within) in &own {
            let (name, ty) = (&self.lanes_name(local), self.ty(self.body.locals[local].ty));
            let linear = self.lanewise.as_ref()?.lanes.local(local) == Form::Linear;
            inside.append(match (is_within, linear) {
                (true, _) => code!(span=> let mut #name: #ty = __zero();),
                (false, true) => code!(span=> let mut #name = __v::lane(#name, __l);),
                (false, false) => code!(span=> let mut #name = #name;),
            });
        }
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.own = own.into_iter().map(|(local, _)| local).collect();
        }
        self.in_lane(|writer| {
            let stays = writer.expr(id);
            // Where the first lane goes on, those that do come before those that do not.
            inside.append(code!(span=> if __first && !#stays { break; }));
            writer.statement(stmt, &mut inside);
        });
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.own.clear();
        }
        let label = self.label("l", number);
        Some(code! {span=>
            let (__first, __last) = ({ let (__a, __b) = (#a, #b); let __first = #first; #end (__first, #last) });
            if __first != __last {
                for __l in 0..__N { #inside }
                break #label;
            }
        })
    }

    /// The condition on which a loop goes on, if that compares a linear value with a constant.
    fn condition_of(&self, stmt: &Stmt) -> Option<(ExprId, BinaryOp, [ExprId; 2])> {
        let StmtKind::Loop { body, .. } = &stmt.kind else {
            return None;
        };
        let StmtKind::If {
            condition,
            then,
            otherwise,
        } = &body.first()?.kind
        else {
            return None;
        };
        let leaves = matches!(&otherwise[..], [only] if matches!(only.kind, StmtKind::Break(0)));
        if !then.is_empty() || !leaves {
            return None;
        }
        let ExprKind::Binary { op, left, right } = self.body.exprs[*condition].kind else {
            return None;
        };
        let is_constant = |id| matches!(self.body.exprs[id].kind, ExprKind::Constant(_));
        let is_linear = |id| self.form(id) == Some(Form::Linear);
        let is_one = is_linear(left) && is_constant(right) || is_constant(left) && is_linear(right);
        let is_ordered = matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        (is_ordered && is_one).then_some((*condition, op, [left, right]))
    }

    /// The variables of a loop that are scalars of each lane where it runs lane by lane, and whether they live in it alone.
    /// `None` if one that all lanes share lives on, or if the loop is left in another way than by its own end.
    fn own_of(&self, stmt: &Stmt) -> Option<Vec<(Handle<Local>, bool)>> {
        let lanewise = self.lanewise.as_ref()?;
        let body = self.body;
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
            let is_variable = lanewise.plan.variables.iter().any(|it| it.local == local);
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
            let is_unwritten = self.info.local(local).read_unwritten;
            if all[0] == mentions && !is_unwritten {
                own.push((local, true));
            } else if lanewise.lanes.local(local) != Form::Varying {
                if all[1] != reads || is_unwritten || !lanewise.assigned.contains(&local) {
                    return None;
                }
                own.push((local, false));
            }
        }
        Some(own)
    }
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
