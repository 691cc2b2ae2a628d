//! Confirms the values of constants: rustc computes them too, and compares.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Attribute;

use crate::errors::Code;
use crate::resolve::attributes;
use crate::surface::Primitive;

/// Limit of the scalars of a constant that are listed for rustc to compare. Larger constants are
/// compared by a digest.
const MOST_LISTED: usize = 32;

/// Confirms that the value of a constant has these bits.
pub(crate) fn of_item(path: &TokenStream, attributes: &[Attribute], cell: Primitive, values: &[u64]) -> TokenStream {
    compared(path, attributes, cell, values, (&other_value(path), Span::call_site()))
}

/// Confirms that a path in a body leads to a constant of these bits.
pub(crate) fn at_path(path: &TokenStream, cell: Primitive, values: &[u64]) -> TokenStream {
    let first = path.clone().into_iter().next();
    let span = first.map_or_else(Span::call_site, |first| first.span());
    let message = format!(
        "{}: `{}` is another constant here than the one marked `#[vyre::device]` of that name, which vyre has found\n\
         help: put `#[vyre::device]` on it too, or import the one that is meant by its name",
        Code::NotDevice,
        path.to_string().replace(' ', "")
    );
    compared(path, &[], cell, values, (&message, span))
}

fn compared(
    path: &TokenStream,
    attributes: &[Attribute],
    cell: Primitive,
    values: &[u64],
    (message, span): (&str, Span),
) -> TokenStream {
    // The bits of a NaN are not specified.
    if values.iter().any(|&bits| is_nan(cell, bits)) {
        return TokenStream::new();
    }
    let cfg = attributes::cfg(attributes);
    let size = Literal::u32_unsuffixed(cell.scalar().size());
    let holds = match values.len() {
        ..=MOST_LISTED => quote!(holds(&#path, #size, &[#(#values),*])),
        count => {
            let digest = values.iter().fold(0, |digest: u64, &value| {
                (digest ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
            });
            quote!(digests(&#path, #size, #count, #digest))
        }
    };
    quote_spanned! {span.resolved_at(Span::mixed_site())=>
        #(#cfg)*
        const _: () = ::core::assert!(::vyre::__private::#holds, #message);
    }
}

/// True if these are the bits of a NaN.
pub(super) fn is_nan(cell: Primitive, bits: u64) -> bool {
    let scalar = cell.scalar();
    scalar.is_float() && bits & (u64::MAX >> (65 - scalar.bits())) > infinity(cell)
}

/// The bits of the infinity of a float type.
pub(super) fn infinity(cell: Primitive) -> u64 {
    match cell {
        Primitive::F16 => 0x7c00,
        Primitive::BF16 => 0x7f80,
        Primitive::F32 => u64::from(f32::INFINITY.to_bits()),
        _ => f64::INFINITY.to_bits(),
    }
}

/// The message for a constant of which rustc finds another value.
pub(crate) fn other_value(path: &TokenStream) -> String {
    format!(
        "{}: vyre and rustc find different values of `{path}`: this is a bug in vyre\n\
         help: write the value as a literal, and please report this constant",
        Code::Disagreement
    )
}
