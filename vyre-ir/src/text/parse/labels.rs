//! Names of items, in declarations and uses.

use super::error::ParseErrorKind;
use super::lexer::Token;
use super::scope::Label;
use super::{Parsed, Parser};
use crate::ir::{ConstantTable, External, Function, Handle, SharedVariable};
use crate::text::names::is_plain;

impl<'t> Parser<'t> {
    /// A name in a declaration or use: `i`, `i#3` or `#3`.
    pub(super) fn label(&mut self) -> Parsed<Label> {
        let start = self.tokens[self.next].start;
        let name = match self.peek() {
            Token::Name(name) => {
                self.advance();
                Some(name.to_owned())
            }
            Token::Mark("#") => None,
            _ => return Err(self.expected("a name")),
        };
        let number = if self.eat("#") {
            Some(self.integer::<u32>()? as usize)
        } else {
            None
        };
        Ok(Label { name, number, start })
    }

    /// A name at its declaration, which may be followed by the quoted one.
    pub(super) fn declared(&mut self) -> Parsed<Label> {
        if let Token::Name(name) = self.peek()
            && !is_plain(name)
        {
            return Err(self.error(ParseErrorKind::Reserved(name.to_owned())));
        }
        let mut label = self.label()?;
        if label.name.is_none() && matches!(self.peek(), Token::Text(_)) {
            label.name = Some(self.string()?);
        }
        Ok(label)
    }

    pub(super) fn external_label(&mut self) -> Parsed<Handle<External>> {
        let label = self.label()?;
        let externals = &self.program.externals;
        let name_of = &|number: usize| {
            externals
                .get(Handle::new(number))
                .map(|external| external.name.as_str())
        };
        let index = self.externals.resolve(self.text, &label, "external", name_of)?;
        Ok(Handle::new(index))
    }

    pub(super) fn shared_label(&mut self) -> Parsed<Handle<SharedVariable>> {
        let label = self.label()?;
        let shared = &self.program.shared;
        let name_of = &|number: usize| shared.get(Handle::new(number)).map(|shared| shared.name.as_str());
        let index = self.shared.resolve(self.text, &label, "shared variable", name_of)?;
        Ok(Handle::new(index))
    }

    pub(super) fn table_label(&mut self) -> Parsed<Handle<ConstantTable>> {
        let label = self.label()?;
        let tables = &self.program.tables;
        let name_of = &|number: usize| tables.get(Handle::new(number)).map(|table| table.name.as_str());
        let index = self.tables.resolve(self.text, &label, "table", name_of)?;
        Ok(Handle::new(index))
    }

    pub(super) fn function_label(&mut self) -> Parsed<Handle<Function>> {
        let label = self.label()?;
        let names = &self.function_names;
        let name_of = &|number: usize| names.get(number).copied();
        let index = self.functions.resolve(self.text, &label, "function", name_of)?;
        Ok(Handle::new(index))
    }

    /// Functions may be called before they are declared, so their names are collected first.
    pub(super) fn find_functions(&mut self) {
        for position in 0..self.tokens.len() {
            if self.tokens[position].token != Token::Name("fn") {
                continue;
            }
            let after = |offset: usize| self.tokens.get(position + offset).map(|located| located.token);
            let name = match after(1) {
                Some(Token::Name(name)) => name,
                _ => "",
            };
            if after(2) != Some(Token::Mark("#")) {
                // A repeated name is reported at its second declaration.
                self.functions.insert(name, self.function_names.len());
            }
            self.function_names.push(name);
        }
    }
}
