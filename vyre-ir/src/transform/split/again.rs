//! The statements before a cut that a part repeats, for the locals that it reads.

use super::{Refusal, RefusalKind};
use crate::ir::{
    Access, Block, Body, Expr, ExprKind, Function, Handle, Local, Mention, PlaceBase, PlaceId, Program, Projection,
    Span, Stmt, StmtKind, Type, TypeId, Use, each_stmt,
};

/// The search for them.
pub(super) struct Again<'p> {
    program: &'p Program,
    body: &'p Body,
    /// The parameters, which are the first locals.
    parameters: usize,
    /// By local: true if the part needs its value from before the cut.
    needed: Vec<bool>,
    /// By local: true if a statement of the body assigns it, or a part of it.
    assigned: Vec<bool>,
    /// By local: true if its address is taken, so that it may be written by other names.
    addressed: Vec<bool>,
    /// By local: true if it is not computed again.
    kept: &'p [bool],
}

/// Why a part cannot compute again what it needs.
pub(super) enum Stop {
    /// Memory must hold the values of these.
    Keep(Vec<Handle<Local>>),
    Refused(Refusal),
}

impl<'p> Again<'p> {
    /// The statements, of those before the cut, where `needed` has the locals that the part reads before it assigns them.
    pub(super) fn of(
        program: &'p Program,
        parameters: usize,
        body: &'p Body,
        before: &[&Stmt],
        needed: Vec<bool>,
        kept: &'p [bool],
    ) -> Result<Block, Stop> {
        let locals = body.locals.len();
        let mut again = Again {
            program,
            body,
            parameters,
            needed: needed.iter().zip(kept).map(|(needed, kept)| *needed && !kept).collect(),
            assigned: vec![false; locals],
            addressed: vec![false; locals],
            kept,
        };
        again.note_all();
        // Each round adds a local, or is the last.
        while before.iter().any(|stmt| again.demand(stmt)) {}
        let repeated = before.iter().filter_map(|stmt| again.repeated(stmt, false)).collect();
        again.check(&repeated, before)?;
        Ok(repeated)
    }

    /// Notes which locals the body assigns and takes the addresses of.
    fn note_all(&mut self) {
        let body = self.body;
        let (assigned, addressed) = (&mut self.assigned, &mut self.addressed);
        let types = &self.program.types;
        body.each_mention(&mut |mention| match mention {
            Mention::Result(local) => assigned[local.index()] = true,
            Mention::Place(place, used) => {
                if let Some(local) = body.places[place].part_of(types, body) {
                    match used {
                        Use::Store | Use::Atomic => assigned[local.index()] = true,
                        Use::Address => addressed[local.index()] = true,
                        // The slice itself is read, and an array has its address taken.
                        Use::Subslice => {
                            addressed[local.index()] |= matches!(types[body.places[place].ty], Type::Array { .. });
                        }
                        Use::Load | Use::Length => {}
                    }
                }
            }
            Mention::Expr(_) => {}
        });
    }

    /// Visits the locals whose values a statement itself reads, or that it changes in part.
    fn reads(&self, stmt: &Stmt, visit: &mut dyn FnMut(Handle<Local>)) {
        self.body.mentions_of(stmt, &mut |mention| self.read_in(mention, visit));
    }

    fn read_in(&self, mention: Mention, visit: &mut dyn FnMut(Handle<Local>)) {
        if let Mention::Place(place, used) = mention {
            let place = &self.body.places[place];
            if let Some(local) = place.local().filter(|_| used != Use::Store || !place.path.is_empty()) {
                visit(local);
            }
        }
    }

    /// The local that a statement assigns, or a part of it.
    fn target(&self, stmt: &Stmt) -> Option<Handle<Local>> {
        match stmt.kind {
            StmtKind::Store { place, .. } => self.body.places[place].part_of(&self.program.types, self.body),
            StmtKind::Call { result, .. }
            | StmtKind::Atomic { result, .. }
            | StmtKind::Intrinsic { result, .. }
            | StmtKind::Ptx { result, .. } => result,
            _ => None,
        }
    }

    fn is_needed(&self, stmt: &Stmt) -> bool {
        self.target(stmt).is_some_and(|local| self.needed[local.index()])
    }

    /// Notes the locals that a statement reads if it is repeated; true if there is a new one.
    fn demand(&mut self, stmt: &Stmt) -> bool {
        let Some(repeated) = self.repeated(stmt, false) else {
            return false;
        };
        let mut read = Vec::new();
        let mut note = |inner: &Stmt| self.reads(inner, &mut |local| read.push(local));
        note(&repeated);
        repeated.kind.blocks().for_each(|block| each_stmt(block, &mut note));
        let mut is_new = false;
        for local in read.into_iter().filter(|local| !self.kept[local.index()]) {
            is_new |= !std::mem::replace(&mut self.needed[local.index()], true);
        }
        is_new
    }

    /// The repeated part of a statement: assignments of locals that are needed, with the branches and loops around them.
    /// Within a loop that is repeated all jumps are, too.
    fn repeated(&self, stmt: &Stmt, jumps: bool) -> Option<Stmt> {
        let kind = match &stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let [then, otherwise] = [then, otherwise].map(|block| self.repeated_block(block, jumps));
                (!then.is_empty() || !otherwise.is_empty()).then_some(StmtKind::If {
                    condition: *condition,
                    then,
                    otherwise,
                })?
            }
            StmtKind::Loop { body, step } => {
                let mut is_kept = jumps;
                for block in [body, step] {
                    each_stmt(block, &mut |inner| is_kept |= self.is_needed(inner));
                }
                is_kept.then(|| StmtKind::Loop {
                    body: self.repeated_block(body, true),
                    step: self.repeated_block(step, true),
                })?
            }
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_) if jumps => stmt.kind.clone(),
            kind if self.is_needed(stmt) => kind.clone(),
            _ => return None,
        };
        Some(Stmt { kind, span: stmt.span })
    }

    fn repeated_block(&self, block: &Block, jumps: bool) -> Block {
        block.iter().filter_map(|stmt| self.repeated(stmt, jumps)).collect()
    }

    /// Finds values that differ when they are computed again.
    fn check(&self, repeated: &Block, before: &[&Stmt]) -> Result<(), Stop> {
        // A local that may be written by other names.
        for stmt in before {
            let mut found = None;
            let mut look = |inner: &Stmt| {
                self.body.mentions_of(inner, &mut |mention| {
                    if let Mention::Place(place, Use::Address | Use::Subslice) = mention {
                        let local = self.body.places[place].part_of(&self.program.types, self.body);
                        let local = local.filter(|local| self.addressed[local.index()] && self.needed[local.index()]);
                        found = found.or(local.map(|local| (local, inner.span)));
                    }
                });
            };
            look(stmt);
            stmt.kind.blocks().for_each(|block| each_stmt(block, &mut look));
            if let Some((local, span)) = found {
                return Err(self.stop(vec![local], span));
            }
        }
        for stmt in repeated {
            let (mut targets, mut wrong) = (Vec::new(), None);
            let mut look = |inner: &Stmt| {
                targets.extend(self.target(inner));
                let mut reads_kept = false;
                self.reads_value(inner, &mut |local| reads_kept |= self.kept[local.index()]);
                if wrong.is_none() && (reads_kept || !self.is_repeatable(inner)) {
                    wrong = Some(inner.span);
                }
            };
            look(stmt);
            stmt.kind.blocks().for_each(|block| each_stmt(block, &mut look));
            if let Some(span) = wrong {
                return Err(self.stop(targets, span));
            }
        }
        Ok(())
    }

    /// As [`reads`](Again::reads), without locals whose addresses alone matter.
    fn reads_value(&self, stmt: &Stmt, visit: &mut dyn FnMut(Handle<Local>)) {
        self.body.mentions_of(stmt, &mut |mention| match mention {
            Mention::Place(_, Use::Address) => {}
            mention => self.read_in(mention, visit),
        });
    }

    fn stop(&self, mut locals: Vec<Handle<Local>>, span: Span) -> Stop {
        locals.sort();
        locals.dedup();
        let fails = |local: &&Handle<Local>| !is_plain(self.program, self.body.locals[**local].ty);
        let name = match locals.iter().find(fails) {
            None if !locals.is_empty() => return Stop::Keep(locals),
            failing => failing.map_or(String::new(), |&local| self.body.locals[local].name.clone()),
        };
        Stop::Refused(Refusal {
            kind: RefusalKind::Value(name),
            span,
        })
    }

    /// True if a statement itself does the same again.
    fn is_repeatable(&self, stmt: &Stmt) -> bool {
        let is_plain = match stmt.kind {
            StmtKind::Store { .. }
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_) => true,
            StmtKind::Call { function, .. } => is_pure(self.program, &self.program.functions[function]),
            _ => false,
        };
        let mut holds = is_plain;
        self.body.mentions_of(stmt, &mut |mention| {
            holds &= match mention {
                Mention::Expr(expr) => is_value(&self.body.exprs[expr]),
                Mention::Place(place, used) => {
                    is_private(self.program, self.body, place, used) || self.is_read_only(place, used)
                }
                Mention::Result(_) => true,
            };
        });
        holds
    }

    /// True of an element of a slice that the kernel gets as one it cannot write.
    fn is_read_only(&self, place: PlaceId, used: Use) -> bool {
        let place = &self.body.places[place];
        let (Some(local), [Projection::Index { .. }, rest @ ..]) = (place.local(), &place.path[..]) else {
            return false;
        };
        let Type::Slice {
            element,
            mutable: false,
        } = self.program.types[self.body.locals[local].ty]
        else {
            return false;
        };
        local.index() < self.parameters
            && !self.assigned[local.index()]
            && !self.addressed[local.index()]
            && used == Use::Load
            && matches!(place.access, Access::Plain | Access::Relaxed)
            && !rest.contains(&Projection::Deref)
            && !self.program.types.has_atomics(element)
    }
}

/// True if an expression itself gives the same value again.
fn is_value(expr: &Expr) -> bool {
    !matches!(expr.kind, ExprKind::DynamicShared { .. } | ExprKind::MapShared { .. })
}

/// True of a place in a local or a table, and of the address of an element, for which nothing is read.
fn is_private(program: &Program, body: &Body, place: PlaceId, used: Use) -> bool {
    let of = &body.places[place];
    match of.base {
        PlaceBase::Shared(_) => false,
        PlaceBase::Table(_) => true,
        PlaceBase::Local(local) => {
            let is_address = matches!(used, Use::Address | Use::Subslice)
                && matches!(
                    (&of.path[..], &program.types[body.locals[local].ty]),
                    ([Projection::Index { .. }, ..], Type::Slice { .. })
                )
                && !of.path.contains(&Projection::Deref);
            of.part_of(&program.types, body).is_some() || is_address
        }
    }
}

/// True if a function computes its result from its arguments alone, and does nothing else.
fn is_pure(program: &Program, function: &Function) -> bool {
    let body = &function.body;
    let mut holds = true;
    each_stmt(&body.block, &mut |stmt| {
        holds &= match stmt.kind {
            StmtKind::Store { .. }
            | StmtKind::If { .. }
            | StmtKind::Loop { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_)
            | StmtKind::Assert { .. }
            | StmtKind::Return(_) => true,
            StmtKind::Call { function, .. } => is_pure(program, &program.functions[function]),
            _ => false,
        };
        body.mentions_of(stmt, &mut |mention| {
            holds &= match mention {
                Mention::Expr(expr) => is_value(&body.exprs[expr]),
                Mention::Place(place, used) => is_private(program, body, place, used),
                Mention::Result(_) => true,
            };
        });
    });
    holds
}

/// True of values that memory can hold: scalars, and what consists of them.
pub(super) fn is_plain(program: &Program, ty: TypeId) -> bool {
    match &program.types[ty] {
        Type::Scalar(_) => true,
        Type::Array { element, .. } => is_plain(program, *element),
        Type::Tuple(fields) => !fields.is_empty() && fields.iter().all(|&field| is_plain(program, field)),
        Type::Struct { fields, .. } => fields.iter().all(|field| is_plain(program, field.ty)),
        Type::Atomic(_) | Type::Reference { .. } | Type::Slice { .. } => false,
    }
}
