//! Branches that the shape of the block decides, in a body that functions were put into.
//!
//! `block::sum` has code for blocks of whole warps and for others. The CPU body would have both, with the barriers and the
//! variables of either. Here the other one goes: conditions are evaluated on integers that are constant, also through calls
//! of functions that return such. A variable is known behind its only assignment, in the block of that.

use vyre_ir::ir::{
    Block, Body, Builtin, Constant, Expr, ExprId, ExprKind, Function, Handle, Kernel, Local, Mention, Program, Stmt,
    StmtKind, Use, each_stmt,
};
use vyre_ir::semantics;

use super::table::Table;

/// Removes the branches of a body that are not taken, and the assignments of constants that others follow.
pub(super) fn fold(program: &Program, kernel: &Kernel, body: &mut Body) {
    let mut assignments = Table::new();
    body.each_mention(&mut |mention| {
        let (local, count) = match mention {
            Mention::Place(place, Use::Store) => (body.places[place].local(), 1u32),
            // Through a reference there may be any number.
            Mention::Place(place, Use::Address | Use::Subslice) => (body.places[place].local(), 2),
            Mention::Result(local) => (Some(local), 1),
            _ => return,
        };
        if let Some(local) = local {
            *assignments.at(local) += count;
        }
    });
    let mut folder = Folder {
        program,
        kernel,
        assignments,
        known: Vec::new(),
    };
    let block = std::mem::take(&mut body.block);
    let block = folder.block(body, block);
    body.block = without_dead(body, block);
}

struct Folder<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    /// By local: how often it is assigned.
    assignments: Table<Local, u32>,
    /// The variables that are known, innermost last.
    known: Vec<(Handle<Local>, Constant)>,
}

impl Folder<'_> {
    fn block(&mut self, body: &mut Body, block: Block) -> Block {
        let outer = self.known.len();
        let mut folded = Vec::with_capacity(block.len());
        for stmt in block {
            self.stmt(body, stmt, &mut folded);
            if folded.last().is_some_and(is_jump) {
                break;
            }
        }
        self.known.truncate(outer);
        folded
    }

    fn stmt(&mut self, body: &mut Body, mut stmt: Stmt, to: &mut Block) {
        let (target, value) = match &mut stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (std::mem::take(then), std::mem::take(otherwise));
                let Some(condition) = self.value(body, *condition) else {
                    let (then, otherwise) = (self.block(body, then), self.block(body, otherwise));
                    return to.push(with_blocks(stmt, then, otherwise));
                };
                let taken = if condition.bits == 0 { otherwise } else { then };
                return to.extend(self.block(body, taken));
            }
            StmtKind::Loop { body: inside, step } => {
                let (inside, step) = (std::mem::take(inside), std::mem::take(step));
                let (inside, step) = (self.block(body, inside), self.block(body, step));
                return to.push(with_blocks(stmt, inside, step));
            }
            StmtKind::Store { place, value } => (body.places[*place].whole_local(), self.value(body, *value)),
            StmtKind::Call {
                function,
                arguments,
                result,
            } if arguments.is_empty() => (*result, self.call(*function)),
            _ => (None, None),
        };
        if let (Some(local), Some(value)) = (target, value)
            && self.assignments.get(local) == 1
        {
            self.known.push((local, value));
        }
        to.push(stmt);
    }

    /// The integer that a function without parameters returns.
    fn call(&self, function: Handle<Function>) -> Option<Constant> {
        let body = &self.program.functions[function].body;
        match body.block.as_slice() {
            [
                Stmt {
                    kind: StmtKind::Return(Some(value)),
                    ..
                },
            ] => Folder {
                known: Vec::new(),
                assignments: Table::new(),
                ..*self
            }
            .value(body, *value),
            _ => None,
        }
    }

    /// The value of an expression, if it is an integer or truth value that is constant.
    fn value(&self, body: &Body, id: ExprId) -> Option<Constant> {
        let Expr { ref kind, ty, .. } = body.exprs[id];
        let scalar = self.program.types.as_scalar(ty)?;
        if scalar.is_float() {
            return None;
        }
        match *kind {
            ExprKind::Constant(constant) => Some(constant),
            ExprKind::Builtin(Builtin::BlockSize(axis)) => {
                Some(Constant::new(scalar, self.kernel.block[axis.index()].into()))
            }
            ExprKind::Load(place) => {
                let local = body.places[place].whole_local()?;
                let known = self.known.iter().find(|(known, _)| *known == local);
                known.map(|&(_, value)| value)
            }
            ExprKind::Cast(operand) => Some(semantics::cast(self.value(body, operand)?, scalar)),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.value(body, left)?, self.value(body, right)?);
                semantics::binary(op, left, right).ok()
            }
            _ => None,
        }
    }
}

/// A branch or loop with other blocks.
fn with_blocks(mut stmt: Stmt, first: Block, second: Block) -> Stmt {
    for (block, new) in stmt.kind.blocks_mut().zip([first, second]) {
        *block = new;
    }
    stmt
}

fn is_jump(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Break(_) | StmtKind::Continue(_) | StmtKind::Return(_)
    )
}

/// A block without assignments of constants to variables that the block assigns again, before anything mentions them.
fn without_dead(body: &Body, mut block: Block) -> Block {
    for stmt in &mut block {
        for inner in stmt.kind.blocks_mut() {
            *inner = without_dead(body, std::mem::take(inner));
        }
    }
    let mut at = 0;
    while at < block.len() {
        match constant_store(body, &block[at]).is_some_and(|local| is_dead(body, local, &block[at + 1..])) {
            true => drop(block.remove(at)),
            false => at += 1,
        }
    }
    block
}

/// The variable to which a statement assigns a constant.
fn constant_store(body: &Body, stmt: &Stmt) -> Option<Handle<Local>> {
    match stmt.kind {
        StmtKind::Store { place, value } => {
            let is_constant = matches!(
                body.exprs[value].kind,
                ExprKind::Constant(_) | ExprKind::Repeat(_) | ExprKind::Construct(_)
            );
            let mut reads = false;
            body.inside(Mention::Expr(value), &mut |it| {
                reads |= matches!(it, Mention::Place(..))
            });
            body.places[place].whole_local().filter(|_| is_constant && !reads)
        }
        _ => None,
    }
}

/// True if the next statement that mentions a variable assigns it, and no jump leads past that.
fn is_dead(body: &Body, local: Handle<Local>, after: &[Stmt]) -> bool {
    let mentions = |stmt: &Stmt| {
        let mut found = 0;
        body.mentions_of(stmt, &mut |mention| match mention {
            Mention::Place(place, _) => found += usize::from(body.places[place].local() == Some(local)),
            Mention::Result(result) => found += usize::from(result == local),
            Mention::Expr(_) => {}
        });
        found
    };
    for stmt in after {
        if let StmtKind::Store { place, .. } = stmt.kind
            && body.places[place].whole_local() == Some(local)
        {
            return mentions(stmt) == 1;
        }
        let mut found = mentions(stmt);
        for block in stmt.kind.blocks() {
            each_stmt(block, &mut |stmt| found += mentions(stmt));
        }
        if found > 0 || leaves(stmt, 0) {
            return false;
        }
    }
    false
}

/// True if a statement, within so many loops, may jump out of all of them.
fn leaves(stmt: &Stmt, depth: u32) -> bool {
    let inner = match stmt.kind {
        StmtKind::Return(_) => return true,
        StmtKind::Break(to) | StmtKind::Continue(to) => return to >= depth,
        StmtKind::Loop { .. } => depth + 1,
        _ => depth,
    };
    stmt.kind
        .blocks()
        .any(|block| block.iter().any(|stmt| leaves(stmt, inner)))
}
