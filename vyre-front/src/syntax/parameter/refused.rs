//! Parameters that kernels do not take, and what to write in their place.

use quote::ToTokens;
use syn::{Type, TypeParamBound};

use super::{is_fragment, is_of_atomics, last_name, matrix};
use crate::errors::{Code, Errors, meant};
use crate::resolve::declared;
use crate::resolve::names::Names;
use crate::surface::Primitive;
use crate::syntax::any_slice::any_slice;
use crate::syntax::unsupported::type_refusal;
use crate::syntax::written_types::of_others;
use crate::types::{MATRICES, atomic_cell};

/// Types of the host, in whose place a kernel takes slices.
pub(super) const HOST: [&str; 4] = ["DeviceBuffer", "View", "ViewMut", "AtomicView"];

pub(super) const NO_SLICES: &str = "a slice of slices is not passed to a kernel";
pub(super) const ONE_SLICE: &str = "pass one slice with all rows, and index it: `x[row * columns + column]`";

pub(in crate::syntax) const NO_FUNCTION: &str = "functions are not passed to kernels";

/// The advice for a kernel that would take a function.
pub(in crate::syntax) const ONE_KERNEL: &str =
    "write one kernel for each function, around a `#[vyre::device]` function that takes `impl Fn(..)`";

/// True for bounds such as `Fn(f32) -> f32`.
pub(in crate::syntax) fn binds_function<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> bool {
    bounds.into_iter().any(|bound| match bound {
        TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|last| ["Fn", "FnMut", "FnOnce"].iter().any(|name| last.ident == name)),
        _ => false,
    })
}

/// Refuses a slice where the type of an element belongs.
pub(super) fn refuse_each(ty: &Type, element: &Type, writes: bool, errors: &mut Errors) {
    errors.refuse_all(
        Code::EachType,
        ty,
        "`#[each]` takes the type of one element, not a slice",
        format_args!(
            "write `&{}{}`",
            if writes { "mut " } else { "" },
            element.to_token_stream()
        ),
    );
}

pub(super) fn refuse_reference(ty: &Type, inner: &Type, writes: bool, names: &Names, errors: &mut Errors) {
    let name = last_name(inner);
    match (inner, name.as_deref()) {
        (Type::Reference(_), _) => errors.refuse_all(
            Code::ReferenceParameter,
            ty,
            "a reference to a reference is not a parameter of a kernel",
            format_args!("write `{}`", inner.to_token_stream().to_string().replace("& ", "&")),
        ),
        (Type::Array(array), _) => {
            let element = array.elem.to_token_stream();
            errors.refuse_all(
                Code::ReferenceParameter,
                ty,
                "references to arrays are not supported as parameters",
                format_args!("take a slice: `&{}[{element}]`", if writes { "mut " } else { "" }),
            );
        }
        (_, Some(name)) if Primitive::from_name(name).is_some() => errors.refuse_all(
            Code::ReferenceParameter,
            ty,
            "a reference to one scalar is not a parameter of a kernel",
            if writes {
                format!("take a slice, `&mut [{name}]`, or mark the parameter `#[each]`")
            } else {
                format!("take it by value, `{name}`, or mark the parameter `#[each]`")
            },
        ),
        (_, Some(name)) if atomic_cell(name).is_some() || is_of_atomics(inner, names) => errors.refuse_all(
            Code::ReferenceParameter,
            ty,
            "a reference to one atomic is not a parameter of a kernel",
            format_args!("take a slice: `&[{}]`", text_of(inner)),
        ),
        (Type::Path(path), Some(name))
            if (declared::is_item(name) || names.find_path(&path.path).is_some()) && any_slice(inner).is_none() =>
        {
            errors.refuse_all(
                Code::ReferenceParameter,
                ty,
                format_args!("a reference to one `{name}` is not a parameter of a kernel"),
                if writes {
                    format!("take a slice, `&mut [{name}]`, or mark the parameter `#[each]`")
                } else {
                    format!("take it by value, `{name}`, or mark the parameter `#[each]`")
                },
            )
        }
        // `&mut Slice2` means the matrix that is written.
        (_, Some(name)) if MATRICES.contains(&name) => refuse_matrix(inner, writes || name == MATRICES[1], errors),
        _ => refuse_value(inner, name.as_deref(), names, errors),
    }
}

/// A type of atomics as it is written.
pub(super) fn text_of(atomics: &Type) -> String {
    let text = atomics.to_token_stream().to_string();
    text.replace(" :: ", "::")
        .replace(" ;", ";")
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
}

/// Refuses a matrix that is not passed as the language says, with its own element in the advice.
fn refuse_matrix(ty: &Type, writes: bool, errors: &mut Errors) {
    let name = MATRICES[usize::from(writes)];
    let element = matrix(ty).map_or_else(
        || "f32".to_owned(),
        |(element, _)| element.to_token_stream().to_string(),
    );
    let advice = match writes {
        true => format!("write `mut` before the parameter and its type as `{name}<'_, {element}>`"),
        false => format!("write its type as `{name}<'_, {element}>`"),
    };
    errors.refuse_all(
        Code::ParameterType,
        ty,
        format_args!("a matrix is passed by value, as `{name}<'_, T>`"),
        advice,
    );
}

/// The advice for a type of a parameter that vyre does not see.
pub(in crate::syntax) const UNMARKED: &str =
    "use `bool`, an integer, `f32` or `f64`, or put `#[vyre::device]` on the struct, enum or alias";

/// The advice for a union.
pub(crate) const NO_UNION: &str =
    "write a struct or an enum; `x.to_bits()` and `f32::from_bits(x)` show the bits of a float";

/// Refuses a type that cannot be passed, neither by value nor as an element.
pub(super) fn refuse_value(ty: &Type, name: Option<&str>, names: &Names, errors: &mut Errors) {
    const SCALARS: &str = "use `bool`, an integer, `f32` or `f64`";
    if let Some((code, fault, help)) = name.and_then(type_refusal) {
        return errors.refuse_all(code, ty, fault, help);
    }
    match (ty, name) {
        (_, Some(name)) if HOST.contains(&name) => {
            let help = "write `&[f32]` or `&mut [f32]`: the launcher takes buffers and views for slices";
            errors.refuse_all(
                Code::ParameterType,
                ty,
                format_args!("`{name}` belongs to the host"),
                help,
            );
        }
        (_, Some("Device" | "Stream")) => {
            errors.refuse_all(
                Code::ParameterType,
                ty,
                format_args!("`{}` belongs to the host", name.unwrap_or_default()),
                "leave it out: a launch is told the device, `.launch(&device)`, and the stream, `.on(&stream)`",
            );
        }
        (_, Some("Option")) if names.complete => errors.refuse_all(
            Code::NoOption,
            ty,
            "a kernel of a build script's file takes no `Option`",
            "take the value and a `bool`, or put the kernel where the attribute compiles it",
        ),
        (_, Some("Option")) => errors.refuse_all(
            Code::NoOption,
            ty,
            "an `Option` is not in memory: Rust says nothing about its layout",
            "take a `vyre::Maybe`, which has one, `maybe.get()` is the `Option`; a parameter by value may be an `Option`",
        ),
        _ if is_of_atomics(ty, names) || name.is_some_and(|name| atomic_cell(name).is_some()) => errors.refuse_all(
            Code::AtomicParameter,
            ty,
            "atomics are passed by reference",
            format_args!("write `&[{}]`", text_of(ty)),
        ),
        (Type::Slice(slice), _) => {
            errors.refuse_all(
                Code::ParameterType,
                ty,
                "a slice is passed by reference",
                format_args!("write `&[{}]`", slice.elem.to_token_stream()),
            );
        }
        (Type::Tuple(_), _) => errors.refuse_all(
            Code::ParameterType,
            ty,
            "tuples are not passed to kernels",
            "pass the fields one by one",
        ),
        (Type::Ptr(_), _) => errors.refuse_all(
            Code::ParameterType,
            ty,
            "pointers are not passed to kernels",
            "pass a slice: `&[f32]`, or `&mut [f32]` to write",
        ),
        (Type::FnPtr(_), _) => errors.refuse_all(Code::ParameterType, ty, NO_FUNCTION, ONE_KERNEL),
        (
            Type::ImplTrait(syn::TypeImplTrait { bounds, .. }) | Type::TraitObject(syn::TypeTraitObject { bounds, .. }),
            _,
        ) if binds_function(bounds) => {
            errors.refuse_all(Code::ParameterType, ty, NO_FUNCTION, ONE_KERNEL);
        }
        (Type::ImplTrait(_) | Type::TraitObject(_), _) => errors.refuse_all(
            Code::ParameterType,
            ty,
            "traits are not passed to kernels",
            "name one type",
        ),
        _ if is_fragment(ty) => errors.refuse_all(
            Code::ParameterType,
            ty,
            "fragments of matrices are not passed to kernels",
            "pass the matrix, `&[f64]`, and load them from there",
        ),
        (_, Some(name)) if MATRICES.contains(&name) => refuse_matrix(ty, name == MATRICES[1], errors),
        (_, Some(name)) => {
            let fault = format!("vyre does not know the type `{name}`");
            let help = match (meant(name), of_others(ty)) {
                (Some(meant), _) => format!("did you mean `{meant}`?"),
                (None, Some(help)) => help,
                (None, None) => UNMARKED.to_owned(),
            };
            errors.refuse_all(Code::UnknownType, ty, fault, help);
        }
        (Type::Infer(_), _) => {
            errors.refuse_all(
                Code::UnsupportedType,
                ty,
                "the type of a parameter is not inferred",
                "write it: `f32`, `&[f32]`",
            );
        }
        _ => errors.refuse_all(Code::UnsupportedType, ty, "this type is not passed to kernels", SCALARS),
    }
}
