//! Expansion in rust-analyzer, from which an editor has what it offers, and in rustdoc.
//!
//! An editor looks for the user's tokens in the expansion, and takes each place where it finds them for one that the
//! user wrote. So here the function of a kernel comes first and as it was written, also where vyre refuses it, as it
//! does while a name is being typed; what only rustc must see, copies of functions and marks, is left out; and names that
//! vyre adds do not lie at the places of the user's.

use std::env;
use std::sync::LazyLock;

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Attribute, Visibility};

/// True if rust-analyzer expands, and not rustc: the server of macros is a program of its own.
pub(crate) fn is_here() -> bool {
    static IS_HERE: LazyLock<bool> = LazyLock::new(|| is_program("rust-analyzer"));
    *IS_HERE
}

/// True if rustdoc expands, which shows signatures and checks no bodies.
pub(crate) fn is_rustdoc() -> bool {
    static IS_RUSTDOC: LazyLock<bool> = LazyLock::new(|| is_program("rustdoc"));
    *IS_RUSTDOC
}

fn is_program(wanted: &str) -> bool {
    let program = env::current_exe().ok();
    let name = program.as_deref().and_then(|program| program.file_name());
    name.is_some_and(|name| name.to_string_lossy().contains(wanted))
}

/// The span of a name that vyre adds: resolved as the user's, and in an editor at no place of theirs.
pub(crate) fn added(span: Span) -> Span {
    match is_here() {
        true => span.located_at(Span::call_site()),
        false => span,
    }
}

/// A name that vyre adds.
pub(crate) fn added_name(name: &Ident) -> Ident {
    let mut name = name.clone();
    name.set_span(added(name.span()));
    name
}

/// The options of a kernel as paths to constants of their names, which an editor completes and explains, and the types of
/// instances as types; nothing elsewhere.
pub(crate) fn options(options: &TokenStream) -> TokenStream {
    if !is_here() {
        return TokenStream::new();
    }
    let options: Vec<TokenTree> = options.clone().into_iter().collect();
    let options = options.split(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','));
    let shown = options.map(|option| match option {
        // An upper-case name is that of a parameter.
        [TokenTree::Ident(name), _, TokenTree::Group(values)] if name.to_string().starts_with(char::is_uppercase) => {
            let values = values.stream();
            let is_type = matches!(values.clone().into_iter().next(), Some(TokenTree::Ident(_)));
            is_type.then(|| quote!(let _: (#values,);))
        }
        [TokenTree::Ident(name), ..] => Some(quote!(let _ = ::vyre::kernel_options::#name;)),
        _ => None,
    });
    quote!(const _: () = { #(#shown)* };)
}

/// The function of a kernel as a closure, which has no name that an editor would offer beside the constructor's; nothing
/// elsewhere.
pub(crate) fn function(item: &TokenStream) -> TokenStream {
    if !is_here() {
        return TokenStream::new();
    }
    let is_word = |token: &TokenTree, wanted: &str| matches!(token, TokenTree::Ident(word) if word == wanted);
    let mut tokens = item
        .clone()
        .into_iter()
        .skip_while(|token| !is_word(token, "fn"))
        .skip(2);
    let mut generics = TokenStream::new();
    let parameters = loop {
        match tokens.next() {
            Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis => break list.stream(),
            Some(token) => generics.extend([token]),
            None => return generics,
        }
    };
    let parameters = without_each(parameters);
    let binder = (!generics.is_empty()).then(|| quote!(for #generics));
    let mut rest: Vec<TokenTree> = tokens.collect();
    let body = rest.pop().map(|body| with_arguments(body.into()));
    let result = rest.into_iter().take_while(|token| !is_word(token, "where"));
    quote!(const _: () = { let _ = #binder |#parameters| #(#result)* #body; };)
}

/// The macro that carries an item, as rust-analyzer alone accepts it: under the name of the item itself. `macro_rules!` would
/// need one of its own, which would be offered everywhere after it.
pub(crate) fn carrier(name: &Ident, cfg: &[&Attribute], visibility: &Visibility, bundle: &TokenStream) -> TokenStream {
    let dollar = TokenTree::Punct(Punct::new('$', Spacing::Alone));
    quote! {
        #(#cfg)*
        #[doc(hidden)]
        #[rustc_macro_transparency = "semitransparent"]
        #visibility macro #name {
            (@vyre [#dollar next:path => #dollar rest:tt] #dollar gathered:tt #dollar errand:tt) => {
                #dollar next! { @vyre #dollar rest { #dollar gathered #bundle } #dollar errand }
            }
        }
    }
}

/// Parameters without `#[each]`, which rust-analyzer would take for an attribute that there is not.
fn without_each(parameters: TokenStream) -> TokenStream {
    let mut tokens = parameters.into_iter().peekable();
    let mut plain = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_mark = matches!(&token, TokenTree::Punct(mark) if mark.as_char() == '#');
        let is_each =
            |next: &TokenTree| matches!(next, TokenTree::Group(group) if group.stream().to_string() == "each");
        if !(is_mark && tokens.next_if(is_each).is_some()) {
            plain.extend([token]);
        }
    }
    plain
}

/// Macros that take a condition or a message, and yield nothing.
const MESSAGES: [&str; 8] = words![
    assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne print println
];

/// A body in which the arguments of [`MESSAGES`] stand once more, as a tuple: into the standard library's macros
/// rust-analyzer follows them only partly.
fn with_arguments(body: TokenStream) -> TokenStream {
    let mut tokens = body.into_iter().peekable();
    let mut shown = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_message = matches!(&token, TokenTree::Ident(word) if MESSAGES.iter().any(|name| word == name));
        let is_mark = |next: &TokenTree| matches!(next, TokenTree::Punct(mark) if mark.as_char() == '!');
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), with_arguments(group.stream()));
                inner.set_span(group.span());
                shown.extend([TokenTree::Group(inner)]);
            }
            name if is_message => match (tokens.next_if(is_mark), tokens.peek()) {
                (Some(mark), Some(TokenTree::Group(group))) => {
                    let arguments = group.stream();
                    shown.extend(quote!({ let _ = (#arguments); #name #mark #group; }));
                    tokens.next();
                }
                (mark, _) => shown.extend([name].into_iter().chain(mark)),
            },
            token => shown.extend([token]),
        }
    }
    shown
}
