//! The look at tokens before syn reads them.
//!
//! syn reads by recursion, on the stack that rustc has for macros, where 300 nested array types or 400 blocks are too
//! many: the process would end. So what is nested too deeply is found beforehand, without recursion, and in the same walk
//! whether rustc has a `cfg` to decide.

use proc_macro2::{Delimiter, Group, Spacing, Span, TokenStream, TokenTree, token_stream};

use super::{Code, diagnostic};

/// Limit of brackets in brackets.
const MOST_GROUPS: usize = 200;

/// Limit of what a statement begins inside of another without a bracket: `!!x`, `|x| |y| x`, `a = b = c`.
const MOST_PREFIXES: usize = 400;

/// Properties of tokens.
pub(crate) struct Look {
    /// The error, if they are nested too deeply.
    pub(crate) too_deep: Option<syn::Error>,
    /// True if `cfg` stands inside an item. Those on it do not count, nor does what macros take.
    pub(crate) has_cfg: bool,
}

/// A position: the rest of a group, and the start of its current statement.
struct Open {
    rest: token_stream::IntoIter,
    /// Operators in a row.
    operators: usize,
    /// The parts that go on to the end of the statement.
    prefixes: usize,
    /// True after a value.
    after_value: bool,
    /// The last two characters of an operator that goes on.
    before: [char; 2],
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
}

impl Open {
    fn of(tokens: TokenStream, group: Kind) -> Self {
        Open {
            rest: tokens.into_iter(),
            operators: 0,
            prefixes: 0,
            after_value: false,
            before: [' '; 2],
            last: [' '; 2],
            group,
        }
    }

    /// Counts a token; true if there are too many. Unless it is `exact`, any word may be one that begins an expression,
    /// so there may be fewer.
    fn count(&mut self, token: &TokenTree, exact: bool) -> bool {
        match token {
            TokenTree::Punct(mark) => match mark.as_char() {
                ';' | ',' => {
                    (self.operators, self.prefixes, self.after_value) = (0, 0, false);
                }
                // The second character of `==` and `=>`, and that of `!=`, `<=` and `>=`, but for `<<=`.
                '=' | '>' if self.before[1] == '=' => self.prefixes = self.prefixes.saturating_sub(1),
                '=' if self.before[1] == '!' => {}
                '=' if matches!(self.before[1], '<' | '>') && self.before[0] != self.before[1] => {}
                '=' => self.prefixes += 1,
                '|' if !self.after_value => self.prefixes += 1,
                '!' | '-' | '*' | '&' if !self.after_value => self.operators += 1,
                _ => self.after_value = false,
            },
            // The text of a word costs more than all else here. The operator after it may count, too.
            TokenTree::Ident(_) if !exact => (self.prefixes, self.after_value) = (self.prefixes + 2, true),
            TokenTree::Ident(word) if word == "return" || word == "break" => self.prefixes += 1,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                (self.operators, self.prefixes, self.after_value) = (0, 0, false);
            }
            _ => (self.operators, self.after_value) = (0, true),
        }
        self.before = match token {
            TokenTree::Punct(mark) if mark.spacing() == Spacing::Joint => [self.before[1], mark.as_char()],
            _ => [' '; 2],
        };
        if let TokenTree::Punct(_) = token {
            self.after_value = false;
        }
        self.operators + self.prefixes > MOST_PREFIXES
    }

    /// The kind of a group that is the next token.
    fn kind(&self, group: &Group, is_item: bool) -> Kind {
        let is_attribute = self.last[1] == '#' && group.delimiter() == Delimiter::Bracket;
        match is_attribute {
            _ if self.group == Kind::Opaque || self.last == ['a', '!'] => Kind::Opaque,
            true if is_item => Kind::Opaque,
            true => Kind::Attribute,
            false => Kind::Other,
        }
    }

    /// True if a token says that the attribute, which begins with it, is `cfg`.
    fn is_cfg(&mut self, token: &TokenTree) -> bool {
        if self.group != Kind::Attribute {
            return false;
        }
        self.group = Kind::Opaque;
        matches!(token, TokenTree::Ident(word) if word == "cfg" || word == "cfg_attr")
    }

    fn step(&mut self, token: &TokenTree) {
        let mark = match token {
            TokenTree::Punct(mark) => mark.as_char(),
            TokenTree::Ident(_) => 'a',
            _ => ' ',
        };
        self.last = [self.last[1], mark];
    }
}

/// Looks at tokens.
pub(crate) fn look(tokens: &TokenStream) -> Look {
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
    let mut open = vec![Open::of(tokens.clone(), Kind::Other)];
    let (mut deep, mut has_cfg) = (None, false);
    while let Some(inner) = open.last_mut() {
        let Some(token) = inner.rest.next() else {
            open.pop();
            continue;
        };
        has_cfg |= inner.is_cfg(&token);
        if deep.is_none() && inner.count(&token, exact) {
            deep = Some(token.span());
        }
        let depth = open.len();
        let inner = &mut open[depth - 1];
        let opened = match &token {
            TokenTree::Group(group) => Some((group, inner.kind(group, depth == 1))),
            _ => None,
        };
        inner.step(&token);
        if let Some((group, kind)) = opened {
            if depth > MOST_GROUPS {
                return (deep.or_else(|| Some(group.span_open())), has_cfg);
            }
            open.push(Open::of(group.stream(), kind));
        }
    }
    (deep, has_cfg)
}
