//! Code that runs for the lanes of a chunk; [`lanes`](super::lanes) has the idea.
//!
//! `__t` is the thread of the first lane, on trial: its checks give up without a fault. A uniform or linear expression is
//! evaluated for that lane. A statement of a varying value first evaluates the uniform and linear parts of it, as `__h0`
//! and so on, then runs for each lane, `__l`, of `__N`.

mod apart;
mod ends;
mod run;
mod warps;

use proc_macro2::Ident;
use vyre_ir::ir::{
    AtomicOp, ExprId, ExprKind, Function, Handle, Intrinsic, Local, Mention, PlaceBase, PlaceId, Projection, Stmt,
    StmtKind, Type, Use,
};

use super::body::Writer;
use super::intrinsic::{Meeting, evaluated_again, meeting};
use super::lanes::{Form, Lanes, Plan};
use super::place::Memory;
use super::regions::Region;
use super::types;
use crate::code::{Code, code};

/// The state of a writer in code of lanes.
pub(super) struct Lanewise<'a> {
    pub(super) lanes: &'a Lanes,
    plan: &'a Plan,
    /// True within the code of a lane.
    inside: bool,
    /// The expressions that are evaluated before, and their code in a lane.
    known: Vec<(ExprId, Code)>,
    /// The steps of places that are known before, and their code in a lane.
    steps: Vec<((PlaceId, usize), Step)>,
    names: usize,
    /// Loads that are carried out at the start of the code of a lane, though a condition stands before them.
    heads: Code,
    /// True in an operand that is evaluated under a condition of a chain of choices.
    conditional: bool,
    /// The variables that live within one loop over the lanes, and whether they have been assigned.
    temporaries: Vec<(Handle<Local>, bool)>,
    /// The variables that statements of the current block before the current one have assigned.
    assigned: Vec<Handle<Local>>,
    /// The variables that are scalars of the lane, in a loop that runs lane by lane.
    own: Vec<Handle<Local>>,
}

/// A step of a place in a lane.
#[derive(Clone)]
pub(super) enum Step {
    /// A pointer to the element of a slice.
    Pointer(Code),
    /// The index of an element of an array, and whether it is the same in all lanes.
    Index(Code, bool),
}

impl<'a> Lanewise<'a> {
    pub(super) fn new(lanes: &'a Lanes, plan: &'a Plan) -> Self {
        Lanewise {
            lanes,
            plan,
            inside: false,
            known: Vec::new(),
            steps: Vec::new(),
            names: 0,
            heads: Code::default(),
            conditional: false,
            temporaries: Vec::new(),
            assigned: Vec::new(),
            own: Vec::new(),
        }
    }
}

impl<'a> Writer<'a> {
    fn form(&self, id: ExprId) -> Option<Form> {
        let lanes = self.lanewise.as_ref()?.lanes;
        Some(lanes.form(&self.context.program.types, self.body, id))
    }

    /// The code of a body without barriers for its lanes.
    pub(super) fn lanewise(&mut self) -> Code {
        let span = self.span;
        let statements = self.block(&self.body.block);
        let mut tokens = self.lanes_variables();
        tokens.append(code!(span=> '__end: { #statements }));
        self.lanes_end(&mut tokens);
        tokens.append(code!(span=> __Ok(())));
        tokens
    }

    /// The code of a region for its lanes, of which `__n` is the number of the first.
    pub(super) fn lanes_region(&mut self, region: &Region<'_>, lanes: &'a Lanes, plan: &'a Plan) -> Code {
        self.lanewise = Some(Lanewise::new(lanes, plan));
        let span = self.span;
        let returns = self.regions.is_some_and(|regions| regions.returns);
        let mut inside = Code::default();
        if let Some(stmt) = region.receives {
            self.lanes_receive(stmt, &mut inside);
        }
        let statements = self.lanes_block(&region.stmts);
        inside.append(statements);
        let mut tokens = Code::default();
        let offer = region
            .offers
            .map(|stmt| self.lanes_offer(stmt, &mut tokens, &mut inside));
        tokens.append(self.lanes_variables());
        if returns {
            tokens.append(code!(span=> let mut __returned = false;));
        }
        tokens.append(code!(span=> '__end: { #inside }));
        self.lanes_end(&mut tokens);
        self.lanes_keep(&mut tokens);
        match (offer, returns) {
            (Some(offer), true) => tokens.append(code!(span=> if !__returned { #offer })),
            (offer, _) => tokens.append(offer.unwrap_or_default()),
        }
        tokens.append(match returns {
            true => code!(span=> __Ok(__returned)),
            false => code!(span=> __Ok(())),
        });
        self.lanewise = None;
        tokens
    }

    /// The variables that live on, after a region.
    fn lanes_keep(&self, tokens: &mut Code) {
        let span = self.span;
        let Some(Lanewise { lanes, plan, .. }) = self.lanewise else {
            return;
        };
        for variable in plan.variables.iter().filter(|it| it.is_assigned) {
            if !self.regions.is_some_and(|regions| regions.is_kept(variable.local)) {
                continue;
            }
            let (kept, name, ty) = (
                self.local(variable.local),
                self.lanes_name(variable.local),
                self.ty(self.body.locals[variable.local].ty),
            );
            tokens.append(match lanes.local(variable.local) {
                Form::Varying => code!(span=> *#kept.add(__n).cast::<[#ty; __N]>() = #name;),
                Form::Linear => {
                    code!(span=> for __l in 0..__N { *#kept.add(__n + __l) = __v::lane(#name, __l); })
                }
                Form::Uniform => code!(span=> for __l in 0..__N { *#kept.add(__n + __l) = #name; }),
            });
        }
    }

    /// The declarations of the variables, and of the stores that take place at the end.
    fn lanes_variables(&self) -> Code {
        let span = self.span;
        let mut tokens = Code::default();
        let Some(Lanewise { lanes, plan, .. }) = self.lanewise else {
            return tokens;
        };
        let is_temporary = |local| self.temporary(local).is_some();
        for variable in plan.variables.iter().filter(|it| !is_temporary(it.local)) {
            let (name, ty) = (
                self.lanes_name(variable.local),
                &self.ty(self.body.locals[variable.local].ty),
            );
            let form = lanes.local(variable.local);
            let is_kept = self.regions.is_some_and(|regions| regions.is_kept(variable.local));
            if is_kept && variable.is_loaded {
                let kept = self.local(variable.local);
                let kept = code!(span=> #kept.add(__n));
                let value = match form {
                    Form::Varying => code!(span=> *#kept.cast::<[#ty; __N]>()),
                    Form::Linear => code!(span=> __t.kept_linear::<#ty, __N>(#kept)?),
                    Form::Uniform => code!(span=> __t.kept_uniform::<#ty, __N>(#kept)?),
                };
                tokens.append(code!(span=> let mut #name = #value;));
            } else {
                tokens.append(match form {
                    Form::Varying => code!(span=> let mut #name: [#ty; __N] = [__zero(); __N];),
                    Form::Uniform | Form::Linear => code!(span=> let mut #name: #ty = __zero();),
                });
            }
        }
        for (number, &place) in plan.later.iter().enumerate() {
            let ([pointer, values], ty) = (self.stored(number), &self.ty(self.body.places[place].ty));
            tokens.append(code! {span=>
                let mut #pointer: *mut #ty = __v::null_mut();
                let mut #values: [#ty; __N] = [__zero(); __N];
            });
        }
        tokens
    }

    /// The name of a variable in code of lanes. That of one that is kept between regions is the name of where.
    fn lanes_name(&self, local: Handle<Local>) -> Ident {
        match self.regions.is_some_and(|regions| regions.is_kept(local)) {
            true => self.ident(&format!("__w{}", local.index())),
            false => self.local(local),
        }
    }

    /// The stores that take place at the end.
    fn lanes_end(&self, tokens: &mut Code) {
        let span = self.span;
        let later = self.lanewise.as_ref().map_or(&[][..], |it| &it.plan.later);
        for (number, &place) in later.iter().enumerate() {
            let [pointer, values] = self.stored(number);
            let is_plain = self.body.places[place]
                .local()
                .is_none_or(|local| self.accesses.is_plain(local));
            let pointer = &pointer;
            let store = match is_plain {
                true => code!(span=> for __l in 0..__N { *#pointer.add(__l) = #values[__l]; }),
                false => code!(span=> __v::store_lanes(#values, #pointer);),
            };
            tokens.append(code!(span=> if !#pointer.is_null() { #store }));
        }
    }

    /// The names of a store to memory at the end: where, and which values.
    fn stored(&self, number: usize) -> [Ident; 2] {
        ["to", "values"].map(|name| self.ident(&format!("__{name}{number}")))
    }

    /// The results of an exchange, which lie in memory.
    fn lanes_receive(&mut self, stmt: &Stmt, tokens: &mut Code) {
        self.lanes_received(stmt, Writer::received_of_lanes, tokens);
    }

    /// The results of an exchange, by the code for what it gives them.
    fn lanes_received(
        &mut self,
        stmt: &Stmt,
        received: impl Fn(&mut Self, Intrinsic, &[ExprId], &Code) -> Code,
        tokens: &mut Code,
    ) {
        let StmtKind::Intrinsic {
            intrinsic,
            ref operands,
            result: Some(local),
        } = stmt.kind
        else {
            return;
        };
        let span = self.span;
        let (name, ty) = (self.lanes_name(local), self.ty(self.body.locals[local].ty));
        for &operand in evaluated_again(intrinsic, operands) {
            self.prepare(Mention::Expr(operand), tokens);
        }
        let value = self.in_lane(|writer| received(writer, intrinsic, operands, &ty));
        tokens.append(code!(span=> #name = #value;));
        self.forget();
    }

    /// Evaluates what lanes pass to an exchange; yields the code that passes it.
    fn lanes_offer(&mut self, stmt: &Stmt, declarations: &mut Code, tokens: &mut Code) -> Code {
        let (span, StmtKind::Intrinsic { intrinsic, .. }) = (self.span, &stmt.kind) else {
            return Code::default();
        };
        let Some([declared, evaluated]) = self.lanes_offered(stmt) else {
            return Code::default();
        };
        declarations.append(declared);
        tokens.append(evaluated);
        match meeting(self.context.kernel, *intrinsic) {
            Meeting::Votes => code!(span=> __t.vote_lanes(__offered);),
            _ => code!(span=> __t.offer_lanes(__offered);),
        }
    }

    /// The declaration of the array of what lanes pass to an exchange, and the code that fills it; `None` where they pass
    /// nothing.
    fn lanes_offered(&mut self, stmt: &Stmt) -> Option<[Code; 2]> {
        let (span, StmtKind::Intrinsic { operands, .. }) = (self.span, &stmt.kind) else {
            return None;
        };
        // The others choose a lane when the exchange has taken place.
        let &operand = operands.first()?;
        let ty = self.ty(self.body.exprs[operand].ty);
        let mut tokens = Code::default();
        self.prepare(Mention::Expr(operand), &mut tokens);
        let value = self.in_lane(|writer| writer.expr(operand));
        let offered = self.each_lane(code!(span=> __offered[__l] = #value;));
        tokens.append(offered);
        self.forget();
        Some([code!(span=> let mut __offered: [#ty; __N] = [__zero(); __N];), tokens])
    }

    /// A statement in code of lanes.
    pub(super) fn lanes_statement(&mut self, stmt: &Stmt, tokens: &mut Code) {
        let span = self.span;
        let Some(lanes) = self.lanewise.as_ref().filter(|it| !it.inside).map(|it| it.lanes) else {
            return self.statement(stmt, tokens);
        };
        let types = &self.context.program.types;
        let varies = match &stmt.kind {
            StmtKind::Store { place, value } => {
                let target = &self.body.places[*place];
                if target.part_of(types, self.body).is_none() {
                    self.lanes_store(stmt, *place, *value, tokens);
                    return self.forget();
                }
                target.local().is_some_and(|local| lanes.local(local) == Form::Varying)
            }
            StmtKind::Call { arguments, result, .. } => match result {
                Some(local) => lanes.local(*local) == Form::Varying,
                None => arguments.iter().any(|&it| self.form(it) != Some(Form::Uniform)),
            },
            StmtKind::Atomic {
                op: AtomicOp::Load,
                result: Some(local),
                ..
            } => lanes.local(*local) == Form::Varying,
            StmtKind::Atomic { op, .. } if *op != AtomicOp::Load => true,
            StmtKind::Atomic { place, .. } => {
                let mut indices = self.body.places[*place].indices();
                indices.any(|it| self.form(it) != Some(Form::Uniform))
            }
            StmtKind::Assert { condition, values, .. } => {
                let mut parts = values.iter().chain([condition]);
                parts.any(|&it| self.form(it) != Some(Form::Uniform))
            }
            StmtKind::If { condition, .. } => self.form(*condition) != Some(Form::Uniform),
            StmtKind::Return(_) => {
                let returns = self.regions.is_some_and(|regions| regions.returns);
                let returned = returns.then(|| code!(span=> __returned = true;));
                tokens.append(code!(span=> #returned break '__end;));
                return;
            }
            _ => false,
        };
        if !varies {
            return self.statement(stmt, tokens);
        }
        let mut parts = Vec::new();
        stmt.kind.mentions(&mut |mention| parts.push(mention));
        for part in parts {
            self.prepare(part, tokens);
        }
        let mut inside = Code::default();
        self.in_lane(|writer| writer.statement(stmt, &mut inside));
        tokens.append(self.each_lane(inside));
        self.forget();
    }

    /// A store to memory.
    fn lanes_store(&mut self, stmt: &Stmt, place: PlaceId, value: ExprId, tokens: &mut Code) {
        let span = self.span;
        self.prepare(Mention::Expr(value), tokens);
        self.prepare(Mention::Place(place, Use::Store), tokens);
        let later = self.lanewise.as_ref().and_then(|it| it.plan.later(place));
        if let Some(number) = later {
            let (assigned, found) = self.later_store(number, place, value);
            tokens.append(self.each_lane(assigned));
            return tokens.append(found);
        }
        let (value, memory, pointer) = self.in_lane(|writer| {
            let (value, target) = (writer.expr(value), writer.place(place));
            (value, target.memory, writer.pointer(target))
        });
        if memory == Memory::Racy {
            // No loop with atomic stores is vectorized.
            let ty = self.ty(self.body.places[place].ty);
            tokens.append(code!(span=> let mut __values: [#ty; __N] = [__zero(); __N];));
            tokens.append(self.each_lane(code!(span=> __values[__l] = #value;)));
            let is_row = match self.body.places[place].path[..] {
                [Projection::Index { index, .. }] => self.form(index) == Some(Form::Linear),
                _ => false,
            };
            tokens.append(match is_row {
                true => code!(span=> __v::store_lanes(__values, { let __l = 0; #pointer });),
                false => self.each_lane(code!(span=> __store(__values[__l], #pointer);)),
            });
        } else {
            let mut inside = Code::default();
            self.in_lane(|writer| writer.statement(stmt, &mut inside));
            tokens.append(self.each_lane(inside));
        }
    }

    /// The code in a lane of a store that takes place at the end, and after the loop over the lanes that of where.
    fn later_store(&mut self, number: usize, place: PlaceId, value: ExprId) -> (Code, Code) {
        let span = self.span;
        let [to, values] = self.stored(number);
        let (value, pointer) = self.in_lane(|writer| {
            let (value, target) = (writer.expr(value), writer.place(place));
            (value, writer.pointer(target))
        });
        (
            code!(span=> #values[__l] = #value;),
            code!(span=> #to = { let __l = 0; #pointer };),
        )
    }

    /// Forgets what was evaluated for a statement.
    fn forget(&mut self) {
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.known.clear();
            lanewise.steps.clear();
            lanewise.heads = Code::default();
        }
    }

    fn in_lane<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        let set = |writer: &mut Self, inside| {
            if let Some(lanewise) = &mut writer.lanewise {
                lanewise.inside = inside;
            }
        };
        set(self, true);
        let written = write(self);
        set(self, false);
        written
    }

    /// Evaluates the uniform and linear parts of a node, before the loop over the lanes.
    fn prepare(&mut self, mention: Mention, tokens: &mut Code) {
        let span = self.span;
        match mention {
            Mention::Expr(id) => {
                let is_word = matches!(self.body.exprs[id].kind, ExprKind::Constant(_) | ExprKind::External(_));
                let form = self.form(id);
                if is_word || form.is_none() {
                    return;
                }
                if form == Some(Form::Varying) {
                    return self.prepare_parts(id, tokens);
                }
                let (value, name) = (self.expr(id), self.fresh());
                let known = match form {
                    Some(Form::Linear) => code!(span=> __v::lane(#name, __l)),
                    _ => code!(span=> #name),
                };
                let ty = self.ty(self.body.exprs[id].ty);
                let name = self.last_fresh();
                tokens.append(code!(span=> let #name: #ty = #value;));
                if let Some(lanewise) = &mut self.lanewise {
                    lanewise.known.push((id, known));
                }
            }
            Mention::Place(id, _) => {
                let place = &self.body.places[id];
                let types = &self.context.program.types;
                let mut ty = match place.base {
                    PlaceBase::Local(local) => self.body.locals[local].ty,
                    PlaceBase::Shared(shared) => self.context.program.shared[shared].ty,
                    PlaceBase::Table(table) => self.context.program.tables[table].ty,
                };
                for (number, step) in place.path.iter().enumerate() {
                    let (next, length) = match (step, &types[ty]) {
                        (Projection::Index { .. }, &Type::Array { element, length }) => (element, Some(length)),
                        (Projection::Index { .. }, &Type::Slice { element, .. }) => (element, None),
                        (&Projection::Field(field), of) => (types::part(of, field).unwrap_or(ty), None),
                        _ => (ty, None),
                    };
                    ty = next;
                    if let Projection::Index { index, .. } = *step {
                        self.prepare_step((id, number), index, length, tokens);
                    }
                }
            }
            Mention::Result(_) => {}
        }
    }

    /// Prepares the parts of an expression that varies.
    fn prepare_parts(&mut self, id: ExprId, tokens: &mut Code) {
        let kind = &self.body.exprs[id].kind;
        let is_choice = |id: ExprId| matches!(self.body.exprs[id].kind, ExprKind::Select { .. });
        let is_chain = match *kind {
            ExprKind::Select { then, otherwise, .. } => is_choice(then) || is_choice(otherwise),
            _ => false,
        };
        let mut parts = Vec::new();
        kind.mentions(&mut |mention| parts.push(mention));
        let outer = self.lanewise.as_ref().is_some_and(|it| it.conditional);
        let set = |writer: &mut Self, conditional| {
            if let Some(lanewise) = &mut writer.lanewise {
                lanewise.conditional = conditional;
            }
        };
        for (number, part) in parts.into_iter().enumerate() {
            set(self, outer || is_chain && number > 0);
            self.prepare(part, tokens);
        }
        set(self, outer);
        // The element is there for all lanes. Of a branch that loads LLVM makes no selection.
        if outer && self.is_found_before(id) {
            let (span, ty) = (self.span, self.ty(self.body.exprs[id].ty));
            let value = self.in_lane(|writer| writer.expr(id));
            let name = &self.fresh();
            if let Some(lanewise) = &mut self.lanewise {
                lanewise.heads.append(code!(span=> let #name: #ty = #value;));
                lanewise.known.push((id, code!(span=> #name)));
            }
        }
    }

    /// True of a load that has no effect and needs no check in a lane: of an element of a slice that nothing stores to
    /// meanwhile, at an index that is known before.
    fn is_found_before(&self, id: ExprId) -> bool {
        let ExprKind::Load(place) = self.body.exprs[id].kind else {
            return false;
        };
        let place = &self.body.places[place];
        let is_known = match place.path[..] {
            [Projection::Index { index, .. }] => self.form(index).is_some_and(|form| form != Form::Varying),
            _ => false,
        };
        let is_plain = place.local().is_some_and(|local| self.accesses.is_plain(local));
        is_known && is_plain && self.context.program.types.as_scalar(place.ty).is_some()
    }

    /// A loop over the lanes, with the loads that were prepared for its code.
    fn each_lane(&self, inside: Code) -> Code {
        let span = self.span;
        let heads = self.lanewise.as_ref().map(|it| it.heads.clone());
        code!(span=> for __l in 0..__N { #heads #inside })
    }

    /// Finds an element, of a slice or of an array of this length, before the loop over the lanes.
    fn prepare_step(&mut self, at: (PlaceId, usize), index: ExprId, length: Option<u64>, tokens: &mut Code) {
        let span = self.span;
        let form = self.form(index);
        if form == Some(Form::Varying) || matches!(self.body.exprs[index].kind, ExprKind::Constant(_)) {
            return self.prepare(Mention::Expr(index), tokens);
        }
        let first = self.expr(index);
        let of = match (length, self.body.places[at.0].base) {
            (Some(length), _) => {
                let length = self.number(length);
                code!(span=> #length)
            }
            (None, PlaceBase::Local(local)) => self.variable(local),
            _ => return,
        };
        let name = &self.fresh();
        let (value, step) = match (form, length) {
            (Some(Form::Linear), None) => (
                code!(span=> __t.span(#of, #first, __N)?),
                Step::Pointer(code!(span=> #name.add(__l))),
            ),
            (Some(Form::Linear), Some(_)) => (
                code!(span=> __t.within(#first, #of, __N)?),
                Step::Index(code!(span=> (#name + __l)), false),
            ),
            (_, None) => (
                code!(span=> __t.at(#of, #first, 0)?),
                Step::Pointer(code!(span=> #name)),
            ),
            (_, Some(_)) => (
                code!(span=> __t.index(#first, #of, 0)?),
                Step::Index(code!(span=> #name), true),
            ),
        };
        tokens.append(code!(span=> let #name = #value;));
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.steps.push((at, step));
        }
    }

    fn fresh(&mut self) -> Ident {
        if let Some(lanewise) = &mut self.lanewise {
            lanewise.names += 1;
        }
        self.last_fresh()
    }

    fn last_fresh(&self) -> Ident {
        let number = self.lanewise.as_ref().map_or(0, |it| it.names);
        self.ident(&format!("__h{number}"))
    }

    /// A local in code of lanes.
    pub(super) fn lane_of(&self, local: Handle<Local>) -> Option<Code> {
        let (span, lanewise) = (self.span, self.lanewise.as_ref()?);
        let name = self.lanes_name(local);
        if lanewise.own.contains(&local) {
            return Some(code!(span=> #name));
        }
        Some(match lanewise.lanes.local(local) {
            Form::Varying if self.temporary(local).is_some() => code!(span=> #name),
            Form::Varying => code!(span=> #name[__l]),
            Form::Linear if lanewise.inside => code!(span=> __v::lane(#name, __l)),
            Form::Linear | Form::Uniform => code!(span=> #name),
        })
    }

    /// True in code of a lane if a function asks for the position of its thread.
    pub(super) fn asks_in_lane(&self, function: Handle<Function>) -> bool {
        let inside = self.lanewise.as_ref().filter(|it| it.inside);
        inside.is_some_and(|it| it.lanes.asks[function.index()])
    }

    /// A step of a place that is known before the loop over the lanes.
    pub(super) fn lane_step(&self, place: PlaceId, number: usize) -> Option<Step> {
        let lanewise = self.lanewise.as_ref().filter(|it| it.inside)?;
        let found = lanewise.steps.iter().find(|(at, _)| *at == (place, number));
        found.map(|(_, step)| step.clone())
    }
}
