//! The code of a body that runs for the lanes of a chunk; [`lanes`](super::lanes) has the idea.
//!
//! `__t` is the thread of the first lane, on trial: its checks give up without a fault. A uniform or linear expression is
//! evaluated for that lane. A statement of a varying value first evaluates the uniform and linear parts of it, as `__h0`
//! and so on, then runs for each lane, `__l`.

use proc_macro2::{Ident, Literal};
use vyre_ir::ir::{BinaryOp, ExprId, ExprKind, Mention, PlaceBase, PlaceId, Projection, Stmt, StmtKind};

use super::body::Writer;
use super::lanes::{Form, Lanes};
use crate::code::{Code, code};

/// The state of a writer in a body of lanes.
pub(super) struct Lanewise<'a> {
    pub(super) lanes: &'a Lanes,
    /// True within the code of a lane.
    inside: bool,
    /// The expressions that are evaluated before, and their code in a lane.
    known: Vec<(ExprId, Code)>,
    /// The indices whose elements begin at a known pointer, and the pointer of a lane.
    pointers: Vec<(ExprId, Code)>,
    /// The stores to memory so far.
    stores: usize,
    names: usize,
}

impl<'a> Lanewise<'a> {
    pub(super) fn new(lanes: &'a Lanes) -> Self {
        Lanewise {
            lanes,
            inside: false,
            known: Vec::new(),
            pointers: Vec::new(),
            stores: 0,
            names: 0,
        }
    }
}

fn find(list: &[(ExprId, Code)], id: ExprId) -> Option<Code> {
    list.iter()
        .find(|(known, _)| *known == id)
        .map(|(_, code)| code.clone())
}

impl<'a> Writer<'a> {
    fn form(&self, id: ExprId) -> Option<Form> {
        let lanes = self.lanewise.as_ref()?.lanes;
        Some(lanes.form(&self.context.program.types, self.body, id))
    }

    /// The statements of a body of lanes, between the declarations of its locals and its stores to memory.
    pub(super) fn lanewise(&mut self, parameters: usize) -> Code {
        let span = self.span;
        let Some(lanes) = self.lanewise.as_ref().map(|it| it.lanes) else {
            return Code::default();
        };
        let count = &Literal::u32_unsuffixed(lanes.count);
        let mut tokens = Code::default();
        for (local, it) in self.body.locals.iter().skip(parameters) {
            let (name, ty) = (self.local(local), self.ty(it.ty));
            tokens.append(match lanes.local(local) {
                Form::Varying => code!(span=> let mut #name: [#ty; #count] = [__zero(); #count];),
                Form::Uniform | Form::Linear => code!(span=> let mut #name: #ty = __zero();),
            });
        }
        for (number, &place) in lanes.stores.iter().enumerate() {
            let ([pointer, values], ty) = (self.stored(number), &self.ty(self.body.places[place].ty));
            tokens.append(code! {span=>
                let mut #pointer: *mut #ty = __v::null_mut();
                let mut #values: [#ty; #count] = [__zero(); #count];
            });
        }
        let statements = self.block(&self.body.block);
        tokens.append(code!(span=> '__end: { #statements }));
        for (number, &place) in lanes.stores.iter().enumerate() {
            let [pointer, values] = self.stored(number);
            let is_plain = self.body.places[place]
                .local()
                .is_some_and(|local| self.accesses.is_plain(local));
            let pointer = &pointer;
            let store = match is_plain {
                true => code!(span=> *#pointer.add(__l) = #values[__l];),
                false => code!(span=> __store(#values[__l], #pointer.add(__l));),
            };
            tokens.append(code!(span=> if !#pointer.is_null() { for __l in 0..#count { #store } }));
        }
        tokens.append(code!(span=> __Ok(())));
        tokens
    }

    /// The names of a store to memory: where, and which values.
    fn stored(&self, number: usize) -> [Ident; 2] {
        ["to", "values"].map(|name| self.ident(&format!("__{name}{number}")))
    }

    /// A statement of a body of lanes.
    pub(super) fn lanes_statement(&mut self, stmt: &Stmt, tokens: &mut Code) {
        let span = self.span;
        let Some(lanes) = self.lanewise.as_ref().map(|it| it.lanes) else {
            return;
        };
        let types = &self.context.program.types;
        let varies = match &stmt.kind {
            StmtKind::Store { place, value } => {
                let target = &self.body.places[*place];
                if target.part_of(types, self.body).is_none() {
                    return self.lanes_store(*place, *value, tokens);
                }
                target.local().is_some_and(|local| lanes.local(local) == Form::Varying)
            }
            StmtKind::Call { arguments, result, .. } => match result {
                Some(local) => lanes.local(*local) == Form::Varying,
                None => arguments.iter().any(|&it| self.form(it) != Some(Form::Uniform)),
            },
            StmtKind::Assert { condition, values, .. } => {
                let mut parts = values.iter().chain([condition]);
                parts.any(|&it| self.form(it) != Some(Form::Uniform))
            }
            StmtKind::Return(_) => {
                tokens.append(code!(span=> break '__end;));
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
        let count = Literal::u32_unsuffixed(lanes.count);
        tokens.append(code!(span=> for __l in 0..#count { #inside }));
    }

    /// A store to consecutive elements of a slice, which takes place at the end.
    fn lanes_store(&mut self, place: PlaceId, value: ExprId, tokens: &mut Code) {
        let span = self.span;
        let target = &self.body.places[place];
        let (PlaceBase::Local(local), Some(&Projection::Index { index, .. })) = (target.base, target.path.first())
        else {
            return;
        };
        let Some(lanewise) = &mut self.lanewise else { return };
        let (number, count) = (lanewise.stores, Literal::u32_unsuffixed(lanewise.lanes.count));
        lanewise.stores += 1;
        self.prepare(Mention::Expr(value), tokens);
        let value = self.in_lane(|writer| writer.expr(value));
        let ([pointer, values], slice, index) = (self.stored(number), self.variable(local), self.expr(index));
        let count = &count;
        tokens.append(code! {span=>
            for __l in 0..#count { #values[__l] = #value; }
            #pointer = __t.span(#slice, #index, #count)?;
        });
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
                    let mut parts = Vec::new();
                    self.body.exprs[id].kind.mentions(&mut |mention| parts.push(mention));
                    return parts.into_iter().for_each(|part| self.prepare(part, tokens));
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
                for (number, step) in place.path.iter().enumerate() {
                    let Projection::Index { index, .. } = *step else {
                        continue;
                    };
                    let is_slice = number == 0 && place.part_of(&self.context.program.types, self.body).is_none();
                    if let PlaceBase::Local(local) = place.base
                        && is_slice
                        && self.form(index) == Some(Form::Linear)
                    {
                        let count = self.lanewise.as_ref().map_or(0, |it| it.lanes.count);
                        let count = Literal::u32_unsuffixed(count);
                        let (slice, first, name) = (self.variable(local), self.expr(index), self.fresh());
                        let pointer = code!(span=> #name.add(__l));
                        let name = self.last_fresh();
                        tokens.append(code!(span=> let #name = __t.span(#slice, #first, #count)?;));
                        if let Some(lanewise) = &mut self.lanewise {
                            lanewise.pointers.push((index, pointer));
                        }
                    } else {
                        self.prepare(Mention::Expr(index), tokens);
                    }
                }
            }
            Mention::Result(_) => {}
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

    /// A local in a body of lanes.
    pub(super) fn lane_of(&self, name: Ident, form: Form) -> Code {
        let span = self.span;
        let inside = self.lanewise.as_ref().is_some_and(|it| it.inside);
        match form {
            Form::Varying => code!(span=> #name[__l]),
            Form::Linear if inside => code!(span=> __v::lane(#name, __l)),
            Form::Linear | Form::Uniform => code!(span=> #name),
        }
    }

    /// The pointer to an element of a slice that is known before the loop over the lanes.
    pub(super) fn lane_pointer(&self, index: ExprId) -> Option<Code> {
        let lanewise = self.lanewise.as_ref().filter(|it| it.inside)?;
        find(&lanewise.pointers, index)
    }

    /// An expression that is not written as in the body of one thread.
    pub(super) fn lanes_expr(&mut self, id: ExprId) -> Option<Code> {
        let lanewise = self.lanewise.as_ref()?;
        if lanewise.inside {
            return find(&lanewise.known, id);
        }
        let (span, count) = (self.span, &Literal::u32_unsuffixed(lanewise.lanes.count));
        let is_linear = |writer: &Self, id| writer.form(id) == Some(Form::Linear);
        match self.body.exprs[id].kind {
            ExprKind::Binary { op, left, right } if is_linear(self, left) || is_linear(self, right) => {
                // `__a` and `__b` of the first lane, and of the last one.
                let left_end = is_linear(self, left).then(|| code!(span=> let __a = __t.last_lane(__a, #count)?;));
                let right_end = is_linear(self, right).then(|| code!(span=> let __b = __t.last_lane(__b, #count)?;));
                let (a, b) = (self.expr(left), self.expr(right));
                let result = |writer: &Self| writer.combined(op, None, code!(span=> __a), code!(span=> __b));
                let (first, last) = (result(self), result(self));
                Some(match op {
                    BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => code!(span=> ({
                        let (__a, __b) = (#a, #b);
                        let __first = #first;
                        #left_end
                        #right_end
                        __t.agree(#last == __first)?;
                        __first
                    })),
                    BinaryOp::Div => code!(span=> ({
                        let (__a, __b) = (#a, #b);
                        let __first = __t.division(#first, 0, 0)?;
                        #left_end
                        __t.agree(__t.division(#last, 0, 0)? == __first)?;
                        __first
                    })),
                    BinaryOp::Rem => {
                        let quotient =
                            |writer: &Self| writer.combined(BinaryOp::Div, None, code!(span=> __a), code!(span=> __b));
                        let (one, other) = (quotient(self), quotient(self));
                        code!(span=> ({
                            let (__a, __b) = (#a, #b);
                            let __rest = __t.division(#first, 0, 0)?;
                            let __first = __t.division(#one, 0, 0)?;
                            #left_end
                            __t.agree(__t.division(#other, 0, 0)? == __first)?;
                            __rest
                        }))
                    }
                    // The linear one at both ends.
                    BinaryOp::Min | BinaryOp::Max => {
                        let (one, other) = match is_linear(self, left) {
                            true => (code!(span=> __a), code!(span=> __a)),
                            false => (code!(span=> __b), code!(span=> __b)),
                        };
                        let result = one.clone();
                        code!(span=> ({
                            let (__a, __b) = (#a, #b);
                            __t.agree(#first == #one)?;
                            let __first = #result;
                            #left_end
                            #right_end
                            __t.agree(#last == #other)?;
                            __first
                        }))
                    }
                    _ => return None,
                })
            }
            ExprKind::Cast(operand) if is_linear(self, operand) => {
                let types = &self.context.program.types;
                let scalar = |id: ExprId| types.as_scalar(self.body.exprs[id].ty);
                let (from, to) = (scalar(operand)?, scalar(id)?);
                if to.size() <= from.size() {
                    return None;
                }
                let (value, ty) = (self.expr(operand), self.ty(self.body.exprs[id].ty));
                Some(code!(span=> ({ let __a = #value; __t.last_lane(__a, #count)?; (__a as #ty) })))
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } if is_linear(self, id) => {
                let condition = self.expr(condition);
                let give_up = |writer: &mut Self, arm: ExprId| match is_linear(writer, arm) {
                    true => writer.expr(arm),
                    false => code!(span=> (return __Err(__Left))),
                };
                let (then, otherwise) = (give_up(self, then), give_up(self, otherwise));
                Some(code!(span=> (if #condition { #then } else { #otherwise })))
            }
            _ => None,
        }
    }
}
