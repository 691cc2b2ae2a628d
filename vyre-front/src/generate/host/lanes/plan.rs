//! The plans of statements: what lanes can run, and when they store.

use vyre_ir::ir::{
    Access, AtomicOp, Block, Body, ExprId, ExprKind, Handle, Kernel, Local, Mention, Place, PlaceBase, PlaceId,
    Program, Projection, SharedVariable, Stmt, StmtKind, TypeId, Types, Use, each_stmt,
};
use vyre_ir::validate::{AddressTaken, BodyInfo};

use super::{Form, Lanes, Plan, Variable};
use crate::generate::host::access::Accesses;
use crate::generate::host::intrinsic::{Meeting, meeting, passes_scalars};
use crate::generate::host::regions::{Region, Regions};
use crate::generate::host::types;
use crate::generate::host::uniformity::Uniformity;

/// Limit of the accesses to memory of a region without a loop: the code of more costs rustc more than it is worth.
const MOST_ACCESSES: usize = 6;

/// Limit of the bytes of a chunk's variables.
pub(super) const MOST_BYTES: u64 = 16 << 10;

pub(super) struct Finder<'a> {
    pub(super) program: &'a Program,
    pub(super) types: &'a Types,
    pub(super) kernel: &'a Kernel,
    pub(super) body: &'a Body,
    pub(super) info: &'a BodyInfo<'a>,
    pub(super) accesses: &'a Accesses,
    pub(super) uniformity: &'a Uniformity<'a>,
    pub(super) regions: Option<&'a Regions<'a>>,
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Around {
    in_loop: bool,
    /// True in a branch that runs lane by lane.
    in_lane: bool,
}

/// An access to memory.
struct Event {
    place: PlaceId,
    is_store: bool,
    /// True outside of loops and of branches that vary.
    is_once: bool,
}

/// The accesses of the statements walked so far, and whether lanes gain by them.
#[derive(Default)]
struct Walked {
    events: Vec<Event>,
    gains: bool,
    has_atomics: bool,
    /// The memory that atomic operations change.
    changed: Vec<PlaceBase>,
}

/// How far jumps go: 0 is the innermost loop, and a return leaves all. `None` where there are none.
#[derive(Clone, Copy, Default)]
struct Jumps {
    /// The furthest that some lanes may take while others do not.
    of_some: Option<u32>,
    /// The furthest of all.
    of_any: Option<u32>,
}

impl Jumps {
    fn one(to: u32, varies: bool) -> Jumps {
        Jumps {
            of_some: varies.then_some(to),
            of_any: Some(to),
        }
    }

    fn or(self, other: Jumps) -> Jumps {
        Jumps {
            of_some: self.of_some.max(other.of_some),
            of_any: self.of_any.max(other.of_any),
        }
    }

    /// Those of a loop's block, seen from outside. Where lanes leave it apart, some alone come to its other jumps.
    fn out_of_loop(self) -> Jumps {
        let outer = |to: Option<u32>| to.and_then(|to| if to == u32::MAX { Some(to) } else { to.checked_sub(1) });
        let of_any = outer(self.of_any);
        Jumps {
            of_some: self.of_some.and(of_any),
            of_any,
        }
    }
}

impl Finder<'_> {
    /// The type of a shared variable.
    pub(super) fn shared_type(&self, shared: Handle<SharedVariable>) -> TypeId {
        self.program.shared[shared].ty
    }

    /// Joins the forms of what is stored to locals; true if one has changed. `varies` in control flow that varies.
    pub(super) fn walk(&self, found: &mut Lanes, block: &Block, varies: bool) -> bool {
        let mut more = false;
        for local in self.body.locals.handles() {
            if local.index() < self.kernel.parameters.len() || self.info.local(local).read_unwritten {
                more |= found.join(local, Some(Form::Uniform));
            }
            // Those of each lane are compared at the start of a region.
            let is_scalar = self.types.as_scalar(self.body.locals[local].ty).is_some();
            if self.regions.is_some_and(|regions| regions.is_kept(local)) && !is_scalar {
                more |= found.join(local, Some(Form::Varying));
            }
        }
        self.walk_block(found, block, varies) | more
    }

    fn walk_block(&self, found: &mut Lanes, block: &Block, varies: bool) -> bool {
        let mut more = false;
        for stmt in block {
            let of = |found: &Lanes, id: ExprId| match varies {
                true => Some(Form::Varying),
                false => found.of(self.types, self.body, id),
            };
            match &stmt.kind {
                StmtKind::Store { place, value } => {
                    let target = &self.body.places[*place];
                    if let Some(local) = target.whole_local() {
                        let form = of(found, *value);
                        more |= found.join(local, form);
                    } else if let Some(local) = target.part_of(self.types, self.body) {
                        more |= found.join(local, Some(Form::Varying));
                    }
                }
                StmtKind::Call {
                    function,
                    arguments,
                    result: Some(local),
                } => {
                    let is_uniform = |&it: &ExprId| of(found, it) == Some(Form::Uniform);
                    let is_same = self.uniformity.is_of_arguments(*function);
                    let form = match !varies && is_same && arguments.iter().all(is_uniform) {
                        true => Form::Uniform,
                        false => Form::Varying,
                    };
                    more |= found.join(*local, Some(form));
                }
                StmtKind::Intrinsic {
                    intrinsic,
                    result: Some(local),
                    ..
                } => {
                    let form = match meeting(self.kernel, *intrinsic) {
                        Meeting::Votes if !varies => Form::Uniform,
                        _ => Form::Varying,
                    };
                    more |= found.join(*local, Some(form));
                }
                // One load for all lanes: they may all load at the same time.
                StmtKind::Atomic {
                    op: AtomicOp::Load,
                    place,
                    result: Some(local),
                    ..
                } => {
                    let mut indices = self.body.places[*place].indices();
                    let form = match indices.all(|index| of(found, index) == Some(Form::Uniform)) {
                        true if !varies => Form::Uniform,
                        _ => Form::Varying,
                    };
                    more |= found.join(*local, Some(form));
                }
                StmtKind::Atomic {
                    result: Some(local), ..
                }
                | StmtKind::Ptx {
                    result: Some(local), ..
                } => more |= found.join(*local, Some(Form::Varying)),
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                } => {
                    let varies = varies || of(found, *condition) == Some(Form::Varying);
                    more |= self.walk_block(found, then, varies);
                    more |= self.walk_block(found, otherwise, varies);
                }
                StmtKind::Loop { body, step } => {
                    let [inside, after] = [body, step].map(|block| self.jumps(found, block, false));
                    let varies = varies || inside.or(after).of_some.is_some();
                    more |= self.walk_block(found, body, varies);
                    more |= self.walk_block(found, step, varies);
                }
                _ => {}
            }
        }
        more
    }

    /// The jumps of a block out of the loops around it; `varies` if some lanes alone may be there.
    fn jumps(&self, found: &Lanes, block: &Block, varies: bool) -> Jumps {
        let all = block.iter().map(|stmt| match &stmt.kind {
            StmtKind::Break(to) | StmtKind::Continue(to) => Jumps::one(*to, varies),
            StmtKind::Return(_) => Jumps::one(u32::MAX, varies),
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let varies = varies || found.of(self.types, self.body, *condition) == Some(Form::Varying);
                self.jumps(found, then, varies).or(self.jumps(found, otherwise, varies))
            }
            StmtKind::Loop { body, step } => {
                let inside = self.jumps(found, body, varies).or(self.jumps(found, step, varies));
                inside.out_of_loop()
            }
            _ => Jumps::default(),
        });
        all.fold(Jumps::default(), Jumps::or)
    }

    /// The plan of a region; `None` if lanes cannot run it, or if nothing is to gain. `in_loop` if the block repeats it.
    pub(super) fn plan(&self, found: &Lanes, region: &Region<'_>, in_loop: bool) -> Option<Plan> {
        let exchanges = [region.receives, region.offers].into_iter().flatten();
        let can_exchange = |stmt: &Stmt| match stmt.kind {
            StmtKind::Intrinsic { intrinsic, .. } => passes_scalars(intrinsic),
            _ => false,
        };
        if !exchanges.clone().all(can_exchange) {
            return None;
        }
        let mut plan = Plan::default();
        if !self.find_variables(found, region, &mut plan) {
            return None;
        }
        let mut walked = Walked {
            // An exchange of all lanes takes a tenth of the time of one for each.
            gains: exchanges.count() > 0,
            ..Walked::default()
        };
        for stmt in &region.stmts {
            let around = Around {
                in_loop: false,
                in_lane: false,
            };
            if !self.can_stmt(found, stmt, around, &mut walked) {
                return None;
            }
        }
        // The operands are evaluated before the stores that take place at the end.
        if let Some(stmt) = region.offers {
            self.find_loads(stmt, &mut |place| {
                walked.events.push(Event {
                    place,
                    is_store: false,
                    is_once: true,
                })
            });
        }
        walked.gains |= self.is_checked_otherwise(found, &walked, in_loop);
        let can_store =
            walked.gains && self.place_stores(found, &walked, &mut plan) && self.stores_again(region, &plan);
        let base = |event: &Event| self.body.places[event.place].base;
        if walked.events.iter().any(|event| walked.changed.contains(&base(event)))
            || can_store && !self.have_effects_once(found, region, &mut plan)
        {
            return None;
        }
        for event in &walked.events {
            match event.is_store {
                true if plan.later(event.place).is_some() => {}
                true => plan.stored.push(base(event)),
                false => plan.loaded.push(base(event)),
            }
        }
        plan.has_atomics = walked.has_atomics;
        plan.repeats = walked.events.iter().filter(|it| it.is_store).all(|it| {
            let is_loaded = walked
                .events
                .iter()
                .any(|other| !other.is_store && base(other) == base(it));
            !is_loaded && plan.later(it.place).is_some()
        });
        plan.repeats &= walked.changed.is_empty();
        can_store.then_some(plan)
    }

    /// Finds the variables of a region. False if lanes do not know one of its nodes.
    fn find_variables(&self, found: &Lanes, region: &Region<'_>, plan: &mut Plan) -> bool {
        let body = self.body;
        let (mut holds, mut bytes) = (true, 0);
        let mut mention = |mention: Mention, is_first: bool, plan: &mut Plan| {
            let local = match mention {
                Mention::Expr(id) => {
                    holds &= !matches!(
                        body.exprs[id].kind,
                        ExprKind::Reference(_)
                            | ExprKind::Subslice { .. }
                            | ExprKind::Regroup(_)
                            | ExprKind::DynamicShared { .. }
                            | ExprKind::MapShared { .. }
                    );
                    return;
                }
                Mention::Place(id, _) => {
                    let place = &body.places[id];
                    let is_known = |step: &Projection| !matches!(step, Projection::Deref);
                    // Memory of the block is declared for regions.
                    holds &= self.regions.is_some() || !matches!(place.base, PlaceBase::Shared(_));
                    holds &= matches!(place.access, Access::Plain | Access::Relaxed) && place.path.iter().all(is_known);
                    place.local()
                }
                Mention::Result(local) => Some(local),
            };
            let Some(local) = local else { return };
            if found.indices.local(body, local).is_some() {
                return;
            }
            let ty = body.locals[local].ty;
            let is_steady = local.index() < self.kernel.parameters.len() && self.info.local(local).assigned_at_most(0);
            let is_of_block = self.regions.is_some_and(|regions| regions.is_of_block(local));
            holds &=
                is_steady || types::is_memory(self.types, ty) && self.info.local(local).address == AddressTaken::No;
            if is_steady || is_of_block {
                return;
            }
            // Only regions keep a parameter of each thread.
            holds &= self.regions.is_some() || local.index() >= self.kernel.parameters.len();
            let is_assigned = match mention {
                Mention::Place(_, used) => used == Use::Store,
                _ => true,
            };
            match plan.variables.iter_mut().find(|it| it.local == local) {
                Some(known) => {
                    known.is_assigned |= is_assigned;
                    known.mentions += 1;
                }
                None => {
                    let is_varying = found.local(local) == Form::Varying;
                    bytes += self.types.layout(ty).size * if is_varying { u64::from(found.count) } else { 1 };
                    plan.variables.push(Variable {
                        local,
                        is_loaded: !is_first,
                        is_assigned,
                        mentions: 1,
                    });
                }
            }
        };
        let of_exchange =
            |stmt: Option<&Stmt>, results: bool, plan: &mut Plan, each: &mut dyn FnMut(Mention, bool, &mut Plan)| {
                let Some(stmt) = stmt else { return };
                body.mentions_of(stmt, &mut |mention| {
                    if matches!(mention, Mention::Result(_)) {
                        if results {
                            each(mention, true, plan);
                        }
                    } else {
                        each(mention, false, plan);
                    }
                });
            };
        of_exchange(region.receives, true, plan, &mut mention);
        for stmt in &region.stmts {
            // An assignment outside of branches and loops, of what it does not read.
            let first = match &stmt.kind {
                StmtKind::Store { place, .. } => body.places[*place].whole_local(),
                StmtKind::Call { result, .. } | StmtKind::Atomic { result, .. } => *result,
                _ => None,
            };
            let mut reads = false;
            let mut mentions = Vec::new();
            body.mentions_of(stmt, &mut |it| mentions.push(it));
            for inner in stmt.kind.blocks() {
                each_stmt(inner, &mut |stmt| body.mentions_of(stmt, &mut |it| mentions.push(it)));
            }
            for &it in &mentions {
                if let Mention::Place(place, used) = it
                    && used != Use::Store
                    && body.places[place].local() == first
                {
                    reads = true;
                }
            }
            for it in mentions {
                let is_first = !reads && local_of(body, it).is_some_and(|local| Some(local) == first);
                mention(it, is_first, plan);
            }
        }
        of_exchange(region.offers, false, plan, &mut mention);
        holds && bytes <= MOST_BYTES
    }

    /// True if lanes can run the statements of a block.
    fn can(&self, found: &Lanes, block: &Block, around: Around, walked: &mut Walked) -> bool {
        block.iter().all(|stmt| self.can_stmt(found, stmt, around, walked))
    }

    fn can_stmt(&self, found: &Lanes, stmt: &Stmt, around: Around, walked: &mut Walked) -> bool {
        let is_once = !around.in_loop && !around.in_lane;
        let mut can_load = true;
        self.find_loads(stmt, &mut |id| {
            // Threads that walk through memory of their own are faster one after the other.
            let place = &self.body.places[id];
            let is_strided = place.local().is_some() && self.form_of(found, place) == Some(Form::Varying);
            can_load &= !(around.in_loop && is_strided);
            walked.events.push(Event {
                place: id,
                is_store: false,
                is_once,
            });
        });
        if !can_load {
            return false;
        }
        let is_uniform = |id: ExprId| found.form(self.types, self.body, id) == Form::Uniform;
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                let target = &self.body.places[*place];
                if target.part_of(self.types, self.body).is_some() {
                    let whole = target.whole_local();
                    walked.gains |= around.in_loop
                        && whole.is_some_and(|local| found.local(local) == Form::Varying)
                        && !is_uniform(*value);
                    return true;
                }
                walked.gains |= around.in_loop && self.form_of(found, target) == Some(Form::Linear);
                walked.events.push(Event {
                    place: *place,
                    is_store: true,
                    is_once,
                });
                self.types.layout(target.ty).size > 0 && types::is_memory(self.types, target.ty)
            }
            StmtKind::Call { function, result, .. } => {
                // One without a result has nothing to compute.
                let of_position = result.is_some() && self.uniformity.is_of_position(*function);
                of_position || self.uniformity.is_of_arguments(*function)
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let in_lane = around.in_lane || !is_uniform(*condition);
                let around = Around { in_lane, ..around };
                self.can(found, then, around, walked) && self.can(found, otherwise, around, walked)
            }
            StmtKind::Loop { body, step } => {
                let around = Around {
                    in_loop: true,
                    ..around
                };
                !around.in_lane && self.can(found, body, around, walked) && self.can(found, step, around, walked)
            }
            StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_) => !around.in_lane,
            StmtKind::Assert { .. } => true,
            StmtKind::Atomic {
                op: AtomicOp::Load,
                place,
                ..
            } => {
                walked.has_atomics = true;
                let form = self.form_of(found, &self.body.places[*place]);
                // One load in the place of many.
                walked.gains |= form.is_none() && !around.in_lane;
                walked.events.push(Event {
                    place: *place,
                    is_store: false,
                    is_once,
                });
                !(around.in_loop && form == Some(Form::Varying))
            }
            StmtKind::Atomic { op, place, .. } if !op.is_barrier() => {
                walked.has_atomics = true;
                walked.gains |= around.in_loop;
                walked.changed.push(self.body.places[*place].base);
                true
            }
            StmtKind::Atomic { .. } | StmtKind::Intrinsic { .. } | StmtKind::Ptx { .. } | StmtKind::Print { .. } => {
                false
            }
        }
    }

    /// The loads of memory that the expressions of a statement have.
    fn find_loads(&self, stmt: &Stmt, each: &mut dyn FnMut(PlaceId)) {
        self.body.mentions_of(stmt, &mut |mention| {
            if let Mention::Place(id, Use::Load) = mention
                && self.is_of_memory(&self.body.places[id])
            {
                each(id);
            }
        });
    }

    /// True if a place is in memory that is written, not a variable or constant.
    fn is_of_memory(&self, place: &Place) -> bool {
        !matches!(place.base, PlaceBase::Table(_)) && place.part_of(self.types, self.body).is_none()
    }

    /// The form of the index that varies among those of a place, if one does.
    fn form_of(&self, found: &Lanes, place: &Place) -> Option<Form> {
        let forms = place.indices().map(|index| found.form(self.types, self.body, index));
        forms.filter(|&form| form != Form::Uniform).last()
    }

    /// True if the lanes of a body without loops gain: by an access to neighbouring elements that the block does not check
    /// for all its threads.
    fn is_checked_otherwise(&self, found: &Lanes, walked: &Walked, in_loop: bool) -> bool {
        let is_checked = |event: &Event| {
            let place = &self.body.places[event.place];
            let inside = place
                .indices()
                .next()
                .is_some_and(|index| self.accesses.is_inside(index));
            self.form_of(found, place) == Some(Form::Linear) && !inside
        };
        let is_small = walked.events.len() <= MOST_ACCESSES;
        (in_loop && is_small || self.regions.is_none()) && walked.events.iter().any(is_checked)
    }

    /// Decides which stores take place at the end; false if the lanes would see the stores of each other, or if a thread that
    /// runs again would see its own.
    fn place_stores(&self, found: &Lanes, walked: &Walked, plan: &mut Plan) -> bool {
        let root = |event: &Event| self.body.places[event.place].base;
        walked.events.iter().enumerate().all(|(number, event)| {
            let of_root = |other: &&Event| root(other) == root(event);
            // Each root by its first store.
            if !event.is_store || walked.events[..number].iter().filter(of_root).any(|it| it.is_store) {
                return true;
            }
            let all = || walked.events.iter().filter(of_root);
            let is_own = match root(event) {
                PlaceBase::Local(local) => self.accesses.is_plain(local),
                _ => all().all(|other| self.is_same(event.place, other.place)),
            };
            let is_loaded = all().any(|it| !it.is_store);
            let stores = all().filter(|it| it.is_store);
            let is_plain_store = |it: &Event| {
                let place = &self.body.places[it.place];
                let is_index = matches!(place.path[..], [Projection::Index { .. }]);
                it.is_once && is_index && self.form_of(found, place) == Some(Form::Linear)
            };
            let many = stores.clone().count() > 1;
            let can_be_later = stores.clone().all(is_plain_store) && (!many || is_own);
            // Those to memory of the launch are late where they can be.
            let is_global = matches!(root(event), PlaceBase::Local(_));
            if can_be_later && (is_loaded || is_global) {
                plan.later.extend(stores.map(|it| it.place));
                let mut others = walked.events[number..].iter().filter(of_root);
                return !is_loaded || is_own && others.all(|it| it.is_store);
            }
            // A thread that runs again stores the same.
            !is_loaded
        })
    }

    /// True if two places are one element at an index that does not change.
    fn is_same(&self, a: PlaceId, b: PlaceId) -> bool {
        let index = |place: PlaceId| match self.body.places[place].path[..] {
            [Projection::Index { index, .. }] => Some(index),
            _ => None,
        };
        let (Some(a), Some(b)) = (index(a), index(b)) else {
            return false;
        };
        match (&self.body.exprs[a].kind, &self.body.exprs[b].kind) {
            (ExprKind::Builtin(a), ExprKind::Builtin(b)) => a == b,
            (&ExprKind::Load(a), &ExprKind::Load(b)) => {
                let (a, b) = (self.body.places[a].whole_local(), self.body.places[b].whole_local());
                a == b && a.is_some_and(|local| self.info.local(local).assigned_at_most(1))
            }
            _ => false,
        }
    }
}

pub(super) fn local_of(body: &Body, mention: Mention) -> Option<Handle<Local>> {
    match mention {
        Mention::Expr(_) => None,
        Mention::Place(place, _) => body.places[place].local(),
        Mention::Result(local) => Some(local),
    }
}
