//! Lexing of a line.

use std::str::FromStr;

use vyre_ir::ir::Span;
use vyre_ir::text::unescape;

use super::Parsed;

/// The rest of a line.
pub(super) struct Line<'t> {
    rest: &'t str,
}

/// A line up to its comment; `//` in a string begins none.
pub(super) fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (position, character) in line.char_indices() {
        match character {
            '"' if !line[..position].ends_with('\\') => quoted = !quoted,
            '/' if !quoted && line[position..].starts_with("//") => return &line[..position],
            _ => {}
        }
    }
    line
}

/// The numbers that directly follow a letter that begins a word.
pub(super) fn numbers(line: &str, letter: u8) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    (0..bytes.len()).filter_map(move |at| {
        let begins = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b'_';
        if bytes[at] != letter || !begins {
            return None;
        }
        let digits = &line[at + 1..];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok()
    })
}

impl<'t> Line<'t> {
    pub(super) fn new(rest: &'t str) -> Self {
        Line { rest }
    }

    /// Consumes a text if it comes next, and the spaces after it.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    /// Consumes a whole word if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.rest.split(' ').next() == Some(word);
        found && self.eat(word)
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(format!("expected `{}` at `{}`", text.trim(), self.rest)),
        }
    }

    /// The text before the next space, comma or parenthesis.
    pub(super) fn word(&mut self) -> &'t str {
        let end = self.rest.find([' ', ',', '(', ')']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    /// A decimal number without a sign.
    pub(super) fn number<N: FromStr>(&mut self) -> Parsed<N> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let number = digits
            .parse()
            .map_err(|_| format!("expected a number at `{}`", self.rest))?;
        self.rest = rest.trim_start();
        Ok(number)
    }

    /// A decimal number, or one of `0x`, up to a comma or bracket.
    pub(super) fn bits(&mut self) -> Parsed<u64> {
        let end = self.rest.find([',', ']']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        self.rest = rest;
        number.ok_or_else(|| format!("expected a number in place of `{text}`"))
    }

    /// A decimal number with or without a sign.
    pub(super) fn signed(&mut self) -> Parsed<i64> {
        let negative = self.eat("-");
        let number: i64 = self.number()?;
        Ok(if negative { -number } else { number })
    }

    /// The mnemonic of an operation and its words.
    pub(super) fn until_space_or_bracket(&mut self) -> &'t str {
        let end = self.rest.find([' ', '[']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        text
    }

    pub(super) fn string(&mut self) -> Parsed<String> {
        let text = self.rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let text = text.and_then(unescape).ok_or("expected a string")?;
        self.rest = "";
        Ok(text)
    }

    /// `@3:8` or `@1/3:8`, if there is one.
    pub(super) fn span(&mut self) -> Parsed<Span> {
        if !self.eat("@") {
            return Ok(Span::NONE);
        }
        let first = self.number()?;
        let (file, line) = match self.eat("/") {
            true => (first, self.number()?),
            false => (0, first),
        };
        self.expect(":")?;
        let column = self.number()?;
        Ok(Span { file, line, column })
    }

    /// True if a source location or an access comes next.
    pub(super) fn is_span(&self) -> bool {
        self.rest.starts_with(['@', '!'])
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn is_string(&self) -> bool {
        self.rest.starts_with('"')
    }

    /// True if a block begins here.
    pub(super) fn is_block(&self) -> bool {
        let digits = self
            .rest
            .strip_prefix('b')
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        digits.is_some_and(|rest| rest.starts_with('('))
    }

    /// True if the name of a value comes next.
    pub(super) fn is_value(&self) -> bool {
        self.rest
            .strip_prefix('v')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Nothing may be left.
    pub(super) fn end(&self) -> Parsed<()> {
        match self.rest {
            "" => Ok(()),
            rest => Err(format!("unexpected `{rest}`")),
        }
    }
}
