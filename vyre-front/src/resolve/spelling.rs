//! Rust's naming conventions, which decide where the item of a name is not seen. No other resolution looks at the case of letters.

/// True of a name that begins as those of types, variants and constants do.
pub(crate) fn is_capitalized(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// True of a name in upper case, as constants have; also of one without letters.
pub(crate) fn is_upper(name: &str) -> bool {
    !name.contains(char::is_lowercase)
}
