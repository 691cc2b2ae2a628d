//! Values with too many words for scalar replacement: they stay in memory and are copied by loops.

use vyre_ir::ir::{Access, BinaryOp, ExprId, ExprKind, Mention, PlaceId, Scalar, Type, TypeId};

use super::Builder;
use super::place::Spot;
use crate::ssa::op::Op;
use crate::ssa::{Edge, Terminator, Ty, Value};

/// Copies of at most this many words are unrolled, larger ones are loops.
const UNROLLED: u64 = 16;

impl Builder<'_, '_> {
    /// Stores a bulky value.
    pub(super) fn store_bulky(&mut self, place: PlaceId, value: ExprId) {
        let ty = self.body().exprs[value].ty;
        // An expression that reads no memory is written directly to its destination; any other
        // might read the place that it overwrites, so it is completed in a temporary first.
        if self.reads_memory(value) {
            let source = self.bulky(value);
            if let Spot::Memory { address, offset } = self.spot(place) {
                self.storing = self.accesses().of_value(place, &self.body().places[place]);
                self.copy(address, offset, source, ty);
            }
        } else if let Spot::Memory { address, offset } = self.spot(place) {
            self.storing = self.accesses().of_value(place, &self.body().places[place]);
            self.write_bulky(address, offset, value);
        }
        self.storing = None;
    }

    /// The address of a bulky expression's value, valid for the rest of its statement.
    pub(super) fn bulky(&mut self, id: ExprId) -> Value {
        // It may be completed in a temporary first.
        let storing = self.storing.take();
        let address = self.bulky_address(id);
        self.storing = storing;
        address
    }

    fn bulky_address(&mut self, id: ExprId) -> Value {
        let body = self.body();
        let expr = &body.exprs[id];
        match expr.kind {
            ExprKind::Load(place) => {
                if let Spot::Memory { address, offset } = self.spot(place) {
                    return self.pointer(address, offset);
                }
            }
            ExprKind::Field { operand, index } => {
                let whole = self.bulky(operand);
                let offset = self.shapes.of(body.exprs[operand].ty).fields[index as usize].offset;
                return self.pointer(whole, offset);
            }
            ExprKind::Select {
                condition,
                then,
                otherwise,
            } => {
                let condition = self.scalar(condition);
                let (then_block, otherwise_block) = self.branch(condition);
                let mut arrivals = Vec::with_capacity(2);
                for (block, expr) in [(then_block, then), (otherwise_block, otherwise)] {
                    self.block = block;
                    let address = self.bulky(expr);
                    arrivals.push(self.arrive(vec![address]));
                }
                return self.join(arrivals)[0];
            }
            _ => {}
        }
        let shape = self.shapes.of(expr.ty);
        let address = self.add_object(shape.size, shape.align);
        self.write_bulky(address, 0, id);
        address
    }

    /// Writes a value of any size to memory that it does not read.
    fn write_bulky(&mut self, address: Value, offset: u64, id: ExprId) {
        let body = self.body();
        let ty = body.exprs[id].ty;
        let shape = self.shapes.of(ty);
        if !shape.bulky {
            let mut words = Vec::new();
            self.words(id, &mut words);
            return self.store_words(address, offset, ty, &words);
        }
        match &body.exprs[id].kind {
            ExprKind::Construct(parts) => {
                for (number, &part) in parts.iter().enumerate() {
                    let part_offset = match shape.fields.get(number) {
                        Some(field) if shape.length == 0 => field.offset,
                        _ => number as u64 * self.shapes.of(body.exprs[part].ty).size,
                    };
                    self.write_bulky(address, offset + part_offset, part);
                }
            }
            &ExprKind::Repeat(operand) => {
                let element = body.exprs[operand].ty;
                let element_shape = self.shapes.of(element);
                let base = self.pointer(address, offset);
                if element_shape.bulky {
                    let source = self.bulky(operand);
                    self.times(shape.length, &mut |this, index| {
                        let target = this.element_address(base, index, element_shape.size);
                        this.copy(target, 0, source, element);
                    });
                } else {
                    let mut words = Vec::new();
                    self.words(operand, &mut words);
                    self.times(shape.length, &mut |this, index| {
                        let target = this.element_address(base, index, element_shape.size);
                        this.store_words(target, 0, element, &words);
                    });
                }
            }
            _ => {
                let source = self.bulky(id);
                self.copy(address, offset, source, ty);
            }
        }
    }

    /// True if writing an expression part by part could overwrite memory that a later part reads.
    fn reads_memory(&self, id: ExprId) -> bool {
        let body = self.body();
        if let ExprKind::Repeat(operand) = body.exprs[id].kind {
            // The words of the element are complete before the first is stored.
            if !matches!(self.program.types[body.exprs[operand].ty], Type::Array { .. }) {
                return false;
            }
        }
        let mut reads = false;
        body.inside(Mention::Expr(id), &mut |mention| {
            if let Mention::Place(place, _) = mention {
                reads |= !self.is_variable(place);
            }
        });
        reads
    }

    /// Copies a value of type `ty` from one place in memory to another.
    pub(super) fn copy(&mut self, target: Value, offset: u64, source: Value, ty: TypeId) {
        let shape = self.shapes.of(ty);
        let (unit, scalar) = unit(shape.align);
        let target = self.pointer(target, offset);
        self.times(shape.size / unit, &mut |this, index| {
            let from = this.element_address(source, index, unit);
            let to = this.element_address(target, index, unit);
            let word = this.emit(
                Op::Load {
                    address: from,
                    offset: 0,
                    scalar,
                    constant: false,
                    in_bounds: false,
                    access: Access::Plain,
                },
                Ty::of(scalar),
            );
            this.effect(Op::Store {
                address: to,
                offset: 0,
                scalar,
                value: word,
                access: Access::Plain,
            });
        });
    }

    /// Fills a value of type `ty` with zero bits.
    pub(super) fn zero(&mut self, target: Value, ty: TypeId) {
        let shape = self.shapes.of(ty);
        let (unit, scalar) = unit(shape.align);
        let value = self.constant(Ty::of(scalar), 0);
        self.times(shape.size / unit, &mut |this, index| {
            let to = this.element_address(target, index, unit);
            this.effect(Op::Store {
                address: to,
                offset: 0,
                scalar,
                value,
                access: Access::Plain,
            });
        });
    }

    /// Builds `body` for each index from 0 to `count`, as a loop if there are many. The body
    /// assigns no variable.
    pub(super) fn times(&mut self, count: u64, body: &mut dyn FnMut(&mut Self, Value)) {
        if count <= UNROLLED {
            for index in 0..count {
                let index = self.constant(Ty::I64, index);
                body(self, index);
            }
            return;
        }
        let header = self.function.add_block();
        let index = self.function.add_parameter(header, Ty::I64, self.span);
        let zero = self.constant(Ty::I64, 0);
        self.jump_into(header, vec![zero]);
        let more = self.binary_with(BinaryOp::Lt, Scalar::U64, index, count);
        let (inside, exit) = self.branch(more);
        self.block = inside;
        body(self, index);
        let next = self.binary_with(BinaryOp::Add, Scalar::U64, index, 1);
        self.function.blocks[self.block].end = Terminator::Jump(Edge {
            block: header,
            arguments: vec![next],
        });
        self.block = exit;
    }
}

/// The widest word that an alignment allows.
fn unit(align: u64) -> (u64, Scalar) {
    match align {
        1 => (1, Scalar::U8),
        2 => (2, Scalar::U16),
        4 => (4, Scalar::U32),
        _ => (8, Scalar::U64),
    }
}
