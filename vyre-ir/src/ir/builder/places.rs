//! Places under construction, and loads from them.

use super::BodyBuilder;
use crate::ir::expr::{ExprId, ExprKind, Place, PlaceBase, PlaceId, Projection};
use crate::ir::handle::Handle;
use crate::ir::program::{ConstantTable, Local, SharedVariable};
use crate::ir::types::{Type, TypeId};
use crate::ir::{Access, Scalar};

/// The base of a place and its projections so far: a [`Place`] under construction.
#[derive(Clone, Debug)]
pub struct Path {
    base: PlaceBase,
    steps: Vec<Projection>,
    ty: TypeId,
    access: Access,
}

impl Path {
    /// The same place with this cache operator.
    pub fn with(self, access: Access) -> Path {
        Path { access, ..self }
    }
}

impl BodyBuilder<'_> {
    /// The place of a local.
    pub fn local_place(&self, local: Handle<Local>) -> Path {
        Path {
            base: PlaceBase::Local(local),
            steps: Vec::new(),
            ty: self.body.locals[local].ty,
            access: Access::Plain,
        }
    }

    /// The place of a shared variable.
    pub fn shared_place(&self, shared: Handle<SharedVariable>) -> Path {
        let ty = self.shared.get(shared).map_or(self.types.unit(), |shared| shared.ty);
        Path {
            base: PlaceBase::Shared(shared),
            steps: Vec::new(),
            ty,
            access: Access::Plain,
        }
    }

    /// The place of a table.
    pub fn table_place(&self, table: Handle<ConstantTable>) -> Path {
        let ty = self.tables.get(table).map_or(self.types.unit(), |table| table.ty);
        Path {
            base: PlaceBase::Table(table),
            steps: Vec::new(),
            ty,
            access: Access::Plain,
        }
    }

    /// A checked element of an array or slice.
    pub fn index(&mut self, path: Path, index: ExprId) -> Path {
        self.index_with(path, index, true)
    }

    /// An element of an array or slice, bounds-checked if `checked`.
    pub fn index_with(&mut self, mut path: Path, index: ExprId, checked: bool) -> Path {
        path.steps.push(Projection::Index { index, checked });
        path.ty = match &self.types[path.ty] {
            Type::Array { element, .. } | Type::Slice { element, .. } => *element,
            _ => path.ty,
        };
        path
    }

    /// A field of a tuple or struct.
    pub fn field(&self, mut path: Path, index: u32) -> Path {
        path.steps.push(Projection::Field(index));
        path.ty = self.field_type(path.ty, index);
        path
    }

    /// The target of the reference at `path`.
    pub fn deref(&self, mut path: Path) -> Path {
        path.steps.push(Projection::Deref);
        if let Type::Reference { pointee, .. } = self.types[path.ty] {
            path.ty = pointee;
        }
        path
    }

    pub(super) fn field_type(&self, ty: TypeId, index: u32) -> TypeId {
        let field = match &self.types[ty] {
            Type::Tuple(fields) => fields.get(index as usize).copied(),
            Type::Struct { fields, .. } => fields.get(index as usize).map(|field| field.ty),
            _ => None,
        };
        field.unwrap_or(ty)
    }

    /// The type at the end of a path.
    pub fn path_type(&self, path: &Path) -> TypeId {
        path.ty
    }

    /// Adds a place to the body.
    pub fn place(&mut self, path: Path) -> PlaceId {
        self.body.places.push(Place {
            base: path.base,
            path: path.steps,
            ty: path.ty,
            access: path.access,
            span: self.span,
        })
    }

    /// The value at a place.
    pub fn load(&mut self, path: Path) -> ExprId {
        let ty = path.ty;
        let place = self.place(path);
        self.expr(ExprKind::Load(place), ty)
    }

    /// The value of a local.
    pub fn get(&mut self, local: Handle<Local>) -> ExprId {
        let path = self.local_place(local);
        self.load(path)
    }

    /// The length of the slice at a place.
    pub fn length(&mut self, path: Path) -> ExprId {
        let place = self.place(path);
        self.scalar_expr(ExprKind::Length(place), Scalar::U64)
    }

    /// `&place` or `&mut place`.
    pub fn reference(&mut self, path: Path, mutable: bool) -> ExprId {
        let ty = self.types.reference(path.ty, mutable);
        let place = self.place(path);
        self.expr(ExprKind::Reference(place), ty)
    }

    /// `&place[start..end]`, checked.
    pub fn subslice(&mut self, path: Path, start: ExprId, end: ExprId, mutable: bool) -> ExprId {
        self.subslice_with(path, [start, end], mutable, true)
    }

    /// The memory of a slice as a slice of arrays of `length` of its elements each.
    pub fn chunks(&mut self, slice: ExprId, length: u64) -> ExprId {
        let Type::Slice { element, mutable } = self.types[self.type_of(slice)] else {
            return slice;
        };
        let array = self.types.array(element, length);
        let ty = self.types.slice(array, mutable);
        self.expr(ExprKind::Regroup(slice), ty)
    }

    /// The memory of a slice of arrays as a slice of their elements.
    pub fn flattened(&mut self, slice: ExprId) -> ExprId {
        let Type::Slice { element, mutable } = self.types[self.type_of(slice)] else {
            return slice;
        };
        let Type::Array { element, .. } = self.types[element] else {
            return slice;
        };
        let ty = self.types.slice(element, mutable);
        self.expr(ExprKind::Regroup(slice), ty)
    }

    /// `&path[start..end]`, bounds-checked if `checked`.
    pub fn subslice_with(&mut self, path: Path, [start, end]: [ExprId; 2], mutable: bool, checked: bool) -> ExprId {
        let element = match &self.types[path.ty] {
            Type::Array { element, .. } | Type::Slice { element, .. } => *element,
            _ => path.ty,
        };
        let ty = self.types.slice(element, mutable);
        let place = self.place(path);
        self.expr(
            ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            },
            ty,
        )
    }
}
