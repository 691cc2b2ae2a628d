//! The signature of a kernel: what it takes, and what callers see of it.

use proc_macro2::Ident;
use quote::quote;
use syn::{FnArg, ItemFn, ReturnType, Safety, Type};

use super::{parameter, unsupported};
use crate::errors::{Code, Errors};
use crate::options::Options;
use crate::resolve::attributes::{is_device, is_kernel};
use crate::resolve::names::Names;
use crate::surface::{Surface, SurfaceParameter};

/// A signature as the body's reader needs it.
pub(crate) struct Signature {
    /// The interface. `dimensions` and `block` hold if the options say so.
    pub(crate) surface: Surface,
    /// For each parameter, whether the body may assign to it (`mut x: f32`).
    pub(crate) mutable: Vec<bool>,
}

/// Reads the signature of `item` and removes `#[each]` from its parameters. `None` if the
/// parameters cannot be determined, so that not even a stub can be generated.
pub(crate) fn read(item: &mut ItemFn, options: &Options, names: &Names, errors: &mut Errors) -> Option<Signature> {
    attributes(item, errors);
    qualifiers(item, options, errors);
    let mut parameters = Vec::new();
    let mut mutable = Vec::new();
    let generics: Vec<String> = item.sig.generics.type_params().map(|p| p.ident.to_string()).collect();
    let mut whole = true;
    for input in &mut item.sig.inputs {
        // A generic type was refused where it is declared.
        if let FnArg::Typed(typed) = &*input
            && parameter::element_name(&typed.ty).is_some_and(|name| generics.contains(&name))
        {
            whole = false;
            continue;
        }
        match parameter::parameter(input, names, errors) {
            Some((parameter, _))
                if parameters
                    .iter()
                    .any(|known: &SurfaceParameter| known.name == parameter.name) =>
            {
                errors.refuse(
                    Code::RepeatedParameter,
                    parameter.name.span(),
                    format_args!("two parameters are called `{}`", parameter.name),
                    "rename one of them",
                );
                whole = false;
            }
            Some((parameter, mutability)) => {
                parameters.push(parameter);
                mutable.push(mutability);
            }
            None => whole = false,
        }
    }
    let (dimensions, block) = geometry(options.block.as_deref(), 1);
    let name = item.sig.ident.clone();
    let mut launcher = options
        .launcher
        .clone()
        .unwrap_or_else(|| Ident::new(&camel_case(&name.to_string()), name.span()));
    if is_type_of_parameter(item, &launcher) {
        errors.refuse(
            Code::LauncherName,
            launcher.span(),
            format_args!("the launcher of this kernel would be called `{launcher}`, as the type of a parameter is"),
            format_args!("give it another name: `#[vyre::kernel(launcher = {launcher}Kernel)]`"),
        );
        // Callers find a launcher all the same.
        launcher = Ident::new(&format!("__{launcher}"), launcher.span());
    }
    errors.unless(quote!(::core::mem::size_of::<#launcher>()));
    whole.then(|| Signature {
        surface: Surface {
            attributes: item
                .attrs
                .iter()
                .filter(|a| matches!(a.style, syn::AttrStyle::Outer) && !a.path().is_ident("expect"))
                .cloned()
                .collect(),
            visibility: item.vis.clone(),
            name,
            launcher,
            has_face: false,
            dimensions,
            block,
            cluster: None,
            parameters,
        },
        mutable,
    })
}

/// True if the type or element type of a parameter has this name.
fn is_type_of_parameter(item: &ItemFn, name: &Ident) -> bool {
    item.sig.inputs.iter().any(|input| match input {
        FnArg::Typed(typed) => match parameter::innermost(&typed.ty) {
            Type::Path(ty) => ty.qself.is_none() && ty.path.segments.len() == 1 && ty.path.segments[0].ident == *name,
            _ => false,
        },
        FnArg::Receiver(_) => false,
    })
}

/// Dimensions and block of a kernel: those given, else the default for the axes that it uses.
pub(crate) fn geometry(block: Option<&[u32]>, used: u32) -> (u32, [u32; 3]) {
    match (block, used) {
        (Some(&[x]), _) => (1, [x, 1, 1]),
        (Some(&[x, y]), _) => (2, [x, y, 1]),
        (Some(&[x, y, z]), _) => (3, [x, y, z]),
        (_, 2) => (2, [32, 8, 1]),
        (_, 3) => (3, [8, 8, 4]),
        _ => (1, [256, 1, 1]),
    }
}

/// `scale_add` as a type's name: `ScaleAdd`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for word in name.trim_start_matches("r#").split('_') {
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            camel.extend(first.to_uppercase());
        }
        camel.push_str(letters.as_str());
    }
    if camel.is_empty() || camel == "Self" {
        camel.push_str("Kernel");
    }
    camel
}

/// Refuses vyre's other attributes on a kernel, and removes them: they would expand the generated
/// code.
fn attributes(item: &mut ItemFn, errors: &mut Errors) {
    item.attrs.retain(|attribute| {
        let (fault, help) = match (is_kernel(attribute), is_device(attribute)) {
            (true, _) => ("this function is marked `#[vyre::kernel]` twice", "remove one of them"),
            (_, true) => (
                "a kernel cannot be a device function too",
                "call a device function from the kernel, and put `#[vyre::device]` on that",
            ),
            _ => return true,
        };
        errors.refuse_all(Code::RepeatedOption, attribute, fault, help);
        false
    });
}

fn qualifiers(item: &ItemFn, options: &Options, errors: &mut Errors) {
    let signature = &item.sig;
    unsupported::qualifiers(signature, "kernel", errors);
    if let Some(token) = &signature.constness {
        errors.refuse(
            Code::Qualifier,
            token.span,
            "a kernel is not a `const fn`",
            "remove `const`",
        );
    }
    if let Safety::Unsafe(token) = &signature.safety {
        errors.refuse(
            Code::Qualifier,
            token.span,
            "a kernel is not an `unsafe fn`",
            "remove `unsafe` here and mark the operations in the body instead",
        );
    }
    for parameter in &signature.generics.params {
        if !matches!(parameter, syn::GenericParam::Lifetime(_)) {
            if !options.has_unknown {
                errors.refuse_all(
                    Code::GenericKernel,
                    parameter,
                    "a generic kernel names its instances",
                    format_args!(
                        "write `#[vyre::kernel({} = [..])]`, with types such as `f32` or lengths such as `16`",
                        name_of(parameter)
                    ),
                );
            }
            // rustc would report the parameter at each use of the function.
            errors.repeat();
        }
    }
    if let Some(ty) = result(signature) {
        errors.refuse_all(
            Code::ReturnValue,
            ty,
            "a kernel returns nothing",
            "write results through a `&mut [T]` parameter",
        );
    }
}

/// The type that a function returns, unless that is `()`.
pub(crate) fn result(signature: &syn::Signature) -> Option<&Type> {
    match &signature.output {
        ReturnType::Type(_, ty) if !matches!(&**ty, Type::Tuple(tuple) if tuple.elems.is_empty()) => Some(ty),
        _ => None,
    }
}

/// The name of a generic parameter.
fn name_of(parameter: &syn::GenericParam) -> String {
    match parameter {
        syn::GenericParam::Type(parameter) => parameter.ident.to_string(),
        syn::GenericParam::Const(parameter) => parameter.ident.to_string(),
        syn::GenericParam::Lifetime(parameter) => parameter.lifetime.to_string(),
    }
}

#[cfg(test)]
mod tests;
