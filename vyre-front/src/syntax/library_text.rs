//! Short functions of the library, read without syn: most calls of the library are of these, and syn would take longer
//! for one than all other steps together.
//!
//! A short function is made of `let`s of one name and an expression: operators, `as`, `if`, methods, constants of
//! types, tuples, `Some`, `None`, `Ordering::Less`, `panic!` and `assert!` with a text. Those of iterators have a loop around it:
//! `iterator_text.rs`.

use proc_macro2::{Ident, Span};
use syn::Expr as Syntax;

use vyre_ir::ir::UnaryOp;

use super::Reader;
use super::iterator::Pass;
use super::known_constant::limit;
use super::library_call::Placed;
use super::tree::{Argument, Block, Callable, Expr, ExprKind, Message, MethodCall, Operator, Origin, Statement};
use crate::library::methods::of_width;
use crate::surface::Primitive;
use crate::types::Ty;
use crate::types::adt::{Case, EQUAL, GREATER, LESS, NONE, ORDERING, SOME};

/// A binary operator.
enum Binary {
    And,
    Or,
    Of(Operator),
}

/// The binary operators with how tightly they bind; one that another begins with comes after that.
const OPERATORS: [(&str, u8, Binary); 18] = [
    ("||", 1, Binary::Or),
    ("&&", 2, Binary::And),
    ("==", 3, Binary::Of(Operator::Eq)),
    ("!=", 3, Binary::Of(Operator::Ne)),
    ("<=", 3, Binary::Of(Operator::Le)),
    (">=", 3, Binary::Of(Operator::Ge)),
    ("<<", 7, Binary::Of(Operator::Shl)),
    (">>", 7, Binary::Of(Operator::Shr)),
    ("<", 3, Binary::Of(Operator::Lt)),
    (">", 3, Binary::Of(Operator::Gt)),
    ("|", 4, Binary::Of(Operator::BitOr)),
    ("^", 5, Binary::Of(Operator::BitXor)),
    ("&", 6, Binary::Of(Operator::BitAnd)),
    ("+", 8, Binary::Of(Operator::Add)),
    ("-", 8, Binary::Of(Operator::Sub)),
    ("*", 9, Binary::Of(Operator::Mul)),
    ("/", 9, Binary::Of(Operator::Div)),
    ("%", 9, Binary::Of(Operator::Rem)),
];

/// A function that is being read.
pub(super) struct Text<'t, 'r, 'e> {
    pub(super) reader: &'r mut Reader<'e>,
    /// The source after this place.
    pub(super) left: &'t str,
    /// The type that `Self` is.
    pub(super) of: Ty,
    pub(super) names: Vec<(&'t str, Named<'t>)>,
    /// The loop that a function of iterators adds to.
    pub(super) pass: Option<&'t mut Pass>,
    pub(super) span: Span,
}

/// The meaning of a name.
#[derive(Clone, Copy)]
pub(super) enum Named<'t> {
    Local(usize),
    /// The element of the loop.
    Element,
    /// An argument, read where the function mentions it.
    Written(&'t Syntax),
}

impl Reader<'_> {
    /// A short function on a receiver of this type, as if it were written at `span`.
    pub(super) fn short_function(&mut self, source: &str, of: Ty, span: Span) -> Placed {
        let mut text = Text {
            reader: self,
            left: source,
            of,
            names: Vec::new(),
            pass: None,
            span,
        };
        let (mut parameters, mut types) = (Vec::new(), Vec::new());
        text.eat("fn ");
        text.word();
        text.eat("(");
        while !text.eat(")") {
            let name = text.word();
            text.eat(":");
            let ty = text.ty();
            parameters.push(text.local(name, Origin::Passed));
            types.push(ty);
            text.eat(",");
        }
        text.eat("->");
        let result = text.ty();
        let body = text.block().into_expr(span);
        Placed {
            parameters,
            types,
            result,
            body,
        }
    }
}

impl<'t> Text<'t, '_, '_> {
    /// Takes these characters, if they come next.
    pub(super) fn eat(&mut self, expected: &str) -> bool {
        self.left = self.left.trim_start_matches(' ');
        let rest = self.left.strip_prefix(expected);
        self.left = rest.unwrap_or(self.left);
        rest.is_some()
    }

    /// Takes the characters before the first that is not `wanted`.
    fn take(&mut self, wanted: fn(char) -> bool) -> &'t str {
        self.left = self.left.trim_start_matches(' ');
        let end = self.left.find(|next| !wanted(next)).unwrap_or(self.left.len());
        let (taken, left) = self.left.split_at(end);
        self.left = left;
        taken
    }

    pub(super) fn word(&mut self) -> &'t str {
        self.take(|next| next.is_ascii_alphanumeric() || next == '_')
    }

    fn made(&self, kind: ExprKind) -> Expr {
        Expr::new(kind, self.span)
    }

    pub(super) fn local(&mut self, name: &'t str, origin: Origin) -> usize {
        let local = self.reader.hidden(name, self.span, origin);
        self.names.push((name, Named::Local(local)));
        local
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Named<'t>> {
        let mut names = self.names.iter().rev();
        names.find(|(known, _)| *known == name).map(|(_, named)| *named)
    }

    fn ty(&mut self) -> Ty {
        if self.eat("(") {
            let mut parts = Vec::new();
            while !self.eat(")") {
                parts.push(self.ty());
                self.eat(",");
            }
            return self.reader.tree.types.tuple(parts);
        }
        let name = self.word();
        if name == "Option" {
            self.eat("<");
            let inner = self.ty();
            self.eat(">");
            return self.reader.tree.types.option(inner);
        }
        match (name, self.primitive(name)) {
            ("Self", _) => self.of,
            ("Ordering", _) => self.reader.tree.types.ordering(),
            (_, Some(primitive)) => Ty::primitive(primitive),
            _ => Ty::REFUSED,
        }
    }

    /// The primitive type of a name.
    fn primitive(&self, name: &str) -> Option<Primitive> {
        let of = self.reader.tree.types.as_primitive(self.of);
        match name {
            "Self" => of,
            "Unsigned" => of.map(|of| of_width(of, false)),
            "Signed" => of.map(|of| of_width(of, true)),
            name => Primitive::from_name(name),
        }
    }

    fn block(&mut self) -> Block {
        let mut block = Block::empty();
        self.eat("{");
        while !self.eat("}") {
            let (statement, is_last) = self.statement();
            match statement {
                Statement::Expr(expr, false) if is_last => block.tail = Some(Box::new(expr)),
                statement => block.statements.push(statement),
            }
        }
        block
    }

    /// A statement, and whether it is the last one of its block.
    pub(super) fn statement(&mut self) -> (Statement, bool) {
        let statement = if self.eat("let ") {
            let name = self.word();
            self.eat("=");
            let init = self.expr(0);
            self.eat(";");
            Statement::bind(self.local(name, Origin::Declared), init)
        } else {
            let mut expr = self.expr(0);
            if self.eat("=") {
                expr = Expr::assign(expr, self.expr(0), self.span);
            }
            Statement::Expr(expr, self.eat(";"))
        };
        (statement, self.left.trim_start_matches(' ').starts_with('}'))
    }

    /// An expression of operators that bind at least so tightly.
    pub(super) fn expr(&mut self, least: u8) -> Expr {
        let mut left = self.operand();
        loop {
            if self.eat("as ") {
                let ty = self.ty();
                left = self.made(ExprKind::Cast(Box::new(left), ty));
                continue;
            }
            self.eat("");
            let found = OPERATORS.iter().find(|(token, ..)| self.left.starts_with(token));
            let Some((token, tightness, operator)) = found.filter(|(_, tightness, _)| *tightness >= least) else {
                return left;
            };
            self.eat(token);
            let (one, other) = (Box::new(left), Box::new(self.expr(tightness + 1)));
            left = self.made(match operator {
                Binary::And => ExprKind::Logical(true, one, other),
                Binary::Or => ExprKind::Logical(false, one, other),
                Binary::Of(operator) => ExprKind::Binary(*operator, one, other),
            });
        }
    }

    /// An expression without binary operators, with the methods that are called on it.
    fn operand(&mut self) -> Expr {
        if self.eat("-") {
            return Expr::unary(UnaryOp::Neg, self.operand(), self.span);
        }
        if self.eat("!") {
            return Expr::unary(UnaryOp::Not, self.operand(), self.span);
        }
        let mut operand = self.atom();
        while self.eat(".") {
            let name = Ident::new(self.word(), self.span);
            let arguments = self.arguments().into_iter().map(Argument::Value).collect();
            operand = MethodCall::new(operand, name, arguments).into_expr(self.span);
        }
        operand
    }

    /// Expressions in parentheses.
    fn arguments(&mut self) -> Vec<Expr> {
        let mut arguments = Vec::new();
        self.eat("(");
        while !self.eat(")") {
            arguments.push(self.expr(0));
            self.eat(",");
        }
        arguments
    }

    fn atom(&mut self) -> Expr {
        self.eat("");
        if self.left.starts_with('(') {
            let mut parts = self.arguments();
            return match parts.len() {
                1 => parts.remove(0),
                _ => {
                    let tuple = self.reader.tuple(parts);
                    self.made(tuple)
                }
            };
        }
        if self.left.starts_with(|next: char| next.is_ascii_digit()) {
            let digits = self.take(|next| next.is_ascii_digit() || next == '.');
            return self.made(match digits.parse() {
                Ok(value) => ExprKind::Integer(value, None),
                Err(_) => ExprKind::Float(digits.to_owned(), None),
            });
        }
        match self.word() {
            "if" => self.branch(),
            "break" => self.left_by(|number| ExprKind::Break(number, None)),
            "continue" => self.left_by(ExprKind::Continue),
            "true" => self.made(ExprKind::Bool(true)),
            "false" => self.made(ExprKind::Bool(false)),
            "Ordering" => {
                self.eat("::");
                let variant = match self.word() {
                    "Less" => LESS,
                    "Equal" => EQUAL,
                    _ => GREATER,
                };
                let (of, key) = (self.reader.tree.types.ordering(), ORDERING);
                self.made(ExprKind::make(Case { of, key, variant }, Vec::new()))
            }
            "None" => self.reader.in_option(NONE, Vec::new(), self.span),
            "Some" => {
                let value = self.arguments().remove(0);
                self.reader.in_option(SOME, vec![(0, value)], self.span)
            }
            "panic" => {
                self.eat("!(");
                let message = self.message();
                message.panic(self.span)
            }
            "assert" => {
                self.eat("!(");
                let condition = self.expr(0);
                self.eat(",");
                let message = self.message();
                message.assert(condition, false, self.span)
            }
            word => self.named(word),
        }
    }

    /// The part after an `if`.
    fn branch(&mut self) -> Expr {
        let condition = Box::new(self.expr(0));
        let then = self.block();
        let otherwise = match (self.eat("else if"), self.eat("else")) {
            (true, _) => Some(self.branch()),
            (false, true) => {
                let block = self.block();
                Some(self.made(ExprKind::Block(block, None)))
            }
            (false, false) => None,
        };
        self.made(ExprKind::If(condition, then, otherwise.map(Box::new)))
    }

    /// A jump out of an iteration of the loop.
    fn left_by(&self, jump: fn(usize) -> ExprKind) -> Expr {
        match &self.pass {
            Some(pass) => self.made(jump(pass.number)),
            None => Expr::new(ExprKind::Refused, self.span),
        }
    }

    /// A text, and the parenthesis after it.
    fn message(&mut self) -> Message {
        self.eat("\"");
        let message = Message::plain(self.take(|next| next != '"'));
        self.eat("\")");
        message
    }

    /// A variable, or something of a type: `Self::MAX`, `f32::from(this)`.
    fn named(&mut self, word: &str) -> Expr {
        match self.meaning(word) {
            Some(Named::Local(local)) => {
                self.reader.tree.locals[local].read = true;
                return self.made(ExprKind::Local(local));
            }
            Some(Named::Written(closure)) if self.eat("(") => return self.applied(closure),
            Some(Named::Written(value)) => return self.reader.expr(value),
            Some(Named::Element) => {
                return match &mut self.pass {
                    Some(pass) => self.reader.element(pass, self.span),
                    None => self.reader.left_to_rustc(self.span),
                };
            }
            None if word.starts_with("__") => {
                let arguments = self.arguments();
                return self.reader.helper(word, arguments, self.span);
            }
            None => {}
        }
        let primitive = self.primitive(word);
        let (true, Some(primitive)) = (self.eat("::"), primitive) else {
            return self.reader.left_to_rustc(self.span);
        };
        let name = self.word();
        if name == "from" {
            let kind = ExprKind::Call(Callable::From(primitive), self.arguments());
            return self.made(kind);
        }
        let scalar = primitive.scalar();
        match name {
            "ZERO" if !scalar.is_half() => self.made(ExprKind::Float("0".to_owned(), Some(primitive))),
            "ONE" if !scalar.is_half() => self.made(ExprKind::Float("1".to_owned(), Some(primitive))),
            _ => match limit(primitive, name) {
                Some((ty, bits)) => self.reader.known_constant(name.to_owned(), ty, bits, self.span),
                None => self.reader.left_to_rustc(self.span),
            },
        }
    }
}
