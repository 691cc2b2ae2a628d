//! Slices as slices of arrays, and back: `x.as_chunks::<4>()`, `x.as_flattened()`.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprField, ExprMethodCall, Member, PatTuple};

use super::expr::unparenthesised;
use super::iterator::local;
use super::tree::{Expr, ExprKind, Origin, Regroup, Statement};
use super::{Reader, start};
use crate::surface::Primitive;
use crate::types::Ty;

/// The parts of the pair that a method yields, and whether they are written.
fn pair(method: &str) -> Option<([Regroup; 2], bool)> {
    Some(match method {
        "as_chunks" => ([Regroup::Chunks, Regroup::Rest], false),
        "as_chunks_mut" => ([Regroup::Chunks, Regroup::Rest], true),
        "as_rchunks" => ([Regroup::FirstRest, Regroup::LastChunks], false),
        "as_rchunks_mut" => ([Regroup::FirstRest, Regroup::LastChunks], true),
        _ => return None,
    })
}

/// A call of such a method.
fn call(value: &Syntax) -> Option<(&ExprMethodCall, [Regroup; 2], bool)> {
    let Syntax::MethodCall(call) = unparenthesised(value) else {
        return None;
    };
    let (parts, mutable) = pair(&call.method.to_string()).filter(|_| call.args.is_empty())?;
    Some((call, parts, mutable))
}

impl Reader<'_> {
    /// `let (arrays, rest) = x.as_chunks::<4>();`
    pub(super) fn chunks(
        &mut self,
        pattern: &PatTuple,
        types: [Option<Ty>; 2],
        value: &Syntax,
        number: usize,
        statements: &mut Vec<Statement>,
    ) -> bool {
        let Some((call, parts, mutable)) = call(value).filter(|_| pattern.elems.len() == 2) else {
            return false;
        };
        let span = call.method.span();
        let whole = self.gone_through(&call.receiver, mutable, span);
        let whole = self.kept("elements", whole, statements, span);
        let Some(length) = self.chunk_length(call) else {
            return false;
        };
        for ((pattern, ty), part) in pattern.elems.iter().zip(types).zip(parts) {
            let init = ExprKind::Regroup(Box::new(local(whole, span)), part, length);
            self.bind_pattern(pattern, ty, Expr::new(init, span), Origin::Let(number), statements);
        }
        true
    }

    /// `x.as_chunks::<4>().0`
    pub(super) fn chunks_field(&mut self, field: &ExprField) -> Option<Expr> {
        let (Member::Unnamed(index), Some((call, parts, mutable))) = (&field.member, call(&field.base)) else {
            return None;
        };
        let (span, part) = (start(&field.base), *parts.get(index.index as usize)?);
        let whole = Box::new(self.gone_through(&call.receiver, mutable, span));
        Some(match self.chunk_length(call) {
            Some(length) => Expr::new(ExprKind::Regroup(whole, part, length), span),
            None => self.refused(span),
        })
    }

    /// `x.as_flattened()`
    pub(super) fn flattened(&mut self, call: &ExprMethodCall, span: Span) -> Option<Expr> {
        let mutable = call.method == "as_flattened_mut";
        if !mutable && call.method != "as_flattened" || !call.args.is_empty() {
            return None;
        }
        let whole = Box::new(self.gone_through(&call.receiver, mutable, span));
        Some(Expr::new(ExprKind::Regroup(whole, Regroup::Elements, 1), span))
    }

    /// The length of the arrays, which inference may have to find.
    fn chunk_length(&mut self, call: &ExprMethodCall) -> Option<u64> {
        let given = call.turbofish.as_ref().and_then(|turbofish| turbofish.args.first());
        let length = self.given_constant(given, Primitive::Usize)?;
        if length == 0 {
            self.errors.mismatch();
            return None;
        }
        Some(length)
    }
}
