//! A kernel: its launcher, PTX and CPU body; or a chain of macros that brings what it mentions; or its errors.

use proc_macro2::TokenStream;
use quote::quote;
use vyre_core::{CompileError, CompileOptions, validate};
use vyre_ir::module::{FaultSite, Module};
use vyre_ir::validate::Validated;

use super::placement;
use crate::errors::Rejected;
use crate::generate::{self, Embedding};
use crate::resolve::chains::{self, Errand};
use crate::resolve::names::Names;
use crate::surface::Lowered;
use crate::{driver, errors, inline_code};

/// The tokens that replace a kernel, from an attribute or the end of a chain.
pub(super) fn expanded(errand: Errand, names: &Names) -> TokenStream {
    let (options, item) = (errand.options.clone(), errand.item.clone());
    let embedding = |lowered: &Lowered, module: &Module| match lowered.is_patched() {
        true => Embedding::Literal(Vec::new()),
        false => Embedding::Literal(inline_code::cubins(&lowered.surface.name.to_string(), module)),
    };
    match kernel(options, item, names, &CompileOptions::default(), embedding) {
        Ok(kernel) => kernel.tokens,
        Err(rejected) if rejected.is_waiting() => {
            let Some(surface) = rejected.surface else {
                return TokenStream::new();
            };
            // Items of a module have none around them.
            if surface.name.span().start().column > 0
                && let Some(refused) = placement::inside_a_generic_item(&errand.item, &rejected.wanted)
            {
                return refused;
            }
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
#[cfg_attr(not(feature = "compile"), allow(dead_code, reason = "build scripts write files"))]
pub(crate) struct Kernel {
    /// The tokens that replace it.
    pub(crate) tokens: TokenStream,
    /// Its PTX, with placeholders for constants that rustc supplies.
    pub(crate) module: Module,
    /// The kernel as a program.
    pub(crate) lowered: Lowered,
}

/// Compiles a kernel to the PTX that is embedded. It names the lines of the source for debuggers and profilers, in no more
/// bytes than comments take; a driver that is not asked for them makes the same machine code.
pub(crate) fn embeddable(valid: &Validated<'_>, mut options: CompileOptions) -> Result<Module, CompileError> {
    options.line_info = true;
    vyre_core::compile_for_all(valid, &options)
}

/// Reads, checks, compiles and generates a kernel.
pub(crate) fn kernel(
    options: TokenStream,
    item: TokenStream,
    names: &Names,
    with: &CompileOptions,
    embedding: impl FnOnce(&Lowered, &Module) -> Embedding,
) -> Result<Kernel, Box<Rejected>> {
    let lowered = driver::kernel(options, item, names)?;
    let name = lowered.surface.name.span();
    let options = CompileOptions {
        deny_bounds_checks: lowered.denied.bounds_checks,
        ..with.clone()
    };
    let compiled = match validate::validate(&lowered.program) {
        Ok(valid) => match embeddable(&valid, options) {
            Ok(module) => {
                let embedding = embedding(&lowered, &module);
                Ok((generate::embedding(&lowered, &valid, &module, &embedding), module))
            }
            Err(CompileError::BoundsChecks { left, .. }) => {
                let place = |site: &FaultSite| place(&lowered, site.span);
                Err(vec![errors::bounds_checks(&left, &lowered.program, &place)])
            }
            Err(error) => Err(vec![errors::too_large(&error, name)]),
        },
        Err(invalid) => Err(invalid
            .iter()
            .filter(|invalid| !errors::is_left_to_rustc(invalid))
            .map(|invalid| errors::invalid(invalid, &lowered.program, place(&lowered, invalid.span)))
            .collect()),
    };
    match compiled {
        Ok((tokens, module)) => Ok(Kernel {
            tokens,
            module,
            lowered,
        }),
        Err(errors) => Err(Box::new(Rejected {
            surface: Some(lowered.surface),
            checked: lowered.checked,
            elsewhere: false,
            hides: false,
            wanted: Vec::new(),
            unused: Vec::new(),
            errors,
            notes: Vec::new(),
        })),
    }
}

/// The user's tokens for a place of the program, or the kernel's name if that is not known.
pub(crate) fn place(lowered: &Lowered, place: vyre_ir::ir::Span) -> proc_macro2::Span {
    if place.is_some() {
        lowered.spans.get(place)
    } else {
        lowered.surface.name.span()
    }
}
