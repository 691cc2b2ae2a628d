//! The whole way of one kernel, from its tokens to those that stand in its place.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ItemFn;
use vyre_core::valid;

use crate::errors::{self, Code};
use crate::front::{self, Names};
use crate::generate::{self, Embedding};
use crate::surface::{Lowered, Rejected};
use crate::surroundings;

/// Expands `#[vyre::kernel(options)] item`.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    if surroundings::in_impl(Span::call_site()) {
        let mut tokens = item.clone().into_iter();
        let name = tokens
            .find(|token| token.to_string() == "fn")
            .and_then(|_| tokens.next())
            .map_or_else(Span::call_site, |name| name.span());
        let error = errors::diagnostic(
            Code::InImpl,
            name,
            "a kernel cannot stand in an `impl` or a `trait`",
            "move it out: its launcher is an item of its own",
        );
        let error = error.to_compile_error();
        return quote::quote!(#error #item);
    }
    match kernel(options, item, &Names::default(), Embedding::Literal) {
        Ok(kernel) => kernel.tokens,
        Err(rejected) => generate::stub(&rejected),
    }
}

/// A kernel that has been compiled.
pub(crate) struct Kernel {
    /// What stands in its place.
    pub(crate) tokens: TokenStream,
    /// Its PTX, with placeholders for constants that rustc supplies.
    #[cfg_attr(not(feature = "compile"), allow(dead_code, reason = "build scripts write it"))]
    pub(crate) ptx: String,
}

/// Reads, checks, compiles and generates a kernel.
pub(crate) fn kernel(
    options: TokenStream,
    item: TokenStream,
    names: &Names,
    embedding: Embedding,
) -> Result<Kernel, Box<Rejected>> {
    let lowered = front::kernel(options, item, names)?;
    let name = lowered.surface.name.span();
    let compiled = match valid::validate(&lowered.program) {
        Ok(program) => {
            vyre_core::compile(program, &Default::default()).map_err(|error| vec![errors::too_large(&error, name)])
        }
        Err(invalid) => Err(invalid
            .iter()
            .map(|invalid| errors::invalid(invalid, &lowered.program, place(&lowered, invalid.span)))
            .collect()),
    };
    match compiled {
        Ok(module) => Ok(Kernel {
            tokens: generate::embedding(&lowered, &module, embedding),
            ptx: module.ptx,
        }),
        Err(errors) => Err(Box::new(Rejected {
            surface: Some(lowered.surface),
            checked: lowered.checked,
            elsewhere: false,
            errors,
        })),
    }
}

#[cfg_attr(
    not(feature = "compile"),
    allow(dead_code, reason = "build scripts read whole files")
)]
/// What rustc checks of a device function, and what is wrong with it.
pub(crate) fn device(function: &ItemFn, names: &Names) -> (TokenStream, Vec<syn::Error>) {
    match front::device(function.to_token_stream(), names) {
        Ok(checked) => (generate::device::checked(function, &checked), Vec::new()),
        Err(rejected) => (generate::device::refused(function, &rejected), rejected.errors),
    }
}

/// Where a place of the program stands in the user's tokens: at the kernel's name where it is not known.
fn place(lowered: &Lowered, place: vyre_core::ir::Span) -> proc_macro2::Span {
    if place.is_some() {
        lowered.spans.get(place)
    } else {
        lowered.surface.name.span()
    }
}
