//! Destructuring assignments of tuples and arrays.

use proc_macro2::Span;
use syn::Expr as Syntax;

use super::pattern::{Step, Subject};
use super::tree::{Block, Expr, ExprKind, Origin, Statement};
use super::{Reader, start};

impl Reader<'_> {
    /// `(a, [b, c]) = value`: as Rust does it, `{ let (x, [y, z]) = value; a = x; b = y; c = z; }`.
    pub(super) fn assign_parts(&mut self, left: &Syntax, right: &Syntax, span: Span) -> Expr {
        let value = self.expr(right);
        let (mut binds, mut assignments) = (Vec::new(), Vec::new());
        let value = match left {
            Syntax::Tuple(_) => self.chosen_tuple(value, &mut binds),
            _ => value,
        };
        self.assign_value(left, value, &mut binds, &mut assignments);
        binds.append(&mut assignments);
        let block = Block {
            statements: binds,
            ..Block::empty()
        };
        Expr::new(ExprKind::Block(block, None), span)
    }

    /// Each part of a tuple that is written out has a variable of its own, so it may be a reference.
    fn assign_value(
        &mut self,
        left: &Syntax,
        value: Expr,
        binds: &mut Vec<Statement>,
        assignments: &mut Vec<Statement>,
    ) {
        match left {
            Syntax::Tuple(tuple) if self.tuple_parts(&value) == Some(tuple.elems.len()) => {
                for (part, (_, value)) in tuple.elems.iter().zip(value.into_fields()) {
                    self.assign_value(part, value, binds, assignments);
                }
            }
            left => {
                let whole = self.hidden("assigned", value.span, Origin::Declared);
                binds.push(Statement::bind(whole, value));
                self.assign_part(left, &Subject::of(whole), assignments);
            }
        }
    }

    fn assign_part(&mut self, left: &Syntax, value: &Subject, assignments: &mut Vec<Statement>) {
        let (parts, case) = match left {
            Syntax::Infer(_) => return,
            Syntax::Tuple(tuple) => {
                let types = tuple.elems.iter().map(|_| self.tree.types.unknown()).collect();
                (&tuple.elems, self.tree.types.tuple_case(types))
            }
            Syntax::Array(array) => {
                let element = self.tree.types.unknown();
                (
                    &array.elems,
                    self.tree.types.array_case(element, array.elems.len() as u64),
                )
            }
            left => {
                let span = start(left);
                let target = self.assigned(left);
                let assign = ExprKind::Assign(Box::new(target), Box::new(value.expr(span)));
                return assignments.push(Statement::Expr(Expr::new(assign, span), true));
            }
        };
        self.delimiters += 1;
        for (number, part) in (0..).zip(parts) {
            self.assign_part(part, &value.part(Step::Payload(case, number)), assignments);
        }
        self.delimiters -= 1;
    }
}
