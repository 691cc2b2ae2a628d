//! `#[cfg(..)]` inside an item, which rustc decides.
//!
//! rustc gives an attribute its item with all `cfg` inside, and a derive macro one without what they leave out, also deep
//! in the bodies of functions. So an item with `cfg` inside expands to an enum that derives `Configured` and has the
//! item in the value of a variant; the derive macro gets the decided item and expands the attribute over again. The next
//! attribute of the enum, `undecided`, then removes it.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

use crate::editor;

/// The item of an attribute with respect to the `cfg` in it.
pub(super) enum Item {
    /// It has none that rustc would decide.
    Decided(TokenStream),
    /// The tokens by which rustc decides them.
    Undecided(TokenStream),
}

/// The item of the attribute `kind`, or what has rustc decide it, where it has `cfg` inside.
pub(super) fn item(kind: &str, options: &TokenStream, item: TokenStream, has_cfg: bool) -> Item {
    if !has_cfg {
        return Item::Decided(item);
    }
    if editor::is_here() {
        return Item::Decided(without(item));
    }
    let kind = Ident::new(kind, Span::call_site());
    Item::Undecided(quote! {
        #[derive(::vyre::__private::Configured)]
        #[::vyre::__private::undecided(#kind { #options })]
        enum __Vyre { Of = { #item 0 } }
    })
}

/// The attribute, its options and the decided item, from the enum that derives; `None` of a form that is not [`item`]'s.
pub(super) fn decided(of: TokenStream) -> Option<(String, TokenStream, TokenStream)> {
    let mut tokens = of.into_iter();
    let mark = tokens.find_map(|token| group(token, Delimiter::Bracket))?;
    let mut mark = mark
        .into_iter()
        .find_map(|token| group(token, Delimiter::Parenthesis))?
        .into_iter();
    let kind = mark.next()?.to_string();
    let options = mark.find_map(|token| group(token, Delimiter::Brace))?;
    let variants = tokens.find_map(|token| group(token, Delimiter::Brace))?;
    let value = variants.into_iter().find_map(|token| group(token, Delimiter::Brace))?;
    let mut item: Vec<TokenTree> = value.into_iter().collect();
    // The value of the variant.
    item.pop()?;
    let item = without(item.into_iter().collect());
    if item.is_empty() {
        return Some((kind, options, item));
    }
    // The semicolon of a statement that is left out remains.
    Some((kind, options, quote!(#[allow(redundant_semicolons)] #item)))
}

fn group(token: TokenTree, delimiter: Delimiter) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group.stream()),
        _ => None,
    }
}

/// An item without the `cfg` in it and on it, which all hold, and without the commas of what others left out.
fn without(tokens: TokenStream) -> TokenStream {
    let mut before = Before::default();
    let mut done: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let (is_attribute, is_macro) = (before.is_attribute(&token), before.is_macro());
        before.step(&token);
        match token {
            TokenTree::Group(group) if is_attribute && is_cfg(&group, &["cfg"]) => {
                done.pop();
            }
            TokenTree::Group(group) if !is_attribute && !is_macro => {
                let mut inner = Group::new(group.delimiter(), without(group.stream()));
                inner.set_span(group.span());
                done.push(inner.into());
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' && done.last().is_none_or(is_comma) => {}
            token => done.push(token),
        }
    }
    done.into_iter().collect()
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',')
}

fn is_cfg(attribute: &Group, names: &[&str]) -> bool {
    let first = attribute.stream().into_iter().next();
    matches!(first, Some(TokenTree::Ident(word)) if names.iter().any(|name| word == name))
}

/// The two tokens before one.
#[derive(Default)]
struct Before([Option<char>; 2]);

impl Before {
    fn step(&mut self, token: &TokenTree) {
        let mark = match token {
            TokenTree::Punct(mark) => Some(mark.as_char()),
            TokenTree::Ident(_) => Some('a'),
            _ => None,
        };
        self.0 = [self.0[1], mark];
    }

    /// True if a token is the brackets of an attribute.
    fn is_attribute(&self, token: &TokenTree) -> bool {
        self.0[1] == Some('#') && matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket)
    }

    /// True before the arguments of a macro: `name!`.
    fn is_macro(&self) -> bool {
        self.0 == [Some('a'), Some('!')]
    }
}
