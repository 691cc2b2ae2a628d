//! Asynchronous copies: their ends, and what waits for them.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{BinOp, Expr as Syntax, ExprCall, ExprRange, ExprReference, Lit, Path, PathArguments, RangeLimits};
use vyre_ir::ir::Intrinsic;

use super::expr::unparenthesised;
use super::tree::{Callable, Expr, ExprKind};
use super::{Binding, Reader};
use crate::errors::Code;

/// The place of an end, and the first element and the number of a part.
type End = (Expr, Option<(Expr, u64)>);

impl Reader<'_> {
    /// `pipeline::copy(&mut tile[i], &x[j])`, `pipeline::copy(&mut tile[i..i + 4], &x[j..j + 4])`.
    pub(super) fn copy(&mut self, call: &ExprCall, span: Span) -> Expr {
        let to = self.end_of_copy(&call.args[0]);
        // A mistake in the range of one end is one in that of the other.
        let from = to.is_some().then(|| self.end_of_copy(&call.args[1])).flatten();
        let (Some((to, first)), Some((from, second))) = (to, from) else {
            return self.refused(span);
        };
        let counts = [&first, &second].map(|part| part.as_ref().map(|(_, count)| *count));
        let mut arguments = vec![to, from];
        arguments.extend(first.into_iter().chain(second).map(|(first, _)| first));
        Expr::call(Callable::Copy(counts), arguments, span)
    }

    /// `pipeline::wait_prior::<1>()`.
    pub(super) fn wait_for_copies(&mut self, path: &Path, span: Span) -> Expr {
        self.note_bare(path, "pipeline::wait_prior");
        let given = match path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(given)) if given.args.len() == 1 => given.args.first(),
            _ => None,
        };
        let Some(given) = given else {
            return self.left_to_rustc(span);
        };
        match self.group_number(given).map(u32::try_from) {
            Some(pending) => {
                // A parameter without a value yet, or more groups than a thread ever has.
                let pending = pending.unwrap_or(u32::MAX);
                Expr::call(Callable::Do(Intrinsic::CopyWait { pending }), Vec::new(), span)
            }
            None => self.refused(span),
        }
    }

    fn end_of_copy(&mut self, argument: &Syntax) -> Option<End> {
        if let Syntax::Reference(reference) = unparenthesised(argument)
            && let Syntax::Index(index) = unparenthesised(&reference.expr)
            && let Syntax::Range(range) = unparenthesised(&index.index)
        {
            return self.part(reference, &index.expr, range);
        }
        let place = self.expr(argument);
        Some((place, None))
    }

    /// A part whose length can be seen.
    fn part(&mut self, reference: &ExprReference, base: &Syntax, range: &ExprRange) -> Option<End> {
        self.attributes(&reference.attrs);
        let place = self.expr(base);
        let exclusive = matches!(range.limits, RangeLimits::HalfOpen(_));
        let (first, count) = match (range.start.as_deref(), range.end.as_deref()) {
            (Some(start), Some(end)) if exclusive => match length(start, end) {
                Some(Length::Written(count)) if self.mentions_variable(count.to_token_stream()) => {
                    return self.unknown_part(range);
                }
                Some(Length::Written(count)) => (self.expr(start), self.length(count)?),
                Some(Length::Known(count)) => (self.expr(start), count),
                None => return self.unknown_part(range),
            },
            (None, Some(end)) if exclusive && !self.mentions_variable(end.to_token_stream()) => {
                let zero = ExprKind::Integer(0, None);
                (Expr::new(zero, reference.and_token.span), self.length(end)?)
            }
            _ => return self.unknown_part(range),
        };
        Some((place, Some((first, count))))
    }

    fn mentions_variable(&mut self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => matches!(
                self.lookup(&name),
                Some(Binding::Local(_) | Binding::Bundle(_) | Binding::Refused)
            ),
            TokenTree::Group(group) => self.mentions_variable(group.stream()),
            _ => false,
        })
    }

    fn unknown_part(&mut self, range: &ExprRange) -> Option<End> {
        self.errors.refuse_all(
            Code::AsyncCopy,
            range,
            "vyre does not see how many elements these are",
            "write the first and how many follow, `i..i + 4`, where `i` may be a variable of your own; where the number \
             is known at run time alone, copy one by one in a loop: `pipeline::copy(&mut tile[k], &x[k])`",
        );
        None
    }
}

/// The length of a range.
enum Length<'s> {
    /// The value of this expression.
    Written(&'s Syntax),
    Known(u64),
}

/// The length of `start..start + length`, or of a range of two numbers.
fn length<'s>(start: &Syntax, end: &'s Syntax) -> Option<Length<'s>> {
    if let Syntax::Binary(sum) = unparenthesised(end)
        && let BinOp::Add(_) = sum.op
    {
        for (first, length) in [(&*sum.left, &*sum.right), (&*sum.right, &*sum.left)] {
            if is_simple(start) && tokens(first) == tokens(start) {
                return Some(Length::Written(length));
            }
        }
    }
    match (number(start)?, number(end)) {
        (0, _) => Some(Length::Written(end)),
        (start, end) => Some(Length::Known(end?.checked_sub(start)?)),
    }
}

fn number(expr: &Syntax) -> Option<u64> {
    match unparenthesised(expr) {
        Syntax::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

fn tokens(expr: &Syntax) -> String {
    unparenthesised(expr).to_token_stream().to_string()
}

/// True if an expression has one value wherever it is written in a range: it has no effect.
fn is_simple(expr: &Syntax) -> bool {
    match expr {
        Syntax::Path(_) | Syntax::Lit(_) => true,
        Syntax::Paren(inner) => is_simple(&inner.expr),
        Syntax::Group(inner) => is_simple(&inner.expr),
        Syntax::Cast(cast) => is_simple(&cast.expr),
        Syntax::Unary(unary) => is_simple(&unary.expr),
        Syntax::Field(field) => is_simple(&field.base),
        Syntax::Binary(binary) => is_simple(&binary.left) && is_simple(&binary.right),
        _ => false,
    }
}
