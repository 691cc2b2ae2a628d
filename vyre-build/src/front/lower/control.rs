//! Statements, branches and loops.

use vyre_core::ir::{BinaryOp, Constant, Handle, Local as IrLocal, Scalar, StmtKind};

use super::super::tree::{Block, Expr, ExprKind, For, Pattern, Statement};
use super::super::types::Kind;
use super::super::vocabulary::Function;
use super::operands::Again;
use super::{ExprId, Lowering, Storage, Target, plain};

impl Lowering<'_, '_> {
    fn statements(&mut self, block: &Block) -> Option<()> {
        for statement in &block.statements {
            match statement {
                Statement::Expr(expr, _) => self.effect(expr)?,
                Statement::Let { pattern, init, .. } => self.declare(pattern, init.as_ref())?,
            }
        }
        Some(())
    }

    /// Lowers a block for its effects.
    pub(super) fn run(&mut self, block: &Block) -> Option<()> {
        self.statements(block)?;
        match &block.tail {
            Some(tail) => self.effect(tail),
            None => Some(()),
        }
    }

    /// Lowers a block for its value.
    pub(super) fn block_value(&mut self, block: &Block) -> Option<ExprId> {
        self.statements(block)?;
        match &block.tail {
            Some(tail) => self.value(tail),
            // Control does not get here, or the block would be of unit type.
            None => None,
        }
    }

    fn declare(&mut self, pattern: &Pattern, init: Option<&Expr>) -> Option<()> {
        let Some(init) = init else {
            self.declare_only(pattern);
            return Some(());
        };
        match (pattern, &init.kind) {
            (Pattern::Ignore, _) => self.effect(init),
            (Pattern::Local(local), _) if self.is_named_only(*local, init) => Some(()),
            (Pattern::Local(local), ExprKind::Borrow(place, _)) => self.refer(*local, place),
            (Pattern::Tuple(patterns), ExprKind::Tuple(parts)) if patterns.len() == parts.len() => {
                let values = self.operands(parts)?;
                for (pattern, value) in patterns.iter().zip(values) {
                    self.bind(pattern, value);
                }
                Some(())
            }
            (Pattern::Tuple(patterns), ExprKind::Call(Function::Tuple(builtin, _))) => {
                for (pattern, &axis) in patterns.iter().zip(vyre_core::ir::Axis::ALL) {
                    self.at(init.span);
                    let value = self.b.builtin(builtin(axis));
                    let value = self.cast(value, Scalar::U64);
                    self.bind(pattern, value);
                }
                Some(())
            }
            _ => {
                if self.tree.types.is_unit(init.ty) {
                    return self.effect(init);
                }
                let value = self.value(init)?;
                self.bind(pattern, value);
                Some(())
            }
        }
    }

    /// Whether the variable only gives another name to shared memory or to an index; if so, notes it.
    fn is_named_only(&mut self, local: usize, init: &Expr) -> bool {
        if self.tree.locals[local].mutable {
            return false;
        }
        let storage = match init.kind {
            ExprKind::Shared(shared) => Storage::Shared(self.shared[shared]),
            ExprKind::Call(Function::Index3(builtin)) => Storage::Index3(builtin),
            ExprKind::Local(other) => match self.storage[other] {
                storage @ (Storage::Shared(_) | Storage::Index3(_)) => storage,
                // A parameter's slice under another name.
                storage if matches!(self.tree.types.kind(init.ty), Kind::Reference(..)) => storage,
                _ => return false,
            },
            _ => return false,
        };
        self.storage[local] = storage;
        true
    }

    fn declare_only(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Ignore => {}
            Pattern::Local(local) => {
                self.variable(*local);
            }
            Pattern::Tuple(fields) => fields.iter().for_each(|field| self.declare_only(field)),
            Pattern::Array(elements) => elements.iter().for_each(|element| self.declare_only(element)),
            Pattern::Struct(_, fields) => fields.iter().for_each(|(_, field)| self.declare_only(field)),
        }
    }

    /// Makes the program's variable of a local, if it has one.
    fn variable(&mut self, local: usize) -> Option<Handle<IrLocal>> {
        let declared = &self.tree.locals[local];
        if self.tree.types.is_unit(declared.ty) {
            return None;
        }
        if let Storage::Local(known) = self.storage[local] {
            return Some(known);
        }
        self.at(declared.name.span());
        let ty = self.ty(declared.ty);
        let handle = self.b.local(&plain(&declared.name), ty);
        self.storage[local] = Storage::Local(handle);
        Some(handle)
    }

    fn bind(&mut self, pattern: &Pattern, value: ExprId) {
        match pattern {
            // The value is evaluated all the same: it may fault.
            Pattern::Ignore => {
                self.again(value);
            }
            Pattern::Local(local) => {
                if let Some(handle) = self.variable(*local) {
                    self.b.set(handle, value);
                    if !self.tree.locals[*local].mutable {
                        self.fixed.push(handle);
                    }
                }
            }
            Pattern::Tuple(fields) => self.take_apart(value, (0..).zip(fields)),
            Pattern::Array(elements) => {
                let whole = self.b.let_("", value);
                for (index, element) in (0..).zip(elements) {
                    let path = self.b.local_place(whole);
                    let index = self.b.u64(index);
                    let path = self.b.index_with(path, index, false);
                    let value = self.b.load(path);
                    self.bind(element, value);
                }
            }
            Pattern::Struct(_, fields) => self.take_apart(value, fields.iter().map(|(index, field)| (*index, field))),
        }
    }

    /// Binds fields of a value, by number.
    fn take_apart<'t>(&mut self, value: ExprId, fields: impl Iterator<Item = (u32, &'t Pattern)>) {
        let whole = self.b.let_("", value);
        for (index, field) in fields {
            let path = self.b.local_place(whole);
            let path = self.b.field(path, index);
            let value = self.b.load(path);
            self.bind(field, value);
        }
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
        self.b.push(StmtKind::If {
            condition,
            then,
            otherwise,
        });
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
        let result = (one.is_some() || other.is_some()).then(|| {
            let ty = self.ty(whole.ty);
            self.b.local("", ty)
        });
        for (block, value) in [(&mut then, one), (&mut otherwise, other)] {
            if let (Some(value), Some(result)) = (value, result) {
                block.push(self.store_to(result, value));
            }
        }
        self.b.push(StmtKind::If {
            condition,
            then,
            otherwise,
        });
        result.map(|result| self.b.get(result))
    }

    /// A `loop` or labelled block that yields a value.
    pub(super) fn loop_value(&mut self, expr: &Expr) -> Option<ExprId> {
        let ty = self.ty(expr.ty);
        let result = self.b.local("", ty);
        self.repeat(expr, Some(result))?;
        Some(self.b.get(result))
    }

    /// A loop or labelled block for its effects.
    pub(super) fn loop_effect(&mut self, expr: &Expr) -> Option<()> {
        self.repeat(expr, None)
    }

    fn repeat(&mut self, expr: &Expr, result: Option<Handle<IrLocal>>) -> Option<()> {
        let here = self.b.span;
        match &expr.kind {
            // A labelled block is a loop that runs once.
            ExprKind::Block(block, Some(number)) => {
                let (mut body, goes_on) = self.inside(*number, result, |l| match result {
                    Some(result) => {
                        let value = l.block_value(block)?;
                        l.b.set(result, value);
                        Some(())
                    }
                    None => l.run(block),
                });
                self.b.span = here;
                if goes_on.is_some() {
                    let span = self.b.span;
                    body.push(vyre_core::ir::Stmt {
                        kind: StmtKind::Break(0),
                        span,
                    });
                }
                self.b.push(StmtKind::Loop { body, step: Vec::new() });
                (goes_on.is_some() || self.tree.left_by_break[*number]).then_some(())
            }
            ExprKind::Loop(number, block) => {
                let (body, _) = self.inside(*number, result, |l| l.run(block));
                self.b.span = here;
                self.b.push(StmtKind::Loop { body, step: Vec::new() });
                self.tree.left_by_break[*number].then_some(())
            }
            ExprKind::While(number, condition, block) => {
                let (body, _) = self.inside(*number, None, |l| {
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
    fn inside<R>(
        &mut self,
        number: usize,
        result: Option<Handle<IrLocal>>,
        build: impl FnOnce(&mut Self) -> R,
    ) -> (Vec<vyre_core::ir::Stmt>, R) {
        self.targets[number] = Some(Target {
            level: self.loops,
            result,
        });
        self.loops += 1;
        let built = self.nested(build);
        self.loops -= 1;
        built
    }

    pub(super) fn break_(&mut self, number: usize, value: Option<&Expr>) -> Option<()> {
        let here = self.b.span;
        let result = self.targets[number].as_ref().and_then(|target| target.result);
        match (value, result) {
            (Some(value), Some(result)) => {
                let value = self.value(value)?;
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

    fn for_(&mut self, for_: &For) -> Option<()> {
        let here = self.b.span;
        let scalar = self.scalar(for_.start.ty);
        let operands = [&for_.start, &for_.end].into_iter().chain(for_.step.as_ref());
        let (start, end, step) = match self.operands(operands)?[..] {
            [start, end] => (start, end, None),
            [start, end, step] => (start, end, Some(step)),
            _ => return None,
        };
        self.b.span = here;
        // Evaluated in order; the counter starts at the first bound or at the last.
        let start = self.again(start);
        let end = self.again(end);
        let step = step.map(|step| self.again(step));
        if let Some(step) = step {
            let step = self.get(step);
            let positive = self.compare_zero(BinaryOp::Ne, step);
            self.b.assert(positive, "step != 0");
        }
        let range = Range {
            scalar,
            start,
            end,
            step,
        };
        match (for_.reversed, for_.inclusive) {
            (false, false) => self.ascending(for_, range),
            (false, true) => self.inclusive(for_, range, false),
            (true, true) => self.inclusive(for_, range, true),
            (true, false) => self.descending(for_, range),
        }
        Some(())
    }

    /// The variable that counts, under the name of the source's where the body cannot change it.
    fn counter(&mut self, for_: &For, value: Again) -> Handle<IrLocal> {
        let name = match for_.local {
            Some(local) if !self.tree.locals[local].mutable => plain(&self.tree.locals[local].name),
            _ => String::new(),
        };
        let value = self.get(value);
        let counter = self.b.let_(&name, value);
        if let Some(local) = for_.local
            && !self.tree.locals[local].mutable
        {
            self.storage[local] = Storage::Local(counter);
        }
        counter
    }

    /// What each pass runs after the test.
    fn pass(&mut self, for_: &For, counter: Handle<IrLocal>) {
        if let Some(local) = for_.local
            && self.tree.locals[local].mutable
        {
            let value = self.b.get(counter);
            self.bind(&Pattern::Local(local), value);
        }
        self.fixed.push(counter);
        let _ = self.run(&for_.body);
    }

    /// `start..end`, by `step`.
    fn ascending(&mut self, for_: &For, range: Range) {
        let here = self.b.span;
        let counter = self.counter(for_, range.start);
        let (body, ()) = self.inside(for_.number, None, |l| {
            let (i, end) = (l.b.get(counter), l.get(range.end));
            let inside = l.b.binary(BinaryOp::Lt, i, end);
            l.b.break_unless(inside, 0);
            l.pass(for_, counter);
        });
        self.b.span = here;
        let (step, ()) = self.nested(|l| l.advance(&range, counter, false, false));
        self.b.push(StmtKind::Loop { body, step });
    }

    /// `start..=end` and its reverse: the bounds are compared once, and the last value ends the
    /// loop, because the one after it may not exist.
    fn inclusive(&mut self, for_: &For, range: Range, reversed: bool) {
        let here = self.b.span;
        let (first, last) = match reversed {
            false => (range.start, range.end),
            true => (range.end, range.start),
        };
        let (start, end) = (self.get(range.start), self.get(range.end));
        let any = self.b.binary(BinaryOp::Le, start, end);
        let (then, ()) = self.nested(|l| {
            let counter = l.counter(for_, first);
            let (body, ()) = l.inside(for_.number, None, |l| l.pass(for_, counter));
            l.b.span = here;
            let (step, ()) = l.nested(|l| match range.step {
                Some(_) => l.advance(&Range { end: last, ..range }, counter, reversed, true),
                None => {
                    let (i, last) = (l.b.get(counter), l.get(last));
                    let more = l.b.binary(BinaryOp::Ne, i, last);
                    l.b.break_unless(more, 0);
                    l.count(&range, counter, reversed);
                }
            });
            l.b.push(StmtKind::Loop { body, step });
        });
        self.b.push(StmtKind::If {
            condition: any,
            then,
            otherwise: Vec::new(),
        });
    }

    /// `(start..end).rev()`: counts down from the end, one ahead of the value.
    fn descending(&mut self, for_: &For, range: Range) {
        let here = self.b.span;
        if range.step.is_some() {
            // From the last value down to the first: `end - 1` exists where there is any value.
            let (start, end) = (self.get(range.start), self.get(range.end));
            let any = self.b.binary(BinaryOp::Lt, start, end);
            let (then, ()) = self.nested(|l| {
                let (end, one) = (l.get(range.end), l.b.constant(Constant::new(range.scalar, 1)));
                let last = l.b.binary(BinaryOp::Sub, end, one);
                let last = l.again(last);
                l.inclusive(for_, Range { end: last, ..range }, true);
            });
            self.b.push(StmtKind::If {
                condition: any,
                then,
                otherwise: Vec::new(),
            });
            return;
        }
        let ahead = self.get(range.end);
        let ahead = self.b.let_("", ahead);
        let ty = self.b.types().scalar(range.scalar);
        let counter = match for_.local {
            Some(local) => {
                self.storage[local] = Storage::None;
                self.variable(local)
            }
            None => None,
        };
        let counter = counter.unwrap_or_else(|| self.b.local("", ty));
        self.b.span = here;
        let (body, ()) = self.inside(for_.number, None, |l| {
            let (i, start) = (l.b.get(ahead), l.get(range.start));
            let inside = l.b.binary(BinaryOp::Gt, i, start);
            l.b.break_unless(inside, 0);
            l.count(&range, ahead, true);
            let value = l.b.get(ahead);
            l.b.set(counter, value);
            let _ = l.run(&for_.body);
        });
        self.b.span = here;
        self.b.push(StmtKind::Loop { body, step: Vec::new() });
    }

    /// Counts by one.
    fn count(&mut self, range: &Range, counter: Handle<IrLocal>, down: bool) {
        let (i, one) = (self.b.get(counter), self.b.constant(Constant::new(range.scalar, 1)));
        let op = if down { BinaryOp::Sub } else { BinaryOp::Add };
        let next = self.b.binary(op, i, one);
        self.b.set(counter, next);
    }

    /// Counts by the step; where the next value would lie past `end`, leaves the loop.
    fn advance(&mut self, range: &Range, counter: Handle<IrLocal>, down: bool, inclusive: bool) {
        let Some(step) = range.step else {
            return self.count(range, counter, down);
        };
        // What is left as an unsigned number: it cannot wrap, whatever the type's sign.
        let (i, end) = (self.b.get(counter), self.get(range.end));
        let left = match down {
            false => self.b.binary(BinaryOp::Sub, end, i),
            true => self.b.binary(BinaryOp::Sub, i, end),
        };
        let left = self.cast(left, unsigned(range.scalar));
        let left = self.cast(left, Scalar::U64);
        let by = self.get(step);
        // Past an exclusive end nothing is left where the step reaches it; an inclusive one counts.
        let more = match inclusive {
            true => self.b.binary(BinaryOp::Ge, left, by),
            false => self.b.binary(BinaryOp::Gt, left, by),
        };
        self.b.break_unless(more, 0);
        let (i, by) = (self.b.get(counter), self.get(step));
        let by = self.cast(by, range.scalar);
        let op = if down { BinaryOp::Sub } else { BinaryOp::Add };
        let next = self.b.binary(op, i, by);
        self.b.set(counter, next);
    }
}

/// The bounds of a `for`.
#[derive(Clone, Copy)]
struct Range {
    scalar: Scalar,
    start: Again,
    end: Again,
    step: Option<Again>,
}

/// The unsigned integer of the same width.
pub(super) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => Scalar::U8,
        Scalar::I16 | Scalar::U16 => Scalar::U16,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => Scalar::U32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => Scalar::U64,
    }
}
