//! Parses bodies: locals, statements and their spans.

use super::lexer::Token;
use super::scope::{Label, Names};
use super::{Parsed, Parser};
use crate::ir::immediates::ImmediateReader;
use crate::ir::{
    AssertMessage, AtomicOp, Block, Body, ExprId, Handle, Intrinsic, Local, MemoryOrder, MemoryScope, Output,
    Parameter, PlaceId, Span, Stmt, StmtKind,
};

pub(super) struct BodyParser<'a, 't> {
    pub(super) parser: &'a mut Parser<'t>,
    pub(super) body: Body,
    locals: Names,
    /// The nodes of this line, which get their spans at its end.
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
pub(super) enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

/// Locals and spans.
impl<'a, 't> BodyParser<'a, 't> {
    pub(super) fn new(parser: &'a mut Parser<'t>) -> Self {
        BodyParser {
            parser,
            body: Body::default(),
            locals: Names::default(),
            nodes: Vec::new(),
        }
    }

    /// The local of a kernel's parameter.
    pub(super) fn mirror(&mut self, parameter: &Parameter) {
        self.locals.insert(&parameter.name, self.body.locals.len());
        self.body.locals.push(Local {
            name: parameter.name.clone(),
            ty: parameter.ty,
            span: parameter.span,
        });
    }

    /// Locals in parentheses; returns their number.
    pub(super) fn parameters(&mut self) -> Parsed<u32> {
        self.parser.expect("(")?;
        let mut count = 0;
        while !self.parser.eat(")") {
            if count > 0 {
                self.parser.expect(",")?;
            }
            self.local()?;
            count += 1;
        }
        Ok(count)
    }

    fn local(&mut self) -> Parsed<()> {
        let label = self.parser.declared()?;
        let name = self.locals.declare(self.parser.text, label, self.body.locals.len())?;
        self.parser.expect(":")?;
        let ty = self.parser.ty()?;
        let span = self.parser.span()?;
        self.body.locals.push(Local { name, ty, span });
        Ok(())
    }

    /// The rest of the body, from the first local after the parameters to the brace.
    pub(super) fn finish(mut self) -> Parsed<Body> {
        self.body.block = self.block()?;
        Ok(self.body)
    }

    /// The spans at the end of a line: returns the statement's, and gives the nodes theirs.
    pub(super) fn spans(&mut self) -> Parsed<Span> {
        let nodes = std::mem::take(&mut self.nodes);
        if !self.parser.eat("@") {
            return Ok(Span::NONE);
        }
        let statement = self.parser.span_after(Span::NONE)?;
        let (mut span, mut before) = (statement, statement);
        let mut left = self.repetitions()?;
        for node in nodes {
            left -= 1;
            if left == 0 {
                if matches!(self.parser.peek(), Token::Number(_)) || self.parser.peek_is("-") {
                    span = self.parser.span_after(before)?;
                    if span != Span::NONE {
                        before = span;
                    }
                    left = self.repetitions()?;
                } else {
                    left = u32::MAX;
                }
            }
            match node {
                Node::Expr(expr) => self.body.exprs[expr].span = span,
                Node::Place(place) => self.body.places[place].span = span,
            }
        }
        Ok(statement)
    }

    fn repetitions(&mut self) -> Parsed<u32> {
        if !self.parser.eat("*") {
            return Ok(1);
        }
        match self.parser.integer()? {
            0 => Err(self.parser.expected("a number above 0")),
            count => Ok(count),
        }
    }
}

/// Statements.
impl BodyParser<'_, '_> {
    /// Statements up to the closing brace.
    fn block(&mut self) -> Parsed<Block> {
        self.parser.deeper()?;
        let mut block = Block::new();
        while !self.parser.eat("}") {
            if self.parser.eat_word("let") {
                self.local()?;
            } else {
                block.push(self.stmt()?);
            }
        }
        self.parser.shallower();
        Ok(block)
    }

    fn stmt(&mut self) -> Parsed<Stmt> {
        let Token::Name(word) = self.parser.peek() else {
            return Err(self.parser.expected("a statement"));
        };
        if !is_statement(word) {
            return Err(self.parser.expected("a statement"));
        }
        self.parser.advance();
        match word {
            "if" => self.if_(),
            "loop" => self.loop_(),
            _ => {
                let kind = self.simple(word)?;
                let span = self.spans()?;
                Ok(Stmt { kind, span })
            }
        }
    }

    fn if_(&mut self) -> Parsed<Stmt> {
        let (condition, span) = self.head_of_if()?;
        let then = self.block()?;
        let otherwise = self.second_block("else")?;
        let kind = StmtKind::If {
            condition,
            then,
            otherwise,
        };
        Ok(Stmt { kind, span })
    }

    /// The condition and the span of an `if`, apart as `simple` is.
    fn head_of_if(&mut self) -> Parsed<(ExprId, Span)> {
        let condition = self.expr()?;
        self.parser.expect("{")?;
        Ok((condition, self.spans()?))
    }

    fn loop_(&mut self) -> Parsed<Stmt> {
        self.parser.expect("{")?;
        let span = self.spans()?;
        let body = self.block()?;
        let step = self.second_block("step")?;
        let kind = StmtKind::Loop { body, step };
        Ok(Stmt { kind, span })
    }

    /// A statement without blocks, after its first word. A separate function, to keep the recursion
    /// over nested statements small on the stack.
    fn simple(&mut self, word: &str) -> Parsed<StmtKind> {
        if let Some(intrinsic) = Intrinsic::named(word) {
            return self.intrinsic(intrinsic);
        }
        Ok(match word {
            "store" => {
                let place = self.place()?;
                self.parser.expect("=")?;
                let value = self.expr()?;
                StmtKind::Store { place, value }
            }
            "call" => self.call()?,
            "atomic" => self.atomic()?,
            "break" => StmtKind::Break(self.parser.integer()?),
            "continue" => StmtKind::Continue(self.parser.integer()?),
            "return" => StmtKind::Return(self.returned()?),
            "print" => self.print()?,
            "ptx" => self.ptx()?,
            _ => self.assert()?,
        })
    }

    fn ptx(&mut self) -> Parsed<StmtKind> {
        let result = match self.parser.peek() {
            Token::Text(_) => None,
            _ => self.result()?,
        };
        let text = self.parser.string()?;
        let version = match self.parser.eat_word("version") {
            true => Some((self.parser.integer()?, self.parser.integer()?)),
            false => None,
        };
        let operands = self.values()?;
        Ok(StmtKind::Ptx {
            text,
            version,
            operands,
            result,
        })
    }

    fn print(&mut self) -> Parsed<StmtKind> {
        let template = self.parser.string()?;
        let values = self.values()?;
        Ok(StmtKind::Print { template, values })
    }

    fn assert(&mut self) -> Parsed<StmtKind> {
        let condition = self.expr()?;
        self.parser.expect(",")?;
        let message = if self.parser.eat_word("panic") {
            AssertMessage::Panic(self.parser.string()?)
        } else {
            AssertMessage::Assertion(self.parser.string()?)
        };
        let values = self.values()?;
        Ok(StmtKind::Assert {
            condition,
            message,
            values,
        })
    }

    /// Values after a template.
    fn values(&mut self) -> Parsed<Vec<ExprId>> {
        let mut values = Vec::new();
        while self.parser.eat(",") {
            values.push(self.expr()?);
        }
        Ok(values)
    }

    fn second_block(&mut self, word: &str) -> Parsed<Block> {
        if !self.parser.eat_word(word) {
            return Ok(Block::new());
        }
        self.parser.expect("{")?;
        self.block()
    }

    /// The value of a return statement, if the next token begins one.
    fn returned(&mut self) -> Parsed<Option<ExprId>> {
        match self.parser.peek() {
            Token::Mark("@" | "}") => Ok(None),
            Token::Name(word) if is_statement(word) => Ok(None),
            _ => self.expr().map(Some),
        }
    }

    /// `[local =]` before a call or an atomic operation.
    fn result(&mut self) -> Parsed<Option<Handle<Local>>> {
        let named = matches!(self.parser.peek(), Token::Name(_)) && self.parser.peek_second() == Token::Mark("(");
        // `#3(` is a call, `#3 =` a local, and likewise `f#3(` and `x#3 =`.
        let before = self.parser.position();
        if named {
            return Ok(None);
        }
        let label = self.parser.label()?;
        if !self.parser.eat("=") {
            self.parser.rewind(before);
            return Ok(None);
        }
        let index = self.local_index(&label)?;
        Ok(Some(Handle::new(index)))
    }

    pub(super) fn local_index(&self, label: &Label) -> Parsed<usize> {
        let locals = &self.body.locals;
        self.locals.resolve(self.parser.text, label, "variable", &|number| {
            locals.get(Handle::new(number)).map(|local| local.name.as_str())
        })
    }

    fn call(&mut self) -> Parsed<StmtKind> {
        let result = self.result()?;
        let function = self.parser.function_label()?;
        self.parser.expect("(")?;
        let arguments = self.arguments()?;
        Ok(StmtKind::Call {
            function,
            arguments,
            result,
        })
    }

    /// Expressions up to the closing parenthesis.
    fn arguments(&mut self) -> Parsed<Vec<ExprId>> {
        let mut arguments = Vec::new();
        while !self.parser.eat(")") {
            if !arguments.is_empty() {
                self.parser.expect(",")?;
            }
            arguments.push(self.expr()?);
        }
        Ok(arguments)
    }

    /// True if a label comes next that is no statement.
    fn names_local(&self) -> bool {
        match self.parser.peek() {
            Token::Name(word) => word != "let" && !is_statement(word),
            token => token == Token::Mark("#"),
        }
    }

    /// Immediates, result and operands of an intrinsic.
    fn intrinsic(&mut self, mut intrinsic: Intrinsic) -> Parsed<StmtKind> {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        while self.parser.eat(".") {
            let Token::Name(word) = self.parser.peek() else {
                return Err(self.parser.expected("a word"));
            };
            words.push(word);
            self.parser.advance();
        }
        if self.parser.eat("[") {
            while !self.parser.eat("]") {
                if !numbers.is_empty() {
                    self.parser.expect(",")?;
                }
                numbers.push(self.parser.integer()?);
            }
        }
        let mut given = ImmediateReader::new(words, numbers);
        intrinsic.immediates(&mut given);
        if given.finish().is_err() {
            return Err(self.parser.expected("the immediates of the intrinsic"));
        }
        let row = intrinsic.row();
        let result = match row.result {
            Output::Nothing => None,
            _ if self.names_local() => self.result()?,
            _ => None,
        };
        let operands = match row.operands {
            [] => Vec::new(),
            _ => {
                self.parser.expect("(")?;
                self.arguments()?
            }
        };
        Ok(StmtKind::Intrinsic {
            intrinsic,
            operands,
            result,
        })
    }

    fn atomic(&mut self) -> Parsed<StmtKind> {
        let result = self.result()?;
        let op = self.word("an atomic operation", AtomicOp::from_name)?;
        self.parser.expect("(")?;
        let place = self.place()?;
        let mut operands = Vec::new();
        while !self.parser.eat(")") {
            self.parser.expect(",")?;
            operands.push(self.expr()?);
        }
        let order = self.word("a memory order", MemoryOrder::from_name)?;
        let scope = self.word("a scope", MemoryScope::from_name)?;
        Ok(StmtKind::Atomic {
            op,
            place,
            operands,
            order,
            scope,
            result,
        })
    }

    /// The operation, order or scope named by the next word.
    pub(super) fn word<T>(&mut self, what: &'static str, from_name: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        let Token::Name(word) = self.parser.peek() else {
            return Err(self.parser.expected(what));
        };
        let found = from_name(word).ok_or_else(|| self.parser.expected(what))?;
        self.parser.advance();
        Ok(found)
    }
}

/// True if `word` begins a statement or ends a block.
fn is_statement(word: &str) -> bool {
    let known = matches!(
        word,
        "assert"
            | "atomic"
            | "break"
            | "call"
            | "continue"
            | "if"
            | "let"
            | "loop"
            | "print"
            | "ptx"
            | "return"
            | "store"
    );
    known || Intrinsic::named(word).is_some()
}
