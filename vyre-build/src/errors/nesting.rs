//! Tokens that are nested too deeply to be read.
//!
//! syn reads by recursion, on the stack that rustc has for macros, where 300 nested array types or 400 blocks are too
//! many: the process would end. So tokens are looked at beforehand, without recursion.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree, token_stream};

use super::{Code, diagnostic};

/// Limit of brackets in brackets.
const MOST_GROUPS: usize = 200;

/// Limit of what a statement begins inside of another without a bracket: `!!x`, `|x| |y| x`, `a = b = c`.
const MOST_PREFIXES: usize = 400;

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
}

impl Open {
    fn of(tokens: TokenStream) -> Self {
        Open {
            rest: tokens.into_iter(),
            operators: 0,
            prefixes: 0,
            after_value: false,
            before: [' '; 2],
        }
    }

    /// Counts a token; true if there are too many.
    fn count(&mut self, token: &TokenTree) -> bool {
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
}

/// The error for tokens that are nested too deeply, if they are.
pub(crate) fn too_deep(tokens: &TokenStream) -> Option<syn::Error> {
    let span = deep(tokens)?;
    Some(diagnostic(
        Code::TooDeep,
        span,
        "this is nested too deeply to be read",
        "bind parts of it to variables, or move them to a `#[vyre::device]` function",
    ))
}

fn deep(tokens: &TokenStream) -> Option<Span> {
    let mut open = vec![Open::of(tokens.clone())];
    while let Some(inner) = open.last_mut() {
        let Some(token) = inner.rest.next() else {
            open.pop();
            continue;
        };
        if inner.count(&token) {
            return Some(token.span());
        }
        if let TokenTree::Group(group) = token {
            if open.len() > MOST_GROUPS {
                return Some(group.span_open());
            }
            open.push(Open::of(group.stream()));
        }
    }
    None
}
