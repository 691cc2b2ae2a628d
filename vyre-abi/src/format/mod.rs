//! Message templates: format strings whose values kernels pass to the host as bits.
//!
//! GPUs do no formatting. `println!` and the messages of assertions refer to a template known to
//! the host and pass the bits of the values; [`Template::write`] formats the text. A template is a
//! Rust format string in which each placeholder consumes the next value and begins with its type:
//! `{u32}`, `{f32:>8.3}`, `{i64:?}`; `{{` and `}}` are braces. The output of a placeholder is
//! Rust's for a value of the type, with the same fill, alignment, sign, width and precision. Also:
//!
//! | placeholder | |
//! |---|---|
//! | `{let u64}` | consumes the next value without output |
//! | `{0:>5}` | formats the earlier value 0 again |
//! | `{f32:0$.1$}` | values 0 and 1 are the width and the precision |
//! | `{u128 0:x}` | formats the earlier values 0 and 1 as a low and a high word; also `i128` |
//! | `{():5}` | writes `()` without consuming a value |
//! | `{match bool}{case 0}None{case 1}Some({u32}){end}` | consumes the next value, or with `{match 0}` an earlier one, and writes the case with its bits |
//!
//! Values inside cases are consumed whether the case is taken or not.

mod spec;
mod value;

use std::fmt;

pub use spec::{Align, Count, Spec, Style};

use crate::scalar::Scalar;
use value::Value;

/// A parsed template.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// The parts, in order of output.
    pub pieces: Vec<Piece>,
    /// The types of the values, in order.
    pub scalars: Vec<Scalar>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// The value of this index.
    Value(usize, Spec),
    /// The integer of 128 bits whose low word is the value of this index, and whose high word, of its sign, the next one.
    Wide(usize, Spec),
    /// `()`.
    Unit(Spec),
    /// Begins a match: only the case of the value with this index is written.
    Match(usize),
    /// Begins a case, written if the value has these bits; ends at the next case or at the match's
    /// end.
    Case(u64),
    /// The end of a match.
    End,
}

/// Error of [`Template::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// An unbalanced brace.
    Brace,
    /// A placeholder that does not begin with a type.
    Type,
    /// An invalid format specification.
    Spec,
    /// A reference to a later value, or to one that is not an unsigned integer.
    Number,
    /// A case outside a match, or a match without an end.
    Case,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TemplateError::Brace => "a brace opens or closes nothing",
            TemplateError::Type => "a place for a value begins with its type",
            TemplateError::Spec => "a place for a value says how in the way of Rust",
            TemplateError::Number => "a value is named that does not stand before, or does not count",
            TemplateError::Case => "a case stands in a match, which ends",
        })
    }
}

impl std::error::Error for TemplateError {}

/// A part of a format string, of Rust or of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// Text.
    Text(&'t str),
    /// The text between braces.
    Place(&'t str),
}

/// Splits a format string into its parts.
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

/// The position of the brace that closes a placeholder. A brace before an alignment is a fill
/// character.
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
    /// Parses a template.
    ///
    /// # Errors
    /// The first error of the text.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let mut template = Template::default();
        let mut depth = 0usize;
        for part in parts(text)? {
            match part {
                Part::Text(text) => template.text(text),
                Part::Place(place) => template.place(place, &mut depth)?,
            }
        }
        match depth {
            0 => Ok(template),
            _ => Err(TemplateError::Case),
        }
    }

    /// Parses a placeholder at this depth of nested matches.
    fn place(&mut self, place: &str, depth: &mut usize) -> Result<(), TemplateError> {
        let (name, spec) = place.split_once(':').unwrap_or((place, ""));
        let spec = Spec::parse(spec).ok_or(TemplateError::Spec)?;
        for count in [Some(spec.width), spec.precision] {
            if let Some(Count::Value(number)) = count
                && self.scalars.get(number) != Some(&Scalar::U64)
            {
                return Err(TemplateError::Number);
            }
        }
        let piece = match name.split_once(' ').unwrap_or(("", name)) {
            ("", "()") => Piece::Unit(spec),
            ("", "end") => {
                *depth = depth.checked_sub(1).ok_or(TemplateError::Case)?;
                Piece::End
            }
            ("", name) => Piece::Value(self.number(name)?, spec),
            (name @ ("u128" | "i128"), number) => {
                let number = number.parse().map_err(|_| TemplateError::Number)?;
                if self.wide(number) != Some(name) {
                    return Err(TemplateError::Number);
                }
                Piece::Wide(number, spec)
            }
            ("let", name) => return self.number(name).map(|_| ()),
            ("match", name) => {
                *depth += 1;
                Piece::Match(self.number(name)?)
            }
            ("case", bits) if *depth > 0 => Piece::Case(bits.parse().map_err(|_| TemplateError::Case)?),
            _ => return Err(TemplateError::Case),
        };
        self.pieces.push(piece);
        Ok(())
    }

    /// The index of a named value, or of a new value of the named type.
    fn number(&mut self, name: &str) -> Result<usize, TemplateError> {
        if let Ok(number) = name.parse() {
            let is_known = number < self.scalars.len();
            return is_known.then_some(number).ok_or(TemplateError::Number);
        }
        let scalar = Scalar::ALL.into_iter().find(|scalar| scalar.name() == name);
        Ok(self.value(scalar.ok_or(TemplateError::Type)?))
    }

    /// The name of the integer of 128 bits whose words are the value of an index and the next one.
    fn wide(&self, number: usize) -> Option<&'static str> {
        match self.scalars.get(number..)? {
            [Scalar::U64, Scalar::U64, ..] => Some("u128"),
            [Scalar::U64, Scalar::I64, ..] => Some("i128"),
            _ => None,
        }
    }

    /// A template of literal text only.
    pub fn plain(text: &str) -> Template {
        let mut template = Template::default();
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

    /// Adds a value and returns its index.
    pub fn value(&mut self, scalar: Scalar) -> usize {
        self.scalars.push(scalar);
        self.scalars.len() - 1
    }

    /// Appends the formatted text for these bits, one word per value. Missing values are zero.
    pub fn write(&self, values: &[u64], out: &mut String) {
        let bits = |number: usize| {
            let scalar = self.scalars.get(number).copied().unwrap_or(Scalar::U64);
            (scalar, value::pattern(scalar, values.get(number).copied().unwrap_or(0)))
        };
        let count = |count: Count| match count {
            Count::Is(count) => count,
            Count::Value(number) => usize::try_from(bits(number).1).unwrap_or(spec::MOST).min(spec::MOST),
        };
        // For each enclosing match, the bits of its value, and true if the current case matches.
        let mut matches: Vec<(u64, bool)> = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Match(number) => matches.push((bits(*number).1, false)),
                Piece::Case(case) => matches
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|it| it.1 = it.0 == *case),
                Piece::End => drop(matches.pop()),
                _ if !matches.iter().all(|(_, holds)| *holds) => {}
                Piece::Text(text) => out.push_str(text),
                Piece::Value(number, spec) => {
                    let (scalar, bits) = bits(*number);
                    let (bits, width) = (bits.into(), scalar.bits());
                    value::write(Some(Value { scalar, bits, width }), spec, count, out);
                }
                Piece::Wide(number, spec) => {
                    let ((_, low), (scalar, high)) = (bits(*number), bits(number.saturating_add(1)));
                    let (bits, width) = (u128::from(high) << 64 | u128::from(low), 128);
                    value::write(Some(Value { scalar, bits, width }), spec, count, out);
                }
                Piece::Unit(spec) => value::write(None, spec, count, out),
            }
        }
    }
}

/// The text of the template, which [`Template::parse`] parses back.
impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut next = 0;
        for piece in &self.pieces {
            let (before, number, spec) = match piece {
                Piece::Text(text) => {
                    f.write_str(&text.replace('{', "{{").replace('}', "}}"))?;
                    continue;
                }
                Piece::Case(bits) => {
                    write!(f, "{{case {bits}}}")?;
                    continue;
                }
                Piece::End => {
                    f.write_str("{end}")?;
                    continue;
                }
                Piece::Value(number, spec) => ("", Some(*number), *spec),
                Piece::Unit(spec) => ("()", None, *spec),
                Piece::Wide(number, spec) => {
                    self.take(&mut next, number + 2, f)?;
                    let spec = spec.to_string();
                    let name = self.wide(*number).unwrap_or("?");
                    write!(f, "{{{name} {number}{}{spec}}}", if spec.is_empty() { "" } else { ":" })?;
                    continue;
                }
                Piece::Match(number) => ("match ", Some(*number), Spec::DISPLAY),
            };
            // Values without output that are referenced later.
            let mut end = number.unwrap_or(0);
            for count in [Some(spec.width), spec.precision] {
                if let Some(Count::Value(number)) = count {
                    end = end.max(number + 1);
                }
            }
            self.take(&mut next, end, f)?;
            write!(f, "{{{before}")?;
            match number {
                Some(number) if number == next => {
                    next += 1;
                    f.write_str(self.scalars.get(number).map_or("?", |scalar| scalar.name()))?;
                }
                Some(number) => write!(f, "{number}")?,
                None => {}
            }
            let spec = spec.to_string();
            write!(f, "{}{spec}}}", if spec.is_empty() { "" } else { ":" })?;
        }
        self.take(&mut next, self.scalars.len(), f)
    }
}

impl Template {
    /// Consumes the values up to an index.
    fn take(&self, next: &mut usize, end: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for scalar in self.scalars.get(*next..end).unwrap_or_default() {
            write!(f, "{{let {}}}", scalar.name())?;
            *next += 1;
        }
        Ok(())
    }
}

/// The formatted text of a template for these bits; the text itself if it is not a valid template.
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
