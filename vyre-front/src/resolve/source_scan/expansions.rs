//! Macros and attributes of others, which may bring names that no text shows.

use super::tokens::{is_no_part, is_part, token};
use crate::resolve::chains::COMMON;

/// Attributes of Rust and of vyre.
const ATTRIBUTES: [&str; 33] = words![
    allow cfg cold constant default deny deprecated derive device doc each expect feature forbid global_allocator
    ignore inline kernel link macro_export macro_use must_use no_mangle no_std non_exhaustive path recursion_limit
    repr should_panic test track_caller used warn
];

const DERIVES: [&str; 9] = words![
    Clone Copy Debug Default Eq Hash Ord PartialEq PartialOrd
];

/// True if code has a macro or an attribute that may bring names: one that is neither Rust's nor the standard library's nor
/// vyre's.
pub(super) fn may_bring_names(text: &str) -> bool {
    let code = code(text);
    let brings = |attribute: &str| {
        let attribute = attribute.trim_start();
        let inner = attribute.strip_prefix('!').unwrap_or(attribute).trim_start();
        inner.strip_prefix('[').is_some_and(|inner| !is_harmless(inner))
    };
    calls_macros(&code) || code.split('#').skip(1).any(brings)
}

/// The tokens of a text without its comments.
fn code(text: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(first) = rest.chars().next() {
        let (this, after) = rest.split_at(token(rest).max(first.len_utf8()));
        match this.starts_with("//") || this.starts_with("/*") {
            true => code.push(' '),
            false => code.push_str(this),
        }
        rest = after;
    }
    code
}

/// True of the text behind the bracket of an attribute that brings no names.
fn is_harmless(attribute: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let attribute = attribute.trim_start();
    let (path, rest) = attribute.split_at(attribute.find(|c| !is_part(c)).unwrap_or(attribute.len()));
    if path == "derive" {
        let rest = rest.trim_start().strip_prefix('(').unwrap_or(rest);
        let mut traits = rest.split(')').next().unwrap_or_default().split(',');
        return traits.all(|it| it.trim().is_empty() || DERIVES.contains(&it.trim()));
    }
    match path.trim_start_matches("::").split_once("::") {
        None => ATTRIBUTES.contains(&path),
        Some((tool, _)) => {
            matches!(tool, "clippy" | "diagnostic" | "rustfmt" | "vyre")
        }
    }
}

/// True if a macro is called that is not one of the standard library's or vyre's.
fn calls_macros(code: &str) -> bool {
    for (at, _) in code.match_indices('!') {
        let (before, after) = (code[..at].trim_end(), code[at + 1..].trim_start());
        if !matches!(after.as_bytes(), [b'(' | b'[' | b'{', ..]) || !before.ends_with(is_part) {
            continue;
        }
        let name = before.rsplit(is_no_part).next().unwrap_or_default();
        let is_operand = matches!(name, "else" | "if" | "in" | "match" | "return" | "while");
        if !is_operand && name != "ptx" && (name == "include" || !COMMON.contains(&name)) {
            return true;
        }
    }
    false
}
