//! Parallel regions: a body cut at the barriers and exchanges that all threads of a block reach together.
//!
//! The block runs a region for one thread after the other, then the next one (`vyre_runtime::body`, `Threads`); so no thread
//! is ever suspended. A statement is *of the block* if a barrier or exchange is in it, and then runs once:
//! - loops and branches around a barrier, whose conditions must be uniform;
//! - stores to the variables that these conditions need.
//!
//! All others are of the threads, and make regions. A variable that lives in more than one region is *kept*, in an array
//! with an element per thread; if it is uniform, it is a variable of the block.
//!
//! A body that has a barrier in a branch or loop that varies has no regions: its threads become futures.

use vyre_ir::ir::{
    AtomicOp, Block, Body, ExprId, ExprKind, Handle, Intrinsic, Kernel, Local, Mention, Program, Stmt, StmtKind, Types,
    each_stmt,
};
use vyre_ir::validate::{AddressTaken, BodyInfo, ProgramInfo};

use super::indices::Indices;
use super::intrinsic::{Meeting, evaluated_again, meeting};
use super::table::Table;
use super::uniformity::Uniformity;

/// Limit of the bytes that a block keeps between regions on the stack, where the optimiser sees that nothing else refers
/// to them. More are in memory that the worker reuses.
const MOST_ON_STACK: u64 = 32 << 10;

/// A body as the block runs it.
#[derive(Debug)]
pub(super) struct Regions<'b> {
    pub(super) pieces: Vec<Piece<'b>>,
    /// The variables with an element per thread.
    kept: Table<Local, bool>,
    /// The variables of the block.
    of_block: Table<Local, bool>,
    /// The variables that are evaluated again instead.
    indices: Indices,
    /// True if some thread returns before the end.
    pub(super) returns: bool,
    /// The offsets of what is kept, if that is too large for the stack, and its size.
    pub(super) memory: Option<(Vec<u64>, u64)>,
}

/// A piece of a body, in the order of execution.
#[derive(Debug)]
pub(super) enum Piece<'b> {
    /// For each thread.
    Region(Region<'b>),
    /// A store to a variable of the block, or a call for it.
    Store(&'b Stmt),
    /// A barrier or exchange.
    Wait(&'b Stmt),
    If(&'b Stmt, [Vec<Piece<'b>>; 2]),
    /// Body and step.
    Loop(&'b Stmt, [Vec<Piece<'b>>; 2]),
    /// A `break` or `continue`.
    Jump(&'b Stmt),
}

/// Statements between two barriers.
#[derive(Debug, Default)]
pub(super) struct Region<'b> {
    /// The barrier or exchange before it, if that has a result for each thread.
    pub(super) receives: Option<&'b Stmt>,
    pub(super) stmts: Vec<&'b Stmt>,
    /// That after it, if it has operands.
    pub(super) offers: Option<&'b Stmt>,
}

impl Regions<'_> {
    /// True if a variable has an element per thread.
    pub(super) fn is_kept(&self, local: Handle<Local>) -> bool {
        self.kept.get(local)
    }

    /// The value of a variable that is neither: an index of the thread.
    pub(super) fn index(&self, body: &Body, local: Handle<Local>) -> Option<ExprId> {
        let is_own = !self.is_of_block(local);
        is_own.then(|| self.indices.local(body, local)).flatten()
    }

    /// True if a variable is one of the block.
    pub(super) fn is_of_block(&self, local: Handle<Local>) -> bool {
        self.of_block.get(local)
    }
}

/// True of a barrier or exchange at which a block can be cut.
fn cuts(kernel: &Kernel, intrinsic: Intrinsic) -> bool {
    matches!(
        meeting(kernel, intrinsic),
        Meeting::Barrier | Meeting::Votes | Meeting::Tile(_)
    )
}

/// Cuts a body of a kernel whose threads wait for each other; `None` if they do not all come to each barrier together.
pub(super) fn regions<'b>(
    (program, facts): (&Program, &ProgramInfo<'_>),
    kernel: &Kernel,
    body: &'b Body,
    info: &BodyInfo<'_>,
) -> Option<Regions<'b>> {
    let is_other = |(intrinsic, _): &(Intrinsic, _)| meeting(kernel, *intrinsic) == Meeting::Other;
    if info.effects.waiting_loop || info.intrinsics.iter().any(is_other) {
        return None;
    }
    let mut cutter = Cutter {
        types: &program.types,
        kernel,
        body,
        info,
        uniformity: Uniformity::of((program, facts), kernel, body, info),
        stmts: Vec::new(),
        of_block: Table::new(),
        region: 0,
        homes: Table::new(),
        spans: Table::new(),
    };
    loop {
        cutter.find_stmts();
        if !cutter.is_uniform() {
            return None;
        }
        (cutter.region, cutter.homes, cutter.spans) = (0, Table::new(), Table::new());
        let pieces = cutter.pieces(&body.block);
        // A uniform variable that lives in several regions takes no array.
        let mut more = false;
        for local in body.locals.handles() {
            if cutter.spans.get(local) && cutter.can_be_of_block(local) {
                more |= !std::mem::replace(cutter.of_block.at(local), true);
            }
        }
        if !more {
            return Some(cutter.finish(pieces));
        }
    }
}

struct Cutter<'a, 'b> {
    types: &'a Types,
    kernel: &'a Kernel,
    body: &'b Body,
    info: &'a BodyInfo<'a>,
    uniformity: Uniformity<'a>,
    /// The statements of the block, in the order of their addresses.
    stmts: Vec<*const Stmt>,
    of_block: Table<Local, bool>,
    /// The number of the current region.
    region: u32,
    /// By local: one more than the region that mentions it first.
    homes: Table<Local, u32>,
    /// By local: true if it is mentioned outside of that, too.
    spans: Table<Local, bool>,
}

impl<'b> Cutter<'_, 'b> {
    /// True if an unwritten parameter, which all threads see.
    fn is_steady(&self, local: Handle<Local>) -> bool {
        local.index() < self.kernel.parameters.len() && self.info.local(local).assigned_at_most(0)
    }

    fn is_stmt_of_block(&self, stmt: &Stmt) -> bool {
        self.stmts.binary_search(&std::ptr::from_ref(stmt)).is_ok()
    }

    /// Finds the statements of the block, and the variables that they need.
    fn find_stmts(&mut self) {
        let body = self.body;
        loop {
            while self.mark(&body.block, &mut Vec::new()).0 {}
            let mut more = false;
            each_stmt(&body.block, &mut |stmt| {
                if !self.is_stmt_of_block(stmt) {
                    return;
                }
                match &stmt.kind {
                    StmtKind::If { condition, .. } => more |= self.need(*condition),
                    StmtKind::Store { value, .. } => more |= self.need(*value),
                    StmtKind::Call { arguments, .. } => arguments.iter().for_each(|&it| more |= self.need(it)),
                    _ => {}
                }
            });
            if !more {
                return;
            }
        }
    }

    /// Marks statements of the block; true if there is another one, and if there is one in the block.
    fn mark(&mut self, block: &'b Block, loops: &mut Vec<&'b Stmt>) -> (bool, bool) {
        let (mut more, mut any) = (false, false);
        for stmt in block {
            let is_of_block = match &stmt.kind {
                StmtKind::Intrinsic { intrinsic, .. } => cuts(self.kernel, *intrinsic),
                StmtKind::Store { place, .. } => {
                    // Not what a slice of the block refers to.
                    let local = self.body.places[*place].whole_local();
                    local.is_some_and(|local| self.of_block.get(local))
                }
                StmtKind::Call { result, .. } => result.is_some_and(|local| self.of_block.get(local)),
                StmtKind::If { then, otherwise, .. } => {
                    let (then, otherwise) = (self.mark(then, loops), self.mark(otherwise, loops));
                    more |= then.0 || otherwise.0;
                    then.1 || otherwise.1
                }
                StmtKind::Loop { body, step } => {
                    loops.push(stmt);
                    let (body, step) = (self.mark(body, loops), self.mark(step, loops));
                    loops.pop();
                    more |= body.0 || step.0;
                    body.1 || step.1
                }
                StmtKind::Break(depth) | StmtKind::Continue(depth) => {
                    let target = loops.iter().rev().nth(*depth as usize);
                    target.is_some_and(|target| self.is_stmt_of_block(target))
                }
                _ => false,
            };
            any |= is_of_block;
            if is_of_block && let Err(at) = self.stmts.binary_search(&std::ptr::from_ref(stmt)) {
                self.stmts.insert(at, stmt);
                more = true;
            }
        }
        (more, any)
    }

    /// Makes the variables that an expression reads those of the block; true if one was none before.
    fn need(&mut self, expr: ExprId) -> bool {
        let body = self.body;
        let mut more = false;
        body.inside(Mention::Expr(expr), &mut |mention| {
            if let Mention::Place(place, _) = mention
                && let Some(local) = body.places[place].local()
                && !self.is_steady(local)
            {
                more |= !std::mem::replace(self.of_block.at(local), true);
            }
        });
        more
    }

    /// True if a variable can be one of the block: all threads assign it the same values, and as a whole.
    fn can_be_of_block(&self, local: Handle<Local>) -> bool {
        let info = self.info.local(local);
        local.index() >= self.kernel.parameters.len()
            && self.uniformity.is_uniform(local)
            && info.partial_assignments == 0
            && info.address == AddressTaken::No
    }

    /// True if the block can do what is of it.
    fn is_uniform(&self) -> bool {
        let mut holds = self
            .body
            .locals
            .handles()
            .all(|local| !self.of_block.get(local) || self.can_be_of_block(local));
        each_stmt(&self.body.block, &mut |stmt| {
            holds = holds
                && match &stmt.kind {
                    StmtKind::If { condition, .. } if self.is_stmt_of_block(stmt) => self.uniformity.expr(*condition),
                    StmtKind::Intrinsic {
                        intrinsic, operands, ..
                    } => {
                        let again = evaluated_again(*intrinsic, operands);
                        again.iter().all(|&operand| self.reads_no_memory(operand))
                    }
                    _ => true,
                };
        });
        holds
    }

    /// True of an expression of variables and constants that cannot fault.
    fn reads_no_memory(&self, expr: ExprId) -> bool {
        let body = self.body;
        let mut holds = true;
        body.inside(Mention::Expr(expr), &mut |mention| match mention {
            Mention::Expr(id) => {
                holds &= match body.exprs[id].kind {
                    ExprKind::Binary { op, left, right } => {
                        let scalar = self.types.as_scalar(body.exprs[left].ty);
                        let is_constant = matches!(body.exprs[right].kind, ExprKind::Constant(it) if it.bits != 0);
                        scalar.is_some_and(|scalar| !op.may_fault(scalar) || is_constant && !scalar.is_signed())
                    }
                    ref kind => cannot_fault(kind),
                };
            }
            Mention::Place(place, _) => holds &= body.places[place].whole_local().is_some(),
            Mention::Result(_) => {}
        });
        holds
    }

    /// The pieces of a block.
    fn pieces(&mut self, block: &'b Block) -> Vec<Piece<'b>> {
        let mut pieces = Vec::new();
        let mut region = self.begin();
        for stmt in block {
            let is_jump = matches!(
                stmt.kind,
                StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_)
            );
            if !self.is_stmt_of_block(stmt) {
                self.mention_all(stmt);
                region.stmts.push(stmt);
                // Lanes can run what comes after it, since none of that depends on what was loaded.
                if returns(stmt) && region.stmts.iter().any(|stmt| loads(stmt)) && !is_jump {
                    end(&mut pieces, region);
                    region = self.begin();
                }
            } else {
                match &stmt.kind {
                    StmtKind::Store { .. } | StmtKind::Call { .. } => {
                        if !self.goes_before(stmt) {
                            end(&mut pieces, region);
                            region = self.begin();
                        }
                        pieces.push(Piece::Store(stmt));
                        // After the statements before it.
                        self.mention_of_block(stmt);
                    }
                    StmtKind::If { then, otherwise, .. } => {
                        end(&mut pieces, region);
                        let parts = [self.pieces(then), self.pieces(otherwise)];
                        pieces.push(Piece::If(stmt, parts));
                        region = self.begin();
                    }
                    StmtKind::Loop { body, step } => {
                        end(&mut pieces, region);
                        let parts = [self.pieces(body), self.pieces(step)];
                        pieces.push(Piece::Loop(stmt, parts));
                        region = self.begin();
                    }
                    StmtKind::Intrinsic {
                        intrinsic,
                        operands,
                        result,
                    } => {
                        let counts = meeting(self.kernel, *intrinsic) == Meeting::Votes;
                        if !operands.is_empty() {
                            match counts {
                                // A count that all threads get becomes a variable of the block.
                                true => self.mention_all(stmt),
                                false => self.mention_operands(stmt),
                            }
                            region.offers = Some(stmt);
                        }
                        end(&mut pieces, region);
                        pieces.push(Piece::Wait(stmt));
                        region = self.begin();
                        if let Some(local) = *result
                            && !(counts && self.of_block.get(local))
                        {
                            self.mention_all(stmt);
                            region.receives = Some(stmt);
                        }
                    }
                    _ => {
                        end(&mut pieces, region);
                        pieces.push(Piece::Jump(stmt));
                        return pieces;
                    }
                }
            }
            if is_jump {
                break;
            }
        }
        end(&mut pieces, region);
        pieces
    }

    fn begin(&mut self) -> Region<'b> {
        self.region += 1;
        Region::default()
    }

    /// True if a store of the block can run before the current region: nothing there mentions its variable, and it cannot
    /// fault.
    fn goes_before(&self, stmt: &Stmt) -> bool {
        // A call may fault, and a thread may return before it.
        let StmtKind::Store { place, value } = stmt.kind else {
            return false;
        };
        let local = self.body.places[place].whole_local();
        local.is_some_and(|local| self.homes.get(local) == 0) && self.reads_no_memory(value)
    }

    /// Notes what a statement, with its blocks, mentions in the current region.
    fn mention_all(&mut self, stmt: &'b Stmt) {
        let body = self.body;
        let mut mentions = Vec::new();
        body.mentions_of(stmt, &mut |mention| mentions.push(mention));
        for inner in stmt.kind.blocks() {
            each_stmt(inner, &mut |stmt| {
                body.mentions_of(stmt, &mut |mention| mentions.push(mention))
            });
        }
        self.mention(mentions);
    }

    /// Notes what the operands of an exchange mention in the current region. Its result belongs to the next one.
    fn mention_operands(&mut self, stmt: &'b Stmt) {
        let mut mentions = Vec::new();
        self.body.mentions_of(stmt, &mut |mention| mentions.push(mention));
        mentions.retain(|mention| !matches!(mention, Mention::Result(_)));
        self.mention(mentions);
    }

    fn mention(&mut self, mentions: Vec<Mention>) {
        let body = self.body;
        for mention in mentions {
            let local = match mention {
                Mention::Expr(_) => None,
                Mention::Place(place, _) => body.places[place].local(),
                Mention::Result(local) => Some(local),
            };
            if let Some(local) = local {
                let home = self.homes.at(local);
                match *home {
                    0 => *home = self.region + 1,
                    known if known != self.region + 1 => *self.spans.at(local) = true,
                    _ => {}
                }
            }
        }
    }

    /// Notes the variable that a store of the block assigns.
    fn mention_of_block(&mut self, stmt: &Stmt) {
        let local = match stmt.kind {
            StmtKind::Store { place, .. } => self.body.places[place].whole_local(),
            StmtKind::Call { result, .. } => result,
            _ => None,
        };
        if let Some(local) = local
            && self.homes.get(local) == 0
        {
            *self.homes.at(local) = u32::MAX;
        }
    }

    fn finish(self, pieces: Vec<Piece<'b>>) -> Regions<'b> {
        let parameters = self.kernel.parameters.len();
        let indices = Indices::of(self.body, self.info);
        let mut kept = Table::new();
        let (mut offsets, mut bytes) = (Vec::new(), 0u64);
        for (local, it) in self.body.locals.iter() {
            let is_kept = match local.index() < parameters {
                true => !self.is_steady(local),
                false => {
                    // A reference to it may live on.
                    let info = self.info.local(local);
                    let lives = self.spans.get(local) || info.read_unwritten || info.address != AddressTaken::No;
                    let is_index = indices.local(self.body, local).is_some();
                    self.homes.get(local) != 0 && !self.of_block.get(local) && lives && !is_index
                }
            };
            *kept.at(local) = is_kept;
            let layout = self.types.layout(it.ty);
            let offset = bytes.next_multiple_of(layout.align.max(1));
            offsets.push(offset);
            if is_kept {
                bytes = offset + layout.size * self.kernel.block_threads();
            }
        }
        let mut returns = false;
        let last = self.body.block.last().map(std::ptr::from_ref);
        each_stmt(&self.body.block, &mut |stmt| {
            returns |= matches!(stmt.kind, StmtKind::Return(_)) && Some(std::ptr::from_ref(stmt)) != last;
        });
        Regions {
            pieces,
            kept,
            of_block: self.of_block,
            indices,
            returns,
            memory: (bytes > MOST_ON_STACK).then_some((offsets, bytes)),
        }
    }
}

/// True of an expression, not an operation on two scalars, that cannot fault if its operands and the index of its place do not.
pub(super) fn cannot_fault(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Constant(_)
            | ExprKind::External(_)
            | ExprKind::Builtin(_)
            | ExprKind::Load(_)
            | ExprKind::Length(_)
            | ExprKind::Unary { .. }
            | ExprKind::MulAdd { .. }
            | ExprKind::And { .. }
            | ExprKind::Or { .. }
            | ExprKind::Select { .. }
            | ExprKind::Cast(_)
            | ExprKind::Bitcast(_)
            | ExprKind::Field { .. }
    )
}

/// True if a thread may return in a statement.
fn returns(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Return(_)) || stmt.kind.blocks().any(|block| block.iter().any(returns))
}

/// True if a statement has an atomic load.
fn loads(stmt: &Stmt) -> bool {
    let op = AtomicOp::Load;
    matches!(stmt.kind, StmtKind::Atomic { op: it, .. } if it == op)
        || stmt.kind.blocks().any(|block| block.iter().any(loads))
}

/// Ends a region.
fn end<'b>(pieces: &mut Vec<Piece<'b>>, region: Region<'b>) {
    if !region.stmts.is_empty() || region.offers.is_some() || region.receives.is_some() {
        pieces.push(Piece::Region(region));
    }
}

#[cfg(test)]
mod tests;
