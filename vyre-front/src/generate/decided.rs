//! Branches whose condition has one value, out of the program before its CPU body is written.
//!
//! The optimiser drops them from PTX. In a CPU body LLVM would drop them, but only after it has optimised each region and
//! each form of them: a reduction of a block has a branch for blocks that do not end with a whole warp, as long as the other.
//!
//! A condition has one value if it is computed of constants, sizes of the block, locals that are assigned once and written
//! before they are read, and results of functions with one `return`. It is not evaluated then: it cannot fault, and the calls
//! that its locals come from stay.

use vyre_ir::ir::{
    Axis, Block, Body, Builtin, Constant, ExprId, ExprKind, Function, Handle, Kernel, Local, Program, Scalar, StmtKind,
    Type, each_stmt,
};
use vyre_ir::semantics;
use vyre_ir::validate::{BodyInfo, Validated};

/// The program of the CPU body of a kernel without the branches that are not taken; `None` if it has no such branch.
pub(super) fn decided(valid: &Validated<'_>, kernel: Handle<Kernel>) -> Option<Program> {
    let (program, info) = (valid.program(), valid.info());
    let (entry, entry_info) = (program.kernels[kernel].entries.last()?, info.entries(kernel).last()?);
    let mut decider = Decider {
        valid,
        block: program.kernels[kernel].block,
        results: vec![None; program.functions.len()],
    };
    let mut decided: Option<Program> = None;
    for &function in &entry_info.reach.functions {
        let it = &program.functions[function];
        if let Some(block) = decider.block_of((&it.body, it.parameters as usize), info.function(function)) {
            let decided = decided.get_or_insert_with(|| program.clone());
            decided.functions[function].body.block = block;
        }
    }
    let parameters = program.kernels[kernel].parameters.len();
    if let Some(block) = decider.block_of((&entry.body, parameters), &entry_info.body) {
        let decided = decided.get_or_insert_with(|| program.clone());
        decided.kernels[kernel].entries.last_mut()?.body.block = block;
    }
    decided
}

struct Decider<'v> {
    valid: &'v Validated<'v>,
    /// The sizes of the kernel's blocks.
    block: [u32; 3],
    /// The results of the functions that were asked for.
    results: Vec<Option<Option<Constant>>>,
}

/// The assignment of a local.
#[derive(Clone, Copy)]
enum Assigned {
    To(ExprId),
    ToResult(Handle<Function>),
}

/// A body with the values of its locals.
struct Values<'b> {
    body: &'b Body,
    /// The assignments of locals that have one.
    assigned: Vec<Option<Assigned>>,
    /// The values of the locals that were asked for.
    known: Vec<Option<Option<Constant>>>,
}

impl Decider<'_> {
    /// The statements of a body with so many parameters without the branches that are not taken; `None` if it has none.
    fn block_of(&mut self, (body, parameters): (&Body, usize), info: &BodyInfo<'_>) -> Option<Block> {
        let mut has_branches = false;
        each_stmt(&body.block, &mut |stmt| {
            has_branches |= matches!(stmt.kind, StmtKind::If { .. })
        });
        if !has_branches {
            return None;
        }
        let mut values = values((body, parameters), info);
        let mut found = false;
        let block = self.taken(&mut values, &body.block, &mut found);
        found.then_some(block)
    }

    fn taken(&mut self, values: &mut Values<'_>, block: &Block, found: &mut bool) -> Block {
        let mut kept = Block::with_capacity(block.len());
        for stmt in block {
            if let StmtKind::If {
                condition,
                then,
                otherwise,
            } = &stmt.kind
                && let Some(value) = self.value(values, *condition)
            {
                *found = true;
                kept.extend(self.taken(values, if value.bits == 0 { otherwise } else { then }, found));
                let jumps =
                    |kind: &StmtKind| matches!(kind, StmtKind::Return(_) | StmtKind::Break(_) | StmtKind::Continue(_));
                if kept.last().is_some_and(|last| jumps(&last.kind)) {
                    break;
                }
                continue;
            }
            let mut stmt = stmt.clone();
            for inner in stmt.kind.blocks_mut() {
                *inner = self.taken(values, inner, found);
            }
            kept.push(stmt);
        }
        kept
    }

    /// The value of an expression without effects of floats, if it has one.
    fn value(&mut self, values: &mut Values<'_>, expr: ExprId) -> Option<Constant> {
        let it = &values.body.exprs[expr];
        let Type::Scalar(scalar) = self.valid.program().types[it.ty] else {
            return None;
        };
        if scalar.is_float() {
            return None;
        }
        let of = |value: bool| Constant {
            scalar: Scalar::Bool,
            bits: value.into(),
        };
        match it.kind {
            ExprKind::Constant(constant) => Some(constant),
            ExprKind::Builtin(Builtin::BlockSize(axis)) => Some(Constant {
                scalar,
                bits: match axis {
                    Axis::X => self.block[0],
                    Axis::Y => self.block[1],
                    Axis::Z => self.block[2],
                }
                .into(),
            }),
            ExprKind::Load(place) => {
                let local = values.body.places[place].whole_local()?;
                self.local(values, local)
            }
            ExprKind::Unary { op, operand } => Some(semantics::unary(op, self.value(values, operand)?)),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.value(values, left)?, self.value(values, right)?);
                semantics::binary(op, left, right).ok()
            }
            ExprKind::And { left, right } => match self.value(values, left)?.bits {
                0 => Some(of(false)),
                _ => self.value(values, right),
            },
            ExprKind::Or { left, right } => match self.value(values, left)?.bits {
                0 => self.value(values, right),
                _ => Some(of(true)),
            },
            ExprKind::Cast(operand) => Some(semantics::cast(self.value(values, operand)?, scalar)),
            _ => None,
        }
    }

    fn local(&mut self, values: &mut Values<'_>, local: Handle<Local>) -> Option<Constant> {
        if let Some(known) = values.known[local.index()] {
            return known;
        }
        // A local of which this one is computed is written before, so it is another one; for a program that breaks this rule
        // the value is unknown.
        values.known[local.index()] = Some(None);
        let value = match values.assigned[local.index()]? {
            Assigned::To(value) => self.value(values, value),
            Assigned::ToResult(function) => self.result(function),
        };
        values.known[local.index()] = Some(value);
        value
    }

    /// The result of a function that returns at its end alone, if it has one value.
    fn result(&mut self, function: Handle<Function>) -> Option<Constant> {
        if let Some(known) = self.results[function.index()] {
            return known;
        }
        self.results[function.index()] = Some(None);
        let valid = self.valid;
        let it = &valid.program().functions[function];
        let body = &it.body;
        let Some(StmtKind::Return(Some(value))) = body.block.last().map(|last| &last.kind) else {
            return None;
        };
        let mut returns = 0;
        each_stmt(&body.block, &mut |stmt| {
            returns += u32::from(matches!(stmt.kind, StmtKind::Return(_)))
        });
        if returns != 1 {
            return None;
        }
        let mut values = values((body, it.parameters as usize), valid.info().function(function));
        let value = self.value(&mut values, *value);
        self.results[function.index()] = Some(value);
        value
    }
}

fn values<'b>((body, parameters): (&'b Body, usize), info: &BodyInfo<'_>) -> Values<'b> {
    let mut assigned = vec![None; body.locals.len()];
    let mut assign = |local: Handle<Local>, value| {
        let it = info.local(local);
        // Parameters have the value of the caller, too.
        if local.index() >= parameters && it.assigned_at_most(1) && !it.read_unwritten {
            assigned[local.index()] = Some(value);
        }
    };
    each_stmt(&body.block, &mut |stmt| match stmt.kind {
        StmtKind::Store { place, value } => {
            if let Some(local) = body.places[place].whole_local() {
                assign(local, Assigned::To(value));
            }
        }
        StmtKind::Call {
            function,
            result: Some(local),
            ..
        } => assign(local, Assigned::ToResult(function)),
        _ => {}
    });
    Values {
        body,
        known: vec![None; assigned.len()],
        assigned,
    }
}
