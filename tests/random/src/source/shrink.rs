//! Reduces a failing program: removes tokens as long as it still fails.

use std::str::FromStr;

use proc_macro2::{Group, TokenStream, TokenTree};

use super::Source;

/// The smallest program found for which `fails` holds, as it does for `source`.
pub fn shrink(source: &Source, mut fails: impl FnMut(&Source) -> bool) -> Source {
    let Ok(mut tokens) = TokenStream::from_str(&source.text) else {
        return source.clone();
    };
    let mut smallest = source.clone();
    loop {
        let before = count(&tokens);
        let mut length = 128;
        while length > 0 {
            let mut place = 0;
            while let Some(candidate) = without(&tokens, &mut { place }, length) {
                let attempt = Source {
                    text: candidate.to_string(),
                    inputs: source.inputs.clone(),
                };
                if fails(&attempt) {
                    (tokens, smallest) = (candidate, attempt);
                } else {
                    place += 1;
                }
            }
            length /= 2;
        }
        if count(&tokens) == before {
            return smallest;
        }
    }
}

fn count(tokens: &TokenStream) -> usize {
    let inside = |tree| match tree {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

/// Removes `length` consecutive tokens at a position, which counts all positions of all groups; a
/// group that is removed alone leaves its content.
fn without(tokens: &TokenStream, place: &mut usize, length: usize) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let replaced = |with: TokenStream, end: usize| -> TokenStream {
            let (before, after) = (trees[..at].iter().cloned(), trees[end..].iter().cloned());
            before.chain(with).chain(after).collect()
        };
        if at + length <= trees.len() {
            if *place == 0 {
                return Some(replaced(TokenStream::new(), at + length));
            }
            *place -= 1;
        }
        let TokenTree::Group(group) = tree else { continue };
        if length == 1 {
            if *place == 0 {
                return Some(replaced(group.stream(), at + 1));
            }
            *place -= 1;
        }
        if let Some(inner) = without(&group.stream(), place, length) {
            let inner = TokenTree::Group(Group::new(group.delimiter(), inner));
            return Some(replaced(inner.into(), at + 1));
        }
    }
    None
}
