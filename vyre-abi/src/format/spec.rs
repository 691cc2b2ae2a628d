//! Format specifications: the part of a placeholder after the colon.

use std::fmt;

/// Format specification: fill, alignment, sign and so on, as in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The fill character.
    pub fill: char,
    /// The alignment; `None` is right for numbers and left for `bool`.
    pub align: Option<Align>,
    /// `+`: numbers have a sign.
    pub plus: bool,
    /// `#`: a prefix such as `0x` before digits.
    pub alternate: bool,
    /// `0`: numbers are padded with zeros after the sign.
    pub zero: bool,
    /// The minimal number of characters.
    pub width: Count,
    /// Digits after the decimal point; for a `bool`, the maximal number of characters.
    pub precision: Option<Count>,
    /// The formatting trait of Rust.
    pub style: Style,
}

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A literal count.
    Is(usize),
    /// `0$`: the value of this index.
    Value(usize),
}

/// Alignment within the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// `<`
    Left,
    /// `^`
    Center,
    /// `>`
    Right,
}

/// A formatting trait of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the traits of the same names")]
pub enum Style {
    Display,
    Debug,
    LowerHex,
    UpperHex,
    Octal,
    Binary,
    LowerExp,
    UpperExp,
    /// `Debug` with integers formatted by `LowerHex`.
    DebugLowerHex,
    /// `Debug` with integers formatted by `UpperHex`.
    DebugUpperHex,
}

impl Style {
    const ALL: [Style; 10] = [
        Style::Display,
        Style::Debug,
        Style::LowerHex,
        Style::UpperHex,
        Style::Octal,
        Style::Binary,
        Style::LowerExp,
        Style::UpperExp,
        Style::DebugLowerHex,
        Style::DebugUpperHex,
    ];

    /// The suffix of the trait in a format specification.
    pub fn suffix(self) -> &'static str {
        match self {
            Style::Display => "",
            Style::Debug => "?",
            Style::LowerHex => "x",
            Style::UpperHex => "X",
            Style::Octal => "o",
            Style::Binary => "b",
            Style::LowerExp => "e",
            Style::UpperExp => "E",
            Style::DebugLowerHex => "x?",
            Style::DebugUpperHex => "X?",
        }
    }

    /// True for the traits that format compound values.
    pub fn is_debug(self) -> bool {
        matches!(self, Style::Debug | Style::DebugLowerHex | Style::DebugUpperHex)
    }
}

/// Rust's limit of widths and precisions.
pub(super) const MOST: usize = u16::MAX as usize;

impl Spec {
    /// `{}`.
    pub const DISPLAY: Spec = Spec {
        fill: ' ',
        align: None,
        plus: false,
        alternate: false,
        zero: false,
        width: Count::Is(0),
        precision: None,
        style: Style::Display,
    };

    /// Parses the text after the colon. Counts given by values have their indices: `{:0$}`.
    pub fn parse(text: &str) -> Option<Spec> {
        let mut spec = Spec::DISPLAY;
        let mut rest = text;
        let mut first = text.chars();
        let (one, two) = (first.next(), first.next());
        if let (Some(fill), Some(align)) = (one, two.and_then(Align::of)) {
            (spec.fill, spec.align) = (fill, Some(align));
            rest = first.as_str();
        } else if let Some(align) = one.and_then(Align::of) {
            spec.align = Some(align);
            rest = &rest[1..];
        }
        let mut flag = |sign: char| {
            let there = rest.strip_prefix(sign);
            rest = there.unwrap_or(rest);
            there.is_some()
        };
        spec.plus = flag('+');
        // Rust accepts a minus here and ignores it.
        flag('-');
        spec.alternate = flag('#');
        spec.zero = !rest.starts_with("0$") && {
            let there = rest.strip_prefix('0');
            rest = there.unwrap_or(rest);
            there.is_some()
        };
        if let Some((width, after)) = count(rest) {
            (spec.width, rest) = (width?, after);
        }
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = count(after)?;
            (spec.precision, rest) = (Some(precision?), after);
        }
        spec.style = Style::ALL.into_iter().find(|style| style.suffix() == rest)?;
        Some(spec)
    }
}

/// Parses a count at the start of a text; returns it, or `None` if there is none, and the rest.
fn count(text: &str) -> Option<(Option<Count>, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let number = digits.parse().ok().filter(|&number| number <= MOST);
    let found = match rest.strip_prefix('$') {
        Some(rest) => (number.map(Count::Value), rest),
        None => (number.map(Count::Is), rest),
    };
    (end > 0).then_some(found)
}

/// Formats as [`Spec::parse`] reads it.
impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Count::Is(number) => write!(f, "{number}"),
            Count::Value(number) => write!(f, "{number}$"),
        }
    }
}

impl Align {
    fn of(sign: char) -> Option<Align> {
        Some(match sign {
            '<' => Align::Left,
            '^' => Align::Center,
            '>' => Align::Right,
            _ => return None,
        })
    }
}

/// Formats as [`Spec::parse`] reads it.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(align) = self.align {
            let sign = match align {
                Align::Left => '<',
                Align::Center => '^',
                Align::Right => '>',
            };
            write!(f, "{}{sign}", self.fill)?;
        }
        for (is_set, flag) in [(self.plus, "+"), (self.alternate, "#"), (self.zero, "0")] {
            f.write_str(if is_set { flag } else { "" })?;
        }
        if self.width != Count::Is(0) {
            write!(f, "{}", self.width)?;
        }
        if let Some(precision) = self.precision {
            write!(f, ".{precision}")?;
        }
        f.write_str(self.style.suffix())
    }
}
