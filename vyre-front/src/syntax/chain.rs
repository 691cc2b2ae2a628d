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
        let source = loop {
            let call = match base {
                Syntax::Range(range) => break Source::Range(range),
                Syntax::MethodCall(call) => call,
                _ => return None,
            };
            let name = call.method.to_string();
            base = unparenthesised(&call.receiver);
            let mut parts = PARTS.iter().filter(|(known, ..)| *known == name);
            match (name.as_str(), call.args.first()) {
                ("iter", None) => break Source::Elements(base, Some(false)),
                ("iter_mut", None) => break Source::Elements(base, Some(true)),
                ("into_iter", None) if !matches!(base, Syntax::Range(_)) => break Source::Elements(base, None),
                (_, Some(size)) if call.args.len() == 1 => {
                    if let Some(&(_, parts, mutable)) = parts.next() {
                        break Source::Parts(base, parts, size, mutable);
                    }
                }
                _ => {}
            }
            methods.push(call);
        };
        methods.reverse();
        Some(Chain { source, methods })
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
