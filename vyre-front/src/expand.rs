//! The expansion of an attribute: from the tokens of its item to their replacement.
//!
//! 1. rustc decides the `cfg` in an item ([`configured`]).
//! 2. A generic kernel becomes a kernel per instance ([`generic_kernels`]).
//! 3. The front end reads the item ([`driver`](crate::driver)). If it mentions items that are not
//!    available, it expands to a chain of macros that collects them
//!    ([`chains`](crate::resolve::chains)); the chain ends in [`carried`], which starts over here.
//! 4. A [`kernel`] is validated and compiled, and a launcher generated. A [`device_item`] or
//!    [`device_module`] is checked, and a macro that carries it is generated beside it.

mod configured;
pub(crate) mod device_item;
pub(crate) mod device_module;
pub(crate) mod generic_kernels;
pub(crate) mod kernel;
mod own_module;
mod placement;
mod unimported;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Item, StaticMutability};

use self::device_item::Beside;
pub use self::kernel::Compile;
use crate::errors::{Code, Diagnostic};
use crate::generate::{self, host_constant};
use crate::modules;
use crate::options;
use crate::resolve::attributes;
use crate::resolve::chains::{self, Errand};
use crate::resolve::names::Names;
use crate::syntax::signature::DEVICE_TOO;
use crate::{editor, errors, rustc};

/// Expands `#[vyre::kernel(options)] item`.
pub fn expand(options: TokenStream, item: TokenStream, compile: Compile) -> TokenStream {
    let look = errors::look(&item);
    if let Some(error) = nested(look.too_deep, &options) {
        return error.with(item, &|item| expand(options.clone(), item, compile));
    }
    if let Some(refused) = placement::kernel(&item) {
        return refused;
    }
    let item = match configured::item("kernel", &options, item, look.has_cfg) {
        configured::Item::Decided(item) => item,
        configured::Item::Undecided(enumeration) => return enumeration,
    };
    let (mut expanded, item) = unimported::imported(item);
    let options = match options::value(&options) {
        Some(note) => {
            expanded.extend(TokenStream::from(generate::late_guard(&note)));
            TokenStream::new()
        }
        None => options,
    };
    expanded.extend(editor::options(&options));
    let mut errors = Vec::new();
    if let Some(items) = generic_kernels::instances(&options, &item, false, &mut errors) {
        expanded.extend(errors.iter().map(Diagnostic::to_compile_error));
        // One of them has the function as it was written.
        expanded.extend(items);
        return expanded;
    }
    expanded.extend(editor::function(&item));
    let replaced = run(Errand::new("kernel", options, item), &Names::of_attribute(), compile);
    match expanded.is_empty() {
        // Appending would look at each token of it.
        true => replaced,
        false => {
            expanded.extend(replaced);
            expanded
        }
    }
}

/// Expands `#[vyre::device(options)] item`.
pub fn device(options: TokenStream, item: TokenStream) -> TokenStream {
    let look = errors::look(&item);
    if let Some(error) = nested(look.too_deep, &options) {
        return error.with(item, &|item| device(options.clone(), item));
    }
    if let Some(refused) = placement::device_function(&item) {
        return refused;
    }
    if attributes::has_kernel_mark(&item) {
        let (fault, help) = DEVICE_TOO;
        let error = errors::diagnostic(Code::RepeatedOption, Span::call_site(), fault, help).to_compile_error();
        return quote!(#error #item);
    }
    let item = match configured::item("device", &options, item, look.has_cfg) {
        configured::Item::Decided(item) => item,
        configured::Item::Undecided(enumeration) => return enumeration,
    };
    let (error, item) = unimported::imported(item);
    device_item::declare(&item);
    let is_body = attributes::is_body_option(&options);
    let errand = match is_body {
        true => Errand::new("device", TokenStream::new(), quote!(#[vyre::device(kernel_body)] #item)),
        false => Errand::new("device", options, item.clone()),
    };
    let beside = device_item::beside(errand, &Names::of_attribute());
    let item = match is_body {
        true => generate::with_opaque_result(&item),
        false => item,
    };
    let item = device_item::with(item, beside);
    quote!(#error #item)
}

/// Expands `#[vyre::constant(options)] item`.
pub fn constant(options: TokenStream, item: TokenStream) -> TokenStream {
    if let Some(error) = nested(errors::look(&item).too_deep, &options) {
        return error.0;
    }
    // Code that rustc cannot parse is reported by rustc.
    let Ok(of) = syn::parse2::<Item>(item.clone()) else {
        return item;
    };
    let (error, item, of) = match (host_constant::refused(&of), of) {
        // Read as the `static` that it is to be: kernels that mention it are right about that.
        (Some(error), Item::Static(mut of)) => {
            of.mutability = StaticMutability::None;
            let tokens = of.to_token_stream();
            (Some(error.to_compile_error()), tokens, Item::Static(of))
        }
        (error, of) => (error.map(|error| error.to_compile_error()), item, of),
    };
    match (&error, &of) {
        (_, Item::Static(of)) => {
            let marked = attributes::host_constant(of).into_token_stream();
            device_item::declare(&marked);
            let errand = Errand::new("constant", options, marked);
            let item = device_item::beside(errand, &Names::of_attribute()).around(item);
            quote!(#error #item)
        }
        (error, of) => {
            let beside = match of {
                Item::Const(_) => {
                    // Kernels that mention it are right about that.
                    device_item::declare(&item);
                    let errand = Errand::new("device", TokenStream::new(), item.clone());
                    device_item::beside(errand, &Names::of_attribute())
                }
                _ => Beside::default(),
            };
            let item = beside.around(item);
            quote!(#error #item)
        }
    }
}

/// Expands an attribute on an item of which rustc has decided the `cfg`, from the enum that derives.
pub fn configured(of: TokenStream, compile: Compile) -> TokenStream {
    match configured::decided(of) {
        Some((kind, options, item)) => match kind.as_str() {
            // An item that a `cfg` leaves out.
            _ if item.is_empty() => item,
            "kernel" => expand(options, item, compile),
            _ => device(options, item),
        },
        None => errors::internal(Span::call_site(), "an undecided item has an unknown form").to_compile_error(),
    }
}

/// Expands `#[derive(vyre::Atomics)]`.
pub fn atomics(item: TokenStream) -> TokenStream {
    match syn::parse2(item) {
        Ok(item) => generate::atomics::atomics(&item),
        Err(_) => TokenStream::new(),
    }
}

/// The items of one of vyre's own device modules, of which the tokens are the name.
pub fn own_module(name: TokenStream) -> TokenStream {
    match modules::find(&name.to_string()) {
        Some(module) => own_module::expanded(module),
        None => errors::internal(Span::call_site(), "vyre has no such module").to_compile_error(),
    }
}

/// Expands the end of a chain of macros, which have brought what an item mentions.
pub fn carried(tokens: TokenStream, compile: Compile) -> TokenStream {
    match chains::arrived(tokens) {
        Some((errand, names)) => run(errand, &names, compile),
        None => errors::internal(
            Span::call_site(),
            "a chain of macros ended with tokens of an unknown form",
        )
        .to_compile_error(),
    }
}

/// The error of an item that is nested too deeply to be read.
struct Nested(TokenStream);

fn nested(item: Option<Diagnostic>, options: &TokenStream) -> Option<Nested> {
    let error = item.or_else(|| errors::look(options).too_deep)?;
    Some(Nested(error.to_compile_error()))
}

impl Nested {
    /// With the expansion of a function that does nothing, for those who call this one.
    fn with(self, item: TokenStream, expand: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
        let mut tokens: Vec<TokenTree> = item.into_iter().collect();
        let has = |of: &dyn Fn(&TokenTree) -> bool| tokens.iter().any(of);
        let is_function = has(&|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
        let returns = has(&|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '>'));
        let body = tokens.pop();
        let Some(TokenTree::Group(body)) = body.filter(|_| is_function) else {
            return self.0;
        };
        let statements = if returns { quote!(loop {}) } else { TokenStream::new() };
        let mut empty = Group::new(Delimiter::Brace, statements);
        empty.set_span(body.span());
        tokens.push(empty.into());
        let item: TokenStream = tokens.into_iter().collect();
        // Its parameters are not used.
        let unused = rustc::unused();
        let item = quote!(#unused #item);
        let error = self.0;
        match errors::look(&item).too_deep {
            Some(_) => error,
            None => {
                let expanded = expand(item);
                quote!(#error #expanded)
            }
        }
    }
}

fn run(errand: Errand, names: &Names, compile: Compile) -> TokenStream {
    match errand.kind {
        "kernel" => kernel::expanded(errand, names, compile),
        _ => device_item::beside(errand, names).tokens,
    }
}
