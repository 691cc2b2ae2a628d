//! Chains of iterator methods, as they are written.

use syn::{Expr as Syntax, ExprMethodCall, ExprRange};

use super::expr::unparenthesised;

/// A chain of methods: what it goes through, and the methods with their arguments.
pub(super) struct Chain<'s> {
    pub(super) source: Source<'s>,
    methods: Vec<&'s ExprMethodCall>,
}

pub(super) enum Source<'s> {
    Range(&'s ExprRange),
    /// An array or slice, and whether it is gone through by references, which are mutable where true.
    Elements(&'s Syntax, Option<bool>),
    /// The parts of an array or slice that a method makes.
    Parts(&'s Syntax, Parts, &'s Syntax, bool),
}

/// The iteration over parts of an array or slice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Parts {
    /// Those of a length, one after the other, and what is left.
    Chunks,
    /// Without what is left.
    Exact,
    /// One that begins with each element.
    Windows,
}

/// The methods that make parts.
const PARTS: &[(&str, Parts, bool)] = &[
    ("chunks", Parts::Chunks, false),
    ("chunks_mut", Parts::Chunks, true),
    ("chunks_exact", Parts::Exact, false),
    ("chunks_exact_mut", Parts::Exact, true),
    ("windows", Parts::Windows, false),
];

impl<'s> Chain<'s> {
    /// The chain that an expression is.
    pub(super) fn of(expr: &'s Syntax) -> Option<Self> {
        let mut methods = Vec::new();
        let mut base = unparenthesised(expr);
        loop {
            match base {
                Syntax::Range(range) => {
                    let source = Source::Range(range);
                    methods.reverse();
                    return Some(Chain { source, methods });
                }
                Syntax::MethodCall(call) => {
                    let name = call.method.to_string();
                    if let (Some(&(_, parts, mutable)), Some(size), 1) = (
                        PARTS.iter().find(|(known, ..)| *known == name),
                        call.args.first(),
                        call.args.len(),
                    ) {
                        let source = Source::Parts(unparenthesised(&call.receiver), parts, size, mutable);
                        methods.reverse();
                        return Some(Chain { source, methods });
                    }
                    let borrows = match name.as_str() {
                        "iter" => Some(Some(false)),
                        "iter_mut" => Some(Some(true)),
                        "into_iter" if !matches!(unparenthesised(&call.receiver), Syntax::Range(_)) => Some(None),
                        _ => None,
                    };
                    base = unparenthesised(&call.receiver);
                    match borrows {
                        Some(borrows) if call.args.is_empty() => {
                            let source = Source::Elements(base, borrows);
                            methods.reverse();
                            return Some(Chain { source, methods });
                        }
                        _ => methods.push(call),
                    }
                }
                _ => return None,
            }
        }
    }

    pub(super) fn methods(&self) -> &[&'s ExprMethodCall] {
        &self.methods
    }

    /// As `of`, for what a `for` goes through: also an array, a slice, or a reference to one.
    pub(super) fn of_loop(expr: &'s Syntax) -> Option<Self> {
        let is_range = matches!(unparenthesised(expr), Syntax::Range(_));
        let base = match unparenthesised(expr) {
            Syntax::Reference(reference) => unparenthesised(&reference.expr),
            other => other,
        };
        let is_place = match base {
            Syntax::Path(_) | Syntax::Index(_) | Syntax::Field(_) | Syntax::Array(_) | Syntax::Unary(_) => true,
            // The array that a function returns.
            Syntax::Call(_) | Syntax::MethodCall(_) => true,
            _ => false,
        };
        Chain::of(expr)
            .filter(|_| !is_range)
            .or_else(|| is_place.then(|| Chain::of_argument(expr)))
    }

    /// As `of`, for the argument of `zip`, which may also be an array or slice.
    pub(super) fn of_argument(expr: &'s Syntax) -> Self {
        Chain::of(expr).unwrap_or_else(|| {
            let source = match unparenthesised(expr) {
                Syntax::Reference(reference) => Source::Elements(&reference.expr, Some(reference.mutability.is_some())),
                other => Source::Elements(other, None),
            };
            let methods = Vec::new();
            Chain { source, methods }
        })
    }
}
