//! A device item: its tokens with marks, what rustc checks of it, and the macro that carries it.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Item, Path, Visibility};

use super::device_module;
use crate::errors::{self, Code, Diagnostic};
use crate::errors::{Note, Rejected};
use crate::generate::{self, host_constant};
use crate::resolve::attributes::is_kernel_body;
use crate::resolve::chains::{self, Errand};
use crate::resolve::declared;
use crate::resolve::items::{attributes, named};
use crate::resolve::names::{Names, plain};
use crate::resolve::source_scan::Surroundings;
use crate::rustc::{self, constant_value, function_marks, mentions};
use crate::syntax::endless;
use crate::syntax::parameter::NO_UNION;
use crate::{driver, editor};

/// Notes the names by which the item of an attribute can be mentioned.
pub(super) fn declare(item: &TokenStream) {
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Mod(module)) if module.content.is_none() => declared::refuse_module(&module.ident),
        Ok(Item::Mod(module)) => {
            if let Some((_, items)) = &module.content {
                for (name, _) in device_module::carried(items) {
                    declared::declare(name);
                }
            }
        }
        Ok(item) => {
            if let Some((name, _)) = named(&item) {
                declared::declare(name);
            }
        }
        Err(_) => {
            // A constant without a type, or a function with defaults, which rustc has refused.
            let is_keyword = |token: &TokenTree| matches!(token, TokenTree::Ident(it) if it == "const" || it == "fn");
            let mut tokens = item.clone().into_iter();
            tokens.find(is_keyword);
            if let Some(TokenTree::Ident(name)) = tokens.find(|token| !is_keyword(token)) {
                declared::declare(&name);
            }
        }
    }
}

/// The tokens generated beside a device item.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) tokens: TokenStream,
    /// True if rustc is not to see the body of the item, nor types that are not stable.
    hides: bool,
    /// The types that hold this one, and that it holds.
    circle: Vec<String>,
}

impl Beside {
    /// The tokens of the item, followed by these.
    pub(super) fn around(self, item: TokenStream) -> TokenStream {
        let (item, beside) = (self.seen(item), self.seen(self.tokens.clone()));
        quote!(#item #beside)
    }

    fn seen(&self, item: TokenStream) -> TokenStream {
        match self.hides {
            true => mentions::without_unstable_types(item),
            false => item,
        }
    }
}

/// The item as rustc sees it, followed by the tokens `beside` it.
pub(super) fn with(item: TokenStream, beside: Beside) -> TokenStream {
    let item = beside.seen(item);
    let Beside {
        tokens: beside,
        hides,
        circle,
    } = beside;
    match syn::parse2::<Item>(item.clone()) {
        // A file, in which there is no place for them.
        Ok(Item::Mod(item)) if item.content.is_none() => quote!(#item #beside),
        Ok(Item::Mod(item)) => device_module::marked(device_module::with(item, beside)).to_token_stream(),
        Ok(mut defined @ (Item::Struct(_) | Item::Enum(_))) => {
            endless::ended_by(&mut defined, &circle);
            let defined = generate::definition::marked(defined);
            quote!(#defined #beside)
        }
        Ok(Item::Type(_)) => quote!(#item #beside),
        Ok(Item::Fn(_)) => {
            let item = if hides { without_body(item) } else { item };
            let (lints, marked) = (generate::device::lints(), function_marks::marked(item));
            quote!(#lints #marked #beside)
        }
        _ => {
            let lints = generate::device::lints();
            quote!(#lints #item #beside)
        }
    }
}

/// A function with a body that has nothing to be said about, and what it mentions as unused imports.
fn without_body(item: TokenStream) -> TokenStream {
    let imports = mentions::imports(item.clone());
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.pop() {
        let mut empty = Group::new(Delimiter::Brace, quote!(#imports loop {}));
        empty.set_span(body.span());
        tokens.push(empty.into());
    }
    let unused = rustc::unused();
    quote!(#unused #[allow(clippy::empty_loop)] #(#tokens)*)
}

/// The tokens generated beside a device item: the assertions for rustc, and the macro that carries
/// it.
pub(super) fn beside(errand: Errand, names: &Names) -> Beside {
    let mut beside = Beside::default();
    beside.tokens = tokens_beside(errand, names, &mut beside);
    beside
}

fn tokens_beside(errand: Errand, names: &Names, beside: &mut Beside) -> TokenStream {
    if !errand.options.is_empty() {
        return has_options(&errand).to_compile_error();
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
    let (definition, mut checked, mut rejected) = match outcome {
        Ok(Some(definition)) => (Some(definition), TokenStream::new(), None),
        Ok(None) => {
            let (checked, rejected) = checked(&mut item, errand.item.clone(), names);
            (None, checked, rejected)
        }
        Err(rejected) => (None, generate::device::guard(&item, &rejected), Some(rejected)),
    };
    let mut errors = TokenStream::new();
    if let Some(rejected) = &rejected {
        beside.hides = rejected.hides;
        for error in &rejected.errors {
            errors.extend(error.to_compile_error());
        }
    }
    let Some((name, visibility, attributes)) = parts(&mut item) else {
        return errors;
    };
    if let Some(rejected) = &mut rejected
        && rejected.is_waiting()
    {
        let around = (!editor::is_here()).then(|| Surroundings::of(&name)).flatten();
        let mut found = match &around {
            Some(around) => unmarked(around, &rejected.wanted),
            None => Vec::new(),
        };
        let mut is_of_constants = false;
        if found.is_empty()
            && let Some(cycle) = cycle(&name, &rejected.wanted)
        {
            match (&item, endless::holds(&item, &cycle)) {
                (_, true) => beside.circle = cycle,
                // rustc reports constants that need each other.
                (Item::Const(_), false) if are_constants(&cycle, around.as_ref()) => is_of_constants = true,
                _ => found.push(recursion(&name, &rejected.wanted, &cycle)),
            }
        }
        if !found.is_empty() || !beside.circle.is_empty() {
            errors = found.iter().map(Diagnostic::to_compile_error).collect();
            checked = TokenStream::new();
        } else if is_of_constants || rejected.wanted.iter().any(declared::is_in_refused_module) {
            // The error is at the module, or rustc's.
            checked = TokenStream::new();
        } else if let Some(note) =
            around.and_then(|around| missing(&rejected.wanted, &|name| around.lacks(&plain(name))))
        {
            // rustc says so of the item itself. Of an import in a chain it would say it once more.
            rejected.wanted.clear();
            rejected.notes = vec![note];
            checked = generate::device::left(&item, rejected);
        } else {
            return chains::chain(errand, &rejected.wanted, &[], &attributes, Some(&name));
        }
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

/// The errors of an item that mentions others beside it without a mark, which no chain of macros can bring.
///
/// Where one is a kernel, rustc would say what it takes, and not what it is.
fn unmarked(surroundings: &Surroundings, wanted: &[Path]) -> Vec<Diagnostic> {
    const ITEMS: &[&str] = &["fn", "const", "struct", "enum", "trait", "type", "union"];
    let paths = wanted.iter().filter_map(Path::get_ident);
    let errors = paths.filter_map(|path| {
        let (keyword, line) = surroundings.unmarked(ITEMS, &plain(path))?;
        let what = match keyword {
            "kernel" => {
                let fault = format!("`{path}` is a kernel, which the host launches");
                let help = "move what both do to a `#[vyre::device]` function, which both call";
                return Some(errors::diagnostic(Code::NotDevice, path.span(), fault, help));
            }
            "union" => {
                let fault = format!("`{path}` is a union, which is no type of kernels");
                return Some(errors::diagnostic(Code::NotDevice, path.span(), fault, NO_UNION));
            }
            "trait" => {
                let fault = format!("`{path}` is not a device trait");
                let help = "put the trait and its `impl`s into a module marked `#[vyre::device]`";
                return Some(errors::diagnostic(Code::NotDevice, path.span(), fault, help));
            }
            "fn" => "function",
            "const" => "constant",
            _ => "type",
        };
        let fault = format!("`{path}` is not a device {what}");
        let help = format!("put `#[vyre::device]` on it, in line {line}");
        Some(errors::diagnostic(Code::NotDevice, path.span(), fault, help))
    });
    errors.collect()
}

/// The error, should rustc find none, of the first of these names that surely nothing brings, as the text around it shows.
pub(super) fn missing(wanted: &[Path], lacks: &dyn Fn(&Ident) -> bool) -> Option<Note> {
    let mut names = wanted.iter().filter_map(Path::get_ident);
    let name = names.find(|name| lacks(name))?;
    let fault = format!("`{name}` is not a device item");
    let help = "put `#[vyre::device]` on it, and import it by its name";
    Some(Note::late(errors::diagnostic(
        Code::NotDevice,
        name.span(),
        fault,
        help,
    )))
}

/// True if all of these names are those of constants beside an item.
fn are_constants(names: &[String], around: Option<&Surroundings>) -> bool {
    around.is_some_and(|around| {
        names
            .iter()
            .all(|name| around.defines("const", name) && !around.defines("fn", name))
    })
}

/// The items that wait for one, directly or not, for which it waits.
fn cycle(name: &Ident, wanted: &[Path]) -> Option<Vec<String>> {
    (!editor::is_here()).then(|| declared::cycle(name, wanted)).flatten()
}

/// The error of a function in such a cycle.
fn recursion(name: &Ident, wanted: &[Path], cycle: &[String]) -> Diagnostic {
    let mut names = wanted.iter().filter_map(Path::get_ident);
    let first = names.find(|path| cycle.first().is_some_and(|it| *path == it));
    let fault = match cycle {
        [only] => format!("`{name}` and `{only}` call each other: a GPU thread has no stack to recurse on"),
        more => format!(
            "`{name}` calls itself through `{}`: a GPU thread has no stack to recurse on",
            more.join("`, `")
        ),
    };
    let span = first.unwrap_or(name).span();
    let help = "write a loop, or keep a small array as a stack";
    errors::diagnostic(Code::Recursion, span, fault, help)
}

fn has_options(errand: &Errand) -> Diagnostic {
    errors::diagnostic(
        Code::UnknownOption,
        syn::Error::new_spanned(&errand.options, "").span(),
        format_args!("`#[vyre::{}]` has no options", errand.kind),
        format_args!("write `#[vyre::{}]`", errand.kind),
    )
}

/// The name, visibility and attributes of a device item, which loses those that do not travel.
fn parts(item: &mut Item) -> Option<(Ident, Visibility, Vec<Attribute>)> {
    if let Item::Trait(_) = item {
        return None;
    }
    let (name, visibility) = named(item)?;
    let (name, visibility) = (name.clone(), visibility.clone());
    let attributes = attributes(item)?;
    let all = attributes.clone();
    // The attributes that determine the layout and `==`, and marks.
    let travels = ["repr", "derive", "vyre_host"];
    let is_body = |attribute: &Attribute| is_kernel_body(std::slice::from_ref(attribute));
    attributes.retain(|it| travels.iter().any(|name| it.path().is_ident(name)) || is_body(it));
    Some((name, visibility, all))
}

/// The assertions for rustc about a device item, and its errors. `tokens` are those of the item,
/// with spans untouched by syn. A constant that had to be evaluated is replaced by its value, so
/// that it is not evaluated again.
pub(crate) fn checked(item: &mut Item, tokens: TokenStream, names: &Names) -> (TokenStream, Option<Box<Rejected>>) {
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
