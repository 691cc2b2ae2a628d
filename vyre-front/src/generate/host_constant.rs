//! `#[vyre::constant]`: statics set by the host.
//!
//! rustc sees the static unchanged, which is the value that kernels see unless it was set. To
//! kernels it is carried as a marked device constant, whose value is passed by each launch. A type
//! of the same name is generated beside it, with functions to set and read the value. It is
//! identified by a unique key, so that a kernel needs no path to a static mentioned by a device
//! function.

use std::sync::{Mutex, PoisonError};

use proc_macro2::{Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Item, ItemConst, StaticMutability};

use crate::errors::{self, Code, Diagnostic};
use crate::resolve::attributes;

/// The fault of the item below the attribute.
pub(crate) fn refused(item: &Item) -> Option<Diagnostic> {
    let (span, fault, help) = match item {
        Item::Static(item) => match &item.mutability {
            StaticMutability::None => return None,
            other => (
                first(other.to_token_stream()),
                "a constant that the host sets is not a `static mut`",
                "write `static`: `NAME::set(&device, ..)` sets what kernels see",
            ),
        },
        Item::Verbatim(tokens) if without_value(tokens).is_some() => (
            without_value(tokens)?,
            "this `static` has no value",
            "write what kernels see until the host sets it: `static FILTER: [f32; 3] = [0.0; 3];`",
        ),
        other => (
            first(other.to_token_stream()),
            "`#[vyre::constant]` does not apply to this item",
            "it applies to a `static`, an array of scalars: `static FILTER: [f32; 3] = [0.0; 3];`",
        ),
    };
    Some(errors::diagnostic(Code::DeviceItem, span, fault, help))
}

/// The first token of an item behind its attributes, which docs are too.
fn first(item: TokenStream) -> Span {
    let mut tokens = item.into_iter();
    loop {
        match tokens.next() {
            None => return Span::call_site(),
            Some(TokenTree::Punct(punct)) if punct.as_char() == '#' => drop(tokens.next()),
            Some(token) => return token.span(),
        }
    }
}

/// The name of a `static` without a value.
fn without_value(item: &TokenStream) -> Option<Span> {
    let mut tokens = item.clone().into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word == "static"))?;
    let name = tokens.next()?.span();
    let is_equal = |token: TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '=');
    (!tokens.any(is_equal)).then_some(name)
}

/// A key that no other constant of this crate has: macros may write the same tokens at the same place several
/// times, and each is a constant of its own.
pub(crate) fn own_key(mut key: u64) -> u64 {
    static KEYS: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    while keys.contains(&key) {
        key = key.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
    }
    keys.push(key);
    key
}

/// The type that sets and reads the constant.
pub(crate) fn setter(item: &ItemConst, key: u64) -> TokenStream {
    let (name, ty) = (&item.ident, &item.ty);
    let key = Literal::u64_unsuffixed(key);
    let functions = quote_spanned! {Span::mixed_site()=>
        /// Sets what kernels see that are launched on the device from now on. Launches before keep what they
        /// have.
        pub fn set(device: &::vyre::Device, value: &#ty) {
            ::vyre::__private::set_constant(device, #key, value);
        }

        /// The current value for launches on the device.
        #[must_use]
        pub fn get(device: &::vyre::Device) -> #ty {
            // SAFETY: only `set` sets values with this key.
            unsafe { ::vyre::__private::constant(device, #key, &#name) }
        }
    };
    type_of(item, functions)
}

/// The same of a constant that was refused, so that its uses are not faults too.
pub(crate) fn stub(item: &ItemConst) -> TokenStream {
    let ty = &item.ty;
    // A sum of bounds is no type behind `&` but in parentheses.
    let functions = quote_spanned! {Span::mixed_site()=>
        pub fn set(_: &::vyre::Device, _: &(#ty)) {}
        pub fn get(_: &::vyre::Device) -> (#ty) { ::vyre::__private::unreachable!("this constant did not compile") }
    };
    type_of(item, functions)
}

fn type_of(item: &ItemConst, functions: TokenStream) -> TokenStream {
    let (name, visibility) = (&item.ident, &item.vis);
    let cfg = attributes::cfg(&item.attrs);
    // Lints are silent where the span is the macro's.
    let mut own = name.clone();
    own.set_span(Span::call_site().located_at(name.span()));
    let docs = format!(" Sets and reads what kernels see of the constant [`{name}`](static@{name}).");
    quote! {
        #(#cfg)*
        #[doc = #docs]
        #[allow(clippy::upper_case_acronyms, clippy::empty_enums)]
        #visibility enum #own {}
        #(#cfg)*
        #[allow(warnings)]
        const _: () = {
            impl #own { #functions }
        };
    }
}
