//! The whole way of an attribute, from the tokens of its item to those that stand in its place.

pub(crate) mod device_module;
pub(crate) mod generic_kernels;

use std::rc::Rc;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Item, Visibility};
use vyre_core::validate;

use crate::driver;
use crate::errors::{self, Code};
use crate::generate::{self, Embedding, host_constant};
use crate::resolve::attributes;
use crate::resolve::chains::{self, Errand};
use crate::resolve::names::Names;
use crate::resolve::transport::Carried;
use crate::rustc::{constant_value, function_marks, source_scan};
use crate::surface::{Lowered, Rejected};

/// Expands `#[vyre::kernel(options)] item`.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    if source_scan::in_impl(Span::call_site()) {
        let help = "move it out: its launcher is an item of its own";
        let error = in_impl(&item, "a kernel cannot stand in an `impl` or a `trait`", help);
        return quote!(#error #item);
    }
    if let Some(items) = generic_kernels::instances(&options, &item) {
        return items;
    }
    let errand = Errand::new("kernel", options, item);
    go_on(errand, &Names::of_attribute())
}

/// Expands `#[vyre::device(options)] item`.
pub fn device(options: TokenStream, item: TokenStream) -> TokenStream {
    if source_scan::in_impl(Span::call_site()) {
        let help = "put the type and its `impl` into a module, `#[vyre::device] mod geometry { .. }`";
        let error = in_impl(&item, "a device function cannot stand in an `impl` or a `trait`", help);
        return quote!(#error #item);
    }
    let errand = Errand::new("device", options, item.clone());
    let beside = go_on(errand, &Names::of_attribute());
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Mod(item)) => device_module::marked(device_module::with(item, beside)).to_token_stream(),
        Ok(defined @ (Item::Struct(_) | Item::Enum(_))) => {
            let defined = generate::definition::marked(defined);
            quote!(#defined #beside)
        }
        Ok(Item::Type(_)) => quote!(#item #beside),
        Ok(Item::Fn(_)) => {
            let (lints, marked) = (generate::device::lints(), function_marks::marked(item));
            quote!(#lints #marked #beside)
        }
        _ => {
            let lints = generate::device::lints();
            quote!(#lints #item #beside)
        }
    }
}

/// Expands `#[vyre::constant(options)] item`.
pub fn constant(options: TokenStream, item: TokenStream) -> TokenStream {
    let marked = match syn::parse2::<Item>(item.clone()) {
        Ok(of) => match (host_constant::refused(&of), &of) {
            (None, Item::Static(of)) => attributes::host_constant(of),
            (error, _) => {
                let error = error.map(|error| error.to_compile_error());
                return quote!(#error #item);
            }
        },
        // rustc cannot read it either, and says so.
        Err(_) => return item,
    };
    let errand = Errand::new("constant", options, marked.into_token_stream());
    let beside = go_on(errand, &Names::of_attribute());
    quote!(#item #beside)
}

fn in_impl(item: &TokenStream, fault: &str, help: &str) -> TokenStream {
    let mut tokens = item.clone().into_iter();
    let name = tokens
        .find(|token| token.to_string() == "fn")
        .and_then(|_| tokens.next())
        .map_or_else(Span::call_site, |name| name.span());
    errors::diagnostic(Code::InImpl, name, fault, help).to_compile_error()
}

/// Expands the end of a chain of macros, which have brought what an item mentions.
pub fn carried(tokens: TokenStream) -> TokenStream {
    let Some((errand, carried, heads)) = arrived(tokens) else {
        let error = errors::internal(Span::call_site(), "a chain of macros has brought what nobody sent");
        return error.to_compile_error();
    };
    let paths = errand.paths.iter().cloned().zip(heads).collect();
    go_on(errand, &Names::carried(Rc::new(carried), paths))
}

/// Reads the tokens of a chain's end: `@vyre [] {gathered} { kind {options} {item} [paths] }`.
fn arrived(tokens: TokenStream) -> Option<(Errand, Carried, Vec<Option<u64>>)> {
    let mut groups = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    let (_, gathered, errand) = (groups.next()?, groups.next()?, groups.next()?);
    let mut parts = errand.stream().into_iter();
    let kind = match parts.next()?.to_string().as_str() {
        "kernel" => "kernel",
        "constant" => "constant",
        _ => "device",
    };
    let mut groups = parts.filter_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    let (options, item) = (groups.next()?, groups.next()?);
    let paths = groups.next()?.into_iter();
    let paths = paths
        .map(|path| path.to_string().trim_matches('"').to_owned())
        .collect();
    let (carried, heads) = Carried::gather(gathered.clone())?;
    let errand = Errand {
        kind,
        options,
        item,
        paths,
        gathered,
    };
    Some((errand, carried, heads))
}

/// Does what a chain is run for, or runs it on for what is still wanted.
fn go_on(errand: Errand, names: &Names) -> TokenStream {
    if errand.kind != "kernel" {
        return beside(errand, names);
    }
    match kernel(errand.options.clone(), errand.item.clone(), names, Embedding::Literal) {
        Ok(kernel) => kernel.tokens,
        Err(rejected) if rejected.is_waiting() => {
            let Some(surface) = rejected.surface else {
                return TokenStream::new();
            };
            let face = match surface.has_face {
                true => TokenStream::new(),
                false => generate::face(&surface),
            };
            let chain = chains::chain(errand, &rejected.wanted, &surface.attributes, None);
            quote!(#face #chain)
        }
        Err(rejected) => generate::stub(&rejected),
    }
}

/// What stands beside a device item: what rustc checks of it, and the macro that carries it.
fn beside(errand: Errand, names: &Names) -> TokenStream {
    if !errand.options.is_empty() {
        let error = syn::Error::new_spanned(&errand.options, "");
        let error = errors::diagnostic(
            Code::UnknownOption,
            error.span(),
            format_args!("`#[vyre::{}]` has no options", errand.kind),
            format_args!("write `#[vyre::{}]`", errand.kind),
        );
        return error.to_compile_error();
    }
    let mut item = match syn::parse2::<Item>(errand.item.clone()) {
        Ok(item) => item,
        // rustc cannot read it either, and says so of the item itself.
        Err(_) => return TokenStream::new(),
    };
    if let Item::Mod(item) = &item {
        return device_module::beside(item, errand, names);
    }
    let outcome = match &item {
        Item::Struct(_) | Item::Enum(_) | Item::Type(_) => driver::device::definition(&item, names).map(Some),
        _ => Ok(None),
    };
    let (definition, mut checked, rejected) = match outcome {
        Ok(Some(definition)) => (Some(definition), TokenStream::new(), None),
        Ok(None) => {
            let (checked, rejected) = device_item(&mut item, errand.item.clone(), names);
            (None, checked, rejected)
        }
        Err(rejected) => (None, generate::device::guard(&item, &rejected), Some(rejected)),
    };
    let mut errors = TokenStream::new();
    if let Some(rejected) = &rejected {
        for error in &rejected.errors {
            errors.extend(error.to_compile_error());
        }
    }
    let Some((name, visibility, attributes)) = parts(&mut item) else {
        return errors;
    };
    if let Some(rejected) = &rejected
        && rejected.is_waiting()
    {
        return chains::chain(errand, &rejected.wanted, &attributes, Some(&name));
    }
    let is_refused = rejected.is_some();
    let travelling = match rejected {
        None => item.to_token_stream(),
        Some(_) => TokenStream::new(),
    };
    let mut key = names.key_of(&name, &travelling, &errand.paths);
    if let ("constant", Item::Const(item)) = (errand.kind, &item) {
        key = host_constant::own_key(key);
        checked.extend(match is_refused {
            true => host_constant::stub(item),
            false => host_constant::setter(item, key),
        });
    }
    let bundle = names.bundle(key, &travelling, &errand.paths);
    match definition {
        Some(definition) => {
            if let Ok(whole) = syn::parse2(errand.item) {
                checked = generate::definition::checks(&whole, &definition, key);
            }
        }
        None if is_refused => checked.extend(generate::definition::stub(&item)),
        None => {}
    }
    let carrier = chains::carrier(&name, key, &visibility, &attributes, &bundle);
    quote!(#errors #checked #carrier)
}

/// The name, visibility and attributes of a device item, which loses those that do not travel.
fn parts(item: &mut Item) -> Option<(Ident, Visibility, Vec<Attribute>)> {
    let (name, visibility, attributes) = match item {
        Item::Fn(item) => (&item.sig.ident, &item.vis, &mut item.attrs),
        Item::Const(item) => (&item.ident, &item.vis, &mut item.attrs),
        Item::Struct(item) => (&item.ident, &item.vis, &mut item.attrs),
        Item::Enum(item) => (&item.ident, &item.vis, &mut item.attrs),
        Item::Type(item) => (&item.ident, &item.vis, &mut item.attrs),
        _ => return None,
    };
    let all = attributes.clone();
    // What decides the layout and the meaning of `==`.
    let travels = ["repr", "derive", "vyre_host"];
    attributes.retain(|attribute| travels.iter().any(|name| attribute.path().is_ident(name)));
    Some((name.clone(), visibility.clone(), all))
}

/// A kernel that has been compiled.
pub(crate) struct Kernel {
    /// What stands in its place.
    pub(crate) tokens: TokenStream,
    /// Its PTX, with placeholders for constants that rustc supplies.
    #[cfg_attr(not(feature = "compile"), allow(dead_code, reason = "build scripts write it"))]
    pub(crate) ptx: String,
}

/// Reads, checks, compiles and generates a kernel.
pub(crate) fn kernel(
    options: TokenStream,
    item: TokenStream,
    names: &Names,
    embedding: Embedding,
) -> Result<Kernel, Box<Rejected>> {
    let lowered = driver::kernel(options, item, names)?;
    let name = lowered.surface.name.span();
    let compiled = match validate::validate(&lowered.program) {
        Ok(valid) => match vyre_core::compile(&valid, &Default::default()) {
            Ok(module) => Ok(Kernel {
                tokens: generate::embedding(&lowered, &valid, &module, embedding),
                ptx: module.ptx,
            }),
            Err(error) => Err(vec![errors::too_large(&error, name)]),
        },
        Err(invalid) => Err(invalid
            .iter()
            .map(|invalid| errors::invalid(invalid, &lowered.program, place(&lowered, invalid.span)))
            .collect()),
    };
    compiled.map_err(|errors| {
        Box::new(Rejected {
            surface: Some(lowered.surface),
            checked: lowered.checked,
            elsewhere: false,
            wanted: Vec::new(),
            note: None,
            errors,
        })
    })
}

/// What rustc checks of a device item, and what is wrong with it. `tokens` are those of the item, whose
/// spans syn has not touched. A constant that had to be run becomes its value, so that nobody runs it again.
pub(crate) fn device_item(item: &mut Item, tokens: TokenStream, names: &Names) -> (TokenStream, Option<Box<Rejected>>) {
    match item {
        Item::Fn(function) => {
            let outcome = driver::device(tokens, names);
            (generate::device::function(function, names, &outcome), outcome.err())
        }
        Item::Const(constant) => match driver::device::constant(constant, names) {
            Ok(value) => {
                let name = constant.ident.to_token_stream();
                let checked = constant_value::of_item(&name, &constant.attrs, value.cell, &value.bits);
                if let Some(literal) = value.literal {
                    *constant.expr = syn::Expr::Verbatim(literal);
                }
                (checked, None)
            }
            Err(rejected) => (generate::device::guard(item, &rejected), Some(rejected)),
        },
        _ => (TokenStream::new(), Some(driver::device::no_device(item))),
    }
}

/// Where a place of the program stands in the user's tokens: at the kernel's name where it is not known.
pub(crate) fn place(lowered: &Lowered, place: vyre_core::ir::Span) -> proc_macro2::Span {
    if place.is_some() {
        lowered.spans.get(place)
    } else {
        lowered.surface.name.span()
    }
}
