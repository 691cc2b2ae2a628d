//! Small changes of tokens.

use proc_macro2::{Group, TokenStream, TokenTree};
use vyre_test_support::random;

/// Draws numbers.
pub(crate) struct Random(random::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(random::Random::new(seed))
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.index(n.max(1))
    }
}

/// The stream with one token removed, doubled, swapped with its neighbour, or replaced.
pub(crate) fn mutate(stream: TokenStream, pool: &[TokenTree], random: &mut Random) -> TokenStream {
    let mut tokens: Vec<TokenTree> = stream.into_iter().collect();
    if tokens.is_empty() {
        return tokens.into_iter().collect();
    }
    let at = random.below(tokens.len());
    if let TokenTree::Group(group) = &tokens[at]
        && random.below(8) != 0
    {
        tokens[at] = TokenTree::Group(Group::new(group.delimiter(), mutate(group.stream(), pool, random)));
        return tokens.into_iter().collect();
    }
    match random.below(6) {
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let next = (at + 1) % tokens.len();
            tokens.swap(at, next);
        }
        3 => tokens[at] = pool[random.below(pool.len())].clone(),
        // A token of its own kind leaves most functions whole.
        _ => {
            let kind = std::mem::discriminant(&tokens[at]);
            let alike: Vec<_> = pool
                .iter()
                .filter(|token| std::mem::discriminant(*token) == kind)
                .collect();
            if !alike.is_empty() {
                tokens[at] = alike[random.below(alike.len())].clone();
            }
        }
    }
    tokens.into_iter().collect()
}

pub(crate) fn flatten(stream: TokenStream, pool: &mut Vec<TokenTree>) {
    for token in stream {
        if let TokenTree::Group(group) = &token {
            flatten(group.stream(), pool);
        }
        pool.push(token);
    }
}
