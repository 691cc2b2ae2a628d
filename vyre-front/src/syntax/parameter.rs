//! A parameter of a kernel: what may be passed, and how it is refused.

mod field;
mod refused;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, GenericArgument, Lifetime, Pat, PathArguments, Type, parse_quote, parse_quote_spanned};

pub(crate) use self::field::field;
pub(crate) use self::refused::NO_UNION;
use self::refused::{HOST, NO_SLICES, ONE_SLICE, refuse_each, refuse_reference, refuse_value, text_of};
pub(super) use self::refused::{NO_FUNCTION, ONE_KERNEL, UNMARKED, binds_function};
use crate::errors::{Code, Errors, nearest};
use crate::resolve::names::Names;
use crate::resolve::source_scan::Surroundings;
use crate::resolve::{declared, transport};
use crate::surface::{Element, ParameterKind, Primitive, SurfaceParameter};
use crate::syntax;
use crate::syntax::any_slice::{any_slice, is_any_slice, only_type, refuse_any_slice};
use crate::syntax::bundle;
use crate::syntax::host_type;
use crate::types::{MATRICES, NO_HALF, NO_HALF_HELP, atomic_cell, fragment};

/// Reads a parameter, and whether the body may assign to it. What stands `around` the kernel tells more of its type.
pub(crate) fn parameter(
    input: &mut FnArg,
    names: &Names,
    around: Option<&Surroundings>,
    errors: &mut Errors,
) -> Option<(SurfaceParameter, bool)> {
    let input = match input {
        FnArg::Typed(input) => input,
        FnArg::Receiver(receiver) => {
            errors.refuse_all(
                Code::SelfParameter,
                receiver,
                "a kernel is a free function: it takes no `self`",
                "leave `self` out, and pass its fields as parameters",
            );
            return None;
        }
    };
    let mut each = false;
    input.attrs.retain(|attribute| {
        let is_each = attribute.path().is_ident("each");
        let last = attribute.path().segments.last();
        let is_path_of_each = !is_each && last.is_some_and(|last| last.ident == "each");
        let mut is_meant = is_path_of_each;
        if is_each {
            if each {
                errors.refuse_all(
                    Code::ParameterAttribute,
                    attribute,
                    "this parameter is marked `#[each]` twice",
                    "remove one of them",
                );
            }
            each = true;
            if !matches!(attribute.meta, syn::Meta::Path(_)) {
                errors.refuse_all(
                    Code::ParameterAttribute,
                    attribute,
                    "`#[each]` takes no arguments",
                    "write `#[each]`",
                );
            }
        } else if !attribute.path().is_ident("doc") {
            let name = attribute.path().to_token_stream().to_string();
            let is_misspelt = !is_meant && nearest(&name, &["each"]).is_some();
            is_meant |= is_misspelt;
            // Documentation comments are reported by rustc.
            errors.refuse_all(
                Code::ParameterAttribute,
                attribute,
                "parameters of a kernel have no attribute but `#[each]`",
                match () {
                    () if attribute.path().is_ident("cfg") => "put `#[cfg]` on the whole kernel, and write it twice",
                    () if is_path_of_each => "write `#[each]`",
                    () if is_misspelt => "did you mean `#[each]`?",
                    () if attribute.path().is_ident("comptime") => {
                        "leave it out, or let the compiler know the number: `#[vyre::kernel(N = [16, 32])]` with `const N: usize`"
                    }
                    () if attribute.path().is_ident("builtin") => {
                        "leave the parameter out, and call `thread::index()`, `thread::idx()` or `block::idx()` in the body"
                    }
                    () => "remove it",
                },
            );
        }
        each |= is_meant;
        attribute.path().is_ident("doc")
    });
    let (name, mutable) = match &*input.pat {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => {
            (pattern.ident.clone(), pattern.mutability.is_some())
        }
        other => {
            errors.refuse_all(
                Code::ParameterPattern,
                other,
                "a parameter of a kernel is one name",
                "name it, and destructure it by a `let` in the body",
            );
            // A destructured parameter is not a scalar, and one error suffices.
            return None;
        }
    };
    let option = option(&input.ty).filter(|_| !each).cloned();
    let slice = option.as_ref().filter(|ty| matches!(ty, Type::Reference(_)));
    let option = option.clone().filter(|_| slice.is_some() || !names.complete);
    if let Some((element, _)) = option.as_ref().and_then(matrix) {
        errors.refuse_all(
            Code::NoOption,
            &input.ty,
            "a kernel takes no optional matrix",
            format_args!(
                "take its elements, `Option<&[{}]>`, and its extents",
                element.to_token_stream()
            ),
        );
        return None;
    }
    if let Some(slice) = slice {
        *input.ty = slice.clone();
        input.pat = parse_quote!(#name);
    } else if let Some(value) = &option {
        // The launcher makes a `Maybe` of what may be one.
        kind(value, false, names, errors)?;
        *input.ty = maybe(value);
        input.pat = parse_quote!(#name);
    }
    if let Some((fault, help)) = host_type::refusal(&input.ty, names, || around) {
        errors.refuse_all(Code::ParameterType, &input.ty, fault, help);
        return None;
    }
    if is_borrowing(&input.ty, around, errors) {
        return None;
    }
    if let Some(lifetime) = of_static(&input.ty) {
        errors.refuse(
            Code::ReferenceParameter,
            lifetime.span(),
            "a buffer need not live for `'static`: it is borrowed for one launch",
            match matrix(&input.ty) {
                Some(_) => "write `'_`",
                None => "leave the lifetime out",
            },
        );
        return None;
    }
    let kind = kind(&input.ty, each, names, errors);
    Some((
        SurfaceParameter {
            name,
            kind: kind?,
            any_index: !each && of_reference(&input.ty).is_some_and(|ty| is_any_slice(ty, names)),
            each,
            option: option.map(ToTokens::into_token_stream),
            tells: None,
        },
        mutable,
    ))
}

/// The lifetime of a slice or matrix that is `'static`.
fn of_static(ty: &Type) -> Option<&Lifetime> {
    let lifetime = match ty {
        Type::Reference(reference) => reference.lifetime.as_ref()?,
        Type::Path(path) if matrix(ty).is_some() => match &path.path.segments.last()?.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Lifetime(lifetime) => Some(lifetime),
                _ => None,
            })?,
            _ => return None,
        },
        _ => return None,
    };
    (lifetime.ident == "static").then_some(lifetime)
}

/// The type of vyre's that a kernel takes in place of the `Option` of a value.
pub(crate) fn maybe(value: &Type) -> Type {
    parse_quote_spanned!(value.span()=> ::vyre::Maybe<#value>)
}

/// The type in an `Option`.
pub(crate) fn option(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    only_type(path.path.segments.last().filter(|last| last.ident == "Option")?)
}

/// The beginning of a body in which parameters that were given as `Option` are such again: `let limit = limit.get();`. An
/// instance passes slices on with their flags.
pub(crate) fn as_options(parameters: &[SurfaceParameter], mutable: &[bool], is_instance: bool) -> TokenStream {
    let options = parameters
        .iter()
        .zip(mutable)
        .filter(|(parameter, _)| parameter.option.is_some() && !(is_instance && parameter.may_lack()));
    options
        .map(|(parameter, &mutable)| match parameter.flag() {
            Some(flag) => as_optional_slice(&parameter.name, mutable, &flag.name),
            None => as_option(&parameter.name, mutable),
        })
        .collect()
}

/// `let bias = if bias_is_some { Some(bias) } else { None };`
pub(crate) fn as_optional_slice(name: &Ident, mutable: bool, flag: &Ident) -> TokenStream {
    let mutable = mutable.then(|| quote_spanned!(name.span()=> mut));
    let core = quote_spanned!(name.span()=> ::core::option::Option);
    quote_spanned!(name.span()=> let #mutable #name = if #flag { #core::Some(#name) } else { #core::None };)
}

fn kind(ty: &Type, each: bool, names: &Names, errors: &mut Errors) -> Option<ParameterKind> {
    if let (Some((element, writes)), false) = (matrix(ty), each) {
        return matrix_of(element, writes, names, errors);
    }
    match ty {
        Type::Paren(inner) => kind(&inner.elem, each, names, errors),
        Type::Group(inner) => kind(&inner.elem, each, names, errors),
        Type::Reference(reference) => {
            let writes = reference.mutability.is_some();
            if is_any_slice(&reference.elem, names)
                && let Some(of) = any_slice(&reference.elem)
            {
                return match each {
                    false => element(ty, of, writes, names, errors),
                    true => {
                        refuse_each(ty, of, writes, errors);
                        None
                    }
                };
            }
            match (&*reference.elem, each) {
                (Type::Slice(slice), false) if matches!(&*slice.elem, Type::Slice(_)) => {
                    errors.refuse_all(
                        Code::ParameterType,
                        ty,
                        "the elements of a slice are no slices, whose lengths may differ",
                        "take a matrix, `a: Slice2<'_, f32>` or `mut a: SliceMut2<'_, f32>`, of which `a[[row, col]]` is an \
                         element, or the rows one after the other: `&[f32]`",
                    );
                    None
                }
                (Type::Slice(slice), false) => element(ty, &slice.elem, writes, names, errors),
                (Type::Slice(slice), true) => {
                    refuse_each(ty, &slice.elem, writes, errors);
                    None
                }
                (inner, true) => element(ty, inner, writes, names, errors),
                (inner, false) => {
                    refuse_reference(ty, inner, writes, names, errors);
                    None
                }
            }
        }
        _ if each => {
            errors.refuse_all(
                Code::EachType,
                ty,
                "`#[each]` takes a reference to an element",
                match matrix(ty) {
                    Some(_) => "leave `#[each]` out: the kernel indexes a matrix, `a[[row, col]]`",
                    None => "write `#[each] x: &f32` or `#[each] y: &mut f32`",
                },
            );
            None
        }
        _ if is_any_slice(ty, names) => {
            refuse_any_slice(ty, errors);
            None
        }
        _ if bundle::written(ty).is_some() => Some(ParameterKind::Bundle(ty.to_token_stream())),
        _ => match last_name(ty) {
            Some(name) if Primitive::from_name(&name).is_some() => {
                let primitive = Primitive::from_name(&name)?;
                Some(ParameterKind::Value(Element::Primitive(primitive)))
            }
            _ if !is_of_atomics(ty, names) && (is_defined(ty, names) || matches!(ty, Type::Array(_))) => {
                Some(ParameterKind::Value(Element::Defined(ty.to_token_stream())))
            }
            name => {
                refuse_value(ty, name.as_deref(), names, errors);
                None
            }
        },
    }
}

/// True of a type of the user that has a lifetime and is no parameter: it holds a reference, and a struct of slices is passed
/// by value.
fn is_borrowing(whole: &Type, around: Option<&Surroundings>, errors: &mut Errors) -> bool {
    let ty = innermost(whole);
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last().filter(|_| syntax::may_be_type(&path.path)) else {
        return false;
    };
    let name = last.ident.to_string();
    let is_plain = path.path.segments.len() == 1;
    let beside = || around.filter(|_| is_plain).and_then(|around| around.borrows(&name));
    let (has_lifetime, is_marked) = match &last.arguments {
        PathArguments::None => (false, beside()),
        PathArguments::AngleBracketed(arguments) if !HOST.contains(&&*name) || beside().is_some() => {
            let is_lifetime =
                |it: &GenericArgument| matches!(it, GenericArgument::Lifetime(lifetime) if lifetime.ident != "static");
            match arguments.args.iter().any(is_lifetime) {
                true => (true, beside()),
                false => return false,
            }
        }
        _ => return false,
    };
    if !has_lifetime && is_marked.is_none() {
        return false;
    }
    let refuse = |errors: &mut Errors, fault: &str, help: &str| {
        errors.refuse_all(Code::ParameterType, ty, format_args!("`{name}` {fault}"), help);
    };
    let is_of_vyre = is_marked.is_none() && (MATRICES.contains(&&*name) || matches!(&*name, "Slice3" | "SliceMut3"));
    if is_marked != Some(false) && !is_of_vyre && std::ptr::eq(whole, ty) && bundle::written(ty).is_some() {
        return false;
    }
    match is_marked {
        // It is refused where it is defined.
        _ if declared::has_failed(&name) => errors.elsewhere(),
        // Without an element.
        None if MATRICES.contains(&&*name) => errors.mismatch(),
        None if matches!(&*name, "Slice3" | "SliceMut3") => errors.refuse_all(
            Code::ParameterType,
            ty,
            format_args!("there is no `{name}`: a matrix has rows and columns"),
            "take the slice, and index it: `c[(z * height + y) * width + x]`",
        ),
        Some(false) => refuse(errors, bundle::UNMARKED_BUNDLE, bundle::MARK_BUNDLE),
        _ if !std::ptr::eq(whole, ty) => refuse(
            errors,
            "holds a reference, and a buffer or reference leads to it",
            &format!("take a struct of slices by value, `{name}<'_>`, or its slices as parameters of their own"),
        ),
        _ if !has_lifetime => refuse(
            errors,
            "is a struct of slices, whose lifetime the parameter names",
            &format!("write `{name}<'_>`"),
        ),
        _ => refuse(
            errors,
            "holds a reference, and a struct of slices has no parameters but lifetimes",
            "write one struct for each type of elements, with the type written out",
        ),
    }
    true
}

/// The matrix of some elements.
fn matrix_of(element: &Type, writes: bool, names: &Names, errors: &mut Errors) -> Option<ParameterKind> {
    match self::element(element, element, false, names, errors)? {
        ParameterKind::Slice(element) if writes => Some(ParameterKind::MatrixMut(element)),
        ParameterKind::Slice(element) => Some(ParameterKind::Matrix(element)),
        _ => {
            errors.refuse_all(
                Code::AtomicParameter,
                element,
                "a matrix has no atomics",
                "take a slice, `&[AtomicU32]` or its like, and compute the index",
            );
            None
        }
    }
}

/// The element of a matrix, and whether it is one to write, where the type is `Slice2<'_, T>` or
/// `SliceMut2<'_, T>`.
pub(crate) fn matrix(ty: &Type) -> Option<(&Type, bool)> {
    let path = match ty {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Paren(inner) => return matrix(&inner.elem),
        Type::Group(inner) => return matrix(&inner.elem),
        _ => return None,
    };
    let last = path.segments.last()?;
    let writes = MATRICES.iter().position(|name| last.ident == name)? == 1;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.next().map(|element| (element, writes))
}

/// The type that a reference refers to.
fn of_reference(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) => Some(&reference.elem),
        Type::Paren(inner) => of_reference(&inner.elem),
        Type::Group(inner) => of_reference(&inner.elem),
        _ => None,
    }
}

fn element(whole: &Type, element: &Type, writes: bool, names: &Names, errors: &mut Errors) -> Option<ParameterKind> {
    let name = last_name(element);
    if let Some(name) = &name {
        if let Some(primitive) = Primitive::from_name(name) {
            return Some(slice(Element::Primitive(primitive), writes));
        }
        if let Some(cell) = atomic_cell(name) {
            if writes {
                errors.refuse_all(
                    Code::AtomicParameter,
                    whole,
                    "atomics are passed by shared reference",
                    match whole {
                        Type::Reference(one) if last_name(&one.elem).as_ref() == Some(name) => {
                            format!("write `&{name}`: its methods write through it")
                        }
                        _ => format!("write `&[{name}]`: their methods write through it"),
                    },
                );
                return None;
            }
            return Some(ParameterKind::Atomics(cell));
        }
        if matches!(&**name, "AtomicF16x2" | "AtomicBF16x2") {
            errors.refuse_all(Code::AtomicParameter, element, NO_HALF, NO_HALF_HELP);
            return None;
        }
        if name.starts_with("Atomic") && !is_of_atomics(element, names) {
            errors.refuse_all(
                Code::AtomicParameter,
                element,
                format_args!("`{name}` has no counterpart on a GPU"),
                match &**name {
                    "AtomicF16" | "AtomicBF16" => "two halves are one atomic: `AtomicF16x2`, `AtomicBF16x2`",
                    _ => "atomics hold a scalar: `AtomicU32`, `AtomicI64`, `AtomicF32` and their like",
                },
            );
            return None;
        }
    }
    if is_any_slice(element, names) {
        errors.refuse_all(Code::ElementType, element, NO_SLICES, ONE_SLICE);
        return None;
    }
    if is_of_atomics(element, names) {
        if writes {
            errors.refuse_all(
                Code::AtomicParameter,
                whole,
                "atomics are passed by shared reference",
                format_args!("write `&[{}]`: their methods write through it", text_of(element)),
            );
            return None;
        }
        return Some(ParameterKind::AtomicElements(element.to_token_stream()));
    }
    if is_defined(element, names) || matches!(element, Type::Array(_)) {
        return Some(slice(Element::Defined(element.to_token_stream()), writes));
    }
    match (element, name.as_deref()) {
        (Type::Reference(_), _) => errors.refuse_all(Code::ElementType, element, NO_SLICES, ONE_SLICE),
        (Type::Tuple(_), _) => errors.refuse_all(
            Code::ElementType,
            element,
            "slices of tuples are not supported: Rust says nothing about their layout",
            "define a struct, marked `#[vyre::device]`, or pass one slice for each field",
        ),
        _ => refuse_value(element, name.as_deref(), names, errors),
    }
    None
}

/// True of `Atomic<T>`, and of an array of atomics.
fn is_of_atomics(element: &Type, names: &Names) -> bool {
    match element {
        Type::Path(path) if names.find_path(&path.path).is_none() => {
            let last = path.path.segments.last();
            last.is_some_and(|last| last.ident == "Atomic" && only_type(last).is_some())
        }
        Type::Array(array) => {
            is_of_atomics(&array.elem, names) || last_name(&array.elem).is_some_and(|name| atomic_cell(&name).is_some())
        }
        _ => false,
    }
}

fn slice(element: Element, writes: bool) -> ParameterKind {
    match writes {
        true => ParameterKind::SliceMut(element),
        false => ParameterKind::Slice(element),
    }
}

pub(crate) fn as_option(name: &Ident, mutable: bool) -> TokenStream {
    let mutable = mutable.then(|| quote_spanned!(name.span()=> mut));
    quote_spanned!(name.span()=> let #mutable #name = #name.get();)
}

/// True if a type is one of the user's that vyre sees, or may come to see.
fn is_defined(ty: &Type, names: &Names) -> bool {
    let Type::Path(path) = ty else { return false };
    // Where no chain has brought it, the reader of its definition says so.
    let may_come = || {
        let text = transport::text(&path.path);
        (names.may_ask(&text) || names.has_asked(&text)) && syntax::may_be_type(&path.path)
    };
    path.qself.is_none() && !is_fragment(ty) && (names.find_path(&path.path).is_some() || may_come())
}

/// True for fragment types such as `mma::A`.
fn is_fragment(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let mut names = path.path.segments.iter().rev().map(|segment| &segment.ident);
    let (name, module) = (names.next(), names.next());
    name.is_some_and(|name| fragment::role(&name.to_string()).is_some()) && module.is_some_and(|module| module == "mma")
}

/// The last name of a type's path.
fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last().map(|segment| segment.ident.to_string()),
        Type::Paren(inner) => last_name(&inner.elem),
        Type::Group(inner) => last_name(&inner.elem),
        _ => None,
    }
}

/// The last segment of a parameter's type, behind references and slices.
pub(crate) fn element_name(ty: &Type) -> Option<String> {
    last_name(innermost(ty))
}

/// The element type of a slice, a `Slice`, a matrix or a reference; other types themselves.
pub(crate) fn innermost(ty: &Type) -> &Type {
    if let Some((inner, _)) = matrix(ty) {
        return inner;
    }
    if let Some(inner) = any_slice(ty) {
        return inner;
    }
    match ty {
        Type::Reference(reference) => innermost(&reference.elem),
        Type::Slice(slice) => innermost(&slice.elem),
        other => other,
    }
}
