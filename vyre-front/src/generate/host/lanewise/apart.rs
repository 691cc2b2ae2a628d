//! Loops that some lanes leave before the others.
//!
//! Where a block fills an array of shared memory that is a little wider than itself, `while column < 34`, its first threads
//! go round once more. All lanes run such a loop together as long as they agree; from there on it runs lane by lane, in a
//! second copy of its code, and then they go on together. A chunk that gave up there would do so each time.
//!
//! The condition compares a linear value with a constant: loops over the elements of a slice part in one chunk at most. Where
//! a loop has effects, it is any bound, since no chunk gives up there.

use vyre_ir::ir::{ExprId, ExprKind, Handle, Local, Stmt, StmtKind};

use super::Form;
use crate::code::{Code, code};
use crate::generate::host::body::Writer;
use crate::generate::host::lanes::{condition_of, own_of};

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
        let plan = self.lanewise.as_ref()?.plan;
        let effects = plan.effects.iter().find(|it| it.is(stmt));
        let (id, op, [left, right]) = condition_of(self.body, stmt)?;
        let own = match effects {
            Some(effects) => effects.own.clone(),
            None => self.own_of(stmt, [left, right])?,
        };
        let span = self.span;
        let is_left = self.form(left) == Some(Form::Linear);
        // Where the lanes wrap, they run one by one, or give up.
        let otherwise = match effects {
            Some(_) => code!(span=> else { break '__ends (__first, !__first) }),
            None => code!(span=> else { return __Err(__Left) }),
        };
        let end = match is_left {
            true => code!(span=> let __Ok(__a) = __t.last_lane(__a, __N) #otherwise;),
            false => code!(span=> let __Ok(__b) = __t.last_lane(__b, __N) #otherwise;),
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
            if effects.is_none() {
                inside.append(code!(span=> if __first && !#stays { break; }));
            }
            writer.statement(stmt, &mut inside);
        });
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.own.clear();
        }
        let label = self.label("l", number);
        Some(code! {span=>
            let (__first, __last) = ('__ends: { let (__a, __b) = (#a, #b); let __first = #first; #end (__first, #last) });
            if __first != __last {
                for __l in 0..__N { #inside }
                break #label;
            }
        })
    }

    /// [`own_of`], of a loop whose condition compares a linear value with a constant.
    fn own_of(&self, stmt: &Stmt, operands: [ExprId; 2]) -> Option<Vec<(Handle<Local>, bool)>> {
        let lanewise = self.lanewise.as_ref()?;
        let is_constant = |id: ExprId| matches!(self.body.exprs[id].kind, ExprKind::Constant(_));
        let is_linear = |id: ExprId| self.form(id) == Some(Form::Linear);
        let [left, right] = operands;
        if !(is_linear(left) && is_constant(right) || is_constant(left) && is_linear(right)) {
            return None;
        }
        let variables = (&lanewise.plan.variables[..], &lanewise.assigned[..]);
        own_of((self.body, self.info), lanewise.lanes, variables, stmt)
    }
}
