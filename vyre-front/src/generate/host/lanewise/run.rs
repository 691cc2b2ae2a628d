//! Runs of statements that share a loop over the lanes.

use vyre_ir::ir::{Handle, Local, Mention, Stmt, StmtKind, Use};

use super::{Form, Lanewise};
use crate::code::{Code, code};
use crate::generate::host::body::Writer;

impl Writer<'_> {
    /// True in code of lanes, outside of that of a single one.
    pub(in crate::generate::host) fn are_lanes(&self) -> bool {
        self.lanewise.as_ref().is_some_and(|it| !it.inside)
    }

    /// The statements of a block in code of lanes. Neighbours that assign varying variables share a loop over the lanes.
    pub(in crate::generate::host) fn lanes_block(&mut self, block: &[&Stmt]) -> Code {
        let mut tokens = Code::default();
        let mut at = 0;
        while let Some(&stmt) = block.get(at) {
            let run = self.run_length(&block[at..]);
            match run {
                0 => {
                    if matches!(stmt.kind, StmtKind::Loop { .. }) {
                        self.note_assigned(&block[..at]);
                    }
                    self.declared(stmt, &mut tokens);
                }
                _ => self.lanes_run(&block[at..at + run], &mut tokens),
            }
            at += run.max(1);
            if matches!(
                stmt.kind,
                StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_)
            ) {
                break;
            }
        }
        tokens
    }

    /// The number of statements that share a loop, which ends with a store: values of several widths are slow together.
    fn run_length(&self, stmts: &[&Stmt]) -> usize {
        let mut length = 0;
        for stmt in stmts {
            if !self.is_of_variables(stmt) {
                break;
            }
            length += 1;
            if self.later(stmt).is_some() {
                break;
            }
        }
        length
    }

    /// True of a statement that assigns a varying variable, or what is stored to memory at the end, of values that take no
    /// atomic load.
    fn is_of_variables(&self, stmt: &Stmt) -> bool {
        let types = &self.context.program.types;
        let target = match &stmt.kind {
            StmtKind::Store { place, .. } => self.body.places[*place].part_of(types, self.body),
            StmtKind::Call { result, .. } => *result,
            _ => None,
        };
        let is_later = self.later(stmt).is_some();
        let mut is_plain = true;
        self.body.mentions_of(stmt, &mut |mention| {
            if let Mention::Place(id, Use::Load) = mention
                && let place = &self.body.places[id]
                && let Some(local) = place.local()
                && place.part_of(types, self.body).is_none()
            {
                is_plain &= self.accesses.is_plain(local);
            }
        });
        is_plain && (is_later || target.is_some_and(|local| self.form_of(local) == Some(Form::Varying)))
    }

    /// The number of a store that takes place at the end.
    fn later(&self, stmt: &Stmt) -> Option<usize> {
        match stmt.kind {
            StmtKind::Store { place, .. } => self.lanewise.as_ref()?.plan.later(place),
            _ => None,
        }
    }

    /// Such statements in a loop over the lanes. Variables that are mentioned nowhere else live in it.
    fn lanes_run(&mut self, stmts: &[&Stmt], tokens: &mut Code) {
        let Some(Lanewise { plan, .. }) = self.lanewise else {
            return;
        };
        let mut mentioned: Vec<(Handle<Local>, usize)> = Vec::new();
        for stmt in stmts {
            self.body.mentions_of(stmt, &mut |mention| {
                let local = match mention {
                    Mention::Expr(_) => None,
                    Mention::Place(place, _) => self.body.places[place].local(),
                    Mention::Result(local) => Some(local),
                };
                let Some(local) = local else { return };
                match mentioned.iter_mut().find(|(known, _)| *known == local) {
                    Some((_, count)) => *count += 1,
                    None => mentioned.push((local, 1)),
                }
            });
        }
        let is_kept = |local| self.regions.is_some_and(|regions| regions.is_kept(local));
        let temporaries = plan.variables.iter().filter(|it| {
            let is_here = mentioned.contains(&(it.local, it.mentions));
            let info = self.info.local(it.local);
            is_here && !info.read_unwritten && !is_kept(it.local) && self.form_of(it.local) == Some(Form::Varying)
        });
        let temporaries: Vec<_> = temporaries.map(|it| (it.local, false)).collect();
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.temporaries.extend(temporaries);
        }
        let (mut inside, mut after) = (Code::default(), Code::default());
        for stmt in stmts {
            let here = self.at(stmt.span);
            let outer = std::mem::replace(&mut self.span, here);
            let mut parts = Vec::new();
            stmt.kind.mentions(&mut |mention| parts.push(mention));
            for part in parts {
                self.prepare(part, tokens);
            }
            if let Some(lanewise) = &mut self.lanewise {
                inside.append(std::mem::take(&mut lanewise.heads));
            }
            match (self.later(stmt), &stmt.kind) {
                (Some(number), &StmtKind::Store { place, value }) => {
                    let (assigned, found) = self.later_store(number, place, value);
                    inside.append(assigned);
                    after.append(found);
                }
                _ => self.in_lane(|writer| writer.statement(stmt, &mut inside)),
            }
            self.forget();
            self.span = outer;
        }
        let span = self.span;
        tokens.append(code!(span=> for __l in 0..__N { #inside } #after));
    }

    /// The form of a local.
    fn form_of(&self, local: Handle<Local>) -> Option<Form> {
        self.lanewise.as_ref().map(|it| it.lanes.local(local))
    }

    /// True if a variable that lives within a loop over the lanes has been assigned; `None` of others.
    pub(super) fn temporary(&self, local: Handle<Local>) -> Option<bool> {
        let temporaries = &self.lanewise.as_ref()?.temporaries;
        let found = temporaries.iter().find(|(known, _)| *known == local);
        found.map(|(_, is_assigned)| *is_assigned)
    }

    /// The words that declare a variable of a loop over the lanes, where it is assigned first.
    pub(in crate::generate::host) fn begins_in_lane(&mut self, local: Handle<Local>) -> Option<Code> {
        let span = self.span;
        let temporaries = &mut self.lanewise.as_mut()?.temporaries;
        let (_, is_assigned) = temporaries.iter_mut().find(|(known, _)| *known == local)?;
        if std::mem::replace(is_assigned, true) {
            return None;
        }
        // Elements of an array are read by a pointer that could write.
        Some(code!(span=> let mut))
    }
}
