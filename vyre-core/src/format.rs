//! Templates: text with places for values, which kernels hand to the host as bits.
//!
//! A GPU formats nothing. `println!` and the messages of assertions name a template, which the host
//! has, and give the bits of the values; [`Template::write`] makes the text. A template reads as a
//! format string of Rust in which each place takes the next value and begins with its type:
//! `{u32}`, `{f32:>8.3}`, `{i64:?}`; `{{` and `}}` are braces. What a place writes is what Rust
//! writes for a value of the type, with the same fill, alignment, sign, width and precision.

mod spec;
mod value;

use std::fmt;

pub use spec::{Align, Spec, Style};

use crate::ir::Scalar;

/// The most values that a message of an assertion may have.
pub const MAX_FAULT_VALUES: usize = 8;
/// The most values that one `println!` may have.
pub const MAX_PRINT_VALUES: usize = 32;

/// Text with places for values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// What is written, in order.
    pub pieces: Vec<Piece>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// This text.
    Text(String),
    /// The next value, which is of this type.
    Value(Scalar, Spec),
}

/// Why a text is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// A brace that opens or closes nothing.
    Brace,
    /// A place that does not begin with a type.
    Type,
    /// How the value is written cannot be read.
    Spec,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TemplateError::Brace => "a brace opens or closes nothing",
            TemplateError::Type => "a place for a value begins with its type",
            TemplateError::Spec => "a place for a value says how in the way of Rust",
        })
    }
}

impl std::error::Error for TemplateError {}

/// A part of a format string, Rust's or that of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// Text.
    Text(&'t str),
    /// What stands between braces.
    Place(&'t str),
}

/// Takes a format string apart.
///
/// # Errors
/// [`TemplateError::Brace`].
pub fn parts(mut text: &str) -> Result<Vec<Part<'_>>, TemplateError> {
    let mut parts = Vec::new();
    while let Some(at) = text.find(['{', '}']) {
        let (before, rest) = text.split_at(at);
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        if rest.starts_with("{{") || rest.starts_with("}}") {
            parts.push(Part::Text(&rest[..1]));
            text = &rest[2..];
            continue;
        }
        let inner = rest.strip_prefix('{').ok_or(TemplateError::Brace)?;
        let end = place_end(inner).ok_or(TemplateError::Brace)?;
        parts.push(Part::Place(&inner[..end]));
        text = &inner[end + 1..];
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

/// Where the brace stands that closes a place. A brace before an alignment fills.
fn place_end(inner: &str) -> Option<usize> {
    if let Some(colon) = inner.find(':') {
        let mut fill = inner[colon + 1..].char_indices();
        if let (Some((_, '}')), Some((_, '<' | '^' | '>'))) = (fill.next(), fill.next()) {
            return inner[colon + 2..].find('}').map(|end| colon + 2 + end);
        }
    }
    inner.find('}')
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Where it is none.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let mut template = Template { pieces: Vec::new() };
        for part in parts(text)? {
            match part {
                Part::Text(text) => template.text(text),
                Part::Place(place) => {
                    let (name, spec) = place.split_once(':').unwrap_or((place, ""));
                    let scalar = Scalar::ALL.into_iter().find(|scalar| scalar.name() == name);
                    let scalar = scalar.ok_or(TemplateError::Type)?;
                    let spec = Spec::parse(spec).ok_or(TemplateError::Spec)?;
                    template.pieces.push(Piece::Value(scalar, spec));
                }
            }
        }
        Ok(template)
    }

    /// A template of this text alone.
    pub fn plain(text: &str) -> Template {
        let mut template = Template { pieces: Vec::new() };
        template.text(text);
        template
    }

    /// Appends text.
    pub fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    /// The types of the values, in order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Value(scalar, _) => Some(*scalar),
            Piece::Text(_) => None,
        })
    }

    /// Appends the text for these bits, one word for each value. Values that are not there count
    /// as zero.
    pub fn write(&self, values: &[u64], out: &mut String) {
        let mut values = values.iter().copied();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value(scalar, spec) => value::write(*scalar, values.next().unwrap_or(0), spec, out),
            }
        }
    }
}

/// The text of the template, from which [`Template::parse`] makes it again.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}"))?,
                Piece::Value(scalar, spec) => {
                    let spec = spec.to_string();
                    let colon = if spec.is_empty() { "" } else { ":" };
                    write!(f, "{{{}{colon}{spec}}}", scalar.name())?;
                }
            }
        }
        Ok(())
    }
}

/// The text that a template makes of these bits; where it is no template, its own.
pub fn render(template: &str, values: &[u64]) -> String {
    let mut out = String::new();
    match Template::parse(template) {
        Ok(template) => template.write(values, &mut out),
        Err(_) => out.push_str(template),
    }
    out
}

#[cfg(test)]
mod tests;
