//! The signature of a kernel.

use vyre_ir::ir::{Kernel, Scalar, Type, TypeId, Types};

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// The kind of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A scalar.
    Value(Scalar),
    /// A struct, tuple or array.
    Aggregate(Content),
    /// A slice.
    Slice {
        element: Content,
        /// True if the kernel may write the elements.
        writes: bool,
    },
}

/// The bytes of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content {
    ty: TypeId,
    /// At least 1.
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// True if some of the bytes are those of a `bool`.
    has_bools: bool,
}

/// The parameters of a kernel of a valid program.
pub(crate) fn parameters(types: &Types, kernel: &Kernel) -> Vec<Parameter> {
    let parameters = kernel.parameters.iter().map(|parameter| Parameter {
        name: parameter.name.clone(),
        kind: match types[parameter.ty] {
            Type::Scalar(scalar) => Kind::Value(scalar),
            Type::Slice { element, mutable } => Kind::Slice {
                element: Content::of(types, element),
                writes: mutable || types.has_atomics(element),
            },
            _ => Kind::Aggregate(Content::of(types, parameter.ty)),
        },
    });
    parameters.collect()
}

impl Content {
    fn of(types: &Types, ty: TypeId) -> Content {
        let layout = types.layout(ty);
        Content {
            ty,
            size: layout.size.max(1),
            align: layout.align,
            has_bools: any_scalar(types, ty, &|scalar| scalar == Scalar::Bool),
        }
    }

    /// The first byte of a `bool` that is neither 0 nor 1, in a whole number of values.
    #[cfg(feature = "programs")]
    pub(crate) fn wrong_bool(&self, types: &Types, bytes: &[u8]) -> Option<usize> {
        if !self.has_bools {
            return None;
        }
        let size = self.size as usize;
        let values = bytes.chunks_exact(size).enumerate();
        values
            .filter_map(|(number, value)| Some(number * size + wrong_bool(types, self.ty, value)?))
            .next()
    }
}

/// The types that a type consists of.
fn parts(types: &Types, ty: TypeId) -> Vec<TypeId> {
    match &types[ty] {
        Type::Tuple(fields) => fields.clone(),
        Type::Struct { fields, .. } => fields.iter().map(|field| field.ty).collect(),
        _ => Vec::new(),
    }
}

fn any_scalar(types: &Types, ty: TypeId, wanted: &dyn Fn(Scalar) -> bool) -> bool {
    match types[ty] {
        Type::Scalar(scalar) | Type::Atomic(scalar) => wanted(scalar),
        Type::Array { element, .. } => any_scalar(types, element, wanted),
        _ => parts(types, ty).into_iter().any(|part| any_scalar(types, part, wanted)),
    }
}

#[cfg(feature = "programs")]
fn wrong_bool(types: &Types, ty: TypeId, bytes: &[u8]) -> Option<usize> {
    let part = |ty: TypeId, offset: usize| {
        let size = types.layout(ty).size as usize;
        Some(offset + wrong_bool(types, ty, bytes.get(offset..offset + size)?)?)
    };
    match types[ty] {
        Type::Scalar(Scalar::Bool) | Type::Atomic(Scalar::Bool) => (*bytes.first()? > 1).then_some(0),
        Type::Array { element, length } => {
            let size = types.layout(element).size as usize;
            (0..length as usize).find_map(|number| part(element, number * size))
        }
        Type::Struct { .. } | Type::Tuple(_) => {
            let offsets = types.layout(ty).offsets;
            let mut fields = parts(types, ty).into_iter().zip(offsets);
            fields.find_map(|(field, offset)| part(field, offset as usize))
        }
        _ => None,
    }
}

#[cfg(feature = "programs")]
impl Kind {
    /// The parameter in words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Kind::Value(scalar) => format!("a value of type `{}`", scalar.name()),
            Kind::Aggregate(content) => format!("a struct, tuple or array of {} bytes", content.size),
            Kind::Slice { element, .. } => format!("a slice with elements of {} bytes", element.size),
        }
    }
}
