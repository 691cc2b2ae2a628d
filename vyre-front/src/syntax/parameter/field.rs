//! Fields of structs of slices.

use syn::{Field, Type};

use super::refused::text_of;
use super::{kind, matrix, of_reference, of_static, option};
use crate::errors::{Code, Errors};
use crate::resolve::names::Names;
use crate::resolve::source_scan::Surroundings;
use crate::surface::SurfaceParameter;
use crate::syntax::any_slice::is_any_slice;
use crate::syntax::{bundle, host_type};

/// Reads a field of a struct of slices, which is a parameter of its own.
pub(crate) fn field(field: &Field, names: &Names, errors: &mut Errors) -> Option<SurfaceParameter> {
    let (name, ty) = (field.ident.clone()?, &field.ty);
    if let Some(value) = option(ty) {
        let (fault, help) = match value {
            Type::Reference(slice) => {
                let (mutable, of) = (slice.mutability.map_or("", |_| "mut "), text_of(&slice.elem));
                (
                    "a struct of slices holds no `Option` of a slice",
                    format!("let the kernel take it as a parameter of its own, `{name}: Option<&{mutable}{of}>`"),
                )
            }
            _ => (
                "an `Option` is not in memory: Rust says nothing about its layout",
                format!("write `vyre::Maybe<{}>`", text_of(value)),
            ),
        };
        errors.refuse_all(Code::NoOption, ty, fault, help);
        return None;
    }
    if let Some((fault, help)) = host_type::refusal(ty, names, || None::<&Surroundings>) {
        errors.refuse_all(Code::ParameterType, ty, fault, help);
        return None;
    }
    if let Some(path) = matrix(ty).is_none().then(|| bundle::written(ty)).flatten() {
        let shown = path.segments.last().map(|last| last.ident.to_string());
        errors.refuse_all(
            Code::FieldType,
            ty,
            "a struct of slices holds no other one",
            format_args!(
                "write the fields of `{}` here, or take both structs as parameters",
                shown.unwrap_or_default()
            ),
        );
        return None;
    }
    if let Type::Reference(reference) = ty
        && !matches!(&*reference.elem, Type::Slice(_))
        && !is_any_slice(&reference.elem, names)
    {
        errors.refuse_all(
            Code::FieldType,
            ty,
            "a field of a struct of slices is a slice or a value, and no other reference",
            match reference.mutability {
                Some(_) => "write a slice, `&'a mut [T]`",
                None => "write a slice, `&'a [T]`, or a value",
            },
        );
        return None;
    }
    if let Some(lifetime) = of_static(ty) {
        errors.refuse(
            Code::ReferenceParameter,
            lifetime.span(),
            "a buffer need not live for `'static`: it is borrowed for one launch",
            "write the lifetime of the struct",
        );
        return None;
    }
    Some(SurfaceParameter {
        name,
        kind: kind(ty, false, names, errors)?,
        any_index: of_reference(ty).is_some_and(|ty| is_any_slice(ty, names)),
        each: false,
        option: None,
        tells: None,
    })
}
