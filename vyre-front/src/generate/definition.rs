//! The items generated beside a device struct or enum: an implementation for buffers, and checks by
//! rustc that vyre's view of it is right.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, ConstParam, Field, Fields, GenericParam, Generics, Item, ItemEnum, Meta, Token, TypeParam,
    TypeParamBound, parse_quote, parse_quote_spanned,
};
use vyre_abi::list;

use super::bundle;
use crate::code::{Code, code};
use crate::driver::device::Definition;
use crate::resolve::attributes;
use crate::syntax::bundle::is_bundle;
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
    if let (Item::Struct(item), Some(fields)) = (whole, &of.bundle) {
        return bundle::items(item, fields, &of.tags, &key);
    }
    if !generics.params.is_empty() {
        return of_parameters(whole, of, name, generics, attributes, &key).into();
    }
    let cfg = Code::of_all(&attributes::cfg(attributes));
    let mut checks = Code::default();
    match whole {
        Item::Struct(item) => {
            for (field, tag) in item.fields.iter().zip(&of.tags) {
                let at = field.ty.span().resolved_at(span);
                let ty = Code::of(&field.ty);
                checks.append(code!(at=> __vyre::field::<#tag, #ty>()));
                checks.append(code!(span=> ;));
            }
        }
        Item::Enum(item) => {
            checks.append(aliases(&fields(whole), &of.tags));
            checks.append(discriminants(item, of));
        }
        _ => {
            for tag in &of.tags {
                checks.append(code!(span=> __vyre::alias::<#tag, #name>();));
            }
            return code! {span=>
                #cfg
                const _: () = {
                    use ::vyre::__private as __vyre;
                    #checks
                };
            }
            .into();
        }
    }
    let lacks_zero = !of.discriminants.is_empty() && !of.discriminants.contains(&0);
    let element = match of.is_element {
        true => {
            let content = content(whole, of);
            code! {span=>
                // SAFETY: plain data, as is checked below, for which zero bytes are a value.
                unsafe impl ::vyre::Element for #name { #content }
            }
        }
        false if lacks_zero => code! {span=>
            // SAFETY: it never holds. rustc tells the bound where a buffer is to hold the type.
            unsafe impl ::vyre::Element for #name where for<'a> &'a __vyre::Variants: __vyre::HasZero<#name> {}
        },
        false => Code::default(),
    };
    let key = &key;
    code! {span=>
        #cfg
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
    .into()
}

/// The part of an implementation that describes the bytes of values: whether all belong to fields, and which are written where not
/// all do; whether all bit patterns are values, and which are where some are not.
fn content(item: &Item, of: &Definition) -> Code {
    let span = Span::mixed_site();
    match item {
        Item::Struct(item) => content_of_struct(&item.fields),
        Item::Enum(item) if has_fields(item) => {
            let (mut arms, mut patterns) = (Code::default(), Code::default());
            for variant in &item.variants {
                let (name, mut bound, mut puts) = (&variant.ident, Vec::new(), Code::default());
                for (number, member) in variant.fields.members().enumerate() {
                    let (member, field) = (Code::of(&member), &format_ident!("field{number}", span = span));
                    bound.push(code!(span=> #member: #field));
                    puts.append(code!(span=> ::vyre::__private::put(self, #field, bytes);));
                }
                arms.append(code!(span=> Self::#name { #bound } => { #puts }));
            }
            for (variant, &value) in item.variants.iter().zip(&of.discriminants) {
                let (value, mut fields) = (Literal::i128_unsuffixed(value), Code::default());
                for field in &variant.fields {
                    let ty = Code::of(&field.ty);
                    fields.append(code! {span=>
                        let (is_value, end) = ::vyre::__private::is_field::<#ty>(bytes, end);
                        if !is_value {
                            return false;
                        }
                    });
                }
                patterns.append(code!(span=> if tag == #value { #fields return true; }));
            }
            let tag = &tag(item);
            let read = read_tag(tag);
            code! {span=>
                const PADDED: bool = true;
                const CHECKED: bool = true;
                #[allow(unused_variables, clippy::needless_return)]
                fn is_value(bytes: &[u8]) -> bool {
                    let (tag, end) = #read;
                    #patterns
                    false
                }
                fn put(&self, bytes: &mut [u8]) {
                    // SAFETY: an enum with this `repr` begins with its discriminant.
                    let tag = unsafe { &*(&raw const *self).cast::<#tag>() };
                    ::vyre::__private::put(self, tag, bytes);
                    match self { #arms }
                }
            }
        }
        Item::Enum(item) => {
            let (read, values) = (
                read_tag(&tag(item)),
                list::map(&of.discriminants, |&value| Literal::i128_unsuffixed(value)),
            );
            code! {span=>
                const CHECKED: bool = true;
                fn is_value(bytes: &[u8]) -> bool {
                    let (tag, _) = #read;
                    [#values].contains(&tag)
                }
            }
        }
        _ => Code::default(),
    }
}

fn content_of_struct(fields: &Fields) -> Code {
    let span = Span::mixed_site();
    let (mut sizes, mut padded, mut any_bits) = (Code::default(), Code::default(), Code::default());
    let (mut checked, mut are_values, mut puts) = (Code::default(), Code::default(), Code::default());
    for (field, member) in fields.iter().zip(fields.members()) {
        let (ty, member) = (&Code::of(&field.ty), &Code::of(&member));
        sizes.append(code!(span=> + ::core::mem::size_of::<#ty>()));
        padded.append(code!(span=> || <#ty as ::vyre::Element>::PADDED));
        any_bits.append(code!(span=> && <#ty as ::vyre::Element>::ANY_BITS));
        checked.append(code!(span=> || <#ty as ::vyre::Element>::CHECKED));
        are_values
            .append(code!(span=> && ::vyre::__private::is_part::<#ty>(bytes, ::core::mem::offset_of!(Self, #member))));
        puts.append(code!(span=> ::vyre::__private::put(self, &self.#member, bytes);));
    }
    let sizes = &sizes;
    code! {span=>
        const PADDED: bool = ::core::mem::size_of::<Self>() != 0 #sizes #padded;
        const ANY_BITS: bool = ::core::mem::size_of::<Self>() == 0 #sizes #any_bits;
        const CHECKED: bool = false #checked;
        fn is_value(bytes: &[u8]) -> bool { true #are_values }
        fn put(&self, bytes: &mut [u8]) { #puts }
    }
}

/// The discriminant at the beginning of `bytes`, as an `i128`, and its size.
fn read_tag(tag: &Ident) -> Code {
    let span = Span::mixed_site();
    code! {span=>
        {
            let mut word = [0; ::core::mem::size_of::<#tag>()];
            word.copy_from_slice(&bytes[..::core::mem::size_of::<#tag>()]);
            (<#tag>::from_ne_bytes(word) as i128, ::core::mem::size_of::<#tag>())
        }
    }
}

/// Checks the discriminants of the variants. Those of variants with fields are no numbers in Rust, so an enum without
/// fields has the same, where some are written.
fn discriminants(item: &ItemEnum, of: &Definition) -> Code {
    let span = Span::mixed_site();
    let is_written = item.variants.iter().any(|variant| variant.discriminant.is_some());
    if has_fields(item) && !is_written {
        return Code::default();
    }
    let (mut name, mut checks) = (&item.ident, Code::default());
    let same = Ident::new("Same", span);
    if has_fields(item) {
        name = &same;
        let (tag, mut variants) = (tag(item), Vec::new());
        for variant in &item.variants {
            let (name, mut value) = (&variant.ident, Code::default());
            if let Some((_, written)) = &variant.discriminant {
                let (user, written) = (Span::call_site(), Code::of(written));
                value = code!(user=> = #written);
            }
            variants.push(code!(span=> #name #value));
        }
        checks.append(code!(span=> #[repr(#tag)] enum #name { #variants }));
    }
    for (variant, &value) in item.variants.iter().zip(&of.discriminants) {
        let (variant, value) = (&variant.ident, Literal::i128_unsuffixed(value));
        checks.append(code!(span=> __vyre::discriminant(#name::#variant as i128 == #value);));
    }
    checks
}

/// The type of the discriminants of an enum.
fn tag(item: &ItemEnum) -> Ident {
    for attribute in &item.attrs {
        if attribute.path().is_ident("repr")
            && let Ok(named) = attribute.parse_args()
        {
            return named;
        }
    }
    Ident::new("u32", Span::mixed_site())
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
fn aliases(fields: &[&Field], tags: &[Code]) -> Code {
    let mut checks = Code::default();
    for (field, tag) in fields.iter().zip(tags) {
        let at = field.ty.span().resolved_at(Span::mixed_site());
        let ty = Code::of(&field.ty);
        checks.append(code!(at=> __vyre::alias::<#tag, #ty>();));
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
) -> Code {
    let span = Span::mixed_site();
    let bounded = |bound: TypeParamBound| {
        let mut generics = generics.clone();
        for parameter in generics.type_params_mut() {
            parameter.bounds.push(bound.clone());
        }
        generics
    };
    let typed = bounded(parse_quote_spanned!(span=> __vyre::Ty<Tag: ::core::marker::Sized>));
    let (parameters, arguments, clause) = &parts(&typed);
    let is_alias = matches!(item, Item::Type(_));
    let mut checks = Code::default();
    if is_alias {
        for tag in &of.tags {
            checks.append(code!(span=> __vyre::alias::<#tag, #name #arguments>();));
        }
    } else {
        checks.append(aliases(&fields(item), &of.tags));
        if let Item::Enum(item) = item {
            checks.append(discriminants(item, of));
        }
    }
    let (mut tags, mut examples) = (Code::default(), Code::default());
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(_) => {}
            GenericParam::Type(TypeParam { ident, .. }) => {
                let user = Span::call_site();
                tags.append(code!(span=> <#ident as __vyre::Ty>::Tag,));
                examples.append(code!(user=> #ident,));
            }
            GenericParam::Const(ConstParam { ident, .. }) => {
                tags.append(code!(span=> __vyre::tag::Array<(), #ident>,));
                examples.append(code!(span=> [(); #ident],));
            }
        }
    }
    let (plain, _, plain_clause) = parts(generics);
    let (mut tagged, mut element) = (Code::default(), Code::default());
    if !is_alias {
        tagged = code! {span=>
            #[doc(hidden)]
            impl #plain __vyre::example::Made<#name #arguments, (#examples)> for __vyre::example::Key<#key>
            #plain_clause {}
            #[doc(hidden)]
            impl #parameters __vyre::Ty for #name #arguments #clause {
                type Tag = __vyre::tag::Instance<#key, (#tags)>;
            }
        };
    }
    if of.is_element && !is_alias {
        let (parameters, arguments, clause) = parts(&bounded(parse_quote_spanned!(span=> ::vyre::Element)));
        let content = content(item, of);
        element = code! {span=>
            // SAFETY: plain data, for which zero bytes are a value.
            unsafe impl #parameters ::vyre::Element for #name #arguments #clause { #content }
        };
    }
    let cfg = Code::of_all(&attributes::cfg(attributes));
    code! {span=>
        #cfg
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

/// The parameters, the arguments and the `where` clause of an implementation.
fn parts(generics: &Generics) -> (Code, Code, Code) {
    let (parameters, arguments, clause) = generics.split_for_impl();
    (Code::of(&parameters), Code::of(&arguments), Code::of(&clause))
}

/// The implementations for a type that was refused, so that its uses are not faults too.
pub(crate) fn stub(item: &Item) -> TokenStream {
    let (name, attributes) = match item {
        Item::Struct(of) if is_bundle(item) => return bundle::stub(of),
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
    let span = Span::mixed_site();
    code!(span=> unsafe impl ::vyre::Element for #name {}).into()
}
