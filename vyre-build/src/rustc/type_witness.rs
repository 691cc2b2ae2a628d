//! The function for rustc to check: the user's own tokens, with a witness after each binding of
//! the type that vyre found.
//!
//! A witness, `found::f32(&x)`, does not drive inference, as an annotation would: rustc finds the
//! type of `x` by itself and then compares. So the two inferences agree or the crate does not
//! compile. Variables that are never read have no witness, because it would be a read and
//! silence the warning about them; nothing depends on their types.
//!
//! Witnesses are put between the tokens, not into the syntax tree, so that all else stays verbatim.
//! Reading numbers the `let`s and `for`s in the order of the source, and so does the walk here.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ItemFn;

use super::name_probe::{self, Marks};
use crate::library::intrinsics;
use crate::surface::Primitive;
use crate::syntax::Generic;
use crate::syntax::tree::{Local, Origin, Tree};
use crate::types::fragment::{MULTIPLY_ADD, OF_MATRICES};
use crate::types::sum::Sum;
use crate::types::{Kind, Ty, Types};

/// The function as it was written, without witnesses: for rustc to find more mistakes in.
pub(crate) fn verbatim(item: &ItemFn, body: TokenStream) -> TokenStream {
    let outer = item.attrs.iter().filter(|a| matches!(a.style, syn::AttrStyle::Outer));
    let lints = outer.filter(|attribute| {
        ["allow", "warn", "deny", "forbid", "expect"]
            .iter()
            .any(|lint| attribute.path().is_ident(lint))
    });
    let signature = &item.sig;
    quote! {
        #(#lints)*
        #[allow(
            dead_code,
            non_snake_case,
            unused_unsafe,
            // Those of claims.
            late_bound_lifetime_arguments,
            clippy::too_many_arguments,
            clippy::needless_range_loop,
            clippy::manual_memcpy,
            clippy::needless_return,
            clippy::used_underscore_binding,
            // `as` is the only conversion that kernels have.
            clippy::cast_lossless,
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss
        )]
        #signature #body
    }
}

/// The function once more, beside itself: what rustc finds in it, but mistakes, was said there.
pub(crate) fn silent(item: &ItemFn, body: TokenStream) -> TokenStream {
    let mut signature = item.sig.clone();
    // Witnesses are called, and not by constants.
    signature.constness = None;
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

/// The body with its witnesses.
pub(crate) fn witnessed(tree: &Tree, item: &ItemFn, body: Group) -> TokenStream {
    let inner_attributes = item
        .attrs
        .iter()
        .filter(|a| matches!(a.style, syn::AttrStyle::Inner(_)))
        .count();
    let functions = tree.claimed_functions();
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
    let inner = walk.stream(body.stream(), Vec::new());
    let mut tokens = inner.unwrap_or_else(|| body.stream()).into_iter();
    // Inner attributes, `#![..]`, stay in front.
    let mut all: TokenStream = tokens.by_ref().take(3 * inner_attributes).collect();
    all.extend(head(tree));
    all.extend(tokens);
    let mut whole = Group::new(Delimiter::Brace, all);
    whole.set_span(body.span());
    whole.into_token_stream()
}

/// The name under which a body sees what witnesses are made of.
pub(crate) const DOOR: &str = "__vyre";

/// Witnesses for what the body names from outside.
fn head(tree: &Tree) -> TokenStream {
    let door = Ident::new(DOOR, Span::call_site());
    let mut head = quote!(#[allow(unused_imports)] use ::vyre::__private as #door;);
    for (path, function) in &tree.vocabulary {
        let function = if *function == OF_MATRICES {
            MULTIPLY_ADD
        } else {
            function
        };
        // `Some` and its like may be the user's own.
        let (core, arguments) = match function {
            "Some" | "None" => (quote!(option::Option), quote!(::<i32>)),
            "Ok" | "Err" => (quote!(result::Result), quote!(::<i32, i32>)),
            _ => Default::default(),
        };
        if !core.is_empty() {
            let name = Ident::new(function, Span::call_site());
            head.extend(quote!(#door::same(#path #arguments, ::core::#core::#name #arguments);));
            continue;
        }
        let segments = function
            .split("::")
            .map(|segment| Ident::new(segment, Span::call_site()));
        let arguments = intrinsics::generic_arguments(function);
        head.extend(quote!(#door::same(#path #arguments, ::vyre #(:: #segments)* #arguments);));
    }
    head.extend(name_probe::head(tree));
    for local in &tree.locals {
        if local.origin == Origin::Parameter && tree.types.is_matrix(local.ty) {
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

/// Appends the witness of a variable. Most are of primitive types, and made by hand: there are
/// many, and `quote` takes its time in the dev profile.
fn witness(types: &Types, local: &Local, to: &mut Vec<TokenTree>) {
    if !local.read {
        return;
    }
    let name = &local.name;
    let span = Span::call_site().located_at(name.span());
    let Kind::Primitive(primitive) = *types.kind(local.ty) else {
        if let Some(tag) = tag(types, local.ty) {
            let door = Ident::new(DOOR, span);
            to.extend(quote_spanned!(span=> #door::is::<#tag, _>(&#name);));
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

/// The tag of a type; `None` for types whose witness would say nothing.
pub(crate) fn tag(types: &Types, ty: Ty) -> Option<TokenStream> {
    tag_of(types, ty, &[])
}

/// The tag of a type that may hold the parameters that are bound to variables.
pub(crate) fn tag_of(types: &Types, ty: Ty, bound: &[(Ident, Generic)]) -> Option<TokenStream> {
    let door = Ident::new(DOOR, Span::call_site());
    let tag = |ty| tag_of(types, ty, bound);
    let all = |list: &[Ty]| list.iter().map(|&ty| tag(ty)).collect::<Option<Vec<_>>>();
    Some(match types.kind(ty) {
        Kind::Primitive(primitive) => {
            let name = Ident::new(tag_name(*primitive), Span::call_site());
            quote!(#door::tag::#name)
        }
        Kind::Token => quote!(#door::tag::Token),
        Kind::Tuple(fields) if !fields.is_empty() => {
            let fields = all(fields)?;
            quote!((#(#fields,)*))
        }
        Kind::Array(element, length) => {
            let (element, length) = (tag(*element)?, length_of(types, *length, bound));
            quote!(#door::tag::Array<#element, #length>)
        }
        &Kind::Slice(element) => {
            let element = tag(element)?;
            quote!(#door::tag::Slice<#element>)
        }
        Kind::Group(group, numbers) => {
            let name = Ident::new(group.name(), Span::call_site());
            let numbers = numbers.iter().take(group.numbers());
            let numbers = numbers.map(|&number| Literal::u64_unsuffixed(number));
            quote!(#door::tag::#name<#(#numbers),*>)
        }
        &Kind::Fragment(role, element, rows, columns) => {
            let element = match types.kind(element) {
                Kind::Tf32 => quote!(#door::tag::Tf32),
                _ => tag(element)?,
            };
            let length = |length| Literal::u64_unsuffixed(types.length(length));
            let (rows, columns) = (length(rows), length(columns));
            let role = Ident::new(&format!("{role:?}"), Span::call_site());
            quote!(#door::tag::#role<#element, #rows, #columns>)
        }
        kind @ Kind::Struct(number) => own_tag(types.structs[*number].key, types.arguments(kind), types, bound)?,
        kind @ Kind::Sum(Sum::Own(number), _) => own_tag(types.sums[*number].key, types.arguments(kind), types, bound)?,
        Kind::Enum(number) => own_tag(types.enums[*number].key, &[], types, bound)?,
        Kind::Sum(of, arguments) => {
            let (of, arguments) = (format_ident!("{of:?}"), all(arguments)?);
            quote!(#door::tag::#of<#(#arguments),*>)
        }
        Kind::Unknown { .. } => {
            let is_it = |generic: &Generic| matches!(generic, Generic::Type(it) if types.find(*it) == types.find(ty));
            let (name, _) = bound.iter().find(|(_, generic)| is_it(generic))?;
            quote!(<#name as #door::Ty>::Tag)
        }
        _ => return None,
    })
}

/// A length, which may be a parameter.
fn length_of(types: &Types, length: u64, bound: &[(Ident, Generic)]) -> TokenStream {
    let length = types.length(length);
    let is_it = |generic: &Generic| matches!(generic, Generic::Length(it) if types.length(*it) == length);
    match bound.iter().find(|(_, generic)| is_it(generic)) {
        Some((name, _)) => name.to_token_stream(),
        None => Literal::u64_unsuffixed(length).into_token_stream(),
    }
}

/// The tag of a type of the user, and of an instance of one with parameters.
fn own_tag(key: u64, arguments: &[Ty], types: &Types, bound: &[(Ident, Generic)]) -> Option<TokenStream> {
    let (door, key) = (Ident::new(DOOR, Span::call_site()), Literal::u64_unsuffixed(key));
    if arguments.is_empty() {
        return Some(quote!(#door::tag::Own<#key>));
    }
    let arguments = arguments.iter().map(|&argument| match *types.kind(argument) {
        Kind::Array(Ty::UNIT, length) => {
            let length = length_of(types, length, bound);
            Some(quote!(#door::tag::Array<(), #length>))
        }
        _ if types.is_unit(argument) => Some(quote!(())),
        _ => tag_of(types, argument, bound),
    });
    let arguments = arguments.collect::<Option<Vec<_>>>()?;
    Some(quote!(#door::tag::Instance<#key, (#(#arguments,)*)>))
}

fn tag_name(primitive: Primitive) -> &'static str {
    match primitive {
        Primitive::Bool => "Bool",
        Primitive::I8 => "I8",
        Primitive::I16 => "I16",
        Primitive::I32 => "I32",
        Primitive::I64 => "I64",
        Primitive::Isize => "Isize",
        Primitive::U8 => "U8",
        Primitive::U16 => "U16",
        Primitive::U32 => "U32",
        Primitive::U64 => "U64",
        Primitive::Usize => "Usize",
        Primitive::F16 => "F16",
        Primitive::BF16 => "BF16",
        Primitive::F32 => "F32",
        Primitive::F64 => "F64",
    }
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
        let mut changed = !first.is_empty();
        let mut out = first;
        let names_functions = !self.functions.is_empty();
        let mut marks = Marks::new(self.functions);
        // The `let` whose semicolon comes next, and the `for` whose body comes next.
        let mut open_let = None;
        let mut open_for: Option<(usize, usize)> = None;
        // Whether the last token was one after which a `let` is a condition, which has no semicolon.
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
        changed.then(|| out.into_iter().collect())
    }

    /// Whether a group may hold a `let` or `for`, or the name of a device function. Most kernels have none in parentheses and
    /// brackets, and taking those apart is what costs most here.
    fn may_bind(&self, group: &Group) -> bool {
        self.tree.binds_inside || !self.functions.is_empty() || group.delimiter() == Delimiter::Brace
    }
}
