//! Tokens as the source writes them.

use proc_macro2::{LineColumn, Span, TokenStream, TokenTree};

/// The arguments of a macro, each as its text, with a space where the source has room between two
/// tokens. Takes the tokens as the macro got them, because syn's own have other spans.
pub(super) fn arguments(tokens: &TokenStream) -> Vec<String> {
    let mut arguments = vec![Text::default()];
    for token in tokens.clone() {
        match (&token, arguments.last_mut()) {
            (TokenTree::Punct(comma), _) if comma.as_char() == ',' => arguments.push(Text::default()),
            (_, Some(last)) => last.tokens(token.into()),
            (_, None) => {}
        }
    }
    arguments.into_iter().map(|argument| argument.out).collect()
}

#[derive(Default)]
struct Text {
    out: String,
    /// The end of the last token.
    end: Option<LineColumn>,
}

impl Text {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => {
                    let whole = group.to_string();
                    let (open, close) = match group.delimiter() {
                        proc_macro2::Delimiter::None => {
                            self.tokens(group.stream());
                            continue;
                        }
                        _ => (&whole[..1], &whole[whole.len() - 1..]),
                    };
                    self.token(open, group.span_open());
                    self.tokens(group.stream());
                    self.token(close, group.span_close());
                }
                other => self.token(&other.to_string(), other.span()),
            }
        }
    }

    fn token(&mut self, token: &str, span: Span) {
        if self.end.is_some_and(|end| end != span.start()) {
            self.out.push(' ');
        }
        self.out.push_str(token);
        self.end = Some(span.end());
    }
}
