//! `#[vyre::device] mod geometry { .. }`: device types with their methods.
//!
//! An attribute on a type cannot see its `impl`s. So they are in one module, which is carried as a
//! whole to the uses of its items: see [`transport`](crate::resolve::transport).

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Attribute, FnArg, GenericParam, ImplItem, Item, ItemConst, ItemFn, ItemImpl, ItemMod, ItemTrait, Path,
    PathArguments, Type, Visibility, parse_quote,
};

use super::device_item::missing;
use crate::check::recursion;
use crate::driver::{self, device::FUNCTION_OF_SLICES};
use crate::editor;
use crate::errors::{self, Code, Diagnostic, Errors};
use crate::errors::{Note, Rejected};
use crate::generate::{self, definition};
use crate::resolve::attributes::{is_device, is_kernel};
use crate::resolve::chains::{self, Errand};
use crate::resolve::impls::{self, Behaviour};
use crate::resolve::items::{attributes, named};
use crate::resolve::names::{Names, plain};
use crate::resolve::source_scan::Surroundings;
use crate::resolve::{trait_marker, transport};
use crate::rustc::{constant_value, function_marks};

/// Traits of the standard library that do nothing on a device.
const OF_HOST: [&str; 18] = words![
    AsRef Binary Borrow Debug Deref DerefMut Display Drop Error Extend FromIterator FromStr Hash Hasher IntoIterator
    Iterator LowerExp ToString
];

/// The module unchanged, with `beside` after the user's items.
pub(crate) fn with(mut module: ItemMod, beside: TokenStream) -> ItemMod {
    module.attrs.push(lints());
    if let Some((_, items)) = &mut module.content {
        for item in items.iter_mut() {
            unmark(item);
            if let Item::Struct(_) | Item::Enum(_) = item {
                *item = definition::marked(item.clone());
            }
        }
        if !beside.is_empty() {
            items.push(Item::Verbatim(beside));
        }
    }
    module
}

/// The module with functions that are known for those of the device.
pub(crate) fn marked(mut module: ItemMod) -> ItemMod {
    if editor::is_here() {
        return module;
    }
    for item in module.content.iter_mut().flat_map(|(_, items)| items) {
        if let Item::Fn(function) = item
            && !function.attrs.iter().any(is_kernel)
        {
            *item = Item::Verbatim(function_marks::marked(function.to_token_stream()));
        } else if let Item::Trait(item) = item {
            trait_marker::marked(item);
        }
    }
    module
}

fn lints() -> Attribute {
    let lints = generate::device::lints();
    parse_quote!(#lints)
}

/// Takes `#[vyre::device]` off an item: all of the module are marked.
pub(crate) fn unmark(item: &mut Item) {
    if let Some(attributes) = attributes(item) {
        attributes.retain(|attribute| !is_device(attribute));
    }
}

/// The tokens after the user's items of a module: the assertions for rustc, and the macros that
/// carry the module; or a chain of macros that collects the items that it mentions.
pub(super) fn beside(item: &ItemMod, errand: Errand, names: &Names) -> TokenStream {
    let Some((_, items)) = &item.content else {
        // rustc refuses it too, in its own words.
        let fault = "a device module is written inline, with its items in braces";
        let help = format!(
            "write its items here, `#[vyre::device] mod {0} {{ .. }}`, or only `mod {0};`, and put the attribute on each item \
             in its file",
            item.ident
        );
        let span = item.ident.span();
        return generate::late_guard(&Note::late(errors::diagnostic(Code::DeviceItem, span, fault, help))).into();
    };
    let travelling = travelling(item);
    let key = names.key_of(&item.ident, &travelling, &errand.paths);
    let mut checked = check(items, &names.of_module(item, key));
    if checked.errors.is_empty() && !checked.wanted.is_empty() && !checked.elsewhere {
        let wanted = transport::distinct(std::mem::take(&mut checked.wanted));
        let lacks = |name: &Ident| Surroundings::of(name).is_some_and(|around| around.lacks(&plain(name)));
        let Some(note) = (!editor::is_here()).then(|| missing(&wanted, &lacks)).flatten() else {
            return chains::chain(errand, &wanted, &[], &[], Some(&item.ident));
        };
        // rustc says so of the module itself.
        checked.tokens = generate::late_guard(&note).into();
        checked.is_refused = true;
    }
    let errors = checked.errors.iter().map(Diagnostic::to_compile_error);
    let mut tokens: TokenStream = errors.collect();
    tokens.extend(checked.tokens);
    let travelling = match checked.is_refused {
        false => travelling,
        true => TokenStream::new(),
    };
    let bundle = names.bundle(key, &travelling, &errand.paths);
    let names = names.of_module(item, key);
    for (name, visibility) in carried(items) {
        let of_item = names.key(&name.to_string());
        let bundle = transport::member(of_item, name, key, &bundle);
        tokens.extend(chains::carrier(name, of_item, visibility, &[], &bundle));
    }
    tokens
}

/// The items that travel, without attributes that say nothing to vyre.
fn travelling(module: &ItemMod) -> TokenStream {
    let (name, mut travelling) = (&module.ident, TokenStream::new());
    for item in module.content.iter().flat_map(|(_, items)| items) {
        let travels = match item {
            Item::Fn(item) => !item.attrs.iter().any(is_kernel),
            Item::Const(_) | Item::Enum(_) | Item::Impl(_) | Item::Struct(_) | Item::Trait(_) | Item::Type(_) => true,
            Item::Use(_) => true,
            _ => false,
        };
        if !travels {
            continue;
        }
        let mut item = item.clone();
        if let Some(attributes) = attributes(&mut item) {
            attributes.retain(|attribute| ["repr", "derive"].iter().any(|name| attribute.path().is_ident(name)));
        }
        if let Item::Trait(item) = &mut item {
            trait_marker::marked(item);
        }
        item.to_tokens(&mut travelling);
    }
    quote!(mod #name { #travelling })
}

/// The items of a module that travel by their names.
pub(super) fn carried(items: &[Item]) -> impl Iterator<Item = (&Ident, &Visibility)> {
    let is_kernel = |item: &&Item| matches!(item, Item::Fn(item) if item.attrs.iter().any(is_kernel));
    items.iter().filter(move |item| !is_kernel(item)).filter_map(named)
}

/// The outcome of checking the items of a module.
#[derive(Default)]
pub(crate) struct Checked {
    /// The assertions for rustc.
    pub(crate) tokens: TokenStream,
    pub(crate) errors: Vec<Diagnostic>,
    /// The paths of what must be carried here first.
    wanted: Vec<Path>,
    elsewhere: bool,
    is_refused: bool,
    /// The call graph.
    functions: Vec<recursion::Function>,
}

impl Checked {
    fn add(&mut self, tokens: TokenStream, rejected: Option<Box<Rejected>>) {
        self.tokens.extend(tokens);
        let Some(rejected) = rejected else { return };
        self.is_refused |= !rejected.is_waiting();
        self.errors.extend(rejected.errors);
        self.wanted.extend(rejected.wanted);
        self.elsewhere |= rejected.elsewhere;
    }

    fn refuse(&mut self, code: Code, at: &impl ToTokens, fault: &str, help: &str) {
        self.errors.push(errors::spanned(code, at, fault, help));
        self.is_refused = true;
    }
}

/// Checks the items of a module, which sees `names`.
pub(crate) fn check(items: &[Item], names: &Names) -> Checked {
    let mut checked = Checked::default();
    let mut impls = 0;
    for item in items {
        let mut item = item.clone();
        if matches!(&item, Item::Fn(item) if item.attrs.iter().any(is_kernel)) {
            continue;
        }
        if let Some(attributes) = attributes(&mut item) {
            unconditional(attributes, &mut checked);
        }
        unmark(&mut item);
        match &item {
            // A type that is dropped is not `Copy`, which its checks would say too.
            Item::Struct(_) | Item::Enum(_) if is_dropped(&item, items) => {
                checked.tokens.extend(definition::stub(&item));
            }
            Item::Struct(_) | Item::Enum(_) | Item::Type(_) => defined(&item, names, &mut checked),
            Item::Fn(item) => {
                let key = names.key(&item.sig.ident.to_string());
                function(item.clone(), (key, None), names, &mut checked);
            }
            Item::Const(item) if item.ident != "_" => {
                constant(item, &item.ident.to_token_stream(), names, &mut checked)
            }
            Item::Impl(item) => {
                implementation(item, impls, names, &mut checked);
                impls += 1;
            }
            Item::Trait(item) => provided(item, names, &mut checked),
            _ => {}
        }
    }
    if checked.wanted.is_empty() {
        let mut errors = Errors::default();
        recursion::refuse(&checked.functions, &mut errors);
        checked.is_refused |= !errors.is_empty();
        checked.errors.extend(errors.into_parts().0);
    }
    checked
}

/// True if an `impl Drop` of a type is among these items.
fn is_dropped(item: &Item, items: &[Item]) -> bool {
    let name = named(item).map(|(name, _)| name);
    items.iter().any(|other| match (other, name) {
        (Item::Impl(of), Some(name)) => {
            let of_trait = of.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            of_trait.is_some_and(|last| last.ident == "Drop")
                && matches!(&*of.self_ty, Type::Path(path) if path.path.is_ident(name))
        }
        _ => false,
    })
}

fn unconditional(attributes: &[Attribute], checked: &mut Checked) {
    for attribute in attributes {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            checked.refuse(
                Code::TypeParts,
                attribute,
                "this `cfg` is not decided here: cargo tells a build script of the target and the features alone",
                "put `#[cfg]` on the whole module, and define it twice",
            );
        }
    }
}

fn defined(item: &Item, names: &Names, checked: &mut Checked) {
    let Some((name, _)) = named(item) else { return };
    match driver::device::definition(item, names) {
        Ok(definition) => checked.add(
            definition::checks(item, &definition, names.key(&name.to_string())),
            None,
        ),
        Err(rejected) if rejected.is_waiting() => checked.add(TokenStream::new(), Some(rejected)),
        Err(rejected) => {
            let mut tokens = generate::device::guard(item, &rejected);
            tokens.extend(definition::stub(item));
            checked.add(tokens, Some(rejected));
        }
    }
}

/// A constant that `path` names.
fn constant(item: &ItemConst, path: &TokenStream, names: &Names, checked: &mut Checked) {
    match driver::device::number(item, names) {
        Some((cell, values)) => checked.add(constant_value::of_item(path, &item.attrs, cell, &values), None),
        None => {
            let key = names.key(&item.ident.to_string());
            function(impls::as_function(item), (key, None), names, checked);
        }
    }
}

/// A function of a key, and of the type or trait that it belongs to.
fn function(function: ItemFn, of: (u64, Option<&str>), names: &Names, checked: &mut Checked) {
    let mut calls = Vec::new();
    let outcome = driver::device::calling(function.to_token_stream(), names, &mut calls);
    checked.functions.push(recursion::Function {
        key: of.0,
        name: impls::shown(of.1, &function),
        calls,
    });
    checked.add(generate::device::function(&function, names, &outcome), outcome.err());
}

/// The `impl` of a number.
fn implementation(item: &ItemImpl, number: usize, names: &Names, checked: &mut Checked) {
    if let Some((path, _)) = &item.trait_
        && path
            .segments
            .last()
            .is_some_and(|last| last.ident == "Index" || last.ident == "IndexMut")
    {
        return checked.refuse(
            Code::DeviceItem,
            path,
            "indexing yields a reference, and device functions return values",
            "write a method that returns the element, and one that sets it",
        );
    }
    if let Some((path, _)) = &item.trait_
        && let Some(last) = path.segments.last()
        && OF_HOST.iter().any(|known| last.ident == known)
    {
        return checked.refuse(
            Code::DeviceItem,
            path,
            &format!("`{}` is not supported on a device", last.ident),
            match last.ident == "Drop" {
                true => "leave it out: types of the device are copied, and never dropped",
                false => "move this `impl` out of the module",
            },
        );
    }
    let named = matches!(&*item.self_ty, Type::Path(path) if path.qself.is_none());
    let is_all =
        |parameter: &syn::TypeParam| matches!(&*item.self_ty, Type::Path(path) if path.path.is_ident(&parameter.ident));
    if !named || item.generics.type_params().any(is_all) {
        let help = match &*item.self_ty {
            Type::Slice(_) => FUNCTION_OF_SLICES,
            Type::Reference(_) => "write it for the type itself: values are copied, `*a + *b`",
            _ => "write one for each type",
        };
        return checked.refuse(
            Code::DeviceItem,
            &item.self_ty,
            "an `impl` in a device module is of a struct, an enum or a scalar",
            help,
        );
    }
    if let Some(lifetime) = item.generics.lifetimes().next() {
        return checked.refuse(
            Code::DeviceItem,
            lifetime,
            "an `impl` in a device module has no lifetimes",
            "leave them out: device types hold no references",
        );
    }
    for member in &item.items {
        let attributes = match member {
            syn::ImplItem::Fn(it) => &it.attrs,
            syn::ImplItem::Const(it) => &it.attrs,
            syn::ImplItem::Type(it) => &it.attrs,
            other => {
                checked.refuse(
                    Code::DeviceItem,
                    other,
                    "an `impl` in a device module has functions, constants and types",
                    "write it out",
                );
                continue;
            }
        };
        unconditional(attributes, checked);
    }
    let behaviour = Behaviour::of_impl(item);
    let of = behaviour.of();
    let is_generic = behaviour.parameters() > 0;
    let owner = impls::owner(of);
    for name in behaviour.names() {
        let text = plain(name);
        let key = impls::key_in_impl(names, number, &text);
        let constant = behaviour.constant(&text).filter(|_| !is_generic);
        match constant.and_then(|constant| driver::device::number(&constant, names)) {
            Some((cell, values)) => {
                let path = match &item.trait_ {
                    Some((path, _)) => quote!(<#of as #path>::#name),
                    None => quote!(<#of>::#name),
                };
                checked.add(constant_value::of_item(&path, &[], cell, &values), None);
            }
            None => {
                if let Some(it) = behaviour.function(&text) {
                    function(it, (key, Some(&owner)), names, checked);
                }
            }
        }
    }
    if let Some((path, _)) = &item.trait_ {
        own_of_trait(item, path, names, checked);
    }
}

/// An assertion that a type has no functions itself of the names that an `impl` of a trait has, which would be
/// meant by their paths. Of those that take `self` this is checked at calls, but for types with parameters, of which
/// nothing is known there.
fn own_of_trait(item: &ItemImpl, path: &Path, names: &Names, checked: &mut Checked) {
    let (of, (generics, _, clause)) = (&item.self_ty, item.generics.split_for_impl());
    let is_type = |parameter: &GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
    let takes_function = |input: &FnArg| match input {
        FnArg::Typed(typed) => matches!(&*typed.ty, Type::ImplTrait(_)),
        FnArg::Receiver(_) => false,
    };
    let mut checks = TokenStream::new();
    for member in &item.items {
        if let ImplItem::Fn(syn::ImplItemFn { sig, .. }) = member
            && sig.receiver().is_none()
            && !sig.generics.params.iter().any(is_type)
            && !sig.inputs.iter().any(takes_function)
        {
            let name = &sig.ident;
            checks.extend(quote_spanned!(name.span()=> ::vyre::__private::same(<#of>::#name, <#of as #path>::#name);));
        }
    }
    let last = path.segments.last();
    let span = last.map_or_else(Span::call_site, |last| last.ident.span());
    for mut name in impls::methods_of_trait(names, item) {
        name.set_span(span);
        checks.extend(
            quote_spanned!(span=> ::vyre::__private::example::of_trait(<#of as #path>::#name).is(<#of>::#name);),
        );
    }
    if !checks.is_empty() {
        let mut of_trait = path.clone();
        for segment in &mut of_trait.segments {
            segment.arguments = PathArguments::None;
        }
        let check = quote! {
            const _: () = {
                #[allow(warnings)]
                fn check #generics () #clause {
                    use #of_trait as _;
                    #checks
                }
            };
        };
        checked.add(check, None);
    }
}

fn provided(item: &ItemTrait, names: &Names, checked: &mut Checked) {
    if !item.generics.params.is_empty() {
        return checked.refuse(
            Code::DeviceItem,
            &item.generics,
            "a device trait has no parameters",
            "write one trait for each instance, or give it an associated type",
        );
    }
    let behaviour = Behaviour::of_trait(item);
    for name in behaviour.names() {
        let text = plain(name);
        if let Some(it) = behaviour.function(&text) {
            let key = impls::key_in_trait(names.key(&item.ident.to_string()), &text);
            function(it, (key, Some(&item.ident.to_string())), names, checked);
        }
    }
    // A supertrait that is the user's own must come along.
    let name = format_ident!("__{}", item.ident, span = Span::call_site());
    let bounds = &item.supertraits;
    if !bounds.is_empty() {
        function(parse_quote!(fn #name<__Self: #bounds>() {}), (0, None), names, checked);
    }
}
