//! The types of a random program, and values of them.

use vyre_core::ir::{Field, Scalar, Type, TypeId, Types};

use super::Random;
use super::items::Maker;

/// No type of a value is larger, in bytes.
const LARGEST: u64 = 48;

impl Maker {
    /// Makes some aggregates, of scalars and of earlier ones.
    pub(super) fn types(&mut self, types: &mut Types) {
        for number in 0..2 + self.random.below(4) {
            let mut fields: Vec<_> = (0..1 + self.random.below(3)).map(|_| self.value_type(types)).collect();
            let ty = match self.random.below(4) {
                0 => {
                    fields.push(types.scalar(self.scalar()));
                    types.intern(Type::Tuple(fields))
                }
                1 => {
                    let name = self.name(&format!("S{number}"));
                    let fields = fields.into_iter().enumerate();
                    let fields = fields.map(|(number, ty)| Field {
                        name: format!("f{number}"),
                        ty,
                    });
                    let fields = fields.collect();
                    let align = [1, 1, 8, 16][self.random.below(4) as usize];
                    types.intern(Type::Struct { name, align, fields })
                }
                _ => types.array(fields[0], 1 + self.random.below(4)),
            };
            if types.layout(ty).size <= LARGEST && !self.aggregates.contains(&ty) {
                self.aggregates.push(ty);
            }
        }
    }

    pub(super) fn scalar(&mut self) -> Scalar {
        self.random.pick(&Scalar::ALL)
    }

    /// The type of a value.
    pub(super) fn value_type(&mut self, types: &Types) -> TypeId {
        if self.aggregates.is_empty() || self.random.below(3) > 0 {
            types.scalar(self.scalar())
        } else {
            self.random.pick(&self.aggregates)
        }
    }
}

/// True if a value of the type can be a parameter of a kernel.
pub(super) fn is_plain(types: &Types, ty: TypeId) -> bool {
    match &types[ty] {
        Type::Scalar(_) => true,
        Type::Tuple(fields) => fields.iter().all(|&field| is_plain(types, field)),
        Type::Struct { fields, .. } => fields.iter().all(|field| is_plain(types, field.ty)),
        Type::Array { element, .. } => is_plain(types, *element),
        _ => false,
    }
}

/// The types of the parts of an aggregate: its fields, or its elements.
pub(super) fn parts(types: &Types, ty: TypeId) -> Vec<TypeId> {
    match &types[ty] {
        Type::Tuple(fields) => fields.clone(),
        Type::Struct { fields, .. } => fields.iter().map(|field| field.ty).collect(),
        &Type::Array { element, length } => vec![element; length as usize],
        _ => Vec::new(),
    }
}

/// Appends a random value of a type, with zeros for padding.
pub(super) fn value_bytes(types: &Types, ty: TypeId, random: &mut Random, bytes: &mut Vec<u8>) {
    let layout = types.layout(ty);
    let start = bytes.len();
    match &types[ty] {
        Type::Scalar(scalar) => {
            let bits = random.constant(*scalar).bits.to_le_bytes();
            bytes.extend(&bits[..scalar.size() as usize]);
        }
        &Type::Atomic(scalar) => {
            for _ in 0..scalar.cell_size() / scalar.size() {
                value_bytes(types, types.scalar(scalar), random, bytes);
            }
        }
        _ => {
            for (number, part) in parts(types, ty).into_iter().enumerate() {
                // Elements follow each other without padding, which their sizes include.
                if let Some(&offset) = layout.offsets.get(number) {
                    bytes.resize(start + offset as usize, 0);
                }
                value_bytes(types, part, random, bytes);
            }
        }
    }
    bytes.resize(start + layout.size as usize, 0);
}
