//! The type of a node as derived from its operands. The text form omits it, and the validator
//! compares it with the declared one.

use super::{Body, ExprId, ExprKind, PlaceBase, PlaceId, Program, Projection, Scalar, Type, TypeId};

/// A derived type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Natural {
    /// A type that occurs in the operands.
    Known(TypeId),
    /// A type made of theirs, which the program may not have interned.
    Made(Type),
}

/// The type of an expression, derived from its operands. `None` if they do not determine it (casts,
/// constructions), or if they are ill-typed or missing. `mutable` selects between the two types of
/// references.
pub fn expr_type(program: &Program, body: &Body, kind: &ExprKind, mutable: bool) -> Option<Natural> {
    let types = &program.types;
    let of = |expr: ExprId| body.exprs.get(expr).map(|expr| expr.ty);
    let place_of = |place: PlaceId| body.places.get(place).map(|place| place.ty);
    let known = match *kind {
        ExprKind::Constant(constant) => types.scalar(constant.scalar),
        ExprKind::External(external) => types.scalar(program.externals.get(external)?.scalar),
        ExprKind::Builtin(builtin) => types.scalar(builtin.scalar()),
        ExprKind::Load(place) => place_of(place)?,
        ExprKind::Length(_) | ExprKind::Within { .. } => types.scalar(Scalar::U64),
        ExprKind::Reference(place) => {
            let pointee = place_of(place)?;
            return Some(Natural::Made(Type::Reference { pointee, mutable }));
        }
        ExprKind::Subslice { place, .. } => {
            let (Type::Array { element, .. } | Type::Slice { element, .. }) = *types.get(place_of(place)?)? else {
                return None;
            };
            return Some(Natural::Made(Type::Slice { element, mutable }));
        }
        ExprKind::Unary { operand, .. } => of(operand)?,
        ExprKind::Binary { op, .. } if op.is_comparison() => types.scalar(Scalar::Bool),
        ExprKind::Binary { left, .. } | ExprKind::MapShared { reference: left, .. } => of(left)?,
        ExprKind::MulAdd { a, .. } => of(a)?,
        ExprKind::And { .. } | ExprKind::Or { .. } => types.scalar(Scalar::Bool),
        ExprKind::Select { then, .. } => of(then)?,
        ExprKind::Field { operand, index } => field_type(program, of(operand)?, index)?,
        ExprKind::Cast(_)
        | ExprKind::Bitcast(_)
        | ExprKind::Construct(_)
        | ExprKind::Regroup(_)
        | ExprKind::Repeat(_)
        | ExprKind::DynamicShared { .. } => return None,
    };
    Some(Natural::Known(known))
}

/// The type at the end of a path, or `None` if a projection does not apply.
pub fn place_type(program: &Program, body: &Body, base: PlaceBase, path: &[Projection]) -> Option<TypeId> {
    let mut ty = base_type(program, body, base)?;
    for step in path {
        ty = step_type(program, ty, step)?;
    }
    Some(ty)
}

/// The type of the variable or table at the base of a place.
pub fn base_type(program: &Program, body: &Body, base: PlaceBase) -> Option<TypeId> {
    match base {
        PlaceBase::Local(local) => body.locals.get(local).map(|local| local.ty),
        PlaceBase::Shared(shared) => program.shared.get(shared).map(|shared| shared.ty),
        PlaceBase::Table(table) => program.tables.get(table).map(|table| table.ty),
    }
}

/// The type after one projection from type `ty`, or `None` if it does not apply.
pub fn step_type(program: &Program, ty: TypeId, step: &Projection) -> Option<TypeId> {
    match (step, program.types.get(ty)?) {
        (&Projection::Field(index), _) => field_type(program, ty, index),
        (Projection::Index { .. }, &(Type::Array { element, .. } | Type::Slice { element, .. })) => Some(element),
        (Projection::Deref, &Type::Reference { pointee, .. }) => Some(pointee),
        _ => None,
    }
}

/// The type of a field of a tuple or struct.
pub fn field_type(program: &Program, ty: TypeId, index: u32) -> Option<TypeId> {
    match program.types.get(ty)? {
        Type::Tuple(fields) => fields.get(index as usize).copied(),
        Type::Struct { fields, .. } => fields.get(index as usize).map(|field| field.ty),
        _ => None,
    }
}
