//! Asks the front end about the kernels in `ui-tests/cases/`, without rustc: what vyre itself says of each
//! mistake is in the `.stderr` beside it, whatever rustc adds.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Item};
use vyre_front::Names;

/// The options and the tokens of every kernel among these items, and the names that it sees.
fn kernels(items: Vec<Item>, names: &Names, found: &mut Vec<(TokenStream, TokenStream, Names)>) {
    let with = |options, item: TokenStream| (options, item, names.clone());
    for item in items {
        match item {
            // The attribute makes a kernel of each of its instances.
            Item::Fn(item) if item.sig.generics.type_params().next().is_some() => {}
            Item::Fn(mut item) => {
                found.extend(options(&mut item.attrs).map(|options| with(options, item.to_token_stream())))
            }
            Item::Const(mut item) => {
                found.extend(options(&mut item.attrs).map(|options| with(options, item.to_token_stream())));
            }
            Item::Struct(mut item) => {
                found.extend(options(&mut item.attrs).map(|options| with(options, item.to_token_stream())));
            }
            Item::Mod(item) => {
                let inside = names.inside(&item.ident.to_string());
                kernels(item.content.map(|(_, items)| items).unwrap_or_default(), &inside, found);
            }
            // The attribute sees that it is in an `impl`; the front end alone does not.
            _ => {}
        }
    }
}

/// Takes `#[vyre::kernel(..)]` off an item and returns its options.
fn options(attributes: &mut Vec<Attribute>) -> Option<TokenStream> {
    let is_kernel = |attribute: &Attribute| {
        attribute
            .path()
            .segments
            .last()
            .is_some_and(|last| last.ident == "kernel")
    };
    let attribute = attributes.remove(attributes.iter().position(is_kernel)?);
    Some(
        attribute
            .meta
            .require_list()
            .map_or_else(|_| TokenStream::new(), |list| list.tokens.clone()),
    )
}

/// The errors that vyre reports for the kernels in a file.
fn said(source: &str) -> Vec<String> {
    // Code that rustc's parser refuses reaches no attribute.
    let Ok(file) = syn::parse_file(source) else {
        return Vec::new();
    };
    // Macros carry device items to kernels; here the whole file is in sight.
    let names = match source.contains("#[vyre::device]") {
        true => Names::of_file("case.rs", &file),
        false => Names::default(),
    };
    let mut found = Vec::new();
    kernels(file.items, &names, &mut found);
    found
        .into_iter()
        .filter_map(|(options, item, names)| vyre_front::driver::kernel(options, item, &names).err())
        .flat_map(|rejected| rejected.errors)
        .map(|error| error.to_string())
        // rustc decides `cfg` before the front end reads an item.
        .filter(|message| !message.starts_with("V0410: `#[cfg]`"))
        // The attribute looks at the tokens first, and says it in other words.
        .filter(|message| !message.starts_with("V0511: this type is nested too deeply"))
        // The attribute passes an `Option` as vyre's own enum, which only rustc finds.
        .filter(|message| !message.starts_with("V0305: a kernel of a build script's file"))
        // Only rustc sees that an item is not marked, or does not exist, and the text around it what type it has.
        .filter(|message| {
            !["V0301", "V0309", "V0311", "V0402", "V0403", "V0407", "V0713"]
                .iter()
                .any(|code| message.starts_with(code))
        })
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .flat_map(|entry| {
            let path = entry.expect("an entry").path();
            if path.is_dir() { files(&path) } else { vec![path] }
        })
        .collect()
}

/// The stack on which rustc expands macros. The harness gives a test less, too little for the deepest case.
const STACK: usize = 8 << 20;

#[test]
fn words() {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(ask);
    let asked = thread.expect("a thread starts").join();
    match asked {
        Ok(asked) => assert!(asked > 100, "{asked} messages"),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Asks about each case; the number of messages.
fn ask() -> usize {
    let mut asked = 0;
    for file in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui-tests/cases")) {
        // Device items and constants that hosts set reach the front end by macros, which rustc alone expands.
        let carried = ["functions", "behaviour", "constants"].map(|name| Some(name.as_ref()));
        let is_carried = file
            .parent()
            .is_some_and(|folder| carried.contains(&folder.file_name()));
        if is_carried || file.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = std::fs::read_to_string(&file).expect("a file");
        let expected = std::fs::read_to_string(file.with_extension("stderr"))
            .unwrap_or_else(|error| panic!("{}: {error}", file.with_extension("stderr").display()));
        for message in said(&source) {
            let indented = message.replace('\n', "\n       ");
            assert!(
                expected.contains(&format!("error: {indented}")),
                "{} does not say\nerror: {indented}",
                file.with_extension("stderr").display()
            );
            asked += 1;
        }
    }
    asked
}
