//! The functions and constants of `impl`s and `trait`s.
//!
//! A method is a device function. `impl Vec3 { fn dot(self, o: Self) -> f32 { .. } }` is read as
//! `fn __dot(__self: Vec3, o: Vec3) -> f32 { .. }` beside the `impl`, and a provided method of a
//! trait as a function generic in `__Self`. So methods are treated and checked like device
//! functions. A constant that is not a number becomes a function without parameters.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Block, FnArg, GenericParam, Generics, ImplItem, ItemConst, ItemFn, ItemImpl, ItemTrait, PathArguments,
    ReceiverKind, Signature, TraitItem, TraitItemFn, Type, parse_quote, parse_quote_spanned,
};

use vyre_abi::list;

use super::names::{Names, hash};
use crate::resolve::names::plain;

/// The name of the parameter that `self` becomes.
pub(crate) const SELF: &str = "__self";

/// The parameter that `Self` becomes in a trait.
const SELF_TYPE: &str = "__Self";

/// The functions and constants of an `impl` or a `trait`.
pub(crate) struct Behaviour<'i> {
    generics: Generics,
    /// The type of `Self`.
    of: Type,
    of_tokens: TokenStream,
    members: Vec<Member<'i>>,
    types: Vec<(&'i Ident, &'i Type)>,
}

enum Member<'i> {
    Function(&'i Signature, &'i Block),
    Constant(&'i Ident, &'i Generics, &'i Type, &'i syn::Expr),
}

impl Member<'_> {
    fn name(&self) -> &Ident {
        match self {
            Member::Function(signature, _) => &signature.ident,
            Member::Constant(name, ..) => name,
        }
    }
}

impl<'i> Behaviour<'i> {
    /// Those of an `impl`.
    pub(crate) fn of_impl(item: &'i ItemImpl) -> Self {
        let mut of = (*item.self_ty).clone();
        // The form `Pair::<T>` is valid in types and expressions alike.
        if let Type::Path(path) = &mut of {
            for segment in &mut path.path.segments {
                if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
                    arguments.colon2_token = Some(Default::default());
                }
            }
        }
        let mut members = Vec::new();
        let mut types = Vec::new();
        for member in &item.items {
            match member {
                ImplItem::Fn(it) => members.push(Member::Function(&it.sig, &it.block)),
                ImplItem::Const(it) => members.push(Member::Constant(&it.ident, &it.generics, &it.ty, &it.expr)),
                ImplItem::Type(it) => types.push((&it.ident, &it.ty)),
                _ => {}
            }
        }
        Behaviour {
            generics: item.generics.clone(),
            of_tokens: of.to_token_stream(),
            of,
            members,
            types,
        }
    }

    /// Those that a trait provides.
    pub(crate) fn of_trait(item: &'i ItemTrait) -> Self {
        let (name, own) = (&item.ident, Ident::new(SELF_TYPE, item.ident.span()));
        let mut members = Vec::new();
        for member in &item.items {
            match member {
                TraitItem::Fn(it) => {
                    if let Some(block) = &it.default {
                        members.push(Member::Function(&it.sig, block));
                    }
                }
                TraitItem::Const(it) => {
                    if let Some((_, value)) = &it.default {
                        members.push(Member::Constant(&it.ident, &it.generics, &it.ty, value));
                    }
                }
                _ => {}
            }
        }
        Behaviour {
            generics: parse_quote!(<#own: #name>),
            of: parse_quote!(#own),
            of_tokens: own.into_token_stream(),
            members,
            types: Vec::new(),
        }
    }

    /// The type of `Self`, as written.
    pub(crate) fn of(&self) -> &Type {
        &self.of
    }

    /// Number of generic parameters that a function takes from the `impl`.
    pub(crate) fn parameters(&self) -> usize {
        let is_lifetime = |parameter: &&GenericParam| matches!(parameter, GenericParam::Lifetime(_));
        self.generics.params.iter().filter(|it| !is_lifetime(it)).count()
    }

    /// The names of all functions and constants.
    pub(crate) fn names(&self) -> Vec<&Ident> {
        list::map(&self.members, Member::name)
    }

    /// A function or constant as a function beside the type, by its plain name.
    pub(crate) fn function(&self, name: &str) -> Option<ItemFn> {
        let member = self.members.iter().find(|member| plain(member.name()) == name)?;
        match *member {
            Member::Function(signature, body) => {
                let mut signature = signature.clone();
                signature.constness = None;
                signature.ident = hidden(&signature.ident);
                for input in &mut signature.inputs {
                    if let FnArg::Receiver(receiver) = input {
                        let (mutable, span) = (&receiver.mutability, receiver.self_token.span);
                        let (name, own) = (Ident::new(SELF, span), Ident::new("Self", span));
                        let ty: Type = match &receiver.kind {
                            ReceiverKind::Reference(and, lifetime, mutable) => {
                                parse_quote!(#and #lifetime #mutable #own)
                            }
                            ReceiverKind::Typed(_, ty) => (**ty).clone(),
                            _ => parse_quote!(#own),
                        };
                        *input = parse_quote!(#mutable #name: #ty);
                    }
                }
                self.add_generics(&mut signature.generics);
                syn::parse2(self.rewritten(quote!(#signature #body))).ok()
            }
            Member::Constant(name, generics, ty, value) => {
                let (hidden, mut generics) = (hidden(name), generics.clone());
                self.add_generics(&mut generics);
                let where_clause = generics.where_clause.take();
                let function = quote!(fn #hidden #generics () -> #ty #where_clause { #value });
                syn::parse2(self.rewritten(function)).ok()
            }
        }
    }

    /// A constant as an item beside the type, by its plain name.
    pub(crate) fn constant(&self, name: &str) -> Option<ItemConst> {
        let found = self.members.iter().find(|member| plain(member.name()) == name)?;
        let Member::Constant(name, _, ty, value) = *found else {
            return None;
        };
        syn::parse2(self.rewritten(quote!(const #name: #ty = #value;))).ok()
    }

    fn add_generics(&self, to: &mut Generics) {
        let own = std::mem::replace(&mut to.params, self.generics.params.clone());
        for parameter in own {
            to.params.push(parameter);
        }
        if let Some(clause) = &self.generics.where_clause {
            let predicates = &mut to.make_where_clause().predicates;
            for predicate in &clause.predicates {
                predicates.push(predicate.clone());
            }
        }
    }

    /// With `self` and `Self` replaced.
    fn rewritten(&self, tokens: TokenStream) -> TokenStream {
        let mut out: Vec<TokenTree> = Vec::new();
        let mut rest = tokens.into_iter().peekable();
        while let Some(token) = rest.next() {
            match token {
                TokenTree::Ident(word) if word == "self" => {
                    // `self::half` is a path.
                    let is_path = matches!(rest.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == ':');
                    out.push(match is_path {
                        true => word.into(),
                        false => Ident::new(SELF, word.span()).into(),
                    });
                }
                TokenTree::Ident(word) if word == "Self" => {
                    let mut ahead = rest.clone();
                    let ty = match (ahead.next(), ahead.next(), ahead.next()) {
                        (Some(one), Some(other), Some(TokenTree::Ident(name)))
                            if is_colon(&one) && is_colon(&other) =>
                        {
                            self.types.iter().find(|(known, _)| **known == name)
                        }
                        _ => None,
                    };
                    match ty {
                        Some((_, ty)) => {
                            rest = ahead;
                            let ty = self.rewritten(ty.to_token_stream());
                            out.extend(moved(ty, word.span()));
                        }
                        None => out.extend(moved(self.of_tokens.clone(), word.span())),
                    }
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.rewritten(group.stream()));
                    inner.set_span(group.span());
                    out.push(inner.into());
                }
                other => out.push(other),
            }
        }
        out.into_iter().collect()
    }
}

/// Tokens with the spans of others, for messages.
pub(crate) fn moved(tokens: TokenStream, to: Span) -> TokenStream {
    let mut moved = Vec::new();
    for mut token in tokens {
        token.set_span(token.span().located_at(to));
        moved.push(token);
    }
    moved.into_iter().collect()
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':')
}

/// The name of the function that a member becomes: no other function of the user's has it, which a body
/// that calls `dot` inside of `dot` would find.
fn hidden(name: &Ident) -> Ident {
    Ident::new(&format!("__{}", plain(name)), name.span())
}

/// The key of what the `impl` of a number has of a name, in the module that `names` are of.
pub(crate) fn key_in_impl(names: &Names, number: usize, name: &str) -> u64 {
    hash(&[&format!("{:x}", names.key("")), &number.to_string(), name])
}

/// The key of what the trait of a key provides of a name.
pub(crate) fn key_in_trait(key: u64, name: &str) -> u64 {
    hash(&[&format!("{key:x}"), name])
}

/// The methods that an `impl` of a trait of the user's gives to a type with parameters, each where nothing else in
/// the module gives that type one of its name.
pub(crate) fn methods_of_trait(names: &Names, item: &ItemImpl) -> Vec<Ident> {
    let is_type = |parameter: &GenericParam| !matches!(parameter, GenericParam::Lifetime(_));
    if !item.generics.params.iter().any(is_type) {
        return Vec::new();
    }
    let (of, impls) = (owner(&item.self_ty), names.impls());
    let has = |other: &ItemImpl, name: &Ident| match trait_of(names, other) {
        Some(of_trait) => of_trait
            .items
            .iter()
            .any(|member| matches!(member, TraitItem::Fn(it) if it.sig.ident == *name)),
        None => Behaviour::of_impl(other).names().contains(&name),
    };
    let is_once = |name: &Ident| {
        let mut count = 0;
        for other in &*impls {
            if owner(&other.self_ty) == of && has(other, name) {
                count += 1;
            }
        }
        count == 1
    };
    let takes_function = |signature: &Signature| {
        let mut inputs = signature.inputs.iter();
        inputs.any(|input| matches!(input, FnArg::Typed(typed) if matches!(&*typed.ty, Type::ImplTrait(_))))
    };
    let plain = |it: &Signature| !it.generics.params.iter().any(is_type) && !takes_function(it);
    let mut methods = Vec::new();
    if let Some(of_trait) = trait_of(names, item) {
        for member in &of_trait.items {
            if let TraitItem::Fn(TraitItemFn { sig, .. }) = member
                && sig.receiver().is_some()
                && plain(sig)
                && is_once(&sig.ident)
            {
                methods.push(sig.ident.clone());
            }
        }
    }
    methods
}

/// The trait of the user's that an `impl` is of.
fn trait_of<'n>(names: &'n Names, item: &ItemImpl) -> Option<&'n ItemTrait> {
    names.find_trait(&item.trait_.as_ref()?.0)
}

/// A constant as a function.
pub(crate) fn as_function(item: &ItemConst) -> ItemFn {
    let (hidden, ty, value) = (hidden(&item.ident), &item.ty, &item.expr);
    parse_quote_spanned!(item.ident.span()=> fn #hidden() -> #ty { #value })
}

/// The name that a user knows a function by.
pub(crate) fn shown(owner: Option<&str>, item: &ItemFn) -> String {
    let name = plain(&item.sig.ident);
    match owner {
        Some(owner) => format!("{owner}::{}", name.trim_start_matches("__")),
        None => name,
    }
}

/// The name of a type within the name of its function.
pub(crate) fn owner(of: &Type) -> String {
    match of {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|last| plain(&last.ident))
            .unwrap_or_default(),
        other => other.to_token_stream().to_string(),
    }
}
