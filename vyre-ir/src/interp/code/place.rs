//! Places: instructions for their addresses and contents.

use super::Home;
use super::compile::Compiler;
use super::expr::Want;
use super::op::{Op, Operand, Rare, Reg, SiteKind, UNRECORDED};
use crate::interp::memory::{Memory, Width};
use crate::ir::{ExprId, ExprKind, PlaceBase, PlaceId, Projection, Span, Type, TypeId};

/// Where the contents of a place are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spot {
    /// A local in a register.
    Word(Reg),
    /// A slice in registers.
    Slice(Reg, Reg),
    /// Bytes of the frame, from here on.
    Private(u64),
    /// Bytes at an address, so many bytes further on.
    At(Reg, u64),
}

/// The elements of a place, and their type.
enum Elements {
    Array(Spot, u64, TypeId),
    /// The address of the first one, and the length.
    Slice(Reg, Reg, TypeId),
}

impl Compiler<'_, '_> {
    /// The path of a place: the contents at its end, and their type.
    pub(super) fn place(&mut self, id: PlaceId) -> (Spot, TypeId) {
        let body = self.body;
        let place = &body.places[id];
        let (mut spot, mut ty) = self.base(place.base);
        for (number, step) in place.path.iter().enumerate() {
            (spot, ty) = match step {
                Projection::Field(field) => self.field_of(spot, ty, *field as usize),
                Projection::Index { index, checked } => {
                    let kind = SiteKind::Index(id, number, *checked);
                    self.element((spot, ty), *index, kind, place.span)
                }
                Projection::Deref => self.deref(spot, ty, place.span),
            };
        }
        (spot, ty)
    }

    fn base(&mut self, base: PlaceBase) -> (Spot, TypeId) {
        match base {
            PlaceBase::Local(local) => {
                let spot = match self.homes[local.index()] {
                    Home::Word(reg) => Spot::Word(reg),
                    Home::Slice(reg) => Spot::Slice(reg, reg + 1),
                    Home::Memory(offset) => Spot::Private(offset),
                };
                (spot, self.body.locals[local].ty)
            }
            PlaceBase::Shared(variable) => {
                let to = self.temporary();
                let offset = self.memory.shared[variable.index()];
                self.emit(Op::Shared { to, offset });
                (Spot::At(to, 0), self.program.shared[variable].ty)
            }
            PlaceBase::Table(table) => {
                let to = self.temporary();
                let bits = Memory::table(table.index()).to_bits();
                self.emit(Op::Constant { to, bits });
                (Spot::At(to, 0), self.program.tables[table].ty)
            }
        }
    }

    fn field_of(&mut self, spot: Spot, ty: TypeId, field: usize) -> (Spot, TypeId) {
        let inner = match &self.program.types[ty] {
            Type::Tuple(fields) => fields[field],
            Type::Struct { fields, .. } => fields[field].ty,
            _ => {
                debug_assert!(false, "only tuples and structs have fields");
                return (spot, ty);
            }
        };
        (shifted(spot, self.layout(ty).offsets[field]), inner)
    }

    fn element(&mut self, (spot, ty): (Spot, TypeId), index: ExprId, kind: SiteKind, span: Span) -> (Spot, TypeId) {
        let known = match &self.body.exprs[index].kind {
            ExprKind::Constant(constant) => Some(constant.bits),
            _ => None,
        };
        let index = self.word(index, None);
        let elements = self.elements((spot, ty), span);
        let (Elements::Array(.., element) | Elements::Slice(.., element)) = elements;
        let size = self.layout(element).size;
        if let (Elements::Array(spot, length, _), Some(known)) = (&elements, known)
            && known < *length
        {
            return (shifted(*spot, known.saturating_mul(size)), element);
        }
        let to = self.temporary();
        let op = match elements {
            Elements::Array(spot, length, _) => Op::ArrayElement {
                to,
                start: self.address(spot),
                index,
                length,
                size,
            },
            Elements::Slice(start, length, _) => Op::Element {
                to,
                start,
                length,
                index,
                size,
            },
        };
        self.site(span, kind);
        self.emit(op);
        (Spot::At(to, 0), element)
    }

    fn deref(&mut self, spot: Spot, ty: TypeId, span: Span) -> (Spot, TypeId) {
        let pointee = match self.program.types[ty] {
            Type::Reference { pointee, .. } => pointee,
            _ => {
                debug_assert!(false, "only references lead to another place");
                return (spot, ty);
            }
        };
        let at = self.load_word(spot, Width::Eight, UNRECORDED, Want::Any, span);
        (Spot::At(at, 0), pointee)
    }

    /// The elements of the array or slice at a spot.
    fn elements(&mut self, (spot, ty): (Spot, TypeId), span: Span) -> Elements {
        match self.program.types[ty] {
            Type::Array { element, length } => Elements::Array(spot, length, element),
            Type::Slice { element, .. } => {
                let (start, length) = self.load_slice(spot, UNRECORDED, span);
                Elements::Slice(start, length, element)
            }
            _ => {
                debug_assert!(false, "only arrays and slices have elements");
                Elements::Array(spot, 0, ty)
            }
        }
    }

    /// The first element, the number of elements and their type, of the array or slice at a spot, in registers.
    pub(super) fn as_slice(&mut self, spot: (Spot, TypeId), span: Span) -> ([Reg; 2], TypeId) {
        match self.elements(spot, span) {
            Elements::Slice(start, length, element) => ([start, length], element),
            Elements::Array(spot, bits, element) => {
                let start = self.address(spot);
                let to = self.temporary();
                self.emit(Op::Constant { to, bits });
                ([start, to], element)
            }
        }
    }

    /// The address of a spot in memory.
    pub(super) fn address(&mut self, spot: Spot) -> Reg {
        match spot {
            Spot::At(at, 0) => at,
            Spot::At(start, bytes) => {
                let to = self.temporary();
                self.emit(Op::Advance { to, start, bytes });
                to
            }
            Spot::Private(offset) => {
                let to = self.temporary();
                self.emit(Op::Private { to, offset });
                to
            }
            Spot::Word(reg) | Spot::Slice(reg, _) => {
                debug_assert!(false, "a local whose address is taken is in memory");
                reg
            }
        }
    }

    /// The contents of a place.
    pub(super) fn load(&mut self, id: PlaceId, want: Want) -> Operand {
        let (spot, ty) = self.place(id);
        let place = &self.body.places[id];
        let span = place.span;
        let recorded = id.index() as u32;
        match &self.program.types[ty] {
            Type::Scalar(scalar) | Type::Atomic(scalar) => {
                Operand::Word(self.load_word(spot, Width::of(*scalar), recorded, want, span))
            }
            Type::Reference { .. } => Operand::Word(self.load_word(spot, Width::Eight, recorded, want, span)),
            Type::Slice { .. } => {
                let (start, length) = self.load_slice(spot, recorded, span);
                Operand::Slice(start, length)
            }
            Type::Tuple(_) | Type::Struct { .. } | Type::Array { .. } => {
                let size = self.layout(ty).size;
                let from = self.address(spot);
                let to = self.scratch_for(want, size);
                let load = Rare::Load {
                    to,
                    from,
                    size,
                    place: id,
                    ty,
                };
                self.rare(load, span);
                Operand::Bytes(to, size)
            }
        }
    }

    /// Reads a word. Locals in memory are recorded at their indices alone.
    fn load_word(&mut self, spot: Spot, width: Width, place: u32, want: Want, span: Span) -> Reg {
        if let Spot::Word(reg) = spot {
            return reg;
        }
        let to = self.target(want);
        match spot {
            Spot::Private(offset) => self.emit(Op::LoadLocal {
                to,
                offset,
                width,
                place,
            }),
            Spot::At(at, 0) if self.load_element(at, to, width, place) => {}
            Spot::At(at, plus) => {
                self.site(span, SiteKind::Other);
                self.emit(Op::Load {
                    to,
                    at,
                    plus,
                    width,
                    place,
                });
            }
            Spot::Word(_) | Spot::Slice(..) => debug_assert!(false, "a slice is two words"),
        }
        to
    }

    /// Makes a load of the instruction that computes the address of an element, if it is the last one; true if it is.
    fn load_element(&mut self, at: Reg, to: Reg, width: Width, place: u32) -> bool {
        let is_one = |address: Reg, size: u64| address == at && size == width.size();
        let load = match self.ops.last() {
            Some(&Op::Element {
                to: address,
                start,
                length,
                index,
                size,
            }) if is_one(address, size) => Op::LoadElement {
                to,
                start,
                length,
                index,
                width,
                place,
            },
            Some(&Op::ArrayElement {
                to: address,
                start,
                index,
                length,
                size,
            }) if is_one(address, size) => Op::LoadArrayElement {
                to,
                start,
                index,
                length,
                width,
                place,
            },
            _ => return false,
        };
        self.ops.pop();
        self.emit(load);
        true
    }

    fn load_slice(&mut self, spot: Spot, place: u32, span: Span) -> (Reg, Reg) {
        if let Spot::Slice(start, length) = spot {
            return (start, length);
        }
        let start = self.load_word(spot, Width::Eight, place, Want::Any, span);
        let length = self.load_word(shifted(spot, 8), Width::Eight, UNRECORDED, Want::Any, span);
        (start, length)
    }

    /// Assigns the value of an expression to a place.
    pub(super) fn assign(&mut self, id: PlaceId, value: ExprId, span: Span) {
        if let Some(local) = self.body.places[id].whole_local() {
            match self.homes[local.index()] {
                Home::Word(to) => {
                    let from = self.word(value, Some(to));
                    if from != to {
                        self.emit(Op::Move { to, from });
                    }
                    return;
                }
                Home::Slice(to) => {
                    if let Operand::Slice(start, length) = self.value(value, Want::Any) {
                        self.emit(Op::Move { to, from: start });
                        self.emit(Op::Move {
                            to: to + 1,
                            from: length,
                        });
                    }
                    return;
                }
                Home::Memory(_) => {}
            }
        }
        let value = self.value(value, Want::Any);
        let (spot, ty) = self.place(id);
        self.store(value, (spot, ty), id, span);
    }

    /// Writes a value to a spot.
    fn store(&mut self, value: Operand, (spot, ty): (Spot, TypeId), id: PlaceId, span: Span) {
        let recorded = id.index() as u32;
        match value {
            Operand::Word(from) => {
                let width = self.width(ty);
                self.store_word(from, spot, width, recorded, span);
            }
            Operand::Slice(start, length) => {
                self.store_word(start, spot, Width::Eight, recorded, span);
                self.store_word(length, shifted(spot, 8), Width::Eight, UNRECORDED, span);
            }
            Operand::Bytes(from, size) => {
                let to = self.address(spot);
                let store = Rare::Store {
                    from,
                    to,
                    size,
                    place: id,
                };
                self.rare(store, span);
            }
        }
    }

    fn store_word(&mut self, from: Reg, spot: Spot, width: Width, place: u32, span: Span) {
        match spot {
            Spot::Word(to) | Spot::Slice(to, _) => self.emit(Op::Move { to, from }),
            Spot::Private(offset) => self.emit(Op::StoreLocal { from, offset, width }),
            Spot::At(at, plus) => {
                self.site(span, SiteKind::Other);
                self.emit(Op::Store {
                    from,
                    at,
                    plus,
                    width,
                    place,
                });
            }
        }
    }

    /// The width of a word of a type.
    pub(super) fn width(&self, ty: TypeId) -> Width {
        match &self.program.types[ty] {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Width::of(*scalar),
            _ => Width::Eight,
        }
    }
}

/// The spot so many bytes further on.
fn shifted(spot: Spot, bytes: u64) -> Spot {
    match spot {
        Spot::Private(offset) => Spot::Private(offset.saturating_add(bytes)),
        Spot::At(at, plus) => Spot::At(at, plus.saturating_add(bytes)),
        other => other,
    }
}
