//! What stands beside a struct or enum of the device: it may lie in buffers, and rustc checks that
//! it is what vyre takes it for.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Item, parse_quote};

use crate::front::Definition;
use crate::front::names::is_device;

/// The definition with its checks, in the place of an item marked `#[vyre::device]`.
pub(crate) fn definition(mut item: Item, of: &Definition) -> TokenStream {
    let span = Span::mixed_site();
    let key = Literal::u64_unsuffixed(of.key);
    let (name, cfg, checks) = match &mut item {
        Item::Struct(item) => {
            item.attrs.retain(|attribute| !is_device(attribute));
            if !item.attrs.iter().any(|attribute| attribute.path().is_ident("repr")) {
                item.attrs.push(parse_quote!(#[repr(C)]));
            }
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
            item.attrs.retain(|attribute| !is_device(attribute));
            let name = &item.ident;
            let checks = item.variants.iter().zip(&of.discriminants).map(|(variant, &value)| {
                let (variant, value) = (&variant.ident, Literal::i128_unsuffixed(value));
                quote_spanned!(span=> __vyre::discriminant(#name::#variant as i128 == #value);)
            });
            let checks = quote!(#(#checks)*);
            (&item.ident, &item.attrs, checks)
        }
        _ => return item.into_token_stream(),
    };
    let cfg = cfg.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let element = of.is_element.then(|| {
        let name = Ident::new(&name.to_string(), name.span());
        quote_spanned! {span=>
            // SAFETY: plain data without padding, checked below, for which zero bytes are a value.
            unsafe impl ::vyre::Element for #name {}
        }
    });
    let checked = quote_spanned! {span=>
        #(#cfg)*
        const _: () = {
            use ::vyre::__private as __vyre;
            #element
            impl __vyre::Ty for #name {
                type Tag = __vyre::tag::Own<#key>;
            }
            #checks
        };
    };
    quote!(#item #checked)
}
