//! `#[cfg(..)]` and `#[cfg_attr(..)]` in a file of a build script, which runs before rustc could decide them.
//!
//! Attributes stand at the start of an element of a list: an item, a statement, an arm, a field, a parameter, an element of
//! an array. syn says where the elements of a list end; what a predicate leaves out is removed with its tokens. A predicate
//! that a build script does not know stays ([`predicate`](super::predicate)). rustc confirms the others ([`checks`]).

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Arm, Attribute, Expr, Field, FieldValue, FnArg, Item, Stmt, Token, Variant, parse_quote};

use super::predicate::{Environment, parts};
use crate::errors::Code;

/// A predicate with the value that it was taken for.
type Decision = (TokenStream, bool);

/// The tokens of a file with its `cfg` decided, and the decisions; `None` if nothing is to be decided.
pub(super) fn decided(file: TokenStream, environment: &Environment) -> Option<(TokenStream, Vec<Decision>)> {
    let mut walk = Walk {
        environment,
        decisions: Vec::new(),
    };
    let tokens = walk.list(file, Delimiter::Brace);
    (!walk.decisions.is_empty()).then_some((tokens, walk.decisions))
}

/// Items by which rustc confirms decisions.
pub(super) fn checks(decisions: Vec<Decision>) -> Vec<Item> {
    let checks = decisions.into_iter().map(|(predicate, holds)| {
        let shown = predicate.to_string();
        let message = format!(
            "{}: a build script took `cfg({shown})` for {holds}, and rustc does not\n\
             help: build with a newer cargo, or put the attribute on the whole kernel",
            Code::Disagreement
        );
        match holds {
            true => parse_quote!(#[cfg(not(#predicate))] ::core::compile_error!(#message);),
            false => parse_quote!(#[cfg(#predicate)] ::core::compile_error!(#message);),
        }
    });
    checks.collect()
}

struct Walk<'e> {
    environment: &'e Environment,
    decisions: Vec<Decision>,
}

impl Walk<'_> {
    /// The content of brackets of this kind.
    fn list(&mut self, tokens: TokenStream, within: Delimiter) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let ends = match all.windows(2).any(|pair| named(pair).is_some()) {
            true => ends(&all, within),
            false => vec![all.len()],
        };
        let (mut done, mut start) = (Vec::new(), 0);
        for end in ends {
            if let Some(kept) = self.element(&all[start..end]) {
                done.extend(self.groups(kept));
            }
            start = end;
        }
        done.into_iter().collect()
    }

    /// An element without the attributes that hold; `None` if one leaves it out.
    fn element(&mut self, tokens: &[TokenTree]) -> Option<Vec<TokenTree>> {
        let (mut attributes, mut rest) = (Vec::new(), tokens.to_vec());
        while let Some(name) = named(&rest) {
            let [mark, TokenTree::Group(attribute)] = [rest.remove(0), rest.remove(0)] else {
                continue;
            };
            let arguments = match attribute.stream().into_iter().nth(1) {
                Some(TokenTree::Group(arguments)) => arguments.stream(),
                _ => TokenStream::new(),
            };
            let mut arguments = match name {
                "cfg" => vec![arguments],
                "cfg_attr" => parts(arguments),
                _ => Vec::new(),
            };
            let holds = match arguments.is_empty() {
                true => None,
                false => self.holds(arguments.remove(0)),
            };
            match (name, holds) {
                ("cfg", Some(false)) => return None,
                ("cfg", Some(true)) | ("cfg_attr", Some(false)) => {}
                ("cfg_attr", Some(true)) => {
                    let more: TokenStream = arguments.iter().map(|attribute| quote!(#[#attribute])).collect();
                    rest.splice(0..0, more);
                }
                _ => attributes.extend([mark, attribute.into()]),
            }
        }
        attributes.append(&mut rest);
        Some(attributes)
    }

    fn holds(&mut self, predicate: TokenStream) -> Option<bool> {
        let holds = self.environment.holds(predicate.clone())?;
        let text = predicate.to_string();
        if self.decisions.iter().all(|(known, _)| known.to_string() != text) {
            self.decisions.push((predicate, holds));
        }
        Some(holds)
    }

    /// Tokens with what is in their brackets decided, but for attributes and the arguments of macros.
    fn groups(&mut self, tokens: Vec<TokenTree>) -> Vec<TokenTree> {
        let mut done: Vec<TokenTree> = Vec::with_capacity(tokens.len());
        for token in tokens {
            let is_left = match &done[..] {
                [.., TokenTree::Punct(mark)] if mark.as_char() == '#' => true,
                [.., TokenTree::Ident(_), TokenTree::Punct(mark)] => mark.as_char() == '!',
                // `macro_rules! name { .. }`
                [.., TokenTree::Punct(mark), TokenTree::Ident(_)] => mark.as_char() == '!',
                _ => false,
            };
            done.push(match token {
                TokenTree::Group(group) if !is_left => {
                    let mut inner = Group::new(group.delimiter(), self.list(group.stream(), group.delimiter()));
                    inner.set_span(group.span());
                    inner.into()
                }
                token => token,
            });
        }
        done
    }
}

/// The name of the attribute at the start of these tokens: `cfg`, `cfg_attr` or another.
fn named(tokens: &[TokenTree]) -> Option<&'static str> {
    match tokens {
        [TokenTree::Punct(mark), TokenTree::Group(attribute), ..]
            if mark.as_char() == '#' && attribute.delimiter() == Delimiter::Bracket =>
        {
            let first = attribute.stream().into_iter().next();
            Some(match first {
                Some(TokenTree::Ident(word)) if word == "cfg" => "cfg",
                Some(TokenTree::Ident(word)) if word == "cfg_attr" => "cfg_attr",
                _ => "",
            })
        }
        _ => None,
    }
}

/// Where the elements of a list end. Of a list of unknown form it is one, whose attributes are left to the front end.
fn ends(tokens: &[TokenTree], within: Delimiter) -> Vec<usize> {
    type One = fn(ParseStream<'_>) -> syn::Result<()>;
    let forms: &[One] = match within {
        Delimiter::Brace => &[
            statement,
            |input| input.parse::<Arm>().map(drop),
            |input| comma(input, Field::parse_named),
            listed::<Variant>,
            field_value,
            up_to_comma,
        ],
        Delimiter::Parenthesis => &[
            listed::<FnArg>,
            listed::<Expr>,
            |input| comma(input, Field::parse_unnamed),
            up_to_comma,
        ],
        _ => &[listed::<Expr>, up_to_comma],
    };
    // Inner attributes, `#![..]`, come first.
    let mut skipped = 0;
    while let [TokenTree::Punct(hash), TokenTree::Punct(bang), TokenTree::Group(_), ..] = &tokens[skipped..]
        && (hash.as_char(), bang.as_char()) == ('#', '!')
    {
        skipped += 3;
    }
    let left = |input: ParseStream<'_>| input.cursor().token_stream().into_iter().count();
    let parsed = forms.iter().find_map(|one| {
        let all = |input: ParseStream<'_>| {
            let mut ends = Vec::new();
            while !input.is_empty() {
                one(input)?;
                ends.push(tokens.len() - left(input));
            }
            Ok(ends)
        };
        all.parse2(tokens[skipped..].iter().cloned().collect()).ok()
    });
    let mut ends = match skipped {
        0 => Vec::new(),
        _ => vec![skipped],
    };
    ends.extend(parsed.unwrap_or_else(|| vec![tokens.len()]));
    ends
}

fn statement(input: ParseStream<'_>) -> syn::Result<()> {
    if input.parse::<Option<Token![;]>>()?.is_some() {
        return Ok(());
    }
    let ahead = input.fork();
    if ahead.parse::<Stmt>().is_ok() {
        input.advance_to(&ahead);
        return Ok(());
    }
    // The value of the block.
    input.call(Attribute::parse_outer)?;
    input.parse::<Expr>()?;
    match input.is_empty() {
        true => Ok(()),
        false => Err(input.error("more follows")),
    }
}

fn comma<T>(input: ParseStream<'_>, one: impl FnOnce(ParseStream<'_>) -> syn::Result<T>) -> syn::Result<()> {
    one(input)?;
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

fn listed<T: Parse>(input: ParseStream<'_>) -> syn::Result<()> {
    comma(input, T::parse)
}

/// A field in a literal or pattern, or the `..` at its end.
fn field_value(input: ParseStream<'_>) -> syn::Result<()> {
    if input.parse::<Option<Token![..]>>()?.is_some() {
        return input.parse::<TokenStream>().map(drop);
    }
    listed::<FieldValue>(input)
}

fn up_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        if input.parse::<Option<Token![,]>>()?.is_some() {
            break;
        }
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
