//! vyre under another name: `gpu = { package = "vyre", .. }` in the manifest of the crate.
//!
//! The rest of the compiler knows one name, `vyre`. Where the manifest has another, paths that begin with it are read as
//! paths of `vyre`, and those that are written back get the other name. What device items carry to other crates keeps
//! the name `vyre`, since those have a name of their own for it. A module of the user's that is called `vyre` has another
//! name meanwhile.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Group, Ident, Punct, Spacing, TokenStream, TokenTree};

const NAME: &str = "vyre";

/// A module of the user's called `vyre`, while the crate has that name.
const OWN: &str = "__vyre_of_user";

/// The ends of a key in a manifest.
const KEY_ENDS: [char; 2] = ['=', '.'];

const QUOTES: [char; 2] = ['"', '\''];

/// Expands tokens of a crate that may have another name for vyre.
pub(crate) fn translated(
    options: TokenStream,
    item: TokenStream,
    expand: fn(TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let Some(name) = name() else {
        return expand(options, item);
    };
    let (options, item) = (heads(own(options), &name, NAME), heads(own(item), &name, NAME));
    written(expand(options, item), &name)
}

/// Expands the end of a chain of macros, `@vyre [] {gathered} {errand}`: what it has gathered has the name `vyre`.
pub(crate) fn translated_chain(tokens: TokenStream, expand: fn(TokenStream) -> TokenStream) -> TokenStream {
    let Some(name) = name() else {
        return expand(tokens);
    };
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let errand = tokens.pop();
    let mut tokens: TokenStream = tokens.into_iter().collect();
    if let Some(errand) = errand {
        tokens.extend(own(errand.into()));
    }
    written(expand(heads(tokens, &name, NAME)), &name)
}

/// Tokens in which a module of the user's has another name than `vyre`.
fn own(tokens: TokenStream) -> TokenStream {
    heads(tokens, NAME, OWN)
}

/// Tokens of a file in which vyre may have another name, as if it had none.
#[cfg(feature = "compile")]
pub(crate) fn read(tokens: TokenStream) -> TokenStream {
    match name() {
        None => tokens,
        Some(name) => heads(own(tokens), &name, NAME),
    }
}

/// Generated tokens with `name` in the place of vyre.
pub(crate) fn written(tokens: TokenStream, name: &str) -> TokenStream {
    heads(heads(tokens, NAME, name), OWN, NAME)
}

/// The manifest that was read last, by its folder: a server for editors expands the macros of many crates.
static LAST: Mutex<Option<(OsString, Option<String>)>> = Mutex::new(None);

/// The name of vyre in the crate whose items are expanded, if it is another.
pub(crate) fn name() -> Option<String> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*last {
        Some((known, name)) if *known == folder => name.clone(),
        _ => {
            let name = of_package(Path::new(&folder));
            *last = Some((folder, name.clone()));
            name
        }
    }
}

/// The name in the manifest of a package, or in that of its workspace.
fn of_package(folder: &Path) -> Option<String> {
    let read = |folder: &Path| std::fs::read_to_string(folder.join("Cargo.toml"));
    let manifest = read(folder).ok()?;
    // Beside it there may be another version under a name of its own.
    if has_key(&manifest, |key| key == NAME) {
        return None;
    }
    if let Some(name) = of_manifest(&manifest) {
        return Some(name);
    }
    if !manifest.contains("workspace") {
        return None;
    }
    let mut folder = folder;
    let name = loop {
        folder = folder.parent()?;
        if let Some(name) = read(folder).ok().and_then(|manifest| of_manifest(&manifest)) {
            break name;
        }
    };
    has_key(&manifest, |key| key.replace('-', "_") == name).then_some(name)
}

/// The name of the dependency whose package is vyre.
fn of_manifest(manifest: &str) -> Option<String> {
    let mut table = "";
    for line in manifest.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[') {
            table = header.split(']').next().unwrap_or_default();
            continue;
        }
        // Replacements of dependencies are none themselves.
        if table.starts_with("patch") || table.starts_with("replace") {
            continue;
        }
        let Some(at) = line.find("package") else { continue };
        let value = line[at + "package".len()..]
            .trim_start()
            .strip_prefix('=')
            .map(str::trim_start);
        let is_vyre = value.is_some_and(|value| value.starts_with("\"vyre\"") || value.starts_with("'vyre'"));
        if is_vyre && !line.starts_with('#') {
            let key = match at {
                0 => table.rsplit('.').next(),
                _ => line.split(KEY_ENDS).next(),
            };
            let name = key.map(|key| key.trim().trim_matches(QUOTES).replace('-', "_"));
            return name.filter(|name| name != NAME);
        }
    }
    None
}

/// True if one of the keys of a manifest's lines, or the last of those of a table, is the one.
fn has_key(manifest: &str, is_it: impl Fn(&str) -> bool) -> bool {
    manifest.lines().any(|line| {
        let key = match line.trim().strip_prefix('[') {
            Some(header) => header.split(']').next().and_then(|keys| keys.rsplit('.').next()),
            None => line.split(KEY_ENDS).next(),
        };
        key.is_some_and(|key| is_it(key.trim().trim_matches(QUOTES)))
    })
}

/// The tokens with another crate at the heads of paths, but for macros, which carry items to other crates.
fn heads(tokens: TokenStream, from: &str, to: &str) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |at: Option<usize>, mark: char, joint: bool| {
        let token = at.and_then(|at| tokens.get(at));
        matches!(token, Some(TokenTree::Punct(it)) if it.as_char() == mark && (!joint || it.spacing() == Spacing::Joint))
    };
    // `::` ends there.
    let colons = |end: usize| is(end.checked_sub(2), ':', true) && is(end.checked_sub(1), ':', false);
    let is_written = to != NAME || from == OWN;
    let mut done = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.iter().enumerate() {
        done.push(match token {
            TokenTree::Ident(word) if word == from => {
                let goes_on = colons(at + 3);
                let before = match colons(at) {
                    true => at.checked_sub(3).map(|before| &tokens[before]),
                    false => None,
                };
                let is_inner = match before {
                    Some(TokenTree::Ident(word)) => !is_keyword(word),
                    Some(TokenTree::Punct(mark)) => mark.as_char() == '>' && !is_arrow(&tokens, at - 3),
                    _ => false,
                };
                match goes_on && !is_inner {
                    true => Ident::new(to, word.span()).into(),
                    false => token.clone(),
                }
            }
            TokenTree::Group(group) if !(is_written && defines_macro(&tokens[..at])) => {
                let mut inner = Group::new(group.delimiter(), heads(group.stream(), from, to));
                inner.set_span(group.span());
                inner.into()
            }
            other => other.clone(),
        });
    }
    done.into_iter().collect()
}

/// True for `macro_rules! name`.
fn defines_macro(before: &[TokenTree]) -> bool {
    let [.., word, _, TokenTree::Ident(_)] = before else {
        return false;
    };
    matches!(word, TokenTree::Ident(word) if word == "macro_rules")
}

/// True of words that a path follows.
fn is_keyword(word: &Ident) -> bool {
    const WORDS: [&str; 14] = [
        "use", "impl", "for", "as", "in", "return", "mut", "dyn", "if", "match", "while", "else", "break", "where",
    ];
    WORDS.iter().any(|known| word == known)
}

/// True for `->` and `=>`.
fn is_arrow(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let is_start = |mark: &Punct| matches!(mark.as_char(), '-' | '=') && mark.spacing() == Spacing::Joint;
    matches!(before, Some(TokenTree::Punct(mark)) if is_start(mark))
}

#[cfg(test)]
mod tests;
