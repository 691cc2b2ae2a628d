//! The token cursor.

use super::error::{ParseError, ParseErrorKind};
use super::lexer::{Token, error_at, unescape};
use super::{Parsed, Parser};
use crate::ir::limits::MAX_DEPTH;

impl<'t> Parser<'t> {
    pub(super) fn peek(&self) -> Token<'t> {
        self.tokens[self.next].token
    }

    /// The token after the next one.
    pub(super) fn peek_second(&self) -> Token<'t> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.next + 1).min(last)].token
    }

    pub(super) fn advance(&mut self) {
        if self.next + 1 < self.tokens.len() {
            self.next += 1;
        }
    }

    /// The position of the next token, for [`Parser::rewind`].
    pub(super) fn position(&self) -> usize {
        self.next
    }

    /// Goes back to an earlier token.
    pub(super) fn rewind(&mut self, position: usize) {
        self.next = position;
    }

    /// An error at the next token.
    pub(super) fn error(&self, kind: ParseErrorKind) -> ParseError {
        error_at(self.text, self.tokens[self.next].start, kind)
    }

    pub(super) fn expected(&self, expected: &'static str) -> ParseError {
        let found = match self.peek() {
            Token::Name(text) | Token::Number(text) => format!("`{text}`"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::Text(_) => "a string".to_owned(),
            Token::End => "the end".to_owned(),
        };
        self.error(ParseErrorKind::Expected { expected, found })
    }

    /// Takes the next token if it is this mark.
    pub(super) fn eat(&mut self, mark: &str) -> bool {
        let found = self.peek_is(mark);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn peek_is(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(found) if found == mark)
    }

    pub(super) fn expect(&mut self, mark: &'static str) -> Parsed<()> {
        if self.eat(mark) {
            Ok(())
        } else {
            Err(self.expected(mark))
        }
    }

    /// Takes the next token if it is this word.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Name(word);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
        if self.eat_word(word) {
            Ok(())
        } else {
            Err(self.expected(word))
        }
    }

    /// A decimal number without sign or suffix, or one of `0x`.
    pub(super) fn integer<T: TryFrom<u64>>(&mut self) -> Parsed<T> {
        let Token::Number(text) = self.peek() else {
            return Err(self.expected("a number"));
        };
        let number = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let number = number.and_then(|number| T::try_from(number).ok());
        let number = number.ok_or_else(|| self.error(ParseErrorKind::BadNumber(text.to_owned())))?;
        self.advance();
        Ok(number)
    }

    pub(super) fn string(&mut self) -> Parsed<String> {
        let Token::Text(text) = self.peek() else {
            return Err(self.expected("a string"));
        };
        let string = unescape(text).ok_or_else(|| self.error(ParseErrorKind::BadString))?;
        self.advance();
        Ok(string)
    }

    /// A name without references, bare or quoted.
    pub(super) fn name(&mut self) -> Parsed<String> {
        if let Token::Name(name) = self.peek() {
            self.advance();
            return Ok(name.to_owned());
        }
        self.string()
    }

    /// Enters a deeper nesting level.
    pub(super) fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(ParseErrorKind::TooDeep));
        }
        Ok(())
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }
}
