//! The function for rustc to check: the user's own tokens, with a witness of vyre's inferred type
//! after each binding.
//!
//! A witness, `found::f32(&x)`, does not drive inference, as an annotation would: rustc infers the
//! type of `x` independently and then compares. So the two inferences agree or the crate does not
//! compile. Variables that are never read have no witness, because it would be a read and suppress
//! the warning about them; nothing depends on their types.
//!
//! Witnesses are inserted between the tokens, not into the syntax tree, so that everything else
//! stays verbatim. Reading numbers the `let`s and `for`s in the order of the source, and so does
//! the walk here.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ItemFn;

use super::function_marks::{self, Marks};
use super::type_tokens::{DOOR, tag};
use crate::code::{Code, code};
use crate::syntax::tree::{Local, Origin, Tree};
use crate::types::{Kind, Types};

/// The function as it was written, without witnesses: for rustc to find more mistakes in.
pub(crate) fn verbatim(item: &ItemFn, body: TokenStream) -> TokenStream {
    let (span, signature, mut lints) = (Span::call_site(), Code::of(&item.sig), Code::default());
    for attribute in &item.attrs {
        let is_lint = |lint: &&str| attribute.path().is_ident(lint);
        if matches!(attribute.style, syn::AttrStyle::Outer)
            && ["allow", "warn", "deny", "forbid", "expect"].iter().any(is_lint)
        {
            lints.append(Code::of(attribute));
        }
    }
    code! {span=>
        #lints
        #[allow(
            // Those of function marks.
            late_bound_lifetime_arguments,
            clippy::too_many_arguments,
            clippy::needless_range_loop,
            clippy::manual_memcpy,
            clippy::needless_return,
            clippy::used_underscore_binding,
            // Witnesses stand before the items of the body.
            clippy::items_after_statements,
            // `as` is the only conversion that kernels have.
            clippy::cast_lossless,
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            clippy::as_conversions,
            // Generated code calls it.
            clippy::single_call_fn,
            // A parameter is passed as its kind says: `#[each] x: &f32` by reference, an array by value.
            clippy::needless_pass_by_value,
            clippy::trivially_copy_pass_by_ref,
            clippy::large_types_passed_by_value
        )]
        #signature #body
    }
    .into()
}

/// A second copy of the function, whose lints are silenced: they were reported for the first one.
pub(crate) fn silent(item: &ItemFn, body: TokenStream) -> TokenStream {
    let mut signature = item.sig.clone();
    // Witnesses are called, and not by constants.
    signature.constness = None;
    // Where a crate forbids lints, those of unused code are silent about such names, which are also in lower case: a constant
    // may be a function here.
    let name = signature.ident.to_string().to_ascii_lowercase();
    signature.ident = Ident::new(&format!("_{}", name.trim_start_matches("r#")), signature.ident.span());
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
        #signature #body
    }
}

/// The body of an item's tokens: its last group in braces.
pub(crate) fn body_of(item: &TokenStream) -> Option<Group> {
    match item.clone().into_iter().last() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group),
        _ => None,
    }
}

/// The body with its witnesses, and with items `beside` them.
pub(crate) fn witnessed(tree: &Tree, item: &ItemFn, body: Group, beside: TokenStream) -> TokenStream {
    let mut inner_attributes = 0;
    for attribute in &item.attrs {
        inner_attributes += usize::from(matches!(attribute.style, syn::AttrStyle::Inner(_)));
    }
    let functions = function_marks::functions(tree);
    let mut walk = Walk {
        tree,
        functions: &functions,
        lets: Vec::new(),
        fors: Vec::new(),
        next_let: 0,
        next_for: 0,
    };
    for local in &tree.locals {
        let (list, number) = match local.origin {
            Origin::Let(number) => (&mut walk.lets, number),
            Origin::For(number) => (&mut walk.fors, number),
            _ => continue,
        };
        if list.len() <= number {
            list.resize_with(number + 1, Vec::new);
        }
        witness(&tree.types, local, &mut list[number]);
    }
    let (mut all, _) = walk.tokens(body.stream(), Vec::new());
    // Inner attributes, `#![..]`, stay in front.
    let front = all.len().min(3 * inner_attributes);
    let mut rest = all.split_off(front);
    all.extend(head(tree));
    all.extend(beside);
    all.append(&mut rest);
    let mut whole = Group::new(Delimiter::Brace, all.into_iter().collect());
    whole.set_span(body.span());
    whole.into_token_stream()
}

/// The assertions at the head of the body.
fn head(tree: &Tree) -> TokenStream {
    let door = Ident::new(DOOR, Span::call_site());
    let mut head = quote!(use ::vyre::__private as #door;);
    head.extend(super::confirm(tree, |_| true));
    for (number, local) in tree.locals.iter().enumerate() {
        // The fields of a struct are confirmed where it is defined.
        let is_named = local.origin == Origin::Parameter && tree.bundle_of(number).is_none();
        if is_named && tree.types.is_matrix(local.ty) {
            let writes = match *tree.types.kind(tree.types.referent(local.ty)) {
                Kind::Matrix(_, writes) => writes,
                _ => false,
            };
            let (name, same) = (&local.name, if writes { "matrix_mut" } else { "matrix" });
            let same = Ident::new(same, Span::call_site());
            head.extend(quote!(#door::#same(&#name);));
        }
    }
    head
}

/// Appends the witness of a variable. Most are of primitive types, and built by hand: there are
/// many, and `quote` is slow in the dev profile.
fn witness(types: &Types, local: &Local, to: &mut Vec<TokenTree>) {
    if !local.read {
        return;
    }
    let name = &local.name;
    let span = Span::call_site().located_at(name.span());
    let Kind::Primitive(primitive) = *types.kind(local.ty) else {
        if let Some(tag) = tag(types, local.ty) {
            let door = Ident::new(DOOR, span);
            to.extend(TokenStream::from(code!(span=> #door::is::<#tag, _>(&#name);)));
        }
        return;
    };
    let mark = |mark: char, spacing: Spacing| {
        let mut mark = Punct::new(mark, spacing);
        mark.set_span(span);
        TokenTree::Punct(mark)
    };
    let word = |word: &str| TokenTree::Ident(Ident::new(word, span));
    let argument = [mark('&', Spacing::Alone), TokenTree::Ident(name.clone())];
    let mut argument = Group::new(Delimiter::Parenthesis, argument.into_iter().collect());
    argument.set_span(span);
    to.extend([
        word(DOOR),
        mark(':', Spacing::Joint),
        mark(':', Spacing::Alone),
        word("found"),
        mark(':', Spacing::Joint),
        mark(':', Spacing::Alone),
        word(primitive.name()),
        TokenTree::Group(argument),
        mark(';', Spacing::Alone),
    ]);
}

struct Walk<'t> {
    tree: &'t Tree,
    /// The names of device functions.
    functions: &'t [(String, bool)],
    /// The witnesses of each `let` and each `for`.
    lets: Vec<Vec<TokenTree>>,
    fors: Vec<Vec<TokenTree>>,
    next_let: usize,
    next_for: usize,
}

impl Walk<'_> {
    /// The stream with `first` before it and the witnesses in it; `None` where nothing changes.
    fn stream(&mut self, stream: TokenStream, first: Vec<TokenTree>) -> Option<TokenStream> {
        let (tokens, changed) = self.tokens(stream, first);
        changed.then(|| tokens.into_iter().collect())
    }

    /// The same as tokens, and whether anything has changed.
    fn tokens(&mut self, stream: TokenStream, first: Vec<TokenTree>) -> (Vec<TokenTree>, bool) {
        let mut changed = !first.is_empty();
        let mut out = first;
        let names_functions = !self.functions.is_empty();
        let mut marks = Marks::new(self.functions);
        // The `let` whose semicolon comes next, and the `for` whose body comes next.
        let mut open_let = None;
        let mut open_for: Option<(usize, usize)> = None;
        // True if the last token was one after which a `let` is a condition, without semicolon.
        let mut condition = false;
        for token in stream {
            let within_condition = std::mem::replace(&mut condition, false);
            if names_functions {
                let length = out.len();
                marks.before(&token, &mut out);
                changed |= out.len() > length;
            }
            match &token {
                TokenTree::Ident(word) => {
                    let word = word.to_string();
                    condition = word == "if" || word == "while";
                    if word == "let" {
                        if !within_condition {
                            open_let = Some(self.next_let);
                        }
                        self.next_let += 1;
                    } else if word == "for" {
                        let number = self.next_for;
                        self.next_for += 1;
                        let braces = self.tree.for_braces.get(number).copied().unwrap_or(0);
                        open_for = Some((number, braces));
                    }
                }
                // A `let` after `&&` is a condition too.
                TokenTree::Punct(mark) if mark.as_char() == '&' => condition = true,
                TokenTree::Punct(mark) if mark.as_char() == ';' => {
                    out.push(token);
                    if let Some(number) = open_let.take()
                        && let Some(witness) = self.lets.get_mut(number)
                    {
                        changed |= !witness.is_empty();
                        out.extend(std::mem::take(witness));
                    }
                    continue;
                }
                TokenTree::Group(group) if self.may_bind(group) && !marks.is_import() => {
                    let mut first = Vec::new();
                    if group.delimiter() == Delimiter::Brace
                        && let Some((number, braces)) = &mut open_for
                    {
                        match braces {
                            0 => {
                                if let Some(witness) = self.fors.get_mut(*number) {
                                    first = std::mem::take(witness);
                                }
                                open_for = None;
                            }
                            _ => *braces -= 1,
                        }
                    }
                    if let Some(inner) = self.stream(group.stream(), first) {
                        changed = true;
                        let mut whole = Group::new(group.delimiter(), inner);
                        whole.set_span(group.span());
                        out.push(TokenTree::Group(whole));
                        continue;
                    }
                }
                _ => {}
            }
            let is_angle = names_functions && marks.opens(&token);
            out.push(token);
            if is_angle {
                marks.first(&mut out);
                changed = true;
            }
        }
        changed |= names_functions && marks.end(&mut out);
        (out, changed)
    }

    /// True if a group may contain a `let` or `for`, or the name of a device function. Most kernels
    /// have none in parentheses and brackets, and opening those is the main cost here.
    fn may_bind(&self, group: &Group) -> bool {
        self.tree.binds_inside || !self.functions.is_empty() || group.delimiter() == Delimiter::Brace
    }
}
