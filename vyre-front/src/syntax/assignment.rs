//! Destructuring assignments of tuples and arrays.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::{Expr as Syntax, RangeLimits, Token};

use super::pattern::{Step, Subject};
use super::tree::{Block, Expr, Origin, Statement};
use super::{Reader, start};
use crate::types::adt::FROM_END;

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
        Block::of(binds).into_expr(span)
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
            Syntax::Tuple(tuple) if self.has_parts(&value, &tuple.elems) => {
                let fields = value.into_fields();
                let (parts, count) = (&tuple.elems, fields.len());
                let rest = rest_of(parts).unwrap_or(count);
                // The parts that `..` stands for are evaluated with the others.
                let skipped = Syntax::Infer(syn::ExprInfer {
                    attrs: Vec::new(),
                    underscore_token: Default::default(),
                });
                for (place, (_, value)) in fields.into_iter().enumerate() {
                    let part = match place {
                        _ if place < rest => parts.get(place),
                        _ if place + parts.len() > count + rest => parts.get(place + parts.len() - count),
                        _ => None,
                    };
                    self.assign_value(part.unwrap_or(&skipped), value, binds, assignments);
                }
            }
            left => {
                let whole = self.hidden("assigned", value.span, Origin::Declared);
                binds.push(Statement::bind(whole, value));
                self.assign_part(left, &Subject::of(whole), assignments);
            }
        }
    }

    /// True if a value is a tuple that is written out, with the parts that an assignment names.
    fn has_parts(&self, value: &Expr, parts: &Punctuated<Syntax, Token![,]>) -> bool {
        self.tuple_parts(value).is_some_and(|count| match rest_of(parts) {
            Some(_) => count + 1 >= parts.len(),
            None => count == parts.len(),
        })
    }

    fn assign_part(&mut self, left: &Syntax, value: &Subject, assignments: &mut Vec<Statement>) {
        let (parts, rest, case) = match left {
            Syntax::Infer(_) => return,
            left if is_any_tuple(left) => return,
            Syntax::Tuple(tuple) => {
                let rest = rest_of(&tuple.elems);
                let case = match rest {
                    Some(_) => self.tree.types.open_case(),
                    None => {
                        let types = tuple.elems.iter().map(|_| self.tree.types.unknown()).collect();
                        self.tree.types.tuple_case(types)
                    }
                };
                (&tuple.elems, rest, case)
            }
            Syntax::Array(array) => {
                let (element, count) = (self.tree.types.unknown(), array.elems.len() as u64);
                let rest = rest_of(&array.elems);
                let case = match rest {
                    Some(_) => self.tree.types.least_case(element, count - 1),
                    None => self.tree.types.array_case(element, count),
                };
                (&array.elems, rest, case)
            }
            left => {
                let span = start(left);
                let target = self.assigned(left);
                let assign = Expr::assign(target, value.expr(span), span);
                return assignments.push(Statement::Expr(assign, true));
            }
        };
        self.delimiters += 1;
        for (place, part) in parts.iter().enumerate() {
            let number = match rest {
                Some(rest) if place == rest => continue,
                Some(rest) if place > rest => FROM_END + (parts.len() - 1 - place) as u32,
                _ => place as u32,
            };
            self.assign_part(part, &value.part(Step::Payload(case, number)), assignments);
        }
        self.delimiters -= 1;
    }
}

/// The place of the `..` among the parts on the left.
fn rest_of(parts: &Punctuated<Syntax, Token![,]>) -> Option<usize> {
    parts.iter().position(is_rest)
}

fn is_rest(part: &Syntax) -> bool {
    matches!(part, Syntax::Range(range)
        if range.start.is_none() && range.end.is_none() && matches!(range.limits, RangeLimits::HalfOpen(_)))
}

/// True for `(..)`, which names no part of a tuple.
pub(super) fn is_any_tuple(left: &Syntax) -> bool {
    matches!(left, Syntax::Paren(inner) if is_rest(&inner.expr))
}
