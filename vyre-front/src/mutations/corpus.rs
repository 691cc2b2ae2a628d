//! Every kernel of the repository, each with the device items of its file.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Item};

use crate::resolve::attributes::is_constant;
use crate::resolve::attributes::is_kernel;

/// A kernel and its surrounding items.
#[derive(Clone)]
pub(super) struct Unit {
    /// The device items of the file, and its constants.
    pub(super) items: Vec<TokenStream>,
    /// The arguments of `#[vyre::kernel(..)]`.
    pub(super) options: TokenStream,
    /// The function.
    pub(super) kernel: TokenStream,
}

/// The folders, from that of this package.
const FOLDERS: [&str; 5] = [
    "../docs",
    "../examples",
    "../tests",
    "../ui-tests/cases",
    "../ui-tests/build-cases",
];

/// Limit of the items of a unit: mutations of larger ones are slow.
const MOST_ITEMS: usize = 30;

/// All kernels, in an order that does not depend on the file system.
pub(super) fn units() -> Vec<Unit> {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| gather(Path::new(folder), &mut files));
    files.sort();
    let mut units = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("a file of the repository");
        if path.extension().is_some_and(|extension| extension == "md") {
            let programs = text.split("```rust\n").skip(1);
            for program in programs.filter_map(|rest| rest.split("\n```").next()) {
                of_source(program, &mut units);
            }
        } else {
            of_source(&text, &mut units);
        }
    }
    units
}

/// The sources and pages below a folder.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("rs" | "md") => files.push(path),
            _ if path.is_dir() => gather(&path, files),
            _ => {}
        }
    }
}

/// The kernels of a source. Some cases are no Rust. Text without their attribute is not parsed, which takes long.
pub(super) fn of_source(text: &str, units: &mut Vec<Unit>) {
    if !text.contains("kernel]") && !text.contains("kernel(") {
        return;
    }
    if let Ok(file) = syn::parse_file(text) {
        of_items(file.items, &[], units);
    }
}

/// The kernels among these items, which see the items around them.
fn of_items(items: Vec<Item>, around: &[TokenStream], units: &mut Vec<Unit>) {
    let mut beside = around.to_vec();
    let mut kernels = Vec::new();
    let mut modules = Vec::new();
    for item in items {
        match item {
            Item::Fn(mut function) if function.attrs.iter().any(is_kernel) => {
                let options = take_options(&mut function.attrs);
                kernels.push((options, function.to_token_stream()));
            }
            Item::Mod(inner) if !is_device(&inner.attrs) => {
                modules.extend(inner.content.map(|(_, items)| items));
            }
            Item::Fn(_) | Item::Struct(_) | Item::Enum(_) | Item::Type(_) | Item::Mod(_) | Item::Static(_)
                if is_device(attributes(&item)) =>
            {
                beside.push(item.to_token_stream());
            }
            Item::Const(_) => beside.push(item.to_token_stream()),
            _ => {}
        }
    }
    modules.into_iter().for_each(|items| of_items(items, &beside, units));
    beside.truncate(MOST_ITEMS);
    units.extend(kernels.into_iter().map(|(options, kernel)| Unit {
        items: beside.clone(),
        options,
        kernel,
    }));
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        _ => &[],
    }
}

fn is_device(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| crate::resolve::attributes::is_device(attribute) || is_constant(attribute))
}

/// Takes `#[vyre::kernel(..)]` off and returns its options.
fn take_options(attributes: &mut Vec<Attribute>) -> TokenStream {
    let at = attributes.iter().position(is_kernel).expect("it is a kernel");
    match attributes.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    }
}
