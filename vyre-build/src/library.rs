//! Methods of the standard library that are written in terms of others, in Rust: they are device functions
//! that need no attribute.
//!
//! `x.checked_mul(y)` becomes a call of the function of that name in its `rows`, whose first parameter is the
//! receiver. Only what a kernel calls is read.

pub(crate) mod group_methods;
pub(crate) mod intrinsics;
mod iterators;
pub(crate) mod methods;
mod numbers;
mod options;

use std::str::FromStr;

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use syn::ItemFn;

use methods::{of_width, on};

use crate::surface::Primitive;

/// A function, on the receivers of some [`on`] bits.
pub(crate) struct Row {
    pub(crate) on: u16,
    /// Its source. Of numbers `Self` is the type, `Unsigned` and `Signed` are the integers of its width.
    source: &'static str,
    /// True if it may fault: then it is a function of its own at each call, where faults are reported.
    pub(crate) faults: bool,
}

const fn row(on: u16, source: &'static str) -> Row {
    let faults = false;
    Row { on, source, faults }
}

const fn faults(on: u16, source: &'static str) -> Row {
    let faults = true;
    Row { on, source, faults }
}

impl Row {
    pub(crate) fn name(&self) -> &'static str {
        let end = self.source[3..].find(['<', '(']).map_or(3, |end| 3 + end);
        &self.source[3..end]
    }

    /// Number of its generic parameters that belong to the receiver's type.
    pub(crate) fn of_receiver(&self) -> usize {
        match self.on {
            on::OPTION => 1,
            on::RESULT => 2,
            _ => 0,
        }
    }

    /// Number of its parameters, by its index.
    pub(crate) fn arity(&self) -> usize {
        let parameters = self.source.split(['(', ')']).nth(1).unwrap_or_default();
        1 + parameters.matches(',').count()
    }

    /// The function, as if it were written at `span`.
    pub(crate) fn item(&self, primitive: Option<Primitive>, span: Span) -> Option<ItemFn> {
        let mut source = self.source.to_owned();
        if let Some(primitive) = primitive {
            let scalar = primitive.scalar();
            let bytes: Vec<String> = (0..scalar.bits() / 8)
                .map(|at| format!("(this >> {}) as u8", 8 * at))
                .collect();
            let words = (0..scalar.bits() / 8).map(|at| format!("(this[{at}] as Self) << {}", 8 * at));
            let words: Vec<String> = words.collect();
            source = source.replace("Bytes", &format!("[u8; {}]", bytes.len()));
            source = source
                .replace("BYTES", &bytes.join(", "))
                .replace("WORDS", &words.join(" | "));
            source = source.replace("Unsigned", of_width(primitive, false).name());
            source = source.replace("Signed", of_width(primitive, true).name());
            source = source.replace("Self", primitive.name());
        }
        let tokens = TokenStream::from_str(&source).ok()?;
        syn::parse2(at(tokens, span)).ok()
    }
}

/// The method of a name on receivers of one kind.
pub(crate) fn find(name: &str, on: u16) -> Option<&'static Row> {
    all().find(|row| row.on & on != 0 && row.name() == name)
}

/// Every method.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> {
    numbers::ROWS.iter().chain(options::ROWS)
}

/// The function of a name that is called by the path of a number: `u32::from_le_bytes(b)`.
pub(crate) fn function(name: &str, on: u16) -> Option<&'static Row> {
    let mut rows = numbers::FUNCTIONS.iter();
    rows.find(|row| row.on & on != 0 && row.name() == name)
}

/// A function that iterators are made of.
pub(crate) fn helper(name: &str) -> Option<&'static Row> {
    iterators::ROWS.iter().find(|row| row.name() == name)
}

fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|token| {
        let mut token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), at(group.stream(), span)).into(),
            other => other,
        };
        token.set_span(span);
        token
    });
    moved.collect()
}
