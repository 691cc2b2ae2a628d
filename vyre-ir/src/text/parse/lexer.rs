//! The lexer.

use super::error::{ParseError, ParseErrorKind};
use crate::text::names::{is_name_byte, is_name_start};

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A name or keyword.
    Name(&'t str),
    /// A number with its sign and suffix, as written.
    Number(&'t str),
    /// A string literal without its quotes, escapes as written.
    Text(&'t str),
    /// Punctuation.
    Mark(&'static str),
    /// After the last piece.
    End,
}

/// A token and where it starts, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located<'t> {
    pub(super) token: Token<'t>,
    pub(super) start: usize,
}

/// All punctuation; longer marks before their prefixes.
const MARKS: &[&str] = &[
    "..", "::", "->", ".", ":", "-", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", "=", "@", "#", "&", "*", "/",
    "?",
];

/// The tokens of a text, ended by [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Located<'_>>, ParseError> {
    let mut lexer = Lexer { text, position: 0 };
    let mut tokens: Vec<Located<'_>> = Vec::with_capacity(text.len() / 3);
    loop {
        lexer.skip_blank();
        let start = lexer.position;
        // `#1.0.1` is two fields of variable 1, not a fraction.
        let whole = tokens
            .last()
            .is_some_and(|last| matches!(last.token, Token::Mark("." | "#")));
        let token = lexer.token(whole)?;
        tokens.push(Located { token, start });
        if token == Token::End {
            return Ok(tokens);
        }
    }
}

/// The error of `kind` at byte `offset` of a text.
pub(super) fn error_at(text: &str, offset: usize, kind: ParseErrorKind) -> ParseError {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    ParseError {
        kind,
        line: before.matches('\n').count() as u32 + 1,
        column: before[line_start..].chars().count() as u32 + 1,
    }
}

struct Lexer<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.position..]
    }

    /// Skips spaces, and comments from `//` to the end of their line.
    fn skip_blank(&mut self) {
        loop {
            match self.rest() {
                [b' ' | b'\n' | b'\t' | b'\r', ..] => self.position += 1,
                [b'/', b'/', ..] => {
                    let end = self.rest().iter().position(|&byte| byte == b'\n');
                    self.position = end.map_or(self.text.len(), |length| self.position + length);
                }
                _ => return,
            }
        }
    }

    /// Consumes the matching bytes.
    fn take(&mut self, fits: impl Fn(u8) -> bool) {
        while self.rest().first().is_some_and(|&byte| fits(byte)) {
            self.position += 1;
        }
    }

    fn token(&mut self, whole: bool) -> Result<Token<'t>, ParseError> {
        let text = self.text;
        let start = self.position;
        match self.rest() {
            [] => Ok(Token::End),
            [b'"', ..] => self.string(),
            [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] => {
                self.number(whole);
                Ok(Token::Number(&text[start..self.position]))
            }
            [byte, ..] if is_name_start(*byte) => {
                self.take(is_name_byte);
                Ok(Token::Name(&text[start..self.position]))
            }
            _ => match MARKS.iter().find(|mark| text[start..].starts_with(**mark)) {
                Some(mark) => {
                    self.position += mark.len();
                    Ok(Token::Mark(mark))
                }
                None => {
                    let character = text[start..].chars().next().unwrap_or('\0');
                    Err(error_at(text, start, ParseErrorKind::Character(character)))
                }
            },
        }
    }

    fn string(&mut self) -> Result<Token<'t>, ParseError> {
        let start = self.position;
        self.position += 1;
        loop {
            match self.rest() {
                [b'"', ..] => break,
                [b'\\', _, ..] => self.position += 2,
                [b'\n', ..] | [] => return Err(error_at(self.text, start, ParseErrorKind::BadString)),
                _ => self.position += 1,
            }
        }
        self.position += 1;
        // An escape that ends inside a character is found when the string is unescaped; the slice
        // itself lies between two quotes, so it starts and ends at characters.
        Ok(Token::Text(&self.text[start + 1..self.position - 1]))
    }

    /// Takes sign, digits and suffix, and unless it is a `whole` number fraction and exponent.
    fn number(&mut self, whole: bool) {
        self.position += 1;
        self.take(is_name_byte);
        if whole {
            return;
        }
        if let [b'.', b'0'..=b'9', ..] = self.rest() {
            self.position += 1;
            self.take(is_name_byte);
        }
        if self.text.as_bytes()[self.position - 1] == b'e'
            && let [b'-', b'0'..=b'9', ..] = self.rest()
        {
            self.position += 1;
            self.take(is_name_byte);
        }
    }
}

/// The content of a string literal, or `None` for an invalid escape.
pub fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find('\\') {
        out.push_str(&rest[..position]);
        let escape = &rest[position + 1..];
        let (character, after) = match escape.as_bytes().first()? {
            b'"' => ('"', 1),
            b'\\' => ('\\', 1),
            b'n' => ('\n', 1),
            b't' => ('\t', 1),
            b'u' => {
                let (digits, _) = escape.strip_prefix("u{")?.split_once('}')?;
                (char::from_u32(u32::from_str_radix(digits, 16).ok()?)?, digits.len() + 3)
            }
            _ => return None,
        };
        out.push(character);
        rest = &escape[after..];
    }
    out.push_str(rest);
    Some(out)
}
