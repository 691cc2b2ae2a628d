//! Every code has its section in `docs/errors.md`, whose examples are wrong and right as it says.

use quote::ToTokens;
use syn::Item;

use super::Code;
use crate::front::{Names, is_device};
use crate::generate::Embedding;
use crate::{expand, instances, module, surroundings};

/// Codes whose mistake no short example shows, or no example at all: limits that take long programs,
/// tokens that only macros make, and bugs of vyre itself.
const WITHOUT_EXAMPLE: &[Code] = &[
    Code::ParameterSize,
    Code::AmbiguousName,
    Code::ConstantType,
    Code::TooDeep,
    Code::KernelSize,
    Code::Disagreement,
    Code::Internal,
];

/// Codes that rustc reports, of traits that vyre writes: a UI test has them.
const SAID_BY_RUSTC: &[Code] = &[Code::NoInstance];

fn page() -> String {
    std::fs::read_to_string("../docs/errors.md").expect("the page is there")
}

/// The section of each code: its code and its text.
fn sections(page: &str) -> Vec<(&str, &str)> {
    page.split("\n### ")
        .skip(1)
        .map(|section| section.split_once(": ").expect("a section is called by its code"))
        .collect()
}

/// The program after `Wrong:` or `Right:`.
fn example<'a>(section: &'a str, label: &str) -> Option<&'a str> {
    let (_, rest) = section.split_once(&format!("\n{label}:\n\n```rust\n"))?;
    Some(rest.split_once("\n```").expect("the program ends").0)
}

/// The codes of what is said about the kernels of a program.
fn said(program: &str) -> Vec<String> {
    let for_build = program.starts_with("// src/kernels.rs, for build.rs");
    let file = match syn::parse_file(program) {
        Ok(file) => file,
        Err(_) if for_build => return vec![Code::UnreadableFile.to_string()],
        Err(error) => panic!("{error} in\n{program}"),
    };
    let at = program.find("#[vyre::kernel").expect("there is a kernel");
    if surroundings::innermost_is_impl(&program[..at]) {
        return vec![Code::InImpl.to_string()];
    }
    let kernels = file.items.iter().cloned().filter_map(kernel).count();
    assert_eq!(kernels, 1, "an example has one kernel:\n{program}");
    let items = file.items.len();
    let file = syn::File {
        items: instances::instanced(file.items),
        ..file
    };
    let is_generic = file.items.len() != items;
    let names = match for_build || is_generic || program.contains("#[vyre::device]") {
        true => Names::of_file("src/kernels.rs", &file),
        false => Names::default(),
    };
    let mut errors = Vec::new();
    for item in &file.items {
        if let Item::Mod(inner) = item
            && let Some((_, items)) = &inner.content
            && inner.attrs.iter().any(is_device)
        {
            let checked = module::check(items, &names.inside(&inner.ident.to_string()));
            errors.extend(checked.errors.iter().map(syn::Error::to_string));
        }
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            _ => continue,
        };
        if attributes.iter().any(is_device) {
            let (_, rejected) = expand::device_item(item, item.to_token_stream(), &names);
            errors.extend(rejected.iter().flat_map(|it| &it.errors).map(syn::Error::to_string));
        }
    }
    let kernels = file.items.into_iter().filter_map(kernel).collect::<Vec<_>>();
    for (options, item) in kernels {
        match expand::kernel(options, item, &names, Embedding::Literal) {
            Err(rejected) if rejected.errors.is_empty() && !rejected.elsewhere => {
                errors.push("left to rustc".to_owned());
            }
            Err(rejected) => errors.extend(rejected.errors.iter().map(syn::Error::to_string)),
            Ok(_) => {}
        }
    }
    let mut codes: Vec<_> = errors
        .iter()
        .map(|error| error.split(": ").next().unwrap_or_default().to_owned())
        .collect();
    codes.dedup();
    codes
}

/// The options and tokens of a kernel.
fn kernel(mut item: Item) -> Option<(proc_macro2::TokenStream, proc_macro2::TokenStream)> {
    let attributes = match &mut item {
        Item::Fn(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        _ => return None,
    };
    let at = attributes.iter().position(|attribute| {
        attribute
            .path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "kernel")
    })?;
    let options = match attributes.remove(at).meta {
        syn::Meta::List(list) => list.tokens,
        _ => Default::default(),
    };
    Some((options, item.to_token_stream()))
}

#[test]
fn every_code_is_explained() {
    let page = page();
    let sections = sections(&page);
    let explained: Vec<_> = sections.iter().map(|(code, _)| (*code).to_owned()).collect();
    let codes: Vec<_> = Code::ALL.iter().map(Code::to_string).collect();
    assert_eq!(
        explained, codes,
        "docs/errors.md has a section for each code, in their order"
    );
}

#[test]
fn examples_are_wrong_and_right() {
    let page = page();
    let mut wrong_ones = Vec::new();
    for ((name, section), &code) in sections(&page).iter().zip(Code::ALL) {
        let (wrong, right) = (example(section, "Wrong"), example(section, "Right"));
        if WITHOUT_EXAMPLE.contains(&code) {
            assert_eq!((wrong, right), (None, None), "{name} is listed as one without example");
            continue;
        }
        let (Some(wrong), Some(right)) = (wrong, right) else {
            panic!("{name} has no example");
        };
        if !SAID_BY_RUSTC.contains(&code) && said(wrong) != [*name] {
            wrong_ones.push(format!("{name} is wrong: {:?}", said(wrong)));
        }
        if !said(right).is_empty() {
            wrong_ones.push(format!("{name} is right: {:?}", said(right)));
        }
    }
    assert!(wrong_ones.is_empty(), "{wrong_ones:#?}");
}
