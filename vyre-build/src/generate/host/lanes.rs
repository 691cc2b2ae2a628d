//! Bodies for several threads at a time: the *lanes* of a chunk, consecutive threads along x.
//!
//! A thread that runs its whole loop before the next one strides through memory where neighbours access neighbouring
//! elements. Here the loop is outside and the lanes are inside, so that a load of all lanes is one of a vector. A value is
//! - *uniform*, the same in all lanes: a scalar;
//! - *linear*, that of the first lane plus the number of the lane, mod 2^n: the scalar of the first lane;
//! - *varying*: an array.
//!
//! All branches are uniform. A comparison of a linear value with a uniform one is compared at both ends, and so is its
//! quotient; where the ends disagree, or where an index is out of bounds, the chunk *gives up* and its threads run one after
//! the other. That is always possible, because stores to memory come last: until then nothing has happened. So faults are
//! those of the body of one thread, which alone records them.
//!
//! The order of accesses stays as it is for each thread; other threads of the chunk would only see another one by a slice
//! that is loaded and stored at different elements, or stored by several statements, and such bodies have no lanes.

#[cfg(test)]
mod tests;

use vyre_ir::ir::{
    Access, Axis, BinaryOp, Block, Body, Builtin, ExprId, ExprKind, Handle, Kernel, Local, Mention, PlaceBase, PlaceId,
    Program, Projection, Stmt, StmtKind, Type, Types, Use, each_stmt,
};
use vyre_ir::validate::{AddressTaken, BodyInfo, ProgramInfo};

use super::access::Accesses;
use super::table::Table;
use super::uniformity::Uniformity;

/// The most lanes of a chunk, and the fewest.
const MOST: u32 = 32;
const FEWEST: u32 = 8;

/// Limit of the bytes of a chunk's variables.
const MOST_BYTES: u64 = 16 << 10;

/// How a value differs among lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Uniform,
    Linear,
    Varying,
}

/// The forms of a body's locals.
#[derive(Debug)]
pub(super) struct Lanes {
    pub(super) count: u32,
    forms: Table<Local, Option<Form>>,
    whole_warps: bool,
    /// The stores to memory.
    pub(super) stores: Vec<PlaceId>,
}

struct Finder<'a> {
    types: &'a Types,
    kernel: &'a Kernel,
    body: &'a Body,
    info: &'a BodyInfo<'a>,
    accesses: &'a Accesses,
    uniformity: &'a Uniformity<'a>,
}

/// The lanes of a body without barriers; `None` if they are not possible, or if nothing is to gain.
pub(super) fn lanes(
    (program, facts): (&Program, &ProgramInfo<'_>),
    kernel: &Kernel,
    (body, info): (&Body, &BodyInfo<'_>),
    accesses: &Accesses,
) -> Option<Lanes> {
    let fits = |count: &u32| *count <= kernel.block[0];
    let count = [MOST, MOST / 2, FEWEST].into_iter().find(fits)?;
    let mut has_loop = false;
    each_stmt(&body.block, &mut |stmt| {
        has_loop |= matches!(stmt.kind, StmtKind::Loop { .. })
    });
    if !has_loop || info.effects.pauses() || info.effects.reads_others {
        return None;
    }
    let uniformity = Uniformity::of((program, facts), kernel, body, info);
    let finder = Finder {
        types: &program.types,
        kernel,
        body,
        info,
        accesses,
        uniformity: &uniformity,
    };
    let mut found = Lanes {
        count,
        forms: Table::new(),
        whole_warps: kernel.block[0].is_multiple_of(MOST),
        stores: Vec::new(),
    };
    if !finder.are_plain() {
        return None;
    }
    while finder.walk(&mut found) {}
    let mut gains = false;
    let mut order = Order::default();
    let holds = finder.can(&mut found, &body.block, false, &mut order, &mut gains);
    let is_small = info.local_bytes * u64::from(count) <= MOST_BYTES;
    (holds && gains && is_small).then_some(found)
}

/// The slices that statements have stored to so far.
#[derive(Default)]
struct Order(Vec<Handle<Local>>);

impl Lanes {
    /// The form of a local.
    pub(super) fn local(&self, local: Handle<Local>) -> Form {
        self.forms.get(local).unwrap_or(Form::Uniform)
    }

    /// The form of an expression.
    pub(super) fn form(&self, types: &Types, body: &Body, id: ExprId) -> Form {
        self.of(types, body, id).unwrap_or(Form::Uniform)
    }

    /// The same; `None` as long as the form of a local in it is unknown.
    fn of(&self, types: &Types, body: &Body, id: ExprId) -> Option<Form> {
        use Form::{Linear, Uniform, Varying};
        let of = |id| self.of(types, body, id);
        let is_integer = |id: ExprId| {
            let scalar = types.as_scalar(body.exprs[id].ty);
            scalar.is_some_and(|scalar| scalar.is_integer())
        };
        let is_unsigned = |id: ExprId| {
            let scalar = types.as_scalar(body.exprs[id].ty);
            scalar.is_some_and(|scalar| scalar.is_integer() && !scalar.is_signed())
        };
        Some(match body.exprs[id].kind {
            ExprKind::Builtin(Builtin::ThreadIndex(Axis::X) | Builtin::GlobalIndex(Axis::X) | Builtin::LinearIndex) => {
                Linear
            }
            ExprKind::Builtin(Builtin::LaneIndex) if self.whole_warps => Linear,
            ExprKind::Builtin(Builtin::LaneIndex) => Varying,
            ExprKind::Load(place) if body.places[place].path.is_empty() => match body.places[place].base {
                PlaceBase::Local(local) => self.forms.get(local)?,
                PlaceBase::Table(_) => Uniform,
                PlaceBase::Shared(_) => Varying,
            },
            ExprKind::Binary { op, left, right } => match (op, of(left)?, of(right)?) {
                (_, Uniform, Uniform) => Uniform,
                (BinaryOp::Add, Linear, Uniform)
                | (BinaryOp::Add, Uniform, Linear)
                | (BinaryOp::Sub, Linear, Uniform)
                    if is_integer(left) =>
                {
                    Linear
                }
                (BinaryOp::Div, Linear, Uniform) if is_unsigned(left) => Uniform,
                (BinaryOp::Rem, Linear, Uniform) if is_unsigned(left) => Linear,
                (BinaryOp::Min | BinaryOp::Max, Linear, Uniform) | (BinaryOp::Min | BinaryOp::Max, Uniform, Linear)
                    if is_integer(left) =>
                {
                    Linear
                }
                (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge, Linear | Uniform, Linear | Uniform)
                    if is_integer(left) && (of(left)?, of(right)?) != (Linear, Linear) =>
                {
                    Uniform
                }
                _ => Varying,
            },
            ExprKind::Cast(operand) => match of(operand)? {
                Linear if is_integer(operand) && is_integer(id) => Linear,
                Uniform => Uniform,
                _ => Varying,
            },
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => match (of(condition)?, of(then)?, of(otherwise)?) {
                (Uniform, Uniform, Uniform) => Uniform,
                (Uniform, Linear | Uniform, Linear | Uniform) => Linear,
                _ => Varying,
            },
            ref kind => {
                let mut form = Some(Uniform);
                let mut join = |other: Option<Form>| {
                    form = match (form, other) {
                        (Some(Varying), _) | (_, Some(Varying | Linear)) => Some(Varying),
                        (Some(_), Some(_)) => Some(Uniform),
                        _ => None,
                    };
                };
                kind.mentions(&mut |mention| match mention {
                    Mention::Expr(operand) => join(of(operand)),
                    Mention::Place(place, _) => {
                        let place = &body.places[place];
                        match place.base {
                            PlaceBase::Local(local) => join(self.forms.get(local)),
                            PlaceBase::Table(_) => {}
                            PlaceBase::Shared(_) => join(Some(Varying)),
                        }
                        place.indices().for_each(|index| join(of(index)));
                    }
                    Mention::Result(_) => {}
                });
                return form;
            }
        })
    }
}

impl Finder<'_> {
    /// True if all locals and nodes are of the kinds that lanes know.
    fn are_plain(&self) -> bool {
        let parameters = self.kernel.parameters.len();
        let mut holds = true;
        for (local, it) in self.body.locals.iter() {
            let info = self.info.local(local);
            holds &= info.address == AddressTaken::No
                && match self.types[it.ty] {
                    Type::Slice { .. } | Type::Reference { .. } => local.index() < parameters,
                    _ => true,
                }
                && (local.index() >= parameters || info.assigned_at_most(0));
        }
        self.body.each_mention(&mut |mention| match mention {
            Mention::Expr(id) => {
                holds &= !matches!(
                    self.body.exprs[id].kind,
                    ExprKind::Reference(_)
                        | ExprKind::Subslice { .. }
                        | ExprKind::Regroup(_)
                        | ExprKind::DynamicShared { .. }
                        | ExprKind::MapShared { .. }
                        | ExprKind::Within { .. }
                );
            }
            Mention::Place(id, _) => {
                let place = &self.body.places[id];
                holds &= place.access == Access::Plain
                    && !matches!(place.base, PlaceBase::Shared(_))
                    && place.path.iter().all(|step| match step {
                        // Code of a lane that is moved in front of a condition may not depend on it.
                        Projection::Index { checked, .. } => *checked,
                        Projection::Field(_) => true,
                        Projection::Deref => false,
                    });
            }
            Mention::Result(_) => {}
        });
        holds
    }

    /// Joins the forms of what is stored to locals; true if one has changed.
    fn walk(&self, found: &mut Lanes) -> bool {
        let mut more = false;
        let mut join = |found: &mut Lanes, local: Handle<Local>, form: Option<Form>| {
            let known = found.forms.get(local);
            let joined = match (known, form) {
                (None, other) | (other, None) => other,
                (Some(a), Some(b)) if a == b => known,
                _ => Some(Form::Varying),
            };
            more |= joined != known;
            *found.forms.at(local) = joined;
        };
        for local in self.body.locals.handles() {
            if local.index() < self.kernel.parameters.len() || self.info.local(local).read_unwritten {
                join(found, local, Some(Form::Uniform));
            }
        }
        each_stmt(&self.body.block, &mut |stmt| match &stmt.kind {
            StmtKind::Store { place, value } => {
                let target = &self.body.places[*place];
                if let Some(local) = target.whole_local() {
                    let form = found.of(self.types, self.body, *value);
                    join(found, local, form);
                } else if let Some(local) = target.part_of(self.types, self.body) {
                    join(found, local, Some(Form::Varying));
                }
            }
            StmtKind::Call {
                arguments,
                result: Some(local),
                ..
            } => {
                let is_uniform = |&it: &ExprId| found.of(self.types, self.body, it) == Some(Form::Uniform);
                let form = match arguments.iter().all(is_uniform) {
                    true => Form::Uniform,
                    false => Form::Varying,
                };
                join(found, *local, Some(form));
            }
            _ => {}
        });
        more
    }

    /// True if lanes can run the statements of a block. Notes in `gains` if a varying value is in a loop.
    fn can(&self, found: &mut Lanes, block: &Block, in_loop: bool, order: &mut Order, gains: &mut bool) -> bool {
        block
            .iter()
            .all(|stmt| self.can_stmt(found, stmt, in_loop, order, gains))
    }

    fn can_stmt(&self, found: &mut Lanes, stmt: &Stmt, in_loop: bool, order: &mut Order, gains: &mut bool) -> bool {
        let mut loads = true;
        self.body.mentions_of(stmt, &mut |mention| {
            if let Mention::Place(id, Use::Load) = mention {
                loads &= self.can_load(found, id, in_loop, order);
            }
        });
        if !loads {
            return false;
        }
        let is_uniform = |found: &Lanes, id: ExprId| found.form(self.types, self.body, id) == Form::Uniform;
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                let target = &self.body.places[*place];
                if target.part_of(self.types, self.body).is_some() {
                    let whole = target.whole_local();
                    *gains |= in_loop
                        && whole.is_some_and(|local| found.local(local) == Form::Varying)
                        && !is_uniform(found, *value);
                    return true;
                }
                let (Some(local), [Projection::Index { index, .. }]) = (target.local(), &target.path[..]) else {
                    return false;
                };
                let again = order.0.contains(&local);
                order.0.push(local);
                found.stores.push(*place);
                !in_loop
                    && (!again || self.accesses.is_plain(local))
                    && self.types.layout(target.ty).size > 0
                    && super::types::is_memory(self.types, target.ty)
                    && found.form(self.types, self.body, *index) == Form::Linear
            }
            StmtKind::Call { function, .. } => self.uniformity.is_of_arguments(*function),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                is_uniform(found, *condition)
                    && self.can(found, then, in_loop, order, gains)
                    && self.can(found, otherwise, in_loop, order, gains)
            }
            StmtKind::Loop { body, step } => {
                self.can(found, body, true, order, gains) && self.can(found, step, true, order, gains)
            }
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_) | StmtKind::Assert { .. } => true,
            StmtKind::Atomic { .. } | StmtKind::Intrinsic { .. } | StmtKind::Ptx { .. } | StmtKind::Print { .. } => {
                false
            }
        }
    }

    /// True if lanes can load from a place, and gain by it.
    fn can_load(&self, found: &Lanes, id: PlaceId, in_loop: bool, order: &Order) -> bool {
        let place = &self.body.places[id];
        let PlaceBase::Local(local) = place.base else {
            return true;
        };
        if place.part_of(self.types, self.body).is_some() {
            return true;
        }
        // No other lane writes there, and this one has not yet.
        let is_steady = self.accesses.is_plain(local) && !order.0.contains(&local);
        let form = place
            .indices()
            .next()
            .map(|index| found.form(self.types, self.body, index));
        // Threads that walk through memory of their own are faster one after the other.
        is_steady && !(in_loop && form == Some(Form::Varying))
    }
}
