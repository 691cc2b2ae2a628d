//! Buffers and views, which are types of the host, where the signature of a kernel or of a device function has them.

use std::borrow::Borrow;

use quote::ToTokens;
use syn::{GenericArgument, Path, PathArguments, Type};

use crate::resolve::names::Names;
use crate::resolve::source_scan::Surroundings;

/// The types, each with what kernels and device functions take in its place.
const TYPES: [(&str, [&str; 2]); 6] = [
    ("AtomicView", ["&[Atomic", "]"]),
    ("DeviceBuffer", ["&[", "]"]),
    ("View", ["&[", "]"]),
    ("View2", ["Slice2<'_, ", ">"]),
    ("ViewMut", ["&mut [", "]"]),
    ("ViewMut2", ["SliceMut2<'_, ", ">"]),
];

/// The fault and the help of a type, if what stands `around` its function shows that it is one of these.
pub(super) fn refusal<A: Borrow<Surroundings>>(
    ty: &Type,
    names: &Names,
    around: impl FnOnce() -> Option<A>,
) -> Option<(String, String)> {
    let (name, instead) = instead(ty, names, around)?;
    let help = format!("write `{instead}`: a launch takes buffers and views for it");
    Some((format!("`{name}` belongs to the host"), help))
}

/// The name of such a type, and the type to write in its place.
pub(crate) fn instead<A: Borrow<Surroundings>>(
    ty: &Type,
    names: &Names,
    around: impl FnOnce() -> Option<A>,
) -> Option<(&'static str, String)> {
    match ty {
        Type::Paren(inner) => instead(&inner.elem, names, around),
        Type::Group(inner) => instead(&inner.elem, names, around),
        Type::Reference(reference) => {
            let slice = |it: String| match reference.mutability {
                // Atomics are written through shared references.
                Some(_) if !it.starts_with("&[Atomic") => it.replacen("&[", "&mut [", 1),
                _ => it,
            };
            instead(&reference.elem, names, around).map(|(name, it)| (name, slice(it)))
        }
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            let (name, [before, after]) = TYPES.iter().find(|(name, _)| last.ident == name)?;
            let element = element(&last.arguments)?;
            let element = match *name {
                // Types of atomics end in the name of the scalar.
                "AtomicView" => element.to_uppercase(),
                _ => element,
            };
            is_of_vyre(&path.path, name, names, around).then(|| (*name, format!("{before}{element}{after}")))
        }
        _ => None,
    }
}

/// The one type among the arguments.
fn element(arguments: &PathArguments) -> Option<String> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return None;
    };
    let mut types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.to_token_stream().to_string()),
        _ => None,
    });
    types.next().filter(|_| types.next().is_none())
}

/// True if a path surely leads to the type of vyre's.
fn is_of_vyre<A: Borrow<Surroundings>>(
    path: &Path,
    name: &str,
    names: &Names,
    around: impl FnOnce() -> Option<A>,
) -> bool {
    if path.segments.len() > 1 {
        return path.segments[0].ident == "vyre";
    }
    if names.complete {
        return names.find_path(path).is_none();
    }
    around().is_some_and(|around| {
        let around = around.borrow();
        around.imports_vyres(name) || around.imports_prelude() && around.lacks(name)
    })
}
