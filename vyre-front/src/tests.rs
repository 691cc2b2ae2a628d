//! The compiler, for unit tests.

use proc_macro2::TokenStream;
use vyre_core::CompileOptions;
use vyre_ir::module::CompileError;
use vyre_ir::validate::Validated;

use crate::generate;
use crate::surface::Lowered;

/// As the attribute has a kernel compiled.
pub(crate) fn compiled(lowered: &Lowered, valid: &Validated<'_>) -> Result<TokenStream, CompileError> {
    let options = CompileOptions {
        deny_bounds_checks: lowered.denied.bounds_checks,
        deny_races: lowered.denied.races,
        assume_launches: !lowered.denied.launches,
        apart: lowered.collectives.clone(),
        ..CompileOptions::default()
    };
    let module = vyre_core::compile_for_all(valid, &options)?;
    Ok(generate::kernel(lowered, valid, &module))
}
