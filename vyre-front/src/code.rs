//! Token lists.
//!
//! Launchers and bodies are generated piece by piece. Appending a `TokenStream` to another one
//! calls into the compiler for each piece, which takes most of a microsecond; so pieces are lists
//! of tokens until a bracket closes around them. [`code!`] is `quote_spanned!` for them. Its templates
//! are data, not calls: there are thousands of tokens, and a user's build compiles their code unoptimised.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// A list of tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    trees: Vec<TokenTree>,
}

impl Code {
    /// One token or group.
    pub(crate) fn tree(tree: TokenTree) -> Self {
        Code { trees: vec![tree] }
    }

    /// The parts of syn's tree.
    pub(crate) fn of(tree: &impl ToTokens) -> Self {
        Code {
            trees: tree.to_token_stream().into_iter().collect(),
        }
    }

    /// Those of several, one after the other.
    pub(crate) fn of_all(trees: &[impl ToTokens]) -> Self {
        let mut code = Code::default();
        for tree in trees {
            code.append(Code::of(tree));
        }
        code
    }

    /// Appends a template. Its holes are filled in order.
    pub(crate) fn template(pieces: &[Piece], holes: &mut [Code], span: Span) -> Code {
        let mut code = Code::default();
        code.fill(pieces, &mut holes.iter_mut(), span);
        code
    }

    fn fill(&mut self, pieces: &[Piece], holes: &mut std::slice::IterMut<'_, Code>, span: Span) {
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            at += 1;
            match *piece {
                Piece::Token("#") if matches!(pieces.get(at), Some(Piece::Token(_))) => {
                    at += 1;
                    if let Some(hole) = holes.next() {
                        self.append(std::mem::take(hole));
                    }
                }
                Piece::Token(text) => self.token(text, span),
                Piece::Group(delimiter, inner) => {
                    let mut code = Code::default();
                    code.fill(inner, holes, span);
                    self.group(delimiter, code, span);
                }
            }
        }
    }

    /// Appends a token of a template: a word, a number, a string without escapes (those of doc
    /// comments are raw), a label or punctuation.
    pub(crate) fn token(&mut self, text: &str, span: Span) {
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
    pub(crate) fn group(&mut self, delimiter: Delimiter, inner: Code, span: Span) {
        let mut group = Group::new(delimiter, inner.into());
        group.set_span(span);
        self.trees.push(group.into());
    }

    /// Appends other code.
    pub(crate) fn append(&mut self, mut other: Code) {
        match self.trees.is_empty() {
            true => *self = other,
            false => self.trees.append(&mut other.trees),
        }
    }

    /// The last token or group.
    pub(crate) fn last(&self) -> Option<&TokenTree> {
        self.trees.last()
    }

    /// True if the list is empty.
    pub(crate) fn is_empty(&self) -> bool {
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

/// A part of a template.
pub(crate) enum Piece {
    /// A token as it is written. `#` and a name are a hole.
    Token(&'static str),
    /// A group of tokens in brackets.
    Group(Delimiter, &'static [Piece]),
}

/// The values that a template takes after `#`.
pub(crate) trait Put {
    /// Its tokens.
    fn code(self) -> Code;
}

impl Put for Code {
    fn code(self) -> Code {
        self
    }
}
impl Put for &Code {
    fn code(self) -> Code {
        self.clone()
    }
}
impl Put for Ident {
    fn code(self) -> Code {
        Code::tree(self.into())
    }
}
impl Put for &Ident {
    fn code(self) -> Code {
        Code::tree(self.clone().into())
    }
}
impl Put for &Literal {
    fn code(self) -> Code {
        Code::tree(self.clone().into())
    }
}
impl Put for Literal {
    fn code(self) -> Code {
        Code::tree(self.into())
    }
}
impl Put for TokenStream {
    fn code(self) -> Code {
        self.into_iter().collect()
    }
}
impl<T: Clone + Put> Put for &Option<T> {
    fn code(self) -> Code {
        self.clone().code()
    }
}
impl<T: Put> Put for Option<T> {
    fn code(self) -> Code {
        self.map_or(Code::default(), Put::code)
    }
}
/// Separated by commas.
impl<T: Put> Put for Vec<T> {
    fn code(self) -> Code {
        let mut code = Code::default();
        for (number, it) in self.into_iter().enumerate() {
            if number > 0 {
                code.mark(',', Spacing::Alone, Span::mixed_site());
            }
            code.append(it.code());
        }
        code
    }
}

/// `code!(span=> let #name = #value;)`: a template with the tokens' span.
macro_rules! code {
    ($span:ident => $($template:tt)*) => {{
        static PIECES: &[$crate::code::Piece] = &[$(code!(@piece $template)),*];
        $crate::code::Code::template(PIECES, code!(@holes [] $($template)*), $span)
    }};
    (@piece ( $($inner:tt)* )) => {
        $crate::code::Piece::Group(proc_macro2::Delimiter::Parenthesis, &[$(code!(@piece $inner)),*])
    };
    (@piece [ $($inner:tt)* ]) => {
        $crate::code::Piece::Group(proc_macro2::Delimiter::Bracket, &[$(code!(@piece $inner)),*])
    };
    (@piece { $($inner:tt)* }) => {
        $crate::code::Piece::Group(proc_macro2::Delimiter::Brace, &[$(code!(@piece $inner)),*])
    };
    (@piece $token:tt) => {
        $crate::code::Piece::Token(stringify!($token))
    };
    (@holes [$($value:ident)*]) => {
        &mut [$($crate::code::Put::code($value)),*]
    };
    (@holes [$($value:ident)*] # $next:ident $($rest:tt)*) => {
        code!(@holes [$($value)* $next] $($rest)*)
    };
    (@holes $values:tt ( $($inner:tt)* ) $($rest:tt)*) => {
        code!(@holes $values $($inner)* $($rest)*)
    };
    (@holes $values:tt [ $($inner:tt)* ] $($rest:tt)*) => {
        code!(@holes $values $($inner)* $($rest)*)
    };
    (@holes $values:tt { $($inner:tt)* } $($rest:tt)*) => {
        code!(@holes $values $($inner)* $($rest)*)
    };
    (@holes $values:tt $token:tt $($rest:tt)*) => {
        code!(@holes $values $($rest)*)
    };
}
pub(crate) use code;

#[cfg(test)]
mod tests;
