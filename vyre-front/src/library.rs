//! Methods of the standard library that are written in terms of others, in Rust.
//!
//! `x.checked_mul(y)` is the function of that name in its `rows`, whose first parameter is the receiver. Its body
//! stands in place of the call, or it is a device function that needs no attribute.
//! Only what a kernel calls is read.

pub(crate) mod collectives;
pub(crate) mod core;
pub(crate) mod group_methods;
pub(crate) mod intrinsics;
mod iterators;
mod math;
pub(crate) mod methods;
mod numbers;
pub(crate) mod options;
mod tiles;
pub(crate) mod wide;

pub(crate) use math::{modules, operation};

use std::str::FromStr;

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use syn::ItemFn;
use syn::parse::{ParseStream, Parser};

use methods::{of_width, on};

use crate::surface::Primitive;

/// A function, on the receivers of some [`on`] bits.
pub(crate) struct Row {
    pub(crate) on: u16,
    /// Its source. Of numbers `Self` is the type, `Unsigned` and `Signed` are the integers of its width.
    pub(crate) source: &'static str,
    pub(crate) form: Form,
    /// The path below `vyre` of the same function for the host, if it is one of `vyre::math`.
    pub(crate) path: &'static str,
}

/// How a function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Without generic parameters, in the few forms of [`crate::syntax`]'s `library_text`, which reads it without syn.
    Short,
    Whole,
    /// In a module of [`vyre_abi::math`], which the host compiles too: the source is only the head.
    Module(&'static str),
}

const fn row(on: u16, source: &'static str) -> Row {
    Row {
        on,
        source,
        form: Form::Whole,
        path: "",
    }
}

const fn short(on: u16, source: &'static str) -> Row {
    Row {
        on,
        source,
        form: Form::Short,
        path: "",
    }
}

impl Row {
    pub(crate) fn name(&self) -> &'static str {
        // A loop over bytes: in macros nothing is optimised.
        let mut end = 3;
        while !matches!(self.source.as_bytes()[end], b'<' | b'(') {
            end += 1;
        }
        &self.source[3..end]
    }

    /// True if it has this name, and receivers of this kind have it.
    fn is(&self, name: &str, on: u16) -> bool {
        self.on & on != 0 && self.source[3..].starts_with(name) && self.name() == name
    }

    /// True if it is called as a function: it takes closures, is an operation of 128 bits, or asks a type for something
    /// that may not be known where the call stands.
    pub(crate) fn is_called(&self) -> bool {
        matches!(self.form, Form::Module(_))
            || self.on & on::WIDE != 0
            || self.source.contains("impl Fn")
            || self.source.contains("T::")
    }

    /// Number of its generic parameters that belong to the receiver's type.
    pub(crate) fn of_receiver(&self) -> usize {
        match self.on {
            on::OPTION | on::TILE => 1,
            on::RESULT => 2,
            _ => 0,
        }
    }

    /// Number of its parameters, by its index.
    pub(crate) fn arity(&self) -> usize {
        let parameters = self.source.split(['(', ')']).nth(1).unwrap_or_default();
        1 + parameters.matches(',').count()
    }

    /// The function, as if it were written at `span`; of a number of this type, if it is one of numbers.
    pub(crate) fn item(&self, primitive: Option<Primitive>, span: Span) -> Option<ItemFn> {
        let source = match primitive {
            Some(primitive) => self.of_number(primitive),
            None => self.source.to_owned(),
        };
        let tokens = at(TokenStream::from_str(&source).ok()?, span);
        // Without attributes and visibility, for which syn would look.
        let parts = |input: ParseStream<'_>| Ok((input.parse()?, input.parse()?));
        let (sig, block) = parts.parse2(tokens).ok()?;
        Some(ItemFn {
            attrs: Vec::new(),
            vis: syn::Visibility::Inherited,
            modifiers: syn::FnModifiers::default(),
            sig,
            block: Box::new(block),
        })
    }

    /// The source with the words filled in that stand for something of a number's type.
    fn of_number(&self, primitive: Primitive) -> String {
        let size = primitive.bits() / 8;
        let mut source = self.source.to_owned();
        let mut fill = |word: &str, text: &dyn Fn() -> String| {
            if source.contains(word) {
                source = source.replace(word, &text());
            }
        };
        fill("Bytes", &|| format!("[u8; {size}]"));
        fill("BYTES", &|| {
            let bytes = (0..size).map(|at| format!("(this >> {}) as u8", 8 * at));
            bytes.collect::<Vec<_>>().join(", ")
        });
        fill("WORDS", &|| {
            let words = (0..size).map(|at| format!("(this[{at}] as Self) << {}", 8 * at));
            words.collect::<Vec<_>>().join(" | ")
        });
        fill("Unsigned", &|| of_width(primitive, false).name().to_owned());
        fill("Signed", &|| of_width(primitive, true).name().to_owned());
        fill("Self", &|| primitive.name().to_owned());
        source
    }
}

/// The method of a name on receivers of one kind.
pub(crate) fn find(name: &str, on: u16) -> Option<&'static Row> {
    for rows in ALL {
        for row in rows {
            if row.is(name, on) {
                return Some(row);
            }
        }
    }
    None
}

/// Every method.
const ALL: [&[Row]; 5] = [numbers::ROWS, options::ROWS, tiles::ROWS, wide::ROWS, math::METHODS];

pub(crate) fn all() -> Vec<&'static Row> {
    let mut all = Vec::new();
    for rows in ALL {
        all.extend(rows);
    }
    all
}

/// The method of floats of a name that is one of mathematics.
pub(crate) fn mathematical_method(name: &str) -> Option<&'static Row> {
    math::METHODS.iter().find(|row| row.is(name, on::FLOAT))
}

/// The function `vyre::math::NAME`, on floats of one kind.
pub(crate) fn mathematics(name: &str, on: u16) -> Option<&'static Row> {
    math::all().find(|row| row.is(name, on))
}

/// The function of a name that is called by the path of a number: `u32::from_le_bytes(b)`.
pub(crate) fn function(name: &str, on: u16) -> Option<&'static Row> {
    let mut rows = numbers::FUNCTIONS.iter();
    rows.find(|row| row.is(name, on))
}

/// The consumer of iterators of a name and so many arguments.
pub(crate) fn consumer(name: &str, arguments: usize) -> Option<&'static Row> {
    let mut rows = iterators::CONSUMERS.iter();
    rows.find(|row| row.name() == name && row.arity() == 1 + arguments)
}

/// The adapter of iterators of a name and so many arguments that runs between the number and the element.
pub(crate) fn adapter(name: &str, arguments: usize) -> Option<&'static Row> {
    let mut rows = iterators::ADAPTERS.iter();
    rows.find(|row| row.name() == name && row.arity() == 1 + arguments)
}

/// A function that iterators are made of.
pub(crate) fn helper(name: &str) -> Option<&'static Row> {
    iterators::ROWS.iter().find(|row| row.name() == name)
}

/// Tokens with another place.
pub(crate) fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let mut moved = Vec::new();
    for token in tokens {
        let mut token = match token {
            TokenTree::Group(group) => Group::new(group.delimiter(), at(group.stream(), span)).into(),
            other => other,
        };
        token.set_span(span);
        moved.push(token);
    }
    moved.into_iter().collect()
}

#[cfg(test)]
mod tests;
