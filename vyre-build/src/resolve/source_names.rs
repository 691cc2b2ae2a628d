//! What the text of a file says of a name that a kernel or device item mentions.
//!
//! Attributes see no names, so rustc is made to bring what they stand for: see
//! [`carried`](super::transport). Of the import of a name that is not there it complains, though nobody has
//! written one, and of what is imported and not marked it says that it is no macro. Where the text of the file
//! leaves no doubt, nothing is imported: rustc then says of the name itself that it is not there, with those that
//! are like it, and vyre what is not marked.
//!
//! Doubt is whatever may bring names that the text does not show: macros, globs, attributes, other files.

use std::path::{Path as File, PathBuf};
use std::rc::Rc;

use proc_macro2::Ident;
use syn::Path;

use super::chains::COMMON;

/// What is known of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing has this name.
    Absent,
    /// It is an item without an attribute of vyre's.
    Unmarked,
    /// It is a kernel.
    Kernel,
    /// It is an item of the device, whatever is wrong with it.
    Device,
}

/// Attributes of Rust that mark nothing.
const INERT: [&str; 7] = ["derive(", "repr(", "allow(", "expect(", "inline", "must_use", "doc"];

/// What `use vyre::prelude::*` brings, but for modules.
const PRELUDE: [&str; 38] = [
    "AtomicBF16x2",
    "AtomicBool",
    "AtomicF16x2",
    "AtomicF32",
    "AtomicF64",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicI8",
    "AtomicIsize",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicU8",
    "AtomicUsize",
    "AtomicView",
    "Device",
    "DeviceBuffer",
    "Dispatches",
    "Float",
    "Integer",
    "Launches",
    "Number",
    "Ordering",
    "Scoped",
    "Slice2",
    "SliceMut2",
    "Stream",
    "View",
    "View2",
    "ViewMut",
    "ViewMut2",
    "bf16",
    "f16",
    "ptx",
    "shared",
    "load",
    "store",
];

/// The text of the file that was read last: most paths that are asked for stand in one.
#[derive(Default)]
pub(crate) struct Text {
    file: PathBuf,
    text: Rc<str>,
}

/// What the file of a path says of it, where that leaves no doubt.
pub(crate) fn standing(path: &Path, read: &mut Text) -> Option<Standing> {
    let last = &path.segments.last()?.ident;
    let name = plain(last);
    let file = last.span().local_file()?;
    if file != read.file {
        let text = std::fs::read_to_string(&file).ok()?.into();
        *read = Text {
            file: file.clone(),
            text,
        };
    }
    let text = Rc::clone(&read.text);
    if PRELUDE.contains(&name.as_str()) || !stands_at(&text, last) {
        return None;
    }
    let (mut texts, mut is_inside) = (vec![text], false);
    let count = path.segments.len() - 1;
    for (number, segment) in path.segments.iter().take(count).enumerate() {
        let (text, module) = (texts.last()?, plain(&segment.ident));
        if number == 0 && (module == "self" || module == "crate" && is_root(&file, text)) {
            continue;
        }
        let [at] = definitions(text, &module)?[..] else {
            return None;
        };
        if !text[at..].starts_with("mod ") || marked(text, at, is_inside)? != Standing::Unmarked {
            return None;
        }
        match text[at + 4 + module.len()..].trim_start().chars().next() {
            Some('{') => is_inside = true,
            Some(';') if texts.len() == 1 && !is_inside => texts.push(inner(&file, &texts[0], &module)?.into()),
            _ => return None,
        }
    }
    let mut kinds = Vec::new();
    for text in &texts {
        for at in definitions(text, &name)? {
            kinds.push(marked(text, at, is_inside)?);
        }
    }
    match kinds[..] {
        // It is there, whatever else may be.
        [Standing::Device] => Some(Standing::Device),
        _ if texts.iter().any(|text| is_open(text)) => None,
        [] => is_module(&file, &texts[0]).then_some(Standing::Absent),
        [kind] => Some(kind),
        _ => None,
    }
}

fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

/// Whether the name stands in the text where its span says: not in that of a macro, or of an example in a comment.
fn stands_at(text: &str, name: &Ident) -> bool {
    let start = name.span().start();
    let line = text.split('\n').nth(start.line.wrapping_sub(1)).unwrap_or_default();
    let mut rest = line.chars();
    if start.column > 0 {
        rest.nth(start.column - 1);
    }
    rest.as_str().starts_with(&name.to_string())
}

/// Whether names may come into this text that it does not show.
fn is_open(text: &str) -> bool {
    let macros = text.match_indices('!').any(|(at, _)| {
        let name = word_before(text, at);
        let is_call = text[at + 1..].trim_start().starts_with(['(', '[', '{']);
        let is_known = name != "include" && (name == "ptx" || COMMON.contains(&name));
        name == "macro_rules" || !name.is_empty() && is_call && !is_known
    });
    let globs = || {
        let globs = text.match_indices('*').filter(|&(at, _)| is_imported(&text[..at]));
        globs.map(|(at, _)| text[..at].trim_end_matches(':').len()).any(|at| {
            let module = word_before(text, at);
            let is_vyre = text[..at].ends_with("use vyre::prelude") || text[..at].ends_with("use ::vyre::prelude");
            let is_here = !module.is_empty() && text.contains(&format!("mod {module} {{"));
            // Of a module in this file the one around it is in this file, too.
            let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
            let is_around = text[line..at].trim_start() == "use super" && text[line..at].starts_with(' ');
            !is_vyre && !is_here && !is_around
        })
    };
    // Another name of the attribute; and comments that hide what stands above an item.
    macros || globs() || text.contains("device as ") || text.contains("kernel as ") || text.contains("/*") || {
        text.contains("#[path")
    }
}

/// The word that ends at this place.
fn word_before(text: &str, at: usize) -> &str {
    let start = text[..at].rfind(|c: char| !is_of_word(c)).map_or(0, |before| {
        before + text[before..].chars().next().map_or(1, char::len_utf8)
    });
    &text[start..at]
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where the definitions of a name begin, at their keywords; `None` where something else may bring the name.
fn definitions(text: &str, name: &str) -> Option<Vec<usize>> {
    const KEYWORDS: [&str; 9] = [
        "fn", "const", "static", "struct", "enum", "union", "type", "trait", "mod",
    ];
    let mut found = Vec::new();
    for (at, _) in text.match_indices(name) {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        if before.ends_with(is_of_word) || after.starts_with(is_of_word) {
            continue;
        }
        let spaces = before.trim_end();
        let word = word_before(text, spaces.len());
        let is_renamed = before.ends_with("r#") || word == "as" || spaces.ends_with("static mut");
        if is_renamed || ["crate", "use"].contains(&word) || is_imported(before) {
            return None;
        }
        if KEYWORDS.contains(&word) && spaces.len() < at {
            found.push(spaces.len() - word.len());
        }
    }
    Some(found)
}

/// Whether what follows stands in a `use`.
fn is_imported(before: &str) -> bool {
    let statement = before.rfind(';').map_or(before, |end| &before[end..]);
    let Some(at) = statement.rfind("use ") else {
        return false;
    };
    let is_word = !statement[..at].ends_with(is_of_word);
    // Only what a tree of imports consists of comes between.
    is_word
        && statement[at + 4..]
            .chars()
            .all(|c| is_of_word(c) || c.is_whitespace() || "{},:*#".contains(c))
}

/// How the item is marked that is defined at a place, inside of a module or not; `None` where that is in doubt.
fn marked(text: &str, at: usize, is_inside: bool) -> Option<Standing> {
    let line = text[..at].rfind('\n').map_or(0, |line| line + 1);
    let before = &text[line..at];
    // What stands in other items may be marked as a whole.
    if before.starts_with(char::is_whitespace) != is_inside
        || before.contains(|c: char| !c.is_alphanumeric() && !" (_)".contains(c))
    {
        return None;
    }
    let (mut above, mut kind) = (text[..line].trim_end(), Standing::Unmarked);
    while !above.is_empty() {
        let start = above.rfind('\n').map_or(0, |line| line + 1);
        let line = above[start..].trim();
        if !line.starts_with("//") {
            match line {
                "#[vyre::kernel]" => kind = Standing::Kernel,
                "#[vyre::device]" => kind = Standing::Device,
                _ if line.starts_with("#[vyre::kernel(") => kind = Standing::Kernel,
                _ if line.ends_with([';', '}', '{']) => break,
                _ if INERT.iter().any(|name| line.starts_with(&format!("#[{name}"))) => {}
                // Whatever another attribute does.
                _ => return None,
            }
        }
        above = above[..start].trim_end();
    }
    Some(kind)
}

/// Whether a file is the root of a crate.
fn is_root(file: &File, text: &str) -> bool {
    let is_named = ["lib.rs", "main.rs"]
        .iter()
        .any(|name| file.file_name().is_some_and(|of| of == *name));
    is_named || text.contains("\nfn main()")
}

/// Whether a file is a module of its crate, and not included in the text of another one.
fn is_module(file: &File, text: &str) -> bool {
    if is_root(file, text) || text.contains("#[test]") {
        return true;
    }
    let (Some(folder), Some(stem)) = (file.parent(), file.file_stem().and_then(|stem| stem.to_str())) else {
        return false;
    };
    let (folder, stem) = match (stem, folder.parent(), folder.file_name().and_then(|name| name.to_str())) {
        ("mod", Some(outer), Some(name)) => (outer, name),
        _ => (folder, stem),
    };
    let around = ["lib.rs", "main.rs", "mod.rs"]
        .iter()
        .map(|name| folder.join(name))
        .chain([folder.with_extension("rs")]);
    around
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .any(|text| text.contains(&format!("mod {stem};")))
}

/// The text of a module that a file declares.
fn inner(file: &File, text: &str, module: &str) -> Option<String> {
    let folder = match is_root(file, text) || file.ends_with("mod.rs") {
        true => file.parent()?.to_path_buf(),
        false => file.with_extension(""),
    };
    let files: [PathBuf; 2] = [folder.join(format!("{module}.rs")), folder.join(module).join("mod.rs")];
    files.iter().find_map(|file| std::fs::read_to_string(file).ok())
}

#[cfg(test)]
mod tests {
    use super::{Standing, definitions, is_open, marked};

    fn standing(text: &str, name: &str) -> Option<Standing> {
        match definitions(text, name)?[..] {
            [at] => marked(text, at, false),
            _ => None,
        }
    }

    #[test]
    fn what_is_defined() {
        let text = "use a::b;\n\n/// Half; of it {\n#[inline]\npub(crate) const fn half(x: f32) -> f32 { x }\n\
                    #[vyre::device]\nfn quarter() {}\n#[vyre::kernel(block = 64)]\nfn fill() {}\n\
                    #[other]\nfn third() {}\nmod m {\n    fn inside() {}\n}\nfn f() { half(half(b)); third; ours() }\n";
        assert_eq!(standing(text, "half"), Some(Standing::Unmarked));
        assert_eq!(standing(text, "quarter"), Some(Standing::Device));
        assert_eq!(standing(text, "fill"), Some(Standing::Kernel));
        // Another attribute may mark it, and so may the module around it.
        assert_eq!((standing(text, "third"), standing(text, "inside")), (None, None));
        assert_eq!(definitions(text, "ours"), Some(Vec::new()));
        // It is imported.
        assert_eq!(definitions(text, "b"), None);
    }

    #[test]
    fn imports() {
        for text in [
            "use m::half;",
            "use m::{a, half};",
            "pub use m::a as half;",
            "use m::{\n    a::{b, half},\n};",
        ] {
            assert_eq!(definitions(text, "half"), None, "{text}");
        }
        for text in [
            "use m::a; half(1)",
            "// to use it, (call) half(x)",
            "reuse half(x)",
            "halves; behalf; y = a * half",
        ] {
            assert_eq!(definitions(text, "half"), Some(Vec::new()), "{text}");
        }
    }

    #[test]
    fn what_brings_names_unseen() {
        for open in [
            "use other::*;",
            "use m::{a, *};",
            "use super::*;",
            "enum E { A }\nuse E::*;",
            "made!(half);",
            "m::made! { half }",
            "include!(\"half.rs\");",
            "macro_rules! made { () => {} }",
            "use vyre::device as gpu;",
            "/* fn half() {} */",
            "#[path = \"half.rs\"]\nmod half;",
        ] {
            assert!(is_open(open), "{open}");
        }
        for closed in [
            "use vyre::prelude::*;",
            "mod m {\n    use super::*;\n}\nuse m::*;",
            "fn f(x: *const f32) { assert!(a != b * c, \"{}\", !(d)); }",
            "#![allow(unused)]\nlet x = unsafe { ptx!(\"\") };",
        ] {
            assert!(!is_open(closed), "{closed}");
        }
    }

    /// Names that the prelude brings are in doubt.
    #[test]
    fn names_of_the_prelude() {
        let prelude = include_str!("../../../src/prelude.rs");
        let words = prelude.split(|c: char| !c.is_alphanumeric() && c != '_');
        let types = words.filter(|word| word.starts_with(char::is_uppercase) && word.len() > 1);
        let types: Vec<&str> = types.filter(|word| *word != "What").collect();
        assert!(types.len() > 20);
        for name in types {
            assert!(super::PRELUDE.contains(&name), "{name}");
        }
    }
}
