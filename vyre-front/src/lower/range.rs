//! `for` loops over ranges.

use vyre_ir::ir::{BinaryOp, Constant, Handle, Local as IrLocal, Scalar, Span, StmtKind};

use super::operands::Again;
use super::{ExprId, Lowering, Storage};
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
            (reversed, true) if scalar == Scalar::U64 => self.inclusive_of_words(for_, range, reversed),
            (reversed, true) => self.inclusive(for_, range, reversed),
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
        self.branch(any, then, Vec::new());
    }

    /// `(start..end).rev()`: counts up, as `start..end` does, and subtracts the counter from the sum of the first and the last
    /// value. The optimiser knows loops that count up; sums and differences wrap.
    fn descending(&mut self, for_: &For, range: Range) {
        let here = self.b.span;
        let (start, end) = (self.get(range.start), self.get(range.end));
        let (sum, one) = (self.b.binary(BinaryOp::Add, start, end), self.one(&range));
        let sum = self.b.binary(BinaryOp::Sub, sum, one);
        let sum = self.again(sum);
        let start = self.get(range.start);
        let counter = self.b.let_("", start);
        self.counted(for_, range, counter, here, |l, i| {
            let sum = l.get(sum);
            l.b.binary(BinaryOp::Sub, sum, i)
        });
    }

    /// `start..=end` of 64 bits and its reverse: counts the iterations. 2^64 - 1 are more than any launch makes, so a range of
    /// all values, which ends by a `break`, may have one less.
    fn inclusive_of_words(&mut self, for_: &For, range: Range, reversed: bool) {
        let here = self.b.span;
        let (start, end) = (self.get(range.start), self.get(range.end));
        let any = self.b.binary(BinaryOp::Le, start, end);
        let (start, end) = (self.get(range.start), self.get(range.end));
        let distance = self.b.binary(BinaryOp::Sub, end, start);
        let most = self.b.u64(u64::MAX - 1);
        let distance = self.b.binary(BinaryOp::Min, distance, most);
        let one = self.one(&range);
        let (trips, none) = (self.b.binary(BinaryOp::Add, distance, one), self.b.u64(0));
        let trips = self.b.select(any, trips, none);
        let trips = Range {
            end: self.again(trips),
            ..range
        };
        let zero = self.b.u64(0);
        let counter = self.b.let_("", zero);
        self.counted(for_, trips, counter, here, |l, i| match reversed {
            false => {
                let start = l.get(range.start);
                l.b.binary(BinaryOp::Add, start, i)
            }
            true => {
                let end = l.get(range.end);
                l.b.binary(BinaryOp::Sub, end, i)
            }
        });
    }

    /// A loop whose counter goes up to the end of a range, and whose variable is a function of the counter.
    fn counted(
        &mut self,
        for_: &For,
        range: Range,
        counter: Handle<IrLocal>,
        here: Span,
        variable: impl FnOnce(&mut Self, ExprId) -> ExprId,
    ) {
        let (body, ()) = self.inside(for_.number, (None, Ty::UNIT), |l| {
            let (i, end) = (l.b.get(counter), l.get(range.end));
            let inside = l.b.binary(BinaryOp::Lt, i, end);
            l.b.break_unless(inside, 0);
            if let Some(local) = for_.local {
                let i = l.b.get(counter);
                let value = variable(l, i);
                l.bind(local, value);
            }
            let _ = l.run(&for_.body);
        });
        self.b.span = here;
        let (step, ()) = self.nested(|l| l.count(&range, counter, false));
        self.b.push(StmtKind::Loop { body, step });
    }

    fn one(&mut self, range: &Range) -> ExprId {
        self.b.constant(Constant::new(range.scalar, 1))
    }

    /// Counts by one.
    fn count(&mut self, range: &Range, counter: Handle<IrLocal>, down: bool) {
        let (i, one) = (self.b.get(counter), self.one(range));
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
