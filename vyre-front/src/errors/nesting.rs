//! The look at tokens before syn reads them.
//!
//! syn parses, copies and drops by recursion, and so do all later phases, on the stack that rustc has for macros: 8 MiB,
//! where 200 types in types are too many without optimisation and the process would end. So the stack that a tree takes
//! is estimated beforehand, without recursion, and in the same walk whether rustc has a `cfg` to decide.
//!
//! Each token that makes a tree deeper has a cost. A tree is as deep as the deepest of its statements, and that of a
//! statement has two parts: what is nested to the right, where each part goes on to the end (`return return x`,
//! `a = b = c`, `|x| |y| x`), and what is nested to the left, where each operator has all before it as its operand
//! (`a + b + c`, `x.f().g()`, `if a {} else if b {} else {}`).

mod scan;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use self::scan::{GROUP, Scan};
use super::{Code, Diagnostic, diagnostic};

/// Limit of the cost of an item, in KiB of stack. The rest of the 8 MiB is for rustc and for what comes before.
const MOST: usize = 7000;

/// Properties of tokens.
#[derive(Debug)]
pub struct Look {
    /// The error, if they are nested too deeply.
    pub too_deep: Option<Diagnostic>,
    /// True if `cfg` stands inside an item. Those on it do not count, nor does what macros take.
    pub has_cfg: bool,
}

/// A position in a group.
struct Open {
    tokens: Vec<TokenTree>,
    /// The number of tokens before.
    at: usize,
    /// The place of the group.
    span: Span,
    scan: Scan,
    /// The last two tokens, words as `a`.
    last: [char; 2],
    group: Kind,
}

/// A group with respect to `cfg`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// That of an attribute that is not on the item, before its first token.
    Attribute,
    /// It has none that would count.
    Opaque,
    Other,
    /// The whole.
    Item,
}

impl Open {
    fn of(tokens: TokenStream, span: Span, group: Kind, exact: bool) -> Self {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        Open {
            scan: Scan::of(&tokens, exact),
            tokens,
            at: 0,
            span,
            last: [' '; 2],
            group,
        }
    }

    fn step(&mut self, counts: bool, has_cfg: &mut bool) -> Step {
        let Some(token) = self.tokens.get(self.at) else {
            return Step::End;
        };
        let mark = match token {
            TokenTree::Punct(mark) => mark.as_char(),
            TokenTree::Ident(_) => 'a',
            _ => ' ',
        };
        if self.group == Kind::Attribute {
            self.group = Kind::Opaque;
            *has_cfg |= matches!(token, TokenTree::Ident(word) if word == "cfg" || word == "cfg_attr");
        }
        let is_bracket = matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket);
        let is_attribute = is_bracket && (self.last[1] == '#' || self.last == ['#', '!']);
        if counts {
            self.scan.count(&self.tokens, self.at, is_attribute);
        }
        let step = match token {
            TokenTree::Group(group) => {
                let kind = self.kind(is_bracket && self.last[1] == '#');
                Step::Into(group.stream(), group.span_open(), kind)
            }
            token => Step::Token((counts && self.scan.cost() > MOST).then(|| token.span())),
        };
        self.last = [self.last[1], mark];
        self.at += 1;
        step
    }

    /// The kind of the group that is the next token.
    fn kind(&self, is_attribute: bool) -> Kind {
        match is_attribute {
            _ if self.group == Kind::Opaque || self.last == ['a', '!'] => Kind::Opaque,
            true if self.group == Kind::Item => Kind::Opaque,
            true => Kind::Attribute,
            false => Kind::Other,
        }
    }
}

/// A step of the walk.
enum Step {
    /// To the next token, with the place if all up to here is too deep.
    Token(Option<Span>),
    /// Into a group.
    Into(TokenStream, Span, Kind),
    /// To the end of a group.
    End,
}

/// Looks at tokens.
pub fn look(tokens: &TokenStream) -> Look {
    // The text of words costs more than all else here, so the first look goes without and may find too much.
    let (mut span, has_cfg) = walked(tokens, false);
    if span.is_some() {
        span = walked(tokens, true).0;
    }
    let too_deep = span.map(|span| {
        diagnostic(
            Code::TooDeep,
            span,
            "this is nested too deeply to be read",
            "bind parts of it to variables, or move them to a `#[vyre::device]` function",
        )
    });
    Look { too_deep, has_cfg }
}

/// The place where tokens are nested too deeply, and whether `cfg` stands in them.
fn walked(tokens: &TokenStream, exact: bool) -> (Option<Span>, bool) {
    let mut open = vec![Open::of(tokens.clone(), Span::call_site(), Kind::Item, exact)];
    let (mut deep, mut has_cfg) = (None, false);
    while let Some(inner) = open.last_mut()
        // The first walk has found each `cfg`.
        && !(exact && deep.is_some())
    {
        match inner.step(deep.is_none(), &mut has_cfg) {
            Step::Token(too_deep) => deep = deep.or(too_deep),
            Step::Into(tokens, span, kind) => open.push(Open::of(tokens, span, kind, exact)),
            Step::End if deep.is_some() => {
                open.pop();
            }
            Step::End => {
                let (cost, span) = (inner.scan.cost() + GROUP, inner.span);
                open.pop();
                if let Some(outer) = open.last_mut() {
                    outer.scan.contains(cost);
                    deep = (outer.scan.cost() > MOST).then_some(span);
                }
            }
        }
    }
    (deep, has_cfg)
}
