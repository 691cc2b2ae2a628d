//! A kernel: its launcher, PTX and CPU body; or a chain of macros that brings what it mentions; or its errors.

use proc_macro2::TokenStream;
use quote::quote;
use vyre_ir::module::{CompileError, FaultSite, Race};
use vyre_ir::validate::{Validated, validate};

use super::placement;
use crate::errors::{Note, Rejected};
use crate::generate;
use crate::resolve::chains::{self, Errand};
use crate::resolve::names::Names;
use crate::surface::Lowered;
use crate::{driver, errors};

/// Compiles a program, and replaces its kernel by [`generate::embedding`]. The compiler and the front end are built side by
/// side, so whoever has both hands it in.
pub type Compile = fn(&Lowered, &Validated<'_>) -> Result<TokenStream, CompileError>;

/// The tokens that replace a kernel, from an attribute or the end of a chain.
pub(super) fn expanded(errand: Errand, names: &Names, compile: Compile) -> TokenStream {
    let (options, item) = (errand.options.clone(), errand.item.clone());
    match kernel(options, item, names, &mut { compile }) {
        Ok(tokens) => tokens,
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

/// Reads and checks a kernel, and has it compiled. Returns the tokens that replace it.
pub(crate) fn kernel(
    options: TokenStream,
    item: TokenStream,
    names: &Names,
    compile: &mut dyn FnMut(&Lowered, &Validated<'_>) -> Result<TokenStream, CompileError>,
) -> Result<TokenStream, Box<Rejected>> {
    let lowered = driver::kernel(options, item, names)?;
    let name = lowered.surface.name.span();
    let mut notes = Vec::new();
    let compiled = match validate(&lowered.program) {
        Ok(valid) => compile(&lowered, &valid).map_err(|error| match error {
            CompileError::BoundsChecks { left, .. } => {
                let place = |site: &FaultSite| place(&lowered, site.span);
                vec![errors::bounds_checks(&left, &lowered.program, &place)]
            }
            CompileError::Races { kernel, found } => {
                let place = |race: &Race| place(&lowered, race.span);
                // Where rustc refuses the body, this may be a fault of another one.
                let diagnostic = errors::races(&kernel, &found, &lowered.program, &place);
                notes.push(Note {
                    diagnostic,
                    late: false,
                });
                Vec::new()
            }
            error => vec![errors::too_large(&error, name)],
        }),
        Err(invalid) => Err(invalid
            .iter()
            .filter(|invalid| !errors::is_left_to_rustc(invalid))
            .map(|invalid| errors::invalid(invalid, &lowered.program, place(&lowered, invalid.span)))
            .collect()),
    };
    compiled.map_err(|errors| {
        Box::new(Rejected {
            surface: Some(lowered.surface),
            checked: lowered.checked,
            elsewhere: false,
            hides: false,
            wanted: Vec::new(),
            unused: Vec::new(),
            errors,
            notes,
        })
    })
}

/// The user's tokens for a place of the program, or the kernel's name if that is not known.
pub(crate) fn place(lowered: &Lowered, place: vyre_ir::ir::Span) -> proc_macro2::Span {
    if place.is_some() {
        lowered.spans.get(place)
    } else {
        lowered.surface.name.span()
    }
}
