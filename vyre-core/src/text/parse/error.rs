//! What can be wrong with a text.

use std::fmt;

/// Why a text is not a program, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub kind: ParseErrorKind,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// A character that begins nothing.
    Character(char),
    /// A string without an end, or with an escape that does not exist.
    BadString,
    /// A number that is none, or does not fit.
    BadNumber(String),
    /// The text is of another version of the form.
    Version(String),
    /// Something else stands where this should.
    Expected {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A name that nothing declares.
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name or number.
        name: String,
    },
    /// A word of the text form where a name is declared; as a name it must be quoted.
    Reserved(String),
    /// A name that stands for something already.
    Repeated(String),
    /// A declaration with a number that is not the next one.
    OutOfOrder {
        /// The number that should stand there.
        expected: usize,
    },
    /// An expression without a type of its own: it needs `(expression : type)`.
    NoType,
    /// Expressions, blocks or types inside each other, deeper than a valid program has them.
    TooDeep,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.line, self.column)?;
        match &self.kind {
            ParseErrorKind::Character(character) => write!(f, "unexpected character {character:?}"),
            ParseErrorKind::BadString => f.write_str("string without an end, or with an unknown escape"),
            ParseErrorKind::BadNumber(text) => write!(f, "`{text}` is not a number that fits here"),
            ParseErrorKind::Version(text) => write!(f, "version `{text}` of the text form is not known, only 1 is"),
            ParseErrorKind::Expected { expected, found } => write!(f, "expected {expected}, found {found}"),
            ParseErrorKind::Unknown { what, name } => write!(f, "no {what} `{name}` here"),
            ParseErrorKind::Reserved(name) => write!(f, "`{name}` is reserved; as a name write `#number \"{name}\"`"),
            ParseErrorKind::Repeated(name) => write!(f, "`{name}` stands for something already"),
            ParseErrorKind::OutOfOrder { expected } => write!(f, "this should have number {expected}"),
            ParseErrorKind::NoType => f.write_str("the type does not follow from the operands: write `(.. : type)`"),
            ParseErrorKind::TooDeep => f.write_str("nested too deeply"),
        }
    }
}

impl std::error::Error for ParseError {}
