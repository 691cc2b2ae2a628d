//! Loops, and conditions with patterns.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprIf, ExprLet, ExprWhile, Pat, RangeLimits};

use super::Reader;
use super::binding::is_name;
use super::chain::Chain;
use super::expr::unparenthesised;
use super::tree::{Expr, ExprKind, For, Origin};
use crate::errors::Code;

impl Reader<'_> {
    pub(super) fn for_loop(&mut self, for_: &syn::ExprForLoop, span: Span) -> Expr {
        let ordinal = self.fors;
        self.fors += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        // A function inside the kernel is read before what stands in front of it.
        let loops = self.tree.for_braces.len().max(ordinal + 1);
        self.tree.for_braces.resize(loops, 0);
        self.tree.for_braces[ordinal] = braces(&for_.expr);
        let mut reversed = false;
        let mut range = unparenthesised(&for_.expr);
        if let Syntax::MethodCall(call) = range
            && call.method == "rev"
            && call.args.is_empty()
        {
            reversed = true;
            range = unparenthesised(&call.receiver);
        }
        let bounds = match range {
            Syntax::Range(range) => range
                .start
                .as_deref()
                .zip(range.end.as_deref())
                .map(|bounds| (range, bounds)),
            _ => None,
        };
        let Some((range, (first, last))) = bounds else {
            if let Some(chain) = Chain::of_loop(&for_.expr) {
                return self.for_chain(for_, &chain, ordinal, span);
            }
            let (code, fault, help) = match range {
                Syntax::Range(range) if range.start.is_some() => (
                    Code::LoopRange,
                    "a range without an end is not supported in a kernel",
                    "count with `loop` and `break`",
                ),
                _ => (
                    Code::LoopRange,
                    "a kernel loops over ranges, arrays and slices alone",
                    "write `for i in 0..x.len()`, `for v in x`, or `for (i, v) in x.iter().enumerate()`",
                ),
            };
            self.errors.refuse_all(code, &for_.expr, fault, help);
            return self.refused_loop(for_, span);
        };
        let start = self.expr(first);
        let end = self.expr(last);
        let number = self.target();
        let outside = self.scopes.len();
        let local = match &*for_.pat {
            Pat::Ident(name) if is_name(name) => Some(self.new_variable(name, Origin::For(ordinal))),
            Pat::Wild(_) => None,
            pattern => {
                self.refuse_names(pattern);
                self.errors.mismatch();
                None
            }
        };
        let body = self.inside(number, for_.label.as_ref(), true, |r| r.block(&for_.body));
        self.scopes.truncate(outside);
        let for_ = For {
            number,
            local,
            start,
            end,
            inclusive: matches!(range.limits, RangeLimits::Closed(_)),
            reversed,
            body,
        };
        Expr::new(ExprKind::For(Box::new(for_)), span)
    }

    /// A loop over what was refused: of its body all is said that is wrong with it.
    pub(super) fn refused_loop(&mut self, for_: &syn::ExprForLoop, span: Span) -> Expr {
        let outside = self.scopes.len();
        self.refuse_names(&for_.pat);
        let number = self.target();
        self.inside(number, for_.label.as_ref(), true, |r| r.block(&for_.body));
        self.scopes.truncate(outside);
        self.refused(span)
    }

    /// `if let`: a `match` with an arm for all other values.
    pub(super) fn if_let(&mut self, if_: &ExprIf, span: Span) -> Expr {
        let Some(let_) = let_of(&if_.cond) else {
            return self.left_to_rustc(span);
        };
        self.lets += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        let then = block(if_.then_branch.clone());
        let otherwise = match &if_.else_branch {
            Some((_, otherwise)) => (**otherwise).clone(),
            None => syn::parse_quote!({}),
        };
        self.match_(&two_arms(let_, then, otherwise), span)
    }

    /// `while let`: a loop that a value which does not match leaves.
    pub(super) fn while_let(&mut self, while_: &ExprWhile, span: Span) -> Expr {
        let Some(let_) = let_of(&while_.cond) else {
            return self.left_to_rustc(span);
        };
        self.lets += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        let number = self.target();
        let match_ = two_arms(let_, block(while_.body.clone()), syn::parse_quote!(break));
        let round = self.inside(number, while_.label.as_ref(), true, |r| r.match_(&match_, span));
        let body = round.into_block();
        Expr::new(ExprKind::Loop(number, None, body), span)
    }
}

/// The `let` that a condition consists of.
pub(super) fn let_of(condition: &Syntax) -> Option<&ExprLet> {
    match condition {
        Syntax::Let(let_) => Some(let_),
        _ => None,
    }
}

fn block(block: syn::Block) -> Syntax {
    Syntax::Block(syn::ExprBlock {
        attrs: Vec::new(),
        label: None,
        block,
    })
}

fn two_arms(let_: &ExprLet, matches: Syntax, otherwise: Syntax) -> syn::ExprMatch {
    let arm = |pat: Pat, body: Syntax| syn::Arm {
        attrs: Vec::new(),
        pat,
        fat_arrow_token: Default::default(),
        body: Box::new(body),
        comma: None,
    };
    let rest = Pat::Wild(syn::PatWild {
        attrs: Vec::new(),
        underscore_token: Default::default(),
    });
    syn::ExprMatch {
        attrs: Vec::new(),
        match_token: Default::default(),
        expr: let_.expr.clone(),
        brace_token: Default::default(),
        arms: vec![arm((*let_.pat).clone(), matches), arm(rest, otherwise)],
    }
}

/// Number of brace groups among the tokens of a range: those are not the loop's body.
fn braces(range: &Syntax) -> usize {
    match range {
        Syntax::Range(range) => [&range.start, &range.end]
            .into_iter()
            .flatten()
            .map(|bound| braces(bound))
            .sum(),
        Syntax::Lit(_) | Syntax::Path(_) | Syntax::Paren(_) => 0,
        other => quote::ToTokens::to_token_stream(other)
            .into_iter()
            .filter(|token| {
                matches!(token, proc_macro2::TokenTree::Group(g) if g.delimiter() == proc_macro2::Delimiter::Brace)
            })
            .count(),
    }
}
