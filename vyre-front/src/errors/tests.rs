//! Every code has a file in `codes/`, whose first example gives the code and whose second one compiles.

use std::path::Path;

use proc_macro2::Span;
use quote::{ToTokens, format_ident, quote};
use syn::Item;
use vyre_ir::ir::Program;
use vyre_ir::validate::{Invalid, InvalidKind, Within};

use super::Code;
use crate::expand::{self, device_module, generic_kernels};
use crate::generate;
use crate::resolve::attributes::is_device;
use crate::resolve::names::Names;
use crate::resolve::source_scan::Text;
use crate::rustc::constant_value;
use crate::tests::compiled;

/// Codes that take rustc: of traits that vyre writes or has, of names that macros write, and of what stands around an item
/// in its file. `ui-tests` compiles their examples.
const TAKES_RUSTC: &[Code] = &[
    Code::NoInstance,
    Code::NoDomain,
    Code::LaunchArgument,
    Code::LaunchBlock,
    Code::AmbiguousName,
    Code::ConstantType,
    Code::HiddenName,
    Code::CapturedVariable,
    Code::NotImported,
];

/// Codes of bugs in vyre: their files show the message in place of examples.
const BUGS: &[Code] = &[Code::Disagreement, Code::Internal];

/// Each code with the text of its file, in the order of the codes.
fn sections() -> Vec<(String, String)> {
    let files = std::fs::read_dir("src/errors/codes").expect("the folder is there");
    let mut sections: Vec<_> = files.map(|entry| section(&entry.expect("an entry").path())).collect();
    sections.sort();
    sections
}

fn section(file: &Path) -> (String, String) {
    let text = std::fs::read_to_string(file).expect("a file");
    let text = text.replace("\r\n", "\n");
    let code = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let heading = format!("# {code}: ");
    assert!(text.starts_with(&heading), "{} begins with {heading:?}", file.display());
    (code, text)
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
    if Text::new(program.to_owned()).placement(at).is_some() {
        return vec![Code::InImpl.to_string()];
    }
    let kernels = file.items.iter().cloned().filter_map(kernel).count();
    assert_eq!(kernels, 1, "an example has one kernel:\n{program}");
    let items = file.items.len();
    let mut of_names = Vec::new();
    let file = syn::File {
        items: generic_kernels::instanced(file.items, &mut of_names),
        ..file
    };
    let mut errors: Vec<String> = of_names.iter().map(ToString::to_string).collect();
    let is_generic = file.items.len() != items;
    let names = match for_build || is_generic || program.contains("#[vyre::device]") {
        true => Names::of_file("src/kernels.rs", &file),
        false => Names::default(),
    };
    for item in &file.items {
        if let Item::Mod(inner) = item
            && let Some((_, items)) = &inner.content
            && inner.attrs.iter().any(is_device)
        {
            let checked = device_module::check(items, &names.inside(&inner.ident.to_string()));
            errors.extend(checked.errors.iter().map(ToString::to_string));
        }
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Const(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            _ => continue,
        };
        if attributes.iter().any(is_device) {
            let (_, rejected) = expand::device_item::checked(&mut item.clone(), item.to_token_stream(), &names);
            errors.extend(rejected.iter().flat_map(|it| it.diagnostics()).map(ToString::to_string));
        }
    }
    let kernels = file.items.into_iter().filter_map(kernel).collect::<Vec<_>>();
    for (options, item) in kernels {
        match expand::kernel::kernel(options, item, &names, &mut { compiled }) {
            Err(rejected) if rejected.diagnostics().next().is_none() && !rejected.elsewhere => {
                errors.push("left to rustc".to_owned());
            }
            Err(rejected) => errors.extend(rejected.diagnostics().map(ToString::to_string)),
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
    let explained: Vec<_> = sections().into_iter().map(|(code, _)| code).collect();
    let codes: Vec<_> = Code::ALL.iter().map(Code::to_string).collect();
    assert_eq!(
        explained, codes,
        "src/errors/codes has a file for each code, and `Code` lists them in order"
    );
}

#[test]
fn examples_are_wrong_and_right() {
    let mut wrong_ones = Vec::new();
    for ((name, section), &code) in sections().iter().zip(Code::ALL) {
        let (wrong, right) = (example(section, "Wrong"), example(section, "Right"));
        if BUGS.contains(&code) {
            continue;
        }
        let (Some(wrong), Some(right)) = (wrong, right) else {
            panic!("{name} has no example");
        };
        if TAKES_RUSTC.contains(&code) {
            continue;
        }
        if said(wrong) != [name.as_str()] {
            wrong_ones.push(format!("{name} is wrong: {:?}", said(wrong)));
        }
        if !said(right).is_empty() {
            wrong_ones.push(format!("{name} is right: {:?}", said(right)));
        }
    }
    assert!(wrong_ones.is_empty(), "{wrong_ones:#?}");
}

/// The files of these codes quote the whole message, which asks the user to report a bug.
#[test]
fn messages_of_bugs_are_quoted() {
    let program = Program::default();
    let invalid = Invalid {
        kind: InvalidKind::LastPredicate,
        within: Within::Program,
        span: vyre_ir::ir::Span::default(),
    };
    let said = [
        generate::mismatch("kernel", &format_ident!("fill")).to_string(),
        super::disagreement_of_instance("mean", Span::call_site()).to_string(),
        constant_value::other_value(&quote!(WIDTH)),
        super::invalid(&invalid, &program, Span::call_site()).to_string(),
    ];
    let sections = sections();
    let explained: Vec<&str> = sections
        .iter()
        .filter(|(name, _)| BUGS.iter().any(|code| code.to_string() == *name))
        .flat_map(|(_, section)| section.split("```text\n").skip(1))
        .filter_map(|rest| rest.split_once("\n```").map(|(text, _)| text))
        .collect();
    assert_eq!(explained, said);
    for text in said {
        assert!(text.contains("\nhelp: ") && text.contains("please report"), "{text}");
    }
}
