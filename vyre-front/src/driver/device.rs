//! Device items: their errors are reported at their definition.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{GenericParam, Item, ItemConst, ItemFn, ItemStruct, Type};
use vyre_ir::ir::Constant as Scalar;
use vyre_ir::ir::limits::MAX_PARAMETERS;

use super::{PASSES, const_eval, rejected};
use crate::code;
use crate::errors::Rejected;
use crate::errors::{Code, Errors};
use crate::resolve::names::Names;
use crate::resolve::{attributes, declared, transport};
use crate::rustc::{generic_probe, name_probe, type_tokens, type_witness};
use crate::surface::{Primitive, SurfaceParameter};
use crate::syntax::bundle::is_bundle;
use crate::syntax::endless;
use crate::syntax::parameter::NO_UNION;
use crate::syntax::signature::lacks_lifetime;
use crate::syntax::tree::{Constant, Tree};
use crate::types::adt::Form;
use crate::types::{Kind, Ty};
use crate::{infer, syntax};

/// The help of an `impl` for slices.
pub(crate) const FUNCTION_OF_SLICES: &str =
    "write a function that takes the slice: `#[vyre::device] fn total(x: &[f32]) -> f32 { .. }`";

/// Reads the device function `item`, and returns it with witnesses, for rustc to check.
///
/// Never panics. Errors in its callees are reported at the callees.
pub fn device(item: TokenStream, names: &Names) -> Result<TokenStream, Box<Rejected>> {
    calling(item, names, &mut Vec::new())
}

/// As [`device`], with the keys and call sites of its callees.
pub(crate) fn calling(
    item: TokenStream,
    names: &Names,
    calls: &mut Vec<(u64, Span)>,
) -> Result<TokenStream, Box<Rejected>> {
    let mut errors = Errors::default();
    let body = type_witness::body_of(&item);
    let function: ItemFn = match syn::parse2(item) {
        Ok(function) => function,
        Err(error) => {
            errors.refuse(
                Code::NotAFunction,
                error.span(),
                format_args!("cannot read this as a function: {error}"),
                "`#[vyre::device]` goes on a function with a body",
            );
            return Err(rejected(None, TokenStream::new(), errors));
        }
    };
    let is_generic = |parameter: &GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
    let generic = syntax::named(&function);
    let is_generic = generic.sig.generics.params.iter().any(is_generic);
    let mut tree = syntax::function(&PASSES, &generic, names, None, &mut errors);
    // Only instances of a generic function can be typed.
    if tree.wanted.is_empty() && !is_generic {
        infer::infer(&mut tree, &mut errors);
    }
    for callee in &tree.calls {
        calls.push((callee.key, callee.span));
    }
    name_probe::explain(&tree, &mut errors);
    let mut beside = TokenStream::new();
    if is_generic && errors.is_empty() && tree.wanted.is_empty() {
        let mut scratch = Errors::default();
        let mut general = syntax::polymorphic(&PASSES, &generic, names, &mut scratch);
        infer::polymorphic(&mut general, &mut scratch);
        beside = generic_probe::probes(&general, &generic.sig.generics, &mut errors);
        calls.extend(again(&general, &generic));
        errors.append_code(scratch, Code::UnsupportedMethod);
    }
    accepted(&mut tree, errors)?;
    // rustc says of a lifetime that is not declared that a macro has made the copy.
    if is_generic && tree.obligations.is_empty() && beside.is_empty() || lacks_lifetime(&function.sig) {
        return Ok(TokenStream::new());
    }
    let checked = match body {
        Some(body) => type_witness::witnessed(&tree, &function, body, beside),
        None => function.block.to_token_stream(),
    };
    Ok(type_witness::silent(&function, checked))
}

/// The calls that a generic function makes with its own parameters, whatever those are.
fn again(general: &Tree, function: &ItemFn) -> Vec<(u64, Span)> {
    let mut own = Vec::new();
    for parameter in function.sig.generics.type_params() {
        own.push(parameter.ident.to_string());
    }
    let mut calls = Vec::new();
    for callee in &general.calls {
        let mut names = Vec::new();
        for &argument in &callee.instance.arguments {
            names.push(
                general
                    .placeholder(argument)
                    .map_or_else(String::new, |it| it.path.to_string()),
            );
        }
        if names == own {
            calls.push((callee.key, callee.span));
        }
    }
    calls
}

/// The value of a device constant.
pub(crate) struct Value {
    /// The type of its scalars.
    pub(crate) cell: Primitive,
    /// Their bits, in order of memory.
    pub(crate) bits: Vec<u64>,
    /// The value as an expression, where that of the constant is one to run.
    pub(crate) literal: Option<TokenStream>,
}

/// Computes the value of a device constant.
pub(crate) fn constant(item: &ItemConst, names: &Names) -> Result<Value, Box<Rejected>> {
    let mut errors = Errors::default();
    let (mut tree, number) = syntax::constant(&PASSES, item, names, &mut errors);
    let cell = number.and_then(|number| cell(&tree, tree.constants[number].ty));
    if let (Some(number), Some(cell), true) = (number, cell, item.attrs.iter().any(attributes::is_host_mark)) {
        let Constant { ty, values, .. } = &tree.constants[number];
        let bytes = values.len() as u64 * u64::from(cell.scalar().size());
        let fault = match tree.types.kind(*ty) {
            Kind::Array(..) if cell.is_wide() => Some((
                format!("a constant that the host sets has no elements of `{}`", cell.name()),
                "write it as arrays of two `u64`",
            )),
            Kind::Array(..) if bytes <= MAX_PARAMETERS => None,
            Kind::Array(..) => Some((
                format!("the host sets constants of up to {MAX_PARAMETERS} bytes, and this one has {bytes}"),
                "pass a slice to the kernel",
            )),
            _ => Some((
                "a constant that the host sets is an array of scalars".to_owned(),
                "pass a single scalar as a parameter of the kernel, or write `[f32; 1]`",
            )),
        };
        if let Some((fault, help)) = fault {
            errors.refuse_all(Code::ConstantForm, &item.ty, fault, help);
        }
    }
    if let (Some(_), None, true) = (number, cell, tree.wanted.is_empty() && errors.is_empty()) {
        errors.refuse_all(
            Code::ConstantForm,
            &item.ty,
            "a device constant is a scalar, or an array of scalars",
            "write one constant for each part",
        );
    }
    accepted(&mut tree, errors)?;
    match (number, cell) {
        (Some(number), Some(cell)) => {
            let Constant {
                ty, values, computed, ..
            } = &tree.constants[number];
            let numbers = tree.types.numbers(*ty).filter(|_| *computed);
            Ok(Value {
                cell,
                literal: numbers.map(|(_, lengths)| const_eval::literal(cell, &lengths, values)),
                bits: values.clone(),
            })
        }
        // The reason for a missing value has been reported.
        _ => Err(rejected(None, TokenStream::new(), Errors::default())),
    }
}

/// The value of a constant that is a number or an array of numbers; `None` where it is none, or where
/// vyre does not compute it.
pub(crate) fn number(item: &ItemConst, names: &Names) -> Option<(Primitive, Vec<u64>)> {
    constant(item, names).ok().map(|value| (value.cell, value.bits))
}

/// A struct, enum or alias of the device whose definition is good.
pub(crate) struct Definition {
    /// True if buffers may hold it.
    pub(crate) is_element: bool,
    /// The tag of each field's type, or of the type that an alias names.
    pub(crate) tags: Vec<code::Code>,
    /// The value of each variant.
    pub(crate) discriminants: Vec<i128>,
    /// The fields of a struct of slices.
    pub(crate) bundle: Option<Vec<SurfaceParameter>>,
}

/// Checks the definition of a struct, enum or alias.
pub(crate) fn definition(item: &Item, names: &Names) -> Result<Definition, Box<Rejected>> {
    let mut errors = Errors::default();
    if let Some(error) = endless::error(item) {
        match endless::is_in_place(item) && !names.complete {
            true => errors.elsewhere(),
            false => errors.take(error),
        }
        return Err(rejected(None, TokenStream::new(), errors));
    }
    if let (Item::Struct(of), true) = (item, is_bundle(item)) {
        return bundle(of, names, errors);
    }
    let (mut tree, ty, bound) = syntax::definition(&PASSES, item, names, &mut errors);
    accepted(&mut tree, errors)?;
    let types = &tree.types;
    let mut definition = Definition {
        is_element: true,
        tags: Vec::new(),
        discriminants: Vec::new(),
        bundle: None,
    };
    let mut fields = Vec::new();
    match (item, types.adt(ty)) {
        (Item::Type(_), _) => fields.push(ty),
        (_, Some(of)) => {
            definition.is_element = types.is_field(ty);
            let cell = match of.form {
                Form::Fieldless { cell, .. } => Some(cell),
                _ => of.tag,
            };
            if let Some(cell) = cell {
                for variant in &of.variants {
                    let value = Scalar::new(cell.scalar(), variant.bits).as_i128();
                    definition.discriminants.push(value);
                }
            }
            for variant in &of.variants {
                for field in &variant.fields {
                    fields.push(field.ty);
                }
            }
        }
        _ => {}
    }
    for field in fields {
        definition.tags.extend(type_tokens::tag_of(types, field, &bound));
    }
    Ok(definition)
}

/// Checks the definition of a struct of slices.
fn bundle(item: &ItemStruct, names: &Names, mut errors: Errors) -> Result<Definition, Box<Rejected>> {
    let (mut tree, fields) = syntax::bundle::definition(&PASSES, item, names, &mut errors);
    accepted(&mut tree, errors)?;
    let (mut tags, mut bundle) = (Vec::new(), Vec::new());
    for (field, ty) in fields {
        tags.push(type_tokens::tag_of_field(&tree.types, ty).unwrap_or_default());
        bundle.push(field);
    }
    Ok(Definition {
        is_element: false,
        tags,
        discriminants: Vec::new(),
        bundle: Some(bundle),
    })
}

/// Refuses an item that does not travel.
pub(crate) fn no_device(item: &Item) -> Box<Rejected> {
    let mut errors = Errors::default();
    let (fault, help) = match item {
        Item::Union(_) => ("a union is no type of kernels", NO_UNION),
        Item::Static(of) => {
            declared::declare(&of.ident);
            (
                "`#[vyre::device]` does not apply to a static",
                "write a `const`; a static that the host sets is marked `#[vyre::constant]`",
            )
        }
        Item::Impl(of) => {
            let help = match &*of.self_ty {
                Type::Slice(_) => FUNCTION_OF_SLICES,
                _ => {
                    "put the type and its `impl` into a module, `#[vyre::device] mod geometry { .. }`, and `use` the type from there"
                }
            };
            ("`#[vyre::device]` does not apply to an `impl` alone", help)
        }
        _ => (
            "`#[vyre::device]` does not apply to this item",
            "it applies to functions, constants, structs, enums, type aliases, and to modules of types with their `impl`s",
        ),
    };
    errors.refuse_all(Code::DeviceItem, item, fault, help);
    rejected(None, TokenStream::new(), errors)
}

/// The scalar of a scalar, an array, an array of arrays.
fn cell(tree: &Tree, ty: Ty) -> Option<Primitive> {
    match tree.types.kind(ty) {
        Kind::Primitive(primitive) => Some(*primitive),
        Kind::Array(element, _) => cell(tree, *element),
        _ => None,
    }
}

fn accepted(tree: &mut Tree, errors: Errors) -> Result<(), Box<Rejected>> {
    if errors.is_empty() && tree.wanted.is_empty() {
        return Ok(());
    }
    let mut rejected = rejected(None, TokenStream::new(), errors);
    rejected.wanted = transport::distinct(std::mem::take(&mut tree.wanted));
    Err(rejected)
}
