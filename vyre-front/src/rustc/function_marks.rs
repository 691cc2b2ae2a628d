//! Confirms that a name resolves to the device function that vyre assumes.
//!
//! A device function is delivered by the macro of its name, but a name may resolve to the macro of
//! one item and to another function, if a glob imports both and another import shadows only the
//! function. So each device function has a hidden lifetime parameter, [`marked`], and calls in the
//! function checked by rustc pass an argument for it, which other functions do not accept. A marked
//! function has its macro in the same scope, so that the two are found together.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::editor;
use crate::syntax::obligations::Obligation;
use crate::syntax::tree::Tree;

/// The device functions whose names rustc checks, but for those that are a closure's too, and whether a name
/// is that of no variable.
pub(crate) fn functions(tree: &Tree) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for obligation in &tree.obligations {
        let Obligation::Function(name) = obligation else {
            continue;
        };
        let mut locals = tree.locals.iter().filter(|local| local.name == name).peekable();
        let is_passed = locals.peek().is_none();
        if locals.all(|local| tree.types.as_closure(local.ty).is_none()) {
            found.push((name.clone(), is_passed));
        }
    }
    found
}

/// The parameter by which device functions are known, before the others. The documentation does not show it.
fn parameter() -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #[cfg(not(doc))] '__vyre: '__vyre,)
}

/// The tokens of a function with the parameter by which it is known. In an editor it has none.
pub(crate) fn marked(function: TokenStream) -> TokenStream {
    if editor::is_here() {
        return function;
    }
    let mut out = TokenStream::new();
    let mut tokens = function.into_iter().peekable();
    // The name follows the first `fn` that is not in a group.
    for token in tokens.by_ref() {
        let is_fn = matches!(&token, TokenTree::Ident(word) if word == "fn");
        out.extend([token]);
        if is_fn {
            break;
        }
    }
    out.extend(tokens.next());
    let parameter = parameter();
    match tokens.peek() {
        Some(TokenTree::Punct(mark)) if mark.as_char() == '<' => {
            out.extend(tokens.next());
            out.extend(parameter);
        }
        _ => out.extend(quote!(<#parameter>)),
    }
    out.extend(tokens);
    out
}

/// Puts the argument for the parameter of device functions where they are named, token by token.
pub(crate) struct Marks<'t> {
    functions: &'t [(String, bool)],
    state: State,
    /// The span of the last function's name.
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    /// After a dot, or a word that defines: what comes is no function.
    Skip,
    /// In an import.
    Use,
    /// After the name of a function, true if it may be passed as a value, and after the colons that
    /// follow it.
    Name(bool),
    Colon,
    Colons,
}

impl<'t> Marks<'t> {
    /// Takes the functions by name, and whether the bare name is the function's too.
    pub(crate) fn new(functions: &'t [(String, bool)]) -> Self {
        Marks {
            functions,
            state: State::None,
            span: Span::call_site(),
        }
    }

    /// Adds to `out` what comes before a token.
    pub(crate) fn before(&mut self, token: &TokenTree, out: &mut Vec<TokenTree>) {
        let is_call = |group: &Group| group.delimiter() == Delimiter::Parenthesis;
        self.state = match (token, self.state) {
            (TokenTree::Punct(mark), State::Use) if mark.as_char() != ';' => State::Use,
            (TokenTree::Ident(_) | TokenTree::Group(_), State::Use) => State::Use,
            (TokenTree::Group(group), State::Name(_)) if is_call(group) => {
                arguments(self.span, out);
                State::None
            }
            (TokenTree::Punct(mark), state) => match (mark.as_char(), state) {
                (',', State::Name(true)) => {
                    arguments(self.span, out);
                    State::None
                }
                (':', State::Name(_)) => State::Colon,
                (':', State::Colon) => State::Colons,
                ('<', State::Colons) => State::Colons,
                ('.', _) => State::Skip,
                _ => State::None,
            },
            (TokenTree::Ident(word), state) if state != State::Skip => {
                match self.functions.iter().find(|(known, _)| word == known) {
                    Some(&(_, is_passed)) => {
                        self.span = Span::call_site().located_at(word.span());
                        State::Name(is_passed)
                    }
                    None if word == "fn" || word == "let" => State::Skip,
                    None if word == "use" => State::Use,
                    None => State::None,
                }
            }
            _ => State::None,
        };
    }

    /// True if a token opens the arguments of a function's name.
    pub(crate) fn opens(&self, token: &TokenTree) -> bool {
        let is_angle = matches!(token, TokenTree::Punct(mark) if mark.as_char() == '<');
        is_angle && self.state == State::Colons
    }

    /// Appends the tokens after the one that opens arguments.
    pub(crate) fn first(&mut self, out: &mut Vec<TokenTree>) {
        self.state = State::None;
        lifetime(self.span, out);
        out.push(mark(',', Spacing::Alone, self.span));
    }

    /// Appends the tokens after the last one; false if there are none.
    pub(crate) fn end(&mut self, out: &mut Vec<TokenTree>) -> bool {
        let is_passed = self.state == State::Name(true);
        if is_passed {
            arguments(self.span, out);
        }
        is_passed
    }

    /// True if this is an import.
    pub(crate) fn is_import(&self) -> bool {
        self.state == State::Use
    }
}

fn mark(mark: char, spacing: Spacing, span: Span) -> TokenTree {
    let mut mark = Punct::new(mark, spacing);
    mark.set_span(span);
    mark.into()
}

fn lifetime(span: Span, out: &mut Vec<TokenTree>) {
    out.push(mark('\'', Spacing::Joint, span));
    out.push(Ident::new("static", span).into());
}

/// `::<'static>`
fn arguments(span: Span, out: &mut Vec<TokenTree>) {
    let before = [(':', Spacing::Joint), (':', Spacing::Alone), ('<', Spacing::Alone)];
    out.extend(before.map(|(it, spacing)| mark(it, spacing, span)));
    lifetime(span, out);
    out.push(mark('>', Spacing::Alone, span));
}
