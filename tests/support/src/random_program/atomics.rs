//! Atomics.

use vyre_core::ir::{
    AtomicOp, BinaryOp, Constant, ExprId, Handle, Local, MemoryOrder, MemoryScope, Scalar, StmtKind, TypeId, UnaryOp,
};

use super::items::{Builder, Maker};
use super::scope::{Base, Cells, Scope};

/// Something whose order among threads does not matter.
#[derive(Clone, Copy)]
enum Commuting {
    /// An operation of the hardware.
    One(AtomicOp),
    /// Replaces the value by the result of this operation, retrying on contention.
    Made(BinaryOp),
    /// So is a number below this by the next one.
    Below(u64),
}

/// The operations on shared integer cells, by index.
const OF_INTEGERS: [Commuting; 9] = [
    Commuting::One(AtomicOp::Add),
    Commuting::One(AtomicOp::And),
    Commuting::One(AtomicOp::Or),
    Commuting::One(AtomicOp::Xor),
    Commuting::One(AtomicOp::Min),
    Commuting::One(AtomicOp::Max),
    Commuting::Made(BinaryOp::Sub),
    Commuting::Made(BinaryOp::Mul),
    Commuting::Below(100),
];

/// Those on floats.
const OF_FLOATS: [Commuting; 4] = [
    Commuting::One(AtomicOp::Min),
    Commuting::One(AtomicOp::Max),
    Commuting::Made(BinaryOp::Min),
    Commuting::Made(BinaryOp::Max),
];

impl Maker {
    /// A type that atomics have of which each thread has its own; of halves cells hold two.
    pub(super) fn own_atomic_scalar(&mut self) -> Scalar {
        match self.random.once_in(4) {
            true => self.random.pick(&[Scalar::F16, Scalar::BF16, Scalar::Bool]),
            false => self.atomic_scalar(),
        }
    }

    /// A type that atomics have.
    pub(super) fn atomic_scalar(&mut self) -> Scalar {
        self.random.pick(&[
            Scalar::I32,
            Scalar::U32,
            Scalar::I64,
            Scalar::U64,
            Scalar::I8,
            Scalar::U16,
            Scalar::F32,
            Scalar::F64,
        ])
    }

    pub(super) fn any_atomic(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let cells: Vec<Cells> = scope.atomics.iter().chain(&scope.counters).copied().collect();
        if cells.is_empty() {
            return;
        }
        let number = self.random.below(cells.len() as u64) as usize;
        let cells = cells[number];
        if number >= scope.atomics.len() {
            self.read_counter(b, scope, cells);
        } else if cells.alone {
            self.own_atomic(b, scope, cells);
        } else {
            self.commuting_atomic(b, scope, cells);
        }
    }

    /// One of the operations that commute, on its cell.
    fn commuting_atomic(&mut self, b: &mut Builder<'_>, scope: &Scope, cells: Cells) {
        let table = match cells.scalar.is_float() {
            true => &OF_FLOATS[..],
            false => &OF_INTEGERS[..],
        };
        let most = match cells.base {
            Base::Shared(_) | Base::Behind(_) => self.threads.min(table.len() as u64),
            _ => table.len() as u64,
        };
        let cell = self.random.below(most);
        let operand = self.expr(b, scope, cells.scalar, 3);
        let index = b.u64(cell);
        let path = self.start(b, scope, cells.base);
        let path = b.index(path, index);
        let memory = self.random.pick(match cells.base {
            Base::Shared(_) | Base::Behind(_) => MemoryScope::ALL,
            _ => &[MemoryScope::Device, MemoryScope::System],
        });
        let made = table[cell as usize];
        if let Commuting::One(op) = made {
            let place = b.place(path);
            return b.push(StmtKind::Atomic {
                op,
                place,
                operands: vec![operand],
                order: self.random.pick(MemoryOrder::ALL),
                scope: memory,
                result: None,
            });
        }
        let operand = b.let_("", operand);
        let cell = b.reference(path, false);
        self.update(b, cell, memory, |_, b, seen| {
            let old = b.get(seen);
            match made {
                Commuting::Made(op) => {
                    let operand = b.get(operand);
                    (None, b.binary(op, old, operand))
                }
                Commuting::One(_) => (None, old),
                Commuting::Below(most) => {
                    let [most, one] = [most, 1].map(|value| b.constant(Constant::new(cells.scalar, value)));
                    let less = b.binary(BinaryOp::Lt, old, most);
                    let old = b.get(seen);
                    (Some(less), b.binary(BinaryOp::Add, old, one))
                }
            }
        });
    }

    /// Anything, with its result, on the thread's own cell.
    fn own_atomic(&mut self, b: &mut Builder<'_>, scope: &mut Scope, cells: Cells) {
        let ty = b.types().cell_value(cells.scalar);
        if self.random.once_in(6) {
            let path = self.start(b, scope, cells.base);
            let cell = b.reference(path, false);
            let inside = scope.clone();
            let memory = self.random.pick(MemoryScope::ALL);
            let seen = self.update(b, cell, memory, |maker, b, seen| {
                let mut inside = inside;
                inside.add(seen, ty);
                let goes_on = (!maker.random.once_in(3)).then(|| maker.expr(b, &inside, Scalar::Bool, 2));
                (goes_on, maker.value(b, &inside, ty, 2))
            });
            return scope.add(seen, ty);
        }
        let fits = |op: &&AtomicOp| {
            op.accepts(cells.scalar)
                && !op.is_barrier()
                && (cells.scalar != Scalar::F32 || !matches!(op, AtomicOp::Add | AtomicOp::Sub))
        };
        let ops: Vec<_> = AtomicOp::ALL.iter().filter(fits).collect();
        let &op = self.random.pick(&ops);
        let mut operands: Vec<ExprId> = (0..op.operands()).map(|_| self.value(b, scope, ty, 2)).collect();
        if op == AtomicOp::CompareExchange && self.random.once_in(2) {
            operands[0] = self.expected(b, scope, cells, ty);
        }
        let place = self.start(b, scope, cells.base);
        let place = b.place(place);
        let result = (op != AtomicOp::Store && !self.random.once_in(4)).then(|| b.local("old", ty));
        b.push(StmtKind::Atomic {
            op,
            place,
            operands,
            order: self.order(op),
            scope: self.random.pick(MemoryScope::ALL),
            result,
        });
        if let Some(result) = result {
            scope.add(result, ty);
        }
    }

    /// The content of the thread's own cell, or a possible value of it.
    fn expected(&mut self, b: &mut Builder<'_>, scope: &Scope, cells: Cells, ty: TypeId) -> ExprId {
        let scalar = cells.scalar;
        if !self.random.once_in(3) {
            let path = self.start(b, scope, cells.base);
            let held = b.atomic(AtomicOp::Load, path, Vec::new());
            return b.get(held);
        }
        let parts = if scalar.is_half() { 2 } else { 1 };
        let number = |maker: &mut Maker, b: &mut Builder<'_>| {
            let small = maker.random.below(3);
            b.constant(match scalar {
                Scalar::F16 => Constant::new(scalar, small * 0x3c00),
                Scalar::BF16 => Constant::new(scalar, small * 0x3f80),
                Scalar::F32 => Constant::new(scalar, small * 0x3f80_0000),
                Scalar::F64 => Constant::new(scalar, small * 0x3ff0_0000_0000_0000),
                _ => Constant::new(scalar, small),
            })
        };
        let mut numbers: Vec<ExprId> = (0..parts).map(|_| number(self, b)).collect();
        match numbers.len() {
            1 => numbers.swap_remove(0),
            _ => b.construct(ty, numbers),
        }
    }

    /// `fetch_update`: replaces the value of a cell by the result of `make`, if any, retrying on
    /// contention. The returned local holds the last value seen.
    fn update(
        &mut self,
        b: &mut Builder<'_>,
        cell: ExprId,
        memory: MemoryScope,
        make: impl FnOnce(&mut Self, &mut Builder<'_>, Handle<Local>) -> (Option<ExprId>, ExprId),
    ) -> Handle<Local> {
        let cell = b.let_("", cell);
        let at = b.deref(b.local_place(cell));
        let seen = b.atomic(AtomicOp::Load, at.clone(), Vec::new());
        let order = self.random.pick(MemoryOrder::ALL);
        let (body, ()) = b.block(|b| {
            let (goes_on, new) = make(self, b, seen);
            if let Some(goes_on) = goes_on {
                b.break_unless(goes_on, 0);
            }
            let (place, expected) = (b.place(at), b.get(seen));
            let old = b.local("", b.type_of(expected));
            b.push(StmtKind::Atomic {
                op: AtomicOp::CompareExchange,
                place,
                operands: vec![expected, new],
                order,
                scope: memory,
                result: Some(old),
            });
            let other = self.is_other(b, old, seen);
            b.break_unless(other, 0);
            let old = b.get(old);
            b.set(seen, old);
        });
        b.push(StmtKind::Loop { body, step: Vec::new() });
        seen
    }

    /// True if two variables differ in a bit, and are not both NaNs.
    fn is_other(&mut self, b: &mut Builder<'_>, one: Handle<Local>, other: Handle<Local>) -> ExprId {
        let one_value = b.get(one);
        let ty = b.type_of(one_value);
        match b.types().as_scalar(ty) {
            Some(scalar) if scalar.is_float() => {
                let other = b.get(other);
                let same = b.binary(BinaryOp::SameBits, one_value, other);
                b.unary(UnaryOp::Not, same)
            }
            Some(_) => {
                let other = b.get(other);
                b.binary(BinaryOp::Ne, one_value, other)
            }
            None => {
                let [low, high] = [0, 1].map(|half| {
                    let [one, other] = [one, other].map(|pair| {
                        let half = b.u64(half);
                        let half = b.index_with(b.local_place(pair), half, false);
                        b.load(half)
                    });
                    let same = b.binary(BinaryOp::SameBits, one, other);
                    b.unary(UnaryOp::Not, same)
                });
                b.or(low, high)
            }
        }
    }

    /// Reads a shared cell that other threads wrote before the last barrier.
    fn read_counter(&mut self, b: &mut Builder<'_>, scope: &mut Scope, cells: Cells) {
        let (index, checked) = self.index(b, scope, self.threads);
        let path = self.start(b, scope, cells.base);
        let path = b.index_with(path, index, checked);
        let place = b.place(path);
        let ty = b.types().scalar(cells.scalar);
        let found = b.local("found", ty);
        b.push(StmtKind::Atomic {
            op: AtomicOp::Load,
            place,
            operands: Vec::new(),
            order: self.order(AtomicOp::Load),
            scope: self.random.pick(MemoryScope::ALL),
            result: Some(found),
        });
        scope.add(found, ty);
    }

    fn order(&mut self, op: AtomicOp) -> MemoryOrder {
        use MemoryOrder::{Acquire, Relaxed, Release, SeqCst};
        match op {
            AtomicOp::Load => self.random.pick(&[Relaxed, Acquire, SeqCst]),
            AtomicOp::Store => self.random.pick(&[Relaxed, Release, SeqCst]),
            _ => self.random.pick(MemoryOrder::ALL),
        }
    }
}
