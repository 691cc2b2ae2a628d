//! Visits the direct children of a block or an expression of the tree.

use super::tree::{Argument, Block, Expr, ExprKind, Statement};

impl Block {
    /// Calls `visit` with each direct child expression of the block, in order.
    pub(crate) fn each_child<'t>(&'t self, visit: &mut dyn FnMut(&'t Expr)) {
        for statement in &self.statements {
            match statement {
                Statement::Let { init: Some(init), .. } => visit(init),
                Statement::Let { init: None, .. } => {}
                Statement::Expr(expr, _) => visit(expr),
            }
        }
        if let Some(tail) = &self.tail {
            visit(tail);
        }
    }
}

impl Expr {
    /// Calls `visit` with each expression directly below this one, and `blocks` with each block.
    pub(crate) fn each_child<'t>(&'t self, visit: &mut dyn FnMut(&'t Expr), blocks: &mut dyn FnMut(&'t Block)) {
        match &self.kind {
            ExprKind::Integer(..)
            | ExprKind::Float(..)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::External(_)
            | ExprKind::Shared(_)
            | ExprKind::Continue(_)
            | ExprKind::Refused => {}
            ExprKind::Unary(_, a)
            | ExprKind::Deref(a)
            | ExprKind::Cast(a, _)
            | ExprKind::Repeat(a, _)
            | ExprKind::Field(a, _)
            | ExprKind::Borrow(a, _)
            | ExprKind::Payload(a, ..)
            | ExprKind::Member(a, _)
            | ExprKind::Regroup(a, ..) => visit(a),
            ExprKind::Part(base, bounds, _) => {
                visit(base);
                bounds.iter().flatten().for_each(|bound| visit(bound));
            }
            ExprKind::Break(_, value) | ExprKind::Return(value) => value.iter().for_each(|value| visit(value)),
            ExprKind::Binary(_, a, b)
            | ExprKind::Logical(_, a, b)
            | ExprKind::Assign(_, a, b)
            | ExprKind::Index { base: a, index: b, .. } => {
                visit(a);
                visit(b);
            }
            ExprKind::If(condition, then, otherwise) => {
                visit(condition);
                blocks(then);
                otherwise.iter().for_each(|otherwise| visit(otherwise));
            }
            ExprKind::Block(block, _) => blocks(block),
            ExprKind::Loop(_, condition, body) => {
                condition.iter().for_each(|condition| visit(condition));
                blocks(body);
            }
            ExprKind::For(for_) => {
                visit(&for_.start);
                visit(&for_.end);
                blocks(&for_.body);
            }
            ExprKind::Array(parts) | ExprKind::Call(_, parts) => parts.iter().for_each(visit),
            ExprKind::Closure(closure) => blocks(&closure.body),
            ExprKind::Make { fields, base, .. } => {
                fields.iter().for_each(|(_, value)| visit(value));
                base.iter().for_each(|base| visit(base));
            }
            ExprKind::Method(call) => {
                visit(&call.receiver);
                for argument in &call.arguments {
                    if let Argument::Value(value) = argument {
                        visit(value);
                    }
                }
            }
        }
    }
}
