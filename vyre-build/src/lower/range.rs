//! `for` loops over ranges.

use vyre_core::ir::{BinaryOp, Constant, Handle, Local as IrLocal, Scalar, StmtKind};

use super::operands::Again;
use super::{Lowering, Storage};
use crate::resolve::names::plain;
use crate::syntax::tree::For;
use crate::types::Ty;

impl Lowering<'_, '_> {
    pub(super) fn for_(&mut self, for_: &For) -> Option<()> {
        let here = self.b.span;
        let scalar = self.scalar(for_.start.ty);
        let operands = self.operands([&for_.start, &for_.end])?;
        let &[start, end] = &operands[..] else { return None };
        self.b.span = here;
        // Evaluated in order; the counter starts at the first bound or at the last.
        let (start, end) = (self.again(start), self.again(end));
        let range = Range { scalar, start, end };
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

    /// The statements of each iteration after the test.
    fn pass(&mut self, for_: &For, counter: Handle<IrLocal>) {
        if let Some(local) = for_.local
            && self.tree.locals[local].mutable
        {
            let value = self.b.get(counter);
            self.bind(local, value);
        }
        self.fixed.push(counter);
        let _ = self.run(&for_.body);
    }

    /// `start..end`.
    fn ascending(&mut self, for_: &For, range: Range) {
        let here = self.b.span;
        let counter = self.counter(for_, range.start);
        let (body, ()) = self.inside(for_.number, (None, Ty::UNIT), |l| {
            let (i, end) = (l.b.get(counter), l.get(range.end));
            let inside = l.b.binary(BinaryOp::Lt, i, end);
            l.b.break_unless(inside, 0);
            l.pass(for_, counter);
        });
        self.b.span = here;
        let (step, ()) = self.nested(|l| l.count(&range, counter, false));
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
            let (body, ()) = l.inside(for_.number, (None, Ty::UNIT), |l| l.pass(for_, counter));
            l.b.span = here;
            let (step, ()) = l.nested(|l| {
                let (i, last) = (l.b.get(counter), l.get(last));
                let more = l.b.binary(BinaryOp::Ne, i, last);
                l.b.break_unless(more, 0);
                l.count(&range, counter, reversed);
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
        let (body, ()) = self.inside(for_.number, (None, Ty::UNIT), |l| {
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
}

/// The bounds of a `for`.
#[derive(Clone, Copy)]
struct Range {
    scalar: Scalar,
    start: Again,
    end: Again,
}
