//! The attribute's expansion, with the compiler behind the front end.

use proc_macro2::TokenStream;
use vyre_core::CompileOptions;
use vyre_front::generate::{self, Embedding};
use vyre_front::surface::Lowered;
use vyre_ir::module::{CompileError, Module};
use vyre_ir::validate::Validated;

use crate::inline_code;
#[cfg(feature = "report")]
use crate::report::written;

/// Expands `#[vyre::kernel(options)] item`.
pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    vyre_front::expand(options, item, compiled)
}

/// Expands an attribute on an item of which rustc has decided the `cfg`, from the enum that derives.
pub fn configured(of: TokenStream) -> TokenStream {
    vyre_front::configured(of, compiled)
}

/// Expands the end of a chain of macros, which have brought what an item mentions.
pub fn carried(tokens: TokenStream) -> TokenStream {
    vyre_front::carried(tokens, compiled)
}

/// Compiles a kernel, with machine code if the crate's build script asks for that.
fn compiled(lowered: &Lowered, valid: &Validated<'_>) -> Result<TokenStream, CompileError> {
    let name = lowered.surface.name.to_string();
    let module = embeddable(&name, lowered, valid, &CompileOptions::default())?;
    let cubins = match lowered.is_patched() {
        true => Vec::new(),
        false => inline_code::cubins(&name, &module),
    };
    let tokens = generate::embedding(lowered, valid, &module, &Embedding::Literal(cubins));
    #[cfg(feature = "report")]
    let tokens = tokens.into_iter().chain(written::watch()).collect();
    Ok(tokens)
}

/// Compiles a kernel to the PTX that is embedded. It names the lines of the source for debuggers and profilers, in no more
/// bytes than comments take; a driver that is not asked for them makes the same machine code.
pub(crate) fn embeddable(
    name: &str,
    lowered: &Lowered,
    valid: &Validated<'_>,
    with: &CompileOptions,
) -> Result<Module, CompileError> {
    let options = options(lowered, with);
    let module = vyre_core::compile_for_all(valid, &options)?;
    #[cfg(feature = "report")]
    written::write(name, valid, &options);
    #[cfg(not(feature = "report"))]
    let _ = name;
    Ok(module)
}

/// The options of the compiler for a kernel, with those of its attribute.
pub(crate) fn options(lowered: &Lowered, with: &CompileOptions) -> CompileOptions {
    CompileOptions {
        line_info: true,
        deny_bounds_checks: with.deny_bounds_checks || lowered.denied.bounds_checks,
        deny_races: with.deny_races || lowered.denied.races,
        apart: lowered.collectives.clone(),
        assume_launches: !with.deny_races && !lowered.denied.launches,
        ..with.clone()
    }
}
