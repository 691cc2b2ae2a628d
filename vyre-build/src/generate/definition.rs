//! What stands beside a struct or enum of the device: it may lie in buffers, and rustc checks that
//! it is what vyre takes it for.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Item, parse_quote};

use crate::front::Definition;

/// Puts what `#[vyre::device]` adds onto an item.
pub(crate) fn marked(mut item: Item) -> Item {
    if let Item::Struct(item) = &mut item
        && !item.attrs.iter().any(|attribute| attribute.path().is_ident("repr"))
    {
        item.attrs.push(parse_quote!(#[repr(C)]));
    }
    item
}

/// What rustc checks of a definition, with what makes it a type of the device.
pub(crate) fn checks(item: &Item, of: &Definition, key: u64) -> TokenStream {
    let span = Span::mixed_site();
    let key = Literal::u64_unsuffixed(key);
    let (name, attributes, checks) = match item {
        Item::Struct(item) => {
            let fields = item.fields.iter().zip(&of.tags).map(|(field, tag)| {
                let ty = &field.ty;
                let at = ty.span().resolved_at(span);
                quote_spanned!(at=> __vyre::field::<#tag, #ty>())
            });
            let name = &item.ident;
            let checks = quote_spanned!(span=> __vyre::dense::<#name>(&[#(#fields),*]););
            (&item.ident, &item.attrs, checks)
        }
        Item::Enum(item) => {
            let name = &item.ident;
            // Of an enum with fields the types of these are checked, of another one the numbers.
            let fields = item.variants.iter().flat_map(|variant| &variant.fields).zip(&of.tags);
            let fields = fields.map(|(field, tag)| {
                let ty = &field.ty;
                let at = ty.span().resolved_at(span);
                quote_spanned!(at=> __vyre::alias::<#tag, #ty>();)
            });
            let fields: TokenStream = fields.collect();
            let checks = item.variants.iter().zip(&of.discriminants).map(|(variant, &value)| {
                let (variant, value) = (&variant.ident, Literal::i128_unsuffixed(value));
                quote_spanned!(span=> __vyre::discriminant(#name::#variant as i128 == #value);)
            });
            let checks = quote!(#fields #(#checks)*);
            (&item.ident, &item.attrs, checks)
        }
        Item::Type(item) => {
            let (cfg, tag, name) = (cfg(&item.attrs), &of.tags, &item.ident);
            return quote_spanned! {span=>
                #(#cfg)*
                const _: () = {
                    #[allow(unused_imports)]
                    use ::vyre::__private as __vyre;
                    #(__vyre::alias::<#tag, #name>();)*
                };
            };
        }
        _ => return TokenStream::new(),
    };
    let cfg = cfg(attributes);
    let element = of.is_element.then(|| {
        quote_spanned! {span=>
            // SAFETY: plain data without padding, checked below, for which zero bytes are a value.
            unsafe impl ::vyre::Element for #name {}
        }
    });
    quote_spanned! {span=>
        #(#cfg)*
        const _: () = {
            use ::vyre::__private as __vyre;
            #element
            impl __vyre::Ty for #name {
                type Tag = __vyre::tag::Own<#key>;
            }
            #checks
        };
    }
}

/// What makes a type one of the device that was refused, so that its uses are not faults too.
pub(crate) fn stub(item: &Item) -> TokenStream {
    let name = match item {
        Item::Struct(item) if item.generics.params.is_empty() => &item.ident,
        Item::Enum(item) if item.generics.params.is_empty() => &item.ident,
        _ => return TokenStream::new(),
    };
    // The build has failed, so nothing will stand on this.
    quote_spanned!(Span::mixed_site()=> unsafe impl ::vyre::Element for #name {})
}

fn cfg(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
}
