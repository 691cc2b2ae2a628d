//! Parses bodies: locals, statements, expressions and places.

use super::error::ParseErrorKind;
use super::lexer::Token;
use super::names::is_statement;
use super::parse::{Parsed, Parser};
use super::scope::Names;
use crate::ir::natural::{self, Natural};
use crate::ir::{
    AssertMessage, AtomicOp, Axis, BinaryOp, Block, Body, Builtin, Constant, Expr, ExprId, ExprKind, Handle, Local,
    MemoryOrder, MemoryScope, Parameter, Place, PlaceBase, PlaceId, Projection, Scalar, Span, Stmt, StmtKind, TypeId,
    UnaryOp,
};

pub(super) struct BodyParser<'a, 't> {
    pub(super) parser: &'a mut Parser<'t>,
    body: Body,
    locals: Names,
    /// The nodes of this line, which get their spans at its end.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy)]
enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

/// An expression whose type is still open.
struct Untyped {
    kind: ExprKind,
    /// `&mut`, for references.
    mutable: bool,
    /// The type where the expression names it.
    ty: Option<TypeId>,
}

impl Untyped {
    fn new(kind: ExprKind) -> Self {
        Untyped {
            kind,
            mutable: false,
            ty: None,
        }
    }
}

/// The range of a sub-slice.
struct Range {
    start: ExprId,
    end: ExprId,
    checked: bool,
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
        let kind = match word {
            "store" => {
                let place = self.place()?;
                self.parser.expect("=")?;
                let value = self.expr()?;
                StmtKind::Store { place, value }
            }
            "call" => self.call()?,
            "atomic" => self.atomic()?,
            "fence" => StmtKind::Fence {
                order: self.word("a memory order", MemoryOrder::from_name)?,
                scope: self.word("a scope", MemoryScope::from_name)?,
            },
            "barrier" => StmtKind::Barrier,
            "if" => {
                let condition = self.expr()?;
                self.parser.expect("{")?;
                let span = self.spans()?;
                let then = self.block()?;
                let otherwise = self.second_block("else")?;
                let kind = StmtKind::If {
                    condition,
                    then,
                    otherwise,
                };
                return Ok(Stmt { kind, span });
            }
            "loop" => {
                self.parser.expect("{")?;
                let span = self.spans()?;
                let body = self.block()?;
                let step = self.second_block("step")?;
                let kind = StmtKind::Loop { body, step };
                return Ok(Stmt { kind, span });
            }
            "break" => StmtKind::Break(self.parser.integer()?),
            "continue" => StmtKind::Continue(self.parser.integer()?),
            "return" => StmtKind::Return(self.returned()?),
            _ => {
                let condition = self.expr()?;
                self.parser.expect(",")?;
                let message = if self.parser.eat_word("panic") {
                    AssertMessage::Panic(self.parser.string()?)
                } else {
                    AssertMessage::Assertion(self.parser.string()?)
                };
                StmtKind::Assert { condition, message }
            }
        };
        let span = self.spans()?;
        Ok(Stmt { kind, span })
    }

    fn second_block(&mut self, word: &str) -> Parsed<Block> {
        if !self.parser.eat_word(word) {
            return Ok(Block::new());
        }
        self.parser.expect("{")?;
        self.block()
    }

    /// The value of a return statement, unless the next thing is a statement or ends this one.
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
        // `#3(` is a function, `#3 =` a local, and so are `f#3(` and `x#3 =`.
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

    fn local_index(&self, label: &super::scope::Label) -> Parsed<usize> {
        let locals = &self.body.locals;
        self.locals.resolve(self.parser.text, label, "variable", |number| {
            locals.get(Handle::new(number)).map(|local| local.name.as_str())
        })
    }

    fn call(&mut self) -> Parsed<StmtKind> {
        let result = self.result()?;
        let function = self.parser.function_label()?;
        self.parser.expect("(")?;
        let mut arguments = Vec::new();
        while !self.parser.eat(")") {
            if !arguments.is_empty() {
                self.parser.expect(",")?;
            }
            arguments.push(self.expr()?);
        }
        Ok(StmtKind::Call {
            function,
            arguments,
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

    /// The operation, order or scope of the next word.
    fn word<T>(&mut self, what: &'static str, from_name: impl Fn(&str) -> Option<T>) -> Parsed<T> {
        let Token::Name(word) = self.parser.peek() else {
            return Err(self.parser.expected(what));
        };
        let found = from_name(word).ok_or_else(|| self.parser.expected(what))?;
        self.parser.advance();
        Ok(found)
    }
}

/// Expressions.
impl BodyParser<'_, '_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.parser.deeper()?;
        let stated = self.parser.eat("(");
        let untyped = self.untyped()?;
        let ty = if stated {
            self.parser.expect(":")?;
            let ty = self.parser.ty()?;
            self.parser.expect(")")?;
            Some(ty)
        } else {
            untyped.ty.or_else(|| self.natural(&untyped))
        };
        let ty = ty.ok_or_else(|| self.parser.error(ParseErrorKind::NoType))?;
        let expr = self.body.exprs.push(Expr {
            kind: untyped.kind,
            ty,
            span: Span::NONE,
        });
        self.nodes.push(Node::Expr(expr));
        self.parser.shallower();
        Ok(expr)
    }

    fn natural(&mut self, untyped: &Untyped) -> Option<TypeId> {
        let natural = natural::expr_type(&self.parser.program, &self.body, &untyped.kind, untyped.mutable)?;
        Some(match natural {
            Natural::Known(ty) => ty,
            Natural::Made(ty) => self.parser.program.types.intern(ty),
        })
    }

    fn untyped(&mut self) -> Parsed<Untyped> {
        let word = match self.parser.peek() {
            Token::Name(word) => word,
            Token::Number(text) => {
                let constant = decimal(text);
                let constant = constant.ok_or_else(|| self.parser.error(ParseErrorKind::BadNumber(text.to_owned())))?;
                self.parser.advance();
                return Ok(Untyped::new(ExprKind::Constant(constant)));
            }
            Token::Mark("&") => return self.reference(),
            Token::Mark("#" | "<") => return Ok(Untyped::new(ExprKind::Load(self.place()?))),
            _ => return Err(self.parser.expected("an expression")),
        };
        if self.parser.peek_second() == Token::Mark("(") && !matches!(word, "cast" | "bitcast" | "new" | "repeat") {
            return self.operation(word).map(Untyped::new);
        }
        if self.parser.peek_second() == Token::Mark(":")
            && let Some(scalar) = Scalar::from_name(word)
        {
            self.parser.advance();
            self.parser.advance();
            let bits = self.parser.integer()?;
            return Ok(Untyped::new(ExprKind::Constant(Constant { scalar, bits })));
        }
        if let Some(builtin) = self.builtin(word)? {
            return Ok(Untyped::new(ExprKind::Builtin(builtin)));
        }
        match word {
            "true" | "false" => {
                self.parser.advance();
                Ok(Untyped::new(ExprKind::Constant(Constant::bool(word == "true"))))
            }
            "external" => {
                self.parser.advance();
                self.parser.expect("::")?;
                let external = self.parser.external_label()?;
                Ok(Untyped::new(ExprKind::External(external)))
            }
            "cast" | "bitcast" | "new" | "repeat" => self.typed(word),
            _ => Ok(Untyped::new(ExprKind::Load(self.place()?))),
        }
    }

    /// An expression that names its type.
    fn typed(&mut self, word: &str) -> Parsed<Untyped> {
        self.parser.advance();
        let ty = self.parser.ty()?;
        self.parser.expect("(")?;
        let kind = if word == "new" {
            let mut parts = Vec::new();
            while !self.parser.peek_is(")") {
                if !parts.is_empty() {
                    self.parser.expect(",")?;
                }
                parts.push(self.expr()?);
            }
            ExprKind::Construct(parts)
        } else {
            let operand = self.expr()?;
            match word {
                "cast" => ExprKind::Cast(operand),
                "bitcast" => ExprKind::Bitcast(operand),
                _ => ExprKind::Repeat(operand),
            }
        };
        self.parser.expect(")")?;
        Ok(Untyped {
            kind,
            mutable: false,
            ty: Some(ty),
        })
    }

    fn reference(&mut self) -> Parsed<Untyped> {
        self.parser.advance();
        let mutable = self.parser.eat_word("mut");
        let (place, range) = self.place_or_range(true)?;
        let kind = match range {
            None => ExprKind::Reference(place),
            Some(Range { start, end, checked }) => ExprKind::Subslice {
                place,
                start,
                end,
                checked,
            },
        };
        Ok(Untyped {
            kind,
            mutable,
            ty: None,
        })
    }

    fn operation(&mut self, word: &str) -> Parsed<ExprKind> {
        let unary = UnaryOp::from_name(word);
        let binary = BinaryOp::from_name(word);
        if unary.is_none()
            && binary.is_none()
            && !matches!(word, "length" | "field" | "mul_add" | "select" | "and_then" | "or_else")
        {
            return Err(self.parser.expected("an operation"));
        }
        self.parser.advance();
        self.parser.expect("(")?;
        let kind = match word {
            "length" => ExprKind::Length(self.place()?),
            "field" => {
                let operand = self.expr()?;
                self.parser.expect(",")?;
                let index = self.parser.integer()?;
                ExprKind::Field { operand, index }
            }
            "mul_add" => {
                let [a, b, c] = self.operands()?;
                ExprKind::MulAdd { a, b, c }
            }
            "select" => {
                let [condition, then, otherwise] = self.operands()?;
                ExprKind::Select {
                    condition,
                    then,
                    otherwise,
                }
            }
            "and_then" => {
                let [left, right] = self.operands()?;
                ExprKind::And { left, right }
            }
            "or_else" => {
                let [left, right] = self.operands()?;
                ExprKind::Or { left, right }
            }
            _ => match (unary, binary) {
                (Some(op), _) => {
                    let [operand] = self.operands()?;
                    ExprKind::Unary { op, operand }
                }
                (None, Some(op)) => {
                    let [left, right] = self.operands()?;
                    ExprKind::Binary { op, left, right }
                }
                (None, None) => return Err(self.parser.expected("an operation")),
            },
        };
        self.parser.expect(")")?;
        Ok(kind)
    }

    fn operands<const N: usize>(&mut self) -> Parsed<[ExprId; N]> {
        let mut operands = [Handle::new(0); N];
        for (position, operand) in operands.iter_mut().enumerate() {
            if position > 0 {
                self.parser.expect(",")?;
            }
            *operand = self.expr()?;
        }
        Ok(operands)
    }

    fn builtin(&mut self, word: &str) -> Parsed<Option<Builtin>> {
        let along: fn(Axis) -> Builtin = match word {
            "thread_index" => Builtin::ThreadIndex,
            "block_index" => Builtin::BlockIndex,
            "block_size" => Builtin::BlockSize,
            "grid_size" => Builtin::GridSize,
            "global_index" => Builtin::GlobalIndex,
            "linear_index" => {
                self.parser.advance();
                return Ok(Some(Builtin::LinearIndex));
            }
            _ => return Ok(None),
        };
        self.parser.advance();
        self.parser.expect(".")?;
        let axis = self.word("an axis", Axis::from_name)?;
        Ok(Some(along(axis)))
    }
}

/// Places.
impl BodyParser<'_, '_> {
    fn place(&mut self) -> Parsed<PlaceId> {
        Ok(self.place_or_range(false)?.0)
    }

    /// A place, and the range of it that follows, if `ranged` allows one.
    fn place_or_range(&mut self, ranged: bool) -> Parsed<(PlaceId, Option<Range>)> {
        let stated = self.parser.eat("<");
        let base = self.base()?;
        let (path, mut range) = self.steps(ranged && !stated)?;
        let ty = if stated {
            self.parser.expect(":")?;
            let ty = self.parser.ty()?;
            self.parser.expect(">")?;
            if ranged && self.parser.eat("[") {
                let checked = !self.parser.eat_word("unchecked");
                let start = self.expr()?;
                self.parser.expect("..")?;
                range = Some(self.range(start, checked)?);
            }
            Some(ty)
        } else {
            natural::place_type(&self.parser.program, &self.body, base, &path)
        };
        let ty = ty.ok_or_else(|| self.parser.error(ParseErrorKind::NoType))?;
        let place = self.body.places.push(Place {
            base,
            path,
            ty,
            span: Span::NONE,
        });
        self.nodes.push(Node::Place(place));
        Ok((place, range))
    }

    fn base(&mut self) -> Parsed<PlaceBase> {
        for (word, shared) in [("shared", true), ("table", false)] {
            if self.parser.eat_word(word) {
                self.parser.expect("::")?;
                return Ok(if shared {
                    PlaceBase::Shared(self.parser.shared_label()?)
                } else {
                    PlaceBase::Table(self.parser.table_label()?)
                });
            }
        }
        let label = self.parser.label()?;
        Ok(PlaceBase::Local(Handle::new(self.local_index(&label)?)))
    }

    /// The steps of a place, and a range after them.
    fn steps(&mut self, ranged: bool) -> Parsed<(Vec<Projection>, Option<Range>)> {
        let mut path = Vec::new();
        loop {
            if self.parser.eat(".") {
                if self.parser.eat("*") {
                    path.push(Projection::Deref);
                } else {
                    path.push(Projection::Field(self.parser.integer()?));
                }
            } else if self.parser.eat("[") {
                let checked = !self.parser.eat_word("unchecked");
                let index = self.expr()?;
                if ranged && self.parser.eat("..") {
                    return Ok((path, Some(self.range(index, checked)?)));
                }
                self.parser.expect("]")?;
                path.push(Projection::Index { index, checked });
            } else {
                return Ok((path, None));
            }
        }
    }

    /// The range from the token after `..` on.
    fn range(&mut self, start: ExprId, checked: bool) -> Parsed<Range> {
        let end = self.expr()?;
        self.parser.expect("]")?;
        Ok(Range { start, end, checked })
    }
}

/// The constant of a decimal number with a suffix, or `None` where it does not fit.
fn decimal(text: &str) -> Option<Constant> {
    let (digits, scalar) = Scalar::ALL
        .into_iter()
        .find_map(|scalar| Some((text.strip_suffix(scalar.name())?, scalar)))?;
    match scalar {
        Scalar::Bool => None,
        Scalar::F32 => {
            let value: f32 = digits.parse().ok()?;
            value
                .is_finite()
                .then(|| Constant::new(scalar, u64::from(value.to_bits())))
        }
        Scalar::F64 => {
            let value: f64 = digits.parse().ok()?;
            value.is_finite().then(|| Constant::new(scalar, value.to_bits()))
        }
        _ => {
            let value: i128 = digits.parse().ok()?;
            let constant = Constant::new(scalar, value as u64);
            (constant.as_i128() == value).then_some(constant)
        }
    }
}
