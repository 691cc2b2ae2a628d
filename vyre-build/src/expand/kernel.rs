//! A kernel: its launcher, PTX and CPU body; or a chain of macros that brings what it mentions; or its errors.

use proc_macro2::TokenStream;
use quote::quote;
use vyre_core::validate;

use crate::generate::{self, Embedding};
use crate::resolve::chains::{self, Errand};
use crate::resolve::names::Names;
use crate::surface::{Lowered, Rejected};
use crate::{driver, errors};

/// The tokens that replace a kernel, from an attribute or the end of a chain.
pub(super) fn expanded(errand: Errand, names: &Names) -> TokenStream {
    match kernel(errand.options.clone(), errand.item.clone(), names, Embedding::Literal) {
        Ok(kernel) => kernel.tokens,
        Err(rejected) if rejected.is_waiting() => {
            let Some(surface) = rejected.surface else {
                return TokenStream::new();
            };
            let face = match surface.has_face {
                true => TokenStream::new(),
                false => generate::face(&surface),
            };
            let chain = chains::chain(errand, &rejected.wanted, &rejected.unused, &surface.attributes, None);
            quote!(#face #chain)
        }
        Err(rejected) => generate::stub(&rejected),
    }
}

/// A kernel that has been compiled.
pub(crate) struct Kernel {
    /// The tokens that replace it.
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
    let lowered = driver::kernel(options, item, names)?;
    let name = lowered.surface.name.span();
    let compiled = match validate::validate(&lowered.program) {
        Ok(valid) => match vyre_core::compile(&valid, &Default::default()) {
            Ok(module) => Ok(Kernel {
                tokens: generate::embedding(&lowered, &valid, &module, embedding),
                ptx: module.ptx,
            }),
            Err(error) => Err(vec![errors::too_large(&error, name)]),
        },
        Err(invalid) => Err(invalid
            .iter()
            .map(|invalid| errors::invalid(invalid, &lowered.program, place(&lowered, invalid.span)))
            .collect()),
    };
    compiled.map_err(|errors| {
        Box::new(Rejected {
            surface: Some(lowered.surface),
            checked: lowered.checked,
            elsewhere: false,
            wanted: Vec::new(),
            unused: Vec::new(),
            note: None,
            errors,
        })
    })
}

/// The user's tokens for a place of the program, or the kernel's name if that is not known.
pub(crate) fn place(lowered: &Lowered, place: vyre_core::ir::Span) -> proc_macro2::Span {
    if place.is_some() {
        lowered.spans.get(place)
    } else {
        lowered.surface.name.span()
    }
}
