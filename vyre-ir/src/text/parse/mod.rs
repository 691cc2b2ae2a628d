//! The parser of programs: this file parses items.

mod body;
mod cursor;
mod error;
mod exprs;
mod labels;
mod lexer;
mod scope;
mod types;

pub use error::{ParseError, ParseErrorKind};
pub use lexer::unescape;

use crate::ir::{ConstantTable, Entry, External, Field, Function, Kernel, Parameter, Program, SharedVariable, Type};
use body::BodyParser;
use lexer::{Located, Token, tokens};
use scope::Names;

/// Parses a program.
///
/// The program is not validated: a text can describe an ill-typed program.
///
/// # Errors
/// The first location where the text violates the syntax described in [`crate::text`].
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
        type_depth: 0,
    };
    parser.find_functions();
    parser.items()?;
    Ok(parser.program)
}

type Parsed<T> = Result<T, ParseError>;

/// The state shared by all parts of the parser.
struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Located<'t>>,
    next: usize,
    program: Program,
    externals: Names,
    tables: Names,
    shared: Names,
    functions: Names,
    /// The names of all functions, empty for those that are quoted.
    function_names: Vec<&'t str>,
    structs: Names,
    depth: u32,
    type_depth: u32,
}

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
                "exact" => {
                    self.advance();
                    match self.peek() {
                        Token::Name("fn") => self.function(true)?,
                        _ => return Err(self.expected("`fn`")),
                    }
                }
                "fn" => self.function(false)?,
                "kernel" => self.kernel()?,
                _ => return Err(self.expected("an item")),
            }
        }
    }

    fn struct_item(&mut self) -> Parsed<()> {
        self.advance();
        let label = self.declared()?;
        let name = label.name.clone().unwrap_or_default();
        let align = match self.peek() {
            Token::Name("align") => {
                self.advance();
                self.integer()?
            }
            _ => 1,
        };
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
        let id = self.program.types.intern(Type::Struct { name, align, fields });
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
        let host = if self.eat_word("host") {
            Some(self.integer()?)
        } else {
            None
        };
        self.expect("=")?;
        let mut values = Vec::new();
        while let Token::Number(_) = self.peek() {
            values.push(self.integer()?);
        }
        let span = self.span()?;
        self.program.tables.push(ConstantTable {
            name,
            ty,
            values,
            host,
            span,
        });
        Ok(())
    }

    fn function(&mut self, exact: bool) -> Parsed<()> {
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
            exact,
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
        let cluster = match self.eat_word("cluster") {
            true => Some([self.integer()?, self.integer()?, self.integer()?]),
            false => None,
        };
        let min_blocks = match self.eat_word("min_blocks") {
            true => Some(self.integer()?),
            false => None,
        };
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
            cluster,
            min_blocks,
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
