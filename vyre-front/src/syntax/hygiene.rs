//! Macro hygiene: the expansion that wrote a name.
//!
//! Two variables of the same spelling are distinct in Rust if different expansions wrote them.
//! Stable Rust has no function for that, but the debug form of a span shows it: `#3 bytes(10..12)`,
//! where the number is that of the expansion. If the form is another one, names are distinguished
//! by spelling only.

use proc_macro2::Span;

/// The number of the expansion that wrote a token; 0 if there is none, or if it is unknown.
pub(super) fn context(span: Span) -> u32 {
    let text = format!("{span:?}");
    text.strip_prefix('#')
        .and_then(|rest| rest.split(' ').next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}
