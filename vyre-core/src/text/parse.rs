//! Parses programs.

use super::error::{ParseError, ParseErrorKind};
use super::lexer::{Located, Token, error_at, tokens, unescape};
use super::names::{atomic_from_name, is_plain};
use super::parse_body::BodyParser;
use super::scope::{Label, Names};
use crate::ir::{
    ConstantTable, Entry, External, Field, Function, Handle, Kernel, Parameter, Program, Scalar, SharedVariable, Span,
    Type, TypeId,
};
use crate::valid::MAX_DEPTH;

/// The program that a text describes.
///
/// The program is not checked: a text can describe a program that is ill-typed.
///
/// # Errors
/// The first place where the text is not of the form that [`crate::text`] describes.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        program: Program::default(),
        externals: Names::default(),
        tables: Names::default(),
        shared: Names::default(),
        functions: Names::default(),
        function_names: Vec::new(),
        structs: Names::default(),
        depth: 0,
    };
    parser.find_functions();
    parser.items()?;
    Ok(parser.program)
}

pub(super) type Parsed<T> = Result<T, ParseError>;

/// What all parts of the parser share.
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    tokens: Vec<Located<'t>>,
    next: usize,
    pub(super) program: Program,
    pub(super) externals: Names,
    pub(super) tables: Names,
    pub(super) shared: Names,
    pub(super) functions: Names,
    /// The names of all functions, empty for those that are quoted.
    function_names: Vec<&'t str>,
    structs: Names,
    depth: u32,
}

/// Tokens.
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

    /// Where the next token stands, for [`Parser::rewind`].
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

    fn expect_word(&mut self, word: &'static str) -> Parsed<()> {
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

    /// A name that nothing refers to, bare or quoted.
    fn name(&mut self) -> Parsed<String> {
        if let Token::Name(name) = self.peek() {
            self.advance();
            return Ok(name.to_owned());
        }
        self.string()
    }

    /// Goes one level deeper.
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

/// Names.
impl<'t> Parser<'t> {
    /// A name at its declaration or where it is used: `i`, `i#3` or `#3`.
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
        let name_of = |number| {
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
        let name_of = |number| shared.get(Handle::new(number)).map(|shared| shared.name.as_str());
        let index = self.shared.resolve(self.text, &label, "shared variable", name_of)?;
        Ok(Handle::new(index))
    }

    pub(super) fn table_label(&mut self) -> Parsed<Handle<ConstantTable>> {
        let label = self.label()?;
        let tables = &self.program.tables;
        let name_of = |number| tables.get(Handle::new(number)).map(|table| table.name.as_str());
        let index = self.tables.resolve(self.text, &label, "table", name_of)?;
        Ok(Handle::new(index))
    }

    pub(super) fn function_label(&mut self) -> Parsed<Handle<Function>> {
        let label = self.label()?;
        let names = &self.function_names;
        let name_of = |number: usize| names.get(number).copied();
        let index = self.functions.resolve(self.text, &label, "function", name_of)?;
        Ok(Handle::new(index))
    }

    /// Functions may be called before they are declared, so their names are collected first.
    fn find_functions(&mut self) {
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
                // A repeated name is found where it is declared the second time.
                self.functions.insert(name, self.function_names.len());
            }
            self.function_names.push(name);
        }
    }
}

/// Items.
impl<'t> Parser<'t> {
    fn items(&mut self) -> Parsed<()> {
        self.expect_word("vyre")?;
        match self.peek() {
            Token::Number("1") => self.advance(),
            Token::Number(version) => return Err(self.error(ParseErrorKind::Version(version.to_owned()))),
            _ => return Err(self.expected("a version")),
        }
        loop {
            let Token::Name(word) = self.peek() else {
                return match self.peek() {
                    Token::End => Ok(()),
                    _ => Err(self.expected("an item")),
                };
            };
            match word {
                "file" => {
                    self.advance();
                    let file = self.string()?;
                    self.program.files.push(file);
                }
                "type" => {
                    self.advance();
                    self.ty()?;
                }
                "struct" => self.struct_item()?,
                "external" => self.external()?,
                "shared" => self.shared_variable()?,
                "table" => self.table()?,
                "fn" => self.function()?,
                "kernel" => self.kernel()?,
                _ => return Err(self.expected("an item")),
            }
        }
    }

    fn struct_item(&mut self) -> Parsed<()> {
        self.advance();
        let label = self.declared()?;
        let name = label.name.clone().unwrap_or_default();
        self.expect("{")?;
        let mut fields = Vec::new();
        while !self.eat("}") {
            if !fields.is_empty() {
                self.expect(",")?;
            }
            let name = self.name()?;
            self.expect(":")?;
            fields.push(Field { name, ty: self.ty()? });
        }
        let id = self.program.types.intern(Type::Struct { name, fields });
        self.structs.declare(self.text, label, id.index())?;
        Ok(())
    }

    fn external(&mut self) -> Parsed<()> {
        self.advance();
        let label = self.declared()?;
        let name = self.externals.declare(self.text, label, self.program.externals.len())?;
        self.expect(":")?;
        let scalar = self.scalar()?;
        self.expect("=")?;
        let value = match self.peek() {
            Token::Number(text) if text.starts_with("0xV") => {
                let number = text[3..].parse::<usize>().ok();
                if number != Some(self.program.externals.len()) {
                    return Err(self.error(ParseErrorKind::BadNumber(text.to_owned())));
                }
                self.advance();
                None
            }
            _ => Some(self.integer()?),
        };
        let span = self.span()?;
        self.program.externals.push(External {
            name,
            scalar,
            value,
            span,
        });
        Ok(())
    }

    fn shared_variable(&mut self) -> Parsed<()> {
        self.advance();
        let label = self.declared()?;
        let name = self.shared.declare(self.text, label, self.program.shared.len())?;
        self.expect(":")?;
        let ty = self.ty()?;
        let span = self.span()?;
        self.program.shared.push(SharedVariable { name, ty, span });
        Ok(())
    }

    fn table(&mut self) -> Parsed<()> {
        self.advance();
        let label = self.declared()?;
        let name = self.tables.declare(self.text, label, self.program.tables.len())?;
        self.expect(":")?;
        let ty = self.ty()?;
        self.expect("=")?;
        let mut values = Vec::new();
        while let Token::Number(_) = self.peek() {
            values.push(self.integer()?);
        }
        let span = self.span()?;
        self.program.tables.push(ConstantTable { name, ty, values, span });
        Ok(())
    }

    fn function(&mut self) -> Parsed<()> {
        self.advance();
        let label = self.declared()?;
        let name = self.functions.declare(self.text, label, self.program.functions.len())?;
        let mut body = BodyParser::new(self);
        let parameters = body.parameters()?;
        body.parser.expect("->")?;
        let result = body.parser.ty()?;
        body.parser.expect("{")?;
        let span = body.parser.span()?;
        let body = body.finish()?;
        self.program.functions.push(Function {
            name,
            parameters,
            result,
            body,
            span,
        });
        Ok(())
    }

    fn kernel(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name()?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.eat(")") {
            if !parameters.is_empty() {
                self.expect(",")?;
            }
            let name = self.name()?;
            self.expect(":")?;
            let ty = self.ty()?;
            let span = self.span()?;
            parameters.push(Parameter { name, ty, span });
        }
        self.expect_word("dimensions")?;
        let dimensions = self.integer()?;
        self.expect_word("block")?;
        let block = [self.integer()?, self.integer()?, self.integer()?];
        let mut instance = Vec::new();
        if self.eat_word("where") {
            loop {
                let name = self.name()?;
                self.expect("=")?;
                instance.push((name, self.string()?));
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect("{")?;
        let span = self.span()?;
        let mut entries = Vec::new();
        while !self.eat("}") {
            entries.push(self.entry(&parameters)?);
        }
        self.program.kernels.push(Kernel {
            name,
            instance,
            dimensions,
            block,
            parameters,
            entries,
            span,
        });
        Ok(())
    }

    fn entry(&mut self, parameters: &[Parameter]) -> Parsed<Entry> {
        self.expect_word("entry")?;
        let symbol = self.name()?;
        let mut body = BodyParser::new(self);
        if body.parser.peek_is("(") {
            body.parameters()?;
        } else {
            for parameter in parameters {
                body.mirror(parameter);
            }
        }
        let coarsening = if body.parser.eat_word("coarsening") {
            body.parser.integer()?
        } else {
            1
        };
        let predicate = if body.parser.eat_word("if") {
            Some(body.expr()?)
        } else {
            None
        };
        body.parser.expect("{")?;
        body.spans()?;
        let body = body.finish()?;
        Ok(Entry {
            symbol,
            predicate,
            coarsening,
            body,
        })
    }
}

/// Types and spans.
impl Parser<'_> {
    fn scalar(&mut self) -> Parsed<Scalar> {
        let Token::Name(name) = self.peek() else {
            return Err(self.expected("a scalar type"));
        };
        let scalar = Scalar::from_name(name).ok_or_else(|| self.expected("a scalar type"))?;
        self.advance();
        Ok(scalar)
    }

    pub(super) fn ty(&mut self) -> Parsed<TypeId> {
        self.deeper()?;
        let ty = self.type_inside();
        self.shallower();
        ty
    }

    fn type_inside(&mut self) -> Parsed<TypeId> {
        let ty = match self.peek() {
            Token::Name(name) => {
                if let Some(scalar) = Scalar::from_name(name) {
                    self.advance();
                    return Ok(self.program.types.scalar(scalar));
                }
                match atomic_from_name(name) {
                    Some(scalar) => {
                        self.advance();
                        Type::Atomic(scalar)
                    }
                    None => return self.struct_type(),
                }
            }
            Token::Mark("#") => return self.struct_type(),
            Token::Mark("(") => {
                self.advance();
                let mut fields = Vec::new();
                while !self.eat(")") {
                    fields.push(self.ty()?);
                    if !self.eat(",") {
                        self.expect(")")?;
                        break;
                    }
                }
                Type::Tuple(fields)
            }
            Token::Mark("[") => {
                self.advance();
                let element = self.ty()?;
                self.expect(";")?;
                let length = self.integer()?;
                self.expect("]")?;
                Type::Array { element, length }
            }
            Token::Mark("&") => {
                self.advance();
                let mutable = self.eat_word("mut");
                self.behind_reference(mutable)?
            }
            _ => return Err(self.expected("a type")),
        };
        Ok(self.program.types.intern(ty))
    }

    /// A slice, or a reference to another type, which may be an array.
    fn behind_reference(&mut self, mutable: bool) -> Parsed<Type> {
        if !self.eat("[") {
            let pointee = self.ty()?;
            return Ok(Type::Reference { pointee, mutable });
        }
        let element = self.ty()?;
        if self.eat("]") {
            return Ok(Type::Slice { element, mutable });
        }
        self.expect(";")?;
        let length = self.integer()?;
        self.expect("]")?;
        let pointee = self.program.types.intern(Type::Array { element, length });
        Ok(Type::Reference { pointee, mutable })
    }

    fn struct_type(&mut self) -> Parsed<TypeId> {
        let label = self.label()?;
        let types = &self.program.types;
        let name_of = |number| match types.get(Handle::new(number)) {
            Some(Type::Struct { name, .. }) => Some(name.as_str()),
            _ => None,
        };
        let index = self.structs.resolve(self.text, &label, "type", name_of)?;
        Ok(Handle::new(index))
    }

    /// The span of an item; no place where none is written.
    pub(super) fn span(&mut self) -> Parsed<Span> {
        if self.eat("@") {
            self.span_after(Span::NONE)
        } else {
            Ok(Span::NONE)
        }
    }

    /// A span whose missing parts are those of `before`.
    pub(super) fn span_after(&mut self, before: Span) -> Parsed<Span> {
        if self.eat("-") {
            return Ok(Span::NONE);
        }
        let mut span = before;
        span.column = self.integer()?;
        if self.eat("/") {
            span.file = span.column;
            span.column = self.integer()?;
        }
        if self.eat(":") {
            span.line = span.column;
            span.column = self.integer()?;
        }
        Ok(span)
    }
}
