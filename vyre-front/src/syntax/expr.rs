//! Expressions.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::{BinOp, Expr as Syntax, Member, Token, UnOp};

use vyre_ir::ir::UnaryOp;

use super::assignment::is_any_tuple;
use super::let_chain::chain_of;
use super::loops::let_of;
use super::tree::{Block, Bounds, Expr, ExprKind, Operator, Origin};
use super::unsupported::refusal;
use super::{Binding, Reader, inner_attributes, start};
use crate::errors::Code;
use crate::types::Kind;

const NO_OPERATOR: &str = "this operator is not supported in a kernel";

/// Limit of the nesting of expressions: each level uses stack in every later phase. Items that lead from one to the other
/// count, constants in constants and types in types.
pub(super) const DEEPEST: usize = 500;

impl Reader<'_> {
    /// Reads an expression.
    pub(super) fn expr(&mut self, expr: &Syntax) -> Expr {
        let delimits = matches!(
            expr,
            Syntax::Paren(_)
                | Syntax::Group(_)
                | Syntax::Call(_)
                | Syntax::MethodCall(_)
                | Syntax::Index(_)
                | Syntax::Array(_)
                | Syntax::Repeat(_)
                | Syntax::Tuple(_)
                | Syntax::Macro(_)
        );
        if self.depth >= DEEPEST {
            return self.refuse(
                Code::TooDeep,
                expr,
                "this expression is nested too deeply",
                "bind parts of it to variables, or move them to a `#[vyre::device]` function",
            );
        }
        self.depth += 1;
        self.delimiters += usize::from(delimits);
        let read = self.read_expr(expr);
        self.delimiters -= usize::from(delimits);
        self.depth -= 1;
        read
    }

    fn read_expr(&mut self, expr: &Syntax) -> Expr {
        let span = start(expr);
        self.attributes(inner_attributes::of(expr));
        let kind = match expr {
            Syntax::Lit(literal) => return self.literal(&literal.lit, expr),
            Syntax::Paren(inner) => {
                return self.expr(&inner.expr);
            }
            Syntax::Group(inner) => return self.expr(&inner.expr),
            Syntax::Path(path) => return self.path(path, expr),
            Syntax::Unary(unary) => {
                if let (UnOp::Deref(_), Some(bytes)) = (unary.op, self.bytes(&unary.expr)) {
                    return bytes;
                }
                let operand = self.boxed(&unary.expr);
                match unary.op {
                    UnOp::Neg(_) => ExprKind::Unary(UnaryOp::Neg, operand),
                    UnOp::Not(_) => ExprKind::Unary(UnaryOp::Not, operand),
                    UnOp::Deref(_) => ExprKind::Deref(operand),
                    _ => return self.refuse(Code::Expression, expr, NO_OPERATOR, "write it out"),
                }
            }
            Syntax::Binary(binary) => {
                if let Some(long) = self.long_binary(binary, span) {
                    return long;
                }
                let (operator, assigns) = operator(&binary.op);
                match (operator, &binary.op) {
                    (Some(operator), _) if assigns => {
                        let target = self.assigned(&binary.left);
                        ExprKind::Assign(Some(operator), Box::new(target), self.boxed(&binary.right))
                    }
                    (Some(operator), _) => {
                        ExprKind::Binary(operator, self.boxed(&binary.left), self.boxed(&binary.right))
                    }
                    (None, BinOp::And(_) | BinOp::Or(_)) => {
                        let and = matches!(binary.op, BinOp::And(_));
                        ExprKind::Logical(and, self.boxed(&binary.left), self.boxed(&binary.right))
                    }
                    _ => return self.refuse(Code::Expression, expr, NO_OPERATOR, "write it out"),
                }
            }
            Syntax::Assign(assign) => match &*assign.left {
                // `_ = value;` evaluates and drops.
                Syntax::Infer(_) => return self.dropped(&assign.right, span),
                left if is_any_tuple(left) => return self.dropped(&assign.right, span),
                Syntax::Tuple(_) | Syntax::Array(_) => return self.assign_parts(&assign.left, &assign.right, span),
                Syntax::Struct(_) => {
                    return self.refuse(
                        Code::Assignment,
                        &assign.left,
                        "a destructuring assignment to a struct is not supported in a kernel",
                        "assign the fields one by one, or destructure a tuple or an array: `(a, b) = ..`",
                    );
                }
                left => {
                    let target = self.assigned(left);
                    ExprKind::Assign(None, Box::new(target), self.boxed(&assign.right))
                }
            },
            Syntax::Cast(cast) => {
                let operand = self.boxed(&cast.expr);
                ExprKind::Cast(operand, self.ty(&cast.ty))
            }
            Syntax::If(if_) if let_of(&if_.cond).is_some() => return self.if_let(if_, span),
            Syntax::If(if_) => {
                if let Some(branch) = self.branch_of_length(if_, span) {
                    return branch;
                }
                if let Some(parts) = chain_of(&if_.cond) {
                    return self.if_chain(if_, &parts, span);
                }
                if let Some(long) = self.long_if(if_, span) {
                    return long;
                }
                let condition = self.boxed(&if_.cond);
                let then = self.block(&if_.then_branch);
                let otherwise = if_.else_branch.as_ref().map(|(_, otherwise)| self.boxed(otherwise));
                ExprKind::If(condition, then, otherwise)
            }
            Syntax::Match(match_) => return self.match_(match_, span),
            Syntax::Block(block) => {
                return self.block_expr(&block.block, block.label.as_ref(), expr);
            }
            Syntax::Unsafe(block) => {
                return self.block_expr(&block.block, None, expr);
            }
            // Its value folds, and rustc reports where it panics.
            Syntax::Const(block) => {
                let mut block = self.block(&block.block);
                block.is_constant = true;
                return block.into_expr(span);
            }
            Syntax::Loop(loop_) => {
                let number = self.target();
                let body = self.inside(number, loop_.label.as_ref(), true, |r| r.block(&loop_.body));
                ExprKind::Loop(number, None, body)
            }
            Syntax::While(while_) if let_of(&while_.cond).is_some() => return self.while_let(while_, span),
            Syntax::While(while_) => {
                if let Some(parts) = chain_of(&while_.cond) {
                    return self.while_chain(while_, &parts, span);
                }
                let number = self.target();
                let (condition, body) = self.inside(number, while_.label.as_ref(), true, |r| {
                    (r.boxed(&while_.cond), r.block(&while_.body))
                });
                ExprKind::Loop(number, Some(condition), body)
            }
            Syntax::ForLoop(for_) => return self.for_loop(for_, span),
            Syntax::Break(break_) => {
                let Some(number) = self.destination(break_.label.as_ref(), false) else {
                    return self.left_to_rustc(span);
                };
                self.tree.left_by_break[number] = true;
                let value = break_.expr.as_ref().map(|value| self.boxed(value));
                ExprKind::Break(number, value)
            }
            Syntax::Continue(continue_) => match self.destination(continue_.label.as_ref(), true) {
                Some(number) => ExprKind::Continue(number),
                None => return self.left_to_rustc(span),
            },
            Syntax::Return(return_) => {
                let value = return_.expr.as_ref().map(|value| self.boxed(value));
                match self.returns_to {
                    // From a closure that is inlined.
                    Some(number) => {
                        self.tree.left_by_break[number] = true;
                        ExprKind::Break(number, value)
                    }
                    None => ExprKind::Return(value),
                }
            }
            Syntax::Index(index) => {
                if let Syntax::Range(range) = unparenthesised(&index.index) {
                    let base = self.boxed(&index.expr);
                    let mut bound = |bound: &Option<Box<Syntax>>| bound.as_ref().map(|bound| self.boxed(bound));
                    let bounds = [bound(&range.start), bound(&range.end)];
                    let limits = match range.limits {
                        syn::RangeLimits::HalfOpen(_) => Bounds::HalfOpen,
                        syn::RangeLimits::Closed(_) => Bounds::Closed,
                    };
                    return Expr::new(ExprKind::Part(base, bounds, limits), span);
                }
                let base = match self.bytes(&index.expr) {
                    Some(bytes) => Box::new(bytes),
                    None => self.boxed(&index.expr),
                };
                if self.refuses_index_of_each(&base) {
                    self.expr(&index.index);
                    return self.refused(span);
                }
                ExprKind::Index {
                    base,
                    index: self.boxed(&index.index),
                    checked: true,
                }
            }
            Syntax::Tuple(tuple) => {
                let parts = self.exprs(&tuple.elems);
                self.tuple(parts)
            }
            Syntax::Array(array)
                if array
                    .elems
                    .iter()
                    .any(|it| matches!(unparenthesised(it), Syntax::Closure(_))) =>
            {
                return self.refuse(
                    Code::Closure,
                    expr,
                    "a kernel knows which function it calls: there are no arrays of closures",
                    "choose by a `match`: `match i % 2 { 0 => first(x), _ => second(x) }`",
                );
            }
            Syntax::Array(array) => ExprKind::Array(self.exprs(&array.elems)),
            Syntax::Repeat(repeat) => {
                let element = self.boxed(&repeat.expr);
                match self.length(&repeat.len) {
                    Some(length) => ExprKind::Repeat(element, length),
                    None => ExprKind::Refused,
                }
            }
            Syntax::Field(field) => {
                if let Some(part) = self.chunks_field(field) {
                    return part;
                }
                if let Some(parameter) = self.bundle_field(field, span) {
                    return parameter;
                }
                let base = self.boxed(&field.base);
                match &field.member {
                    Member::Unnamed(index) => ExprKind::Field(base, index.index),
                    Member::Named(name) => ExprKind::Member(base, name.clone()),
                }
            }
            Syntax::Struct(literal) => return self.struct_expr(literal, expr),
            Syntax::Reference(reference) => {
                ExprKind::Borrow(self.boxed(&reference.expr), reference.mutability.is_some())
            }
            Syntax::Call(call) => return self.call(call, expr),
            Syntax::MethodCall(call) => return self.method_call(call, expr),
            Syntax::Macro(macro_) => {
                return self.macro_call(&macro_.mac);
            }
            // Anywhere but in a guard, rustc refuses it.
            Syntax::Let(_) => return self.left_to_rustc(span),
            other => {
                if let Syntax::Try(try_) = other
                    && let Some(value) = self.question_mark(try_)
                {
                    return value;
                }
                let (code, fault, help) = refusal(other);
                return self.refuse(code, other, fault, help);
            }
        };
        Expr::new(kind, span)
    }

    pub(super) fn exprs(&mut self, list: &Punctuated<Syntax, Token![,]>) -> Vec<Expr> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn boxed(&mut self, expr: &Syntax) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    /// `_ = value`: as a block that drops the value.
    fn dropped(&mut self, value: &Syntax, span: Span) -> Expr {
        let value = self.expr(value);
        Block::dropping(value).into_expr(span)
    }

    /// The target of an assignment, where a variable is not read.
    pub(super) fn assigned(&mut self, target: &Syntax) -> Expr {
        if let Syntax::Path(path) = unparenthesised(target)
            && let Some(name) = path.path.get_ident()
            && let Some(Binding::Local(local)) = self.lookup(name)
        {
            return Expr::new(ExprKind::Local(local), name.span());
        }
        if let Some(field) = self.assigned_field(target) {
            return field;
        }
        self.expr(target)
    }

    fn destination(&self, label: Option<&syn::Lifetime>, continues: bool) -> Option<usize> {
        let label = label.map(|label| label.ident.to_string());
        self.targets
            .iter()
            .rev()
            .find(|target| match &label {
                Some(label) => target.label.as_ref() == Some(label) && (target.is_loop || !continues),
                None => target.is_loop,
            })
            .map(|target| target.number)
    }

    /// True if what is indexed is the one element that `#[each]` gives a thread; refused once.
    fn refuses_index_of_each(&mut self, base: &Expr) -> bool {
        let ExprKind::Local(number) = base.kind else {
            return false;
        };
        let local = &self.tree.locals[number];
        let has_elements = matches!(
            self.tree.types.kind(self.tree.types.referent(local.ty)),
            Kind::Array(..) | Kind::Refused
        );
        if local.origin != Origin::Each || has_elements {
            return false;
        }
        let name = local.name.clone();
        let of_struct = self.tree.types.as_struct(self.tree.types.referent(local.ty));
        let field = of_struct.and_then(|of| of.fields().first());
        let help = match field {
            Some(field) => format!(
                "name its field, `{name}.{}`, or take a slice without `#[each]`",
                field.name
            ),
            None => format!("write `*{name}`, or take a slice without `#[each]`"),
        };
        self.errors.refuse(
            Code::EachType,
            base.span,
            format_args!("`{name}` is one element: `#[each]` gives each thread its own"),
            help,
        );
        self.bring(&name, Binding::Refused);
        true
    }
}

/// The expression inside parentheses and invisible groups.
pub(super) fn unparenthesised(expr: &Syntax) -> &Syntax {
    match expr {
        Syntax::Paren(inner) => unparenthesised(&inner.expr),
        Syntax::Group(inner) => unparenthesised(&inner.expr),
        other => other,
    }
}

/// The operator, and whether it assigns; `None` for those that have a kind of their own.
pub(super) fn operator(op: &BinOp) -> (Option<Operator>, bool) {
    let (operator, assigns) = match op {
        BinOp::Add(_) => (Operator::Add, false),
        BinOp::Sub(_) => (Operator::Sub, false),
        BinOp::Mul(_) => (Operator::Mul, false),
        BinOp::Div(_) => (Operator::Div, false),
        BinOp::Rem(_) => (Operator::Rem, false),
        BinOp::BitXor(_) => (Operator::BitXor, false),
        BinOp::BitAnd(_) => (Operator::BitAnd, false),
        BinOp::BitOr(_) => (Operator::BitOr, false),
        BinOp::Shl(_) => (Operator::Shl, false),
        BinOp::Shr(_) => (Operator::Shr, false),
        BinOp::Eq(_) => (Operator::Eq, false),
        BinOp::Lt(_) => (Operator::Lt, false),
        BinOp::Le(_) => (Operator::Le, false),
        BinOp::Ne(_) => (Operator::Ne, false),
        BinOp::Ge(_) => (Operator::Ge, false),
        BinOp::Gt(_) => (Operator::Gt, false),
        BinOp::AddAssign(_) => (Operator::Add, true),
        BinOp::SubAssign(_) => (Operator::Sub, true),
        BinOp::MulAssign(_) => (Operator::Mul, true),
        BinOp::DivAssign(_) => (Operator::Div, true),
        BinOp::RemAssign(_) => (Operator::Rem, true),
        BinOp::BitXorAssign(_) => (Operator::BitXor, true),
        BinOp::BitAndAssign(_) => (Operator::BitAnd, true),
        BinOp::BitOrAssign(_) => (Operator::BitOr, true),
        BinOp::ShlAssign(_) => (Operator::Shl, true),
        BinOp::ShrAssign(_) => (Operator::Shr, true),
        _ => return (None, false),
    };
    (Some(operator), assigns)
}
