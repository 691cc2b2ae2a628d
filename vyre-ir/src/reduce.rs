//! Reduces a failing program.
//!
//! Changes are tried one at a time and kept if the program is still valid and still fails:
//! statements are removed or replaced by the blocks inside them, then expressions are replaced by
//! zeros or by one of their operands. Barriers, accesses to shared memory, indices of slices and
//! variables that hold a thread's index stay: without them threads would race, and the program
//! would fail for another reason. Functions that are no longer called are removed last.

use crate::ir::{
    Among, Block, Body, Constant, ExprId, ExprKind, Function, Handle, Kernel, Local, PlaceBase, Program, Projection,
    Scalar, Stmt, StmtKind,
};
use crate::validate::validate;

/// The smallest program found for which `fails` holds, as it does for `program`.
pub fn reduce(program: &Program, kernel: Handle<Kernel>, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut program = program.clone();
    loop {
        let mut smaller = false;
        for change in [drop_statement, unwrap_statement, simplify] {
            // Entries first: functions that they no longer call need not be reduced.
            for number in 0.. {
                if body(&mut program.clone(), kernel, number).is_none() {
                    break;
                }
                let mut place = 0;
                loop {
                    let mut candidate = program.clone();
                    let Some(body) = body(&mut candidate, kernel, number) else {
                        break;
                    };
                    match change(body, place) {
                        Changed::End => break,
                        Changed::Yes if validate(&candidate).is_ok() && fails(&candidate) => {
                            program = candidate;
                            smaller = true;
                        }
                        Changed::Yes | Changed::No => place += 1,
                    }
                }
            }
        }
        if !smaller {
            return without_unused_functions(program, fails);
        }
    }
}

/// Removes functions that are not called, if the program still fails without them.
fn without_unused_functions(mut program: Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    // Functions call those before them, so the last ones go first.
    for number in (0..program.functions.len()).rev() {
        let mut candidate = program.clone();
        let others = program
            .functions
            .iter()
            .filter(|(function, _)| function.index() != number);
        candidate.functions = others.map(|(_, function)| function.clone()).collect();
        let mut called = false;
        for_each_body(&mut candidate, &mut |body| {
            for_each_call(&mut body.block, &mut |function| {
                called |= function.index() == number;
                if function.index() > number {
                    *function = Handle::new(function.index() - 1);
                }
            });
        });
        if !called && validate(&candidate).is_ok() && fails(&candidate) {
            program = candidate;
        }
    }
    program
}

fn for_each_body(program: &mut Program, visit: &mut dyn FnMut(&mut Body)) {
    for kernel in program.kernels.handles() {
        program.kernels[kernel]
            .entries
            .iter_mut()
            .for_each(|entry| visit(&mut entry.body));
    }
    for function in program.functions.handles() {
        visit(&mut program.functions[function].body);
    }
}

fn for_each_call(block: &mut Block, visit: &mut dyn FnMut(&mut Handle<Function>)) {
    for stmt in block {
        if let StmtKind::Call { function, .. } = &mut stmt.kind {
            visit(function);
        }
        stmt.kind.blocks_mut().for_each(|block| for_each_call(block, visit));
    }
}

/// Result of a change.
enum Changed {
    Yes,
    /// Not applicable here.
    No,
    /// There is no such location.
    End,
}

/// A body: first those of the kernel's entries, then those of the functions.
fn body(program: &mut Program, kernel: Handle<Kernel>, number: usize) -> Option<&mut Body> {
    let entries = &mut program.kernels[kernel].entries;
    if number < entries.len() {
        return Some(&mut entries[number].body);
    }
    let function = program.functions.handles().nth(number - entries.len())?;
    Some(&mut program.functions[function].body)
}

/// The block of a statement and its position there; statements are counted in textual order.
fn statement<'b>(block: &'b mut Block, left: &mut usize) -> Option<(&'b mut Block, usize)> {
    let mut found = None;
    for at in 0..block.len() {
        if *left == 0 {
            found = Some(at);
            break;
        }
        *left -= 1;
        let inside: usize = block[at].kind.blocks().map(count).sum();
        if *left < inside {
            return block[at].kind.blocks_mut().find_map(|block| statement(block, left));
        }
        *left -= inside;
    }
    found.map(|at| (block, at))
}

fn count(block: &Block) -> usize {
    block
        .iter()
        .map(|stmt| 1 + stmt.kind.blocks().map(count).sum::<usize>())
        .sum()
}

/// True if threads may race without a statement.
fn keeps_apart(body: &Body, stmt: &Stmt) -> bool {
    let shared = |place| match body.places[place].base {
        PlaceBase::Shared(_) => true,
        PlaceBase::Local(local) => is_dynamic(body, local),
        PlaceBase::Table(_) => false,
    };
    match &stmt.kind {
        StmtKind::Intrinsic { intrinsic, .. } => intrinsic.row().among > Among::Thread && intrinsic.row().orders_memory,
        StmtKind::Store { place, value } => shared(*place) || matches!(body.exprs[*value].kind, ExprKind::Builtin(_)),
        StmtKind::Atomic { place, .. } => shared(*place),
        kind => kind.blocks().flatten().any(|stmt| keeps_apart(body, stmt)),
    }
}

/// True if a variable refers to dynamic shared memory, or to that of another block.
fn is_dynamic(body: &Body, local: Handle<Local>) -> bool {
    body.block.iter().any(|stmt| match stmt.kind {
        StmtKind::Store { place, value } => {
            matches!(
                body.exprs[value].kind,
                ExprKind::DynamicShared { .. } | ExprKind::MapShared { .. }
            ) && matches!(body.places[place].base, PlaceBase::Local(this) if this == local)
        }
        _ => false,
    })
}

fn drop_statement(body: &mut Body, place: usize) -> Changed {
    let copy = body.clone();
    let Some((block, at)) = statement(&mut body.block, &mut { place }) else {
        return Changed::End;
    };
    if keeps_apart(&copy, &block[at]) {
        return Changed::No;
    }
    block.remove(at);
    Changed::Yes
}

fn unwrap_statement(body: &mut Body, place: usize) -> Changed {
    let Some((block, at)) = statement(&mut body.block, &mut { place }) else {
        return Changed::End;
    };
    let inside: Block = match &mut block[at].kind {
        StmtKind::If { then, otherwise, .. } => then.drain(..).chain(otherwise.drain(..)).collect(),
        StmtKind::Loop { body, .. } => std::mem::take(body),
        _ => return Changed::No,
    };
    block.splice(at..=at, inside);
    Changed::Yes
}

/// Replaces an expression by a zero, its first or its last operand of the same type: `place` counts
/// these three changes per expression.
fn simplify(body: &mut Body, place: usize) -> Changed {
    let (id, change) = (ExprId::new(place / 3), place % 3);
    let Some(expr) = body.exprs.get(id) else {
        return Changed::End;
    };
    let scalar = Scalar::ALL
        .into_iter()
        .find(|&scalar| scalar as usize == expr.ty.index());
    let (Some(scalar), false) = (scalar, matches!(expr.kind, ExprKind::Constant(_))) else {
        return Changed::No;
    };
    if is_index(body, id) || matches!(expr.kind, ExprKind::Builtin(_)) {
        return Changed::No;
    }
    let zero = ExprKind::Constant(Constant::new(scalar, 0));
    let mut operands = Vec::new();
    expr.kind.operands(&mut |operand| operands.push(operand));
    operands.retain(|&operand| body.exprs[operand].ty == expr.ty);
    let operand = match change {
        1 => operands.first(),
        2 if operands.len() > 1 => operands.last(),
        _ => None,
    };
    body.exprs[id].kind = match operand {
        // An expression has one parent: the operand moves.
        Some(&operand) => std::mem::replace(&mut body.exprs[operand].kind, zero),
        None if change == 0 => zero,
        None => return Changed::No,
    };
    Changed::Yes
}

/// True if an expression is part of an index, which may keep threads apart.
fn is_index(body: &Body, id: ExprId) -> bool {
    let mut open = Vec::new();
    for (_, place) in body.places.iter() {
        let indices = place.path.iter().filter_map(|step| match step {
            Projection::Index { index, .. } => Some(*index),
            _ => None,
        });
        open.extend(indices);
    }
    for (_, expr) in body.exprs.iter() {
        if let ExprKind::Subslice { start, end, .. } = expr.kind {
            open.extend([start, end]);
        }
    }
    while let Some(index) = open.pop() {
        if index == id {
            return true;
        }
        body.exprs[index].kind.operands(&mut |operand| open.push(operand));
    }
    false
}
