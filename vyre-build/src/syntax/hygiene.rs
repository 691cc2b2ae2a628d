//! Which macro wrote a name.
//!
//! Two variables of one spelling are two in Rust where different expansions wrote them. Stable Rust
//! has no function that tells, but the debug form of a span does: `#3 bytes(10..12)`, the number
//! being that of the expansion. Where the form is another one, names are told apart by spelling.

use proc_macro2::Span;

/// The number of the expansion that wrote a token; 0 where there was none, or it cannot be told.
pub(super) fn context(span: Span) -> u32 {
    let text = format!("{span:?}");
    text.strip_prefix('#')
        .and_then(|rest| rest.split(' ').next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}
