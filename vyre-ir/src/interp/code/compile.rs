//! Statements: instructions for a body.

use std::collections::HashMap;

use vyre_abi::fault::FaultKind;

use super::expr::Want;
use super::op::{Atomic, Count, Op, Operand, Rare, Reg, Site, SiteKind};
use super::{Home, Layouts, Routine, aligned};
use crate::ir::{
    AssertMessage, AtomicOp, Block, Body, Builtin, ExprId, ExprKind, Handle, Intrinsic, Layout, Local, Program, Scalar,
    Span, Stmt, StmtKind, Type, TypeId,
};

/// Translates a body.
pub(super) struct Compiler<'c, 'p> {
    pub(super) program: &'p Program,
    pub(super) memory: &'c Layouts,
    pub(super) body: &'p Body,
    pub(super) ops: Vec<Op>,
    rare: Vec<Rare<'p>>,
    sites: Vec<Site>,
    spans: Vec<(u32, Span)>,
    pub(super) homes: Vec<Home>,
    constants: HashMap<u64, Reg>,
    registers: Vec<u64>,
    bytes: u64,
    /// The first register for temporaries, those in use, and the most that were.
    temporaries: [u32; 3],
    /// The scratch memory in use.
    pub(super) scratch: u64,
    /// Statements since the last count.
    pending: Count,
    /// The loops around the current statement, outermost first.
    loops: Vec<Loop>,
}

/// The jumps of a loop whose target is not known yet.
#[derive(Default)]
struct Loop {
    breaks: Vec<usize>,
    continues: Vec<usize>,
}

impl<'c, 'p> Compiler<'c, 'p> {
    pub(super) fn new(program: &'p Program, memory: &'c Layouts, body: &'p Body) -> Self {
        let mut compiler = Compiler {
            program,
            memory,
            body,
            ops: Vec::new(),
            rare: Vec::new(),
            sites: Vec::new(),
            spans: Vec::new(),
            homes: Vec::new(),
            constants: HashMap::new(),
            registers: Vec::new(),
            bytes: 0,
            temporaries: [0; 3],
            scratch: 0,
            pending: Count::default(),
            loops: Vec::new(),
        };
        compiler.place_constants();
        compiler.place_locals();
        let first = compiler.registers.len() as u32;
        compiler.temporaries = [first, first, first];
        compiler
    }

    /// The routine of the body, and of its predicate.
    pub(super) fn routine(mut self, predicate: Option<ExprId>) -> Routine<'p> {
        self.block(&self.body.block);
        self.rare_step(Rare::End, Span::NONE, true);
        let start = self.ops.len();
        if let Some(predicate) = predicate {
            let holds = self.word(predicate, None);
            self.rare(Rare::Return(Some(Operand::Word(holds))), Span::NONE);
        }
        let mut frame = 0;
        for (_, local) in self.body.locals.iter() {
            let layout = self.layout(local.ty);
            frame = aligned(frame, layout.align).saturating_add(layout.size);
        }
        self.registers.resize(self.temporaries[2] as usize, 0);
        Routine {
            body: self.body,
            ops: self.ops,
            rare: self.rare,
            sites: self.sites,
            spans: self.spans,
            homes: self.homes,
            registers: self.registers,
            bytes: self.bytes,
            frame,
            predicate: start,
        }
    }

    /// Gives registers to the constants of the body.
    fn place_constants(&mut self) {
        for (_, expr) in self.body.exprs.iter() {
            if let ExprKind::Constant(constant) = &expr.kind {
                let registers = &mut self.registers;
                self.constants.entry(constant.bits).or_insert_with(|| {
                    registers.push(constant.bits);
                    registers.len() as Reg - 1
                });
            }
        }
    }

    /// Gives registers to the locals that are words, unless a reference leads to them.
    fn place_locals(&mut self) {
        let mut is_referenced = vec![false; self.body.locals.len()];
        for (_, expr) in self.body.exprs.iter() {
            if let ExprKind::Reference(place) = expr.kind
                && let Some(local) = self.body.places[place].whole_local()
            {
                is_referenced[local.index()] = true;
            }
        }
        for (local, is_referenced) in self.body.locals.handles().zip(is_referenced) {
            let ty = self.body.locals[local].ty;
            let reg = self.registers.len() as Reg;
            let home = match &self.program.types[ty] {
                Type::Scalar(_) | Type::Reference { .. } if !is_referenced => Home::Word(reg),
                Type::Slice { .. } if !is_referenced => Home::Slice(reg),
                _ => {
                    let layout = self.layout(ty);
                    let offset = aligned(self.bytes, layout.align);
                    self.bytes = offset.saturating_add(layout.size);
                    Home::Memory(offset)
                }
            };
            let words = match home {
                Home::Word(_) => 1,
                Home::Slice(_) => 2,
                Home::Memory(_) => 0,
            };
            self.registers.extend(std::iter::repeat_n(0, words));
            self.homes.push(home);
        }
    }

    pub(super) fn layout(&self, ty: TypeId) -> &'c Layout {
        &self.memory.types[ty.index()]
    }

    /// The register of a constant of the body.
    pub(super) fn constant(&self, bits: u64) -> Reg {
        let known = self.constants.get(&bits).copied();
        debug_assert!(known.is_some(), "each constant of the body has a register");
        known.unwrap_or(0)
    }

    pub(super) fn temporary(&mut self) -> Reg {
        let [_, next, most] = &mut self.temporaries;
        let reg = *next;
        *next += 1;
        *most = (*most).max(*next);
        reg
    }

    /// The temporaries and the scratch memory in use, for [`release`](Compiler::release).
    pub(super) fn mark(&self) -> (u32, u64) {
        (self.temporaries[1], self.scratch)
    }

    /// Frees the temporaries and the scratch memory since a mark.
    pub(super) fn release(&mut self, mark: (u32, u64)) {
        (self.temporaries[1], self.scratch) = mark;
    }

    /// The register for a computed word.
    pub(super) fn target(&mut self, want: Want) -> Reg {
        match want {
            Want::Word(reg) => reg,
            Want::Any | Want::Bytes(_) => self.temporary(),
        }
    }

    /// Scratch memory of this size.
    pub(super) fn scratch(&mut self, size: u64) -> u64 {
        let start = aligned(self.scratch, 8);
        self.scratch = start.saturating_add(size);
        start
    }

    /// Scratch memory for an aggregate.
    pub(super) fn scratch_for(&mut self, want: Want, size: u64) -> u64 {
        match want {
            Want::Bytes(start) => start,
            Want::Any | Want::Word(_) => self.scratch(size),
        }
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// Says where in the source the next instruction is, which may stop the thread.
    pub(super) fn site(&mut self, span: Span, kind: SiteKind) {
        let op = self.ops.len() as u32;
        self.sites.push(Site { op, span, kind });
    }

    pub(super) fn rare(&mut self, rare: Rare<'p>, span: Span) {
        self.rare_at(rare, span, SiteKind::Other);
    }

    pub(super) fn rare_at(&mut self, rare: Rare<'p>, span: Span, kind: SiteKind) {
        self.site(span, kind);
        self.emit(Op::Rare(self.rare.len() as u32));
        self.rare.push(rare);
    }

    /// A rare instruction that is a statement, and counts with those before it.
    fn rare_step(&mut self, rare: Rare<'p>, span: Span, acts: bool) {
        self.count(acts);
        self.flush();
        self.rare(rare, span);
    }

    /// Counts a statement.
    fn count(&mut self, acts: bool) {
        self.pending.statements += 1;
        self.pending.acts |= acts;
    }

    /// The statements that are not counted yet.
    fn take_count(&mut self) -> Count {
        std::mem::take(&mut self.pending)
    }

    fn flush(&mut self) {
        if self.pending.statements > 0 {
            let count = self.take_count();
            self.emit(Op::Count(count));
        }
    }

    /// A jump within a statement, whose target is set later.
    pub(super) fn jump(&self) -> Op {
        Op::Jump {
            target: 0,
            count: Count::default(),
        }
    }

    /// The same if the condition is false.
    pub(super) fn unless(&self, condition: Reg) -> Op {
        Op::Unless {
            condition,
            target: 0,
            count: Count::default(),
        }
    }

    /// Makes the next instruction the target of a jump.
    pub(super) fn land(&mut self, jump: usize) {
        let here = self.ops.len() as u32;
        if let Op::Jump { target, .. } | Op::Unless { target, .. } | Op::When { target, .. } = &mut self.ops[jump] {
            *target = here;
        }
    }

    /// Says that the statement before the next instruction is here. Some statements need no instructions.
    fn ends(&mut self, span: Span) {
        let end = self.ops.len() as u32;
        if self.spans.last().is_none_or(|(last, _)| *last < end) {
            self.spans.push((end, span));
        }
    }

    fn block(&mut self, block: &'p Block) {
        for stmt in block {
            let [first, next, _] = &mut self.temporaries;
            *next = *first;
            self.scratch = 0;
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(*condition, then, otherwise),
            StmtKind::Loop { body, step } => self.repeat_block(body, step),
            StmtKind::Break(depth) => self.leave(*depth, |target| &mut target.breaks),
            StmtKind::Continue(depth) => self.leave(*depth, |target| &mut target.continues),
            StmtKind::Return(value) => {
                let value = value.map(|value| self.value(value, Want::Any));
                self.rare_step(Rare::Return(value), span, true);
                self.ends(Span::NONE);
            }
            StmtKind::Store { place, value } => {
                self.assign(*place, *value, span);
                self.count(true);
                self.ends(span);
            }
            StmtKind::Call {
                function,
                arguments,
                result,
            } => {
                let arguments = self.operands(arguments);
                let call = Rare::Call {
                    function: *function,
                    arguments,
                    result: *result,
                };
                self.rare_step(call, span, true);
                self.ends(span);
            }
            StmtKind::Atomic {
                op,
                place,
                operands,
                order,
                scope,
                result,
            } => {
                let (spot, ty) = self.place(*place);
                let at = self.address(spot);
                let operands = self.operands(operands);
                let scalar = match self.program.types[ty] {
                    Type::Atomic(scalar) => scalar,
                    _ => Scalar::U32,
                };
                let atomic = Atomic {
                    op: *op,
                    order: *order,
                    scope: *scope,
                    scalar,
                    at,
                    operands,
                    result: *result,
                    span,
                };
                // A query of a phase of a barrier is idle.
                self.count(*op != AtomicOp::BarrierOpened);
                self.rare(Rare::Atomic(atomic), span);
                self.ends(span);
            }
            StmtKind::Intrinsic {
                intrinsic,
                operands,
                result,
            } => self.intrinsic(*intrinsic, operands, *result, span),
            StmtKind::Assert {
                condition,
                message,
                values,
            } => {
                let condition = self.word(*condition, None);
                let (kind, message) = match message {
                    AssertMessage::Assertion(text) => (FaultKind::Assertion, text),
                    AssertMessage::Panic(text) => (FaultKind::Panic, text),
                };
                let skip = self.ops.len();
                self.emit(Op::When { condition, target: 0 });
                let values = self.words(values);
                let fail = Rare::Fail {
                    kind,
                    message,
                    values,
                    span,
                };
                self.rare(fail, span);
                self.land(skip);
                self.count(true);
                self.ends(span);
            }
            StmtKind::Print { template, values } => {
                let values = self.words(values);
                self.rare(Rare::Print { template, values }, span);
                self.count(true);
                self.ends(span);
            }
            // It is guarded by `on_gpu`, so no thread reaches it.
            StmtKind::Ptx { .. } => self.ends(span),
        }
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, operands: &[ExprId], result: Option<Handle<Local>>, span: Span) {
        let held = operands
            .first()
            .and_then(|&to| match self.program.types[self.body.exprs[to].ty] {
                Type::Reference { pointee: held, .. } | Type::Slice { element: held, .. } => Some(held),
                _ => None,
            });
        let size = held.map_or(0, |held| self.layout(held).size);
        let operands = self.operands(operands);
        let intrinsic_op = Rare::Intrinsic {
            intrinsic,
            operands,
            size,
            result,
            span,
        };
        self.rare_step(intrinsic_op, span, !intrinsic.is_idle());
        self.ends(span);
    }

    /// The values of operands.
    fn operands(&mut self, ids: &[ExprId]) -> Vec<Operand> {
        ids.iter().map(|&id| self.value(id, Want::Any)).collect()
    }

    fn branch(&mut self, condition: ExprId, then: &'p Block, otherwise: &'p Block) {
        // Inline PTX, and what replaces it.
        let known = match &self.body.exprs[condition].kind {
            ExprKind::Builtin(Builtin::OnGpu) => Some(false),
            _ => None,
        };
        if known == Some(false) {
            self.count(false);
            return self.block(otherwise);
        }
        let condition = self.word(condition, None);
        self.count(false);
        let unless = self.ops.len();
        let count = self.take_count();
        self.emit(Op::Unless {
            condition,
            target: 0,
            count,
        });
        self.ends(Span::NONE);
        self.block(then);
        if otherwise.is_empty() {
            self.flush();
            self.land(unless);
            return;
        }
        let end = self.forward();
        self.land(unless);
        self.block(otherwise);
        self.flush();
        self.land(end);
    }

    fn repeat_block(&mut self, body: &'p Block, step: &'p Block) {
        self.flush();
        let start = self.ops.len() as u32;
        self.loops.push(Loop::default());
        self.block(body);
        let continues = self
            .loops
            .last_mut()
            .map_or(Vec::new(), |current| std::mem::take(&mut current.continues));
        if !continues.is_empty() {
            self.flush();
        }
        for jump in continues {
            self.land(jump);
        }
        self.block(step);
        self.count(false);
        let count = self.take_count();
        self.emit(Op::Repeat { target: start, count });
        self.ends(Span::NONE);
        let breaks = self.loops.pop().map_or(Vec::new(), |finished| finished.breaks);
        for jump in breaks {
            self.land(jump);
        }
    }

    /// Appends a jump whose target is set later.
    fn forward(&mut self) -> usize {
        let jump = self.ops.len();
        let count = self.take_count();
        self.emit(Op::Jump { target: 0, count });
        self.ends(Span::NONE);
        jump
    }

    /// Jumps to the end or the step of the loop targeted by `break` or `continue` of this depth; it exists in a validated
    /// program.
    fn leave(&mut self, depth: u32, jumps: impl FnOnce(&mut Loop) -> &mut Vec<usize>) {
        let jump = self.forward();
        let place = self.loops.len().checked_sub(1 + depth as usize);
        debug_assert!(place.is_some(), "a break or continue stands in the loop that it leaves");
        if let Some(target) = place.and_then(|place| self.loops.get_mut(place)) {
            jumps(target).push(jump);
        }
    }
}
