//! The blocks, statements and expressions of the [typed kernel tree](super::tree).

use proc_macro2::{Ident, Span};
use vyre_abi::format::Spec;
use vyre_ir::ir::{Access, Axis, Builtin, Intrinsic, MemoryOrder, MemoryScope, UnaryOp};

use super::Trait;
use super::operator::Operator;
use super::tree::Callee;
use crate::library::group_methods::OfGroup;
use crate::library::intrinsics::{Function, Operation};
use crate::library::methods::{Does, Method};
use crate::resolve::names::Names;
use crate::surface::Primitive;
use crate::types::Ty;
use crate::types::adt::Case;

/// Statements and the value after the last of them.
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    pub(crate) tail: Option<Box<Expr>>,
    /// True if control never reaches the end. Inference finds out.
    pub(crate) diverges: bool,
    /// True of a `const` block, whose value is that of rustc.
    pub(crate) is_constant: bool,
}

impl Block {
    /// Puts statements in front of the others.
    pub(crate) fn begin_with(&mut self, mut statements: Vec<Statement>) {
        statements.append(&mut self.statements);
        self.statements = statements;
    }

    /// A block of nothing.
    pub(crate) fn empty() -> Self {
        Block::of(Vec::new())
    }

    /// A block of statements, without a value.
    pub(crate) fn of(statements: Vec<Statement>) -> Self {
        Block {
            statements,
            tail: None,
            diverges: false,
            is_constant: false,
        }
    }

    /// A block of an expression whose value is dropped.
    pub(crate) fn dropping(expr: Expr) -> Self {
        Block::of(vec![Statement::Expr(expr, true)])
    }

    /// A block of statements that ends in a value.
    pub(crate) fn ending(statements: Vec<Statement>, value: Expr) -> Self {
        let tail = Some(Box::new(value));
        Block {
            tail,
            ..Block::of(statements)
        }
    }

    pub(crate) fn into_expr(self, span: Span) -> Expr {
        Expr::new(ExprKind::Block(self, None), span)
    }
}

/// A statement.
pub(crate) enum Statement {
    /// `let local: annotation = init;`; without a local `let _ = init;`.
    Let {
        local: Option<usize>,
        annotation: Option<Ty>,
        init: Option<Expr>,
    },
    /// An expression; `true` where a semicolon drops its value.
    Expr(Expr, bool),
}

impl Statement {
    /// `let local = init;`
    pub(crate) fn bind(local: usize, init: Expr) -> Self {
        Statement::let_(Some(local), None, Some(init))
    }

    pub(crate) fn let_(local: Option<usize>, annotation: Option<Ty>, init: Option<Expr>) -> Self {
        Statement::Let {
            local,
            annotation,
            init,
        }
    }
}

/// An expression.
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// [`Ty::REFUSED`] until inference has been there.
    pub(crate) ty: Ty,
    /// Its first token.
    pub(crate) span: Span,
}

/// The message of an assertion or a print.
#[derive(Default)]
pub(crate) struct Message {
    pub(crate) parts: Vec<MessagePart>,
    /// Evaluated once each, in order.
    pub(crate) values: Vec<Expr>,
}

/// A part of a message.
pub(crate) enum MessagePart {
    Text(String),
    /// The value of a number, and how it is written.
    Value(usize, Spec),
}

impl Message {
    /// A message without values.
    pub(crate) fn plain(text: &str) -> Message {
        Message {
            parts: vec![MessagePart::Text(text.to_owned())],
            values: Vec::new(),
        }
    }

    /// The panic with the message.
    pub(crate) fn panic(self, span: Span) -> Expr {
        Expr::call(Callable::Panic(self.parts), self.values, span)
    }

    /// The assertion of a condition; true if the message shows the sides of that, a comparison.
    pub(crate) fn assert(mut self, condition: Expr, shows_sides: bool, span: Span) -> Expr {
        self.values.insert(0, condition);
        Expr::call(Callable::Assert(self.parts, shows_sides), self.values, span)
    }
}

/// A closure, as it is written.
pub(crate) struct Closure {
    /// Its number in [`Tree::closures`](super::tree::Tree::closures).
    pub(crate) number: usize,
    pub(crate) ty: Ty,
    pub(crate) parameters: Vec<usize>,
    pub(crate) body: Block,
}

/// An operation on a matrix fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfFragment {
    /// Takes a slice, the start of the matrix in it, and the distance of its rows, or of its
    /// columns if true.
    Load(bool),
    /// Takes the rows of a tile, and the row and column of the matrix's start; transposed if true.
    /// All lanes of the warp take part.
    LoadTile(bool),
    /// Takes a fragment, and what a load takes.
    Store(bool),
    Zero,
    /// Takes a value.
    Fill,
    /// Takes a fragment and the number of an element.
    Row,
    Column,
}

/// Instructions in PTX.
pub(crate) struct Inline {
    pub(crate) text: String,
    /// The PTX version that has them, if every module's does not.
    pub(crate) version: Option<(u32, u32)>,
    pub(crate) result: Ty,
    /// The span of the result's type.
    pub(crate) result_span: Span,
}

/// The function or operation of a call.
pub(crate) enum Callable {
    /// An intrinsic on values.
    Row(&'static Function),
    /// An intrinsic of the IR without operands and result.
    Do(Intrinsic),
    /// Takes a shared variable and a rank, yields the variable of that block of the cluster.
    MapShared,
    /// A load from what the first refers to, or a store of the second there.
    Access(Access),
    /// The device function of the call of this number.
    Device(usize),
    /// A function of the library: inference puts its body here.
    Library(Box<Callee>),
    /// The closure that the first is.
    Closure,
    /// A method of the group that the first is: inference makes it of [`Method`](ExprKind::Method).
    Group(OfGroup),
    /// A group of threads of this type.
    NewGroup(Ty),
    /// An operation on a fragment of this type, after inference.
    Fragment(OfFragment, Ty),
    /// A slice of this element type in dynamic shared memory: with a length, or all of it.
    Dynamic(Ty),
    /// `.x`, `.y`, `.z` of an `Index3`.
    Axis(u32),
    /// True if a value is of a variant.
    Is(Case),
    /// A reference to an array or slice to go through, `&mut` where true: of a reference itself.
    Iterated(bool),
    /// An element within the length, of an array by value, else as a reference unless `true` copies it: inference makes
    /// [`Index`](ExprKind::Index) or [`Borrow`](ExprKind::Borrow) of it.
    Item(bool),
    /// `f32::from(x)` and other conversions.
    From(Primitive),
    /// `f16::from_f32(x)`: the value of the first type that is nearest to one of the second.
    Nearest(Primitive, Primitive),
    /// `f32::from_bits(x)`.
    FromBits(Primitive),
    /// Takes a condition and the values of a message; true if that shows the sides of the condition, a comparison.
    Assert(Vec<MessagePart>, bool),
    /// Takes the values of the message.
    Panic(Vec<MessagePart>),
    Print(Vec<MessagePart>),
    /// An asynchronous copy, of these numbers of elements if its ends are parts. Takes the ends, each a reference to what is
    /// copied, or of a part to the array or slice that holds it; then the first element of each part.
    Copy([Option<u64>; 2]),
    /// Instructions in PTX. Takes their operands, and the block that other back ends run instead.
    Ptx(Box<Inline>),
}

/// The kind of an expression.
pub(crate) enum ExprKind {
    Integer(u128, Option<Primitive>),
    /// The digits as written, without suffix.
    Float(String, Option<Primitive>),
    Bool(bool),
    Local(usize),
    Constant(usize),
    External(usize),
    /// The shared variable of a number, as a reference to it.
    Shared(usize),
    /// `-a` or `!a`.
    Unary(UnaryOp, Box<Expr>),
    Deref(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `a && b` where true, else `a || b`.
    Logical(bool, Box<Expr>, Box<Expr>),
    /// `a = b`, or `a += b` and its like.
    Assign(Option<Operator>, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>, Ty),
    If(Box<Expr>, Block, Option<Box<Expr>>),
    /// A block; with a label's number where `break` may leave it.
    Block(Block, Option<usize>),
    /// A `loop`, or a `while` with its condition.
    Loop(usize, Option<Box<Expr>>, Block),
    For(Box<For>),
    Break(usize, Option<Box<Expr>>),
    Continue(usize),
    Return(Option<Box<Expr>>),
    Index {
        base: Box<Expr>,
        index: Box<Expr>,
        checked: bool,
    },
    /// `x[start..end]`: a slice, only by reference.
    Part(Box<Expr>, [Option<Box<Expr>>; 2], Bounds),
    /// The elements of an array or slice in arrays of this length, what is left over, or the elements of its arrays: a
    /// slice by reference.
    Regroup(Box<Expr>, Regroup, u64),
    Array(Vec<Expr>),
    Repeat(Box<Expr>, u64),
    /// A field of a struct or tuple, by number.
    Field(Box<Expr>, u32),
    /// `.name`: inference makes [`Field`](ExprKind::Field) or [`Axis`](Callable::Axis) of it.
    Member(Box<Expr>, Ident),
    /// A struct, tuple or variant: fields by number, in the order of the source, and what the others are taken from.
    Make {
        of: Case,
        fields: Vec<(u32, Expr)>,
        base: Option<Box<Expr>>,
    },
    /// A call of something with its arguments, whose receiver is the first.
    Call(Callable, Vec<Expr>),
    Closure(Box<Closure>),
    /// `&place` or `&mut place`, as an argument of a device function.
    Borrow(Box<Expr>, bool),
    /// A part that a pattern names: a field of a variant, or an element of an array.
    Payload(Box<Expr>, Case, u32),
    Method(Box<MethodCall>),
    /// An expression that was refused.
    Refused,
}

/// The bounds of a part of a slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bounds {
    HalfOpen,
    /// The end belongs to the part.
    Closed,
    /// Half open, and known to lie within the length.
    Within,
    /// All of it, as a `Slice`.
    Whole,
}

/// A part of a slice whose elements are grouped in arrays, or the elements of its arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Regroup {
    /// Arrays of elements, from the first on.
    Chunks,
    /// The elements behind the arrays, too few for another.
    Rest,
    /// The elements before arrays that end with the last.
    FirstRest,
    /// Arrays that end with the last element.
    LastChunks,
    /// The elements of its arrays.
    Elements,
}

/// A `for` over a range.
pub(crate) struct For {
    /// Number of the loop.
    pub(crate) number: usize,
    /// The variable; `None` for `_`.
    pub(crate) local: Option<usize>,
    pub(crate) start: Expr,
    pub(crate) end: Expr,
    pub(crate) inclusive: bool,
    /// `.rev()`.
    pub(crate) reversed: bool,
    pub(crate) body: Block,
}

/// A method call.
pub(crate) struct MethodCall {
    pub(crate) receiver: Expr,
    pub(crate) name: Ident,
    pub(crate) arguments: Vec<Argument>,
    /// The generic arguments as written, `x.cast::<f32>()`: types, and for a length an array of it.
    pub(crate) types: Vec<Ty>,
    /// The type that a call by path names: `f32::max(a, b)`.
    pub(crate) on: Option<Primitive>,
    /// The trait that a call by path names: `Shape::area(&s)`. The receiver is an argument as any other.
    pub(crate) by: Option<(Trait, Names)>,
    /// True if it is the call of a function of `vyre::math`, and the receiver its first argument.
    pub(crate) is_math: bool,
    /// The operation, which inference finds.
    pub(crate) method: Option<&'static Method>,
    /// The scope of an atomic access that is written: `counts[i].in_block().load(..)`.
    pub(crate) scope: Option<MemoryScope>,
}

/// An argument of a method.
pub(crate) enum Argument {
    Value(Expr),
    /// `Ordering::Relaxed` and the other orderings, at the span.
    Order(MemoryOrder, Span),
    /// The message of `expect`.
    Text(String),
}

impl MethodCall {
    /// A method that is called on a value.
    pub(crate) fn new(receiver: Expr, name: Ident, arguments: Vec<Argument>) -> Self {
        MethodCall {
            receiver,
            name,
            arguments,
            types: Vec::new(),
            on: None,
            by: None,
            is_math: false,
            method: None,
            scope: None,
        }
    }

    /// The length of an array or slice.
    pub(crate) fn len(of: Expr, span: Span) -> Expr {
        MethodCall::new(of, Ident::new("len", span), Vec::new()).into_expr(span)
    }

    pub(crate) fn into_expr(self, span: Span) -> Expr {
        Expr::new(ExprKind::Method(Box::new(self)), span)
    }

    /// True if inference has found that it does this.
    pub(crate) fn does(&self, does: Does) -> bool {
        self.method.is_some_and(|method| method.does == does)
    }
}

impl ExprKind {
    /// Takes the kind of an expression, and leaves that of one that was refused.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, ExprKind::Refused)
    }

    /// A variant with its fields.
    pub(crate) fn make(of: Case, fields: Vec<(u32, Expr)>) -> Self {
        ExprKind::Make { of, fields, base: None }
    }

    /// The values of the thread along axes that it yields, if it does.
    pub(crate) fn along_axes(&self) -> Option<fn(Axis) -> Builtin> {
        match self {
            ExprKind::Call(Callable::Row(function), _) => match function.does {
                Operation::Axes(builtin) => Some(builtin),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Expr {
    /// The fields of a struct, tuple or variant that the expression makes.
    pub(crate) fn into_fields(self) -> Vec<(u32, Expr)> {
        match self.kind {
            ExprKind::Make { fields, .. } => fields,
            _ => Vec::new(),
        }
    }

    /// `left && right` where `and`, else `left || right`.
    pub(crate) fn logical(and: bool, left: Expr, right: Expr) -> Self {
        let span = left.span;
        Expr::new(ExprKind::Logical(and, Box::new(left), Box::new(right)), span)
    }

    /// A variable.
    pub(crate) fn local(number: usize, span: Span) -> Self {
        Expr::new(ExprKind::Local(number), span)
    }

    /// The block that has the expression's value.
    pub(crate) fn into_block(self) -> Block {
        Block::ending(Vec::new(), self)
    }

    pub(crate) fn if_(condition: Expr, then: Block, otherwise: Option<Expr>, span: Span) -> Self {
        Expr::new(ExprKind::If(Box::new(condition), then, otherwise.map(Box::new)), span)
    }

    pub(crate) fn unary(op: UnaryOp, operand: Expr, span: Span) -> Self {
        Expr::new(ExprKind::Unary(op, Box::new(operand)), span)
    }

    /// `target = value`
    pub(crate) fn assign(target: Expr, value: Expr, span: Span) -> Self {
        Expr::new(ExprKind::Assign(None, Box::new(target), Box::new(value)), span)
    }

    pub(crate) fn binary(operator: Operator, left: Expr, right: Expr, span: Span) -> Self {
        Expr::new(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)
    }

    /// Takes the expression, and leaves one that was refused.
    pub(crate) fn take(&mut self) -> Self {
        let refused = Expr::new(ExprKind::Refused, self.span);
        std::mem::replace(self, refused)
    }

    /// A call whose type is not known yet.
    pub(crate) fn call(callable: Callable, arguments: Vec<Expr>, span: Span) -> Self {
        Expr::new(ExprKind::Call(callable, arguments), span)
    }

    /// An expression whose type is not known yet.
    pub(crate) fn new(kind: ExprKind, span: Span) -> Self {
        Expr {
            kind,
            ty: Ty::REFUSED,
            span,
        }
    }

    /// The place that this one is a part of, or that it refers to or is referred to by.
    pub(crate) fn base(&self) -> Option<&Expr> {
        match &self.kind {
            ExprKind::Borrow(base, _)
            | ExprKind::Deref(base)
            | ExprKind::Field(base, _)
            | ExprKind::Payload(base, ..)
            | ExprKind::Index { base, .. }
            | ExprKind::Part(base, ..)
            | ExprKind::Regroup(base, ..) => Some(base),
            _ => None,
        }
    }

    /// The variable that the expression names, or names a part of.
    pub(crate) fn whole(&self) -> &Expr {
        match self.base() {
            Some(base) if !matches!(self.kind, ExprKind::Payload(..)) => base.whole(),
            _ => self,
        }
    }
}
