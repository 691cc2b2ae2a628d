//! Token lists.
//!
//! Launchers and bodies are generated piece by piece. Appending a `TokenStream` to another one
//! calls into the compiler for each piece, which takes most of a microsecond; so pieces are lists
//! of tokens until a bracket closes around them. [`code!`] is `quote_spanned!` for them.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// A list of tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    trees: Vec<TokenTree>,
}

impl Code {
    /// The parts of syn's tree.
    pub(super) fn of(tree: &impl ToTokens) -> Self {
        Code {
            trees: tree.to_token_stream().into_iter().collect(),
        }
    }

    /// Appends a token of a template: a word, a number, a string without escapes (those of doc
    /// comments are raw), a label or punctuation.
    pub(super) fn token(&mut self, text: &str, span: Span) {
        match text.as_bytes() {
            [b'"', .., b'"'] => self.literal(Literal::string(&text[1..text.len() - 1]), span),
            [b'r', b'"', .., b'"'] => self.literal(Literal::string(&text[2..text.len() - 1]), span),
            [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => self.trees.push(Ident::new(text, span).into()),
            [b'0'..=b'9', ..] => self.literal(Literal::u64_unsuffixed(text.parse().unwrap_or(0)), span),
            [b'\'', ..] => {
                self.mark('\'', Spacing::Joint, span);
                self.trees.push(Ident::new(&text[1..], span).into());
            }
            &[first] => self.mark(first.into(), Spacing::Alone, span),
            &[first, second] => {
                self.mark(first.into(), Spacing::Joint, span);
                self.mark(second.into(), Spacing::Alone, span);
            }
            marks => {
                for (number, &mark) in marks.iter().enumerate() {
                    let is_last = number + 1 == marks.len();
                    let spacing = if is_last { Spacing::Alone } else { Spacing::Joint };
                    self.mark(mark.into(), spacing, span);
                }
            }
        }
    }

    fn literal(&mut self, mut literal: Literal, span: Span) {
        literal.set_span(span);
        self.trees.push(literal.into());
    }

    fn mark(&mut self, c: char, spacing: Spacing, span: Span) {
        let mut mark = Punct::new(c, spacing);
        mark.set_span(span);
        self.trees.push(mark.into());
    }

    /// Appends a group.
    pub(super) fn group(&mut self, delimiter: Delimiter, inner: Code, span: Span) {
        let mut group = Group::new(delimiter, inner.into());
        group.set_span(span);
        self.trees.push(group.into());
    }

    /// Appends other code.
    pub(super) fn append(&mut self, mut other: Code) {
        match self.trees.is_empty() {
            true => *self = other,
            false => self.trees.append(&mut other.trees),
        }
    }

    /// True if the list is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }
}

impl From<Code> for TokenStream {
    fn from(code: Code) -> Self {
        code.trees.into_iter().collect()
    }
}

impl FromIterator<TokenTree> for Code {
    fn from_iter<I: IntoIterator<Item = TokenTree>>(trees: I) -> Self {
        Code {
            trees: trees.into_iter().collect(),
        }
    }
}

/// One after the other.
impl FromIterator<Code> for Code {
    fn from_iter<I: IntoIterator<Item = Code>>(parts: I) -> Self {
        let mut code = Code::default();
        parts.into_iter().for_each(|part| code.append(part));
        code
    }
}

/// The values that a template takes after `#`.
pub(super) trait Put {
    /// Appends itself.
    fn put(self, code: &mut Code);
}

impl Put for Code {
    fn put(self, code: &mut Code) {
        code.append(self);
    }
}
impl Put for &Code {
    fn put(self, code: &mut Code) {
        code.trees.extend_from_slice(&self.trees);
    }
}
impl Put for Ident {
    fn put(self, code: &mut Code) {
        code.trees.push(self.into());
    }
}
impl Put for &Ident {
    fn put(self, code: &mut Code) {
        code.trees.push(self.clone().into());
    }
}
impl Put for Literal {
    fn put(self, code: &mut Code) {
        code.trees.push(self.into());
    }
}
impl Put for TokenStream {
    fn put(self, code: &mut Code) {
        code.trees.extend(self);
    }
}
impl<T: Put> Put for Option<T> {
    fn put(self, code: &mut Code) {
        if let Some(it) = self {
            it.put(code);
        }
    }
}
/// Separated by commas.
impl<T: Put> Put for Vec<T> {
    fn put(self, code: &mut Code) {
        for (number, it) in self.into_iter().enumerate() {
            if number > 0 {
                code.mark(',', Spacing::Alone, Span::mixed_site());
            }
            it.put(code);
        }
    }
}

/// `code!(span=> let #name = #value;)`: a template with the tokens' span.
macro_rules! code {
    ($span:ident => $($template:tt)*) => {{
        #[allow(unused_mut, reason = "a template may be empty")]
        let mut code = $crate::generate::code::Code::default();
        code!(@ code $span $($template)*);
        code
    }};
    (@ $code:ident $span:ident) => {};
    (@ $code:ident $span:ident # $value:ident $($rest:tt)*) => {
        $crate::generate::code::Put::put($value, &mut $code);
        code!(@ $code $span $($rest)*);
    };
    (@ $code:ident $span:ident ( $($inner:tt)* ) $($rest:tt)*) => {
        $code.group(proc_macro2::Delimiter::Parenthesis, code!($span => $($inner)*), $span);
        code!(@ $code $span $($rest)*);
    };
    (@ $code:ident $span:ident [ $($inner:tt)* ] $($rest:tt)*) => {
        $code.group(proc_macro2::Delimiter::Bracket, code!($span => $($inner)*), $span);
        code!(@ $code $span $($rest)*);
    };
    (@ $code:ident $span:ident { $($inner:tt)* } $($rest:tt)*) => {
        $code.group(proc_macro2::Delimiter::Brace, code!($span => $($inner)*), $span);
        code!(@ $code $span $($rest)*);
    };
    (@ $code:ident $span:ident $token:tt $($rest:tt)*) => {
        $code.token(stringify!($token), $span);
        code!(@ $code $span $($rest)*);
    };
}
pub(super) use code;

#[cfg(test)]
mod tests;
