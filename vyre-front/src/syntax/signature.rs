//! The signature of a kernel: what it takes, and what callers see of it.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{FnArg, ItemFn, ReturnType, Safety, Type, parse_quote_spanned};

use super::instance::Instance;
use super::parameter::{NO_FUNCTION, ONE_KERNEL, binds_function};
use super::{launcher_name, parameter, unsupported};
use crate::editor;
use crate::errors::{Code, Errors};
use crate::options::{Options, refuse_unknown};
use crate::resolve::attributes::{is_device, is_kernel};
use crate::resolve::names::Names;
use crate::resolve::source_scan::Surroundings;
use crate::surface::{Surface, SurfaceParameter};

/// A signature as the body's reader needs it.
pub(crate) struct Signature {
    /// The interface. `dimensions` and `block` hold if the options say so.
    pub(crate) surface: Surface,
    /// For each parameter, whether the body may assign to it (`mut x: f32`).
    pub(crate) mutable: Vec<bool>,
    /// The names of parameters that were refused. With one of them no stub can be generated.
    pub(crate) refused: Vec<Ident>,
}

/// Reads the signature of `item` and removes `#[each]` from its parameters. `None` if what the body mentions cannot be
/// known from it.
pub(crate) fn read(item: &mut ItemFn, options: &Options, names: &Names, errors: &mut Errors) -> Option<Signature> {
    attributes(item, errors);
    qualifiers(item, options, errors);
    let mut parameters = Vec::new();
    let mut mutable = Vec::new();
    let mut refused = Vec::new();
    let name = item.sig.ident.clone();
    let is_conditional = item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
    let surroundings = (!is_conditional && !editor::is_here())
        .then(|| Surroundings::of(&name))
        .flatten();
    let generics: Vec<String> = item.sig.generics.type_params().map(|p| p.ident.to_string()).collect();
    let mut whole = true;
    let mut flags = Vec::new();
    for (at, input) in item.sig.inputs.iter_mut().enumerate() {
        // A generic type was refused where it is declared.
        if let FnArg::Typed(typed) = input
            && parameter::element_name(&typed.ty).is_some_and(|name| generics.contains(&name))
        {
            typed.attrs.retain(|attribute| !attribute.path().is_ident("each"));
            whole = false;
            continue;
        }
        match parameter::parameter(input, names, surroundings.as_ref(), errors) {
            Some((parameter, mutability)) => {
                let flag = parameter.flag();
                let is_known =
                    |it: &&SurfaceParameter| parameters.iter().any(|known: &SurfaceParameter| known.name == it.name);
                if let Some(repeated) = [Some(&parameter), flag.as_ref()].into_iter().flatten().find(is_known) {
                    let name = &repeated.name;
                    errors.refuse(
                        Code::RepeatedParameter,
                        name.span(),
                        format_args!("two parameters are called `{name}`"),
                        "rename one of them",
                    );
                    whole = false;
                    continue;
                }
                parameters.push(parameter);
                mutable.push(mutability);
                if let Some(flag) = flag {
                    let name = &flag.name;
                    flags.push((at, parse_quote_spanned!(name.span()=> #name: bool)));
                    parameters.push(flag);
                    mutable.push(false);
                }
            }
            None => match &*input {
                FnArg::Typed(typed) if generics.is_empty() => names_of(typed.pat.to_token_stream(), &mut refused),
                _ => whole = false,
            },
        }
    }
    for (at, flag) in flags.into_iter().rev() {
        item.sig.inputs.insert(at + 1, flag);
    }
    let (dimensions, block) = geometry(options.block.as_deref(), 1);
    if let Some((_, line)) = surroundings
        .as_ref()
        .and_then(|around| around.item(&["fn"], &name.to_string()))
        && line < name.span().start().line
    {
        errors.refuse(
            Code::LauncherName,
            name.span(),
            format_args!("the function of line {line} has the name of this kernel"),
            "rename one of them",
        );
        return None;
    }
    let mut launcher = options
        .launcher
        .clone()
        .unwrap_or_else(|| Ident::new(&camel_case(&name.to_string()), name.span()));
    if is_type_of_parameter(item, &launcher) {
        // The type of a parameter that is refused goes.
        if !errors.has(Code::ParameterType) {
            errors.take(launcher_name::error(&launcher, "as the type of a parameter is", ""));
        }
        // Callers find a launcher all the same.
        launcher = format_ident!("__{}", launcher, span = launcher.span());
    } else if let Some(hidden) = surroundings.and_then(|around| launcher_name::hidden(&launcher, &around)) {
        errors.take(launcher_name::error(&launcher, &hidden, ""));
        // Several may be refused for the same name.
        launcher = format_ident!("__{}_{}", launcher, name, span = launcher.span());
    }
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
            dispatches: true,
            dimensions,
            block,
            cluster: None,
            min_blocks: None,
            parameters,
        },
        mutable,
        refused,
    })
}

/// The names that a pattern may bind.
fn names_of(pattern: TokenStream, names: &mut Vec<Ident>) {
    for token in pattern {
        match token {
            TokenTree::Ident(name) => names.push(name),
            TokenTree::Group(group) => names_of(group.stream(), names),
            _ => {}
        }
    }
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
pub fn camel_case(name: &str) -> String {
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

/// The fault and the help of a function with both attributes.
pub(crate) const DEVICE_TOO: (&str, &str) = (
    "a kernel cannot be a device function too",
    "call a device function from the kernel, and put `#[vyre::device]` on that",
);

/// Refuses vyre's other attributes on a kernel, and removes them: they would expand the generated
/// code.
fn attributes(item: &mut ItemFn, errors: &mut Errors) {
    item.attrs.retain(|attribute| {
        if attribute.path().is_ident("target_feature") {
            errors.refuse_all(
                Code::Qualifier,
                attribute,
                "a kernel has no features of the host's processor",
                "remove the attribute: the launcher is called anywhere",
            );
            return false;
        }
        let (fault, help) = match (is_kernel(attribute), is_device(attribute)) {
            (true, _) => ("this function is marked `#[vyre::kernel]` twice", "remove one of them"),
            (_, true) => DEVICE_TOO,
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
    let generics = signature.generics.params.iter();
    let generics: Vec<_> = generics
        .filter(|it| !matches!(it, syn::GenericParam::Lifetime(_)))
        .collect();
    let (given, unknown): (Vec<_>, Vec<_>) = options
        .unknown
        .iter()
        .partition(|(name, _)| generics.iter().any(|parameter| name == &name_of(parameter)));
    let before = errors.count();
    unknown.iter().for_each(|(name, _)| refuse_unknown(name, errors));
    for parameter in &generics {
        let name = name_of(parameter);
        let given = given.iter().find(|(option, _)| option == &name);
        if takes_function(parameter, &signature.generics) {
            errors.refuse_all(Code::GenericKernel, parameter, NO_FUNCTION, ONE_KERNEL);
            continue;
        }
        let Some(instance) = Instance::of(parameter) else {
            errors.refuse_all(
                Code::GenericKernel,
                parameter,
                "a constant parameter of a kernel is an integer or a `bool`",
                "write such a type, or pass the value as a parameter of the kernel",
            );
            continue;
        };
        if let Some((option, value)) = given {
            instance.refuse(option, value.as_ref(), errors);
        } else if unknown.is_empty() && !errors.has(Code::UnreadableOptions) {
            errors.refuse_all(
                Code::GenericKernel,
                parameter,
                "a generic kernel names its instances",
                format_args!(
                    "write `#[vyre::kernel({name} = [{}])]`, with {}",
                    instance.examples, instance.several
                ),
            );
        }
    }
    if let (Some(first), true) = (generics.first(), before == 0 && errors.count() == before) {
        let help = "write several kernels around a `#[vyre::device]` function";
        errors.refuse_all(Code::GenericKernel, first, "a kernel has at most 64 instances", help);
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

/// True if a parameter is a reference with a lifetime that the function does not declare.
pub(crate) fn lacks_lifetime(signature: &syn::Signature) -> bool {
    signature.inputs.iter().any(|input| {
        let FnArg::Typed(input) = input else { return false };
        let Type::Reference(reference) = &*input.ty else {
            return false;
        };
        let is_known = |name: &syn::Lifetime| {
            let mut declared = signature.generics.lifetimes();
            ["_", "static"].iter().any(|known| name.ident == known) || declared.any(|it| it.lifetime == *name)
        };
        reference.lifetime.as_ref().is_some_and(|name| !is_known(name))
    })
}

/// True if a generic parameter is the type of a function.
fn takes_function(parameter: &syn::GenericParam, generics: &syn::Generics) -> bool {
    let syn::GenericParam::Type(parameter) = parameter else {
        return false;
    };
    let clauses = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let mut clauses = clauses.filter_map(|clause| match clause {
        syn::WherePredicate::Type(clause) => Some(clause),
        _ => None,
    });
    binds_function(&parameter.bounds)
        || clauses.any(|clause| {
            matches!(&clause.bounded_ty, Type::Path(path) if path.path.is_ident(&parameter.ident))
                && binds_function(&clause.bounds)
        })
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
