//! Atomic operations in code of lanes.
//!
//! A chunk that gives up runs again, and must not carry out an atomic operation twice. From the first one on, no statement
//! may give up: an index is proven to be in bounds, by its type or by the condition of a loop, and a loop whose lanes
//! disagree goes on lane by lane.

use vyre_ir::ir::{
    AtomicOp, Axis, BinaryOp, Block, Builtin, ExprId, ExprKind, Handle, Local, Mention, Place, PlaceBase, Projection,
    Stmt, StmtKind, Type, Use, each_stmt,
};

use super::own::{condition_of, own_of};
use super::plan::Finder;
use super::{Form, Lanes, Plan};
use crate::generate::host::regions::{Region, cannot_fault};
use crate::generate::host::types;

/// A loop that lanes go on with one by one where they disagree.
#[derive(Debug)]
pub(in crate::generate::host) struct EffectLoop {
    stmt: *const Stmt,
    /// The variables that each lane then has for itself, and whether they live in the loop alone.
    pub(in crate::generate::host) own: Vec<(Handle<Local>, bool)>,
}

impl EffectLoop {
    pub(in crate::generate::host) fn is(&self, stmt: &Stmt) -> bool {
        std::ptr::eq(self.stmt, stmt)
    }
}

/// A local that is less than the length of a slice, which is a parameter.
type Guard = (Handle<Local>, Handle<Local>);

/// The proof for some statements.
struct Proof<'a, 'f> {
    finder: &'a Finder<'f>,
    found: &'a Lanes,
    plan: &'a mut Plan,
    guards: Vec<Guard>,
}

impl Finder<'_> {
    /// True if lanes carry out each atomic operation of a region once. Adds its loops to the plan.
    pub(super) fn have_effects_once(&self, found: &Lanes, region: &Region<'_>, plan: &mut Plan) -> bool {
        let Some(first) = region.stmts.iter().position(|stmt| has_effect(stmt)) else {
            return true;
        };
        if region.offers.is_some() || !plan.later.is_empty() {
            return false;
        }
        let mut proof = Proof {
            finder: self,
            found,
            plan,
            guards: Vec::new(),
        };
        proof.stmts(&region.stmts, first)
    }
}

/// True if a statement has an atomic operation that is not a load.
fn has_effect(stmt: &Stmt) -> bool {
    let is_one = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Atomic { op, .. } if op != AtomicOp::Load);
    let mut any = is_one(stmt);
    for block in stmt.kind.blocks() {
        each_stmt(block, &mut |stmt| any |= is_one(stmt));
    }
    any
}

impl Proof<'_, '_> {
    /// True if no statement of a block from one on gives up.
    fn stmts(&mut self, stmts: &[&Stmt], first: usize) -> bool {
        (first..stmts.len()).all(|at| self.stmt(stmts[at], &stmts[..at]))
    }

    fn block(&mut self, block: &Block) -> bool {
        let stmts: Vec<&Stmt> = block.iter().collect();
        self.stmts(&stmts, 0)
    }

    /// The same of one, with those before it in its block.
    fn stmt(&mut self, stmt: &Stmt, before: &[&Stmt]) -> bool {
        let body = self.finder.body;
        match &stmt.kind {
            StmtKind::Store { place, value } => {
                let target = &body.places[*place];
                let is_variable = target.part_of(self.finder.types, body).is_some();
                let holds = is_variable && self.place(target) && self.expr(*value);
                if let Some(to) = target.local() {
                    // A copy is as great.
                    let copied = match body.exprs[*value].kind {
                        ExprKind::Load(from) => body.places[from].whole_local(),
                        _ => None,
                    };
                    let copies = self.guards.iter().filter(|(local, _)| copied == Some(*local));
                    let copies: Vec<Guard> = copies.map(|&(_, slice)| (to, slice)).collect();
                    self.forget(to);
                    if target.whole_local().is_some() {
                        self.guards.extend(copies);
                    }
                }
                holds
            }
            StmtKind::Atomic {
                op,
                place,
                operands,
                result,
                ..
            } => {
                let mut operands = operands.iter();
                let holds = *op != AtomicOp::Load
                    && self.place(&body.places[*place])
                    && operands.all(|&operand| self.expr(operand));
                if let Some(local) = *result {
                    self.forget(local);
                }
                holds
            }
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let guards = self.guards.clone();
                let holds = self.expr(*condition) && self.block(then);
                let after = std::mem::replace(&mut self.guards, guards);
                let holds = holds && self.block(otherwise);
                self.guards.retain(|guard| after.contains(guard));
                holds
            }
            StmtKind::Loop { body: block, step } => {
                for block in [block, step] {
                    each_stmt(block, &mut |stmt| {
                        body.mentions_of(stmt, &mut |mention| match mention {
                            Mention::Place(place, Use::Store) => {
                                if let Some(local) = body.places[place].local() {
                                    self.guards.retain(|(known, _)| *known != local);
                                }
                            }
                            Mention::Result(local) => self.guards.retain(|(known, _)| *known != local),
                            _ => {}
                        });
                    });
                }
                let guards = self.guards.clone();
                let is_uniform = match condition_of(body, stmt) {
                    Some((_, _, operands)) => operands.iter().all(|&it| self.form(it) == Form::Uniform),
                    None => true,
                };
                let holds = match is_uniform {
                    true => self.block(block),
                    false => self.loop_(stmt, before) && self.block_after_condition(block),
                };
                // `continue` comes to the step, too.
                self.guards.clear();
                let holds = holds && self.block(step);
                self.guards = guards;
                holds
            }
            // All lanes take it, or none.
            StmtKind::Break(_) | StmtKind::Continue(_) => true,
            _ => false,
        }
    }

    /// The statements of a loop behind its condition.
    fn block_after_condition(&mut self, block: &Block) -> bool {
        let stmts: Vec<&Stmt> = block.iter().collect();
        self.stmts(&stmts, 1)
    }

    /// True if a loop goes on lane by lane where the lanes disagree. Its condition is a guard.
    fn loop_(&mut self, stmt: &Stmt, before: &[&Stmt]) -> bool {
        let Finder { body, info, .. } = *self.finder;
        let Some((_, op, [left, right])) = condition_of(body, stmt) else {
            return false;
        };
        let whole = |id: ExprId| match body.exprs[id].kind {
            ExprKind::Load(place) => body.places[place].whole_local(),
            _ => None,
        };
        let (Some(index), Some(bound)) = (whole(left), self.bound_of(right)) else {
            return false;
        };
        if self.found.local(index) != Form::Linear {
            return false;
        }
        let assigned: Vec<_> = before
            .iter()
            .filter_map(|stmt| match stmt.kind {
                StmtKind::Store { place, .. } => body.places[place].whole_local(),
                _ => None,
            })
            .collect();
        let Some(own) = own_of((body, info), self.found, (&self.plan.variables, &assigned), stmt) else {
            return false;
        };
        self.plan.effects.push(EffectLoop {
            stmt: std::ptr::from_ref(stmt),
            own,
        });
        if let (BinaryOp::Lt, Bound::Length(slice)) = (op, bound) {
            self.guards.push((index, slice));
        }
        true
    }

    /// The bound of a loop, if that is the length of a parameter, another parameter or a constant.
    fn bound_of(&self, id: ExprId) -> Option<Bound> {
        let body = self.finder.body;
        match body.exprs[id].kind {
            ExprKind::Constant(_) => Some(Bound::Other),
            ExprKind::Length(place) => {
                let slice = body.places[place].whole_local()?;
                self.is_steady(slice).then_some(Bound::Length(slice))
            }
            ExprKind::Load(place) => {
                let local = body.places[place].whole_local()?;
                self.is_steady(local).then_some(Bound::Other)
            }
            _ => None,
        }
    }

    /// True of a parameter that is not assigned.
    fn is_steady(&self, local: Handle<Local>) -> bool {
        local.index() < self.finder.kernel.parameters.len() && self.finder.info.local(local).assigned_at_most(0)
    }

    fn forget(&mut self, local: Handle<Local>) {
        self.guards.retain(|(known, _)| *known != local);
    }

    fn form(&self, id: ExprId) -> Form {
        self.found.form(self.finder.types, self.finder.body, id)
    }

    /// True if an expression neither faults nor gives up.
    fn expr(&self, id: ExprId) -> bool {
        let Finder { types, body, .. } = *self.finder;
        let is_linear = |id: ExprId| self.form(id) == Form::Linear;
        // What an index is evaluated as.
        let id = self.found.indices.resolved(body, id).unwrap_or(id);
        // Elsewhere the ends of the chunk are compared.
        let holds = match body.exprs[id].kind {
            ExprKind::Binary { op, left, right } => {
                let scalar = types.as_scalar(body.exprs[left].ty);
                let is_divided = matches!(body.exprs[right].kind, ExprKind::Constant(it) if it.bits != 0)
                    && scalar.is_some_and(|scalar| !scalar.is_signed());
                let keeps = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
                let has_ends = (is_linear(left) || is_linear(right)) && self.form(id) != Form::Varying && !keeps;
                scalar.is_some_and(|scalar| !op.may_fault(scalar) || is_divided) && !has_ends
            }
            ExprKind::Cast(operand) => {
                let size = |id: ExprId| types.as_scalar(body.exprs[id].ty).map(|scalar| scalar.size());
                // The position in the block does not wrap.
                let is_position = matches!(
                    body.exprs[operand].kind,
                    ExprKind::Builtin(Builtin::ThreadIndex(_) | Builtin::LaneIndex)
                );
                !is_linear(operand) || is_position || size(id) <= size(operand)
            }
            ExprKind::Select { .. } => !is_linear(id),
            ref kind => cannot_fault(kind),
        };
        let mut parts = true;
        body.exprs[id].kind.mentions(&mut |mention| match mention {
            Mention::Expr(part) => parts &= self.expr(part),
            Mention::Place(place, _) => parts &= self.place(&body.places[place]),
            Mention::Result(_) => {}
        });
        holds && parts
    }

    /// True if the element at a place exists.
    fn place(&self, place: &Place) -> bool {
        let Finder { types, body, .. } = *self.finder;
        let mut ty = match place.base {
            PlaceBase::Local(local) => body.locals[local].ty,
            PlaceBase::Shared(shared) => self.finder.shared_type(shared),
            PlaceBase::Table(_) => return false,
        };
        place.path.iter().all(|step| match (*step, &types[ty]) {
            (Projection::Field(field), of) => {
                let part = types::part(of, field);
                ty = part.unwrap_or(ty);
                part.is_some()
            }
            (Projection::Index { index, .. }, &Type::Array { element, length }) => {
                ty = element;
                self.expr(index) && self.greatest(index) < length
            }
            (Projection::Index { index, .. }, &Type::Slice { element, .. }) => {
                ty = element;
                let of = match body.exprs[index].kind {
                    ExprKind::Load(place) => body.places[place].whole_local(),
                    _ => None,
                };
                let is_guarded = |&(local, slice): &Guard| Some(local) == of && place.local() == Some(slice);
                self.expr(index) && self.guards.iter().any(is_guarded)
            }
            _ => false,
        })
    }

    /// A bound of an unsigned integer, inclusive.
    fn greatest(&self, id: ExprId) -> u64 {
        let Finder {
            types, body, kernel, ..
        } = *self.finder;
        let of_type = match types.as_scalar(body.exprs[id].ty) {
            Some(scalar) if scalar.is_integer() && !scalar.is_signed() => u64::MAX >> (64 - 8 * scalar.size()),
            _ => return u64::MAX,
        };
        let id = self.found.indices.resolved(body, id).unwrap_or(id);
        let found = match body.exprs[id].kind {
            ExprKind::Constant(it) => it.bits,
            ExprKind::Cast(operand) => self.greatest(operand),
            ExprKind::Builtin(Builtin::ThreadIndex(axis)) => {
                let axis = match axis {
                    Axis::X => 0,
                    Axis::Y => 1,
                    Axis::Z => 2,
                };
                u64::from(kernel.block[axis]) - 1
            }
            ExprKind::Binary { op, left, right } => match (op, &body.exprs[right].kind) {
                (BinaryOp::And, _) => self.greatest(left).min(self.greatest(right)),
                (BinaryOp::Rem, ExprKind::Constant(it)) if it.bits > 0 => it.bits - 1,
                (BinaryOp::Shr, ExprKind::Constant(it)) if it.bits < of_type.count_ones().into() => {
                    self.greatest(left) >> it.bits
                }
                _ => of_type,
            },
            _ => of_type,
        };
        found.min(of_type)
    }
}

/// The bound of a loop.
enum Bound {
    /// The length of a parameter.
    Length(Handle<Local>),
    /// Another value that all threads share.
    Other,
}
