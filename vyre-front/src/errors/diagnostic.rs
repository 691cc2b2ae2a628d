//! A diagnostic as data, and its one rendering.

use std::fmt;

use proc_macro2::{Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

use super::Code;

/// A fault with its code, its place, and what works instead.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub(super) code: Code,
    /// The first and the last token.
    place: [Span; 2],
    pub(super) fault: String,
    help: String,
}

impl Diagnostic {
    /// A diagnostic at the token of `span`.
    pub(crate) fn new(code: Code, span: Span, fault: &dyn fmt::Display, help: &dyn fmt::Display) -> Self {
        Diagnostic {
            code,
            place: [span; 2],
            fault: fault.to_string(),
            help: help.to_string(),
        }
    }

    /// The same diagnostic from the first to the last of some tokens.
    pub(super) fn over(mut self, tokens: TokenStream) -> Self {
        let mut tokens = tokens.into_iter().map(|token| token.span());
        if let Some(first) = tokens.next() {
            self.place = [first, tokens.last().unwrap_or(first)];
        }
        self
    }

    /// The same diagnostic at another place.
    pub(crate) fn at(mut self, span: Span) -> Self {
        self.place = [span; 2];
        self
    }

    /// The place of the first token.
    pub(crate) fn start(&self) -> Span {
        self.place[0]
    }

    /// The place of all of its tokens, as far as the compiler can tell.
    pub fn span(&self) -> Span {
        self.error().span()
    }

    /// A call of `compile_error!`.
    pub fn to_compile_error(&self) -> TokenStream {
        self.error().to_compile_error()
    }

    fn error(&self) -> syn::Error {
        let mark = |span| {
            let mut mark = Punct::new('.', Spacing::Alone);
            mark.set_span(span);
            TokenTree::Punct(mark)
        };
        let tokens: TokenStream = self.place.map(mark).into_iter().collect();
        syn::Error::new_spanned(tokens, self)
    }

    /// True of the same fault, wherever it is.
    pub(super) fn is_same(&self, other: &Diagnostic) -> bool {
        self.code == other.code && self.fault == other.fault && self.help == other.help
    }

    /// True if rustc reports each use of what is refused: of a parameter, or of a variable whose type does not exist.
    pub(super) fn is_of_each_use(&self) -> bool {
        matches!(
            self.code,
            Code::AttributeInside
                | Code::EachType
                | Code::ElementType
                | Code::FragmentType
                | Code::FunctionParameter
                | Code::Group
                | Code::HiddenName
                | Code::MatrixPlace
                | Code::Message
                | Code::ParameterType
                | Code::PartOfSlice
                | Code::SharedBinding
                | Code::UnknownIntrinsic
                | Code::UnknownLength
                | Code::WideNumber
        )
    }

    /// True of a bug in vyre.
    pub(crate) fn is_of_vyre(&self) -> bool {
        self.code == Code::Disagreement
    }

    /// A diagnostic of all of some tokens.
    pub(super) fn over_tokens(
        code: Code,
        tokens: TokenStream,
        fault: &dyn fmt::Display,
        help: &dyn fmt::Display,
    ) -> Self {
        Diagnostic::new(code, Span::call_site(), fault, help).over(tokens)
    }

    /// True of the same place in the source.
    pub(super) fn is_beside(&self, other: &Diagnostic) -> bool {
        self.position() == other.position()
    }

    /// The line and the column.
    pub(super) fn position(&self) -> (usize, usize) {
        let start = self.start().start();
        (start.line, start.column)
    }
}

/// `V0102: the fault`, and `help: ..` in the last line.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\nhelp: {}", self.code, self.fault, self.help)
    }
}

/// A diagnostic for the case that rustc accepts the code.
#[derive(Clone, Debug)]
pub struct Note {
    pub(crate) diagnostic: Diagnostic,
    /// True if rustc finds the fault in another function, whose outcome no constant of this one can tell: the note is then
    /// for builds without any error.
    pub(crate) late: bool,
}

impl Note {
    /// A note for builds without any error.
    pub(crate) fn late(diagnostic: Diagnostic) -> Note {
        Note { diagnostic, late: true }
    }
}

impl ToTokens for Diagnostic {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.to_compile_error());
    }
}
