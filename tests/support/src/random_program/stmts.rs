//! Statements.

use vyre_abi::format::{Count, Piece, Spec, Style, Template};
use vyre_core::ir::{
    Access, AssertMessage, BinaryOp, Builtin, Constant, ExprId, Handle, Intrinsic, Local, MemoryOrder, MemoryScope,
    Scalar, StmtKind, Type, TypeId,
};

use super::items::{Builder, Maker};
use super::scope::{Base, Root, Scope};

/// Expressions of a statement that are no leaves.
const FUEL: u32 = 24;

impl Maker {
    pub(super) fn refuel(&mut self) {
        self.fuel = FUEL;
    }

    /// Some statements, which may declare variables for those that follow.
    pub(super) fn statements(&mut self, b: &mut Builder<'_>, scope: &Scope, most: u64, depth: u32) {
        let mut scope = scope.clone();
        for _ in 0..self.random.below(most + 1) {
            b.span = self.span();
            self.refuel();
            self.statement(b, &mut scope, depth);
        }
    }

    fn statement(&mut self, b: &mut Builder<'_>, scope: &mut Scope, depth: u32) {
        match self.random.below(16) {
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
            3 if depth > 0 => self.bounded_loop(b, scope, depth),
            4 if depth > 0 && !self.functions.is_empty() => {
                let callee = self.random.below(self.functions.len() as u64) as usize;
                let callee = self.functions[callee].clone();
                let (returned, ty) = self.call(b, scope, &callee);
                scope.add(returned, ty);
            }
            5 if scope.loops > 0 => {
                let condition = self.expr(b, scope, Scalar::Bool, 2);
                let leave = self.leave(scope);
                b.if_(condition, |b| b.push(leave), |_| {});
            }
            6 if scope.result.is_some() => self.early_return(b, scope),
            7 => self.any_atomic(b, scope),
            8 if self.wild(4) => self.assertion(b, scope),
            8 if self.options.prints && self.random.once_in(2) => {
                let (template, values) = self.message(b, scope, "print");
                b.print(&format!("{template}\n"), values);
            }
            9 => {
                let order = self.random.pick(&[MemoryOrder::AcqRel, MemoryOrder::SeqCst]);
                let scope = self.random.pick(MemoryScope::ALL);
                b.intrinsic(Intrinsic::Fence { order, scope }, &[]);
            }
            10 => self.variable(b, scope),
            11 => self.pointer(b, scope),
            12 => self.point_elsewhere(b, scope),
            13 if self.random.once_in(2) => self.copy(b, scope),
            14 if self.random.once_in(4) => self.of_hardware(b, scope),
            _ => self.assignment(b, scope),
        }
    }

    /// `break` or `continue`.
    fn leave(&mut self, scope: &Scope) -> StmtKind {
        let depth = self.random.below(u64::from(scope.loops)) as u32;
        if self.random.once_in(2) {
            StmtKind::Break(depth)
        } else {
            StmtKind::Continue(depth)
        }
    }

    fn early_return(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        // Kernels mostly continue to their outputs.
        if scope.result == Some(None) && !self.random.once_in(4) {
            return;
        }
        let condition = self.expr(b, scope, Scalar::Bool, 2);
        let (then, ()) = b.block(|b| {
            let value = scope.result.flatten().map(|ty| self.value(b, scope, ty, 2));
            b.return_(value);
        });
        b.push(StmtKind::If {
            condition,
            then,
            otherwise: Vec::new(),
        });
    }

    fn assertion(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let condition = self.expr(b, scope, Scalar::Bool, 2);
        if self.random.once_in(2) {
            let text = self.name("holds");
            return b.assert(condition, &text);
        }
        if self.random.once_in(2) {
            let (template, values) = self.message(b, scope, "holds");
            let message = AssertMessage::Assertion(template);
            return b.push(StmtKind::Assert {
                condition,
                message,
                values,
            });
        }
        let (then, ()) = b.block(|b| {
            let (template, values) = self.message(b, scope, "panic");
            let never = b.bool(false);
            b.push(StmtKind::Assert {
                condition: never,
                message: AssertMessage::Panic(template),
                values,
            });
        });
        b.push(StmtKind::If {
            condition,
            then,
            otherwise: Vec::new(),
        });
    }

    /// A template with values.
    fn message(&mut self, b: &mut Builder<'_>, scope: &Scope, text: &str) -> (String, Vec<ExprId>) {
        let mut template = Template::plain(&self.name(text));
        let mut values = Vec::new();
        for _ in 0..self.random.below(4) {
            let scalar = self.random.pick(&Scalar::ALL);
            // The payload of a NaN is unspecified, and its bits would show.
            let style = match scalar.is_float() {
                true => Style::Debug,
                false => self.random.pick(&[Style::Display, Style::LowerHex]),
            };
            let width = self.random.below(8) as usize;
            let spec = Spec {
                width: Count::Is(width),
                style,
                ..Spec::DISPLAY
            };
            values.push(self.expr(b, scope, scalar, 2));
            template.text(" ");
            let number = template.value(scalar);
            template.pieces.push(Piece::Value(number, spec));
        }
        (template.to_string(), values)
    }

    fn assignment(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let Some((target, ty)) = self.target(b, scope) else {
            return;
        };
        let value = self.value(b, scope, ty, 4);
        let access = match b.types().as_scalar(ty) {
            Some(_) if self.random.once_in(6) => self.random.pick(Access::ALL),
            _ => Access::Plain,
        };
        b.store(target.with(access), value);
    }

    /// GPU-only features: inline PTX beside a fallback of the same meaning, and the clock, whose
    /// value must not be observed.
    fn of_hardware(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        if self.random.once_in(4) {
            b.intrinsic_value(Intrinsic::Clock, &[]);
            return;
        }
        if self.random.once_in(4) {
            let time = b.u32(20);
            b.intrinsic(Intrinsic::Nap, &[time]);
            return;
        }
        let (scalar, suffix) = self.random.pick(&[
            (Scalar::I32, "s32"),
            (Scalar::U32, "u32"),
            (Scalar::I64, "s64"),
            (Scalar::U64, "u64"),
        ]);
        let (op, name) = self
            .random
            .pick(&[(BinaryOp::Add, "add"), (BinaryOp::Sub, "sub"), (BinaryOp::Max, "max")]);
        let version = self.random.once_in(4).then_some((6, 5));
        let operands = [0; 2].map(|_| {
            let operand = self.expr(b, scope, scalar, 2);
            b.let_("", operand)
        });
        let ty = b.types().scalar(scalar);
        let result = b.local("done", ty);
        let on_gpu = b.builtin(Builtin::OnGpu);
        b.if_(
            on_gpu,
            |b| {
                let operands = operands.iter().map(|&operand| b.get(operand)).collect();
                b.push(StmtKind::Ptx {
                    text: format!("{name}.{suffix} {{result}}, {{0}}, {{1}};"),
                    version,
                    operands,
                    result: Some(result),
                });
            },
            |b| {
                let [left, right] = operands.map(|operand| b.get(operand));
                let value = b.binary(op, left, right);
                b.set(result, value);
            },
        );
        scope.add(result, ty);
    }

    /// An asynchronous copy of a few elements of an array, if there are two.
    fn copy_elements(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let arrays = b.types().iter().filter_map(|(id, ty)| match *ty {
            Type::Array { element, length } if length > 0 => Some((id, element, length)),
            _ => None,
        });
        let arrays: Vec<_> = arrays.collect();
        if arrays.is_empty() {
            return;
        }
        let (ty, element, length) = self.random.pick(&arrays);
        let count = 1 + self.random.below(length);
        let bytes = b.types().layout(element).size * count;
        if !bytes.is_multiple_of(4) || bytes == 0 || matches!(b.types()[element], Type::Atomic(_)) {
            return;
        }
        let mut ends = [true, false].map(|write| {
            let place = self.place(b, scope, ty, write)?;
            let (start, end) = (b.u64(0), b.u64(length));
            Some(b.subslice(place, start, end, write))
        });
        let [Some(to), Some(from)] = ends.each_mut().map(Option::take) else {
            return;
        };
        b.intrinsic(Intrinsic::AsyncCopy { count }, &[to, from]);
    }

    /// An asynchronous copy of what has whole words, and the wait for it.
    fn copy(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        if self.random.once_in(3) {
            self.copy_elements(b, scope);
            b.intrinsic(Intrinsic::CopyCommit, &[]);
            return b.intrinsic(Intrinsic::CopyWait { pending: 0 }, &[]);
        }
        let Some((to, ty)) = self.target(b, scope) else {
            return;
        };
        if !b.types().layout(ty).size.is_multiple_of(4) || b.types().layout(ty).size == 0 {
            return;
        }
        let to = b.reference(to, true);
        let Some(from) = self.place(b, scope, ty, false) else {
            return;
        };
        let from = b.reference(from, false);
        b.intrinsic(Intrinsic::AsyncCopy { count: 1 }, &[to, from]);
        b.intrinsic(Intrinsic::CopyCommit, &[]);
        if self.random.once_in(3) {
            b.intrinsic(Intrinsic::CopyWait { pending: 1 }, &[]);
        }
        b.intrinsic(Intrinsic::CopyWait { pending: 0 }, &[]);
    }

    /// The variables that a body begins with.
    pub(super) fn variables(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        for _ in 0..2 + self.random.below(4) {
            b.span = self.span();
            self.refuel();
            self.variable(b, scope);
        }
        if self.random.once_in(2) {
            self.refuel();
            self.pointer(b, scope);
        }
    }

    fn variable(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let ty = self.value_type(b.types());
        let name = self.name("v");
        // Uninitialised variables hold zero bits.
        if self.random.once_in(6) {
            let local = b.local(&name, ty);
            return scope.add(local, ty);
        }
        let value = self.value(b, scope, ty, 3);
        let local = b.let_(&name, value);
        scope.add(local, ty);
    }

    /// A variable that refers to a place, or to part of an array or slice.
    fn pointer(&mut self, b: &mut Builder<'_>, scope: &mut Scope) {
        let mutable = self.random.once_in(2);
        let ty = self.value_type(b.types());
        let pointer = if self.random.once_in(2) {
            self.part(b, scope, ty, mutable)
        } else {
            let place = self.place(b, scope, ty, mutable);
            place.map(|place| b.reference(place, mutable))
        };
        let Some(pointer) = pointer else { return };
        let (name, ty) = (self.name("r"), b.type_of(pointer));
        let local = b.let_(&name, pointer);
        scope.add(local, ty);
    }

    /// Makes a variable refer to something else, perhaps only under a condition.
    fn point_elsewhere(&mut self, b: &mut Builder<'_>, scope: &Scope) {
        let types = &*b.types();
        let pointers = scope.roots.iter().filter(|root| {
            // The target may be out of scope when an earlier variable is read.
            root.writable
                && root.phase == scope.phase
                && matches!(types[root.ty], Type::Reference { .. } | Type::Slice { .. })
        });
        let pointers: Vec<Root> = pointers.copied().collect();
        if pointers.is_empty() {
            return;
        }
        let root = self.random.pick(&pointers);
        let Base::Local(local) = root.base else { return };
        let Some(pointer) = self.pointer_of(b, scope, root.ty) else {
            return;
        };
        b.set(local, pointer);
    }

    fn counted_loop(&mut self, b: &mut Builder<'_>, scope: &Scope, depth: u32) {
        let scalar = self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::U64, Scalar::U8]);
        let first = self.random.below(3);
        let start = b.constant(Constant::new(scalar, first));
        let end = b.constant(Constant::new(scalar, first + self.random.below(4)));
        let mut inner = scope.clone();
        inner.loops += 1;
        let name = self.name("i");
        b.for_range(&name, start, end, |b, counter| {
            inner.roots.push(unwritable(b, counter, scalar));
            self.statements(b, &inner, 3, depth - 1);
        });
    }

    /// A loop whose condition may be anything, but that runs a few times at most.
    fn bounded_loop(&mut self, b: &mut Builder<'_>, scope: &Scope, depth: u32) {
        let left = b.u32(1 + self.random.below(4) as u32);
        let left = b.let_("left", left);
        let mut inner = scope.clone();
        inner.loops += 1;
        inner.roots.push(unwritable(b, left, Scalar::U32));
        let count_in_step = self.random.once_in(2);
        let count = |b: &mut Builder<'_>| {
            let (value, one) = (b.get(left), b.u32(1));
            let less = b.binary(BinaryOp::Sub, value, one);
            b.set(left, less);
        };
        let (body, ()) = b.block(|b| {
            let (value, zero) = (b.get(left), b.u32(0));
            let some = b.binary(BinaryOp::Ne, value, zero);
            b.break_unless(some, 0);
            if !count_in_step {
                count(b);
            }
            if self.random.once_in(2) {
                let condition = self.expr(b, &inner, Scalar::Bool, 2);
                b.break_unless(condition, 0);
            }
            self.statements(b, &inner, 3, depth - 1);
        });
        let (step, ()) = b.block(|b| {
            if count_in_step {
                count(b);
            }
            if self.random.once_in(3) {
                // A scope in which `continue` is not allowed.
                let inner = Scope {
                    loops: 0,
                    ..inner.clone()
                };
                self.statements(b, &inner, 2, 0);
            }
        });
        b.push(StmtKind::Loop { body, step });
    }

    /// A pointer of a type, to a place or copied from a variable.
    pub(super) fn pointer_of(&mut self, b: &mut Builder<'_>, scope: &Scope, ty: TypeId) -> Option<ExprId> {
        let may_write = matches!(
            b.types()[ty],
            Type::Reference { mutable: true, .. } | Type::Slice { mutable: true, .. }
        );
        let same = (scope.roots.iter()).filter(|root| root.ty == ty && (root.writable || !may_write));
        let same: Vec<Root> = same.copied().collect();
        if !same.is_empty() && self.random.once_in(2) {
            let [first, second] = [0; 2].map(|_| self.random.pick(&same).base);
            let (Base::Local(first), Base::Local(second)) = (first, second) else {
                return None;
            };
            let first_value = b.get(first);
            if first == second || self.random.once_in(2) {
                return Some(first_value);
            }
            let condition = self.expr(b, scope, Scalar::Bool, 1);
            let second_value = b.get(second);
            return Some(b.select(condition, first_value, second_value));
        }
        match b.types()[ty] {
            Type::Reference { pointee, mutable } => {
                let place = self.place(b, scope, pointee, mutable)?;
                Some(b.reference(place, mutable))
            }
            Type::Slice { element, mutable } => self.part(b, scope, element, mutable),
            _ => None,
        }
    }
}

/// A variable that nothing but its loop writes.
fn unwritable(b: &mut Builder<'_>, local: Handle<Local>, scalar: Scalar) -> Root {
    let ty = b.types().scalar(scalar);
    Root {
        writable: false,
        ..Root::new(Base::Local(local), ty)
    }
}
