//! Syntax errors.

use std::fmt;

/// A syntax error and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The kind of error.
    pub kind: ParseErrorKind,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// The kind of a syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// An unexpected character.
    Character(char),
    /// An unterminated string, or an invalid escape.
    BadString,
    /// An invalid number, or one that is out of range.
    BadNumber(String),
    /// A different version of the text form.
    Version(String),
    /// An unexpected token.
    Expected {
        /// The expected syntax.
        expected: &'static str,
        /// The token found.
        found: String,
    },
    /// An undeclared name.
    Unknown {
        /// The kind of name.
        what: &'static str,
        /// The name or number.
        name: String,
    },
    /// A reserved word in a declaration; as a name it must be quoted.
    Reserved(String),
    /// A name that is already declared.
    Repeated(String),
    /// A declaration whose number is not the next one.
    OutOfOrder {
        /// The expected number.
        expected: usize,
    },
    /// An expression whose type cannot be derived: it needs `(expression : type)`.
    NoType,
    /// Expressions, blocks or types nested deeper than in a valid program.
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
