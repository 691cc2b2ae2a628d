//! Loops, and conditions with patterns.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprForLoop, ExprIf, ExprLet, ExprWhile, Pat, RangeLimits};

use super::Reader;
use super::binding::is_name;
use super::chain::{Chain, Source};
use super::expr::unparenthesised;
use super::tree::{Block, Expr, ExprKind, For, MethodCall, Origin, Statement};
use crate::errors::Code;
use crate::surface::Primitive;

impl Reader<'_> {
    pub(super) fn for_loop(&mut self, for_: &syn::ExprForLoop, span: Span) -> Expr {
        let ordinal = self.fors;
        self.fors += 1;
        self.tree.binds_inside |= self.delimiters > 0;
        self.tree.for_braces.push(braces(&for_.expr));
        let mut reversed = false;
        let mut step = None;
        let mut range = unparenthesised(&for_.expr);
        // `.rev()` and `.step_by(n)` in the one order that runs without a division.
        if let Syntax::MethodCall(call) = range
            && call.method == "step_by"
            && call.args.len() == 1
        {
            step = call.args.first();
            range = unparenthesised(&call.receiver);
        }
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
            if let Some(each) = Each::of(&for_.expr, &for_.pat) {
                return self.for_each(for_, ordinal, &each, span);
            }
            if let Some(chain) = Chain::of(&for_.expr)
                && (!chain.methods().is_empty() || matches!(chain.source, Source::Parts(..)))
            {
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
            let outside = self.scopes.len();
            self.refuse_names(&for_.pat);
            let number = self.target();
            self.inside(number, for_.label.as_ref(), true, |r| r.block(&for_.body));
            self.scopes.truncate(outside);
            return self.refused(span);
        };
        let start = self.expr(first);
        let end = self.expr(last);
        let step = step.map(|step| self.expr(step));
        let number = self.target();
        let outside = self.scopes.len();
        let local = match &*for_.pat {
            Pat::Ident(name) if is_name(name) => Some(self.new_variable(name, Origin::For(ordinal))),
            Pat::Wild(_) => None,
            pattern => {
                self.refuse_names(pattern);
                self.errors.leave_to_rustc();
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
            step,
            body,
        };
        Expr::new(ExprKind::For(Box::new(for_)), span)
    }

    /// A loop over the elements of an array or slice: over their indices, with a name for the element
    /// at the start of the body.
    fn for_each(&mut self, for_: &ExprForLoop, ordinal: usize, each: &Each<'_>, span: Span) -> Expr {
        let base = self.expr(each.base);
        let init = match each.borrows {
            None => base,
            Some(mutable) => Expr::new(ExprKind::Iterated(Box::new(base), mutable), span),
        };
        let all = self.hidden("elements", span, Origin::Declared);
        let index = self.hidden("index", span, Origin::Declared);
        let bind = Statement::bind(all, init);
        let local = |number: usize| Expr::new(ExprKind::Local(number), span);
        let item = ExprKind::Item {
            base: Box::new(local(all)),
            index: Box::new(local(index)),
            copied: each.copied,
        };
        let number = self.target();
        let outside = self.scopes.len();
        let mut names = Vec::new();
        if let Some(counter) = each.counter {
            self.bind_pattern(counter, None, local(index), Origin::For(ordinal), &mut names);
        }
        let element = Expr::new(item, span);
        self.bind_pattern(each.element, None, element, Origin::For(ordinal), &mut names);
        let mut body = self.inside(number, for_.label.as_ref(), true, |r| r.block(&for_.body));
        self.scopes.truncate(outside);
        body.begin_with(names);
        let for_ = For {
            number,
            local: Some(index),
            start: Expr::new(ExprKind::Integer(0, Some(Primitive::Usize)), span),
            end: MethodCall::len(local(all), span),
            inclusive: false,
            reversed: each.reversed,
            step: None,
            body,
        };
        let block = Block {
            statements: vec![
                bind,
                Statement::Expr(Expr::new(ExprKind::For(Box::new(for_)), span), true),
            ],
            tail: None,
            diverges: false,
        };
        Expr::new(ExprKind::Block(block, None), span)
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
        let body = Block {
            statements: Vec::new(),
            tail: Some(Box::new(round)),
            diverges: false,
        };
        Expr::new(ExprKind::Loop(number, body), span)
    }
}

/// The parts of a `for` over elements.
struct Each<'s> {
    base: &'s Syntax,
    /// True if it is over references to the elements, and whether these are mutable; `None` where the
    /// type of the base decides.
    borrows: Option<bool>,
    /// True if the elements themselves are bound instead of references to them.
    copied: bool,
    reversed: bool,
    /// The pattern of the element's number.
    counter: Option<&'s Pat>,
    element: &'s Pat,
}

impl<'s> Each<'s> {
    /// The parts of `for pattern in over`, or `None` if it is not one of the forms over indices.
    fn of(over: &'s Syntax, pattern: &'s Pat) -> Option<Self> {
        let mut base = unparenthesised(over);
        let (mut methods, mut borrows) = (Vec::new(), None);
        while let Syntax::MethodCall(call) = base {
            if call.method == "row" || call.method == "row_mut" {
                break;
            }
            if !call.args.is_empty() || methods.len() == 3 {
                return None;
            }
            methods.insert(0, call.method.to_string());
            base = unparenthesised(&call.receiver);
        }
        let mut methods = methods.iter().map(String::as_str).peekable();
        match methods.next() {
            None => {
                if let Syntax::Reference(reference) = base {
                    borrows = Some(reference.mutability.is_some());
                    base = unparenthesised(&reference.expr);
                }
            }
            Some("iter") => borrows = Some(false),
            Some("iter_mut") => borrows = Some(true),
            Some("into_iter") => {}
            Some(_) => return None,
        }
        if !matches!(
            base,
            Syntax::Path(_)
                | Syntax::Index(_)
                | Syntax::Field(_)
                | Syntax::Array(_)
                | Syntax::Unary(_)
                | Syntax::MethodCall(_)
        ) {
            return None;
        }
        let mut copied =
            borrows == Some(false) && methods.next_if(|name| ["copied", "cloned"].contains(name)).is_some();
        let reversed = methods.next_if_eq(&"rev").is_some();
        let enumerated = methods.next_if_eq(&"enumerate").is_some();
        // Numbers that count from the other end are not those of the elements.
        if methods.next().is_some() || reversed && enumerated {
            return None;
        }
        let (counter, mut element) = match (enumerated, pattern) {
            (false, element) => (None, element),
            (true, Pat::Tuple(pair)) if pair.elems.len() == 2 => (Some(&pair.elems[0]), &pair.elems[1]),
            (true, _) => return None,
        };
        if let Pat::Reference(inner) = element {
            (copied, element) = (true, &inner.pat);
        }
        Some(Each {
            base,
            borrows,
            copied,
            reversed,
            counter,
            element,
        })
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
