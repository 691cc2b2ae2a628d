//! Destructuring assignments of tuples and arrays.

use proc_macro2::Span;
use syn::Expr as Syntax;

use super::tree::{Block, Expr, ExprKind, Origin, Pattern, Statement};
use super::{Reader, start};

impl Reader<'_> {
    /// `(a, [b, c]) = value`: as Rust does it, `{ let (x, [y, z]) = value; a = x; b = y; c = z; }`.
    pub(super) fn assign_parts(&mut self, left: &Syntax, right: &Syntax, span: Span) -> Expr {
        let mut assignments = Vec::new();
        let pattern = self.assigned_part(left, &mut assignments);
        let bind = Statement::Let {
            pattern,
            annotation: None,
            init: Some(self.expr(right)),
        };
        let block = Block {
            statements: std::iter::once(bind).chain(assignments).collect(),
            tail: None,
            diverges: false,
        };
        Expr::new(ExprKind::Block(block, None), span)
    }

    fn assigned_part(&mut self, left: &Syntax, assignments: &mut Vec<Statement>) -> Pattern {
        let (parts, is_tuple) = match left {
            Syntax::Infer(_) => return Pattern::Ignore,
            Syntax::Tuple(tuple) => (&tuple.elems, true),
            Syntax::Array(array) => (&array.elems, false),
            left => {
                let span = start(left);
                let local = self.hidden("assigned", span, Origin::Declared);
                let target = self.assigned(left);
                let value = Expr::new(ExprKind::Local(local), span);
                let assign = ExprKind::Assign(Box::new(target), Box::new(value));
                assignments.push(Statement::Expr(Expr::new(assign, span), true));
                return Pattern::Local(local);
            }
        };
        self.delimiters += 1;
        let parts = parts.iter().map(|part| self.assigned_part(part, assignments)).collect();
        self.delimiters -= 1;
        match is_tuple {
            true => self.tuple_pattern(parts),
            false => Pattern::Array(parts),
        }
    }
}
