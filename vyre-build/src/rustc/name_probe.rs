//! What a body's names are taken for, where vyre and rustc look for them in different ways: rustc confirms it.
//!
//! A device function comes by the macro of its name, and a name may stand for a macro of one item and for another
//! function: where a glob brings both and an import hides the function alone. So each device function has a
//! lifetime parameter that nobody sees, [`marked`], and calls in the function that rustc checks give an
//! argument for it, which others do not take. What is marked has its macro beside it, in the same scope, so that
//! the two are found together.
//!
//! Of a constant the value is compared, of a primitive type the type. A name in a pattern is a new variable unless
//! it is a constant's, which only rustc knows.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ExprPath;

use super::method_probe;
use super::type_witness::{DOOR, tag};
use crate::errors::{Code, Errors};
use crate::generate;
use crate::surface::Primitive;
use crate::syntax::tree::Tree;
use crate::types::Kind;

/// What the names of a body are taken for.
#[derive(Default)]
pub(crate) struct Claims {
    /// The names by which device functions are called or passed.
    functions: Vec<String>,
    /// The paths of constants, with their numbers.
    constants: Vec<(TokenStream, usize)>,
    /// The names of primitive types in expressions.
    primitives: Vec<(Primitive, Ident)>,
    /// The names that patterns bind which do not take every value.
    bound: Vec<Ident>,
    /// The methods that are called, and the numbers without a type that stand beside operators.
    pub(crate) methods: Vec<method_probe::Method>,
    pub(crate) paths: Vec<method_probe::OfTrait>,
    pub(crate) numbers: Vec<method_probe::Number>,
    /// What is checked in a function beside the body, where that is generic.
    pub(crate) beside: TokenStream,
}

impl Claims {
    /// Whether nothing is claimed.
    pub(crate) fn is_empty(&self) -> bool {
        let has_methods = !self.methods.is_empty() || !self.paths.is_empty() || !self.numbers.is_empty();
        let has_values = !self.functions.is_empty() || !self.constants.is_empty();
        !has_methods && !has_values && self.beside.is_empty() && self.primitives.is_empty() && self.bound.is_empty()
    }

    /// A device function is called by a path that ends so.
    pub(crate) fn function(&mut self, name: &Ident) {
        if self.functions.iter().all(|known| name != known) {
            self.functions.push(name.to_string());
        }
    }

    /// A path is that of the constant of a number.
    pub(crate) fn constant(&mut self, path: &ExprPath, number: usize) {
        let path = path.to_token_stream();
        let text = path.to_string();
        if self.constants.iter().all(|(known, _)| known.to_string() != text) {
            self.constants.push((path, number));
        }
    }

    /// A name is that of a primitive type.
    pub(crate) fn primitive(&mut self, primitive: Primitive, name: &Ident) {
        if self.primitives.iter().all(|&(known, _)| known != primitive) {
            self.primitives.push((primitive, name.clone()));
        }
    }

    /// A name in a pattern is a new variable.
    pub(crate) fn bound(&mut self, name: &Ident) {
        if self.bound.iter().all(|known| known != name) {
            self.bound.push(name.clone());
        }
    }
}

/// What rustc checks of the claims, at the head of the body.
pub(crate) fn head(tree: &Tree) -> TokenStream {
    let (claims, mut head) = (&tree.claims, TokenStream::new());
    if claims.is_empty() {
        return head;
    }
    let door = Ident::new(DOOR, Span::call_site());
    for (primitive, name) in &claims.primitives {
        if let Some(tag) = tag(&tree.types, crate::types::Ty::primitive(*primitive)) {
            let span = Span::call_site().located_at(name.span());
            head.extend(quote_spanned!(span=> #door::alias::<#tag, #name>();));
        }
    }
    for (path, number) in &claims.constants {
        let constant = &tree.constants[*number];
        let mut of = constant.ty;
        while let Kind::Array(element, _) = *tree.types.kind(of) {
            of = element;
        }
        if let Some(cell) = tree.types.as_primitive(of) {
            head.extend(generate::device::claim(path, cell, &constant.values));
        }
    }
    if !claims.bound.is_empty() {
        let (names, units) = (&claims.bound, claims.bound.iter().map(|_| quote!(())));
        head.extend(quote!(#[allow(unused_variables, clippy::redundant_pattern)] let _ = |(#(#names @ _,)*): (#(#units,)*)| {};));
    }
    head.extend(method_probe::probes(tree));
    head.extend(method_probe::numbers(tree));
    head.extend(claims.beside.clone());
    head
}

/// Says of types that do not agree that `Ok` or its like may be another one here than core's.
pub(crate) fn explain(tree: &Tree, errors: &mut Errors) {
    let is_core = |function: &str| ["Some", "None", "Ok", "Err"].contains(&function);
    let mut names = tree.vocabulary.iter();
    let bare = names.find(|(path, function)| is_core(function) && path.to_string() == *function);
    if let (Some((path, name)), true) = (bare, errors.is_left_to_rustc()) {
        let span = path
            .clone()
            .into_iter()
            .next()
            .map_or_else(Span::call_site, |first| first.span());
        let note = format!(
            "{}: vyre takes `{name}` for that of `Option` or `Result`, and an import brings another one here\n\
             help: write its type too: `Answer::{name}`",
            Code::AmbiguousName
        );
        errors.explain(span, note);
    }
}

/// The parameter by which device functions are known, before the others. The documentation does not show it.
fn parameter() -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #[cfg(not(doc))] '__vyre: '__vyre,)
}

/// The tokens of a function with the parameter by which it is known.
pub(crate) fn marked(function: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = function.into_iter().peekable();
    // The name stands behind the first `fn` that is not in a group.
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
    /// Where the last function was named.
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    /// After a dot, or a word that defines: what comes is no function.
    Skip,
    /// In an import.
    Use,
    /// After the name of a function, which may be passed where true, and after the colons behind it.
    Name(bool),
    Colon,
    Colons,
}

impl<'t> Marks<'t> {
    /// Of functions by their names, and whether a name without a call is that of the function.
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

    /// Whether a token opens the arguments of a function's name.
    pub(crate) fn opens(&self, token: &TokenTree) -> bool {
        let is_angle = matches!(token, TokenTree::Punct(mark) if mark.as_char() == '<');
        is_angle && self.state == State::Colons
    }

    /// Adds to `out` what comes behind the token that opens arguments.
    pub(crate) fn first(&mut self, out: &mut Vec<TokenTree>) {
        self.state = State::None;
        lifetime(self.span, out);
        out.push(mark(',', Spacing::Alone, self.span));
    }

    /// Adds to `out` what comes behind the last token; false where that is nothing.
    pub(crate) fn end(&mut self, out: &mut Vec<TokenTree>) -> bool {
        let is_passed = self.state == State::Name(true);
        if is_passed {
            arguments(self.span, out);
        }
        is_passed
    }

    /// Whether this is an import.
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

impl Tree {
    /// The device functions whose names rustc checks, but for those that are a closure's too, and whether a name
    /// is that of no variable.
    pub(crate) fn claimed_functions(&self) -> Vec<(String, bool)> {
        let mut found = Vec::new();
        for name in &self.claims.functions {
            let mut locals = self.locals.iter().filter(|local| local.name == name).peekable();
            let is_passed = locals.peek().is_none();
            if locals.all(|local| self.types.as_closure(local.ty).is_none()) {
                found.push((name.clone(), is_passed));
            }
        }
        found
    }
}
