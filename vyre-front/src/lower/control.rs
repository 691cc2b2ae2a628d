//! Statements, branches and loops.

use vyre_ir::ir::{ExprKind as IrKind, Handle, Local as IrLocal, Scalar, StmtKind};

use super::{ExprId, Lowering, Target};
use crate::syntax::tree::{Block, Expr, ExprKind, Statement};
use crate::types::Ty;

impl Lowering<'_, '_> {
    pub(super) fn statements(&mut self, block: &Block) -> Option<()> {
        for statement in &block.statements {
            match statement {
                Statement::Expr(expr, _) => self.effect(expr)?,
                Statement::Let { local, init, .. } => self.declare(*local, init.as_ref())?,
            }
        }
        Some(())
    }

    /// Lowers a block for its effects.
    pub(super) fn run(&mut self, block: &Block) -> Option<()> {
        self.of_block(block, |l| {
            l.statements(block)?;
            match &block.tail {
                Some(tail) => l.effect(tail),
                None => Some(()),
            }
        })
    }

    /// Lowers a block by `lower`. That of a `const` block is noted, so that what is computed there stays as rustc does it.
    pub(super) fn of_block<R>(&mut self, block: &Block, lower: impl FnOnce(&mut Self) -> R) -> R {
        if !block.is_constant {
            return lower(self);
        }
        let outer = std::mem::replace(&mut self.is_constant, true);
        let start = self.b.exprs();
        let lowered = lower(self);
        self.constant.exprs.push((None, start..self.b.exprs()));
        self.is_constant = outer;
        lowered
    }

    /// Lowers a block for its value.
    pub(super) fn block_value(&mut self, block: &Block) -> Option<ExprId> {
        self.of_block(block, |l| {
            l.statements(block)?;
            // Without a value control does not get here, or the block would be of unit type.
            l.value(block.tail.as_ref()?)
        })
    }

    pub(super) fn if_effect(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Expr>) -> Option<()> {
        let here = self.b.span;
        let condition = self.value(condition)?;
        let (then, then_goes_on) = self.nested(|l| l.run(then));
        let (otherwise, otherwise_goes_on) = match otherwise {
            Some(otherwise) => self.nested(|l| l.effect(otherwise)),
            None => (Vec::new(), Some(())),
        };
        self.b.span = here;
        self.branch(condition, then, otherwise);
        then_goes_on.or(otherwise_goes_on)
    }

    pub(super) fn if_value(
        &mut self,
        whole: &Expr,
        condition: &Expr,
        then: &Block,
        otherwise: &Expr,
    ) -> Option<ExprId> {
        let here = self.b.span;
        let condition = self.value(condition)?;
        let (mut then, one) = self.nested(|l| l.block_value(then));
        let (mut otherwise, other) = self.nested(|l| l.value(otherwise));
        self.b.span = here;
        if let (Some(one), Some(other)) = (one, other)
            && then.is_empty()
            && otherwise.is_empty()
            && self.is_scalar(whole.ty)
        {
            return Some(self.b.select(condition, one, other));
        }
        if let (Some(one), Some(other)) = (one, other)
            && then.is_empty()
            && otherwise.is_empty()
            && let Some((one, other)) = self.known_parts(one, other)
        {
            let ty = self.ty(whole.ty);
            let condition = self.again(condition);
            let mut parts = Vec::new();
            for (one, other) in one.into_iter().zip(other) {
                let condition = self.get(condition);
                parts.push(self.b.select(condition, one, other));
            }
            return Some(self.b.construct(ty, parts));
        }
        let result = (one.is_some() || other.is_some()).then(|| {
            let ty = self.ty(whole.ty);
            self.b.local("", ty)
        });
        for (block, value) in [(&mut then, one), (&mut otherwise, other)] {
            if let (Some(value), Some(result)) = (value, result) {
                block.push(self.store_to(result, value));
            }
        }
        self.branch(condition, then, otherwise);
        result.map(|result| self.b.get(result))
    }

    /// The parts of two values that are made of known scalars, as `Some(x)` and `None` are.
    fn known_parts(&mut self, one: ExprId, other: ExprId) -> Option<(Vec<ExprId>, Vec<ExprId>)> {
        let mut parts_of = |value: ExprId| {
            let IrKind::Construct(parts) = self.b.kind_of(value) else {
                return None;
            };
            let parts = parts.clone();
            let is_known = parts.iter().all(|&part| {
                let ty = self.b.type_of(part);
                self.is_fixed(part) && self.b.types().as_scalar(ty).is_some()
            });
            is_known.then_some(parts)
        };
        Some((parts_of(one)?, parts_of(other)?))
    }

    /// A `loop` or labelled block that yields a value.
    pub(super) fn loop_value(&mut self, expr: &Expr) -> Option<ExprId> {
        let ty = self.variable_type(expr.ty);
        let result = self.b.local("", ty);
        self.repeat(expr, Some(result))?;
        Some(self.b.get(result))
    }

    /// A loop or labelled block, with the variable for what it yields.
    pub(super) fn repeat(&mut self, expr: &Expr, result: Option<Handle<IrLocal>>) -> Option<()> {
        let here = self.b.span;
        let ty = expr.ty;
        match &expr.kind {
            // A labelled block is a loop that runs once.
            ExprKind::Block(block, Some(number)) => {
                let (mut body, goes_on) = self.inside(*number, (result, ty), |l| match (result, &block.tail) {
                    (Some(result), Some(tail)) => {
                        l.statements(block)?;
                        let value = l.referring_value(tail, ty)?;
                        l.b.set(result, value);
                        Some(())
                    }
                    _ => l.run(block),
                });
                self.b.span = here;
                if goes_on.is_some() {
                    let span = self.b.span;
                    body.push(vyre_ir::ir::Stmt {
                        kind: StmtKind::Break(0),
                        span,
                    });
                }
                self.b.push(StmtKind::Loop { body, step: Vec::new() });
                (goes_on.is_some() || self.tree.left_by_break[*number]).then_some(())
            }
            ExprKind::Loop(number, None, block) => {
                let (body, _) = self.inside(*number, (result, ty), |l| l.run(block));
                self.b.span = here;
                self.b.push(StmtKind::Loop { body, step: Vec::new() });
                self.tree.left_by_break[*number].then_some(())
            }
            ExprKind::Loop(number, Some(condition), block) => {
                let (body, _) = self.inside(*number, (None, ty), |l| {
                    let condition = l.value(condition)?;
                    l.b.break_unless(condition, 0);
                    l.run(block)
                });
                self.b.span = here;
                self.b.push(StmtKind::Loop { body, step: Vec::new() });
                Some(())
            }
            ExprKind::For(for_) => self.for_(for_),
            _ => self.effect(expr),
        }
    }

    /// Builds the body of a loop of the program.
    pub(super) fn inside<R>(
        &mut self,
        number: usize,
        (result, ty): (Option<Handle<IrLocal>>, Ty),
        build: impl FnOnce(&mut Self) -> R,
    ) -> (Vec<vyre_ir::ir::Stmt>, R) {
        self.targets[number] = Some(Target {
            level: self.loops,
            result,
            ty,
        });
        self.loops += 1;
        let built = self.nested(build);
        self.loops -= 1;
        built
    }

    pub(super) fn break_(&mut self, number: usize, value: Option<&Expr>) -> Option<()> {
        let here = self.b.span;
        let target = self.targets[number].as_ref();
        let result = target.and_then(|target| Some((target.result?, target.ty)));
        match (value, result) {
            (Some(value), Some((result, ty))) => {
                let value = self.referring_value(value, ty)?;
                self.b.set(result, value);
            }
            (Some(value), None) => self.effect(value)?,
            (None, _) => {}
        }
        self.b.span = here;
        let depth = self.distance(number);
        self.b.push(StmtKind::Break(depth));
        None
    }

    pub(super) fn continue_(&mut self, number: usize) -> Option<()> {
        let depth = self.distance(number);
        self.b.push(StmtKind::Continue(depth));
        None
    }

    /// Number of loops between this place and a target.
    fn distance(&self, number: usize) -> u32 {
        let level = self.targets[number].as_ref().map_or(0, |target| target.level);
        self.loops.saturating_sub(level + 1)
    }
}

/// The unsigned integer of the same width.
pub(super) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => Scalar::U8,
        Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::BF16 => Scalar::U16,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => Scalar::U32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => Scalar::U64,
    }
}
