//! Functions that rustc's parser has refused and read all the same.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The item without the defaults of its parameters, `n: usize = 4`, which Rust does not have; `None` if it has none.
pub(crate) fn without_defaults(item: &TokenStream) -> Option<TokenStream> {
    let (mut after_fn, mut repaired) = (false, None);
    let tokens = item.clone().into_iter().map(|token| match token {
        TokenTree::Group(list) if after_fn && list.delimiter() == Delimiter::Parenthesis => {
            // Only the first list is that of the parameters.
            after_fn = false;
            let own = without_values(&list);
            repaired = Some(own.is_some());
            TokenTree::Group(own.unwrap_or(list))
        }
        token => {
            after_fn |= matches!(&token, TokenTree::Ident(word) if word == "fn");
            token
        }
    });
    let tokens: TokenStream = tokens.collect();
    (repaired == Some(true)).then_some(tokens)
}

/// True of a function with a body. Where syn does not read its signature, rustc has refused it: it has read the item before.
pub(crate) fn is_function(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter();
    let is_fn = tokens.any(|token| matches!(&token, TokenTree::Ident(word) if word == "fn"));
    is_fn && matches!(tokens.next(), Some(TokenTree::Ident(_)))
}

/// True if a parameter is a name alone, `fn k(x, y: f32)`: rustc says so in any edition, wherever an attribute stands.
pub(crate) fn lacks_a_type(item: &TokenStream) -> bool {
    let mut after_fn = item
        .clone()
        .into_iter()
        .skip_while(|token| !matches!(token, TokenTree::Ident(word) if word == "fn"));
    let list = after_fn.find_map(|token| match token {
        TokenTree::Group(list) if list.delimiter() == Delimiter::Parenthesis => Some(list),
        _ => None,
    });
    // A name that begins the list or follows a comma, with nothing behind it but the next comma. In the arguments of a
    // type, `Pair<A, B>`, a comma stands too.
    let (mut depth, mut before, mut alone) = (0usize, ',', false);
    for token in list.map(|list| list.stream()).unwrap_or_default() {
        match token {
            TokenTree::Punct(mark) => {
                match mark.as_char() {
                    ',' if alone => return true,
                    '<' => depth += 1,
                    '>' if before != '-' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                (before, alone) = (mark.as_char(), false);
            }
            TokenTree::Ident(name) => {
                alone = depth == 0 && before == ',' && name != "self";
                before = ' ';
            }
            TokenTree::Group(_) | TokenTree::Literal(_) => (before, alone) = (' ', false),
        }
    }
    alone
}

/// The list of parameters without what stands behind an `=`.
fn without_values(list: &Group) -> Option<Group> {
    let (mut kept, mut depth, mut skips, mut found) = (Vec::new(), 0usize, false, false);
    let mut before = None;
    for token in list.stream() {
        let mark = match &token {
            TokenTree::Punct(mark) => Some(mark.as_char()),
            _ => None,
        };
        match mark {
            Some('<') => depth += 1,
            // `->` closes nothing.
            Some('>') if before != Some('-') => depth = depth.saturating_sub(1),
            Some(',') if depth == 0 => skips = false,
            Some('=') if depth == 0 => (skips, found) = (true, true),
            _ => {}
        }
        before = mark;
        if !skips {
            kept.push(token);
        }
    }
    let mut inner = Group::new(list.delimiter(), kept.into_iter().collect());
    inner.set_span(list.span());
    found.then_some(inner)
}
