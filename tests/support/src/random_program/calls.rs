//! Calls with their arguments, parts of arrays and slices, and atomics.

use vyre_core::ir::{
    AtomicOp, BinaryOp, ExprId, Handle, Local, MemoryOrder, MemoryScope, Scalar, StmtKind, Type, TypeId,
};

use super::items::{Builder, Callee, Maker, Taken};
use super::scope::{Base, Cells, Root, Scope};

/// The operations whose order does not matter, by the index of the cell that gets them; floats
/// have the last two.
const COMMUTING: [AtomicOp; 6] = [
    AtomicOp::Add,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Min,
    AtomicOp::Max,
];

impl Maker {
    /// Calls a function. The result is in the local returned.
    pub(super) fn call(&mut self, b: &mut Builder<'_>, scope: &Scope, callee: &Callee) -> (Handle<Local>, TypeId) {
        let mut arguments = Vec::new();
        for &taken in &callee.parameters {
            let ty = taken.ty(b.types());
            let argument = match taken {
                Taken::Value(ty) => self.value(b, scope, ty, 2),
                Taken::Reference { pointee, mutable } => match self.pointer_of(b, scope, ty) {
                    Some(pointer) => pointer,
                    None => {
                        let value = self.value(b, scope, pointee, 1);
                        let local = b.let_("", value);
                        b.reference(b.local_place(local), mutable)
                    }
                },
                Taken::Slice { element, mutable } => match self.pointer_of(b, scope, ty) {
                    Some(pointer) => pointer,
                    None => {
                        let value = self.value(b, scope, element, 1);
                        let array = b.repeat(value, 2);
                        let array = b.let_("", array);
                        let (start, end) = (b.u64(0), b.u64(2));
                        b.subslice(b.local_place(array), start, end, mutable)
                    }
                },
            };
            arguments.push(argument);
        }
        if callee.result == b.types().unit() || self.random.once_in(8) {
            b.push(StmtKind::Call {
                function: callee.handle,
                arguments,
                result: None,
            });
            // A variable of a type that every scope has.
            let ty = b.types().scalar(Scalar::U32);
            return (b.local("", ty), ty);
        }
        (b.call(callee.handle, arguments), callee.result)
    }

    /// A slice with an element at least: part of an array, of a slice, or one element of an output.
    pub(super) fn part(
        &mut self,
        b: &mut Builder<'_>,
        scope: &Scope,
        element: TypeId,
        mutable: bool,
    ) -> Option<ExprId> {
        let types = b.types();
        let whole: Vec<Root> = scope
            .roots
            .iter()
            .filter(|root| match types[root.ty] {
                Type::Slice {
                    element: of,
                    mutable: is,
                } => of == element && (!mutable || is && root.writable),
                _ => false,
            })
            .copied()
            .collect();
        if !whole.is_empty() && self.random.once_in(2) {
            let slice = self.random.pick(&whole);
            let Base::Local(local) = slice.base else {
                unreachable!("slices lie in variables");
            };
            let (start, end) = match self.random.below(3) {
                // To anywhere, but not empty: what reaches outside is a fault at once.
                0 if self.wild(4) => {
                    let (start, end) = (self.leaf(b, scope, Scalar::U64), self.leaf(b, scope, Scalar::U64));
                    let (one, two) = (b.u64(1), b.u64(2));
                    let start = b.binary(BinaryOp::And, start, one);
                    (start, b.binary(BinaryOp::Max, end, two))
                }
                0 => (b.u64(0), b.u64(1)),
                // From the thread's number on.
                1 if slice.whole => (self.number(b, scope), b.u64(super::LENGTH)),
                _ => (b.u64(0), b.length(b.local_place(local))),
            };
            return Some(b.subslice(b.local_place(local), start, end, mutable));
        }
        // The thread's own element.
        let own = scope.roots.iter().filter_map(|root| match root.base {
            Base::Own(slice) if root.ty == element => Some(slice),
            _ => None,
        });
        let own: Vec<_> = own.collect();
        if !own.is_empty() && self.random.once_in(3) {
            let slice = self.random.pick(&own);
            let (start, number, one) = (self.number(b, scope), self.number(b, scope), b.u64(1));
            let end = b.binary(BinaryOp::Add, number, one);
            let checked = !self.random.once_in(4);
            return Some(b.subslice_with(b.local_place(slice), [start, end], mutable, checked));
        }
        // Arrays of any length that is there.
        let lengths: Vec<(TypeId, u64)> = b
            .types()
            .iter()
            .filter_map(|(id, ty)| match *ty {
                Type::Array { element: of, length } if of == element => Some((id, length)),
                _ => None,
            })
            .collect();
        if lengths.is_empty() {
            return None;
        }
        let (array, length) = self.random.pick(&lengths);
        let path = self.place(b, scope, array, mutable)?;
        let first = self.random.below(length);
        let last = first + 1 + self.random.below(length - first);
        let (start, end) = (b.u64(first), b.u64(last));
        let checked = !self.random.once_in(4);
        Some(b.subslice_with(path, [start, end], mutable, checked))
    }

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
        let most = match cells.base {
            Base::Shared(_) | Base::Behind(_) => self.threads.min(COMMUTING.len() as u64),
            _ => COMMUTING.len() as u64,
        };
        let cell = self.random.below(most);
        let op = match cells.scalar.is_float() {
            true => [AtomicOp::Min, AtomicOp::Max][cell as usize % 2],
            false => COMMUTING[cell as usize],
        };
        let operand = self.expr(b, scope, cells.scalar, 3);
        let index = b.u64(cell);
        let path = self.start(b, scope, cells.base);
        let path = b.index(path, index);
        let place = b.place(path);
        b.push(StmtKind::Atomic {
            op,
            place,
            operands: vec![operand],
            order: self.random.pick(MemoryOrder::ALL),
            scope: self.random.pick(match cells.base {
                Base::Shared(_) | Base::Behind(_) => MemoryScope::ALL,
                _ => &[MemoryScope::Device, MemoryScope::System],
            }),
            result: None,
        });
    }

    /// Anything, with its result, on the thread's own cell.
    fn own_atomic(&mut self, b: &mut Builder<'_>, scope: &mut Scope, cells: Cells) {
        let fits = |op: &&AtomicOp| {
            op.accepts(cells.scalar)
                && !op.is_barrier()
                && match op {
                    AtomicOp::CompareExchange => !cells.scalar.is_float(),
                    AtomicOp::Add | AtomicOp::Sub => cells.scalar != Scalar::F32,
                    _ => true,
                }
        };
        let ops: Vec<_> = AtomicOp::ALL.iter().filter(fits).collect();
        let &op = self.random.pick(&ops);
        let ty = b.types().cell_value(cells.scalar);
        let operands = (0..op.operands()).map(|_| self.value(b, scope, ty, 2)).collect();
        let path = self.start(b, scope, cells.base);
        let place = b.place(path);
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
