//! Scalar replacement: decomposition of the IR's types into words.

use std::rc::Rc;

use vyre_ir::ir::{Scalar, Type, TypeId, Types};

use crate::ssa::{Space, Ty};

/// Values with more words than this are kept in memory.
const MAX_LEAVES: u64 = 64;

/// The representation of a [`TypeId`] in the graph.
#[derive(Debug)]
pub(super) struct Shape {
    /// Size in memory, in bytes.
    pub(super) size: u64,
    /// Alignment in memory, in bytes.
    pub(super) align: u64,
    /// The words of a value, in memory order; empty if `bulky`.
    pub(super) leaves: Vec<Leaf>,
    /// True if a value has too many words to be decomposed.
    pub(super) bulky: bool,
    /// The fields of a struct or tuple; for an array its first element.
    pub(super) fields: Vec<FieldShape>,
    /// Elements of an array, else 0.
    pub(super) length: u64,
}

/// A word of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// Offset in memory, in bytes.
    pub(super) offset: u64,
    /// The kind.
    pub(super) kind: LeafKind,
}

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafKind {
    /// A scalar; the length of a slice is a `u64`.
    Scalar(Scalar),
    /// A reference, or the address of a slice.
    Pointer,
}

/// A field of a struct or tuple.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldShape {
    /// Its type.
    pub(super) ty: TypeId,
    /// Its offset in memory, in bytes.
    pub(super) offset: u64,
    /// Index of its first word.
    pub(super) first: u32,
}

impl LeafKind {
    /// The register type of an uninitialised word.
    pub(super) fn ty(self) -> Ty {
        match self {
            LeafKind::Scalar(scalar) => Ty::of(scalar),
            LeafKind::Pointer => Ty::Pointer(Space::Global),
        }
    }
}

/// The shapes of a program's types, each computed once.
#[derive(Debug)]
pub(super) struct Shapes<'p> {
    types: &'p Types,
    known: Vec<Option<Rc<Shape>>>,
}

impl<'p> Shapes<'p> {
    /// Shapes of these types.
    pub(super) fn new(types: &'p Types) -> Self {
        Shapes {
            types,
            known: Vec::new(),
        }
    }

    /// The shape of a type.
    pub(super) fn of(&mut self, ty: TypeId) -> Rc<Shape> {
        if self.known.len() <= ty.index() {
            self.known.resize(ty.index() + 1, None);
        }
        if let Some(shape) = &self.known[ty.index()] {
            return shape.clone();
        }
        let shape = Rc::new(self.compute(ty));
        self.known[ty.index()] = Some(shape.clone());
        shape
    }

    fn compute(&mut self, ty: TypeId) -> Shape {
        match &self.types[ty] {
            Type::Scalar(scalar) => {
                let size = u64::from(scalar.size());
                Shape::words(size, size, &[(0, LeafKind::Scalar(*scalar))])
            }
            Type::Atomic(scalar) => {
                let size = u64::from(scalar.cell_size());
                Shape::words(size, size, &[(0, LeafKind::Scalar(*scalar))])
            }
            Type::Reference { .. } => Shape::words(8, 8, &[(0, LeafKind::Pointer)]),
            Type::Slice { .. } => Shape::words(16, 8, &[(0, LeafKind::Pointer), (8, LeafKind::Scalar(Scalar::U64))]),
            Type::Tuple(fields) => self.sequence(ty, fields.iter().copied()),
            Type::Struct { fields, .. } => self.sequence(ty, fields.iter().map(|field| field.ty)),
            &Type::Array { element, length } => self.array(element, length),
        }
    }

    fn sequence(&mut self, ty: TypeId, fields: impl Iterator<Item = TypeId>) -> Shape {
        let layout = self.types.layout(ty);
        let mut shape = Shape::words(layout.size, layout.align, &[]);
        for (field, offset) in fields.zip(layout.offsets) {
            let inner = self.of(field);
            shape.fields.push(FieldShape {
                ty: field,
                offset,
                first: shape.leaves.len() as u32,
            });
            shape.bulky |= inner.bulky;
            shape.leaves.extend(inner.leaves.iter().map(|leaf| Leaf {
                offset: leaf.offset + offset,
                kind: leaf.kind,
            }));
        }
        shape.limit();
        shape
    }

    fn array(&mut self, element: TypeId, length: u64) -> Shape {
        let inner = self.of(element);
        let mut shape = Shape::words(inner.size.saturating_mul(length), inner.align, &[]);
        shape.length = length;
        shape.fields.push(FieldShape {
            ty: element,
            offset: 0,
            first: 0,
        });
        shape.bulky = inner.bulky || length.saturating_mul(inner.leaves.len() as u64) > MAX_LEAVES;
        if !shape.bulky {
            for number in 0..length {
                shape.leaves.extend(inner.leaves.iter().map(|leaf| Leaf {
                    offset: leaf.offset + number * inner.size,
                    kind: leaf.kind,
                }));
            }
        }
        shape
    }
}

impl Shape {
    fn words(size: u64, align: u64, leaves: &[(u64, LeafKind)]) -> Shape {
        Shape {
            size,
            align,
            leaves: leaves.iter().map(|&(offset, kind)| Leaf { offset, kind }).collect(),
            bulky: false,
            fields: Vec::new(),
            length: 0,
        }
    }

    fn limit(&mut self) {
        self.bulky |= self.leaves.len() as u64 > MAX_LEAVES;
        if self.bulky {
            self.leaves.clear();
        }
    }
}
