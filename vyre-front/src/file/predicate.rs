//! The predicates of `#[cfg(..)]`, as far as a build script knows them.
//!
//! Cargo tells a build script what is set for the crate: `CARGO_CFG_*`, `CARGO_FEATURE_*`. What only a build of the crate
//! itself sets, `test` and `doc`, and the names that build scripts give rustc, stay undecided.

use std::process::Command;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The names of which cargo tells all values. Where it says nothing of one, that one is not set.
const KNOWN: [&str; 4] = ["debug_assertions", "panic", "unix", "windows"];

/// The first minor version of Rust whose cargo tells build scripts of `debug_assertions`.
const TELLS_ASSERTIONS: u32 = 93;

/// The variables by which cargo informs a build script.
pub(super) struct Environment {
    /// The value of a variable.
    pub(super) variable: fn(&str) -> Option<String>,
}

impl Environment {
    /// That of this process.
    pub(super) fn of_process() -> Self {
        Environment {
            variable: |name| std::env::var(name).ok(),
        }
    }

    /// True if a predicate holds; `None` where a build script does not know.
    pub(super) fn holds(&self, predicate: TokenStream) -> Option<bool> {
        let tokens: Vec<TokenTree> = predicate.into_iter().collect();
        let (name, rest) = match &tokens[..] {
            [TokenTree::Ident(name), rest @ ..] => (name.to_string(), rest),
            _ => return None,
        };
        match (name.as_str(), rest) {
            ("true", []) => Some(true),
            ("false", []) => Some(false),
            (_, []) => self.is_set(&name),
            (_, [TokenTree::Punct(mark), TokenTree::Literal(value)]) if mark.as_char() == '=' => {
                let value: syn::LitStr = syn::parse2(TokenTree::from(value.clone()).into()).ok()?;
                self.has(&name, &value.value())
            }
            (_, [TokenTree::Group(list)]) if list.delimiter() == Delimiter::Parenthesis => {
                let parts: Vec<_> = parts(list.stream()).into_iter().map(|part| self.holds(part)).collect();
                let has = |value| parts.contains(&value);
                match name.as_str() {
                    "not" if parts.len() == 1 => parts[0].map(|holds| !holds),
                    "all" if has(Some(false)) => Some(false),
                    "any" if has(Some(true)) => Some(true),
                    "all" | "any" if has(None) => None,
                    "all" => Some(true),
                    "any" => Some(false),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// True if a name is set.
    fn is_set(&self, name: &str) -> Option<bool> {
        if self.option(name).is_some() {
            return Some(true);
        }
        let is_known = self.is_told() && KNOWN.contains(&name);
        match name {
            "debug_assertions" if is_known => Some(!self.tells_assertions() && self.is_profile_for_debugging()),
            _ => is_known.then_some(false),
        }
    }

    /// True if a name has this value, perhaps among others.
    fn has(&self, name: &str, value: &str) -> Option<bool> {
        let has = |values: String| values.split(',').any(|known| known == value);
        match self.option(name) {
            Some(values) => Some(has(values)),
            None if !self.is_told() => None,
            // Cargo before that of Rust 1.85 names them one by one.
            None if name == "feature" => {
                let variable = format!("CARGO_FEATURE_{}", value.to_uppercase().replace('-', "_"));
                Some((self.variable)(&variable).is_some())
            }
            None => (name.starts_with("target_") || KNOWN.contains(&name)).then_some(false),
        }
    }

    fn option(&self, name: &str) -> Option<String> {
        (self.variable)(&format!("CARGO_CFG_{}", name.to_uppercase()))
    }

    /// True in a build script.
    fn is_told(&self) -> bool {
        self.option("target_os").is_some()
    }

    fn is_profile_for_debugging(&self) -> bool {
        (self.variable)("PROFILE").is_some_and(|profile| profile == "debug")
    }

    fn tells_assertions(&self) -> bool {
        let minor = (self.variable)("RUSTC").and_then(|rustc| {
            let said = Command::new(rustc).arg("--version").output().ok()?;
            let said = String::from_utf8(said.stdout).ok()?;
            said.split('.').nth(1)?.parse::<u32>().ok()
        });
        minor.is_none_or(|minor| minor >= TELLS_ASSERTIONS)
    }
}

/// The parts of a list between commas.
pub(super) fn parts(list: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in list {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(mark), _) if mark.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests;
