//! The items generated beside a device struct or enum: an implementation for buffers, and checks by
//! rustc that vyre's view of it is right.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, ConstParam, Field, Fields, GenericParam, Generics, Item, ItemEnum, Member, Meta, Token, TypeParam,
    TypeParamBound, parse_quote, parse_quote_spanned,
};

use crate::driver::device::Definition;
use crate::resolve::attributes;
use crate::syntax::endless;

/// Puts what `#[vyre::device]` adds onto an item.
pub(crate) fn marked(mut item: Item) -> Item {
    endless::ended(&mut item);
    match &mut item {
        Item::Struct(item) if !item.attrs.iter().any(names_layout) => item.attrs.push(parse_quote!(#[repr(C)])),
        Item::Enum(item) if has_fields(item) && !item.attrs.iter().any(names_layout) => {
            item.attrs.push(parse_quote!(#[repr(u32)]));
        }
        _ => {}
    }
    item
}

/// True for an enum some of whose variants have fields.
fn has_fields(item: &ItemEnum) -> bool {
    item.variants.iter().any(|it| !matches!(it.fields, Fields::Unit))
}

/// True if an attribute is a `repr` of more than an alignment.
fn names_layout(attribute: &Attribute) -> bool {
    let listed = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let is_more = |listed: Punctuated<Meta, Token![,]>| listed.iter().any(|meta| !meta.path().is_ident("align"));
    attribute.path().is_ident("repr") && listed.map_or(true, is_more)
}

/// The assertions for rustc about a definition, and the implementations that make it a type of the device.
pub(crate) fn checks(whole: &Item, of: &Definition, key: u64) -> TokenStream {
    let span = Span::mixed_site();
    let key = Literal::u64_unsuffixed(key);
    let (name, generics, attributes) = match whole {
        Item::Struct(item) => (&item.ident, &item.generics, &item.attrs),
        Item::Enum(item) => (&item.ident, &item.generics, &item.attrs),
        Item::Type(item) => (&item.ident, &item.generics, &item.attrs),
        _ => return TokenStream::new(),
    };
    if !generics.params.is_empty() {
        return of_parameters(whole, of, name, generics, attributes, &key);
    }
    let checks = match whole {
        Item::Struct(item) => {
            let fields = item.fields.iter().zip(&of.tags).map(|(field, tag)| {
                let ty = &field.ty;
                let at = ty.span().resolved_at(span);
                quote_spanned!(at=> __vyre::field::<#tag, #ty>())
            });
            quote_spanned!(span=> #(#fields;)*)
        }
        Item::Enum(item) => {
            let fields = aliases(&fields(whole), &of.tags);
            let discriminants = discriminants(item, of);
            quote!(#fields #discriminants)
        }
        _ => {
            let (cfg, tag) = (cfg(attributes), &of.tags);
            return quote_spanned! {span=>
                #(#cfg)*
                const _: () = {
                    use ::vyre::__private as __vyre;
                    #(__vyre::alias::<#tag, #name>();)*
                };
            };
        }
    };
    let cfg = cfg(attributes);
    let element = of.is_element.then(|| {
        let content = content(whole, of);
        quote_spanned! {span=>
            // SAFETY: plain data, as is checked below, for which zero bytes are a value.
            unsafe impl ::vyre::Element for #name { #content }
        }
    });
    let lacks_zero = !of.discriminants.is_empty() && !of.discriminants.contains(&0);
    let element = element.or_else(|| {
        lacks_zero.then(|| {
            quote_spanned! {span=>
                // SAFETY: it never holds. rustc tells the bound where a buffer is to hold the type.
                unsafe impl ::vyre::Element for #name where for<'a> &'a __vyre::Variants: __vyre::HasZero<#name> {}
            }
        })
    });
    quote_spanned! {span=>
        #(#cfg)*
        const _: () = {
            use ::vyre::__private as __vyre;
            #element
            #[doc(hidden)]
            impl __vyre::Ty for #name {
                type Tag = __vyre::tag::Own<#key>;
            }
            #[doc(hidden)]
            impl __vyre::example::Made<#name, ()> for __vyre::example::Key<#key> {}
            #checks
        };
    }
}

/// The part of an implementation that describes the bytes of values: whether all belong to fields, and which are written where not
/// all do; whether all bit patterns are values, and which are where some are not.
fn content(item: &Item, of: &Definition) -> Option<TokenStream> {
    let span = Span::mixed_site();
    match item {
        Item::Struct(item) => {
            let types: Vec<_> = item.fields.iter().map(|field| &field.ty).collect();
            let names = names(&item.fields);
            Some(quote_spanned! {span=>
                const PADDED: bool = ::core::mem::size_of::<Self>() != 0 #(+ ::core::mem::size_of::<#types>())*
                    #(|| <#types as ::vyre::Element>::PADDED)*;
                const ANY_BITS: bool = ::core::mem::size_of::<Self>() == 0 #(+ ::core::mem::size_of::<#types>())*
                    #(&& <#types as ::vyre::Element>::ANY_BITS)*;
                const CHECKED: bool = false #(|| <#types as ::vyre::Element>::CHECKED)*;
                fn is_value(bytes: &[u8]) -> bool {
                    true #(&& ::vyre::__private::is_part::<#types>(bytes, ::core::mem::offset_of!(Self, #names)))*
                }
                fn put(&self, bytes: &mut [u8]) {
                    #(::vyre::__private::put(self, &self.#names, bytes);)*
                }
            })
        }
        Item::Enum(item) if has_fields(item) => {
            let arms = item.variants.iter().map(|variant| {
                let (name, names) = (&variant.ident, names(&variant.fields));
                let bound: Vec<_> = (0..names.len())
                    .map(|number| format_ident!("field{number}", span = span))
                    .collect();
                quote_spanned! {span=>
                    Self::#name { #(#names: #bound),* } => {
                        #(::vyre::__private::put(self, #bound, bytes);)*
                    }
                }
            });
            let tag = tag(item);
            let patterns = item.variants.iter().zip(&of.discriminants).map(|(variant, &value)| {
                let (value, types) = (
                    Literal::i128_unsuffixed(value),
                    variant.fields.iter().map(|field| &field.ty),
                );
                let fields = types.map(|ty| {
                    quote_spanned! {span=>
                        let (is_value, end) = ::vyre::__private::is_field::<#ty>(bytes, end);
                        if !is_value {
                            return false;
                        }
                    }
                });
                quote_spanned!(span=> if tag == #value { #(#fields)* return true; })
            });
            let read = read_tag(&tag);
            Some(quote_spanned! {span=>
                const PADDED: bool = true;
                const CHECKED: bool = true;
                #[allow(unused_variables, clippy::needless_return)]
                fn is_value(bytes: &[u8]) -> bool {
                    let (tag, end) = #read;
                    #(#patterns)*
                    false
                }
                fn put(&self, bytes: &mut [u8]) {
                    // SAFETY: an enum with this `repr` begins with its discriminant.
                    let tag = unsafe { &*(&raw const *self).cast::<#tag>() };
                    ::vyre::__private::put(self, tag, bytes);
                    match self { #(#arms)* }
                }
            })
        }
        Item::Enum(item) => {
            let read = read_tag(&tag(item));
            let values = of.discriminants.iter().map(|&value| Literal::i128_unsuffixed(value));
            Some(quote_spanned! {span=>
                const CHECKED: bool = true;
                fn is_value(bytes: &[u8]) -> bool {
                    let (tag, _) = #read;
                    [#(#values),*].contains(&tag)
                }
            })
        }
        _ => None,
    }
}

/// The discriminant at the beginning of `bytes`, as an `i128`, and its size.
fn read_tag(tag: &Ident) -> TokenStream {
    let span = Span::mixed_site();
    quote_spanned! {span=>
        {
            let mut word = [0; ::core::mem::size_of::<#tag>()];
            word.copy_from_slice(&bytes[..::core::mem::size_of::<#tag>()]);
            (<#tag>::from_ne_bytes(word) as i128, ::core::mem::size_of::<#tag>())
        }
    }
}

/// Checks the discriminants of the variants. Those of variants with fields are no numbers in Rust, so an enum without
/// fields has the same, where some are written.
fn discriminants(item: &ItemEnum, of: &Definition) -> TokenStream {
    let span = Span::mixed_site();
    let is_written = item.variants.iter().any(|variant| variant.discriminant.is_some());
    if has_fields(item) && !is_written {
        return TokenStream::new();
    }
    let (name, same) = match has_fields(item) {
        false => (item.ident.clone(), None),
        true => {
            let (name, tag) = (Ident::new("Same", span), tag(item));
            let variants = item.variants.iter().map(|variant| {
                let (name, value) = (&variant.ident, variant.discriminant.as_ref().map(|(_, value)| value));
                let value = value.map(|value| quote!(= #value));
                quote!(#name #value)
            });
            let same = quote_spanned!(span=> #[repr(#tag)] enum #name { #(#variants),* });
            (name, Some(same))
        }
    };
    let checks = item.variants.iter().zip(&of.discriminants).map(|(variant, &value)| {
        let (variant, value) = (&variant.ident, Literal::i128_unsuffixed(value));
        quote_spanned!(span=> __vyre::discriminant(#name::#variant as i128 == #value);)
    });
    quote_spanned!(span=> #same #(#checks)*)
}

/// The names by which fields are named in expressions and patterns.
fn names(fields: &Fields) -> Vec<Member> {
    fields.members().collect()
}

/// The type of the discriminants of an enum.
fn tag(item: &ItemEnum) -> Ident {
    let named = item.attrs.iter().filter(|attribute| attribute.path().is_ident("repr"));
    let named = named.filter_map(|attribute| attribute.parse_args().ok()).next();
    named.unwrap_or_else(|| Ident::new("u32", Span::mixed_site()))
}

/// The fields of a struct, or of all variants of an enum.
fn fields(item: &Item) -> Vec<&Field> {
    let mut fields = Vec::new();
    match item {
        Item::Struct(item) => fields.extend(&item.fields),
        Item::Enum(item) => item.variants.iter().for_each(|variant| fields.extend(&variant.fields)),
        _ => {}
    }
    fields
}

/// Checks that the types of fields are those of the tags.
fn aliases(fields: &[&Field], tags: &[TokenStream]) -> TokenStream {
    let mut checks = TokenStream::new();
    for (field, tag) in fields.iter().zip(tags) {
        let ty = &field.ty;
        let at = ty.span().resolved_at(Span::mixed_site());
        checks.extend(quote_spanned!(at=> __vyre::alias::<#tag, #ty>();));
    }
    checks
}

/// As `checks`, for a generic type: everything is checked independent of the parameters, except for
/// padding, which is checked where an instance is used in a buffer.
fn of_parameters(
    item: &Item,
    of: &Definition,
    name: &Ident,
    generics: &Generics,
    attributes: &[Attribute],
    key: &Literal,
) -> TokenStream {
    let span = Span::mixed_site();
    let bounded = |bound: TypeParamBound| {
        let mut generics = generics.clone();
        for parameter in generics.type_params_mut() {
            parameter.bounds.push(bound.clone());
        }
        generics
    };
    let typed = bounded(parse_quote_spanned!(span=> __vyre::Ty<Tag: ::core::marker::Sized>));
    let (parameters, arguments, clause) = typed.split_for_impl();
    let fields = fields(item);
    let (checks, is_alias) = match item {
        Item::Type(_) => {
            let tag = &of.tags;
            (
                quote_spanned!(span=> #(__vyre::alias::<#tag, #name #arguments>();)*),
                true,
            )
        }
        _ => {
            let mut checks = aliases(&fields, &of.tags);
            if let Item::Enum(item) = item {
                checks.extend(discriminants(item, of));
            }
            (checks, false)
        }
    };
    let (mut tags, mut examples) = (TokenStream::new(), TokenStream::new());
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(TypeParam { ident, .. }) => {
                tags.extend(quote_spanned!(span=> <#ident as __vyre::Ty>::Tag,));
                examples.extend(quote!(#ident,));
            }
            GenericParam::Const(ConstParam { ident, .. }) => {
                tags.extend(quote_spanned!(span=> __vyre::tag::Array<(), #ident>,));
                examples.extend(quote_spanned!(span=> [(); #ident],));
            }
        }
    }
    let (plain, _, plain_clause) = generics.split_for_impl();
    let tagged = (!is_alias).then(|| {
        quote_spanned! {span=>
            #[doc(hidden)]
            impl #plain __vyre::example::Made<#name #arguments, (#examples)> for __vyre::example::Key<#key>
            #plain_clause {}
            #[doc(hidden)]
            impl #parameters __vyre::Ty for #name #arguments #clause {
                type Tag = __vyre::tag::Instance<#key, (#tags)>;
            }
        }
    });
    let element = (of.is_element && !is_alias).then(|| {
        let whole = bounded(parse_quote_spanned!(span=> ::vyre::Element));
        let (parameters, arguments, clause) = whole.split_for_impl();
        let content = content(item, of);
        quote_spanned! {span=>
            // SAFETY: plain data, for which zero bytes are a value.
            unsafe impl #parameters ::vyre::Element for #name #arguments #clause { #content }
        }
    });
    let cfg = cfg(attributes);
    quote_spanned! {span=>
        #(#cfg)*
        // The bounds of the type may be in a `where` clause.
        #[allow(clippy::multiple_bound_locations)]
        const _: () = {
            use ::vyre::__private as __vyre;
            #element
            #tagged
            #[allow(warnings)]
            fn checks #parameters () #clause { #checks }
        };
    }
}

/// The implementations for a type that was refused, so that its uses are not faults too.
pub(crate) fn stub(item: &Item) -> TokenStream {
    let (name, attributes) = match item {
        Item::Struct(item) if item.generics.params.is_empty() => (&item.ident, &item.attrs),
        Item::Enum(item) if item.generics.params.is_empty() => (&item.ident, &item.attrs),
        _ => return TokenStream::new(),
    };
    // rustc would miss the other trait.
    let is_copy = |attribute: &Attribute| attribute.to_token_stream().to_string().contains("Copy");
    if !attributes.iter().any(is_copy) {
        return TokenStream::new();
    }
    // The build has failed, so nothing relies on this.
    quote_spanned!(Span::mixed_site()=> unsafe impl ::vyre::Element for #name {})
}

fn cfg(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes::cfg(attributes)
}
