//! Expressions: instructions that evaluate them, operands from left to right.

use vyre_abi::semantics::words;

use super::compile::Compiler;
use super::op::{Op, Operand, Rare, Reg, SiteKind};
use crate::interp::PRIVATE_BYTES;
use crate::interp::memory::Width;
use crate::ir::{
    BinaryOp, Builtin, ExprId, ExprKind, Extent, External, Handle, PlaceId, Scalar, Span, Type, TypeId, UnaryOp,
};

/// Where a value shall be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// Anywhere: a local stays where it is.
    Any,
    /// A word, if it is computed, in this register. Nothing that is read later may be there.
    Word(Reg),
    /// An aggregate, in scratch memory from here on.
    Bytes(u64),
}

impl Compiler<'_, '_> {
    /// The register of a scalar or reference: `to`, if it is computed.
    pub(super) fn word(&mut self, id: ExprId, to: Option<Reg>) -> Reg {
        match self.value(id, to.map_or(Want::Any, Want::Word)) {
            Operand::Word(reg) | Operand::Slice(reg, _) => reg,
            Operand::Bytes(..) => {
                debug_assert!(false, "this is no scalar");
                0
            }
        }
    }

    /// The registers of scalars.
    pub(super) fn words(&mut self, ids: &[ExprId]) -> Vec<Reg> {
        ids.iter().map(|&id| self.word(id, None)).collect()
    }

    /// The value of an expression. Each kind is a function of its own, since builds without optimisation take stack for
    /// each branch, and operands come back here.
    pub(super) fn value(&mut self, id: ExprId, want: Want) -> Operand {
        let body = self.body;
        let expr = &body.exprs[id];
        let span = expr.span;
        match &expr.kind {
            ExprKind::Constant(constant) => Operand::Word(self.constant(constant.bits)),
            ExprKind::External(external) => self.external(*external, span),
            ExprKind::Builtin(builtin) => self.builtin(*builtin, want),
            ExprKind::Load(place) => self.load(*place, want),
            ExprKind::Length(place) => self.length(*place),
            ExprKind::Reference(place) => {
                let (spot, _) = self.place(*place);
                Operand::Word(self.address(spot))
            }
            ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            } => self.subslice(*place, [*start, *end], *checked, span),
            ExprKind::Regroup(operand) => self.regroup(*operand, expr.ty),
            ExprKind::Unary { op, operand } => self.unary(*op, *operand, want),
            ExprKind::Binary { op, left, right } => self.binary(*op, *left, *right, want, span),
            ExprKind::MulAdd { a, b, c } => self.mul_add([*a, *b, *c], want),
            ExprKind::And { left, right } => self.either(*left, *right, false),
            ExprKind::Or { left, right } => self.either(*left, *right, true),
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => self.select(*condition, *then, *otherwise, expr.ty, want),
            ExprKind::Cast(operand) => self.cast(*operand, expr.ty, want),
            ExprKind::Bitcast(operand) => self.bitcast(*operand, expr.ty, want),
            ExprKind::Construct(parts) => self.construct(expr.ty, parts, want, span),
            ExprKind::Repeat(operand) => self.repeat(expr.ty, *operand, want, span),
            ExprKind::DynamicShared { offset, length } => self.dynamic_shared(expr.ty, *offset, *length, span),
            ExprKind::MapShared { reference, rank } => self.map_shared(*reference, *rank, span),
            ExprKind::Within { index, length, extent } => self.within(*index, *length, *extent, span),
            ExprKind::Field { operand, index } => self.field(*operand, *index as usize, want),
        }
    }

    fn external(&mut self, external: Handle<External>, span: Span) -> Operand {
        match self.program.externals[external].value {
            Some(bits) => {
                let to = self.temporary();
                let External { scalar, .. } = self.program.externals[external];
                let bits = crate::ir::Constant::new(scalar, bits).bits;
                self.emit(Op::Constant { to, bits });
                Operand::Word(to)
            }
            None => {
                self.rare(Rare::External(external), span);
                Operand::Word(self.temporary())
            }
        }
    }

    fn builtin(&mut self, builtin: Builtin, want: Want) -> Operand {
        let to = self.target(want);
        self.emit(Op::Builtin { to, builtin });
        Operand::Word(to)
    }

    fn length(&mut self, place: PlaceId) -> Operand {
        let span = self.body.places[place].span;
        let spot = self.place(place);
        let ([_, length], _) = self.as_slice(spot, span);
        Operand::Word(length)
    }

    fn subslice(&mut self, place: PlaceId, [start, end]: [ExprId; 2], checked: bool, span: Span) -> Operand {
        let spot = self.place(place);
        let range = [self.word(start, None), self.word(end, None)];
        let (slice, element) = self.as_slice(spot, span);
        let to = [self.temporary(), self.temporary()];
        let subslice = Rare::Subslice {
            to,
            slice,
            range,
            size: self.layout(element).size,
        };
        self.rare_at(subslice, span, SiteKind::Index(place, usize::MAX, checked));
        Operand::Slice(to[0], to[1])
    }

    fn regroup(&mut self, operand: ExprId, ty: TypeId) -> Operand {
        let value = self.value(operand, Want::Any);
        let from = self.body.exprs[operand].ty;
        let (Operand::Slice(start, length), Some((op, count))) = (value, self.program.types.regrouped(from, ty)) else {
            return value;
        };
        let to = self.temporary();
        let regroup = Rare::Regroup { to, length, op, count };
        self.rare(regroup, Span::NONE);
        Operand::Slice(start, to)
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, want: Want) -> Operand {
        let mark = self.mark();
        let scalar = self.scalar(operand);
        let operand = self.word(operand, None);
        self.release(mark);
        let to = self.target(want);
        self.emit(match words::unary(op, scalar) {
            Some(function) => Op::Unary { function, to, operand },
            None => Op::UnaryHalf {
                op,
                scalar,
                to,
                operand,
            },
        });
        Operand::Word(to)
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, want: Want, span: Span) -> Operand {
        let mark = self.mark();
        let scalar = self.scalar(left);
        let (left, right) = (self.word(left, None), self.word(right, None));
        self.release(mark);
        let to = self.target(want);
        if matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            self.site(span, SiteKind::Other);
        }
        self.emit(match words::binary(op, scalar) {
            Some(function) => Op::Binary {
                function,
                to,
                left,
                right,
            },
            None => Op::BinaryHalf {
                op,
                scalar,
                to,
                left,
                right,
            },
        });
        Operand::Word(to)
    }

    fn mul_add(&mut self, [a, b, c]: [ExprId; 3], want: Want) -> Operand {
        let mark = self.mark();
        let scalar = self.scalar(a);
        let factors = [self.word(a, None), self.word(b, None)];
        let summand = self.word(c, None);
        self.release(mark);
        let to = self.target(want);
        self.emit(Op::MulAdd {
            scalar,
            to,
            factors,
            summand,
        });
        Operand::Word(to)
    }

    /// The left condition where it is `decides`, otherwise the right one.
    fn either(&mut self, left: ExprId, right: ExprId, decides: bool) -> Operand {
        let to = self.temporary();
        self.word_in(left, to);
        let skip = self.ops.len();
        let (condition, target) = (to, 0);
        self.emit(match decides {
            true => Op::When { condition, target },
            false => self.unless(condition),
        });
        self.word_in(right, to);
        self.land(skip);
        Operand::Word(to)
    }

    fn select(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId, ty: TypeId, want: Want) -> Operand {
        let condition = self.word(condition, None);
        let to = match &self.program.types[ty] {
            Type::Slice { .. } => Operand::Slice(self.temporary(), self.temporary()),
            Type::Scalar(_) | Type::Atomic(_) | Type::Reference { .. } => Operand::Word(self.target(want)),
            _ => {
                let size = self.layout(ty).size;
                Operand::Bytes(self.scratch_for(want, size), size)
            }
        };
        let mark = self.mark();
        let unless = self.ops.len();
        self.emit(self.unless(condition));
        self.value_in(then, to);
        self.release(mark);
        let end = self.ops.len();
        self.emit(self.jump());
        self.land(unless);
        self.value_in(otherwise, to);
        self.release(mark);
        self.land(end);
        to
    }

    /// Evaluates a scalar to a register.
    fn word_in(&mut self, id: ExprId, to: Reg) {
        self.value_in(id, Operand::Word(to));
    }

    /// Evaluates an expression to where its value shall be.
    fn value_in(&mut self, id: ExprId, to: Operand) {
        let want = match to {
            Operand::Word(to) => Want::Word(to),
            Operand::Slice(..) => Want::Any,
            Operand::Bytes(to, _) => Want::Bytes(to),
        };
        match (to, self.value(id, want)) {
            (Operand::Word(to), Operand::Word(from)) if to != from => self.emit(Op::Move { to, from }),
            (Operand::Slice(start, length), Operand::Slice(from, its_length)) => {
                self.emit(Op::Move { to: start, from });
                self.emit(Op::Move {
                    to: length,
                    from: its_length,
                });
            }
            (Operand::Bytes(to, size), Operand::Bytes(from, _)) => self.copy(to, from, size),
            _ => {}
        }
    }

    /// Copies scratch memory, unless it is there already.
    fn copy(&mut self, to: u64, from: u64, size: u64) {
        if to != from && size > 0 {
            self.rare(Rare::Copy { to, from, size }, Span::NONE);
        }
    }

    fn cast(&mut self, operand: ExprId, ty: TypeId, want: Want) -> Operand {
        let (from, into) = (self.scalar(operand), self.scalar_type(ty));
        let operand = self.word(operand, None);
        let of_bits = |scalar: Scalar| scalar.is_integer() || scalar == Scalar::Bool;
        if of_bits(from) && of_bits(into) && !from.is_signed() && from.bits() <= into.bits() {
            return Operand::Word(operand);
        }
        let to = self.target(want);
        self.emit(if of_bits(from) && of_bits(into) {
            Op::Extend {
                to,
                operand,
                from,
                into,
            }
        } else {
            Op::Cast {
                to,
                operand,
                from,
                into,
            }
        });
        Operand::Word(to)
    }

    fn bitcast(&mut self, operand: ExprId, ty: TypeId, want: Want) -> Operand {
        let (from, into) = (self.scalar(operand), self.scalar_type(ty));
        let operand = self.word(operand, None);
        if !from.is_float() || from == into {
            return Operand::Word(operand);
        }
        let to = self.target(want);
        self.emit(Op::Bitcast {
            to,
            operand,
            from,
            into,
        });
        Operand::Word(to)
    }

    fn construct(&mut self, ty: TypeId, parts: &[ExprId], want: Want, span: Span) -> Operand {
        let size = self.layout(ty).size;
        let Some(to) = self.aggregate(size, want, span) else {
            return Operand::Bytes(0, 0);
        };
        let element = match &self.program.types[ty] {
            Type::Array { element, .. } => Some(self.layout(*element).size),
            _ => None,
        };
        let filled: u64 = parts
            .iter()
            .map(|&part| self.layout(self.body.exprs[part].ty).size)
            .sum();
        if filled < size {
            self.rare(Rare::Zero { start: to, size }, Span::NONE);
        }
        for (number, &part) in parts.iter().enumerate() {
            let offset = match element {
                Some(size) => number as u64 * size,
                None => self.layout(ty).offsets[number],
            };
            self.part(part, to + offset);
        }
        Operand::Bytes(to, size)
    }

    /// Evaluates a part of an aggregate, to scratch memory.
    fn part(&mut self, part: ExprId, to: u64) {
        let mark = self.mark();
        let ty = self.body.exprs[part].ty;
        let is_bytes = matches!(
            self.program.types[ty],
            Type::Tuple(_) | Type::Struct { .. } | Type::Array { .. }
        );
        let want = if is_bytes { Want::Bytes(to) } else { Want::Any };
        match self.value(part, want) {
            Operand::Word(from) => {
                let width = self.width(ty);
                self.emit(Op::StoreScratch {
                    from,
                    offset: to,
                    width,
                });
            }
            Operand::Slice(start, length) => {
                for (from, offset) in [(start, to), (length, to + 8)] {
                    let width = Width::Eight;
                    self.emit(Op::StoreScratch { from, offset, width });
                }
            }
            Operand::Bytes(from, size) => self.copy(to, from, size),
        }
        self.release(mark);
    }

    fn repeat(&mut self, ty: TypeId, operand: ExprId, want: Want, span: Span) -> Operand {
        let size = self.layout(ty).size;
        let element = self.layout(self.body.exprs[operand].ty).size;
        let Some(to) = self.aggregate(size, want, span) else {
            return Operand::Bytes(0, 0);
        };
        // An array without elements evaluates its operand all the same.
        let first = if size == 0 { self.scratch(element) } else { to };
        self.part(operand, first);
        if size > element {
            let fill = Rare::Fill {
                start: to,
                element,
                size,
            };
            self.rare(fill, Span::NONE);
        }
        Operand::Bytes(to, size)
    }

    /// Scratch memory for an aggregate under construction; `None` if it is too large, which stops the thread.
    fn aggregate(&mut self, size: u64, want: Want, span: Span) -> Option<u64> {
        if size > PRIVATE_BYTES {
            self.rare(Rare::Memory, span);
            return None;
        }
        Some(self.scratch_for(want, size))
    }

    fn dynamic_shared(&mut self, ty: TypeId, offset: ExprId, length: Option<ExprId>, span: Span) -> Operand {
        let offset = self.word(offset, None);
        let length = length.map(|length| self.word(length, None));
        let element = match self.program.types[ty] {
            Type::Slice { element, .. } => element,
            _ => ty,
        };
        let to = [self.temporary(), self.temporary()];
        let slice = Rare::DynamicShared {
            to,
            offset,
            length,
            size: self.layout(element).size.max(1),
        };
        self.rare(slice, span);
        Operand::Slice(to[0], to[1])
    }

    /// The corresponding address in the shared memory of another block of the cluster.
    fn map_shared(&mut self, reference: ExprId, rank: ExprId, span: Span) -> Operand {
        let value = self.value(reference, Want::Any);
        let rank = self.word(rank, None);
        let to = self.temporary();
        let mapped = |address| Rare::MapShared { to, address, rank };
        match value {
            Operand::Word(address) => {
                self.rare(mapped(address), span);
                Operand::Word(to)
            }
            Operand::Slice(address, length) => {
                self.rare(mapped(address), span);
                Operand::Slice(to, length)
            }
            Operand::Bytes(..) => value,
        }
    }

    fn within(&mut self, index: ExprId, length: ExprId, extent: Extent, span: Span) -> Operand {
        let (index, length) = (self.word(index, None), self.word(length, None));
        self.site(span, SiteKind::Within(extent));
        self.emit(Op::Within { index, length });
        Operand::Word(index)
    }

    fn field(&mut self, operand: ExprId, index: usize, want: Want) -> Operand {
        let outer = self.body.exprs[operand].ty;
        let field = match &self.program.types[outer] {
            Type::Tuple(fields) => fields[index],
            Type::Struct { fields, .. } => fields[index].ty,
            _ => outer,
        };
        let scratch = self.scratch;
        let Operand::Bytes(start, _) = self.value(operand, Want::Any) else {
            debug_assert!(false, "only tuples and structs have fields");
            return Operand::Word(0);
        };
        let offset = start + self.layout(outer).offsets[index];
        match &self.program.types[field] {
            Type::Slice { .. } => {
                let regs = [self.temporary(), self.temporary()];
                for (to, offset) in regs.into_iter().zip([offset, offset + 8]) {
                    let width = Width::Eight;
                    self.emit(Op::LoadScratch { to, offset, width });
                }
                self.scratch = scratch;
                Operand::Slice(regs[0], regs[1])
            }
            Type::Scalar(_) | Type::Atomic(_) | Type::Reference { .. } => {
                let (to, width) = (self.target(want), self.width(field));
                self.emit(Op::LoadScratch { to, offset, width });
                self.scratch = scratch;
                Operand::Word(to)
            }
            Type::Tuple(_) | Type::Struct { .. } | Type::Array { .. } => {
                Operand::Bytes(offset, self.layout(field).size)
            }
        }
    }

    /// The scalar type of an expression.
    fn scalar(&self, id: ExprId) -> Scalar {
        self.scalar_type(self.body.exprs[id].ty)
    }

    fn scalar_type(&self, ty: TypeId) -> Scalar {
        let scalar = self.program.types.as_scalar(ty);
        debug_assert!(scalar.is_some(), "an operation is on scalars");
        scalar.unwrap_or(Scalar::U64)
    }
}
