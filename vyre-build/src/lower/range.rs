//! `for` loops over ranges.

use vyre_core::ir::{BinaryOp, Constant, Handle, Local as IrLocal, Scalar, StmtKind};

use super::control::unsigned;
use super::operands::Again;
use super::{Lowering, Storage};
use crate::resolve::names::plain;
use crate::syntax::tree::For;

impl Lowering<'_, '_> {
    pub(super) fn for_(&mut self, for_: &For) -> Option<()> {
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
            // From the last value down to the first: `end - 1` exists if the range is not empty.
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
        // The remaining count as an unsigned number: it cannot wrap, for either signedness.
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
