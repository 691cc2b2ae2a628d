//! Names in generated code.
//!
//! Tokens of the macro have mixed-site hygiene: locals and labels cannot collide with the user's,
//! items resolve at the kernel. Code for a build script is printed as text, without hygiene, so
//! generated names are chosen to avoid collisions: they begin with `__`, or are those of the
//! kernel's own parameters and locals.

use proc_macro2::{Ident, Span};

use crate::by_name::ByName;
use crate::code::{Code, code};

/// Words that are no names in some edition, in order.
const KEYWORDS: &[&str] = &[
    "Self", "_", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do",
    "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The span of generated tokens that a debugger shows at a place of the user.
///
/// The tokens stay the macro's: lints on them are silent, and `unsafe` in them is not the user's.
pub(super) fn at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

/// An attribute that silences clippy's count of arguments, which counts generated ones.
pub(super) fn many_arguments(count: usize) -> Option<Code> {
    let span = Span::call_site();
    (count > 7).then(|| code!(span=> #[allow(clippy::too_many_arguments)]))
}

/// Names that differ from each other.
#[derive(Debug, Default)]
pub(super) struct Names {
    taken: ByName<()>,
}

impl Names {
    /// Notes that a name is taken as it is.
    pub(super) fn take(&mut self, name: String) {
        self.taken.insert(name, ());
    }

    /// A name like `name`; `number` makes it differ from one that is taken.
    pub(super) fn fresh(&mut self, name: &str, number: usize) -> String {
        let mut name = identifier(name);
        while !self.taken.insert(name.clone(), ()) {
            name = format!("__{name}_{number}");
        }
        name
    }
}

/// `name`, or one like it that Rust takes as an identifier.
pub(super) fn identifier(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts_well = matches!(name.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]);
    let plain = |c: &u8| matches!(c, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
    if starts_well
        && name.as_bytes().iter().all(plain)
        && KEYWORDS.binary_search(&name).is_err()
        && !name.starts_with("__")
    {
        return name.to_owned();
    }
    let mut text = String::from("__");
    text.extend(name.chars().map(|c| if is_plain(c) { c } else { '_' }));
    text
}

/// The identifier that the user wrote for a name.
pub(super) fn written(name: &str, span: Span) -> Ident {
    match KEYWORDS.binary_search(&name) {
        Ok(_) => Ident::new_raw(name, span),
        Err(_) => Ident::new(name, span),
    }
}

#[cfg(test)]
mod tests;
