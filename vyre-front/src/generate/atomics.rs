//! `#[derive(vyre::Atomics)]`: beside a struct the one that `vyre::Atomic` of it is, with an atomic in the place of each
//! scalar.

use proc_macro2::{Ident, Span, TokenStream};
use syn::{Attribute, Fields, Item};

use crate::code::{Code, code};
use crate::errors;
use crate::resolve::items::named;

/// The struct of atomics, which has no name outside, and the implementations by which it stands for the other one.
pub(crate) fn atomics(item: &Item) -> TokenStream {
    let span = Span::mixed_site();
    let refused = |name: &Ident, fault: &str, help: &str| {
        errors::diagnostic(errors::Code::AtomicParameter, name.span(), fault, help).to_compile_error()
    };
    let item = match item {
        Item::Struct(item) => item,
        item => {
            let fault = "a struct has a counterpart of atomics, no enum or union";
            let name = named(item).map(|(name, _)| name);
            return name.map_or_else(TokenStream::new, |name| {
                refused(name, fault, "derive it for a struct of scalars")
            });
        }
    };
    if !item.generics.params.is_empty() {
        return refused(
            &item.ident,
            "a struct with parameters has no counterpart of atomics",
            "derive it for a struct of scalars, with the types written out",
        );
    }
    let (name, vis) = (&item.ident, &Code::of(&item.vis));
    let atomic = &Ident::new(
        &format!("__AtomicsOf{}", name.to_string().trim_start_matches("r#")),
        span,
    );
    let (mut fields, mut same_offsets) = (Vec::new(), Code::default());
    for (field, member) in item.fields.iter().zip(item.fields.members()) {
        let (vis, ty, member) = (Code::of(&field.vis), Code::of(&field.ty), &Code::of(&member));
        same_offsets.append(code! {span=>
            && ::core::mem::offset_of!(#atomic, #member) == ::core::mem::offset_of!(#name, #member)
        });
        fields.push(match &field.ident {
            Some(name) => code!(span=> #vis #name: <#ty as ::vyre::Atomics>::Cell),
            None => code!(span=> #vis <#ty as ::vyre::Atomics>::Cell),
        });
    }
    let fields = match item.fields {
        Fields::Named(_) => code!(span=> { #fields }),
        _ => code!(span=> (#fields);),
    };
    // `repr(C)` is added, which `repr(transparent)` excludes.
    let is_alignment = |attribute: &&Attribute| attribute.path().is_ident("repr") && !is_transparent(attribute);
    let repr = Code::of_all(&item.attrs.iter().filter(is_alignment).collect::<Vec<_>>());
    code! {span=>
        const _: () = {
            #repr
            #[repr(C)]
            #[allow(dead_code, missing_docs, unreachable_pub, missing_debug_implementations)]
            #[doc(hidden)]
            #vis struct #atomic #fields
            // SAFETY: the fields are those of the other struct, each with an atomic of its own type, at the same offsets.
            unsafe impl ::vyre::AtomicElement for #atomic {
                type Value = #name;
            }
            impl ::vyre::Atomics for #name {
                type Atomics = #atomic;
                type Cell = ::vyre::Atomic<#name>;
            }
            const _: () = ::core::assert!(
                ::core::mem::size_of::<#atomic>() == ::core::mem::size_of::<#name>()
                    && ::core::mem::align_of::<#atomic>() == ::core::mem::align_of::<#name>()
                    #same_offsets
            );
        };
    }
    .into()
}

fn is_transparent(attribute: &Attribute) -> bool {
    let listed = attribute.parse_args::<Ident>();
    listed.is_ok_and(|word| word == "transparent")
}
