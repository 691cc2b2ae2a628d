//! Iterators as index arithmetic: `x.iter().zip(y).rev()` in a `for`, or with a consumer, `.sum()`.
//!
//! Every element has an index: each adaptor maps an index to one of the iterator before it.
//! Closures are inlined, in the order in which Rust calls them. No iterator exists as a value.

use proc_macro2::Span;
use syn::{Expr as Syntax, ExprForLoop, ExprMethodCall, Pat, RangeLimits};

use super::Reader;
use super::chain::{Chain, Parts, Source};
use super::tree::{Block, Bounds, Callable, Expr, ExprKind, For, MethodCall, Origin, Statement};
use crate::errors::Code;
use crate::library;
use crate::surface::Primitive;

/// The element of an iterator at an index.
#[derive(Clone)]
pub(super) enum Element {
    /// The number itself.
    Number,
    /// So far after the variable.
    After(usize),
    /// The element of what the variable refers to: itself if `copied`.
    Item {
        all: usize,
        copied: bool,
    },
    /// The part of what a variable refers to, of the length in another, whose end is at most the third if it is a
    /// [chunk](Parts::Chunks); mutable where true.
    Part(usize, [usize; 2], Parts, bool),
    /// A variable.
    Value(usize),
    Pair(Box<Element>, Box<Element>),
    /// The element at another index, which a function computes of a variable and the index.
    Moved(&'static str, usize, Box<Element>),
}

/// A loop that is being made.
pub(super) struct Pass {
    /// The statements before it.
    pub(super) before: Vec<Statement>,
    /// Its trip count.
    length: usize,
    pub(super) element: Element,
    /// The statements at the start of each iteration, whose number is `index`.
    pub(super) body: Vec<Statement>,
    index: usize,
    pub(super) number: usize,
    /// True if it runs from the last index to the first.
    reversed: bool,
    /// True if closures run between the number and the element.
    runs: bool,
    span: Span,
}

impl Reader<'_> {
    /// `for pattern in chain { .. }`.
    pub(super) fn for_chain(&mut self, for_: &ExprForLoop, chain: &Chain<'_>, ordinal: usize, span: Span) -> Expr {
        let outside = self.scopes.len();
        self.delimiters += 1;
        let pass = self.pass(chain, chain.methods(), span);
        self.delimiters -= 1;
        let Some(mut pass) = pass else {
            self.scopes.truncate(outside);
            return self.refused_loop(for_, span);
        };
        let (element, index) = (pass.element.clone(), pass.index);
        self.bind(&element, index, false, &for_.pat, Origin::For(ordinal), &mut pass.body);
        let body = self.inside(pass.number, for_.label.as_ref(), true, |r| r.block(&for_.body));
        self.scopes.truncate(outside);
        let span = pass.span;
        pass.body.push(Statement::Expr(body.into_expr(span), true));
        finish(pass, None, span)
    }

    /// The loop over a chain with these of its methods; says what is wrong with it.
    pub(super) fn pass(&mut self, chain: &Chain<'_>, methods: &[&ExprMethodCall], span: Span) -> Option<Pass> {
        let index = self.hidden("index", span, Origin::Declared);
        let number = self.target();
        self.pass_of(chain, methods, (index, number), span)
    }

    /// The loop over an index, which counts iterations in a variable.
    fn pass_of(
        &mut self,
        chain: &Chain<'_>,
        methods: &[&ExprMethodCall],
        (index, number): (usize, usize),
        span: Span,
    ) -> Option<Pass> {
        let mut before = Vec::new();
        let (element, length) = self.source(&chain.source, &mut before, span)?;
        let mut pass = Pass {
            before,
            length,
            element,
            body: Vec::new(),
            index,
            number,
            reversed: false,
            runs: false,
            span,
        };
        for method in methods {
            self.adapt(&mut pass, method)?;
        }
        Some(pass)
    }

    fn source(&mut self, source: &Source<'_>, before: &mut Vec<Statement>, span: Span) -> Option<(Element, usize)> {
        match source {
            Source::Range(range) => {
                let Some(first) = range.start.as_deref() else {
                    self.left_to_rustc(span);
                    return None;
                };
                let start = self.expr(first);
                let start = self.kept("start", start, before, span);
                let length = match &range.end {
                    None => Expr::new(ExprKind::Integer(u64::MAX.into(), Some(Primitive::Usize)), span),
                    Some(end) => {
                        let end = self.expr(end);
                        let function = match range.limits {
                            RangeLimits::HalfOpen(_) => "__range",
                            RangeLimits::Closed(_) => "__closed_range",
                        };
                        self.helper(function, vec![local(start, span), end], span)
                    }
                };
                let length = self.kept("length", length, before, span);
                Some((Element::After(start), length))
            }
            Source::Elements(base, borrows) => {
                let read = self.expr(base);
                let init = match borrows {
                    None => read,
                    Some(mutable) => Expr::call(Callable::Iterated(*mutable), vec![read], span),
                };
                let (all, length) = self.elements(init, before);
                let copied = false;
                Some((Element::Item { all, copied }, length))
            }
            &Source::Parts(base, parts, size, mutable) => {
                let init = self.gone_through(base, mutable, span);
                let (all, length) = self.elements(init, before);
                let size = self.expr(size);
                let size = self.kept("size", size, before, span);
                let function = match parts {
                    Parts::Chunks => "__chunks",
                    Parts::Exact => "__exact_chunks",
                    Parts::Windows => "__windows",
                };
                let count = self.helper(function, vec![local(length, span), local(size, span)], span);
                let count = self.kept("count", count, before, span);
                Some((Element::Part(all, [size, length], parts, mutable), count))
            }
        }
    }

    /// A reference to the array or slice that a method goes through.
    pub(super) fn gone_through(&mut self, receiver: &Syntax, mutable: bool, span: Span) -> Expr {
        Expr::call(Callable::Iterated(mutable), vec![self.expr(receiver)], span)
    }

    /// Keeps what is gone through, and its length.
    fn elements(&mut self, init: Expr, before: &mut Vec<Statement>) -> (usize, usize) {
        let span = init.span;
        let all = self.hidden("elements", init.span, Origin::Iterated);
        before.push(Statement::bind(all, init));
        let length = MethodCall::len(local(all, span), span);
        (all, self.kept("length", length, before, span))
    }

    /// One more method of the chain.
    fn adapt(&mut self, pass: &mut Pass, call: &ExprMethodCall) -> Option<()> {
        let span = call.method.span();
        let name = call.method.to_string();
        let arguments: Vec<&Syntax> = call.args.iter().collect();
        match (name.as_str(), &arguments[..]) {
            ("into_iter" | "by_ref", []) => {}
            ("copied" | "cloned", []) => copy(&mut pass.element),
            ("rev", []) if !pass.runs => pass.reversed = !pass.reversed,
            ("enumerate", []) if !pass.runs => {
                pass.count_up();
                pass.element = Element::Pair(Box::new(Element::Number), Box::new(pass.element.clone()));
            }
            ("skip" | "take" | "step_by", [amount]) if !pass.runs => {
                pass.count_up();
                let amount = self.expr(amount);
                let amount = self.kept("amount", amount, &mut pass.before, span);
                let (function, at) = match name.as_str() {
                    "skip" => ("__without", Some("__past")),
                    "step_by" => ("__steps", Some("__step")),
                    _ => ("__at_most", None),
                };
                let length = self.helper_of(function, &[pass.length, amount], span);
                pass.length = self.kept("length", length, &mut pass.before, span);
                if let Some(at) = at {
                    pass.element.moved(at, amount);
                }
            }
            ("zip", [other]) if !pass.runs => {
                let other = Chain::of_argument(other);
                let mut inner = self.pass_of(&other, other.methods(), (pass.index, pass.number), span)?;
                if inner.runs {
                    return self.refuse_adapter(call, "put `map` and its like after `zip`");
                }
                pass.count_up();
                inner.count_up();
                pass.before.append(&mut inner.before);
                let length = self.helper_of("__at_most", &[pass.length, inner.length], span);
                pass.length = self.kept("length", length, &mut pass.before, span);
                pass.element = Element::Pair(Box::new(pass.element.clone()), Box::new(inner.element));
            }
            ("rev" | "skip" | "take" | "step_by" | "zip", _) => {
                return self.refuse_adapter(call, "put it before the methods that take closures");
            }
            (name, arguments) => match library::adapter(name, arguments.len()) {
                Some(row) => {
                    self.chain_function(row, call, pass, span);
                    pass.runs = true;
                }
                None => {
                    if name == "step" {
                        return self.refuse_adapter(call, "did you mean `step_by`?");
                    }
                    return self.refuse_adapter(
                        call,
                        "there are `rev`, `enumerate`, `zip`, `skip`, `take`, `step_by`, `copied`, `map`, `filter`, \
                         `filter_map`, `take_while`, `map_while`, `skip_while` and `inspect`; a loop does all else",
                    );
                }
            },
        }
        Some(())
    }

    fn refuse_adapter(&mut self, call: &ExprMethodCall, help: &str) -> Option<()> {
        self.errors.refuse(
            Code::LoopRange,
            call.method.span(),
            format_args!("`{}` is not supported here in a kernel", call.method),
            help,
        );
        None
    }

    /// The element, which may be a reference.
    pub(super) fn element(&mut self, pass: &mut Pass, span: Span) -> Expr {
        let (element, index) = pass.parts();
        self.whole(&element, index, &mut pass.body, span)
    }

    /// The element of a number, as a value or reference.
    fn whole(&mut self, element: &Element, index: usize, to: &mut Vec<Statement>, span: Span) -> Expr {
        let kind = match element {
            Element::Number => ExprKind::Local(index),
            Element::Value(value) => ExprKind::Local(*value),
            Element::After(start) => {
                return self.helper_of("__after", &[*start, index], span);
            }
            &Element::Item { all, copied } => {
                ExprKind::Call(Callable::Item(copied), vec![local(all, span), local(index, span)])
            }
            &Element::Part(all, [size, length], parts, mutable) => {
                let start = match parts {
                    Parts::Windows => index,
                    _ => self.moved("__step", size, index, to, span),
                };
                let mut end = self.helper("__past", vec![local(size, span), local(start, span)], span);
                if parts == Parts::Chunks {
                    end = self.helper("__at_most", vec![end, local(length, span)], span);
                }
                let ends = [local(start, span), end].map(|end| Some(Box::new(end)));
                let part = ExprKind::Part(Box::new(local(all, span)), ends, Bounds::Within);
                ExprKind::Borrow(Box::new(Expr::new(part, span)), mutable)
            }
            Element::Pair(one, other) => {
                let parts = vec![self.whole(one, index, to, span), self.whole(other, index, to, span)];
                self.tuple(parts)
            }
            Element::Moved(function, by, of) => {
                let index = self.moved(function, *by, index, to, span);
                return self.whole(of, index, to, span);
            }
        };
        Expr::new(kind, span)
    }

    /// A call of a library function on variables.
    pub(super) fn helper_of(&mut self, function: &'static str, variables: &[usize], span: Span) -> Expr {
        let arguments = variables.iter().map(|&variable| local(variable, span)).collect();
        self.helper(function, arguments, span)
    }

    fn moved(&mut self, function: &'static str, by: usize, index: usize, to: &mut Vec<Statement>, span: Span) -> usize {
        let value = self.helper_of(function, &[by, index], span);
        self.kept("place", value, to, span)
    }

    /// Binds a pattern to the element of a number, or to a reference to it.
    pub(super) fn bind(
        &mut self,
        element: &Element,
        index: usize,
        by_reference: bool,
        pattern: &Pat,
        origin: Origin,
        to: &mut Vec<Statement>,
    ) {
        let span = match pattern {
            Pat::Ident(name) => name.ident.span(),
            other => syn::spanned::Spanned::span(other),
        };
        match (pattern, element) {
            (Pat::Paren(inner), _) => self.bind(element, index, by_reference, &inner.pat, origin, to),
            (Pat::Wild(_), _) => {}
            (_, Element::Moved(function, by, of)) => {
                let index = self.moved(function, *by, index, to, span);
                self.bind(of, index, by_reference, pattern, origin, to);
            }
            (Pat::Reference(inner), _) if by_reference => self.bind(element, index, false, &inner.pat, origin, to),
            (Pat::Tuple(parts), Element::Pair(one, other)) if parts.elems.len() == 2 => {
                for (part, element) in parts.elems.iter().zip([one, other]) {
                    self.bind(element, index, by_reference, part, origin, to);
                }
            }
            (Pat::Reference(inner), Element::Item { copied: false, .. }) => {
                let mut element = element.clone();
                copy(&mut element);
                self.bind(&element, index, false, &inner.pat, origin, to);
            }
            _ => {
                let (pattern, annotation) = match pattern {
                    Pat::Type(typed) => (&*typed.pat, Some(self.ty(&typed.ty))),
                    pattern => (pattern, None),
                };
                let mut value = self.whole(element, index, to, span);
                if by_reference {
                    let place = self.kept("value", value, to, span);
                    value = Expr::new(ExprKind::Borrow(Box::new(local(place, span)), false), span);
                }
                self.bind_pattern(pattern, annotation, value, origin, to);
            }
        }
    }

    /// A call of a function that iterators are made of.
    pub(super) fn helper(&mut self, name: &str, arguments: Vec<Expr>, span: Span) -> Expr {
        let row = library::helper(name);
        let Some((row, callee)) = row.and_then(|row| Some((row, self.library(row, None, &[], span)?))) else {
            return self.left_to_rustc(span);
        };
        self.called(row, callee, arguments, span)
    }

    /// A hidden variable that keeps a value.
    pub(super) fn kept(&mut self, name: &str, value: Expr, to: &mut Vec<Statement>, span: Span) -> usize {
        let kept = self.hidden(name, span, Origin::Declared);
        to.push(Statement::bind(kept, value));
        kept
    }
}

/// Lets a chain yield the elements themselves.
fn copy(element: &mut Element) {
    match element {
        Element::Item { copied, .. } => *copied = true,
        Element::Moved(_, _, of) => copy(of),
        _ => {}
    }
}

/// The whole of a loop, and the variable that it yields.
pub(super) fn finish(pass: Pass, yields: Option<usize>, span: Span) -> Expr {
    let body = Block::of(pass.body);
    let for_ = For {
        number: pass.number,
        local: Some(pass.index),
        start: Expr::new(ExprKind::Integer(0, Some(Primitive::Usize)), span),
        end: local(pass.length, span),
        inclusive: false,
        reversed: pass.reversed,
        body,
    };
    let mut statements = pass.before;
    statements.push(Statement::Expr(Expr::new(ExprKind::For(Box::new(for_)), span), true));
    let whole = Block {
        statements,
        tail: yields.map(|yields| Box::new(local(yields, span))),
        diverges: false,
        is_constant: false,
    };
    whole.into_expr(span)
}

impl Element {
    /// The element at the index that a function computes.
    fn moved(&mut self, function: &'static str, by: usize) {
        *self = Element::Moved(function, by, Box::new(self.clone()));
    }
}

impl Pass {
    /// Lets the index ascend: the number of an element is then that of its iteration.
    fn count_up(&mut self) {
        if std::mem::take(&mut self.reversed) {
            self.element.moved("__from_end", self.length);
        }
    }

    /// The element for each index.
    pub(super) fn parts(&self) -> (Element, usize) {
        (self.element.clone(), self.index)
    }
}

pub(super) fn local(number: usize, span: Span) -> Expr {
    Expr::local(number, span)
}
