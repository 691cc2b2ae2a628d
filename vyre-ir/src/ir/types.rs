//! Types: scalars, aggregates, references and slices, interned; and their layout in memory.

use std::collections::HashMap;

use vyre_abi::scalar::Scalar;

use super::BinaryOp;
use super::handle::{Arena, Handle};

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Field {
    /// The name in the source.
    pub name: String,
    /// The type of its values.
    pub ty: TypeId,
}

/// A type. Equal types have equal [`TypeId`]s, because [`Types`] interns them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Type {
    /// A scalar.
    Scalar(Scalar),
    /// A tuple; the empty one is the unit type.
    Tuple(Vec<TypeId>),
    /// A struct with the layout of C (`repr(C)`). Two structs are equal when name, alignment and fields are.
    Struct {
        /// The name in the source.
        name: String,
        /// Its alignment in bytes if that is more than its fields need (`repr(align(16))`), else 1. A power of two, at
        /// most [`SHARED_ALIGN`](super::SHARED_ALIGN).
        #[cfg_attr(feature = "serde", serde(default = "natural"))]
        align: u64,
        /// The fields in order of declaration.
        fields: Vec<Field>,
    },
    /// `[element; length]`.
    Array {
        /// Type of the elements.
        element: TypeId,
        /// Number of elements.
        length: u64,
    },
    /// A cell that only atomic statements access: `AtomicU32` and so on, and `AtomicF32`. Exists
    /// only in memory, as an element of a slice or of shared memory. For `f16` and `bf16` a cell
    /// holds two, and its values are arrays of two. The 32-bit word around a smaller cell is always
    /// allocated in full.
    Atomic(Scalar),
    /// `&T` or `&mut T`: the address of a value of `pointee`, in any memory.
    Reference {
        /// The type of the target.
        pointee: TypeId,
        /// True if it may be written.
        mutable: bool,
    },
    /// `&[T]` or `&mut [T]`: the address of the first element, and the number of elements. As a
    /// parameter of a kernel two 64-bit words, address and length.
    Slice {
        /// Type of the elements.
        element: TypeId,
        /// True if the elements may be written (`&mut [T]`). Atomic cells are written through
        /// either.
        mutable: bool,
    },
}

/// The alignment of a struct that asks for none.
#[cfg(feature = "serde")]
fn natural() -> u64 {
    1
}

/// The handle of a [`Type`] in [`Types`].
pub type TypeId = Handle<Type>;

/// The interned types of a program.
///
/// The scalars and the unit type are always present, at fixed handles.
#[derive(Clone)]
pub struct Types {
    arena: Arena<Type>,
    known: HashMap<Type, TypeId>,
}

impl Types {
    /// The scalars and the unit type.
    pub fn new() -> Self {
        let mut types = Types {
            arena: Arena::new(),
            known: HashMap::new(),
        };
        for scalar in Scalar::ALL {
            types.intern(Type::Scalar(scalar));
        }
        types.intern(Type::Tuple(Vec::new()));
        types
    }

    /// Number of types that are always present, at the first handles.
    pub const FIXED: usize = Scalar::ALL.len() + 1;

    /// The handle of `ty`, or `None` if the program has no such type.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.known.get(ty).copied()
    }

    /// The handle of `ty`, interned if new.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let handle = self.arena.push(ty.clone());
        self.known.insert(ty, handle);
        handle
    }

    /// The handle of a scalar type.
    pub fn scalar(&self, scalar: Scalar) -> TypeId {
        Handle::new(scalar as usize)
    }

    /// The handle of the unit type `()`.
    pub fn unit(&self) -> TypeId {
        Handle::new(Scalar::ALL.len())
    }

    /// The handle of `[element; length]`.
    pub fn array(&mut self, element: TypeId, length: u64) -> TypeId {
        self.intern(Type::Array { element, length })
    }

    /// True for atomic cells that are smaller than a word, and for what holds them.
    pub fn is_small_atomic(&self, ty: TypeId) -> bool {
        match &self.arena[ty] {
            Type::Atomic(scalar) => scalar.cell_size() < 4,
            Type::Array { element, .. } | Type::Slice { element, .. } => self.is_small_atomic(*element),
            Type::Struct { fields, .. } => fields.iter().any(|field| self.is_small_atomic(field.ty)),
            _ => false,
        }
    }

    /// True if values of a type have atomic cells, which other threads may change.
    pub fn has_atomics(&self, ty: TypeId) -> bool {
        match &self.arena[ty] {
            Type::Atomic(_) => true,
            Type::Tuple(fields) => fields.iter().any(|&field| self.has_atomics(field)),
            Type::Struct { fields, .. } => fields.iter().any(|field| self.has_atomics(field.ty)),
            Type::Array { element, .. } => self.has_atomics(*element),
            Type::Scalar(_) | Type::Reference { .. } | Type::Slice { .. } => false,
        }
    }

    /// The type of the values of an atomic cell.
    pub fn cell_value(&mut self, scalar: Scalar) -> TypeId {
        let one = self.scalar(scalar);
        if scalar.is_half() { self.array(one, 2) } else { one }
    }

    /// The handle of `&[element]` or `&mut [element]`.
    pub fn slice(&mut self, element: TypeId, mutable: bool) -> TypeId {
        self.intern(Type::Slice { element, mutable })
    }

    /// The handle of `&pointee` or `&mut pointee`.
    pub fn reference(&mut self, pointee: TypeId, mutable: bool) -> TypeId {
        self.intern(Type::Reference { pointee, mutable })
    }

    /// The operation and its right operand that make the length of a slice of type `to` from that of one of type
    /// `from` in the same memory, one of which is of arrays of the other's elements; `None` for other types.
    pub fn regrouped(&self, from: TypeId, to: TypeId) -> Option<(BinaryOp, u64)> {
        let (&Type::Slice { element: from, .. }, &Type::Slice { element: to, .. }) = (self.get(from)?, self.get(to)?)
        else {
            return None;
        };
        match (self.get(from)?, self.get(to)?) {
            (
                _,
                &Type::Array {
                    element,
                    length: length @ 1..,
                },
            ) if element == from => Some((BinaryOp::Div, length)),
            (
                &Type::Array {
                    element,
                    length: length @ 1..,
                },
                _,
            ) if element == to => Some((BinaryOp::Mul, length)),
            _ => None,
        }
    }

    /// The scalar that `ty` is, or `None`.
    pub fn as_scalar(&self, ty: TypeId) -> Option<Scalar> {
        match self.arena[ty] {
            Type::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The type of `id`, or `None` if the handle is not of this program.
    pub fn get(&self, id: TypeId) -> Option<&Type> {
        self.arena.get(id)
    }

    /// All types with their handles; a type follows those that it refers to.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (TypeId, &Type)> + ExactSizeIterator {
        self.arena.iter()
    }

    /// Size, alignment and (for structs and tuples) the offsets of the fields, in bytes, by the
    /// rules of C: each field at the next multiple of its alignment, the whole rounded up to the
    /// largest one, or to the alignment that a struct asks for. References take 8 bytes, slices 16; neither may be in buffers.
    pub fn layout(&self, ty: TypeId) -> Layout {
        match &self.arena[ty] {
            Type::Scalar(scalar) => Layout::flat(u64::from(scalar.size()), u64::from(scalar.size())),
            Type::Atomic(scalar) => Layout::flat(u64::from(scalar.cell_size()), u64::from(scalar.cell_size())),
            Type::Tuple(fields) => self.sequence(1, fields.iter().copied()),
            Type::Struct { fields, align, .. } => self.sequence(*align, fields.iter().map(|field| field.ty)),
            Type::Array { element, length } => {
                let element = self.layout(*element);
                Layout::flat(element.size.saturating_mul(*length), element.align)
            }
            Type::Reference { .. } => Layout::flat(8, 8),
            Type::Slice { .. } => Layout::flat(16, 8),
        }
    }

    fn sequence(&self, align: u64, fields: impl Iterator<Item = TypeId>) -> Layout {
        let mut layout = Layout::flat(0, align.max(1));
        for field in fields {
            let field = self.layout(field);
            let offset = aligned(layout.size, field.align);
            layout.offsets.push(offset);
            layout.size = offset.saturating_add(field.size);
            layout.align = layout.align.max(field.align);
        }
        layout.size = aligned(layout.size, layout.align);
        layout
    }
}

/// Rounds up to a multiple of `align`, saturating.
fn aligned(size: u64, align: u64) -> u64 {
    size.checked_next_multiple_of(align).unwrap_or(u64::MAX)
}

impl Default for Types {
    fn default() -> Self {
        Types::new()
    }
}
impl std::ops::Index<TypeId> for Types {
    type Output = Type;
    fn index(&self, id: TypeId) -> &Type {
        &self.arena[id]
    }
}
impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        self.arena == other.arena
    }
}
impl Eq for Types {}
impl std::fmt::Debug for Types {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.arena.fmt(f)
    }
}

/// The memory layout of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes, a multiple of `align`.
    pub size: u64,
    /// Alignment in bytes, a power of two.
    pub align: u64,
    /// The offset of each field of a struct or tuple, in bytes; empty for other types.
    pub offsets: Vec<u64>,
}

impl Layout {
    fn flat(size: u64, align: u64) -> Self {
        Layout {
            size,
            align,
            offsets: Vec::new(),
        }
    }
}

/// Serialised as the list of types only.
#[cfg(feature = "serde")]
mod serialised {
    use super::{Arena, Type, Types};

    impl serde::Serialize for Types {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.arena.serialize(serializer)
        }
    }

    impl<'de> serde::Deserialize<'de> for Types {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let arena = Arena::<Type>::deserialize(deserializer)?;
            // Handles of the fixed types are known without a lookup, and equal types have equal
            // handles; a list that violates this must not become a `Types`.
            let mut types = Types::new();
            for (id, ty) in arena.iter() {
                if types.intern(ty.clone()) != id {
                    return Err(serde::de::Error::custom(format!(
                        "type {id:?} is out of place or repeated"
                    )));
                }
            }
            if arena.len() < Types::FIXED {
                return Err(serde::de::Error::custom(
                    "the list of types lacks the scalars and the unit type",
                ));
            }
            Ok(types)
        }
    }
}
