//! Random statements.

use super::{ATOMIC_OPS, Builder, Maker, PAIR, Scope, Taken};
use vyre_core::ir::builder::Path;
use vyre_core::ir::{Constant, MemoryOrder, MemoryScope, Scalar, StmtKind};

impl Maker {
    pub(super) fn statements(&mut self, b: &mut Builder<'_>, scope: &Scope, most: u64, depth: u32) {
        for _ in 0..self.random.below(most + 1) {
            b.span = self.span();
            self.statement(b, scope, depth);
        }
    }

    fn statement(&mut self, b: &mut Builder<'_>, scope: &Scope, depth: u32) {
        match self.random.below(14) {
            0 | 1 if depth > 0 => {
                let condition = self.expr(b, scope, Scalar::Bool, 3);
                let (then, ()) = b.block(|b| self.statements(b, scope, 3, depth - 1));
                let (otherwise, ()) = b.block(|b| self.statements(b, scope, 2, depth - 1));
                b.push(StmtKind::If {
                    condition,
                    then,
                    otherwise,
                });
            }
            2 if depth > 0 => self.counted_loop(b, scope, depth),
            3 if depth > 0 && !self.functions.is_empty() => self.call(b, scope),
            4 if scope.loops > 0 => {
                let condition = self.expr(b, scope, Scalar::Bool, 2);
                let depth = self.random.below(u64::from(scope.loops)) as u32;
                let leave = if self.random.once_in(2) {
                    StmtKind::Break(depth)
                } else {
                    StmtKind::Continue(depth)
                };
                b.if_(condition, |b| b.push(leave), |_| {});
            }
            5 if scope.result.is_some() => {
                let condition = self.expr(b, scope, Scalar::Bool, 2);
                let (then, ()) = b.block(|b| {
                    let value = scope.result.flatten().map(|scalar| self.expr(b, scope, scalar, 2));
                    b.return_(value);
                });
                // Kernels go on to their outputs, most of the time.
                if scope.result != Some(None) || self.random.once_in(4) {
                    b.push(StmtKind::If {
                        condition,
                        then,
                        otherwise: Vec::new(),
                    });
                }
            }
            6 if !scope.atomics.is_empty() => self.atomic(b, scope),
            7 if self.options.faults && self.random.once_in(4) => {
                let condition = self.expr(b, scope, Scalar::Bool, 2);
                let message = self.name("holds");
                b.assert(condition, &message);
            }
            8 => {
                let order = self.random.pick(&[MemoryOrder::AcqRel, MemoryOrder::SeqCst]);
                let scope = self.random.pick(MemoryScope::ALL);
                b.push(StmtKind::Fence { order, scope });
            }
            _ => self.assignment(b, scope),
        }
    }

    fn assignment(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let mut targets: Vec<(Path, Scalar)> = Vec::new();
        for &(local, scalar) in &scope.scalars[..scope.writable] {
            targets.push((b.local_place(local), scalar));
        }
        for &(local, scalar, length) in &scope.arrays {
            let index = self.index(b, scope, length);
            targets.push((b.index(b.local_place(local), index), scalar));
        }
        for &local in &scope.pairs {
            let field = self.random.below(2) as u32;
            targets.push((b.field(b.local_place(local), field), PAIR[field as usize]));
        }
        for &(local, scalar) in &scope.references {
            targets.push((b.deref(b.local_place(local)), scalar));
        }
        if targets.is_empty() {
            return;
        }
        let (target, scalar) = targets.swap_remove(self.random.below(targets.len() as u64) as usize);
        let value = self.expr(b, scope, scalar, 4);
        b.store(target, value);
    }

    fn counted_loop(&mut self, b: &mut Builder<'_>, scope: &Scope, depth: u32) {
        let scalar = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::U64, Scalar::U8]);
        let start = b.constant(Constant::new(scalar, 0));
        let end = b.constant(Constant::new(scalar, 1 + self.random.below(3)));
        let mut inner = scope.clone();
        inner.loops += 1;
        let name = self.name("i");
        b.for_range(&name, start, end, |b, counter| {
            inner.scalars.push((counter, scalar));
            self.statements(b, &inner, 3, depth - 1);
        });
    }

    fn call(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let number = self.random.below(self.functions.len() as u64) as usize;
        let (handle, result) = (self.functions[number].handle, self.functions[number].result);
        let mut arguments = Vec::new();
        for taken in self.functions[number].parameters.clone() {
            arguments.push(match taken {
                Taken::Scalar(scalar) => self.expr(b, scope, scalar, 3),
                Taken::Pair => self.pair(b, scope, 2),
                Taken::Slice(scalar) => {
                    let fitting: Vec<_> = scope.slices.iter().filter(|slice| slice.1 == scalar).collect();
                    if fitting.is_empty() {
                        let value = self.expr(b, scope, scalar, 2);
                        let array = b.repeat(value, 2);
                        let array = b.let_("", array);
                        let (start, end) = (b.u64(0), b.u64(2));
                        b.subslice(b.local_place(array), start, end, false)
                    } else {
                        let &(slice, _) = self.random.pick(&fitting);
                        b.get(slice)
                    }
                }
                Taken::Mutable(scalar) => {
                    let value = self.expr(b, scope, scalar, 2);
                    let local = b.let_("", value);
                    b.reference(b.local_place(local), true)
                }
            });
        }
        let returned = b.call(handle, arguments);
        let fitting = scope.scalars[..scope.writable].iter();
        let fitting: Vec<_> = fitting.filter(|local| local.1 == result).collect();
        if !fitting.is_empty() {
            let &(local, _) = self.random.pick(&fitting);
            let value = b.get(returned);
            b.set(local, value);
        }
    }

    fn atomic(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let (cells, scalar) = self.random.pick(&scope.atomics);
        let cell = self.random.below(ATOMIC_OPS.len() as u64);
        let operand = self.expr(b, scope, scalar, 3);
        let index = b.u64(cell);
        let path = b.index(b.local_place(cells), index);
        let place = b.place(path);
        b.push(StmtKind::Atomic {
            op: ATOMIC_OPS[cell as usize],
            place,
            operands: vec![operand],
            order: self.random.pick(MemoryOrder::ALL),
            scope: self.random.pick(&[MemoryScope::Device, MemoryScope::System]),
            result: None,
        });
    }
}
