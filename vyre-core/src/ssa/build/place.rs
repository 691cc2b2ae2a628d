//! Places: resolution, loads and stores.

use vyre_abi::fault::FaultKind;
use vyre_ir::ir::{
    Access, BinaryOp, ConstantTable, ExprId, ExprKind, Handle, PlaceBase, PlaceId, Program, Projection, Scalar, Type,
    TypeId,
};
use vyre_ir::validate::AccessId;

use super::Builder;
use super::shape::LeafKind;
use super::state::Home;
use crate::ssa::op::{Object, Op};
use crate::ssa::{Space, TableValues, Ty, Value};

/// The size of a module's constant memory, in bytes.
const CONST_BYTES: u64 = 65536;

/// The state space of a table: among the parameters if the launch passes its values, otherwise
/// constant memory, or global memory if the preceding tables leave too little room.
pub(crate) fn table_space(program: &Program, table: Handle<ConstantTable>) -> Space {
    if program.tables[table].host.is_some() {
        return Space::Param;
    }
    let mut taken = 0u64;
    for (handle, known) in program.tables.iter().filter(|(_, known)| known.host.is_none()) {
        let layout = program.types.layout(known.ty);
        let end = taken.next_multiple_of(layout.align.max(1)).saturating_add(layout.size);
        let fits = end <= CONST_BYTES;
        if handle == table {
            return if fits { Space::Const } else { Space::Global };
        }
        if fits {
            taken = end;
        }
    }
    Space::Global
}

/// A resolved place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spot {
    /// Consecutive variables, from this one on.
    Variables(u32),
    /// Memory at a constant offset from a pointer.
    Memory {
        /// The pointer.
        address: Value,
        /// Offset in bytes.
        offset: u64,
    },
}

/// A projection of a place by an index.
struct Step {
    place: PlaceId,
    /// Its number in the path of the place.
    number: usize,
    index: ExprId,
    access: Option<AccessId>,
}

impl Builder<'_, '_> {
    /// Resolves a place; evaluates and checks its indices in order.
    pub(super) fn spot(&mut self, id: PlaceId) -> Spot {
        let body = self.body();
        let place = &body.places[id];
        let (mut spot, mut ty) = match place.base {
            PlaceBase::Local(local) => {
                let spot = match self.frame.locals[local.index()] {
                    Home::Variables(first) => Spot::Variables(first),
                    Home::Memory(address) => Spot::Memory { address, offset: 0 },
                };
                (spot, body.locals[local].ty)
            }
            PlaceBase::Shared(shared) => {
                let address = self
                    .function
                    .root(Op::Address(Object::Shared(shared)), Ty::Pointer(Space::Shared));
                (Spot::Memory { address, offset: 0 }, self.program.shared[shared].ty)
            }
            PlaceBase::Table(table) => {
                let ty = self.program.tables[table].ty;
                let space = table_space(self.program, table);
                self.know_table(table);
                let address = self
                    .function
                    .root(Op::Address(Object::Table(table)), Ty::Pointer(space));
                (Spot::Memory { address, offset: 0 }, ty)
            }
        };
        let mut access = self.accesses().of_place(id);
        for (number, step) in place.path.iter().enumerate() {
            self.span = place.span;
            (spot, ty) = match *step {
                Projection::Field(index) => self.field_spot(spot, ty, index),
                Projection::Index { index, checked } => {
                    let this = access;
                    access = access.map(|access| Handle::new(access.index() + 1));
                    let step = Step {
                        place: id,
                        number,
                        index,
                        access: this,
                    };
                    self.element_spot(spot, ty, &step, checked)
                }
                Projection::Deref => self.pointee_spot(spot, ty),
            };
        }
        spot
    }

    /// Operations emitted until [`end_value`](Builder::end_value) belong to the access of the value
    /// at a place.
    pub(super) fn begin_value(&mut self, id: PlaceId) {
        let place = &self.body().places[id];
        // Hints change no value.
        self.access = match self.devices.admit(place.access.needs(false)) {
            true => place.access,
            false => Access::Plain,
        };
        self.accessing = self.accesses().of_value(id, place);
    }

    pub(super) fn end_value(&mut self) {
        self.access = Access::Plain;
        self.accessing = None;
    }

    fn field_spot(&mut self, spot: Spot, ty: TypeId, index: u32) -> (Spot, TypeId) {
        let shape = self.shapes.of(ty);
        let field = shape.fields[index as usize];
        let spot = match spot {
            Spot::Variables(first) => Spot::Variables(first + field.first),
            Spot::Memory { address, offset } => Spot::Memory {
                address,
                // The constant index may be past the end, in which case its check fails.
                offset: offset.wrapping_add(field.offset),
            },
        };
        (spot, field.ty)
    }

    fn pointee_spot(&mut self, spot: Spot, ty: TypeId) -> (Spot, TypeId) {
        let address = self.word(spot, 0, LeafKind::Pointer);
        let pointee = match self.program.types[ty] {
            Type::Reference { pointee, .. } => pointee,
            _ => ty,
        };
        (Spot::Memory { address, offset: 0 }, pointee)
    }

    fn element_spot(&mut self, spot: Spot, ty: TypeId, step: &Step, checked: bool) -> (Spot, TypeId) {
        let (address, offset, element, length) = match self.program.types[ty] {
            Type::Array { element, length } => {
                let length = self.constant(Ty::I64, length);
                match spot {
                    Spot::Variables(first) => {
                        let variable = self.element_variable(first, element, length, step);
                        return (variable, element);
                    }
                    Spot::Memory { address, offset } => (address, offset, element, length),
                }
            }
            Type::Slice { element, .. } => {
                let address = self.word(spot, 0, LeafKind::Pointer);
                let length = self.word(spot, 1, LeafKind::Scalar(Scalar::U64));
                (address, 0, element, length)
            }
            _ => return (spot, ty),
        };
        let index = self.scalar(step.index);
        if checked {
            self.check_index(index, length, step);
        }
        let size = self.shapes.of(element).size;
        if let Some(number) = self.function.as_constant(index) {
            let offset = offset.wrapping_add(number.wrapping_mul(size));
            return (Spot::Memory { address, offset }, element);
        }
        let address = self.element_address(address, index, size);
        (Spot::Memory { address, offset }, element)
    }

    /// The variable of an array element whose index is a constant.
    fn element_variable(&mut self, first: u32, element: TypeId, length: Value, step: &Step) -> Spot {
        let shape = self.shapes.of(element);
        let index = self.scalar(step.index);
        self.check_index(index, length, step);
        let number = self.function.as_constant(index).unwrap_or(0);
        let length = self.function.as_constant(length).unwrap_or(0);
        if length == 0 {
            // There is no variable, and the check has failed.
            let address = self.constant(Ty::Pointer(Space::Generic), 0);
            return Spot::Memory { address, offset: 0 };
        }
        // An index past the end never gets here: the check before it has failed.
        let number = number.min(length.saturating_sub(1)) as u32;
        Spot::Variables(first + number * shape.leaves.len() as u32)
    }

    fn check_index(&mut self, index: Value, length: Value, step: &Step) {
        let inside = match (self.function.as_constant(index), self.function.as_constant(length)) {
            (Some(index), Some(length)) => self.bool(index < length),
            _ => self.binary_op(BinaryOp::Lt, Scalar::U64, index, length),
        };
        let kind = FaultKind::IndexOutOfBounds;
        self.guard_place(step.access, inside, kind, (step.place, step.number), [index, length]);
    }

    /// The address of element `index`, a `u64`, of elements of `size` bytes.
    pub(super) fn element_address(&mut self, base: Value, index: Value, size: u64) -> Value {
        let ty = self.function.ty(base);
        let (scalar, index) = match ty.word() {
            // An object in a small memory is smaller than 4 GiB, so 32 bits of the index suffice.
            Ty::I32 => (Scalar::U32, self.convert(Scalar::U64, Scalar::U32, index)),
            _ => (Scalar::U64, index),
        };
        let bytes = self.binary_with(BinaryOp::Mul, scalar, index, size);
        self.emit(Op::Offset { base, bytes }, ty)
    }

    /// A pointer to a spot in memory.
    pub(super) fn pointer(&mut self, address: Value, offset: u64) -> Value {
        if offset == 0 {
            return address;
        }
        let ty = self.function.ty(address);
        let bytes = self.constant(ty.word(), offset);
        self.emit(Op::Offset { base: address, bytes }, ty)
    }

    /// Splits an offset into the immediate of an access and the part to be added before.
    fn split_offset(&mut self, address: Value, offset: u64) -> (Value, i32) {
        match i32::try_from(offset) {
            Ok(offset) => (address, offset),
            Err(_) => (self.pointer(address, offset), 0),
        }
    }

    /// Reads a word of the value at a spot: word `number`, at byte `8 * number` of a slice or
    /// reference.
    pub(super) fn word(&mut self, spot: Spot, number: u32, kind: LeafKind) -> Value {
        match spot {
            Spot::Variables(first) => self.state.get((first + number) as usize),
            Spot::Memory { address, offset } => {
                self.load_leaf(address, offset.wrapping_add(8 * u64::from(number)), kind)
            }
        }
    }

    /// Reads the words of the value of type `ty` at a spot.
    pub(super) fn read(&mut self, spot: Spot, ty: TypeId, words: &mut Vec<Value>) {
        let shape = self.shapes.of(ty);
        match spot {
            Spot::Variables(first) => {
                let first = first as usize;
                words.extend((first..first + shape.leaves.len()).map(|variable| self.state.get(variable)));
            }
            Spot::Memory { address, offset } => {
                for leaf in &shape.leaves {
                    let word = self.load_leaf(address, offset.wrapping_add(leaf.offset), leaf.kind);
                    words.push(word);
                }
            }
        }
    }

    fn load_leaf(&mut self, address: Value, offset: u64, kind: LeafKind) -> Value {
        let (address, offset) = self.split_offset(address, offset);
        let (scalar, ty) = match kind {
            // Pointers in memory are generic, because a load cannot tell their space.
            LeafKind::Pointer => (Scalar::U64, Ty::Pointer(Space::Generic)),
            LeafKind::Scalar(Scalar::Bool) => (Scalar::U8, Ty::I32),
            LeafKind::Scalar(scalar) => (scalar, Ty::of(scalar)),
        };
        let access = self.access;
        let constant = matches!(self.function.ty(address), Ty::Pointer(Space::Const | Space::Param));
        let word = self.emit(
            Op::Load {
                address,
                offset,
                scalar,
                constant,
                in_bounds: false,
                access,
            },
            ty,
        );
        match kind {
            LeafKind::Scalar(Scalar::Bool) => self.binary_with(BinaryOp::Ne, Scalar::U32, word, 0),
            _ => word,
        }
    }

    /// Writes the words of a value of type `ty` to memory.
    pub(super) fn store_words(&mut self, address: Value, offset: u64, ty: TypeId, words: &[Value]) {
        let shape = self.shapes.of(ty);
        for (leaf, &word) in shape.leaves.iter().zip(words) {
            let (address, offset) = self.split_offset(address, offset.wrapping_add(leaf.offset));
            let (scalar, value) = match leaf.kind {
                LeafKind::Pointer => (Scalar::U64, self.generic(word)),
                LeafKind::Scalar(Scalar::Bool) => {
                    let (one, zero) = (self.constant(Ty::I32, 1), self.constant(Ty::I32, 0));
                    (Scalar::U8, self.select(word, one, zero))
                }
                LeafKind::Scalar(scalar) => (scalar, word),
            };
            self.effect(Op::Store {
                address,
                offset,
                scalar,
                value,
                access: self.access,
            });
        }
    }

    /// Gives the function the contents of a table.
    fn know_table(&mut self, table: Handle<ConstantTable>) {
        let definition = &self.program.tables[table];
        if definition.host.is_none()
            && self.function.tables.iter().all(|known| known.table != table)
            && let Some(scalar) = definition.scalar(&self.program.types)
        {
            let values = definition.values.clone();
            self.function.tables.push(TableValues { table, scalar, values });
        }
    }

    pub(super) fn generic(&mut self, pointer: Value) -> Value {
        let ty = Ty::Pointer(Space::Generic);
        if self.function.ty(pointer) == ty {
            return pointer;
        }
        if let Some(bits) = self.function.as_constant(pointer) {
            return self.constant(ty, bits);
        }
        self.emit(Op::ToGeneric(pointer), ty)
    }

    /// True if a place is a local, or part of one, that lives in variables and can be read without
    /// a fault.
    pub(super) fn is_variable(&self, place: PlaceId) -> bool {
        let body = self.body();
        let place = &body.places[place];
        let PlaceBase::Local(local) = place.base else {
            return false;
        };
        let types = &self.program.types;
        let mut ty = body.locals[local].ty;
        let mut within = true;
        for step in &place.path {
            ty = match (step, &types[ty]) {
                (Projection::Field(index), Type::Tuple(fields)) => fields[*index as usize],
                (Projection::Field(index), Type::Struct { fields, .. }) => fields[*index as usize].ty,
                (Projection::Index { index, checked }, Type::Array { element, length }) => {
                    within &= match body.exprs[*index].kind {
                        ExprKind::Constant(index) => index.bits < *length,
                        _ => !checked,
                    };
                    *element
                }
                _ => return false,
            };
        }
        within && matches!(self.frame.locals[local.index()], Home::Variables(_))
    }
}
