//! The walk over all trees of a body, which checks that expressions form trees of bounded depth,
//! with each node used once, and collects the facts about the body.

use super::accesses::{AccessKind, Accesses};
use super::body::BodyCheck;
use super::error::{Entity, InvalidKind};
use super::info::{AddressTaken, BodyInfo, LocalInfo, insert};
use crate::ir::limits::MAX_DEPTH;
use crate::ir::{
    Access, Among, Block, ExprId, ExprKind, Handle, Local, Mention, PlaceBase, PlaceId, Projection, Span, Stmt,
    StmtKind, Type, Use,
};

/// The result of the walk.
pub(super) struct Collected<'p> {
    /// True if nothing is nested too deep.
    pub(super) bounded: bool,
    /// True if nothing is used twice, so that a walk over all trees sees each node once.
    pub(super) disjoint: bool,
    /// The facts, valid if both hold.
    pub(super) info: BodyInfo<'p>,
}

/// Walks over the trees of all statements, and the predicate's.
pub(super) fn collect<'p>(body: &mut BodyCheck<'p, '_>, predicate: Option<ExprId>) -> Collected<'p> {
    let (locals, exprs, places) = (body.body.locals.len(), body.body.exprs.len(), body.body.places.len());
    let mut walk = Walk {
        exprs: vec![false; exprs],
        places: vec![false; places],
        body,
        depth: 0,
        writer: vec![None; locals],
        block: 0,
        open: Vec::new(),
        collected: Collected {
            bounded: true,
            disjoint: true,
            info: BodyInfo {
                locals: vec![LocalInfo::default(); locals],
                accesses: Accesses::new(places, exprs),
                ..BodyInfo::default()
            },
        },
    };
    if let Some(predicate) = predicate {
        walk.expr(predicate);
    }
    let block = &walk.body.body.block;
    walk.block(block, walk.body.span);
    walk.collected
}

struct Walk<'w, 'p, 'e> {
    body: &'w mut BodyCheck<'p, 'e>,
    /// The nodes visited so far.
    exprs: Vec<bool>,
    places: Vec<bool>,
    depth: u32,
    /// For each local, the block of its first mention if that was an assignment of all of it.
    writer: Vec<Option<u32>>,
    /// The current block, and for each block visited so far, true if the walk is inside it.
    block: u32,
    open: Vec<bool>,
    collected: Collected<'p>,
}

impl<'p> Walk<'_, 'p, '_> {
    /// Enters a nesting level, unless it is too deep. The first such place is reported.
    fn deeper(&mut self, span: Span) -> bool {
        if self.depth == MAX_DEPTH {
            if self.collected.bounded {
                self.body.error(span, InvalidKind::TooDeep);
            }
            self.collected.bounded = false;
            return false;
        }
        self.depth += 1;
        true
    }

    fn reused(&mut self, span: Span, entity: Entity) {
        self.collected.disjoint = false;
        self.body.error(span, InvalidKind::Reused(entity));
    }

    fn block(&mut self, block: &'p Block, span: Span) {
        if !self.deeper(span) {
            return;
        }
        let number = self.open.len() as u32;
        let outer = std::mem::replace(&mut self.block, number);
        self.open.push(true);
        for (position, stmt) in block.iter().enumerate() {
            self.stmt(stmt);
            let is_last = number == 0 && position + 1 == block.len();
            self.collected.info.returns_early |= matches!(stmt.kind, StmtKind::Return(_)) && !is_last;
            stmt.kind.mentions(&mut |mention| self.mention(mention));
            if let StmtKind::Intrinsic {
                intrinsic, operands, ..
            } = &stmt.kind
                && intrinsic.row().accesses_memory()
            {
                self.through(operands, stmt.span);
            }
            for inner in stmt.kind.blocks() {
                self.block(inner, stmt.span);
            }
        }
        self.open[number as usize] = false;
        self.block = outer;
        self.depth -= 1;
    }

    /// Records that a statement accesses memory through its operands.
    fn through(&mut self, operands: &[ExprId], span: Span) {
        if let Some(&first) = operands.first() {
            self.collected.info.accesses.add_through(first, span);
        }
    }

    fn mention(&mut self, mention: Mention) {
        match mention {
            Mention::Expr(expr) => self.expr(expr),
            Mention::Place(place, used) => self.place(place, used),
            Mention::Result(local) => self.assigned(local),
        }
    }

    /// Collects the effects of a statement, without its operands and blocks.
    fn stmt(&mut self, stmt: &'p Stmt) {
        let info = &mut self.collected.info;
        match stmt.kind {
            StmtKind::Intrinsic { intrinsic, .. } => {
                let row = intrinsic.row();
                match row.among {
                    Among::Thread => {}
                    Among::Warp => info.own.warp_exchange = true,
                    Among::Block | Among::Cluster => info.own.block_barrier = true,
                    Among::Grid => info.own.grid_barrier = true,
                }
                info.own.matrices |= row.whole_warps;
                info.intrinsics.push((intrinsic, stmt.span));
            }
            StmtKind::Atomic { result: Some(_), .. } => info.own.reads_others = true,
            StmtKind::Call { function, .. } => insert(&mut info.calls, function),
            _ => {}
        }
    }

    fn expr(&mut self, id: ExprId) {
        let body = self.body.body;
        let expr = &body.exprs[id];
        if std::mem::replace(&mut self.exprs[id.index()], true) {
            return self.reused(expr.span, Entity::Expr(id));
        }
        if !self.deeper(expr.span) {
            return;
        }
        let types = &self.body.program.types;
        match expr.kind {
            ExprKind::MulAdd { .. } => self.collected.info.own.mul_add = true,
            // On the CPU they are functions of mathematics.
            ExprKind::Unary { op, .. } if op.is_approximate() => self.collected.info.own.mul_add = true,
            ExprKind::Load(place) => {
                self.collected.info.own.reads_others |= body.places[place].access == Access::Volatile;
            }
            ExprKind::Reference(place) | ExprKind::Subslice { place, .. } => {
                let place = &body.places[place];
                let taken = match types[expr.ty] {
                    Type::Reference { mutable: true, .. } | Type::Slice { mutable: true, .. } => AddressTaken::Mutable,
                    _ => AddressTaken::Shared,
                };
                // A slice is copied as a whole, whatever part of it is used.
                if !matches!(types[place.ty], Type::Slice { .. })
                    && let Some(local) = place.part_of(types, body)
                {
                    let address = &mut self.collected.info.locals[local.index()].address;
                    *address = taken.max(*address);
                }
            }
            _ => {}
        }
        expr.kind.mentions(&mut |mention| self.mention(mention));
        if let ExprKind::Subslice { .. }
        | ExprKind::DynamicShared { .. }
        | ExprKind::MapShared { .. }
        | ExprKind::Within { .. } = expr.kind
        {
            self.collected.info.accesses.add_range(id, expr.span);
        }
        self.depth -= 1;
    }

    fn place(&mut self, id: PlaceId, used: Use) {
        let body = self.body.body;
        let place = &body.places[id];
        if std::mem::replace(&mut self.places[id.index()], true) {
            return self.reused(place.span, Entity::Place(id));
        }
        for index in place.indices() {
            self.expr(index);
        }
        let part_of = place.part_of(&self.body.program.types, body);
        let info = &mut self.collected.info;
        let value = match used {
            // A local is private to the thread.
            _ if part_of.is_some() => None,
            Use::Load => Some(AccessKind::Load(id)),
            Use::Store => Some(AccessKind::Store(id)),
            Use::Atomic => Some(AccessKind::Atomic(id)),
            Use::Length | Use::Address | Use::Subslice => None,
        };
        info.accesses.add_place(id, place, value);
        let local = match place.base {
            PlaceBase::Shared(shared) => return insert(&mut info.shared, shared),
            PlaceBase::Table(table) => return insert(&mut info.tables, table),
            PlaceBase::Local(local) => local,
        };
        if used == Use::Store && place.path.is_empty() {
            return self.assigned(local);
        }
        self.mentioned(local);
        if part_of.is_none() {
            return;
        }
        let info = &mut self.collected.info.locals[local.index()];
        info.partial_assignments += u32::from(used == Use::Store);
        info.dynamic_index |= place.path.iter().any(|step| match step {
            Projection::Index { index, .. } => !matches!(body.exprs[*index].kind, ExprKind::Constant(_)),
            Projection::Field(_) | Projection::Deref => false,
        });
    }

    /// Records that a statement assigns all of a local.
    fn assigned(&mut self, local: Handle<Local>) {
        let info = &mut self.collected.info.locals[local.index()];
        info.assignments += 1;
        let writer = &mut self.writer[local.index()];
        if writer.is_none() && !info.read_unwritten {
            *writer = Some(self.block);
        } else {
            self.mentioned(local);
        }
    }

    /// Records a mention of a local: it is initialised if the walk is still inside the block that
    /// first assigned it.
    fn mentioned(&mut self, local: Handle<Local>) {
        let written = self.writer[local.index()].is_some_and(|block| self.open[block as usize]);
        self.collected.info.locals[local.index()].read_unwritten |= !written;
    }
}
